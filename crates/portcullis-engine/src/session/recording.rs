//! The record of a session. Owns what is written before anybody acts on it, what follows where nothing can be written, and what the record
//! says of calls that came before.

use std::{env, io, path::Path};

use jiff::Timestamp;
use portcullis_core::{decision::Verdict, monitor::Deed};

use super::{Session, decision::deny, judged::Judged};
use crate::{
    audit::{AuditError, Entry, Files, Kind, Log, Record, Store, Whose},
    config::{Configuration, Lock, OnFailure},
    undelivered::Queue,
    watch,
};

/// Where decisions are recorded.
pub(super) enum Recording {
    Off,
    On(Box<Log>),
    /// It should be recorded and cannot be, so nothing is allowed.
    Broken(AuditError),
}

impl Session {
    /// Keeps no record from here on.
    pub fn record_nothing(&mut self) {
        self.record = Recording::Off;
    }

    /// Syncs many records at once from here on. Whoever judges says [`Session::settle`] before anybody acts on a decision, and [`Session::sync`] soon.
    pub fn sync_together(&mut self) {
        self.memory.sync_together();
        if let Recording::On(log) = &mut self.record {
            log.sync_together();
        }
    }

    /// Makes durable what was decided since.
    ///
    /// # Errors
    /// Nobody must act on it then, unless the configuration lets calls go on unrecorded.
    pub fn settle(&mut self) -> Result<(), &AuditError> {
        self.synced(Log::settle)
    }

    /// Makes durable all that was recorded and kept in mind.
    ///
    /// # Errors
    /// As [`Session::settle`].
    pub fn sync(&mut self) -> Result<(), &AuditError> {
        self.memory.sync();
        self.synced(Log::sync)
    }

    fn synced(
        &mut self,
        sync: impl FnOnce(&mut Log) -> Result<(), AuditError>,
    ) -> Result<(), &AuditError> {
        if let Recording::On(log) = &mut self.record
            && let Err(error) = sync(log)
        {
            self.record = Recording::Broken(error);
        }
        match &self.record {
            Recording::Broken(error) if self.on_failure == OnFailure::Deny => Err(error),
            Recording::Broken(_) | Recording::Off | Recording::On(_) => Ok(()),
        }
    }

    /// Why nothing can be recorded, where something should be.
    #[must_use]
    pub const fn broken(&self) -> Option<&AuditError> {
        match &self.record {
            Recording::Broken(error) => Some(error),
            Recording::Off | Recording::On(_) => None,
        }
    }

    /// Raises a decision by what is noticed about the session that its call belongs to.
    pub fn watch(&mut self, judged: &mut Judged) {
        let log = match &mut self.record {
            Recording::On(log) => Some(log.store()),
            Recording::Off | Recording::Broken(_) => None,
        };
        watched(judged, log, self.on_failure);
    }

    /// As [`Session::watch`], by a record that somebody else keeps.
    pub fn watch_by(&self, judged: &mut Judged, store: &mut dyn Store) {
        watched(judged, Some(store), self.on_failure);
    }

    /// Records a decision before anybody acts on it. One that should be recorded and cannot be is denied, unless the
    /// configuration lets it go on.
    pub fn record(&mut self, judged: &mut Judged) {
        match self.record.intent(|| judged.entry()) {
            Ok(sequence) => judged.sequence = sequence,
            Err(error) if self.on_failure == OnFailure::Deny => {
                let note = format!("nothing goes on unrecorded: {error}");
                deny(&mut judged.judgement.decision, &note);
            }
            Err(_) => {}
        }
        self.leave_for_a_gateway(judged);
        self.remember(judged);
    }

