//! Many processes that record at once, and processes that are killed at any moment. Owns the run and what must hold after it; it goes
//! through the program itself, as agents do.

use std::{
    collections::VecDeque,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    command::{Failed, cargo, output, root, run, say},
    random::Random,
};

/// How many processes judge and record one call each, in the first part.
const PROCESSES: u64 = 1_000;

/// How many of them run at the same time.
const AT_ONCE: usize = 16;

/// How many processes are killed, in the second part, one after the other while another one records.
const KILLS: u64 = 200;

/// Many at once, then one killed after the other; the record must hold and verify throughout.
pub(crate) fn run_stress() -> Result<(), Failed> {
    run(
        &mut cargo(&["build", "--release", "--locked", "--package", "portcullis"]),
        "see the compiler's words",
    )?;
    let program = target().join("release/portcullis");
    let state = target().join(format!("audit-stress-{}", std::process::id()));
    let records = many_at_once(&program, &state)?;
    if records != PROCESSES {
        return Err(broken(PROCESSES, records, &state));
    }
    killed_at_any_moment(&program, &state, records)?;
    fs::remove_dir_all(&state).map_err(|source| Failed::File { path: state.clone(), source })
}

/// Every process answers, and every answer is in the record.
fn many_at_once(program: &Path, state: &Path) -> Result<u64, Failed> {
    let mut running: VecDeque<Child> = VecDeque::new();
    let mut answered = 0;
    for number in 0..PROCESSES {
        if running.len() >= AT_ONCE
            && let Some(child) = running.pop_front()
        {
            answered += u64::from(finish(child, false)?);
        }
        running.push_back(start(program, state, number)?);
    }
    for child in running {
        answered += u64::from(finish(child, false)?);
    }
    let records = verified(program, state)?;
    say(&format!(
        "{PROCESSES} processes, {AT_ONCE} at once: {answered} answered, {records} records, intact\n"
    ));
    Ok(records)
}

/// Kills processes at moments spread over all of their life, and verifies the record after each.
fn killed_at_any_moment(program: &Path, state: &Path, before: u64) -> Result<(), Failed> {
    let began = Instant::now();
    finish(start(program, state, 0)?, false)?;
    let life = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    let (mut answered, mut records) = (before + 1, 0);
    let mut silent = 0;
    let mut random = Random::new(0);
    for number in 0..KILLS {
        let beside = start(program, state, number)?;
        let mut child = start(program, state, number)?;
        thread::sleep(Duration::from_micros(random.below(life.saturating_mul(2))));
        child.kill().map_err(|source| Failed::File { path: state.to_owned(), source })?;
        let told = finish(child, true)?;
        silent += u64::from(!told);
        answered += u64::from(told) + u64::from(finish(beside, false)?);
        records = verified(program, state)?;
        if records < answered {
            return Err(broken(answered, records, state));
        }
    }
    say(&format!(
        "{KILLS} killed within {} ms, {silent} of them before they answered: {answered} answered, {records} records, \
         intact after each\n",
        life.saturating_mul(2) / 1000
    ));
    Ok(())
}

fn broken(answered: u64, records: u64, state: &Path) -> Failed {
    Failed::Broken(format!(
        "{answered} calls were answered and {records} recorded; the record is left in `{}`",
        state.display()
    ))
}

/// How many records there are, all of them verified.
fn verified(program: &Path, state: &Path) -> Result<u64, Failed> {
    let mut verify = Command::new(program);
    verify.args(["audit", "verify", "--json", "--state"]).arg(state);
    let verified = output(&mut verify, "see what `audit verify` says")?;
    let parsed: Option<serde_json::Value> = serde_json::from_str(&verified).ok();
    let records = parsed.and_then(|value| value.get("records")?.as_u64());
    records.ok_or_else(|| Failed::Output("audit verify".to_owned()))
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn start(program: &Path, state: &Path, number: u64) -> Result<Child, Failed> {
    let started = Command::new(program)
        .args(["check", "--jsonl"])
        .env("PORTCULLIS_STATE_DIR", state)
        .env_remove("PORTCULLIS_AUDIT")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let mut child = started.map_err(|source| Failed::Start {
        program: "portcullis".to_owned(),
        source,
        help: "see whether it was built",
    })?;
    let call = format!(
        "{{\"id\":\"{number}\",\"tool\":\"bash\",\"arguments\":{{\"command\":\"ls -la {number}\"}}}}\n"
    );
    if let Some(mut input) = child.stdin.take() {
        // One that was killed before reads nothing.
        let _ = input.write_all(call.as_bytes());
    }
    Ok(child)
}

/// Whether a process answered. One that was not killed must have allowed: a denial says that recording failed.
fn finish(child: Child, is_killed: bool) -> Result<bool, Failed> {
    let ended = child.wait_with_output().map_err(|source| Failed::Start {
        program: "portcullis".to_owned(),
        source,
        help: "see what ended it",
    })?;
    let answer = String::from_utf8_lossy(&ended.stdout);
    let allowed = answer.contains("\"decision\":\"allow\"") && answer.ends_with('\n');
    if allowed || is_killed {
        Ok(allowed)
    } else {
        Err(Failed::Broken(format!("a call was not recorded: {answer}")))
    }
}
