//! Work trees that are deleted. Owns how one is told that the call made for itself, among temporary files.

use super::super::{Hit, Scene, effects::run};
use crate::{
    effect::{Effect, Run},
    place::{self, Place},
};

/// `git worktree remove --force PATH` of a tree that was there before.
pub(super) fn removed_by_force(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let path = operand(run(effect)?, "remove").filter(|(_, is_forced)| *is_forced)?.0;
    let added = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, effect));
    let is_own = place::place(path, scene.facts) == Place::Temporary
        && added.filter_map(run).filter_map(|run| operand(run, "add")).any(|(it, _)| it == path);
    (!is_own).then(Hit::default)
}

/// The path that `git … worktree VERB …` names, and whether by force.
fn operand<'r>(run: &'r Run, verb: &str) -> Option<(&'r str, bool)> {
    if run.program != "git" {
        return None;
    }
    let words: Vec<&str> =
        run.arguments.iter().map(|argument| argument.text.as_known().unwrap_or_default()).collect();
    let at = words.iter().position(|word| *word == "worktree")?;
    let (first, rest) = words.get(at + 1..)?.split_first()?;
    if *first != verb {
        return None;
    }
    const TAKES_VALUE: &[&str] = &["-b", "-B", "--reason"];
    let mut is_forced = false;
    let mut path = None;
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        match *word {
            "-f" | "--force" | "-ff" => is_forced = true,
            word if TAKES_VALUE.contains(&word) => drop(rest.next()),
            word if word.starts_with('-') => {}
            word => path = path.or(Some(word)),
        }
    }
    Some((path.unwrap_or_default(), is_forced))
}
