//! What programs take as secrets among their words. Owns how the rows of `table` are applied to a command.

use super::{
    Found, is_made, short,
    table::{ROWS, Row, Take, WRAPPERS},
    typed,
    words::{Line, Word},
};

/// Masks what the programs of a line take as secrets.
pub(super) fn by_programs(found: &mut Found<'_>, line: &Line) {
    for words in &line.commands {
        let is_one = |name: &str| ROWS.iter().any(|row| row.programs.contains(&name));
        let Some(program) = program(found, words, is_one) else { continue };
        let name = program_name(found, words.get(program));
        let rest = words.get(program + 1..).unwrap_or_default();
        for row in ROWS.iter().filter(|row| row.programs.contains(&name)) {
            apply(found, row, rest);
        }
    }
}

/// Where a program stands in a command that is one of some: its first word, or behind what sets variables and starts another.
pub(super) fn program(
    found: &Found<'_>,
    words: &[Word],
    is_one: impl Fn(&str) -> bool,
) -> Option<usize> {
    let mut wrapped = false;
    for (index, word) in words.iter().enumerate() {
        let name = program_name(found, Some(word));
        if is_one(name) {
            return Some(index);
        }
        let is_wrapper = WRAPPERS.contains(&name);
        wrapped |= is_wrapper;
        if !(wrapped || name.contains('=')) {
            return None;
        }
    }
    None
}

/// The name of a program without its directory.
pub(super) fn program_name<'a>(found: &Found<'a>, word: Option<&Word>) -> &'a str {
    let Some(word) = word else { return "" };
    let written = std::str::from_utf8(found.source.slice(word.start, word.end)).unwrap_or_default();
    let name = written.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}

fn apply(found: &mut Found<'_>, row: &Row, rest: &[Word]) {
    let source = found.source;
    let text = |word: &Word| source.slice(word.start, word.end);
    let mut behind = 0;
    for verb in row.verbs {
        let Some(at) = rest.iter().position(|word| text(word) == verb.as_bytes()) else { return };
        behind = behind.max(at + 1);
    }
    let operands = || {
        rest.iter()
            .skip(behind)
            .filter(|word| !matches!(text(word).first(), Some(b'-' | b'<' | b'>') | None))
    };
    for take in row.takes {
        match *take {
            Take::Option(option) => {
                each_value(found, rest, option, |found, start| found.mask_value(start));
            }
            Take::Login(option, separator) => {
                each_value(found, rest, option, |found, start| found.mask_behind(start, separator));
            }
            Take::Cookies(option) => each_value(found, rest, option, short::cookies),
            Take::Bundled(flags, letter) => bundled(found, rest, flags, letter),
            Take::Joined(prefix) => {
                for word in rest.iter().filter(|word| text(word).starts_with(prefix.as_bytes())) {
                    found.mask(word.start + prefix.len(), word.end);
                }
            }
            Take::Operand(number) => {
                if let Some(word) = operands().nth(number) {
                    found.mask(word.start, word.end);
                }
            }
            Take::Last(least) => {
                if operands().count() > least
                    && let Some(word) = operands().next_back()
                {
                    found.mask(word.start, word.end);
                }
            }
            Take::Pairs => {
                for word in operands().filter(|word| text(word).contains(&b'=')) {
                    found.mask_behind(word.outer, b'=');
                }
            }
            Take::Made => {
                for word in operands() {
                    let from = memchr::memrchr2(b'=', b':', text(word)).map_or(0, |at| at + 1);
                    found.mask_made(word.start + from, word.end);
                }
            }
            Take::Behind(separator) => behind_user(found, rest, separator),
            Take::Typed => {
                for word in operands().filter(|word| !text(word).contains(&b' ')) {
                    let (start, end) = (word.start, word.start + typed(text(word)).len());
                    if is_made(text(word)) || asked_before(found, start) {
                        found.mask(start, end);
                    }
                }
            }
        }
    }
}

/// Calls `each` with where the values of an option begin. A short one that ends in `*` may have its value joined to it.
fn each_value(
    found: &mut Found<'_>,
    rest: &[Word],
    option: &str,
    mut each: impl FnMut(&mut Found<'_>, usize),
) {
    let (name, joins) = option.strip_suffix('*').map_or((option, false), |name| (name, true));
    for (at, word) in rest.iter().enumerate() {
        let written = found.source.slice(word.start, word.end);
        let Some(behind) = written.strip_prefix(name.as_bytes()) else { continue };
        match behind.first() {
            None => {
                if let Some(next) = rest.get(at + 1)
                    && found.source.at(next.outer) != b'-'
                {
                    each(found, next.outer);
                }
            }
            Some(b'=') => each(found, word.start + name.len() + 1),
            Some(_) if joins => each(found, word.start + name.len()),
            Some(_) => {}
        }
    }
}

/// `-sSfLubob:secret`: a login behind letters that take nothing.
fn bundled(found: &mut Found<'_>, rest: &[Word], flags: &str, letter: u8) {
    for word in rest {
        let written = found.source.slice(word.start, word.end);
        let Some(letters) = written.strip_prefix(b"-") else { continue };
        let before = letters.iter().take_while(|byte| flags.as_bytes().contains(byte)).count();
        if letters.get(before) == Some(&letter) && before > 0 {
            found.mask_behind(word.start + before + 2, b':');
        }
    }
}

/// `user/secret@database`.
fn behind_user(found: &mut Found<'_>, rest: &[Word], separator: u8) {
    for word in rest {
        let written = found.source.slice(word.start, word.end);
        let from = memchr::memchr(b'=', written).map_or(0, |at| at + 1);
        let login = written.get(from..).unwrap_or_default();
        let (Some(sign), first) = (memchr::memchr(separator, login), login.first()) else {
            continue;
        };
        let end = memchr::memchr(b'@', login).unwrap_or(login.len());
        if first.is_some_and(u8::is_ascii_alphabetic) && sign < end {
            let start = word.start + from + sign + 1;
            found.mask(start, word.start + from + end);
        }
    }
}

/// Whether a password was asked for right before.
fn asked_before(found: &Found<'_>, at: usize) -> bool {
    const BEFORE: usize = 80;
    let before = found.source.slice(at.saturating_sub(BEFORE), at).to_ascii_lowercase();
    ["assword", "assphrase"].iter().any(|word| super::value::contains(&before, word.as_bytes()))
}
