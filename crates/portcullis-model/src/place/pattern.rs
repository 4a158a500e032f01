//! Patterns of paths: matched component by component. Owns the matcher and the way from a path as written to the form
//! that patterns are matched against; it knows no particular path.
//!
//! A pattern begins with `/` (from the root), `~/` (in any user's home), `./` (in the workspace), `?:/` (on a Windows
//! drive) or `**/` (anywhere). In a component `*`, `?` and `[…]` mean what they mean to a shell, `a|b` means either, and a
//! component `**` at the end means everything below, and the directory itself.

use std::{borrow::Cow, cell::OnceCell, collections::BTreeMap};

use super::{letters::Letters, system};
use crate::{facts::Facts, hash, session::SessionState, split::split, standing::AgentFile};

/// Names longer than this exist on no file system that we know (`NAME_MAX` is 255 bytes), so they match no pattern.
const NAME_BYTES: usize = 255;

/// A path ready to be matched.
#[derive(Clone, Debug)]
pub(super) struct Located<'p> {
    components: Vec<Cow<'p, str>>,
    /// What the index finds each component by.
    hashes: Vec<u32>,
    /// How many components the home directory around it has, and whether it is the user's own.
    pub(super) home: Option<(usize, bool)>,
    /// How many components the workspace around it has.
    pub(super) workspace: Option<usize>,
    fold: bool,
    literal: bool,
    letters: Letters,
    end: Letters,
    /// The file of a coding agent that it is, once that was asked.
    pub(super) agent_file: OnceCell<Option<&'static AgentFile>>,
}

impl<'p> Located<'p> {
    /// Reads an absolute path. `None` where it is empty.
    pub(super) fn new(path: &'p str, facts: &'p Facts) -> Option<Self> {
        if path.is_empty() {
            return None;
        }
        let components = components_of(path, facts);
        let fold = is_drive(components.first())
            || facts.home.as_deref().is_some_and(|home| home.starts_with("/Users/"))
            || components.first().is_some_and(|first| MACOS.contains(&first.as_ref()));
        let literal = !fold && !has_glob(path);
        let hashes = components.iter().map(|part| hash::whole(part)).collect();
        let letters = components
            .iter()
            .fold(Letters::NONE, |letters, part| letters.with(part.bytes().next(), fold));
        let last =
            components.last().and_then(|last| last.bytes().last()).filter(|byte| *byte != b']');
        let end = Letters::NONE.with(last, fold);
        let mut located = Self {
            components,
            hashes,
            home: None,
            workspace: None,
            fold,
            literal,
            letters,
            end,
            agent_file: OnceCell::new(),
        };
        let home = facts.home.as_deref().map(|home| components_of(home, facts));
        located.home = located.find_home(home.as_deref());
        located.workspace = located.find_workspace(home.as_deref(), facts);
        Some(located)
    }

    /// The same from this component on, wherever that lies.
    pub(super) fn from(&self, start: usize) -> Self {
        let components = self.components.get(start..).unwrap_or_default().to_vec();
        let hashes = self.hashes.get(start..).unwrap_or_default().to_vec();
        let letters = components
            .iter()
            .fold(Letters::NONE, |letters, part| letters.with(part.bytes().next(), self.fold));
        Self {
            components,
            hashes,
            home: None,
            workspace: None,
            fold: self.fold,
            literal: self.literal,
            letters,
            end: self.end,
            agent_file: OnceCell::new(),
        }
    }

    /// Whether each component is a name as it stands: no glob, and letters count as written.
    pub(super) fn is_literal(&self) -> bool {
        self.literal
    }

    /// The hashes of its components.
    pub(super) fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// The letters that its components begin with.
    pub(super) fn letters(&self) -> Letters {
        self.letters
    }

    /// The letter that it ends with.
    pub(super) fn end(&self) -> Letters {
        self.end
    }

    /// Every component from the root.
    pub(super) fn all(&self) -> &[Cow<'p, str>] {
        &self.components
    }

    /// What lies below the home directory.
    pub(super) fn below_home(&self) -> Option<&[Cow<'p, str>]> {
        self.home.and_then(|(length, _)| self.components.get(length..))
    }

    /// What lies below the workspace.
    pub(super) fn below_workspace(&self) -> Option<&[Cow<'p, str>]> {
        self.workspace.and_then(|length| self.components.get(length..))
    }

    /// Whether the path may name something that `pattern` means: a glob in the path stands for the names it would match,
    /// as long as it says something about them.
    pub(super) fn may_match(&self, pattern: &str) -> bool {
        self.matched(&self.components, pattern, true)
    }

