//! Whether segments are as they were sealed. Owns what is checked of them: that the chain goes on over those whose records are not there, that the record
//! vouches for every manifest, that somebody said who took records out, and that each file is the one that was written.

use super::{Problem, Reading};
use crate::audit::{
    Anchor, Hash,
    segment::{self, Archive, Look, Manifest},
};

/// How many segments there are.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Segments {
    /// How many were sealed.
    pub sealed: u64,
    /// How many of them have no records in the store any more, and of those how many were erased.
    pub dropped: u64,
    /// See `dropped`.
    pub erased: u64,
    /// How many files are not there to be looked at.
    pub elsewhere: u64,
}

impl Reading {
    /// Takes in what segments there are, and that their ends have to stand where they were.
    pub(super) fn expect_segments(&mut self, archive: &Archive) {
        match archive.manifests() {
            Ok(manifests) => {
                for (manifest, _) in manifests {
                    self.expect(manifest.last);
                    let before = manifest.first.saturating_sub(1);
                    self.expect(Anchor { sequence: before, hash: manifest.before });
                    self.sealed.insert(manifest.first, manifest);
                }
            }
            Err(error) => self.note(Problem::Manifests(error.to_string())),
        }
    }

    /// Records are not there: whole segments may be, and the chain goes on at their other end.
    pub(super) fn step_over(&mut self, first: u64, last: u64) {
        let mut next = first;
        while next <= last {
            let sealed = self.sealed.get(&next).filter(|sealed| sealed.last.sequence <= last);
            let Some((number, before, end)) =
                sealed.map(|sealed| (sealed.number, sealed.before, sealed.last))
            else {
                break;
            };
            if self.chain.hash.is_some_and(|hash| hash != before) {
                self.note(Problem::Unlinked { sequence: next });
            }
            if self.places.remove(&end.sequence).is_some_and(|hash| hash != end.hash) {
                self.note(Problem::Replaced { sequence: end.sequence });
            }
            let within = self.places.extract_if(|place, _| (next..end.sequence).contains(place));
            self.apart.extend(within);
            self.absent.insert(number);
            self.chain.hash = Some(end.hash);
            next = end.sequence + 1;
        }
        if next <= last {
            // A record inside the gap may have been the decision that a later one belongs to.
            self.chain.hash = None;
            self.note(Problem::Missing { first: next, last });
        }
    }

    pub(super) fn is_absent(&self, sequence: u64) -> bool {
        let before = self.sealed.range(..=sequence).next_back();
        before
            .is_some_and(|(_, sealed)| sealed.has(sequence) && self.absent.contains(&sealed.number))
    }

    /// Whether the record vouches for every manifest, and what is not there was taken out by somebody who said so.
    pub(super) fn close_segments(&mut self, archive: &Archive) -> Segments {
        let changed = |number, what: &str| Problem::Segment { number, what: what.to_owned() };
        let newest = self.seal.as_ref().map_or(0, |(number, _)| *number);
        let manifests: Vec<Manifest> = std::mem::take(&mut self.sealed).into_values().collect();
        let (manifests, beyond): (Vec<_>, Vec<_>) =
            manifests.into_iter().partition(|manifest| manifest.number <= newest);
        // One that no record tells of is what a killed process left; what is missing is not excused by it.
        for manifest in beyond {
            if !self.absent.contains(&manifest.number) {
                continue;
            }
            let (first, last) = (manifest.first, manifest.last.sequence);
            self.note(Problem::Missing { first, last });
        }
        if let Some((number, digest)) = self.seal.clone() {
            let found = manifests.iter().find(|manifest| manifest.number == number);
            match found.map(segment::written_digest) {
                None => self.note(changed(number, "its manifest is gone")),
                Some(found) if found != digest => {
                    self.note(changed(number, "its manifest is not the one that was sealed"));
                }
                Some(_) => {}
            }
        }
        let mut previous = Hash::GENESIS;
        for manifest in &manifests {
            if manifest.previous != previous {
                self.note(changed(
                    manifest.number,
                    "its manifest does not follow the one before it",
                ));
            }
            previous = manifest.digest;
            self.events.extend(manifest.events.iter().map(|event| (event.record, *event)));
        }
        let mut segments = Segments::default();
        for standing in segment::fold(manifests, std::mem::take(&mut self.events).into_values()) {
            let manifest = &standing.manifest;
            let number = manifest.number;
            segments.sealed += 1;
            segments.dropped += u64::from(standing.is_dropped);
            segments.erased += u64::from(standing.is_erased);
            if self.absent.contains(&number) != standing.is_dropped {
                self.note(if standing.is_dropped {
                    changed(number, "its records were dropped, and are there")
                } else {
                    Problem::Missing { first: manifest.first, last: manifest.last.sequence }
                });
            }
            // What is in the store was read there.
            let seen = if standing.is_dropped {
                let apart = &self.apart;
                let mut replaced = Vec::new();
                let seen = archive.look_at(manifest, &mut |record| {
                    if apart.get(&record.sequence).is_some_and(|hash| *hash != record.hash) {
                        replaced.push(record.sequence);
                    }
                });
                replaced.into_iter().for_each(|sequence| self.note(Problem::Replaced { sequence }));
                seen.unwrap_or_else(|error| Look::Changed(error.to_string()))
            } else {
                match archive.fits(manifest) {
                    None => Look::Gone,
                    Some(true) => Look::Whole,
                    Some(false) => Look::Changed("its file was changed".to_owned()),
                }
            };
            match seen {
                Look::Whole | Look::Unread => {}
                Look::Gone => segments.elsewhere += 1,
                Look::Changed(what) => self.note(Problem::Segment { number, what }),
            }
        }
        segments
    }
}