    /// Keeps a decision that no gateway knows of, for the first that answers. What cannot be kept so, or stands in no record here, does not go on.
    fn leave_for_a_gateway(&mut self, judged: &mut Judged) {
        if judged.unanswered.is_none() || judged.judgement.decision.verdict != Verdict::Allow {
            return;
        }
        let record = judged.sequence.and_then(|sequence| self.recorded(sequence));
        let kept = match (&self.state, &record) {
            (Some(state), Some(record)) => Queue::of(state).keep(record),
            _ => Err(io::Error::other("it stands in no record here")),
        };
        let Err(error) = kept else { return };
        let note = format!("no gateway answers, and it cannot be kept for one: {error}");
        if record.is_some() {
            let call = &judged.action.call;
            let refused = Entry {
                refers_to: judged.sequence,
                decision: Some(Verdict::Deny),
                outcome: Some("refused".to_owned()),
                reason: Some(note.clone()),
                action: Some(judged.action.id()),
                tool: Some(call.tool.clone()),
                session: call.session.clone(),
                agent: call.agent.clone(),
                ..Entry::new(Kind::Answer)
            };
            // It is denied whether that can be recorded or not.
            let _ = self.note(refused);
        }
        deny(&mut judged.judgement.decision, &note);
    }

    /// Records something beside decisions: an answer, an outcome.
    ///
    /// # Errors
    /// Nothing was recorded then.
    pub fn note(&mut self, entry: Entry) -> Result<(), &AuditError> {
        let policy = Some(self.base.configuration.policy_id.clone());
        self.record.intent(|| Entry { policy, ..entry }).map(drop)
    }

    /// As [`Session::note`]; where it stands in the record, where one is kept. What must not happen unrecorded is the error.
    ///
    /// # Errors
    /// Nothing was recorded then, and the configuration lets nothing go on without.
    pub fn noted(&mut self, entry: Entry) -> Result<Option<u64>, &AuditError> {
        let policy = Some(self.base.configuration.policy_id.clone());
        let on_failure = self.on_failure;
        match self.record.intent(|| Entry { policy, ..entry }) {
            Err(_) if on_failure != OnFailure::Deny => Ok(None),
            noted => noted,
        }
    }

    /// A record of this session's state directory.
    pub fn recorded(&mut self, sequence: u64) -> Option<Record> {
        let Recording::On(log) = &mut self.record else { return None };
        log.record(sequence).ok().flatten()
    }

    /// Records what became of a call, of which only the call is known, beside the decision about it.
    ///
    /// # Errors
    /// As [`Session::note`].
    pub fn ran(&mut self, outcome: Entry) -> Result<Ran, &AuditError> {
        let mut refers_to = None;
        let mut ran = Ran::default();
        let mut files = Files::NONE;
        if let (Recording::On(log), Some(session), Some(action)) =
            (&mut self.record, &outcome.session, &outcome.action)
        {
            let whose = Whose { session, agent: outcome.agent.as_deref() };
            let mut about = || {
                let found = log.decision_about(whose, action)?;
                let decision = found.map(|sequence| log.record(sequence)).transpose()?.flatten();
                let decision = decision.map(|record| record.entry);
                files = decision.as_ref().map_or(Files::NONE, |entry| entry.files.clone());
                let decision = decision.and_then(|entry| entry.decision);
                if decision == Some(Verdict::Deny)
                    && let Some(open) = log.decision_left_open(whose, action)?
                {
                    // It was allowed before it was tried again and denied, and only now ended.
                    return Ok((Some(open), Some(Verdict::Allow)));
                }
                Ok((found, decision))
            };
            match about() {
                Ok((found, decision)) => {
                    refers_to = found;
                    if decision == Some(Verdict::Deny) {
                        ran.disobeyed = true;
                    }
                }
                Err(error) => self.record = Recording::Broken(error),
            }
        }
        ran.changed = self.changed(&files);
        let mut said = outcome.outcome.unwrap_or_default();
        if ran.disobeyed {
            said = format!("{DISOBEYED}: {said}");
        }
        if !ran.changed.is_empty() {
            said = format!("{said}; {}", changed_words(&ran.changed));
        }
        self.note(Entry { refers_to, outcome: Some(said), ..outcome })?;
        Ok(ran)
    }

