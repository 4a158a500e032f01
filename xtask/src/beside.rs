//! Our judgement beside the analyzers of OpenHands on the same commands, in one run. Owns the commands and the table; nothing of
//! theirs is part of the project, so the Python that has their package is named by whoever measures.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use portcullis_core::{action::Action, call::ToolCall, facts::Facts, gate::Gate, policy::Policy};
use serde_json::{Value, json};

use crate::{
    command::{self, Failed, root, say},
    dressing,
};

/// How many commands both are given.
const COMMANDS: usize = 10_000;

/// How many of them are judged before the clock runs.
const WARM: usize = 500;

/// Measures with this Python, in a process built for release.
pub(crate) fn run(python: &str) -> Result<(), Failed> {
    command::in_release(&["beside-in-process", python])
}

/// The measurement itself.
pub(crate) fn in_process(python: &str) -> Result<(), Failed> {
    let commands = dressing::commands(COMMANDS)?;
    let folder = root().join(format!("target/beside-{}", std::process::id()));
    let file = folder.join("commands.json");
    command::write(&file, &json!(commands).to_string())?;
    let theirs = theirs(python, &file);
    std::fs::remove_dir_all(&folder)
        .map_err(|source| Failed::File { path: folder.clone(), source })?;
    let mut inside = theirs?;
    let mut ours = ours(&commands);
    say(&format!("\n| {} commands | p50 µs | p99 µs |\n|---|---|---|\n", commands.len()));
    let row = |name: &str, times: &mut Vec<f64>, beside: Option<(f64, f64)>| {
        times.sort_by(f64::total_cmp);
        let rank = |percent: usize| {
            times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
        };
        let (middle, worst) = (rank(50), rank(99));
        say(&format!("| {name} | {middle:.1} | {worst:.1} |\n"));
        if let Some((theirs, their_worst)) = beside {
            let (times, worst) = (theirs / middle.max(1e-9), their_worst / worst.max(1e-9));
            say(&format!("| times as fast | {times:.1} | {worst:.1} |\n"));
        }
        (middle, worst)
    };
    let theirs =
        row("OpenHands: rails and patterns, the analyzers alone", &mut inside.theirs, None);
    row("Portcullis: the whole judgement, in Rust", &mut ours, Some(theirs));
    for (name, times) in [
        ("Portcullis in the same Python: `Gate.judge`, sessions of 50 calls", &mut inside.gate),
        ("Portcullis in the same Python, as an analyzer of OpenHands'", &mut inside.analyzer),
    ] {
        if !times.is_empty() {
            row(name, times, Some(theirs));
        }
    }
    Ok(())
}

/// The microseconds that each command took in their process.
struct Inside {
    theirs: Vec<f64>,
    /// Where our package is installed beside theirs.
    gate: Vec<f64>,
    analyzer: Vec<f64>,
}

/// The microseconds that each command took us: the action, the judgement and the decision.
fn ours(commands: &[String]) -> Vec<f64> {
    let gate = Gate::new(Policy::default());
    let facts = Facts {
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        workspace: Some("/workspace/project".to_owned()),
        ..Facts::default()
    };
    let judge = |command: &String| {
        let start = Instant::now();
        if let Ok(action) = Action::from_call(ToolCall::shell(command.as_str())) {
            std::hint::black_box(gate.judge(&action, &facts));
        }
        start.elapsed()
    };
    commands.iter().take(WARM).map(judge).for_each(drop);
    commands.iter().map(judge).map(|time: Duration| time.as_secs_f64() * 1e6).collect()
}

/// The microseconds that each took in the process of that Python.
fn theirs(python: &str, file: &Path) -> Result<Inside, Failed> {
    const HELP: &str = "make one with `python3 -m venv target/openhands` and `target/openhands/bin/pip install openhands-sdk`";
    let script = root().join("xtask/src/beside_openhands.py");
    let output = Command::new(python)
        .arg(script)
        .arg(file)
        .arg(WARM.to_string())
        .arg(root())
        .output()
        .map_err(|source| Failed::Start { program: python.to_owned(), source, help: HELP })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().take(5).collect::<Vec<_>>();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return Err(Failed::Broken(format!("{python}: {}\nhelp: {HELP}", last.join("\n"))));
    }
    let last = output.stdout.split(|byte| *byte == b'\n').rfind(|line| line.starts_with(b"{"));
    let told = last.and_then(|line| serde_json::from_slice::<Value>(line).ok());
    let times = |name: &str| -> Option<Vec<f64>> {
        told.as_ref()?.get(name)?.as_array()?.iter().map(Value::as_f64).collect()
    };
    let theirs = times("theirs").ok_or_else(|| Failed::Output(python.to_owned()))?;
    let ours = |name| times(name).unwrap_or_default();
    Ok(Inside { theirs, gate: ours("gate"), analyzer: ours("analyzer") })
}
