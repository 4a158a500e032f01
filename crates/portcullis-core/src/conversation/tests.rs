//! Random schedules: whatever happens in whatever order, nothing runs twice or unapproved, and the log alone says where it stands.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::decision::Verdict;

fn proposed(action: u64, verdict: Verdict) -> Proposed {
    let hash = if verdict == Verdict::Deny { String::new() } else { format!("sha256:{action}") };
    Proposed { verdict, hash, call: format!("c{action}"), ..Proposed::new(action, "bash") }
}

fn batch(actions: Vec<Proposed>) -> Event {
    Event::Batch { text: String::new(), actions, tokens: 1 }
}

fn begun() -> State {
    let mut state = State::default();
    state.apply(&Event::Started(Started::new("x"))).unwrap();
    state.apply(&Event::Resumed {}).unwrap();
    state
}

/// The world, and somebody who keeps a log and does what the state says. It may end at any moment.
struct Machine {
    log: Vec<Event>,
    state: State,
    /// How often each action really ran, with the hash that ran.
    ran: BTreeMap<u64, Vec<String>>,
    /// What a person agreed to.
    agreed: BTreeSet<(u64, String)>,
    /// What needed nobody.
    free: BTreeSet<(u64, String)>,
    edits: u64,
}

impl Machine {
    fn new() -> Self {
        let mut machine = Self {
            log: Vec::new(),
            state: State::default(),
            ran: BTreeMap::new(),
            agreed: BTreeSet::new(),
            free: BTreeSet::new(),
            edits: 0,
        };
        machine.put(Event::Started(Started::new("x")));
        machine
    }

    fn put(&mut self, event: Event) -> bool {
        let before = self.state.clone();
        let is_possible = self.state.apply(&event).is_ok();
        if is_possible {
            self.log.push(event);
        } else {
            assert_eq!(self.state, before, "what is refused changes nothing: {event:?}");
        }
        is_possible
    }

    fn reopen(&mut self) {
        let mut again = State::default();
        for event in &self.log {
            again.apply(event).unwrap();
        }
        assert_eq!(again, self.state, "the log alone says where it stands");
        self.state = again;
    }

    /// One step of whoever runs it; `dies` says before which of its moments it ends.
    fn step(&mut self, verdicts: &[u8], dies: u8) {
        match self.state.next() {
            Next::Nothing => {
                self.put(Event::Resumed {});
            }
            Next::Ask(_) => {}
            Next::Model => {
                let first = self.state.actions();
                let actions: Vec<Proposed> = (first..)
                    .zip(verdicts)
                    .map(|(at, verdict)| {
                        let verdict = match verdict % 4 {
                            0 => Verdict::Allow,
                            3 => Verdict::Deny,
                            _ => Verdict::Ask,
                        };
                        proposed(at, verdict)
                    })
                    .collect();
                for one in actions.iter().filter(|one| one.verdict == Verdict::Allow) {
                    self.free.insert((one.action, one.hash.clone()));
                }
                assert!(self.put(batch(actions)));
            }
            Next::Block(action) => {
                let (code, message) = ("policy".to_owned(), String::new());
                assert!(self.put(Event::Blocked { action, code, message, fatal: dies == 7 }));
            }
            Next::Cancel(action) => {
                assert!(self.put(Event::Cancelled { action, by: None, reason: String::new() }));
            }
            Next::Run { action } => {
                let hash = self.state.open(action).unwrap().proposed.hash.clone();
                if dies == 1 {
                    return self.reopen();
                }
                assert!(self.put(Event::Intent { action, hash: hash.clone() }));
                if dies == 2 {
                    return self.reopen();
                }
                self.ran.entry(action).or_default().push(hash);
                if dies == 3 {
                    return self.reopen();
                }
                let outcome = if dies == 4 { Outcome::Failed } else { Outcome::Done };
                assert!(self.put(Event::Observation { action, outcome, text: String::new() }));
            }
            Next::Orphan(action) => {
                let outcome = Outcome::MayHaveRun;
                assert!(self.put(Event::Observation { action, outcome, text: String::new() }));
            }
            Next::End(reason) => {
                assert!(self.put(Event::Ended { reason, message: String::new() }));
            }
        }
    }

