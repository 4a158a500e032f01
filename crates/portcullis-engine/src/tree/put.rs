//! Putting files in place. Owns that a copy is whole, with its rights, times and attributes, before it gets a name that counts.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Seek as _, Write as _},
    os::fd::{AsFd as _, OwnedFd},
    path::Path,
};

use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Timespec, Timestamps, Uid};

use super::{
    Kind, Node, Root, name,
    node::{self, digest},
};

/// How much is copied at once.
const PORTION: usize = 1 << 17;

/// A stretch of zeros that is left out of a copy, as in a file with holes.
const HOLE: usize = 4096;

/// Whether a copy must stand on the disk before anybody goes on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Settled {
    /// It must.
    OnDisk,
    /// The system may take its time.
    Later,
}

impl Root {
    /// Whether an overlay hides what lies in the same directory of the lower layer.
    #[must_use]
    pub fn is_opaque(&self, folder: &Path) -> bool {
        self.opened(folder, OFlags::RDONLY | OFlags::DIRECTORY)
            .is_ok_and(|folder| node::is_opaque(folder.as_fd()))
    }

    /// Copies what stands at a path (a directory without what is in it) to a path where nothing stands, with everything that `node` says of
    /// it, and onto the disk where that is wanted. What was copied is the answer.
    ///
    /// # Errors
    /// As [`Root::lay`].
    pub fn copy(
        &self,
        from: &Path,
        node: &Node,
        to: &Self,
        place: &Path,
        how: Settled,
    ) -> io::Result<Node> {
        to.lay(node, place, how, |made| {
            let mut source = self.file(from)?;
            match rustix::fs::ioctl_ficlone(&*made, &source) {
                Err(_) => copy_with_holes(&mut source, made),
                Ok(()) => Ok(()),
            }
        })
    }

