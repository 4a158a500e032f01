//! What a program is told to run or to load by an option or a variable that no table here has. Owns how such a one is known: by its name,
//! which says so in the words that programs have for it, together with its value, which is a command or lies where everybody may put
//! something. What the value would do is then judged as any other command is; a value that reads as neither says nothing.

use super::{
    follow::{is_temporary, names_temporary, words_of},
    *,
};
use crate::{effect::Argument, programs::notable};

/// Words of names behind which a command stands.
const RUNS: &[&str] = &[
    "asap",
    "bind",
    "cmd",
    "command",
    "eval",
    "exec",
    "execute",
    "helper",
    "hook",
    "hooks",
    "launcher",
    "opener",
    "pager",
    "passwordeval",
    "pp",
    "preprocessor",
    "program",
    "rsh",
    "runner",
    "script",
    "shell",
    "wrapper",
];

/// Words of names behind which code stands that is loaded, or a directory or settings of such.
const LOADS: &[&str] = &[
    "addon",
    "addons",
    "classpath",
    "configure",
    "delegate",
    "ext",
    "extension",
    "extensions",
    "hook",
    "hooks",
    "init",
    "lib",
    "loader",
    "module",
    "modules",
    "pgmf",
    "plugin",
    "plugins",
    "preload",
    "processorpath",
    "script",
    "startup",
];

/// Words of names by which what they hold is only written, or of no use to anybody else.
const KEPT: &[&str] = &[
    "cache",
    "data",
    "dest",
    "download",
    "downloads",
    "dump",
    "log",
    "logs",
    "out",
    "output",
    "profile",
    "record",
    "report",
    "results",
    "save",
    "state",
    "target",
    "temp",
    "tmp",
    "write",
];

/// Words of names behind which stands what people read.
const SAID: &[&str] = &[
    "body",
    "comment",
    "content",
    "description",
    "label",
    "message",
    "note",
    "notes",
    "prompt",
    "query",
    "reason",
    "subject",
    "summary",
    "text",
    "title",
];

/// Programs whose words are texts, patterns or data of somebody, and no names of what is run; what they do run, they are told in ways of
/// their own, which have tables. Sorted.
const TEXTS: &[&str] = &[
    "ack",
    "ag",
    "claude",
    "codex",
    "echo",
    "egrep",
    "fgrep",
    "gemini",
    "gh",
    "git",
    "glab",
    "grep",
    "http",
    "jq",
    "kubectl",
    "mail",
    "notify-send",
    "osascript",
    "printf",
    "rg",
    "say",
    "sed",
    "xh",
    "yq",
];

/// Reads the options of an invocation.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation, arguments: &[Argument]) {
    let name = invocation.program.as_str();
    if TEXTS.binary_search(&name).is_ok() || manuals::manual(name).is_some() {
        return;
    }
    options(walk, arguments);
}

/// Reads a variable that programs find.
pub(super) fn variable(walk: &mut dyn Host, name: &str, value: &Text, span: Span) {
    let words = words(name);
    // A variable of one word is most often the shell's own, which is followed to where it is used.
    let Some(last) = words.last().filter(|_| words.len() > 1) else { return };
    if matches!(
        last.as_str(),
        "addopts" | "aflags" | "args" | "flags" | "options" | "opts" | "zflags"
    ) {
        options(walk, &words_of(value, span));
    } else {
        told(walk, &words, &Argument { text: value.clone(), span });
    }
}

fn options(walk: &mut dyn Host, arguments: &[Argument]) {
    let mut named: Option<Vec<String>> = None;
    for word in arguments {
        let known = word.text.known_prefix();
        if !known.starts_with('-') {
            if let Some(names) = named.take() {
                from_temporary(walk, &names, word);
                told(walk, &names, word);
            }
            continue;
        }
        named = None;
        match known.split_once('=') {
            Some((name, value)) => {
                let value = Argument { text: word.text.beginning_with(value), span: word.span };
                let names = words(name);
                from_temporary(walk, &names, &value);
                told(walk, &names, &value);
            }
            None if word.text.as_known().is_some() => named = Some(words(known)),
            None => {}
        }
    }
}

/// An option is told to run what lies where everybody may put something.
fn from_temporary(walk: &mut dyn Host, names: &[String], value: &Argument) {
    let runs = names.iter().any(|word| RUNS.contains(&word.as_str()));
    if runs && names_temporary(&value.text) {
        walk.note("execution.temporary.escape", value.span);
    }
}

