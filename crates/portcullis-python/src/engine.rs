//! A gate for the length of a Python process. Owns the order of one call (judged, watched, paused or granted, asked about
//! elsewhere, recorded), which is the program's, and what answers and outcomes leave behind.

use std::{
    mem,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use portcullis::{
    audit::{Entry, Kind},
    config::{Configuration, Lock},
    confirmation, gateway, pause,
    person::Person,
    remote::{Keys, Remote},
    report::visible,
    session::{Options, Session, changed_words, record_is_unwanted},
    watch,
    wire::{Answer, EventAnswer, Incoming, InspectAnswer, Request},
};
use portcullis_core::{
    decision::Verdict,
    gate::Judgement,
    inspect::inspect,
    intervention::{Asking, ConfirmationRequest},
    policy::{Context, Mode},
    secrets::redacted,
};
use pyo3::prelude::*;

use crate::{
    failure::{CallError, ConfigError, RecordError, apart, json},
    judged::{Judged, about},
};

/// The longest that a person at the terminal is waited for.
const LONGEST_WAIT: u64 = 3_600;

/// Where calls are judged.
#[pyclass(frozen, module = "portcullis_gate._native")]
pub(crate) struct Engine {
    desk: Mutex<Desk>,
    settings: Settings,
}

/// What it was opened with, to open it again after a fork.
#[derive(Clone)]
struct Settings {
    config: Option<PathBuf>,
    record: Record,
    mode: Option<Mode>,
    monitor: bool,
    can_ask: bool,
    gateway: Option<Gateway>,
    /// The folder of the package.
    package: Option<PathBuf>,
}

#[derive(Clone)]
struct Gateway {
    url: String,
    token: Option<PathBuf>,
    wait: Duration,
}

/// Whether a record is kept, and where.
#[derive(Clone, FromPyObject)]
enum Record {
    Wanted(bool),
    At(PathBuf),
}

struct Desk {
    session: Session,
    gateway: Option<Remote>,
    /// Where pauses and grants are, where what is judged is recorded.
    granted: Option<PathBuf>,
    /// The state directory, whether anything is recorded in it or not.
    state: Option<PathBuf>,
    policy: String,
}

#[pymethods]
impl Engine {
    /// Opens a gate over the configuration of a file, or the usual one.
    #[new]
    #[pyo3(signature = (*, config, record, mode, monitor, can_ask, gateway, gateway_token, wait, package))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they have names, and Python's half is the only caller"
    )]
    fn new(
        py: Python<'_>,
        config: Option<PathBuf>,
        record: Record,
        mode: Option<String>,
        monitor: bool,
        can_ask: bool,
        gateway: Option<String>,
        gateway_token: Option<PathBuf>,
        wait: u64,
        package: Option<PathBuf>,
    ) -> PyResult<Self> {
        let mode = mode.map(|word| word.parse::<Mode>()).transpose();
        let mode = mode.map_err(|error| ConfigError::new_err(error.to_string()))?;
        let wait = Duration::from_secs(wait);
        let gateway = gateway.map(|url| Gateway { url, token: gateway_token, wait });
        let settings = Settings { config, record, mode, monitor, can_ask, gateway, package };
        let desk = apart(py, || settings.open())??;
        Ok(Self { desk: Mutex::new(desk), settings })
    }

    /// Judges one call, a line as `portcullis check --jsonl` reads it. Gives the answer, and what is kept of the call.
    fn judge(&self, py: Python<'_>, line: &str) -> PyResult<(String, Judged)> {
        apart(py, || {
            let request = Request::parse_strictly(line.as_bytes(), 1);
            let request = request.map_err(|error| CallError::new_err(error.message))?;
            let Request { id, call, mode, background: _, unknown_fields: _ } = request;
            let mode = mode.map(|word| word.parse::<Mode>()).transpose();
            let mode = mode.map_err(|error| CallError::new_err(error.to_string()))?;
            let context = Context { mode, can_ask: self.settings.can_ask, ..Context::default() };
            let mut desk = self.lock();
            let Desk { session, gateway, granted, .. } = &mut *desk;
            let considered = session.consider(call, context);
            let mut judged = considered.map_err(|error| CallError::new_err(error.to_string()))?;
            if self.settings.monitor {
                session.watch(&mut judged);
            }
            if let Some(state) = granted {
                let _ = pause::settle(&mut judged, session.policy(), state);
            }
            if let Some(gateway) = gateway {
                gateway.settle(&mut judged);
            }
            session.record(&mut judged);
            let answer = json(&Answer::new(id.as_ref(), &judged.judgement))?;
            Ok((answer, Judged::new(judged)))
        })?
    }

    /// Keeps in mind what happened in a session, a line as `portcullis check --jsonl` reads it; gives the answer to it.
    fn event(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        apart(py, || match Incoming::parse(line.as_bytes(), 1) {
            Ok(Incoming::Event(event)) => match self.lock().session.happened(&event) {
                Ok(noticed) => json(&EventAnswer::new(&event, noticed)),
                Err(error) => {
                    Err(RecordError::new_err(format!("it cannot be kept in mind: {error}")))
                }
            },
            Ok(Incoming::Call(_)) => Err(CallError::new_err("that is a call and no event")),
            Err(error) => Err(CallError::new_err(error.message)),
        })?
    }

    /// Records somebody's answer to what asked; gives the answer of the gate after it. `action` is the hash that they were shown.
    fn answered(
        &self,
        py: Python<'_>,
        judged: &Judged,
        approves: bool,
        by: &str,
        action: &str,
        reason: Option<&str>,
    ) -> PyResult<String> {
        apart(py, || {
            let mut desk = self.lock();
            let mut judged = judged.lock();
            if judged.action.id() != action {
                return Err(CallError::new_err("the answer is about another action"));
            }
            if judged.judgement.decision.verdict != Verdict::Ask {
                return Err(CallError::new_err("nothing was asked about this call"));
            }
            let (verdict, word) =
                if approves { (Verdict::Allow, "approved") } else { (Verdict::Deny, "declined") };
            let said = reason.map(|reason| format!(": {}", visible::line(&redacted(reason))));
            let note = format!("{word} by {}{}", visible::line(by), said.unwrap_or_default());
            let answer = Entry {
                approver: Some(by.to_owned()),
                decision: Some(verdict),
                outcome: Some(word.to_owned()),
                reason: reason.map(redacted),
                ..about(&judged, Kind::Answer)
            };
            let changed = judged.files().map(|files| desk.session.changed(&files));
            match changed.filter(|changed| approves && !changed.is_empty()) {
                // What they agreed to is not what would run.
                Some(changed) => judged.answered(Verdict::Deny, changed_words(&changed)),
                None => judged.answered(verdict, note),
            }
            desk.session.answered(&mut judged, answer);
            json(&Answer::new(None, &judged.judgement))
        })?
    }

    /// Asks the person at the terminal about a call; gives whether they agree and who they are. Raises where nobody can be asked.
    fn ask_at_terminal(
        &self,
        py: Python<'_>,
        judged: &Judged,
        seconds: u64,
    ) -> PyResult<(bool, String)> {
        apart(py, || {
            let (question, patience) = {
                let judged = judged.lock();
                let seconds = seconds.clamp(1, LONGEST_WAIT);
                let patience = Duration::from_secs(seconds);
                (question(&judged.action, &judged.judgement, patience), patience)
            };
            let state = self.lock().state.clone();
            let person = Person::at_terminal_beside(state.as_deref());
            let mut person = person.map_err(|error| CallError::new_err(error.to_string()))?;
            let by = person.name().to_owned();
            let confirmed = person.confirm_within(&question, patience);
            confirmed
                .map(|confirmed| (confirmed, by))
                .map_err(|error| CallError::new_err(format!("the terminal failed: {error}")))
        })?
    }

    /// Keeps in mind and in the record what a call answered; gives what stands in the text, as `portcullis inspect --json` says it.
    fn outcome(
        &self,
        py: Python<'_>,
        judged: &Judged,
        text: &str,
        outcome: &str,
    ) -> PyResult<String> {
        apart(py, || {
            let seen = inspect(text);
            let mut desk = self.lock();
            let judged = judged.lock();
            let kept = desk.session.answered_with(&judged.action.call, text, &seen);
            let entry = Entry {
                outcome: Some(outcome.to_owned()),
                preview: Some(watch::result_mark(text)),
                ..about(&judged, Kind::Outcome)
            };
            let noted = desk.session.note(entry).map_err(ToString::to_string);
            kept.map_err(|error| {
                RecordError::new_err(format!("what it answered cannot be kept in mind: {error}"))
            })?;
            noted.map_err(|error| {
                RecordError::new_err(format!("what became of it cannot be recorded: {error}"))
            })?;
            json(&InspectAnswer::new(None, &seen, redacted(text)))
        })?
    }

    /// Opens what a process cannot share with the one that it was forked from. What the old one had open is left as it is, since closing it would
    /// touch files that the other process works with.
    fn forked(&self, py: Python<'_>) -> PyResult<()> {
        apart(py, || {
            let mut desk = self.lock();
            if desk.granted.is_none() && desk.gateway.is_none() {
                // Nothing is open, and what sessions left is in memory alone.
                return Ok(());
            }
            let fresh = self.settings.open()?;
            mem::forget(mem::replace(&mut *desk, fresh));
            Ok(())
        })?
    }

    /// What identifies the policy.
    #[getter]
    fn policy_id(&self) -> String {
        self.lock().policy.clone()
    }

    /// Why nothing can be recorded, where something should be.
    #[getter]
    fn broken(&self) -> Option<String> {
        self.lock().session.broken().map(ToString::to_string)
    }
}

