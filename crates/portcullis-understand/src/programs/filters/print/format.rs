//! What `printf` prints. Owns how its format is read and each directive written out.

use super::{
    super::Call,
    printed::{Escapes, Printed},
};
use crate::{
    bound::Bounded,
    effect::Argument,
    text::{Piece, Text},
};

/// bash's `printf`.
pub(in super::super) fn printf(call: &mut Call<'_>) -> Option<Text> {
    let mut arguments = call.arguments;
    match arguments.first().and_then(|first| first.text.as_known()) {
        // The value goes into a variable; nothing is printed.
        Some(option) if option.starts_with("-v") => return Some(Text::default()),
        Some("--") => arguments = arguments.get(1..)?,
        _ => {}
    }
    call.inherit_arguments();
    formatted(call, arguments)
}

/// What `printf` with these arguments would print: the format first.
fn formatted(call: &mut Call<'_>, arguments: &[Argument]) -> Option<Text> {
    let (format, values) = arguments.split_first()?;
    let mut printed = Printed::default();
    let mut values = values.iter();
    let mut first = true;
    // The format is used again while values are left, as long as it consumes any.
    while first || values.len() > 0 {
        first = false;
        let before = values.len();
        for piece in &format.text.pieces {
            match piece {
                Piece::Known(text) => {
                    if format_once(text, &mut values, &mut printed)? {
                        return printed.finish(call);
                    }
                }
                other => printed.piece(other.clone())?,
            }
        }
        if values.len() == before {
            break;
        }
    }
    printed.finish(call)
}

/// One pass over the format; true where `\c` ended the output.
fn format_once<'a>(
    format: &str,
    values: &mut std::slice::Iter<'a, Argument>,
    printed: &mut Printed,
) -> Option<bool> {
    let bytes = format.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => {
                let (width, end) = printed.escape(bytes.get(at..)?, Escapes::Format)?;
                if end {
                    return Some(true);
                }
                at += width;
            }
            b'%' => {
                let (directive, width) = Directive::read(format.get(at + 1..)?, values)?;
                at += 1 + width;
                if directive.print(values, printed)? {
                    return Some(true);
                }
            }
            _ => {
                printed.bytes(&[byte])?;
                at += 1;
            }
        }
    }
    Some(false)
}

/// `%` with what follows it.
struct Directive {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

impl Directive {
    /// Reads what follows a `%`, and says how many bytes that was.
    fn read(text: &str, values: &mut std::slice::Iter<'_, Argument>) -> Option<(Self, usize)> {
        let mut directive = Self {
            left: false,
            zero: false,
            plus: false,
            space: false,
            alternate: false,
            width: 0,
            precision: None,
            conversion: '%',
        };
        let mut letters = text.chars().peekable();
        let mut length = 0;
        while let Some(flag) = letters.next_if(|letter| "-+ #0'".contains(*letter)) {
            length += 1;
            match flag {
                '-' => directive.left = true,
                '0' => directive.zero = true,
                '+' => directive.plus = true,
                ' ' => directive.space = true,
                '#' => directive.alternate = true,
                _ => {}
            }
        }
        let mut number = |length: &mut usize, letters: &mut std::iter::Peekable<_>| {
            read_count(letters, length, values)
        };
        if let Some(width) = number(&mut length, &mut letters)? {
            directive.left |= width < 0;
            directive.width = usize::try_from(width.unsigned_abs()).ok()?;
        }
        if letters.next_if_eq(&'.').is_some() {
            length += 1;
            let precision = number(&mut length, &mut letters)?.unwrap_or(0);
            directive.precision = usize::try_from(precision).ok();
        }
        while letters.next_if(|letter| "hlLjzt".contains(*letter)).is_some() {
            length += 1;
        }
        directive.conversion = letters.next()?;
        length += directive.conversion.len_utf8();
        Some((directive, length))
    }

