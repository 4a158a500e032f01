//! Where trials are kept. Owns their places, that nobody else can look into them or change them, how many there are, and the lock under which
//! one of them is taken over.

use std::{
    fs::{self, File},
    io,
    os::{
        fd::AsFd as _,
        unix::fs::{DirBuilderExt as _, MetadataExt as _},
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::fs::FlockOperation;
use sha2::{Digest as _, Sha256};

use super::{Trial, VERSION};
use crate::{own_key::Key, platform, private, tree::Root};

/// Where trials lie that may not lie below the home.
const BESIDE: &str = "/var/tmp";

/// How many trials are kept; the oldest goes first.
const MOST_TRIALS: usize = 20;

/// How long a trial is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The longest that is kept of a trial.
const LONGEST: u64 = 256 << 20;

/// What is kept of a trial, beside its layers.
const TRIAL: &str = "trial.json";

/// Held as long as a trial runs, so that nobody takes it for one that was killed.
const RUNNING: &str = "running";

/// Why a trial cannot be found or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Every place lies in what the command may change.
    #[error(
        "trials cannot be kept apart: every place for them lies in what the command may change"
    )]
    NoPlace,
    /// There is none of that name.
    #[error("there is no trial `{0}`")]
    Unknown(String),
    /// There are several of that name.
    #[error("several trials begin with `{0}`")]
    Several(String),
    /// What was kept cannot be believed.
    #[error("what was kept of the trial `{id}` cannot be used: {source}")]
    Unbelievable {
        /// Which.
        id: String,
        /// Why not.
        source: private::Unbelievable,
    },
    /// The system refuses.
    #[error("`{}` cannot be used: {source}", path.display())]
    System {
        /// The place.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// The directories in which trials lie.
#[derive(Clone, Debug)]
pub struct Places(Vec<PathBuf>);

/// One trial's directory.
#[derive(Debug)]
pub struct Place {
    /// The directory.
    pub path: PathBuf,
    /// Its name.
    pub id: String,
    /// Where the key lies that vouches for what is kept of it.
    pub(super) key: PathBuf,
}

/// A trial whose directory is there, and that never ended: it runs, or was killed.
#[derive(Debug)]
pub struct Unfinished {
    place: Place,
    _running: File,
}

impl Places {
    /// The usual places: below the state directory, and for what may not lie there where temporary files outlive a restart.
    #[must_use]
    pub fn usual(state: Option<&Path>) -> Self {
        let user = rustix::process::geteuid().as_raw();
        // Each state directory has its own, as it has its own record.
        let whose = state.map(|state| state.as_os_str().as_encoded_bytes()).unwrap_or_default();
        let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(whose));
        let hash = hash.get(..16).unwrap_or_default();
        let beside = PathBuf::from(format!("{BESIDE}/portcullis-{user}-{hash}"));
        let state = state.map(|state| state.join("trials"));
        Self(state.into_iter().chain([beside.join("trials")]).collect())
    }

    /// This place alone.
    #[cfg(test)]
    pub(super) fn at(place: PathBuf) -> Self {
        Self(vec![place])
    }

    /// What a program must not look into.
    #[must_use]
    pub fn all(&self) -> &[PathBuf] {
        &self.0
    }

    /// A directory for a new trial, apart from everything that may be changed.
    ///
    /// # Errors
    /// Where there is none, or somebody else could change it.
    pub fn new_trial(&self, roots: &[PathBuf]) -> Result<Unfinished, StoreError> {
        let apart = self.0.iter().find(|place| {
            let place = platform::real(place);
            !roots.iter().any(|root| place.starts_with(root) || root.starts_with(&place))
        });
        let folder = apart.ok_or(StoreError::NoPlace)?;
        let system = |source| StoreError::System { path: folder.clone(), source };
        // Whoever tidies up meanwhile would take it for one that was killed.
        let _lock = self.lock()?;
        secure(folder).map_err(system)?;
        let bytes: [u8; 4] = platform::random().map_err(system)?;
        let id = data_encoding::HEXLOWER.encode(&bytes);
        let path = folder.join(&id);
        fs::DirBuilder::new().mode(0o700).create(&path).map_err(system)?;
        let running = path.join(RUNNING);
        platform::create_private_file(&running).map_err(system)?;
        let running = platform::open_to_change(&running).map_err(system)?;
        rustix::fs::flock(running.as_fd(), FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| system(error.into()))?;
        let key = self.key();
        Ok(Unfinished { place: Place { path, id, key }, _running: running })
    }

    /// The first place, which is below the state directory where there is one. What lies elsewhere is vouched for with what lies there.
    fn key(&self) -> PathBuf {
        self.0.first().cloned().unwrap_or_default()
    }

    /// The trials that have ended, the newest last.
    pub fn list(&self) -> Vec<Place> {
        let mut found = Vec::new();
        for folder in self.0.iter().filter(|folder| is_ours(folder)) {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let name = name.to_string_lossy().into_owned();
                let kept = fs::symlink_metadata(path.join(TRIAL)).and_then(|kept| kept.modified());
                if let (Ok(time), true) = (kept, is_id(&name)) {
                    found.push((time, Place { path, id: name, key: self.key() }));
                }
            }
        }
        found.sort_by_key(|(time, _)| *time);
        found.into_iter().map(|(_, place)| place).collect()
    }

    /// The trial of a name, of its beginning, or the `last` one.
    ///
    /// # Errors
    /// Where there is none, or several are meant.
    pub fn find(&self, name: &str) -> Result<Place, StoreError> {
        let mut all = self.list();
        if name == "last" {
            return all.pop().ok_or_else(|| StoreError::Unknown(name.to_owned()));
        }
        let mut found =
            all.into_iter().filter(|place| !name.is_empty() && place.id.starts_with(name));
        match (found.next(), found.next()) {
            (Some(place), None) => Ok(place),
            (Some(_), Some(_)) => Err(StoreError::Several(name.to_owned())),
            (None, _) => Err(StoreError::Unknown(name.to_owned())),
        }
    }

    /// Forgets what is old, what is too many, and what killed trials left. One that is being taken over stays.
    pub fn tidy(&self) {
        // Without it nothing is known to be over; the next one tidies up.
        let Ok(_lock) = self.lock() else { return };
        let all = self.list();
        let now = SystemTime::now();
        let too_many = all.len().saturating_sub(MOST_TRIALS);
        for (at, place) in all.iter().enumerate() {
            let kept =
                fs::symlink_metadata(place.path.join(TRIAL)).and_then(|kept| kept.modified());
            let age = kept.ok().and_then(|time| now.duration_since(time).ok());
            let is_old = age.is_some_and(|age| age > KEPT);
            if (is_old || at < too_many) && !place.has_journal() {
                let _ = place.remove();
            }
        }
        for folder in self.0.iter().filter(|folder| is_ours(folder)) {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let id = entry.file_name().to_string_lossy().into_owned();
                if !is_id(&id) || fs::symlink_metadata(path.join(TRIAL)).is_ok() {
                    continue;
                }
                let place = Place { path, id, key: self.key() };
                // Whoever runs it holds the lock; before it does there is nothing in it that counts.
                let free =
                    platform::open_to_change(&place.path.join(RUNNING)).is_ok_and(|running| {
                        rustix::fs::flock(&running, FlockOperation::NonBlockingLockExclusive)
                            .is_ok()
                    });
                if free {
                    let _ = place.remove();
                }
            }
        }
    }

    /// The lock under which files are taken over: one at a time. It is waited for.
    ///
    /// # Errors
    /// What the system says.
    pub fn lock(&self) -> Result<File, StoreError> {
        let folder = self.0.first().ok_or(StoreError::NoPlace)?;
        let system = |source| StoreError::System { path: folder.clone(), source };
        secure(folder).map_err(system)?;
        let path = folder.join("lock");
        platform::create_private_file(&path).map_err(system)?;
        let lock = platform::open_to_change(&path).map_err(system)?;
        rustix::fs::flock(&lock, FlockOperation::LockExclusive)
            .map_err(|error| system(error.into()))?;
        Ok(lock)
    }
}

