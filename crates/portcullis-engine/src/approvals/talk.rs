//! What people say to each other about a request, who of them sees to it, and who does not want to see it for a time. Owns what is kept of it. None of it
//! decides: a request is approved and denied by a word on it alone. None of it reaches an agent either: it is data, told to people.

use jiff::Timestamp;

use super::request::{Id, Request};
use crate::audit::{AuditError, Entry, MAX_PREVIEW};

/// The most comments on one request.
pub const MOST_COMMENTS: u32 = 200;

/// The longest comment, in bytes: as much as a record keeps of a text.
pub const LONGEST_COMMENT: usize = MAX_PREVIEW;

/// Something that somebody does about a request without deciding it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Tending {
    /// About which request.
    pub id: Id,
    /// Who.
    pub by: String,
    /// What.
    pub what: Tended,
}

/// What is done about a request without deciding it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Tended {
    /// Something is said about it.
    Comment(String),
    /// Somebody sees to it from now on, or nobody in particular.
    Assign(Option<String>),
    /// Whoever does it does not want to see it until a time, or wants to see it again. Everybody else sees it as before.
    Snooze(Option<Timestamp>),
}

impl Tending {
    /// The record of it.
    pub(super) fn entry(&self, request: &Request) -> Entry {
        let Self { id, by, what } = self;
        let (outcome, reason, preview) = match what {
            Tended::Comment(text) => ("commented", format!("on {id}"), Some(text.clone())),
            Tended::Assign(Some(person)) => ("assigned", format!("{id} to {person}"), None),
            Tended::Assign(None) => ("assigned", format!("{id} to nobody"), None),
            Tended::Snooze(Some(until)) => ("snoozed", format!("{id} until {until:.0}"), None),
            Tended::Snooze(None) => ("snoozed", format!("{id} no longer"), None),
        };
        Entry {
            refers_to: Some(request.sequence),
            preview,
            session: request.session.clone(),
            ..Entry::change(by, outcome, reason)
        }
    }
}

/// Something that was said about a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Comment {
    /// The record of it, which holds the text.
    pub record: u64,
    /// Who said it.
    pub by: String,
    /// When.
    pub time: Timestamp,
    /// What, without secrets.
    pub text: String,
}

/// What goes on about a request beside its decision.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Talk {
    /// What was said, the oldest first.
    pub comments: Vec<Comment>,
    /// Who sees to it.
    pub assigned: Option<String>,
    /// Who does not want to see it, and until when.
    pub snoozed: Vec<(String, Timestamp)>,
}

/// A store that tells what people said about requests.
pub trait Talks {
    /// What goes on about a request.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn talk(&mut self, request: &Request) -> Result<Talk, AuditError>;
}
