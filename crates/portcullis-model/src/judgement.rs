//! What was found out and decided about one action. Owns what belongs together in it; it judges nothing.

use crate::{assessment::Assessment, decision::Decision, effect::Effects};

/// Everything that was found out and decided about one action.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The digest of the action that this is about.
    pub action: [u8; 32],
    /// What it would do.
    pub effects: Effects,
    /// How risky that is and why.
    pub assessment: Assessment,
    /// Whether it may go on.
    pub decision: Decision,
}
