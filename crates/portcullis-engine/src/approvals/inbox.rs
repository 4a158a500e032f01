//! What waits, as people look through it. Owns what can be looked for, and what is told of each request before somebody opens it: from the worst on,
//! page by page, and the alike together. How it is asked of a database, each store says; whether a request may be decided, none of this does.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use portcullis_core::risk::Risk;

use super::request::{Id, Request};
use crate::audit::AuditError;

/// The worst first; what is not known may be critical.
const WORST: [Risk; 6] =
    [Risk::Critical, Risk::Unknown, Risk::High, Risk::Medium, Risk::Low, Risk::Safe];

/// How far what waits is counted: beyond that, nobody wants to know how many.
pub const COUNTED: u32 = 10_000;

/// How the database says how bad a request is: the same text as in the index on it.
pub(super) const RANK: &str = "CASE approval.risk WHEN 'critical' THEN 0 WHEN 'unknown' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3 \
    WHEN 'low' THEN 4 ELSE 5 END";

/// A request, with what the record of its decision tells of it.
pub(super) const FROM: &str = "approval LEFT JOIN record ON record.sequence = approval.sequence \
    LEFT JOIN approval_project ON approval_project.approval = approval.sequence";

/// What requests have in common that are alike: somebody who has looked at one knows what the others are about.
pub(super) const ALIKE: [&str; 7] = [
    "approval.tool",
    "approval.risk",
    "coalesce(record.class, '')",
    "coalesce(record.rules, '')",
    "coalesce(approval_project.project, '')",
    "coalesce(approval.agent, '')",
    "approval.requester",
];

/// The risk of a rank; what is none may be critical.
pub(super) fn risk_at(rank: i64) -> Risk {
    usize::try_from(rank).ok().and_then(|rank| WORST.get(rank)).copied().unwrap_or(Risk::Unknown)
}

/// What has to be looked at to count what is sought: the requests alone, where nothing else is asked about.
pub(super) fn joined(sought: &Sought) -> &'static str {
    let Sought { within, project, rule, class, text, alike, .. } = sought;
    let is_plain = within.is_none()
        && project.is_none()
        && rule.is_none()
        && class.is_none()
        && text.is_none()
        && alike.is_none();
    if is_plain { "approval" } else { FROM }
}

/// A place in what waits: behind a request of this risk with this record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    /// How many risks are worse.
    pub(super) rank: u8,
    /// The record of the request.
    pub(super) sequence: u64,
}

impl Place {
    /// The place behind a request.
    #[must_use]
    pub fn behind(request: &Request) -> Self {
        let rank = WORST.iter().zip(0..).find(|(risk, _)| **risk == request.risk);
        Self { rank: rank.map_or(0, |(_, rank)| rank), sequence: request.sequence }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.rank, self.sequence)
    }
}

/// A text that names no place.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("expected what the page before gave as `next`")]
pub struct NotAPlace;

impl FromStr for Place {
    type Err = NotAPlace;

    fn from_str(text: &str) -> Result<Self, NotAPlace> {
        let (rank, sequence) = text.split_once('-').ok_or(NotAPlace)?;
        let rank = rank.parse().map_err(|_| NotAPlace)?;
        let sequence: u64 = sequence.parse().map_err(|_| NotAPlace)?;
        i64::try_from(sequence).map_err(|_| NotAPlace)?;
        Ok(Self { rank, sequence })
    }
}

/// Which of what waits is wanted; an empty one wants all.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sought {
    /// Of these projects alone, for whom others are none of their business.
    pub within: Option<Vec<String>>,
    /// Asked with this token.
    pub requester: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// Of this project.
    pub project: Option<String>,
    /// Of this agent.
    pub agent: Option<String>,
    /// Which this rule found something in.
    pub rule: Option<String>,
    /// With this risk.
    pub risk: Option<Risk>,
    /// Of this class of actions.
    pub class: Option<String>,
    /// Asked before this time: what has waited long.
    pub asked_before: Option<Timestamp>,
    /// Which hold this text in what would run, or in who asks, whatever the case of ASCII letters.
    pub text: Option<String>,
    /// Alike to this one.
    pub alike: Option<Id>,
    /// To which this person sees.
    pub assigned: Option<String>,
    /// Which this person wants to see at this time.
    pub awake: Option<(String, Timestamp)>,
    /// Behind this place: for the next page.
    pub after: Option<Place>,
    /// At most so many.
    pub limit: u32,
}

/// What is told of a request before it is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
    /// The request, without what a person is shown once they open it.
    pub request: Request,
    /// The class of the action.
    pub class: Option<String>,
    /// The rules that found something, each once.
    pub rules: Vec<String>,
    /// What would run, without secrets, and cut.
    pub preview: Option<String>,
    /// Who sees to it.
    pub assigned: Option<String>,
}

impl Glance {
    /// The rules of a record, as it has them.
    pub(super) fn rules_of(text: Option<&str>) -> Vec<String> {
        let mut rules: Vec<String> = Vec::new();
        for rule in text.unwrap_or_default().split(' ').filter(|rule| !rule.is_empty()) {
            if !rules.iter().any(|known| known == rule) {
                rules.push(rule.to_owned());
            }
        }
        rules
    }
}

/// Requests that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Pile {
    /// The oldest of them.
    pub first: Glance,
    /// How many there are.
    pub count: u64,
}

/// A store whose waiting requests can be looked through.
pub trait Inbox {
    /// Those that are sought, the worst first, and of one risk the oldest.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn waiting(&mut self, sought: &Sought) -> Result<Vec<Glance>, AuditError>;

    /// Those that are sought, the alike together, the worst first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn piles(&mut self, sought: &Sought) -> Result<Vec<Pile>, AuditError>;

    /// How many of those that are sought there are of each risk, the worst first, and no further than [`COUNTED`] in all.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn count_by_risk(&mut self, sought: &Sought) -> Result<Vec<(Risk, u64)>, AuditError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_is_written_and_nothing_else_is_one() {
        let place = Place { rank: 2, sequence: 17 };
        assert_eq!(place.to_string().parse(), Ok(place));
        for text in ["", "2", "2-", "-17", "2-x", "2-17-1", "300-1", "2-18446744073709551615"] {
            assert_eq!(text.parse::<Place>(), Err(NotAPlace), "{text}");
        }
    }
}
