//! Confirmation policies. Owns when a risk needs a person; it does not know what the risk comes from.

use std::{fmt, str::FromStr};

use crate::{
    decision::Verdict,
    risk::{Risk, Severity},
};

/// Which risks need a person.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Confirmation {
    /// All of them (OpenHands' `AlwaysConfirm`).
    Always,
    /// None of them (OpenHands' `NeverConfirm`).
    Never,
    /// Those at the threshold or above (OpenHands' `ConfirmRisky`).
    Risky {
        /// The lowest risk that is asked about. It is a [`Severity`], so it cannot be `Unknown`.
        threshold: Severity,
        /// Whether an unknown risk is asked about.
        confirm_unknown: bool,
    },
    /// Nobody is asked: those at the threshold or above, and unknown ones, are refused (rlm-code's `AUTO_DENY`).
    Refuse {
        /// The lowest risk that is refused.
        threshold: Severity,
    },
}

/// A threshold of `Unknown`: it has no place in the order of risks, so nothing can be at or above it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the threshold of a confirmation policy cannot be `unknown`")]
pub struct UnknownThreshold;

impl Default for Confirmation {
    /// `ConfirmRisky` at `High`, unknown risks too.
    fn default() -> Self {
        Self::Risky { threshold: Severity::High, confirm_unknown: true }
    }
}

impl Confirmation {
    /// `ConfirmRisky` with a threshold from a configuration.
    ///
    /// # Errors
    /// [`UnknownThreshold`] for `Risk::Unknown`.
    ///
    /// ```
    /// use portcullis_core::{decision::Verdict, policy::Confirmation, risk::Risk};
    ///
    /// let policy = Confirmation::risky(Risk::Medium, true).unwrap();
    /// assert_eq!(policy.verdict(Risk::Low), Verdict::Allow);
    /// assert_eq!(policy.verdict(Risk::Medium), Verdict::Ask);
    /// assert_eq!(policy.verdict(Risk::Unknown), Verdict::Ask);
    /// assert!(Confirmation::risky(Risk::Unknown, true).is_err());
    /// ```
    pub fn risky(threshold: Risk, confirm_unknown: bool) -> Result<Self, UnknownThreshold> {
        let threshold = threshold.severity().ok_or(UnknownThreshold)?;
        Ok(Self::Risky { threshold, confirm_unknown })
    }

    /// A policy that is at least as strict as both about every risk; `None` where none of this kind is, as for one that asks
    /// about everything and one that refuses some.
    ///
    /// ```
    /// use portcullis_core::{policy::Confirmation, risk::Severity};
    ///
    /// let medium = Confirmation::Risky { threshold: Severity::Medium, confirm_unknown: false };
    /// let joined = Confirmation::Risky { threshold: Severity::Medium, confirm_unknown: true };
    /// assert_eq!(Confirmation::default().joined(medium), Some(joined));
    /// assert_eq!(Confirmation::Never.joined(Confirmation::Always), Some(Confirmation::Always));
    /// ```
    #[must_use]
    pub fn joined(self, other: Self) -> Option<Self> {
        let covers = |one: Self, all: Self| {
            Risk::ALL.into_iter().all(|risk| one.verdict(risk) >= all.verdict(risk))
        };
        match (self, other) {
            (
                Self::Risky { threshold: one, confirm_unknown: first },
                Self::Risky { threshold: two, confirm_unknown: second },
            ) => Some(Self::Risky { threshold: one.min(two), confirm_unknown: first || second }),
            _ if covers(self, other) => Some(self),
            _ => covers(other, self).then_some(other),
        }
    }

    /// What the policy says about a risk.
    #[must_use]
    pub fn verdict(self, risk: Risk) -> Verdict {
        match (self, risk.severity()) {
            (Self::Always, _) => Verdict::Ask,
            (Self::Never, _) => Verdict::Allow,
            (Self::Risky { confirm_unknown: true, .. }, None) => Verdict::Ask,
            (Self::Risky { confirm_unknown: false, .. }, None) => Verdict::Allow,
            (Self::Risky { threshold, .. }, Some(level)) if level >= threshold => Verdict::Ask,
            (Self::Refuse { .. }, None) => Verdict::Deny,
            (Self::Refuse { threshold }, Some(level)) if level >= threshold => Verdict::Deny,
            (Self::Risky { .. } | Self::Refuse { .. }, Some(_)) => Verdict::Allow,
        }
    }
}

/// rlm-code's six approval policies, as presets.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum ApprovalPolicy {
    /// Everything goes on.
    AutoApprove,
    /// Only what is safe goes on; nobody is asked about the rest.
    AutoDeny,
    /// Everything asks.
    ConfirmAll,
    /// High and critical ask.
    #[default]
    ConfirmHighRisk,
    /// Medium and above ask.
    ConfirmMediumAndUp,
    /// What the assessment says needs approval asks: high and critical.
    Custom,
}

/// A word that names no approval policy.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "`{0}` is not an approval policy; expected auto_approve, auto_deny, confirm_all, confirm_high_risk, \
     confirm_medium_and_up, or custom"
)]
pub struct NotAnApprovalPolicy(pub String);

