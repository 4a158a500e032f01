//! The record from the command line: written before the answer, shown, checked, and missed when it cannot be written.

use std::fs;

use crate::Place;

#[test]
fn what_is_judged_is_recorded_and_can_be_shown() {
    let place = Place::recorded();
    assert_eq!(place.run(["check", "git push --force"]).code, 3);
    assert_eq!(place.run(["check", "ls"]).code, 0);
    assert_eq!(place.run(["check", "--no-record", "ls -la"]).code, 0);
    assert_eq!(place.run(["explain", "ls -la"]).code, 0);
    let listed = place.run(["audit", "list", "--json"]).json();
    let records = listed["records"].as_array().unwrap();
    let brief: Vec<_> =
        records.iter().map(|record| (&record["preview"], &record["decision"])).collect();
    assert_eq!(
        brief,
        [(&"git push --force".into(), &"ask".into()), (&"ls".into(), &"allow".into())]
    );
    let text = place.run(["audit", "list"]).out;
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(place.run(["audit", "show", "1"]).out.contains("git.push.force"));
    assert_eq!(place.run(["audit", "show", "1", "--json"]).json()["sequence"], 1);
    assert_eq!(place.run(["audit", "show", "7"]).code, 65);
    assert_eq!(
        place.run(["audit", "list", "--decision", "ask", "--json"]).json()["records"][0]["sequence"],
        1
    );
    assert!(place.run(["audit", "report"]).out.contains("Total decisions: 2"));
    assert_eq!(place.run(["audit", "export"]).out.lines().count(), 2);
    assert_eq!(place.run(["audit", "export", "--format", "csv"]).out.lines().count(), 3);
    let verified = place.run(["audit", "verify"]);
    assert_eq!(verified.code, 0, "{}", verified.page());
    assert!(verified.out.starts_with("intact: 2 records"), "{}", verified.out);
}

