//! The approval gate for programs that are built on the library: judges an action, asks whoever decides, and says what may run. Owns the order
//! of these and the time that a handler has; state and record are the store's.
//!
//! ```text
//! ToolCall ──check──► Check ──request_approval──► Response: may run once, or not
//!                       └──ask──► Id …… approve/deny, from anywhere …… take_up
//! ```

use std::{
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use jiff::Timestamp;
use portcullis_core::{
    action::BadCall,
    approval::{Refusal, Status, TwoPeople},
    call::ToolCall,
    decision::Verdict,
    policy::{ApprovalPolicy, Context},
    redact::redact,
    risk::Risk,
};

use super::{
    clerk::Book,
    handler::{Handler, Said},
    in_place::put_in_place,
    request::{Id, Modified, PENDING, Question, Request, TIMEOUT},
    store::{Claim, Done, Reply, Step, Unclaimable, Which, every},
};
use crate::{
    audit::{AuditError, Body, Entry},
    session::{Judged, Options, Session},
};

/// The most handlers that hang at a time: one that does not answer is not asked again without end.
const HANGING: usize = 32;

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// It could not be recorded, so it must not run.
    #[error("nothing goes on unrecorded: {0}")]
    Store(#[from] AuditError),
    /// There is no such request.
    #[error("there is no such request")]
    Unknown,
    /// The word did not count; the request stands as it is told.
    #[error("{0}")]
    Refused(Refusal, Box<Request>),
    /// The approval cannot be taken up.
    #[error(transparent)]
    Unclaimable(#[from] Unclaimable),
    /// As many requests of this requester wait as may.
    #[error("{PENDING} requests wait already, and no more may")]
    TooMany,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    NoRandomness(std::io::Error),
}

/// An action that was judged. It cannot be changed: another action is checked anew.
pub struct Check {
    judged: Judged,
}

impl Check {
    /// Whether somebody has to agree.
    #[must_use]
    pub fn requires_approval(&self) -> bool {
        self.judged.judgement.decision.verdict == Verdict::Ask
    }

    /// How risky it is.
    #[must_use]
    pub fn risk(&self) -> Risk {
        self.judged.judgement.assessment.risk
    }

    /// The hash of the action, which a response is bound to.
    #[must_use]
    pub fn action(&self) -> String {
        self.judged.action.id()
    }

    /// All that was said about it.
    #[must_use]
    pub const fn judged(&self) -> &Judged {
        &self.judged
    }
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The request, where one was made.
    pub id: Option<Id>,
    /// What became of it.
    pub status: Status,
    /// Why, in a sentence.
    pub reason: String,
    /// Who decided, where somebody did.
    pub approver: Option<String>,
    /// The hash of what may run now, once; of nothing else.
    pub action: String,
    /// What runs in place of the action, where an approver changed it.
    pub modified: Option<Modified>,
}

impl Response {
    /// Whether it may run.
    #[must_use]
    pub const fn is_approved(&self) -> bool {
        self.status.lets_go_on()
    }
}

/// Judges actions and asks about them.
///
/// ```
/// use std::sync::Arc;
/// use portcullis_engine::{approvals::{ApprovalGate, Queue}, session::Options};
/// use portcullis_core::{approval::Status, call::ToolCall};
///
/// # let state = tempfile::tempdir()?;
/// let gate = ApprovalGate::open(state.path(), Options::default(), "my-agent")?;
/// let queue = Queue::new();
/// gate.set_handler(Some(Arc::new(queue.clone())), "dev")?;
///
/// let harmless = gate.check(ToolCall::shell("ls"))?;
/// assert!(gate.request_approval(harmless)?.is_approved());
///
/// // Somebody else works through the queue, in another thread, say.
/// let person = std::thread::spawn(move || while queue.deny_all("ops") == 0 {});
/// let risky = gate.check(ToolCall::shell("rm -rf /srv/data"))?;
/// assert!(risky.requires_approval());
/// assert_eq!(gate.request_approval(risky)?.status, Status::Denied);
/// # person.join().unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ApprovalGate {
    options: Mutex<Options>,
    session: Mutex<Session>,
    book: Mutex<Book>,
    handler: Mutex<Option<Arc<dyn Handler>>>,
    hanging: Arc<()>,
    requester: String,
    timeout: Duration,
    two_people: TwoPeople,
}

impl ApprovalGate {
    /// A gate on the store of a state directory. `requester` is the name under which it asks, and which never decides.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub fn open(
        state: &Path,
        options: Options,
        requester: impl Into<String>,
    ) -> Result<Self, AuditError> {
        Ok(Self {
            session: Mutex::new(judging(options.clone())),
            options: Mutex::new(options),
            book: Mutex::new(Book::open(state)?),
            handler: Mutex::default(),
            hanging: Arc::new(()),
            requester: requester.into(),
            timeout: TIMEOUT,
            two_people: TwoPeople::Never,
        })
    }

    /// With another time to decide in.
    #[must_use]
    pub fn within(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// With two people from a risk on.
    #[must_use]
    pub fn two_people(self, two_people: TwoPeople) -> Self {
        Self { two_people, ..self }
    }

    /// Judges an action.
    ///
    /// # Errors
    /// [`BadCall`] where the arguments are not what the tool takes.
    pub fn check(&self, call: ToolCall) -> Result<Check, BadCall> {
        let session = locked(&self.session);
        session.consider(call, Context::default()).map(|judged| Check { judged })
    }

    /// Records the decision; where it asks, asks the handler and waits, no longer than the request holds. What is approved may run once, now.
    ///
    /// # Errors
    /// [`GateError`]: it must not run then.
    pub fn request_approval(&self, check: Check) -> Result<Response, GateError> {
        let question = match self.recorded(&check)? {
            Ok(question) => question,
            Err(response) => return Ok(response),
        };
        let handler = locked(&self.handler).clone();
        let (step, why) = match handler {
            None => (
                close(&question, Status::AutoDenied, "", "no approval handler is configured"),
                None,
            ),
            Some(handler) => self.handled(&handler, &question)?,
        };
        let request = match self.one(step)? {
            Done::Answered(request, None) | Done::Closed(request, _) => *request,
            // The handler's word does not count: nobody else is asked.
            Done::Answered(_, Some(refusal)) => {
                let refused = close(&question, Status::AutoDenied, "", &refusal.to_string());
                match self.one(refused)? {
                    Done::Closed(request, _) => *request,
                    _ => return Err(GateError::Unknown),
                }
            }
            _ => return Err(GateError::Unknown),
        };
        let request = match request.status {
            // One of two agreed, and this gate has nobody else to ask: the other decides elsewhere.
            Status::Pending => return Ok(response(&request, why)),
            status if status.lets_go_on() => {
                let action = request.runs().to_owned();
                self.claimed(request.id, action)?
            }
            _ => request,
        };
        Ok(response(&request, why))
    }

    /// Records the decision; where it asks, keeps the request for whoever decides it elsewhere.
    ///
    /// # Errors
    /// [`GateError`]: it must not run then.
    pub fn ask(&self, check: &Check) -> Result<Result<Id, Response>, GateError> {
        Ok(self.recorded(check)?.map(|question| question.id))
    }

    /// Approves a request, as a person.
    ///
    /// # Errors
    /// [`GateError::Refused`] with the request as it stands, where somebody was first or it is too late.
    pub fn approve(
        &self,
        id: Id,
        approver: &str,
        reason: Option<&str>,
    ) -> Result<Response, GateError> {
        self.word(id, approver, true, reason)
    }

    /// Denies a request, as a person.
    ///
    /// # Errors
    /// As [`ApprovalGate::approve`].
    pub fn deny(
        &self,
        id: Id,
        approver: &str,
        reason: Option<&str>,
    ) -> Result<Response, GateError> {
        self.word(id, approver, false, reason)
    }

    /// Takes an approval up: the action with this hash may run now, once.
    ///
    /// # Errors
    /// [`GateError::Unclaimable`].
    pub fn take_up(&self, id: Id, action: &str) -> Result<Response, GateError> {
        self.claimed(id, action.to_owned()).map(|request| response(&request, None))
    }

    /// Puts another policy in place, for what comes and for what waits; gives how many of those it decided.
    ///
    /// # Errors
    /// Where it cannot be recorded, and then nothing changes.
    pub fn set_policy(&self, policy: ApprovalPolicy, by: &str) -> Result<usize, GateError> {
        self.changed(by, "changed the approval policy", policy.name())?;
        let mut options = locked(&self.options);
        options.configuration = options.configuration.confirming(policy);
        *locked(&self.session) = judging(options.clone());
        drop(options);
        let which = Which {
            status: Some(Status::Pending),
            requester: Some(self.requester.clone()),
            ..Which::default()
        };
        let pending = every(locked(&self.book).store(), which)?;
        let mut decided = 0;
        for request in pending {
            let Some(status) = request.under(policy.confirmation()) else { continue };
            let reason = format!("the approval policy is now `{policy}`");
            let step = Step::Close { id: request.id, status, by: by.to_owned(), reason };
            decided += usize::from(matches!(self.one(step)?, Done::Closed(_, true)));
        }
        Ok(decided)
    }

    /// Puts another handler in place, or none.
    ///
    /// # Errors
    /// Where it cannot be recorded, and then nothing changes.
    pub fn set_handler(
        &self,
        handler: Option<Arc<dyn Handler>>,
        by: &str,
    ) -> Result<(), GateError> {
        let name = handler.as_ref().map_or("none", |handler| handler.name()).to_owned();
        self.changed(by, "changed the approval handler", &name)?;
        *locked(&self.handler) = handler;
        Ok(())
    }

    /// The decision in the record: the request where it asks, else the response at once.
    fn recorded(&self, check: &Check) -> Result<Result<Question, Response>, GateError> {
        let judged = &check.judged;
        let decision = &judged.judgement.decision;
        let record = Body::new(&judged.entry(), Timestamp::now());
        let at_once = |status, reason: &str| {
            Ok(Err(Response {
                id: None,
                status,
                reason: reason.to_owned(),
                approver: None,
                action: judged.action.id(),
                modified: None,
            }))
        };
        match decision.verdict {
            Verdict::Allow => {
                self.one(Step::Note { record, once: None })?;
                at_once(Status::AutoApproved, "no approval required per policy")
            }
            Verdict::Deny => {
                self.one(Step::Note { record, once: None })?;
                let why = decision.reasons.first().map_or("denied per policy", String::as_str);
                at_once(Status::AutoDenied, &redact(why))
            }
            Verdict::Ask => {
                let needed = self.two_people.needed(check.risk());
                let question = Question::about(judged, &self.requester, needed, self.timeout)
                    .map_err(GateError::NoRandomness)?;
                let step = Step::Ask {
                    question: Box::new(question.clone()),
                    record,
                    once: None,
                    resumes: false,
                    most: PENDING,
                };
                match self.one(step)? {
                    Done::TooMany => Err(GateError::TooMany),
                    _ => Ok(Ok(question)),
                }
            }
        }
    }

    /// What follows from a handler's word, and why it is a no where it did not get that far.
    fn handled(
        &self,
        handler: &Arc<dyn Handler>,
        question: &Question,
    ) -> Result<(Step, Option<String>), GateError> {
        let failed =
            |status, why: String| (close(question, status, handler.name(), &why), Some(why));
        if Arc::strong_count(&self.hanging) > HANGING {
            let why = "too many approval handlers hang";
            return Ok(failed(Status::AutoDenied, why.to_owned()));
        }
        let (sender, said) = mpsc::sync_channel(1);
        let (asked, hanging) = (Arc::clone(handler), Arc::clone(&self.hanging));
        let about = question.clone();
        let started = thread::Builder::new().name("approval".to_owned()).spawn(move || {
            let _hanging = hanging;
            let said = panic::catch_unwind(AssertUnwindSafe(|| asked.handle(&about)));
            // Whoever listened has gone on without it.
            let _ = sender.send(said);
        });
        if let Err(error) = started {
            return Ok(failed(Status::AutoDenied, format!("approval handler error: {error}")));
        }
        match said.recv_timeout(question.timeout) {
            Ok(Ok(Ok(Said::Automatic { approves, reason }))) => {
                let status = if approves { Status::AutoApproved } else { Status::AutoDenied };
                Ok((close(question, status, handler.name(), &reason), None))
            }
            Ok(Ok(Ok(Said::Person { approver, approves, reason, modified }))) => {
                let modified = match modified.filter(|_| approves) {
                    None => None,
                    Some(call) => match self.in_place(question.risk, *call) {
                        Ok(modified) => Some(modified),
                        Err(why) => return Ok(failed(Status::AutoDenied, why)),
                    },
                };
                let reply = Reply {
                    id: question.id,
                    approver,
                    origin: handler.name().to_owned(),
                    approves,
                    action: question.action.clone(),
                    reason: reason.map(|reason| redact(&reason).into_owned()),
                    modified,
                    right: None,
                    counts: true,
                };
                Ok((Step::Answer(Box::new(reply)), None))
            }
            Ok(Ok(Err(error))) => Ok(failed(
                Status::AutoDenied,
                format!("approval handler error: {}", redact(&error.0)),
            )),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                Ok(failed(Status::AutoDenied, "approval handler error: it broke".to_owned()))
            }
            Err(RecvTimeoutError::Timeout) => Ok((
                close(question, Status::TimedOut, "", "nobody decided in time"),
                Some("nobody decided in time".to_owned()),
            )),
        }
    }

    /// The action in place of another, judged like every other.
    fn in_place(&self, asked: Risk, call: ToolCall) -> Result<(Modified, Entry), String> {
        let check = self.check(call).map_err(|error| format!("the changed action: {error}"))?;
        put_in_place(asked, &check.judged)
            .map_err(|error| format!("the changed action is denied: {error}"))
    }

    fn word(
        &self,
        id: Id,
        approver: &str,
        approves: bool,
        reason: Option<&str>,
    ) -> Result<Response, GateError> {
        let request = locked(&self.book).store().request(id)?.ok_or(GateError::Unknown)?;
        let reply = Reply {
            id,
            approver: approver.to_owned(),
            origin: "library".to_owned(),
            approves,
            action: request.action,
            reason: reason.map(|reason| redact(reason).into_owned()),
            modified: None,
            right: None,
            counts: true,
        };
        match self.one(Step::Answer(Box::new(reply)))? {
            Done::Answered(request, None) => Ok(response(&request, None)),
            Done::Answered(request, Some(refusal)) => Err(GateError::Refused(refusal, request)),
            _ => Err(GateError::Unknown),
        }
    }

    fn claimed(&self, id: Id, action: String) -> Result<Request, GateError> {
        let request = locked(&self.book).store().request(id)?.ok_or(GateError::Unknown)?;
        if !request.stands(&locked(&self.session)) {
            return Err(Unclaimable::OtherFiles.into());
        }
        let claim = Claim { id, action, requester: self.requester.clone(), project: None };
        match self.one(Step::Claim(claim))? {
            Done::Claimed(request) => Ok(*request),
            Done::Unclaimable(why) => Err(why.into()),
            _ => Err(GateError::Unknown),
        }
    }

    fn changed(&self, by: &str, what: &str, to: &str) -> Result<(), GateError> {
        let record = Body::new(&Entry::change(by, what, to), Timestamp::now());
        self.one(Step::Note { record, once: None }).map(drop)
    }

    fn one(&self, step: Step) -> Result<Done, GateError> {
        let done = locked(&self.book).take(&[step])?;
        done.into_iter().next().ok_or(GateError::Unknown)
    }
}

/// A session that judges; what it judged, the gate records.
fn judging(options: Options) -> Session {
    let mut session = Session::open(options);
    session.record_nothing();
    session
}

fn close(question: &Question, status: Status, by: &str, reason: &str) -> Step {
    Step::Close { id: question.id, status, by: by.to_owned(), reason: reason.to_owned() }
}

fn response(request: &Request, why: Option<String>) -> Response {
    let told = request.reason.clone();
    Response {
        id: Some(request.id),
        status: request.status,
        reason: why.or(told).unwrap_or_else(|| request.status.name().to_owned()),
        approver: request.approver.clone(),
        action: request.runs().to_owned(),
        modified: request.modified.clone(),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
