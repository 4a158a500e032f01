//! Programs that print a part of a path. Owns which part.

use super::{super::Call, printed::Printed};
use crate::text::{Piece, Text};

/// `basename NAME [SUFFIX]`, `-a`, `-s`.
pub(in super::super) fn basename(call: &mut Call<'_>) -> Option<Text> {
    call.inherit_arguments();
    let given = call.given("as:z", &[("multiple", 'a'), ("suffix", 's'), ("zero", 'z')]);
    if given.strange {
        return None;
    }
    let end = if given.has('z') { "\0" } else { "\n" };
    let mut suffix = given.known_or('s', "")?;
    let mut names = given.operands.as_slice();
    if !given.has('a')
        && !given.has('s')
        && let [name, last] = names
    {
        suffix = last.text.as_known()?;
        names = std::slice::from_ref(names.first()?);
        debug_assert_eq!(names.first().map(|first| first.span), Some(name.span));
    }
    let mut printed = Printed::default();
    for name in names {
        if let Some(known) = name.text.as_known() {
            let base = base(known);
            let base = base.strip_suffix(suffix).filter(|stem| !stem.is_empty()).unwrap_or(base);
            printed.bytes(base.as_bytes())?;
        } else {
            printed.piece(Piece::Unknown(call.name.into()))?;
        }
        printed.bytes(end.as_bytes())?;
    }
    printed.finish(call)
}

fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "" } else { "/" };
    }
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

/// `dirname NAME…`.
pub(in super::super) fn dirname(call: &mut Call<'_>) -> Option<Text> {
    call.inherit_arguments();
    let given = call.given("z", &[("zero", 'z')]);
    if given.strange {
        return None;
    }
    let end = if given.has('z') { "\0" } else { "\n" };
    let mut printed = Printed::default();
    for name in &given.operands {
        match name.text.as_known() {
            Some(known) => printed.bytes(directory(known).as_bytes())?,
            None => match around(&name.text) {
                Some(pieces) => {
                    for piece in pieces {
                        printed.piece(piece)?;
                    }
                }
                None => printed.piece(Piece::Unknown(call.name.into()))?,
            },
        }
        printed.bytes(end.as_bytes())?;
    }
    printed.finish(call)
}

/// The directories of names that a program found: `a/**` of `a/**/name`.
fn around(text: &Text) -> Option<Vec<Piece>> {
    let [before @ .., Piece::Known(slash), Piece::Glob(last)] = text.pieces.as_slice() else {
        return None;
    };
    let is_whole = slash == "/" && matches!(before.last(), Some(Piece::Glob(_)));
    let is_one = !last.contains('/') && last != "**";
    (is_whole && is_one && !text.has_unknown()).then(|| before.to_vec())
}

fn directory(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "." } else { "/" };
    }
    match trimmed.rfind('/') {
        None => ".",
        Some(slash) => {
            let directory = trimmed.get(..slash).unwrap_or("").trim_end_matches('/');
            if directory.is_empty() { "/" } else { directory }
        }
    }
}
