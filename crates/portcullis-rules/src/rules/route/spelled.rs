//! Names of hosts that are written to be taken for others: letters of another script among Latin ones, a name before an `@` that looks
//! like the host behind it. Owns how such a name is known, in the address of a connection and among the words of a command.

use super::super::{Hit, Scene, effects::words};
use crate::{
    address::host_of,
    effect::{Effect, EffectKind},
    network,
};

/// Programs whose words say where something is got from or sent to, sorted; what they connect to is no effect of its own.
const NAMES_SOURCES: &[&str] = &[
    "add-apt-repository",
    "brew",
    "bun",
    "cargo",
    "composer",
    "docker",
    "gem",
    "gh",
    "git",
    "go",
    "helm",
    "hg",
    "kubectl",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pipx",
    "pnpm",
    "podman",
    "poetry",
    "svn",
    "uv",
    "uvx",
    "yarn",
];

/// How the names end of hosts that people know.
const TOP: &[&str] = &[
    "ai", "app", "cloud", "co", "com", "dev", "edu", "gov", "info", "io", "net", "org", "ru", "sh",
];

/// An address among the words of a command whose host is not the one that a person reads.
pub(super) fn in_words(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    NAMES_SOURCES.binary_search(&run.program.as_str()).ok()?;
    words(run).find_map(|word| {
        // What has blanks is a text that is told to people.
        if word.contains(char::is_whitespace) || word.is_ascii() && !word.contains('@') {
            return None;
        }
        let address = match word.find("://") {
            // `git+https://…`, `--index-url=https://…`
            Some(at) => {
                let is_scheme = |letter: char| letter.is_ascii_alphanumeric();
                let scheme = word.get(..at)?.trim_end_matches(is_scheme).len();
                word.get(scheme..)?
            }
            // `git@host:path`
            None => word.split_once(':').filter(|(before, _)| before.contains('@'))?.0,
        };
        misread(address)
    })
}

/// What is wrong with the host of an address, for those who read it.
pub(super) fn misread(address: &str) -> Option<Hit> {
    let host = host_of(address)?;
    let is_disguised = !host.is_ascii()
        && host.split('.').any(|label| !label.is_ascii() && network::is_disguised(label));
    let said = || -> Option<String> {
        let (_, rest) = address.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        let name = user.split(':').next()?.rsplit("%40").next()?.to_ascii_lowercase();
        let (before, top) = name.rsplit_once('.')?;
        let is_name = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        };
        (is_name(before) && TOP.contains(&top) && name != host).then_some(name)
    };
    let message = if is_disguised {
        format!("`{host}` has letters that are taken for others")
    } else {
        format!(
            "the host is `{host}`, and not `{}`, which only is the name of a user there",
            said()?
        )
    };
    let resource = Some(format!("host:{host}"));
    Some(Hit { message: Some(message), resource, ..Hit::default() })
}
