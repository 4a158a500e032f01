//! How much an execution may do. Owns the limits, what was used of them, and the documented codes for what was exceeded; time is told
//! to it.

use std::{collections::VecDeque, time::Duration};

use serde::{Deserialize, Serialize};

/// The stretch of time that a rate is counted over.
pub const RATE_WINDOW: Duration = Duration::from_secs(60);

/// The highest rate that can be counted: a limit above it counts as this, which is the stricter side.
pub const MAX_RATE: usize = 1_024;

/// What is counted beside steps and time.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Tokens of a model, both ways.
    Tokens,
    /// Money, in millionths of the currency that the caller counts in.
    Cost,
    /// Bytes that left.
    BytesOut,
    /// Child processes.
    Processes,
    /// Calls of tools.
    Calls,
}

impl Resource {
    /// Every one.
    pub const ALL: [Self; 5] =
        [Self::Tokens, Self::Cost, Self::BytesOut, Self::Processes, Self::Calls];

    /// Its word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::BytesOut => "bytes_out",
            Self::Processes => "processes",
            Self::Calls => "calls",
        }
    }
}

/// An amount of each resource.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Amounts {
    /// Tokens of a model.
    pub tokens: u64,
    /// Money, in millionths.
    pub cost: u64,
    /// Bytes that left.
    pub bytes_out: u64,
    /// Child processes.
    pub processes: u64,
    /// Calls of tools.
    pub calls: u64,
}

impl Amounts {
    /// One of them.
    #[must_use]
    pub const fn of(&self, resource: Resource) -> u64 {
        match resource {
            Resource::Tokens => self.tokens,
            Resource::Cost => self.cost,
            Resource::BytesOut => self.bytes_out,
            Resource::Processes => self.processes,
            Resource::Calls => self.calls,
        }
    }

    /// The sums; what would be more than can be counted stays the most that can.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.saturating_add(other.cost),
            bytes_out: self.bytes_out.saturating_add(other.bytes_out),
            processes: self.processes.saturating_add(other.processes),
            calls: self.calls.saturating_add(other.calls),
        }
    }

    const fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            cost: self.cost.saturating_sub(other.cost),
            bytes_out: self.bytes_out.saturating_sub(other.bytes_out),
            processes: self.processes.saturating_sub(other.processes),
            calls: self.calls.saturating_sub(other.calls),
        }
    }
}

/// The most that an execution may do; `None` is no limit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Steps, whatever became of them.
    pub max_iterations: Option<u64>,
    /// How long it may take.
    pub max_time: Option<Duration>,
    /// Steps in any minute.
    pub actions_per_minute: Option<u64>,
    /// Tokens of a model.
    pub max_tokens: Option<u64>,
    /// Money, in millionths.
    pub max_cost: Option<u64>,
    /// Bytes that left.
    pub max_bytes_out: Option<u64>,
    /// Child processes.
    pub max_processes: Option<u64>,
    /// Calls of tools.
    pub max_calls: Option<u64>,
}

impl Default for Limits {
    /// The documented ones: 50 steps, 300 seconds, 30 steps a minute.
    fn default() -> Self {
        Self {
            max_iterations: Some(50),
            max_time: Some(Duration::from_secs(300)),
            actions_per_minute: Some(30),
            ..Self::NONE
        }
    }
}

impl Limits {
    /// No limits.
    pub const NONE: Self = Self {
        max_iterations: None,
        max_time: None,
        actions_per_minute: None,
        max_tokens: None,
        max_cost: None,
        max_bytes_out: None,
        max_processes: None,
        max_calls: None,
    };

    /// The most that may be used of a resource.
    #[must_use]
    pub const fn of(&self, resource: Resource) -> Option<u64> {
        match resource {
            Resource::Tokens => self.max_tokens,
            Resource::Cost => self.max_cost,
            Resource::BytesOut => self.max_bytes_out,
            Resource::Processes => self.max_processes,
            Resource::Calls => self.max_calls,
        }
    }
}