    /// As [`Located::may_match`], for the directory that a glob at the end takes everything of.
    pub(super) fn whole_may_match(&self, pattern: &str) -> bool {
        let whole = match self.components.as_slice() {
            [whole @ .., last] if is_bare(last) => whole,
            all => all,
        };
        self.matched(whole, pattern, true)
    }

    /// Whether everything that the path may name is meant by `pattern`.
    pub(super) fn surely_matches(&self, pattern: &str) -> bool {
        self.matched(&self.components, pattern, false)
    }

    /// Whether this path is `path` or lies below it.
    pub(super) fn overlaps(&self, path: &str, facts: &Facts) -> bool {
        let other = components_of(path, facts);
        let common = other.len().min(self.components.len());
        common > 0
            && other.len() <= self.components.len()
            && other
                .iter()
                .zip(&self.components)
                .all(|(mine, theirs)| component(mine, theirs, true, self.fold))
    }

    /// Whether `path` lies below this one.
    pub(super) fn contains(&self, path: &str, facts: &Facts) -> bool {
        let other = components_of(path, facts);
        let mut own = self.components.as_slice();
        if own.last().is_some_and(|last| is_bare(last)) {
            own = own.get(..own.len().saturating_sub(1)).unwrap_or_default();
        }
        own.len() < other.len()
            && own.iter().zip(&other).all(|(mine, theirs)| component(theirs, mine, true, self.fold))
    }

