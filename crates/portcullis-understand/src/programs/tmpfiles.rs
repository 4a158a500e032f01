//! `systemd-tmpfiles`: what the lines of its settings make, write and take away, tmpfiles.d(5). Owns that language.

use portcullis_syntax::Span;

use super::{host::Host, invocation::Invocation};
use crate::{
    bound::Bounded,
    effect::{Argument, WriteMode},
    text::{Piece, Text},
};

/// How many lines of one file are followed.
const LINES: usize = 256;

/// Says what the settings that the call names would do; those of the system are the system's own.
pub(super) fn apply(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let files: Vec<Argument> = options.operands().cloned().collect();
    let removes = options.has(&["--remove", "--purge"]);
    let creates = options.has(&["--create"]);
    for file in files {
        let settings = match (file.text.as_known(), &invocation.input) {
            (Some("-"), Some(input)) => input.clone(),
            _ => walk.read(&file),
        };
        for line in settings.known_prefix().lines().at_most(LINES, walk, file.span) {
            follow(walk, &settings, line, file.span, removes, creates);
        }
    }
    invocation.origin()
}

/// One line: type, path, mode, user, group, age, argument.
fn follow(
    walk: &mut dyn Host,
    settings: &Text,
    line: &str,
    span: Span,
    removes: bool,
    creates: bool,
) {
    let mut words = line.split_whitespace();
    let (Some(kind), Some(path)) = (words.next(), words.next()) else { return };
    let piece = |text: &str| settings.derive([Piece::Known(text.to_owned())]);
    let file = Argument { text: piece(path.trim_matches(['"', '\''])), span };
    let letter = kind.chars().next().unwrap_or('#');
    match letter {
        'R' | 'D' if removes => walk.delete(&file, true),
        'r' if removes => walk.delete(&file, false),
        'f' | 'F' | 'w' | 'C' | 'L' if creates => {
            let content = words.skip(4).collect::<Vec<_>>().join(" ");
            let adds = kind.starts_with("w+");
            let mode = if adds { WriteMode::Append } else { WriteMode::Replace };
            walk.write(&file, mode, piece(&content));
        }
        _ => {}
    }
}
