//! What a revision of a repository holds where a file stands. Owns the finding of it in what the repository has already: nothing is fetched, no
//! filter is run, and what would take too long to find is not read.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

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

/// How many links one path may lead through.
const LINKS: usize = 8;

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
    Index(&'r gix::Repository, Box<gix::index::File>),
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
            return Some(Self::Index(repository, Box::new(repository.open_index().ok()?)));
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
        let (repository, id, mode, committed) = match self {
            Self::Index(repository, index) => {
                let name = gix::path::into_bstr(below).ok()?;
                let entry = index.entry_by_path(name.as_ref())?;
                (*repository, entry.id, entry.mode.to_tree_entry_mode()?, false)
            }
            Self::Commit(tree, committed) if below.as_os_str().is_empty() => {
                (tree.repo, tree.id, EntryMode::from(EntryKind::Tree), *committed)
            }
            Self::Commit(tree, committed) => match resolved(tree, below, LINKS) {
                Some((place, id, mode)) if place != below => {
                    let here = here.and_then(|here| {
                        let root = here.ancestors().nth(below.components().count())?;
                        Some(root.join(&place))
                    });
                    return self.at(tree.repo, id, mode, *committed, here.as_deref(), left);
                }
                Some((_, id, mode)) => (tree.repo, id, mode, *committed),
                None => return None,
            },
        };
        self.at(repository, id, mode, committed, here, left)
    }

    fn at(
        &self,
        repository: &gix::Repository,
        id: gix::ObjectId,
        mode: EntryMode,
        committed: bool,
        here: Option<&Path>,
        left: u64,
    ) -> Option<FileFact> {
        let not_read = |why| Some(FileFact::NotRead { why, committed: None });
        let executable = match mode.kind() {
            EntryKind::Blob => false,
            EntryKind::BlobExecutable => true,
            EntryKind::Tree => return names(repository, id),
            // It leads out of the repository, as it did before or not.
            EntryKind::Link => {
                let target = repository.find_blob(id).ok()?.take_data();
                let stands = here.and_then(|here| fs::read_link(here).ok());
                let is_same = stands.is_some_and(|it| it.as_os_str().as_encoded_bytes() == target);
                return if is_same { None } else { not_read(NotRead::Special) };
            }
            // A repository in the repository keeps its own.
            EntryKind::Commit => return None,
        };
        let bytes = repository.find_header(id).ok()?.size();
        if here.is_some_and(|here| is_here(here, bytes, id)) {
            return None;
        }
        if bytes > UNPACKED || left == 0 || left < bytes.min(FILE_BYTES) {
            // As of what stands there: what a commit holds is the project's own word, read or not.
            return Some(FileFact::NotRead { why: NotRead::TooMuch, committed: Some(committed) });
        }
        let mut content = repository.find_blob(id).ok()?.take_data();
        // git-lfs.com: what is put in place stands elsewhere.
        if content.starts_with(b"version https://git-lfs") {
            return not_read(NotRead::Special);
        }
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

/// What a tree holds at a path, with the path that links in the tree lead to. A link that leads out of the tree is what is found.
fn resolved(
    tree: &gix::Tree<'_>,
    below: &Path,
    links: usize,
) -> Option<(PathBuf, gix::ObjectId, EntryMode)> {
    let mut place = PathBuf::new();
    let mut components = below.components();
    while let Some(component) = components.next() {
        place.push(component);
        let entry = tree.lookup_entry_by_path(&place).ok()??;
        if entry.mode().is_link() && links > 0 {
            let target = tree.repo.find_blob(entry.object_id()).ok()?.take_data();
            let target = PathBuf::from(String::from_utf8(target).ok()?);
            place.pop();
            let whole = place.join(&target).join(components.as_path());
            return match within(&whole).filter(|_| target.is_relative()) {
                Some(inside) => resolved(tree, &inside, links - 1),
                None => Some((below.to_owned(), entry.object_id(), entry.mode())),
            };
        }
        if components.as_path().as_os_str().is_empty() {
            return Some((place, entry.object_id(), entry.mode()));
        }
    }
    None
}

/// A path without `.` and `..`; nothing where it leads out of where it starts.
fn within(path: &Path) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => inside.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !inside.pop() {
                    return None;
                }
            }
            Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some(inside)
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

#[cfg(test)]
mod tests {
    use super::{
        super::{Observer, Place},
        *,
    };

