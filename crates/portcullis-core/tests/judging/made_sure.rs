//! Scripts that make sure before they act, that only rehearse, and tests that put something else in the place of what acts. Where that is certain nothing is
//! asked; where it only looks so, it is.
//!
//! The scripts stand in `made_sure/`, with `%%` between them.

use portcullis_core::decision::Verdict;

use crate::handed_on::verdict;

/// Judges each, and says what came out otherwise than it should.
fn judge_all(language: &str, scripts: &str, goes_on: bool, least: usize) {
    let all: Vec<&str> = scripts.trim_end().split("\n%%\n").collect();
    let is_wrong = |code: &&&str| (verdict(language, code) == Some(Verdict::Allow)) != goes_on;
    let wrong: Vec<&&str> = all.iter().filter(is_wrong).collect();
    assert!(all.len() >= least, "the scripts are read: {}", all.len());
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.iter().map(|code| **code).collect::<Vec<_>>().join("\n---\n")
    );
}

#[test]
fn python_that_makes_sure_goes_on() {
    judge_all("python", include_str!("made_sure/python_goes_on.txt"), true, 20);
}

#[test]
fn python_that_only_looks_as_if_it_did_is_asked_about() {
    judge_all("python", include_str!("made_sure/python_stopped.txt"), false, 30);
}

#[test]
fn javascript_that_makes_sure_goes_on() {
    judge_all("javascript", include_str!("made_sure/javascript_goes_on.txt"), true, 18);
}

#[test]
fn javascript_that_only_looks_as_if_it_did_is_asked_about() {
    judge_all("javascript", include_str!("made_sure/javascript_stopped.txt"), false, 25);
}

#[test]
fn ruby_perl_and_php_that_make_sure_go_on() {
    judge_all("ruby", include_str!("made_sure/ruby_goes_on.txt"), true, 20);
    judge_all("perl", include_str!("made_sure/perl_goes_on.txt"), true, 6);
    judge_all("php", include_str!("made_sure/php_goes_on.txt"), true, 9);
}

#[test]
fn ruby_perl_and_php_that_only_look_as_if_they_did_are_asked_about() {
    judge_all("ruby", include_str!("made_sure/ruby_stopped.txt"), false, 16);
    judge_all("perl", include_str!("made_sure/perl_stopped.txt"), false, 6);
    judge_all("php", include_str!("made_sure/php_stopped.txt"), false, 6);
}
