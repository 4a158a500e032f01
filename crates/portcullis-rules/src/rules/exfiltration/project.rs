//! The project itself, sent away. Owns what counts as the project and not as one of its files, and which hosts may have it: those
//! that the repository's remotes or the configuration name.

use super::{hit, is_private, sent as leaves};
use crate::{
    effect::{Connection, Effect, EffectKind, Run, Target},
    facts::PathKind,
    place::{self, Place},
    risk::Severity,
    rules::{
        Hit, Scene, computed,
        effects::{run, words},
        flow::host_kind,
        hosts::HostKind,
    },
    text::{Piece, Taint, Text},
};

/// More files than these, named one by one, are no attachment any more.
const FEW: usize = 3;

/// Directories of what is made of a project to be served or handed out: that is what deploying takes.
const MADE: &[&str] = &[
    "_site", "bin", "book", "build", "dist", "docs", "htdocs", "html", "out", "public", "release",
    "releases", "site", "static", "target", "web", "www",
];

/// Programs that print the names of many files.
const LISTERS: &[&str] = &["fd", "fdfind", "find", "git", "grep", "ls", "rg", "tree"];

pub(super) fn sent(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (connection, sends) = leaves(effect)?;
    let history = scene.origins(sends).into_iter().any(packs_history);
    if (!sends.taint.has(Taint::FILE) && !history) || sends.taint.has(Taint::SECRET) {
        return None;
    }
    let files: Vec<&Target> =
        scene.files_of(sends).into_iter().filter(|target| !is_private(target, scene)).collect();
    let what = match files.first() {
        Some(file) => format!("`{}` is sent", file.text.display()),
        None if history => "what the repository holds is sent".to_owned(),
        None => return None,
    };
    if matches!(host_kind(connection), HostKind::Address | HostKind::Hidden) {
        return Some(hit(connection, Severity::High, &what));
    }
    // It may be a key as well.
    let is_made_up = files.iter().any(|file| computed::is_made_up(file, effect, scene));
    if is_made_up && !is_known(effect, connection, scene) {
        return Some(hit(
            connection,
            Severity::High,
            "a file that only a program's output names is sent",
        ));
    }
    // Which file it is, only whoever set the variable knows: here nobody did.
    let is_anything =
        |file: &&Target| file.text.pieces.iter().all(|piece| matches!(piece, Piece::Unknown(_)));
    if scene.effects.in_file(effect.at).is_none()
        && files.iter().any(is_anything)
        && !is_known(effect, connection, scene)
    {
        return Some(hit(connection, Severity::High, "a file that nobody has named yet is sent"));
    }
    let is_whole = history
        || files.len() > FEW
        || files.iter().any(|target| is_much(target, scene) || is_packed(target, scene));
    if !is_whole || is_known(effect, connection, scene) {
        return Some(hit(connection, Severity::Medium, &what));
    }
    let mut found = hit(connection, Severity::High, &what);
    if let Some(message) = &mut found.message {
        message.push_str(", which neither the repository nor the configuration names");
    }
    Some(found)
}

/// Whether the repository's remotes or the configuration name the host, or a bucket or service is meant and no host.
fn is_known(effect: &Effect, connection: &Connection, scene: &Scene<'_>) -> bool {
    let address = connection.address.known_prefix();
    let is_service = address.split_once("://").is_some_and(|(scheme, _)| {
        matches!(scheme, "s3" | "gs" | "az" | "azure" | "r2" | "oss" | "cos" | "b2")
    });
    // A service's own client publishes where its user is known; a name of one word only this network or its settings have.
    let is_client = scene
        .program_around(effect)
        .is_some_and(|run| matches!(run.program.as_str(), "gh" | "glab"));
    is_service
        || is_client
        || host_kind(connection) == HostKind::Private
        || connection.host.as_ref().is_some_and(|host| {
            scene.facts.hosts.iter().any(|known| match known.strip_prefix("*.") {
                Some(parent) => {
                    host.strip_suffix(parent).is_some_and(|before| before.ends_with('.'))
                }
                None => known == host,
            })
        })
}

/// Whether more is meant than one file of the project: a directory, a pattern, names that a program lists.
pub(super) fn is_much(target: &Target, scene: &Scene<'_>) -> bool {
    let listed = |text: &Text| {
        scene
            .origins(text)
            .into_iter()
            .filter_map(run)
            .any(|run| LISTERS.contains(&run.program.as_str()))
    };
    let Some(path) = target.path.as_deref() else { return listed(&target.text) };
    match place::place_of(target, scene.facts) {
        Place::WorkspaceTop | Place::VersionControl | Place::VersionControlTop => return true,
        Place::Workspace => {}
        _ => return false,
    }
    let (around, name) = path.rsplit_once('/').unwrap_or(("", path));
    let below = scene.facts.workspace.as_deref().and_then(|top| path.strip_prefix(top));
    let is_made = below.unwrap_or(path).split('/').any(|part| MADE.contains(&part));
    if is_made || place::place(around, scene.facts) == Place::Artifact {
        return false;
    }
    if target.text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_))) {
        return true;
    }
    match scene.facts.paths.get(path) {
        Some(fact) if fact.exists && fact.kind != PathKind::Unknown => {
            fact.kind == PathKind::Directory
        }
        // Directories have names in lower case without an ending; `Makefile` and `LICENSE` are files.
        _ => !name.contains('.') && !name.starts_with(char::is_uppercase),
    }
}

/// Whether a file holds the repository, packed by git in this call.
fn is_packed(target: &Target, scene: &Scene<'_>) -> bool {
    let name = target.text.as_known();
    scene.effects.list.iter().any(|effect| {
        packs_history(effect)
            && run(effect).is_some_and(|run| {
                words(run).any(|word| name.is_some_and(|name| word.ends_with(name)))
            })
    })
}

/// Whether git packs what the repository holds: `git archive`, `git bundle`.
fn packs_history(effect: &Effect) -> bool {
    let EffectKind::Run(run) = &effect.kind else { return false };
    let packs = |run: &Run| {
        words(run).any(|word| {
            matches!(word, "archive" | "bundle" | "fast-export" | "pack-objects" | "send-pack")
        })
    };
    run.program == "git" && packs(run)
}
