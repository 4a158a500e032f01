//! How a passage is written down: the signs that lead to it and end it, how its line begins, and what kind of document it stands in. Owns the
//! reading of these off the bytes; what they say of a passage, the fitted weights know. Orders to a machine stand where no prose for people does:
//! in the value of a field, in a comment, behind the last cell of a row.

/// How many bytes before a passage are read for the beginning of its line.
const BACK: usize = 240;
/// How many signs tell how a line or a passage begins, and how one ends.
const SIGNS: usize = 4;
const ENDS: usize = 2;
/// How many bytes are read for them.
const OPENING: usize = 12;
const CLOSING: usize = 6;

/// How a passage begins and ends, each as a number.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Form {
    /// The signs before its first word.
    pub(super) lead: u32,
    /// The first signs of its line.
    pub(super) line: u32,
    /// The signs behind its last word.
    pub(super) tail: u32,
}

/// A byte as one of few kinds: letters are alike, and digits are.
const fn kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => b'0',
        b'A'..=b'Z' | b'a'..=b'z' | 0x80.. => b'a',
        b'\t' | b'\r' => b' ',
        other => other,
    }
}

/// Signs as a number; the same signs in a row are one.
fn number(signs: impl Iterator<Item = u8>, most: usize) -> u32 {
    let mut all = 0u32;
    let mut before = 0;
    let mut count = 0;
    for sign in signs {
        if sign == before {
            continue;
        }
        if count == most {
            break;
        }
        all = all << 8 | u32::from(sign);
        before = sign;
        count += 1;
    }
    all
}

/// Where the line begins that `at` is in: behind a new line, or behind one as JSON writes it.
fn line_start(bytes: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(BACK);
    let before = bytes.get(from..at)?;
    let plain = memchr::memrchr(b'\n', before).map(|found| found + 1);
    let written =
        before.windows(2).rposition(|two| matches!(two, [b'\\', b'n'])).map(|found| found + 2);
    match plain.max(written) {
        Some(found) => Some(from + found),
        None if from == 0 => Some(0),
        None => None,
    }
}

/// The form of the passage whose words stand in `start..end`.
pub(super) fn form(text: &str, start: usize, end: usize) -> Form {
    let bytes = text.as_bytes();
    let line = line_start(bytes, start);
    let from = line.unwrap_or(start.saturating_sub(BACK));
    let before = bytes.get(from.min(start)..start).unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let signs = before.iter().rev().take_while(|byte| !is_word(byte)).count();
    let lead = number(before.iter().rev().take(signs + 1).map(|byte| kind(*byte)), SIGNS - 1);
    let is_first = line.is_some() && signs == before.len();
    let of_line = bytes.get(from..).unwrap_or_default();
    let blanks = of_line.iter().take(BACK).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let of_line = of_line.get(blanks..).unwrap_or_default();
    let opening = number(of_line.iter().take(OPENING).map(|byte| kind(*byte)), SIGNS);
    let behind = bytes.get(end..).unwrap_or_default();
    Form {
        lead: lead << 1 | u32::from(is_first),
        line: if line.is_some() { opening << 1 | u32::from(blanks > 0) } else { 0 },
        tail: number(behind.iter().take(CLOSING).map(|byte| kind(*byte)), ENDS),
    }
}

/// What a document is. The numbers are a part of the fitted table: new ones go to the end.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Genre {
    /// Sentences.
    #[default]
    Prose,
    /// Few of them.
    Note,
    Json,
    Markup,
    Mail,
    Code,
    /// Lines with times or numbers.
    Log,
    Table,
    /// Names and values.
    Fields,
    Markdown,
    Diff,
    /// Speakers take turns.
    Talk,
}

/// What a line looks like by itself.
#[derive(Clone, Copy)]
enum Line {
    Mail,
    Diff,
    Code,
    Markdown,
    /// Many digits at its beginning.
    Numbers,
    /// Cells.
    Row,
    Tag,
    /// `Name: what is said`.
    Spoken,
    /// `name:` or `name=`.
    Field,
    Plain,
}

