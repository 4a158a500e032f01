//! Commands of debuggers that write files, or start what is debugged with words of their own (sourceware.org/gdb, "Logging Output", "Input/Output",
//! "Save Breakpoints"). Owns their spellings, which may be shortened; what of them is code or a command of a shell is read where they stand.

use portcullis_syntax::Span;

use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// How deep one command stands in another.
const NESTED: usize = 4;

/// What the program is called that is debugged, where nothing says which it is.
const DEBUGGED: &str = "./a.out";

/// A setting by its words, as far as each has to be written out, and how the file is written that it names.
type Setting = (&'static [(&'static str, usize)], WriteMode);

/// Settings of gdb that name a file which it writes.
static SETTINGS: &[Setting] = &[
    (&[("logging", 3), ("file", 1)], WriteMode::Append),
    (&[("history", 3), ("filename", 1)], WriteMode::Replace),
    (&[("inferior-tty", 9)], WriteMode::Append),
    (&[("remotelogfile", 7)], WriteMode::Append),
    (&[("debug", 3), ("logfile", 4)], WriteMode::Append),
];

/// Commands of gdb that write the file which is their last word.
static LAST: &[&[(&str, usize)]] = &[
    &[("generate-core-file", 8)],
    &[("gcore", 5)],
    &[("save", 2)],
    &[("tsave", 2)],
    &[("record", 3), ("save", 1)],
    &[("maintenance", 5), ("print", 1)],
    &[("mt", 2), ("print", 1)],
    &[("remote", 6), ("get", 1)],
];

/// The forms of memory that a dump may have.
const FORMS: &[&str] = &["binary", "ihex", "memory", "srec", "tekhex", "value", "verilog"];

/// Reads a command; gives whether it is one of these.
pub(crate) fn told(walk: &mut dyn Host, line: &Text, span: Span) -> bool {
    read(walk, line, line.known_prefix(), DEBUGGED, span, 0)
}

/// What is told to a debugger as a whole, by options: what it starts has the words that were set before.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let words = invocation.arguments.as_slice();
    let known = |word: &Argument| word.text.as_known().unwrap_or("").to_owned();
    let mut program = DEBUGGED.to_owned();
    let mut is_value = false;
    for word in words.iter().map(known) {
        if !std::mem::replace(&mut is_value, takes_value(&word)) && !word.starts_with('-') {
            program = word;
            break;
        }
    }
    let mut given = String::new();
    for pair in words.windows(2) {
        let [option, value] = pair else { continue };
        if !known(option).trim_start_matches('-').ends_with(['x', 'd'])
            || !takes_value(&known(option))
        {
            continue;
        }
        let line = value.text.known_prefix();
        if let Some(rest) = setting(line, &[("args", 2)]) {
            given = rest.to_owned();
        } else if let Some(rest) = started(line) {
            let rest = if rest.is_empty() { given.as_str() } else { rest };
            start(walk, &value.text, &program, rest, value.span);
        }
    }
    // gdb(1), `--tty`: where what is debugged reads and writes.
    for file in invocation.options().values_of(&["--tty", "-tty", "-t"]) {
        if !file.text.known_prefix().starts_with("/dev/") {
            walk.write(&file, WriteMode::Append, invocation.origin());
        }
    }
}

/// Whether an option of gdb has its value in the next word.
fn takes_value(word: &str) -> bool {
    const VALUES: &[&str] = &[
        "-cd",
        "-command",
        "-core",
        "-d",
        "-directory",
        "-eval-command",
        "-ex",
        "-exec",
        "-iex",
        "-init-command",
        "-init-eval-command",
        "-ix",
        "-p",
        "-pid",
        "-s",
        "-symbols",
        "-tty",
        "-x",
    ];
    let word = word.strip_prefix('-').filter(|word| word.starts_with('-')).unwrap_or(word);
    VALUES.contains(&word)
}