#[test]
fn the_record_is_off_where_the_environment_says_so() {
    let place = Place::new();
    assert_eq!(place.run(["check", "ls"]).code, 0);
    let ended = place.run(["audit", "list"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.err.contains("there is no record"), "{}", ended.err);
}

#[test]
fn filters_that_are_none_are_named() {
    let place = Place::new();
    for arguments in [
        ["audit", "list", "--since", "yesterday"],
        ["audit", "list", "--risk", "huge"],
        ["audit", "list", "--decision", "maybe"],
        ["audit", "list", "--kind", "thing"],
        ["audit", "list", "--limit", "many"],
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, 64, "{arguments:?}: {}", ended.page());
        assert!(ended.err.contains(arguments[3]), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn what_cannot_be_recorded_is_denied() {
    let unwritable = Place::recorded();
    let state = unwritable.home.path().join("state");
    fs::write(&state, "a file where a directory should be").unwrap();
    let unwritable = unwritable.with("PORTCULLIS_STATE_DIR", state.to_str().unwrap());

    let damaged = Place::recorded();
    assert_eq!(damaged.run(["check", "ls"]).code, 0);
    let state = damaged.home.path().join(".local/state/portcullis");
    for file in fs::read_dir(&state).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_string_lossy().starts_with("audit.db") {
            fs::write(file.path(), "not a database, and never was one ".repeat(200)).unwrap();
        }
    }
    for place in [unwritable, damaged] {
        let ended = place.run(["check", "--json", "ls"]);
        assert_eq!(ended.code, 2, "{}", ended.page());
        let answer = ended.json();
        assert_eq!((&answer["decision"], &answer["layer"]), (&"deny".into(), &"floor".into()));
        let reason = answer["reasons"][0].as_str().unwrap();
        assert!(reason.starts_with("nothing goes on unrecorded: "), "{reason}");
        assert!(
            ended.err.starts_with("error: ") && ended.err.contains("\nhelp: "),
            "{}",
            ended.err
        );
        let line = br#"{"tool":"bash","arguments":{"command":"ls"}}"#;
        let ended = place.fed(["check", "--jsonl"], line);
        assert_eq!(ended.code, 0, "{}", ended.page());
        assert_eq!(ended.json()["decision"], "deny");
    }
}

#[test]
fn a_changed_record_is_noticed() {
    let place = Place::recorded();
    assert_eq!(place.run(["check", "ls"]).code, 0);
    assert_eq!(place.run(["check", "git status"]).code, 0);
    let state = place.home.path().join(".local/state/portcullis");
    let head = fs::read_dir(&state)
        .unwrap()
        .map(|file| file.unwrap())
        .find(|file| file.file_name().to_string_lossy().contains("head"))
        .unwrap();
    fs::remove_file(head.path()).unwrap();
    let ended = place.run(["audit", "verify"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.out.contains("the file `head` was removed"), "{}", ended.out);
    assert_eq!(place.run(["audit", "verify", "--json"]).json()["intact"], false);
}

#[test]
fn the_status_line_tells_the_last_risk_and_the_questions_of_the_day() {
    let place = Place::recorded();
    let line = |input: &str| place.fed(["statusline"], input.as_bytes()).out;
    assert_eq!(line(""), "portcullis: no call was judged yet\n");
    let call = r#"{"tool":"bash","arguments":{"command":"git push --force"},"session":"s"}"#;
    assert_eq!(place.fed(["check", "--jsonl"], call.as_bytes()).code, 0);
    assert_eq!(place.run(["check", "ls"]).code, 0);
    assert_eq!(
        line(r#"{"session_id":"s","model":{}}"#),
        "portcullis: last call high, asked · today 1 asked, 0 denied\n"
    );
    assert_eq!(line("{"), "portcullis: last call safe · today 1 asked, 0 denied\n");
    assert_eq!(
        line(r#"{"session_id":"other"}"#),
        "portcullis: no call in this session · today 1 asked, 0 denied\n"
    );
}

/// Cut for real: the system writes only so many bytes of any file. Whatever the first process left, the next one goes on from.
#[test]
#[cfg(target_os = "linux")]
fn a_record_whose_first_bytes_were_cut_off_is_begun_again() {
    let can = std::process::Command::new("prlimit").args(["--fsize=1000000", "true"]).status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("not tried: this takes `prlimit`");
        return;
    }
    // The line of `head` has 105 bytes; beyond it the database is cut.
    for bytes in (0..=106).chain([4_096, 12_288]) {
        let place = Place::recorded();
        let mut cut = place.command_of("prlimit");
        cut.arg(format!("--fsize={bytes}")).arg(env!("CARGO_BIN_EXE_portcullis"));
        cut.args(["check", "ls"]).output().unwrap();
        assert_eq!(place.run(["check", "ls"]).code, 0, "{bytes}");
        let verified = place.run(["audit", "verify"]);
        assert_eq!(verified.code, 0, "{bytes}: {}", verified.page());
        assert!(verified.out.starts_with("intact: "), "{bytes}: {}", verified.page());
    }
}

/// What is said of records that `head` does not vouch for is true whatever the reason.
#[test]
fn a_damaged_head_is_not_called_an_interruption() {
    let place = Place::recorded();
    for _ in 0..3 {
        place.run(["check", "ls"]);
    }
    let head = place.home.path().join(".local/state/portcullis/head");
    let third = fs::read(&head).unwrap();
    place.run(["check", "ls"]);
    for damage in ["", "x", "portcullis-head/v1"] {
        fs::write(&head, damage).unwrap();
        let ended = place.run(["audit", "verify"]);
        assert_eq!(ended.code, 65, "{}", ended.page());
        assert!(ended.out.starts_with("changed: the file `head` was changed"), "{}", ended.page());
        assert!(ended.out.contains("`head` vouches for none of them"), "{}", ended.page());
        assert!(!ended.out.contains("interrupted"), "{}", ended.page());
    }
    fs::write(&head, third).unwrap();
    let ended = place.run(["audit", "verify"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert!(ended.out.contains("`head` does not know the last 1 yet"), "{}", ended.page());
}
