//! How risky a reviewer holds an action, and from where on that is too much. Owns the range of scores and the order of the
//! thresholds; what a score leads to, `settle` says.

use std::{cmp::Ordering, fmt};

use crate::{decision::Verdict, risk::Severity};

/// A finite number from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score(f64);

impl Score {
    /// No risk at all.
    pub const NONE: Self = Self(0.0);

    /// The score of a number; `None` where it is not one from 0 to 100.
    #[must_use]
    pub fn new(number: f64) -> Option<Self> {
        // The sign of a zero means nothing.
        (number.is_finite() && (0.0..=100.0).contains(&number)).then_some(Self(number + 0.0))
    }

    /// The number.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The least that anybody can score an action whose deterministic risk is `level`. What is critical begins where people are asked by
    /// default; it is never approved in any case, and only the reviewer's own score can have it denied.
    #[must_use]
    pub const fn floor(level: Severity, is_understood: bool) -> Self {
        let floor: f64 = match level {
            Severity::Safe => 0.0,
            Severity::Low => 20.0,
            Severity::Medium => 40.0,
            Severity::High => 60.0,
            Severity::Critical => 80.0,
        };
        if is_understood { Self(floor) } else { Self(floor.max(40.0)) }
    }

    /// The higher of two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if self.0.total_cmp(&other.0) == Ordering::Less { other } else { self }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// From which score on a person is asked, and from which on it is denied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    approve_below: f64,
    deny_at: f64,
}

/// Thresholds that contradict each other or themselves.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// It is not in the range of scores.
    #[error("`approve_below` must be a number above 0 and at most 100")]
    ApproveBelow,
    /// It is neither a score nor the number that turns it off.
    #[error("`deny_at` must be a number from 0 to 100, or 101 to deny nothing")]
    DenyAt,
    /// Something would be approved and denied.
    #[error("`deny_at` must not be below `approve_below`")]
    Crossed,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { approve_below: 80.0, deny_at: 90.0 }
    }
}

impl Thresholds {
    /// The `deny_at` that denies nothing.
    pub const OFF: f64 = 101.0;

    /// Thresholds that make sense together.
    ///
    /// # Errors
    /// [`ThresholdError`].
    pub fn new(approve_below: f64, deny_at: f64) -> Result<Self, ThresholdError> {
        if !(approve_below > 0.0 && approve_below <= 100.0) {
            return Err(ThresholdError::ApproveBelow);
        }
        let is_off = deny_at.total_cmp(&Self::OFF) == Ordering::Equal;
        if !is_off && !(0.0..=100.0).contains(&deny_at) {
            return Err(ThresholdError::DenyAt);
        }
        if deny_at < approve_below {
            return Err(ThresholdError::Crossed);
        }
        Ok(Self { approve_below, deny_at })
    }

    /// Below which score it is approved.
    #[must_use]
    pub const fn approve_below(self) -> f64 {
        self.approve_below
    }

    /// From which score on it is denied.
    #[must_use]
    pub const fn deny_at(self) -> f64 {
        self.deny_at
    }

    /// What a score means. A higher one never means less.
    #[must_use]
    pub fn verdict(self, score: Score) -> Verdict {
        if score.0 >= self.deny_at {
            Verdict::Deny
        } else if score.0 < self.approve_below {
            Verdict::Allow
        } else {
            Verdict::Ask
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_numbers_from_0_to_100_are_scores() {
        for number in [0.0, -0.0, 0.1, 79.999, 80.0, 100.0] {
            assert!(Score::new(number).is_some(), "{number}");
        }
        for number in [-0.001, 100.001, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            assert!(Score::new(number).is_none(), "{number}");
        }
    }

    #[test]
    fn below_80_is_approved_from_80_on_asked_and_from_90_on_denied() {
        let verdict = |number| Thresholds::default().verdict(Score::new(number).unwrap());
        assert_eq!(verdict(0.0), Verdict::Allow);
        assert_eq!(verdict(79.999), Verdict::Allow);
        assert_eq!(verdict(80.0), Verdict::Ask);
        assert_eq!(verdict(89.999), Verdict::Ask);
        assert_eq!(verdict(90.0), Verdict::Deny);
        assert_eq!(verdict(100.0), Verdict::Deny);
        let two = Thresholds::new(80.0, Thresholds::OFF).unwrap();
        assert_eq!(two.verdict(Score::new(100.0).unwrap()), Verdict::Ask);
    }

    #[test]
    fn thresholds_that_contradict_themselves_are_refused() {
        for (approve_below, deny_at, error) in [
            (0.0, 90.0, ThresholdError::ApproveBelow),
            (100.5, 101.0, ThresholdError::ApproveBelow),
            (f64::NAN, 90.0, ThresholdError::ApproveBelow),
            (80.0, f64::NAN, ThresholdError::DenyAt),
            (80.0, 100.5, ThresholdError::DenyAt),
            (80.0, 102.0, ThresholdError::DenyAt),
            (80.0, -1.0, ThresholdError::DenyAt),
            (80.0, 79.0, ThresholdError::Crossed),
        ] {
            assert_eq!(Thresholds::new(approve_below, deny_at), Err(error));
        }
        assert!(Thresholds::new(80.0, 80.0).is_ok());
    }
}
