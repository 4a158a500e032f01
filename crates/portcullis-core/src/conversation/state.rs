//! What the events of a conversation come to, and what may follow. Owns every rule about what runs when.

use std::collections::BTreeMap;

use super::{By, EndReason, Event, Outcome, Proposed, goal_hash, is_inner};
use crate::decision::Verdict;

/// The most actions of one reply.
pub const MAX_BATCH: usize = 64;

/// How many errors in a row end a conversation.
pub const MAX_ERRORS: u32 = 5;

/// Where a conversation stands.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Status {
    /// It waits to be told to go on.
    #[default]
    Idle,
    /// It goes on.
    Running,
    /// A person must answer first.
    WaitingForConfirmation,
    /// Somebody stopped it.
    Paused,
    /// It is done.
    Finished,
    /// It went wrong.
    Error,
    /// It went round in circles.
    Stuck,
}

impl Status {
    /// The word on every wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::WaitingForConfirmation => "waiting_for_confirmation",
            Self::Paused => "paused",
            Self::Finished => "finished",
            Self::Error => "error",
            Self::Stuck => "stuck",
        }
    }

    /// Whether it is over, until somebody says something.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Error | Self::Stuck)
    }
}

/// Where an action stands that has no outcome.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stage {
    /// A person must answer.
    Asks,
    /// It may run.
    Cleared,
    /// A check stops it; that is to be said.
    Stopped,
    /// It was about to run.
    Begun,
}

/// An action without an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// The action.
    pub proposed: Proposed,
    /// Where it stands.
    pub stage: Stage,
    /// Who agreed to it.
    pub approved_by: Option<String>,
}

/// What is to be done next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Next {
    /// Nothing, before somebody says so.
    Nothing,
    /// A person has to answer about these.
    Ask(Vec<u64>),
    /// The model is asked for its next reply.
    Model,
    /// This is said to be blocked.
    Block(u64),
    /// This does not run, because another one ends the conversation.
    Cancel(u64),
    /// This runs.
    Run {
        /// Which.
        action: u64,
    },
    /// This began and has no outcome: it gets one that says so, and does not run.
    Orphan(u64),
    /// It ends.
    End(EndReason),
}

/// An event that cannot follow.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Impossible(String);

fn impossible<T>(why: impl Into<String>) -> Result<T, Impossible> {
    Err(Impossible(why.into()))
}

/// A goal that held a secret is kept without it, and known by what it was.
fn is_goal(goal: &str, hash: &str) -> Result<(), Impossible> {
    if hash == goal_hash(goal) || goal.contains(crate::redact::MASK) {
        Ok(())
    } else {
        impossible("the hash is not the goal's")
    }
}

/// What the events of a conversation come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    status: Status,
    started: bool,
    goal: String,
    goal_hash: String,
    open: BTreeMap<u64, Open>,
    actions: u64,
    steps: u64,
    errors: u32,
    tokens: u64,
    ends: Option<EndReason>,
    ended: Option<EndReason>,
}

impl State {
    /// Where it stands.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// The goal.
    #[must_use]
    pub fn goal(&self) -> &str {
        &self.goal
    }

    /// The hash of the goal.
    #[must_use]
    pub fn goal_hash(&self) -> &str {
        &self.goal_hash
    }

    /// The number of the next action.
    #[must_use]
    pub const fn actions(&self) -> u64 {
        self.actions
    }

    /// How many steps it took: every action, whatever became of it, and every reply that proposed none.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// What the model's replies took.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// How many errors there were in a row.
    #[must_use]
    pub const fn errors(&self) -> u32 {
        self.errors
    }

    /// Why it is over, where it is.
    #[must_use]
    pub const fn ended(&self) -> Option<EndReason> {
        self.ended
    }

    /// The actions without an outcome, in their order.
    pub fn unmatched_actions(&self) -> impl Iterator<Item = &Open> {
        self.open.values()
    }

    /// One of them.
    #[must_use]
    pub fn open(&self, action: u64) -> Option<&Open> {
        self.open.get(&action)
    }

    /// What is to be done.
    #[must_use]
    pub fn next(&self) -> Next {
        if !matches!(self.status, Status::WaitingForConfirmation | Status::Running) {
            return Next::Nothing;
        }
        let first = |stage: Stage| {
            self.open.iter().find(|(_, open)| open.stage == stage).map(|(action, _)| *action)
        };
        // What began is settled before anything else begins, and what is stopped before anybody is asked about the rest.
        if let Some(action) = first(Stage::Begun) {
            return Next::Orphan(action);
        }
        if let Some(action) = first(Stage::Stopped) {
            return Next::Block(action);
        }
        if self.ends == Some(EndReason::Blocked)
            && let Some(action) = self.open.keys().next()
        {
            return Next::Cancel(*action);
        }
        if first(Stage::Asks).is_some() {
            return Next::Ask(self.asking().collect());
        }
        if let Some(action) = self.open.keys().next() {
            return Next::Run { action: *action };
        }
        if let Some(reason) = self.ends {
            return Next::End(reason);
        }
        if self.errors >= MAX_ERRORS {
            return Next::End(EndReason::TooManyErrors);
        }
        Next::Model
    }

