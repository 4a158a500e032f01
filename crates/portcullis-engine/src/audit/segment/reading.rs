//! The files of segments, read: whether one is as it was sealed, and what stands in it.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
};

use sha2::{Digest as _, Sha256};

use super::{
    Archive, Look, Manifest, SegmentError,
    body::{KEY, Opener},
    standing::{Walk, name_of},
};
use crate::{
    audit::{Anchor, Hash, Record, row},
    platform, private,
};

/// The longest manifest, and the longest line of a record in a file.
const LONGEST: u64 = 16 << 20;
const LONGEST_LINE: u64 = 4 << 20;

impl Archive {
    /// Looks at the file of a segment: its digest, and where its key is there, every record in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn look(&self, manifest: &Manifest) -> Result<Look, SegmentError> {
        self.look_at(manifest, &mut |_| {})
    }

    /// The same, with each record shown to `visitor`.
    pub(in crate::audit) fn look_at(
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
        let before = manifest.first.saturating_sub(1);
        let start = Anchor { sequence: before, hash: manifest.before };
        let mut walk = Walk::new(manifest.number, &manifest.chain, start);
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
    pub(in crate::audit) fn fits(&self, manifest: &Manifest) -> Option<bool> {
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

    pub(super) fn key(&self, number: u64) -> Result<Option<[u8; KEY]>, SegmentError> {
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
            let mut opener = Opener::new(BufReader::new(file), key, &name_of(number, &self.chain))?;
            io::copy(&mut opener, out)
        });
        copied.map(drop).map_err(|source| SegmentError::File { path, source })
    }

    pub(super) fn records(
        &self,
        number: u64,
        key: [u8; KEY],
        visitor: &mut dyn FnMut(Record) -> Result<(), SegmentError>,
    ) -> Result<(), SegmentError> {
        let changed = |what: &str| SegmentError::Changed { number, what: what.to_owned() };
        let path = self.named(number, "segment");
        let file = File::open(&path)
            .and_then(|file| Opener::new(BufReader::new(file), key, &name_of(number, &self.chain)));
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

/// Overwrites a file and removes it; one that is gone already is none.
pub(super) fn destroy(path: &Path) -> io::Result<()> {
    let mut file = match platform::open_to_change(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    file.write_all(&[0; KEY])?;
    file.sync_all()?;
    drop(file);
    fs::remove_file(path)
}

pub(super) fn bounded(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}
