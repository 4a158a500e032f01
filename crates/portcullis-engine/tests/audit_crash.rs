//! Writers that are killed at any moment: whatever they had been told was recorded is there, and the chain verifies.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may fail by panicking, and the writers speak to the test that started them"
)]

use std::{
    env,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, ChildStderr, Command, Stdio},
};

use portcullis_engine::audit::{Entry, Filter, Kind, Log};

/// Names the state directory to the writers, which are this same program.
const VARIABLE: &str = "PORTCULLIS_TEST_WRITER";

/// How many rounds, each with two writers that are killed.
const ROUNDS: u64 = 25;

/// What a writer says after each record that it was told is durable.
const RECORDED: &str = "recorded ";

#[test]
fn appends_until_it_is_killed() {
    let Some(directory) = env::var_os(VARIABLE) else { return };
    loop {
        // Opened anew each time, so that being killed while opening and closing is met too.
        let mut log = Log::open(Path::new(&directory)).unwrap();
        let entry = Entry { preview: Some("x".repeat(600)), ..Entry::new(Kind::Decision) };
        let appended = log.append(&entry).unwrap();
        eprintln!("{RECORDED}{}", appended.anchor.sequence);
    }
}

#[test]
fn a_killed_writer_leaves_every_record_it_announced_and_a_chain_that_verifies() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let mut announced = 0;
    for round in 0..ROUNDS {
        let (mut first, said) = writer(&state);
        let (mut second, _) = writer(&state);
        // Nothing decides when exactly the signal arrives; how much was written before differs from round to round.
        for line in BufReader::new(said).lines().take(usize::try_from(round % 7).unwrap() + 4) {
            let line = line.unwrap();
            if let Some(number) = line.trim().strip_prefix(RECORDED) {
                announced = number.parse::<u64>().unwrap().max(announced);
            }
        }
        first.kill().unwrap();
        second.kill().unwrap();
        first.wait().unwrap();
        second.wait().unwrap();

        let verification = Log::read(&state).unwrap().verify(&[]).unwrap();
        assert!(verification.is_intact(), "round {round}: {verification:?}");
        assert!(
            verification.records >= announced,
            "round {round}: {announced} announced, {verification:?}"
        );
    }
    let mut log = Log::open(&state).unwrap();
    assert!(log.append(&Entry::new(Kind::Decision)).unwrap().known_holds);
    let records = log.list(&Filter::default()).unwrap();
    assert!(announced > ROUNDS, "the writers hardly wrote: {announced}");
    assert!(records.iter().zip(1..).all(|(record, sequence)| record.sequence == sequence));
}

fn writer(state: &Path) -> (Child, ChildStderr) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "appends_until_it_is_killed", "--nocapture", "--quiet"])
        .env(VARIABLE, state)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let said = child.stderr.take().unwrap();
    (child, said)
}
