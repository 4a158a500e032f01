//! The way of a call in steps, for whoever lets days pass between them. Owns that a call that was looked at is looked at again before it runs,
//! and that each is counted once.

use std::{
    io,
    time::{Duration, Instant},
};

use portcullis_core::{
    action::ActionKind,
    call::ToolCall,
    decision::Verdict,
    intervention::{Asking, ConfirmationRequest, Refused, Settled},
    monitor::{Amounts, Anomaly, AnomalyKind, Deed, End, Exceeded, Open, result_of},
    redact::redact,
    session::SessionState,
};

use super::{
    super::{
        Does,
        execute::{Ended, execute},
    },
    Answer, Checked, Ending, Identity, Monitor, Output, Plan, Reasons, Toolbox, Turn,
};
use crate::{
    alike::{Like, NoKind},
    audit::Entry,
    confirmation, platform,
    session::{Judged, Session},
};
#[cfg(target_os = "linux")]
use crate::{
    audit,
    config::TryingGate,
    sandbox::BuiltIn,
    trial::evidence::{self, Evidence},
    undo::{Around, Before, Bounds, Scope},
};

/// A call that passed the checks and is recorded, and did not run.
pub struct Looked {
    pub(super) plan: Plan,
    pub(super) judged: Judged,
    pub(super) reasons: Vec<String>,
    /// The reasons by what they come from.
    why: Reasons,
    /// What was decided before there were other reasons.
    decided: Verdict,
    /// The trial of which the changes go on in its place.
    #[cfg(target_os = "linux")]
    tried: Option<Evidence>,
    /// What was kept of what it would lose, before anybody was asked.
    #[cfg(target_os = "linux")]
    kept: Option<Around>,
    /// Whether nobody was asked because of that: without it, it does not run.
    #[cfg(target_os = "linux")]
    is_made_up_for: bool,
    step: Option<Open>,
    deed: Deed,
}

#[cfg(target_os = "linux")]
impl Plan {
    /// Whether a trial holds the program no looser than its own sandbox does: it may write the workspace and nothing but that is said of it.
    fn is_as_tried(&self) -> bool {
        let plain = match &self.tool.does {
            Does::Shell => true,
            Does::Program(program) => program.environment.is_empty() && program.passes.is_empty(),
            Does::Function(_) => false,
        };
        let writes = [BuiltIn::WorkspaceWrite, BuiltIn::NetworkProxy];
        plain
            && BuiltIn::named(&self.tool.sandbox).is_some_and(|profile| writes.contains(&profile))
            && self.opened.is_empty()
            && self.tool.paths().next().is_none()
    }
}

impl Looked {
    fn new(plan: Plan, judged: Judged, why: Reasons, step: Option<Open>, deed: Deed) -> Self {
        let decided = judged.judgement.decision.verdict;
        Self {
            plan,
            judged,
            reasons: Vec::new(),
            why,
            decided,
            #[cfg(target_os = "linux")]
            tried: None,
            #[cfg(target_os = "linux")]
            kept: None,
            #[cfg(target_os = "linux")]
            is_made_up_for: false,
            step,
            deed,
        }
    }

