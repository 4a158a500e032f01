//! Texts inside the text: base64, hexadecimal and binary digits, percent signs, ROT13, written backwards. Owns the decoding; what is
//! in them is read as any text.

use std::ops::Range;

use super::sieve::Worth;

/// The longest text that is decoded at once.
const MOST: usize = 1 << 16;
/// The shortest that says something.
const LEAST: usize = 12;

/// A decoded text and where it came from.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) text: String,
    pub(super) from: Range<usize>,
    /// Whether it was hard to read: percent signs are what addresses are written with.
    pub(super) is_disguised: bool,
}

/// Everything in a text that is another text.
pub(super) fn layers(text: &str, worth: &Worth, each: &mut dyn FnMut(Layer)) {
    let bytes = text.as_bytes();
    let mut until = 0;
    for run in &worth.runs {
        if run.start < until {
            continue;
        }
        let run = padded(bytes, run.clone());
        until = run.end;
        let Some(encoded) = bytes.get(run.clone()) else { continue };
        if let Some(text) = decoded(encoded) {
            each(Layer { text, from: run, is_disguised: true });
        }
    }
    if worth.percents > 3 {
        percents(text, each);
    }
    binary(bytes, &worth.bits, each);
}

/// The run with what belongs to base64 besides letters and digits.
fn padded(bytes: &[u8], run: Range<usize>) -> Range<usize> {
    let belongs =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let before = bytes.get(..run.start).unwrap_or_default();
    let start = run.start - before.iter().rev().take(MOST).take_while(belongs).count();
    let behind = bytes.get(run.end..).unwrap_or_default();
    let body = run.end + behind.iter().take(MOST).take_while(belongs).count();
    start..body.min(start + MOST)
}

/// The text that a run stands for.
fn decoded(run: &[u8]) -> Option<String> {
    if run.len() >= 2 * LEAST && run.iter().all(u8::is_ascii_hexdigit) {
        let bytes = run.chunks_exact(2).filter_map(|pair| {
            let (high, low) =
                (char::from(*pair.first()?).to_digit(16)?, char::from(*pair.get(1)?).to_digit(16)?);
            u8::try_from(high * 16 + low).ok()
        });
        return readable(bytes.collect());
    }
    let mut out = Vec::with_capacity(run.len() * 3 / 4);
    let mut bits: u32 = 0;
    let mut count = 0;
    for byte in run {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            let byte = (bits >> count & 0xff) as u8;
            // What is no text shows it soon.
            if byte < 9 {
                return None;
            }
            out.push(byte);
        }
    }
    readable(out)
}

/// The bytes as text, where they are one.
fn readable(bytes: Vec<u8>) -> Option<String> {
    if bytes.len() < LEAST {
        return None;
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // The last character may have been cut.
        Err(error) if error.utf8_error().valid_up_to() + 4 > error.as_bytes().len() => {
            let whole = error.utf8_error().valid_up_to();
            String::from_utf8(error.into_bytes().into_iter().take(whole).collect()).ok()?
        }
        Err(_) => return None,
    };
    let odd = text.chars().filter(|letter| letter.is_control() && !letter.is_whitespace()).count();
    (odd * 20 <= text.len()).then_some(text)
}

/// Stretches with percent signs, as they are read.
fn percents(text: &str, each: &mut dyn FnMut(Layer)) {
    let bytes = text.as_bytes();
    let mut until = 0;
    for at in memchr::memchr_iter(b'%', bytes) {
        if at < until {
            continue;
        }
        let mut out = Vec::new();
        let mut end = at;
        let mut signs = 0;
        let before = bytes.get(until..at).unwrap_or_default();
        let start =
            at - before.iter().rev().take(200).take_while(|byte| byte.is_ascii_graphic()).count();
        out.extend_from_slice(bytes.get(start..at).unwrap_or_default());
        while let Some(byte) =
            bytes.get(end).filter(|byte| byte.is_ascii_graphic() && end - start < MOST)
        {
            let digit = |ahead: usize| {
                bytes.get(end + ahead).and_then(|byte| char::from(*byte).to_digit(16))
            };
            match (byte, digit(1), digit(2)) {
                (b'%', Some(high), Some(low)) => {
                    out.push(u8::try_from(high * 16 + low).unwrap_or(b' '));
                    signs += 1;
                    end += 3;
                }
                (b'+', ..) => {
                    out.push(b' ');
                    end += 1;
                }
                _ => {
                    out.push(*byte);
                    end += 1;
                }
            }
        }
        until = end.max(at + 1);
        if signs > 1
            && let Some(text) = readable(out)
        {
            each(Layer { text, from: start..end, is_disguised: false });
        }
    }
}

/// Groups of eight bits with little between them.
fn binary(bytes: &[u8], groups: &[Range<usize>], each: &mut dyn FnMut(Layer)) {
    let mut out = Vec::new();
    let mut from = 0..0;
    let mut finish = |out: &mut Vec<u8>, from: &Range<usize>| {
        if let Some(text) = readable(std::mem::take(out)) {
            each(Layer { text, from: from.clone(), is_disguised: true });
        }
    };
    for group in groups {
        if group.start > from.end + 2 {
            finish(&mut out, &from);
            from = group.clone();
        }
        from.end = group.end;
        let digits = bytes.get(group.clone()).unwrap_or_default();
        out.push(digits.iter().fold(0, |byte, digit| byte << 1 | (digit & 1)));
    }
    finish(&mut out, &from);
}

/// A text with its letters moved by thirteen.
pub(super) fn rotated(text: &str) -> String {
    let rotate = |letter: char| match letter {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(letter) + 13).unwrap_or(letter),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(letter) - 13).unwrap_or(letter),
        other => other,
    };
    text.chars().map(rotate).collect()
}

/// A text from its end to its beginning.
pub(super) fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}
