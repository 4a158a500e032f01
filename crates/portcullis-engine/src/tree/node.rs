//! What stands at a path. Owns which of it counts, and by what a change is seen.

use std::{
    collections::BTreeMap,
    ffi::{CStr, OsStr, OsString},
    fs::File,
    io::{self, Read as _},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::ffi::{OsStrExt as _, OsStringExt as _},
    },
    path::PathBuf,
};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{is_gone, name};

/// The longest file whose content is hashed. A longer one is known by its times and its length.
pub const MOST_HASHED: u64 = 4 << 30;

/// How much is read at once.
const PORTION: usize = 1 << 17;

/// The most bytes of extended attributes of one file.
const MOST_ATTRIBUTES: usize = 64 << 10;

/// What an overlay notes of its own.
const OF_OVERLAY: &str = "user.overlay.";

/// What kind of file it is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A file.
    File,
    /// A directory.
    Folder,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device. A device without a number is what an overlay keeps in the place of what was deleted.
    Device,
}

/// What stands at a path.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Node {
    /// Its kind.
    pub kind: Kind,
    /// Who may do what with it, the bits of its kind left out.
    pub mode: u32,
    /// Its owner.
    pub user: u32,
    /// Its group.
    pub group: u32,
    /// How many bytes it has.
    pub length: u64,
    /// When its content changed: seconds and nanoseconds.
    pub modified: (i64, u64),
    /// When anything about it changed. Nobody can set this one.
    pub changed: (i64, u64),
    /// How many names it has.
    pub names: u64,
    /// The file system and the number in it.
    pub number: (u64, u64),
    /// The device that it is; 0 for all else.
    pub device: u64,
    /// The SHA-256 of a file's content, where it was read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sha256: Option<String>,
    /// Where a link leads, as it is written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target: Option<String>,
    /// Its extended attributes, in hexadecimal.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub attributes: BTreeMap<String, String>,
}

impl Node {
    /// What stands under a name in an open directory, or the directory itself where the name is empty.
    pub(super) fn at(folder: &impl AsFd, name: &OsStr, hashed: bool) -> io::Result<Option<Self>> {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH;
        let found = match rustix::fs::statat(folder, name, flags).map_err(io::Error::from) {
            Err(error) if is_gone(&error) => return Ok(None),
            found => found?,
        };
        let mut node = Self::of(&found);
        match node.kind {
            Kind::Link => {
                let target = rustix::fs::readlinkat(folder, name, Vec::new())?;
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                node.target = Some(name::write(&target));
            }
            Kind::File | Kind::Folder => {
                let name = if name.is_empty() { OsStr::new(".") } else { name };
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
                match rustix::fs::openat(folder, name, flags, Mode::empty()) {
                    Ok(opened) => {
                        node.attributes = attributes(opened.as_fd());
                        if hashed && node.kind == Kind::File && node.length <= MOST_HASHED {
                            node.sha256 = Some(digest(&mut File::from(opened))?);
                        }
                    }
                    // What may not be read is known by the rest.
                    Err(rustix::io::Errno::ACCESS | rustix::io::Errno::PERM) => {}
                    Err(error) if is_gone(&error.into()) => return Ok(None),
                    Err(error) => return Err(error.into()),
                }
            }
            Kind::Pipe | Kind::Socket | Kind::Device => {}
        }
        Ok(Some(node))
    }