    /// Whether it may run, or asks.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.judged.judgement.decision.verdict
    }

    /// What it was judged to be.
    #[must_use]
    pub const fn judged(&self) -> &Judged {
        &self.judged
    }

    /// Why it asks.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }

    /// The kind of the call, where a person can be asked about all of its kind at once.
    ///
    /// # Errors
    /// [`NoKind`], also where something asks that has nothing to do with the kind.
    pub fn kind(&self) -> Result<Like, NoKind> {
        if self.why.each_time { Err(NoKind::Other) } else { self.judged.kind() }
    }

    /// What a person is asked about it.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn request(
        &self,
        user: Option<&str>,
        timeout: Duration,
    ) -> io::Result<ConfirmationRequest> {
        request(&self.judged, self.reasons.clone(), user, timeout)
    }

    /// It is the one that was looked at before, and is counted as that.
    pub fn continues(&mut self, earlier: Self) {
        self.step = earlier.step;
        self.deed = earlier.deed;
        #[cfg(target_os = "linux")]
        if earlier.judged.action.id() == self.judged.action.id() {
            if let Some(evidence) = earlier.tried {
                self.go_on_as(evidence);
            }
            if let Some(kept) = earlier.kept {
                self.go_on_kept(kept);
            }
            self.conclude();
        }
    }

    /// Lets what a trial changed go on in place of the call, where the policy says so and nothing else asks; otherwise whoever answers is told
    /// of it.
    #[cfg(target_os = "linux")]
    fn go_on_as(&mut self, evidence: Evidence) {
        let Reasons { beside, irreversible, decided, each_time: _ } = &mut self.why;
        let is_alone = beside.is_empty() && irreversible.is_empty();
        if is_alone && evidence.settle(&mut self.judged) {
            decided.clear();
            self.decided = Verdict::Allow;
            self.tried = Some(evidence);
        } else {
            decided.extend(evidence.words());
        }
    }

    /// Lets a call go on of which all that it would lose was kept, where the policy says so and nothing else asks; whoever answers otherwise is
    /// told of it.
    #[cfg(target_os = "linux")]
    fn go_on_kept(&mut self, kept: Around) {
        let subject = evidence::subject(&self.judged);
        let policy = &self.judged.regime.configuration.policy;
        let spares = self.why.beside.is_empty() && policy.is_made_up_for(&subject, &kept.copy());
        if spares && (self.decided == Verdict::Allow || kept.settle(&mut self.judged)) {
            self.why = Reasons::default();
            self.decided = Verdict::Allow;
            self.is_made_up_for = true;
        }
        let words = kept.tell(&mut self.judged);
        if !self.is_made_up_for {
            self.why.decided.push(words);
        }
        if self.judged.judgement.assessment.reversible && !self.why.irreversible.is_empty() {
            self.why.irreversible = vec!["it cannot be undone but by what was kept".to_owned()];
        }
        self.kept = Some(kept);
    }

    /// What gives a reason to ask asks.
    fn conclude(&mut self) {
        let Reasons { beside, irreversible, decided, each_time: _ } = &self.why;
        self.reasons = [decided, beside, irreversible].into_iter().flatten().cloned().collect();
        let decision = &mut self.judged.judgement.decision;
        decision.verdict = self.decided;
        if !self.reasons.is_empty() && decision.verdict == Verdict::Allow {
            decision.verdict = Verdict::Ask;
            let known = decision.reasons.clone();
            let new = self.reasons.iter().filter(|reason| !known.contains(reason)).cloned();
            decision.reasons.splice(0..0, new);
        }
    }

    pub(super) fn answer(&self) -> Answer {
        let mut answer = Answer::new(&self.judged.action.call);
        answer.action = Some(self.judged.action.id());
        answer.risk = Some(self.judged.judgement.assessment.risk);
        answer
    }
}

/// What a person is asked.
pub(super) fn request(
    judged: &Judged,
    reasons: Vec<String>,
    user_id: Option<&str>,
    timeout: Duration,
) -> io::Result<ConfirmationRequest> {
    let (request_id, nonce) = (platform::random()?, platform::random()?);
    let asking = Asking { request_id, nonce, user_id, timeout };
    let mut request = ConfirmationRequest::new(&judged.action, &judged.judgement, &[], &asking);
    request.triggers = reasons;
    if let ActionKind::Shell { command, .. } = &judged.action.kind {
        let shown: String = redact(command).chars().take(2_000).collect();
        request.triggers.push(format!("it would run {shown}"));
    }
    Ok(request)
}

