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
    let mut theirs = theirs?;
    let mut ours = ours(&commands);
    say(&format!("\n| {} commands | p50 µs | p99 µs |\n|---|---|---|\n", commands.len()));
    let (mut at, mut lines) = (Vec::new(), String::new());
    for (name, times) in [
        ("OpenHands: rails and patterns, the analyzers alone", &mut theirs),
        ("Portcullis: the whole judgement", &mut ours),
    ] {
        times.sort_by(f64::total_cmp);
        let rank = |percent: usize| {
            times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
        };
        lines.push_str(&format!("| {name} | {:.1} | {:.1} |\n", rank(50), rank(99)));
        at.push((rank(50), rank(99)));
    }
    if let [theirs, ours] = at.as_slice() {
        lines.push_str(&format!(
            "| times as fast | {:.1} | {:.1} |\n",
            theirs.0 / ours.0.max(1e-9),
            theirs.1 / ours.1.max(1e-9)
        ));
    }
    say(&lines);
    Ok(())
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

/// The microseconds that each took them.
fn theirs(python: &str, file: &Path) -> Result<Vec<f64>, Failed> {
    const HELP: &str = "make one with `python3 -m venv target/openhands` and `target/openhands/bin/pip install openhands-sdk`";
    let script = root().join("xtask/src/beside_openhands.py");
    let output = Command::new(python)
        .arg(script)
        .arg(file)
        .arg(WARM.to_string())
        .output()
        .map_err(|source| Failed::Start { program: python.to_owned(), source, help: HELP })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().take(5).collect::<Vec<_>>();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return Err(Failed::Broken(format!("{python}: {}\nhelp: {HELP}", last.join("\n"))));
    }
    let last = output.stdout.split(|byte| *byte == b'\n').rfind(|line| line.starts_with(b"["));
    let times: Option<Vec<f64>> = last
        .and_then(|line| serde_json::from_slice::<Value>(line).ok())
        .and_then(|value| value.as_array()?.iter().map(Value::as_f64).collect());
    times.ok_or_else(|| Failed::Output(python.to_owned()))
}
