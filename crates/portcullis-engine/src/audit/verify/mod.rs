//! Whether the record is as it was written. Owns what is checked and how each finding is named; it repairs nothing.

mod segments;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    ops::ControlFlow,
};

use segments::Sealed;
pub use segments::Segments;

use super::{
    entry::{Hash, Kind, Record},
    error::AuditError,
    head::Witness,
    segment::{self, Archive, Event},
    store::{Anchor, Chain, Store, TREE_HEAD, digest_of_ends, read_end},
};

/// The most problems that are listed; a record that is all wrong needs no longer list.
pub const MAX_PROBLEMS: usize = 1_000;

/// What verification found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verification {
    /// How many records there are.
    pub records: u64,
    /// The last of them; note it elsewhere, and a record that is rewritten whole is noticed too.
    pub head: Anchor,
    /// How many records stand after the one that `head` knows. A few are normal after a crash, or while another process writes;
    /// they are linked, but could be cut unnoticed.
    pub unwitnessed: u64,
    /// How many decisions that allowed have no outcome: only judged, still running, or interrupted.
    pub without_outcome: u64,
    /// Whether `head` says how far the chain had come; where it does not, no record is vouched for by it.
    pub is_witnessed: bool,
    /// What there is of segments.
    pub segments: Segments,
    /// What is wrong, in the order of the records; at most [`MAX_PROBLEMS`].
    pub problems: Vec<Problem>,
}

