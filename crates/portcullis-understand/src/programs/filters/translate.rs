//! `tr`. Owns its sets: ranges, classes, escapes, repeats, complements. Works on bytes, as GNU does.

use crate::bound::Bounded;
use crate::text::{Piece, Text};

use super::{Call, Output};

pub(super) fn translate(call: &mut Call<'_>) -> Option<Text> {
    let given = call.given(
        "cCdst",
        &[("complement", 'c'), ("delete", 'd'), ("squeeze-repeats", 's'), ("truncate-set1", 't')],
    );
    let input = call.standard_input();
    if given.strange {
        call.decoded();
        return None;
    }
    let sets: Vec<Option<&str>> =
        given.operands.iter().map(|operand| operand.text.as_known()).collect();
    let (first, second) = match sets.as_slice() {
        [first] => (*first, None),
        [first, second] => (*first, Some(*second)),
        _ => return None,
    };
    let translates = second.is_some() && !given.has('d');
    let second = match second {
        Some(None) | None if first.is_none() || translates => {
            // A set that is not known may be a cipher.
            call.decoded();
            return None;
        }
        Some(second) => second,
        None => None,
    };
    let complement = given.has('c') || given.has('C');
    let mut from = set(first?, None)?;
    if complement {
        from = (0..=u8::MAX).filter(|byte| !from.contains(byte)).collect();
    }
    let mut to =
        second.map(|written| set(written, Some(from.len()))).unwrap_or(Some(Vec::new()))?;
    let squeezes = given.has('s');
    let squeezed: Vec<u8> = match (squeezes, second.is_some()) {
        (false, _) => Vec::new(),
        (true, true) => to.clone(),
        (true, false) => from.clone(),
    };
    if given.has('t') {
        from.truncate(to.len());
    } else if let (true, Some(last)) = (translates, to.last().copied()) {
        to.resize(from.len().max(to.len()), last);
    }

    // Line ends say nothing of what the lines do, and the text stays the same one.
    let keeps = given.has('d') && from == *b"\r";
    let mut map: [Option<u8>; 256] = std::array::from_fn(|byte| u8::try_from(byte).ok());
    if given.has('d') {
        for byte in &from {
            *map.get_mut(usize::from(*byte))? = None;
        }
    } else if translates {
        for (byte, replacement) in from.iter().zip(&to) {
            *map.get_mut(usize::from(*byte))? = Some(*replacement);
            if is_cipher(*byte, *replacement) {
                call.decoded();
            }
        }
    }

    let mut result = Text::default();
    let mut last = None;
    for piece in &input.pieces {
        let Piece::Known(text) = piece else {
            result.push(if keeps { piece.clone() } else { Piece::Unknown("tr".into()) });
            last = None;
            continue;
        };
        let mut output = Output::default();
        for byte in text.bytes() {
            let Some(byte) = map.get(usize::from(byte)).copied().flatten() else { continue };
            if last == Some(byte) && squeezed.contains(&byte) {
                continue;
            }
            last = Some(byte);
            output.byte(byte)?;
        }
        result.append(&output.text()?);
    }
    Some(result)
}

/// Letters that become other letters hide what a text says; another case does not.
fn is_cipher(from: u8, to: u8) -> bool {
    to.is_ascii_alphanumeric() && from != to && !from.eq_ignore_ascii_case(&to)
}

/// The bytes of a set in order; `length` is what a `[c*]` fills up to.
fn set(written: &str, length: Option<usize>) -> Option<Vec<u8>> {
    let bytes = unescaped(written)?;
    let mut set: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(&(byte, escaped)) = bytes.get(at) {
        if byte == b'[' && !escaped {
            if let Some((class, width)) = class(bytes.get(at..)?) {
                set.extend(class);
                at += width;
                continue;
            }
            if let Some((repeated, count, width)) = repeat(bytes.get(at..)?) {
                let count = match count {
                    Some(count) => count,
                    None => length?.saturating_sub(set.len()),
                };
                if count > 256 {
                    return None;
                }
                set.extend(std::iter::repeat_n(repeated, count));
                at += width;
                continue;
            }
        }
        let end = match (bytes.get(at + 1), bytes.get(at + 2)) {
            (Some((b'-', false)), Some((end, _))) => Some(*end),
            _ => None,
        };
        match end {
            Some(end) if end < byte => {
                // `b-za` is `b-z` and `a`; a range that runs backwards is an error.
                return None;
            }
            Some(end) => {
                set.extend(byte..=end);
                at += 3;
            }
            None => {
                set.push(byte);
                at += 1;
            }
        }
        if set.len() > MAX_SET {
            return None;
        }
    }
    Some(set)
}

/// A set names each of 256 bytes a few times at most.
const MAX_SET: usize = 4096;

/// The bytes with their escapes decoded, and whether each was escaped.
fn unescaped(written: &str) -> Option<Vec<(u8, bool)>> {
    let mut result = Vec::new();
    let mut bytes = written.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            result.push((byte, false));
            continue;
        }
        let Some(letter) = bytes.next() else {
            result.push((b'\\', false));
            break;
        };
        let decoded = match letter {
            b'a' => 7,
            b'b' => 8,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0b,
            b'0'..=b'7' => {
                let mut value = u32::from(letter - b'0');
                for _ in 0..2 {
                    let Some(digit) = bytes.peek().and_then(|digit| char::from(*digit).to_digit(8))
                    else {
                        break;
                    };
                    if value * 8 + digit > 255 {
                        break;
                    }
                    value = value * 8 + digit;
                    bytes.next();
                }
                u8::try_from(value).ok()?
            }
            other => other,
        };
        result.push((decoded, true));
    }
    Some(result)
}

/// `[:name:]` or `[=c=]` at the start, and how long it is.
fn class(bytes: &[(u8, bool)]) -> Option<(Vec<u8>, usize)> {
    let plain: Vec<u8> = bytes.iter().leading(16).map(|(byte, _)| *byte).collect();
    if let [b'[', b'=', byte, b'=', b']', ..] = plain.as_slice() {
        return Some((vec![*byte], 5));
    }
    let name = plain.strip_prefix(b"[:")?;
    let end = name.windows(2).position(|pair| pair == b":]")?;
    let is: fn(&u8) -> bool = match name.get(..end)? {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, 0x20..=0x7e),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, 9..=13 | b' '),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    };
    Some(((0..=u8::MAX).filter(is).collect(), end + 4))
}

/// `[c*n]` or `[c*]` at the start, and how long it is.
fn repeat(bytes: &[(u8, bool)]) -> Option<(u8, Option<usize>, usize)> {
    let (byte, _) = *bytes.get(1)?;
    if bytes.get(2)? != &(b'*', false) {
        return None;
    }
    let close = bytes.iter().position(|(byte, escaped)| *byte == b']' && !escaped)?;
    let digits: String = bytes.get(3..close)?.iter().map(|(byte, _)| char::from(*byte)).collect();
    let count = match digits.as_str() {
        "" => None,
        octal if octal.starts_with('0') => Some(usize::from_str_radix(octal, 8).ok()?),
        decimal => Some(decimal.parse().ok()?),
    };
    Some((byte, count.filter(|count| *count > 0), close + 1))
}
