//! What an execution did so far, and whether it may go on. Owns the limits, the history that they and the anomalies are counted in, and
//! what follows; it runs nothing, stops nothing by itself, and is told the time.
//!
//! ```text
//! begin ──► (judge, ask, run) ──► finish(deed, end, result)
//!   │ Exceeded: a documented code                │
//!   └────────── notice(next deed) ◄── history ◄──┘
//!                 │ anomalies, as values
//!                 └──► Consequences::raise(decision): never loosens
//! ```
//!
//! Every step counts, whatever becomes of it: one that is blocked, declined or fails has taken place. Memory is constant: the history has
//! [`HISTORY`] steps, everything else is a number.
//!
//! ```
//! use std::time::Duration;
//! use portcullis_core::monitor::{Deed, End, Exceeded, Limits, Monitor};
//!
//! let limits = Limits { max_iterations: Some(2), ..Limits::default() };
//! let mut monitor = Monitor::start(limits, Duration::ZERO);
//! for _ in 0..2 {
//!     let step = monitor.begin(Duration::from_secs(1)).unwrap();
//!     monitor.finish(step, &Deed::named("read_file", 7), End::Blocked, None);
//! }
//! let refused = monitor.begin(Duration::from_secs(2)).unwrap_err();
//! assert_eq!(refused.code(), "max_iterations_exceeded");
//! assert_eq!(refused.limit(), Some(2));
//! ```

mod anomaly;
mod executions;
mod limits;
mod repetition;

use std::{collections::VecDeque, time::Duration};

use serde::{Deserialize, Serialize};

pub use crate::deed::{DENIALS, Deed, Denials, exact_of, result_of};
pub use anomaly::{Anomaly, AnomalyKind, Consequence, Consequences, RECENT};
pub use executions::{ExecutionId, Executions, MAX_DEPTH, MAX_OPEN, TooMany};
use limits::Usage;
pub use limits::{Amounts, Exceeded, Limits, MAX_RATE, RATE_WINDOW, Reservation, Resource};
pub use repetition::LOOP_LENGTH;
use repetition::{Repetition, repetition};

use crate::{decision::Layer, guardian::Breaker, session::SessionState};

/// How many steps are kept: enough for three copies of a pattern of 21, and for the 50 that denials are counted in.
pub const HISTORY: usize = 64;

/// How many of the latest [`RECENT`] steps must be blocked.
const BLOCKED: usize = 5;

/// After how long a blocked step no longer counts.
const BLOCKED_FOR: Duration = Duration::from_secs(600);

/// How many steps must lack permissions, among those that are kept.
const UNPERMITTED: usize = 3;

/// Among how many of the latest steps nearly equal ones are counted, and how many there must be.
const NEAR: (usize, usize) = (30, 10);

/// The version of a monitor's state.
pub const STATE_VERSION: u32 = 1;

/// The longest state that is read, in bytes; what is written is far shorter.
pub const MAX_STATE: usize = 1 << 20;

/// How a step ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It ran.
    Done,
    /// It was not let through.
    Blocked,
    /// It was not let through, because whoever it is done for lacks the permission.
    Unpermitted,
    /// A person said no.
    Declined,
    /// It ran and went wrong.
    Failed,
    /// It asked, and nobody told what became of it.
    Asked,
}

impl End {
    /// How a step ended that was blocked for a documented reason code.
    #[must_use]
    pub fn blocked_for(code: &str) -> Self {
        if code == "insufficient_permissions" { Self::Unpermitted } else { Self::Blocked }
    }

    const fn is_blocked(self) -> bool {
        matches!(self, Self::Blocked | Self::Unpermitted)
    }
}

/// A step that began.
#[derive(Debug)]
#[must_use]
pub struct Open {
    at: Duration,
}

/// A step of the history.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Past {
    at: Duration,
    exact: u64,
    shape: u64,
    result: Option<u64>,
    end: End,
    tool: String,
    shows_secret: bool,
}

/// What one execution, or one session of an agent, did so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    limits: Limits,
    usage: Usage,
    history: VecDeque<Past>,
    denials: Denials,
    /// Whether a secret was read before the history begins.
    knows_secret: bool,
    breaker: Breaker,
}

/// A monitor without its limits, which are the policy's.
#[derive(Deserialize, Serialize)]
struct State {
    v: u32,
    usage: Usage,
    history: VecDeque<Past>,
    denials: Denials,
    knows_secret: bool,
    breaker: Breaker,
}

/// Why a state is not one of ours.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadState {
    /// It is not as we write it.
    #[error("it is not the state of a monitor: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It is longer than one can be.
    #[error("it is longer than the state of a monitor can be")]
    TooLong,
    /// It was written by another version.
    #[error("it has version {0}, and this program reads version {STATE_VERSION}")]
    Version(u32),
}

