//! What people do about a request without deciding it, within a transaction. Owns that each of it is recorded, and that none of it changes what is decided;
//! the rows are the store's ([`TalkRows`]).

use jiff::Timestamp;
use portcullis_core::approval::Status;

use super::{Desk, Rows};
use crate::{
    approvals::{
        store::Done,
        talk::{MOST_COMMENTS, Tended, Tending},
    },
    audit::Body,
};

/// The rows of it.
pub(in crate::approvals) trait TalkRows: Rows {
    /// How many comments a request has, counted no further than `most`.
    fn comments(&mut self, approval: u64, most: u32) -> Result<u32, Self::Error>;

    /// Keeps which record holds a comment.
    fn comment(&mut self, approval: u64, record: u64) -> Result<(), Self::Error>;

    /// Keeps who sees to a request.
    fn assign(&mut self, approval: u64, person: Option<&str>) -> Result<(), Self::Error>;

    /// Keeps until when somebody does not want to see it.
    fn snooze(
        &mut self,
        approval: u64,
        person: &str,
        until: Option<Timestamp>,
    ) -> Result<(), Self::Error>;
}

impl<R: TalkRows> Desk<R> {
    pub(super) fn tend(&mut self, tending: &Tending) -> Result<Done, R::Error> {
        let Some(request) = self.rows.request(tending.id)? else { return Ok(Done::Unknown) };
        let is_said = matches!(tending.what, Tended::Comment(_));
        if !is_said && request.status != Status::Pending {
            return Ok(Done::Closed(Box::new(request), false));
        }
        if is_said && self.rows.comments(request.sequence, MOST_COMMENTS)? >= MOST_COMMENTS {
            return Ok(Done::TooMany);
        }
        let record = self.rows.record(Body::new(&tending.entry(&request), self.now))?;
        match &tending.what {
            Tended::Comment(_) => self.rows.comment(request.sequence, record)?,
            Tended::Assign(person) => self.rows.assign(request.sequence, person.as_deref())?,
            Tended::Snooze(until) => self.rows.snooze(request.sequence, &tending.by, *until)?,
        }
        Ok(Done::Noted(record))
    }
}
