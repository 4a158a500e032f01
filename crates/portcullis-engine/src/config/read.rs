//! A file's bytes, where they may be believed. Owns who may own and write a file of a layer, and how much of it is read; what
//! is in it, others know.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    path::Path,
};

use super::{ConfigError, Layer, MAX_BYTES};
use crate::platform::{self, Managed};

/// The text of a layer's file; `None` where there is none.
pub(super) fn text(
    path: &Path,
    layer: Layer,
    managed: Option<&Managed>,
) -> Result<Option<String>, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let file = match open(path, layer) {
        Ok(file) => file,
        Err(error) => {
            return match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
                _ if layer != Layer::User && platform::is_link_error(&error) => {
                    Err(ConfigError::SymbolicLink { path: path.to_owned() })
                }
                _ => Err(unreadable(error)),
            };
        }
    };
    // Of the opened file, so that nothing can be put in its place between this look and the reading.
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(ConfigError::NotAFile { path: path.to_owned() });
    }
    if let Some(managed) = managed {
        check_managed(path, &metadata, managed)?;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // What everyone may write, an agent may write.
        if metadata.mode() & 0o002 != 0 {
            return Err(ConfigError::WritableByEveryone { path: path.to_owned() });
        }
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ConfigError::TooLong { path: path.to_owned() });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(ConfigError::NotText { path: path.to_owned() }),
    }
}

/// Opens without waiting: a pipe that nobody writes to would hold up the gate. A link is followed only where the user has put it:
/// one in a project could lead to a file whose text no agent may see.
fn open(path: &Path, layer: Layer) -> io::Result<File> {
    if layer != Layer::User {
        return platform::open_without_following(path);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK.bits();
        options.custom_flags(i32::try_from(flags).map_err(io::Error::other)?);
    }
    options.open(path)
}

/// The managed file and its directory belong to the administrator, and nobody else can write to either: who can put another
/// file in its place has written it.
#[cfg(unix)]
fn check_managed(path: &Path, file: &fs::Metadata, managed: &Managed) -> Result<(), ConfigError> {
    use std::os::unix::fs::MetadataExt as _;
    let directory = fs::metadata(&managed.directory)
        .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    let safe =
        |metadata: &fs::Metadata| metadata.uid() == managed.owner && metadata.mode() & 0o022 == 0;
    if safe(file) && safe(&directory) {
        return Ok(());
    }
    Err(ConfigError::NotOfTheAdministrator { path: path.to_owned() })
}

#[cfg(not(unix))]
fn check_managed(_: &Path, _: &fs::Metadata, _: &Managed) -> Result<(), ConfigError> {
    Ok(())
}
