//! Files that are left with nothing in them, or with noise. Owns what counts as noise and where it belongs.

use super::super::{
    Hit, Scene,
    effects::{about, written},
};
use crate::{
    action::ActionKind,
    effect::{Effect, EffectKind, Target, WriteMode},
    place::{self, Place},
    risk::Severity,
};

/// Programs that hand on what they read as it is.
const COPIERS: &[&str] = &["cat", "cp", "dd", "head", "pv", "sponge", "tail", "tee"];

/// Whether a file's name says that noise belongs in it: a key, a seed, something to test with; or it is a hidden one, as programs keep.
fn is_for_noise(path: &str) -> bool {
    const WORDS: &[&str] = &[
        ".bin", ".dat", ".img", ".iso", ".raw", "entropy", "key", "noise", "rand", "salt",
        "secret", "seed", "test",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    path.contains("/.") || WORDS.iter().any(|word| name.contains(word))
}

/// Whether code that opens a file, reads another one and writes then leaves something in it.
pub(super) fn is_filled(effect: &Effect, target: &Target, scene: &Scene<'_>) -> bool {
    let is_noise = |file: &Target| {
        let path = file.path.as_deref();
        path.is_some_and(|path| {
            matches!(path, "/dev/null" | "/dev/random" | "/dev/urandom" | "/dev/zero")
        })
    };
    let later = scene.effects.list.iter().skip(scene.index(effect) + 1);
    let mut written = later.filter(|it| it.at.layer == effect.at.layer).filter_map(written);
    written.any(|(other, mode, content)| {
        mode == WriteMode::Append
            && other.path == target.path
            && !content.is_empty()
            && !scene.files_of(content).into_iter().any(is_noise)
    })
}

/// A file that is left with nothing in it, or with noise.
pub(super) fn emptied(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, mode, content) = written(effect)?;
    // `dd conv=notrunc` writes over what is there, though it leaves the rest.
    let in_place = || scene.program_around(effect).is_some_and(|run| run.program == "dd");
    if mode != WriteMode::Replace && !(mode == WriteMode::Edit && in_place()) {
        return None;
    }
    // Through other programs noise becomes a key or a password.
    let path = target.path.as_deref().unwrap_or_default();
    let is_copied = || {
        let around = scene.program_around(effect);
        let mut programs = scene.origins(content).into_iter().filter_map(|origin| {
            let EffectKind::Run(run) = &origin.kind else { return None };
            Some(run.program.as_str())
        });
        around.is_some_and(|run| matches!(run.program.as_str(), "cp" | "dd"))
            || !is_for_noise(path) && programs.all(|program| COPIERS.contains(&program))
    };
    let is_noise = |file: &Target| match file.path.as_deref() {
        Some("/dev/null" | "/dev/zero") => true,
        Some("/dev/random" | "/dev/urandom") => is_copied(),
        _ => false,
    };
    if !content.is_empty() && !scene.files_of(content).into_iter().any(is_noise) {
        return None;
    }
    if content.is_empty()
        && matches!(scene.action.kind, ActionKind::Code { .. })
        && scene.program_around(effect).is_none()
        && is_filled(effect, target, scene)
    {
        return None;
    }
    if scene.facts.paths.get(path).is_some_and(|fact| !fact.exists) {
        return None;
    }
    // What a program writes as it runs is emptied every day.
    let is_log = [".log", ".out", ".err", ".tmp", ".pid"].iter().any(|end| path.ends_with(end));
    // An editor begins a new file with nothing in it.
    let is_edit = !matches!(scene.action.kind, ActionKind::Shell { .. } | ActionKind::Code { .. });
    let severity = match place::place_of(target, scene.facts) {
        Place::Home | Place::OtherHome if !is_log && !is_edit => Severity::High,
        Place::Home | Place::OtherHome | Place::Elsewhere | Place::Site => Severity::Medium,
        _ => return None,
    };
    Some(about(severity, target, "this empties"))
}