    fn matched(&self, all: &[Cow<'_, str>], pattern: &str, loose: bool) -> bool {
        if let Some(rest) = pattern.strip_prefix("**/") {
            let mut tail = all;
            if !rest.ends_with("**") {
                // Every component is matched by one of the pattern, so it can begin in one place only.
                let wanted = rest.bytes().filter(|byte| *byte == b'/').count() + 1;
                let Some(start) = tail.len().checked_sub(wanted) else { return false };
                tail = tail.get(start..).unwrap_or_default();
                let Some(first) = tail.first() else { return false };
                let loose = loose && tail.iter().all(|part| says_enough(part));
                return may_begin(rest, first, self.fold)
                    && components(rest, tail, loose, self.fold);
            }
            // Anywhere is many places: a glob must say enough of a name there (`.env*`, not `*.json`), up to the end.
            let vague = all.iter().rposition(|part| !says_enough(part));
            let saying = vague.map_or(all.len(), |last| all.len() - last - 1);
            loop {
                let Some((first, after)) = tail.split_first() else { return false };
                if may_begin(rest, first, self.fold)
                    && components(rest, tail, loose && tail.len() <= saying, self.fold)
                {
                    return true;
                }
                tail = after;
            }
        }
        let (rest, below) = if let Some(rest) = pattern.strip_prefix("~/") {
            (rest, self.home.and_then(|(length, _)| all.get(length..)))
        } else if let Some(rest) = pattern.strip_prefix("./") {
            (rest, self.workspace.and_then(|length| all.get(length..)))
        } else {
            (pattern.strip_prefix('/').unwrap_or(pattern), Some(all))
        };
        below.is_some_and(|below| {
            below.first().is_none_or(|first| may_begin(rest, first, self.fold))
                && components(rest, below, loose, self.fold)
        })
    }

    fn find_home(&self, home: Option<&[Cow<'_, str>]>) -> Option<(usize, bool)> {
        if let Some(home) = home
            && !home.is_empty()
            && starts_with(&self.components, home, self.fold)
        {
            return Some((home.len(), true));
        }
        let own = home.is_none();
        let name = |index: usize| self.components.get(index).map(AsRef::as_ref);
        match (name(0), name(1), name(2)) {
            (Some("root"), ..) => Some((1, own)),
            (Some("home" | "Users"), Some("Shared"), _) => None,
            // A pattern of names stands for the user's own as well.
            (Some("home" | "Users"), Some(user), Some(_)) if user.contains('*') => Some((2, true)),
            (Some("home" | "Users"), Some(user), _) if !is_bare(user) => Some((2, own)),
            (Some("var"), Some("root"), _) => Some((2, own)),
            (Some("export" | "var"), Some("home"), Some(user)) if !is_bare(user) => Some((3, own)),
            (Some(_), Some(users), Some(user))
                if is_drive(self.components.first())
                    && users.eq_ignore_ascii_case("users")
                    && !is_bare(user)
                    && !user.eq_ignore_ascii_case("public") =>
            {
                Some((3, own))
            }
            _ => None,
        }
    }

    fn find_workspace(&self, home: Option<&[Cow<'_, str>]>, facts: &Facts) -> Option<usize> {
        let workspace = components_of(facts.workspace.as_deref().or(facts.cwd.as_deref())?, facts);
        // A "workspace" that is the root, a system directory or a whole home would make everything in it ordinary.
        if workspace.is_empty()
            || home.is_some_and(|home| starts_with(home, &workspace, self.fold))
            || workspace.first().is_some_and(|first| {
                system::SYSTEM_TOPS.contains(&first.as_ref())
                    && (workspace.len() == 1 || system::SYSTEM.contains(&first.as_ref()))
            })
        {
            return None;
        }
        let below = starts_with(&self.components, &workspace, self.fold);
        let foreign = self.components.get(workspace.len()).is_some_and(|next| is_other_home(next));
        (below && !foreign).then_some(workspace.len())
    }
}

/// Names at the root of a macOS disk, which tells no upper case from lower case.
const MACOS: &[&str] = &["Users", "Library", "System", "Applications", "Volumes"];

/// Whether a component is a glob that takes everything. Not `**`, which stands for a name that is not known.
pub(super) fn is_bare(name: &str) -> bool {
    matches!(name, "*" | ".*" | "*.*" | "?*" | ".[!.]*" | ".??*" | "***")
}

/// Whether a shell replaces the text by the names that it matches.
fn has_glob(text: &str) -> bool {
    text.bytes().any(is_glob)
}

const fn is_glob(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[')
}

fn says_enough(part: &str) -> bool {
    let Some(start) = part.bytes().position(is_glob) else { return true };
    let literal = part.bytes().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let enough = if part.starts_with('.') || part.starts_with("id_") { 3 } else { 4 };
    start >= enough || (start >= 1 && !part.contains('*') && literal >= 3)
}

/// `~someone`: the home of another user, whom the shell looks up.
pub(super) fn is_other_home(name: &str) -> bool {
    name.strip_prefix('~').is_some_and(|user| {
        user.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
            && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    })
}

pub(super) fn is_drive(name: Option<&Cow<'_, str>>) -> bool {
    name.is_some_and(|name| {
        let mut bytes = name.bytes();
        bytes.next().is_some_and(|letter| letter.is_ascii_alphabetic())
            && bytes.next() == Some(b':')
            && bytes.next().is_none()
    })
}

fn starts_with(path: &[Cow<'_, str>], prefix: &[Cow<'_, str>], fold: bool) -> bool {
    path.len() >= prefix.len()
        && path
            .iter()
            .zip(prefix)
            .all(|(left, right)| left == right || (fold && left.eq_ignore_ascii_case(right)))
}

/// The components of a path with the many names of one place made one: Windows separators and variables, drives as WSL
/// and Cygwin mount them, macOS' `/private`, `/proc/self/root` and the usual mount points of a host in a container.
pub(super) fn components_of<'p>(path: &'p str, facts: &'p Facts) -> Vec<Cow<'p, str>> {
    let shown = visible(path);
    let windows = shown.contains('\\') && (shown.contains(':') || shown.contains('%'));
    let unified = if windows { Cow::Owned(shown.replace('\\', "/")) } else { shown };
    let parts = match &unified {
        Cow::Borrowed(path) => resolved(path, facts),
        Cow::Owned(path) => {
            resolved(path, facts).into_iter().map(|part| Cow::Owned(part.into_owned())).collect()
        }
    };
    remount(parts, facts)
}

/// The components of a path without `.` and `..`, and with Windows' variables and drives as they stand for themselves.
fn resolved<'p>(path: &'p str, facts: &'p Facts) -> Vec<Cow<'p, str>> {
    let mut parts: Vec<Cow<'p, str>> = Vec::with_capacity(COMPONENTS);
    for part in split(path, b'/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            variable if variable.starts_with('%') && variable.len() > 2 => {
                if let Some((_, value)) =
                    VARIABLES.iter().find(|(name, _)| name.eq_ignore_ascii_case(variable))
                {
                    let (base, rest) = value.strip_prefix('~').map_or(("", *value), |rest| {
                        (facts.home.as_deref().unwrap_or("C:/Users/user"), rest)
                    });
                    // A home of Windows as that says it.
                    parts = base
                        .split(['/', '\\'])
                        .chain(split(rest, b'/'))
                        .filter(|part| !part.is_empty())
                        .map(Cow::Borrowed)
                        .collect();
                } else {
                    parts.push(Cow::Borrowed(variable));
                }
            }
            drive if is_drive_start(drive) => {
                let (letter, rest) = drive.split_at_checked(2).unwrap_or((drive, ""));
                parts = vec![Cow::Owned(letter.to_ascii_uppercase())];
                if !rest.is_empty() {
                    parts.push(Cow::Borrowed(rest));
                }
            }
            other => parts.push(Cow::Borrowed(other)),
        }
    }
    parts
}

/// For a path that was observed, and means no more than it says.
static NOTHING_KNOWN: Facts = Facts {
    cwd: None,
    home: None,
    workspace: None,
    temporary: None,
    guarded: Vec::new(),
    hooked: Vec::new(),
    hosts: Vec::new(),
    contents: BTreeMap::new(),
    obeyed: None,
    session: SessionState::NOTHING,
    paths: BTreeMap::new(),
    uncommitted: BTreeMap::new(),
    work_trees: BTreeMap::new(),
    tool: crate::facts::ToolFacts { contract: None, is_trusted: false },
};

/// How many components most paths stay below.
const COMPONENTS: usize = 8;

/// The text without characters that nobody sees: a name that looks like another is judged as that one.
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |letter: char| matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}' | '\u{e0000}'..='\u{e0fff}');
    if text.is_ascii() || !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|letter| !hidden(*letter)).collect())
}