impl Toolbox {
    /// Looks at a call: the five checks, and the decision recorded. It counts as a step, which [`Toolbox::execute`] or [`Toolbox::leave`] ends.
    ///
    /// # Errors
    /// The answer, where a check stops it.
    pub fn look(&mut self, call: ToolCall, identity: &Identity) -> Result<Looked, Box<Answer>> {
        let call = self.placed(call, identity);
        let mut answer = Answer::new(&call);
        if self.ended {
            return self.over(&call, answer);
        }
        let step = self.monitor.begin(self.begun.elapsed());
        let limit = step.as_ref().err().map(|exceeded| self.fatality.limit(exceeded.to_string()));
        let mut deed = Deed::named(&call.tool, 0);
        let told = (&mut answer, &mut deed);
        let end = match self.checked(call, identity, limit, Turn::First, told) {
            Checked::Stopped(end) => end,
            Checked::Ready(plan, judged, reasons) => {
                let mut looked = Looked::new(*plan, *judged, reasons, step.ok(), deed);
                #[cfg(target_os = "linux")]
                let tried = self.gather(&mut looked);
                looked.conclude();
                self.session.record(&mut looked.judged);
                #[cfg(target_os = "linux")]
                if let Some(tried) = tried {
                    // What it says stands in the question too.
                    let refers_to = looked.judged.sequence;
                    let _ = self.session.note(Entry { refers_to, ..tried });
                }
                if looked.verdict() != Verdict::Deny {
                    return Ok(looked);
                }
                let answer = unrecorded(&looked);
                self.leave(looked, End::Blocked);
                return Err(Box::new(answer));
            }
        };
        if let Ok(step) = step {
            self.monitor.finish(step, &deed, end, None);
        }
        Err(Box::new(answer))
    }

    /// Looks again at a call that was looked at and recorded as `sequence`: what runs after a while is judged as the world and the policy are
    /// then. It counts as no step, and is recorded only where a check stops it now.
    ///
    /// # Errors
    /// As [`Toolbox::look`].
    pub fn again(
        &mut self,
        call: ToolCall,
        identity: &Identity,
        sequence: Option<u64>,
    ) -> Result<Looked, Box<Answer>> {
        let call = self.placed(call, identity);
        let mut answer = Answer::new(&call);
        if self.ended {
            return self.over(&call, answer);
        }
        let mut deed = Deed::named(&call.tool, 0);
        let told = (&mut answer, &mut deed);
        match self.checked(call, identity, None, Turn::Again, told) {
            Checked::Stopped(_) => Err(Box::new(answer)),
            Checked::Ready(plan, judged, reasons) => {
                let mut looked = Looked::new(*plan, *judged, reasons, None, deed);
                looked.conclude();
                looked.judged.sequence = sequence;
                Ok(looked)
            }
        }
    }

    /// Records what a person answered; whether it may count. An answer that should be recorded and cannot be is none.
    #[must_use]
    pub fn answered(&mut self, looked: &mut Looked, settled: &Settled, waited: Duration) -> bool {
        let judged = &mut looked.judged;
        let call = &judged.action.call;
        let decision = if settled.is_confirmed() { Verdict::Allow } else { Verdict::Deny };
        let entry = Entry {
            decision: Some(decision),
            layer: Some(portcullis_core::decision::Layer::Person),
            action: Some(judged.action.id()),
            tool: Some(call.tool.clone()),
            session: call.session.clone(),
            agent: call.agent.clone(),
            ..confirmation::recorded(settled, judged.sequence, waited)
        };
        judged.judgement.decision.verdict = decision;
        self.session.answered(judged, entry);
        settled.is_confirmed() && judged.judgement.decision.verdict == Verdict::Allow
    }

