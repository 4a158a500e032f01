//! How far the record came elsewhere. Owns the file that says so, a line for each chain, and that one process at a time goes on from it.
//!
//! It is written after a delivery and never before: whoever is killed in between delivers the same records once more.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use crate::{
    audit::{Anchor, Log, Record},
    platform,
    private::{self, Unbelievable},
};

/// The first line.
const FORMAT: &str = "portcullis-cursor/v1";

/// The longest file: a line for each of some ten thousand chains.
const LONGEST: u64 = 2 << 20;

/// Why it cannot be gone on from a place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CursorError {
    /// The file cannot be used.
    #[error("cannot use the cursor `{path}`: {reason}")]
    Unusable {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: Unbelievable,
    },
    /// It holds what we never write.
    #[error("`{path}` is no cursor of portcullis")]
    Foreign {
        /// Which.
        path: PathBuf,
    },
    /// Another process delivers with it.
    #[error("another process delivers with the cursor `{path}`")]
    Taken {
        /// Which.
        path: PathBuf,
    },
    /// The record is not the one that was delivered.
    #[error(
        "record {sequence} is not the one that was delivered: the record was rewritten, or the cursor belongs to another one"
    )]
    Replaced {
        /// Which.
        sequence: u64,
    },
}

/// How far each chain was delivered.
#[derive(Debug)]
pub struct Cursor {
    /// Where it is kept; nothing where it is kept for this process alone.
    path: Option<PathBuf>,
    places: BTreeMap<String, Anchor>,
    /// Whether it was there before.
    begun: bool,
    #[expect(dead_code, reason = "the lock is held as long as this is")]
    lock: Option<File>,
}

impl Cursor {
    /// One that begins at the first record and is forgotten at the end.
    #[must_use]
    pub const fn fresh() -> Self {
        Self { path: None, places: BTreeMap::new(), begun: false, lock: None }
    }

    /// The one in a file, which need not exist.
    ///
    /// # Errors
    /// [`CursorError`], but for `Replaced`.
    pub fn open(path: &Path) -> Result<Self, CursorError> {
        let unusable =
            |reason: Unbelievable| CursorError::Unusable { path: path.to_owned(), reason };
        let path = &std::path::absolute(path).map_err(|error| unusable(error.into()))?;
        let lock = locked(path).map_err(|error| unusable(error.into()))?;
        let lock = lock.ok_or_else(|| CursorError::Taken { path: path.clone() })?;
        let (places, begun) = match private::read(path, LONGEST) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).ok();
                let places = text.and_then(|text| parsed(&text));
                (places.ok_or_else(|| CursorError::Foreign { path: path.clone() })?, true)
            }
            Err(error) if error.is_missing() => (BTreeMap::new(), false),
            Err(error) => return Err(unusable(error)),
        };
        Ok(Self { path: Some(path.clone()), places, begun, lock: Some(lock) })
    }

    /// Whether something was delivered before, or was about to be.
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether the record is still the one that was delivered. What was dropped from it since cannot be looked at.
    ///
    /// # Errors
    /// [`CursorError::Replaced`].
    pub fn fits(&self, log: &mut Log) -> Result<(), CursorError> {
        for place in self.places.values() {
            let found: Option<Record> = log.record(place.sequence).ok().flatten();
            if found.is_some_and(|record| record.hash != place.hash) {
                return Err(CursorError::Replaced { sequence: place.sequence });
            }
        }
        Ok(())
    }

    /// The number of the last record of a chain that was delivered.
    #[must_use]
    pub fn after(&self, chain: &str) -> u64 {
        self.places.get(chain).map_or(0, |place| place.sequence)
    }

    /// Notes that a chain was delivered up to a place.
    pub fn note(&mut self, chain: &str, place: Anchor) {
        match self.places.get_mut(chain) {
            Some(known) => *known = place,
            None => drop(self.places.insert(chain.to_owned(), place)),
        }
    }

    /// Writes it, durably and in one step.
    ///
    /// # Errors
    /// When it cannot be written; whoever goes on from it begins where it stood.
    pub fn save(&self) -> Result<(), CursorError> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut text = format!("{FORMAT}\n");
        for (chain, place) in &self.places {
            text.push_str(&format!("{} {} {chain}\n", place.sequence, place.hash));
        }
        private::write(path, text.as_bytes())
            .map_err(|error| CursorError::Unusable { path: path.clone(), reason: error.into() })
    }
}

fn parsed(text: &str) -> Option<BTreeMap<String, Anchor>> {
    let rest = text.strip_prefix(FORMAT)?.strip_prefix('\n')?;
    let place = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let sequence = words.next()?.parse().ok()?;
        let hash = words.next()?.parse().ok()?;
        Some((words.next()?.to_owned(), Anchor { sequence, hash }))
    };
    rest.lines().map(place).collect()
}

/// A lock beside the file, which is put in place anew at every step; nothing where another process has it.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    if let Some(directory) = name.parent() {
        platform::create_private_directory(directory)?;
    }
    platform::create_private_file(&name)?;
    let file = OpenOptions::new().write(true).open(&name)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Hash;

    #[test]
    fn it_goes_on_where_it_stood_and_for_one_process_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("siem.cursor");
        let mut cursor = Cursor::open(&path).unwrap();
        assert!(!cursor.has_begun());
        assert!(matches!(Cursor::open(&path), Err(CursorError::Taken { .. })));
        cursor.note("", Anchor { sequence: 7, hash: Hash([3; 32]) });
        cursor.note("gate b", Anchor { sequence: 9, hash: Hash([4; 32]) });
        cursor.save().unwrap();
        drop(cursor);
        let again = Cursor::open(&path).unwrap();
        assert_eq!((again.after(""), again.after("gate b"), again.after("c")), (7, 9, 0));
        drop(again);
        for damage in ["", "x", "portcullis-cursor/v1\n7 zz \n", "portcullis-cursor/v1\n7\n"] {
            std::fs::write(&path, damage).unwrap();
            assert!(matches!(Cursor::open(&path), Err(CursorError::Foreign { .. })), "{damage}");
        }
    }
}
