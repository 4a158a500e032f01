//! A record that nobody has open, read without leaving anything beside it. Owns the copy that is read where its log was left behind.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::platform;

/// The ends of the names of what SQLite keeps beside a database.
pub(super) const BESIDE: [&str; 2] = ["-wal", "-shm"];

pub(super) fn beside_of(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Whether nothing can be written beside a file.
pub(super) fn is_resting(path: &Path) -> bool {
    #[cfg(unix)]
    {
        let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        rustix::fs::access(directory, rustix::fs::Access::WRITE_OK).is_err()
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// A copy of a database in a directory of its own, which goes with this.
#[derive(Debug)]
pub(super) struct Copied {
    directory: PathBuf,
    pub(super) database: PathBuf,
}

impl Copied {
    /// In the first directory for temporary files that can be written.
    pub(super) fn of(path: &Path, log: &Path) -> io::Result<Self> {
        let first = std::env::temp_dir();
        let further = ["/tmp", "/var/tmp", "/dev/shm"].into_iter().map(PathBuf::from);
        let mut refused = None;
        for folder in std::iter::once(first).chain(further.filter(|_| cfg!(unix))) {
            match Self::within(&folder, path, log) {
                Ok(copied) => return Ok(copied),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }

    fn within(folder: &Path, path: &Path, log: &Path) -> io::Result<Self> {
        let random = data_encoding::HEXLOWER.encode(&platform::random::<8>()?);
        let directory = folder.join(format!("portcullis-read-{random}"));
        platform::create_private_directory(&directory)?;
        let copied = Self { database: directory.join("audit.db"), directory };
        for (from, to) in
            [(path, copied.database.clone()), (log, beside_of(&copied.database, BESIDE[0]))]
        {
            platform::create_private_file(&to)?;
            io::copy(&mut fs::File::open(from)?, &mut fs::File::options().write(true).open(to)?)?;
        }
        Ok(copied)
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        // What stays is for this user alone.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