/// Why an execution may not go on.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Exceeded {
    /// Nobody started it, or it ended.
    #[error("there is no such execution")]
    UnknownExecution,
    /// It has taken as many steps as it may.
    #[error("it has taken all of its {0} steps")]
    Iterations(u64),
    /// It has taken longer than it may.
    #[error("it has taken longer than {} seconds", .0.as_secs_f64())]
    Time(Duration),
    /// It has taken as many steps in a minute as it may.
    #[error("it has taken {0} steps in a minute")]
    Rate(u64),
    /// It has used all that it may of a resource.
    #[error("it may use {} of {}", .1, .0.name())]
    Resource(Resource, u64),
}

impl Exceeded {
    /// The documented code; `max_…_exceeded` of a resource is ours.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnknownExecution => "unknown_execution",
            Self::Iterations(_) => "max_iterations_exceeded",
            Self::Time(_) => "max_time_exceeded",
            Self::Rate(_) => "action_rate_exceeded",
            Self::Resource(Resource::Tokens, _) => "max_tokens_exceeded",
            Self::Resource(Resource::Cost, _) => "max_cost_exceeded",
            Self::Resource(Resource::BytesOut, _) => "max_bytes_out_exceeded",
            Self::Resource(Resource::Processes, _) => "max_processes_exceeded",
            Self::Resource(Resource::Calls, _) => "max_calls_exceeded",
        }
    }

    /// The limit; seconds where it is a time. An unknown execution has none.
    #[must_use]
    pub const fn limit(self) -> Option<u64> {
        match self {
            Self::UnknownExecution => None,
            Self::Time(limit) => Some(limit.as_secs()),
            Self::Iterations(limit) | Self::Rate(limit) | Self::Resource(_, limit) => Some(limit),
        }
    }
}

/// What was set aside before it is used.
#[derive(Debug)]
#[must_use]
pub struct Reservation {
    pub(super) amounts: Amounts,
}

/// What an execution has used.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(super) struct Usage {
    pub(super) iterations: u64,
    pub(super) started: Duration,
    /// The latest time that was told: one that goes back counts as this.
    pub(super) latest: Duration,
    /// When the latest steps began, as many as the rate allows.
    pub(super) begun: VecDeque<Duration>,
    /// With what is set aside.
    pub(super) used: Amounts,
}

impl Usage {
    pub(super) fn new(now: Duration) -> Self {
        Self { started: now, latest: now, ..Self::default() }
    }

    /// In the documented order: steps, time, rate; then the resources.
    pub(super) fn check(&self, limits: &Limits, now: Duration) -> Result<(), Exceeded> {
        let now = now.max(self.latest);
        if let Some(limit) = limits.max_iterations.filter(|limit| self.iterations >= *limit) {
            return Err(Exceeded::Iterations(limit));
        }
        let elapsed = now.saturating_sub(self.started);
        if let Some(limit) = limits.max_time.filter(|limit| elapsed > *limit) {
            return Err(Exceeded::Time(limit));
        }
        if let Some(limit) = limits.actions_per_minute {
            let is_recent =
                |begun: &&Duration| now.checked_sub(**begun).is_none_or(|age| age < RATE_WINDOW);
            let recent = self.begun.iter().filter(is_recent).count();
            if recent >= rate(limit) {
                return Err(Exceeded::Rate(limit));
            }
        }
        self.check_resources(limits, Amounts::default())
    }

    pub(super) fn begin(&mut self, limits: &Limits, now: Duration) {
        self.latest = self.latest.max(now);
        self.iterations = self.iterations.saturating_add(1);
        let kept = limits.actions_per_minute.map_or(0, rate);
        self.begun.push_back(self.latest);
        while self.begun.len() > kept {
            self.begun.pop_front();
        }
    }

    pub(super) fn check_resources(&self, limits: &Limits, more: Amounts) -> Result<(), Exceeded> {
        let all = self.used.plus(more);
        for resource in Resource::ALL {
            if let Some(limit) = limits.of(resource).filter(|limit| all.of(resource) > *limit) {
                return Err(Exceeded::Resource(resource, limit));
            }
        }
        Ok(())
    }

    pub(super) const fn account(&mut self, reserved: Amounts, used: Amounts) {
        self.used = self.used.minus(reserved).plus(used);
    }
}

fn rate(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(MAX_RATE).min(MAX_RATE)
}
