//! Words found in the list of a program's options, in every form that the program reads: abbreviated, bundled, with the value
//! joined to it or behind it, denied with `--no-`. Owns no option.

use super::{Dashes, Ends, Kind, Manual, Words};
use crate::effect::Argument;

/// What became of an option.
#[derive(Clone, Debug)]
pub(crate) enum Word<'a> {
    /// The list has it: what it is, its name, and its value, empty where none is there.
    Known(Kind, &'static str, Argument),
    /// The list does not have it.
    Unknown(&'a Argument),
}

/// Where a word was found.
struct Found {
    kind: Kind,
    name: &'static str,
    /// How many bytes of the word are its name.
    length: usize,
}

/// The options among a program's words.
pub(crate) fn read<'a>(manual: &Manual, words: &'a [Argument]) -> Vec<Word<'a>> {
    let mut found = Vec::new();
    let mut rest = words.iter();
    let (mut operands, mut ends_next) = (0, false);
    let is_another = |word: &str| !manual.verbs.is_empty() && !has(manual.verbs, word);
    while let Some(argument) = rest.next() {
        let written = argument.text.known_prefix();
        let whole = argument.text.as_known();
        if whole == Some("--") {
            break;
        }
        let is_option = written.len() > 1 && written.starts_with('-') && !written.starts_with("-/");
        if !is_option {
            match manual.ends {
                // `env NAME=value program`.
                Ends::AtOperand if written.contains('=') => continue,
                Ends::AtOperand => break,
                Ends::Behind(_) if ends_next => break,
                Ends::Behind(verbs) => ends_next = whole.is_some_and(|word| has(verbs, word)),
                Ends::Never => {}
            }
            if whole.is_some_and(|word| has(manual.open, word)) {
                break;
            }
            operands += 1;
            if operands == 1 && whole.is_none_or(is_another) && !manual.verbs.is_empty() {
                return Vec::new();
            }
            continue;
        }
        let end = written.find('=').unwrap_or(written.len());
        let name = written.get(..end).unwrap_or(written);
        // Where the name goes on with what is not known, nothing is known of it.
        if whole.is_none() && end == written.len() && name.starts_with("--") {
            continue;
        }
        if has(manual.finals, name) {
            if let Some(next) = rest.next()
                && let Some((kind, name)) = exactly(manual, name)
            {
                found.push(Word::Known(kind, name, next.clone()));
            }
            break;
        }
        if matches!(name, "-exec" | "-execdir" | "-ok" | "-okdir")
            && manual.programs.contains(&"find")
        {
            rest.find(|word| matches!(word.text.as_known(), Some(";" | "+")));
            continue;
        }
        if operands == 0 && has(manual.before, name) {
            let value = match written.get(end + 1..) {
                Some(behind) => joined(argument, behind),
                None => rest.next().cloned().unwrap_or_else(|| joined(argument, "")),
            };
            if let Some((kind, name)) = exactly(manual, name) {
                found.push(Word::Known(kind, name, value));
            }
            continue;
        }
        match looked_up(manual, written, name) {
            Some(option) => {
                let is_joined = option.length < written.len() || whole.is_none();
                let value = if is_joined {
                    let behind = written.get(option.length..).unwrap_or("");
                    joined(argument, behind.strip_prefix('=').unwrap_or(behind))
                } else if takes_next(option.kind) && !has(manual.joined, option.name) {
                    rest.next().cloned().unwrap_or_else(|| joined(argument, ""))
                } else {
                    joined(argument, "")
                };
                found.push(Word::Known(option.kind, option.name, value));
            }
            None => found.push(Word::Unknown(argument)),
        }
    }
    found
}

fn joined(argument: &Argument, rest: &str) -> Argument {
    Argument { text: argument.text.beginning_with(rest), span: argument.span }
}

const fn takes_next(kind: Kind) -> bool {
    !matches!(kind, Kind::Flag | Kind::Either)
}

fn has(words: Words, word: &str) -> bool {
    words.has(word).is_some()
}

/// The option that a name is, in full.
fn exactly(manual: &Manual, name: &str) -> Option<(Kind, &'static str)> {
    manual.kinds().iter().find_map(|(kind, words)| words.has(name).map(|name| (*kind, name)))
}

