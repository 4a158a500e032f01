//! Archives that are unpacked. Owns which entries may come out of one: none outside of where it is unpacked, no devices, no more
//! than there is room for. Reading the list of entries is for whoever has the file.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::{PathRules, Refused, is_device, unseen};
use crate::{
    facts::Facts,
    place::{self, PersistenceKind},
};

const KIND: &str = "archive";

/// A home that an archive may be unpacked in: what is obeyed there is obeyed by its name.
const SOME_HOME: &str = "/home/user";

/// What an archive may be and hold.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ArchiveRules {
    /// Where the archive lies.
    pub path: PathRules,
    /// The most entries.
    pub entries: usize,
    /// The most bytes of all of them, unpacked.
    pub bytes: u64,
    /// How many times as long it may become.
    pub ratio: u64,
    /// Whether it may hold links, which stay within it.
    pub links: bool,
    /// How many archives deep within it are looked into; one that lies deeper is refused.
    pub depth: usize,
    /// Whether it may hold what other programs obey: start-up files, hooks and settings of version control, settings of agents.
    pub sensitive: bool,
}

impl Default for ArchiveRules {
    fn default() -> Self {
        Self {
            path: PathRules::default(),
            entries: 10_000,
            bytes: 256 << 20,
            ratio: 200,
            links: false,
            depth: 2,
            sensitive: false,
        }
    }
}

/// What an entry is.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A file with content.
    File,
    /// A directory.
    Directory,
    /// A symbolic link to this, from where it lies.
    Link(String),
    /// A further name of this, from where the archive is unpacked.
    HardLink(String),
    /// A device, a pipe, anything else.
    Other,
}

/// One entry of an archive, as its list says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ArchiveEntry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Its bytes, unpacked.
    pub bytes: u64,
}

impl ArchiveRules {
    /// Holds the list of an archive of so many bytes to the rules. The entries are read until one is refused.
    ///
    /// # Errors
    /// [`Refused`] for the first entry that may not come out.
    pub fn check_entries(
        &self,
        packed: u64,
        entries: impl IntoIterator<Item = ArchiveEntry>,
    ) -> Result<(), Refused> {
        let (mut count, mut bytes) = (0_usize, 0_u64);
        let (mut links, mut names) = (HashSet::new(), Vec::new());
        for entry in entries {
            count += 1;
            bytes = bytes.saturating_add(entry.bytes);
            let refuse = |message: &str| Err(Refused::new(KIND, message));
            if count > self.entries {
                return refuse("the archive has too many entries");
            }
            if bytes > self.bytes {
                return refuse("the archive is too large unpacked");
            }
            if bytes / packed.max(1) > self.ratio && bytes > 1 << 20 {
                return refuse("the archive grows too much when it is unpacked");
            }
            if let Some(problem) = self.problem(&entry) {
                let name: String = entry.name.chars().take(80).collect();
                return refuse(&format!("the entry `{}` {problem}", name.escape_debug()));
            }
            let is_link = matches!(entry.kind, EntryKind::Link(_));
            links.extend((is_link && self.links).then(|| ways(&entry.name).pop()).flatten());
            names.push((entry.name, Is::of(&entry.kind)));
        }
        self.apart(&links, &names)
    }

    /// That every name is there once, and none lies behind a file or a link: what comes of such an archive depends on who unpacks it, and
    /// in which order.
    fn apart(&self, links: &HashSet<String>, names: &[(String, Is)]) -> Result<(), Refused> {
        let refuse = |name: &str, problem: &str| {
            let name: String = name.chars().take(80).collect();
            Err(Refused::new(KIND, format!("the entry `{}` {problem}", name.escape_debug())))
        };
        let mut seen: HashMap<String, Is> = HashMap::new();
        for (name, is) in names {
            let mut ways = ways(name);
            // Whoever opens it by its name comes to where the link leads.
            let Some(own) = ways.pop() else { continue };
            let is_behind = links.contains(&own) && *is != Is::Link;
            if is_behind || ways.iter().any(|way| links.contains(way)) {
                return refuse(name, "lies behind a link");
            }
            match seen.insert(own, *is) {
                Some(Is::Link) if *is == Is::Link => return refuse(name, "lies behind a link"),
                Some(before) if before != Is::Directory || *is != Is::Directory => {
                    return refuse(name, "is there twice");
                }
                _ => {}
            }
        }
        for (name, _) in names {
            let mut ways = ways(name);
            ways.pop();
            if ways.iter().any(|way| matches!(seen.get(way), Some(Is::File))) {
                return refuse(name, "lies in what is a file");
            }
        }
        Ok(())
    }

