//! The gate inside somebody else's process: what the packages for other languages stand on. Owns the order of one call (judged, watched,
//! paused or granted, asked about elsewhere, recorded), which is the program's, what answers and outcomes leave behind, and
//! that no panic passes by whoever catches errors. Calls come in and answers go out as the JSON of the program.
//!
//! It knows no language and starts no thread.

use std::{
    any::Any,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use portcullis_core::{
    action::Action,
    assessor::RiskAssessor,
    decision::Verdict,
    gate::Judgement,
    inspect,
    intervention::{Asking, ConfirmationRequest},
    policy::{Context, Mode},
    secrets::redacted,
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    audit::{Entry, Kind},
    config::{Configuration, Lock},
    confirmation, pause,
    person::Person,
    remote::{Keys, PATIENCE, Remote},
    report::visible,
    session::{self, Options, Session, changed_words, record_is_unwanted},
    watch,
    wire::{Answer, AssessAnswer, AssessRequest, EventAnswer, Incoming, InspectAnswer, Request},
};

/// The longest that a person at the terminal is waited for.
const LONGEST_WAIT: u64 = 3_600;

/// What can go wrong. Nothing runs of what was asked about.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Failure {
    /// The configuration cannot be used.
    #[error("{0}")]
    Config(String),
    /// What was given is no call, or not what the tool takes: nothing was judged.
    #[error("{0}")]
    Call(String),
    /// What must be recorded or kept in mind cannot be.
    #[error("{0}")]
    Record(String),
    /// A mistake of ours: nothing was judged.
    #[error("{0}")]
    Internal(String),
}

/// What a gate is opened with.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The file of a configuration; the user's own where none is given.
    pub config: Option<PathBuf>,
    /// Whether a record is kept, and where.
    pub record: RecordAt,
    /// The name of the permission mode that is enforced for every call.
    pub mode: Option<String>,
    /// Whether what is noticed about a session raises decisions.
    pub monitor: bool,
    /// Whether a person can be asked.
    pub can_ask: bool,
    /// A gateway that has a say too.
    pub gateway: Option<Gateway>,
    /// The folder of the package that this is in: a call that would change it would change the gate.
    pub package: Option<PathBuf>,
}

/// A gateway that has a say too, and where people answer.
#[derive(Clone, Debug)]
pub struct Gateway {
    /// Where it is.
    pub url: String,
    /// A file with the token for agents.
    pub token: Option<PathBuf>,
    /// How long a person is waited for.
    pub wait: Duration,
}

/// Whether a record is kept, and where.
#[derive(Clone, Debug, Default)]
pub enum RecordAt {
    /// Where the configuration says, if it wants one.
    #[default]
    Usual,
    /// Nowhere.
    Nowhere,
    /// In this state directory.
    Directory(PathBuf),
}

/// Where calls are judged, for the length of a process. It can be shared by threads.
pub struct Engine {
    desk: Mutex<Desk>,
    settings: Settings,
    mode: Option<Mode>,
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

/// A call that was judged, as it is kept between the verdict, an answer to it and its outcome. Nothing of it can be changed from outside.
pub struct Judged {
    id: Option<Value>,
    inner: Mutex<session::Judged>,
    /// The answer to the call, once somebody wanted more than the decision. It is written at the latest before anything changes.
    answer: OnceLock<Result<String, Failure>>,
}

impl Engine {
    /// Opens a gate.
    ///
    /// # Errors
    /// [`Failure::Config`] where the configuration or a setting cannot be used.
    pub fn open(settings: Settings) -> Result<Self, Failure> {
        shielded(|| {
            let mode = settings.mode.as_deref().map(str::parse::<Mode>).transpose();
            let mode = mode.map_err(config_failed)?;
            let desk = Desk::open(&settings, mode)?;
            Ok(Self { desk: Mutex::new(desk), settings, mode })
        })
    }

    /// Judges one call, a line as `portcullis check --jsonl` reads it. Gives what is kept of the call, with its answer.
    ///
    /// # Errors
    /// [`Failure::Call`] where it is no call, or not what the tool takes.
    pub fn judge(&self, line: &str) -> Result<Judged, Failure> {
        shielded(|| {
            let request = Request::parse_strictly(line.as_bytes(), 1);
            let request = request.map_err(|error| Failure::Call(error.message))?;
            let Request { id, call, mode, background: _, unknown_fields: _ } = request;
            let mode = mode.map(|word| word.parse::<Mode>()).transpose();
            let mode = mode.map_err(call_failed)?;
            let context = Context { mode, can_ask: self.settings.can_ask, ..Context::default() };
            let mut desk = self.lock();
            let Desk { session, gateway, granted, .. } = &mut *desk;
            let mut judged = session.consider(call, context).map_err(call_failed)?;
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
            drop(desk);
            Ok(Judged { id, inner: Mutex::new(judged), answer: OnceLock::new() })
        })
    }