    /// The same by its outside: neither a file nor a directory is opened, so that their attributes are left out.
    pub(super) fn outside(folder: &impl AsFd, name: &CStr) -> io::Result<Option<Self>> {
        let found = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(error) if is_gone(&error.into()) => return Ok(None),
            found => found?,
        };
        let node = Self::of(&found);
        let is_by_outside = matches!(node.kind, Kind::File | Kind::Folder);
        if is_by_outside {
            return Ok(Some(node));
        }
        Self::at(folder, OsStr::from_bytes(name.to_bytes()), false)
    }

    /// What an open file is, with its attributes, without its content.
    pub(super) fn of_open_with_attributes(file: &File) -> io::Result<Self> {
        Ok(Self { attributes: attributes(file.as_fd()), ..Self::of_open(file)? })
    }

    /// What an open file is, without its content.
    ///
    /// # Errors
    /// What the system says.
    pub fn of_open(file: &File) -> io::Result<Self> {
        Ok(Self::of(&rustix::fs::fstat(file)?))
    }

    #[expect(clippy::useless_conversion, reason = "the widths differ between systems")]
    fn of(found: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            FileType::Fifo => Kind::Pipe,
            FileType::Socket => Kind::Socket,
            FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => Kind::Device,
        };
        let nanoseconds = |part| u64::try_from(part).unwrap_or(0);
        Self {
            kind,
            mode: found.st_mode & 0o7777,
            user: found.st_uid,
            group: found.st_gid,
            length: u64::try_from(found.st_size).unwrap_or(0),
            modified: (found.st_mtime.into(), nanoseconds(found.st_mtime_nsec)),
            changed: (found.st_ctime.into(), nanoseconds(found.st_ctime_nsec)),
            names: found.st_nlink.into(),
            number: (found.st_dev.into(), found.st_ino.into()),
            device: if kind == Kind::Device { found.st_rdev.into() } else { 0 },
            sha256: None,
            target: None,
            attributes: BTreeMap::new(),
        }
    }

    /// Whether it is what an overlay keeps in the place of what was deleted.
    #[must_use]
    pub fn is_whiteout(&self) -> bool {
        self.kind == Kind::Device && self.device == 0
    }

    /// Whether both are the same to whoever uses them: content, kind, owner, rights, attributes; not the times.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let content = match self.kind {
            Kind::File => self.has_content_of(other),
            Kind::Link => self.target == other.target,
            Kind::Device => self.device == other.device,
            Kind::Folder | Kind::Pipe | Kind::Socket => true,
        };
        let rights = |node: &Self| (node.kind, node.mode, node.user, node.group);
        content && rights(self) == rights(other) && self.attributes == other.attributes
    }

    /// Whether both files have the same content. Those that were not read have, where they are the same file and unchanged.
    #[must_use]
    pub fn has_content_of(&self, other: &Self) -> bool {
        match (&self.sha256, &other.sha256) {
            (Some(own), Some(other)) => own == other,
            _ => self.length == other.length && self.is_untouched(other),
        }
    }

    /// Whether nothing at all happened to it in between.
    #[must_use]
    pub fn is_untouched(&self, before: &Self) -> bool {
        (self.number, self.changed) == (before.number, before.changed)
    }
}

/// The hash of what a file still has to say.
///
/// # Errors
/// What the system says.
pub fn digest(file: &mut File) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut portion = vec![0; PORTION];
    loop {
        match file.read(&mut portion) {
            Ok(0) => return Ok(data_encoding::HEXLOWER.encode(&hash.finalize())),
            Ok(count) => hash.update(portion.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether an overlay hides what lies in the same directory of the lower layer.
pub(super) fn is_opaque(folder: BorrowedFd<'_>) -> bool {
    let mut value = [0; 8];
    rustix::fs::fgetxattr(folder, "user.overlay.opaque", &mut value)
        .is_ok_and(|length| value.get(..length) == Some(b"y"))
}

/// The attributes that belong to whoever uses the file: their own, and lists of rights.
pub(super) fn attributes(file: BorrowedFd<'_>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut some = [0; 256];
    let mut room = Vec::new();
    // Where there are none, the system says so by an error; where they cannot be read, nobody can set them either.
    let length = match rustix::fs::flistxattr(file, &mut some) {
        Ok(0) => return found,
        Err(rustix::io::Errno::RANGE) => {
            room.resize(MOST_ATTRIBUTES, 0);
            rustix::fs::flistxattr(file, &mut room)
        }
        length => {
            room.extend_from_slice(&some);
            length
        }
    };
    let Ok(length) = length else { return found };
    let names = room.get(..length).unwrap_or_default().split(|byte| *byte == 0);
    for name in names.filter_map(|name| std::str::from_utf8(name).ok()) {
        let is_theirs = name.starts_with("user.") && !name.starts_with(OF_OVERLAY)
            || name.starts_with("system.posix_acl_");
        if !is_theirs {
            continue;
        }
        let mut value = vec![0; MOST_ATTRIBUTES];
        if let Ok(length) = rustix::fs::fgetxattr(file, name, &mut value) {
            let value = value.get(..length).unwrap_or_default();
            found.insert(name.to_owned(), data_encoding::HEXLOWER.encode(value));
        }
    }
    found
}
