//! What a program does, as it is told. Owns which of it is kept. It lives outside, and every call goes on whatever is made of it.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    fs, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::ffi::{OsStrExt as _, OsStringExt as _},
    },
    path::{Component, Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{
    Elsewhere, MOST_SEEN, Profile, Seen,
    kernel::{self, Call, Watch},
};

/// The longest path that is read; the kernel takes no longer one.
const LONGEST: usize = 4096;

/// How long is waited where a call that was told of is none any more.
const PAUSE: Duration = Duration::from_millis(1);

/// What may be written in every case, and with what below it.
const OPEN: &[&str] = &["/dev", "/proc"];

/// Keeps what it is told of until nobody is left who could tell.
#[derive(Debug)]
pub(crate) struct Watcher {
    thread: thread::JoinHandle<Seen>,
    /// Closed, it ends the thread.
    stop: io::PipeWriter,
}

impl Watcher {
    /// What is told at `calls`; `begun` is closed at its other end once the program runs.
    pub(crate) fn started(calls: OwnedFd, begun: OwnedFd, profile: &Profile) -> io::Result<Self> {
        let notes = Notes::new(profile);
        let (stopped, stop) = io::pipe()?;
        let thread = thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || notes.follow(&calls, &begun, &stopped))?;
        Ok(Self { thread, stop })
    }

    /// What was seen. Everything that was started has ended.
    pub(crate) fn ended(self) -> Seen {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

struct Notes {
    seen: Seen,
    programs: HashMap<PathBuf, usize>,
    known: HashSet<PathBuf>,
    denied: Vec<PathBuf>,
    /// The last names of what is denied: a path without any of them leads to none of it.
    names: HashSet<OsString>,
    writable: Vec<PathBuf>,
    overlaid: Vec<PathBuf>,
}

impl Notes {
    fn new(profile: &Profile) -> Self {
        let mut writable = profile.write.clone();
        writable.extend(profile.temporary.then(|| PathBuf::from("/tmp")));
        writable.extend(OPEN.iter().map(PathBuf::from));
        let overlaid = profile.layered.iter().filter_map(|one| match one.elsewhere {
            Elsewhere::Overlay { .. } => Some(one.root.clone()),
            Elsewhere::Copy(_) => None,
        });
        let names = profile.denied.iter().filter_map(|path| path.file_name());
        Self {
            names: names.map(OsString::from).collect(),
            denied: profile.denied.clone(),
            writable,
            overlaid: overlaid.collect(),
            seen: Seen::default(),
            programs: HashMap::new(),
            known: HashSet::new(),
        }
    }

    fn follow(mut self, calls: &OwnedFd, begun: &OwnedFd, stopped: &io::PipeReader) -> Seen {
        let mut runs = false;
        kernel::answer_at_once(calls.as_fd());
        loop {
            let mut watches = [
                Watch { descriptor: calls.as_fd(), to_write: false, ready: false },
                Watch { descriptor: stopped.as_fd(), to_write: false, ready: false },
            ];
            if kernel::poll(&mut watches, None).is_err() {
                break;
            }
            let [told, stopped] = watches;
            if !told.ready {
                if stopped.ready {
                    break;
                }
                continue;
            }
            match kernel::next_call(calls.as_fd()) {
                Ok(Some(call)) => {
                    runs = runs || is_closed(begun);
                    let unread = self.seen.unread;
                    self.note(&call);
                    if !runs {
                        // It is the stage that starts the program. An ordinary user may not read what it has in its memory.
                        self.seen.unread = unread;
                    }
                    kernel::answer_call(calls.as_fd(), &call);
                }
                Ok(None) if stopped.ready => break,
                // Whoever was told of is gone; what comes next may take a while.
                Ok(None) => thread::sleep(PAUSE),
                // Nobody is left who could tell.
                Err(_) => break,
            }
        }
        self.seen
    }

    fn note(&mut self, call: &Call) {
        self.seen.calls += 1;
        let here = libc::AT_FDCWD.cast_unsigned().into();
        let [first, second, third, fourth, ..] = call.arguments;
        match call.number {
            libc::SYS_execve => self.started(call, here, first),
            libc::SYS_execveat => self.started(call, first, second),
            libc::SYS_connect => self.connects(call, second, third),
            libc::SYS_openat => self.opens(call, first, second, third),
            libc::SYS_openat2 => {
                let mut flags = [0; 8];
                let read = kernel::memory(call.pid, third, &mut flags);
                let flags = if read == 8 { u64::from_ne_bytes(flags) } else { 0 };
                self.opens(call, first, second, flags);
            }
            libc::SYS_renameat2 => {
                self.renames(call, first, second);
                self.changes(call, first, second);
                self.changes(call, third, fourth);
            }
            libc::SYS_linkat => self.changes(call, third, fourth),
            libc::SYS_symlinkat => self.changes(call, second, third),
            libc::SYS_truncate => self.changes(call, here, first),
            libc::SYS_mkdirat => self.makes(call, first, second),
            libc::SYS_unlinkat | libc::SYS_fchmodat | libc::SYS_fchownat => {
                self.changes(call, first, second);
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => self.opens(call, here, first, second),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_renameat => {
                self.renames(call, first, second);
                self.changes(call, first, second);
                self.changes(call, third, fourth);
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_rename => {
                self.renames(call, here, first);
                self.changes(call, here, first);
                self.changes(call, here, second);
            }
            #[cfg(target_arch = "x86_64")]
            libc::SYS_link | libc::SYS_symlink => self.changes(call, here, second),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_mkdir => self.makes(call, here, first),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_creat
            | libc::SYS_unlink
            | libc::SYS_rmdir
            | libc::SYS_chmod
            | libc::SYS_chown => self.changes(call, here, first),
            _ => {}
        }
    }

    fn started(&mut self, call: &Call, folder: u64, path: u64) {
        let Some(path) = self.path(call, path).and_then(|path| self.whole(call, folder, &path))
        else {
            return;
        };
        // A shell tries every directory of its `PATH`.
        let inside = format!("/proc/{}/root", call.pid);
        let Ok(rest) = path.strip_prefix("/") else { return };
        if fs::symlink_metadata(Path::new(&inside).join(rest)).is_err() {
            return;
        }
        if let Some((_, count)) =
            self.programs.get(&path).and_then(|at| self.seen.programs.get_mut(*at))
        {
            *count += 1;
        } else if self.seen.programs.len() < MOST_SEEN {
            self.programs.insert(path.clone(), self.seen.programs.len());
            self.seen.programs.push((path, 1));
        } else {
            self.seen.dropped += 1;
        }
    }

    fn opens(&mut self, call: &Call, folder: u64, path: u64, flags: u64) {
        let flags = u32::try_from(flags & u64::from(u32::MAX)).unwrap_or(0).cast_signed();
        let Some(path) = self.path(call, path) else { return };
        if flags & libc::O_ACCMODE != libc::O_RDONLY || flags & (libc::O_CREAT | libc::O_TRUNC) != 0
        {
            self.changes_there(call, folder, &path);
        }
        let may_be = Path::new(&path)
            .components()
            .any(|part| matches!(part, Component::Normal(name) if self.names.contains(name)));
        if may_be
            && let Some(path) = self.whole(call, folder, &path)
            && self.denied.iter().any(|denied| path.starts_with(denied))
            && self.known.insert(path.clone())
        {
            keep(&mut self.seen.secrets, path, &mut self.seen.dropped);
        }
    }

    fn changes(&mut self, call: &Call, folder: u64, path: u64) {
        if let Some(path) = self.path(call, path) {
            self.changes_there(call, folder, &path);
        }
    }

    fn changes_there(&mut self, call: &Call, folder: u64, path: &OsString) {
        let Some(path) = self.whole(call, folder, path) else { return };
        if !self.writable.iter().any(|root| path.starts_with(root))
            && self.known.insert(path.clone())
        {
            keep(&mut self.seen.refused, path, &mut self.seen.dropped);
        }
    }

    /// A directory that is there already is made by nobody: `mkdir -p` asks for every one on its way.
    fn makes(&mut self, call: &Call, folder: u64, path: u64) {
        let named = self.path(call, path).and_then(|path| self.whole(call, folder, &path));
        if named.is_some_and(|path| !path.is_dir()) {
            self.changes(call, folder, path);
        }
    }

    /// What is renamed counts where it is a directory that lies in the lower layer of an overlay.
    fn renames(&mut self, call: &Call, folder: u64, path: u64) {
        if self.overlaid.is_empty() {
            return;
        }
        let Some(path) = self.path(call, path).and_then(|path| self.whole(call, folder, &path))
        else {
            return;
        };
        if self.overlaid.iter().any(|root| path.starts_with(root))
            && fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir())
            && !self.seen.renamed.contains(&path)
        {
            keep(&mut self.seen.renamed, path, &mut self.seen.dropped);
        }
    }

    fn connects(&mut self, call: &Call, address: u64, length: u64) {
        let mut room = [0; 28];
        let length = usize::try_from(length).unwrap_or(0).min(room.len());
        let Some(room) = room.get_mut(..length) else { return };
        let read = kernel::memory(call.pid, address, room);
        let Some(address) = room.get(..read).and_then(address_of) else { return };
        let text = address.to_string();
        if !address.ip().is_loopback() && !self.seen.addresses.contains(&text) {
            keep(&mut self.seen.addresses, text, &mut self.seen.dropped);
        }
    }

    /// The text at an address.
    fn path(&mut self, call: &Call, address: u64) -> Option<OsString> {
        let mut text = Vec::new();
        let mut room = [0; LONGEST];
        let mut address = address;
        while text.len() < LONGEST {
            let read = kernel::memory(call.pid, address, &mut room);
            let part = room.get(..read).filter(|part| !part.is_empty());
            let Some(part) = part else {
                self.seen.unread += 1;
                return None;
            };
            if let Some(end) = part.iter().position(|byte| *byte == 0) {
                text.extend_from_slice(part.get(..end).unwrap_or_default());
                return Some(OsString::from_vec(text));
            }
            text.extend_from_slice(part);
            address = address.checked_add(read as u64)?;
        }
        None
    }

    /// The absolute path, as it is written; links in it are not followed.
    fn whole(&self, call: &Call, folder: u64, path: &OsString) -> Option<PathBuf> {
        let path = Path::new(path);
        let start = if path.is_absolute() {
            PathBuf::from("/")
        } else {
            let folder = u32::try_from(folder & u64::from(u32::MAX)).ok()?.cast_signed();
            let pid = call.pid;
            let place = if folder == libc::AT_FDCWD {
                format!("/proc/{pid}/cwd")
            } else {
                format!("/proc/{pid}/fd/{folder}")
            };
            fs::read_link(place).ok()?
        };
        if path.as_os_str().as_bytes().is_empty() {
            return Some(start);
        }
        let mut whole = PathBuf::from("/");
        for part in start.components().chain(path.components()) {
            match part {
                Component::ParentDir => drop(whole.pop()),
                Component::Normal(name) => whole.push(name),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        Some(whole)
    }
}

/// Whether the other end of a pipe into which nobody writes is closed.
fn is_closed(pipe: &OwnedFd) -> bool {
    let mut watch = [Watch { descriptor: pipe.as_fd(), to_write: false, ready: false }];
    let _ = kernel::poll(&mut watch, Some(0));
    watch.iter().all(|watch| watch.ready)
}

fn keep<T>(list: &mut Vec<T>, one: T, dropped: &mut u64) {
    if list.len() < MOST_SEEN {
        list.push(one);
    } else {
        *dropped += 1;
    }
}

/// The address of the network that a socket is told to connect to.
fn address_of(bytes: &[u8]) -> Option<SocketAddr> {
    let family = u16::from_ne_bytes(*bytes.first_chunk()?);
    let port = u16::from_be_bytes(*bytes.get(2..)?.first_chunk()?);
    let ip = match i32::from(family) {
        libc::AF_INET => IpAddr::V4(Ipv4Addr::from(*bytes.get(4..)?.first_chunk::<4>()?)),
        libc::AF_INET6 => IpAddr::V6(Ipv6Addr::from(*bytes.get(8..)?.first_chunk::<16>()?)),
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_the_kernel_reads_them() {
        let inet = libc::AF_INET as u16;
        let mut bytes = inet.to_ne_bytes().to_vec();
        bytes.extend([0, 53, 10, 0, 0, 2]);
        assert_eq!(address_of(&bytes).unwrap().to_string(), "10.0.0.2:53");
        assert_eq!(address_of(&bytes[..5]), None);
        assert_eq!(address_of(&[]), None);
    }
}
