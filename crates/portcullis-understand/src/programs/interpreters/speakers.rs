//! Programs that run code: which language each speaks, and which of its options hold code. Owns the table, and where the code stands.

use crate::{
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// How a language's interpreter is told what to run.
pub(super) struct Speaker {
    pub(super) program: &'static str,
    pub(super) language: &'static str,
    /// Options whose value is code; a bundle may end with the letter (`-ne`).
    pub(super) code: &'static [&'static str],
    /// Whether the first operand is code, not a file.
    pub(super) operand: bool,
}

pub(super) const fn speaker(
    program: &'static str,
    language: &'static str,
    code: &'static [&'static str],
    operand: bool,
) -> Speaker {
    Speaker { program, language, code, operand }
}

/// Interpreters other than shells, sorted by program.
pub(super) static SPEAKERS: &[Speaker] = &[
    speaker("awk", "awk", &["-e", "--source"], true),
    speaker("bb", "lisp", &["-e", "--eval"], false),
    speaker("bpython", "python", &[], false),
    speaker("bun", "javascript", &["-e", "--eval", "-p", "--print"], false),
    speaker("clj", "lisp", &["-e", "--eval"], false),
    speaker("clojure", "lisp", &["-e", "--eval"], false),
    speaker("deno", "javascript", &[], false),
    speaker("elixir", "elixir", &["-e", "--eval"], false),
    speaker("erl", "erlang", &["-eval"], false),
    speaker("expect", "tcl", &["-c"], false),
    speaker("gawk", "awk", &["-e", "--source"], true),
    speaker("ghc", "haskell", &["-e"], false),
    speaker("groovy", "groovy", &["-e"], false),
    speaker("guile", "scheme", &["-c"], false),
    speaker("iex", "elixir", &["-e", "--eval"], false),
    speaker("ipython", "python", &["-c"], false),
    speaker("irb", "ruby", &["-e"], false),
    speaker("jbang", "java", &["-c", "--code"], false),
    speaker("jjs", "javascript", &[], false),
    speaker("jrunscript", "javascript", &["-e"], false),
    speaker("jshell", "java", &[], false),
    speaker("julia", "julia", &["-e", "--eval", "-E"], false),
    speaker("kotlin", "kotlin", &["-e"], false),
    speaker("lua", "lua", &["-e"], false),
    speaker("luajit", "lua", &["-e"], false),
    speaker("mawk", "awk", &["-e"], true),
    speaker("nawk", "awk", &[], true),
    speaker("nim", "nim", &["--eval"], false),
    speaker("node", "javascript", &["-e", "--eval", "-p", "--print", "-pe"], false),
    speaker("octave", "octave", &["--eval"], false),
    speaker("osascript", "applescript", &["-e"], false),
    speaker("perl", "perl", &["-e", "-E"], false),
    speaker("php", "php", &["-r", "-B", "-R", "-E", "--run"], false),
    speaker("powershell", "powershell", &["-c", "-Command", "-command", "/c"], true),
    speaker("pwsh", "powershell", &["-c", "-Command", "-command"], false),
    speaker("pypy", "python", &["-c"], false),
    speaker("pypy3", "python", &["-c"], false),
    speaker("python", "python", &["-c"], false),
    speaker("racket", "scheme", &["-e"], false),
    speaker("raku", "raku", &["-e"], false),
    speaker("rscript", "r", &["-e"], false),
    speaker("ruby", "ruby", &["-e"], false),
    speaker("sbcl", "lisp", &["--eval"], false),
    speaker("scala", "scala", &["-e"], false),
    speaker("swift", "swift", &["-e"], false),
    speaker("tclsh", "tcl", &[], false),
    speaker("ts-node", "javascript", &["-e", "--eval", "-p"], false),
    speaker("tsx", "javascript", &["-e", "--eval", "-p"], false),
    speaker("wish", "tcl", &[], false),
];