impl Monitor {
    /// Of an execution that starts `now`, a time since any fixed moment.
    #[must_use]
    pub fn start(limits: Limits, now: Duration) -> Self {
        Self {
            limits,
            usage: Usage::new(now),
            history: VecDeque::new(),
            denials: Denials::default(),
            knows_secret: false,
            breaker: Breaker::default(),
        }
    }

    /// Of a session that earlier processes were part of: it started at `started`, took `iterations` steps since, and left this behind. Its
    /// latest steps are told with [`Monitor::recall`].
    #[must_use]
    pub fn resume(limits: Limits, started: Duration, iterations: u64, left: &SessionState) -> Self {
        let mut monitor = Self::start(limits, started);
        monitor.usage.iterations = iterations;
        monitor.denials = left.denials().clone();
        monitor.denials.bound();
        monitor.knows_secret = left.knows_secret();
        monitor
    }

    /// Whether another step may begin.
    ///
    /// # Errors
    /// The first limit that is reached, in the documented order.
    pub fn check(&self, now: Duration) -> Result<(), Exceeded> {
        self.usage.check(&self.limits, now)
    }

    /// Begins a step, which counts from here on.
    ///
    /// # Errors
    /// As [`Monitor::check`]; nothing is counted then.
    pub fn begin(&mut self, now: Duration) -> Result<Open, Exceeded> {
        self.check(now)?;
        self.usage.begin(&self.limits, now);
        Ok(Open { at: self.usage.latest })
    }

    /// Ends a step. `result` stands for what came back, see [`result_of`]; without one, only the actions are compared.
    pub fn finish(&mut self, step: Open, deed: &Deed, end: End, result: Option<u64>) {
        self.usage.latest = self.usage.latest.max(step.at);
        // A failure is a result also where nobody says which.
        let result = result.or((end == End::Failed).then_some(0));
        self.remember(Past {
            at: step.at,
            exact: deed.exact,
            shape: deed.shape,
            result,
            end,
            tool: deed.tool.clone(),
            shows_secret: deed.shows_secret && !end.is_blocked() && end != End::Declined,
        });
        match end {
            End::Blocked | End::Unpermitted | End::Declined => {
                self.denials.keep(deed, Layer::Person);
                self.breaker.count(true);
            }
            End::Done | End::Failed | End::Asked => self.breaker.count(false),
        }
    }

    /// A step of another process: of its action only the number is known, and [`Monitor::resume`] counted it.
    pub fn recall(&mut self, at: Duration, exact: u64, end: End, result: Option<u64>) {
        let iterations = self.usage.iterations;
        self.usage.begin(&self.limits, at);
        self.usage.iterations = iterations;
        let step = Open { at: self.usage.latest };
        self.finish(step, &Deed::numbered("", exact), end, result);
    }

    /// A person looked at what was denied: counting denials begins again, and what they let through is no longer denied.
    pub fn looked_at(&mut self, let_through: Option<&Deed>) {
        self.breaker.reset();
        if let Some(deed) = let_through {
            self.denials.forgive(deed);
        }
    }

    /// Sets aside what is about to be used.
    ///
    /// # Errors
    /// When there is not as much left; nothing is set aside then.
    pub fn reserve(&mut self, amounts: Amounts) -> Result<Reservation, Exceeded> {
        self.usage.check_resources(&self.limits, amounts)?;
        self.usage.account(Amounts::default(), amounts);
        Ok(Reservation { amounts })
    }

    /// What was used indeed. What is set aside and never accounted for stays used.
    pub const fn commit(&mut self, reservation: Reservation, used: Amounts) {
        self.usage.account(reservation.amounts, used);
    }

    /// What is used, with what is set aside.
    #[must_use]
    pub const fn used(&self) -> Amounts {
        self.usage.used
    }

    /// How many steps began.
    #[must_use]
    pub const fn iterations(&self) -> u64 {
        self.usage.iterations
    }

    /// The limits.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What is noticed: about the history alone, or about a step that would be next.
    #[must_use]
    pub fn notice(&self, next: Option<&Deed>) -> Vec<Anomaly> {
        let mut noticed = Vec::new();
        noticed.extend(self.repeated_blocks());
        noticed.extend(self.loops(next).or_else(|| self.near_loops(next)));
        noticed.extend(self.escalation());
        noticed.extend(
            next.filter(|deed| self.denials.rephrased(deed))
                .map(|_| Anomaly::new(AnomalyKind::DenyThenRephrase, 1)),
        );
        let knows_secret =
            || self.knows_secret || self.history.iter().any(|past| past.shows_secret);
        noticed.extend(
            next.filter(|deed| deed.sends && knows_secret())
                .map(|_| Anomaly::new(AnomalyKind::SecretThenNetwork, 1)),
        );
        if self.breaker.is_open() {
            let denied = self
                .history
                .iter()
                .filter(|past| past.end.is_blocked() || past.end == End::Declined);
            noticed.push(Anomaly::new(AnomalyKind::CircuitBreaker, denied.count()));
        }
        noticed
    }

