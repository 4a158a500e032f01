//! Trying what the report promises, by a process that is held like the program would be. Owns one trial for each promise; a promise whose
//! trial gets through does not hold, whatever was put in force. Nothing is left by a trial, and nothing outside is changed even where it
//! gets through.

use std::{
    fs::{self, File},
    net::UdpSocket,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    time::Duration,
};

use super::{Given, filter, held::Held, pinned::Pins};
use crate::{Layer, Network, channel::Plan, kernel};

/// The most paths of one kind that are tried.
const MOST_PATHS: usize = 200;

/// Addresses outside that answer, one for each version of the protocol. Nothing is sent to them: a socket is only told where to send.
const OUTSIDE: &[(&str, &str)] = &[("0.0.0.0:0", "9.9.9.9:53"), ("[::]:0", "[2620:fe::fe]:53")];

/// How long the child waits that [`Layer::Cleanup`] must end.
const STAYS: Duration = Duration::from_secs(120);

/// What got through, by promise. Only those that are said to hold are tried.
pub(super) fn tried(
    given: &Given,
    pins: &Pins,
    held: &Held,
    holds: &[Layer],
) -> Vec<(Layer, String)> {
    let plan = &given.plan;
    let mut through = Vec::new();
    for layer in holds {
        let found = match layer {
            Layer::Files => files(plan),
            Layer::Unreadable => plan.profile.denied.iter().take(MOST_PATHS).find_map(|path| {
                is_readable(path).then(|| format!("`{}` can be read", path.display()))
            }),
            Layer::Protected => pins.fixed.iter().take(MOST_PATHS).find_map(|path| {
                is_writable(path).then(|| format!("`{}` can be written", path.display()))
            }),
            Layer::Network => network(plan, held),
            Layer::Sockets => sockets(),
            Layer::Processes => processes(held),
            Layer::Ipc => objects(held),
            Layer::Syscalls => calls(),
            Layer::Privileges => privileges(),
            Layer::Limits => limits(plan),
            Layer::Cleanup => {
                stay_behind();
                None
            }
        };
        through.extend(found.map(|what| (*layer, what)));
    }
    through
}

/// Whether something can be made or changed there: opened for writing where it is a file, and a file without a name made in it where it
/// is a directory.
fn is_writable(path: &Path) -> bool {
    let mut options = File::options();
    options.write(true);
    let flags = if path.is_dir() { libc::O_TMPFILE } else { 0 };
    options.custom_flags(flags | libc::O_NONBLOCK).mode(0o600).open(path).is_ok()
}

fn is_readable(path: &Path) -> bool {
    if path.is_dir() {
        return fs::read_dir(path).is_ok();
    }
    File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).is_ok()
}

fn files(plan: &Plan) -> Option<String> {
    let profile = &plan.profile;
    let written = |path: &Path| {
        profile.write.iter().any(|root| path.starts_with(root))
            || profile.temporary && path.starts_with(super::view::TEMPORARY)
    };
    let above = profile.write.iter().filter_map(|root| root.parent());
    let places = ["/", "/etc", "/usr", "/var/tmp", "/home", "/root", "/opt"].map(Path::new);
    for place in places.into_iter().chain(above).filter(|place| !written(place)) {
        if is_writable(place) {
            return Some(format!("`{}` can be written", place.display()));
        }
    }
    let read =
        |path: &Path| profile.read.iter().chain(&profile.write).any(|root| path.starts_with(root));
    let found = places.into_iter().find(|place| !read(place) && is_readable(place));
    found.map(|place| format!("`{}` can be read", place.display()))
}

fn network(plan: &Plan, held: &Held) -> Option<String> {
    if plan.profile.network == Network::Open {
        return None;
    }
    // In a network of its own there is no way there; otherwise there is no socket.
    for (own, address) in OUTSIDE {
        let reached = UdpSocket::bind(own).and_then(|socket| socket.connect(address));
        if reached.is_ok() {
            return Some(format!("there is a way to {address}"));
        }
    }
    let may = |family, kind| kernel::may_have_socket(family, kind, false);
    let separate = held.namespaces.is_some();
    [
        (libc::AF_INET, libc::SOCK_STREAM, !separate, "for TCP"),
        (libc::AF_INET, libc::SOCK_RAW, true, "below TCP"),
        (libc::AF_PACKET, libc::SOCK_RAW, true, "below the protocols"),
        (libc::AF_NETLINK, libc::SOCK_RAW, true, "to the kernel's network"),
        (libc::AF_VSOCK, libc::SOCK_STREAM, true, "to the host of this machine"),
    ]
    .into_iter()
    .find(|(family, kind, tried, _)| *tried && may(*family, *kind))
    .map(|(.., what)| format!("a socket {what} can be made"))
}

