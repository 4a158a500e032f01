//! Loops: which repetition is one.

use super::{super::*, SECOND, kinds, shell, step, unlimited};

#[test]
fn a_loop_around_sub_executions_is_noticed_around_them() {
    let mut executions = Executions::default();
    let whole = executions.start(Limits::NONE, Duration::ZERO).unwrap();
    let deed = Deed::named("fetch", 1);
    for _ in 0..12 {
        let part = executions.start_within(whole, Limits::NONE, SECOND).unwrap();
        executions.begin(part, SECOND).unwrap();
        executions.finish(part, SECOND, &deed, End::Done, Some(3)).unwrap();
        executions.end(part);
    }
    let noticed = executions.notice(whole, Some(&deed)).unwrap();
    assert!(noticed.iter().any(|one| one.kind == AnomalyKind::ActionLoopDetected), "{noticed:?}");
}

#[test]
fn loops_of_any_period_are_found_and_ordinary_repetition_is_none() {
    // Letters are actions; each brings the same result whenever it comes.
    for (steps, next, expected) in [
        ("aaaaaaaaaa", "a", true),
        ("aaaaaaaaaa", "b", false),
        ("ababababab", "a", true),
        ("abcabcabcabc", "a", true),
        ("abcabcabca", "b", true),
        ("abcabcabca", "a", false),
        ("abcdefabcdefabcdef", "a", true),
        ("xx", "x", false),
        ("xxxx", "x", false),
        ("abab", "a", false),
        ("abcdefghij", "k", false),
    ] {
        let mut monitor = unlimited();
        for (at, letter) in steps.bytes().enumerate() {
            let deed = Deed::named("tool", u64::from(letter));
            step(&mut monitor, at as u64, &deed, End::Done, Some("same"));
        }
        let next = Deed::named("tool", u64::from(next.as_bytes()[0]));
        let noticed = kinds(&monitor, Some(&next)).contains(&AnomalyKind::ActionLoopDetected);
        assert_eq!(noticed, expected, "{steps}");
    }
}

#[test]
fn the_pattern_of_a_loop_names_the_tools_in_their_order() {
    let mut monitor = unlimited();
    for number in 0..12 {
        let tool = ["read", "edit", "test"][number % 3];
        step(&mut monitor, number as u64, &Deed::named(tool, 1), End::Done, None);
    }
    let noticed = monitor.notice(None);
    assert_eq!(noticed[0].pattern, ["read", "edit", "test"]);
    let json = serde_json::to_value(&noticed[0]).unwrap();
    assert_eq!(json["type"], "action_loop_detected");
    assert_eq!(json["severity"], "medium");
}

#[test]
fn reading_ten_different_files_is_no_loop() {
    let mut monitor = unlimited();
    for number in 0..20 {
        let deed = shell(&format!("cat src/part{number}.rs"));
        step(&mut monitor, number, &deed, End::Done, Some(&format!("text {number}")));
    }
    assert!(kinds(&monitor, Some(&shell("cat src/part20.rs"))).is_empty());
}

#[test]
fn a_call_whose_results_differ_is_no_loop() {
    let mut monitor = unlimited();
    let poll = shell("kubectl get pods");
    for number in 0..20 {
        step(&mut monitor, number, &poll, End::Done, Some(&format!("{number} of 20 ready")));
    }
    assert!(kinds(&monitor, Some(&poll)).is_empty());
}

#[test]
fn junk_in_the_arguments_and_noise_between_them_hides_no_loop() {
    let mut monitor = unlimited();
    for number in 0..12 {
        let junk = shell(&format!("curl -s https://example.com/status?n={number} # try {number}"));
        step(&mut monitor, number, &junk, End::Done, Some("503"));
        step(
            &mut monitor,
            number,
            &shell(&format!("echo noise{number} > /tmp/f{number}x")),
            End::Done,
            None,
        );
    }
    let next = shell("curl -s https://example.com/status?n=99");
    assert_eq!(kinds(&monitor, Some(&next)), [AnomalyKind::NearLoopDetected]);
    assert!(kinds(&monitor, Some(&shell("ls"))).is_empty());
}

#[test]
fn a_step_that_fails_again_and_again_is_a_loop_without_a_result() {
    let mut monitor = unlimited();
    for number in 0..10 {
        let deed = shell(&format!("make install PORT={number}"));
        step(&mut monitor, number, &deed, End::Failed, None);
    }
    let next = shell("make install PORT=77");
    assert!(kinds(&monitor, Some(&next)).contains(&AnomalyKind::NearLoopDetected));
}

#[test]
fn whoever_is_kept_from_the_next_round_of_a_loop_is_still_in_it() {
    for end in [End::Declined, End::Blocked] {
        let mut monitor = unlimited();
        let same = Deed::named("cat", 1);
        for at in 0..10 {
            step(&mut monitor, at, &same, End::Done, Some("still building"));
        }
        for at in 10..60 {
            let noticed = kinds(&monitor, Some(&same));
            assert!(noticed.contains(&AnomalyKind::ActionLoopDetected), "{end:?} {at} {noticed:?}");
            step(&mut monitor, at, &same, end, None);
        }
        // Another call that ran is a way out.
        step(&mut monitor, 60, &Deed::named("ls", 2), End::Done, Some("a"));
        for at in 61..64 {
            step(&mut monitor, at, &Deed::named("ls", at), End::Done, Some("a"));
        }
        let noticed = kinds(&monitor, Some(&same));
        assert!(!noticed.contains(&AnomalyKind::ActionLoopDetected), "{end:?} {noticed:?}");
    }
}

#[test]
fn declined_steps_do_not_push_nearly_equal_ones_out_of_sight() {
    let mut monitor = unlimited();
    for at in 0..10 {
        step(&mut monitor, at, &shell(&format!("cat log {at}")), End::Done, Some("x"));
        step(&mut monitor, at, &shell(&format!("echo {at} > n{at}")), End::Declined, None);
        step(&mut monitor, at, &shell(&format!("echo a{at}b")), End::Declined, None);
        step(&mut monitor, at, &shell(&format!("echo b{at}c")), End::Declined, None);
    }
    let noticed = kinds(&monitor, Some(&shell("cat log 11")));
    assert!(noticed.contains(&AnomalyKind::NearLoopDetected), "{noticed:?}");
}
