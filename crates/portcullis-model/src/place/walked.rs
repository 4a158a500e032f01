//! Patterns and walks that may end at a file of the gate: `~/.local/**/own`, `~/.config/*/*.toml`. Owns what the gate keeps by name;
//! where its directories are, the facts say.

use std::borrow::Cow;

use super::pattern::{components_of, glob, is_bare};
use crate::facts::Facts;

/// How a pattern may stand for what is the gate's.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Near {
    /// By a name that the gate's file has.
    Named,
    /// As anything that lies there: the pattern says nothing of the name.
    Anything,
}

/// What the gate keeps in its directories, besides the directories themselves.
const KEPT: &[&str] = &[
    "asked",
    "audit.db",
    "audit.db-shm",
    "audit.db-wal",
    "config.toml",
    "gateway",
    "gateway/token",
    "head",
    "hooked",
    "install",
    "key",
    "memory",
    "own",
    "own/first",
    "own/key",
    "policy.toml",
    "portcullis.toml",
    "tools.toml",
];

/// Longer patterns are no names that anything has.
const PATTERN_BYTES: usize = 1024;

/// How a path with patterns in it may stand for a file of the gate, or, where all below it is taken along, for a directory around
/// one. `None` where it has no pattern, or cannot.
#[must_use]
pub fn near_gate(path: &str, takes_all: bool, facts: &Facts) -> Option<Near> {
    if !path.contains(['*', '?', '[']) || path.len() > PATTERN_BYTES {
        return None;
    }
    let elsewhere = through_links(path, facts).and_then(|path| near(&path, takes_all, facts));
    elsewhere.or_else(|| near(path, takes_all, facts))
}

/// The path that a path is where it goes through a link, as far as facts say where that leads. The longest way that is known counts.
pub(super) fn through_links(path: &str, facts: &Facts) -> Option<String> {
    if facts.paths.is_empty() {
        return None;
    }
    let mut ways = std::iter::successors(Some(path.trim_end_matches('/')), |path| above(path));
    ways.find_map(|directory| {
        let leads_to = facts.paths.get(directory)?.leads_to.as_deref()?;
        let rest = path.get(directory.len()..)?;
        Some(format!("{}{rest}", leads_to.trim_end_matches('/')))
    })
}

/// The directory in which a pattern begins to choose.
#[must_use]
pub fn before_pattern(path: &str) -> Option<&str> {
    let at = path.find(['*', '?', '['])?;
    let (directory, _) = path.get(..at)?.rsplit_once('/')?;
    (!directory.is_empty()).then_some(directory)
}

fn near(path: &str, takes_all: bool, facts: &Facts) -> Option<Near> {
    let parts = components_of(path, facts);
    let last = parts.last()?;
    let near = if is_bare(last) || last == "**" { Near::Anything } else { Near::Named };
    let home = facts.home.as_deref().unwrap_or_default();
    let may_be = |name: &str| fits(&parts, name, near);
    let found = facts.guarded.iter().any(|own| {
        let own = own.trim_end_matches('/');
        may_be(own)
            || KEPT.iter().any(|kept| may_be(&format!("{own}/{kept}")))
            // The directories around it in the home.
            || takes_all && around(own, home).any(may_be)
    });
    found.then_some(near)
}

fn above(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(directory, _)| directory)
}

/// The directories around a path, up to the home and without it.
fn around<'p>(path: &'p str, home: &'p str) -> impl Iterator<Item = &'p str> {
    std::iter::successors(above(path), |path| above(path)).take_while(move |directory| {
        !home.is_empty() && directory.len() > home.len() && directory.starts_with(home)
    })
}

/// Whether a pattern may stand for a name. A `**` is any directories, or none; what stands behind it may be a pattern of whole paths.
fn fits(parts: &[Cow<'_, str>], name: &str, near: Near) -> bool {
    let mut names = name.split('/').filter(|name| !name.is_empty());
    for (at, part) in parts.iter().enumerate() {
        if part == "**" {
            let rest: Vec<&str> = names.collect();
            let behind = parts.get(at + 1..).unwrap_or_default();
            return lies_below(behind, &rest.join("/"), name);
        }
        let Some(name) = names.next() else { return false };
        // A shell's `*` leaves names with a dot before them out, unless it was told otherwise.
        let is_left_out = name.starts_with('.') && !part.starts_with(['.', '[']);
        let is_told = near == Near::Named || part == name;
        if !glob(part, name, true) || is_left_out && !is_told {
            return false;
        }
    }
    names.next().is_none()
}

/// Whether what stands behind a `**` may be the end of a way.
fn lies_below(behind: &[Cow<'_, str>], rest: &str, whole: &str) -> bool {
    let any = |part: &&Cow<'_, str>| *part == "**" || *part == "*";
    let skipped = behind.iter().take_while(any).count().min(behind.len().saturating_sub(1));
    let mut pattern = String::new();
    for part in behind.get(skipped..).unwrap_or_default() {
        pattern.push_str(if part == "**" { "*" } else { "/" });
        pattern.push_str(if part == "**" { "" } else { part });
    }
    pattern.is_empty()
        || glob(&format!("*{pattern}"), &format!("/{rest}"), true)
        || glob(&pattern, whole, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_may_stand_for_what_the_gate_keeps() {
        let facts = Facts {
            home: Some("/home/dev".to_owned()),
            guarded: vec![
                "/home/dev/.local/state/portcullis".to_owned(),
                "/home/dev/.config/portcullis".to_owned(),
            ],
            ..Facts::default()
        };
        for (path, expected) in [
            ("/home/dev/.local/**/own", Some(Near::Named)),
            ("/home/dev/**/o?n", Some(Near::Named)),
            ("/home/dev/**/OWN", Some(Near::Named)),
            ("/home/dev/.local/state/**/*/portcullis/own", Some(Near::Named)),
            ("/home/dev/**/*/.config/*", Some(Near::Anything)),
            ("/home/dev/**/home/dev/.config/*.toml", Some(Near::Named)),
            ("/home/dev/.config/**/*.toml", Some(Near::Named)),
            ("/home/dev/*/state/*/own", Some(Near::Named)),
            ("/**/audit.db*", Some(Near::Named)),
            ("/home/dev/.local/**/state", Some(Near::Named)),
            ("/home/dev/.local/**/?*", Some(Near::Anything)),
            ("/home/dev/.local/state/*", Some(Near::Anything)),
            ("/home/dev/.config/*/*", Some(Near::Anything)),
            ("/home/dev/*", None),
            ("/home/dev/.cache/**/?*", None),
            ("/home/dev/work/**/own", None),
            ("/home/dev/**/*.pyc", None),
            ("/home/dev/.local/**/*.bak", None),
            ("/home/dev/.config/**/node_modules", None),
            ("/home/dev/.local/state/portcullis/own", None),
            ("/home/dev/**/work", None),
        ] {
            assert_eq!(near_gate(path, true, &facts), expected, "{path}");
        }
        assert_eq!(near_gate("/home/dev/.local/**/state", false, &facts), None);
    }
}