    fn person(&mut self, what: u8, which: u64) {
        let open: Vec<Proposed> =
            self.state.unmatched_actions().map(|open| open.proposed.clone()).collect();
        let chosen = open.get(usize::try_from(which).unwrap() % open.len().max(1)).cloned();
        let by = "dev".to_owned();
        match (what % 8, chosen) {
            (0 | 1, Some(one)) => {
                let hash = one.hash.clone();
                if self.put(Event::Approved { action: one.action, hash: hash.clone(), by }) {
                    self.agreed.insert((one.action, hash));
                }
            }
            (2, Some(one)) => {
                let reason = "no".to_owned();
                self.put(Event::Cancelled { action: one.action, by: Some(by), reason });
            }
            (3, Some(one)) => {
                self.edits += 1;
                let hash = format!("sha256:edit{}", self.edits);
                let action = Proposed { hash, verdict: Verdict::Allow, ..one };
                self.put(Event::Edited { by, action });
            }
            // Another hash than the one that stands there.
            (4, Some(one)) => {
                let hash = format!("{}x", one.hash);
                assert!(!self.put(Event::Approved { action: one.action, hash, by }));
            }
            (5, _) => {
                self.put(Event::Paused { by });
            }
            (6, _) => {
                let before = self.state.status();
                self.put(Event::Message { by: By::User, text: "yes, do it".to_owned() });
                if before == Status::WaitingForConfirmation {
                    assert_eq!(self.state.status(), before, "a message answers nothing");
                }
            }
            _ => {
                self.put(Event::Resumed {});
            }
        }
    }

    fn check(&self) {
        for (action, hashes) in &self.ran {
            assert!(
                hashes.len() <= 1,
                "action {action} ran {} times\n{:#?}",
                hashes.len(),
                self.log
            );
            for hash in hashes {
                let what = (*action, hash.clone());
                let may = self.agreed.contains(&what) || self.free.contains(&what);
                assert!(may, "{what:?} ran and nobody agreed\n{:#?}", self.log);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_runs_twice_or_unapproved(
        turns in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 1..5), 0u8..8, 0u64..8), 1..80)
    ) {
        let mut machine = Machine::new();
        for (what, verdicts, dies, which) in turns {
            match what % 5 {
                0 | 1 => machine.person(what / 5, which),
                2 if dies == 0 => machine.reopen(),
                _ => machine.step(&verdicts, dies),
            }
            machine.check();
        }
        machine.reopen();
    }

    /// A log with one line left out, doubled or moved is refused, or still lets nothing run twice.
    #[test]
    fn a_log_that_was_changed_never_runs_an_action_twice(
        verdicts in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..4), 1..8),
        at in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        how in 0u8..2,
    ) {
        let mut machine = Machine::new();
        for verdicts in &verdicts {
            for _ in 0..12 {
                machine.step(verdicts, 0);
                machine.person(0, 0);
            }
        }
        let mut log = machine.log.clone();
        let one = log[at.index(log.len())].clone();
        if how == 0 {
            log.remove(at.index(log.len()));
        }
        log.insert(to.index(log.len()), one);
        let mut state = State::default();
        let mut begun = BTreeSet::new();
        for event in &log {
            if state.apply(event).is_ok() && let Event::Intent { action, .. } = event {
                prop_assert!(begun.insert(*action), "action {action} began twice");
            }
        }
    }
}

#[test]
fn the_actions_of_a_reply_are_one_batch() {
    let mut state = begun();
    state.apply(&batch(vec![proposed(0, Verdict::Allow), proposed(1, Verdict::Ask)])).unwrap();
    assert_eq!(state.next(), Next::Ask(vec![1]), "nothing of it runs before the answer");
    let intent = Event::Intent { action: 0, hash: "sha256:0".into() };
    assert!(state.apply(&intent).is_err());
    let no = Event::Cancelled { action: 1, by: Some("dev".into()), reason: "no".into() };
    state.apply(&no).unwrap();
    assert_eq!((state.status(), state.next()), (Status::Idle, Next::Nothing));
    state.apply(&Event::Resumed {}).unwrap();
    state.apply(&intent).unwrap();
    assert!(state.apply(&intent).is_err(), "it began already");
}

#[test]
fn a_lone_finish_or_think_never_asks() {
    for tool in ["finish", "think"] {
        let mut state = begun();
        let word = Proposed { tool: tool.into(), ..proposed(0, Verdict::Ask) };
        state.apply(&batch(vec![word.clone()])).unwrap();
        assert_eq!(state.next(), Next::Run { action: 0 }, "{tool}");
        let done = Event::Observation { action: 0, outcome: Outcome::Done, text: String::new() };
        state.apply(&done).unwrap();
        let ends = Next::End(EndReason::Finished);
        assert_eq!(state.next(), if tool == "finish" { ends } else { Next::Model });
        // Beside something else it is not alone.
        let mut state = begun();
        state.apply(&batch(vec![word, proposed(1, Verdict::Allow)])).unwrap();
        assert_eq!(state.next(), Next::Ask(vec![0]), "{tool}");
    }
}

