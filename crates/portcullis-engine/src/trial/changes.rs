//! What a trial changed: the layers with the changes, held against the files as they are. Owns what counts as a change. Nothing runs any more
//! when it is looked at; what others change meanwhile shows when it is taken over.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::Means;
use crate::tree::{Kind, Node, Root, kept};

/// The most changes that are told one by one. What made more of them can only be discarded.
pub const MOST_CHANGES: usize = 100_000;

/// The most names in one directory.
const MOST_NAMES: usize = 200_000;

/// The deepest directory.
const DEEPEST: usize = 200;

/// How many bytes of deleted files are hashed, to know them again under other names.
const MOST_DELETED: u64 = 256 << 20;

/// What happened to a file.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// It was made.
    Made,
    /// It was changed.
    Changed,
    /// It was deleted.
    Deleted,
}

impl What {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }
}

/// What about a file changed.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Aspect {
    /// Its kind.
    Kind,
    /// What is in it, or where it leads.
    Content,
    /// Who may do what with it.
    Mode,
    /// To whom it belongs.
    Owner,
    /// Its extended attributes.
    Attributes,
    /// Its time alone.
    Time,
}

impl Aspect {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Content => "content",
            Self::Mode => "mode",
            Self::Owner => "owner",
            Self::Attributes => "attributes",
            Self::Time => "time",
        }
    }
}

/// One change.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Change {
    /// In which of the directories that could be changed.
    pub root: usize,
    /// Where, from there.
    #[serde(with = "kept")]
    pub path: PathBuf,
    /// What happened.
    pub what: What,
    /// What about it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub aspects: Vec<Aspect>,
    /// What stood there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<Node>,
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<Node>,
    /// The deleted file that has this content: it was renamed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub renamed_from: Option<String>,
    /// A file that stays as it is, and that this one is another name of (a hard link).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name_of: Option<String>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// The changes, each directory before what is in it, but for deletions, where it comes last.
    pub changes: Vec<Change>,
    /// Sentences on what was not looked at.
    pub notes: Vec<String>,
    /// Whether it is all of it.
    pub whole: bool,
}

/// Looks for what changed in one directory.
///
/// # Errors
/// What the system says of the layer.
pub(super) fn look(
    found: &mut Found,
    root: usize,
    means: Means,
    lower: &Root,
    upper: &Root,
) -> io::Result<()> {
    let mut look = Look { found, root, means, lower, upper, hashed: 0 };
    look.folder(Path::new(""), 0, false)
}

struct Look<'a> {
    found: &'a mut Found,
    root: usize,
    means: Means,
    lower: &'a Root,
    upper: &'a Root,
    /// How many bytes of deleted files were hashed.
    hashed: u64,
}

