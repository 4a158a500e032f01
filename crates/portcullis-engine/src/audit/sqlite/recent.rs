//! The newest steps of a session, for whoever asks for them at each of its calls. Owns what a process remembers of them, so that it reads only what was
//! recorded since it asked last; records are added at the end, and never changed.

use std::collections::VecDeque;

use rusqlite::{Connection, params};

use super::{
    super::{
        entry::Kind,
        row::trace_of,
        store::{Trace, Whose, stored},
    },
    signed, unsigned,
};

/// The columns are in the order of the table but for the last: a row is read from its beginning.
const LATEST: &str = "SELECT time, kind, rules, decision, layer, action, preview, sequence FROM record \
    WHERE session = ?1 AND agent IS ?2 AND sequence > ?3 ORDER BY sequence DESC LIMIT ?4";

/// The newest steps of one session.
#[derive(Debug)]
pub(super) struct Recent {
    session: String,
    agent: Option<String>,
    /// How many decisions are wanted.
    most: usize,
    /// The number of the last record that was read.
    last: u64,
    /// Oldest first.
    traces: VecDeque<Trace>,
}

impl Recent {
    /// What is remembered where it is about the same session, else nothing yet.
    pub(super) fn about(known: Option<Self>, whose: Whose<'_>, most: u32) -> Self {
        let (session, agent) = stored(whose);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let is_same = |it: &Self| it.session == session && it.agent == agent && it.most == most;
        known.filter(is_same).unwrap_or_else(|| Self {
            session,
            agent,
            most,
            last: 0,
            traces: VecDeque::with_capacity(most.min(256)),
        })
    }

    /// Reads what was recorded since.
    pub(super) fn read(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        // Answers and outcomes stand among the decisions.
        let rows_at_most = self.most.saturating_mul(3);
        let mut statement = connection.prepare_cached(LATEST)?;
        let limit = i64::try_from(rows_at_most).unwrap_or(i64::MAX);
        let mut rows =
            statement.query(params![self.session, self.agent, signed(self.last), limit])?;
        let (mut read, mut decisions, mut newest) = (Vec::new(), 0, self.last);
        while decisions < self.most
            && let Some(row) = rows.next()?
        {
            newest = newest.max(unsigned(row.get(7)?));
            let Some(trace) = trace_of(row) else { continue };
            decisions += usize::from(trace.kind == Kind::Decision);
            read.push(trace);
        }
        self.last = newest;
        self.traces.extend(read.into_iter().rev());
        self.forget(rows_at_most);
        Ok(())
    }

    /// Forgets what lies before the oldest decision that is wanted.
    fn forget(&mut self, rows_at_most: usize) {
        let is_decision = |trace: &Trace| trace.kind == Kind::Decision;
        let mut decisions = self.traces.iter().filter(|trace| is_decision(trace)).count();
        while self.traces.len() > rows_at_most
            || decisions > self.most
            || decisions == self.most && self.traces.front().is_some_and(|it| !is_decision(it))
        {
            let Some(oldest) = self.traces.pop_front() else { return };
            decisions -= usize::from(is_decision(&oldest));
        }
    }

    /// The steps, oldest first.
    pub(super) fn traces(&self) -> Vec<Trace> {
        self.traces.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use portcullis_core::decision::Verdict;

    use crate::audit::{Entry, Kind, Log, Whose};

    fn entry(kind: Kind, session: &str, action: u64) -> Entry {
        Entry {
            session: Some(session.to_owned()),
            action: Some(format!("sha256:{action:064x}")),
            decision: (kind == Kind::Decision).then_some(Verdict::Allow),
            ..Entry::new(kind)
        }
    }

    /// What is remembered is what somebody reads who remembers nothing, whoever appended it and whoever was asked about between.
    #[test]
    fn what_is_remembered_is_what_is_there() {
        let state = tempfile::tempdir().unwrap();
        let mut remembering = Log::open(state.path()).unwrap();
        let mut other = Log::open(state.path()).unwrap();
        let mut random = 7_u64;
        for step in 0..400 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let choice = random >> 60;
            let session = if choice & 1 == 0 { "a" } else { "b" };
            let kind = match choice >> 1 {
                0..=3 => Kind::Decision,
                4..=6 => Kind::Outcome,
                _ => Kind::Answer,
            };
            let writer = if random >> 40 & 1 == 0 { &mut remembering } else { &mut other };
            writer.append(&entry(kind, session, random >> 50 & 7)).unwrap();
            // Of one session mostly, so that much is remembered, and sometimes much is new.
            if random >> 45 & 3 == 0 {
                let asked = if random >> 35 & 15 == 0 { "b" } else { "a" };
                let whose = Whose { session: asked, agent: None };
                let most = if random >> 30 & 31 == 0 { 3 } else { 8 };
                let known = remembering.latest(whose, most).unwrap();
                let read = Log::open(state.path()).unwrap().latest(whose, most).unwrap();
                assert_eq!(known, read, "at step {step}");
            }
        }
    }
}
