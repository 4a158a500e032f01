//! What was there before us. Owns the list of the files that we changed, with what they held before and the hash of what we
//! left; it lies in the state directory, readable by this user alone, because settings can hold keys.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    account::Account,
    audit, hooked,
    platform::{self, Directories},
};

/// Our directory in the state directory.
const DIRECTORY: &str = "install";

/// The list.
const LIST: &str = "manifest.json";

/// The version of the list.
const VERSION: u32 = 1;

/// How long another one that installs is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most bytes of a list.
const MAX_BYTES: u64 = 4 << 20;

/// Why the list cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The state directory cannot be used.
    #[error(transparent)]
    State(#[from] audit::AuditError),
    /// The system says no.
    #[error("cannot use `{path}`: {source}")]
    System {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not what we wrote.
    #[error("`{0}` is not a list of ours")]
    Foreign(PathBuf),
    /// Another process installs.
    #[error("another process is installing: `{0}` is locked")]
    Locked(PathBuf),
}

/// The list, held by this process alone until it is dropped.
#[derive(Debug)]
pub struct Manifest {
    directory: PathBuf,
    files: Vec<Kept>,
    _lock: Option<File>,
}

/// What is known of a file that we changed.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Its path.
    pub path: String,
    /// The agents whose entries are in it.
    pub agents: Vec<String>,
    /// The hash of what it held before us, under which that is kept; nothing where there was no file.
    pub before: Option<String>,
    /// The hash of what we left.
    pub after: String,
    /// The directories that were made for it, the outermost first.
    pub directories: Vec<PathBuf>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct List {
    v: u32,
    files: Vec<Kept>,
}

impl Manifest {
    /// Opens the list of a state directory for changing it.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn open(state: &Path) -> Result<Self, ManifestError> {
        audit::secure_directory(state)?;
        let directory = state.join(DIRECTORY);
        audit::secure_directory(&directory)?;
        let lock = locked(&directory.join("lock"))?;
        Ok(Self { _lock: Some(lock), ..Self::read(state)? })
    }

    /// Reads the list of a state directory; an empty one where there is none.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn read(state: &Path) -> Result<Self, ManifestError> {
        let directory = state.join(DIRECTORY);
        let path = directory.join(LIST);
        let files = match bounded(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(ManifestError::System { path, source }),
            Ok(bytes) => match serde_json::from_slice::<List>(&bytes) {
                Ok(List { v: VERSION, files }) => files,
                _ => return Err(ManifestError::Foreign(path)),
            },
        };
        Ok(Self { directory, files, _lock: None })
    }

    /// What is known of a file.
    #[must_use]
    pub fn kept(&self, path: &Path) -> Option<&Kept> {
        self.files.iter().find(|kept| Path::new(&kept.path) == path)
    }

    /// The directories above a file that were made for other files of ours, the outermost first.
    #[must_use]
    pub fn directories_above(&self, path: &Path) -> Vec<PathBuf> {
        let all = self.files.iter().flat_map(|kept| &kept.directories);
        let mut above: Vec<PathBuf> =
            all.filter(|directory| path.starts_with(directory)).cloned().collect();
        above.sort();
        above.dedup();
        above
    }

    /// What a file held before us, as far as it is still kept unchanged.
    #[must_use]
    pub fn before(&self, kept: &Kept) -> Option<String> {
        let hash = kept.before.as_ref()?;
        let bytes = bounded(&self.backup(hash)).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        (digest(&text) == *hash).then_some(text)
    }

    /// Keeps what a file held.
    ///
    /// # Errors
    /// When it cannot be written; nothing may be changed then.
    pub fn keep(&self, text: &str) -> Result<String, ManifestError> {
        let hash = digest(text);
        let path = self.backup(&hash);
        platform::create_private_directory(&self.directory.join("backups"))
            .and_then(|()| written(&path, text.as_bytes()))
            .map_err(|source| ManifestError::System { path, source })?;
        Ok(hash)
    }

    /// Notes what is known of a file in the place of what was known, and writes the list.
    ///
    /// # Errors
    /// When it cannot be written; nothing may be changed then.
    pub fn note(&mut self, kept: Kept) -> Result<(), ManifestError> {
        self.files.retain(|known| known.path != kept.path);
        if !kept.agents.is_empty() {
            self.files.push(kept);
        }
        self.write()
    }

    fn write(&self) -> Result<(), ManifestError> {
        let path = self.directory.join(LIST);
        let list = List { v: VERSION, files: self.files.clone() };
        let failed = |source| ManifestError::System { path: path.clone(), source };
        let bytes = serde_json::to_vec_pretty(&list).map_err(|error| failed(error.into()))?;
        written(&path, &bytes).map_err(failed)?;
        if let Some(state) = self.directory.parent() {
            let paths: Vec<&str> = self.files.iter().map(|kept| kept.path.as_str()).collect();
            hooked::write(state, &paths, configuration_elsewhere().as_deref())
                .map_err(|source| ManifestError::System { path: hooked::list(state), source })?;
        }
        self.forget();
        Ok(())
    }

    /// Removes what is kept for no file any more.
    fn forget(&self) {
        let Ok(entries) = fs::read_dir(self.directory.join("backups")) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_kept = |kept: &Kept| kept.before.as_deref().is_some_and(|hash| name == *hash);
            if !self.files.iter().any(is_kept) {
                // One that stays costs a few bytes.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn backup(&self, hash: &str) -> PathBuf {
        // A hash of a foreign list must not lead anywhere else.
        let name: String = hash.chars().filter(char::is_ascii_hexdigit).collect();
        self.directory.join("backups").join(name)
    }
}

/// The SHA-256 of a text, in hexadecimal digits.
#[must_use]
pub fn digest(text: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(text))
}

fn bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// The directory of the configuration, where whoever installs has it in another place than the account's usual one.
fn configuration_elsewhere() -> Option<PathBuf> {
    let named = Directories::from_environment();
    let usual = Directories::usual(&Account::of_process()?.home?);
    named.configuration.filter(|named| Some(named) != usual.configuration.as_ref())
}

/// Writes a file of ours, for this user alone, in one step.
fn written(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let temporary = PathBuf::from(temporary);
    let _left_over = fs::remove_file(&temporary);
    platform::create_private_file(&temporary)?;
    let mut file = fs::OpenOptions::new().write(true).open(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

fn locked(path: &Path) -> Result<File, ManifestError> {
    let failed = |source| ManifestError::System { path: path.to_owned(), source };
    platform::create_private_file(path).map_err(failed)?;
    let file = fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) if Instant::now() < until => {
                thread::sleep(Duration::from_millis(20));
            }
            Err(fs::TryLockError::WouldBlock) => {
                return Err(ManifestError::Locked(path.to_owned()));
            }
            Err(fs::TryLockError::Error(source)) => return Err(failed(source)),
        }
    }
}
