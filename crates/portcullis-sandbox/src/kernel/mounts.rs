//! Mounts, and names resolved to descriptors.

use std::{
    ffi::{CStr, c_int, c_void},
    io,
    mem::MaybeUninit,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
    path::Path,
    ptr,
};

use super::{c_text, checked, checked_long, kind};

/// Mounts a file system of its own kind, as `tmpfs` and `proc`.
pub(crate) fn mount(
    kind: &CStr,
    target: &Path,
    flags: libc::c_ulong,
    options: &CStr,
) -> io::Result<()> {
    let target = c_text(target.as_os_str())?;
    // SAFETY: every pointer is to a text that outlives the call.
    checked(unsafe {
        libc::mount(
            kind.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            flags,
            options.as_ptr().cast::<c_void>(),
        )
    })
    .map(drop)
}

/// Nothing that is mounted here is seen elsewhere, nor the other way round.
pub(crate) fn keep_mounts_private() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: the target is a text; the others are not read.
    checked(unsafe { libc::mount(ptr::null(), c"/".as_ptr(), ptr::null(), flags, ptr::null()) })
        .map(drop)
}

const AT_RECURSIVE: c_int = 0x8000;

const MOVE_MOUNT_F_EMPTY_PATH: c_int = 0x4;

const MOVE_MOUNT_T_EMPTY_PATH: c_int = 0x40;

pub(crate) const MOUNT_READ_ONLY: u64 = 0x1;

pub(crate) const MOUNT_NO_SETUID: u64 = 0x2;

pub(crate) const MOUNT_NO_DEVICES: u64 = 0x4;

#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Sets attributes of a mount, and of those below it where it is `deep`.
pub(crate) fn mount_attributes(mount: BorrowedFd<'_>, set: u64, deep: bool) -> io::Result<()> {
    let attributes = Attributes { set, clear: 0, propagation: 0, user_namespace: 0 };
    let flags = libc::AT_EMPTY_PATH | if deep { AT_RECURSIVE } else { 0 };
    // SAFETY: the structure is as long as is said, the path an empty text.
    checked_long(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    })
    .map(drop)
}

/// A copy of what is mounted at an open place, attached nowhere.
pub(crate) fn copy_mount(place: BorrowedFd<'_>, deep: bool) -> io::Result<OwnedFd> {
    const CLONE: c_int = 1;
    let flags = CLONE | libc::O_CLOEXEC | libc::AT_EMPTY_PATH | if deep { AT_RECURSIVE } else { 0 };
    // SAFETY: the path is an empty text; the new descriptor belongs to nobody else.
    unsafe {
        let tree = libc::syscall(libc::SYS_open_tree, place.as_raw_fd(), c"".as_ptr(), flags);
        let tree = checked_long(tree)?;
        Ok(OwnedFd::from_raw_fd(RawFd::try_from(tree).unwrap_or(-1)))
    }
}

/// Attaches a mount at an open place.
pub(crate) fn attach_mount(mount: BorrowedFd<'_>, place: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: both paths are empty texts.
    checked_long(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount.as_raw_fd(),
            c"".as_ptr(),
            place.as_raw_fd(),
            c"".as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH,
        )
    })
    .map(drop)
}

/// How a place is opened without being read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Links {
    /// No component may be a symbolic link.
    Refused,
    /// The last component may be one, and is the place itself.
    LastIsPlace,
}

/// Opens a place without reading it: nothing but where it is.
pub(crate) fn locate(path: &Path, links: Links) -> io::Result<OwnedFd> {
    #[repr(C)]
    struct How {
        flags: u64,
        mode: u64,
        resolve: u64,
    }
    const NO_MAGIC_LINKS: u64 = 0x2;
    const NO_SYMLINKS: u64 = 0x4;
    let flags = libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    // With `O_PATH` and `O_NOFOLLOW` a last component that is a link is opened itself; the others are refused by the resolution.
    let resolve = NO_MAGIC_LINKS | NO_SYMLINKS;
    let how = How { flags: u64::from(flags.cast_unsigned()), mode: 0, resolve };
    let path = c_text(path.as_os_str())?;
    // SAFETY: the structure is as long as is said; the new descriptor belongs to nobody else.
    let opened = unsafe {
        let opened = libc::syscall(
            libc::SYS_openat2,
            libc::AT_FDCWD,
            path.as_ptr(),
            &raw const how,
            size_of::<How>(),
        );
        checked_long(opened)
            .map(|opened| OwnedFd::from_raw_fd(RawFd::try_from(opened).unwrap_or(-1)))?
    };
    if links == Links::Refused && kind(&opened)? == libc::S_IFLNK {
        return Err(io::Error::from_raw_os_error(libc::ELOOP));
    }
    Ok(opened)
}

/// Whether nothing can be written through what is mounted at an open place.
pub(crate) fn is_read_only(descriptor: BorrowedFd<'_>) -> io::Result<bool> {
    let mut found = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the structure is written whole where the call succeeds, and read only then.
    unsafe {
        checked(libc::fstatvfs(descriptor.as_raw_fd(), found.as_mut_ptr()))?;
        Ok(found.assume_init().f_flag & libc::ST_RDONLY != 0)
    }
}
