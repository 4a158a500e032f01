//! What work comes to in numbers, within a transaction. Owns that what is counted is added up; the rows are the store's ([`FigureRows`]).

use super::{Desk, Rows};
use crate::approvals::{
    figures::{Called, hour_of},
    store::Done,
};

/// The rows of it.
pub(in crate::approvals) trait FigureRows: Rows {
    /// Adds the calls of projects to those of the same hour, and forgets those that are too old for an hour. Where others count at the same place, what cannot
    /// be kept is left out, and nothing else fails for it.
    fn count_calls(&mut self, called: &[Called], now: i64) -> Result<(), Self::Error>;
}

impl<R: FigureRows> Desk<R> {
    pub(super) fn count(&mut self, called: &[Called]) -> Result<Done, R::Error> {
        self.rows.count_calls(called, hour_of(self.now))?;
        Ok(Done::Alive)
    }
}