impl Engine {
    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Settings {
    fn open(&self) -> PyResult<Desk> {
        let failed = |error: &dyn ToString| ConfigError::new_err(error.to_string());
        let configuration = Configuration::load(self.config.as_deref());
        let mut configuration = configuration.map_err(|error| failed(&error))?;
        let unrecorded = matches!(self.record, Record::Wanted(false));
        let recorded = matches!(self.record, Record::At(_));
        let unwanted = unrecorded || !recorded && record_is_unwanted();
        let is_locked = configuration.is_locked(Lock::Audit);
        if is_locked && (unwanted || recorded) {
            return Err(ConfigError::new_err("the managed configuration locks `audit`"));
        }
        if let Record::At(path) = &self.record {
            configuration.audit.path = Some(path.clone());
            configuration.audit.enabled = true;
        }
        let is_recorded = configuration.audit.enabled && !unwanted;
        let state = configuration.state();
        let gateway = match &self.gateway {
            None => None,
            Some(Gateway { url, token, wait }) => {
                let token =
                    token.clone().or_else(|| state.as_deref().map(|at| Keys::in_state(at).agents));
                let token = token.ok_or_else(|| failed(&"no file with a token for the gateway"))?;
                let remote = Remote::new(url, &token, *wait, gateway::PATIENCE);
                Some(remote.map_err(|error| failed(&error))?.resuming())
            }
        };
        let policy = configuration.policy_id.clone();
        let session = Session::open(Options {
            configuration,
            mode: self.mode,
            // Where a call runs that names no directory, only whoever makes it knows.
            from_elsewhere: true,
            unrecorded: unwanted,
            recorded,
            guarded: self.package.iter().cloned().collect(),
            ..Options::default()
        });
        Ok(Desk { session, gateway, granted: state.clone().filter(|_| is_recorded), state, policy })
    }
}

/// What the person at the terminal reads.
fn question(
    action: &portcullis_core::action::Action,
    judgement: &Judgement,
    timeout: Duration,
) -> String {
    let asking = Asking {
        request_id: Default::default(),
        nonce: Default::default(),
        user_id: None,
        timeout,
    };
    confirmation::question(&ConfirmationRequest::new(action, judgement, &[], &asking))
}