const LINES: usize = Line::Plain as usize + 1;
/// The most lines that are looked at.
const LOOKED_AT: usize = 400;
const LETTERS: [&[u8]; 7] = [b"From:", b"To:", b"Subject:", b"Dear ", b"Hi ", b"Regards", b"Best,"];
const CHANGES: [&[u8]; 4] = [b"diff --git", b"@@ ", b"+++ ", b"--- "];
const SOURCE: [&[u8]; 10] =
    [b"//", b"/*", b"* ", b"\"\"\"", b"import ", b"from ", b"def ", b"#!", b"#include", b"return "];
const HEADINGS: [&[u8]; 5] = [b"# ", b"## ", b"### ", b"- ", b"> "];

/// What kind of document the stretch `start..end` of a text is of, by how its lines begin and end.
pub(super) fn genre(text: &str, start: usize, end: usize) -> Genre {
    let part = text.as_bytes().get(start..end).unwrap_or_default();
    match text.trim_start().as_bytes() {
        [b'{' | b'[', ..] if part.windows(2).any(|two| matches!(two, [b'"', b':'])) => {
            return Genre::Json;
        }
        [b'<', second, ..] if second.is_ascii_alphabetic() || matches!(second, b'!' | b'?') => {
            return Genre::Markup;
        }
        _ => {}
    }
    let mut counts = [0usize; LINES];
    let lines = part.split(|byte| *byte == b'\n').take(LOOKED_AT).map(<[u8]>::trim_ascii);
    for line in lines.filter(|line| !line.is_empty()) {
        if let Some(count) = counts.get_mut(of_line(line) as usize) {
            *count += 1;
        }
    }
    let all: usize = counts.iter().sum();
    let [mail, diff, code, markdown, numbers, rows, tags, spoken, fields, _] = counts;
    // Whether at least one line in so many is of a kind.
    let is = |count: usize, of: usize| count > 0 && count * of >= all;
    match () {
        () if diff > 1 => Genre::Diff,
        () if mail > 1 => Genre::Mail,
        () if is(code, 3) => Genre::Code,
        () if is(rows, 2) => Genre::Table,
        () if is(numbers, 2) => Genre::Log,
        () if is(tags, 3) => Genre::Markup,
        () if fields > 0 && is(fields + spoken, 2) => Genre::Fields,
        () if spoken > 1 && is(spoken, 2) => Genre::Talk,
        () if is(markdown, 4) => Genre::Markdown,
        () if mail > 0 => Genre::Mail,
        () if all < 3 => Genre::Note,
        () => Genre::Prose,
    }
}

fn of_line(line: &[u8]) -> Line {
    let count = |sign: u8| line.iter().filter(|byte| **byte == sign).count();
    let starts = |words: &[&[u8]]| words.iter().any(|word| line.starts_with(word));
    let letters = line.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let behind = line.get(letters..).unwrap_or_default();
    let cells = || {
        let commas = count(b',');
        commas > 3 && count(b' ') < commas * 4 || count(b'|') > 2
    };
    match (letters, behind) {
        _ if starts(&LETTERS) => Line::Mail,
        _ if starts(&CHANGES) => Line::Diff,
        _ if matches!(line, [.., b'{' | b';' | b'}']) || starts(&SOURCE) => Line::Code,
        _ if starts(&HEADINGS) => Line::Markdown,
        _ if line.iter().take(12).filter(|byte| byte.is_ascii_digit()).count() > 3 => Line::Numbers,
        _ if cells() => Line::Row,
        _ if line.starts_with(b"<") => Line::Tag,
        (1.., [b':', b' ', ..]) => Line::Spoken,
        (1.., [b':' | b'=', ..]) => Line::Field,
        _ => Line::Plain,
    }
}
