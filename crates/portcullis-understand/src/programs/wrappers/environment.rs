//! Wrappers that change what a command is surrounded by: `env` with its variables and the string that it splits. Owns how that reaches the command.

use super::words::{command_after, own_options};
use crate::{
    effect::Argument,
    programs::{
        host::Host,
        invocation::{Invocation, split_assignment},
    },
    text::{Piece, Text},
};

pub(super) fn environment(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.with_environment(|walk| in_environment(walk, invocation))
}

fn in_environment(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = own_options(invocation, 0);
    if options.has(&["-i", "--ignore-environment"]) {
        walk.without_variable(None);
    }
    if let Some(name) = options.value(&["-u", "--unset"])
        && let Some(name) = name.text.as_known()
    {
        walk.without_variable(Some(name));
    }
    if let Some((split, rest)) = split_string(&invocation.arguments) {
        let mut code = split_escapes(&split.text);
        for argument in rest {
            code.push_known(" ");
            code.append(&argument.text);
        }
        return walk.shell(&code, split.span, &[], invocation.input.clone());
    }
    let mut command = command_after(invocation, 0);
    // A dash alone stands for `-i`.
    while let Some((first, rest)) = command.split_first()
        && first.text.as_known() == Some("-")
    {
        walk.without_variable(None);
        command = rest;
    }
    while let Some((first, rest)) = command.split_first() {
        match split_assignment(&first.text) {
            Some((name, value)) => walk.environment_of(&name, &value, first.span),
            // `env $(grep -v '^#' .env | xargs) PROGRAM`
            None if !rest.is_empty() && walk.holds_settings(&first.text) => {}
            None => break,
        }
        command = rest;
    }
    if command.is_empty() {
        let mut printed = Text::unknown("environment");
        printed.taint = crate::text::Taint::SECRET;
        return printed;
    }
    let directory = own_options(invocation, 0).value(&["-C", "--chdir"]);
    run_in(walk, directory, command, invocation)
}

/// `cross-env-shell NAME=VALUE "COMMAND"`: what stands behind the variables is a line of shell.
pub(super) fn line_in_environment(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.with_environment(|walk| {
        let mut line = Text::default();
        for word in command_after(invocation, 0) {
            match split_assignment(&word.text).filter(|_| line.is_empty()) {
                Some((name, value)) => walk.environment_of(&name, &value, word.span),
                None => {
                    line.append(&word.text);
                    line.push_known(" ");
                }
            }
        }
        walk.shell(&line, invocation.span, &[], invocation.input.clone())
    })
}

/// Runs a command in another directory, where one is given.
pub(super) fn run_in(
    walk: &mut dyn Host,
    directory: Option<Argument>,
    command: &[Argument],
    invocation: &Invocation,
) -> Text {
    match directory {
        Some(directory) => {
            walk.within(&directory, |walk| walk.run(command, invocation.input.clone()))
        }
        None => walk.run(command, invocation.input.clone()),
    }
}

/// The value of `-S`, alone or last in a bundle (`-vS`), or of `--split-string`, and what stands behind it.
fn split_string(arguments: &[Argument]) -> Option<(Argument, &[Argument])> {
    for (index, argument) in arguments.iter().enumerate() {
        let prefix = argument.text.known_prefix();
        if !prefix.starts_with('-') || prefix == "--" {
            return None;
        }
        let long = prefix.strip_prefix("--split-string");
        let short = prefix
            .strip_prefix('-')
            .and_then(|letters| letters.split_once('S'))
            .filter(|(before, _)| before.bytes().all(|letter| matches!(letter, b'i' | b'v' | b'0')))
            .map(|(_, attached)| attached);
        let Some(attached) = long.map(|rest| rest.trim_start_matches('=')).or(short) else {
            if matches!(prefix, "-u" | "-C" | "--unset" | "--chdir") {
                return split_string(arguments.get(index + 2..)?);
            }
            continue;
        };
        if attached.is_empty() && argument.text.as_known().is_some() {
            let (value, rest) = arguments.get(index + 1..)?.split_first()?;
            return Some((value.clone(), rest));
        }
        let text = argument.text.beginning_with(attached);
        let rest = arguments.get(index + 1..).unwrap_or(&[]);
        return Some((Argument { text, span: argument.span }, rest));
    }
    None
}

/// `env -S` has escapes of its own: `\_` is a blank.
fn split_escapes(text: &Text) -> Text {
    match text.as_known() {
        Some(known) if known.contains('\\') => {
            let known = known.replace("\\_", " ").replace("\\t", " ").replace("\\n", " ");
            text.derive([Piece::Known(known)])
        }
        _ => text.clone(),
    }
}
