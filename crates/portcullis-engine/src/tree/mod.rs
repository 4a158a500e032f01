//! Files below an open directory, reached without following a link. Owns how one is looked at, copied and put in a place; whatever somebody
//! else makes of the directories meanwhile, nothing outside is read or changed.

mod name;
mod node;
mod put;

pub use name::{kept, read as read_name, write as write_name};
pub use node::{Kind, MOST_HASHED, Node, digest};
pub use put::{Settled, copy_with_holes};

use std::{
    collections::BTreeMap,
    ffi::{CStr, OsStr, OsString},
    fs::File,
    io,
    ops::Range,
    os::{
        fd::{AsFd as _, BorrowedFd, OwnedFd},
        unix::ffi::OsStringExt as _,
    },
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, Dir, Mode, OFlags, RawDir, RenameFlags, ResolveFlags},
    io::Errno,
};

/// A directory with everything below it.
#[derive(Debug)]
pub struct Root {
    directory: OwnedFd,
    path: PathBuf,
}

impl Root {
    /// Opens a directory; its own path may not end in a link.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { directory, path: path.to_owned() })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a directory below it, or itself by an empty path.
    ///
    /// # Errors
    /// What the system says; a link on the way is refused, and so is another file system.
    pub fn folder(&self, path: &Path) -> io::Result<OwnedFd> {
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !plain {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.opened(path, OFlags::PATH | OFlags::DIRECTORY)
    }

    fn opened(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        opened(self.directory.as_fd(), path, flags)
    }

    /// The directory that holds a path, open, and its last name.
    ///
    /// # Errors
    /// As [`Root::folder`].
    pub fn parent<'a>(&self, path: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        Ok((self.folder(folder)?, name))
    }

    /// Opens a file for reading. A pipe is opened without waiting for anybody.
    ///
    /// # Errors
    /// As [`Root::folder`].
    pub fn file(&self, path: &Path) -> io::Result<File> {
        let (folder, name) = self.parent(path)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(folder, name, flags, Mode::empty())?))
    }

    /// What stands at a path; nothing where nothing does. The content of a file is hashed where `hashed` says so.
    ///
    /// # Errors
    /// As [`Root::folder`].
    pub fn node(&self, path: &Path, hashed: bool) -> io::Result<Option<Node>> {
        let found = if path.as_os_str().is_empty() {
            self.folder(path).map(|folder| (folder, OsStr::new("")))
        } else {
            self.parent(path)
        };
        match found {
            Ok((folder, name)) => Node::at(&folder, name, hashed),
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The names in a directory, sorted; what was not looked at, where there are more than `most`, is for the caller to say.
    ///
    /// # Errors
    /// As [`Root::folder`].
    pub fn names(&self, path: &Path, most: usize) -> io::Result<(Vec<OsString>, bool)> {
        let folder = self.opened(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut names = Vec::new();
        for entry in Dir::new(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() >= most {
                names.sort_unstable();
                return Ok((names, false));
            }
            names.push(OsString::from_vec(name.to_vec()));
        }
        names.sort_unstable();
        Ok((names, true))
    }

    /// Opens a directory to look at much that is in it.
    ///
    /// # Errors
    /// As [`Root::folder`].
    pub fn listing(&self, path: &Path) -> io::Result<Listing> {
        Listing::of(self.opened(path, OFlags::RDONLY | OFlags::DIRECTORY)?)
    }

    /// Moves what stands at one path to another, below another root of the same file system, where nothing stands yet.
    ///
    /// # Errors
    /// What the system says.
    pub fn move_to(&self, from: &Path, other: &Self, to: &Path) -> io::Result<()> {
        self.renamed(from, other, to, RenameFlags::NOREPLACE)
    }

    /// Has what stands at two paths change places, in one step.
    ///
    /// # Errors
    /// What the system says.
    pub fn exchange(&self, from: &Path, other: &Self, to: &Path) -> io::Result<()> {
        self.renamed(from, other, to, RenameFlags::EXCHANGE)
    }

    fn renamed(&self, from: &Path, other: &Self, to: &Path, flags: RenameFlags) -> io::Result<()> {
        let (from_folder, from_name) = self.parent(from)?;
        let (to_folder, to_name) = other.parent(to)?;
        Ok(rustix::fs::renameat_with(&from_folder, from_name, &to_folder, to_name, flags)?)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        Ok(rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes what is no directory.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?)
    }

    /// Removes everything at and below a path, also what its owner made unreadable. What is gone already is no error.
    ///
    /// # Errors
    /// What the system says of the first that stays.
    pub fn remove_all(&self, path: &Path) -> io::Result<()> {
        let Some(node) = self.node(path, false)? else { return Ok(()) };
        if node.kind != Kind::Folder {
            return self.remove(path);
        }
        let listed = self.names(path, usize::MAX).or_else(|_| {
            let folder = self.folder(path)?;
            let place = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&folder));
            rustix::fs::chmod(place, Mode::RWXU)?;
            self.names(path, usize::MAX)
        });
        for name in listed?.0 {
            self.remove_all(&path.join(name))?;
        }
        self.remove_folder(path)
    }

    /// Has everything that was done to the names in a directory stand on the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn settle(&self, folder: &Path) -> io::Result<()> {
        let folder = self.opened(folder, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(rustix::fs::fsync(folder)?)
    }
}

