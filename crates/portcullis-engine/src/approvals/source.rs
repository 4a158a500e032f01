//! Where a gateway keeps what counts. Owns which store is opened for what; how it keeps it, the stores know.

use std::path::{Path, PathBuf};
#[cfg(feature = "postgres")]
use std::sync::Arc;

use super::store::Ledger;
#[cfg(feature = "postgres")]
use crate::audit::postgres::{Database, PostgresStore};
use crate::audit::{self, AuditError, HeadFile, Log, SqliteStore, database_path, head_path};

/// Where the store of a gateway is.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file in a state directory: for one machine.
    Directory(PathBuf),
    /// A database that many gateways share.
    #[cfg(feature = "postgres")]
    Database(Arc<Database>),
}

impl Source {
    /// The one in a state directory.
    #[must_use]
    pub fn directory(path: &Path) -> Self {
        Self::Directory(path.to_owned())
    }

    /// Whether gateways on other machines may share it.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        match self {
            Self::Directory(_) => false,
            #[cfg(feature = "postgres")]
            Self::Database(_) => true,
        }
    }

    /// How many connections read at once; whoever comes then waits.
    pub(super) const fn readers(&self) -> usize {
        match self {
            // A file is opened as often as anybody wants it.
            Self::Directory(_) => usize::MAX,
            #[cfg(feature = "postgres")]
            Self::Database(_) => Database::READERS,
        }
    }

    /// Opens it for the one who writes, with what vouches for the end of the chain; makes what is missing.
    pub(super) fn writer(&self) -> Result<(Box<dyn Ledger>, HeadFile), AuditError> {
        match self {
            Self::Directory(directory) => {
                audit::secure_directory(directory)?;
                let database = database_path(directory);
                let head = HeadFile::new(head_path(directory));
                // Before the database, as for every record.
                if !database.exists() {
                    head.create()?;
                }
                let mut store: Box<dyn Ledger> = Box::new(SqliteStore::open(&database)?);
                store.prepare()?;
                Ok((store, head))
            }
            #[cfg(feature = "postgres")]
            Self::Database(database) => {
                let head = database.head();
                audit::secure_directory(database.state())?;
                head.create()?;
                let mut store: Box<dyn Ledger> =
                    Box::new(PostgresStore::writer(Arc::clone(database))?);
                store.prepare()?;
                Ok((store, head))
            }
        }
    }

    /// Opens it for somebody who reads, beside the one who writes.
    pub(super) fn reader(&self) -> Result<Box<dyn Ledger>, AuditError> {
        match self {
            Self::Directory(directory) => {
                Ok(Box::new(SqliteStore::open(&database_path(directory))?))
            }
            #[cfg(feature = "postgres")]
            Self::Database(database) => Ok(Box::new(PostgresStore::reader(Arc::clone(database))?)),
        }
    }

    /// Opens it for the one who looks whether others changed it.
    pub(super) fn lookout(&self) -> Result<Box<dyn Ledger>, AuditError> {
        match self {
            Self::Directory(_) => self.reader(),
            #[cfg(feature = "postgres")]
            Self::Database(database) => Ok(Box::new(PostgresStore::lookout(Arc::clone(database))?)),
        }
    }

    /// The record without what vouches for its end here, for who is no gateway.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn log_alone(&self) -> Result<Log, AuditError> {
        match self {
            Self::Directory(_) => self.log(),
            #[cfg(feature = "postgres")]
            Self::Database(database) => {
                Ok(Log::over(Box::new(PostgresStore::reader(Arc::clone(database))?), None))
            }
        }
    }

    /// The record, for who appends to it and is no gateway.
    ///
    /// # Errors
    /// When it cannot be opened, or another process writes under this name.
    pub fn log_to_append(&self) -> Result<Log, AuditError> {
        match self {
            Self::Directory(directory) => Log::open(directory),
            #[cfg(feature = "postgres")]
            Self::Database(database) => {
                let head = database.head();
                audit::secure_directory(database.state())?;
                head.create()?;
                let store = PostgresStore::writer(Arc::clone(database))?;
                Ok(Log::over(Box::new(store), Some(head)))
            }
        }
    }

    /// The record, for those who only read it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn log(&self) -> Result<Log, AuditError> {
        match self {
            Self::Directory(directory) => Log::read(directory),
            #[cfg(feature = "postgres")]
            Self::Database(database) => {
                let store = PostgresStore::reader(Arc::clone(database))?;
                Ok(Log::over(Box::new(store), Some(database.head())))
            }
        }
    }
}
