//! The last steps of the process that becomes the program. Owns their order, which matters: each step needs what the next one takes
//! away.

use std::{
    ffi::{CString, OsStr, OsString},
    fs::{self, File},
    io::{self, PipeReader, Write as _},
    os::{
        fd::{AsFd as _, AsRawFd as _, OwnedFd},
        unix::{
            ffi::{OsStrExt as _, OsStringExt as _},
            fs::MetadataExt as _,
            net::UnixStream,
        },
    },
};

use super::{Given, filter, held::Held, pinned::Pins, reach, trial, view};
use crate::{
    Limits, Means, Network, Proxy,
    channel::{self, Plan, Word},
    kernel::{self, Pid},
};

/// Where programs are looked for when the environment does not say.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Starts the process that puts everything in force, says what holds, and becomes the program.
pub(super) fn program_started(given: &Given, pins: &Pins, held: Held) -> io::Result<Pid> {
    let mut held = Some(held);
    kernel::fork_within(&mut || {
        let Some(held) = held.take() else { return };
        let word = match tried(given, pins, held) {
            Ok(word) => word,
            Err(error) => Word::Failed(error.to_string()),
        };
        let _ = channel::say(&given.control, &word, &[]);
    })
}

/// Comes back only where the program was not started.
fn tried(given: &Given, pins: &Pins, mut held: Held) -> io::Result<Word> {
    let plan = &given.plan;
    let step = |what: &'static str| {
        move |error: io::Error| io::Error::new(error.kind(), format!("{what}: {error}"))
    };
    kernel::die_with_parent().map_err(step("the end of the run cannot be bound to its caller"))?;
    kernel::new_session().map_err(step("there is no session of its own"))?;
    held.group = given.entrance.as_ref().map(entered);
    // Out of the way of the numbers that the program wants.
    let least = plan.numbers.iter().max().map_or(3, |number| number + 1).max(3);
    let control = UnixStream::from(kernel::lift(given.control.as_fd(), least)?);
    let lifted = given.descriptors.iter().map(|one| kernel::lift(one.as_fd(), least));
    let lifted = lifted.collect::<io::Result<Vec<OwnedFd>>>()?;
    let environment = environment(plan, &held);
    let candidates = candidates(plan, &environment);
    std::env::set_current_dir(&plan.directory).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("`{}` cannot be entered: {error}", plan.directory.display()),
        )
    })?;
    limit(&plan.limits, &held, given.user).map_err(step("the limits cannot be set"))?;
    if given.user == 0 && held.namespaces.as_ref().is_none_or(|spaces| !spaces.users) {
        // Without the right to leave them there is no right that they would add to.
        let _ = kernel::leave_groups();
    }
    kernel::no_new_privileges().map_err(step("gaining privileges cannot be ruled out"))?;
    held.capabilities = kernel::drop_capabilities().is_ok();
    // Read before the filters, written behind them: what is left needs nothing but running the program.
    if !plan.without.contains(&Means::Landlock) {
        held.landlock = reach::restrict(plan, pins, &held);
    }
    if !plan.without.contains(&Means::Seccomp) {
        held.seccomp = filter::install(plan, &held);
    }
    let mut report = held.report(plan, pins);
    if plan.program.is_none() {
        report.disprove(trial::tried(given, pins, &held, &report.holding()));
    }
    if report.missing().next().is_some() {
        return Ok(Word::Missing(report));
    }
    channel::say(&control, &Word::Holds(report), &[])?;
    // Last of all: whoever answers is told first.
    let listener = plan.watched.then(|| watched(least));
    match &listener {
        Some(Ok((calls, begun, _))) => {
            let sent = [calls.as_raw_fd(), begun.as_raw_fd()];
            channel::say(&control, &Word::Watched(None), &sent)?;
        }
        Some(Err(error)) => channel::say(&control, &Word::Watched(Some(error.to_string())), &[])?,
        None => {}
    }
    // Only the caller holds it: with the caller it ends.
    let _running = listener.and_then(Result::ok).map(|(_, _, running)| running);
    kernel::close_from_on_run(3)?;
    for (descriptor, number) in lifted.iter().zip([0].iter().chain(&plan.numbers)) {
        kernel::place(descriptor.as_raw_fd(), *number)?;
    }
    kernel::ordinary_signals();
    if plan.program.is_none() {
        kernel::exit(0);
    }
    let error = run(plan, &candidates, &environment);
    channel::say(&control, &Word::NotRun(error.raw_os_error().unwrap_or(libc::ENOENT)), &[])?;
    kernel::exit(126);
}

/// Has all calls from here on told of: where they are, and where it is heard that the program runs, which it does when what comes last is
/// closed. Until then the calls are our own.
fn watched(least: i32) -> io::Result<(OwnedFd, PipeReader, OwnedFd)> {
    let (begun, running) = io::pipe()?;
    let running = kernel::lift(running.as_fd(), least)?;
    Ok((kernel::watched_calls()?, begun, running))
}

