//! Segments of the record: sealed into files that nobody can change unnoticed, then dropped from the store, held for a court, or erased for good. Owns
//! the order of the steps, each of which a record tells of, and what may follow on what.
//!
//! ```text
//! records ──seal──► file (encrypted, a key of its own) + manifest (signed) + record ──drop──► the rows go ──erase──► the key goes
//! ```
//!
//! The chain goes on over a segment that is gone: its manifest has the hashes at both ends, the manifests are a chain of their own, and the newest
//! record that tells of sealing vouches for them. The hash of a single record of an erased segment tells nothing about it: it was made of the hash
//! before it too, and that is gone.

mod body;
mod manifest;
mod note;
mod standing;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufRead as _, BufReader, BufWriter, Read, Write as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use self::body::{KEY, Opener, Sealer};
use self::standing::{Walk, entry, name_of};
pub(super) use self::standing::{event_of, fold, written_digest};
pub use self::{
    manifest::{Deed, Event, Manifest},
    note::Note,
    standing::Standing,
};
use super::{
    Anchor, AuditError, Filter, Hash, Kind, Log, Record, export, row,
    store::{Removal, Removed},
};
use crate::{
    bundle::{PublicKey, SecretKey},
    platform, private,
};

/// How many records a segment has unless told otherwise.
pub const RECORDS: u64 = 10_000;

/// The longest manifest, and the longest line of a record in a file.
const LONGEST: u64 = 16 << 20;
const LONGEST_LINE: u64 = 4 << 20;

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
    /// The record is kept where many gateways share it.
    #[error(
        "a record that gateways share cannot be sealed: each segment would be of one chain, and roles of gateways remove nothing"
    )]
    Shared,
    /// Everything was done but the last step, because others read the record.
    #[error("others read the record, so that what was erased may still stand in its files")]
    NotScrubbed,
}

