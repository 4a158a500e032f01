//! The record of what was judged, answered and done: appended to, chained by hashes, and verifiable. Owns where it is kept
//! and that nothing enters it unredacted; it judges nothing, and what happens to a call that cannot be recorded is for the
//! configuration to say.
//!
//! ```text
//! Entry ──redact, cut──► Body ──link──► Record ──► store (SQLite)   then   head file
//! ```

pub mod checkpoint;
#[cfg(test)]
mod contract;
mod entry;
mod error;
pub mod export;
mod files;
mod fitted;
mod head;
pub mod merkle;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod row;
pub(crate) mod schema;
pub mod segment;
pub(crate) mod sqlite;
mod store;
pub mod summary;
mod together;
mod verify;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

pub(crate) use entry::fit;
pub use entry::{
    Body, Entry, Hash, Kind, MAX_PREVIEW, MAX_TEXT, NotAHash, RECORD_VERSION, Record, time_text,
};
pub use error::AuditError;
pub use files::{Content, File, Files, MAX_FILES};
pub use head::{HeadFile, Witness, head_path};
#[cfg(feature = "postgres")]
pub use postgres::{BadDatabase, Database};
pub use sqlite::{FORMAT, SqliteStore};
pub use store::{
    Anchor, Appended, Chain, Ends, Filter, Store, TREE_HEAD, Trace, Visitor, Whose, digest_of_ends,
    end_line, genesis_of, read_end,
};
use together::Unsynced;
pub use verify::{MAX_PROBLEMS, Place, Problem, Segments, Verification};

use crate::platform::{self, Directories};

/// The record of one state directory.
pub struct Log {
    store: Box<dyn Store + Send>,
    /// What vouches for its end, where that is kept beside it.
    head: Option<HeadFile>,
    directory: PathBuf,
    /// What is appended and not yet synced, where that is not done for each record.
    unsynced: Option<Unsynced>,
}

impl Log {
    /// Opens the record in a directory for appending; both are made where they are missing, for this user alone.
    ///
    /// # Errors
    /// When anyone else could change the record, or it cannot be opened.
    pub fn open(directory: &Path) -> Result<Self, AuditError> {
        secure_directory(directory)?;
        let database = database_path(directory);
        let head = HeadFile::new(head_path(directory));
        // Before the database: then a database without its head is one whose head was taken away.
        if !database.exists() {
            head.create()?;
        }
        let store = Box::new(SqliteStore::open(&database)?);
        Ok(Self { store, head: Some(head), directory: directory.to_owned(), unsynced: None })
    }

    /// Opens the record in a directory for reading.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened.
    pub fn read(directory: &Path) -> Result<Self, AuditError> {
        let store = Box::new(SqliteStore::read(&database_path(directory))?);
        let head = HeadFile::new(head_path(directory));
        Ok(Self { store, head: Some(head), directory: directory.to_owned(), unsynced: None })
    }

    /// A record that is kept elsewhere than in a directory; with what vouches for its end, where that is known here.
    #[must_use]
    pub fn over(store: Box<dyn Store + Send>, head: Option<HeadFile>) -> Self {
        Self { store, head, directory: PathBuf::new(), unsynced: None }
    }

    /// Takes records out and records that, as [`Log::append`] does.
    pub(crate) fn remove(
        &mut self,
        removal: &store::Removal<'_>,
        entry: &Entry,
    ) -> Result<store::Removed, AuditError> {
        let known = match &self.head {
            Some(head) => head.read()?.anchor(),
            None => None,
        };
        let removed = self.store.remove(removal, Body::new(entry, Timestamp::now()), known)?;
        if let (store::Removed::Done(appended), Some(head)) = (removed, &self.head)
            && appended.known_holds
        {
            // See above.
            let _behind = head.advance(appended.anchor);
        }
        Ok(removed)
    }

    /// The store itself, for those who only read from it.
    pub(crate) fn store(&mut self) -> &mut dyn Store {
        &mut *self.store
    }

    /// Where the record is kept.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Appends an entry with the time of now, durably.
    ///
    /// # Errors
    /// Nothing was recorded then; whoever is about to act must not act.
    pub fn append(&mut self, entry: &Entry) -> Result<Appended, AuditError> {
        self.append_at(entry, Timestamp::now())
    }

