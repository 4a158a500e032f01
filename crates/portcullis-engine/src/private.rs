//! Small files that only this user may write: read whole or not at all, and written in one step. Owns what makes such a
//! file believable; what is in it, its reader knows.

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::Path,
    time::{Duration, SystemTime},
};

use crate::platform::{self, Insecurity};

/// How long the file of a session is kept that nothing is heard of.
const KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// How many files are looked at to find those.
const LOOKED_AT: usize = 1_000;

/// Why a file is not believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unbelievable {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// Somebody else could have written it.
    #[error(transparent)]
    Insecure(#[from] Insecurity),
    /// It is a directory, a device, a pipe.
    #[error("it is not a file")]
    NotAFile,
    /// It is longer than what we write.
    #[error("it is too long")]
    TooLong,
    /// It is not as we write it.
    #[error("it is not as it was written: {0}")]
    Malformed(#[from] serde_json::Error),
    /// There was one, and it is gone.
    #[error("it is gone, and what was stricter by it is not known")]
    Gone,
    /// What it says does not fit what it is called or what it was sealed with.
    #[error("it was changed after it was written")]
    Changed,
}

impl Unbelievable {
    /// Whether there simply is none.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Unreadable(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// The bytes of a file of ours, of at most `most`: not through a link, and of no other user.
///
/// # Errors
/// [`Unbelievable`]. A file that is missing costs no more than the attempt to open it.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Unbelievable> {
    let file = platform::open_without_following(path).map_err(|error| {
        if platform::is_link_error(&error) {
            Insecurity::SymbolicLink.into()
        } else {
            Unbelievable::from(error)
        }
    })?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Unbelievable::NotAFile);
    }
    if let Some(insecurity) = platform::insecurity(&metadata) {
        return Err(insecurity.into());
    }
    // With room for all of it and the byte that is one too many, it is read at once.
    let room = usize::try_from(metadata.len().min(most)).unwrap_or_default() + 1;
    let mut bytes = Vec::with_capacity(room);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(Unbelievable::TooLong) } else { Ok(bytes) }
}

/// Writes a file of ours in one step: whoever reads finds what was there before or all of this. It is for this user alone,
/// and so is its directory where it has to be made.
///
/// # Errors
/// What the system says, also where the directory could be changed by others.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = platform::bare(path.parent().ok_or(io::ErrorKind::InvalidInput)?);
    let directory = directory.as_path();
    platform::create_private_directory(directory)?;
    if let Some(insecurity) = platform::insecurity(&fs::symlink_metadata(directory)?) {
        return Err(io::Error::other(insecurity));
    }
    in_one_step(directory, path, bytes, (false, true))
}

/// As [`write()`], without waiting until it survives a loss of power: that is for whoever calls to see to, with [`sync`].
///
/// # Errors
/// As [`write()`].
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = platform::bare(path.parent().ok_or(io::ErrorKind::InvalidInput)?);
    in_one_step(&directory, path, bytes, (false, false))
}

/// Sees to it that a file survives a loss of power. One that is gone has nothing to lose.
///
/// # Errors
/// What the system says.
pub fn sync(path: &Path) -> io::Result<()> {
    match platform::open_to_change(path) {
        Ok(file) => file.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The same of a file that everybody may read and this user alone may write, in a directory that is there.
///
/// # Errors
/// What the system says.
pub fn write_for_all(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = platform::bare(path.parent().ok_or(io::ErrorKind::InvalidInput)?);
    in_one_step(&directory, path, bytes, (true, true))
}

fn in_one_step(
    directory: &Path,
    path: &Path,
    bytes: &[u8],
    (for_all, synced): (bool, bool),
) -> io::Result<()> {
    let random: [u8; 8] = platform::random()?;
    let unfinished = directory.join(format!(".{}", data_encoding::HEXLOWER.encode(&random)));
    if !platform::create_private_file(&unfinished)? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let written = fs::File::options().write(true).open(&unfinished).and_then(|mut file| {
        file.write_all(bytes)?;
        #[cfg(unix)]
        if for_all {
            use std::os::unix::fs::PermissionsExt as _;
            file.set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        #[cfg(not(unix))]
        let _ = for_all;
        if synced { file.sync_all() } else { Ok(()) }
    });
    let written = written.and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Removes the files of sessions that are over, from a folder that has one for each and a `lock`.
pub fn forget_old(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.take(LOOKED_AT).flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        let age = changed.ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        if entry.file_name() != "lock" && age.is_some_and(|age| age > KEPT) {
            // One that stays costs its place on the disk and nothing else.
            let _ = fs::remove_file(entry.path());
        }
    }
}
