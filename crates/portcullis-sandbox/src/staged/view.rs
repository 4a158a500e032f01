//! What the program sees of the files: mounts of its own. Owns their order. Everything is read-only; what may be written is attached
//! anew as it was, what may not be read is covered, and what may not be changed is attached read-only on top.

use std::{
    fs::{self, File},
    io,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::{
            ffi::OsStringExt as _,
            fs::{PermissionsExt as _, symlink},
        },
    },
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::pinned::Pins;
use crate::{
    Elsewhere,
    channel::Plan,
    kernel::{self, Links, MOUNT_NO_DEVICES, MOUNT_NO_SETUID, MOUNT_READ_ONLY},
};

/// The private temporary directory.
pub(super) const TEMPORARY: &str = "/tmp";

/// How much it holds, in memory.
const TEMPORARY_OPTIONS: &std::ffi::CStr = c"mode=1777,size=1g,nr_inodes=200k";
pub(super) const TEMPORARY_BYTES: &str = "1073741824";

/// Devices that harm nobody.
pub(super) const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What may only be read. Devices may lie anywhere, and are none there.
const RESTRICTED: u64 = MOUNT_READ_ONLY | MOUNT_NO_SETUID | MOUNT_NO_DEVICES;

/// Links that programs expect beside them.
const DEVICE_LINKS: &[(&str, &str)] = &[
    ("/proc/self/fd", "/dev/fd"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
    ("/proc/self/fd/2", "/dev/stderr"),
    ("pts/ptmx", "/dev/ptmx"),
];

/// Where what covers other things comes from.
const COVERS: &str = "/dev/.covers";

/// What failed, and why.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub(super) struct Failed {
    what: String,
    source: io::Error,
}

fn failed(what: impl Into<String>) -> impl FnOnce(io::Error) -> Failed {
    let what = what.into();
    |source| Failed { what, source }
}

/// How something is attached.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(super) enum How {
    /// As it was, and changed elsewhere.
    Layered,
    /// As it was.
    Writable,
    /// As it is, read-only.
    Fixed,
    /// Something unreadable in its place.
    Covered,
}

/// Makes the view. Whether the processes outside are hidden too is the answer; in some containers that is refused.
pub(super) fn make(plan: &Plan, pins: &Pins) -> Result<bool, Failed> {
    kernel::keep_mounts_private().map_err(failed("mounts cannot be made private"))?;
    let mut attached = Vec::new();
    for (path, how) in wanted(plan, pins) {
        // Taken before everything becomes read-only: a copy keeps what it was. A cover is copied when it is there.
        let copy = match how {
            How::Covered => None,
            How::Layered => Some(layered(&path, plan)?),
            How::Writable | How::Fixed => Some(copied(&path, how)?),
        };
        attached.push((path, how, copy));
    }
    let devices = copied_devices()?;
    let root = located(Path::new("/"), Links::Refused)?;
    kernel::mount_attributes(root.as_fd(), RESTRICTED, true)
        .map_err(failed("nothing can be made read-only"))?;
    make_devices(&devices)?;
    if plan.profile.temporary {
        kernel::mount(
            c"tmpfs",
            Path::new(TEMPORARY),
            libc::MS_NOSUID | libc::MS_NODEV,
            TEMPORARY_OPTIONS,
        )
        .map_err(failed("no temporary directory can be mounted"))?;
    }
    for (path, how, copy) in attached {
        if let Some(copy) = copy {
            attach(&path, &copy)?;
        } else if how == How::Covered {
            cover(&path)?;
        }
    }
    let quiet = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    let own = kernel::mount(c"proc", Path::new("/proc"), quiet | libc::MS_RDONLY, c"").is_ok();
    let devices = located(Path::new("/dev"), Links::Refused)?;
    kernel::mount_attributes(devices.as_fd(), MOUNT_READ_ONLY, false)
        .map_err(failed("the devices cannot be made read-only"))?;
    std::env::set_current_dir("/").map_err(failed("`/` cannot be entered"))?;
    Ok(own)
}

