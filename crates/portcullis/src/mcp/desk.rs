//! A call of a server's tool, judged in the one order of a call: what a hook decided about it, else session, policy, pauses and grants, the
//! gateway, the record; and whoever answers what asks. Owns that order for the proxy; how a client is asked, [`super::engine`] says.

mod heard;

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use portcullis_core::{
    action::Action,
    approval::Status,
    call::ToolCall,
    decision::{Layer, Verdict},
    inspect::Inspection,
    policy::Context,
    risk::{Risk, Severity},
    session::ToolDefinition,
};
use serde_json::Value;

use super::{
    frame::Members,
    visitor::Visitor,
    wording::{question_words, why},
};
use crate::{
    approvals::{Book, Claim, Clerk, Done, Id, PENDING, Question, Reply, Request, Step},
    audit::{AuditError, Body, Entry, Kind},
    config::Configuration,
    handover, pause,
    pins::names,
    platform,
    remote::{Remote, RemoteError},
    session::{self, Judged, Session},
    trace::Trace,
    watch,
    wire::{EventRequest, Happened},
};

/// How long a gateway may take beside the wait for a person.
const GATEWAY_PATIENCE: Duration = Duration::from_millis(1_500);

/// How long a request that was asked here holds.
const HOLDS: Duration = Duration::from_secs(3_600);

/// Where calls of one server are judged.
pub struct Desk {
    session: Session,
    state: PathBuf,
    server: String,
    /// The session of calls of which no hook told.
    own: String,
    gateway: Option<Remote>,
    /// Who calls over a gateway; nothing where it is the agent that started this process.
    visitor: Option<Visitor>,
    book: Option<Book>,
    /// The one who writes for a gateway, where the desk is behind one.
    clerk: Option<Clerk>,
}

/// What comes of a call.
pub enum Ruling {
    /// It goes on.
    Go(Box<Passing>),
    /// It does not, with the reason.
    No(String),
    /// Somebody has to answer first.
    Asks(Box<Asking>),
}

/// A call on its way.
pub struct Passing {
    judged: Judged,
    /// Whether a hook before us records what comes of it.
    is_shared: bool,
}

/// A call that waits for somebody.
pub struct Asking {
    judged: Judged,
    /// The request for approval.
    pub id: Id,
    /// How risky it is.
    pub risk: Risk,
    /// Why it asks, and what it would do, for the client's person.
    pub question: String,
    /// Whether the client's person may answer: one is enough, and the question shows all of it, since nobody agrees to what they did not see
    /// whole.
    is_answerable: bool,
}

impl Asking {
    /// Whether a client may answer for its person: its model may be the one who does.
    #[must_use]
    pub fn is_for_client(&self) -> bool {
        self.is_answerable && self.risk.severity().is_some_and(|risk| risk <= Severity::Medium)
    }

    /// What the client is told where nobody has answered.
    #[must_use]
    pub fn words(&self) -> String {
        format!(
            "portcullis: a person has to answer first: {}. It waits as request {}: `portcullis approvals approve {}`, or the gateway's page. Then make the same call again.",
            why(&self.judged),
            self.id,
            short(self.id),
        )
    }

    /// The policy that it was judged under.
    #[must_use]
    pub fn policy(&self) -> &str {
        &self.judged.regime.configuration.policy_id
    }
}

/// The beginning of an id, as people type it.
#[must_use]
pub fn short(id: Id) -> String {
    id.to_string().chars().take(8).collect()
}

impl Desk {
    /// A desk for one server, over a state directory.
    ///
    /// # Errors
    /// [`RemoteError`] where the configuration names a gateway that cannot be asked.
    pub fn open(
        configuration: Configuration,
        state: &Path,
        server: &str,
        own: String,
    ) -> Result<Self, RemoteError> {
        let gateway = match &configuration.gateway {
            None => None,
            Some(gateway) => {
                let remote = Remote::of(gateway, Some(state), Duration::ZERO, GATEWAY_PATIENCE)?;
                Some(remote.resuming())
            }
        };
        let options = session::Options { configuration, ..session::Options::default() };
        Ok(Self {
            session: opened(options, state),
            state: state.to_owned(),
            server: server.to_owned(),
            own,
            gateway,
            visitor: None,
            book: None,
            clerk: None,
        })
    }

