//! Whether a work tree holds what was never committed: git's index, the files that it names and the last commit, compared as
//! git itself compares them. Owns that comparison. It runs nothing, neither filters nor hooks, and it is bounded: what it
//! would take too long to see is not known.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use gix::{
    bstr::{BStr, BString, ByteSlice as _},
    index::{
        entry::{self, Mode},
        fs::Metadata,
    },
};

/// The most paths that are asked about for one call.
pub(super) const PATHS: usize = 32;

/// The largest index that is read.
const INDEX_BYTES: u64 = 32 << 20;

/// The most files that are compared.
const FILES: usize = 20_000;

/// The largest file whose content is compared, where its size and time do not tell.
const CONTENT_BYTES: u64 = 1 << 20;

/// A work tree with its index and what was committed last.
pub(super) struct Tree {
    root: PathBuf,
    index: gix::index::File,
    /// What the last commit holds; `None` where the index says that it is the same.
    committed: Option<HashMap<BString, (gix::ObjectId, Mode)>>,
}

impl Tree {
    /// Opens the repository of a work tree; `None` where that would take too long, or where nothing was ever committed.
    pub(super) fn open(root: &Path) -> Option<Self> {
        let repository = opened(root)?;
        if repository.workdir()? != root {
            return None;
        }
        let file = repository.index_path();
        if fs::symlink_metadata(&file).ok()?.len() > INDEX_BYTES {
            return None;
        }
        let index = repository.open_index().ok()?;
        if index.is_sparse() || index.entries().len() > FILES {
            return None;
        }
        let tree = repository.head_tree_id().ok()?;
        let is_same = index
            .tree()
            .is_some_and(|cached| cached.num_entries.is_some() && cached.id == tree.detach());
        let committed = if is_same {
            None
        } else {
            let tree = repository.index_from_tree(&tree).ok()?;
            let entry =
                |entry: &gix::index::Entry| (entry.path(&tree).to_owned(), (entry.id, entry.mode));
            Some(tree.entries().iter().map(entry).collect())
        };
        Some(Self { root: root.to_owned(), index, committed })
    }

    /// Whether the last commit holds a file exactly as it stands.
    pub(super) fn holds(&self, file: &Path) -> Option<bool> {
        let name = gix::path::into_bstr(file).ok()?;
        if self.index.entry_by_path(name.as_ref()).is_none() {
            return Some(false);
        }
        self.differs(file).map(|differs| !differs)
    }

