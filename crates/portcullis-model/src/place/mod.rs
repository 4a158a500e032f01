//! Where a path is and what that means. Owns the tables of places, credentials, things that start by themselves and
//! agents' files; it says nothing about whether touching them is bad (see `rules`).
//!
//! Every question is asked of an absolute path with globs as written, and of where a symbolic link leads as far as
//! [`Facts`] know that: the worse answer counts.

mod agents;
mod credentials;
mod ground;
mod index;
mod letters;
mod named;
mod pattern;
mod persistence;
mod system;
mod walked;

pub use crate::standing::{
    AgentFile, AgentFileKind, Credential, CredentialClass, Persistence, PersistenceKind, Place,
};
pub use agents::PROGRAM;
pub use named::{NamedPath, guarded_paths, secret_paths, started_paths};

use std::borrow::Cow;

use pattern::Located;
pub use pattern::{glob, visible};
use walked::through_links;
pub use walked::{Near, before_pattern, near_gate};

use crate::{
    effect::Target,
    facts::Facts,
    split::is_below,
    standing::Answers,
    text::{Piece, Text},
};

/// Where a path is. A glob in it counts as the worst of what it says it may match.
#[must_use]
pub fn place(path: &str, facts: &Facts) -> Place {
    worst(path, facts, |located| ground::ground(located, facts)).unwrap_or(Place::Unknown)
}

/// Where a target is, also where its path is only half known. Within one judgement the facts are the same, so the first
/// answer stays.
#[must_use]
pub fn place_of(target: &Target, facts: &Facts) -> Place {
    answers(target, facts).place
}

fn answers<'t>(target: &'t Target, facts: &Facts) -> &'t Answers {
    target.standing.0.get_or_init(|| {
        let path = guess(target, facts);
        let short = path.as_deref().and_then(without_any);
        let ways = match path.as_deref() {
            Some(path) => Ways::new(path, short.as_deref(), facts),
            None => Ways::default(),
        };
        let place = match &target.path {
            // A `**` is a value that is not known, unless the command has it as written.
            Some(path) if path.contains("**") => {
                let is_written = !target.text.has_unknown();
                place(&if is_written { path.replace("**", "*") } else { path.clone() }, facts)
            }
            Some(_) => ways
                .iter()
                .map(|located| ground::ground(located, facts))
                .max()
                .unwrap_or(Place::Unknown),
            None => half_known(&target.text, facts),
        };
        Answers {
            place,
            credential: ways.iter().find_map(credentials::find),
            persistence: starts(&ways, facts),
            agent_file: ways.iter().find_map(agents::find),
            is_account_list: target.path.is_some()
                && ways.written.as_ref().is_some_and(|path| path.may_match(credentials::ACCOUNTS)),
        }
    })
}

/// Whether a path surely lies in the workspace, also where a link there leads.
#[must_use]
pub fn is_inside_workspace(target: &Target, facts: &Facts) -> bool {
    let Some(path) = &target.path else {
        // Without a working directory nothing is known but the words.
        return facts.cwd.is_none() && target.text.as_known().is_some_and(stays_below);
    };
    let Some(workspace) = facts.workspace.as_ref().or(facts.cwd.as_ref()) else { return false };
    let leads_to = facts.paths.get(path).and_then(|fact| fact.leads_to.as_ref());
    let lies_in =
        |path: &str| is_below(path, workspace) && !path.split('/').any(|part| part == "..");
    lies_in(path) && leads_to.is_none_or(|real| lies_in(real))
}

fn stays_below(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with(['/', '~', '\\'])
        && !path.contains(':')
        && path.split(['/', '\\']).all(|component| component != "..")
}

/// The credential that a path names, may name (a glob) or contains (a directory full of them).
#[must_use]
pub fn credential(path: &str, facts: &Facts) -> Option<&'static Credential> {
    along(path, facts, credentials::find)
}

/// The credential that a target names, also where only the end of its path is known.
#[must_use]
pub fn credential_of(target: &Target, facts: &Facts) -> Option<&'static Credential> {
    answers(target, facts).credential
}