fn looked_up(manual: &Manual, written: &str, name: &str) -> Option<Found> {
    let length = name.len();
    let found = |(kind, name)| Found { kind, name, length };
    if let Some(option) = exactly(manual, name) {
        return Some(found(option));
    }
    // `--expand-url` of curl is `--url` with variables in it.
    if let Some(plain) = name.strip_prefix("--expand-")
        && manual.programs.contains(&"curl")
        && let Some(option) = exactly(manual, &format!("--{plain}"))
    {
        return Some(found(option));
    }
    let flag = Found { kind: Kind::Flag, name: "", length: written.len() };
    if matches!(name, "-?" | "-h" | "-help" | "--help" | "--usage" | "--version") {
        return Some(flag);
    }
    // A number stands for how many, how much or how far.
    if name.len() > 1 && name.bytes().skip(1).all(|byte| byte.is_ascii_digit()) {
        return Some(flag);
    }
    // `-javaagent:FILE`: the longest name that the word begins with.
    let begun = manual.kinds().iter().find_map(|(kind, words)| {
        let mut joined = words.words().filter(|word| word.ends_with(':'));
        let name = joined.find(|word| written.starts_with(word))?;
        Some(Found { kind: *kind, name, length: name.len() })
    });
    if begun.is_some() {
        return begun;
    }
    if manual.glued.words().any(|start| written.starts_with(start)) {
        return Some(flag);
    }
    match manual.dashes {
        Dashes::One => {
            let other = match name.strip_prefix("--") {
                Some(bare) => format!("-{bare}"),
                None => format!("-{name}"),
            };
            if let Some(option) = exactly(manual, &other) {
                return Some(found(option));
            }
            let long = if other.starts_with("--") { other.as_str() } else { name };
            if manual.abbreviates { abbreviated(manual, long).map(found) } else { None }
        }
        Dashes::Two if name.starts_with("--") => {
            // Node and its kin take an underscore for a dash.
            if name.contains('_')
                && let Some(option) = exactly(manual, &name.replace('_', "-"))
            {
                return Some(found(option));
            }
            denied(manual, name)
                .then_some(flag)
                .or_else(|| manual.abbreviates.then(|| abbreviated(manual, name).map(found))?)
        }
        Dashes::Two => bundled(manual, written),
    }
}

/// `--no-x` of `--x`, and the other way round.
fn denied(manual: &Manual, name: &str) -> bool {
    let bare = name.strip_prefix("--").unwrap_or(name);
    match bare.strip_prefix("no-") {
        Some(rest) => {
            let plain = format!("--{rest}");
            exactly(manual, &plain).is_some()
                || manual.abbreviates && rest.len() > 1 && abbreviated(manual, &plain).is_some()
        }
        None => exactly(manual, &format!("--no-{bare}")).is_some(),
    }
}

/// The option whose name begins so; where several do, the one that asks for most.
fn abbreviated(manual: &Manual, name: &str) -> Option<(Kind, &'static str)> {
    if name.len() < 3 {
        return None;
    }
    manual.kinds().iter().find_map(|(kind, words)| {
        words.at(name).filter(|word| word.starts_with(name)).map(|name| (*kind, name))
    })
}

/// Letters behind one dash, up to one that takes a value.
fn bundled(manual: &Manual, written: &str) -> Option<Found> {
    let mut last = None;
    for (at, letter) in written.char_indices().skip(1) {
        let mut buffer = [0; 5];
        let option = written.get(at..at + letter.len_utf8())?;
        let name = option_name(&mut buffer, option)?;
        let (kind, name) = exactly(manual, name)?;
        let length = at + letter.len_utf8();
        last = Some(Found { kind, name, length });
        if kind != Kind::Flag {
            break;
        }
    }
    last.map(|found| match found.kind {
        // What stands behind it may be letters, or its value.
        Kind::Flag | Kind::Either => Found { length: written.len(), ..found },
        _ => found,
    })
}

/// `-x`, without a place of its own on the heap.
fn option_name<'a>(buffer: &'a mut [u8; 5], letter: &str) -> Option<&'a str> {
    let bytes = buffer.get_mut(..=letter.len())?;
    let (dash, rest) = bytes.split_first_mut()?;
    *dash = b'-';
    rest.copy_from_slice(letter.as_bytes());
    std::str::from_utf8(bytes).ok()
}
