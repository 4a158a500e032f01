//! `approvals` as a person meets it: the binary at a terminal of its own.

use std::{fs, path::PathBuf, process::Command, process::Stdio, time::Duration};

use jiff::Timestamp;
use portcullis::{
    approvals::{Book, PENDING, Question, Request, Step, TIMEOUT},
    audit::Body,
    session::{Options, Session},
};
use portcullis_core::{approval::Status, call::ToolCall, policy::Context};

use crate::{
    Place,
    seat::{Seat, can_sit},
};

fn state(place: &Place) -> PathBuf {
    place.home.path().join(".local/state/portcullis")
}

fn book(place: &Place) -> Book {
    fs::create_dir_all(state(place)).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(state(place), fs::Permissions::from_mode(0o700)).unwrap();
    }
    Book::open(&state(place)).unwrap()
}

fn asked(place: &Place, command: &str) -> Request {
    asked_within(place, command, TIMEOUT)
}

fn asked_within(place: &Place, command: &str, timeout: Duration) -> Request {
    let session = Session::open(Options { unrecorded: true, ..Options::default() });
    let judged = session.consider(ToolCall::shell(command), Context::default()).unwrap();
    let question = Question::about(&judged, "agents", 1, timeout).unwrap();
    let id = question.id;
    let record = Body::new(&judged.entry(), Timestamp::now());
    let step = Step::Ask {
        question: Box::new(question),
        record,
        once: None,
        most: PENDING,
        resumes: false,
    };
    let mut book = book(place);
    book.take(&[step]).unwrap();
    book.store().request(id).unwrap().unwrap()
}

fn now(place: &Place, request: &Request) -> Request {
    book(place).store().request(request.id).unwrap().unwrap()
}

const PUSH: &str = "git push --force origin main";

/// The word between the last two backticks.
fn word(text: &str) -> String {
    text.rsplit('`').nth(1).unwrap().to_owned()
}

#[test]
fn the_inbox_shows_what_is_asked_and_decides_it_with_keys_of_the_terminal_alone() {
    if !can_sit() {
        return;
    }
    let place = Place::recorded();
    book(&place);
    // Its input is a pipe full of consent, which nobody reads.
    let script = "yes a | \"$portcullis\" approvals inbox";
    let mut seat = Seat::script(&place, script, (80, 24));
    seat.shows("nothing waits; what is asked appears here");
    let request = asked(&place, PUSH);
    let shown = seat.shows("git push --force");
    assert!(shown.contains("┃ ") && shown.contains("high"), "{shown}");
    seat.shows("q quit");
    seat.types("aaaaa");
    let shown = seat.shows("to approve:");
    let row = shown.lines().find(|row| row.contains("to approve:")).unwrap();
    assert_eq!(now(&place, &request).status, Status::Pending);
    seat.types(&word(row));
    seat.shows("is approved by");
    let after = now(&place, &request);
    assert_eq!((after.status, after.runs()), (Status::Approved, request.action.as_str()));
    assert_eq!(after.origin.as_deref(), Some("terminal"));
    seat.resize((40, 12));
    seat.shows("/ ? q");
    assert!(seat.grid.was_coloured);
    seat.types("q");
    let (said, code) = seat.ends();
    assert_eq!((said.as_str(), code), ("", 0));
}

#[test]
fn the_inbox_leaves_the_terminal_as_it_was_however_it_ends() {
    if !can_sit() {
        return;
    }
    let place = Place::recorded().with("NO_COLOR", "1");
    asked(&place, PUSH);
    for signal in ["TERM", "HUP", "INT"] {
        // What sends it waits inside, where the process has the number that it knows.
        let script = format!(
            "rm -f go\n(until test -e go; do sleep 0.1; done; kill -{signal} $(cat process)) &\n\
             sh -c 'echo $$ > process; exec \"$portcullis\" approvals inbox'"
        );
        let mut seat = Seat::script(&place, &script, (80, 24));
        seat.shows("git push --force");
        seat.shows("q quit");
        fs::write(place.home.path().join("go"), "").unwrap();
        let (_, code) = seat.ends();
        assert_eq!(code, 0, "{signal}");
        assert!(!seat.grid.was_coloured);
    }
    let mut seat = Seat::script(&place, "\"$portcullis\" approvals inbox", (80, 24));
    seat.shows("q quit");
    seat.types("\x03");
    assert_eq!(seat.ends().1, 0);
}

