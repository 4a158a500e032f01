//! Whether segments are as they were sealed. Owns what is checked of them: that the chain goes on over those whose records are not there, that the record
//! vouches for every manifest, that somebody said who took records out, and that each file is the one that was written.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Bound,
};

use super::{Problem, Reading};
use crate::audit::{
    Anchor, Hash,
    segment::{self, Archive, Event, KEEPER, Look, Manifest, Standing},
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

/// What was sealed of a chain.
#[derive(Default)]
pub(super) struct Sealed {
    /// By the number of its first record.
    manifests: BTreeMap<u64, Manifest>,
    /// The numbers of those whose records are not there.
    absent: BTreeSet<u64>,
    /// Places that somebody noted and that stand in one of those.
    apart: HashMap<u64, Hash>,
}

impl Reading {
    /// Takes in what segments there are of a chain, and that their ends have to stand where they were.
    pub(super) fn expect_segments(&mut self, archive: &Archive, chain: &str) {
        match archive.of_chain(chain).and_then(|archive| archive.manifests()) {
            Ok(manifests) => {
                for (manifest, _) in manifests {
                    self.expect(manifest.last, Some(chain));
                    if chain.is_empty() {
                        let before = manifest.first.saturating_sub(1);
                        self.expect(Anchor { sequence: before, hash: manifest.before }, None);
                    }
                    let sealed = self.sealed.entry(chain.to_owned()).or_default();
                    sealed.manifests.insert(manifest.first, manifest);
                }
            }
            Err(error) => self.note(Problem::Manifests(error.to_string())),
        }
    }

    /// Records of the one chain are not there: whole segments may be, and the chain goes on at their other end.
    pub(super) fn step_over(&mut self, first: u64, last: u64) {
        let mut next = first;
        while next <= last {
            let sealed = self.sealed.get("").and_then(|sealed| sealed.manifests.get(&next));
            let Some(gone) = sealed.filter(|sealed| sealed.last.sequence <= last).map(Gone::of)
            else {
                break;
            };
            next = gone.end.sequence + 1;
            self.go_on_behind(&gone);
        }
        if next <= last {
            // A record inside the gap may have been the decision that a later one belongs to.
            self.chain.hash = None;
            self.note(Problem::Missing { first: next, last });
        }
    }

    /// The next record of one of many chains has this number: segments whose numbers are all lower than that, and which were not read, are not there.
    pub(super) fn step_over_segments(&mut self, until: u64) {
        loop {
            let behind = (Bound::Excluded(self.chain.last), Bound::Unbounded);
            let next = self.sealed.get(&self.chain.name);
            let next = next.and_then(|sealed| sealed.manifests.range(behind).next());
            let gone = next.filter(|(_, sealed)| sealed.last.sequence < until);
            let Some(gone) = gone.map(|(_, sealed)| Gone::of(sealed)) else { return };
            self.go_on_behind(&gone);
            self.chain.records += gone.count;
            self.chain.last = gone.end.sequence;
            if gone.end.sequence <= self.chain.end {
                self.chain.until_end = self.chain.records;
            }
            if gone.end.sequence > self.newest.sequence {
                self.newest = gone.end;
            }
        }
    }

    /// The chain goes on behind a segment that is not there.
    fn go_on_behind(&mut self, gone: &Gone) {
        let Gone { number, first, before, end, .. } = *gone;
        if self.chain.hash.is_some_and(|hash| hash != before) {
            self.note(self.unlinked(first));
        }
        if self.places.remove(&end.sequence).is_some_and(|hash| hash != end.hash) {
            self.note(Problem::Replaced { sequence: end.sequence });
        }
        let Self { places, place_of, chain, sealed, .. } = self;
        let is_here = |place: &u64| place_of.get(place).is_none_or(|of| *of == chain.name);
        let within =
            places.extract_if(|place, _| (first..end.sequence).contains(place) && is_here(place));
        let sealed = sealed.entry(chain.name.clone()).or_default();
        sealed.apart.extend(within);
        sealed.absent.insert(number);
        chain.hash = Some(end.hash);
    }

    pub(super) fn is_absent(&self, sequence: u64) -> bool {
        self.sealed.values().any(|sealed| {
            let before = sealed.manifests.range(..=sequence).next_back();
            before.is_some_and(|(_, one)| one.has(sequence) && sealed.absent.contains(&one.number))
        })
    }

    /// Whether the record vouches for every manifest, and what is not there was taken out by somebody who said so.
    pub(super) fn close_segments(&mut self, archive: &Archive, chains: Vec<String>) -> Segments {
        let mut events = std::mem::take(&mut self.events);
        let teller = if chains.iter().any(String::is_empty) { "" } else { KEEPER };
        let mut names: BTreeSet<String> = chains.into_iter().collect();
        for Event { chain, .. } in events.values() {
            if names.insert(chain.clone()) {
                let what = format!("the chain `{chain}`, of which segments were sealed, is gone");
                self.problems.push(Problem::Altered(what));
            }
        }
        // Whoever tells of segments first: what records say that are gone, the manifests behind them repeat.
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_by_key(|name| name != teller);
        let mut segments = Segments::default();
        let mut standing: Vec<(Standing, bool, HashMap<u64, Hash>)> = Vec::new();
        for chain in names {
            let mut sealed = self.sealed.remove(&chain).unwrap_or_default();
            let manifests = self.vouched_for(archive, &chain, &mut sealed, &events);
            if chain == teller {
                let repeated = manifests.iter().flat_map(|manifest| manifest.events.iter());
                events.extend(repeated.map(|event| (event.record, event.clone())));
            }
            for one in segment::fold(manifests, events.values().cloned()) {
                let is_absent = sealed.absent.contains(&one.manifest.number);
                let apart = if is_absent { sealed.apart.clone() } else { HashMap::new() };
                standing.push((one, is_absent, apart));
            }
        }
        for (one, is_absent, apart) in &standing {
            segments.sealed += 1;
            segments.dropped += u64::from(one.is_dropped);
            segments.erased += u64::from(one.is_erased);
            self.compare(archive, one, *is_absent, apart, &mut segments);
        }
        segments
    }

    /// The manifests of a chain that the newest seal vouches for.
    fn vouched_for(
        &mut self,
        archive: &Archive,
        chain: &str,
        sealed: &mut Sealed,
        events: &BTreeMap<u64, Event>,
    ) -> Vec<Manifest> {
        let newest = segment::newest_seal(events.values(), chain);
        let number = newest.map_or(0, |(number, _)| number);
        if !sealed.manifests.values().any(|manifest| manifest.number == number)
            && let Ok(again) = archive.of_chain(chain).and_then(|archive| archive.manifests())
        {
            // It was sealed meanwhile.
            let again = again.into_iter().map(|(manifest, _)| (manifest.first, manifest));
            sealed.manifests.extend(again.filter(|(_, manifest)| manifest.number <= number));
        }
        let manifests = std::mem::take(&mut sealed.manifests);
        let (manifests, beyond): (Vec<_>, Vec<_>) =
            manifests.into_values().partition(|manifest| manifest.number <= number);
        // One that no record tells of is what a killed process left; what is missing is not excused by it.
        for manifest in beyond {
            if !sealed.absent.contains(&manifest.number) {
                continue;
            }
            let (first, last) = (manifest.first, manifest.last.sequence);
            self.note(Problem::Missing { first, last });
        }
        let changed = |number, what: &str| {
            let (chain, what) = (chain.to_owned(), what.to_owned());
            Problem::Segment { number, chain, what }
        };
        if let Some((number, digest)) = newest {
            match manifests.iter().find(|manifest| manifest.number == number) {
                None => self.note(changed(number, "its manifest is gone")),
                Some(found) if Some(found.digest) != digest => {
                    self.note(changed(number, "its manifest is not the one that was sealed"));
                }
                Some(_) => {}
            }
        }
        let mut previous = Hash::GENESIS;
        for manifest in &manifests {
            if manifest.previous != previous {
                let what = "its manifest does not follow the one before it";
                self.note(changed(manifest.number, what));
            }
            previous = manifest.digest;
        }
        manifests
    }

    /// Holds what became of a segment against what is there of it.
    fn compare(
        &mut self,
        archive: &Archive,
        standing: &Standing,
        is_absent: bool,
        apart: &HashMap<u64, Hash>,
        segments: &mut Segments,
    ) {
        let manifest = &standing.manifest;
        let (number, chain) = (manifest.number, manifest.chain.clone());
        if is_absent != standing.is_dropped {
            self.note(if standing.is_dropped {
                let what = "its records were dropped, and are there".to_owned();
                Problem::Segment { number, chain: chain.clone(), what }
            } else {
                Problem::Missing { first: manifest.first, last: manifest.last.sequence }
            });
        }
        let Ok(archive) = archive.of_chain(&chain) else { return };
        // What is in the store was read there.
        let seen = if standing.is_dropped {
            let (mut replaced, mut left) = (Vec::new(), apart.clone());
            left.retain(|place, _| manifest.has(*place));
            let seen = archive.look_at(manifest, &mut |record| {
                if left.remove(&record.sequence).is_some_and(|hash| hash != record.hash) {
                    replaced.push(record.sequence);
                }
            });
            // Between two records of one of many chains another one may stand, and that is not this place.
            if matches!(seen, Ok(Look::Whole)) {
                replaced.extend(left.into_keys());
            }
            replaced.sort_unstable();
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
            Look::Changed(what) => self.note(Problem::Segment { number, chain, what }),
        }
    }
}

/// What is known of a segment whose records are not there.
struct Gone {
    number: u64,
    first: u64,
    before: Hash,
    end: Anchor,
    count: u64,
}

impl Gone {
    const fn of(manifest: &Manifest) -> Self {
        let Manifest { number, first, before, last, count, .. } = *manifest;
        Self { number, first, before, end: last, count }
    }
}