/// `C:` and, as a shell leaves it that took the backslashes away, `C:Users`.
fn is_drive_start(part: &str) -> bool {
    let mut bytes = part.bytes();
    bytes.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && bytes.next() == Some(b':')
        && bytes.next().is_none_or(|third| third.is_ascii_uppercase() || third == b'*')
}

fn remount<'p>(mut parts: Vec<Cow<'p, str>>, facts: &'p Facts) -> Vec<Cow<'p, str>> {
    // Each round takes components away, so this ends.
    loop {
        let name = |index: usize| parts.get(index).map_or("", AsRef::as_ref);
        let taken = match (name(0), name(1), name(2)) {
            ("private", "etc" | "var" | "tmp", _) => 1,
            (
                "host" | "hostfs" | "rootfs" | "host-root" | "hostroot" | "host_root" | "mnt-host",
                ..,
            ) => 1,
            ("mnt", "host" | "hostfs" | "rootfs", _) => 2,
            ("proc", _, "root") => 3,
            ("proc", "self", "cwd") => {
                let rest = parts.split_off(3);
                parts = match facts.cwd.as_deref() {
                    Some(cwd) => components_of(cwd, &NOTHING_KNOWN),
                    None => Vec::new(),
                };
                parts.extend(rest);
                return parts;
            }
            ("mnt" | "cygdrive", letter, _)
                if letter.len() == 1 && letter.is_ascii() && !is_bare(letter) =>
            {
                let drive = format!("{}:", letter.to_ascii_uppercase());
                parts.drain(..2);
                parts.insert(0, Cow::Owned(drive));
                return parts;
            }
            ("var", "run", _) => {
                parts.remove(0);
                return parts;
            }
            _ => return parts,
        };
        parts.drain(..taken);
    }
}

/// What Windows' own variables stand for; `~` is the home.
const VARIABLES: &[(&str, &str)] = &[
    ("%APPDATA%", "~/AppData/Roaming"),
    ("%HOMEPATH%", "~"),
    ("%LOCALAPPDATA%", "~/AppData/Local"),
    ("%PROGRAMDATA%", "C:/ProgramData"),
    ("%PROGRAMFILES%", "C:/Program Files"),
    ("%SYSTEMDRIVE%", "C:"),
    ("%SYSTEMROOT%", "C:/Windows"),
    ("%TEMP%", "~/AppData/Local/Temp"),
    ("%TMP%", "~/AppData/Local/Temp"),
    ("%USERPROFILE%", "~"),
    ("%WINDIR%", "C:/Windows"),
];