    /// Runs what was looked at. Whoever calls this knows that it is allowed, or that a person agreed to it.
    pub fn execute(&mut self, mut looked: Looked) -> Answer {
        let mut answer = looked.answer();
        let Looked {
            plan,
            judged,
            #[cfg(target_os = "linux")]
            tried,
            #[cfg(target_os = "linux")]
            kept,
            #[cfg(target_os = "linux")]
            is_made_up_for,
            ..
        } = &mut looked;
        if self.still(plan, judged.files().as_ref()).is_none_or(|hash| hash != judged.action.id()) {
            answer.status = Ending::Refused;
            answer.message = Some(Refused::OtherAction.to_string());
            self.outcome(judged, "changed before it ran", None);
            self.leave(looked, End::Blocked);
            return answer;
        }
        #[cfg(target_os = "linux")]
        let state = self.held.state.as_deref();
        #[cfg(target_os = "linux")]
        let around = Self::kept(&mut self.session, state, judged, tried.as_ref());
        #[cfg(target_os = "linux")]
        if let Some(earlier) = kept.take() {
            // The one that was just taken holds what stands there now.
            earlier.forget();
            let is_kept = around
                .as_ref()
                .is_some_and(|around| around.copy().is_whole && !around.copy().goes_beyond);
            if *is_made_up_for && !is_kept {
                answer.status = Ending::Refused;
                let why =
                    "not all that it would lose could be kept, so that it has to be asked about";
                answer.message = Some(why.to_owned());
                self.outcome(judged, why, None);
                self.leave(looked, End::Blocked);
                return answer;
            }
        }
        #[cfg(target_os = "linux")]
        let ended = match tried {
            Some(evidence) => Self::taken_over(&mut self.session, judged, evidence),
            None => execute(plan, &self.workspace, &self.held),
        };
        #[cfg(not(target_os = "linux"))]
        let ended = execute(plan, &self.workspace, &self.held);
        #[cfg(target_os = "linux")]
        let _ = around.and_then(Around::ended);
        let end = self.finished(ended, judged, &mut answer);
        let result = answer.output.as_ref().map(|output| result_of(&output.stdout));
        if let Some(step) = looked.step {
            self.monitor.finish(step, &looked.deed, end, result);
        }
        answer
    }

    /// Keeps what a call would lose, and records that. One of which nothing can be kept runs all the same, and that is recorded.
    #[cfg(target_os = "linux")]
    fn kept(
        session: &mut Session,
        state: Option<&std::path::Path>,
        judged: &Judged,
        tried: Option<&Evidence>,
    ) -> Option<Around> {
        if !judged.regime.configuration.snapshots.enabled {
            return None;
        }
        let taken = match (tried, state) {
            (None, _) => Around::taken(state, judged, Before::Changes, Bounds::usual()),
            (Some(evidence), Some(state)) => {
                let (workspace, paths) = evidence.changed();
                let scope = Scope { history: true, ..Scope::new(workspace.to_owned(), paths) };
                if scope.paths.is_empty() {
                    return None;
                }
                Around::over(state, &scope, judged, Bounds::usual())
            }
            (Some(_), None) => return None,
        };
        let entry = match &taken {
            Ok(None) => return None,
            Ok(Some(around)) => around.entry(),
            Err(error) => Around::failed(judged, error),
        };
        // What runs next is recorded by its own entries.
        let _ = session.note(entry);
        taken.ok().flatten()
    }

    /// Gathers what may spare a question, or what whoever answers should know: a trial of what is not understood, a copy of what would be lost.
    #[cfg(target_os = "linux")]
    fn gather(&mut self, looked: &mut Looked) -> Option<Entry> {
        let asks = looked.decided == Verdict::Ask || !looked.why.irreversible.is_empty();
        if !asks || looked.decided == Verdict::Deny {
            return None;
        }
        let wanted = evidence::wanted(&looked.judged, TryingGate::Tools)
            .filter(|_| looked.plan.is_as_tried())
            .filter(|wanted| self.session.note(wanted.entry(&looked.judged)).is_ok());
        if let Some(wanted) = wanted {
            match wanted.run(&self.session, &looked.judged, &self.held.stop) {
                Ok(evidence) => {
                    let entry = evidence.entry(&looked.judged);
                    looked.go_on_as(evidence);
                    return Some(entry);
                }
                Err(error) => {
                    looked.why.decided.push(format!("it could not be tried first: {error}"));
                }
            }
        }
        let state = self.held.state.as_deref();
        if looked.judged.regime.configuration.snapshots.enabled
            && let Ok(Some(kept)) =
                Around::taken(state, &looked.judged, Before::Losses, Bounds::question())
        {
            looked.go_on_kept(kept);
        }
        None
    }

