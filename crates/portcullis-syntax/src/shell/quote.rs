//! `$'…'`: where it ends and what it stands for. It knows nothing of the text around it.

/// How long the inside is, and whether a closing quote follows.
pub(super) fn ansi_length(text: &[u8]) -> (usize, bool) {
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        match memchr::memchr2(b'\'', b'\\', rest) {
            None => return (text.len(), false),
            Some(length) if rest.get(length) == Some(&b'\'') => return (at + length, true),
            Some(length) if at + length + 2 > text.len() => return (text.len(), false),
            Some(length) => at += length + 2,
        }
    }
}

/// The text that the inside stands for. As in bash, it ends at the first NUL.
pub(super) fn ansi_decoded(inside: &str) -> String {
    let mut decoded = Vec::with_capacity(inside.len());
    let mut rest = inside.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            decoded.push(byte);
            continue;
        }
        let escaped = rest;
        let Some((&escape, after)) = rest.split_first() else {
            decoded.push(b'\\');
            break;
        };
        rest = after;
        let plain = match escape {
            b'a' => 0x07,
            b'b' => 0x08,
            b'e' | b'E' => 0x1B,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0B,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'0'..=b'7' => {
                rest = escaped;
                number(&mut rest, 8, 3).map_or(0, lowest_byte)
            }
            b'x' => {
                let braced = rest.strip_prefix(b"{");
                if let Some(inner) = braced {
                    rest = inner;
                }
                let value = number(&mut rest, 16, if braced.is_some() { usize::MAX } else { 2 });
                if braced.is_some() {
                    rest = rest.strip_prefix(b"}").unwrap_or(rest);
                }
                match value {
                    Some(value) => lowest_byte(value),
                    None => {
                        decoded.extend_from_slice(b"\\x");
                        continue;
                    }
                }
            }
            b'u' | b'U' => {
                match number(&mut rest, 16, if escape == b'u' { 4 } else { 8 }) {
                    Some(0) => break,
                    Some(value) => {
                        let character =
                            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
                        decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    None => decoded.extend_from_slice(&[b'\\', escape]),
                }
                continue;
            }
            b'c' => match rest.split_first() {
                Some((&control, after)) => {
                    rest = after;
                    if control == b'\\' {
                        rest = rest.strip_prefix(b"\\").unwrap_or(rest);
                    }
                    if control == b'?' { 0x7F } else { control & 0x1F }
                }
                None => {
                    decoded.extend_from_slice(b"\\c");
                    continue;
                }
            },
            _ => {
                decoded.extend_from_slice(&[b'\\', escape]);
                continue;
            }
        };
        if plain == 0 {
            break;
        }
        decoded.push(plain);
    }
    String::from_utf8(decoded)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn lowest_byte(value: u32) -> u8 {
    let [lowest, ..] = value.to_le_bytes();
    lowest
}

/// Takes up to `most` digits: their value, cut to 32 bits; `None` where there is none.
fn number(rest: &mut &[u8], radix: u32, most: usize) -> Option<u32> {
    let mut value = None;
    let mut left = most;
    while left > 0
        && let Some((&byte, after)) = rest.split_first()
        && let Some(digit) = char::from(byte).to_digit(radix)
    {
        value = Some(value.unwrap_or(0_u32).wrapping_mul(radix).wrapping_add(digit));
        *rest = after;
        left -= 1;
    }
    value
}

/// What the inside of `"…"` stands for where nothing in it expands.
pub(super) fn double_decoded(inside: &str) -> String {
    let mut decoded = String::with_capacity(inside.len());
    let mut characters = inside.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('\n')) => {
                characters.next();
            }
            ('\\', Some(&next @ ('$' | '`' | '"' | '\\'))) => {
                decoded.push(next);
                characters.next();
            }
            _ => decoded.push(character),
        }
    }
    decoded
}
