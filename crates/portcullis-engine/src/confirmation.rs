//! Asking somebody to agree. Owns the way there and back, and how long an answer is waited for: whoever asks enforces that, because those who
//! are asked may hang. What is asked and whose answer counts, the core says.
//!
//! ```text
//! Pending ──► Responder, on a thread of its own ──► Answer ──► Pending::settle (hash taken now) ──► Settled
//!    └── no answer in time, a broken channel, a panic: no
//! ```

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use portcullis_core::{
    action::Action,
    gate::Judgement,
    intervention::{
        Answer, Approvers, Asking, ConfirmationRequest, Pending, Refused, Settled, Trigger,
    },
};

use crate::{
    audit::{Entry, Kind},
    person::Person,
    platform,
};

/// How long an answer is waited for, as documented.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// The most questions that hang at a time: who does not answer is not asked again without end.
const HANGING: usize = 32;

/// Somebody who can be asked.
pub trait Responder: Send + Sync {
    /// Shows a request and gives the answer; `None` where there is none to be had any more. It may take as long as it likes: after the
    /// request's time nobody listens.
    fn ask(&self, request: &ConfirmationRequest) -> Option<Answer>;
}

/// Asks, and enforces the time.
#[derive(Clone)]
pub struct ConfirmationHandler {
    responder: Arc<dyn Responder>,
    approvers: Approvers,
    timeout: Duration,
    /// One for each question that still hangs.
    hanging: Arc<()>,
}

impl ConfirmationHandler {
    /// Asks `responder`, for a minute, and takes answers from anybody but the agent and whom it works for.
    #[must_use]
    pub fn new(responder: Arc<dyn Responder>) -> Self {
        let hanging = Arc::new(());
        Self { responder, approvers: Approvers::Others, timeout: TIMEOUT, hanging }
    }

    /// With others who may answer.
    #[must_use]
    pub fn approved_by(self, approvers: Approvers) -> Self {
        Self { approvers, ..self }
    }

