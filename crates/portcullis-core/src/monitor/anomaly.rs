//! What is noticed about a sequence of steps, and what follows from it. Owns the kinds, their documented names, and how a decision is
//! raised by them; what is counted, [`super::Monitor`] knows.

use serde::{Deserialize, Serialize};

use crate::{
    assessment::ActionClass,
    decision::{Decision, Layer, Verdict},
    risk::Severity,
};

/// What is noticed about a sequence of steps.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnomalyKind {
    /// Half of the latest steps were blocked.
    RepeatedBlockedActions,
    /// The same steps come again and again with the same results.
    ActionLoopDetected,
    /// Nearly the same step comes again and again with the same result, among others.
    NearLoopDetected,
    /// Several steps were blocked for lack of permissions.
    PrivilegeEscalationAttempts,
    /// What was denied comes back in other words.
    DenyThenRephrase,
    /// A secret was read, and now something unknown is sent.
    SecretThenNetwork,
    /// So much was denied that something is wrong with the agent, or with whoever denies.
    CircuitBreaker,
}

impl AnomalyKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::RepeatedBlockedActions,
        Self::ActionLoopDetected,
        Self::NearLoopDetected,
        Self::PrivilegeEscalationAttempts,
        Self::DenyThenRephrase,
        Self::SecretThenNetwork,
        Self::CircuitBreaker,
    ];

    /// Its word on every wire; the first, second and fourth are the document's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RepeatedBlockedActions => "repeated_blocked_actions",
            Self::ActionLoopDetected => "action_loop_detected",
            Self::NearLoopDetected => "near_loop_detected",
            Self::PrivilegeEscalationAttempts => "privilege_escalation_attempts",
            Self::DenyThenRephrase => "deny_then_rephrase",
            Self::SecretThenNetwork => "secret_then_network",
            Self::CircuitBreaker => "circuit_breaker",
        }
    }

    /// How bad it is; of the documented ones as documented.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::RepeatedBlockedActions
            | Self::PrivilegeEscalationAttempts
            | Self::DenyThenRephrase
            | Self::SecretThenNetwork
            | Self::CircuitBreaker => Severity::High,
            Self::ActionLoopDetected | Self::NearLoopDetected => Severity::Medium,
        }
    }
}

/// Something that was noticed.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Anomaly {
    /// What.
    #[serde(rename = "type")]
    pub kind: AnomalyKind,
    /// How bad it is.
    pub severity: Severity,
    /// How many steps show it.
    pub count: usize,
    /// The tools of a loop's pattern, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pattern: Vec<String>,
}

impl Anomaly {
    pub(super) fn new(kind: AnomalyKind, count: usize) -> Self {
        Self { kind, severity: kind.severity(), count, pattern: Vec::new() }
    }

    /// Why, in a sentence for a person.
    #[must_use]
    pub fn words(&self) -> String {
        let count = self.count;
        match self.kind {
            AnomalyKind::RepeatedBlockedActions => {
                format!("{count} of the latest {RECENT} steps were blocked")
            }
            AnomalyKind::ActionLoopDetected => format!(
                "the same {} come again and again, for {count} steps, and nothing changes",
                if self.pattern.len() == 1 { "step" } else { "steps" }
            ),
            AnomalyKind::NearLoopDetected => {
                format!("nearly the same step came {count} times with the same result")
            }
            AnomalyKind::PrivilegeEscalationAttempts => {
                format!("{count} steps were blocked for lack of permissions")
            }
            AnomalyKind::DenyThenRephrase => {
                "what was denied before comes back in other words".to_owned()
            }
            AnomalyKind::SecretThenNetwork => {
                "a secret was read before, and what is sent now is not known".to_owned()
            }
            AnomalyKind::CircuitBreaker => {
                format!("{count} of the latest steps were denied: somebody has to look")
            }
        }
    }
}

/// Among how many of the latest steps blocked ones are counted.
pub const RECENT: usize = 10;

/// What follows from an anomaly. Ordered: none of them loosens anything, and each does all that those before it do.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Consequence {
    /// Nothing.
    Off,
    /// It is recorded.
    #[default]
    Warn,
    /// Whatever is not proven to only read asks, as under the mode `default`.
    Tighten,
    /// Everything asks.
    Ask,
    /// Everything is denied.
    Stop,
}

impl Consequence {
    /// Every one, the mildest first.
    pub const ALL: [Self; 5] = [Self::Off, Self::Warn, Self::Tighten, Self::Ask, Self::Stop];

    /// Its word in a configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Tighten => "tighten",
            Self::Ask => "ask",
            Self::Stop => "stop",
        }
    }

    /// The least that a decision about an action of a class must be.
    #[must_use]
    pub const fn least(self, class: ActionClass) -> Verdict {
        match (self, class) {
            (Self::Off | Self::Warn, _) | (Self::Tighten, ActionClass::ReadOnly) => Verdict::Allow,
            (Self::Tighten | Self::Ask, _) => Verdict::Ask,
            (Self::Stop, _) => Verdict::Deny,
        }
    }
}

/// What follows from each kind of anomaly.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Consequences {
    by_kind: [Consequence; AnomalyKind::ALL.len()],
}

impl Default for Consequences {
    /// Of an execution that is run to its end without a person in front of it.
    fn default() -> Self {
        use Consequence::{Ask, Stop, Tighten, Warn};
        Self { by_kind: [Ask, Ask, Warn, Stop, Ask, Ask, Tighten] }
    }
}

impl Consequences {
    /// Of an agent with a person in front of it: nothing that ordinary work comes near interrupts it.
    pub const INTERACTIVE: Self = {
        use Consequence::{Ask, Tighten, Warn};
        Self { by_kind: [Tighten, Warn, Warn, Tighten, Ask, Ask, Warn] }
    };

    /// What follows from a kind.
    #[must_use]
    pub fn of(&self, kind: AnomalyKind) -> Consequence {
        let found = AnomalyKind::ALL.iter().position(|one| *one == kind);
        // Every kind is in the list; were one not, it would ask.
        found.and_then(|at| self.by_kind.get(at)).copied().unwrap_or(Consequence::Ask)
    }

    /// The same with another consequence of one kind.
    #[must_use]
    pub fn with(mut self, kind: AnomalyKind, consequence: Consequence) -> Self {
        for (one, held) in AnomalyKind::ALL.iter().zip(&mut self.by_kind) {
            if *one == kind {
                *held = consequence;
            }
        }
        self
    }

    /// Raises a decision by what was noticed; it never lowers one. Gives what was noticed and is not to be passed over.
    ///
    /// A decision that denies stays as it is: there is nothing to raise, and the layer that denied it is the one to tell.
    pub fn raise<'a>(
        &self,
        decision: &mut Decision,
        class: ActionClass,
        noticed: &'a [Anomaly],
    ) -> Vec<&'a Anomaly> {
        if decision.verdict == Verdict::Deny {
            return Vec::new();
        }
        let counted: Vec<&Anomaly> =
            noticed.iter().filter(|one| self.of(one.kind) > Consequence::Off).collect();
        for anomaly in &counted {
            let least = self.of(anomaly.kind).least(class);
            let note = anomaly.words();
            if least > decision.verdict {
                decision.decide(Layer::Monitor, least, note);
                continue;
            }
            if least > Verdict::Allow {
                decision.reasons.push(note.clone());
            }
            let verdict = (least > Verdict::Allow).then_some(least);
            decision.account(Layer::Monitor, verdict, note);
        }
        counted
    }
}
