//! What a call comes down to, and its execution. Owns where a program is found, which files it is handed, and that it runs in its sandbox; the
//! checks are behind it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use portcullis_core::{
    action::{Action, ActionKind},
    call::ToolCall,
};
use portcullis_sandbox::{Kept, Launch, Output as Streams, Proxy, Report, Status, Stopped};
use serde_json::{Map, Value};

use super::{Does, Opened, Output, Program, Roots, Tool};
use crate::{
    platform::{self, Directories},
    report::visible,
    sandbox::{self, Custom, Named},
};

/// Where programs are looked for, where no `PATH` says it.
const DIRECTORIES: &str = "/usr/local/bin:/usr/bin:/bin";

/// The number of the first file that a program is handed.
const FIRST_HANDED: i32 = 10;

/// How much of an answer is looked at behind the most that is shown of it, so that a secret that lies over the border is known as one.
const BEYOND: usize = 64 << 10;

/// How often it is looked whether somebody wants a function to end.
const GLANCE: Duration = Duration::from_millis(50);

/// What is said of a call that somebody stopped while it ran.
pub(super) const STOPPED: &str = "the person stopped it while it ran";

/// A call that is ready to run: what would be executed, to the last word.
pub(super) struct Plan {
    pub(super) tool: Arc<Tool>,
    pub(super) arguments: Map<String, Value>,
    pub(super) opened: BTreeMap<String, Vec<Opened>>,
    pub(super) directory: PathBuf,
    pub(super) action: Action,
    /// The call as it came.
    pub(super) call: ToolCall,
}

/// What programs are held by beside what their tool says.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// Profiles beside those that are built in.
    pub(super) profiles: BTreeMap<String, Custom>,
    /// Our proxy, where it listens.
    pub(super) proxy: Option<Proxy>,
    /// Where what programs would lose is kept.
    pub(super) state: Option<PathBuf>,
    /// Set by whoever wants what runs to end.
    pub(super) stop: Arc<AtomicBool>,
}

/// What ran.
pub(super) struct Ended {
    /// How it ended, and why it was made to, where it was; nothing for a function.
    pub(super) status: Option<(Status, Option<Stopped>)>,
    pub(super) output: Output,
    pub(super) report: Option<Report>,
}

/// Runs what a plan says.
pub(super) fn execute(plan: &Plan, workspace: &Path, held: &Held) -> Result<Ended, String> {
    match &plan.tool.does {
        Does::Program(program) => run(plan, Some(program), workspace, held),
        Does::Shell => run(plan, None, workspace, held),
        Does::Function(function) => {
            let (function, arguments) = (Arc::clone(function), plan.arguments.clone());
            let again =
                |list: &Vec<Opened>| list.iter().map(Opened::again).collect::<io::Result<Vec<_>>>();
            let opened = plan
                .opened
                .iter()
                .map(|(name, list)| Ok((name.clone(), again(list)?)))
                .collect::<io::Result<BTreeMap<_, _>>>()
                .map_err(|error| error.to_string())?;
            let (answer, answered) = mpsc::channel();
            thread::spawn(move || {
                // Whoever waited may have gone.
                let _ = answer.send(function.call(&arguments, &opened));
            });
            // What changes something is waited for: half of it would be worse.
            let stop = plan.tool.read_only.then_some(&*held.stop);
            match waited(&answered, plan.tool.timeout, stop) {
                Ok(Ok(mut output)) => {
                    for text in [&mut output.stdout, &mut output.stderr] {
                        let end = text.floor_char_boundary(plan.tool.output.saturating_add(BEYOND));
                        output.dropped += (text.len() - end) as u64;
                        text.truncate(end);
                    }
                    Ok(Ended { status: None, output, report: None })
                }
                Ok(Err(why)) => Err(why),
                Err(RecvTimeoutError::Timeout) if held.stop.load(Ordering::Relaxed) => {
                    Err(STOPPED.to_owned())
                }
                Err(RecvTimeoutError::Timeout) => Err("it took too long".to_owned()),
                Err(RecvTimeoutError::Disconnected) => Err("it broke".to_owned()),
            }
        }
    }
}

/// Waits for an answer, no longer than it may take, nor than somebody wants to.
fn waited<T>(
    answered: &mpsc::Receiver<T>,
    most: Duration,
    stop: Option<&AtomicBool>,
) -> Result<T, RecvTimeoutError> {
    let begun = Instant::now();
    loop {
        let left = most.saturating_sub(begun.elapsed());
        match answered.recv_timeout(stop.map_or(left, |_| left.min(GLANCE))) {
            Err(RecvTimeoutError::Timeout)
                if !left.is_zero() && !stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) => {}
            other => return other,
        }
    }
}