fn sockets() -> Option<String> {
    // The kernel knows no more types than these bits say.
    for kind in 0..16 {
        if kernel::may_have_socket(libc::AF_UNIX, kind, false) {
            return Some(format!("a Unix socket of type {kind} can be made"));
        }
        let is_connected = matches!(kind, libc::SOCK_STREAM | libc::SOCK_SEQPACKET);
        if !is_connected && kernel::may_have_socket(libc::AF_UNIX, kind, true) {
            return Some(format!("a pair of Unix sockets of type {kind} can be made"));
        }
    }
    None
}

fn processes(held: &Held) -> Option<String> {
    let own = kernel::process();
    let hidden = held.namespaces.as_ref().is_some_and(|spaces| spaces.hidden);
    if hidden {
        // Those who are here are the first one, and ourselves.
        let seen = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = seen.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let other = numbers.into_iter().find(|number| *number != 1 && *number != own);
        return other.map(|number| format!("the process {number} can be seen"));
    }
    // Signal 0 asks whether another one might be sent.
    kernel::kill(kernel::parent(), 0)
        .is_ok()
        .then(|| "the process that watches could be killed".to_owned())
}

fn objects(held: &Held) -> Option<String> {
    if held.namespaces.is_some() {
        let objects = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
        return (objects.lines().count() > 1).then(|| "shared memory can be seen".to_owned());
    }
    let refused = Some(libc::EPERM);
    [libc::SYS_shmget, libc::SYS_semget, libc::SYS_msgget, libc::SYS_mq_open]
        .into_iter()
        .find(|call| kernel::call_with_nothing(*call) != refused)
        .map(|call| format!("system call {call} is not refused"))
}

fn calls() -> Option<String> {
    filter::refused_always()
        .find(|call| kernel::call_with_nothing(*call) != Some(libc::EPERM))
        .map(|call| format!("system call {call} is not refused"))
}

fn privileges() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value =
        |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map_or("", str::trim);
    let any = ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"]
        .into_iter()
        .find(|name| value(name).bytes().any(|digit| digit != b'0'));
    match any {
        Some(name) => Some(format!("a capability is left in `{name}`")),
        None if value("NoNewPrivs:") != "1" => Some("privileges can be gained".to_owned()),
        None => None,
    }
}

fn limits(plan: &Plan) -> Option<String> {
    let limits = &plan.limits;
    [
        (libc::RLIMIT_CPU, limits.cpu_seconds, "time of the processor"),
        (libc::RLIMIT_AS, limits.address_space, "addresses"),
        (libc::RLIMIT_FSIZE, limits.file_size, "length of files"),
        (libc::RLIMIT_NOFILE, limits.open_files, "open files"),
        (libc::RLIMIT_CORE, Some(0), "length of cores"),
    ]
    .into_iter()
    .find(|(resource, most, _)| {
        most.is_some_and(|most| kernel::most(*resource).is_ok_and(|there| there > most))
    })
    .map(|(.., what)| format!("the {what} can be more"))
}

/// Leaves a process behind, which holds our output open: whoever reads it sees whether it was ended.
fn stay_behind() {
    if let Ok(None) = kernel::fork(0) {
        let _ = kernel::new_session();
        std::thread::sleep(STAYS);
        kernel::exit(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    /// Without a sandbox each trial gets through, so that it says something when it does not in one.
    #[test]
    fn trials_get_through_where_nothing_holds() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let inner = root.join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(root.join("file"), "x").unwrap();
        assert!(is_writable(&root) && is_writable(&root.join("file")));
        assert!(is_readable(&root) && is_readable(&root.join("file")));
        assert_eq!(fs::read_to_string(root.join("file")).unwrap(), "x");
        assert_eq!(fs::read_dir(&root).unwrap().count(), 2, "nothing is left");
        let mut profile = Profile::workspace_write(&inner);
        profile.temporary = false;
        let plan = Plan {
            program: None,
            arguments: Vec::new(),
            directory: inner,
            environment: Vec::new(),
            profile,
            require: crate::Layers::NONE,
            limits: crate::Limits { open_files: Some(1), ..crate::Limits::default() },
            without: Vec::new(),
            watched: false,
            numbers: Vec::new(),
        };
        assert!(files(&plan).is_some());
        assert!(limits(&plan).is_some());
        let held = Held::plain(Vec::new(), None);
        assert!(network(&plan, &held).is_some());
        assert!(sockets().is_some());
        assert!(processes(&held).is_some());
        assert!(privileges().is_some());
        assert!(objects(&held).is_some());
    }
}