    /// The state, for whoever goes on later.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Self { limits: _, usage, history, denials, knows_secret, breaker } = self;
        let state = State {
            v: STATE_VERSION,
            usage: usage.clone(),
            history: history.clone(),
            denials: denials.clone(),
            knows_secret: *knows_secret,
            breaker: breaker.clone(),
        };
        // It is made of numbers and texts, which always serialise.
        serde_json::to_string(&state).unwrap_or_default()
    }

    /// A monitor from its state, under limits that may be others by now.
    ///
    /// # Errors
    /// [`BadState`]; who cannot read what was counted should take it that every limit is reached.
    pub fn from_json(state: &str, limits: Limits) -> Result<Self, BadState> {
        if state.len() > MAX_STATE {
            return Err(BadState::TooLong);
        }
        let state: State = serde_json::from_str(state)?;
        if state.v != STATE_VERSION {
            return Err(BadState::Version(state.v));
        }
        let State { v: _, mut usage, mut history, mut denials, knows_secret, breaker } = state;
        while history.len() > HISTORY {
            history.pop_front();
        }
        while usage.begun.len() > MAX_RATE {
            usage.begun.pop_front();
        }
        denials.bound();
        Ok(Self { limits, usage, history, denials, knows_secret, breaker })
    }

    fn remember(&mut self, past: Past) {
        while self.history.len() >= HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(past);
    }

    fn repeated_blocks(&self) -> Option<Anomaly> {
        let is_fresh = |past: &&Past| {
            self.usage.latest.saturating_sub(past.at) <= BLOCKED_FOR && past.end.is_blocked()
        };
        let count = self.history.iter().rev().take(RECENT).filter(is_fresh).count();
        (count >= BLOCKED).then(|| Anomaly::new(AnomalyKind::RepeatedBlockedActions, count))
    }

    /// A tail that repeats itself and brings nothing new; a next step that leaves it is none. What was not let through does
    /// not end a loop of what ran: who is kept from the next round would only have to go on asking.
    fn loops(&self, next: Option<&Deed>) -> Option<Anomaly> {
        let all: Vec<&Past> = self.history.iter().collect();
        let ran = |past: &&Past| matches!(past.end, End::Done | End::Failed);
        let ran: Vec<&Past> = self.history.iter().filter(ran).collect();
        [all, ran].iter().find_map(|steps| loop_in(steps, next))
    }

    /// Nearly the same step, with the same known result, among others: the noise that is put between the copies does not hide them.
    fn near_loops(&self, next: Option<&Deed>) -> Option<Anomaly> {
        let (window, least) = NEAR;
        let recent = || self.history.iter().rev().filter(|past| past.result.is_some()).take(window);
        let count_of = |one: &Past| {
            recent().filter(|past| (past.shape, past.result) == (one.shape, one.result)).count()
        };
        // Of a step of another process the shape is not known.
        let is_next =
            |past: &&Past, next: &Deed| next.shape == past.shape || next.exact == past.exact;
        let candidates = recent().filter(|past| next.is_none_or(|next| is_next(past, next)));
        let most = candidates.map(count_of).max().filter(|count| *count >= least)?;
        Some(Anomaly::new(AnomalyKind::NearLoopDetected, most))
    }

    fn escalation(&self) -> Option<Anomaly> {
        let count = self.history.iter().filter(|past| past.end == End::Unpermitted).count();
        (count >= UNPERMITTED)
            .then(|| Anomaly::new(AnomalyKind::PrivilegeEscalationAttempts, count))
    }
}

/// A loop at the end of these steps that the next one goes on with.
fn loop_in(steps: &[&Past], next: Option<&Deed>) -> Option<Anomaly> {
    let symbols: Vec<u64> = steps.iter().map(|past| symbol(past)).collect();
    let Repetition { period, length } = repetition(&symbols)?;
    let pattern = steps.get(steps.len() - period..)?;
    // What came one pattern ago is what comes next in a loop.
    if next.is_some_and(|next| pattern.first().is_none_or(|past| past.exact != next.exact)) {
        return None;
    }
    let pattern = pattern.iter().map(|past| past.tool.clone()).collect();
    Some(Anomaly { pattern, ..Anomaly::new(AnomalyKind::ActionLoopDetected, length) })
}

/// What makes a step the same as another: what it was, what came back, and whether it ran.
fn symbol(past: &Past) -> u64 {
    let end = u64::from(past.end.is_blocked());
    let result = past.result.map_or(1, |result| result.wrapping_mul(2).wrapping_add(2));
    past.exact.rotate_left(7) ^ result.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ end
}

#[cfg(test)]
mod tests;
