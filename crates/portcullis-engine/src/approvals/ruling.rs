//! Approval policies that people put in place for every gateway of a store. Owns what is stricter and what is looser, and which of them holds when;
//! the store keeps them ([`super::sqlite`]), and who may agree to a looser one says the request that asks for it.
//!
//! ```text
//! configuration ──stricter, at once──► standing ──looser, asked, for a time──► loosened ──its end, or anything stricter──► standing
//! ```

use std::time::Duration;

use jiff::Timestamp;
use portcullis_core::{
    policy::{ApprovalPolicy, Confirmation},
    risk::{Risk, Severity},
};

use super::request::{Id, Question};
use crate::audit::Body;

/// How long a looser policy holds unless somebody says otherwise.
pub const LOOSENED: Duration = Duration::from_secs(3_600);

/// The longest that a looser policy holds.
pub const LONGEST_LOOSENED: Duration = Duration::from_secs(24 * 3_600);

/// Another approval policy that somebody wants, with what is kept where it is stricter and where it has to be asked about.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The policy.
    pub policy: ApprovalPolicy,
    /// What the configuration says of whoever wants it.
    pub configured: Confirmation,
    /// Who.
    pub by: String,
    /// The record where it holds at once.
    pub record: Body,
    /// The request where it does not.
    pub question: Box<Question>,
    /// The record of the request.
    pub asking: Body,
    /// How long a looser one holds.
    pub lasts: Duration,
    /// Whether whoever wants a looser one may agree to it alone, once they see it as a request.
    pub alone: bool,
    /// How many requests of one requester may wait.
    pub most: u32,
}

/// What holds at some time beside the configurations.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct InForce {
    /// What was put in place for good.
    pub standing: Option<ApprovalPolicy>,
    /// What was agreed to for a time.
    pub loosened: Option<Loosened>,
}

/// A looser policy while it holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Loosened {
    /// The policy.
    pub policy: ApprovalPolicy,
    /// Who wanted it.
    pub by: String,
    /// Who agreed.
    pub approver: Option<String>,
    /// The request for it.
    pub request: Id,
    /// Since when.
    pub since: Timestamp,
    /// Until when.
    pub expires: Timestamp,
}

impl InForce {
    /// The policy under which a gateway judges; nothing where its configuration stands as it is.
    #[must_use]
    pub fn policy(&self, configured: Confirmation, now: Timestamp) -> Option<ApprovalPolicy> {
        match &self.loosened {
            Some(loosened) if now < loosened.expires => Some(loosened.policy),
            _ => self.stands(configured),
        }
    }

    /// The policy that holds for good: what was put in place never makes a configuration looser.
    #[must_use]
    pub fn stands(&self, configured: Confirmation) -> Option<ApprovalPolicy> {
        let standing = self.standing?;
        if !is_looser(standing.confirmation(), configured) {
            return Some(standing);
        }
        if !is_looser(configured, standing.confirmation()) {
            return None;
        }
        // Each is stricter somewhere.
        Some(ApprovalPolicy::ConfirmAll)
    }
}

/// Whether a policy lets something go on, or asks about something, that another does not.
#[must_use]
pub fn is_looser(policy: Confirmation, than: Confirmation) -> bool {
    Risk::ALL.into_iter().any(|risk| policy.verdict(risk) < than.verdict(risk))
}

/// The worst that a policy judges more loosely than another does.
#[must_use]
pub fn worst_loosened(policy: Confirmation, than: Confirmation) -> Option<Severity> {
    let loosened = Risk::ALL.into_iter().filter(|risk| policy.verdict(*risk) < than.verdict(*risk));
    // What is not known may be critical.
    loosened.map(|risk| risk.severity().unwrap_or(Severity::Critical)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_place_never_loosens_a_configuration() {
        for standing in ApprovalPolicy::ALL {
            for configured in ApprovalPolicy::ALL {
                let in_force = InForce { standing: Some(standing), loosened: None };
                let configured = configured.confirmation();
                let held =
                    in_force.stands(configured).map_or(configured, ApprovalPolicy::confirmation);
                // Asking about everything is no looser than refusing what is risky: a person looks at each.
                assert!(
                    !is_looser(held, configured) || held == Confirmation::Always,
                    "{standing} on {configured:?}"
                );
            }
        }
    }

    #[test]
    fn looser_is_whatever_lets_one_risk_through_more_easily() {
        use ApprovalPolicy::{
            AutoApprove, AutoDeny, ConfirmAll, ConfirmHighRisk, ConfirmMediumAndUp,
        };
        let looser = |one: ApprovalPolicy, other: ApprovalPolicy| {
            is_looser(one.confirmation(), other.confirmation())
        };
        assert!(looser(AutoApprove, ConfirmHighRisk) && !looser(ConfirmHighRisk, AutoApprove));
        assert!(looser(ConfirmHighRisk, ConfirmMediumAndUp));
        assert!(looser(ConfirmMediumAndUp, ConfirmAll) && looser(ConfirmAll, AutoDeny));
        assert!(looser(AutoDeny, ConfirmAll), "what is safe goes on unasked there");
        assert!(!looser(AutoDeny, ConfirmHighRisk));
        assert_eq!(
            worst_loosened(AutoApprove.confirmation(), ConfirmHighRisk.confirmation()),
            Some(Severity::Critical)
        );
        assert_eq!(
            worst_loosened(ConfirmHighRisk.confirmation(), ConfirmMediumAndUp.confirmation()),
            Some(Severity::Medium)
        );
    }
}
