//! The examples of the documentation, run: each of them asserts what it shows.
#![cfg(target_os = "linux")]
#![expect(
    clippy::duplicate_mod,
    reason = "each example has the scripted model as a module of its own"
)]

#[path = "../examples/confirmation_mode.rs"]
mod confirmation_mode;
#[path = "../examples/secure_agent.rs"]
mod secure_agent;
#[path = "../examples/security_analyzer.rs"]
mod security_analyzer;

#[test]
fn confirmation_mode_lets_nothing_run_before_its_answer() {
    confirmation_mode::main().unwrap();
}

#[test]
fn the_security_analyzer_says_who_is_asked() {
    security_analyzer::main().unwrap();
}

#[test]
fn the_framework_ends_for_a_reason() {
    secure_agent::main().unwrap();
}