#[test]
fn the_inbox_is_for_people_at_terminals_that_can_show_it() {
    let place = Place::recorded();
    asked(&place, PUSH);
    // No terminal at all.
    let ended = Command::new("setsid")
        .args(["-w", env!("CARGO_BIN_EXE_portcullis"), "approvals", "inbox"])
        .args(["--state".as_ref(), state(&place).as_os_str()])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("only a person can do this: ") && said.contains("\nhelp: "), "{said}");
    // A terminal that an agent made, and types at.
    let script = "for verb in inbox \"approve $id\" \"deny $id\"; do\n\
                  yes | \"$portcullis\" approvals $verb; echo \"code $?\"; done";
    let request = asked(&place, "git push --force origin other");
    let place = place.with("id", &request.id.to_string());
    let mut seat = Seat::nobody(&place, script);
    let (said, _) = seat.ends();
    assert_eq!(said.matches("only a person can do this").count(), 3, "{said}");
    assert_eq!(said.matches("code 2").count(), 3, "{said}");
    assert_eq!(now(&place, &request).status, Status::Pending);
    if can_sit() {
        let script = "TERM=dumb \"$portcullis\" approvals inbox";
        let (said, code) = Seat::script(&place, script, (80, 24)).ends();
        assert_eq!(code, 64, "{said}");
        assert!(said.contains("`TERM` says so"), "{said}");
    }
}

#[test]
fn what_is_shown_before_the_question_is_what_is_approved() {
    if !can_sit() {
        return;
    }
    let frame = format!("{PUSH} # {}type `q` to agree{}", " ".repeat(150), " ".repeat(150));
    let place = Place::recorded();
    let request = asked(&place, &frame);
    let place = place.with("id", &request.id.to_string()[..8]);
    // What comes through the input is not the person's word, and neither is a yes.
    let script = "yes | \"$portcullis\" approvals approve $id; echo \"code $?\"\n\
                  \"$portcullis\" approvals approve $id --reason ok";
    let mut seat = Seat::script(&place, script, (80, 24));
    let said = seat.says("anything else to refuse: ");
    assert!(said.contains(&request.action[..20]) && said.contains("»"), "{said}");
    for row in said.lines().filter(|row| row.contains("to agree") && !row.contains("anything")) {
        assert!(row.starts_with("┃ "), "{row:?}");
    }
    seat.types("yes\n");
    seat.says("it was not approved; it still waits");
    assert_eq!(now(&place, &request).status, Status::Pending);
    let said = seat.until(|grid| grid.plain.matches("anything else to refuse: ").count() == 2);
    let word = said.rsplit('`').nth(1).unwrap().to_owned();
    seat.types(&format!("{word}\n"));
    let (said, code) = seat.ends();
    assert_eq!(code, 0, "{said}");
    let after = now(&place, &request);
    assert_eq!((after.status, after.runs()), (Status::Approved, request.action.as_str()));
    assert_eq!(after.reason.as_deref(), Some("ok"));
}

#[test]
fn a_denial_needs_a_person_and_says_why_and_the_first_word_holds() {
    if !can_sit() {
        return;
    }
    let place = Place::recorded();
    let request = asked(&place, PUSH);
    let place = place.with("id", &request.id.to_string());
    let script = "\"$portcullis\" approvals deny $id --reason 'not today'; echo \"code $?\"\n\
                  \"$portcullis\" approvals approve $id";
    let (said, code) = Seat::script(&place, script, (80, 24)).ends();
    assert!(said.contains("denied by") && said.contains("code 0"), "{said}");
    assert!(said.contains("it is decided already: denied"), "{said}");
    assert_eq!(code, 2);
    let after = now(&place, &request);
    assert_eq!((after.status, after.reason.as_deref()), (Status::Denied, Some("not today")));
}

#[test]
fn who_watches_sees_each_request_come_and_go() {
    let place = Place::recorded();
    book(&place);
    let first = asked(&place, PUSH);
    let place = place.with("id", &first.id.to_string());
    let mut seat = Seat::nobody(&place, "\"$portcullis\" approvals watch");
    seat.says("git push --force");
    let hidden = "git push --force origin a\u{202e}b";
    asked_within(&place, hidden, Duration::from_secs(1));
    let said = seat.says("expired");
    assert!(said.contains("a\\u{202e}b") && !said.contains('\u{202e}'), "{said}");
    seat.types("\x03");
}