    /// With another time to answer in, of whole seconds.
    #[must_use]
    pub fn within(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// How long an answer is waited for.
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Asks about an action. `current` gives the action as it stands when the answer is there: what was shown is what runs, or nothing does.
    ///
    /// # Errors
    /// When the system gives no random numbers; that is no consent.
    pub fn confirm(
        &self,
        (action, judgement): (&Action, &Judgement),
        triggers: &[Trigger],
        user_id: Option<&str>,
        current: &dyn Fn() -> Option<String>,
    ) -> io::Result<Settled> {
        let asking = Asking {
            request_id: platform::random()?,
            nonce: platform::random()?,
            user_id,
            timeout: self.timeout,
        };
        let request = ConfirmationRequest::new(action, judgement, triggers, &asking);
        Ok(self.settle(request, current))
    }

    /// As [`ConfirmationHandler::confirm`], of a request that is made already.
    #[must_use]
    pub fn settle(
        &self,
        request: ConfirmationRequest,
        current: &dyn Fn() -> Option<String>,
    ) -> Settled {
        if Arc::strong_count(&self.hanging) > HANGING {
            return Settled::Refused(Refused::Closed);
        }
        let begun = Instant::now();
        let mut pending = Pending::new(request.clone(), self.approvers, Duration::ZERO);
        let (sender, answers) = mpsc::sync_channel(1);
        let (responder, hanging) = (Arc::clone(&self.responder), Arc::clone(&self.hanging));
        let asked = thread::Builder::new().name("confirmation".to_owned()).spawn(move || {
            let _hanging = hanging;
            if let Some(answer) = responder.ask(&request) {
                // Whoever listened has gone on without it.
                let _ = sender.send(answer);
            }
        });
        if asked.is_err() {
            return Settled::Refused(Refused::Closed);
        }
        match answers.recv_timeout(pending.left(begun.elapsed())) {
            Ok(answer) => match current() {
                Some(hash) => pending.settle(&answer, &hash, begun.elapsed()),
                None => Settled::Refused(Refused::OtherAction),
            },
            Err(RecvTimeoutError::Timeout) => Settled::Refused(Refused::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Settled::Refused(Refused::Closed),
        }
    }
}

/// The answer for the record, to the decision `sequence`.
#[must_use]
pub fn recorded(settled: &Settled, sequence: Option<u64>, waited: Duration) -> Entry {
    let (outcome, approver) = match settled {
        Settled::Confirmed { by } => ("approved".to_owned(), Some(by.clone())),
        Settled::Declined { by } => ("declined".to_owned(), Some(by.clone())),
        Settled::Refused(refused) => (format!("refused: {refused}"), None),
    };
    Entry {
        refers_to: sequence,
        approver,
        outcome: Some(outcome),
        reason: Some(format!("answered after {:.1} seconds", waited.as_secs_f64())),
        ..Entry::new(Kind::Answer)
    }
}

/// The person at the terminal.
pub struct AtTerminal {
    person: Mutex<Person>,
}

impl AtTerminal {
    /// Asks a person whom [`Person::at_terminal`] found.
    #[must_use]
    pub fn new(person: Person) -> Self {
        Self { person: Mutex::new(person) }
    }
}

impl Responder for AtTerminal {
    fn ask(&self, request: &ConfirmationRequest) -> Option<Answer> {
        let mut person = self.person.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = Duration::from_secs(request.timeout_seconds);
        // A terminal that fails gives no answer.
        let confirmed = person.confirm_within(&question(request), patience).ok()?;
        Some(Answer {
            request_id: request.request_id.clone(),
            nonce: request.nonce.clone(),
            action: request.action.hash.clone(),
            confirmed,
            responder: person.name().to_owned(),
        })
    }
}

/// The question, each thing on a line by itself; what it shows was redacted and bounded when the request was made.
#[must_use]
pub fn question(request: &ConfirmationRequest) -> String {
    let ConfirmationRequest { action, context, triggers, risky, timeout_seconds, .. } = request;
    let one_line = |text: &str| crate::report::visible::line(text).into_owned();
    let mut lines = vec![
        format!(
            "{} wants to use `{}`; risk {}, {}",
            one_line(context.agent.as_deref().unwrap_or("an agent")),
            one_line(&action.tool),
            action.risk_level.name(),
            if action.reversible { "it can be undone" } else { "it may be impossible to undo" },
        ),
        format!("  {}", action.impact),
    ];
    lines.extend(triggers.iter().map(|why| format!("  asked because {}", one_line(why))));
    if let Some(parameters) = action.parameters.as_object() {
        for (name, value) in parameters {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            lines.push(format!("  {}: {}", one_line(name), one_line(&text)));
        }
    }
    for one in risky {
        let message = one_line(&one.message);
        lines.push(format!(
            "  {}: `{}`: {message} (`{}`)",
            one.severity,
            one_line(&one.text),
            one.rule
        ));
    }
    lines.push(format!("  {}", action.hash));
    lines.push(format!("  no answer within {timeout_seconds} seconds is a no"));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use portcullis_core::{call::ToolCall, facts::Facts, gate::Gate};

    use super::*;

    /// Answers with a change, after a time.
    struct Scripted {
        change: fn(&mut Answer),
        hangs: Option<Arc<Mutex<()>>>,
    }

    impl Responder for Scripted {
        fn ask(&self, request: &ConfirmationRequest) -> Option<Answer> {
            if let Some(lock) = &self.hangs {
                drop(lock.lock());
            }
            let mut answer = Answer {
                request_id: request.request_id.clone(),
                nonce: request.nonce.clone(),
                action: request.action.hash.clone(),
                confirmed: true,
                responder: "ops".to_owned(),
            };
            (self.change)(&mut answer);
            Some(answer)
        }
    }

    struct Gone;

    impl Responder for Gone {
        fn ask(&self, _: &ConfirmationRequest) -> Option<Answer> {
            None
        }
    }

    struct Broken;

    impl Responder for Broken {
        fn ask(&self, _: &ConfirmationRequest) -> Option<Answer> {
            panic!("a responder of somebody else's");
        }
    }

    fn judged(command: &str) -> (Action, Judgement) {
        let call = ToolCall {
            agent: Some("claude".to_owned()),
            session: Some("s1".to_owned()),
            ..ToolCall::shell(command)
        };
        let action = Action::from_call(call).unwrap();
        let judgement = Gate::default().judge(&action, &Facts::default());
        (action, judgement)
    }

    fn settled(handler: &ConfirmationHandler, runs: &str) -> Settled {
        let (action, judgement) = judged("rm -rf /srv/data");
        let current = judged(runs).0.id();
        let why = [Trigger::Risk(portcullis_core::risk::Severity::High)];
        let current = || Some(current.clone());
        handler.confirm((&action, &judgement), &why, Some("dev"), &current).unwrap()
    }

    fn scripted(change: fn(&mut Answer)) -> ConfirmationHandler {
        ConfirmationHandler::new(Arc::new(Scripted { change, hangs: None }))
    }

    #[test]
    fn an_answer_holds_for_the_action_that_was_shown_alone() {
        let yes = scripted(|_| {});
        assert_eq!(settled(&yes, "rm -rf /srv/data"), Settled::Confirmed { by: "ops".to_owned() });
        let changed = settled(&yes, "rm -rf /srv");
        assert_eq!(changed, Settled::Refused(Refused::OtherAction), "it changed while it waited");
        let no = scripted(|answer| answer.confirmed = false);
        assert_eq!(settled(&no, "rm -rf /srv/data"), Settled::Declined { by: "ops".to_owned() });
        let own = scripted(|answer| answer.responder = "claude".to_owned());
        assert_eq!(settled(&own, "rm -rf /srv/data"), Settled::Refused(Refused::OwnRequest));
    }

    #[test]
    fn whoever_hangs_is_not_waited_for() {
        let lock = Arc::new(Mutex::new(()));
        let held = lock.lock().unwrap();
        let responder = Scripted { change: |_| {}, hangs: Some(Arc::clone(&lock)) };
        let handler = ConfirmationHandler::new(Arc::new(responder)).within(Duration::ZERO);
        assert_eq!(settled(&handler, "rm -rf /srv/data"), Settled::Refused(Refused::TimedOut));
        for _ in 0..3 * HANGING {
            assert!(!settled(&handler, "rm -rf /srv/data").is_confirmed());
        }
        assert!(Arc::strong_count(&handler.hanging) <= HANGING + 1, "nobody is asked without end");
        drop(held);
    }

    #[test]
    fn whoever_is_gone_or_breaks_says_no() {
        for handler in
            [ConfirmationHandler::new(Arc::new(Gone)), ConfirmationHandler::new(Arc::new(Broken))]
        {
            assert_eq!(settled(&handler, "rm -rf /srv/data"), Settled::Refused(Refused::Closed));
        }
    }

    #[test]
    fn what_is_recorded_names_who_answered_and_nobody_where_nobody_did() {
        let yes = recorded(&Settled::Confirmed { by: "ops".to_owned() }, Some(3), TIMEOUT);
        assert_eq!(
            (yes.approver.as_deref(), yes.outcome.as_deref()),
            (Some("ops"), Some("approved"))
        );
        let none = recorded(&Settled::Refused(Refused::TimedOut), Some(3), TIMEOUT);
        assert_eq!(none.approver, None);
        assert_eq!(none.outcome.as_deref(), Some("refused: nobody answered in time"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_person_at_a_terminal_sees_what_is_dangerous_and_answers_for_themselves() {
        use crate::person::desk::{Typed, pair_of};

        for (typed, confirmed) in [(Typed::Word, true), (Typed::Else("y"), false)] {
            let (settled, screen) = pair_of(typed, |person| {
                let handler = ConfirmationHandler::new(Arc::new(AtTerminal::new(person)))
                    .approved_by(Approvers::UserToo);
                settled(&handler, "rm -rf /srv/data")
            });
            assert_eq!(settled.is_confirmed(), confirmed, "{settled:?}");
            assert!(screen.contains("claude wants to use `bash`; risk high"), "{screen}");
            assert!(screen.contains("rm -rf /srv/data") && screen.contains("sha256:"), "{screen}");
        }
    }

    #[test]
    fn nothing_in_a_question_can_look_like_another_line() {
        let (action, judgement) = judged("rm -rf /srv/data\n\u{1b}[2K  risk safe\u{202e}");
        let asking =
            Asking { request_id: [0; 16], nonce: [0; 16], user_id: Some("dev"), timeout: TIMEOUT };
        let request = ConfirmationRequest::new(&action, &judgement, &[], &asking);
        let text = question(&request);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("risk safe")), "{text}");
    }
}
