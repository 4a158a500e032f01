//! Proving that what is installed blocks. Owns running the installed command as the agent would, with a call that must be
//! denied and one that must pass; both are only judged. What it runs keeps its record in a directory of its own, so that
//! nothing of this counts as an agent's call.

use std::{
    fs, io,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{
    command::{self, Called, Program, Run},
    machine::Machine,
    plugin,
    status::{FileStatus, State, Status},
};
use crate::{
    account::Account,
    agents::{
        agent::{Agent, Event},
        reply::Reply,
        table::{Content, Entries, Lost, Plugin},
    },
    hook::sample,
    hooked,
    platform::{self, Directories},
};

/// A call that no policy can allow.
const DENIED: &str = "rm -rf /";

/// A call that nothing speaks against.
const HARMLESS: &str = "ls";

/// How long an answer is waited for: as agents do.
const PATIENCE: Duration = Duration::from_secs(5);

/// The program that plugins are played with.
const NODE: &str = "node";

/// The directory that an agent works in where no project is meant, in the one for the trial.
const WORKPLACE: &str = "work";

/// The directory for state there.
const STATE: &str = "state";

/// The most bytes of an answer.
const MOST: u64 = 1 << 20;

/// What one thing that was looked at came to.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// It is as it should be.
    Proven,
    /// It is not.
    Failed,
    /// It could not be found out.
    Unproven,
    /// It is only worth knowing.
    Note,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What it came to.
    pub proof: Proof,
    /// What it is about, in a sentence.
    pub what: String,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<u64>,
}

impl Check {
    /// One that took no time worth telling.
    #[must_use]
    pub fn new(proof: Proof, what: impl Into<String>) -> Self {
        Self { proof, what: what.into(), milliseconds: None }
    }
}

/// A directory that calls are recorded in, and that goes when this does.
struct Apart {
    path: PathBuf,
    record_is_elsewhere: bool,
}

impl Apart {
    fn new(record_is_elsewhere: bool) -> io::Result<Self> {
        let random = data_encoding::HEXLOWER.encode(&platform::random::<8>()?);
        let path = std::env::temp_dir().join(format!("portcullis-doctor-{random}"));
        let apart = Self { path, record_is_elsewhere };
        platform::create_private_directory(&apart.path.join(WORKPLACE))?;
        // A hook that was installed in the usual places records elsewhere for this alone.
        if let Some(state) = usual_state() {
            hooked::begin_trial(&state, &apart.path.join(STATE))?;
        }
        Ok(apart)
    }