    /// A desk in a gateway, for calls that came with a token. What asks waits in the gateway's own inbox, and what a person of this machine
    /// allowed for their own agents (pauses, grants, what their hook decided) counts for nobody else.
    #[must_use]
    pub fn behind_gateway(
        options: session::Options,
        state: &Path,
        server: &str,
        own: String,
        (visitor, clerk): (Visitor, Option<Clerk>),
    ) -> Self {
        Self {
            session: opened(options, state),
            state: state.to_owned(),
            server: server.to_owned(),
            own,
            gateway: None,
            visitor: Some(visitor),
            book: None,
            clerk,
        }
    }

    /// Judges by another configuration from here on.
    pub fn judge_under(&mut self, options: session::Options) {
        // What is on its way was recorded by the one before.
        let _ = self.session.sync();
        self.session = opened(options, &self.state);
    }

    /// The policy that calls are judged under.
    #[must_use]
    pub fn policy(&self) -> &str {
        self.session.policy_id()
    }

    /// The state directory.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Keeps in mind which tools there are.
    pub fn learn<'a>(&self, tools: impl Iterator<Item = &'a Value>) {
        let named = |tool: &Value| {
            let mut tool = ToolDefinition::read(tool)?;
            tool.server = Some(names::written(&self.server));
            Some(tool)
        };
        let what = Happened::Tools(tools.filter_map(named).collect());
        let event = EventRequest { id: None, session: self.own.clone(), agent: None, what };
        // What is not kept in mind makes the next call no looser.
        let _ = self.session.happened(&event);
    }

    /// Judges a call.
    #[must_use]
    pub fn judge(&mut self, tool: &str, arguments: Members) -> Ruling {
        self.judge_within(None, tool, arguments)
    }

    /// Judges a call that stands in somebody's trace.
    #[must_use]
    pub fn judge_within(&mut self, trace: Option<Trace>, tool: &str, arguments: Members) -> Ruling {
        let begun = Instant::now();
        let before = self.handed_over(tool, &arguments);
        let call = match &before {
            Some(handed) => handed.call.clone(),
            None => self.call(tool, arguments),
        };
        let context = Context { can_ask: true, ..Context::default() };
        let mut judged = match self.session.consider(call, context) {
            Ok(judged) => judged,
            Err(error) => {
                return Ruling::No(format!("the arguments are not what this tool takes: {error}"));
            }
        };
        judged.trace = trace;
        if let Some(handed) = before
            && let Some(ruling) = self.shared(&mut judged, &handed)
        {
            return match ruling {
                Ok(()) => Ruling::Go(Box::new(Passing { judged, is_shared: true })),
                Err(why) => Ruling::No(why),
            };
        }
        self.session.watch(&mut judged);
        let verdict = |judged: &Judged| judged.judgement.decision.verdict;
        if verdict(&judged) != Verdict::Deny {
            if self.visitor.is_none() {
                let _ = pause::settle(&mut judged, self.session.policy(), &self.state);
            }
            if let Some(gateway) = &self.gateway {
                gateway.settle(&mut judged);
            }
        }
        if verdict(&judged) == Verdict::Ask && self.gateway.is_none() {
            return self.ask(judged, begun);
        }
        let recording = Instant::now();
        self.session.record(&mut judged);
        if let Some(visitor) = &self.visitor {
            (visitor.count)(&judged, begun, recording.elapsed());
        }
        let why = why(&judged);
        match verdict(&judged) {
            Verdict::Allow => Ruling::Go(Box::new(Passing { judged, is_shared: false })),
            Verdict::Deny => Ruling::No(why),
            Verdict::Ask => {
                let url = self.gateway.as_ref().map_or("", Remote::url);
                Ruling::No(format!(
                    "a person has to answer first, at {url}: {why}. Then make the same call again"
                ))
            }
        }
    }

    fn call(&self, tool: &str, arguments: Members) -> ToolCall {
        let cwd = match &self.visitor {
            None => std::env::current_dir().ok().and_then(|cwd| cwd.to_str().map(str::to_owned)),
            Some(visitor) => visitor.directory.clone(),
        };
        ToolCall {
            tool: format!("mcp__{}__{}", names::written(&self.server), names::written(tool)),
            arguments,
            cwd,
            session: Some(self.own.clone()),
            ..ToolCall::default()
        }
    }

    /// What a hook decided about this call a moment ago, where the record tells of the very same.
    fn handed_over(&mut self, tool: &str, arguments: &Members) -> Option<Handed> {
        if self.visitor.is_some() {
            return None;
        }
        let sequence = handover::take(&self.state, tool, arguments)?;
        let record = self.session.recorded(sequence)?;
        let entry = &record.entry;
        let name = entry.tool.clone()?;
        let (server, own) = names::parts(&name)?;
        if entry.kind != Kind::Decision
            || !handover::is_young(&record)
            || server != names::written(&self.server)
            || own != names::written(tool)
        {
            return None;
        }
        let call = ToolCall {
            tool: name.clone(),
            arguments: arguments.clone(),
            cwd: entry.cwd.clone(),
            session: entry.session.clone(),
            agent: entry.agent.clone(),
            ..ToolCall::default()
        };
        let is_same = Action::from_call(call.clone()).ok().map(|it| it.id()) == entry.action;
        is_same.then(|| Handed {
            call,
            sequence,
            verdict: entry.decision,
            risk: entry.risk,
            reason: entry.reason.clone(),
        })
    }

    /// What a hook's decision comes to here: it goes on, or not; nothing where this gate knows more, and has to ask itself.
    fn shared(&mut self, judged: &mut Judged, handed: &Handed) -> Option<Result<(), String>> {
        let decision = &mut judged.judgement.decision;
        let reason = || handed.reason.clone().unwrap_or_default();
        match handed.verdict {
            Some(Verdict::Deny) => {
                return Some(Err(format!("the agent's hook denied it: {}", reason())));
            }
            None => return None,
            Some(_) if decision.verdict == Verdict::Deny => return None,
            Some(_) => {}
        }
        let is_no_riskier = match (
            judged.judgement.assessment.risk.severity(),
            handed.risk.and_then(Risk::severity),
        ) {
            (Some(own), Some(known)) => own <= known,
            // What is not known is no more than what was not known.
            (None, None) => true,
            (_, None) | (None, _) => false,
        };
        judged.sequence = Some(handed.sequence);
        match decision.verdict {
            Verdict::Allow => {}
            // What the hook left to the agent or its person is not asked about again; what is riskier here is.
            _ if is_no_riskier => {
                let note = "the agent's hook decided about it".to_owned();
                judged.answered(Verdict::Allow, note);
            }
            _ => return None,
        }
        if handed.verdict == Some(Verdict::Ask) {
            let answer = Entry {
                refers_to: Some(handed.sequence),
                decision: Some(Verdict::Allow),
                layer: Some(Layer::Person),
                approver: judged
                    .action
                    .call
                    .agent
                    .clone()
                    .map(|agent| format!("whoever sits at {agent}")),
                outcome: Some("approved".to_owned()),
                reason: Some("the agent asked its person, and made the call".to_owned()),
                ..self.about(judged, Kind::Answer)
            };
            self.session.answered(judged, answer);
            if judged.judgement.decision.verdict != Verdict::Allow {
                return Some(Err(why(judged)));
            }
        }
        Some(Ok(()))
    }

    /// Keeps the request for whoever decides it, or takes up what was decided about the same call before.
    fn ask(&mut self, mut judged: Judged, begun: Instant) -> Ruling {
        let risk = judged.judgement.assessment.risk;
        let (needed, holds) = match &self.visitor {
            None => (1, HOLDS),
            Some(visitor) => ((visitor.needed)(risk), visitor.holds),
        };
        let mut question = match Question::about(&judged, &self.requester(), needed, holds) {
            Ok(question) => question,
            Err(error) => return Ruling::No(format!("nobody can be asked: {error}")),
        };
        question.belongs_to(self.project().as_deref());
        let tells = self.visitor.as_ref().map(|one| (one.tells)(&question));
        question.tells = tells.unwrap_or_default();
        let (words, is_whole) = question_words(&judged);
        let id = question.id;
        let asked = question.clone();
        let step = Step::Ask {
            question: Box::new(question),
            record: Body::new(&judged.entry(), jiff::Timestamp::now()),
            once: None,
            resumes: true,
            most: PENDING,
        };
        let recording = Instant::now();
        let id = match self.one(step) {
            Ok(Done::Noted(sequence)) => {
                judged.sequence = Some(sequence);
                if let Some(visitor) = &self.visitor {
                    (visitor.count)(&judged, begun, recording.elapsed());
                }
                self.session.remember(&mut judged);
                if let Some(visitor) = &self.visitor {
                    (visitor.tell)(asked);
                }
                id
            }
            Ok(Done::Repeated(_, Some(known))) => known,
            Ok(Done::TooMany) => {
                return Ruling::No(format!("{PENDING} requests of this server wait already"));
            }
            Ok(_) => return Ruling::No("it cannot be asked about".to_owned()),
            Err(error) => return Ruling::No(format!("nothing goes on unrecorded: {error}")),
        };
        let may_client = self.visitor.as_ref().is_none_or(|visitor| visitor.elicits);
        let is_answerable = is_whole && needed == 1 && may_client;
        let asking = Asking { judged, id, risk, question: words, is_answerable };
        match self.decided(&asking) {
            None => Ruling::Asks(Box::new(asking)),
            Some(Ok(())) => self.take_up(asking),
            Some(Err(why)) => Ruling::No(why),
        }
    }

    /// Whether somebody decided: yes, no with the reason, or nobody yet.
    #[must_use]
    pub fn decided(&mut self, asking: &Asking) -> Option<Result<(), String>> {
        let request = match self.request(asking.id) {
            Ok(Some(request)) => request,
            Ok(None) => return Some(Err("its request is gone".to_owned())),
            Err(error) => return Some(Err(format!("its request cannot be read: {error}"))),
        };
        let by = request.approver.as_deref().unwrap_or("the policy");
        let said =
            request.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        match request.status {
            Status::Pending => None,
            status if status.lets_go_on() && request.modified.is_some() => {
                Some(Err(format!("{by} approved another call in its place{said}")))
            }
            status if status.lets_go_on() && !request.stands(&self.session) => {
                Some(Err("what it starts is not what it was when it was asked about".to_owned()))
            }
            status if status.lets_go_on() => Some(Ok(())),
            Status::TimedOut => Some(Err("nobody decided in time".to_owned())),
            _ => Some(Err(format!("denied by {by}{said}"))),
        }
    }

    /// Uses an approval, once.
    #[must_use]
    pub fn take_up(&mut self, asking: Asking) -> Ruling {
        let Asking { mut judged, id, .. } = asking;
        let claim = Claim {
            id,
            action: judged.action.id(),
            requester: self.requester(),
            project: self.project(),
        };
        match self.one(Step::Claim(claim)) {
            Ok(Done::Claimed(request)) => {
                let by = request.approver.as_deref().unwrap_or("the policy").to_owned();
                judged.sequence = Some(request.sequence);
                judged.answered(Verdict::Allow, format!("approved by {by}"));
                Ruling::Go(Box::new(Passing { judged, is_shared: false }))
            }
            Ok(Done::Unclaimable(why)) => Ruling::No(why.to_string()),
            Ok(_) => Ruling::No("its approval cannot be taken up".to_owned()),
            Err(error) => Ruling::No(format!("nothing goes on unrecorded: {error}")),
        }
    }

    /// The answer that a client brings for its person.
    ///
    /// # Errors
    /// Why it does not count.
    pub fn client_says(
        &mut self,
        asking: &Asking,
        client: &str,
        approves: bool,
    ) -> Result<(), String> {
        if !asking.is_for_client() {
            return Err(
                "a client does not answer for its person where the risk is above medium".to_owned()
            );
        }
        let reply = Reply {
            id: asking.id,
            approver: match &self.visitor {
                None => platform::user_name(),
                // Who sits there is not known; that they came with this token is.
                Some(visitor) => format!("the client of {}", visitor.name),
            },
            origin: "mcp".to_owned(),
            approves,
            action: asking.judged.action.id(),
            reason: Some(format!("answered in {}", crate::report::visible::line(client))),
            modified: None,
            right: None,
            counts: false,
        };
        match self.one(Step::Answer(Box::new(reply))) {
            Ok(Done::Answered(_, None)) => Ok(()),
            Ok(Done::Answered(_, Some(refusal))) => Err(refusal.to_string()),
            Ok(_) => Err("there is no such request".to_owned()),
            Err(error) => Err(format!("nothing goes on unrecorded: {error}")),
        }
    }

    /// Has what was decided survive a loss of power: to be said before anything of it goes on.
    ///
    /// # Errors
    /// Why nothing may go on.
    pub fn settle(&mut self) -> Result<(), String> {
        self.session.settle().map_err(|error| format!("nothing goes on unrecorded: {error}"))
    }

    /// Has everything survive a loss of power: what calls came to, too.
    pub fn sync(&mut self) {
        // A record that breaks now is found by the next call.
        let _ = self.session.sync();
    }

    /// Keeps in mind and in the record what a call came to.
    pub fn finished(&mut self, passing: &Passing, text: &str, seen: &Inspection, outcome: &str) {
        let Passing { judged, is_shared } = passing;
        // What is not kept in mind is known to be lost by the next call.
        let _ = self.session.answered_to(judged, text, seen);
        if *is_shared {
            return;
        }
        let entry = Entry {
            refers_to: judged.sequence,
            outcome: Some(outcome.to_owned()),
            preview: Some(watch::result_mark(text)),
            ..self.about(judged, Kind::Outcome)
        };
        // It has run; a record that breaks now is found by the next call.
        let _ = self.session.note(entry);
    }

    fn about(&self, judged: &Judged, kind: Kind) -> Entry {
        let call = &judged.action.call;
        Entry {
            action: Some(judged.action.id()),
            tool: Some(call.tool.clone()),
            session: call.session.clone(),
            agent: call.agent.clone(),
            cwd: call.cwd.clone(),
            ..Entry::new(kind)
        }
    }

    fn requester(&self) -> String {
        match &self.visitor {
            None => format!("mcp {}", self.server),
            Some(visitor) => visitor.name.clone(),
        }
    }

    fn project(&self) -> Option<String> {
        self.visitor.as_ref().and_then(|visitor| visitor.project.clone())
    }

    fn book(&mut self) -> Result<&mut Book, AuditError> {
        if self.book.is_none() {
            self.book = Some(Book::open(&self.state)?);
        }
        self.book.as_mut().ok_or(AuditError::NoDirectory)
    }

    fn one(&mut self, step: Step) -> Result<Done, AuditError> {
        if let Some(clerk) = &self.clerk {
            let taken = clerk.take_blocking(step);
            return taken.map_err(|error| AuditError::Clerk(error.to_string()));
        }
        let done = self.book()?.take(std::slice::from_ref(&step))?;
        Ok(done.into_iter().next().unwrap_or(Done::Unknown))
    }

    fn request(&mut self, id: Id) -> Result<Option<Request>, AuditError> {
        match &self.clerk {
            Some(clerk) => clerk.request(id),
            None => self.book()?.store().request(id),
        }
    }
}

/// A session with the record where the state is, unless the configuration says otherwise. Calls that are on their way together are synced together.
fn opened(mut options: session::Options, state: &Path) -> Session {
    options.configuration.audit.path.get_or_insert_with(|| state.to_owned());
    let mut session = Session::open(options);
    session.sync_together();
    session
}

/// What a hook decided.
struct Handed {
    call: ToolCall,
    sequence: u64,
    verdict: Option<Verdict>,
    risk: Option<Risk>,
    reason: Option<String>,
}