impl ApprovalPolicy {
    /// Every preset, in the order of rlm-code.
    pub const ALL: [Self; 6] = [
        Self::AutoApprove,
        Self::AutoDeny,
        Self::ConfirmAll,
        Self::ConfirmHighRisk,
        Self::ConfirmMediumAndUp,
        Self::Custom,
    ];

    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AutoApprove => "auto_approve",
            Self::AutoDeny => "auto_deny",
            Self::ConfirmAll => "confirm_all",
            Self::ConfirmHighRisk => "confirm_high_risk",
            Self::ConfirmMediumAndUp => "confirm_medium_and_up",
            Self::Custom => "custom",
        }
    }

    /// The confirmation policy that it stands for.
    #[must_use]
    pub const fn confirmation(self) -> Confirmation {
        match self {
            Self::AutoApprove => Confirmation::Never,
            Self::AutoDeny => Confirmation::Refuse { threshold: Severity::Low },
            Self::ConfirmAll => Confirmation::Always,
            Self::ConfirmHighRisk | Self::Custom => {
                Confirmation::Risky { threshold: Severity::High, confirm_unknown: true }
            }
            Self::ConfirmMediumAndUp => {
                Confirmation::Risky { threshold: Severity::Medium, confirm_unknown: true }
            }
        }
    }
}

impl fmt::Display for ApprovalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ApprovalPolicy {
    type Err = NotAnApprovalPolicy;

    fn from_str(word: &str) -> Result<Self, NotAnApprovalPolicy> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.name() == word)
            .ok_or_else(|| NotAnApprovalPolicy(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirm_risky_is_the_three_tables_of_the_openhands_document() {
        let tables = [
            (Risk::High, [false, false, true]),
            (Risk::Medium, [false, true, true]),
            (Risk::Low, [true, true, true]),
        ];
        for (threshold, rows) in tables {
            for confirm_unknown in [true, false] {
                let policy = Confirmation::risky(threshold, confirm_unknown).ok();
                let cells = [Risk::Low, Risk::Medium, Risk::High]
                    .into_iter()
                    .zip(rows)
                    .chain([(Risk::Unknown, confirm_unknown)]);
                for (risk, confirms) in cells {
                    let expected = if confirms { Verdict::Ask } else { Verdict::Allow };
                    assert_eq!(
                        policy.map(|policy| policy.verdict(risk)),
                        Some(expected),
                        "threshold {threshold}, confirm_unknown {confirm_unknown}, risk {risk}"
                    );
                }
            }
        }
    }

    #[test]
    fn always_and_never_confirm_do_what_they_say_for_every_risk() {
        for risk in Risk::ALL {
            assert_eq!(Confirmation::Always.verdict(risk), Verdict::Ask, "{risk}");
            assert_eq!(Confirmation::Never.verdict(risk), Verdict::Allow, "{risk}");
        }
    }

    #[test]
    fn a_threshold_of_unknown_is_refused() {
        assert_eq!(Confirmation::risky(Risk::Unknown, true), Err(UnknownThreshold));
        assert_eq!(Confirmation::risky(Risk::Unknown, false), Err(UnknownThreshold));
    }

    #[test]
    fn the_default_is_confirm_risky_at_high_with_unknown() {
        assert_eq!(Confirmation::risky(Risk::High, true), Ok(Confirmation::default()));
    }

    #[test]
    fn joined_policies_are_at_least_as_strict_as_both_and_no_stricter_than_their_maximum() {
        let mut all = vec![Confirmation::Always, Confirmation::Never];
        for threshold in Severity::ALL {
            all.push(Confirmation::Refuse { threshold });
            for confirm_unknown in [true, false] {
                all.push(Confirmation::Risky { threshold, confirm_unknown });
            }
        }
        for one in &all {
            for other in &all {
                let joined = one.joined(*other);
                assert_eq!(joined.is_some(), other.joined(*one).is_some(), "{one:?} and {other:?}");
                for risk in Risk::ALL {
                    let most = one.verdict(risk).max(other.verdict(risk));
                    let verdict = joined.map_or(most, |joined| joined.verdict(risk));
                    assert_eq!(verdict, most, "{one:?} and {other:?} about {risk}");
                }
            }
        }
    }

    #[test]
    fn the_presets_are_the_matrix_of_rlm_code() {
        use Verdict::{Allow, Ask, Deny};
        let table = [
            (ApprovalPolicy::AutoApprove, [Allow, Allow, Allow, Allow, Allow]),
            (ApprovalPolicy::AutoDeny, [Allow, Deny, Deny, Deny, Deny]),
            (ApprovalPolicy::ConfirmAll, [Ask, Ask, Ask, Ask, Ask]),
            (ApprovalPolicy::ConfirmHighRisk, [Allow, Allow, Allow, Ask, Ask]),
            (ApprovalPolicy::ConfirmMediumAndUp, [Allow, Allow, Ask, Ask, Ask]),
            (ApprovalPolicy::Custom, [Allow, Allow, Allow, Ask, Ask]),
        ];
        for (policy, row) in table {
            assert_eq!(policy.name().parse(), Ok(policy));
            for (level, expected) in Severity::ALL.into_iter().zip(row) {
                let verdict = policy.confirmation().verdict(level.into());
                assert_eq!(verdict, expected, "{policy} × {level}");
            }
        }
    }
}