/// Whether a target is the list of the machine's users, which everyone may read.
#[must_use]
pub fn is_account_list(target: &Target, facts: &Facts) -> bool {
    answers(target, facts).is_account_list
}

/// What would start by itself later if a path were written.
#[must_use]
pub fn persistence(path: &str, facts: &Facts) -> Option<&'static Persistence> {
    let short = without_any(path);
    starts(&Ways::new(path, short.as_deref(), facts), facts)
}

/// What is told to version control says more than what a project's file may be to something.
fn starts(ways: &Ways<'_>, facts: &Facts) -> Option<&'static Persistence> {
    let found = ways.iter().find_map(persistence::find);
    if facts.obeyed.is_none() || found.is_some_and(|row| row.kind != PersistenceKind::Project) {
        return found;
    }
    ways.iter().find_map(|located| persistence::told(located, facts)).or(found)
}

/// What would start by itself later if a target were written.
#[must_use]
pub fn persistence_of(target: &Target, facts: &Facts) -> Option<&'static Persistence> {
    answers(target, facts).persistence
}

/// The file of a coding agent that a path names.
#[must_use]
pub fn agent_file(path: &str, facts: &Facts) -> Option<&'static AgentFile> {
    along(path, facts, agents::find)
}

/// The file of a coding agent that a target names.
#[must_use]
pub fn agent_file_of(target: &Target, facts: &Facts) -> Option<&'static AgentFile> {
    answers(target, facts).agent_file
}

/// Whether a path is around something that belongs to the gate, so that deleting it recursively takes that along.
#[must_use]
pub fn contains_gate(path: &str, facts: &Facts) -> bool {
    if facts.guarded.is_empty() {
        return false;
    }
    let contains = |path: &str| {
        let Some(located) = Located::new(path, facts) else { return false };
        facts.guarded.iter().any(|guarded| located.contains(guarded, facts))
    };
    contains(path) || through_links(path, facts).is_some_and(|path| contains(&path))
}

/// Whether a target is one of the files that hold a hook of the gate.
#[must_use]
pub fn is_hooked(target: &Target, facts: &Facts) -> bool {
    if facts.hooked.is_empty() {
        return false;
    }
    let Some(path) = guess(target, facts) else { return false };
    let short = without_any(&path);
    Ways::new(&path, short.as_deref(), facts)
        .iter()
        .any(|located| facts.hooked.iter().any(|hooked| located.overlaps(hooked, facts)))
}

/// Whether a path is around a file that holds a hook of the gate.
#[must_use]
pub fn contains_hook(path: &str, facts: &Facts) -> bool {
    let Some(located) = Located::new(path, facts) else { return false };
    facts.hooked.iter().any(|hooked| located.contains(hooked, facts))
}

/// The path of a target, or, where its beginning is not known, the rest of it as it would lie somewhere: enough to
/// know `${X}/.ssh/id_rsa` for what it is.
fn guess<'t>(target: &'t Target, facts: &Facts) -> Option<Cow<'t, str>> {
    if let Some(path) = &target.path {
        return Some(Cow::Borrowed(path));
    }
    let mut pieces = target.text.pieces.iter();
    let (base, rest) = match pieces.next()? {
        Piece::Unknown(origin) if &**origin == "HOME" => {
            (facts.home.as_deref().unwrap_or("/home/user"), written(pieces))
        }
        Piece::Unknown(_) => ("/unknown", written(pieces)),
        Piece::Known(_) | Piece::Glob(_) => ("/unknown", written(target.text.pieces.iter())),
    };
    let rest =
        rest.strip_prefix("~/").map_or_else(|| rest.clone(), |below| format!("/home/user/{below}"));
    Some(Cow::Owned(if rest.starts_with("/home/user/") { rest } else { format!("{base}/{rest}") }))
}

fn written<'a>(pieces: impl Iterator<Item = &'a Piece>) -> String {
    pieces.fold(String::new(), |mut whole, piece| {
        match piece {
            Piece::Known(text) | Piece::Glob(text) => whole.push_str(text),
            Piece::Unknown(_) => whole.push_str("**"),
        }
        whole
    })
}

