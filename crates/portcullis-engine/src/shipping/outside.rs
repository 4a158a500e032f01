//! Places that others keep, in which it is noted where chains of the record end. Owns what such a place has to do, and the simplest one, a file; a git repository is
//! [`super::git`]'s and an object store [`super::bucket`]'s.

use std::{collections::BTreeMap, fs, io, path::PathBuf};

use super::{BucketError, GitError, file::Lines};
use crate::audit::checkpoint::{self, Head, Noted};

/// The most bytes of notes that are read of a file.
const LONGEST: u64 = 64 << 20;

/// Why nothing could be noted or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutsideError {
    /// In a repository.
    #[error(transparent)]
    Git(#[from] GitError),
    /// In an object store.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// In a file.
    #[error("cannot use `{path}`: {source}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file holds something else.
    #[error("`{path}` does not say where chains end", path = .0.display())]
    Unreadable(PathBuf),
}

/// A place that others keep.
pub trait Outside {
    /// Where each chain ended by the newest note.
    ///
    /// # Errors
    /// [`OutsideError`].
    fn newest(&self) -> Result<Vec<Noted>, OutsideError>;

    /// Where chains ended by any note.
    ///
    /// # Errors
    /// [`OutsideError`].
    fn all(&self) -> Result<Vec<Noted>, OutsideError>;

    /// Notes where chains end; whether anything was new. What was noted before stays.
    ///
    /// # Errors
    /// [`OutsideError`].
    fn note(&mut self, heads: &[Head]) -> Result<bool, OutsideError>;
}

/// Of each chain the note with the most records.
pub(super) fn newest_of(all: Vec<Noted>) -> Vec<Noted> {
    let mut newest: BTreeMap<String, Noted> = BTreeMap::new();
    for noted in all {
        let (chain, (_, count)) = &noted.end;
        if newest.get(chain).is_none_or(|known| known.end.1.1 <= *count) {
            newest.insert(chain.clone(), noted);
        }
    }
    newest.into_values().collect()
}

/// A file, which only grows by us. Who keeps it keeps it elsewhere: on another machine, or where only lines can be added.
pub struct NotesFile(PathBuf);

impl NotesFile {
    /// The file at a path, which need not be there.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    fn failed(&self, source: io::Error) -> OutsideError {
        OutsideError::File { path: self.0.clone(), source }
    }
}

impl Outside for NotesFile {
    fn newest(&self) -> Result<Vec<Noted>, OutsideError> {
        Ok(newest_of(self.all()?))
    }

    fn all(&self) -> Result<Vec<Noted>, OutsideError> {
        use io::Read as _;
        let mut text = String::new();
        match fs::File::open(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened
                .and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text))
                .map_err(|error| self.failed(error))?,
        };
        if text.len() as u64 > LONGEST {
            return Err(self.failed(io::ErrorKind::FileTooLarge.into()));
        }
        checkpoint::read(&text).ok_or_else(|| OutsideError::Unreadable(self.0.clone()))
    }

    fn note(&mut self, heads: &[Head]) -> Result<bool, OutsideError> {
        let known = self.newest()?;
        let is_new = |head: &&Head| !known.iter().any(|noted| noted.end == head.end);
        let text: String = heads.iter().filter(is_new).map(|head| head.text.as_str()).collect();
        if text.is_empty() {
            return Ok(false);
        }
        let added = Lines::open(&self.0, false).and_then(|mut lines| lines.add(text.as_bytes()));
        added.map(|()| true).map_err(|error| self.failed(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Anchor, Hash};

    fn head(chain: &str, count: u64) -> Head {
        Head::line((chain.to_owned(), (Anchor { sequence: count, hash: Hash([7; 32]) }, count)))
    }

    #[test]
    fn a_file_keeps_every_note() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = NotesFile::new(folder.path().join("heads"));
        assert_eq!(file.all().unwrap(), []);
        assert!(file.note(&[head("a", 1), head("b", 1)]).unwrap());
        assert!(!file.note(&[head("a", 1), head("b", 1)]).unwrap());
        assert!(file.note(&[head("a", 3), head("b", 1)]).unwrap());
        let counts = |all: Vec<Noted>| {
            all.into_iter().map(|noted| (noted.end.0, noted.end.1.1)).collect::<Vec<_>>()
        };
        let named = |chain: &str, count| (chain.to_owned(), count);
        assert_eq!(counts(file.newest().unwrap()), [named("a", 3), named("b", 1)]);
        assert_eq!(counts(file.all().unwrap()), [named("a", 1), named("b", 1), named("a", 3)]);
        fs::write(folder.path().join("heads"), "something\n").unwrap();
        assert!(matches!(file.all(), Err(OutsideError::Unreadable(_))));
        assert!(matches!(file.note(&[head("a", 9)]), Err(OutsideError::Unreadable(_))));
    }
}
