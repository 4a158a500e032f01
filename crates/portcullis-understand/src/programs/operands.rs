//! What operands of file programs mean: sources and destinations, files in directories. Owns no program.

use portcullis_syntax::Span;

use crate::{
    effect::Argument,
    facts::PathKind,
    place::{self, Place},
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Text},
};

/// What is neither an option nor an option's value.
pub(super) fn operands(invocation: &Invocation) -> Vec<Argument> {
    invocation.options().operands().cloned().collect()
}

/// The text of an argument where all of it is known.
pub(super) fn known(argument: &Argument) -> &str {
    argument.text.as_known().unwrap_or("")
}

/// An argument that stands nowhere but is meant.
pub(super) fn synthetic(text: &str, span: Span) -> Argument {
    Argument { text: Text::known(text), span }
}

/// What follows `prefix` in an argument that begins with it.
pub(super) fn after(argument: &Argument, prefix: &str) -> Option<Argument> {
    let rest = argument.text.known_prefix().strip_prefix(prefix)?;
    let text = argument.text.beginning_with(rest);
    Some(Argument { text, span: argument.span })
}

/// The sources and the destination of `cp`, `mv`, `ln` and their like.
pub(super) fn copied(invocation: &Invocation) -> Option<(Vec<Argument>, Argument)> {
    let options = invocation.options();
    let mut files = operands(invocation);
    if let Some(source) = options.value(&["-Path", "-LiteralPath"]) {
        files.insert(0, source);
    }
    let destination = options.value(&["-t", "--target-directory", "-Destination"]);
    match destination {
        Some(destination) => Some((files, destination)),
        None if files.len() >= 2 => {
            let destination = files.pop()?;
            Some((files, destination))
        }
        None => None,
    }
}

/// Whether files copied to `destination` keep their names in it.
pub(super) fn directory(walk: &dyn Host, destination: &Argument, sources: usize) -> bool {
    if sources > 1 || destination.text.display().ends_with('/') {
        return true;
    }
    if matches!(known(destination), "." | ".." | "~") {
        return true;
    }
    // `cp /dev/null ~/%`: the names that are there, and no directory of one name.
    if matches!(destination.text.pieces.last(), Some(Piece::Glob(_))) {
        return false;
    }
    let target = walk.target(&destination.text);
    let Some(path) = &target.path else { return false };
    matches!(
        place::place(path, walk.facts()),
        Place::Root | Place::SystemTop | Place::HomeTop | Place::WorkspaceTop | Place::TemporaryTop
    ) || walk.known_of(path).is_some_and(|fact| fact.kind == PathKind::Directory)
}

/// The file that `source` becomes in or as `destination`.
pub(super) fn into(destination: &Argument, source: &Argument, is_directory: bool) -> Argument {
    if !is_directory {
        return destination.clone();
    }
    let mut text = destination.text.clone();
    if !text.display().ends_with('/') {
        text.push_known("/");
    }
    match source.text.pieces.last() {
        Some(Piece::Known(name) | Piece::Glob(name)) => {
            let name = name.trim_end_matches('/');
            let name = name.rsplit('/').next().unwrap_or(name);
            if name.contains(['*', '?', '[']) {
                text.push(Piece::Glob(name.to_owned()));
            } else {
                text.push_known(name);
            }
        }
        _ => text.append(&Text::unknown("a name")),
    }
    Argument { text, span: destination.span }
}