    /// Keeps in mind what happened in a session, a line as `portcullis check --jsonl` reads it; gives the answer to it.
    ///
    /// # Errors
    /// [`Failure::Call`] where it is no event, [`Failure::Record`] where it cannot be kept.
    pub fn event(&self, line: &str) -> Result<String, Failure> {
        shielded(|| match Incoming::parse(line.as_bytes(), 1) {
            Ok(Incoming::Event(event)) => match self.lock().session.happened(&event) {
                Ok(noticed) => json(&EventAnswer::new(&event, noticed)),
                Err(error) => Err(Failure::Record(format!("it cannot be kept in mind: {error}"))),
            },
            Ok(Incoming::Call(_)) => Err(Failure::Call("that is a call and no event".to_owned())),
            Err(error) => Err(Failure::Call(error.message)),
        })
    }

    /// Records somebody's answer to what asked; gives the answer of the gate after it. `action` is the hash that they were shown.
    ///
    /// # Errors
    /// [`Failure::Call`] where nothing was asked, or something else.
    pub fn answered(
        &self,
        judged: &Judged,
        approves: bool,
        by: &str,
        action: &str,
        reason: Option<&str>,
    ) -> Result<String, Failure> {
        shielded(|| {
            let mut desk = self.lock();
            let kept = judged;
            let mut judged = kept.lock();
            if judged.action.id() != action {
                return Err(Failure::Call("the answer is about another action".to_owned()));
            }
            if judged.judgement.decision.verdict != Verdict::Ask {
                return Err(Failure::Call("nothing was asked about this call".to_owned()));
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
            kept.said(&judged)?;
            let changed = judged.files().map(|files| desk.session.changed(&files));
            match changed.filter(|changed| approves && !changed.is_empty()) {
                // What they agreed to is not what would run.
                Some(changed) => judged.answered(Verdict::Deny, changed_words(&changed)),
                None => judged.answered(verdict, note),
            }
            desk.session.answered(&mut judged, answer);
            json(&Answer::new(None, &judged.judgement))
        })
    }

    /// Asks the person at the terminal about a call; gives whether they agree and who they are.
    ///
    /// # Errors
    /// [`Failure::Call`] where nobody can be asked.
    pub fn ask_at_terminal(
        &self,
        judged: &Judged,
        seconds: u64,
    ) -> Result<(bool, String), Failure> {
        shielded(|| {
            let (question, patience) = {
                let judged = judged.lock();
                let seconds = seconds.clamp(1, LONGEST_WAIT);
                let patience = Duration::from_secs(seconds);
                (question(&judged.action, &judged.judgement, patience), patience)
            };
            let state = self.lock().state.clone();
            let person = Person::at_terminal_beside(state.as_deref());
            let mut person = person.map_err(call_failed)?;
            let by = person.name().to_owned();
            let confirmed = person.confirm_within(&question, patience);
            confirmed
                .map(|confirmed| (confirmed, by))
                .map_err(|error| Failure::Call(format!("the terminal failed: {error}")))
        })
    }

    /// Keeps in mind and in the record what a call answered; gives what stands in the text, as `portcullis inspect --json` says it.
    ///
    /// # Errors
    /// [`Failure::Record`] where it can be kept nowhere.
    pub fn outcome(&self, judged: &Judged, text: &str, outcome: &str) -> Result<String, Failure> {
        shielded(|| {
            let seen = inspect::inspect(text);
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
                Failure::Record(format!("what it answered cannot be kept in mind: {error}"))
            })?;
            noted.map_err(|error| {
                Failure::Record(format!("what became of it cannot be recorded: {error}"))
            })?;
            json(&InspectAnswer::new(None, &seen, redacted(text)))
        })
    }

    /// Opens what a process cannot share with the one that it was forked from. What the old one had open is left as it is, since closing it
    /// would touch files that the other process works with.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn forked(&self) -> Result<(), Failure> {
        shielded(|| {
            let mut desk = self.lock();
            if desk.granted.is_none() && desk.gateway.is_none() {
                // Nothing is open, and what sessions left is in memory alone.
                return Ok(());
            }
            let fresh = Desk::open(&self.settings, self.mode)?;
            mem::forget(mem::replace(&mut *desk, fresh));
            Ok(())
        })
    }

    /// What identifies the policy.
    #[must_use]
    pub fn policy_id(&self) -> String {
        self.lock().policy.clone()
    }

    /// Why nothing can be recorded, where something should be.
    #[must_use]
    pub fn broken(&self) -> Option<String> {
        self.lock().session.broken().map(ToString::to_string)
    }

    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a text holds that an agent or its readers must be careful with: the answer of `portcullis inspect --json`.
///
/// # Errors
/// [`Failure::Internal`] alone.
pub fn inspect(text: &str) -> Result<String, Failure> {
    shielded(|| json(&InspectAnswer::new(None, &inspect::inspect(text), redacted(text))))
}