    fn asking(&self) -> impl Iterator<Item = u64> {
        self.open.iter().filter(|(_, open)| open.stage == Stage::Asks).map(|(action, _)| *action)
    }

    /// What follows from an event.
    ///
    /// # Errors
    /// [`Impossible`] where it cannot follow; the state is then what it was.
    pub fn apply(&mut self, event: &Event) -> Result<(), Impossible> {
        if !self.started && !matches!(event, Event::Started(_) | Event::Repaired { .. }) {
            return impossible("it has not begun");
        }
        match event {
            Event::Started(started) => {
                if self.started {
                    return impossible("it has begun already");
                }
                self.set_goal(&started.goal, &started.hash)?;
                self.started = true;
                Ok(())
            }
            Event::Goal { goal, hash, by: _ } => {
                if self.status == Status::WaitingForConfirmation || !self.open.is_empty() {
                    return impossible("actions for the old goal are open");
                }
                self.set_goal(goal, hash)?;
                self.reopen();
                Ok(())
            }
            Event::Message { by, text: _ } => self.message(*by),
            Event::Batch { text: _, actions, tokens } => self.batch(actions, *tokens),
            Event::Approved { action, hash, by } => self.approved(*action, hash, by),
            Event::Cancelled { action, by, reason: _ } => {
                self.never_runs(*action)?;
                self.answered(by.is_some());
                Ok(())
            }
            Event::Edited { by: _, action } => self.edited(action),
            Event::Blocked { action, code, message: _, fatal } => {
                self.never_runs(*action)?;
                if *fatal {
                    self.ends = Some(EndReason::Blocked);
                } else if code == "invalid_parameters" {
                    self.errors = self.errors.saturating_add(1);
                }
                self.answered(false);
                Ok(())
            }
            Event::Intent { action, hash } => self.intended(*action, hash),
            Event::Observation { action, outcome, text: _ } => self.observed(*action, *outcome),
            Event::Error { message: _ } => {
                if !self.open.is_empty() || self.status != Status::Running {
                    return impossible("the model was not asked");
                }
                self.errors = self.errors.saturating_add(1);
                self.steps = self.steps.saturating_add(1);
                Ok(())
            }
            Event::Used { tokens } => {
                self.tokens = self.tokens.saturating_add(*tokens);
                Ok(())
            }
            Event::Changed { .. } | Event::Repaired { .. } => Ok(()),
            Event::Resumed {} => match self.status {
                Status::Idle | Status::Paused => {
                    self.status = Status::Running;
                    Ok(())
                }
                other => impossible(format!("it cannot go on: it is {}", other.name())),
            },
            Event::Paused { by: _ } => match self.status {
                Status::Idle | Status::Running => {
                    self.status = Status::Paused;
                    Ok(())
                }
                other => impossible(format!("it cannot pause: it is {}", other.name())),
            },
            Event::Ended { reason, message: _ } => self.end(*reason),
        }
    }

    fn set_goal(&mut self, goal: &str, hash: &str) -> Result<(), Impossible> {
        is_goal(goal, hash)?;
        goal.clone_into(&mut self.goal);
        hash.clone_into(&mut self.goal_hash);
        Ok(())
    }

    /// Whatever is said: it is no answer to a question.
    fn message(&mut self, by: By) -> Result<(), Impossible> {
        match by {
            By::User => self.reopen(),
            By::Agent if self.status == Status::Running && self.open.is_empty() => {
                self.errors = 0;
                self.steps = self.steps.saturating_add(1);
                self.ends = Some(EndReason::Answered);
            }
            By::Agent => return impossible("the model was not asked"),
        }
        Ok(())
    }

    fn approved(&mut self, action: u64, hash: &str, by: &str) -> Result<(), Impossible> {
        let open = self.of(action)?;
        if open.stage != Stage::Asks {
            return impossible(format!("nobody asks about action {action}"));
        }
        if open.proposed.hash != hash || hash.is_empty() {
            return impossible(format!("action {action} is not what was shown"));
        }
        open.stage = Stage::Cleared;
        open.approved_by = Some(by.to_owned());
        self.answered(true);
        Ok(())
    }

    /// Takes an open action away that has not begun.
    fn never_runs(&mut self, action: u64) -> Result<(), Impossible> {
        if self.of(action)?.stage == Stage::Begun {
            return impossible(format!("action {action} has begun"));
        }
        self.open.remove(&action);
        Ok(())
    }