/// Runs a program in its sandbox, or the command of a shell.
fn run(
    plan: &Plan,
    program: Option<&Program>,
    workspace: &Path,
    held: &Held,
) -> Result<Ended, String> {
    let tool = &plan.tool;
    let named = Named::find(&tool.sandbox, &held.profiles)
        .ok_or_else(|| format!("there is no sandbox profile `{}`", tool.sandbox))?;
    if named.connects() && held.proxy.is_none() {
        return Err("there is no proxy that it could connect through".to_owned());
    }
    let directories = Directories::from_environment();
    let mut profile = named
        .profile(workspace, &directories, held.proxy.clone())
        .map_err(|error| error.to_string())?;
    let written: BTreeSet<PathBuf> =
        tool.paths().flat_map(|(_, rules)| Roots::of(rules, workspace).write().to_vec()).collect();
    if !written.is_empty() {
        // The program writes where its paths may lead, and nowhere else.
        profile = sandbox::writing(profile, written.into_iter().collect(), workspace, &directories);
    }
    let mut arguments = plan.arguments.clone();
    let mut descriptors = Vec::new();
    for (name, list) in plan.opened.iter().filter(|(name, _)| tool.handed.contains(*name)) {
        for (text, opened) in arguments.get_mut(name).map(texts).into_iter().flatten().zip(list) {
            let number = FIRST_HANDED
                + i32::try_from(descriptors.len()).map_err(|error| error.to_string())?;
            let descriptor = opened.handle.try_clone().map_err(|error| error.to_string())?;
            descriptors.push(Kept { descriptor, number });
            *text = format!("/dev/fd/{number}");
        }
    }
    let words = match program {
        Some(program) => program.command.words(&arguments)?,
        None => shell(plan)?,
    };
    let mut environment: Vec<(OsString, OsString)> = Vec::new();
    if let Some(program) = program {
        environment
            .extend(program.environment.iter().map(|(name, value)| (name.into(), value.into())));
        for name in &program.passes {
            environment.extend(std::env::var_os(name).map(|value| (OsString::from(name), value)));
        }
    }
    let mut rest = words.into_iter();
    let first = found(&rest.next().unwrap_or_default(), workspace)?;
    let mut launch = Launch::new(first, &plan.directory, profile);
    launch.arguments = rest.map(OsString::from).collect();
    launch.environment = sandbox::environment(environment);
    launch.limits = named.limits();
    let most = launch.limits.wall.unwrap_or(tool.timeout);
    launch.limits.wall = Some(most.min(tool.timeout));
    launch.output = Streams::Capture { cap: tool.output.saturating_add(BEYOND) };
    launch.descriptors = descriptors;
    launch.stop = Some(Arc::clone(&held.stop));
    let before = sandbox::Before::look(&launch.profile.write, &directories);
    let finished = portcullis_sandbox::run(&launch).map_err(|refused| match refused.remedy() {
        Some(remedy) => format!("{refused}; {remedy}"),
        None => refused.to_string(),
    })?;
    let left = before.left();
    Ok(Ended {
        status: Some((finished.status, finished.stopped)),
        output: Output {
            stdout: String::from_utf8_lossy(&finished.stdout).into_owned(),
            stderr: left
                .iter()
                .fold(String::from_utf8_lossy(&finished.stderr).into_owned(), |text, one| {
                    format!("{text}portcullis: {}\n", visible::line(one))
                }),
            dropped: finished.dropped,
        },
        report: Some(finished.report),
    })
}

/// The words of a command that is given to a shell: of what was judged, and nothing else.
fn shell(plan: &Plan) -> Result<Vec<String>, String> {
    let ActionKind::Shell { command, .. } = &plan.action.kind else {
        return Err("this is no command of a shell".to_owned());
    };
    let shell = ["/bin/bash", "/usr/bin/bash"].into_iter().find(|path| Path::new(path).exists());
    let shell = shell.ok_or("there is no bash, which the command was read for")?;
    Ok(vec![shell.to_owned(), "-c".to_owned(), command.clone()])
}

/// Where a program is. One that lies in the workspace is not found by its name: whoever writes there would choose what runs.
pub(super) fn found(program: &str, workspace: &Path) -> Result<PathBuf, String> {
    if program.starts_with('/') {
        return Ok(PathBuf::from(program));
    }
    let directories = std::env::var_os("PATH").filter(|path| !path.is_empty());
    let directories = directories.unwrap_or_else(|| DIRECTORIES.into());
    let is_program = |path: &PathBuf| {
        path.metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    let outside =
        |path: &PathBuf| path.is_absolute() && !platform::real(path).starts_with(workspace);
    let mut places = std::env::split_paths(&directories).map(|directory| directory.join(program));
    places
        .find(|path| outside(path) && is_program(path))
        .ok_or_else(|| format!("there is no program `{program}` outside of the workspace"))
}

/// The texts of an argument that are held to something.
pub(super) fn texts(value: &mut Value) -> Vec<&mut String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list
            .iter_mut()
            .filter_map(|one| if let Value::String(text) = one { Some(text) } else { None })
            .collect(),
        _ => Vec::new(),
    }
}
