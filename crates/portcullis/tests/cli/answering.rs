//! What a person answers: only a person, only once, and never what is denied. That a person is asked, and how, is tested
//! where the terminal is at hand; here is what happens to those who are none, and what hooks make of an answer.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use jiff::{SignedDuration, Timestamp};
use portcullis::{
    approvals::Book,
    audit::{Entry, Kind},
    grants::{Grant, GrantId, Grants, Question, Scope, What},
    pause::{self, Clocks, Pause},
    session::{Judged, Options, Session},
};
use portcullis_core::{call::ToolCall, policy::Context, risk::Risk};
use serde_json::{Value, json};

use crate::{
    Ended, Place,
    seat::{Seat, can_sit},
};

/// What Codex, which asks nobody, sends before it runs a command.
fn payload(place: &Place, command: &str) -> Vec<u8> {
    let payload = json!({
        "hook_event_name": "PreToolUse",
        "turn_id": "t-1",
        "session_id": "s-1",
        "cwd": place.home.path().join("project"),
        "tool_name": "Bash",
        "tool_input": { "command": command },
    });
    serde_json::to_vec(&payload).unwrap()
}

fn hook(place: &Place, command: &str) -> Ended {
    place.hook("codex", &payload(place, command))
}

fn state(place: &Place) -> PathBuf {
    place.home.path().join(".local/state/portcullis")
}

fn decisions(place: &Place) -> Vec<Value> {
    let listed = place.run(["audit", "list", "--kind", "decision", "--json"]).json();
    listed.get("records").and_then(Value::as_array).unwrap().clone()
}

fn last(place: &Place) -> (String, String) {
    let decisions = decisions(place);
    let record = decisions.last().unwrap();
    let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap().to_owned();
    (text("decision"), text("layer"))
}

fn pair(decision: &str, layer: &str) -> (String, String) {
    (decision.to_owned(), layer.to_owned())
}

/// Runs a script in a copy of the shell that is called `name`, so that it is the parent of whatever the script runs.
fn in_a_shell_called(place: &Place, name: &str, script: &str) -> Output {
    let shell = place.home.path().join(name);
    // Not by this process: another test that starts a program just then would hold the copy open for writing.
    let copied = Command::new("cp").args([Path::new("/bin/sh"), &shell]).status().unwrap();
    assert!(copied.success());
    let program = env!("CARGO_BIN_EXE_portcullis");
    place
        .command_of(&shell)
        // With something after it, so that the shell does not make way for the last command.
        .args(["-c", &format!("{script}\nstatus=$?\nexit $status")])
        .env("portcullis", program)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn an_agent_cannot_answer_for_a_person() {
    let place = Place::recorded();
    hook(&place, "git push --force");
    for command in ["allow --last", "allow 1 --always", "pause", "pause --for 1h"] {
        let ended = in_a_shell_called(&place, "claude", &format!("\"$portcullis\" {command}"));
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{command}: {said}");
        assert!(
            said.contains("this runs inside Claude Code: it was started by process "),
            "{said}"
        );
        assert!(said.contains("\nhelp: open a terminal window of your own"), "{said}");
    }
    let marked =
        Place { home: place.home, environment: vec![("CODEX_THREAD_ID".into(), "1".into())] };
    let ended = marked.run(["allow", "--last"]);
    assert_eq!(ended.code, 2, "{}", ended.page());
    assert!(
        ended.err.contains("this runs inside Codex: the variable `CODEX_THREAD_ID` is set"),
        "{}",
        ended.err
    );
    assert!(!state(&marked).join("pause").exists());
    assert_eq!(marked.run(["allow", "list", "--json"]).json()["grants"], json!([]));
    // What waits can be looked at by anybody.
    let waiting = marked.run(["allow"]);
    assert_eq!(waiting.code, 0);
    assert!(waiting.out.contains("git push --force"), "{}", waiting.out);
}

#[test]
fn whoever_called_a_hook_cannot_answer_under_any_name() {
    let place = Place::recorded();
    fs::write(place.home.path().join("payload"), payload(&place, "git push --force")).unwrap();
    let script = "cd /\n\"$portcullis\" hook codex < \"$HOME/payload\" > /dev/null\n\"$portcullis\" allow --last";
    let ended = in_a_shell_called(&place, "thing", script);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(
        said.contains("inside an agent that asked the gate: it was started by process "),
        "{said}"
    );
    assert!(said.contains(", `thing`"), "{said}");
}

fn once(action: String) -> Grant {
    let now = Timestamp::now();
    Grant {
        id: GrantId::random().unwrap(),
        what: What::Exact { action, files: None },
        scope: Scope::Once,
        granted: now,
        expires: now.checked_add(SignedDuration::from_mins(15)).unwrap(),
        risk: Risk::High,
        preview: "git push --force".into(),
        by: "dev".into(),
        whose: None,
        record: 1,
    }
}

fn give(state: &Path, grant: &Grant) {
    let mut grants = Grants::open(state).unwrap().unwrap();
    grants.add(grant, Entry::new(Kind::Answer), Timestamp::now()).unwrap();
}

#[test]
fn a_grant_answers_the_hook_once() {
    let place = Place::recorded();
    let denied = hook(&place, "git push --force");
    assert!(denied.page().contains("portcullis allow --last"), "{}", denied.page());
    assert_eq!(last(&place), pair("deny", "person"));
    let action = decisions(&place)[0]["action"].as_str().unwrap().to_owned();
    give(&state(&place), &once(action));
    hook(&place, "git push --force origin");
    assert_eq!(last(&place), pair("deny", "person"));
    for verdict in ["allow", "deny"] {
        hook(&place, "git push --force");
        assert_eq!(last(&place), pair(verdict, "person"));
    }
    let allowed =
        decisions(&place).into_iter().find(|record| record["decision"] == "allow").unwrap();
    assert_eq!(allowed["reason"], "dev allowed exactly this call (once)");
    assert_eq!(place.run(["allow", "list"]).out, "nothing was granted\n");
}

/// Where the process of [`one_of_many_processes_has_a_grant`] finds the state directory.
const STATE: &str = "PORTCULLIS_TEST_STATE";

fn pushing() -> (Session, Judged) {
    let session = Session::open(Options { unrecorded: true, ..Options::default() });
    let call = ToolCall { cwd: Some("/".into()), ..ToolCall::shell("git push --force") };
    let judged = session.consider(call, Context::default()).unwrap();
    (session, judged)
}

#[test]
fn one_of_many_processes_has_a_grant() {
    let directory = tempfile::tempdir().unwrap();
    let (_, judged) = pushing();
    drop(Book::open(directory.path()).unwrap());
    give(directory.path(), &once(judged.action.id()));
    let children: Vec<_> = (0..16)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["answering::asks_for_a_grant", "--exact", "--nocapture"])
                .env(STATE, directory.path())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let said: Vec<String> = children
        .into_iter()
        .map(|child| String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap())
        .collect();
    let count = |word: &str| said.iter().filter(|said| said.contains(word)).count();
    assert_eq!((count("it is mine"), count("it is not mine")), (1, 15), "{said:?}");
}

