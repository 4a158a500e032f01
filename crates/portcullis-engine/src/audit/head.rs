//! The last place of the chain, kept apart from it. Owns the file `head`, whose one purpose is that records cut from the
//! end of the database are noticed; it holds no records.
//!
//! It is made before the database, put in place whole with the line of the place before the first record, and moved on after
//! each commit, never before: whenever a process is killed, the file is behind the database by what was just committed, which is no alarm, and
//! never ahead of it. Its one line has always the same length, is shorter than a sector of any disk, and is overwritten in place
//! by a single write under a lock: whatever interrupts that leaves the old line or the new one. So anything else in the file,
//! nothing included, was put there by somebody else.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use super::{error::AuditError, store::Anchor};
use crate::platform;

/// The first word of the line.
const FORMAT: &str = "portcullis-head/v1";

/// How often, and after which pause, a lock that another process holds is tried. Locks are held for microseconds; one that
/// is held for longer belongs to a process that was stopped, and must not stop us: the file then stays behind.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(2);

/// What the file says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Witness {
    /// There is no file.
    Missing,
    /// The file is empty, as only a process leaves it that was killed before there was a database.
    Empty,
    /// The file holds something else, or is none.
    Unreadable,
    /// Everyone may write to the file: what it says is no evidence.
    Exposed,
    /// The chain had come at least this far.
    At(Anchor),
}

impl Witness {
    /// The place, where there is one.
    #[must_use]
    pub const fn anchor(self) -> Option<Anchor> {
        match self {
            Self::At(anchor) => Some(anchor),
            Self::Missing | Self::Empty | Self::Unreadable | Self::Exposed => None,
        }
    }
}

/// The file `head`.
#[derive(Clone, Debug)]
pub struct HeadFile {
    path: PathBuf,
}

impl HeadFile {
    /// The file at a path, which need not exist.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Makes the file where it is missing: for whoever sees no database yet. It is written under another name and put in place
    /// whole. One that is empty while there is no database was left by an earlier version, killed between making and writing it.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(&self) -> Result<(), AuditError> {
        match fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.put_in_place().map_err(|error| self.error(error))
            }
            _ => self.write(|witness| witness == Witness::Empty, Anchor::GENESIS),
        }
    }

    /// Writes the first line under a name of its own, and gives it its place unless another process was there before.
    fn put_in_place(&self) -> io::Result<()> {
        let random = data_encoding::HEXLOWER.encode(&platform::random::<8>()?);
        let new = self.path.with_file_name(format!("head.{random}"));
        let put = || {
            platform::create_private_file(&new)?;
            let mut file = OpenOptions::new().write(true).open(&new)?;
            file.write_all(line(Anchor::GENESIS).as_bytes())?;
            // From now on the line is only overwritten; its length and its block must not be lost with the power.
            file.sync_all()?;
            match moved_to_nothing(&new, &self.path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::remove_file(&new),
                other => other,
            }
        };
        let done = put();
        if done.is_err() {
            // It is no evidence of anything.
            let _ = fs::remove_file(&new);
        }
        done
    }

    /// What it says now, for whoever appends.
    ///
    /// # Errors
    /// What the system says, but that the file is missing; [`AuditError::Insecure`] where somebody else could change it.
    pub fn read(&self) -> Result<Witness, AuditError> {
        let metadata = fs::symlink_metadata(&self.path).ok();
        match metadata.as_ref().and_then(platform::insecurity) {
            Some(reason) => Err(AuditError::Insecure { path: self.path.clone(), reason }),
            None => self.said(),
        }
    }

    /// What it says now, for whoever only looks. Whose it is does not matter then: an auditor reads a copy.
    ///
    /// # Errors
    /// What the system says, but that the file is missing or is none.
    pub fn examine(&self) -> Result<Witness, AuditError> {
        match fs::symlink_metadata(&self.path) {
            Ok(metadata) if !metadata.is_file() => Ok(Witness::Unreadable),
            Ok(metadata) if is_exposed(&metadata) => Ok(Witness::Exposed),
            _ => self.said(),
        }
    }

    fn said(&self) -> Result<Witness, AuditError> {
        let mut file = match self.open(OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Witness::Missing),
            Err(error) => return Err(self.error(error)),
        };
        locked(&file, File::try_lock_shared).map_err(|error| self.error(error))?;
        content(&mut file).map_err(|error| self.error(error))
    }

    /// Moves it on to a place that was committed; never back, and never where it is missing or holds something else,
    /// because that is evidence.
    ///
    /// # Errors
    /// What the system says.
    pub fn advance(&self, to: Anchor) -> Result<(), AuditError> {
        self.write(|witness| witness.anchor().is_some_and(|at| at.sequence < to.sequence), to)
    }

    /// Sets it to a place, whatever it said: for a person who has looked into a contradiction and begins anew from there.
    ///
    /// # Errors
    /// What the system says.
    pub fn accept(&self, place: Anchor) -> Result<(), AuditError> {
        platform::create_private_file(&self.path).map_err(|error| self.error(error))?;
        self.write(|_| true, place)
    }

    fn write(&self, wanted: impl Fn(Witness) -> bool, place: Anchor) -> Result<(), AuditError> {
        let attempt = || {
            let mut file = match self.open(OpenOptions::new().read(true).write(true)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                other => other?,
            };
            if !locked(&file, File::try_lock)? {
                return Ok(());
            }
            if wanted(content(&mut file)?) {
                file.rewind()?;
                let line = line(place);
                file.write_all(line.as_bytes())?;
                if file.metadata()?.len() > line.len() as u64 {
                    file.set_len(line.len() as u64)?;
                }
                if place == Anchor::GENESIS {
                    file.sync_all()?;
                }
            }
            Ok(())
        };
        attempt().map_err(|error| self.error(error))
    }

    /// Never through a link: whoever made it would decide which file is overwritten.
    fn open(&self, options: &OpenOptions) -> io::Result<File> {
        if fs::symlink_metadata(&self.path)?.is_file() {
            options.open(&self.path)
        } else {
            Err(io::Error::other("it is not a regular file"))
        }
    }

    fn error(&self, source: io::Error) -> AuditError {
        AuditError::File { path: self.path.clone(), source }
    }
}