/// Whether a program is an interpreter of a script language.
pub(in super::super) fn speaks(name: &str) -> bool {
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    SPEAKERS.binary_search_by(|speaker| speaker.program.cmp(plain)).is_ok()
}

/// `node -p CODE`: an expression is printed; of anything longer, the value of its last statement is.
pub(super) fn value_of(
    walk: &mut dyn Host,
    code: &Argument,
    given: &[Argument],
    invocation: &Invocation,
) -> Text {
    let input = invocation.input.clone();
    let is_expression = code.text.as_known().is_some_and(|known| !known.contains([';', '\n']));
    if !is_expression {
        let mut printed = walk.code_with_input("javascript", &code.text, code.span, given, input);
        printed.push(Piece::Unknown("the value of code".into()));
        return printed;
    }
    let mut whole = Text::known("console.log(");
    whole.append(&code.text);
    whole.push_known("\n)");
    walk.code_with_input("javascript", &whole, code.span, given, input)
}

/// The code that an interpreter's options carry: `-e code`, `-ecode`, `-ne code`, all of them joined.
pub(super) fn code_option(invocation: &Invocation, speaker: &Speaker) -> Option<Argument> {
    let mut whole: Option<Argument> = None;
    let mut push = |argument: &Argument| match &mut whole {
        Some(code) => {
            code.text.push_known("\n");
            code.text.append(&argument.text);
            code.span = code.span.to(argument.span);
        }
        None => whole = Some(argument.clone()),
    };
    let slashes = speaker.code.iter().any(|option| option.starts_with('/'));
    let mut index = 0;
    while let Some(argument) = invocation.arguments.get(index) {
        let prefix = argument.text.known_prefix();
        let known = argument.text.as_known();
        // `/c` is an option to Windows' own shell; elsewhere `/code/run.sh` is a file.
        let option = prefix.starts_with('-') || slashes && prefix.starts_with('/');
        if known == Some("--") || !option {
            break;
        }
        if known.is_some_and(|known| speaker.code.contains(&known)) {
            if let Some(value) = invocation.arguments.get(index + 1) {
                push(value);
            }
            index += 2;
            // python reads `-c` once; everything behind it belongs to the code.
            if speaker.language == "python" {
                break;
            }
            continue;
        }
        if let Some(found) =
            speaker.code.iter().filter(|option| option.starts_with("--")).find_map(|option| {
                prefix.strip_prefix(option).and_then(|rest| rest.strip_prefix('='))
            })
        {
            push(&Argument { text: argument.text.beginning_with(found), span: argument.span });
        } else if !prefix.starts_with("--") && prefix.len() > 2 {
            for option in speaker.code.iter().filter(|option| option.len() == 2) {
                let Some(letter) = option.chars().nth(1) else { continue };
                let Some(at) =
                    prefix.get(1..).and_then(|bundle| bundle.find(letter)).map(|at| at + 1)
                else {
                    continue;
                };
                let flags = prefix.get(1..at).unwrap_or("");
                if !flags.chars().all(|flag| flag.is_ascii_alphanumeric()) || flags.len() > 6 {
                    continue;
                }
                let attached = prefix.get(at + 1..).unwrap_or("");
                if attached.is_empty() && argument.text.as_known().is_some() {
                    if let Some(value) = invocation.arguments.get(index + 1) {
                        push(value);
                    }
                    index += 1;
                } else if flags.is_empty()
                    || attached.contains(|c: char| !c.is_ascii_alphanumeric())
                    // `-ne1`: letters that take nothing stand before perl's code.
                    || speaker.language == "perl"
                        && flags.chars().all(|flag| "acflnpsStTuUwWX0".contains(flag))
                {
                    push(&Argument {
                        text: argument.text.beginning_with(attached),
                        span: argument.span,
                    });
                }
                break;
            }
        } else if invocation.values.iter().any(|value| known == Some(value)) {
            index += 1;
        }
        index += 1;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speakers_are_sorted() {
        assert!(SPEAKERS.is_sorted_by_key(|row| row.program), "speakers");
    }
}
