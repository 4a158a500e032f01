//! Values that are known to be secret. Owns the spellings in which one may stand in a stream.

/// The shortest value that can be known: a shorter one stands everywhere.
const SHORTEST: usize = 4;

/// The longest piece of a known value that is searched as one.
const LONGEST: usize = 1 << 12;

/// A value known to be secret.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Known {
    /// What it is called in its place: lower-case letters, digits and `_`.
    pub name: String,
    /// The value. Each of its lines is hidden, also in base64, hexadecimal digits and escaped.
    pub value: Vec<u8>,
}

/// How a known value may stand in a stream: each of its lines as it is, encoded, and escaped.
pub(super) fn spellings(value: &[u8]) -> Vec<Vec<u8>> {
    let mut spellings: Vec<Vec<u8>> = Vec::new();
    let mut add = |text: Vec<u8>| {
        if text.len() >= SHORTEST && !spellings.contains(&text) {
            spellings.push(text);
        }
    };
    let lines =
        value.split(|byte| matches!(byte, b'\n' | b'\r')).flat_map(|line| line.chunks(LONGEST));
    for line in lines.filter(|line| line.len() >= SHORTEST) {
        add(line.to_vec());
        add(escaped(
            line,
            |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~'),
            |byte| format!("%{byte:02X}"),
        ));
        add(escaped(
            line,
            |byte| !matches!(byte, b'"' | b'\\'),
            |byte| format!("\\{}", char::from(byte)),
        ));
    }
    let whole = value.get(..value.len().min(LONGEST)).unwrap_or_default();
    if whole.len() >= 8 {
        // The last group of base64 depends on what follows, so it is left out.
        let groups = whole.get(..whole.len() - whole.len() % 3).unwrap_or_default();
        add(data_encoding::BASE64.encode(groups).into_bytes());
        add(data_encoding::BASE64URL.encode(groups).into_bytes());
        add(data_encoding::HEXLOWER.encode(whole).into_bytes());
        add(data_encoding::HEXUPPER.encode(whole).into_bytes());
    }
    spellings
}

fn escaped(text: &[u8], stays: impl Fn(u8) -> bool, escape: impl Fn(u8) -> String) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if stays(*byte) { out.push(*byte) } else { out.extend(escape(*byte).bytes()) }
    }
    out
}
