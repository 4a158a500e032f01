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

/// How many files include each other.
const INCLUDED: usize = 16;

/// For how many edges a rule is written out that runs what it is given.
const EDGES: usize = 8;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["-n", "-h", "--help", "--version", "-t"]) {
        return;
    }
    let directory = project::option(&words, &["-C"]).map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        let name = project::option(&words, &["-f"]).unwrap_or("build.ninja");
        let Some(path) = walk.target(&Text::known(name)).path else { return };
        let root = walk.directory().unwrap_or_default().to_owned();
        let Some(file) = walk.look(&path).file() else {
            // Its text is not known, but where it lies or came from.
            let named = Argument { text: Text::known(name), span: invocation.span };
            escapes::by_manual::loaded(walk, &named);
            return;
        };
        let is_ours = file.is_own || walk.facts().session.left(&path).is_some();
        // What a generator wrote is as long as its project.
        let file = File { whole: file.whole || !is_ours, ..file };
        let mut files = vec![file];
        let mut at = 0;
        while let Some(file) = files.get(at).cloned() {
            at += 1;
            for name in included(&file.text) {
                let path = project::joined(&root, &name);
                if files.iter().any(|it| it.path == path) {
                    continue;
                }
                if files.len() >= INCLUDED {
                    walk.left_unread(invocation.span);
                    break;
                }
                files.extend(walk.look(&path).file());
            }
        }
        // They run in the directory where the program does, wherever the build file stands.
        let whole: Vec<String> = files.iter().map(|file| file.text.to_string()).collect();
        let whole = whole.join("\n");
        for file in &files {
            let commands = commands(&file.text, &whole);
            walk.in_file(file, "ninja", invocation.span, |walk| {
                for (code, span) in commands.iter().at_most(COMMANDS, walk, invocation.span) {
                    walk.at_most(Certainty::Likely, |walk| {
                        walk.shell(&Text::known(code.as_str()), *span, &[], None)
                    });
                }
            });
        }
    });
}

/// Files that an `include` or a `subninja` names.
fn included(text: &str) -> Vec<String> {
    let named = text.lines().filter_map(|line| {
        line.strip_prefix("include ").or_else(|| line.strip_prefix("subninja "))
    });
    named.map(|name| name.trim().to_owned()).filter(|name| !name.contains('$')).collect()
}

/// The values of `command =`, each once, with lines that go on put together and `$in`, `$out` and other values as words; a rule that may run what it is
/// given is said for each of its few edges in the `whole` of the files.
fn commands(text: &str, whole: &str) -> Vec<(String, Span)> {
    let mut found: Vec<(String, Span)> = Vec::new();
    let mut written: Vec<(String, Span)> = Vec::new();
    let mut at = 0;
    let mut open: Option<(String, usize)> = None;
    let mut rule = "";
    let finish =
        |found: &mut Vec<(String, Span)>, written: &mut Vec<(String, Span)>, rule: &str| {
            for (code, span) in written.drain(..) {
                let given = if runs_given(&code) { edges(whole, rule) } else { Vec::new() };
                for words in given.iter().leading(EDGES) {
                    let code = code.replace("${in}", "$in").replace("$in", words);
                    found.push((filled(&code), span));
                }
                if given.is_empty() || given.len() > EDGES {
                    found.push((filled(&code), span));
                }
            }
        };
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        if open.is_none()
            && let Some(name) = line.strip_prefix("rule ")
        {
            finish(&mut found, &mut written, rule);
            rule = name.trim();
        }
        let Some((mut code, from)) = open.take() else {
            let value = bare
                .strip_prefix("command")
                .or_else(|| bare.strip_prefix("COMMAND"))
                .and_then(|rest| rest.trim_start().strip_prefix('='));
            if let Some(value) = value {
                code_of(&mut written, (String::new(), start), value.trim(), at, &mut open);
            }
            continue;
        };
        code.push(' ');
        code_of(&mut written, (code, from), bare, at, &mut open);
    }
    finish(&mut found, &mut written, rule);
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
            found.push((code, Span::new(from, end)));
        }
    }
}

/// Whether a command begins with what it is given, or with one word before that.
fn runs_given(code: &str) -> bool {
    code.split(['&', '|', ';'])
        .any(|part| part.split_whitespace().leading(2).any(|word| matches!(word, "$in" | "${in}")))
}

/// What each edge of a rule is given: `build OUT: RULE IN… | IMPLICIT`.
fn edges(text: &str, rule: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("build ")) {
        let Some((_, rest)) = line.split_once(": ") else { continue };
        let Some((name, given)) = rest.trim_start().split_once(' ') else { continue };
        if name == rule {
            let given = given.split('|').next().unwrap_or_default().trim();
            if !given.is_empty() && found.len() <= EDGES {
                found.push(given.to_owned());
            }
        }
    }
    found
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
        let found: Vec<String> = commands(text, text).into_iter().map(|it| it.0).collect();
        assert_eq!(found, ["cc -c value -o value &&  echo $x"]);
    }
}
