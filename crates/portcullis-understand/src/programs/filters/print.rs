//! Programs that print their arguments: echo, printf, seq, basename and their kin.

use crate::{
    bound::Bounded,
    effect::Argument,
    text::{Piece, Taint, Text},
};

use super::{Call, Output};

/// bash's `echo`.
pub(super) fn echo(call: &mut Call<'_>) -> Option<Text> {
    call.inherit_arguments();
    let (mut escapes, mut newline) = (false, true);
    let mut rest = call.arguments;
    while let Some((first, others)) = rest.split_first() {
        let Some(letters) = first.text.as_known().and_then(|text| text.strip_prefix('-')) else {
            break;
        };
        if letters.is_empty() || !letters.chars().all(|letter| "neE".contains(letter)) {
            break;
        }
        for letter in letters.chars() {
            match letter {
                'n' => newline = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        rest = others;
    }
    let mut printed = Printed::default();
    for (index, argument) in rest.iter().enumerate() {
        if index > 0 {
            printed.bytes(b" ")?;
        }
        if escapes {
            if printed.decoded_text(&argument.text, Escapes::Echo)? {
                return printed.finish(call);
            }
        } else {
            printed.text(&argument.text)?;
        }
    }
    if newline {
        printed.bytes(b"\n")?;
    }
    printed.finish(call)
}

/// bash's `printf`.
pub(super) fn printf(call: &mut Call<'_>) -> Option<Text> {
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
const MAX_WIDTH: usize = crate::text::KNOWN_BYTES;

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

/// Which escapes are decoded.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Escapes {
    /// `echo -e`
    Echo,
    /// The format of `printf`.
    Format,
    /// `%b` of `printf`.
    Percent,
}

/// What was printed so far: known bytes and pieces that are not known.
#[derive(Default)]
struct Printed {
    done: Text,
    open: Output,
    decoded: bool,
}

impl Printed {
    fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        self.open.push(bytes)
    }

    fn piece(&mut self, piece: Piece) -> Option<()> {
        let open = std::mem::take(&mut self.open).text()?;
        self.done.append(&open);
        self.done.push(piece);
        Some(())
    }

    fn text(&mut self, text: &Text) -> Option<()> {
        for piece in &text.pieces {
            match piece {
                Piece::Known(known) => self.bytes(known.as_bytes())?,
                other => self.piece(other.clone())?,
            }
        }
        Some(())
    }

    fn padded(&mut self, text: &str, width: usize, left: bool) -> Option<()> {
        let missing = width.saturating_sub(text.len());
        if missing > MAX_WIDTH {
            return None;
        }
        let padding = " ".repeat(missing);
        let (before, after) = if left { ("", padding.as_str()) } else { (padding.as_str(), "") };
        self.bytes(before.as_bytes())?;
        self.bytes(text.as_bytes())?;
        self.bytes(after.as_bytes())
    }

    /// Prints a text with its escapes decoded; true where `\c` ended the output.
    fn decoded_text(&mut self, text: &Text, escapes: Escapes) -> Option<bool> {
        for piece in &text.pieces {
            let Piece::Known(known) = piece else {
                self.piece(piece.clone())?;
                continue;
            };
            let bytes = known.as_bytes();
            let mut at = 0;
            while let Some(&byte) = bytes.get(at) {
                if byte == b'\\' {
                    let (width, end) = self.escape(bytes.get(at..)?, escapes)?;
                    if end {
                        return Some(true);
                    }
                    at += width;
                } else {
                    self.bytes(&[byte])?;
                    at += 1;
                }
            }
        }
        Some(false)
    }

    /// Prints the escape that `bytes` starts with: how long it is, and whether it ends the output.
    fn escape(&mut self, bytes: &[u8], escapes: Escapes) -> Option<(usize, bool)> {
        let Some(&letter) = bytes.get(1) else {
            self.bytes(b"\\")?;
            return Some((1, false));
        };
        let simple = match letter {
            b'a' => Some(7),
            b'b' => Some(8),
            b'e' | b'E' => Some(0x1b),
            b'f' => Some(0x0c),
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'v' => Some(0x0b),
            b'\\' => Some(b'\\'),
            b'\'' | b'"' if escapes == Escapes::Format => Some(letter),
            b'"' if escapes == Escapes::Percent => Some(letter),
            _ => None,
        };
        if let Some(byte) = simple {
            self.bytes(&[byte])?;
            return Some((2, false));
        }
        let (start, most, radix) = match (letter, escapes) {
            (b'c', Escapes::Echo | Escapes::Percent) => return Some((2, true)),
            (b'x', _) => (2, 2, 16),
            (b'u', _) => (2, 4, 16),
            (b'U', _) => (2, 8, 16),
            (b'0', Escapes::Echo | Escapes::Percent) => (2, 3, 8),
            (b'0'..=b'7', Escapes::Format | Escapes::Percent) => (1, 3, 8),
            _ => {
                self.bytes(b"\\")?;
                return Some((1, false));
            }
        };
        let mut value: u32 = 0;
        let mut width = start;
        while let Some(digit) = bytes
            .get(width)
            .filter(|_| width < start + most)
            .and_then(|byte| char::from(*byte).to_digit(radix))
        {
            value = value.checked_mul(radix)?.checked_add(digit)?;
            width += 1;
        }
        if width == start && letter != b'0' {
            self.bytes(b"\\")?;
            return Some((1, false));
        }
        if matches!(letter, b'u' | b'U') {
            let character = char::from_u32(value)?;
            self.decoded |= character.is_ascii_alphanumeric();
            self.bytes(character.encode_utf8(&mut [0; 4]).as_bytes())?;
        } else {
            let byte = u8::try_from(value & 0xff).ok()?;
            self.decoded |= byte.is_ascii_alphanumeric();
            self.bytes(&[byte])?;
        }
        Some((width, false))
    }

    fn finish(mut self, call: &mut Call<'_>) -> Option<Text> {
        if self.decoded {
            call.origin.taint = call.origin.taint.with(Taint::DECODED);
        }
        let open = self.open.text()?;
        self.done.append(&open);
        Some(self.done)
    }
}

/// `seq` with whole numbers.
pub(super) fn seq(call: &mut Call<'_>) -> Option<Text> {
    let mut arguments = call.arguments;
    let (mut separator, mut equal_width) = ("\n", false);
    loop {
        let (first, rest) = arguments.split_first()?;
        let text = first.text.as_known()?;
        if let Some(attached) = text.strip_prefix("-s") {
            if attached.is_empty() {
                let (value, rest) = rest.split_first()?;
                separator = value.text.as_known()?;
                arguments = rest;
            } else {
                separator = attached;
                arguments = rest;
            }
        } else if text == "-w" || text == "--equal-width" {
            equal_width = true;
            arguments = rest;
        } else {
            break;
        }
    }
    let numbers: Vec<i64> = arguments
        .iter()
        .map(|argument| argument.text.as_known().and_then(|text| text.parse().ok()))
        .collect::<Option<_>>()?;
    let (from, step, to) = match numbers.as_slice() {
        [to] => (1, 1, *to),
        [from, to] => (*from, 1, *to),
        [from, step, to] => (*from, *step, *to),
        _ => return None,
    };
    if step == 0 || (equal_width && from.min(to) < 0) {
        return None;
    }
    let width = if equal_width { from.to_string().len().max(to.to_string().len()) } else { 0 };
    let mut output = Output::default();
    let mut number = from;
    while (step > 0 && number <= to) || (step < 0 && number >= to) {
        if number != from {
            output.push(separator)?;
        }
        output.push(format!("{number:0width$}"))?;
        number = number.checked_add(step)?;
    }
    if !output.0.is_empty() {
        output.byte(b'\n')?;
    }
    output.text()
}

/// BSD `jot`: count and begin.
pub(super) fn jot(call: &mut Call<'_>) -> Option<Text> {
    let numbers: Vec<i64> = call
        .arguments
        .iter()
        .map(|argument| argument.text.as_known().and_then(|text| text.parse().ok()))
        .collect::<Option<_>>()?;
    let (count, begin) = match numbers.as_slice() {
        [count] => (*count, 1),
        [count, begin] => (*count, *begin),
        _ => return None,
    };
    let mut output = Output::default();
    for number in begin..begin.checked_add(count)? {
        output.push(format!("{number}\n"))?;
    }
    output.text()
}

/// `basename NAME [SUFFIX]`, `-a`, `-s`.
pub(super) fn basename(call: &mut Call<'_>) -> Option<Text> {
    call.inherit_arguments();
    let given = call.given("as:z", &[("multiple", 'a'), ("suffix", 's'), ("zero", 'z')]);
    if given.strange {
        return None;
    }
    let end = if given.has('z') { "\0" } else { "\n" };
    let mut suffix = given.known_or('s', "")?;
    let mut names = given.operands.as_slice();
    if !given.has('a')
        && !given.has('s')
        && let [name, last] = names
    {
        suffix = last.text.as_known()?;
        names = std::slice::from_ref(names.first()?);
        debug_assert_eq!(names.first().map(|first| first.span), Some(name.span));
    }
    let mut printed = Printed::default();
    for name in names {
        if let Some(known) = name.text.as_known() {
            let base = base(known);
            let base = base.strip_suffix(suffix).filter(|stem| !stem.is_empty()).unwrap_or(base);
            printed.bytes(base.as_bytes())?;
        } else {
            printed.piece(Piece::Unknown(call.name.into()))?;
        }
        printed.bytes(end.as_bytes())?;
    }
    printed.finish(call)
}

fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

/// `dirname NAME…`.
pub(super) fn dirname(call: &mut Call<'_>) -> Option<Text> {
    call.inherit_arguments();
    let given = call.given("z", &[("zero", 'z')]);
    if given.strange {
        return None;
    }
    let end = if given.has('z') { "\0" } else { "\n" };
    let mut printed = Printed::default();
    for name in &given.operands {
        match name.text.as_known() {
            Some(known) => printed.bytes(directory(known).as_bytes())?,
            None => printed.piece(Piece::Unknown(call.name.into()))?,
        }
        printed.bytes(end.as_bytes())?;
    }
    printed.finish(call)
}

fn directory(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "." } else { "/" };
    }
    match trimmed.rfind('/') {
        None => ".",
        Some(slash) => {
            let directory = trimmed.get(..slash).unwrap_or("").trim_end_matches('/');
            if directory.is_empty() { "/" } else { directory }
        }
    }
}

