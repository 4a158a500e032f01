//! The stage: our own program, started anew, which puts itself inside the limits and then becomes the program that was asked for.
//! Owns the order of things outside: what is tried, who waits for whom, and that everything ends. What holds inside, the modules
//! below put in force.
//!
//! ```text
//! caller ──► stage: supervises, cleans up
//!              └─► first process of new namespaces, where there are some: mounts, reaps
//!                    └─► the program
//! ```
//!
//! Where bubblewrap makes the namespaces, it stands between the first two, and makes the mounts.
//!
//! ```text
//! caller ──► stage ──► bubblewrap ──► first process: reaps ──► the program
//! ```

mod believed;
mod bubblewrap;
mod entered;
mod filter;
mod group;
mod held;
mod inside;
mod pinned;
mod reach;
mod supervise;
mod trial;
mod view;

use std::{
    fs,
    io::{self, Read as _},
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::PathBuf,
};

use self::{group::Group, held::Held, pinned::Pins};
use crate::{
    Means, STAGE, Unavailable,
    channel::{self, Plan, Word},
    kernel::{self, Pid},
};

/// Becomes the stage where this process was started as one, and then never comes back. To be called before anything else, while
/// there is one thread.
pub fn stage() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|argument| argument == STAGE) {
        let is_inside = arguments.next().is_some_and(|argument| argument == bubblewrap::INSIDE);
        // Nothing is written late, and whoever waits need not wait for more.
        kernel::exit(if is_inside { bubblewrap::entered() } else { run() });
    }
}

/// What everyone inside is given.
pub(crate) struct Given {
    pub(crate) control: UnixStream,
    /// The input, then the kept ones.
    pub(crate) descriptors: Vec<OwnedFd>,
    pub(crate) plan: Plan,
    /// The way into a control group with limits, where one was made.
    pub(crate) entrance: Option<OwnedFd>,
    /// Who we are outside; in a new namespace of users that cannot be asked any more.
    pub(crate) user: u32,
    pub(crate) group: u32,
}

fn run() -> i32 {
    let control = UnixStream::from(kernel::own(0));
    let Ok(Some((plan, descriptors))) = channel::hear::<Plan>(&control) else { return 126 };
    let (user, group) = (kernel::effective_user(), kernel::effective_group());
    let mut given = Given { control, descriptors, plan, entrance: None, user, group };
    match supervised(&mut given) {
        Ok(()) => 0,
        Err(error) => {
            // Whoever does not hear it sees the closed socket.
            let _ = channel::say(&given.control, &Word::Failed(error.to_string()), &[]);
            126
        }
    }
}

/// Tries what there is, from the strongest on, and waits for the end.
fn supervised(given: &mut Given) -> io::Result<()> {
    // From here on nothing on a terminal reaches us; whoever started us says by the socket when it is over.
    kernel::new_session()?;
    kernel::adopt_orphans()?;
    let pins = Pins::made(&given.plan);
    let mut unavailable = Vec::new();
    for means in [Means::Landlock, Means::Seccomp] {
        if given.plan.without.contains(&means) {
            unavailable.push(turned_off(means));
        }
    }
    let signals = kernel::child_signals()?;
    // Dropped when everything that was in it has ended.
    let _group = grouped(given, &mut unavailable)?;
    let given = &*given;
    if given.plan.without.contains(&Means::Namespaces) {
        unavailable.push(turned_off(Means::Namespaces));
    } else {
        match in_namespaces(given, &pins, &unavailable, &signals)? {
            None => return Ok(()),
            Some(reason) => unavailable.push(reason),
        }
    }
    if !given.plan.profile.layered.is_empty() {
        // Whatever else there is would run on the files themselves.
        let reasons: Vec<String> = unavailable
            .iter()
            .filter(|one| one.means == Means::Namespaces)
            .map(|one| one.reason.clone())
            .collect();
        return channel::say(&given.control, &Word::Unlayered(reasons.join("; ")), &[]);
    }
    if given.plan.without.contains(&Means::Bubblewrap) {
        unavailable.push(turned_off(Means::Bubblewrap));
    } else {
        match bubblewrap::tried(given, &pins, &unavailable, &signals)? {
            None => return Ok(()),
            Some(reason) => unavailable.push(reason),
        }
    }
    let temporary = Temporary::made(given)?;
    let held = Held::plain(unavailable, temporary.0.clone());
    kernel::close_to_others()?;
    let program = inside::program_started(given, &pins, held)?;
    supervise::program(given, program, &signals, supervise::Whose::Orphans)?;
    drop(temporary);
    Ok(())
}

