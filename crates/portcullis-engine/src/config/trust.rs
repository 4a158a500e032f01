//! Which projects' files a person trusted. Owns the store: one small file for each, named after what it pins. It asks nobody.
//!
//! A pin says that the file at a path was trusted with exactly these bytes. Any change of the file ends that, and so does a
//! pin that somebody else could have written.

use std::{
    fs, io,
    io::Read as _,
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    audit::time_text,
    platform::{self, Insecurity},
    private,
};

/// The directory of pins below the one for state.
const DIRECTORY: &str = "trust";

/// The version of a pin's format.
const VERSION: u32 = 1;

/// The most bytes of a pin: a path and a few words.
const LONGEST: u64 = 1 << 16;

/// The most pins that are listed.
const MOST: usize = 10_000;

/// What a person trusted.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The version of this format.
    pub v: u32,
    /// The file, without links.
    pub path: PathBuf,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// When.
    pub time: String,
    /// Who.
    pub by: String,
}

/// How a file stands with the store.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Standing {
    /// A person trusted exactly these bytes.
    Trusted,
    /// Nobody trusted it.
    Untrusted,
    /// A person trusted other bytes at this path.
    Changed,
    /// There is a pin that cannot be believed, for this reason.
    Doubtful(String),
}

/// Why the store could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The environment names no directory for state.
    #[error("there is no directory for state: neither `PORTCULLIS_STATE_DIR` nor `HOME` is set")]
    NoDirectory,
    /// The system says no.
    #[error("cannot use `{path}`: {source}")]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Somebody else could have written it.
    #[error("refusing `{path}`: {reason}")]
    Insecure {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: Insecurity,
    },
    /// It is not a file that only this user may read and write.
    #[error("refusing `{path}`: it is not a file of this user alone")]
    NotPrivate {
        /// Which.
        path: PathBuf,
    },
    /// It is not a pin.
    #[error("`{path}` is damaged: {problem}")]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Whoever wrote the project could have written the store.
    #[error("refusing `{path}`: it lies in the project that it is about")]
    InsideTheProject {
        /// Which.
        path: PathBuf,
    },
}

/// The pins of one user.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Trust {
    directory: PathBuf,
}

