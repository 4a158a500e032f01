//! What tests of the shell parser say about a tree.

use portcullis_syntax::shell::{CommandKind, Part, PartKind, Script, Word, visit};

/// The name of every simple command, in the order of the walk: decoded where it is literal, as written in `<>`
/// otherwise.
pub(crate) fn command_names(script: &Script, source: &str) -> Vec<String> {
    let name =
        |word: &Word| literal(&word.parts).unwrap_or_else(|| format!("<{}>", word.span.of(source)));
    visit::commands(script)
        .into_iter()
        .filter_map(|command| match &command.kind {
            CommandKind::Simple { words, .. } => words.first().map(name),
            _ => None,
        })
        .collect()
}

/// What the parts stand for, where nothing in them is computed.
pub(crate) fn literal(parts: &[Part]) -> Option<String> {
    parts.iter().try_fold(String::new(), |text, part| {
        Some(match &part.kind {
            PartKind::Literal(piece) | PartKind::Quoted(piece) => text + piece,
            PartKind::DoubleQuoted(inside) => text + &literal(inside)?,
            _ => return None,
        })
    })
}
