//! Where `git push` goes. Owns how the address is found in what one call says: as an operand, by an option, by a setting, or by a
//! remote that it made before; what the repository's own configuration holds is not known here.

use crate::{
    address::host_of,
    effect::{Effect, EffectKind, Run},
    risk::Severity,
    rules::{
        Hit, Scene, effects,
        hosts::{self, HostKind},
        pattern,
    },
};

/// Where many keep their repositories; pushing there is not leaving, though whose it is cannot be seen.
const FORGES: &[&str] = &[
    "bitbucket.org",
    "codeberg.org",
    "dev.azure.com",
    "git.heroku.com",
    "git.sr.ht",
    "github.com",
    "gitlab.com",
    "huggingface.co",
    "ssh.dev.azure.com",
];

/// A push to an address that this call names, or gave to a remote.
pub(super) fn leaves(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = effects::run(effect).filter(|run| run.program == "git")?;
    let options = pattern::options(run);
    let mut operands = options.operands().filter_map(|operand| operand.text.as_known());
    if operands.next()? != "push" || pattern::is_rehearsal("git", options) {
        return None;
    }
    let is_short_rehearsal = options.has(&["-n"]) && !options.has(&["--no-dry-run"]);
    if is_short_rehearsal {
        return None;
    }
    let remote = operands.next();
    let option =
        options.value(&["--repo"]).and_then(|value| value.text.as_known().map(str::to_owned));
    let settings = options.values_of(&["-c"]).filter_map(|setting| {
        let (key, value) = setting.text.as_known()?.split_once('=')?;
        set(key, value, remote)
    });
    let variables = scene.effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Environment { name, value } if name.starts_with("GIT_CONFIG_") => {
            value.as_known().map(str::to_owned)
        }
        _ => None,
    });
    let named =
        remote.map(str::to_owned).into_iter().chain(option).chain(settings).chain(variables);
    let worst = |addresses: &mut dyn Iterator<Item = String>, is_made: bool| {
        addresses.filter_map(|address| severity(&address, is_made)).max()
    };
    let mut named = named;
    let mut made =
        scene.effects.list.iter().filter_map(effects::run).filter_map(|run| made(run, remote));
    let severity = worst(&mut named, false).max(worst(&mut made, true))?;
    Some(effects::at(severity))
}

/// How bad it is to push to an address; `None` where it is none, or stays inside.
fn severity(address: &str, is_made: bool) -> Option<Severity> {
    if !is_address(address) {
        return None;
    }
    let host = host_of(address)?;
    match hosts::kind(&host) {
        HostKind::Local | HostKind::Private => None,
        // A server that knows this person's key is one that they have an account on, most likely.
        HostKind::Named if is_made && address.starts_with("git@") => Some(Severity::Medium),
        _ if FORGES.contains(&host.as_str()) => Some(Severity::Medium),
        _ => Some(Severity::High),
    }
}

/// Whether a word is an address and neither the name of a remote nor a path: no remote's name has a colon in it.
fn is_address(word: &str) -> bool {
    match word.split_once("://") {
        Some((scheme, _)) => !scheme.eq_ignore_ascii_case("file"),
        None => word.split_once(':').is_some_and(|(host, _)| host.len() > 1 && !host.contains('/')),
    }
}

/// The address that a setting gives to a push to `remote`, or to any where none is named.
fn set(key: &str, value: &str, remote: Option<&str>) -> Option<String> {
    let key = key.to_ascii_lowercase();
    let instead = key.strip_prefix("url.").and_then(|key| {
        key.strip_suffix(".insteadof").or_else(|| key.strip_suffix(".pushinsteadof"))
    });
    if let Some(address) = instead {
        return Some(address.to_owned());
    }
    // git-config(1): where a push goes that names no remote; an address does as well as a name.
    let is_default = key == "remote.pushdefault"
        || key.starts_with("branch.") && (key.ends_with(".pushremote") || key.ends_with(".remote"));
    if is_default {
        return remote.is_none().then(|| value.to_owned());
    }
    let name = key.strip_prefix("remote.")?;
    let name = name.strip_suffix(".url").or_else(|| name.strip_suffix(".pushurl"))?;
    let is_meant = remote.is_none_or(|remote| remote.eq_ignore_ascii_case(name));
    is_meant.then(|| value.to_owned())
}

/// The address that an earlier command of this call gave to the remote.
fn made(run: &Run, remote: Option<&str>) -> Option<String> {
    if run.program != "git" {
        return None;
    }
    let words: Vec<&str> = effects::words(run).filter(|word| !word.starts_with('-')).collect();
    match words.as_slice() {
        ["remote", "add" | "set-url", name, address, ..]
            if remote.is_none_or(|remote| remote == *name) =>
        {
            Some((*address).to_owned())
        }
        ["config", "set", key, value, ..] | ["config", key, value, ..] => set(key, value, remote),
        _ => None,
    }
}