/// Where segments, and where their keys are.
#[derive(Clone, Debug)]
pub struct Archive {
    files: PathBuf,
    keys: PathBuf,
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
        Self { files: state.join("segments"), keys: state.join("segment-keys") }
    }

    /// With its files in another directory; the keys stay where they are.
    #[must_use]
    pub fn files_in(self, files: PathBuf) -> Self {
        Self { files, ..self }
    }

    fn named(&self, number: u64, end: &str) -> PathBuf {
        self.files.join(format!("{number:06}.{end}"))
    }

    fn key_of(&self, number: u64) -> PathBuf {
        self.keys.join(format!("{number:06}.key"))
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
            match manifest.zip(note).filter(|(manifest, _)| manifest.number == number) {
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
        let manifests = self.manifests()?;
        let mut events = BTreeMap::new();
        let mut newest: Option<(u64, String)> = None;
        let changes = Filter { kind: Some(Kind::Change), ..Filter::default() };
        log.each(&changes, &mut |record| {
            if let Ok(record) = record
                && let Some(event) = event_of(&record)
            {
                if event.deed == Deed::Sealed {
                    newest = Some((event.segment, record.entry.action.unwrap_or_default()));
                }
                events.insert(event.record, event);
            }
            ControlFlow::Continue(())
        })?;
        let sealed = newest.as_ref().map_or(0, |(number, _)| *number);
        let vouched: Vec<Manifest> = manifests
            .into_iter()
            .map(|(manifest, _)| manifest)
            .take_while(|manifest| manifest.number <= sealed)
            .collect();
        if let Some((number, digest)) = newest {
            let found = vouched.last().map(|last| (last.number, written_digest(last)));
            if found != Some((number, digest)) {
                let what = "its manifest is gone, or not the one that was sealed".to_owned();
                return Err(SegmentError::Changed { number, what });
            }
        }
        let mut previous = Hash::GENESIS;
        for manifest in &vouched {
            if manifest.previous != previous {
                let what = "its manifest does not follow the one before it".to_owned();
                return Err(SegmentError::Changed { number: manifest.number, what });
            }
            previous = manifest.digest;
            events.extend(manifest.events.iter().map(|event| (event.record, *event)));
        }
        Ok(fold(vouched, events.into_values()))
    }

    /// Seals as many whole segments as there are records for, and gives their manifests.
    ///
    /// # Errors
    /// What was sealed before stays sealed.
    pub fn seal(
        &self,
        log: &mut Log,
        sealing: &Sealing<'_>,
    ) -> Result<Vec<Manifest>, SegmentError> {
        if log.chain_names()? != [String::new()] {
            return Err(SegmentError::Shared);
        }
        let mut last = self.standing(log)?.pop().map(|standing| standing.manifest);
        let mut sealed = Vec::new();
        // What is recorded of sealing itself is for another time.
        let end = log.store().head()?.sequence;
        loop {
            let after = last.as_ref().map_or(0, |last| last.last.sequence);
            if sealing.records == 0 || end.saturating_sub(after) < sealing.records {
                return Ok(sealed);
            }
            let Some(manifest) = self.seal_one(log, sealing, last.as_ref())? else {
                return Ok(sealed);
            };
            last = Some(manifest.clone());
            sealed.push(manifest);
        }
    }

    /// One segment behind another; none where too few records are old enough.
    fn seal_one(
        &self,
        log: &mut Log,
        sealing: &Sealing<'_>,
        before: Option<&Manifest>,
    ) -> Result<Option<Manifest>, SegmentError> {
        let number = before.map_or(1, |before| before.number + 1);
        let start = before.map_or(Anchor::GENESIS, |before| before.last);
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| SegmentError::File { path, source }
        };
        platform::create_private_directory(&self.files).map_err(at(&self.files))?;
        let key: [u8; KEY] = platform::random().map_err(at(&self.keys))?;
        let path = self.named(number, "segment");
        let unfinished = self.named(number, "unfinished");
        // One that was left by a process that was killed.
        let _ = fs::remove_file(&unfinished);
        platform::create_private_file(&unfinished).map_err(at(&unfinished))?;
        let file = File::options().write(true).open(&unfinished).map_err(at(&unfinished))?;
        let sealer = Sealer::new(BufWriter::new(file), key, &name_of(number));
        let mut sealer = sealer.map_err(at(&unfinished))?;
        let mut walk = Walk::new(number, start);
        let mut trouble = None;
        log.follow("", start.sequence, &mut |record| {
            let step = record.map_err(SegmentError::from).and_then(|record| {
                if record.time > sealing.until {
                    return Ok(true);
                }
                walk.take(&record)?;
                let line = format!("{}\n", export::json(&record));
                sealer.add(line.as_bytes()).map_err(at(&unfinished))?;
                Ok(walk.count == sealing.records)
            });
            match step {
                Ok(false) => ControlFlow::Continue(()),
                Ok(true) => ControlFlow::Break(()),
                Err(error) => {
                    trouble = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        if trouble.is_some() || walk.count < sealing.records {
            let _ = fs::remove_file(&unfinished);
            return trouble.map_or(Ok(None), Err);
        }
        let written = sealer.end().and_then(|(out, hash, bytes)| {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            Ok((hash, bytes))
        });
        let body = written.map_err(at(&unfinished))?;
        private::write(&self.key_of(number), &key).map_err(at(&self.keys))?;
        fs::rename(&unfinished, &path).map_err(at(&path))?;
        let previous = before.map_or(Hash::GENESIS, |before| before.digest);
        let Walk { at: last, count, times, events, .. } = walk;
        let times = times.unwrap_or_default();
        let (first, start) = (start.sequence + 1, start.hash);
        let digest = Hash::GENESIS;
        let mut manifest = Manifest {
            number,
            first,
            before: start,
            last,
            count,
            times,
            body,
            previous,
            events,
            digest,
        };
        let mut note = Note::new(manifest.text());
        if let Some((key, name)) = &sealing.key {
            note = note.signed(name, key);
        }
        manifest.digest = note.digest();
        let path = self.named(number, "manifest");
        private::write(&path, note.written().as_bytes()).map_err(at(&path))?;
        let told = format!("records {first} to {}", last.sequence);
        log.append(&entry(&sealing.person, Deed::Sealed, &manifest, &told))?;
        Ok(Some(manifest))
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
        let removal = Removal { first, last, count, copies };
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

    fn one(&self, log: &mut Log, number: u64) -> Result<Standing, SegmentError> {
        let mut standing = self.standing(log)?.into_iter();
        standing.find(|one| one.manifest.number == number).ok_or(SegmentError::None(number))
    }

    /// Looks at the file of a segment: its digest, and where its key is there, every record in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn look(&self, manifest: &Manifest) -> Result<Look, SegmentError> {
        self.look_at(manifest, &mut |_| {})
    }

    /// The same, with each record shown to `visitor`.
    pub(super) fn look_at(
        &self,
        manifest: &Manifest,
        visitor: &mut dyn FnMut(&Record),
    ) -> Result<Look, SegmentError> {
        let path = self.named(manifest.number, "segment");
        match self.digest(&path) {
            Ok(found) if found == manifest.body => {}
            Ok(_) => return Ok(Look::Changed("its file was changed".to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Look::Gone),
            Err(source) => return Err(SegmentError::File { path, source }),
        }
        let Some(key) = self.key(manifest.number)? else { return Ok(Look::Unread) };
        let mut walk = Walk::new(
            manifest.number,
            Anchor { sequence: manifest.first - 1, hash: manifest.before },
        );
        let read = self.records(manifest.number, key, &mut |record| {
            visitor(&record);
            walk.take(&record)
        });
        Ok(match read {
            Err(SegmentError::Changed { what, .. }) => Look::Changed(what),
            Err(error) => return Err(error),
            Ok(()) if walk.at != manifest.last || walk.count != manifest.count => {
                Look::Changed("its file has other records".to_owned())
            }
            Ok(()) => Look::Whole,
        })
    }

    /// Whether the file of a segment has the digest that its manifest names; nothing where it is not there.
    pub(super) fn fits(&self, manifest: &Manifest) -> Option<bool> {
        self.digest(&self.named(manifest.number, "segment"))
            .ok()
            .map(|found| found == manifest.body)
    }

    fn digest(&self, path: &Path) -> io::Result<(Hash, u64)> {
        let mut file = File::open(path)?;
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        let mut part = vec![0; 1 << 20];
        loop {
            let read = file.read(&mut part)?;
            let Some(read_part) = part.get(..read).filter(|part| !part.is_empty()) else { break };
            hash.update(read_part);
            bytes += read as u64;
        }
        Ok((Hash(hash.finalize().into()), bytes))
    }

    fn key(&self, number: u64) -> Result<Option<[u8; KEY]>, SegmentError> {
        let path = self.key_of(number);
        match private::read(&path, KEY as u64) {
            Ok(bytes) => Ok(bytes.try_into().ok()),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(SegmentError::File { path, source: io::Error::other(error) }),
        }
    }

    /// The records of a segment as they were exported, a line of JSON each.
    ///
    /// # Errors
    /// When its file or its key is not there, or was changed.
    pub fn lines(&self, number: u64, out: &mut dyn io::Write) -> Result<(), SegmentError> {
        let path = self.named(number, "segment");
        let Some(key) = self.key(number)? else {
            let what = "its key is not there".to_owned();
            return Err(SegmentError::Changed { number, what });
        };
        let copied = File::open(&path).and_then(|file| {
            let mut opener = Opener::new(BufReader::new(file), key, &name_of(number))?;
            io::copy(&mut opener, out)
        });
        copied.map(drop).map_err(|source| SegmentError::File { path, source })
    }

    fn records(
        &self,
        number: u64,
        key: [u8; KEY],
        visitor: &mut dyn FnMut(Record) -> Result<(), SegmentError>,
    ) -> Result<(), SegmentError> {
        let changed = |what: &str| SegmentError::Changed { number, what: what.to_owned() };
        let path = self.named(number, "segment");
        let file = File::open(&path)
            .and_then(|file| Opener::new(BufReader::new(file), key, &name_of(number)));
        let file = file.map_err(|source| SegmentError::File { path, source })?;
        let mut file = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut file).take(LONGEST_LINE).read_until(b'\n', &mut line);
            match read {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(_) => return Err(changed("its file cannot be decrypted with its key")),
            }
            let record = serde_json::from_slice(&line).ok().and_then(|json| row::of_json(&json));
            visitor(record.ok_or_else(|| changed("its file has a line that is no record"))?)?;
        }
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

/// Overwrites a file and removes it; one that is gone already is none.
fn destroy(path: &Path) -> io::Result<()> {
    let mut file = match platform::open_to_change(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    file.write_all(&[0; KEY])?;
    file.sync_all()?;
    drop(file);
    fs::remove_file(path)
}

fn bounded(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// Whether a key signed every one of these.
#[must_use]
pub fn unsigned(manifests: &[(Manifest, Note)], key: &PublicKey) -> Vec<u64> {
    let unsigned = manifests.iter().filter(|(_, note)| !note.is_signed_by(key));
    unsigned.map(|(manifest, _)| manifest.number).collect()
}

#[cfg(test)]
mod tests;
