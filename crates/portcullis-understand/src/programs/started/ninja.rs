//! Ninja: the commands of the rules of its file (ninja-build.org, "The Ninja build system"). Such a file is mostly written by a generator and long; of
//! one that is longer than what is read, only what this session wrote is a question.

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty},
    programs::escapes,
    programs::found::File,
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static NINJA: Starter = Starter { programs: &["n2", "ninja", "samu"], start };

/// How many commands of one file are read.
const COMMANDS: usize = 256;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["-n", "-h", "--help", "--version", "-t"]) {
        return;
    }
    let directory = project::option(&words, &["-C"]).map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        let name = project::option(&words, &["-f"]).unwrap_or("build.ninja");
        let Some(path) = walk.target(&Text::known(name)).path else { return };
        let Some(file) = walk.look(&path).file() else {
            // Its text is not known, but where it lies or came from.
            let named = Argument { text: Text::known(name), span: invocation.span };
            escapes::by_manual::loaded(walk, &named);
            return;
        };
        let is_ours = file.is_own || walk.facts().session.left(&path).is_some();
        // What a generator wrote is as long as its project.
        let file = File { whole: file.whole || !is_ours, ..file };
        let commands = commands(&file.text);
        // They run in the directory where the program does, wherever the build file stands.
        walk.in_file(&file, "ninja", invocation.span, |walk| {
            for (code, span) in commands.iter().at_most(COMMANDS, walk, invocation.span) {
                walk.at_most(Certainty::Likely, |walk| {
                    walk.shell(&Text::known(code.as_str()), *span, &[], None)
                });
            }
        });
    });
}

/// The values of `command =`, each once, with lines that go on put together and `$in`, `$out` and other values as words.
fn commands(text: &str) -> Vec<(String, Span)> {
    let mut found: Vec<(String, Span)> = Vec::new();
    let mut at = 0;
    let mut open: Option<(String, usize)> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        let Some((mut code, from)) = open.take() else {
            let value = bare
                .strip_prefix("command")
                .or_else(|| bare.strip_prefix("COMMAND"))
                .and_then(|rest| rest.trim_start().strip_prefix('='));
            if let Some(value) = value {
                code_of(&mut found, (String::new(), start), value.trim(), at, &mut open);
            }
            continue;
        };
        code.push(' ');
        code_of(&mut found, (code, from), bare, at, &mut open);
    }
    found.dedup_by(|a, b| a.0 == b.0);
    found
}

/// Adds a line to a command; one that ends with `$` goes on.
fn code_of(
    found: &mut Vec<(String, Span)>,
    (mut code, from): (String, usize),
    line: &str,
    end: usize,
    open: &mut Option<(String, usize)>,
) {
    match line.strip_suffix('$').filter(|line| !line.ends_with('$')) {
        Some(line) => {
            code.push_str(line);
            *open = Some((code, from));
        }
        None => {
            code.push_str(line);
            found.push((filled(&code), Span::new(from, end)));
        }
    }
}

/// `$name` and `${name}` are words; `$$` is the shell's dollar.
fn filled(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        if let Some(next) = after.strip_prefix('$') {
            filled.push('$');
            rest = next;
            continue;
        }
        if let Some(next) = after.strip_prefix([' ', ':']) {
            filled.push(' ');
            rest = next;
            continue;
        }
        let inner = after.strip_prefix('{').unwrap_or(after);
        let end = inner.find(|letter: char| !letter.is_alphanumeric() && !"_-.".contains(letter));
        let next = inner.get(end.unwrap_or(inner.len())..).unwrap_or_default();
        filled.push_str("value");
        rest = next.strip_prefix('}').unwrap_or(next);
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_of_rules_are_found() {
        let text = "rule a\n  command = cc -c $in -o ${out} && $\n    echo $$x\n  description = d\nbuild x: a y\n";
        let found: Vec<String> = commands(text).into_iter().map(|it| it.0).collect();
        assert_eq!(found, ["cc -c value -o value &&  echo $x"]);
    }
}
