//! What is fetched: where it is put, and whether anybody could have changed it on its way. Owns what counts as code by its name.

use super::{
    super::{Hit, Scene, effects::run, flow::host_kind, hosts::HostKind, production::is_of_others},
    addresses::about,
};
use crate::{
    effect::{Effect, EffectKind},
    place::{self, Place},
    programs::Options,
    risk::Severity,
    text::Taint,
};

pub(super) fn into_system(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Write { target, content, .. } = &effect.kind else { return None };
    if !content.taint.has(Taint::NETWORK) {
        return None;
    }
    let obeyed = place::persistence_of(target, scene.facts).is_some()
        || place::credential_of(target, scene.facts).is_some();
    let place = match target.text.known_prefix().rsplit_once('/') {
        // An archive's files, whatever they are called, in a directory that is known.
        Some(("", "")) if target.text.has_unknown() => Place::Root,
        Some((directory, "")) if target.text.has_unknown() && directory.starts_with('/') => {
            place::place(directory, scene.facts)
        }
        _ => place::place_of(target, scene.facts),
    };
    let severity = match place {
        Place::Root | Place::Boot | Place::SystemTop | Place::RawDevice => Severity::Critical,
        _ if obeyed => Severity::Critical,
        Place::System | Place::Site | Place::Kernel | Place::OtherHome => Severity::High,
        Place::Home if in_path(target.path.as_deref()) => Severity::Medium,
        _ => return None,
    };
    Some(Hit {
        severity: Some(severity),
        resource: target.path.as_ref().map(|path| format!("file:{path}")),
        ..Hit::default()
    })
}

/// Directories of a home that are searched for programs.
fn in_path(path: Option<&str>) -> bool {
    path.is_some_and(|path| path.contains("/bin/"))
}

pub(super) fn hidden_download(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Write { target, content, .. } = &effect.kind else { return None };
    let path = target.path.as_deref()?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let hidden = content.taint.has(Taint::NETWORK)
        && name.starts_with('.')
        && place::place_of(target, scene.facts) == Place::Temporary;
    hidden.then(|| Hit { resource: Some(format!("file:{path}")), ..Hit::default() })
}

pub(super) fn plain_download(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Write { content, .. } = &effect.kind else { return None };
    if !content.taint.has(Taint::NETWORK) {
        return None;
    }
    let connections = scene.connections_of(content);
    let plain = connections.into_iter().find(|connection| {
        let address = connection.address.display();
        let path = address.split(['?', '#']).next().unwrap_or(&address);
        (address.starts_with("http://") || address.starts_with("ftp://"))
            && !matches!(host_kind(connection), HostKind::Local | HostKind::Private)
            && CODE.iter().any(|extension| path.ends_with(extension))
    })?;
    Some(about(plain, None))
}

/// What is run, or holds what is run.
const CODE: &[&str] = &[
    ".sh",
    ".bash",
    ".py",
    ".pl",
    ".rb",
    ".js",
    ".ps1",
    ".bat",
    ".exe",
    ".msi",
    ".deb",
    ".rpm",
    ".apk",
    ".run",
    ".bin",
    ".so",
    ".dll",
    ".jar",
    ".war",
    ".whl",
    ".pkg",
    ".dmg",
    ".AppImage",
    ".elf",
    ".php",
    ".lua",
];

pub(super) fn unchecked_host(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    if !matches!(run.program.as_str(), "autossh" | "ssh" | "scp" | "sftp" | "rsync" | "git") {
        return None;
    }
    run.arguments
        .iter()
        .filter(|argument| argument.text.known_prefix().len() >= "stricthostkeycheckingno".len())
        .any(|argument| {
            let written = argument.text.known_prefix().to_ascii_lowercase().replace([' ', '='], "");
            written.contains("stricthostkeycheckingno")
                || written.contains("stricthostkeycheckingoff")
        })
        .then(Hit::default)
}

/// `curl -k -H "Authorization: …" https://…`, to a machine that is neither this one nor of its network.
pub(super) fn unchecked_token(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    /// Headers that prove who asks.
    const PROOFS: &[&str] = &["api-key", "apikey", "authorization:", "cookie:", "secret", "token:"];
    let run = run(effect).filter(|run| run.program == "curl")?;
    let options = Options::new(
        &run.arguments,
        &["-H", "--header", "-u", "--user", "--oauth2-bearer", "-X", "-d", "-o"],
    );
    let proves = options.values_of(&["-H", "--header"]).any(|header| {
        let header = header.text.display().to_ascii_lowercase();
        PROOFS.iter().any(|proof| header.contains(proof))
    }) || options.value(&["-u", "--user", "--oauth2-bearer"]).is_some();
    let is_far = run.arguments.iter().any(|word| {
        let known = word.text.known_prefix();
        known.strip_prefix("https://").is_some_and(|rest| {
            let host = rest.split(['/', '?']).next().unwrap_or(rest);
            // The API of a cluster has a certificate of the cluster's own.
            !host.ends_with(":6443") && is_of_others(host.rsplit('@').next().unwrap_or(host))
        })
    });
    (options.has(&["-k", "--insecure"]) && proves && is_far).then(Hit::default)
}
