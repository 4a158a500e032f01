//! What a shell's call says beside its command: where it is run, with which variables, and by which shell. Owns the names of those
//! arguments; what the command does there is read elsewhere.

use serde_json::{Map, Value};

use super::{as_argument, shell::Walk};
use crate::{action::shell_quoted, effect::GapReason, programs::escapes, tool::folded};

/// Names of the directory that the command is run in, as [`folded`] has them.
const DIRECTORIES: &[&str] = &[
    "currentdirectory",
    "cwd",
    "dir",
    "directory",
    "execdir",
    "workdir",
    "workingdir",
    "workingdirectory",
];

/// Names of the variables that it is given.
const VARIABLES: &[&str] = &["env", "environment", "environmentvariables", "envvars", "variables"];

/// Names of arguments that say that the call ends before its command does, and words that do.
const GOES_ON: &[&str] =
    &["async", "background", "detach", "detached", "isbackground", "mode", "runinbackground"];
const WORDS_OF_IT: &[&str] = &["async", "background", "detached", "true"];

/// Names of the program that runs it.
const SHELLS: &[&str] = &["executable", "interpreter", "shell", "shellpath"];

/// The most directories and variables of one call that are looked at; what is left out is told.
const MOST: usize = 256;

/// Reads a command where its call says that it is run: in each of the directories, as which of them the tool goes by is not known.
pub(super) fn in_each_directory(
    walk: &mut Walk<'_>,
    arguments: &Map<String, Value>,
    mut command: impl FnMut(&mut Walk<'_>),
) {
    let mut directories: Vec<(&str, &str)> = Vec::new();
    for (name, value) in named(arguments, DIRECTORIES) {
        match value {
            Value::Null => {}
            Value::String(path) if path.is_empty() => {}
            Value::String(path) if directories.iter().any(|(_, known)| known == path) => {}
            Value::String(path) if directories.len() < MOST => directories.push((name, path)),
            other => unclear(walk, name, other),
        }
    }
    let mut surrounded = |walk: &mut Walk<'_>| {
        variables(walk, arguments);
        shell(walk, arguments);
        command(walk);
    };
    match directories.as_slice() {
        [] => surrounded(walk),
        [(_, only)] => {
            walk.enter_directory(only);
            surrounded(walk);
        }
        several => {
            for (_, directory) in several {
                walk.afresh(|walk| {
                    walk.enter_directory(directory);
                    surrounded(walk);
                });
            }
        }
    }
}

/// Whether the call is said to end before its command does.
pub(super) fn goes_on(arguments: &Map<String, Value>) -> bool {
    named(arguments, GOES_ON).any(|(_, value)| match value {
        Value::Bool(is_so) => *is_so,
        Value::String(word) => WORDS_OF_IT.contains(&word.to_ascii_lowercase().as_str()),
        _ => false,
    })
}

/// Each variable is an assignment before the command, and means to it what that would.
fn variables(walk: &mut Walk<'_>, arguments: &Map<String, Value>) {
    for (name, value) in named(arguments, VARIABLES) {
        let pairs: Vec<(String, String)> = match value {
            Value::Null => continue,
            Value::Object(given) if given.len() <= MOST => given
                .iter()
                .map(|(key, value)| {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    (key.clone(), text)
                })
                .collect(),
            // `["NAME=value"]`, `[{"name": "NAME", "value": "value"}]`
            Value::Array(given)
                if given.len() <= MOST && given.iter().all(|one| pair(one).is_some()) =>
            {
                given.iter().filter_map(pair).collect()
            }
            other => {
                unclear(walk, name, other);
                continue;
            }
        };
        for (key, value) in pairs {
            let at = as_argument(walk, &format!("/{name}/{key}"), &value);
            walk.given_variable(&key, at.text, at.span);
        }
    }
}

/// One variable of a list of them.
fn pair(one: &Value) -> Option<(String, String)> {
    if let Some(text) = one.as_str() {
        return text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    }
    let text = |key| one.get(key).and_then(Value::as_str).map(str::to_owned);
    Some((text("name").or_else(|| text("key"))?, text("value")?))
}

/// A shell that is none that we know is a program that is run.
fn shell(walk: &mut Walk<'_>, arguments: &Map<String, Value>) {
    for (name, value) in named(arguments, SHELLS) {
        let Value::String(program) = value else { continue };
        let called = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let called = called.strip_suffix(".exe").unwrap_or(called);
        let stands_in_place = !program.contains('/')
            || ["/bin/", "/usr/", "/opt/homebrew/bin/", "/run/current-system/sw/bin/"]
                .iter()
                .any(|place| program.starts_with(place) && !program.contains(".."));
        let is_plain = program.is_empty()
            || stands_in_place
                && (escapes::is_shell(called)
                    || matches!(called, "cmd" | "nu" | "powershell" | "pwsh"));
        if !is_plain {
            walk.open(&format!("/{name}"), program);
            walk.script_text(&shell_quoted(program));
        }
    }
}

/// The arguments that have one of these names.
fn named<'a>(
    arguments: &'a Map<String, Value>,
    names: &'a [&'static str],
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let is_one = move |name: &str| names.iter().any(|known| folded(name).eq(folded(known)));
    arguments
        .iter()
        .filter(move |(name, _)| is_one(name))
        .map(|(name, value)| (name.as_str(), value))
}

/// An argument that is there and says nothing that we can read.
fn unclear(walk: &mut Walk<'_>, name: &str, value: &Value) {
    let at = as_argument(walk, &format!("/{name}"), &value.to_string());
    walk.gap(at.span, GapReason::UnknownCode);
}