impl Look<'_> {
    fn cut(&mut self, why: String) {
        self.found.whole = false;
        if !self.found.notes.contains(&why) {
            self.found.notes.push(why);
        }
    }

    /// Everything in a directory of the layer. In one that is `new` nothing was there before.
    fn folder(&mut self, path: &Path, depth: usize, new: bool) -> io::Result<()> {
        if depth > DEEPEST {
            self.cut(format!("directories deeper than {DEEPEST} are not looked at"));
            return Ok(());
        }
        let (names, whole) = self.upper.names(path, MOST_NAMES)?;
        if !whole {
            self.cut(format!("of a directory {MOST_NAMES} names are looked at"));
        }
        // In an overlay what is missing from the layer is as it was, unless the layer says otherwise.
        let hides = match self.means {
            Means::Copy => !new,
            Means::Overlay => !new && !path.as_os_str().is_empty() && self.upper.is_opaque(path),
        };
        if hides {
            let there: BTreeSet<&OsString> = names.iter().collect();
            let (below, whole) = match self.lower.names(path, MOST_NAMES) {
                Err(error) if crate::tree::is_gone(&error) => (Vec::new(), true),
                listed => listed?,
            };
            if !whole {
                self.cut(format!("of a directory {MOST_NAMES} names are looked at"));
            }
            for name in below.iter().filter(|name| !there.contains(name)) {
                self.deleted(&path.join(name), depth + 1)?;
            }
        }
        for name in &names {
            self.entry(&path.join(name), depth, new)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, depth: usize, new: bool) -> io::Result<()> {
        let Some(after) = self.upper.node(path, false)? else { return Ok(()) };
        if self.means == Means::Overlay && after.is_whiteout() {
            return if new { Ok(()) } else { self.deleted(path, depth + 1) };
        }
        let before = if new { None } else { self.lower.node(path, false)? };
        match (after.kind, before) {
            (Kind::Folder, Some(before)) if before.kind == Kind::Folder => {
                let aspects = aspects(&before, &after);
                if !aspects.is_empty() {
                    self.push(path, What::Changed, aspects, Some(before), Some(after));
                }
                self.folder(path, depth + 1, false)
            }
            (Kind::Folder, before) => {
                if before.is_some() {
                    self.deleted(path, depth + 1)?;
                }
                self.push(path, What::Made, Vec::new(), None, Some(after));
                self.folder(path, depth + 1, true)
            }
            (_, Some(before)) if before.kind == Kind::Folder => {
                self.deleted(path, depth + 1)?;
                let after = self.upper.node(path, true)?;
                self.push(path, What::Made, Vec::new(), None, after);
                Ok(())
            }
            (_, Some(before)) => {
                // In a copy most is as it was, and known to be by its length and time.
                let is_copy = self.means == Means::Copy
                    && (before.length, before.modified) == (after.length, after.modified);
                let both_files = before.kind == Kind::File && after.kind == Kind::File;
                let hashed = both_files && !is_copy;
                let before = if hashed { self.lower.node(path, true)? } else { Some(before) };
                let after =
                    if hashed || !both_files { self.upper.node(path, true)? } else { Some(after) };
                let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
                let mut aspects = aspects(&before, &after);
                if is_copy && both_files {
                    aspects.retain(|aspect| *aspect != Aspect::Content);
                }
                if aspects.is_empty() && before.modified != after.modified {
                    aspects.push(Aspect::Time);
                }
                if aspects.is_empty() {
                    return Ok(());
                }
                // By its hash it is known again, whatever was done to it meanwhile and taken back.
                let before = if before.sha256.is_none() {
                    self.lower.node(path, true)?
                } else {
                    Some(before)
                };
                let after =
                    if after.sha256.is_none() { self.upper.node(path, true)? } else { Some(after) };
                self.push(path, What::Changed, aspects, before, after);
                Ok(())
            }
            (_, None) => {
                let after = self.upper.node(path, true)?;
                self.push(path, What::Made, Vec::new(), None, after);
                Ok(())
            }
        }
    }

    /// Something that was there and is not any more, with everything below it.
    fn deleted(&mut self, path: &Path, depth: usize) -> io::Result<()> {
        if depth > DEEPEST {
            self.cut(format!("directories deeper than {DEEPEST} are not looked at"));
            return Ok(());
        }
        let Some(before) = self.lower.node(path, false)? else { return Ok(()) };
        if before.kind == Kind::Folder {
            let (names, whole) = self.lower.names(path, MOST_NAMES)?;
            if !whole {
                self.cut(format!("of a directory {MOST_NAMES} names are looked at"));
            }
            for name in names {
                if self.found.changes.len() >= MOST_CHANGES {
                    break;
                }
                self.deleted(&path.join(name), depth + 1)?;
            }
        }
        self.hashed = self.hashed.saturating_add(before.length);
        let hashed = before.kind == Kind::File && self.hashed <= MOST_DELETED;
        let before = if hashed { self.lower.node(path, true)? } else { Some(before) };
        self.push(path, What::Deleted, Vec::new(), before, None);
        Ok(())
    }

    fn push(
        &mut self,
        path: &Path,
        what: What,
        aspects: Vec<Aspect>,
        before: Option<Node>,
        after: Option<Node>,
    ) {
        if self.found.changes.len() >= MOST_CHANGES {
            self.cut(format!("there are more than {MOST_CHANGES} changes"));
            return;
        }
        let (root, path) = (self.root, path.to_owned());
        let (renamed_from, name_of) = (None, None);
        let change = Change { root, path, what, aspects, before, after, renamed_from, name_of };
        self.found.changes.push(change);
    }
}

/// What differs, the times aside.
fn aspects(before: &Node, after: &Node) -> Vec<Aspect> {
    let mut aspects = Vec::new();
    if before.kind != after.kind {
        aspects.push(Aspect::Kind);
    } else if before.kind != Kind::Folder {
        let same = match before.kind {
            Kind::File => before.has_content_of(after),
            Kind::Link => before.target == after.target,
            _ => before.device == after.device,
        };
        aspects.extend((!same).then_some(Aspect::Content));
    }
    // The rights of a link are no rights.
    let mode = before.kind != Kind::Link && before.mode != after.mode;
    aspects.extend(mode.then_some(Aspect::Mode));
    let owner = (before.user, before.group) != (after.user, after.group);
    aspects.extend(owner.then_some(Aspect::Owner));
    aspects.extend((before.attributes != after.attributes).then_some(Aspect::Attributes));
    aspects
}

/// Says of files that were made whether one that was deleted had their content: they were renamed.
pub(super) fn name_renames(changes: &mut [Change]) {
    let mut deleted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for change in changes.iter().filter(|change| change.what == What::Deleted) {
        if let Some(before) = change.before.as_ref().filter(|before| before.length > 0)
            && let Some(hash) = &before.sha256
        {
            deleted.entry(hash.clone()).or_default().push(crate::tree::write_name(&change.path));
        }
    }
    for change in changes.iter_mut().filter(|change| change.what == What::Made) {
        let hash = change.after.as_ref().and_then(|after| after.sha256.as_ref());
        if let Some(names) = hash.and_then(|hash| deleted.get_mut(hash)) {
            change.renamed_from = names.pop();
        }
    }
}
