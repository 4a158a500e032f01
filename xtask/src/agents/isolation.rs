//! Agents apart from the machine: this chore started again in namespaces of its own. Owns what that takes, and that nothing is left.
//!
//! In there the loopback is the only network, the throw-away home is the one of the account, and this process is the first of
//! all, so that everything an agent leaves running is found, and ends with it.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal};

use crate::command::Failed;

/// Where inside asks for something that only somebody who comes from outside can do, in the folder of the run.
const WISH: &str = "wish";

/// How often the outside looks whether there is a wish.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a person's answer is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs a chore again inside, by the verb that it has there, with these words; gives how it ended.
pub(super) fn enter(folder: &Path, verb: &str, words: &[String]) -> Result<(), Failed> {
    let own = std::env::current_exe()
        .map_err(|source| Failed::File { path: "/proc/self/exe".into(), source })?;
    let accounts = folder.join("passwd");
    let account = format!("root:x:0:0::{}:/bin/sh\n", folder.join("home").display());
    crate::command::write(&accounts, &account)?;
    // Whatever ends this process ends everything inside: `unshare` itself waits through most signals.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "unshare"]);
    // Whose files are whose is true only where no user is another one, so root needs none of its own.
    if !rustix::process::getuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command
        .args(["--net", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc"])
        .args(["--", "sh", "-c"])
        .arg(r#"ip link set lo up && mount --bind "$0" /etc/passwd && exec "$@""#)
        .arg(accounts)
        .arg(own)
        .arg(verb)
        .args(words);
    let mut child = command.spawn().map_err(|source| Failed::Start {
        program: "setpriv".to_owned(),
        source,
        help: "the agents run in namespaces of their own, which `setpriv`, `unshare`, `ip` and `mount` make",
    })?;
    let failed = |source| Failed::File { path: folder.to_path_buf(), source };
    let wish = folder.join(WISH);
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return if status.success() {
                Ok(())
            } else {
                Err(Failed::Program("agents".to_owned()))
            };
        }
        if let Ok(wished) = fs::read_to_string(&wish) {
            grant(child.id(), &wished);
            fs::remove_file(&wish).map_err(failed)?;
        }
        std::thread::sleep(GLANCE);
    }
}

/// Runs a command inside as a person who enters a container does: at a terminal, without a parent in there, answering yes.
fn grant(unshare: u32, wished: &str) {
    let children = fs::read_to_string(format!("/proc/{unshare}/task/{unshare}/children"));
    let Some(first) = children.ok().and_then(|list| list.split(' ').next().map(str::to_owned))
    else {
        return;
    };
    let entering = format!("nsenter -t {first} -p -m -n -- setsid -c -w sh -c '{wished}; true'");
    let mut person = Command::new("script");
    person
        .args(["--quiet", "--flush", "--command", &entering, "/dev/null"])
        .env_clear()
        .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // What came of it is seen in the files.
    if let Ok(mut terminal) = person.spawn() {
        answer(&mut terminal);
        let _ = terminal.wait();
    }
}

/// Types the word that the screen asks for.
fn answer(terminal: &mut Child) {
    let (Some(mut screen), Some(mut keys)) = (terminal.stdout.take(), terminal.stdin.take()) else {
        return;
    };
    let (mut shown, mut piece, mut is_answered) = (String::new(), [0; 512], false);
    while let Ok(length @ 1..) = screen.read(&mut piece) {
        shown.push_str(&String::from_utf8_lossy(piece.get(..length).unwrap_or_default()));
        let asked = shown.split_once("type `").and_then(|(_, rest)| rest.split_once('`'));
        if let Some((word, _)) = asked.filter(|_| !is_answered) {
            is_answered = keys.write_all(format!("{word}\n").as_bytes()).is_ok();
        }
    }
}

/// Asks the outside to run a command as a person who comes in; gives whether there is anybody.
pub(super) fn as_person(folder: &Path, command: &str) -> Result<bool, Failed> {
    if fs::read_to_string("/proc/self/uid_map").is_ok_and(|map| !map.contains("4294967295")) {
        return Ok(false);
    }
    let wish = folder.join(WISH);
    let written = folder.join("wish-to-be");
    crate::command::write(&written, command)?;
    fs::rename(&written, &wish).map_err(|source| Failed::File { path: wish.clone(), source })?;
    let begun = Instant::now();
    while wish.exists() && begun.elapsed() < PATIENCE {
        std::thread::sleep(GLANCE);
    }
    Ok(!wish.exists())
}

/// Whether this process is the first one inside.
pub(super) fn is_inside() -> bool {
    std::process::id() == 1
}

/// Ends everything but this process.
pub(super) fn end_all() {
    if !is_inside() {
        return;
    }
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.parse::<i32>().ok());
        let process = number.filter(|number| *number != 1).and_then(Pid::from_raw);
        if let Some(process) = process {
            // It may have ended by itself meanwhile.
            let _ = rustix::process::kill_process(process, Signal::KILL);
        }
    }
    // Those that nobody waits for any more are this process's children now.
    while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
}