impl Unfinished {
    /// Where it lies.
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// A new directory in it.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn folder(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.place.path.join(name);
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    }

    /// Keeps what came of it.
    ///
    /// # Errors
    /// Where it cannot be written; then it is forgotten when somebody tidies up.
    pub fn keep(self, trial: &Trial) -> Result<Place, StoreError> {
        let system = |source| StoreError::System { path: self.place.path.clone(), source };
        self.place
            .write(TRIAL, &serde_json::to_vec(trial).map_err(|error| system(error.into()))?)
            .map_err(system)?;
        let _ = fs::remove_file(self.place.path.join(RUNNING));
        Ok(self.place)
    }

    /// Leaves nothing of it.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget(self) -> io::Result<()> {
        self.place.remove()
    }
}

impl Place {
    /// What was kept.
    ///
    /// # Errors
    /// Where it cannot be believed.
    pub fn read(&self) -> Result<Trial, StoreError> {
        let failed = |source| StoreError::Unbelievable { id: self.id.clone(), source };
        let bytes = self.vouched(TRIAL).map_err(failed)?;
        let trial: Trial = serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?;
        if trial.v != VERSION || trial.id != self.id {
            return Err(failed(private::Unbelievable::Changed));
        }
        Ok(trial)
    }

    /// Keeps it anew, with what is left of it.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn rewrite(&self, trial: &Trial) -> Result<(), StoreError> {
        let system = |source| StoreError::System { path: self.path.clone(), source };
        let text = serde_json::to_vec(trial).map_err(|error| system(error.into()))?;
        self.write(TRIAL, &text).map_err(system)
    }

    /// Writes a file of it that nobody else can have written.
    pub(super) fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        if text.len() as u64 > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Key::of(&self.key)?.write_vouched(&self.path.join(name), &self.kind(name), text)
    }

    /// Reads a file of it, where it is one that we wrote.
    pub(super) fn vouched(&self, name: &str) -> Result<Vec<u8>, private::Unbelievable> {
        Key::of(&self.key)?.read_vouched(&self.path.join(name), &self.kind(name), LONGEST)
    }

    /// A file is one of this trial and of this name alone.
    fn kind(&self, name: &str) -> String {
        format!("portcullis trial {} {name}", self.id)
    }

    /// Whether it was being taken over when somebody was killed.
    #[must_use]
    pub fn has_journal(&self) -> bool {
        fs::symlink_metadata(self.path.join(super::journal::JOURNAL)).is_ok()
    }

    /// Leaves nothing of it.
    ///
    /// # Errors
    /// What the system says of the first that stays.
    pub fn remove(&self) -> io::Result<()> {
        // What makes it one goes first: a part of a trial is none.
        match fs::remove_file(self.path.join(TRIAL)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let folder = self.path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let name = self.path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Root::open(folder)?.remove_all(Path::new(name))?;
        if folder.starts_with(BESIDE) {
            // As long as there are others, they stay.
            let _ = fs::remove_dir(folder)
                .and_then(|()| fs::remove_dir(folder.parent().unwrap_or(folder)));
        }
        Ok(())
    }
}

fn is_id(name: &str) -> bool {
    name.len() == 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a directory is there, and nobody else's.
fn is_ours(folder: &Path) -> bool {
    fs::symlink_metadata(folder)
        .is_ok_and(|found| found.is_dir() && platform::insecurity(&found).is_none())
}

/// Makes a directory for this user alone, where it is missing, and the one above it, which may lie where everybody writes.
fn secure(folder: &Path) -> io::Result<()> {
    let above = folder.parent().ok_or(io::ErrorKind::InvalidInput)?;
    for place in [above, folder] {
        platform::create_private_directory(place)?;
        let found = fs::symlink_metadata(place)?;
        if let Some(insecurity) = platform::insecurity(&found) {
            return Err(io::Error::other(insecurity));
        }
        if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
    }
    Ok(())
}
