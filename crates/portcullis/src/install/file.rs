//! Files that belong to others. Owns that only plain files of this user are read and replaced, in one step and durably, with
//! the mode and the group that they had; what is in them, it does not know.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Component, Path, PathBuf},
};

use super::{command::open_to_everyone, machine::Located};
use crate::platform;

/// The most bytes of a settings file; a longer one is none that a person wrote.
pub const MAX_BYTES: u64 = 4 << 20;

/// Why a file is left alone.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Whoever owns the link decides what is changed.
    #[error("`{path}` is a symbolic link to `{target}`")]
    SymbolicLink {
        /// Which.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// It is a directory, a pipe, a device.
    #[error("`{0}` is not a regular file")]
    NotAFile(PathBuf),
    /// A file stands where a directory should.
    #[error("`{0}` is not a directory")]
    NotADirectory(PathBuf),
    /// It is not ours to change.
    #[error("`{0}` belongs to another user")]
    ForeignOwner(PathBuf),
    /// Anybody could change what agents run.
    #[error("everyone may write to `{0}`")]
    WritableByEveryone(PathBuf),
    /// It is longer than [`MAX_BYTES`].
    #[error("`{0}` is longer than 4 MiB")]
    TooLong(PathBuf),
    /// It is not UTF-8.
    #[error("`{0}` is not UTF-8 text")]
    NotText(PathBuf),
    /// It was changed since it was read.
    #[error("`{0}` was changed by somebody else just now")]
    Changed(PathBuf),
    /// The system says no.
    #[error("cannot use `{path}`: {source}")]
    System {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl FileError {
    /// What to do about it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::SymbolicLink { .. } => {
                "nothing was changed; put the file itself there, or add the entries that `--dry-run` shows for it by hand"
            }
            Self::NotAFile(_) | Self::NotADirectory(_) => {
                "nothing was changed; see what stands there"
            }
            Self::ForeignOwner(_) => "nothing was changed; its owner has to install it",
            Self::WritableByEveryone(_) => {
                "nothing was changed; take the right to write from others with `chmod o-w`"
            }
            Self::TooLong(_) | Self::NotText(_) => "nothing was changed; see what the file holds",
            Self::Changed(_) => "try again",
            Self::System { .. } => {
                "see who owns the file and whether the disk is full or read-only"
            }
        }
    }
}

/// A file as it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where.
    pub located: Located,
    /// What it held; `None` where there is none.
    pub text: Option<String>,
    /// Its mode.
    mode: Option<u32>,
}