    /// Whether anything at or below a path differs from what was committed last; `None` where that cannot be told. A file that
    /// is gone is no loss.
    pub(super) fn differs(&self, path: &Path) -> Option<bool> {
        let path = gix::path::into_bstr(path).ok()?;
        let is_below = |name: &BStr| {
            path.is_empty()
                || name
                    .strip_prefix(path.as_bytes())
                    .is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
        };
        let index = &self.index;
        let entries = index.entries().iter().filter(|entry| is_below(entry.path(index)));
        let mut entries = entries.peekable();
        if entries.peek().is_none() && !path.is_empty() {
            // What git does not know stands there, or nothing.
            let place = self.root.join(gix::path::from_bstr(path).ok()?);
            return Some(fs::symlink_metadata(place).is_ok());
        }
        for entry in entries {
            let name = entry.path(index);
            let hidden = entry::Flags::ASSUME_VALID
                | entry::Flags::SKIP_WORKTREE
                | entry::Flags::INTENT_TO_ADD;
            if entry.stage() != entry::Stage::Unconflicted || entry.flags.intersects(hidden) {
                return Some(true);
            }
            // A repository in the repository keeps its own.
            if entry.mode == Mode::COMMIT {
                continue;
            }
            let is_committed = self
                .committed
                .as_ref()
                .is_none_or(|tree| tree.get(name) == Some(&(entry.id, entry.mode)));
            if !is_committed || !is_unchanged(&self.root, name, entry, index)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Opens the repository that is kept below a directory, or in it.
pub(super) fn opened(root: &Path) -> Option<gix::Repository> {
    // A pipe in their place would keep whoever opens it waiting.
    let is_pipe = |own: &Path, name: &str| {
        fs::symlink_metadata(own.join(name))
            .is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
    };
    let has_pipe = |own: &Path| {
        ["HEAD", "config", "index", "packed-refs", "shallow"].iter().any(|name| is_pipe(own, name))
    };
    if has_pipe(root) || has_pipe(&root.join(".git")) {
        return None;
    }
    gix::open_opts(root, gix::open::Options::isolated()).ok()
}

/// Whether a file is as the index has it; `None` where a look would take too long.
fn is_unchanged(
    root: &Path,
    name: &BStr,
    entry: &gix::index::Entry,
    index: &gix::index::File,
) -> Option<bool> {
    let place = root.join(gix::path::from_bstr(name).ok()?);
    let Ok(metadata) = Metadata::from_path_no_follow(&place) else {
        return Some(fs::symlink_metadata(&place).is_err());
    };
    let is_of_kind = match entry.mode {
        Mode::SYMLINK => metadata.is_symlink(),
        Mode::FILE => metadata.is_file() && !metadata.is_executable(),
        Mode::FILE_EXECUTABLE => metadata.is_file() && metadata.is_executable(),
        _ => false,
    };
    if !is_of_kind {
        return Some(false);
    }
    let options = entry::stat::Options::default();
    let stat = entry::Stat::from_fs(&metadata).ok()?;
    if entry.stat.matches(&stat, options) && !entry.stat.is_racy(index.timestamp(), options) {
        return Some(true);
    }
    if metadata.len() > CONTENT_BYTES {
        return None;
    }
    let content = if metadata.is_symlink() {
        gix::path::into_bstr(fs::read_link(&place).ok()?).ok()?.to_vec()
    } else {
        fs::read(&place).ok()?
    };
    let id = gix::objs::compute_hash(entry.id.kind(), gix::objs::Kind::Blob, &content).ok()?;
    Some(id == entry.id)
}

#[cfg(test)]
mod tests {
    use gix::objs::tree::{Entry, EntryKind};

    use super::*;

    /// A work tree with `a` and `sub/b` committed, and the index as git leaves it.
    fn repository() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        let repository = gix::init(place.path()).unwrap();
        let blob = |text: &str| repository.write_blob(text).unwrap().detach();
        let entry = |mode: EntryKind, name: &str, oid| Entry {
            mode: mode.into(),
            filename: name.into(),
            oid,
        };
        let tree = |entries| repository.write_object(gix::objs::Tree { entries }).unwrap().detach();
        let sub = tree(vec![entry(EntryKind::Blob, "b", blob("b\n"))]);
        let top = tree(vec![
            entry(EntryKind::Blob, "a", blob("a\n")),
            entry(EntryKind::Tree, "sub", sub),
        ]);
        let who = gix::actor::SignatureRef {
            name: "Ann".into(),
            email: "ann@example.com".into(),
            time: "1700000000 +0000",
        };
        let none: [gix::ObjectId; 0] = [];
        repository.commit_as(who, who, "HEAD", "Begin", top, none).unwrap();
        let mut index = repository.index_from_tree(&top).unwrap();
        index.set_path(repository.index_path());
        index.write(gix::index::write::Options::default()).unwrap();
        fs::create_dir(place.path().join("sub")).unwrap();
        fs::write(place.path().join("a"), "a\n").unwrap();
        fs::write(place.path().join("sub/b"), "b\n").unwrap();
        place
    }

    #[test]
    fn only_what_differs_is_said_to_differ() {
        let place = repository();
        let differs = |path: &str| Tree::open(place.path()).unwrap().differs(Path::new(path));
        for path in ["", "a", "sub", "sub/b", "missing"] {
            assert_eq!(differs(path), Some(false), "{path}");
        }
        fs::write(place.path().join("sub/b"), "other\n").unwrap();
        for (path, expected) in
            [("", true), ("a", false), ("sub", true), ("sub/b", true), ("su", false)]
        {
            assert_eq!(differs(path), Some(expected), "{path}");
        }
        // What is gone is no loss; what git does not know is.
        fs::remove_file(place.path().join("sub/b")).unwrap();
        fs::write(place.path().join("new"), "").unwrap();
        assert_eq!(
            (differs(""), differs("sub/b"), differs("new")),
            (Some(false), Some(false), Some(true))
        );
    }

    #[test]
    fn what_is_no_work_tree_is_not_known() {
        let place = tempfile::tempdir().unwrap();
        assert!(Tree::open(place.path()).is_none());
        gix::init(place.path()).unwrap();
        assert!(Tree::open(place.path()).is_none());
    }
}
