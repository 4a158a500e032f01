//! Where a call stands in somebody's trace: W3C Trace Context. Owns how it is read, and that nothing else is taken for it; what is told of a
//! call, whoever tells it knows.
//!
//! It says who belongs together and nothing that counts: no decision looks at it.

use std::{env, fmt};

use serde_json::{Map, Value};

/// The name of the header, and of the member of `_meta` (SEP-414 of MCP).
pub const HEADER: &str = "traceparent";

/// The variable in which programs hand it to those they start.
const VARIABLE: &str = "TRACEPARENT";

/// How long it is in the version that we know.
const LENGTH: usize = 55;

/// A trace, and the step in it that a call belongs to.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Trace {
    /// The trace.
    pub id: [u8; 16],
    /// The step that called.
    pub parent: [u8; 8],
    /// Whether whoever called keeps this trace.
    pub sampled: bool,
}

impl Trace {
    /// Reads it as a header has it; nothing where it is not as the standard has it, in full.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let known = bytes.get(..LENGTH)?;
        // A later version may say more behind a dash; the one that we know says nothing more.
        let is_whole = match bytes.get(LENGTH) {
            None => true,
            Some(next) => *next == b'-' && !known.starts_with(b"00"),
        };
        let mut parts = known.split(|byte| *byte == b'-');
        let [version, id, parent, flags] = [(); 4].map(|()| parts.next().unwrap_or_default());
        if !is_whole || parts.next().is_some() {
            return None;
        }
        let [version] = digits(version)?;
        let (id, parent) = (digits(id)?, digits(parent)?);
        let [flags] = digits(flags)?;
        let is_named = version != 0xff && id != [0; 16] && parent != [0; 8];
        is_named.then_some(Self { id, parent, sampled: flags & 1 == 1 })
    }

    /// What started this process says that it belongs to.
    #[must_use]
    pub fn of_environment() -> Option<Self> {
        Self::read(env::var(VARIABLE).ok()?.trim())
    }

    /// What the parameters of a message of MCP say.
    #[must_use]
    pub fn of_params(params: Option<&Map<String, Value>>) -> Option<Self> {
        Self::read(params?.get("_meta")?.get(HEADER)?.as_str()?)
    }
}

impl fmt::Display for Trace {
    /// As a header has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |bytes: &[u8]| data_encoding::HEXLOWER.encode(bytes);
        write!(f, "00-{}-{}-0{}", hex(&self.id), hex(&self.parent), u8::from(self.sampled))
    }
}

/// Bytes of lower-case hexadecimal digits, which is the only case that the standard has.
fn digits<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    data_encoding::HEXLOWER.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const WHOLE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn it_is_read_as_the_standard_has_it_and_written_as_it_was_read() {
        let trace = Trace::read(WHOLE).unwrap();
        assert!(trace.sampled);
        assert_eq!(trace.to_string(), WHOLE);
        let unkept = Trace::read(&WHOLE.replace("-01", "-02")).unwrap();
        assert!(!unkept.sampled);
        assert_eq!(unkept.to_string(), WHOLE.replace("-01", "-00"));
        // A later version may say more.
        let later = format!("cc{}-what the future brings", WHOLE.get(2..).unwrap());
        assert_eq!(Trace::read(&later).map(|it| it.id), Some(trace.id));
    }

    #[test]
    fn what_is_not_whole_is_nothing() {
        let upper = WHOLE.to_ascii_uppercase();
        let zeros = |text: &str, from: &str| text.replace(from, &"0".repeat(from.len()));
        for wrong in [
            "",
            "00",
            WHOLE.get(..54).unwrap(),
            &format!("{WHOLE}-more"),
            &format!("{WHOLE}0"),
            &format!(" {WHOLE}"),
            &WHOLE.replacen("00-", "ff-", 1),
            &WHOLE.replacen("00-", "0-0", 1),
            &format!("cc{}.x", WHOLE.get(2..).unwrap()),
            &upper,
            &zeros(WHOLE, "0af7651916cd43dd8448eb211c80319c"),
            &zeros(WHOLE, "b7ad6b7169203331"),
            &WHOLE.replace('-', "_"),
            &WHOLE.replacen("0af7", "é7", 1),
            &"-".repeat(55),
            &"é".repeat(40),
        ] {
            assert_eq!(Trace::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_message_of_mcp_has_it_in_its_meta() {
        let read = |params: Value| Trace::of_params(params.as_object());
        assert_eq!(read(json!({"_meta": {"traceparent": WHOLE}})), Trace::read(WHOLE));
        for wrong in [json!({}), json!({"_meta": WHOLE}), json!({"_meta": {"traceparent": 1}})] {
            assert_eq!(read(wrong.clone()), None, "{wrong}");
        }
        assert_eq!(Trace::of_params(None), None);
    }
}