fn read(
    walk: &mut dyn Host,
    text: &Text,
    line: &str,
    program: &str,
    span: Span,
    depth: usize,
) -> bool {
    if depth > NESTED {
        walk.gap(span, GapReason::Limit);
        return true;
    }
    let line = line.trim();
    // `with SETTING VALUE -- COMMAND`
    if let Some(rest) = word(line, "with", 1).or_else(|| word(line, "w", 1))
        && let Some((set, command)) = rest.split_once("--")
    {
        read(walk, text, &format!("set {set}"), program, span, depth + 1);
        return read(walk, text, command, program, span, depth + 1);
    }
    for (name, mode) in SETTINGS {
        if let Some(file) = setting(line, name) {
            write(walk, text, file, *mode, span);
            return true;
        }
    }
    if let Some(file) = word(line, "tty", 3) {
        write(walk, text, file, WriteMode::Append, span);
        return true;
    }
    if let Some(rest) = setting(line, &[("args", 2)]).or_else(|| started(line)) {
        start(walk, text, program, rest, span);
        return true;
    }
    if let Some(wrapper) = setting(line, &[("exec-wrapper", 6)]) {
        walk.shell(&text.derive([Piece::Known(wrapper.to_owned())]), span, &[], None);
        return true;
    }
    if let Some(rest) = word(line, "dump", 2).or_else(|| word(line, "append", 3)) {
        let file = rest.split_whitespace().find(|word| !FORMS.contains(word));
        write(walk, text, file.unwrap_or(""), WriteMode::Append, span);
        return true;
    }
    for name in LAST {
        if let Some(rest) = words(line, name) {
            let file = rest.split_whitespace().last().unwrap_or("");
            if file.contains(['/', '.', '~']) {
                write(walk, text, file, WriteMode::Replace, span);
            }
            return true;
        }
    }
    false
}

fn write(walk: &mut dyn Host, text: &Text, file: &str, mode: WriteMode, span: Span) {
    let file = file.trim().trim_matches(['"', '\'']);
    if !file.is_empty() && !file.starts_with("/dev/") {
        let text = text.derive([Piece::Known(file.to_owned())]);
        walk.write(&Argument { text, span }, mode, Text::unknown("what the debugger prints"));
    }
}

/// What is debugged is started by a shell, with these words.
fn start(walk: &mut dyn Host, text: &Text, program: &str, words: &str, span: Span) {
    if !words.trim().is_empty() {
        let line = text.derive([Piece::Known(format!("{program} {words}"))]);
        walk.shell(&line, span, &[], None);
    }
}

/// What stands behind a command that starts what is debugged.
fn started(line: &str) -> Option<&str> {
    ["run", "start", "starti"]
        .iter()
        .find_map(|name| word(line, name, name.len()))
        .or_else(|| word(line, "r", 1))
}

fn setting<'l>(line: &'l str, name: &[(&str, usize)]) -> Option<&'l str> {
    words(word(line, "set", 3)?, name)
}

fn words<'l>(line: &'l str, name: &[(&str, usize)]) -> Option<&'l str> {
    name.iter().try_fold(line, |rest, (full, least)| word(rest, full, *least))
}

/// What stands behind a word that may be shortened to its first letters.
fn word<'l>(line: &'l str, full: &str, least: usize) -> Option<&'l str> {
    let line = line.trim_start();
    let end = line
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'))
        .unwrap_or(line.len());
    let (first, rest) = line.split_at_checked(end)?;
    (first.len() >= least && full.starts_with(first)).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_may_be_shortened_but_not_to_another_one() {
        for (line, expected) in [
            ("set logging file /x", Some("/x")),
            ("set logg f /x", Some("/x")),
            ("set logging on", None),
            ("set lo file /x", None),
            ("show logging file", None),
        ] {
            assert_eq!(setting(line, &[("logging", 3), ("file", 1)]), expected, "{line}");
        }
        assert_eq!(started("r > x"), Some("> x"));
        assert_eq!(started("return 1"), None);
    }
}
