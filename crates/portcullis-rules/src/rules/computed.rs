//! Names of files that nothing is known of but which program printed them. Owns how such a name is told from a variable that the environment has, and
//! from a file that a pattern found; what follows from one, the rules on writing, sending and deleting say.

use super::Scene;
use crate::{
    effect::{Effect, EffectKind, LayerId, LayerOrigin, Target},
    text::Piece,
};

/// Whether a program's output alone says which file is meant: `cp x "$(jq -r .to names.json)"`.
pub(super) fn names(target: &Target, effect: &Effect, scene: &Scene<'_>) -> bool {
    printed(target, effect, scene).is_some()
}

/// Whether an effect is that of one of these programs, which is written out where it is: code that does the same has reasons of its own.
pub(super) fn is_by(programs: &[&str], effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some(run) = scene.program_around(effect) else { return false };
    let text = scene.effects.layer_text(effect.at.layer);
    let before = text.get(..effect.at.span.range().end).unwrap_or(text);
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '\\');
    programs.contains(&run.program.as_str())
        && before
            .split(|letter| !is_name(letter))
            // `c\p` is the same program.
            .any(|word| word.chars().filter(|letter| *letter != '\\').eq(run.program.chars()))
}

/// Programs that list files which are there, sorted.
const LISTING: &[&str] = &["ag", "egrep", "fd", "fgrep", "find", "git", "grep", "ls", "rg"];

/// The same, where it is no program that lists files which are there.
pub(super) fn is_made_up(target: &Target, effect: &Effect, scene: &Scene<'_>) -> bool {
    printed(target, effect, scene).is_some_and(|origin| LISTING.binary_search(&origin).is_err())
}

/// What the name of a file comes from, where nothing of it is known at its beginning and its end.
fn printed<'t>(target: &'t Target, effect: &Effect, scene: &Scene<'_>) -> Option<&'t str> {
    let (first, last) = (target.text.pieces.first()?, target.text.pieces.last()?);
    let (Piece::Unknown(_), Piece::Unknown(origin)) = (first, last) else { return None };
    is_printed(origin, effect, scene).then_some(&**origin)
}

/// Whether all that is not known of a name is what programs printed.
pub(super) fn is_printed_where_unknown(
    target: &Target,
    effect: &Effect,
    scene: &Scene<'_>,
) -> bool {
    target.text.pieces.iter().all(|piece| match piece {
        Piece::Unknown(origin) => is_printed(origin, effect, scene),
        Piece::Known(_) | Piece::Glob(_) => true,
    })
}

/// Whether a value that is not known is what a program printed: no variable, nothing read from a file, no argument of a script.
fn is_printed(origin: &str, effect: &Effect, scene: &Scene<'_>) -> bool {
    let text = scene.effects.layer_text(effect.at.layer);
    let is_run = || {
        let runs =
            |effect: &Effect| matches!(&effect.kind, EffectKind::Run(run) if run.program == origin);
        scene.effects.list.iter().any(runs)
    };
    // A variable that nobody set here is the environment's.
    let is_variable = ["$", "${"].iter().any(|mark| text.contains(&format!("{mark}{origin}")))
        && !is_run()
        || origin
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9'));
    // What a whole file says was read, where there is one.
    let is_read = || {
        let reads = |effect: &Effect| matches!(&effect.kind, EffectKind::Read(file) if file.text.display() == origin);
        scene.effects.list.iter().any(reads)
    };
    // The last part of a path lies where the command runs.
    let is_named =
        matches!(origin, "a part of a name" | "basename" | "mktemp") || is_variable || is_read();
    // A script of the project says by its arguments what it is about.
    let is_in_file = || {
        let origin_of =
            |at: LayerId| scene.effects.layers.get(usize::from(at.0)).map(|it| &it.origin);
        let outer = |origin: &&LayerOrigin| origin.outer().and_then(|at| origin_of(at.layer));
        std::iter::successors(origin_of(effect.at.layer), outer)
            .any(|origin| matches!(origin, LayerOrigin::File { .. }))
    };
    !is_named && !is_in_file()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_sorted() {
        assert!(super::LISTING.is_sorted());
    }
}