    /// Takes over what a trial changed, and records that. The call does not run.
    #[cfg(target_os = "linux")]
    fn taken_over(
        session: &mut Session,
        judged: &Judged,
        evidence: &Evidence,
    ) -> Result<Ended, String> {
        let trial = &evidence.trial;
        let count = evidence
            .take_over()
            .map_err(|error| format!("what its trial changed was not taken over: {error}"))?;
        let entry = Entry {
            refers_to: judged.sequence,
            session: judged.action.call.session.clone(),
            outcome: Some("taken over".to_owned()),
            reason: Some(format!(
                "{count} changes of the trial {}, each judged as an edit of a file",
                trial.id
            )),
            ..Entry::new(audit::Kind::Change)
        };
        // It stands in the files; a record that breaks now is found by whoever comes next.
        let _ = session.note(entry);
        let output = Output {
            stdout: trial.stdout.clone(),
            stderr: trial.stderr.clone(),
            dropped: trial.dropped,
        };
        let status = Some((portcullis_sandbox::Status::Exited(trial.exit), None));
        Ok(Ended { status, output, report: None })
    }

    /// Ends a step that does not run.
    pub fn leave(&mut self, looked: Looked, end: End) {
        #[cfg(target_os = "linux")]
        if let Some(kept) = looked.kept {
            kept.forget();
        }
        if let Some(step) = looked.step {
            self.monitor.finish(step, &looked.deed, end, None);
        }
    }

    fn over(&mut self, call: &ToolCall, mut answer: Answer) -> Result<Looked, Box<Answer>> {
        let over = self.fatality.over();
        let _ = self.stopped(call, None, vec![over], &mut answer);
        Err(Box::new(answer))
    }

    /// A person lets an execution go on that a violation had ended.
    pub const fn reopen(&mut self) {
        self.ended = false;
    }

    /// What calls are judged by, for whoever changes that.
    #[must_use]
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// As [`Toolbox::session`].
    pub const fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Where it works.
    #[must_use]
    pub fn workspace(&self) -> &std::path::Path {
        &self.workspace
    }

    /// Whether another step may begin, and something is left of each resource.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn may_go_on(&self) -> Result<(), Exceeded> {
        self.monitor.check(self.begun.elapsed())?;
        let least = Amounts { tokens: 1, cost: 1, ..Amounts::default() };
        self.monitor.clone().reserve(least).map(drop)
    }

    /// Counts a step of whoever uses this that is no call of a tool.
    pub fn count(&mut self, deed: &Deed, end: End) {
        if let Ok(step) = self.monitor.begin(self.begun.elapsed()) {
            self.monitor.finish(step, deed, end, None);
        }
    }

    /// In which circle the execution goes, where it goes in one.
    #[must_use]
    pub fn goes_in_circles(&self) -> Option<String> {
        let is_circle = |anomaly: &Anomaly| {
            matches!(anomaly.kind, AnomalyKind::ActionLoopDetected | AnomalyKind::CircuitBreaker)
        };
        self.monitor.notice(None).into_iter().find(is_circle).map(|anomaly| anomaly.words())
    }

    /// The hash of what would run now of a call that was looked at, unless something that it is about is another thing than it was.
    #[must_use]
    pub fn stands(&self, looked: &Looked) -> Option<String> {
        self.still(&looked.plan, looked.judged.files().as_ref())
    }

    /// Counts what was used beside steps and time.
    pub fn used(&mut self, amounts: Amounts) {
        let held = self.monitor.reserve(Amounts::default());
        if let Ok(held) = held {
            self.monitor.commit(held, amounts);
        }
    }

    /// Goes on where an execution stood that took so many steps and used so much. Its time begins anew: nobody counts the days that a question
    /// waited.
    pub fn resume(&mut self, steps: u64, used: Amounts) {
        self.begun = Instant::now();
        let left = SessionState::default();
        self.monitor = Monitor::resume(*self.monitor.limits(), Duration::ZERO, steps, &left);
        self.used(used);
    }

    /// Takes the time since `from` off what is counted: somebody else was waited for.
    pub fn waited(&mut self, time: Duration) {
        self.begun += time;
    }

    fn placed(&self, mut call: ToolCall, identity: &Identity) -> ToolCall {
        call.agent = identity.agent.clone().or(call.agent);
        call.session = identity.session.clone().or(call.session);
        call.cwd = Some(self.workspace.to_string_lossy().into_owned());
        call
    }
}

fn unrecorded(looked: &Looked) -> Answer {
    let mut answer = looked.answer();
    answer.status = Ending::Blocked;
    answer.message = Some("this could not be recorded, so it does not run".to_owned());
    answer
}
