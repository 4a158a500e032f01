//! Whether an action may go on. Owns the verdict and the account of how it came about; the policy that gives it lives in
//! `policy`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// May it run? Ordered: adding information only ever moves it up.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It may.
    Allow,
    /// A person, or a reviewing model, must say so first.
    Ask,
    /// It may not.
    Deny,
}

impl Verdict {
    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// The layer of the policy that decided, in the order in which they are asked.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// An explicit deny rule.
    DenyRule,
    /// A floor: never approvable.
    Floor,
    /// An explicit ask rule.
    AskRule,
    /// An explicit allow rule.
    AllowRule,
    /// The permission mode and the class of the action.
    Mode,
    /// The confirmation policy and the risk.
    Confirmation,
    /// The monitor: what the execution or session did before.
    Monitor,
    /// The reviewing model.
    Guardian,
    /// A person.
    Person,
}

impl Layer {
    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DenyRule => "deny-rule",
            Self::Floor => "floor",
            Self::AskRule => "ask-rule",
            Self::AllowRule => "allow-rule",
            Self::Mode => "mode",
            Self::Confirmation => "confirmation",
            Self::Monitor => "monitor",
            Self::Guardian => "guardian",
            Self::Person => "person",
        }
    }
}

/// A decision with its account.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The layer that decided.
    pub layer: Layer,
    /// Why, most important first: sentences for a person.
    pub reasons: Vec<String>,
    /// What must hold while it runs.
    pub obligations: Vec<Obligation>,
    /// What each layer said, in order; layers that were not reached are missing.
    pub steps: Vec<Step>,
}

impl Decision {
    /// Lets a layer decide otherwise: its verdict stands, and its words stand first among the reasons and last in the account.
    pub fn decide(&mut self, layer: Layer, verdict: Verdict, note: impl Into<Cow<'static, str>>) {
        let note = note.into();
        self.verdict = verdict;
        self.layer = layer;
        self.reasons.insert(0, note.clone().into_owned());
        self.account(layer, Some(verdict), note);
    }

    /// Tells in the account what a layer said, whether that changes the verdict or not.
    pub fn account(
        &mut self,
        layer: Layer,
        verdict: Option<Verdict>,
        note: impl Into<Cow<'static, str>>,
    ) {
        self.steps.push(Step { layer, verdict, note: note.into() });
    }
}

/// What one layer said.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Step {
    /// Which layer.
    pub layer: Layer,
    /// Its verdict; `None` where it had no opinion.
    pub verdict: Option<Verdict>,
    /// Its words.
    pub note: Cow<'static, str>,
}

/// What must hold while an allowed action runs.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obligation {
    /// Secrets in what comes back are redacted before the agent sees them.
    RedactOutput,
    /// It runs without rights to write.
    ReadOnly,
}