    /// Makes what `node` says at a path where nothing stands, and onto the disk where that is wanted; the content of a file is written by
    /// `content`. What was made is the answer.
    ///
    /// # Errors
    /// What the system says; also where the content is not what `node` says by its hash. Then nothing is left at the path.
    pub fn lay(
        &self,
        node: &Node,
        place: &Path,
        how: Settled,
        content: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<Node> {
        if node.kind != Kind::File {
            let made = self.make(node, place).and_then(|()| self.node(place, false));
            let made = made.and_then(|made| made.ok_or_else(taken_away));
            if made.is_err() && node.kind == Kind::Folder {
                let _ = self.remove_folder(place);
            } else if made.is_err() {
                let _ = self.remove(place);
            }
            return made;
        }
        let mut made = self.new_file(place)?;
        let laid = content(&mut made).and_then(|()| {
            if let Some(expected) = &node.sha256 {
                made.rewind()?;
                if digest(&mut made)? != *expected {
                    return Err(io::Error::other("its content is not what it was"));
                }
            }
            dress(&made, node)?;
            match how {
                Settled::OnDisk => made.sync_all()?,
                Settled::Later => {}
            }
            Node::of_open_with_attributes(&made)
        });
        if laid.is_err() {
            // The first error is the one to tell.
            let _ = self.remove(place);
        }
        laid
    }

    /// Has everything that was written to its file system stand on the disk: for many files cheaper than one by one.
    ///
    /// # Errors
    /// What the system says.
    pub fn settle_all(&self) -> io::Result<()> {
        Ok(rustix::fs::syncfs(self.opened(Path::new(""), OFlags::RDONLY | OFlags::DIRECTORY)?)?)
    }

    /// Gives a file another name, below another root of the same file system.
    ///
    /// # Errors
    /// What the system says, also where something stands there.
    pub fn link(&self, from: &Path, to: &Self, place: &Path) -> io::Result<()> {
        let (from_folder, from_name) = self.parent(from)?;
        let (folder, name) = to.parent(place)?;
        Ok(rustix::fs::linkat(from_folder, from_name, folder, name, AtFlags::empty())?)
    }

    /// A new file that nobody else may read yet.
    ///
    /// # Errors
    /// What the system says, also where something stands there.
    pub fn new_file(&self, place: &Path) -> io::Result<File> {
        let (folder, name) = self.parent(place)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::RUSR | Mode::WUSR;
        Ok(File::from(rustix::fs::openat(folder, name, flags | OFlags::CLOEXEC, mode)?))
    }

    /// Makes a directory, a link or a pipe.
    ///
    /// # Errors
    /// What the system says, also where something stands there.
    pub fn make(&self, node: &Node, place: &Path) -> io::Result<()> {
        let (folder, name) = self.parent(place)?;
        match node.kind {
            Kind::Folder => {
                rustix::fs::mkdirat(&folder, name, Mode::RWXU)?;
                self.dress_folder(node, place)
            }
            Kind::Link => {
                let target = node.target.as_deref().and_then(name::read);
                let target = target.ok_or(io::ErrorKind::InvalidData)?;
                rustix::fs::symlinkat(&target, &folder, name)?;
                // By what was opened: whoever has another file take the name gives that nothing.
                let made = made_here(&folder, name, OFlags::PATH, FileType::Symlink)?;
                let (user, group) = owner(node);
                // Only who may give files away can, and then they are already right for everybody else.
                let found = rustix::fs::fstat(&made)?;
                if (found.st_uid, found.st_gid) != (node.user, node.group) {
                    rustix::fs::chownat(&made, "", Some(user), Some(group), AtFlags::EMPTY_PATH)?;
                }
                Ok(rustix::fs::utimensat(&made, "", &times(node), AtFlags::EMPTY_PATH)?)
            }
            Kind::Pipe => {
                rustix::fs::mkfifoat(&folder, name, mode(node))?;
                let flags = OFlags::RDONLY | OFlags::NONBLOCK;
                let made = made_here(&folder, name, flags, FileType::Fifo)?;
                dress(&File::from(made), node)
            }
            Kind::File | Kind::Socket | Kind::Device => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Gives a directory the rights, owner, attributes and times that `node` says.
    ///
    /// # Errors
    /// What the system says.
    pub fn dress_folder(&self, node: &Node, place: &Path) -> io::Result<()> {
        dress(&File::from(self.opened(place, OFlags::RDONLY | OFlags::DIRECTORY)?), node)
    }
}

/// Opens what was just made, which must still be that.
fn made_here(folder: &OwnedFd, name: &OsStr, how: OFlags, kind: FileType) -> io::Result<OwnedFd> {
    let flags = how | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = rustix::fs::openat(folder, name, flags, Mode::empty())?;
    let found = FileType::from_raw_mode(rustix::fs::fstat(&made)?.st_mode);
    if found == kind { Ok(made) } else { Err(taken_away()) }
}

fn taken_away() -> io::Error {
    io::Error::other("it was taken away while it was made")
}

fn mode(node: &Node) -> Mode {
    Mode::from_raw_mode(node.mode)
}

fn owner(node: &Node) -> (Uid, Gid) {
    (Uid::from_raw(node.user), Gid::from_raw(node.group))
}

fn times(node: &Node) -> Timestamps {
    let (seconds, nanoseconds) = node.modified;
    let nanoseconds = nanoseconds.try_into().unwrap_or(0);
    let time = Timespec { tv_sec: seconds, tv_nsec: nanoseconds };
    Timestamps { last_access: time, last_modification: time }
}

/// Owner, attributes, rights, times, in the order in which one does not undo the other.
fn dress(file: &File, node: &Node) -> io::Result<()> {
    let found = rustix::fs::fstat(file)?;
    let (user, group) = owner(node);
    if (found.st_uid, found.st_gid) != (node.user, node.group) {
        rustix::fs::fchown(file, Some(user), Some(group))?;
    }
    for (name, value) in &node.attributes {
        let value = data_encoding::HEXLOWER.decode(value.as_bytes()).map_err(io::Error::other)?;
        rustix::fs::fsetxattr(file, name.as_str(), &value, rustix::fs::XattrFlags::empty())?;
    }
    rustix::fs::fchmod(file, mode(node))?;
    Ok(rustix::fs::futimens(file, &times(node))?)
}

/// Copies all of a file; what is only zeros is left out, so that a file with holes keeps them.
///
/// # Errors
/// What the system says.
pub fn copy_with_holes(source: &mut impl io::Read, made: &mut File) -> io::Result<()> {
    let mut portion = vec![0; PORTION];
    let mut length = 0_u64;
    loop {
        let count = match source.read(&mut portion) {
            Ok(0) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        for piece in portion.get(..count).unwrap_or_default().chunks(HOLE) {
            if piece.len() == HOLE && piece.iter().all(|byte| *byte == 0) {
                made.seek_relative(i64::try_from(HOLE).unwrap_or(0))?;
            } else {
                made.write_all(piece)?;
            }
        }
        length += count as u64;
    }
    made.set_len(length)
}
