//! What keeping a conversation costs: `cargo test --release -p portcullis --test conversation -- --ignored --nocapture measure`.

use std::{
    fs::File,
    io::Write as _,
    time::{Duration, Instant},
};

use portcullis::conversation::{
    EventLog,
    events::{By, Event, Outcome, Proposed, Started},
    path_of, read,
};
use portcullis_core::decision::Verdict;
use serde_json::json;

/// Events as a long conversation has them: a call, what runs, what came of it.
fn events(count: usize) -> Vec<Event> {
    let mut events = vec![Event::Started(Started::new("x")), Event::Resumed {}];
    let mut action = 0;
    while events.len() < count {
        let hash = format!("sha256:{action:064}");
        let proposed = Proposed {
            call: format!("call_{action}"),
            arguments: json!({"command": "cargo test --workspace --locked"})
                .as_object()
                .unwrap()
                .clone(),
            summary: Some("runs the tests".to_owned()),
            hash: hash.clone(),
            verdict: Verdict::Allow,
            ..Proposed::new(action, "bash")
        };
        let text = String::new();
        events.push(Event::Batch { text, actions: vec![proposed], tokens: 100 });
        events.push(Event::Intent { action, hash });
        let text = "running 12 tests\n............\ntest result: ok. 12 passed\n".repeat(4);
        events.push(Event::Observation { action, outcome: Outcome::Done, text });
        if action % 10 == 9 {
            events.push(Event::Message { by: By::User, text: "go on, please".to_owned() });
        }
        action += 1;
    }
    events.truncate(count);
    events
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Resident memory in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[ignore = "it measures"]
fn opening_and_appending() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for count in [1_000, 10_000] {
        let id = format!("{count:016}");
        let path = path_of(home.path(), &id).unwrap();
        let mut log = EventLog::create(&path).unwrap();
        let mut bare = File::create(home.path().join("bare")).unwrap();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut before = 0;
        for event in events(count) {
            let begun = Instant::now();
            log.append(event).unwrap();
            ours.push(begun.elapsed());
            // The same bytes, once more.
            let length = std::fs::metadata(&path).unwrap().len();
            let bytes = vec![b'x'; usize::try_from(length - before).unwrap()];
            before = length;
            let begun = Instant::now();
            bare.write_all(&bytes).unwrap();
            bare.sync_data().unwrap();
            theirs.push(begun.elapsed());
        }
        drop(log);
        let (ours, theirs) = (median(ours), median(theirs));
        let held = resident();
        let opened: Vec<Duration> = (0..11)
            .map(|_| {
                let begun = Instant::now();
                let (events, _) = read(&path).unwrap();
                assert_eq!(events.len(), count);
                begun.elapsed()
            })
            .collect();
        let (events, _) = read(&path).unwrap();
        let held = resident().saturating_sub(held);
        println!(
            "{count} events, {before} bytes: opened in {:?} (median of 11), {held} kB; append {ours:?}, bare write and fsync {theirs:?}, ratio {:.2}",
            median(opened),
            ours.as_secs_f64() / theirs.as_secs_f64(),
        );
        drop(events);
    }
}
