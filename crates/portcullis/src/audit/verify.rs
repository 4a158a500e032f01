//! Whether the record is as it was written. Owns what is checked and how each finding is named; it repairs nothing.

use std::{collections::HashSet, fmt, ops::ControlFlow};

use super::{
    entry::{Hash, Kind, Record},
    error::AuditError,
    head::Witness,
    store::{Anchor, Filter, Store},
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
    /// The file `head` is gone.
    HeadMissing,
    /// The file `head` holds what we never write, or nothing.
    HeadUnreadable,
    /// Everyone may write to the file `head`.
    HeadExposed,
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
            Self::Altered(what) => {
                write!(f, "the database was altered: {what}, so that records may have been lost")
            }
        }
    }
}

/// Checks every record, the links between them, and that the chain reaches every place in `known`. `witness` must have
/// been read before this is called, because the chain grows meanwhile.
///
/// # Errors
/// When the store cannot be read at all.
pub(super) fn verify(
    store: &mut dyn Store,
    witness: Witness,
    known: &[Anchor],
) -> Result<Verification, AuditError> {
    let mut places = known.to_vec();
    places.extend(witness.anchor());
    let alterations = store.alterations()?;
    let mut chain = Chain { places: &places, ..Chain::default() };
    store.each(&Filter::default(), &mut |record| {
        match record {
            Ok(record) => chain.follow(&record),
            Err(error) => chain.skip(error),
        }
        ControlFlow::Continue(())
    })?;
    let Chain { records, last, hash, open, mut problems, .. } = chain;
    let mut note = |problem| {
        if problems.len() < MAX_PROBLEMS {
            problems.push(problem);
        }
    };
    match witness {
        Witness::Missing => note(Problem::HeadMissing),
        Witness::Empty | Witness::Unreadable => note(Problem::HeadUnreadable),
        Witness::Exposed => note(Problem::HeadExposed),
        Witness::At(_) => {}
    }
    alterations.into_iter().for_each(|what| note(Problem::Altered(what)));
    let furthest = places.iter().map(|place| place.sequence).max().unwrap_or(0);
    if furthest > last {
        note(Problem::Truncated { last, known: furthest });
    }
    let witnessed = witness.anchor().map_or(0, |place| place.sequence);
    Ok(Verification {
        records,
        head: Anchor { sequence: last, hash: hash.unwrap_or(Hash::GENESIS) },
        unwitnessed: last.saturating_sub(witnessed),
        is_witnessed: witness.anchor().is_some(),
        without_outcome: open.len() as u64,
        problems,
    })
}

struct Chain<'a> {
    places: &'a [Anchor],
    records: u64,
    /// The number of the last record seen.
    last: u64,
    /// Its hash as stored; `None` where it could not be read or is not there.
    hash: Option<Hash>,
    /// Decisions so far, and those of them that allowed and have no outcome.
    decisions: HashSet<u64>,
    open: HashSet<u64>,
    problems: Vec<Problem>,
}

impl Default for Chain<'_> {
    fn default() -> Self {
        Self {
            places: &[],
            records: 0,
            last: 0,
            hash: Some(Hash::GENESIS),
            decisions: HashSet::new(),
            open: HashSet::new(),
            problems: Vec::new(),
        }
    }
}

impl Chain<'_> {
    fn note(&mut self, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn follow(&mut self, record: &Record) {
        let sequence = record.sequence;
        self.step_to(sequence);
        if record.computed_hash() != record.hash {
            self.note(Problem::Changed { sequence });
        }
        if self.hash.is_some_and(|hash| hash != record.previous) {
            self.note(Problem::Unlinked { sequence });
        }
        let replaced =
            self.places.iter().any(|place| place.sequence == sequence && place.hash != record.hash);
        if replaced {
            self.note(Problem::Replaced { sequence });
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
            (kind, Some(decision)) if self.decisions.contains(&decision) => {
                if kind == Kind::Outcome {
                    self.open.remove(&decision);
                }
            }
            (Kind::Answer | Kind::Outcome, _) => self.note(Problem::Orphan { sequence }),
        }
        self.hash = Some(record.hash);
    }

    /// A record that cannot be read says nothing about its neighbours.
    fn skip(&mut self, error: AuditError) {
        let AuditError::Unreadable { sequence, reason } = error else { return };
        if let Ok(place @ 1..) = u64::try_from(sequence) {
            self.step_to(place);
            // What it was may have been a decision.
            self.decisions.insert(place);
            self.hash = None;
        }
        self.note(Problem::Unreadable { sequence, reason });
    }

    fn step_to(&mut self, sequence: u64) {
        self.records += 1;
        let expected = self.last + 1;
        if sequence > expected {
            self.note(Problem::Missing { first: expected, last: sequence - 1 });
            // A record inside the gap may have been the decision that a later one belongs to.
            self.hash = None;
        }
        self.last = sequence;
    }
}
