//! Segments of the record: sealed into files that nobody can change unnoticed, then dropped from the store, held for a court, or erased for good. Owns
//! the order of the steps, each of which a record tells of, and what may follow on what.
//!
//! ```text
//! records ──seal──► file (encrypted, a key of its own) + manifest (signed) + record ──drop──► the rows go ──erase──► the key goes
//! ```
//!
//! Where gateways share a record, each chain has segments of its own, in a directory of its own, and one chain tells of all of them ([`KEEPER`]).
//!
//! The chain goes on over a segment that is gone: its manifest has the hashes at both ends, the manifests are a chain of their own, and the newest
//! record that tells of sealing vouches for them. The hash of a single record of an erased segment tells nothing about it: it was made of the hash
//! before it too, and that is gone.

mod body;
mod manifest;
mod note;
mod reading;
mod sealing;
mod standing;

use std::{
    collections::BTreeMap,
    io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use self::reading::{bounded, destroy};
use self::standing::entry;
pub(super) use self::standing::{event_of, fold, newest_seal, tells_of_segments};
pub use self::{
    manifest::{Deed, Event, Manifest},
    note::Note,
    standing::Standing,
};
use super::{
    AuditError, Filter, Hash, Kind, Log, Place, Record,
    store::{Removal, Removed},
};
use crate::bundle::{PublicKey, SecretKey};

/// How many records a segment has unless told otherwise.
pub const RECORDS: u64 = 10_000;

/// The chain whose records tell of segments where gateways share a record, and the only ones there that count. Its name belongs to one process at a time.
pub const KEEPER: &str = "keeper";

/// The longest name of a chain.
const LONGEST_NAME: usize = 64;

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentError {
    /// The record cannot be used.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// A file cannot be used.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no such segment.
    #[error("there is no segment {0}")]
    None(u64),
    /// It is held.
    #[error("segment {0} is held: nothing of it may go")]
    Held(u64),
    /// What is needed of it is not there, or not as it was.
    #[error("segment {number} is not as it was sealed: {what}")]
    Changed {
        /// Which.
        number: u64,
        /// What is wrong.
        what: String,
    },
    /// Somebody waits for an answer about a call in it.
    #[error("segment {0} has a request that still waits for its answer")]
    Waits(u64),
    /// Nobody recorded anything under this name.
    #[error("there is no chain `{0}`")]
    NoChain(String),
    /// A chain has a name that no gateway has.
    #[error("`{0}` is no name of a chain")]
    Name(String),
    /// Everything was done but the last step, because others read the record.
    #[error("others read the record, so that what was erased may still stand in its files")]
    NotScrubbed,
}

/// Where segments, and where their keys are; of one chain, which has a name where gateways share a record.
#[derive(Clone, Debug)]
pub struct Archive {
    root: PathBuf,
    root_of_keys: PathBuf,
    chain: String,
}

/// How segments are sealed.
pub struct Sealing<'k> {
    /// How many records each has.
    pub records: u64,
    /// Only what was recorded up to then.
    pub until: Timestamp,
    /// Who seals.
    pub person: String,
    /// The key that signs, and its name.
    pub key: Option<(&'k SecretKey, String)>,
}

impl Archive {
    /// The one beside the record of a state directory.
    #[must_use]
    pub fn beneath(state: &Path) -> Self {
        let (root, root_of_keys) = (state.join("segments"), state.join("segment-keys"));
        Self { root, root_of_keys, chain: String::new() }
    }

    /// With its files in another directory; the keys stay where they are.
    #[must_use]
    pub fn files_in(self, files: PathBuf) -> Self {
        Self { root: files, ..self }
    }

    /// The segments of one chain.
    ///
    /// # Errors
    /// [`SegmentError::Name`]: names stand in paths, and come from a database.
    pub fn of_chain(&self, chain: &str) -> Result<Self, SegmentError> {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.@".contains(letter);
        if chain.len() > LONGEST_NAME || !chain.chars().all(fits) {
            return Err(SegmentError::Name(chain.to_owned()));
        }
        Ok(Self { chain: chain.to_owned(), ..self.clone() })
    }

    /// Of which chain.
    #[must_use]
    pub fn chain(&self) -> &str {
        &self.chain
    }

    fn files(&self) -> PathBuf {
        self.below(&self.root)
    }

    fn keys(&self) -> PathBuf {
        self.below(&self.root_of_keys)
    }

    fn below(&self, root: &Path) -> PathBuf {
        match self.chain.as_str() {
            "" => root.to_owned(),
            chain => root.join(format!("chain.{chain}")),
        }
    }

    fn named(&self, number: u64, end: &str) -> PathBuf {
        self.files().join(format!("{number:06}.{end}"))
    }

    fn key_of(&self, number: u64) -> PathBuf {
        self.keys().join(format!("{number:06}.key"))
    }

    /// Every manifest that is there, in order up to the first that is not; with the note that it stands in.
    ///
    /// # Errors
    /// When one cannot be read, or is none.
    pub fn manifests(&self) -> Result<Vec<(Manifest, Note)>, SegmentError> {
        let mut manifests = Vec::new();
        for number in 1.. {
            let path = self.named(number, "manifest");
            let text = match bounded(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                read => read.map_err(|source| SegmentError::File { path, source })?,
            };
            let note = Note::read(&text);
            let manifest = note.as_ref().and_then(|note| Manifest::read(&note.text));
            match manifest
                .zip(note)
                .filter(|(manifest, _)| manifest.number == number && manifest.chain == self.chain)
            {
                Some((manifest, note)) => {
                    manifests.push((Manifest { digest: note.digest(), ..manifest }, note));
                }
                None => {
                    let what = "its manifest cannot be read".to_owned();
                    return Err(SegmentError::Changed { number, what });
                }
            }
        }
        Ok(manifests)
    }

    /// Every sealed segment and what became of it.
    ///
    /// # Errors
    /// Also where the record does not vouch for a manifest.
    pub fn standing(&self, log: &mut Log) -> Result<Vec<Standing>, SegmentError> {
        let teller = if self.chain.is_empty() { "" } else { KEEPER };
        let mut events = BTreeMap::new();
        let mut take = |record: Result<Record, AuditError>| {
            if let Ok(event) = record.as_ref().map(event_of) {
                events.extend(event.map(|event| (event.record, event)));
            }
            ControlFlow::Continue(())
        };
        let changes = Filter { kind: Some(Kind::Change), ..Filter::default() };
        match teller {
            "" => log.each(&changes, &mut take)?,
            teller => log.follow(teller, 0, &mut take)?,
        }
        // What the records of the teller say that are gone, its manifests repeat.
        let told = self.of_chain(teller)?.vouched(&events)?;
        let repeated = told.iter().flat_map(|manifest| manifest.events.iter().cloned());
        events.extend(repeated.map(|event| (event.record, event)));
        let vouched = if teller == self.chain { told } else { self.vouched(&events)? };
        Ok(fold(vouched, events.into_values()))
    }

    /// The manifests that the newest of these records vouches for, and through them each before.
    fn vouched(&self, events: &BTreeMap<u64, Event>) -> Result<Vec<Manifest>, SegmentError> {
        let newest = newest_seal(events.values(), &self.chain);
        let sealed = newest.map_or(0, |(number, _)| number);
        let manifests = self.manifests()?.into_iter().map(|(manifest, _)| manifest);
        let vouched: Vec<Manifest> =
            manifests.take_while(|manifest| manifest.number <= sealed).collect();
        let found = vouched.last().map(|last| (last.number, Some(last.digest)));
        if newest.is_some() && found != newest {
            let what = "its manifest is gone, or not the one that was sealed".to_owned();
            return Err(SegmentError::Changed { number: sealed, what });
        }
        let mut previous = Hash::GENESIS;
        for manifest in &vouched {
            if manifest.previous != previous {
                let what = "its manifest does not follow the one before it".to_owned();
                return Err(SegmentError::Changed { number: manifest.number, what });
            }
            previous = manifest.digest;
        }
        Ok(vouched)
    }

    /// Which of these places the record has no more: those of a segment whose records are not there are excused, but for another end of it.
    ///
    /// # Errors
    /// When the record or a manifest cannot be read.
    pub fn misses(&self, log: &mut Log, places: &[Place]) -> Result<Vec<Place>, SegmentError> {
        let mut missing = Vec::new();
        for (chain, place) in places.iter().filter(|(_, place)| place.sequence > 0) {
            let found = log.record(place.sequence)?;
            let has = match found {
                Some(record) => record.hash == place.hash,
                None => {
                    let standing = self.of_chain(chain)?.standing(log)?;
                    let mut gone = standing.iter().filter(|one| one.is_dropped);
                    gone.any(|one| {
                        let last = one.manifest.last;
                        one.manifest.has(place.sequence)
                            && (last.sequence != place.sequence || last.hash == place.hash)
                    })
                }
            };
            if !has {
                missing.push((chain.clone(), *place));
            }
        }
        Ok(missing)
    }

    /// Holds a segment, or releases it.
    ///
    /// # Errors
    /// [`SegmentError`].
    pub fn hold(
        &self,
        log: &mut Log,
        number: u64,
        person: &str,
        reason: &str,
        holds: bool,
    ) -> Result<(), SegmentError> {
        let standing = self.one(log, number)?;
        let deed = if holds { Deed::Held } else { Deed::Released };
        log.append(&entry(person, deed, &standing.manifest, reason))?;
        Ok(())
    }

    /// Takes the records of a segment out of the store, once its file was looked at. Gives whether there was anything to do.
    ///
    /// # Errors
    /// [`SegmentError`]; nothing was taken out then.
    pub fn drop(&self, log: &mut Log, number: u64, person: &str) -> Result<bool, SegmentError> {
        let standing = self.one(log, number)?;
        let manifest = &standing.manifest;
        if standing.is_held {
            return Err(SegmentError::Held(number));
        }
        if standing.is_dropped {
            return Ok(false);
        }
        match self.look(manifest)? {
            Look::Whole => {}
            Look::Unread => {
                let what = "its key is gone, so that nobody could read its file".to_owned();
                return Err(SegmentError::Changed { number, what });
            }
            Look::Gone => {
                let what = "its file is not there".to_owned();
                return Err(SegmentError::Changed { number, what });
            }
            Look::Changed(what) => return Err(SegmentError::Changed { number, what }),
        }
        self.remove(log, manifest, Deed::Dropped, person, "")?;
        Ok(true)
    }

    /// Takes the records of a segment out of the store for good: also what repeats them there, and the key of its file. May be done again where it was not ended.
    ///
    /// # Errors
    /// [`SegmentError`].
    pub fn erase(
        &self,
        log: &mut Log,
        number: u64,
        person: &str,
        reason: &str,
    ) -> Result<(), SegmentError> {
        let standing = self.one(log, number)?;
        if standing.is_held {
            return Err(SegmentError::Held(number));
        }
        // What is to be done is recorded first, in the transaction in which the rows go.
        if !standing.is_erased {
            self.remove(log, &standing.manifest, Deed::Erased, person, reason)?;
        }
        let key = self.key_of(number);
        destroy(&key).map_err(|source| SegmentError::File { path: key, source })?;
        if log.store().scrub()? { Ok(()) } else { Err(SegmentError::NotScrubbed) }
    }

    fn remove(
        &self,
        log: &mut Log,
        manifest: &Manifest,
        deed: Deed,
        person: &str,
        reason: &str,
    ) -> Result<(), SegmentError> {
        let Manifest { number, first, last, count, times, .. } = *manifest;
        let copies = (deed == Deed::Erased).then(|| times.1.as_microsecond());
        let numbers = match copies {
            Some(_) if !self.chain.is_empty() => self.numbers(manifest)?,
            _ => Vec::new(),
        };
        let (chain, numbers) = (self.chain.as_str(), numbers.as_slice());
        let removal = Removal { chain, first, last, count, copies, numbers };
        let told = match reason {
            "" => format!("records {first} to {}", last.sequence),
            reason => reason.to_owned(),
        };
        match log.remove(&removal, &entry(person, deed, manifest, &told))? {
            Removed::Done(_) => Ok(()),
            Removed::Waits => Err(SegmentError::Waits(number)),
            Removed::Other => {
                let what = "its records in the store are others".to_owned();
                Err(SegmentError::Changed { number, what })
            }
        }
    }

    /// The numbers of the records of a segment of one of many chains, by its file: others stand between the first and the last.
    fn numbers(&self, manifest: &Manifest) -> Result<Vec<u64>, SegmentError> {
        let mut numbers = Vec::new();
        let looked = self.look_at(manifest, &mut |record| numbers.push(record.sequence))?;
        let number = manifest.number;
        match looked {
            Look::Whole => Ok(numbers),
            Look::Changed(what) => Err(SegmentError::Changed { number, what }),
            Look::Gone | Look::Unread => {
                let what = "its file and its key have to be there, so that what repeats its records can be found";
                Err(SegmentError::Changed { number, what: what.to_owned() })
            }
        }
    }

    fn one(&self, log: &mut Log, number: u64) -> Result<Standing, SegmentError> {
        let mut standing = self.standing(log)?.into_iter();
        standing.find(|one| one.manifest.number == number).ok_or(SegmentError::None(number))
    }
}

/// What the file of a segment is like.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Look {
    /// As it was sealed, every record in it.
    Whole,
    /// As it was sealed; its records cannot be read, since the key is not there.
    Unread,
    /// Not there.
    Gone,
    /// Not as it was sealed.
    Changed(String),
}

/// Whether a key signed every one of these.
#[must_use]
pub fn unsigned(manifests: &[(Manifest, Note)], key: &PublicKey) -> Vec<u64> {
    let unsigned = manifests.iter().filter(|(_, note)| !note.is_signed_by(key));
    unsigned.map(|(manifest, _)| manifest.number).collect()
}

#[cfg(test)]
mod tests;
