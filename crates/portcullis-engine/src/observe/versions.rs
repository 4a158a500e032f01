//! What a revision of a repository holds where a file stands. Owns the finding of it in what the repository has already: nothing is fetched, no
//! filter is run, and what would take too long to find is not read.

use std::{fs, path::Path};

use gix::{
    bstr::BStr,
    objs::tree::{EntryKind, EntryMode},
};
use portcullis_core::facts::{
    FileFact, NotRead,
    content::{FILE_BYTES, NAMES, Version},
};

use super::{contents::of_bytes, look::Look, uncommitted};

/// The largest file that is unpacked.
const UNPACKED: u64 = 1 << 20;

/// The largest index that is read.
const INDEX_BYTES: u64 = 32 << 20;

impl Look<'_> {
    /// What a version is; nothing where it is what stands there. `left` says how many bytes may be read.
    pub(super) fn version(&self, version: &Version<'_>, left: u64) -> FileFact {
        let not_read = |why| FileFact::NotRead { why, committed: None };
        let path = Path::new(version.path);
        let root = match version.repository {
            Some(root) => Some(Path::new(root)),
            None => self.repository_around(path),
        };
        let Some(root) = root.filter(|root| root.is_absolute()) else { return FileFact::Absent };
        if !self.may_look(root) {
            return not_read(NotRead::OutOfBounds);
        }
        let below = match version.repository {
            Some(_) => Some(path),
            None => path.strip_prefix(root).ok(),
        };
        // A repository that is copied has to be read; of the one around, git itself finds what it does not have.
        let missing = match version.repository {
            Some(_) => not_read(NotRead::Special),
            None => FileFact::Absent,
        };
        let (Some(below), Some(repository)) = (below, uncommitted::opened(root)) else {
            return missing;
        };
        let Some(tree) = Holder::of(&repository, version.revision) else { return missing };
        let here = version.repository.is_none().then_some(path);
        tree.content(below, here, left).unwrap_or(FileFact::Absent)
    }
}

/// What holds versions of files.
enum Holder<'r> {
    /// What is staged.
    Index(&'r gix::Repository, gix::index::File),
    /// A commit, and whether it is one that branches and tags lead to.
    Commit(gix::Tree<'r>, bool),
}

impl<'r> Holder<'r> {
    fn of(repository: &'r gix::Repository, revision: &str) -> Option<Self> {
        if revision.is_empty() {
            let file = repository.index_path();
            if fs::symlink_metadata(file).ok()?.len() > INDEX_BYTES {
                return None;
            }
            return Some(Self::Index(repository, repository.open_index().ok()?));
        }
        // What stands in the stash was put away, and is the word of nobody yet.
        let is_stash = revision.contains("stash");
        let one = |name: &str| {
            let name: &BStr = name.into();
            repository.rev_parse_single(name).ok()
        };
        // git-checkout(1): a branch that only a remote has is made from there.
        let names = [revision.to_owned(), format!("refs/remotes/origin/{revision}")];
        let id = names.iter().find_map(|name| one(name))?;
        let tree = id.object().ok()?.peel_to_tree().ok()?;
        Some(Self::Commit(tree, !is_stash))
    }

    fn content(&self, below: &Path, here: Option<&Path>, left: u64) -> Option<FileFact> {
        let not_read = |why| Some(FileFact::NotRead { why, committed: None });
        let (repository, id, mode, committed) = match self {
            Self::Index(repository, index) => {
                let name = gix::path::into_bstr(below).ok()?;
                let entry = index.entry_by_path(name.as_ref())?;
                (*repository, entry.id, entry.mode.to_tree_entry_mode()?, false)
            }
            Self::Commit(tree, committed) if below.as_os_str().is_empty() => {
                (tree.repo, tree.id, EntryMode::from(EntryKind::Tree), *committed)
            }
            Self::Commit(tree, committed) => {
                let entry = tree.lookup_entry_by_path(below).ok()??;
                (tree.repo, entry.object_id(), entry.mode(), *committed)
            }
        };
        let executable = match mode.kind() {
            EntryKind::Blob => false,
            EntryKind::BlobExecutable => true,
            EntryKind::Tree => return names(repository, id),
            EntryKind::Link => return not_read(NotRead::Special),
            // A repository in the repository keeps its own.
            EntryKind::Commit => return None,
        };
        let bytes = repository.find_header(id).ok()?.size();
        if here.is_some_and(|here| is_here(here, bytes, id)) {
            return None;
        }
        if bytes > UNPACKED || left == 0 || left < bytes.min(FILE_BYTES) {
            return not_read(NotRead::TooMuch);
        }
        let mut content = repository.find_blob(id).ok()?.take_data();
        content.truncate(usize::try_from(FILE_BYTES).unwrap_or(usize::MAX));
        Some(match of_bytes(content, bytes, executable) {
            Ok(file) => FileFact::Read(portcullis_core::facts::FileText {
                committed: Some(committed),
                ..file
            }),
            Err(why) => FileFact::NotRead { why, committed: Some(committed) },
        })
    }
}

/// The names that a tree holds.
fn names(repository: &gix::Repository, id: gix::ObjectId) -> Option<FileFact> {
    let tree = repository.find_tree(id).ok()?;
    let mut names = Vec::new();
    let mut whole = true;
    for entry in tree.iter() {
        let Ok(entry) = entry else { continue };
        if names.len() >= NAMES {
            whole = false;
            break;
        }
        let end = if entry.mode().is_tree() { "/" } else { "" };
        names.push(format!("{}{end}", entry.filename()));
    }
    names.sort();
    Some(FileFact::Directory { names, whole })
}

/// Whether a file stands there with exactly this content.
fn is_here(path: &Path, bytes: u64, id: gix::ObjectId) -> bool {
    let is_as_long = fs::symlink_metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() == bytes && bytes <= UNPACKED);
    let hash =
        |content: &[u8]| gix::objs::compute_hash(id.kind(), gix::objs::Kind::Blob, content).ok();
    is_as_long && fs::read(path).is_ok_and(|content| hash(&content) == Some(id))
}