    /// Prints the next value; true where `\c` in a `%b` ended the output.
    fn print(
        &self,
        values: &mut std::slice::Iter<'_, Argument>,
        printed: &mut Printed,
    ) -> Option<bool> {
        if self.conversion == '%' {
            printed.bytes(b"%")?;
            return Some(false);
        }
        let empty = Text::default();
        let value = values.next().map_or(&empty, |argument| &argument.text);
        match self.conversion {
            's' if self.width == 0 && self.precision.is_none() => printed.text(value)?,
            'b' if self.width == 0 && self.precision.is_none() => {
                return printed.decoded_text(value, Escapes::Percent);
            }
            's' | 'b' | 'q' | 'c' | 'Q' => {
                let Some(known) = value.as_known() else {
                    printed.piece(Piece::Unknown("printf".into()))?;
                    return Some(false);
                };
                let string = match self.conversion {
                    's' => known.to_owned(),
                    'c' => known.chars().next().filter(char::is_ascii)?.to_string(),
                    'q' if quotes_nothing(known) => known.to_owned(),
                    _ => {
                        printed.piece(Piece::Unknown("printf".into()))?;
                        return Some(false);
                    }
                };
                let kept: String =
                    string.chars().leading(self.precision.unwrap_or(usize::MAX)).collect();
                // bash counts bytes; where those are not characters the result is not ours to say.
                if !kept.is_ascii() && (self.width > 0 || self.precision.is_some()) {
                    return None;
                }
                printed.padded(&kept, self.width, self.left)?;
            }
            'd' | 'i' | 'u' | 'o' | 'x' | 'X' => match value.as_known().and_then(number_value) {
                Some(number) => {
                    let digits = self.digits(number)?;
                    printed.padded(&digits, self.width, self.left)?;
                }
                None => printed.piece(Piece::Unknown("printf".into()))?,
            },
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' => {
                printed.piece(Piece::Unknown("printf".into()))?;
            }
            _ => return None,
        }
        Some(false)
    }

    fn digits(&self, number: i64) -> Option<String> {
        let (sign, mut digits) = match self.conversion {
            'd' | 'i' => {
                let sign = match (number < 0, self.plus, self.space) {
                    (true, ..) => "-",
                    (_, true, _) => "+",
                    (_, _, true) => " ",
                    _ => "",
                };
                (sign, number.unsigned_abs().to_string())
            }
            'u' => ("", number.cast_unsigned().to_string()),
            'o' => (if self.alternate && number != 0 { "0" } else { "" }, format!("{number:o}")),
            'x' => (if self.alternate && number != 0 { "0x" } else { "" }, format!("{number:x}")),
            _ => (if self.alternate && number != 0 { "0X" } else { "" }, format!("{number:X}")),
        };
        let least = match self.precision {
            Some(precision) => precision,
            None if self.zero && !self.left => self.width.saturating_sub(sign.len()),
            None => 0,
        };
        if least > MAX_WIDTH {
            return None;
        }
        if digits.len() < least {
            digits.insert_str(0, &"0".repeat(least - digits.len()));
        }
        Some(format!("{sign}{digits}"))
    }
}

/// No one pads further; output past it is not kept anyway.
pub(super) const MAX_WIDTH: usize = crate::text::KNOWN_BYTES;

/// A width or precision: digits, or `*` for the next value; the outer `None` where that is not known.
#[expect(clippy::option_option, reason = "not known and not given are different answers")]
fn read_count(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    length: &mut usize,
    values: &mut std::slice::Iter<'_, Argument>,
) -> Option<Option<i64>> {
    if letters.next_if_eq(&'*').is_some() {
        *length += 1;
        let known = values.next().map_or(Some("0"), |value| value.text.as_known())?;
        return known.parse().ok().map(Some);
    }
    let mut count: Option<i64> = None;
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        *length += 1;
        let digit = i64::from(digit.to_digit(10)?);
        count = Some(count.unwrap_or(0).checked_mul(10)?.checked_add(digit)?);
    }
    Some(count)
}

/// A number as bash's `printf` takes it: decimal, `0x…`, `0…`, `'c`; nothing is zero.
fn number_value(text: &str) -> Option<i64> {
    let text = text.trim_start();
    if text.is_empty() {
        return Some(0);
    }
    if let Some(quoted) = text.strip_prefix('\'').or_else(|| text.strip_prefix('"')) {
        return quoted.chars().next().map(|letter| i64::from(u32::from(letter)));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let magnitude =
        if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            i64::from_str_radix(hex, 16)
        } else if digits.len() > 1 && digits.starts_with('0') {
            i64::from_str_radix(digits, 8)
        } else {
            digits.parse()
        };
    magnitude.ok().and_then(|magnitude: i64| magnitude.checked_mul(sign))
}

/// Whether `%q` prints the text as it is.
fn quotes_nothing(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=@%+".contains(&byte))
}