fn half_known(text: &Text, facts: &Facts) -> Place {
    let mut pieces = text.pieces.iter();
    let Some(first) = pieces.next() else { return Place::Unknown };
    let (origin, rest) = match first {
        Piece::Unknown(origin) => (&**origin, written(pieces)),
        // Relative, with no directory known: it lies where the agent works.
        Piece::Known(_) | Piece::Glob(_) => {
            let relative = written(text.pieces.iter());
            if relative.starts_with(['/', '~']) || relative.split('/').any(|part| part == "..") {
                return Place::Unknown;
            }
            let assumed = Facts { workspace: Some("/workspace".to_owned()), ..facts.clone() };
            return place(&format!("/workspace/{relative}"), &assumed);
        }
    };
    if ground::is_of_gate(rest.split('/')) {
        return Place::Gate;
    }
    if rest.split('/').any(|part| part == "..") {
        return Place::Unknown;
    }
    match origin {
        // Where it is not set, what stands behind it begins at the root.
        "TMPDIR" | "TEMP" | "TMP" | "RUNNER_TEMP" if is_home_or_root(&rest, facts) => {
            Place::Unknown
        }
        "TMPDIR" | "TEMP" | "TMP" | "RUNNER_TEMP" => Place::Temporary,
        "HOME" | "USERPROFILE" => {
            place(&format!("{}/{rest}", facts.home.as_deref().unwrap_or("/home/user")), facts)
        }
        _ if ground::is_artifact(&rest) => Place::Artifact,
        _ => Place::Unknown,
    }
}

/// `/`, `/*`, `/home/dev/…`: nobody has those names within a directory for what passes.
fn is_home_or_root(rest: &str, facts: &Facts) -> bool {
    let bare = rest.trim_matches('/');
    let home = facts.home.as_deref().unwrap_or("/home/user").trim_matches('/');
    let is_root = rest.starts_with('/') && matches!(bare, "" | "*" | "home" | "root" | "etc");
    is_root
        || !home.is_empty()
            && bare
                .strip_prefix(home)
                .is_some_and(|below| matches!(below.bytes().next(), None | Some(b'/')))
}

fn worst(path: &str, facts: &Facts, ask: impl Fn(&Located<'_>) -> Place) -> Option<Place> {
    let own = Located::new(path, facts).map(|located| ask(&located));
    let linked = facts
        .paths
        .get(path)
        .and_then(|fact| fact.leads_to.as_deref())
        .and_then(|target| Located::new(target, facts))
        .map(|located| ask(&located));
    own.max(linked)
}

fn along<T>(
    path: &str,
    facts: &Facts,
    find: impl Fn(&Located<'_>) -> Option<&'static T>,
) -> Option<&'static T> {
    let short = without_any(path);
    Ways::new(path, short.as_deref(), facts).iter().find_map(find)
}

/// Everything that a path may stand for.
#[derive(Default)]
struct Ways<'p> {
    /// Without the `**` that stands for any directories between: also none.
    short: Option<Located<'p>>,
    written: Option<Located<'p>>,
    /// Where a link leads.
    linked: Option<Located<'p>>,
}

impl<'p> Ways<'p> {
    fn new(path: &'p str, short: Option<&'p str>, facts: &'p Facts) -> Self {
        let linked = facts.paths.get(path).and_then(|fact| fact.leads_to.as_deref());
        Self {
            short: short.and_then(|path| Located::new(path, facts)),
            written: Located::new(path, facts),
            linked: linked.and_then(|path| Located::new(path, facts)),
        }
    }

    /// The most telling first.
    fn iter(&self) -> impl Iterator<Item = &Located<'p>> {
        self.short.iter().chain(&self.written).chain(&self.linked)
    }
}

/// A path whose `/**/` is taken for no directory at all.
fn without_any(path: &str) -> Option<String> {
    path.contains("/**/").then(|| path.replace("/**/", "/"))
}

#[cfg(test)]
mod tests;