/// Goes into the control group by the way that was opened outside.
fn entered(entrance: &OwnedFd) -> Result<(), String> {
    let entered = entrance.try_clone().and_then(|entrance| File::from(entrance).write_all(b"0"));
    entered.map_err(|error| format!("it cannot be entered: {error}"))
}

/// The first of the candidates that runs; what kept the others, where none does.
fn run(plan: &Plan, candidates: &[OsString], environment: &[(OsString, OsString)]) -> io::Error {
    let text = |bytes: Vec<u8>| CString::new(bytes).unwrap_or_default();
    let arguments: Vec<CString> = plan
        .program
        .iter()
        .chain(&plan.arguments)
        .map(|word| text(word.as_bytes().to_vec()))
        .collect();
    let environment: Vec<CString> = environment
        .iter()
        .map(|(name, value)| text([name.as_bytes(), b"=", value.as_bytes()].concat()))
        .collect();
    let mut error = io::Error::from_raw_os_error(libc::ENOENT);
    for candidate in candidates {
        let found = kernel::run(&text(candidate.as_bytes().to_vec()), &arguments, &environment);
        if !matches!(found.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) {
            error = found;
        }
        if !matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EACCES)) {
            break;
        }
    }
    error
}

/// Where the program may be.
fn candidates(plan: &Plan, environment: &[(OsString, OsString)]) -> Vec<OsString> {
    let Some(program) = &plan.program else { return Vec::new() };
    if program.as_bytes().contains(&b'/') {
        return vec![program.clone()];
    }
    let path = environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map_or(OsStr::new(USUAL_PATH), |(_, value)| value);
    // An entry that is empty or relative is wherever the program starts: nobody means that.
    let folders =
        path.as_bytes().split(|byte| *byte == b':').filter(|folder| folder.starts_with(b"/"));
    folders.map(|folder| OsString::from_vec([folder, b"/", program.as_bytes()].concat())).collect()
}

/// The environment with what the sandbox has to say in it.
fn environment(plan: &Plan, held: &Held) -> Vec<(OsString, OsString)> {
    let mut list = plan.environment.clone();
    let mut set = |name: &str, value: OsString| {
        list.retain(|(known, _)| known != name);
        list.push((name.into(), value));
    };
    if plan.profile.temporary {
        let spaces = held.namespaces.is_some().then(|| view::TEMPORARY.into());
        if let Some(path) = spaces.or_else(|| held.temporary.clone().map(OsString::from)) {
            set("TMPDIR", path);
        }
    }
    if let (Network::Proxy(Proxy { credentials, .. }), Some(port)) =
        (&plan.profile.network, held.port)
    {
        let user =
            credentials.as_ref().map_or_else(String::new, |credentials| format!("{credentials}@"));
        for name in
            ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
        {
            set(name, format!("http://{user}127.0.0.1:{port}").into());
        }
        for name in ["NO_PROXY", "no_proxy"] {
            set(name, "localhost,127.0.0.1,::1".into());
        }
    }
    list
}

fn limit(limits: &Limits, held: &Held, user: u32) -> io::Result<()> {
    let Limits { wall: _, memory: _, cpu_seconds, address_space, file_size, processes, open_files } =
        limits;
    // In a namespace of users the kernel counts the processes in it, of which one is ours; elsewhere all of the user's, and root's not
    // at all.
    let others = match &held.namespaces {
        Some(spaces) if spaces.users => Some(1),
        _ if user != 0 => Some(tasks_of(user)),
        _ => None,
    };
    let processes = others.and_then(|others| processes.map(|most| most.saturating_add(others)));
    for (resource, value) in [
        (libc::RLIMIT_CPU, *cpu_seconds),
        (libc::RLIMIT_AS, *address_space),
        (libc::RLIMIT_FSIZE, *file_size),
        (libc::RLIMIT_NPROC, processes),
        (libc::RLIMIT_NOFILE, *open_files),
        (libc::RLIMIT_CORE, Some(0)),
    ] {
        if let Some(value) = value {
            kernel::limit(resource, value)?;
        }
    }
    Ok(())
}

/// How many processes and threads a user has.
fn tasks_of(user: u32) -> u64 {
    let mut tasks = 0;
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if entry.metadata().is_ok_and(|found| found.uid() == user)
            && let Ok(stat) = fs::read_to_string(entry.path().join("stat"))
            && let Some((_, rest)) = stat.rsplit_once(')')
        {
            tasks += rest
                .split_whitespace()
                .nth(17)
                .and_then(|word| word.parse::<u64>().ok())
                .unwrap_or(1);
        }
    }
    tasks
}