/// `which NAME`: where a program of that name usually lies.
pub(super) fn which(call: &mut Call<'_>) -> Option<Text> {
    let [name] = call.arguments else { return None };
    let known = name.text.as_known()?;
    let plain = !known.is_empty()
        && !known.starts_with('-')
        && known.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte));
    plain.then(|| Text::known(format!("/usr/bin/{known}\n")))
}

/// `expr` with one operator or one function.
pub(super) fn expr(call: &mut Call<'_>) -> Option<Text> {
    call.inherit_arguments();
    let words: Vec<&str> =
        call.arguments.iter().map(|argument| argument.text.as_known()).collect::<Option<_>>()?;
    let result = match words.as_slice() {
        ["length", text] => text.chars().count().to_string(),
        ["substr", text, from, length] => {
            let (from, length): (usize, usize) = (from.parse().ok()?, length.parse().ok()?);
            if from == 0 {
                String::new()
            } else {
                text.chars().skip(from - 1).leading(length).collect()
            }
        }
        ["index", text, letters] => {
            let place = text.chars().position(|letter| letters.contains(letter));
            place.map_or(0, |place| place + 1).to_string()
        }
        [left, operator, right] => {
            let (left, right): (i64, i64) = (left.parse().ok()?, right.parse().ok()?);
            match *operator {
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                "%" => left.checked_rem(right),
                _ => None,
            }?
            .to_string()
        }
        _ => return None,
    };
    Some(Text::known(format!("{result}\n")))
}
