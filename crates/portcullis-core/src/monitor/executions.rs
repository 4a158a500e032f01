//! Executions within executions. Owns that a part never has more left than the whole: whatever a sub-execution does is counted in
//! every execution around it, and every one of them has to agree.

use std::{collections::BTreeMap, fmt, time::Duration};

use super::{Amounts, Anomaly, Deed, End, Exceeded, Limits, Monitor, Open, Reservation};

/// How many executions are open at a time.
pub const MAX_OPEN: usize = 1_024;

/// How deep they are nested.
pub const MAX_DEPTH: usize = 8;

/// Which execution.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ExecutionId(u64);

impl fmt::Display for ExecutionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "execution {}", self.0)
    }
}

/// Why no execution can be started.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TooMany {
    /// So many are open.
    #[error("{MAX_OPEN} executions are open")]
    Open,
    /// They are nested too deep.
    #[error("executions are nested {MAX_DEPTH} deep")]
    Deep,
    /// The one around it may not go on.
    #[error("the execution around it may not go on: {0}")]
    Around(#[from] Exceeded),
}

/// The executions that are open.
#[derive(Debug, Default)]
pub struct Executions {
    open: BTreeMap<ExecutionId, Execution>,
    last: u64,
}

#[derive(Debug)]
struct Execution {
    monitor: Monitor,
    around: Option<ExecutionId>,
}

impl Executions {
    /// Starts an execution.
    ///
    /// # Errors
    /// [`TooMany::Open`].
    pub fn start(&mut self, limits: Limits, now: Duration) -> Result<ExecutionId, TooMany> {
        self.add(limits, now, None)
    }

    /// Starts an execution within another. Its own limits hold beside those of all around it.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn start_within(
        &mut self,
        around: ExecutionId,
        limits: Limits,
        now: Duration,
    ) -> Result<ExecutionId, TooMany> {
        self.check(around, now)?;
        if self.line(around)?.len() >= MAX_DEPTH {
            return Err(TooMany::Deep);
        }
        self.add(limits, now, Some(around))
    }

    /// Whether another step may begin.
    ///
    /// # Errors
    /// [`Exceeded::UnknownExecution`] where it, or one around it, is not open; else the first limit that is reached, the innermost first.
    pub fn check(&self, id: ExecutionId, now: Duration) -> Result<(), Exceeded> {
        for one in self.line(id)? {
            self.of(one)?.check(now)?;
        }
        Ok(())
    }

    /// Begins a step, which counts in all executions around it.
    ///
    /// # Errors
    /// As [`Executions::check`]; nothing is counted then.
    pub fn begin(&mut self, id: ExecutionId, now: Duration) -> Result<(), Exceeded> {
        self.check(id, now)?;
        for one in self.line(id)? {
            // All of them agreed, and time did not change since.
            let _begun = self.of_mut(one)?.begin(now)?;
        }
        Ok(())
    }

    /// Ends a step that began at `begun`.
    ///
    /// # Errors
    /// [`Exceeded::UnknownExecution`].
    pub fn finish(
        &mut self,
        id: ExecutionId,
        begun: Duration,
        deed: &Deed,
        end: End,
        result: Option<u64>,
    ) -> Result<(), Exceeded> {
        for one in self.line(id)? {
            self.of_mut(one)?.finish(Open { at: begun }, deed, end, result);
        }
        Ok(())
    }

    /// What is noticed, here or around.
    ///
    /// # Errors
    /// [`Exceeded::UnknownExecution`].
    pub fn notice(&self, id: ExecutionId, next: Option<&Deed>) -> Result<Vec<Anomaly>, Exceeded> {
        let mut noticed: Vec<Anomaly> = Vec::new();
        for one in self.line(id)? {
            for anomaly in self.of(one)?.notice(next) {
                if !noticed.iter().any(|known| known.kind == anomaly.kind) {
                    noticed.push(anomaly);
                }
            }
        }
        Ok(noticed)
    }

    /// Sets aside what is about to be used, here and around.
    ///
    /// # Errors
    /// When there is not as much left in one of them; nothing is set aside then.
    pub fn reserve(&mut self, id: ExecutionId, amounts: Amounts) -> Result<Reservation, Exceeded> {
        let line = self.line(id)?;
        for one in &line {
            let monitor = self.of(*one)?;
            monitor.usage.check_resources(&monitor.limits, amounts)?;
        }
        for one in line {
            let _held = self.of_mut(one)?.reserve(amounts)?;
        }
        Ok(Reservation { amounts })
    }

    /// What was used indeed.
    ///
    /// # Errors
    /// [`Exceeded::UnknownExecution`].
    pub fn commit(
        &mut self,
        id: ExecutionId,
        reservation: &Reservation,
        used: Amounts,
    ) -> Result<(), Exceeded> {
        for one in self.line(id)? {
            let held = Reservation { amounts: reservation.amounts };
            self.of_mut(one)?.commit(held, used);
        }
        Ok(())
    }

    /// Ends an execution and all within it; gives what it did, where it was open.
    pub fn end(&mut self, id: ExecutionId) -> Option<Monitor> {
        let ended = self.open.remove(&id)?;
        // One goes with the one around it, so each round ends a level.
        for _ in 0..MAX_DEPTH {
            let known: Vec<ExecutionId> = self.open.keys().copied().collect();
            self.open.retain(|_, one| {
                one.around.is_none_or(|around| known.binary_search(&around).is_ok())
            });
        }
        Some(ended.monitor)
    }

    /// How many are open.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether none is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn add(
        &mut self,
        limits: Limits,
        now: Duration,
        around: Option<ExecutionId>,
    ) -> Result<ExecutionId, TooMany> {
        if self.open.len() >= MAX_OPEN {
            return Err(TooMany::Open);
        }
        self.last = self.last.saturating_add(1);
        let id = ExecutionId(self.last);
        self.open.insert(id, Execution { monitor: Monitor::start(limits, now), around });
        Ok(id)
    }

    /// An execution and those around it, the innermost first.
    fn line(&self, id: ExecutionId) -> Result<Vec<ExecutionId>, Exceeded> {
        let mut line = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let execution = self.open.get(&id).ok_or(Exceeded::UnknownExecution)?;
            line.push(id);
            next = execution.around;
        }
        Ok(line)
    }

    fn of(&self, id: ExecutionId) -> Result<&Monitor, Exceeded> {
        self.open.get(&id).map(|one| &one.monitor).ok_or(Exceeded::UnknownExecution)
    }

    fn of_mut(&mut self, id: ExecutionId) -> Result<&mut Monitor, Exceeded> {
        self.open.get_mut(&id).map(|one| &mut one.monitor).ok_or(Exceeded::UnknownExecution)
    }
}