/// Opens what lies below a directory, in no way through a link or into another file system.
fn opened(directory: BorrowedFd<'_>, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // The kernel asks for another attempt where something was renamed meanwhile.
    for _ in 0..64 {
        match rustix::fs::openat2(directory, path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN) => {}
            done => return Ok(done?),
        }
    }
    Err(Errno::AGAIN.into())
}

/// How much of a directory is read at once.
const NAMES_AT_ONCE: usize = 32 << 10;

/// An open directory, and the names in it.
#[derive(Debug)]
pub struct Listing {
    folder: OwnedFd,
    /// The names one after the other, each with the zero byte behind it that the system wants.
    text: Vec<u8>,
    /// What each of them begins with, and where it stands there, in the order of the names.
    places: Vec<(u64, Range<usize>)>,
}

impl Listing {
    fn of(folder: OwnedFd) -> io::Result<Self> {
        let (mut text, mut places) = (Vec::new(), Vec::new());
        let mut room = Vec::with_capacity(NAMES_AT_ONCE);
        let mut entries = RawDir::new(&folder, room.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                let start = text.len();
                text.extend_from_slice(name.to_bytes_with_nul());
                let mut first = [0; 8];
                first.iter_mut().zip(name.to_bytes()).for_each(|(byte, own)| *byte = *own);
                places.push((u64::from_be_bytes(first), start..text.len()));
            }
        }
        // Most names differ in what they begin with.
        places.sort_unstable_by(|(one, place), (other, place_of_other)| {
            let rest = || text.get(place.clone()).cmp(&text.get(place_of_other.clone()));
            one.cmp(other).then_with(rest)
        });
        Ok(Self { folder, text, places })
    }

    /// The names, sorted.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &CStr> {
        let name = |place: &Range<usize>| self.text.get(place.clone()).unwrap_or(b"\0");
        self.places
            .iter()
            .map(move |(_, place)| CStr::from_bytes_with_nul(name(place)).unwrap_or(c""))
    }

    /// Forgets the names.
    pub fn clear(&mut self) {
        self.places.clear();
    }

    /// Opens a directory in it.
    ///
    /// # Errors
    /// As [`Root::folder`].
    pub fn below(&self, name: &OsStr) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        Self::of(opened(self.folder.as_fd(), Path::new(name), flags)?)
    }

    /// The attributes of the directory.
    #[must_use]
    pub fn attributes(&self) -> BTreeMap<String, String> {
        node::attributes(self.folder.as_fd())
    }

    /// What stands under a name, of a file and of a directory without its attributes: these are read with what is in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn node(&self, name: &CStr) -> io::Result<Option<Node>> {
        Node::outside(&self.folder, name)
    }
}

/// Files of a root that are read one after the other, those of one directory together.
#[derive(Debug)]
pub struct Reader<'a> {
    root: &'a Root,
    folder: Option<(PathBuf, OwnedFd)>,
}

impl<'a> Reader<'a> {
    /// One for a root.
    #[must_use]
    pub const fn new(root: &'a Root) -> Self {
        Self { root, folder: None }
    }

    /// Opens a file, and tells what it is, its attributes among it.
    ///
    /// # Errors
    /// As [`Root::folder`].
    pub fn open(&mut self, path: &Path) -> io::Result<(File, Node)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let above = path.parent().unwrap_or_else(|| Path::new(""));
        let folder = match self.folder.take().filter(|(known, _)| known == above) {
            Some((_, folder)) => folder,
            None => self.root.folder(above)?,
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&folder, name, flags, Mode::empty());
        self.folder = Some((above.to_owned(), folder));
        let file = File::from(opened?);
        let node = Node::of_open_with_attributes(&file)?;
        Ok((file, node))
    }
}

/// Whether an error says that nothing stands there.
#[must_use]
pub fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn nothing_is_reached_through_a_link() {
        let place = tempfile::tempdir().unwrap();
        let (inside, outside) = (place.path().join("in"), place.path().join("out"));
        fs::create_dir_all(outside.join("x")).unwrap();
        fs::write(outside.join("x/secret"), "s").unwrap();
        fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.join("x/secret"), inside.join("file")).unwrap();
        let root = Root::open(&inside).unwrap();
        assert!(root.folder(Path::new("link")).is_err());
        assert!(root.folder(Path::new("../out")).is_err());
        assert!(root.file(Path::new("link/x/secret")).is_err());
        assert!(root.file(Path::new("file")).is_err());
        assert!(root.remove(Path::new("link/x/secret")).is_err());
        assert_eq!(root.node(Path::new("file"), true).unwrap().unwrap().kind, Kind::Link);
        root.remove_all(Path::new("link")).unwrap();
        assert!(outside.join("x/secret").exists());
        assert!(Root::open(&inside.join("file")).is_err());
    }

    #[test]
    fn what_its_owner_made_unreadable_is_removed_too() {
        use std::os::unix::fs::PermissionsExt as _;
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("a/b")).unwrap();
        fs::write(place.path().join("a/b/c"), "").unwrap();
        fs::set_permissions(place.path().join("a/b"), fs::Permissions::from_mode(0o0)).unwrap();
        let root = Root::open(place.path()).unwrap();
        root.remove_all(Path::new("a")).unwrap();
        assert!(!place.path().join("a").exists());
        root.remove_all(Path::new("a")).unwrap();
    }
}
