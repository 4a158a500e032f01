//! What records tell of segments, and what became of those by it.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{
    SegmentError,
    manifest::{Deed, Event, Manifest},
};
use crate::audit::{Anchor, Entry, Kind, Record};

/// A segment, and what became of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Standing {
    /// Its manifest.
    pub manifest: Manifest,
    /// Whether it is held.
    pub is_held: bool,
    /// Whether its records are in the store no more.
    pub is_dropped: bool,
    /// Whether its key was destroyed.
    pub is_erased: bool,
}

/// Records in their order.
pub(super) struct Walk {
    number: u64,
    pub(super) at: Anchor,
    pub(super) count: u64,
    pub(super) times: Option<(Timestamp, Timestamp)>,
    pub(super) events: Vec<Event>,
}

impl Walk {
    pub(super) const fn new(number: u64, at: Anchor) -> Self {
        Self { number, at, count: 0, times: None, events: Vec::new() }
    }

    pub(super) fn take(&mut self, record: &Record) -> Result<(), SegmentError> {
        let follows = record.sequence == self.at.sequence + 1
            && record.previous == self.at.hash
            && record.computed_hash() == record.hash;
        if !follows {
            let what = format!("record {} is not as it was written", record.sequence);
            return Err(SegmentError::Changed { number: self.number, what });
        }
        self.at = Anchor { sequence: record.sequence, hash: record.hash };
        self.count += 1;
        self.times = Some((self.times.map_or(record.time, |times| times.0), record.time));
        self.events.extend(event_of(record));
        Ok(())
    }
}

/// What a record tells of a segment.
pub(in crate::audit) fn event_of(record: &Record) -> Option<Event> {
    let entry = &record.entry;
    if entry.kind != Kind::Change {
        return None;
    }
    let deed =
        Deed::ALL.into_iter().find(|deed| entry.outcome.as_deref() == Some(deed.outcome()))?;
    let segment = entry.preview.as_deref()?.strip_prefix("segment ")?.parse().ok()?;
    Some(Event { record: record.sequence, deed, segment })
}

/// The entry that tells of a deed.
pub(super) fn entry(person: &str, deed: Deed, manifest: &Manifest, reason: &str) -> Entry {
    Entry {
        action: Some(written_digest(manifest)),
        preview: Some(name_of(manifest.number)),
        ..Entry::change(person, deed.outcome(), reason)
    }
}

/// The digest of a manifest as records have it.
pub(in crate::audit) fn written_digest(manifest: &Manifest) -> String {
    format!("sha256:{}", manifest.digest)
}

/// The name of a segment in records, and of what is encrypted for it.
pub(super) fn name_of(number: u64) -> String {
    format!("segment {number}")
}

/// What became of segments by what records tell, in their order.
pub(in crate::audit) fn fold(
    manifests: Vec<Manifest>,
    events: impl IntoIterator<Item = Event>,
) -> Vec<Standing> {
    let (mut held, mut dropped, mut erased) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for Event { deed, segment, .. } in events {
        match deed {
            Deed::Sealed => {}
            Deed::Held => drop(held.insert(segment)),
            Deed::Released => drop(held.remove(&segment)),
            Deed::Dropped => drop(dropped.insert(segment)),
            Deed::Erased => {
                dropped.insert(segment);
                erased.insert(segment);
            }
        }
    }
    let standing = |manifest: Manifest| Standing {
        is_held: held.contains(&manifest.number),
        is_dropped: dropped.contains(&manifest.number),
        is_erased: erased.contains(&manifest.number),
        manifest,
    };
    manifests.into_iter().map(standing).collect()
}