/// What is attached where, outer places before inner ones; at the same place what is stricter comes last.
pub(super) fn wanted(plan: &Plan, pins: &Pins) -> Vec<(PathBuf, How)> {
    let profile = &plan.profile;
    let mut list: Vec<(PathBuf, How)> = Vec::new();
    let is_layered = |path: &PathBuf| profile.layered.iter().any(|one| one.root == *path);
    let how = |path: &PathBuf| if is_layered(path) { How::Layered } else { How::Writable };
    list.extend(profile.write.iter().map(|path| (path.clone(), how(path))));
    if !profile.layered.is_empty() {
        // A layer holds one file system. Others that are mounted below it may be read.
        let inner = mounts().into_iter().filter(|path| {
            profile.layered.iter().any(|one| one.root != *path && path.starts_with(&one.root))
        });
        list.extend(inner.map(|path| (path, How::Fixed)));
    }
    list.extend(pins.held.iter().map(|path| (path.clone(), How::Writable)));
    list.extend(pins.fixed.iter().map(|path| (path.clone(), How::Fixed)));
    list.extend(pins.covered.iter().map(|path| (path.clone(), How::Covered)));
    // What lies below something covered is covered.
    list.retain(|(path, _)| !profile.denied.iter().any(|denied| path.starts_with(denied)));
    list.extend(profile.denied.iter().map(|path| (path.clone(), How::Covered)));
    if profile.temporary {
        // What lies in the real temporary directory is gone but for what is named.
        let is_hidden =
            |path: &&PathBuf| path.starts_with(TEMPORARY) && *path != Path::new(TEMPORARY);
        let named = profile.read.iter().chain([&plan.directory]).filter(is_hidden);
        let apart = named.filter(|path| !profile.write.iter().any(|root| path.starts_with(root)));
        list.extend(apart.map(|path| (path.clone(), How::Fixed)));
    }
    list.sort_by_key(|(path, how)| (path.components().count(), *how as u8));
    list
}

fn located(path: &Path, links: Links) -> Result<OwnedFd, Failed> {
    kernel::locate(path, links).map_err(failed(format!("`{}` cannot be found", path.display())))
}

fn copied(path: &Path, how: How) -> Result<OwnedFd, Failed> {
    let place = located(path, Links::Refused)?;
    let copy = kernel::copy_mount(place.as_fd(), true)
        .map_err(failed(format!("`{}` cannot be mounted", path.display())))?;
    let set = if how == How::Fixed { RESTRICTED } else { MOUNT_NO_SETUID | MOUNT_NO_DEVICES };
    kernel::mount_attributes(copy.as_fd(), set, true)
        .map_err(failed(format!("`{}` cannot be restricted", path.display())))?;
    Ok(copy)
}

/// A directory in which changes go elsewhere.
fn layered(path: &Path, plan: &Plan) -> Result<OwnedFd, Failed> {
    let found = plan.profile.layered.iter().find(|one| one.root == path);
    let there = || failed(format!("`{}` cannot be layered", path.display()));
    let Some(layered) = found else { return Err(there()(io::ErrorKind::NotFound.into())) };
    let mount = match &layered.elsewhere {
        Elsewhere::Overlay { upper, work } => {
            let [lower, upper, work] =
                [path, upper.as_path(), work.as_path()].map(|place| located(place, Links::Refused));
            let (lower, upper, work) = (lower?, upper?, work?);
            kernel::overlay(lower.as_fd(), upper.as_fd(), work.as_fd()).map_err(there())?
        }
        Elsewhere::Copy(copy) => {
            let copy = located(copy, Links::Refused)?;
            kernel::copy_mount(copy.as_fd(), false).map_err(there())?
        }
    };
    kernel::mount_attributes(mount.as_fd(), MOUNT_NO_SETUID | MOUNT_NO_DEVICES, true)
        .map_err(there())?;
    Ok(mount)
}

