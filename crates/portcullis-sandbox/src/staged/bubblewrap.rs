//! Namespaces that bubblewrap makes, where we may not make them ourselves: AppArmor may allow them to it alone, or it may be installed
//! set-user-ID. Owns which bubblewrap is trusted, how [`view::wanted`] is told to it, and what our stage inside is handed. That the
//! result is what was wanted, [`believed`] finds out inside: bubblewrap is not asked to be right.

use std::{
    ffi::{CString, OsString},
    fs::{self, File, Metadata},
    io::{self, Read as _, Write as _},
    os::{
        fd::{AsFd as _, AsRawFd as _, OwnedFd, RawFd},
        unix::{ffi::OsStringExt as _, fs::MetadataExt as _, net::UnixStream},
    },
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    Given,
    believed::{self, Place},
    entered,
    held::{Held, Namespaced},
    pinned::Pins,
    supervise::{self, Whose},
    view::{self, How},
};
use crate::{
    Means, Network, STAGE, Unavailable,
    channel::{self, Plan},
    kernel::{self, Links},
};

/// The word by which our stage knows that bubblewrap has started it.
pub(super) const INSIDE: &str = "inside-bubblewrap";

/// Where it may be. It is never looked for in a `PATH`, which others may have written.
const PLACES: &[&str] = &["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/// Where our own program is passed on, open: its path may be hidden inside. It is closed with everything else when the program is run.
const OWN_PROGRAM: RawFd = 3;
const OWN_PROGRAM_PATH: &str = "/proc/self/fd/3";

/// How much of a complaint is read.
const LONGEST_COMPLAINT: u64 = 4096;

/// What our stage inside is handed beside the plan and the pins.
#[derive(Debug, Deserialize, Serialize)]
struct Handed {
    places: Vec<Place>,
    /// The namespaces outside, none of which it may still be in.
    outside: Vec<(String, PathBuf)>,
    unavailable: Vec<Unavailable>,
    user: u32,
    group: u32,
}

/// A bubblewrap that root alone can have put there.
#[derive(Debug)]
struct Found {
    path: &'static str,
    /// Whether it runs with root's rights.
    is_privileged: bool,
}

/// Runs it in namespaces that bubblewrap makes; gives back why not, where it cannot be had.
pub(super) fn tried(
    given: &Given,
    pins: &Pins,
    unavailable: &[Unavailable],
    signals: &OwnedFd,
) -> io::Result<Option<Unavailable>> {
    let found = match found(PLACES) {
        Ok(found) => found,
        Err(unavailable) => return Ok(Some(unavailable)),
    };
    let because = |reason: String| Ok(Some(Unavailable { remedy: None, ..missing(reason) }));
    let places = match believed::places(&given.plan, pins) {
        Ok(places) => places,
        Err(reason) => return because(reason),
    };
    let words = words(&given.plan, &found, given.user, &places);
    let (ours, theirs) = UnixStream::pair()?;
    let (complaints, complaint) = io::pipe()?;
    let streams = Streams {
        control: theirs.into(),
        quiet: File::options().write(true).open("/dev/null")?.into(),
        complaint: complaint.into(),
        program: File::open("/proc/self/exe")?.into(),
    };
    let outside = believed::namespaces(&given.plan)?;
    let Some(started) = kernel::fork(0)? else { become_it(&found, &words, &streams) };
    drop(streams);
    kernel::close_to_others()?;
    let handed = handed(given, pins, places, outside, unavailable, &ours);
    if handed.is_err() {
        // Where it has ended already, it was not waited for, and its number is still its own.
        let _ = kernel::kill(started, libc::SIGKILL);
    }
    let is_over = supervise::first(given, started, signals)?;
    supervise::sweep(Whose::Orphans)?;
    if is_over {
        return Ok(None);
    }
    let reason = match channel::hear::<Result<(), String>>(&ours) {
        Ok(Some((Ok(()), _))) => return Ok(None),
        Ok(Some((Err(reason), _))) => reason,
        Ok(None) | Err(_) => {
            let mut said = Vec::new();
            complaints.take(LONGEST_COMPLAINT).read_to_end(&mut said)?;
            let said = String::from_utf8_lossy(&said);
            let said = said.trim().trim_start_matches("bwrap: ").to_owned();
            match handed {
                Err(error) if said.is_empty() && !is_closed(&error) => {
                    format!("it cannot be told what to do: {error}")
                }
                _ if said.is_empty() => "it ended without a word".to_owned(),
                _ => format!("it fails: {said}"),
            }
        }
    };
    because(reason)
}

/// Whether the other end is gone, which says nothing of why.
fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

fn missing(reason: String) -> Unavailable {
    Unavailable {
        means: Means::Bubblewrap,
        reason,
        remedy: Some(
            "install bubblewrap: some systems let it make namespaces where others may not"
                .to_owned(),
        ),
    }
}

/// The first that can be trusted; why there is none otherwise.
fn found(places: &[&'static str]) -> Result<Found, Unavailable> {
    let mut refused = None;
    for path in places {
        // A link leads to another of these places, or to where nobody knows who may write.
        let Ok(place) = kernel::locate(Path::new(path), Links::Refused) else { continue };
        match trusted(Path::new(path)) {
            Ok(()) => {
                let mode = File::from(place).metadata().map_or(0, |found| found.mode());
                return Ok(Found { path, is_privileged: mode & libc::S_ISUID != 0 });
            }
            Err(reason) => refused = refused.or(Some(reason)),
        }
    }
    let unavailable = match refused {
        Some(reason) => Unavailable { remedy: None, ..missing(reason) },
        None => missing("it is not installed in `/usr/bin` or `/usr/local/bin`".to_owned()),
    };
    Err(unavailable)
}

/// Whether nobody but root can change what is at a path.
fn trusted(path: &Path) -> Result<(), String> {
    for part in path.ancestors() {
        let fault = match fs::symlink_metadata(part) {
            Ok(found) => fault(&found, part == path),
            Err(error) => Some(error.to_string()),
        };
        if let Some(fault) = fault {
            let path = path.display();
            return Err(format!("`{path}` is not trusted: `{}` {fault}", part.display()));
        }
    }
    Ok(())
}

fn fault(found: &Metadata, is_program: bool) -> Option<String> {
    let is_kind = if is_program { found.is_file() } else { found.is_dir() };
    let fault = match found.mode() {
        _ if !is_kind => "is something else than it should be",
        _ if found.uid() != 0 => "belongs to somebody else than root",
        mode if mode & (libc::S_IWGRP | libc::S_IWOTH) != 0 => "can be written by others than root",
        mode if is_program && mode & libc::S_IXOTH == 0 => "cannot be run by everybody",
        _ => return None,
    };
    Some(fault.to_owned())
}

/// What bubblewrap is told: the view as we would make it ourselves. Each path stands in the place of an option's value and is absolute,
/// and so none is taken for an option.
fn words(plan: &Plan, found: &Found, user: u32, places: &[Place]) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut add = |list: &[&str]| words.extend(list.iter().map(OsString::from));
    add(&["bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
    if plan.profile.network != Network::Open {
        add(&["--unshare-net"]);
    }
    add(&["--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    add(&["--ro-bind", "/", "/", "--dev", "/dev"]);
    // Set-user-ID it takes no sizes from those who are not root.
    let size =
        |bytes| if found.is_privileged && user != 0 { vec![] } else { vec!["--size", bytes] };
    add(&size("268435456"));
    add(&["--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]);
    if plan.profile.temporary {
        add(&size(view::TEMPORARY_BYTES));
        add(&["--perms", "1777", "--tmpfs", view::TEMPORARY]);
    }
    for place in places {
        let path = || place.path.clone().into_os_string();
        let option = |word: &str| OsString::from(word);
        words.extend(match place.how {
            // It is never asked for layers.
            How::Layered | How::Writable => vec![option("--bind"), path(), path()],
            How::Fixed => vec![option("--ro-bind"), path(), path()],
            How::Covered if place.is_folder => {
                let list = ["--perms", "0000", "--tmpfs"].map(OsString::from).into_iter();
                list.chain([path(), option("--remount-ro"), path()]).collect()
            }
            // Attached without devices, one of them cannot be opened.
            How::Covered => vec![option("--ro-bind"), option("/dev/null"), path()],
        });
    }
    let mut add = |list: &[&str]| words.extend(list.iter().map(OsString::from));
    add(&["--proc", "/proc", "--remount-ro", "/proc", "--chdir", "/"]);
    add(&["--", OWN_PROGRAM_PATH, STAGE, INSIDE]);
    words
}

/// What bubblewrap has open, and our stage inside with it.
struct Streams {
    control: OwnedFd,
    quiet: OwnedFd,
    complaint: OwnedFd,
    program: OwnedFd,
}

/// Runs bubblewrap in place of this process, with nothing in its environment and nothing open but its streams.
fn become_it(found: &Found, words: &[OsString], streams: &Streams) -> ! {
    let Err(error) = (|| {
        kernel::die_with_parent()?;
        let Streams { control, quiet, complaint, program } = streams;
        let mut lifted = Vec::new();
        for descriptor in [control, quiet, complaint, program] {
            lifted.push(kernel::lift(descriptor.as_fd(), OWN_PROGRAM + 1)?);
        }
        for (descriptor, number) in lifted.iter().zip(0..=OWN_PROGRAM) {
            kernel::place(descriptor.as_raw_fd(), number)?;
        }
        kernel::close_from_on_run(OWN_PROGRAM + 1)?;
        kernel::ordinary_signals();
        let text = |word: OsString| CString::new(word.into_vec()).unwrap_or_default();
        let words: Vec<CString> = words.iter().cloned().map(text).collect();
        Err::<std::convert::Infallible, _>(kernel::run(&text(found.path.into()), &words, &[]))
    })();
    // It is read where bubblewrap's own complaints are.
    if let Ok(complaint) = streams.complaint.try_clone() {
        let _ = File::from(complaint).write_all(error.to_string().as_bytes());
    }
    kernel::exit(126);
}

/// Hands everything to our stage inside, which takes the caller's socket over.
fn handed(
    given: &Given,
    pins: &Pins,
    places: Vec<Place>,
    outside: Vec<(String, PathBuf)>,
    unavailable: &[Unavailable],
    to: &UnixStream,
) -> io::Result<()> {
    let Given { control, descriptors, plan, entrance, user, group } = given;
    channel::say(to, plan, &[control.as_raw_fd(), 1, 2])?;
    channel::say(to, pins, &[])?;
    let unavailable = unavailable.to_vec();
    let handed = Handed { places, outside, unavailable, user: *user, group: *group };
    // The way into the group comes last, behind the input and what the plan has numbers for.
    let descriptors: Vec<RawFd> =
        descriptors.iter().chain(entrance).map(|one| one.as_raw_fd()).collect();
    channel::say(to, &handed, &descriptors)
}

/// Goes on inside, as the first process there.
pub(super) fn entered() -> i32 {
    let stage = UnixStream::from(kernel::own(0));
    let Some((given, pins, handed)) = taken_over(&stage) else { return 126 };
    let held = match prepared(&given, &handed) {
        Ok(held) => held,
        Err(reason) => {
            let _ = channel::say(&stage, &Err::<(), String>(reason), &[]);
            return 126;
        }
    };
    if channel::say(&stage, &Ok::<(), String>(()), &[]).is_err() {
        return 126;
    }
    drop(stage);
    entered::serve(&given, &pins, held)
}

fn taken_over(stage: &UnixStream) -> Option<(Given, Pins, Handed)> {
    let (plan, streams) = channel::hear::<Plan>(stage).ok()??;
    let (pins, _) = channel::hear::<Pins>(stage).ok()??;
    let (handed, mut descriptors) = channel::hear::<Handed>(stage).ok()??;
    let entrance =
        if descriptors.len() > plan.numbers.len() + 1 { descriptors.pop() } else { None };
    let mut streams = streams.into_iter();
    let control = UnixStream::from(streams.next()?);
    for number in [1, 2] {
        kernel::place(streams.next()?.as_raw_fd(), number).ok()?;
    }
    let (user, group) = (handed.user, handed.group);
    Some((Given { control, descriptors, plan, entrance, user, group }, pins, handed))
}

fn prepared(given: &Given, handed: &Handed) -> Result<Held, String> {
    let closed = kernel::die_with_parent().and_then(|()| kernel::close_to_others());
    closed.map_err(|error| format!("the first process cannot be closed to others: {error}"))?;
    believed::check(&given.plan, &handed.places, &handed.outside)?;
    let port = entered::way_to_proxy(given)?;
    let network = given.plan.profile.network != Network::Open;
    let namespaced = Namespaced { by: Means::Bubblewrap, users: true, network, hidden: true };
    Ok(Held::namespaced(handed.unavailable.clone(), namespaced, port))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;

    #[test]
    fn only_what_root_alone_can_change_is_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bwrap");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        let faults = |mode: u32| {
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
            fault(&fs::symlink_metadata(&program).unwrap(), true)
        };
        if kernel::effective_user() == 0 {
            assert_eq!(faults(0o755), None);
            assert_eq!(faults(0o4755), None);
            for mode in [0o775, 0o757, 0o4777, 0o700] {
                assert!(faults(mode).is_some(), "{mode:o}");
            }
            chown(&program, Some(65_534), None).unwrap();
        }
        assert!(faults(0o755).is_some_and(|fault| fault.contains("somebody else")));
        assert!(fault(&fs::symlink_metadata(folder.path()).unwrap(), true).is_some());
        // Whatever it is itself: others can put another in its place.
        assert!(trusted(&program).is_err());
        assert!(trusted(Path::new("/tmp/bwrap")).is_err());
        let link = folder.path().join("link");
        symlink("/usr/bin/env", &link).unwrap();
        assert!(fault(&fs::symlink_metadata(&link).unwrap(), true).is_some());
    }

    #[test]
    fn it_is_not_looked_for_elsewhere() {
        let unavailable = found(&["/no/such/bwrap", "/proc/self/exe"]).unwrap_err();
        assert_eq!(unavailable.means, Means::Bubblewrap);
        assert!(unavailable.remedy.is_some());
        for place in PLACES {
            assert!(place.starts_with('/'));
        }
    }
}
