//! Archives that are unpacked. Owns which entries may come out of one: none outside of where it is unpacked, no devices, no more
//! than there is room for. Reading the list of entries is for whoever has the file.

use std::collections::HashSet;

use serde::Deserialize;

use super::{PathRules, Refused, unseen};

const KIND: &str = "archive";

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
}

impl Default for ArchiveRules {
    fn default() -> Self {
        Self {
            path: PathRules::default(),
            entries: 10_000,
            bytes: 256 << 20,
            ratio: 200,
            links: false,
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
            if self.links {
                let is_link = matches!(entry.kind, EntryKind::Link(_));
                links.extend(is_link.then(|| ways(&entry.name).pop()).flatten());
                names.push((entry.name, is_link));
            }
        }
        let mut seen = HashSet::new();
        for (name, is_link) in names {
            let mut ways = ways(&name);
            // Whoever opens it by its name comes to where the link leads.
            let own = ways.pop().filter(|own| links.contains(own));
            let is_twice = own.is_some_and(|own| !is_link || !seen.insert(own));
            if is_twice || ways.iter().any(|way| links.contains(way)) {
                let name: String = name.chars().take(80).collect();
                let message = format!("the entry `{}` lies behind a link", name.escape_debug());
                return Err(Refused::new(KIND, message));
            }
        }
        Ok(())
    }

    fn problem(&self, entry: &ArchiveEntry) -> Option<&'static str> {
        if unseen(&entry.name).is_some() {
            return Some("has characters that cannot be seen");
        }
        if leaves(&entry.name, 0) {
            return Some("would be unpacked elsewhere");
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

/// Every place that a path leads through, the last one itself; without regard to case, as some file systems compare names.
fn ways(path: &str) -> Vec<String> {
    let mut at: Vec<String> = Vec::new();
    let mut ways = Vec::new();
    for part in parts(path) {
        if part == ".." {
            at.pop();
        } else {
            at.push(part.to_lowercase());
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