    /// Records the answer to a decision before anybody acts on it. An answer that should be recorded and cannot be is a denial, unless
    /// the configuration lets it go on.
    pub fn answered(&mut self, judged: &mut Judged, answer: Entry) {
        let policy = judged.regime.configuration.policy_id.clone();
        let recorded = self.record.intent(|| Entry { policy: Some(policy), ..answer });
        if let Err(error) = recorded
            && self.on_failure == OnFailure::Deny
        {
            deny(&mut judged.judgement.decision, &format!("nothing goes on unrecorded: {error}"));
        }
    }
}

/// What the outcome of a call that ran begins with where it had been denied: its agent does not obey.
pub const DISOBEYED: &str = "ran although it was denied";

/// What the record tells of a call that ran.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Ran {
    /// It had been denied.
    pub disobeyed: bool,
    /// Files that it went by and that are others by now: whether what ran is what was judged, nobody can say.
    pub changed: Vec<String>,
}

/// How many files are named that changed.
const NAMED: usize = 3;

/// That files are others than they were when they were judged.
#[must_use]
pub fn changed_words(files: &[String]) -> String {
    let names: Vec<String> = files.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = files.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("changed since it was judged: {}{more}", names.join(", "))
}

/// Whether the environment asks for no record.
#[must_use]
pub fn record_is_unwanted() -> bool {
    env::var_os("PORTCULLIS_AUDIT").is_some_and(|value| value == "off")
}

/// Records what is no decision of a session, where a record is kept and wanted.
///
/// # Errors
/// When it cannot be written.
pub fn note(
    configuration: &Configuration,
    is_wanted: bool,
    entry: &Entry,
) -> Result<(), AuditError> {
    let directory = configuration.state().filter(|_| configuration.audit.enabled);
    match directory.filter(|_| is_wanted || configuration.is_locked(Lock::Audit)) {
        Some(directory) => Log::open(&directory)?.append(entry).map(drop),
        None => Ok(()),
    }
}

impl Recording {
    pub(super) fn open(directory: Option<&Path>) -> Self {
        let directory = directory.ok_or(AuditError::NoDirectory);
        match directory.and_then(Log::open) {
            Ok(log) => Self::On(Box::new(log)),
            Err(error) => Self::Broken(error),
        }
    }

    /// Records a decision before anybody can act on it; gives its place, where there is a record.
    fn intent(&mut self, entry: impl FnOnce() -> Entry) -> Result<Option<u64>, &AuditError> {
        let mut place = None;
        if let Self::On(log) = self {
            match log.append(&entry()) {
                Ok(appended) => place = Some(appended.anchor.sequence),
                Err(error) => *self = Self::Broken(error),
            }
        }
        match self {
            Self::Broken(error) => Err(error),
            Self::Off | Self::On(_) => Ok(place),
        }
    }
}

/// Raises a decision by what is noticed about the session that its call belongs to.
fn watched(judged: &mut Judged, log: Option<&mut dyn Store>, on_failure: OnFailure) {
    let Judged { action, facts, judgement, regime, noticed, .. } = judged;
    let call = &action.call;
    let Some(session) = call.session.as_deref().filter(|session| !session.is_empty()) else {
        return;
    };
    let whose = Whose { session, agent: call.agent.as_deref() };
    let settings = &regime.configuration.monitor;
    let now = Timestamp::now();
    match watch::monitor(log, whose, settings.limits, &facts.session, now) {
        Ok(monitor) => {
            let deed = Deed::of(action, judgement);
            let class = judgement.assessment.class;
            let decision = &mut judgement.decision;
            *noticed = watch::raise(&monitor, settings, &deed, decision, class, now);
        }
        Err(error) if on_failure == OnFailure::Deny => {
            let note = format!("what this session did before cannot be read: {error}");
            deny(&mut judgement.decision, &note);
        }
        Err(_) => {}
    }
}