    /// Where the agent works: in the project, where one is meant. In the home directory or above it, our own files would be
    /// among what it works on, which says nothing about the agent.
    fn workplace(&self, machine: &Machine) -> PathBuf {
        let project = machine.project.clone().filter(|path| !machine.home.starts_with(path));
        project.unwrap_or_else(|| self.path.join(WORKPLACE))
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        if let Some(state) = usual_state() {
            hooked::end_trial(&state);
        }
        // What stays is empty of anything but our own two calls.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Where the account's state is, whatever variables say.
fn usual_state() -> Option<PathBuf> {
    Directories::usual(&Account::of_process()?.home?).state
}

/// Proves, or not, that an agent's installation blocks. `record_is_elsewhere` says that the configuration names a directory
/// for the record, which then cannot be set apart, so that nothing is recorded.
#[must_use]
pub fn prove(
    agent: &'static Agent,
    status: &Status,
    machine: &Machine,
    program: &Program,
    record_is_elsewhere: bool,
) -> Vec<Check> {
    let mut checks = Vec::new();
    if !status.is_any() {
        checks.push(Check::new(
            Proof::Failed,
            "it does not call us: nothing of ours is in its settings",
        ));
        return checks;
    }
    let apart = match Apart::new(record_is_elsewhere) {
        Ok(apart) => apart,
        Err(error) => {
            checks.push(Check::new(
                Proof::Unproven,
                format!("no directory for a trial can be made: {error}"),
            ));
            return checks;
        }
    };
    for file in &status.files {
        for fault in &file.faults {
            checks.push(Check::new(Proof::Failed, format!("`{}`: {fault}", file.path)));
        }
        for other in &file.others {
            checks.push(Check::new(
                Proof::Note,
                format!("beside us in `{}` runs `{other}`", file.path),
            ));
        }
        if !matches!(file.state, State::Live | State::Changed) {
            continue;
        }
        for called in &file.called {
            checks.extend(tried(agent, file, called, machine, program, &apart));
        }
        if let Content::Plugin(parts) = &file.target.content {
            checks.extend(played(parts, Path::new(&file.path), machine, &apart));
        }
    }
    for reason in &status.off {
        checks.push(Check::new(Proof::Failed, format!("its hooks are turned off: {reason}")));
    }
    if let Some(time) = &status.disobeyed {
        let told = format!("it ran a call that had been denied, {time}: it does not obey the gate");
        checks.push(Check::new(Proof::Failed, told));
    } else if let Some(time) = &status.last_denied {
        let told = format!("its last denied call, {time}, is not known to have run");
        checks.push(Check::new(Proof::Note, told));
    }
    match &status.last_call {
        Some(time) => checks.push(Check::new(Proof::Note, format!("its hook last called {time}"))),
        None => checks.push(Check::new(
            Proof::Note,
            "its hook has not called yet: that the agent itself calls is proven by its first call",
        )),
    }
    if status.trusted == Some(false) {
        let told = format!("it is not seen to trust this hook: {}", agent.install.afterwards);
        checks.push(Check::new(Proof::Failed, told));
    }
    checks
}

/// Runs what a file calls with both calls.
fn tried(
    agent: &'static Agent,
    file: &FileStatus,
    called: &Called,
    machine: &Machine,
    program: &Program,
    apart: &Apart,
) -> Vec<Check> {
    let is_script = matches!(file.target.content, Content::Script(_));
    let is_this = is_script || called.program() == Some(program.path());
    if file.scope == "project" && !is_this {
        // A project's own file must not make us run anything.
        let what = format!("`{}` was not run: it is not this program", called.shown());
        return vec![Check::new(Proof::Unproven, what)];
    }
    let cwd = apart.workplace(machine).to_string_lossy().into_owned();
    let one = |command: &str, is_right: fn(&Event, &Reply) -> bool, right: &str, wrong: &str| {
        let Some((payload, event)) = sample::sample(agent, command, &cwd) else {
            return Check::new(Proof::Unproven, "no payload of its is known");
        };
        let started = Instant::now();
        let answer = run(&mut as_agent(agent, called, &cwd, apart), payload.to_string().as_bytes());
        let milliseconds = u64::try_from(started.elapsed().as_millis()).ok();
        let (proof, what) = match answer {
            Ok(answer) if is_right(event, &answer) => (Proof::Proven, right.to_owned()),
            Ok(answer) => (Proof::Failed, format!("{wrong}: {}", told(&answer))),
            Err(error) => (Proof::Failed, format!("`{}` cannot be run: {error}", called.shown())),
        };
        Check { proof, what, milliseconds }
    };
    let mut checks = vec![
        one(
            DENIED,
            sample::denies,
            "a call that must not run is denied in its own form",
            "`rm -rf /` was not denied",
        ),
        one(HARMLESS, sample::lets_pass, "a harmless call goes on", "`ls` was not let through"),
    ];
    let (payload, event) = match sample::sample(agent, HARMLESS, &cwd) {
        Some(sample) if is_before(file, called) => sample,
        _ => return checks,
    };
    checks.push(
        match lost(agent, file, called, (&payload.to_string(), event), program, &cwd, apart) {
            Ok(None) => Check::new(
                Proof::Proven,
                "calls are denied where a copy of this program was taken away, or is killed",
            ),
            Ok(Some(wrong)) => Check::new(Proof::Failed, wrong),
            Err(error) => Check::new(
                Proof::Unproven,
                format!("no copy of this program could be taken away: {error}"),
            ),
        },
    );
    checks
}

/// Whether a command is the one that runs before a tool: the first of a file, or the script for it.
fn is_before(file: &FileStatus, called: &Called) -> bool {
    match file.target.content {
        Content::Script(event) => event.eq_ignore_ascii_case("PreToolUse"),
        // It denies by itself, see `played`.
        Content::Plugin(_) => false,
        _ => file.called.first() == Some(called),
    }
}

/// Runs what a file calls with a copy of the program that is taken away, and then with one that is killed; gives what does
/// not block.
fn lost(
    agent: &'static Agent,
    file: &FileStatus,
    called: &Called,
    (payload, event): (&str, &Event),
    program: &Program,
    cwd: &str,
    apart: &Apart,
) -> io::Result<Option<String>> {
    let copy = apart.path.join("portcullis");
    let path = copy.to_string_lossy().into_owned();
    let named = called.program().unwrap_or_else(|| program.path());
    let copied = called.with_program(named, &path).unwrap_or_else(|| {
        let mut words = called.words.clone();
        if let Some(first) = words.first_mut() {
            first.clone_from(&path);
        }
        let run = Run::Words(command::guarded(words, called.script.clone()));
        Called { run, ..called.clone() }
    });
    let by_code = matches!(file.target.content, Content::Entries(Entries { lost: Lost::Exit, .. }));
    let blocks = |answer: &Reply| {
        let denied = by_code && answer.exit == 2 && !answer.error.trim().is_empty();
        denied || sample::denies(event, answer)
    };
    let answered = || run(&mut as_agent(agent, &copied, cwd, apart), payload.as_bytes());
    stand_in(program, &copy)?;
    let there = answered()?;
    if !sample::lets_pass(event, &there) {
        let told = told(&there);
        return Ok(Some(format!("a copy of this program did not let `ls` through: {told}")));
    }
    fs::remove_file(&copy)?;
    let answer = answered();
    if !answer.as_ref().is_ok_and(blocks) {
        let told = answer.map_or_else(|error| error.to_string(), |answer| told(&answer));
        return Ok(Some(format!("calls run on where this program is gone: {told}")));
    }
    fs::write(&copy, "#!/bin/sh\nkill -KILL $$\n")?;
    make_executable(&copy)?;
    let answer = answered();
    fs::remove_file(&copy)?;
    if !answer.as_ref().is_ok_and(blocks) {
        let told = answer.map_or_else(|error| error.to_string(), |answer| told(&answer));
        return Ok(Some(format!("calls run on where this program is killed: {told}")));
    }
    Ok(None)
}

fn make_executable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Puts this program in another place, too.
fn stand_in(program: &Program, place: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(program.path(), place);
    #[cfg(not(unix))]
    fs::copy(program.path(), place).map(drop)
}

fn told(answer: &Reply) -> String {
    let Reply { output, error, exit } = answer;
    let short = |text: &str| {
        let end = text.floor_char_boundary(300);
        text.get(..end).unwrap_or_default().trim().to_owned()
    };
    format!("exit {exit}, answer `{}`, error `{}`", short(output), short(error))
}

/// The command as the agent starts it.
fn as_agent(agent: &Agent, called: &Called, cwd: &str, apart: &Apart) -> Command {
    let mut command = match &called.run {
        Run::Shell(line) => {
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(line);
            command
        }
        Run::Words(words) => {
            let mut command = Command::new(words.first().map_or("", String::as_str));
            command.args(words.iter().skip(1));
            command
        }
    };
    command.envs(agent.root_variables.iter().map(|name| (*name, cwd)));
    set_apart(&mut command, cwd, apart);
    command
}

fn set_apart(command: &mut Command, cwd: &str, apart: &Apart) {
    command.current_dir(cwd).env(platform::OWN_STATE, apart.path.join(STATE));
    if apart.record_is_elsewhere {
        command.env("PORTCULLIS_AUDIT", "off");
    }
}

/// Runs a command with an input; what it says, unless it takes too long.
fn run(command: &mut Command, input: &[u8]) -> io::Result<Reply> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take();
    let input = input.to_vec();
    let feeder = thread::spawn(move || {
        // Who does not read it does not want it.
        stdin.as_mut().map(|stdin| stdin.write_all(&input))
    });
    let output = collected(child.stdout.take());
    let error = collected(child.stderr.take());
    let code = ended(&mut child)?;
    let _ = feeder.join();
    let text = |thread: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&thread.join().unwrap_or_default()).into_owned()
    };
    Ok(Reply {
        output: text(output),
        error: text(error),
        exit: u8::try_from(code).unwrap_or(u8::MAX),
    })
}