impl Trust {
    /// The store in a directory for state.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self { directory: state.join(DIRECTORY) }
    }

    /// How a file stands that has these bytes.
    #[must_use]
    pub fn standing(&self, path: &Path, sha256: &str) -> Standing {
        match self.pin_of(path) {
            Ok(None) => Standing::Untrusted,
            Ok(Some(pin)) if pin.sha256 == sha256 => Standing::Trusted,
            Ok(Some(_)) => Standing::Changed,
            Err(error) => Standing::Doubtful(error.to_string()),
        }
    }

    /// What is pinned at a path.
    ///
    /// # Errors
    /// When there is a pin that cannot be believed.
    pub fn pin_of(&self, path: &Path) -> Result<Option<Pin>, TrustError> {
        let file = self.file_of(path);
        match fs::symlink_metadata(&file) {
            Err(error) if is_absent(&error) => return Ok(None),
            Err(source) => return Err(TrustError::Unusable { path: file, source }),
            Ok(metadata) => check_private(&file, &metadata)?,
        }
        self.check_directory(path)?;
        let pin = read(&file)?;
        if pin.path != path {
            let problem = format!("it is about `{}`", pin.path.display());
            return Err(TrustError::Damaged { path: file, problem });
        }
        Ok(Some(pin))
    }

    /// Pins the file at a path with these bytes.
    ///
    /// # Errors
    /// When the pin cannot be written; nothing is trusted then that was not before.
    pub fn pin(&self, path: &Path, sha256: &str, by: &str) -> Result<Pin, TrustError> {
        let unusable = |path: &Path| {
            let path = path.to_owned();
            move |source| TrustError::Unusable { path, source }
        };
        platform::create_private_directory(&self.directory).map_err(unusable(&self.directory))?;
        self.check_directory(path)?;
        let pin = Pin {
            v: VERSION,
            path: path.to_owned(),
            sha256: sha256.to_owned(),
            time: time_text(Timestamp::now()),
            by: by.to_owned(),
        };
        let file = self.file_of(path);
        let text = serde_json::to_string(&pin).map_err(|error| TrustError::Damaged {
            path: file.clone(),
            problem: error.to_string(),
        })?;
        private::write(&file, text.as_bytes()).map_err(unusable(&file))?;
        sync_directory(&self.directory).map_err(unusable(&self.directory))?;
        Ok(pin)
    }

    /// Forgets the file at a path; `false` where nothing was pinned.
    ///
    /// # Errors
    /// When the pin is still there.
    pub fn revoke(&self, path: &Path) -> Result<bool, TrustError> {
        let file = self.file_of(path);
        match fs::remove_file(&file) {
            Ok(()) => {
                sync_directory(&self.directory).map_err(|source| TrustError::Unusable {
                    path: self.directory.clone(),
                    source,
                })?;
                Ok(true)
            }
            Err(error) if is_absent(&error) => Ok(false),
            Err(source) => Err(TrustError::Unusable { path: file, source }),
        }
    }

    /// Every pin, by path, and what looks like one and cannot be believed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn list(&self) -> Result<(Vec<Pin>, Vec<TrustError>), TrustError> {
        let unusable = |source| TrustError::Unusable { path: self.directory.clone(), source };
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if is_absent(&error) => return Ok((Vec::new(), Vec::new())),
            other => other.map_err(unusable)?,
        };
        let (mut pins, mut doubtful) = (Vec::new(), Vec::new());
        for entry in entries.take(MOST) {
            let file = entry.map_err(unusable)?.path();
            if file.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let pin = fs::symlink_metadata(&file)
                .map_err(|source| TrustError::Unusable { path: file.clone(), source })
                .and_then(|metadata| check_private(&file, &metadata))
                .and_then(|()| read(&file))
                .and_then(|pin| match self.pin_of(&pin.path) {
                    Ok(Some(same)) if same == pin => Ok(pin),
                    Err(error) => Err(error),
                    Ok(_) => Err(TrustError::Damaged {
                        path: file.clone(),
                        problem: "its name is not the one of what it pins".to_owned(),
                    }),
                });
            match pin {
                Ok(pin) => pins.push(pin),
                Err(error) => doubtful.push(error),
            }
        }
        pins.sort_by(|one, other| one.path.cmp(&other.path));
        Ok((pins, doubtful))
    }

    /// The name is a hash, so that no path is too long or too strange for it.
    fn file_of(&self, path: &Path) -> PathBuf {
        let name = HEXLOWER.encode(&Sha256::digest(path.as_os_str().as_encoded_bytes()));
        self.directory.join(format!("{name}.json"))
    }

    /// The directory belongs to this user alone, and lies outside of the project: there, its author could have brought it.
    fn check_directory(&self, project: &Path) -> Result<(), TrustError> {
        let directory = &self.directory;
        let unusable = |source| TrustError::Unusable { path: directory.clone(), source };
        let metadata = fs::symlink_metadata(directory).map_err(unusable)?;
        if let Some(reason) = platform::insecurity(&metadata) {
            return Err(TrustError::Insecure { path: directory.clone(), reason });
        }
        let real = fs::canonicalize(directory).map_err(unusable)?;
        if project.parent().is_some_and(|workspace| real.starts_with(workspace)) {
            return Err(TrustError::InsideTheProject { path: directory.clone() });
        }
        Ok(())
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A regular file that this user alone may read and write: what came with a checkout never is.
fn check_private(path: &Path, metadata: &fs::Metadata) -> Result<(), TrustError> {
    if let Some(reason) = platform::insecurity(metadata) {
        return Err(TrustError::Insecure { path: path.to_owned(), reason });
    }
    #[cfg(unix)]
    let shared = {
        use std::os::unix::fs::MetadataExt as _;
        metadata.mode() & 0o077 != 0
    };
    #[cfg(not(unix))]
    let shared = false;
    if shared || !metadata.is_file() {
        return Err(TrustError::NotPrivate { path: path.to_owned() });
    }
    Ok(())
}

fn read(path: &Path) -> Result<Pin, TrustError> {
    let unusable = |source| TrustError::Unusable { path: path.to_owned(), source };
    let damaged = |problem: String| TrustError::Damaged { path: path.to_owned(), problem };
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|file| file.take(LONGEST).read_to_string(&mut text))
        .map_err(unusable)?;
    let pin: Pin = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    if pin.v != VERSION {
        return Err(damaged(format!("its version is {}, and {VERSION} is known", pin.v)));
    }
    Ok(pin)
}

/// Makes a new name, or a lost one, last.
fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(path)?.sync_all() } else { Ok(()) }
}