fn components(pattern: &str, path: &[Cow<'_, str>], loose: bool, fold: bool) -> bool {
    let mut rest = path.iter();
    let mut names = split(pattern, b'/').peekable();
    while let Some(name) = names.next() {
        if name == "**" {
            return names.peek().is_none();
        }
        let Some(part) = rest.next() else { return false };
        let last = rest.as_slice().is_empty();
        if !component(name, part, loose, fold)
            || (loose && last && (is_bare(part) || part == "**") && !is_bare(name))
        {
            return false;
        }
    }
    rest.next().is_none()
}

/// Whether one component of a path may be what one component of a pattern means.
fn component(pattern: &str, part: &str, loose: bool, fold: bool) -> bool {
    if part.len() > NAME_BYTES {
        return false;
    }
    let vague = loose && part != "**" && has_glob(part);
    split(pattern, b'|').any(|alternative| {
        same_start(alternative.as_bytes(), part.as_bytes(), fold)
            && (glob(alternative, part, fold)
                || (vague
                    && !has_glob(alternative)
                    // A shell's pattern matches a leading dot only where it has one itself.
                    && (!alternative.starts_with('.') || part.starts_with(['.', '[']))
                    && glob(part, alternative, fold)))
    })
}

/// Whether a component may be the first one of a pattern, seen from its first letter: nearly all are not, and this is
/// asked for every pattern of every path.
fn may_begin(pattern: &str, part: &str, fold: bool) -> bool {
    let part = part.as_bytes();
    let mut rest = pattern.as_bytes();
    loop {
        if same_start(rest, part, fold) {
            return true;
        }
        match rest.iter().position(|byte| matches!(byte, b'|' | b'/')) {
            Some(at) if rest.get(at) == Some(&b'|') => {
                rest = rest.get(at + 1..).unwrap_or_default()
            }
            _ => return false,
        }
    }
}

fn same_start(pattern: &[u8], part: &[u8], fold: bool) -> bool {
    match (pattern.first(), part.first()) {
        (Some(b'*' | b'?' | b'['), _) | (_, Some(b'*' | b'?' | b'[')) => true,
        (Some(left), Some(right)) => left == right || (fold && left.eq_ignore_ascii_case(right)),
        _ => pattern.is_empty() == part.is_empty(),
    }
}

/// Whether a name may end as a pattern does, seen from the last letter: nearly all do not.
fn same_end(pattern: &[u8], name: &[u8], fold: bool) -> bool {
    match (pattern.last(), name.last()) {
        (Some(b'*' | b'?' | b']') | None, _) => true,
        (Some(left), Some(right)) => left == right || (fold && left.eq_ignore_ascii_case(right)),
        (Some(_), None) => false,
    }
}

/// Whether `name` is one that `pattern` means. Bounded by the product of two short names.
pub fn glob(pattern: &str, name: &str, fold: bool) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    if !same_end(pattern, name, fold) {
        return false;
    }
    let (mut at, mut here) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match (pattern.get(at), name.get(here)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                retry = Some((at + 1, here));
                at += 1;
                continue;
            }
            (Some(b'?'), Some(_)) => Some(1),
            (Some(b'['), Some(byte)) => class(pattern.get(at..).unwrap_or_default(), *byte),
            (Some(wanted), Some(byte)) => {
                (wanted == byte || (fold && wanted.eq_ignore_ascii_case(byte))).then_some(1)
            }
            _ => None,
        };
        if let Some(width) = step {
            at += width;
            here += 1;
            continue;
        }
        match retry {
            Some((after, from)) if from < name.len() => {
                retry = Some((after, from + 1));
                at = after;
                here = from + 1;
            }
            _ => return false,
        }
    }
}

/// The width of a `[…]` class that `byte` is in; a `[` that no `]` closes is itself.
fn class(pattern: &[u8], byte: u8) -> Option<usize> {
    let close = pattern.iter().skip(2).position(|&byte| byte == b']').map(|at| at + 2);
    let Some(close) = close else { return (byte == b'[').then_some(1) };
    let inner = pattern.get(1..close).unwrap_or_default();
    let (negated, inner) = match inner.split_first() {
        Some((b'!' | b'^', rest)) => (true, rest),
        _ => (false, inner),
    };
    let mut inside = false;
    let mut at = 0;
    while let Some(&low) = inner.get(at) {
        if let (Some(b'-'), Some(&high)) = (inner.get(at + 1), inner.get(at + 2)) {
            inside |= (low..=high).contains(&byte);
            at += 3;
        } else {
            inside |= low == byte;
            at += 1;
        }
    }
    (inside != negated).then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*.pem", "key.pem", true),
            ("*.pem", "key.pem.txt", false),
            ("id_?sa", "id_rsa", true),
            ("id_[rd]sa", "id_dsa", true),
            ("id_[!r]sa", "id_rsa", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbY", false),
            ("[", "[", true),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(glob(pattern, name, false), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn hostile_names_cost_little() {
        let stars = "*a".repeat(NAME_BYTES / 2);
        assert!(!component(".ssh", &stars, true, false));
        assert!(!component("*.pem", &format!("{}.pem", "x".repeat(1 << 16)), true, false));
    }
}
