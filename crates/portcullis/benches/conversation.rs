//! What keeping a conversation costs: appending an event beside a bare write and fsync of the same bytes, opening a long log, and the memory that it
//! takes. `cargo xtask bench-conversation` runs this; it asserts nothing.

use std::{
    error::Error,
    fs::{self, File},
    hint::black_box,
    io::Write as _,
    time::{Duration, Instant},
};

use portcullis::conversation::{
    EventLog,
    events::{By, Event, Outcome, Proposed, Started},
    path_of, timeline,
};
use portcullis_core::decision::Verdict;
use serde_json::{Map, json};

/// How long the conversations are, in events.
const COUNTS: [usize; 3] = [1_000, 10_000, 20_000];

/// How often each is opened.
const OPENED: usize = 21;

/// Events as a long conversation has them: a call, what runs, what came of it.
fn events(count: usize) -> Vec<Event> {
    let mut events = vec![Event::Started(Started::new("x")), Event::Resumed {}];
    let command = json!("cargo test --workspace --locked");
    let arguments = Map::from_iter([("command".to_owned(), command)]);
    let mut action = 0;
    while events.len() < count {
        let hash = format!("sha256:{action:064}");
        let proposed = Proposed {
            call: format!("call_{action}"),
            arguments: arguments.clone(),
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

/// The one in the middle.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Resident memory in kB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    words.and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn main() -> Result<(), Box<dyn Error>> {
    // On a disk: what is kept in memory is synced in no time.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| events | log, MB | append µs | bare write and fsync µs | ratio | opening ms | memory of it, kB | as a timeline ms |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    for count in COUNTS {
        let path = path_of(home.path(), &format!("{count:016}"))?;
        let mut log = EventLog::create(&path)?;
        let mut bare = File::create(home.path().join("bare"))?;
        let (mut ours, mut theirs, mut before) = (Vec::new(), Vec::new(), 0);
        for event in events(count) {
            let begun = Instant::now();
            log.append(event)?;
            ours.push(begun.elapsed());
            // The same bytes, once more, in turns.
            let length = fs::metadata(&path)?.len();
            let bytes = vec![b'x'; usize::try_from(length - before)?];
            before = length;
            let begun = Instant::now();
            bare.write_all(&bytes)?;
            bare.sync_data()?;
            theirs.push(begun.elapsed());
        }
        drop(log);
        let (ours, theirs) = (median(ours), median(theirs));
        let held = resident();
        let (log, events, _) = EventLog::open(&path)?;
        let held = resident().saturating_sub(held);
        drop(log);
        let begun = Instant::now();
        black_box(timeline(&events));
        let shown = begun.elapsed();
        drop(events);
        let mut opened = Vec::new();
        for _ in 0..OPENED {
            let begun = Instant::now();
            let opens = EventLog::open(&path)?;
            opened.push(begun.elapsed());
            drop(opens);
        }
        writeln!(
            out,
            "| {count} | {:.1} | {:.0} | {:.0} | {:.2} | {:.1} | {held} | {:.1} |",
            before as f64 / 1e6,
            ours.as_secs_f64() * 1e6,
            theirs.as_secs_f64() * 1e6,
            ours.as_secs_f64() / theirs.as_secs_f64(),
            median(opened).as_secs_f64() * 1e3,
            shown.as_secs_f64() * 1e3,
        )?;
    }
    Ok(())
}
