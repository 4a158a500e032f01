//! What a string literal says. Owns escapes and where computed stretches begin and end; it does not compute them.

use super::{Dialect, Escapes, Interpolation, TextPart};
use crate::Span;

/// How far a computed stretch of a string is looked for. People write expressions there, not programs; without a limit,
/// unclosed ones would make the work quadratic.
const COMPUTED_BYTES: usize = 4096;

/// A string read up to its closing quote.
pub(super) struct Literal {
    /// Its stretches.
    pub(super) parts: Vec<TextPart>,
    /// One past the closing quote.
    pub(super) end: usize,
    /// Computed stretches that are never closed.
    pub(super) unclosed: usize,
}

/// How a string is read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// The whole source.
    pub(super) source: &'a str,
    /// What closes it.
    pub(super) close: &'a str,
    /// What opens it again inside, for brackets that nest.
    pub(super) nests: Option<u8>,
    /// What a backslash does.
    pub(super) escapes: Escapes,
    /// What is computed.
    pub(super) interpolation: Interpolation,
    /// Whether it may contain line ends.
    pub(super) multiline: bool,
}

/// Reads the string whose content starts at `start`.
pub(super) fn literal(dialect: &Dialect, reading: Reading<'_>, start: usize) -> Literal {
    let Reading { source, close, nests, escapes, interpolation, multiline } = reading;
    let bytes = source.as_bytes();
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut at = start;
    let mut depth = 0_usize;
    let mut unclosed = 0;
    while let Some(&byte) = bytes.get(at) {
        if depth == 0 && starts(bytes, at, close) {
            let doubled = close.as_bytes().first().copied();
            if escapes == Escapes::Doubled && bytes.get(at + 1).copied() == doubled {
                text.push_str(close);
                at += 2;
                continue;
            }
            at += close.len();
            break;
        }
        if byte == b'\n' && !multiline {
            break;
        }
        if nests == Some(byte) {
            depth += 1;
        } else if depth > 0 && close.as_bytes() == [byte] {
            depth -= 1;
        }
        let escape = if escapes == Escapes::Backtick { b'`' } else { b'\\' };
        if byte == escape && !matches!(escapes, Escapes::None | Escapes::Doubled) {
            at = unescape(dialect, escapes, close, source, at, &mut text);
            continue;
        }
        if unclosed == 0
            && interpolation != Interpolation::None
            && let Some(computed) = computed(interpolation, dialect, bytes, at)
        {
            match computed {
                Computed::Doubled => {
                    text.push(char::from(byte));
                    at += 2;
                }
                Computed::Code { code, end } => {
                    if !text.is_empty() {
                        parts.push(TextPart::Literal(std::mem::take(&mut text).into()));
                    }
                    parts.push(TextPart::Code(code));
                    at = end;
                }
                Computed::Unclosed => unclosed += 1,
            }
            continue;
        }
        at = push_character(source, at, &mut text);
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(TextPart::Literal(text.into()));
    }
    Literal { parts, end: at.min(bytes.len()), unclosed }
}

/// Whether `word` stands at `at`.
pub(super) fn starts(bytes: &[u8], at: usize, word: &str) -> bool {
    bytes.get(at..at + word.len()).is_some_and(|found| found == word.as_bytes())
}

/// Whether the byte may stand in a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

enum Computed {
    Doubled,
    Code { code: Span, end: usize },
    Unclosed,
}

fn computed(kind: Interpolation, dialect: &Dialect, bytes: &[u8], at: usize) -> Option<Computed> {
    let byte = *bytes.get(at)?;
    let next = bytes.get(at + 1).copied().unwrap_or(0);
    match (kind, byte, next) {
        (Interpolation::Brace, b'{', b'{') | (Interpolation::Brace, b'}', b'}') => {
            Some(Computed::Doubled)
        }
        (Interpolation::Brace, b'{', _) => Some(enclosed(bytes, at, 1)),
        (Interpolation::Hash, b'#', b'{')
        | (Interpolation::Template | Interpolation::Dollar, b'$', b'{' | b'(')
            if !(kind == Interpolation::Template && next == b'(') =>
        {
            Some(enclosed(bytes, at, 2))
        }
        (Interpolation::Dollar, b'{', b'$') if dialect.name != "perl" => {
            Some(enclosed(bytes, at, 1))
        }
        // `"@{$list}"`, `"@{[ … ]}"`
        (Interpolation::Dollar, b'@', b'{') if dialect.sigils.contains(&b'@') => {
            Some(enclosed(bytes, at, 2))
        }
        (Interpolation::Dollar, b'$' | b'@', _)
            if byte == b'$' || dialect.sigils.contains(&b'@') =>
        {
            let is_perl = dialect.name == "perl";
            // `"@$list"`
            let name = at + 1 + usize::from(is_perl && next == b'$');
            let mut end = name;
            while let Some(letter) = bytes.get(end) {
                let is_followed = |by: usize| bytes.get(end + by).is_some_and(|it| is_name(*it));
                let is_qualified = *letter == b':'
                    && match dialect.name {
                        "powershell" => is_followed(1),
                        "perl" => {
                            end > name
                                && (bytes.get(end + 1) == Some(&b':') && is_followed(2)
                                    || bytes.get(end - 1) == Some(&b':') && is_followed(1))
                        }
                        _ => false,
                    };
                if !is_name(*letter) && !is_qualified {
                    break;
                }
                end += 1;
            }
            if end == name && matches!(next, b'!' | b'&' | b'@' | b'0') {
                end += 1;
            }
            if end == name {
                return None;
            }
            end = subscripts(bytes, end);
            Some(Computed::Code { code: Span::new(at, end), end })
        }
        _ => None,
    }
}

