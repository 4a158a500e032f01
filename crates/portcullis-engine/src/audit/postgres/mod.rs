//! Records in PostgreSQL, for gateways that share them. Owns what a database is for one gateway; its connection stands in `session`, what it appends in
//! `pen`, what is read in `read`. The hashes come from [`super::entry`], and requests are kept beside the record by `crate::approvals`.
//!
//! Each gateway has a chain of its own, and is the only one who appends to it: its process holds a lock as long as its session lives, its name
//! stands in the row of the chain, and every append checks that in the statement that moves the chain's end on. Whoever lost the name appends
//! nothing any more. Numbers are given over all chains, so that one names a record; between two chains they say no more than about when.
//!
//! A commit whose answer was lost is looked for: the end of the chain says whether it holds.

#[cfg(test)]
#[path = "../../../tests/postgres/cluster.rs"]
pub(crate) mod cluster;
mod link;
mod migrate;
mod pen;
mod read;
mod removal;
mod session;
mod settings;

use std::{
    fmt,
    path::{Path, PathBuf},
};

pub use self::settings::BadDatabase;
pub(crate) use self::{
    link::{Link, Query, Trouble},
    pen::{Lock, Pen, holds},
    read::{Conditions, clean},
    session::PostgresStore,
};
use self::{
    migrate::{Migrated, migrate},
    settings::Settings,
};
use super::{error::AuditError, head::HeadFile};

/// The channel of the hints.
pub(crate) const CHANNEL: &str = "portcullis";

/// A database that gateways share, as one of them uses it.
pub struct Database {
    settings: Settings,
    /// What this gateway is called there.
    name: String,
    /// Where it keeps what is its own: what vouches for the end of its chain.
    state: PathBuf,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as `{}`", self.settings.words, self.name)
    }
}

impl Database {
    /// How many connections of one gateway read at once.
    pub const READERS: usize = 8;

    /// The database that a URL names, for the gateway `name` whose own directory is `state`. The password stands in a file, or in the
    /// environment.
    ///
    /// # Errors
    /// [`BadDatabase`].
    pub fn new(
        url: &str,
        password_file: Option<&Path>,
        name: &str,
        state: &Path,
    ) -> Result<Self, BadDatabase> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.@".contains(letter);
        if !(1..=64).contains(&name.len()) || !name.chars().all(is_letter) {
            return Err(BadDatabase::Name(name.to_owned()));
        }
        let settings = Settings::read(url, password_file)?;
        Ok(Self { settings, name: name.to_owned(), state: state.to_owned() })
    }

    /// It in words, without its password.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.settings.words
    }

    /// What this gateway is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    /// What vouches here for the end of the chain there.
    pub(crate) fn head(&self) -> HeadFile {
        HeadFile::new(self.state.join(format!("head.{}", self.name)))
    }

    /// Makes the tables, or brings them up to this version.
    ///
    /// # Errors
    /// When they are of a later version, or this role may not.
    pub fn migrate(&self) -> Result<(), AuditError> {
        let mut link = Link::open(&self.settings).map_err(|trouble| self.explained(trouble))?;
        self.brought_up(&mut link, true)
    }

    /// A session, once the tables are as this version needs them.
    fn connect(&self) -> Result<Link, Trouble> {
        Link::open(&self.settings)
    }

    fn brought_up(&self, link: &mut Link, may: bool) -> Result<(), AuditError> {
        let path = || PathBuf::from(self.words());
        let database = || self.words().to_owned();
        match migrate(link, may) {
            Ok(Migrated::Fits) => Ok(()),
            Ok(Migrated::Newer(found)) => {
                Err(AuditError::Newer { path: path(), found, supported: migrate::VERSION })
            }
            Ok(Migrated::Other(step)) => {
                let what = format!("step {step} of its tables");
                Err(AuditError::Altered { path: path(), what })
            }
            Ok(Migrated::Older(found)) => {
                let reason = match found {
                    0 => "they were not made yet".to_owned(),
                    _ => format!("they have version {found}, and {} is needed", migrate::VERSION),
                };
                Err(AuditError::NoTables { database: database(), reason })
            }
            Err(Trouble::Refused(reason)) => {
                Err(AuditError::NoTables { database: database(), reason })
            }
            Err(trouble) => Err(self.explained(trouble)),
        }
    }

    fn explained(&self, trouble: Trouble) -> AuditError {
        let database = self.words().to_owned();
        match trouble {
            Trouble::Lost(reason) => AuditError::Unreachable { database, reason },
            Trouble::Again(reason) | Trouble::Refused(reason) | Trouble::Unreadable(reason) => {
                AuditError::Refused { database, reason }
            }
            Trouble::Ignored => AuditError::Ignored { path: database.into() },
            Trouble::Fenced => AuditError::Fenced { database, name: self.name.clone() },
        }
    }
}

#[cfg(test)]
mod segments;
#[cfg(test)]
pub(crate) mod tests;