#[test]
fn asks_for_a_grant() {
    let Some(state) = std::env::var_os(STATE) else { return };
    let (session, judged) = pushing();
    let question =
        Question { judged: &judged, policy: session.policy(), whose: None, now: Timestamp::now() };
    // One that comes too late for the store while it is busy has no grant either.
    let grants = Grants::open(state.as_ref()).ok().flatten();
    let granted = grants.and_then(|mut grants| grants.answer(&question));
    let mut out = std::io::stdout().lock();
    writeln!(out, "it is {}mine", if granted.is_some() { "" } else { "not " }).unwrap();
}

#[test]
fn a_pause_lets_through_what_asks_and_nothing_that_is_denied() {
    let place = Place::recorded();
    let begun = Pause::new("dev", SignedDuration::from_mins(10), Clocks::read());
    hook(&place, "ls");
    pause::begin(&state(&place), &begun).unwrap();
    hook(&place, "git push --force");
    assert_eq!(last(&place), pair("allow", "person"));
    let reason = decisions(&place).pop().unwrap()["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("paused by dev until 2"), "{reason}");
    for command in ["rm -rf /", "portcullis allow --last"] {
        hook(&place, command);
        assert_eq!(last(&place), pair("deny", "floor"), "{command}");
    }
    assert_eq!(place.run(["resume"]).out, "the pause is over\n");
    assert_eq!(place.run(["pause", "--end"]).out, "nothing was paused\n");
    hook(&place, "git push --force");
    assert_eq!(last(&place), pair("deny", "person"));
    let changes = place.run(["audit", "list", "--kind", "change"]).out;
    assert!(changes.contains("resumed") && changes.lines().count() == 1, "{changes}");
    assert_eq!(place.run(["audit", "verify"]).code, 0);
}

#[test]
fn mistakes_are_named_before_anybody_is_asked() {
    let place = Place::recorded();
    for (code, arguments) in [
        (64, &["allow", "one"][..]),
        (64, &["allow", "--session"]),
        (64, &["allow", "1", "--for", "soon"]),
        (64, &["allow", "1", "--for", "0m"]),
        (64, &["allow", "1", "--session", "--always"]),
        (64, &["allow", "--pattern", "42"]),
        (64, &["allow", "revoke"]),
        (64, &["pause", "--for", "2h"]),
        (64, &["pause", "--for", "x"]),
        (65, &["allow"]),
        (65, &["allow", "revoke", "abcd"]),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}\n{}", ended.page());
        assert!(ended.err.starts_with("error: "), "{arguments:?}\n{}", ended.page());
    }
    for (arguments, said) in [
        (&["allow", "list"][..], "nothing was granted\n"),
        (&["allow", "revoke", "--all"], "there was nothing to take back\n"),
        (&["resume"], "nothing was paused\n"),
    ] {
        assert_eq!(place.run(arguments).out, said, "{arguments:?}");
    }
    assert_eq!(place.run(["allow", "list", "--json"]).json()["grants"], json!([]));
}

/// Whoever tries a command by hand first, and then lets it through, has let through what they try next.
#[test]
fn what_was_checked_is_allowed_and_then_checked_again() {
    if !can_sit() {
        return;
    }
    let place = Place::recorded();
    fs::create_dir_all(place.home.path().join("project/.git")).unwrap();
    // The second check names its directory, the first one stands in it.
    let script = "cd \"$HOME/project\"; check() { \"$portcullis\" check \"$@\" >> \"$HOME/said\"; echo $? >> \"$HOME/codes\"; }\n\
                  check 'npm publish'\n\"$portcullis\" allow --last\necho \"allowed: $?\"\n\
                  cd /; check --cwd \"$HOME/project\" 'npm publish'\ncheck --cwd \"$HOME/project\" 'npm publish'";
    let mut seat = Seat::script(&place, script, (100, 40));
    let asked = seat.says("to agree");
    let word = asked.rsplit('`').nth(1).unwrap().to_owned();
    seat.types(&format!("{word}\n"));
    let (screen, _) = seat.ends();
    assert!(screen.contains("allowed: 0"), "{screen}");
    let read = |name: &str| fs::read_to_string(place.home.path().join(name)).unwrap();
    // Asked, let through once, asked again.
    assert_eq!(read("codes"), "3\n0\n3\n", "{}\n{screen}", read("said"));
}
