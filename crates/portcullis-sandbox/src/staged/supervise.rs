//! Waiting for the end, and making sure of it. Owns who is killed, and when; how long a run may take, the caller's end of the socket
//! says by closing.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    os::fd::{AsFd as _, OwnedFd},
    time::{Duration, Instant},
};

use super::Given;
use crate::{
    channel::{self, WireStatus, WireStopped, Word},
    kernel::{self, Pid, Waited, Watch},
};

/// How often processes are counted where the kernel does not limit them, in milliseconds.
const COUNTED_EVERY: i32 = 25;

/// How long whatever was started is hunted down before it is given up.
const HUNT: Duration = Duration::from_secs(10);

/// How everything that was started is found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Whose {
    /// We are the first process of a namespace: all others are.
    Namespace,
    /// They are our descendants, orphans too.
    Orphans,
}

/// Waits for the first process of the namespaces, which kills everything in them by ending. Whether the caller wanted it to end is the
/// answer.
pub(super) fn first(given: &Given, first: Pid, signals: &OwnedFd) -> io::Result<bool> {
    loop {
        let (over, _) = something_happened(given, signals, None)?;
        if over {
            let _ = kernel::kill(first, libc::SIGKILL);
            kernel::wait(first, true)?;
            return Ok(true);
        }
        if !matches!(kernel::wait(first, false)?, Waited::Running) {
            return Ok(false);
        }
    }
}

/// Waits for the program, kills what it leaves behind, and says how it ended.
pub(super) fn program(
    given: &Given,
    program: Pid,
    signals: &OwnedFd,
    whose: Whose,
) -> io::Result<()> {
    // In a namespace of users the kernel counts; otherwise the user has other processes, or is root, whom it does not count.
    let most = given.plan.limits.processes;
    let mut stopped = None;
    let status = 'ended: loop {
        let (over, _) = something_happened(given, signals, most.map(|_| COUNTED_EVERY))?;
        if over {
            // In a namespace all others die with us.
            return if whose == Whose::Orphans { sweep(whose) } else { Ok(()) };
        }
        loop {
            match kernel::wait(-1, false)? {
                Waited::Exited(pid, code) if pid == program => {
                    break 'ended WireStatus::Exited(code);
                }
                Waited::Signalled(pid, signal) if pid == program => {
                    break 'ended WireStatus::Signalled(signal);
                }
                Waited::Running => break,
                Waited::Nobody => return Err(io::Error::other("the program is gone")),
                Waited::Exited(..) | Waited::Signalled(..) => {}
            }
        }
        if let Some(most) = most
            && started(whose).len() as u64 > most
        {
            stopped = Some(WireStopped::Processes);
            sweep(whose)?;
            break WireStatus::Signalled(libc::SIGKILL);
        }
    };
    if whose == Whose::Orphans {
        sweep(whose)?;
    }
    channel::say(&given.control, &Word::Ended(status, stopped), &[])
}

/// Whether the caller has closed its end, and whether a child ended.
fn something_happened(
    given: &Given,
    signals: &OwnedFd,
    milliseconds: Option<i32>,
) -> io::Result<(bool, bool)> {
    let mut watches = [
        Watch { descriptor: given.control.as_fd(), to_write: false, ready: false },
        Watch { descriptor: signals.as_fd(), to_write: false, ready: false },
    ];
    kernel::poll(&mut watches, milliseconds)?;
    let [control, child] = watches;
    if child.ready {
        kernel::forget_signals(signals.as_fd());
    }
    Ok((control.ready, child.ready))
}

/// Kills everything that was started, and what that starts meanwhile, until nothing is left.
pub(super) fn sweep(whose: Whose) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        loop {
            match kernel::wait(-1, false)? {
                Waited::Nobody => return Ok(()),
                Waited::Running => break,
                Waited::Exited(..) | Waited::Signalled(..) => {}
            }
        }
        match whose {
            // Everyone but ourselves.
            Whose::Namespace => drop(kernel::kill(-1, libc::SIGKILL)),
            Whose::Orphans => {
                for pid in started(whose) {
                    let _ = kernel::kill(pid, libc::SIGKILL);
                }
            }
        }
        if begun.elapsed() > HUNT {
            return Err(io::Error::other("processes are left that cannot be killed"));
        }
    }
}

/// Every process that was started below us and still runs.
fn started(whose: Whose) -> Vec<Pid> {
    let own = kernel::process();
    let mut parents: HashMap<Pid, Pid> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<Pid>().ok()) else {
            continue;
        };
        if whose == Whose::Namespace {
            parents.insert(pid, own);
            continue;
        }
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        // The name in parentheses may hold anything, parentheses too.
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        if let Some(parent) = rest.split_whitespace().nth(1).and_then(|word| word.parse().ok()) {
            parents.insert(pid, parent);
        }
    }
    parents.remove(&own);
    if whose == Whose::Namespace {
        return parents.into_keys().collect();
    }
    let mut below: HashSet<Pid> = HashSet::from([own]);
    loop {
        let before = below.len();
        below.extend(
            parents
                .iter()
                .filter(|(_, parent)| below.contains(parent))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
        if below.len() == before {
            break;
        }
    }
    below.remove(&own);
    below.into_iter().collect()
}
