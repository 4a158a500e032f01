//! What records tell of segments, and what became of those by it.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{
    KEEPER, SegmentError,
    manifest::{Deed, Event, Manifest},
};
use crate::audit::{Anchor, Entry, Hash, Kind, Record};

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
    /// Whose numbers have gaps where it has a name.
    chain: String,
    pub(super) at: Anchor,
    pub(super) count: u64,
    pub(super) times: Option<(Timestamp, Timestamp)>,
    pub(super) events: Vec<Event>,
}

impl Walk {
    pub(super) fn new(number: u64, chain: &str, at: Anchor) -> Self {
        Self { number, chain: chain.to_owned(), at, count: 0, times: None, events: Vec::new() }
    }

    pub(super) fn take(&mut self, record: &Record) -> Result<(), SegmentError> {
        let is_next = match self.chain.is_empty() {
            true => record.sequence == self.at.sequence + 1,
            false => record.sequence > self.at.sequence,
        };
        let follows =
            is_next && record.previous == self.at.hash && record.computed_hash() == record.hash;
        if !follows {
            let what = format!("record {} is not as it was written", record.sequence);
            return Err(SegmentError::Changed { number: self.number, what });
        }
        self.at = Anchor { sequence: record.sequence, hash: record.hash };
        self.count += 1;
        self.times = Some((self.times.map_or(record.time, |times| times.0), record.time));
        if tells_of_segments(&self.chain) {
            self.events.extend(event_of(record));
        }
        Ok(())
    }
}

/// Whether records of a chain tell of segments: where gateways share a record, those of one chain alone do, whatever others say.
pub(in crate::audit) fn tells_of_segments(chain: &str) -> bool {
    chain.is_empty() || chain == KEEPER
}

/// What a record tells of a segment.
pub(in crate::audit) fn event_of(record: &Record) -> Option<Event> {
    let entry = &record.entry;
    if entry.kind != Kind::Change {
        return None;
    }
    let deed =
        Deed::ALL.into_iter().find(|deed| entry.outcome.as_deref() == Some(deed.outcome()))?;
    let named = entry.preview.as_deref()?.strip_prefix("segment ")?;
    let (segment, chain) = named.split_once(" of ").unwrap_or((named, ""));
    let (segment, chain) = (segment.parse().ok()?, chain.to_owned());
    let digest = entry.action.as_deref().and_then(|text| text.strip_prefix("sha256:"));
    let digest = digest.and_then(|digest| digest.parse().ok());
    Some(Event { record: record.sequence, deed, segment, chain, digest })
}

/// The entry that tells of a deed.
pub(super) fn entry(person: &str, deed: Deed, manifest: &Manifest, reason: &str) -> Entry {
    Entry {
        action: Some(written_digest(manifest)),
        preview: Some(name_of(manifest.number, &manifest.chain)),
        ..Entry::change(person, deed.outcome(), reason)
    }
}

/// The digest of a manifest as records have it.
pub(in crate::audit) fn written_digest(manifest: &Manifest) -> String {
    format!("sha256:{}", manifest.digest)
}

/// The name of a segment in records, and of what is encrypted for it.
pub(super) fn name_of(number: u64, chain: &str) -> String {
    match chain {
        "" => format!("segment {number}"),
        chain => format!("segment {number} of {chain}"),
    }
}

/// The newest seal of a chain that records tell of: the number of its segment, and the digest of the manifest.
pub(in crate::audit) fn newest_seal<'e>(
    events: impl Iterator<Item = &'e Event>,
    chain: &str,
) -> Option<(u64, Option<Hash>)> {
    let seals = events.filter(|event| event.deed == Deed::Sealed && event.chain == chain);
    seals.max_by_key(|event| event.record).map(|event| (event.segment, event.digest))
}

/// What became of the segments of one chain by what records tell, in their order.
pub(in crate::audit) fn fold(
    manifests: Vec<Manifest>,
    events: impl IntoIterator<Item = Event>,
) -> Vec<Standing> {
    let (mut held, mut dropped, mut erased) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let chain = manifests.first().map_or_else(String::new, |first| first.chain.clone());
    let events = events.into_iter().filter(|event| event.chain == chain);
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