impl Verification {
    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_intact(&self) -> bool {
        self.problems.is_empty()
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Problem {
    /// A record holds what we never write.
    Unreadable {
        /// Which.
        sequence: i64,
        /// What.
        reason: String,
    },
    /// A record's hash does not fit its content.
    Changed {
        /// Which.
        sequence: u64,
    },
    /// Records are missing inside the chain.
    Missing {
        /// The first of them.
        first: u64,
        /// The last of them.
        last: u64,
    },
    /// A record does not name the hash of the one before it.
    Unlinked {
        /// Which.
        sequence: u64,
    },
    /// An answer or an outcome belongs to no decision before it.
    Orphan {
        /// Which.
        sequence: u64,
    },
    /// Records are missing at the end.
    Truncated {
        /// The last one there is.
        last: u64,
        /// The last one there was.
        known: u64,
    },
    /// Another record stands where one that was known stood.
    Replaced {
        /// Which.
        sequence: u64,
    },
    /// A record of one of several chains does not name the hash of the one before it.
    Detached {
        /// Which.
        sequence: u64,
        /// Of which chain.
        chain: String,
    },
    /// One of several chains has not as many records as it had.
    Fewer {
        /// Which.
        chain: String,
        /// How many there are up to where it ended.
        found: u64,
        /// How many there were.
        known: u64,
    },
    /// The file `head` is gone.
    HeadMissing,
    /// The file `head` holds what we never write, or nothing.
    HeadUnreadable,
    /// Everyone may write to the file `head`.
    HeadExposed,
    /// A segment is not as it was sealed.
    Segment {
        /// Which.
        number: u64,
        /// Of which chain; empty where there is one alone.
        chain: String,
        /// What is wrong.
        what: String,
    },
    /// The manifests of segments cannot be read.
    Manifests(String),
    /// The database holds what we did not put there, or lacks what we did.
    Altered(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { sequence, reason } => {
                write!(f, "record {sequence} was changed: {reason}")
            }
            Self::Changed { sequence } => {
                write!(f, "record {sequence} was changed: its hash does not fit what it says")
            }
            Self::Missing { first, last } if first == last => {
                write!(f, "record {first} was removed")
            }
            Self::Missing { first, last } => write!(f, "records {first} to {last} were removed"),
            Self::Unlinked { sequence: 1 } => {
                write!(
                    f,
                    "record 1 is not the first that was written: those before it were removed"
                )
            }
            Self::Unlinked { sequence } => write!(
                f,
                "record {sequence} does not follow record {}: one of them was replaced, inserted or moved",
                sequence - 1
            ),
            Self::Orphan { sequence } => {
                write!(f, "record {sequence} belongs to a decision that is not there")
            }
            Self::Truncated { last, known } => write!(
                f,
                "the record ends with {last}, but {known} had been written: the end was cut off"
            ),
            Self::Replaced { sequence } => write!(
                f,
                "record {sequence} is not the one that was written: the record was rewritten from there or before"
            ),
            Self::Detached { sequence, chain } => write!(
                f,
                "record {sequence} does not follow the one before it in the chain `{chain}`: one of them was removed, replaced, \
                 inserted or moved"
            ),
            Self::Fewer { chain, found, known } => write!(
                f,
                "the chain `{chain}` has {found} records of the {known} that were written: some were removed or inserted"
            ),
            Self::HeadMissing => {
                write!(f, "the file `head` was removed: whether the end was cut off cannot be told")
            }
            Self::HeadUnreadable => {
                write!(f, "the file `head` was changed: whether the end was cut off cannot be told")
            }
            Self::HeadExposed => write!(
                f,
                "everyone may write to the file `head`: whether the end was cut off cannot be told"
            ),
            Self::Segment { number, chain, what } if chain.is_empty() => {
                write!(f, "segment {number}: {what}")
            }
            Self::Segment { number, chain, what } => {
                write!(f, "segment {number} of the chain `{chain}`: {what}")
            }
            Self::Manifests(what) => f.write_str(what),
            Self::Altered(what) => {
                write!(f, "the database was altered: {what}, so that records may have been lost")
            }
        }
    }
}

/// Checks every record, the links between them, and that the chains reach every place in `known`. `witness` is what is kept apart from the
/// store, where anything is; it must have been read before this is called, because chains grow meanwhile.
///
/// # Errors
/// When the store cannot be read at all.
pub(super) fn verify(
    store: &mut dyn Store,
    witness: Option<Witness>,
    known: &[Place],
    archive: Option<&Archive>,
) -> Result<Verification, AuditError> {
    let mut reading = Reading::default();
    // Before the records: what is sealed meanwhile is looked for once more.
    let names = store.chain_names()?;
    if let Some(archive) = archive {
        names.iter().for_each(|chain| reading.expect_segments(archive, chain));
    }
    let anchor = witness.and_then(Witness::anchor);
    known.iter().for_each(|(chain, place)| reading.expect(*place, Some(chain)));
    anchor.into_iter().for_each(|place| reading.expect(place, None));
    let furthest = reading.places.keys().max().copied().unwrap_or(0);
    let alterations = store.alterations()?;
    // The ends first, since chains grow while they are followed.
    let chains = store.chains()?;
    for chain in &chains {
        if let Some((end, _)) = chain.end {
            reading.expect(end, Some(&chain.name));
        }
    }
    store.tree_heads(&mut |sequence, text| reading.tells(sequence, text))?;
    for chain in &chains {
        reading.begin(chain);
        store.follow(&chain.name, 0, &mut |record| {
            match record {
                Ok(record) => reading.follow(&record),
                Err(error) => reading.skip(error),
            }
            ControlFlow::Continue(())
        })?;
        reading.end(chain);
    }
    reading.close();
    let segments =
        archive.map(|archive| reading.close_segments(archive, names)).unwrap_or_default();
    match witness {
        Some(Witness::Missing) => reading.note(Problem::HeadMissing),
        Some(Witness::Empty | Witness::Unreadable) => reading.note(Problem::HeadUnreadable),
        Some(Witness::Exposed) => reading.note(Problem::HeadExposed),
        Some(Witness::At(_)) | None => {}
    }
    alterations.into_iter().for_each(|what| reading.note(Problem::Altered(what)));
    let Reading { records, newest, open, mut problems, .. } = reading;
    if furthest > newest.sequence && problems.len() < MAX_PROBLEMS {
        problems.push(Problem::Truncated { last: newest.sequence, known: furthest });
    }
    let witnessed = anchor.map_or(0, |place| place.sequence);
    Ok(Verification {
        records,
        head: newest,
        unwitnessed: match witness {
            Some(_) => newest.sequence.saturating_sub(witnessed),
            None => 0,
        },
        is_witnessed: anchor.is_some() || witness.is_none(),
        without_outcome: open.len() as u64,
        segments,
        problems,
    })
}

/// A place that somebody noted, in the chain of this name; which is empty where there is one alone.
pub type Place = (String, Anchor);

/// What was read so far.
#[derive(Default)]
struct Reading {
    /// What has to stand where, and was not found yet; and in which chain, where that is known.
    places: HashMap<u64, Hash>,
    place_of: HashMap<u64, String>,
    /// What records have to hold that tell where chains ended, and were not found yet.
    told: HashMap<u64, String>,
    records: u64,
    newest: Anchor,
    /// Decisions so far, and those of them that allowed and have no outcome.
    decisions: HashSet<u64>,
    open: HashSet<u64>,
    /// What belongs to a decision that was not read yet: it may stand in another chain.
    loose: Vec<(u64, u64, Kind)>,
    problems: Vec<Problem>,
    chain: Following,
    /// What was sealed of each chain.
    sealed: HashMap<String, Sealed>,
    /// What records that are there tell of segments.
    events: BTreeMap<u64, Event>,
}

/// The chain that is followed.
#[derive(Default)]
struct Following {
    /// Its name; empty where there is one only, whose numbers have no gaps.
    name: String,
    /// How many of its records were read, and how many up to where it ended when this began.
    records: u64,
    until_end: u64,
    end: u64,
    /// The number of the last record seen.
    last: u64,
    /// Its hash as stored; `None` where it could not be read or is not there.
    hash: Option<Hash>,
}

impl Reading {
    fn note(&mut self, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn expect(&mut self, place: Anchor, chain: Option<&str>) {
        if place.sequence == 0 {
            return;
        }
        if let Some(chain) = chain.filter(|chain| !chain.is_empty()) {
            self.place_of.insert(place.sequence, chain.to_owned());
        }
        if self.places.insert(place.sequence, place.hash).is_some_and(|other| other != place.hash) {
            self.note(Problem::Replaced { sequence: place.sequence });
        }
    }

    /// Takes in what is kept of a record that tells where the chains ended.
    fn tells(&mut self, sequence: u64, text: &str) {
        self.told.insert(sequence, digest_of_ends(text));
        for line in text.lines() {
            match read_end(line) {
                Some((chain, (end, _))) => self.expect(end, Some(chain)),
                None => self.note(Problem::Changed { sequence }),
            }
        }
    }

    fn begin(&mut self, chain: &Chain) {
        self.chain = Following {
            name: chain.name.clone(),
            hash: Some(chain.genesis),
            end: chain.end.map_or(0, |(end, _)| end.sequence),
            ..Following::default()
        };
    }

    fn end(&mut self, chain: &Chain) {
        if chain.name.is_empty() {
            return;
        }
        self.step_over_segments(u64::MAX);
        let Following { until_end, .. } = self.chain;
        match chain.end {
            None => self
                .note(Problem::Altered(format!("the end of the chain `{}` is gone", chain.name))),
            Some((_, count)) if until_end != count => {
                let chain = chain.name.clone();
                self.note(Problem::Fewer { chain, found: until_end, known: count });
            }
            Some(_) => {}
        }
    }

    /// Once every chain was followed.
    fn close(&mut self) {
        for (sequence, decision, kind) in std::mem::take(&mut self.loose) {
            self.belongs(sequence, decision, kind);
        }
        if self.chain.name.is_empty() {
            // Of one chain without gaps it was said already what is missing.
            return;
        }
        let mut gone: Vec<u64> = self.places.keys().chain(self.told.keys()).copied().collect();
        gone.sort_unstable();
        gone.dedup();
        for sequence in gone {
            if sequence <= self.newest.sequence {
                self.note(Problem::Missing { first: sequence, last: sequence });
            }
        }
    }

    fn follow(&mut self, record: &Record) {
        let sequence = record.sequence;
        self.step_to(sequence);
        if record.computed_hash() != record.hash {
            self.note(Problem::Changed { sequence });
        }
        if self.chain.hash.is_some_and(|hash| hash != record.previous) {
            self.note(self.unlinked(sequence));
        }
        if self.places.remove(&sequence).is_some_and(|hash| hash != record.hash) {
            self.note(Problem::Replaced { sequence });
        }
        let digest = self.told.remove(&sequence);
        let tells =
            record.entry.kind == Kind::Change && record.entry.outcome.as_deref() == Some(TREE_HEAD);
        if (tells || digest.is_some()) && digest != record.entry.action {
            self.note(Problem::Changed { sequence });
        }
        if segment::tells_of_segments(&self.chain.name)
            && let Some(event) = segment::event_of(record)
        {
            self.events.insert(sequence, event);
        }
        match (record.entry.kind, record.entry.refers_to) {
            (Kind::Decision, _) => {
                self.decisions.insert(sequence);
                if record.entry.decision == Some(portcullis_core::decision::Verdict::Allow) {
                    self.open.insert(sequence);
                }
            }
            // It may refer to any record, or to none.
            (Kind::Change, _) => {}
            // The call came to no gate before it ran; the outcome says so itself, and the chain holds it.
            (Kind::Outcome, None) => {}
            (kind, Some(decision))
                if !self.chain.name.is_empty() && !self.decisions.contains(&decision) =>
            {
                self.loose.push((sequence, decision, kind));
            }
            (kind, Some(decision)) => self.belongs(sequence, decision, kind),
            (Kind::Answer, None) => self.note(Problem::Orphan { sequence }),
        }
        self.chain.hash = Some(record.hash);
        if sequence >= self.newest.sequence {
            self.newest = Anchor { sequence, hash: record.hash };
        }
    }

    fn belongs(&mut self, sequence: u64, decision: u64, kind: Kind) {
        if !self.decisions.contains(&decision) {
            if self.is_absent(decision) {
                return;
            }
            self.note(Problem::Orphan { sequence });
        } else if kind == Kind::Outcome {
            self.open.remove(&decision);
        }
    }

    fn unlinked(&self, sequence: u64) -> Problem {
        if self.chain.name.is_empty() {
            Problem::Unlinked { sequence }
        } else {
            Problem::Detached { sequence, chain: self.chain.name.clone() }
        }
    }

    /// A record that cannot be read says nothing about its neighbours.
    fn skip(&mut self, error: AuditError) {
        let AuditError::Unreadable { sequence, reason } = error else { return };
        if let Ok(place @ 1..) = u64::try_from(sequence) {
            self.step_to(place);
            // What it was may have been a decision.
            self.decisions.insert(place);
            self.chain.hash = None;
            if place >= self.newest.sequence {
                self.newest = Anchor { sequence: place, hash: Hash::GENESIS };
            }
        }
        self.note(Problem::Unreadable { sequence, reason });
    }

    fn step_to(&mut self, sequence: u64) {
        self.records += 1;
        if !self.chain.name.is_empty() {
            self.step_over_segments(sequence);
        }
        let chain = &mut self.chain;
        chain.records += 1;
        if sequence <= chain.end {
            chain.until_end = chain.records;
        }
        let expected = chain.last + 1;
        let has_gaps = !chain.name.is_empty();
        chain.last = sequence;
        if sequence > expected && !has_gaps {
            self.step_over(expected, sequence - 1);
        }
    }
}