/// A text without the secrets in it.
///
/// # Errors
/// [`Failure::Internal`] alone.
pub fn redact(text: &str) -> Result<String, Failure> {
    shielded(|| Ok(redacted(text)))
}

/// Assesses an action by the documented rules, a line as `portcullis assess --jsonl` reads it, without the rules of these names.
///
/// # Errors
/// [`Failure::Call`] where it is no action.
pub fn assess(line: &str, without: &[String]) -> Result<String, Failure> {
    shielded(|| {
        let request = AssessRequest::parse(line.as_bytes(), 1);
        let request = request.map_err(|error| Failure::Call(error.message))?;
        let mut assessor = RiskAssessor::new();
        for name in without {
            assessor.remove_rule(name);
        }
        json(&AssessAnswer::new(request.id.as_ref(), &assessor.assess(&request.action)))
    })
}

impl Desk {
    fn open(settings: &Settings, mode: Option<Mode>) -> Result<Self, Failure> {
        let configuration = Configuration::load(settings.config.as_deref());
        let mut configuration = configuration.map_err(config_failed)?;
        let unrecorded = matches!(settings.record, RecordAt::Nowhere);
        let recorded = matches!(settings.record, RecordAt::Directory(_));
        let unwanted = unrecorded || !recorded && record_is_unwanted();
        let is_locked = configuration.is_locked(Lock::Audit);
        if is_locked && (unwanted || recorded) {
            return Err(config_failed("the managed configuration locks `audit`"));
        }
        if let RecordAt::Directory(path) = &settings.record {
            configuration.audit.path = Some(path.clone());
            configuration.audit.enabled = true;
        }
        let is_recorded = configuration.audit.enabled && !unwanted;
        let state = configuration.state();
        let gateway = match &settings.gateway {
            None => None,
            Some(Gateway { url, token, wait }) => {
                let token =
                    token.clone().or_else(|| state.as_deref().map(|at| Keys::in_state(at).agents));
                let token =
                    token.ok_or_else(|| config_failed("no file with a token for the gateway"))?;
                let urls = std::slice::from_ref(url);
                let remote = Remote::new(urls, &token, *wait, PATIENCE);
                Some(remote.map_err(config_failed)?.resuming())
            }
        };
        let policy = configuration.policy_id.clone();
        let session = Session::open(Options {
            configuration,
            mode,
            // Where a call runs that names no directory, only whoever makes it knows.
            from_elsewhere: true,
            unrecorded: unwanted,
            recorded,
            guarded: settings.package.iter().cloned().collect(),
            ..Options::default()
        });
        Ok(Self { session, gateway, granted: state.clone().filter(|_| is_recorded), state, policy })
    }
}

impl Judged {
    /// What is decided about it by now: the word that its answer has.
    #[must_use]
    pub fn decision(&self) -> &'static str {
        self.lock().judgement.decision.verdict.name()
    }

    /// The answer to the call when it was judged, as `portcullis check --jsonl` writes it. It is written when it is wanted first: mostly nobody looks
    /// at more than the decision.
    ///
    /// # Errors
    /// [`Failure::Internal`] alone.
    pub fn answer(&self) -> Result<&str, Failure> {
        match self.answer.get() {
            Some(said) => said.as_deref().map_err(Failure::clone),
            None => self.said(&self.lock()),
        }
    }

    fn said(&self, judged: &session::Judged) -> Result<&str, Failure> {
        let write = || shielded(|| json(&Answer::new(self.id.as_ref(), &judged.judgement)));
        self.answer.get_or_init(write).as_deref().map_err(Failure::clone)
    }

    fn lock(&self) -> MutexGuard<'_, session::Judged> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs something. A panic in it is a [`Failure::Internal`].
fn shielded<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|panic| Err(Failure::Internal(words(panic.as_ref()))))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a mistake without words".to_owned())
}

fn config_failed(error: impl ToString) -> Failure {
    Failure::Config(error.to_string())
}

fn call_failed(error: impl ToString) -> Failure {
    Failure::Call(error.to_string())
}

/// The JSON of an answer.
fn json(answer: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(answer).map_err(|error| Failure::Internal(error.to_string()))
}

/// What a record says of a call beside what became of it.
fn about(judged: &session::Judged, kind: Kind) -> Entry {
    let call = &judged.action.call;
    Entry {
        refers_to: judged.sequence,
        action: Some(judged.action.id()),
        tool: Some(call.tool.clone()),
        session: call.session.clone(),
        agent: call.agent.clone(),
        cwd: call.cwd.clone(),
        ..Entry::new(kind)
    }
}

/// What the person at the terminal reads.
fn question(action: &Action, judgement: &Judgement, timeout: Duration) -> String {
    let asking = Asking {
        request_id: Default::default(),
        nonce: Default::default(),
        user_id: None,
        timeout,
    };
    confirmation::question(&ConfirmationRequest::new(action, judgement, &[], &asking))
}