    /// Holds what is in archives within one of so many bytes to how much it may grow.
    ///
    /// # Errors
    /// [`Refused`], where that is too much.
    pub fn check_growth(&self, packed: u64, deeper: u64) -> Result<(), Refused> {
        if deeper / packed.max(1) > self.ratio && deeper > 1 << 20 {
            return Err(Refused::new(KIND, "the archive grows too much when it is unpacked"));
        }
        Ok(())
    }

    /// Whether an entry of this name would be unpacked elsewhere.
    #[must_use]
    pub fn leaves(&self, name: &str) -> bool {
        leaves(name, 0)
    }

    fn problem(&self, entry: &ArchiveEntry) -> Option<&'static str> {
        if unseen(&entry.name).is_some() {
            return Some("has characters that cannot be seen");
        }
        if leaves(&entry.name, 0) {
            return Some("would be unpacked elsewhere");
        }
        if parts(&entry.name).any(is_device) {
            return Some("is a device to other systems");
        }
        if parts(&entry.name).any(is_short_form) {
            return Some("has a name that other systems take for the short form of another");
        }
        if !self.sensitive && is_obeyed(&entry.name) {
            return Some("is obeyed by other programs");
        }
        match &entry.kind {
            EntryKind::File | EntryKind::Directory => None,
            EntryKind::Link(_) | EntryKind::HardLink(_) if !self.links => Some("is a link"),
            EntryKind::Link(to) => {
                let depth = ways(&entry.name).pop().map_or(0, |own| own.split('/').count());
                // Behind a name `..` leads back from where that leads, if it is a link.
                let back = parts(to).skip_while(|part| *part == "..").any(|part| part == "..");
                let elsewhere = back || leaves(to, depth.saturating_sub(1));
                elsewhere.then_some("is a link that leads elsewhere")
            }
            EntryKind::HardLink(to) => {
                let elsewhere = parts(to).any(|part| part == "..") || leaves(to, 0);
                elsewhere.then_some("is a link that leads elsewhere")
            }
            EntryKind::Other => Some("is neither a file nor a directory"),
        }
    }
}

/// The components of a path that lead somewhere.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."))
}

/// What counts of an entry's kind when names meet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Is {
    File,
    Directory,
    Link,
}

impl Is {
    fn of(kind: &EntryKind) -> Self {
        match kind {
            EntryKind::Directory => Self::Directory,
            EntryKind::Link(_) => Self::Link,
            EntryKind::File | EntryKind::HardLink(_) | EntryKind::Other => Self::File,
        }
    }
}

/// A name as other systems read it: without blanks and dots at its end, and without the stream of a file that is named behind a colon.
fn plain(name: &str) -> &str {
    name.split(':').next().unwrap_or_default().trim_end_matches([' ', '.'])
}

/// Whether a name is of the form in which other systems abbreviate those that are too long or begin with a dot: `GIT~1` for `.git`.
fn is_short_form(name: &str) -> bool {
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let Some((_, number)) = stem.rsplit_once('~') else { return false };
    stem.len() <= 8
        && ending.len() <= 3
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether other programs obey what is unpacked by a name, in a project or in a home. What is an ordinary part of projects is not meant.
fn is_obeyed(name: &str) -> bool {
    let facts = Facts { home: Some(SOME_HOME.to_owned()), ..Facts::default() };
    let names: Vec<&str> = parts(name).map(plain).collect();
    let path = format!("{SOME_HOME}/{}", names.join("/"));
    // Some file systems do not tell capital letters apart.
    let small = path.to_lowercase();
    names.iter().any(|name| name.eq_ignore_ascii_case(".git"))
        || [path, small].iter().any(|path| {
            place::persistence(path, &facts)
                .is_some_and(|found| found.kind != PersistenceKind::Project)
                || place::agent_file(path, &facts).is_some_and(place::AgentFile::is_guarding)
        })
}

/// Every place that a path leads through, the last one itself; as file systems compare names that are less strict than ours.
fn ways(path: &str) -> Vec<String> {
    let mut at: Vec<String> = Vec::new();
    let mut ways = Vec::new();
    for part in parts(path) {
        if part == ".." {
            at.pop();
        } else {
            at.push(plain(part).to_lowercase());
        }
        ways.push(at.join("/"));
    }
    ways
}

/// Whether a path leads out of where it starts, so many directories deep.
fn leaves(path: &str, depth: usize) -> bool {
    let drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if path.starts_with(['/', '\\', '~']) || drive || path.is_empty() {
        return true;
    }
    let mut depth = depth;
    for component in parts(path) {
        if component == ".." {
            let Some(above) = depth.checked_sub(1) else { return true };
            depth = above;
        } else {
            depth += 1;
        }
    }
    false
}