/// Where the head of the records in a directory is kept.
#[must_use]
pub fn head_path(directory: &Path) -> PathBuf {
    directory.join("head")
}

/// Gives a file a name that nothing has yet.
fn moved_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Not every file system can.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            other => return other.map_err(Into::into),
        }
    }
    fs::hard_link(from, to)?;
    fs::remove_file(from)
}

fn line(anchor: Anchor) -> String {
    format!("{FORMAT} {:020} {}\n", anchor.sequence, anchor.hash)
}

fn content(file: &mut File) -> io::Result<Witness> {
    let mut text = Vec::new();
    // More than any line of ours, and no more, whatever was put there.
    file.take(256).read_to_end(&mut text)?;
    if text.is_empty() {
        return Ok(Witness::Empty);
    }
    Ok(std::str::from_utf8(&text).ok().and_then(parsed).map_or(Witness::Unreadable, Witness::At))
}

/// Whether everyone may write to it. The rest of a mode can be that of a copy.
fn is_exposed(metadata: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        metadata.mode() & 0o002 != 0
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

fn parsed(text: &str) -> Option<Anchor> {
    let mut words = text.split_whitespace();
    let (format, sequence, hash) = (words.next()?, words.next()?, words.next()?);
    let anchor = Anchor { sequence: sequence.parse().ok()?, hash: hash.parse().ok()? };
    // Before the first record there is one place only: any other was never written, and would vouch for nothing.
    let is_a_place = anchor.sequence > 0 || anchor == Anchor::GENESIS;
    (format == FORMAT && is_a_place && line(anchor) == text).then_some(anchor)
}

fn locked(file: &File, lock: fn(&File) -> Result<(), TryLockError>) -> io::Result<bool> {
    for _ in 0..TRIES {
        match lock(file) {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            // A file system without locks; the write is a single one in any case.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(true);
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}
