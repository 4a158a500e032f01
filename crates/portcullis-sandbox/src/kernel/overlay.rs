//! Mounting an overlay, attached nowhere. Its directories are handed over open: their names could be too long, or hold what the kernel takes
//! for something else.

use std::{
    ffi::{CStr, CString},
    io,
    os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd},
    ptr,
};

use super::checked_long;

const CLOSE_ON_EXEC: libc::c_uint = 1;
const SET_FLAG: libc::c_uint = 0;
const SET_STRING: libc::c_uint = 1;
const CREATE: libc::c_uint = 6;

/// An overlay of `upper` on `lower`. What it notes of its own it notes in attributes that every user may write.
pub(crate) fn overlay(
    lower: BorrowedFd<'_>,
    upper: BorrowedFd<'_>,
    work: BorrowedFd<'_>,
) -> io::Result<OwnedFd> {
    // SAFETY: the name is a text; the new descriptor belongs to nobody else.
    let context = unsafe {
        let opened = libc::syscall(libc::SYS_fsopen, c"overlay".as_ptr(), CLOSE_ON_EXEC);
        OwnedFd::from_raw_fd(RawFd::try_from(checked_long(opened)?).unwrap_or(-1))
    };
    for (key, place) in [(c"lowerdir", lower), (c"upperdir", upper), (c"workdir", work)] {
        let path = format!("/proc/self/fd/{}", place.as_raw_fd());
        let path = CString::new(path).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        configured(&context, SET_STRING, Some(key), Some(&path))?;
    }
    configured(&context, SET_FLAG, Some(c"userxattr"), None)?;
    configured(&context, CREATE, None, None)?;
    // SAFETY: no memory is involved; the new descriptor belongs to nobody else.
    unsafe {
        let mounted = libc::syscall(libc::SYS_fsmount, context.as_raw_fd(), CLOSE_ON_EXEC, 0_u32);
        Ok(OwnedFd::from_raw_fd(RawFd::try_from(checked_long(mounted)?).unwrap_or(-1)))
    }
}

fn configured(
    context: &OwnedFd,
    what: libc::c_uint,
    key: Option<&CStr>,
    value: Option<&CStr>,
) -> io::Result<()> {
    let text = |text: Option<&CStr>| text.map_or(ptr::null(), CStr::as_ptr);
    // SAFETY: both texts outlive the call, or are none, where the command takes none.
    checked_long(unsafe {
        libc::syscall(libc::SYS_fsconfig, context.as_raw_fd(), what, text(key), text(value), 0_i32)
    })
    .map(drop)
}
