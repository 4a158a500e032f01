//! Code that comes from elsewhere and is run. Owns what this call fetched, by its files and its streams.

use std::collections::BTreeSet;

use super::{
    super::{
        Hit, Scene, flow,
        flow::{is_local, shown},
    },
    built::{git_words, is_foreign},
};
use crate::{
    effect::{Effect, EffectKind},
    programs::trees,
    risk::Severity,
    text::{Piece, Taint, Text},
};

pub(super) fn fetched(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Execute { code, language } = &effect.kind else { return None };
    if !code.taint.has(Taint::NETWORK) {
        return None;
    }
    let connections = scene.connections_of(code);
    let local =
        !connections.is_empty() && connections.iter().all(|connection| is_local(connection));
    let beside = *language == "shell" && !stands_as_command(code);
    // A file out of a repository that was cloned: somebody may have read it there.
    let cloned = connections.is_empty() && code.taint.has(Taint::FILE);
    let severity = if local || beside || cloned { Severity::High } else { Severity::Critical };
    let earlier = || {
        let mut files = scene.files_of(code).into_iter();
        files.find_map(|file| scene.facts.session.left(file.path.as_deref()?))
    };
    let (severity, message) = match connections.first() {
        Some(connection) => {
            let from = shown(connection);
            (severity, Some(format!("code from `{from}` is run, and nobody has read it")))
        }
        None => match earlier() {
            Some(left) => {
                let from = left.from();
                (
                    Severity::High,
                    Some(format!("code is run that an earlier call brought from {from}")),
                )
            }
            None => (severity, None),
        },
    };
    Some(Hit {
        severity: Some(severity),
        message,
        resource: connections.first().and_then(|connection| flow::host_resource(connection)),
        ..Hit::default()
    })
}

/// Whether something that is not known stands where a command begins, or is all there is.
fn stands_as_command(code: &Text) -> bool {
    let mut before = String::new();
    for piece in &code.pieces {
        match piece {
            Piece::Known(text) | Piece::Glob(text) => before.push_str(text),
            Piece::Unknown(_) => {
                let start = before.trim_end_matches([' ', '\t', '"', '\'']);
                let word = start.rsplit(char::is_whitespace).next().unwrap_or("");
                if start.is_empty()
                    || start.ends_with(['\n', ';', '&', '|', '(', '{', '`', '!'])
                    || matches!(
                        word,
                        "eval" | "exec" | "then" | "do" | "else" | "sudo" | "-c" | "source" | "."
                    )
                {
                    return true;
                }
                before.push('x');
            }
        }
    }
    !code.has_unknown()
}

/// The files that came over the network in this call.
#[derive(Default)]
pub(super) struct Downloads<'s> {
    /// As written, without `./`.
    pub(super) names: BTreeSet<&'s str>,
    pub(super) paths: BTreeSet<&'s str>,
    /// Whether there are some whose names nobody knows: those out of an archive.
    pub(super) unpacked: bool,
}

impl<'s> Downloads<'s> {
    pub(super) fn of(scene: &'s Scene<'_>) -> Self {
        let mut downloads = Self::default();
        for effect in &scene.effects.list {
            let EffectKind::Write { target, content, .. } = &effect.kind else { continue };
            if !content.taint.has(Taint::NETWORK) {
                continue;
            }
            downloads.unpacked |= target.text.has_unknown();
            if let Some(name) = target.text.as_known() {
                downloads.names.insert(name.trim_start_matches("./"));
            }
            downloads.paths.extend(target.path.as_deref());
        }
        for path in scene.facts.session.fetched() {
            downloads.paths.insert(path);
            downloads.names.insert(path);
            let cwd = scene.facts.cwd.as_deref().and_then(|cwd| path.strip_prefix(cwd));
            downloads.names.extend(cwd.and_then(|below| below.strip_prefix('/')));
        }
        downloads
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty() && !self.unpacked
    }

    pub(super) fn has(&self, text: &Text) -> bool {
        text.as_known().is_some_and(|name| self.names.contains(name.trim_start_matches("./")))
    }
}

/// What git is told to fetch past the repository's own remotes.
#[derive(Default)]
pub(super) struct Afar {
    /// Remotes that this call adds, where nobody keeps many people's projects.
    pub(super) added: BTreeSet<String>,
    /// What of them, or of addresses, is fetched.
    pub(super) fetched: BTreeSet<String>,
}

impl Afar {
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let mut afar = Self::default();
        for effect in &scene.effects.list {
            match git_words(effect).as_slice() {
                [remote, add, name, address, ..]
                    if remote == "remote" && add == "add" && is_foreign(address) =>
                {
                    afar.added.insert(name.clone());
                }
                [fetch, from, ..] if fetch == "fetch" && afar.added.contains(from) => {
                    afar.fetched.insert(from.clone());
                }
                [fetch, from, ..] if fetch == "fetch" && trees::is_remote(from) => {
                    afar.fetched.insert("FETCH_HEAD".to_owned());
                }
                _ => {}
            }
        }
        afar
    }

    /// `git pull ADDRESS`, `git fetch ADDRESS && git merge FETCH_HEAD`: what somebody keeps elsewhere gets into the project.
    pub(super) fn is_taken_by(&self, effect: &Effect) -> bool {
        /// Verbs that put a commit into the work tree.
        const TAKES: &[&str] =
            &["checkout", "cherry-pick", "merge", "rebase", "reset", "restore", "switch"];
        let words = git_words(effect);
        let Some((verb, rest)) = words.split_first() else { return false };
        let branch = |word: &String| word.split('/').next().unwrap_or_default().to_owned();
        match verb.as_str() {
            "pull" => {
                rest.first().is_some_and(|from| trees::is_remote(from) || self.added.contains(from))
            }
            verb => {
                TAKES.contains(&verb) && rest.iter().any(|it| self.fetched.contains(&branch(it)))
            }
        }
    }
}

pub(super) fn decoded(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Execute { code, .. } = &effect.kind else { return None };
    code.taint.has(Taint::DECODED).then(Hit::default)
}

pub(super) fn decoded_name(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    run.name.text.taint.has(Taint::DECODED).then(Hit::default)
}
