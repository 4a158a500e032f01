//! Where the record ends, noted in a git repository elsewhere, and the record held against every note.

use std::{fs, process::Command};

use crate::{Ended, Place};

/// A record of so many calls, and a repository that others keep.
fn recorded(calls: usize) -> (Place, String) {
    let place = Place::recorded();
    judge(&place, calls);
    let kept = place.home.path().join("kept.git");
    let made = Command::new("git").args(["init", "--quiet", "--bare"]).arg(&kept).status().unwrap();
    assert!(made.success());
    (place, kept.display().to_string())
}

fn judge(place: &Place, calls: usize) {
    let line = "{\"tool\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n";
    assert_eq!(place.fed(["check", "--jsonl"], line.repeat(calls).as_bytes()).code, 0);
}

fn run(place: &Place, line: &str) -> Ended {
    place.run(line.split(' '))
}

#[test]
fn notes_in_a_repository_tell_what_a_record_that_was_rewritten_leaves_out() {
    let (place, kept) = recorded(5);
    let note = || run(&place, &format!("audit heads --git {kept}"));
    let verify = || run(&place, &format!("audit verify --git {kept}"));
    let nothing = verify();
    assert_eq!(nothing.code, 65, "{}", nothing.page());
    assert!(nothing.page().contains("nothing is noted"), "{}", nothing.page());
    assert_eq!(note().out, "noted\n");
    assert_eq!(note().out, "nothing was recorded since the last note\n");
    judge(&place, 3);
    assert_eq!(note().out, "noted\n");
    assert_eq!(verify().code, 0, "{}", verify().page());
    // What was sealed and dropped is where it was said to be.
    assert_eq!(run(&place, "audit segment seal --records 4").code, 0);
    assert_eq!(run(&place, "audit segment drop 1").code, 0);
    assert_eq!(note().out, "noted\n");
    assert_eq!(verify().code, 0, "{}", verify().page());

    // The record is made anew, whole and fitting.
    let state = place.home.path().join(".local/state/portcullis");
    fs::rename(&state, place.home.path().join("before")).unwrap();
    judge(&place, 30);
    assert_eq!(run(&place, "audit verify").code, 0);
    let refused = note();
    assert_eq!(refused.code, 65, "{}", refused.page());
    assert!(refused.page().contains("is not the one that was noted"), "{}", refused.page());
    let found = verify();
    assert_eq!(found.code, 65);
    assert!(found.out.starts_with("changed: "), "{}", found.out);
    // A newer note that fits hides nothing: the older ones are read too.
    let other = format!("audit heads --git {kept} --branch other");
    assert_eq!(run(&place, &other).out, "noted\n");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-C", &kept, "-c", "user.name=e", "-c", "user.email=e@e"]).args(arguments);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let branch = "refs/heads/portcullis-heads";
    let behind = git(&["commit-tree", "-m", "x", "-p", branch, "other^{tree}"]);
    git(&["update-ref", branch, &behind]);
    let hidden = verify();
    assert_eq!(hidden.code, 65, "{}", hidden.page());
}

#[test]
fn a_repository_that_is_none_is_told_of() {
    let (place, _) = recorded(1);
    let gone = run(&place, "audit heads --git /nowhere.git");
    assert_eq!(gone.code, 70, "{}", gone.page());
    let program = run(&place, "audit heads --git ext::sh");
    assert_eq!(program.code, 64, "{}", program.page());
    assert_eq!(run(&place, "audit heads --branch x").code, 64);
}
