//! What a session of an agent may do in all, and what follows from what is noticed about it: the `[monitor]` table. Owns its words and who
//! wins where several files speak; what is noticed, `portcullis_core::monitor` says.

use std::time::Duration;

use portcullis_core::monitor::{AnomalyKind, Consequence, Consequences, Limits};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a session may do in all, and what follows from what is noticed about it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Monitoring {
    /// The limits; none of a session with a person in front of it, which may run for hours.
    pub limits: Limits,
    /// What follows.
    pub consequences: Consequences,
}

impl Default for Monitoring {
    fn default() -> Self {
        Self { limits: Limits::NONE, consequences: Consequences::INTERACTIVE }
    }
}

/// What a session of a coding agent may do in all, and what follows from what is noticed about its calls. It is counted in the record.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MonitorTable {
    /// How many calls a session may make; any number by default.
    pub max_iterations: Option<u64>,
    /// How many seconds a session may take; any number by default.
    pub max_time: Option<u64>,
    /// How many calls a session may make in any minute; any number by default, and never more than 1,024 where there is a limit.
    pub actions_per_minute: Option<u64>,
    /// What follows from what is noticed.
    pub consequences: ConsequenceTable,
}

/// What follows from what is noticed about a session's calls.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConsequenceTable {
    /// Five of the latest ten calls were denied; `tighten` by default.
    pub repeated_blocked_actions: Option<ConsequenceWord>,
    /// The same calls come again and again; `warn` by default.
    pub action_loop_detected: Option<ConsequenceWord>,
    /// Nearly the same call brings the same result again and again; `warn` by default.
    pub near_loop_detected: Option<ConsequenceWord>,
    /// Three calls lacked a permission; `tighten` by default. Only where tools are registered with permissions.
    pub privilege_escalation_attempts: Option<ConsequenceWord>,
    /// What was denied comes back in other words; `ask` by default.
    pub deny_then_rephrase: Option<ConsequenceWord>,
    /// A secret was shown, and what is sent now is not known; `ask` by default.
    pub secret_then_network: Option<ConsequenceWord>,
    /// Three calls in a row, or ten of fifty, were denied; `warn` by default.
    pub circuit_breaker: Option<ConsequenceWord>,
}

/// What follows.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum ConsequenceWord {
    /// Nothing.
    Off,
    /// It is recorded.
    Warn,
    /// Whatever does not only read is asked about.
    Tighten,
    /// The call is asked about.
    Ask,
    /// The call is denied.
    Stop,
}

impl ConsequenceWord {
    /// What it means.
    #[must_use]
    pub const fn consequence(self) -> Consequence {
        match self {
            Self::Off => Consequence::Off,
            Self::Warn => Consequence::Warn,
            Self::Tighten => Consequence::Tighten,
            Self::Ask => Consequence::Ask,
            Self::Stop => Consequence::Stop,
        }
    }
}

impl MonitorTable {
    /// The keys of limits with what they say.
    pub(super) const fn limits(&self) -> [(&'static str, Option<u64>); 3] {
        [
            ("monitor.max_iterations", self.max_iterations),
            ("monitor.max_time", self.max_time),
            ("monitor.actions_per_minute", self.actions_per_minute),
        ]
    }

    /// The keys of consequences with what they say.
    pub(super) fn consequences(&self) -> [(&'static str, AnomalyKind, Option<Consequence>); 7] {
        let ConsequenceTable {
            repeated_blocked_actions,
            action_loop_detected,
            near_loop_detected,
            privilege_escalation_attempts,
            deny_then_rephrase,
            secret_then_network,
            circuit_breaker,
        } = self.consequences;
        [
            (
                "monitor.consequences.repeated_blocked_actions",
                AnomalyKind::RepeatedBlockedActions,
                repeated_blocked_actions,
            ),
            (
                "monitor.consequences.action_loop_detected",
                AnomalyKind::ActionLoopDetected,
                action_loop_detected,
            ),
            (
                "monitor.consequences.near_loop_detected",
                AnomalyKind::NearLoopDetected,
                near_loop_detected,
            ),
            (
                "monitor.consequences.privilege_escalation_attempts",
                AnomalyKind::PrivilegeEscalationAttempts,
                privilege_escalation_attempts,
            ),
            (
                "monitor.consequences.deny_then_rephrase",
                AnomalyKind::DenyThenRephrase,
                deny_then_rephrase,
            ),
            (
                "monitor.consequences.secret_then_network",
                AnomalyKind::SecretThenNetwork,
                secret_then_network,
            ),
            ("monitor.consequences.circuit_breaker", AnomalyKind::CircuitBreaker, circuit_breaker),
        ]
        .map(|(key, kind, word)| (key, kind, word.map(ConsequenceWord::consequence)))
    }
}

impl Monitoring {
    /// The limit of a key of [`MonitorTable::limits`], as a number.
    pub(super) fn limit(&self, key: &str) -> Option<u64> {
        match key {
            "monitor.max_iterations" => self.limits.max_iterations,
            "monitor.max_time" => self.limits.max_time.map(|time| time.as_secs()),
            _ => self.limits.actions_per_minute,
        }
    }

    pub(super) fn set_limit(&mut self, key: &str, limit: Option<u64>) {
        match key {
            "monitor.max_iterations" => self.limits.max_iterations = limit,
            "monitor.max_time" => self.limits.max_time = limit.map(Duration::from_secs),
            _ => self.limits.actions_per_minute = limit,
        }
    }
}
