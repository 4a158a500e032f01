//! What a gateway's work comes to in numbers: how many calls were judged hour by hour, and how long people took to answer. Owns what is asked of a store for
//! it; none of it decides anything, and the record stays what proves each decision.

use std::collections::BTreeMap;

use jiff::Timestamp;
use portcullis_core::{approval::Status, decision::Verdict};

use crate::audit::AuditError;

/// How long the calls of projects are counted for, in hours.
pub const COUNTED_FOR: i64 = 92 * 24;

/// How many calls were allowed, asked about and denied.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    /// Allowed at once.
    pub allowed: u64,
    /// Asked about.
    pub asked: u64,
    /// Denied at once.
    pub denied: u64,
}

impl Counts {
    /// Counts one more of a kind, or several.
    pub const fn add(&mut self, verdict: Verdict, count: u64) {
        let of_it = match verdict {
            Verdict::Allow => &mut self.allowed,
            Verdict::Ask => &mut self.asked,
            Verdict::Deny => &mut self.denied,
        };
        *of_it = of_it.saturating_add(count);
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            allowed: self.allowed.saturating_add(other.allowed),
            asked: self.asked.saturating_add(other.asked),
            denied: self.denied.saturating_add(other.denied),
        }
    }
}

/// The calls of a project within an hour.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Called {
    /// Which hour: how many passed since 1970 in UTC.
    pub hour: i64,
    /// The project.
    pub project: String,
    /// How many.
    pub counts: Counts,
}

/// A request, as far as figures go: what may change of it until it is decided.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Put {
    /// Which: the number of its record.
    pub number: u64,
    /// When it was asked.
    pub asked: Timestamp,
    /// When it was decided.
    pub decided: Option<Timestamp>,
    /// What became of it.
    pub status: Status,
}

/// What a request is about, which never changes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct About {
    /// Which: the number of its record.
    pub number: u64,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// The rules that found something in it, most severe first, with spaces between.
    pub rules: String,
}

/// What the record has of some time.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Hour {
    /// How many decisions.
    pub counts: Counts,
    /// How many of those that were not allowed at once each rule found something in.
    pub rules: BTreeMap<String, u64>,
}

impl Hour {
    /// Counts decisions in which the same rules, by their names with spaces between, found something.
    pub(super) fn add(&mut self, verdict: Verdict, rules: &str, count: u64) {
        self.counts.add(verdict, count);
        for rule in rules.split(' ').filter(|rule| !rule.is_empty()) {
            match self.rules.get_mut(rule) {
                Some(before) => *before = before.saturating_add(count),
                None => drop(self.rules.insert(rule.to_owned(), count)),
            }
        }
    }
}

/// A session of an agent, as far as figures go.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lasted {
    /// Its name.
    pub session: String,
    /// Which agent.
    pub agent: Option<String>,
    /// Its first decision among those that were looked at, as the record writes times.
    pub first: String,
    /// Its last one.
    pub last: String,
    /// How many decisions.
    pub counts: Counts,
}

/// What a store tells in figures.
pub trait Figures {
    /// The sessions among so many of the latest records, the latest first; so many at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn lasted(&mut self, latest: u32, most: u32) -> Result<Vec<Lasted>, AuditError>;

    /// The calls of projects from an hour on, those of one project together with each hour; the latest first, a hundred thousand rows at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn called(&mut self, from: i64) -> Result<Vec<Called>, AuditError>;

    /// The requests that were asked at a time or later, the latest first; so many at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn put(&mut self, since: Timestamp, most: u32) -> Result<Vec<Put>, AuditError>;

    /// What the requests are about whose numbers lie between two, these included; in no order.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn about(&mut self, from: u64, to: u64) -> Result<Vec<About>, AuditError>;

    /// The decisions among the records behind one number and up to another, by hour as in [`Called::hour`].
    ///
    /// # Errors
    /// When the store cannot be read.
    fn decisions(&mut self, after: u64, until: u64) -> Result<BTreeMap<i64, Hour>, AuditError>;

    /// The number and time of the first record from a number on.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn first_from(&mut self, number: u64) -> Result<Option<(u64, Timestamp)>, AuditError>;
}

/// The number from which on records are of a time or later, where clocks never went back: a hint where to begin.
///
/// # Errors
/// When the store cannot be read.
pub fn number_at<S: Figures + ?Sized>(
    store: &mut S,
    time: Timestamp,
    head: u64,
) -> Result<u64, AuditError> {
    let (mut low, mut high) = (1, head.saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        match store.first_from(middle)? {
            Some((number, at)) if at < time => low = number.saturating_add(1),
            // There is none from there on, or it is late enough.
            _ => high = middle,
        }
    }
    Ok(low)
}

/// The hour of a time.
#[must_use]
pub fn hour_of(time: Timestamp) -> i64 {
    time.as_second().div_euclid(3_600)
}

/// The verdict of a word.
pub(super) fn verdict_named(word: &str) -> Option<Verdict> {
    [Verdict::Allow, Verdict::Ask, Verdict::Deny].into_iter().find(|one| one.name() == word)
}

/// The hour of a time as the record writes it, `2026-01-02T03…`, as far as that.
pub(super) fn hour_written(text: &str) -> Option<i64> {
    format!("{text}:00:00Z").parse().ok().map(hour_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_read_as_the_record_writes_them() {
        assert_eq!(hour_written("1970-01-02T03"), Some(27));
        assert_eq!(hour_written("x"), None);
        assert_eq!(hour_of(Timestamp::from_second(-1).unwrap()), -1);
        let mut hour = Hour::default();
        hour.add(Verdict::Ask, "a.b c.d", 2);
        hour.add(Verdict::Deny, "a.b", 1);
        hour.add(Verdict::Allow, "", 7);
        assert_eq!(hour.rules.values().copied().collect::<Vec<_>>(), [3, 2]);
        assert_eq!(hour.counts, Counts { allowed: 7, asked: 2, denied: 1 });
    }
}
