//! What can go wrong with the record. Owns the errors and what to do about each; it decides nothing: whether a call may go
//! on without a record is for the configuration to say.

use std::{io, path::PathBuf, time::Duration};

use crate::platform::Insecurity;

/// Why the record could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// Neither the environment nor the configuration says where state is kept.
    #[error("cannot tell where to keep the record: no home directory is known")]
    NoDirectory,
    /// The directory could not be made or looked at.
    #[error("cannot use the state directory `{path}`: {source}")]
    Directory {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something else stands where the directory should be.
    #[error("cannot use the state directory `{path}`: it is not a directory")]
    NotADirectory {
        /// Which.
        path: PathBuf,
    },
    /// Something else stands where the file should be.
    #[error("cannot use the record `{path}`: it is not a regular file")]
    NotAFile {
        /// Which.
        path: PathBuf,
    },
    /// Somebody else could change the record.
    #[error("refusing to keep the record in `{path}`: {reason}")]
    Insecure {
        /// Which directory or file.
        path: PathBuf,
        /// Why.
        reason: Insecurity,
    },
    /// There is no record here yet.
    #[error("there is no record at `{path}`")]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A file beside the database could not be read or written.
    #[error("cannot use `{path}`: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is ours, and somebody put something of theirs into it.
    #[error("the record `{path}` was altered: the {what} is not ours")]
    Altered {
        /// Which.
        path: PathBuf,
        /// What was put into it: its kind and its name.
        what: String,
    },
    /// The database said that it wrote a record, and did not.
    #[error(
        "the record `{path}` did not keep what was written to it: something in the database prevents it"
    )]
    Ignored {
        /// Which.
        path: PathBuf,
    },
    /// The file is a database of something else.
    #[error("`{path}` is not a record of portcullis")]
    Foreign {
        /// Which.
        path: PathBuf,
    },
    /// The database is damaged, or no database at all.
    #[error("the record `{path}` is damaged: {source}")]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What the database says.
        source: rusqlite::Error,
    },
    /// A later version wrote it.
    #[error(
        "the record `{path}` has format {found}, and this version reads formats up to {supported}"
    )]
    Newer {
        /// Which.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The latest format that is understood here.
        supported: i64,
    },
    /// Others held the database for too long.
    #[error("the record `{path}` was in use by others for {} seconds", waited.as_secs())]
    Busy {
        /// Which.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// Anything else that the database says.
    #[error("cannot use the record `{path}`: {source}")]
    Database {
        /// Which.
        path: PathBuf,
        /// What the database says.
        source: rusqlite::Error,
    },
    /// The system starts no more threads.
    #[error("no thread can be started for the record: {0}")]
    Thread(io::Error),
    /// As many read as may.
    #[error("too many were reading the record for {} seconds", .0.as_secs())]
    TooManyReaders(Duration),
    /// The one who writes does not write.
    #[error("{0}")]
    Clerk(String),
    /// A database cannot be connected to.
    #[error("cannot connect to `{database}`: {reason}")]
    Unreachable {
        /// Which, without its password.
        database: String,
        /// Why.
        reason: String,
    },
    /// A database refuses a statement.
    #[error("`{database}` refuses: {reason}")]
    Refused {
        /// Which.
        database: String,
        /// What it says.
        reason: String,
    },
    /// The tables are not there, or not as this version needs them, and this role may not make them.
    #[error("`{database}` has no tables of this version: {reason}")]
    NoTables {
        /// Which.
        database: String,
        /// What is missing, or what the database says.
        reason: String,
    },
    /// A gateway of this name runs already.
    #[error("a gateway named `{name}` writes to `{database}` already")]
    NameTaken {
        /// Which database.
        database: String,
        /// The name.
        name: String,
    },
    /// Another process took over the name: this one appends nothing any more.
    #[error(
        "another gateway took over the name `{name}` in `{database}`: nothing is recorded here any more"
    )]
    Fenced {
        /// Which database.
        database: String,
        /// The name.
        name: String,
    },
    /// Records are never taken out of it.
    #[error("nothing is taken out of a record that is kept there")]
    Keeps,
    /// A stored record cannot be read.
    #[error("record {sequence} cannot be read: {reason}")]
    Unreadable {
        /// Which.
        sequence: i64,
        /// Why.
        reason: String,
    },
}

impl AuditError {
    /// What to do about it, for the `help:` line.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::NoDirectory => "set `PORTCULLIS_STATE_DIR` to an absolute path",
            Self::Directory { .. } | Self::NotADirectory { .. } | Self::File { .. } => {
                "make the directory one that you can write to, or set `PORTCULLIS_STATE_DIR` to another"
            }
            Self::NotAFile { .. } | Self::Foreign { .. } => {
                "move it away, or set `PORTCULLIS_STATE_DIR` to another directory"
            }
            Self::Insecure { reason: Insecurity::WritableByOthers, .. } => {
                "take the right to write from others with `chmod go-w`"
            }
            Self::Insecure { .. } => {
                "set `PORTCULLIS_STATE_DIR` to a directory of your own that is no link"
            }
            Self::Missing { .. } => "a record is begun by the first call that is judged",
            Self::Damaged { .. } => {
                "keep the damaged file as evidence: move it away with its `-wal`, and a new record is begun"
            }
            Self::Altered { .. } | Self::Ignored { .. } => {
                "find out who changed it, keep the file as evidence, and move it away with its `-wal`: a new record is begun"
            }
            Self::Newer { .. } => "upgrade portcullis",
            Self::Busy { .. } => "see which process holds the file, and try again",
            Self::Database { .. } => "see whether the disk is full or read-only",
            Self::Thread(_) | Self::TooManyReaders(_) | Self::Clerk(_) => {
                "see whether the machine is overloaded, and try again"
            }
            Self::Unreachable { .. } => {
                "see whether the database runs, and whether its address, role and password are right"
            }
            Self::Refused { .. } => "see the database's own log",
            Self::NoTables { .. } => {
                "run `portcullis serve --migrate` once as the role that owns the tables"
            }
            Self::Keeps => {
                "open the record for appending: in a database, as the role that owns the tables"
            }
            Self::NameTaken { .. } => "give each gateway a name of its own with `--name`",
            Self::Fenced { .. } => "end this process, and give each gateway a name of its own",
            Self::Unreadable { .. } => {
                "`portcullis audit verify` names every record that was changed"
            }
        }
    }
}
