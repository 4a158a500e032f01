//! Shells as programs. Owns which of their words is the command, the file, or what they read.

use crate::{
    effect::Argument,
    programs::{
        host::Host,
        invocation::{Invocation, TERMINAL},
    },
    text::{Piece, Taint, Text},
};

/// `sh [options] [-c code [name arguments…] | file arguments…]`; otherwise the input is the script.
pub(super) fn shell_program(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(file) = walk.variable_set("BASH_ENV").filter(|file| !file.is_empty())
        && walk.wrote(&file)
    {
        let file = Argument { text: file, span: invocation.name.span };
        walk.at_likely(|walk| walk.script("shell", &file, &[], None));
    }
    let mut from_argument = false;
    let mut from_input = false;
    let mut talks = false;
    let mut only_reads = false;
    let mut takes_back = false;
    let mut index = 0;
    let arguments = invocation.arguments.as_slice();
    while let Some(argument) = arguments.get(index) {
        let Some(option) = argument.text.as_known() else { break };
        if option == "--" || option == "-" {
            index += 1;
            break;
        }
        if let Some(long) = option.strip_prefix("--") {
            if matches!(long, "rcfile" | "init-file")
                && let Some(file) = arguments.get(index + 1)
            {
                walk.script("shell", file, &[], None);
                index += 1;
            }
            from_argument |= long == "command";
            index += 1;
            continue;
        }
        if !option.starts_with(['-', '+']) || option.len() < 2 {
            break;
        }
        if option.starts_with('-') {
            from_argument |= option.contains('c');
            from_input |= option.contains('s');
            talks |= option.contains('i');
            only_reads |= option.contains('n');
        }
        takes_back |= option.starts_with('+') || option.contains('o');
        index += 1;
        if option.ends_with(['o', 'O']) {
            index += 1;
        }
    }
    let rest = arguments.get(index..).unwrap_or(&[]);
    // `-n` only looks whether the text is shell code; a shell that talks to somebody takes no notice of it.
    if only_reads && !takes_back && !talks && invocation.program != "fish" {
        let mut said = invocation.origin();
        if let (Some(file), false) = (rest.first(), from_argument || from_input) {
            said.inherit(&walk.read(file));
        }
        return said;
    }
    if talks && !from_argument && !rest.is_empty() {
        walk.interactive_shell(invocation.span);
    }
    match rest.split_first() {
        Some((code, positional)) if from_argument => {
            walk.shell(&code.text, code.span, positional, invocation.input.clone())
        }
        Some((file, positional)) if !from_input => {
            if matches!(file.text.as_known(), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
                && let Some(input) = &invocation.input
            {
                return walk.shell(input, invocation.span, positional, None);
            }
            walk.script("shell", file, positional, invocation.input.clone())
        }
        _ => match &invocation.input {
            // What a program fetches and does not print is meant to be run all the same.
            Some(input)
                if (!input.is_empty() || input.taint.has(Taint::NETWORK)) && !is_typed(input) =>
            {
                let mut positional = vec![invocation.name.clone()];
                positional.extend_from_slice(rest);
                walk.shell(input, invocation.span, &positional, None)
            }
            _ => {
                walk.interactive_shell(invocation.span);
                invocation.origin()
            }
        },
    }
}

/// Whether a text is what somebody types at a terminal.
fn is_typed(input: &Text) -> bool {
    matches!(input.pieces.as_slice(), [Piece::Unknown(origin)] if &**origin == TERMINAL)
}