fn collected<R: io::Read + Send + 'static>(pipe: Option<R>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read until something went wrong is what there is.
            let _ = pipe.take(MOST).read_to_end(&mut bytes);
        }
        bytes
    })
}

fn ended(child: &mut Child) -> io::Result<i32> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().unwrap_or(i32::from(u8::MAX)));
        }
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("no answer in {} seconds", PATIENCE.as_secs()),
            ));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Plays the agent to its plugin, and again with a program that is gone.
fn played(parts: &Plugin, path: &Path, machine: &Machine, apart: &Apart) -> Vec<Check> {
    let node =
        machine.programs.iter().map(|directory| directory.join(NODE)).find(|path| path.is_file());
    let Some(node) = node else {
        return vec![Check::new(Proof::Unproven, "the plugin was not played: node is not here")];
    };
    let cwd = apart.workplace(machine).to_string_lossy().into_owned();
    let play = |called: Option<&Path>| -> io::Result<Reply> {
        let mut text = fs::read_to_string(path)?;
        if let (Some(old), Some(new)) = (plugin::called_in(&text), called) {
            let quoted = |path: &str| serde_json::Value::from(path).to_string();
            text = text.replace(&quoted(&old), &quoted(&new.to_string_lossy()));
        }
        fs::write(apart.path.join("plugin.mjs"), text)?;
        let play = apart.path.join("play.mjs");
        let script = format!(
            "import * as plugin from \"./plugin.mjs\";\n{}\n\
             const [denied, harmless, cwd] = process.argv.slice(2);\n\
             const said = [await play(plugin, denied, cwd), await play(plugin, harmless, cwd)];\n\
             console.log(JSON.stringify(said));\n",
            parts.harness
        );
        fs::write(&play, script)?;
        let mut command = Command::new(&node);
        command.arg(&play).args([DENIED, HARMLESS, &cwd]);
        set_apart(&mut command, &cwd, apart);
        run(&mut command, b"")
    };
    let said = |answer: &Reply| serde_json::from_str::<[Option<String>; 2]>(&answer.output).ok();
    let check = |answer: io::Result<Reply>,
                 is_right: fn([Option<String>; 2]) -> bool,
                 right: &str,
                 wrong: &str| match answer {
        Err(error) => Check::new(Proof::Failed, format!("the plugin was not played: {error}")),
        Ok(answer) if said(&answer).is_some_and(is_right) => Check::new(Proof::Proven, right),
        Ok(answer) => Check::new(Proof::Failed, format!("{wrong}: {}", told(&answer))),
    };
    let started = Instant::now();
    let blocks = check(
        play(None),
        |said| matches!(said, [Some(reason), None] if !reason.is_empty()),
        "the plugin stops a call that must not run, and lets a harmless one go on",
        "the plugin does not stop what it must",
    );
    let milliseconds = u64::try_from(started.elapsed().as_millis()).ok();
    let gone = apart.path.join("portcullis");
    let stops = check(
        play(Some(&gone)),
        |said| said.iter().all(|said| said.as_ref().is_some_and(|reason| !reason.is_empty())),
        "the plugin stops every call where a copy of this program was taken away",
        "calls run on where this program is gone",
    );
    vec![Check { milliseconds, ..blocks }, stops]
}