/// Makes a control group where a limit takes one, and where it is only to be said whether one can be had.
fn grouped(given: &mut Given, unavailable: &mut Vec<Unavailable>) -> io::Result<Option<Group>> {
    let Plan { limits, without, program, .. } = &given.plan;
    if limits.memory.is_none() && program.is_some() {
        return Ok(None);
    }
    if without.contains(&Means::ControlGroup) {
        unavailable.push(turned_off(Means::ControlGroup));
        return Ok(None);
    }
    match Group::made(limits) {
        Ok(group) => {
            given.entrance = Some(group.entrance.try_clone()?);
            Ok(Some(group))
        }
        Err(why) => {
            unavailable.push(why);
            Ok(None)
        }
    }
}

/// Runs it in namespaces; gives back why not, where they cannot be had.
fn in_namespaces(
    given: &Given,
    pins: &Pins,
    unavailable: &[Unavailable],
    signals: &OwnedFd,
) -> io::Result<Option<Unavailable>> {
    let (failure, mut failed) = io::pipe().map(|(read, write)| (write, read))?;
    // That of the network is made inside.
    let flags = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    // Who may make namespaces needs no namespace of users.
    let own = (given.user == 0).then(|| kernel::fork(flags));
    let (first, users) = match own {
        Some(Ok(first)) => (Ok(first), false),
        _ => (kernel::fork(flags | libc::CLONE_NEWUSER), true),
    };
    let first: Pid = match first {
        Ok(Some(first)) => first,
        Ok(None) => entered::become_first(given, pins, unavailable, users, failure),
        Err(error) => return Ok(Some(refused("they are refused", &error))),
    };
    drop(failure);
    kernel::close_to_others()?;
    supervise::first(given, first, signals)?;
    let mut reason = String::new();
    failed.read_to_string(&mut reason)?;
    if reason.is_empty() {
        return Ok(None);
    }
    Ok(Some(unavailable_namespaces(reason)))
}

fn refused(what: &str, error: &io::Error) -> Unavailable {
    unavailable_namespaces(format!("{what}: {error}"))
}

/// Why there are no namespaces, and what the usual cause is.
fn unavailable_namespaces(reason: String) -> Unavailable {
    let read = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).ok();
    let remedy = if read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref()
        == Some("1")
    {
        "AppArmor lets only named programs make namespaces of users: give this one a profile with `userns,` (see apparmor.d(5))"
    } else if read("/proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0") {
        "namespaces of users are off: `sysctl kernel.unprivileged_userns_clone=1`"
    } else if read("/proc/sys/user/max_user_namespaces").as_deref() == Some("0") {
        "namespaces of users are off: `sysctl user.max_user_namespaces=15000`"
    } else {
        "in a container, allow namespaces (`--security-opt seccomp=unconfined`, or a profile that allows `clone` and `mount`)"
    };
    Unavailable { means: Means::Namespaces, reason, remedy: Some(remedy.to_owned()) }
}

pub(crate) fn turned_off(means: Means) -> Unavailable {
    Unavailable { means, reason: "it was turned off by the caller".to_owned(), remedy: None }
}

/// A private temporary directory on the disk, gone when it is dropped.
struct Temporary(Option<PathBuf>);

impl Temporary {
    fn made(given: &Given) -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        if !given.plan.profile.temporary {
            return Ok(Self(None));
        }
        let process = kernel::process();
        for attempt in 0..1_000 {
            let path = PathBuf::from(format!("/tmp/portcullis-{process}-{attempt}"));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(Some(path))),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(_) => break,
            }
        }
        // Without one the program has none; it is no promise.
        Ok(Self(None))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // What cannot be removed stays, readable to its owner alone.
            let _ = fs::remove_dir_all(path);
        }
    }
}
