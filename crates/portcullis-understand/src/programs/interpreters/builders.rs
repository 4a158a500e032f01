//! Programs that run rules of a file: `make`, and Miller's expressions. Owns where the file and the expressions stand.

use super::super::escapes;
use crate::{
    effect::{Argument, GapReason},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// `mlr put EXPRESSION`: its language runs commands by `system` and `exec`.
pub(super) fn miller(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut printed = invocation.origin();
    for word in &invocation.arguments {
        if ["system(", "exec("].iter().any(|call| word.text.known_prefix().contains(call)) {
            walk.gap(word.span, GapReason::UnknownCode);
        }
    }
    for file in
        invocation.options().operands().filter(|word| word.text.known_prefix().contains(['.', '/']))
    {
        printed.inherit(&walk.read(file));
    }
    printed.push(Piece::Unknown("mlr".into()));
    printed
}

/// Whether what is run arrives on the input: `deno run -`.
pub(super) fn names_input(operands: &[Argument]) -> bool {
    operands.iter().any(|word| matches!(word.text.as_known(), Some("-" | "/dev/stdin")))
}

pub(super) const MAKE: &[&str] = &[
    "-C",
    "--directory",
    "-f",
    "--file",
    "--makefile",
    "-I",
    "-j",
    "-l",
    "-o",
    "-W",
    "-E",
    "--eval",
];

/// A makefile that this call wrote is read; one that was there before is the project's own.
pub(super) fn make(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let file = options.value(&["-f", "--file", "--makefile"]);
    let stdin = file.as_ref().is_some_and(|file| {
        matches!(file.text.as_known(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
    });
    let words: Vec<Argument> = options.operands().cloned().collect();
    if stdin {
        if let Some(input) = &invocation.input {
            let input = input.clone();
            if input.has_unknown() {
                walk.gap(invocation.span, GapReason::UnknownCode);
            }
            escapes::made(walk, &input, Some(&words), invocation.span);
        }
    } else {
        let file =
            file.unwrap_or(Argument { text: Text::known("Makefile"), span: invocation.name.span });
        let directory = options.value(&["-C", "--directory"]);
        let directory =
            directory.unwrap_or(Argument { text: Text::known("."), span: invocation.name.span });
        walk.within(&directory, |walk| {
            if walk.wrote(&file.text) {
                let content = walk.read(&file);
                escapes::made(walk, &content, Some(&words), file.span);
            }
        });
    }
    invocation.origin()
}
