//! When a reviewer has denied so much that something is wrong: with the agent, or with the reviewer. Owns how denials are counted;
//! what happens then, `settle` says.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// How many denials in a row are too many.
const IN_A_ROW: usize = 3;

/// How many denials among the last [`WINDOW`] reviews are too many.
const AMONG_RECENT: usize = 10;

/// How many reviews count as recent.
const WINDOW: usize = 50;

/// The denials of one session. Once it is open it stays open: a person has to look.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Breaker {
    in_a_row: usize,
    recent: VecDeque<bool>,
    open: bool,
}

impl Breaker {
    /// Whether reviews are stopped.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Counts a review. A failure is no denial, and ends a row of them as an approval does.
    pub fn count(&mut self, denied: bool) {
        self.in_a_row = if denied { self.in_a_row.saturating_add(1) } else { 0 };
        self.recent.push_back(denied);
        while self.recent.len() > WINDOW {
            self.recent.pop_front();
        }
        let recent = self.recent.iter().filter(|denied| **denied).count();
        self.open |= self.in_a_row >= IN_A_ROW || recent >= AMONG_RECENT;
    }

    /// A person looked: counting begins again.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(reviews: impl IntoIterator<Item = bool>) -> Breaker {
        let mut breaker = Breaker::default();
        for denied in reviews {
            breaker.count(denied);
        }
        breaker
    }

    #[test]
    fn three_denials_in_a_row_open_it() {
        assert!(!after([true, true, false, true, true]).is_open());
        let mut breaker = after([true, true, true]);
        assert!(breaker.is_open());
        breaker.count(false);
        assert!(breaker.is_open(), "it stays open");
        breaker.reset();
        assert!(!breaker.is_open());
    }

    #[test]
    fn ten_denials_among_fifty_open_it() {
        let every = |nth: usize, reviews: usize| after((1..=reviews).map(|place| place % nth == 0));
        assert!(!every(5, 49).is_open());
        assert!(every(5, 50).is_open());
        assert!(!every(6, 5_000).is_open());
        assert_eq!(every(6, 5_000).recent.len(), WINDOW);
    }
}