    fn edited(&mut self, action: &Proposed) -> Result<(), Impossible> {
        let open = self.of(action.action)?;
        if !matches!(open.stage, Stage::Asks | Stage::Cleared) {
            return impossible(format!("action {} cannot be edited", action.action));
        }
        if self.status != Status::WaitingForConfirmation {
            return impossible("nobody is asked");
        }
        // It asks, also where it would have run unasked: who edits sees what came of it.
        let stage = if action.verdict == Verdict::Deny { Stage::Stopped } else { Stage::Asks };
        let edited = Open { proposed: action.clone(), stage, approved_by: None };
        self.open.insert(action.action, edited);
        self.answered(true);
        Ok(())
    }

    fn intended(&mut self, action: u64, hash: &str) -> Result<(), Impossible> {
        if self.next() != (Next::Run { action }) {
            return impossible(format!("it is not action {action}'s turn"));
        }
        let open = self.of(action)?;
        if open.stage != Stage::Cleared || open.proposed.hash != hash {
            return impossible(format!("action {action} was not cleared"));
        }
        open.stage = Stage::Begun;
        Ok(())
    }

    fn end(&mut self, reason: EndReason) -> Result<(), Impossible> {
        if self.status != Status::Running || !self.open.is_empty() {
            return impossible("it cannot end here");
        }
        self.status = match reason {
            EndReason::Finished | EndReason::Answered => Status::Finished,
            EndReason::Stuck => Status::Stuck,
            _ => Status::Error,
        };
        self.ends = None;
        self.ended = Some(reason);
        Ok(())
    }

    fn batch(&mut self, actions: &[Proposed], tokens: u64) -> Result<(), Impossible> {
        if self.next() != Next::Model {
            return impossible("the model was not asked");
        }
        if actions.is_empty() || actions.len() > MAX_BATCH {
            return impossible(format!("a reply has 1 to {MAX_BATCH} actions"));
        }
        for (at, proposed) in (self.actions..).zip(actions) {
            if proposed.action != at {
                return impossible(format!("action {} is numbered {}", at, proposed.action));
            }
            if proposed.hash.is_empty() && proposed.verdict != Verdict::Deny {
                return impossible(format!("action {at} is none"));
            }
        }
        let is_lone_word =
            matches!(actions, [one] if is_inner(&one.tool) && one.verdict != Verdict::Deny);
        for proposed in actions {
            let stage = match proposed.verdict {
                Verdict::Ask if !is_lone_word => Stage::Asks,
                Verdict::Allow | Verdict::Ask => Stage::Cleared,
                Verdict::Deny => Stage::Stopped,
            };
            let open = Open { proposed: proposed.clone(), stage, approved_by: None };
            self.open.insert(proposed.action, open);
            self.actions = proposed.action.saturating_add(1);
            self.steps = self.steps.saturating_add(1);
        }
        self.tokens = self.tokens.saturating_add(tokens);
        if self.asking().next().is_some() {
            self.status = Status::WaitingForConfirmation;
        }
        Ok(())
    }

    fn observed(&mut self, action: u64, outcome: Outcome) -> Result<(), Impossible> {
        let open = self.of(action)?;
        let is_word = is_inner(&open.proposed.tool) && open.stage == Stage::Cleared;
        let tool = open.proposed.tool.clone();
        let fits = match outcome {
            Outcome::Done => open.stage == Stage::Begun || is_word,
            Outcome::Failed | Outcome::MayHaveRun => open.stage == Stage::Begun,
            // It may be found only when it is about to run that it cannot.
            Outcome::Refused => matches!(open.stage, Stage::Begun | Stage::Cleared),
        };
        let is_due = open.stage == Stage::Begun || self.next() == (Next::Run { action });
        if !fits || !is_due {
            return impossible(format!("action {action} has no such outcome"));
        }
        self.open.remove(&action);
        match outcome {
            Outcome::Done => {
                self.errors = 0;
                if tool == "finish" {
                    self.ends = Some(EndReason::Finished);
                }
            }
            // A program that fails has run: that is for the model to read.
            Outcome::Failed => {}
            Outcome::Refused | Outcome::MayHaveRun => self.errors = self.errors.saturating_add(1),
        }
        Ok(())
    }

    fn of(&mut self, action: u64) -> Result<&mut Open, Impossible> {
        match self.open.get_mut(&action) {
            Some(open) => Ok(open),
            None => impossible(format!("there is no open action {action}")),
        }
    }

    /// When a person answered the last question, it stands still until it is told to go on; when there is none left for another reason, it
    /// goes on as it did.
    fn answered(&mut self, by_person: bool) {
        if self.status == Status::WaitingForConfirmation && self.asking().next().is_none() {
            self.status = if by_person { Status::Idle } else { Status::Running };
        }
    }

    /// What is over goes on once a person says something.
    fn reopen(&mut self) {
        if self.status.is_over() {
            self.status = Status::Idle;
            self.ended = None;
        }
        self.errors = 0;
        if matches!(self.ends, Some(EndReason::Answered | EndReason::Finished)) {
            self.ends = None;
        }
    }
}