#[test]
fn what_began_and_has_no_outcome_is_never_run_again() {
    let mut state = begun();
    state.apply(&batch(vec![proposed(0, Verdict::Allow), proposed(1, Verdict::Allow)])).unwrap();
    state.apply(&Event::Intent { action: 0, hash: "sha256:0".into() }).unwrap();
    assert_eq!(state.next(), Next::Orphan(0));
    let after = Event::Intent { action: 1, hash: "sha256:1".into() };
    assert!(state.apply(&after).is_err(), "nothing begins before it is settled");
    let cancel = Event::Cancelled { action: 0, by: None, reason: String::new() };
    assert!(state.apply(&cancel).is_err(), "it cannot be said not to have run");
    let lost = Event::Observation { action: 0, outcome: Outcome::MayHaveRun, text: String::new() };
    state.apply(&lost).unwrap();
    assert_eq!(state.next(), Next::Run { action: 1 });
}

#[test]
fn what_ends_it_all_stops_the_rest_of_its_batch_unasked() {
    let mut state = begun();
    let all = [Verdict::Allow, Verdict::Ask, Verdict::Deny];
    let all = (0..).zip(all).map(|(at, verdict)| proposed(at, verdict)).collect();
    state.apply(&batch(all)).unwrap();
    assert_eq!(state.next(), Next::Block(2));
    let (code, message) = ("tool_not_allowed".to_owned(), String::new());
    state.apply(&Event::Blocked { action: 2, code, message, fatal: true }).unwrap();
    for action in [0, 1] {
        assert_eq!(state.next(), Next::Cancel(action));
        state.apply(&Event::Cancelled { action, by: None, reason: String::new() }).unwrap();
    }
    assert_eq!(state.next(), Next::End(EndReason::Blocked));
}

#[test]
fn errors_in_a_row_end_it_and_a_person_starts_anew() {
    let mut state = begun();
    for _ in 0..MAX_ERRORS {
        assert_eq!(state.next(), Next::Model);
        state.apply(&Event::Error { message: "x".into() }).unwrap();
    }
    let reason = EndReason::TooManyErrors;
    assert_eq!(state.next(), Next::End(reason));
    state.apply(&Event::Ended { reason, message: "x".into() }).unwrap();
    assert_eq!((state.status(), state.ended()), (Status::Error, Some(reason)));
    assert!(state.apply(&Event::Resumed {}).is_err());
    state.apply(&Event::Message { by: By::User, text: "again".into() }).unwrap();
    state.apply(&Event::Resumed {}).unwrap();
    assert_eq!(state.next(), Next::Model);
}

#[test]
fn a_goal_is_fixed_by_its_hash() {
    let mut state = begun();
    assert_eq!(state.goal_hash(), goal_hash("x"));
    let other = |hash: String| Event::Goal { goal: "y".into(), hash, by: "dev".into() };
    assert!(state.apply(&other(goal_hash("z"))).is_err());
    state.apply(&other(goal_hash("y"))).unwrap();
    assert_eq!(state.goal(), "y");
}

/// What version 1 wrote is read for good.
#[test]
fn old_events_are_read() {
    let lines = [
        r#"{"kind":"started","goal":"x","hash":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}"#,
        r#"{"kind":"resumed"}"#,
        r#"{"kind":"batch","text":"","actions":[{"action":0,"call":"c0","tool":"bash","arguments":{"command":"ls"},"hash":"sha256:0","verdict":"ask","risk":"low","findings":[{"rule":"a.b","severity":"high","message":"m"}],"reasons":["r"],"policy":"p","record":7}]}"#,
        r#"{"kind":"message","by":"user","text":"hm"}"#,
        r#"{"kind":"approved","action":0,"hash":"sha256:0","by":"dev"}"#,
        r#"{"kind":"resumed"}"#,
        r#"{"kind":"intent","action":0,"hash":"sha256:0"}"#,
        r#"{"kind":"observation","action":0,"outcome":"done","text":"README.md"}"#,
        r#"{"kind":"changed","what":"mode","to":"plan","by":"dev"}"#,
        r#"{"kind":"repaired","bytes":12}"#,
        r#"{"kind":"used","tokens":12}"#,
        r#"{"kind":"error","message":"m"}"#,
        r#"{"kind":"ended","reason":"model_failed","message":"m"}"#,
    ];
    let mut state = State::default();
    for line in lines {
        let event: Event =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        state.apply(&event).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    assert_eq!((state.status(), state.tokens(), state.steps()), (Status::Error, 12, 2));
}