    /// As [`Log::append`], at a given time.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub fn append_at(&mut self, entry: &Entry, time: Timestamp) -> Result<Appended, AuditError> {
        if self.unsynced.is_some() {
            return self.write_at(entry, time);
        }
        // Read before the database is, so that the database can only be further.
        let known = match &self.head {
            Some(head) => head.read()?.anchor(),
            None => None,
        };
        let appended = self.store.append(Body::new(entry, time), known)?;
        if let Some(head) = self.head.as_ref().filter(|_| appended.known_holds) {
            // The record is durable; a head that stays behind only tells less.
            let _behind = head.advance(appended.anchor);
        }
        Ok(appended)
    }

    /// One record.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn record(&mut self, sequence: u64) -> Result<Option<Record>, AuditError> {
        self.store.record(sequence)
    }

    /// The records that a filter wants, oldest first.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn list(&mut self, filter: &Filter) -> Result<Vec<Record>, AuditError> {
        let mut records = Vec::new();
        let mut failure = None;
        self.store.each(filter, &mut |record| match record {
            Ok(record) => {
                records.push(record);
                std::ops::ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                std::ops::ControlFlow::Break(())
            }
        })?;
        failure.map_or(Ok(records), Err)
    }

    /// The newest `most` decisions of a session with the outcomes among them, oldest first.
    ///
    /// # Errors
    /// As [`Store::latest`].
    pub fn latest(&mut self, whose: Whose<'_>, most: u32) -> Result<Vec<Trace>, AuditError> {
        self.store.latest(whose, most)
    }

    /// The newest decision about an action in a session.
    ///
    /// # Errors
    /// As [`Store::decision_about`].
    pub fn decision_about(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.store.decision_about(whose, action)
    }

    /// The newest of the last few decisions about an action that let it go on and has no outcome yet.
    ///
    /// # Errors
    /// As [`Store::decision_left_open`].
    pub fn decision_left_open(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.store.decision_left_open(whose, action)
    }

    /// When a session began, and how many decisions it has, counted up to `most`.
    ///
    /// # Errors
    /// As [`Store::begun`].
    pub fn begun(
        &mut self,
        whose: Whose<'_>,
        most: u64,
    ) -> Result<Option<(Timestamp, u64)>, AuditError> {
        self.store.begun(whose, most)
    }

    /// Calls `visitor` with each record that a filter wants, oldest first.
    ///
    /// # Errors
    /// As [`Store::each`].
    pub fn each(&mut self, filter: &Filter, visitor: &mut Visitor<'_>) -> Result<(), AuditError> {
        self.store.each(filter, visitor)
    }

    /// The names of the chains.
    ///
    /// # Errors
    /// As [`Store::chain_names`].
    pub fn chain_names(&mut self) -> Result<Vec<String>, AuditError> {
        self.store.chain_names()
    }

    /// Calls `visitor` with each record of a chain behind the number `after`, oldest first.
    ///
    /// # Errors
    /// As [`Store::follow`].
    pub fn follow(
        &mut self,
        chain: &str,
        after: u64,
        visitor: &mut Visitor<'_>,
    ) -> Result<(), AuditError> {
        self.store.follow(chain, after, visitor)
    }

    /// Checks everything; `known` are places that somebody noted.
    ///
    /// # Errors
    /// When the record cannot be read at all.
    pub fn verify(&mut self, known: &[Place]) -> Result<Verification, AuditError> {
        let archive = segment::Archive::beneath(&self.directory);
        self.verify_with(known, Some(&archive).filter(|_| self.directory != Path::new("")))
    }

    /// The same with segments that are kept elsewhere.
    ///
    /// # Errors
    /// As [`Log::verify`].
    pub fn verify_with(
        &mut self,
        known: &[Place],
        archive: Option<&segment::Archive>,
    ) -> Result<Verification, AuditError> {
        let witness = self.head.as_ref().map(HeadFile::examine).transpose()?;
        verify::verify(&mut *self.store, witness, known, archive)
    }

    /// Where every chain ends: its name, and the last place with how many records there are.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn ends(&mut self) -> Result<Vec<NamedEnd>, AuditError> {
        let head = self.store.head()?;
        let chains = self.store.chains()?;
        // Where the store keeps no end of it, the chain has no gaps.
        let end = |chain: Chain| (chain.name, chain.end.unwrap_or((head, head.sequence)));
        Ok(chains.into_iter().map(end).collect())
    }

    /// Takes the chain as it now stands for the right one: for a person who has looked into what verification said.
    ///
    /// # Errors
    /// When the head cannot be written.
    pub fn accept(&mut self) -> Result<Anchor, AuditError> {
        self.store.restore()?;
        let head = self.store.head()?;
        if let Some(file) = &self.head {
            file.accept(head)?;
        }
        Ok(head)
    }
}

/// Opens the record of a gateway that does not keep it in its own directory.
pub trait Opens: Send + Sync {
    /// Opens it for appending.
    ///
    /// # Errors
    /// When it cannot be.
    fn open(&self) -> Result<Log, AuditError>;
}

/// The name of a chain with where it ends: the last place, and how many records there are.
pub type NamedEnd = (String, (Anchor, u64));

/// The directory of the record: the one that was given, or the one of this user.
///
/// # Errors
/// When none was given and the environment names none.
pub fn directory(given: Option<&Path>) -> Result<PathBuf, AuditError> {
    let own = || Directories::from_environment().state;
    let directory = given.map(Path::to_owned).or_else(own).ok_or(AuditError::NoDirectory)?;
    Ok(platform::bare(&directory))
}

/// The database in a state directory.
#[must_use]
pub fn database_path(directory: &Path) -> PathBuf {
    directory.join("audit.db")
}

/// Makes a directory for this user alone, or sees that one is.
///
/// # Errors
/// When somebody else could change what is in it.
pub fn secure_directory(path: &Path) -> Result<(), AuditError> {
    let path = &platform::bare(path);
    let failed = |source| AuditError::Directory { path: path.to_owned(), source };
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            platform::create_private_directory(path).map_err(failed)?;
            fs::symlink_metadata(path).map_err(failed)?
        }
        other => other.map_err(failed)?,
    };
    if let Some(reason) = platform::insecurity(&metadata) {
        return Err(AuditError::Insecure { path: path.to_owned(), reason });
    }
    if metadata.is_dir() {
        Ok(())
    } else {
        Err(AuditError::NotADirectory { path: path.to_owned() })
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test may fail by panicking")]
mod tests;