/// Looks at a file, and at every directory from the base on.
///
/// # Errors
/// [`FileError`], where it is nothing to touch.
pub fn look(located: &Located) -> Result<Found, FileError> {
    let absent = || Found { located: located.clone(), text: None, mode: None };
    let path = &located.path;
    for directory in directories(located) {
        match metadata(&directory)? {
            None => return Ok(absent()),
            Some(metadata) if !metadata.is_dir() => {
                return Err(FileError::NotADirectory(directory));
            }
            Some(metadata) => sound(&directory, &metadata)?,
        }
    }
    let Some(found) = metadata(path)? else { return Ok(absent()) };
    if !found.is_file() {
        return Err(FileError::NotAFile(path.clone()));
    }
    sound(path, &found)?;
    let failed = |source| FileError::System { path: path.clone(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(FileError::TooLong(path.clone()));
    }
    let text = String::from_utf8(bytes).map_err(|_| FileError::NotText(path.clone()))?;
    Ok(Found { text: Some(text), mode: mode(&found), ..absent() })
}

/// Puts a text in a file's place; gives the directories that were made for it, the outermost first.
///
/// # Errors
/// Nothing was changed then, except for directories that were made.
pub fn replace(found: &Found, text: &str, executable: bool) -> Result<Vec<PathBuf>, FileError> {
    let path = &found.located.path;
    let failed = |source| FileError::System { path: path.clone(), source };
    let made = make_directories(&found.located)?;
    let parent = path.parent().ok_or_else(|| FileError::NotAFile(path.clone()))?;
    let temporary = parent.join(temporary_name(path).map_err(failed)?);
    let default = if executable { 0o755 } else { 0o644 };
    let written = write(&temporary, text, found.mode, default).and_then(|()| {
        if unchanged(found) {
            fs::rename(&temporary, path)
        } else {
            Err(io::ErrorKind::ResourceBusy.into())
        }
    });
    match written {
        Ok(()) => {
            settle(parent);
            Ok(made)
        }
        Err(error) => {
            let _ = fs::remove_file(&temporary);
            Err(if error.kind() == io::ErrorKind::ResourceBusy {
                FileError::Changed(path.clone())
            } else {
                failed(error)
            })
        }
    }
}

/// Takes a file away, and those of `directories` that are empty then.
///
/// # Errors
/// Nothing was changed then.
pub fn take_away(found: &Found, directories: &[PathBuf]) -> Result<(), FileError> {
    let path = &found.located.path;
    if !unchanged(found) {
        return Err(FileError::Changed(path.clone()));
    }
    fs::remove_file(path).map_err(|source| FileError::System { path: path.clone(), source })?;
    if let Some(parent) = path.parent() {
        settle(parent);
    }
    for directory in directories.iter().rev() {
        // One that holds something, of somebody else's, stays.
        let _ = fs::remove_dir(directory);
    }
    Ok(())
}

/// The directories from the base to a file.
fn directories(located: &Located) -> Vec<PathBuf> {
    let mut directory = located.base.clone();
    let mut all = vec![directory.clone()];
    let below = located.path.strip_prefix(&located.base).unwrap_or(Path::new(""));
    for part in below.parent().into_iter().flat_map(Path::components) {
        if let Component::Normal(name) = part {
            directory.push(name);
            all.push(directory.clone());
        }
    }
    all
}

fn metadata(path: &Path) -> Result<Option<fs::Metadata>, FileError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(FileError::SymbolicLink {
            path: path.to_owned(),
            target: fs::read_link(path).unwrap_or_default(),
        }),
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FileError::System { path: path.to_owned(), source }),
    }
}

fn sound(path: &Path, metadata: &fs::Metadata) -> Result<(), FileError> {
    if open_to_everyone(metadata) {
        return Err(FileError::WritableByEveryone(path.to_owned()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(FileError::ForeignOwner(path.to_owned()));
        }
    }
    Ok(())
}

fn mode(metadata: &fs::Metadata) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some(metadata.mode() & 0o7777)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

fn make_directories(located: &Located) -> Result<Vec<PathBuf>, FileError> {
    let mut made = Vec::new();
    for directory in directories(located) {
        if metadata(&directory)?.is_none() {
            fs::create_dir(&directory)
                .map_err(|source| FileError::System { path: directory.clone(), source })?;
            made.push(directory);
        }
    }
    Ok(made)
}

fn temporary_name(path: &Path) -> io::Result<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let random = data_encoding::HEXLOWER.encode(&platform::random::<6>()?);
    Ok(format!(".{name}.{random}.tmp"))
}

fn write(path: &Path, text: &str, mode: Option<u32>, default: u32) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // What the file had is given before anything is in it; a new one has what the user's mask leaves of the default.
        options.mode(if mode.is_some() { 0o600 } else { default });
    }
    let mut file = options.open(path)?;
    #[cfg(unix)]
    if let Some(mode) = mode {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = (mode, default);
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn unchanged(found: &Found) -> bool {
    look(&found.located).is_ok_and(|now| now.text == found.text)
}

/// Makes a change of names in a directory durable.
fn settle(directory: &Path) {
    if let Ok(directory) = File::open(directory) {
        // The change is made; that it may be lost with the power is all that can go wrong.
        let _ = directory.sync_all();
    }
}