/// Where something is mounted. Where nobody says it, what lies there is empty in a layer, which harms nothing.
fn mounts() -> Vec<PathBuf> {
    let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let point = |line: &[u8]| {
        let written = line.split(|byte| *byte == b' ').nth(4)?;
        let mut path = Vec::with_capacity(written.len());
        let mut rest = written;
        while let Some((first, more)) = rest.split_first() {
            let code = more.get(..3).filter(|_| *first == b'\\');
            let code = code.and_then(|code| std::str::from_utf8(code).ok());
            match code.and_then(|code| u8::from_str_radix(code, 8).ok()) {
                Some(byte) => {
                    path.push(byte);
                    rest = more.get(3..).unwrap_or_default();
                }
                None => {
                    path.push(*first);
                    rest = more;
                }
            }
        }
        Some(PathBuf::from(std::ffi::OsString::from_vec(path)))
    };
    table.split(|byte| *byte == b'\n').filter_map(point).collect()
}

fn attach(path: &Path, copy: &OwnedFd) -> Result<(), Failed> {
    if path.starts_with(TEMPORARY) && fs::symlink_metadata(path).is_err() {
        // In the new temporary directory nothing is there yet.
        let made = if kernel::kind(copy).is_ok_and(|kind| kind == libc::S_IFDIR) {
            fs::create_dir_all(path)
        } else {
            path.parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| File::create(path).map(drop))
        };
        made.map_err(failed(format!("there is no place for `{}`", path.display())))?;
    }
    let place = located(path, Links::Refused)?;
    kernel::attach_mount(copy.as_fd(), place.as_fd())
        .map_err(failed(format!("`{}` cannot be attached", path.display())))
}

/// Puts something unreadable in the place of a path; a link is covered itself. What is not there needs no cover.
fn cover(path: &Path) -> Result<(), Failed> {
    let place = match kernel::locate(path, Links::LastIsPlace) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => {
            return Ok(());
        }
        place => place.map_err(failed(format!("`{}` cannot be found", path.display())))?,
    };
    let is_folder = kernel::kind(&place).is_ok_and(|kind| kind == libc::S_IFDIR);
    let cover = Path::new(COVERS).join(if is_folder { "folder" } else { "file" });
    let cover = located(&cover, Links::Refused)?;
    let what = || format!("`{}` cannot be covered", path.display());
    let copy = kernel::copy_mount(cover.as_fd(), false).map_err(failed(what()))?;
    kernel::mount_attributes(copy.as_fd(), RESTRICTED, false).map_err(failed(what()))?;
    kernel::attach_mount(copy.as_fd(), place.as_fd()).map_err(failed(what()))
}

fn copied_devices() -> Result<Vec<(&'static str, OwnedFd)>, Failed> {
    let mut copies = Vec::new();
    for path in DEVICES {
        let Ok(place) = kernel::locate(Path::new(path), Links::Refused) else { continue };
        let copy = kernel::copy_mount(place.as_fd(), false)
            .map_err(failed(format!("`{path}` cannot be mounted")))?;
        copies.push((*path, copy));
    }
    Ok(copies)
}

/// The few devices, a terminal system of its own, and what covers other things.
fn make_devices(devices: &[(&str, OwnedFd)]) -> Result<(), Failed> {
    let there = || failed("the devices cannot be made");
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    kernel::mount(c"tmpfs", Path::new("/dev"), flags, c"mode=755,size=64k").map_err(there())?;
    for (path, copy) in devices {
        File::create(path).map_err(there())?;
        let place = located(Path::new(path), Links::Refused)?;
        kernel::attach_mount(copy.as_fd(), place.as_fd()).map_err(there())?;
    }
    for folder in ["/dev/pts", "/dev/shm"] {
        fs::create_dir(folder).map_err(there())?;
    }
    // Programs that want a terminal of their own do without where it is refused.
    let _ = kernel::mount(
        c"devpts",
        Path::new("/dev/pts"),
        flags,
        c"newinstance,ptmxmode=0666,mode=620",
    );
    kernel::mount(c"tmpfs", Path::new("/dev/shm"), flags | libc::MS_NODEV, c"mode=1777,size=256m")
        .map_err(there())?;
    for (to, link) in DEVICE_LINKS {
        symlink(to, link).map_err(there())?;
    }
    let (file, folder) = (Path::new(COVERS).join("file"), Path::new(COVERS).join("folder"));
    fs::create_dir_all(&folder).map_err(there())?;
    File::create(&file).map_err(there())?;
    for path in [&file, &folder] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).map_err(there())?;
    }
    Ok(())
}
