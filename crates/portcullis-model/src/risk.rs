//! How bad it would be. Owns the levels and their order; it does not say what has which level.

use std::{cmp::Ordering, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A concrete level of risk, ordered.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Shows something; changes nothing and reads nothing private.
    Safe,
    /// Reads, or is undone with ease.
    Low,
    /// Changes something that can be brought back.
    Medium,
    /// Hard to undo, reaches outside the workspace, or touches what is private.
    High,
    /// Cannot be undone, or hands over control.
    Critical,
}

impl Severity {
    /// Every level, lowest first.
    pub const ALL: [Self; 5] = [Self::Safe, Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The level's word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A [`Severity`], or the admission that none could be found.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Shows something.
    Safe,
    /// Reads, or is undone with ease.
    Low,
    /// Changes something that can be brought back.
    Medium,
    /// Hard to undo.
    High,
    /// Cannot be undone.
    Critical,
    /// Not understood. Beside the order, never inside it.
    Unknown,
}

/// Two risks were put in order and at least one of them was [`Risk::Unknown`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an unknown risk has no place in the order of risks")]
pub struct UnknownHasNoOrder;

impl Risk {
    /// Every value, `Unknown` last.
    pub const ALL: [Self; 6] =
        [Self::Safe, Self::Low, Self::Medium, Self::High, Self::Critical, Self::Unknown];

    /// The level, or `None` for `Unknown`.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Safe => Some(Severity::Safe),
            Self::Low => Some(Severity::Low),
            Self::Medium => Some(Severity::Medium),
            Self::High => Some(Severity::High),
            Self::Critical => Some(Severity::Critical),
            Self::Unknown => None,
        }
    }

    /// Orders two risks.
    ///
    /// # Errors
    /// [`UnknownHasNoOrder`] when either side is `Unknown`, also against itself: "not understood" is neither more nor
    /// less than any level, and code that forgets so must not compile into a silent `false`.
    pub fn compare(self, other: Self) -> Result<Ordering, UnknownHasNoOrder> {
        match (self.severity(), other.severity()) {
            (Some(left), Some(right)) => Ok(left.cmp(&right)),
            _ => Err(UnknownHasNoOrder),
        }
    }

    /// Whether `self` is at least (`reflexive`) or strictly more than `other`.
    ///
    /// # Errors
    /// [`UnknownHasNoOrder`] as in [`Risk::compare`].
    pub fn is_riskier(self, other: Self, reflexive: bool) -> Result<bool, UnknownHasNoOrder> {
        let order = self.compare(other)?;
        Ok(order == Ordering::Greater || (reflexive && order == Ordering::Equal))
    }

    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.severity() {
            Some(level) => level.name(),
            None => "unknown",
        }
    }
}

impl From<Severity> for Risk {
    fn from(level: Severity) -> Self {
        match level {
            Severity::Safe => Self::Safe,
            Severity::Low => Self::Low,
            Severity::Medium => Self::Medium,
            Severity::High => Self::High,
            Severity::Critical => Self::Critical,
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no risk.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is not a risk; expected safe, low, medium, high, critical, or unknown")]
pub struct NotARisk(pub String);

impl FromStr for Risk {
    type Err = NotARisk;

    fn from_str(word: &str) -> Result<Self, NotARisk> {
        Self::ALL
            .into_iter()
            .find(|risk| risk.name().eq_ignore_ascii_case(word.trim()))
            .ok_or_else(|| NotARisk(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concrete_levels_are_ordered_and_unknown_is_not() {
        for (low, left) in Severity::ALL.into_iter().enumerate() {
            for (high, right) in Severity::ALL.into_iter().enumerate() {
                assert_eq!(Risk::from(left).compare(right.into()), Ok(low.cmp(&high)));
            }
            assert_eq!(Risk::Unknown.compare(left.into()), Err(UnknownHasNoOrder));
        }
        assert_eq!(Risk::Unknown.compare(Risk::Unknown), Err(UnknownHasNoOrder));
        assert_eq!(Risk::High.is_riskier(Risk::High, true), Ok(true));
        assert_eq!(Risk::High.is_riskier(Risk::High, false), Ok(false));
    }
}