/// `[…]` and `->[…]` right behind a variable in a string.
fn subscripts(bytes: &[u8], mut end: usize) -> usize {
    loop {
        let open = if starts(bytes, end, "->") { end + 2 } else { end };
        let close = match bytes.get(open) {
            Some(b'[') => b']',
            Some(b'{') => b'}',
            _ => return end,
        };
        let window = bytes.get(open..bytes.len().min(open + 64)).unwrap_or_default();
        match window.iter().position(|byte| *byte == close || *byte == b'\n') {
            Some(length) if window.get(length) == Some(&close) => end = open + length + 1,
            _ => return end,
        }
    }
}

/// The code between brackets, from the opening one at the end of the opener.
fn enclosed(bytes: &[u8], at: usize, opener: usize) -> Computed {
    let start = at + opener;
    let limit = bytes.len().min(start + COMPUTED_BYTES);
    let mut depth = 0_usize;
    let mut position = start;
    let mut quoted: Option<u8> = None;
    while position < limit {
        let Some(&byte) = bytes.get(position) else { break };
        match (quoted, byte) {
            (Some(_), b'\\') => position += 1,
            (Some(open), _) if byte == open => quoted = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"' | b'`') => quoted = Some(byte),
            (None, b'{' | b'(' | b'[') => depth += 1,
            (None, b'}' | b')' | b']') if depth > 0 => depth -= 1,
            (None, b'}' | b')') => {
                return Computed::Code { code: Span::new(start, position), end: position + 1 };
            }
            _ => {}
        }
        position += 1;
    }
    Computed::Unclosed
}

fn unescape(
    dialect: &Dialect,
    escapes: Escapes,
    close: &str,
    source: &str,
    at: usize,
    text: &mut String,
) -> usize {
    let bytes = source.as_bytes();
    let Some(&next) = bytes.get(at + 1) else {
        return push_character(source, at, text);
    };
    if escapes == Escapes::Few {
        if next != b'\\' && !starts(bytes, at + 1, close) {
            return push_character(source, at, text);
        }
        return push_character(source, at + 1, text);
    }
    let plain = match next {
        b'n' => Some('\n'),
        b't' => Some('\t'),
        b'r' => Some('\r'),
        b'a' => Some('\x07'),
        b'b' => Some('\x08'),
        b'f' => Some('\x0c'),
        b'v' => Some('\x0b'),
        b'e' if escapes == Escapes::Backtick || !dialect.prefixes => Some('\x1b'),
        _ => None,
    };
    if let Some(character) = plain {
        text.push(character);
        return at + 2;
    }
    let number = match next {
        b'\n' => return at + 2,
        b'\r' if bytes.get(at + 2) == Some(&b'\n') => return at + 3,
        b'x' | b'u' | b'U' if bytes.get(at + 2) == Some(&b'{') => digits(bytes, at + 3, 16, 8)
            .map(|(value, end)| (value, if bytes.get(end) == Some(&b'}') { end + 1 } else { end })),
        b'x' => digits(bytes, at + 2, 16, 2),
        b'u' => digits(bytes, at + 2, 16, 4),
        b'U' => digits(bytes, at + 2, 16, 8),
        b'0'..=b'9' if dialect.decimal_escapes => digits(bytes, at + 1, 10, 3),
        b'0'..=b'7' => digits(bytes, at + 1, 8, 3),
        _ => None,
    };
    if let Some((value, end)) = number {
        text.push(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER));
        return end;
    }
    if dialect.keeps_backslash && !matches!(next, b'\\' | b'\'' | b'"' | b'`' | b'$' | b'/') {
        text.push('\\');
    }
    push_character(source, at + 1, text)
}

fn digits(bytes: &[u8], start: usize, radix: u32, most: usize) -> Option<(u32, usize)> {
    let mut value = 0_u32;
    let mut end = start;
    while end < start + most
        && let Some(digit) = bytes.get(end).and_then(|byte| char::from(*byte).to_digit(radix))
    {
        value = value.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    (end > start).then_some((value, end))
}

/// Copies the character at `at`; gives where the next one starts.
fn push_character(source: &str, at: usize, text: &mut String) -> usize {
    match source.get(at..).and_then(|rest| rest.chars().next()) {
        Some(character) => {
            text.push(character);
            at + character.len_utf8()
        }
        None => at + 1,
    }
}