    /// A work tree whose branch `main` has `a`, `same` and `sub/b`, with another `a` on the branch `b` and on one that a remote has.
    fn repository() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        let repository = gix::init(place.path()).unwrap();
        let blob = |text: &str| repository.write_blob(text).unwrap().detach();
        let entry = |kind: EntryKind, name: &str, oid| gix::objs::tree::Entry {
            mode: kind.into(),
            filename: name.into(),
            oid,
        };
        let tree = |entries| repository.write_object(gix::objs::Tree { entries }).unwrap().detach();
        let who = gix::actor::SignatureRef {
            name: "Ann".into(),
            email: "ann@example.com".into(),
            time: "1700000000 +0000",
        };
        let sub = tree(vec![entry(EntryKind::Blob, "b", blob("b\n"))]);
        let commit = |name: &str, a: &str| {
            let top = tree(vec![
                entry(EntryKind::Blob, "a", blob(a)),
                entry(EntryKind::Blob, "large", blob(&"x".repeat(2 << 20))),
                entry(EntryKind::Link, "link", blob("./a")),
                entry(EntryKind::Link, "out", blob("../a")),
                entry(
                    EntryKind::Blob,
                    "pointer",
                    blob("version https://git-lfs.github.com/spec/v1\n"),
                ),
                entry(EntryKind::Blob, "same", blob("same\n")),
                entry(EntryKind::Tree, "sub", sub),
            ]);
            let none: [gix::ObjectId; 0] = [];
            repository.commit_as(who, who, name, "Begin", top, none).unwrap();
            top
        };
        commit("refs/heads/b", "of b\n");
        commit("refs/remotes/origin/far", "of far\n");
        commit("refs/stash", "of stash\n");
        let top = commit("HEAD", "of main\n");
        let mut index = repository.index_from_tree(&top).unwrap();
        index.set_path(repository.index_path());
        index.write(gix::index::write::Options::default()).unwrap();
        fs::write(place.path().join("a"), "changed\n").unwrap();
        fs::write(place.path().join("same"), "same\n").unwrap();
        place
    }

    /// The text that a version has, and whether it counts as committed.
    fn of(
        root: &Path,
        revision: &str,
        path: &str,
        is_copy: bool,
    ) -> Result<(String, bool), FileFact> {
        let observer = Observer::default();
        let place = Place::of(&observer.surroundings(root.to_str(), None));
        let root = root.to_str().unwrap();
        let whole = format!("{root}/{path}");
        let version = match is_copy {
            true => Version { revision, repository: Some(root), path },
            false => Version { revision, repository: None, path: &whole },
        };
        match observer.around(&place).version(&version, u64::MAX) {
            FileFact::Read(file) => Ok((file.text.to_string(), file.committed == Some(true))),
            other => Err(other),
        }
    }

    #[test]
    fn what_a_revision_has_is_read_where_it_is_another_than_what_stands_there() {
        let place = repository();
        let root = place.path();
        for (revision, expected, committed) in [
            ("b", "of b\n", true),
            ("refs/heads/b", "of b\n", true),
            ("far", "of far\n", true),
            ("HEAD", "of main\n", true),
            ("", "of main\n", false),
            ("refs/stash", "of stash\n", false),
        ] {
            let found = of(root, revision, "a", false);
            assert_eq!(found, Ok((expected.to_owned(), committed)), "{revision}");
        }
        for (revision, path) in
            [("b", "same"), ("", "same"), ("none", "a"), ("b", "none"), ("b~1", "a")]
        {
            assert_eq!(of(root, revision, path, false), Err(FileFact::Absent), "{revision}:{path}");
        }
        assert_eq!(of(root, "b", "link", false), Ok(("of b\n".to_owned(), true)));
        for path in ["out", "pointer"] {
            let special = FileFact::NotRead { why: NotRead::Special, committed: None };
            assert_eq!(of(root, "b", path, false), Err(special), "{path}");
        }
        let names = FileFact::Directory { names: vec!["b".to_owned()], whole: true };
        assert_eq!(of(root, "b", "sub", false), Err(names));
        let too_much = FileFact::NotRead { why: NotRead::TooMuch, committed: Some(true) };
        assert_eq!(of(root, "b", "large", false), Err(too_much));
    }

    #[test]
    fn what_is_copied_is_read_whatever_stands_there_and_has_to_be_found() {
        let place = repository();
        let root = place.path();
        assert_eq!(of(root, "HEAD", "same", true), Ok(("same\n".to_owned(), true)));
        assert_eq!(of(root, "HEAD", "none", true), Err(FileFact::Absent));
        let unknown = FileFact::NotRead { why: NotRead::Special, committed: None };
        assert_eq!(of(root, "none", "a", true), Err(unknown.clone()));
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(of(empty.path(), "HEAD", "a", true), Err(unknown));
        assert_eq!(of(empty.path(), "HEAD", "a", false), Err(FileFact::Absent));
    }

    #[test]
    fn one_of_several_versions_stands_there_afterwards() {
        use crate::audit::{Content, File, Files};

        let place = repository();
        let path = place.path().join("a").to_str().unwrap().to_owned();
        let judged = |text: &str| {
            let sha256 = data_encoding::HEXLOWER
                .encode(&<sha2::Sha256 as sha2::Digest>::digest(text.as_bytes()));
            let content = Content { sha256, bytes: text.len() as u64, whole: true };
            File { path: path.clone(), content: Some(content) }
        };
        let files = Files { list: vec![judged("changed\n"), judged("of b\n")], more: 0 };
        let observer = Observer::default();
        for (stands, is_changed) in [("changed\n", false), ("of b\n", false), ("other\n", true)] {
            fs::write(&path, stands).unwrap();
            assert_eq!(!observer.changed(&files).is_empty(), is_changed, "{stands}");
        }
    }
}