/// What stands behind a name: a command, a path, or a list of `key=value`.
fn told(walk: &mut dyn Host, names: &[String], value: &Argument) {
    let known = value.text.known_prefix();
    one(walk, names, value);
    // `hooks.pre-status=…`, `tap,id=n0,script=/tmp/up.sh`, `protoc-gen-go=/tmp/bin/x`: each goes on to where the next key begins.
    let mut keys: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for part in known.split(',') {
        if let Some((key, _)) = part.split_once('=').filter(|(key, _)| is_key(key)) {
            keys.push((at, key));
        }
        at += part.len() + 1;
    }
    for (place, (start, key)) in keys.iter().enumerate() {
        let end = keys.get(place + 1).map_or(known.len(), |(next, _)| next.saturating_sub(1));
        let Some(rest) = known.get(start + key.len() + 1..end) else { continue };
        let mut all = names.to_vec();
        all.extend(words(key));
        // Behind the last of them stands what is not known.
        let text = if end == known.len() {
            value.text.beginning_with(rest)
        } else {
            value.text.derive([Piece::Known(rest.to_owned())])
        };
        one(walk, &all, &Argument { text, span: value.span });
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte))
}

fn one(walk: &mut dyn Host, names: &[String], value: &Argument) {
    let says = |list: &[&str]| names.iter().any(|word| list.contains(&word.as_str()));
    let known = value.text.known_prefix();
    let path = known.split([',', ' ']).next().unwrap_or(known);
    let lies_elsewhere =
        is_temporary(path) || path.starts_with("https://") || path.starts_with("http://");
    if says(LOADS) && !says(KEPT) && lies_elsewhere && !known.contains(' ') {
        let text = value.text.beginning_with(path);
        manuals::loaded(walk, &Argument { text, span: value.span });
    }
    if says(SAID) && !says(RUNS) {
        return;
    }
    for command in commands(known, says(RUNS)) {
        let text = value.text.derive([Piece::Known(command.to_owned())]);
        walk.suppose(&text, value.span);
    }
}

/// The parts of a value that are commands: behind a pipe, or told to a shell; where the name says that it holds a command, all of it
/// however it begins, and what stands in it within brackets or quotes.
fn commands(value: &str, is_run: bool) -> Vec<&str> {
    let within = |open: char, close: char| {
        let (_, rest) = value.split_once(open)?;
        let end = rest.rfind(close)?;
        rest.get(..end)
    };
    let piped = value.split_once("\"|").or_else(|| value.split_once("'|")).map(|(_, rest)| rest);
    let piped = piped.map(|rest| rest.split(['"', '\'']).next().unwrap_or(rest));
    let for_shell = ["bash -c ", "sh -c ", "zsh -c "].iter().any(|start| value.starts_with(start));
    let fed = ["| sh", "|sh", "| bash", "|bash"].iter().any(|end| value.contains(end));
    let mut found = Vec::new();
    found.extend(value.strip_prefix('|').or(piped));
    if for_shell || fed {
        found.push(value);
    }
    if is_run {
        found.extend(within('(', ')'));
        found.extend(within('"', '"'));
    }
    found.retain(|command| reads_as_command(command));
    let is_more_than_a_name = value.contains(|letter: char| !is_of_a_name(letter));
    if is_run && is_more_than_a_name && !found.contains(&value) {
        found.push(value);
    }
    found
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || "._-/:,=+@%".contains(letter)
}

/// Whether a text begins with the name of a program, and more stands behind.
fn reads_as_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or(first);
    let is_program = notable::names(name) || crate::programs::program(name).is_some();
    is_program && words.next().is_some()
}

/// The words of a name: `--renderer-cmd-prefix`, `PASSWORD_STORE_EXTENSIONS_DIR`, `-Dmaven.ext.class.path`.
fn words(name: &str) -> Vec<String> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_are_sorted() {
        assert!(TEXTS.is_sorted());
    }

    #[test]
    fn a_command_is_found_where_it_stands() {
        let bound = "start:execute-silent(rm -rf ~/x)";
        assert_eq!(commands(bound, true), ["rm -rf ~/x", bound]);
        assert_eq!(commands("{ rm -rf ~/x; }", true), ["{ rm -rf ~/x; }"]);
        assert!(commands("sccache", true).is_empty());
        assert_eq!(commands("CustomLog \"|/bin/rm -rf /srv\" common", false), ["/bin/rm -rf /srv"]);
        let called = "os:cmd(\"rm -rf /srv\")";
        assert_eq!(commands(called, true), ["rm -rf /srv", called]);
        assert!(commands("a text that says rm -rf /srv", false).is_empty());
    }
}
