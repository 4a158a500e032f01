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
    super::execute::execute, Answer, Checked, Ending, Identity, Monitor, Plan, Toolbox, Turn,
};
#[cfg(target_os = "linux")]
use crate::undo::{Around, Before, Bounds};
use crate::{
    audit::Entry,
    confirmation, platform,
    session::{Judged, Session},
};

/// A call that passed the checks and is recorded, and did not run.
pub struct Looked {
    pub(super) plan: Plan,
    pub(super) judged: Judged,
    pub(super) reasons: Vec<String>,
    step: Option<Open>,
    deed: Deed,
}

impl Looked {
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
            Checked::Ready(plan, mut judged, reasons) => {
                raise(&mut judged, &reasons);
                self.session.record(&mut judged);
                let step = step.ok();
                let looked = Looked { plan: *plan, judged: *judged, reasons, step, deed };
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
            Checked::Ready(plan, mut judged, reasons) => {
                raise(&mut judged, &reasons);
                judged.sequence = sequence;
                Ok(Looked { plan: *plan, judged: *judged, reasons, step: None, deed })
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
        let Looked { plan, judged, .. } = &mut looked;
        if self.still(plan, judged.files().as_ref()).is_none_or(|hash| hash != judged.action.id()) {
            answer.status = Ending::Refused;
            answer.message = Some(Refused::OtherAction.to_string());
            self.outcome(judged, "changed before it ran", None);
            self.leave(looked, End::Blocked);
            return answer;
        }
        #[cfg(target_os = "linux")]
        let around = Self::kept(&mut self.session, self.held.state.as_deref(), judged);
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
    ) -> Option<Around> {
        let taken = Around::taken(state, judged, Before::Changes, Bounds::usual());
        let entry = match &taken {
            Ok(None) => return None,
            Ok(Some(around)) => around.entry(),
            Err(error) => Around::failed(judged, error),
        };
        // What runs next is recorded by its own entries.
        let _ = session.note(entry);
        taken.ok().flatten()
    }

    /// Ends a step that does not run.
    pub fn leave(&mut self, looked: Looked, end: End) {
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

/// What gives a reason to ask asks.
fn raise(judged: &mut Judged, reasons: &[String]) {
    let decision = &mut judged.judgement.decision;
    if !reasons.is_empty() && decision.verdict == Verdict::Allow {
        decision.verdict = Verdict::Ask;
        decision.reasons.splice(0..0, reasons.iter().cloned());
    }
}

fn unrecorded(looked: &Looked) -> Answer {
    let mut answer = looked.answer();
    answer.status = Ending::Blocked;
    answer.message = Some("this could not be recorded, so it does not run".to_owned());
    answer
}
