//! Many processes that record at once while some of them are killed. Owns the run and what must hold after it; it goes
//! through the program itself, as agents do.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use crate::command::{Failed, cargo, output, root, run, say};

/// How many processes judge and record one call each.
const PROCESSES: u64 = 1_000;

/// Every so many-th process is killed.
const KILLED_EVERY: u64 = 5;

/// How many run at the same time.
const AT_ONCE: usize = 16;

/// The latest moment at which a process is killed, in microseconds: about as long as one takes among so many others.
const LATEST: u64 = 60_000;

/// Starts the processes, kills some, and checks that every call that was answered is in the record and that it verifies.
pub(crate) fn run_stress() -> Result<(), Failed> {
    run(&mut cargo(&["build", "--locked", "--package", "portcullis"]), "see the compiler's words")?;
    let program = target().join("debug/portcullis");
    let state = target().join(format!("audit-stress-{}", std::process::id()));
    let failed = |source| Failed::File { path: state.clone(), source };
    let mut running: Vec<(Child, bool)> = Vec::new();
    let (mut answered, mut killed) = (0, 0);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for number in 0..PROCESSES {
        if running.len() >= AT_ONCE {
            let (child, is_killed) = running.remove(0);
            finish(child, is_killed, &mut answered)?;
        }
        let mut child = start(&program, &state, number)?;
        let is_killed = number % KILLED_EVERY == 0;
        if is_killed {
            thread::sleep(Duration::from_micros(random.below(LATEST)));
            child.kill().map_err(failed)?;
            killed += 1;
        }
        running.push((child, is_killed));
    }
    for (child, is_killed) in running {
        finish(child, is_killed, &mut answered)?;
    }
    let mut verify = Command::new(&program);
    verify.args(["audit", "verify", "--json", "--state"]).arg(&state);
    let verified = output(&mut verify, "see what `audit verify` says")?;
    let parsed: serde_json::Value =
        serde_json::from_str(&verified).map_err(|_| Failed::Output("audit verify".to_owned()))?;
    let records = parsed.get("records").and_then(serde_json::Value::as_u64);
    let records = records.ok_or_else(|| Failed::Output("audit verify".to_owned()))?;
    say(&format!(
        "{PROCESSES} processes, {killed} killed: {answered} answered, {records} records, intact\n"
    ));
    if records < answered || answered + killed < PROCESSES {
        return Err(Failed::Broken(format!(
            "{answered} calls were answered and {records} recorded; the record is left in `{}`",
            state.display()
        )));
    }
    fs::remove_dir_all(&state).map_err(failed)
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

/// Counts the answer of a process. One that was not killed must have allowed: a denial says that recording failed.
fn finish(child: Child, is_killed: bool, answered: &mut u64) -> Result<(), Failed> {
    let ended = child.wait_with_output().map_err(|source| Failed::Start {
        program: "portcullis".to_owned(),
        source,
        help: "see what ended it",
    })?;
    let answer = String::from_utf8_lossy(&ended.stdout);
    if answer.contains("\"decision\":\"allow\"") && answer.ends_with('\n') {
        *answered += 1;
        Ok(())
    } else if is_killed {
        Ok(())
    } else {
        Err(Failed::Broken(format!("a call was not recorded: {answer}")))
    }
}

/// Marsaglia's xorshift: the same moments in every run, as far as the machine lets them.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
