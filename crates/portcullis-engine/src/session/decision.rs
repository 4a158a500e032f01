//! Decisions that the gate itself changes after they were made. Owns what such a change leaves in a decision.

use portcullis_core::decision::{Decision, Layer, Obligation, Step, Verdict};

/// Turns a decision that asks into one that a person allowed.
pub(crate) fn allow(decision: &mut Decision, reason: &str) {
    debug_assert_eq!(decision.verdict, Verdict::Ask);
    decision.verdict = Verdict::Allow;
    decision.layer = Layer::Person;
    decision.reasons.insert(0, reason.to_owned());
    decision.steps.push(Step {
        layer: Layer::Person,
        verdict: Some(Verdict::Allow),
        note: reason.to_owned().into(),
    });
    if decision.obligations.is_empty() {
        decision.obligations.push(Obligation::RedactOutput);
    }
}

/// Denies what was decided otherwise, because the gate itself cannot do its part.
pub(crate) fn deny(decision: &mut Decision, note: &str) {
    decision.verdict = Verdict::Deny;
    decision.layer = Layer::Floor;
    decision.reasons.insert(0, note.to_owned());
    let step =
        Step { layer: Layer::Floor, verdict: Some(Verdict::Deny), note: note.to_owned().into() };
    decision.steps.push(step);
}
