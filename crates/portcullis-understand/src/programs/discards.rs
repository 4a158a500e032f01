//! What git throws away of a work tree: the files that it is told to put back, or all of them. Owns which words mean
//! that; whether anything is lost thereby depends on what stands there, which is a fact and asked for as one.

use super::operands::{known, operands};
use crate::{effect::Argument, programs::host::Host, programs::invocation::Invocation, text::Text};

/// Tells which files are put back as they were committed.
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let words = operands(invocation);
    let Some((verb, files)) = words.split_first() else { return };
    let whole = match known(verb) {
        "reset" => options.has(&["--hard", "--merge", "--keep"]),
        "checkout" | "switch" => options.has(&["-f", "--force", "--discard-changes"]),
        "restore" => false,
        _ => return,
    };
    if !whole && known(verb) != "checkout" && known(verb) != "restore" {
        return;
    }
    let everything = [Argument { text: Text::known("."), span: verb.span }];
    let files = if whole { everything.as_slice() } else { files };
    let discard = |walk: &mut dyn Host| {
        for file in files {
            walk.discard(file, whole);
        }
    };
    match options.value(&["-C"]) {
        Some(directory) => walk.within(&directory, discard),
        None => discard(walk),
    }
}
