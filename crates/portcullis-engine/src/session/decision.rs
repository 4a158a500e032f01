//! Decisions that the gate itself changes after they were made. Owns what such a change leaves in a decision.

use portcullis_core::decision::{Decision, Layer, Obligation, Verdict};

/// Turns a decision that asks into one that a person allowed.
pub(crate) fn allow(decision: &mut Decision, reason: &str) {
    debug_assert_eq!(decision.verdict, Verdict::Ask);
    decision.decide(Layer::Person, Verdict::Allow, reason.to_owned());
    if decision.obligations.is_empty() {
        decision.obligations.push(Obligation::RedactOutput);
    }
}

/// Denies what was decided otherwise, because the gate itself cannot do its part.
pub(crate) fn deny(decision: &mut Decision, note: &str) {
    decision.decide(Layer::Floor, Verdict::Deny, note.to_owned());
}
