//! Being told of a program's calls before the kernel does them. Nothing is decided by it: every call goes on as it is, so that a program which
//! changes its words meanwhile only fools what is told of it.

use std::{
    io,
    mem::{self, MaybeUninit},
    os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd},
};

use super::{Pid, checked, checked_long};

#[cfg(target_arch = "x86_64")]
const INSTRUCTION_SET: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const INSTRUCTION_SET: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const INSTRUCTION_SET: u32 = 0xc000_00f3;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const INSTRUCTION_SET: u32 = 0;

/// The calls that are told of.
const TOLD: &[libc::c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_connect,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_fchmodat,
    libc::SYS_fchownat,
    libc::SYS_truncate,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_renameat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
];

/// `SECCOMP_IOCTL_NOTIF_SET_FLAGS` and `SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP` of Linux 6.6, which the bindings leave out.
const SET_FLAGS: libc::Ioctl = 0x4008_2104;
const WAKE_AT_ONCE: u64 = 1;

/// A call that a program is about to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    id: u64,
    /// Who makes it, as we number processes.
    pub(crate) pid: Pid,
    /// Its number.
    pub(crate) number: libc::c_long,
    /// What it is given.
    pub(crate) arguments: [u64; 6],
}

/// Has this process and all that come from it tell of their calls; whoever holds what is given back must answer each of them.
pub(crate) fn watched_calls() -> io::Result<OwnedFd> {
    if INSTRUCTION_SET == 0 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let line = |code: u16, jt: usize, jf: usize, k: u32| libc::sock_filter {
        code,
        jt: u8::try_from(jt).unwrap_or(0),
        jf: u8::try_from(jf).unwrap_or(0),
        k,
    };
    // Load the instruction set; another one is not ours to tell of, and another filter ends it.
    let count = TOLD.len();
    let mut program = vec![line(0x20, 0, 0, 4), line(0x15, 0, count + 1, INSTRUCTION_SET)];
    program.push(line(0x20, 0, 0, 0));
    for (at, call) in TOLD.iter().enumerate() {
        // To the answer behind the one that lets it go on.
        program.push(line(0x15, count - at, 0, u32::try_from(*call).unwrap_or(u32::MAX)));
    }
    program.push(line(0x06, 0, 0, libc::SECCOMP_RET_ALLOW));
    program.push(line(0x06, 0, 0, libc::SECCOMP_RET_USER_NOTIF));
    let length = libc::c_ushort::try_from(program.len());
    let len = length.map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let filter = libc::sock_fprog { len, filter: program.as_mut_ptr() };
    let told = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // Without the second one, a program that signals itself often would begin its calls anew without end.
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for flags in [told | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, told] {
        // SAFETY: the program has as many lines as is said; the new descriptor belongs to nobody else.
        let made = checked_long(unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const filter,
            )
        });
        match made {
            // SAFETY: as above.
            Ok(listener) => unsafe {
                return Ok(OwnedFd::from_raw_fd(RawFd::try_from(listener).unwrap_or(-1)));
            },
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Has whoever is told of a call run at once where it is made, and whoever made it there when it is answered: nobody else runs in between, so
/// that no other processor need be woken. Where the kernel knows nothing of it, it takes longer, and is the same.
pub(crate) fn answer_at_once(listener: BorrowedFd<'_>) {
    // SAFETY: the flags are a number.
    let _ = unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS, WAKE_AT_ONCE) };
}

/// The next call; none where who made it is gone by now.
pub(crate) fn next_call(listener: BorrowedFd<'_>) -> io::Result<Option<Call>> {
    // SAFETY: all zero is a notification that says nothing, as the kernel wants to see it; it is written whole where the call succeeds.
    let (done, told) = unsafe {
        let mut told: libc::seccomp_notif = mem::zeroed();
        let request = libc::SECCOMP_IOCTL_NOTIF_RECV;
        (libc::ioctl(listener.as_raw_fd(), request as _, &raw mut told), told)
    };
    match checked(done) {
        Ok(_) => Ok(Some(Call {
            id: told.id,
            pid: Pid::try_from(told.pid).unwrap_or(0),
            number: told.data.nr.into(),
            arguments: told.data.args,
        })),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EINTR)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Lets a call go on. Who made it may be gone.
pub(crate) fn answer_call(listener: BorrowedFd<'_>, call: &Call) {
    let flags = u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).unwrap_or(1);
    let answer = libc::seccomp_notif_resp { id: call.id, val: 0, error: 0, flags };
    let request = libc::SECCOMP_IOCTL_NOTIF_SEND;
    // SAFETY: the answer is whole.
    unsafe { libc::ioctl(listener.as_raw_fd(), request as _, &raw const answer) };
}

/// What another process has in its memory from an address on, up to the end of the page, and no more than there is room for.
pub(crate) fn memory(pid: Pid, address: u64, room: &mut [u8]) -> usize {
    const PAGE: u64 = 4096;
    let left = usize::try_from(PAGE - address % PAGE).unwrap_or(0).min(room.len());
    let ours = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: left };
    let mut theirs = MaybeUninit::<libc::iovec>::uninit();
    let theirs = theirs.write(libc::iovec {
        iov_base: std::ptr::without_provenance_mut(usize::try_from(address).unwrap_or(0)),
        iov_len: left,
    });
    // SAFETY: at most as much is written as there is room for; the address belongs to the other process.
    let read = unsafe {
        libc::process_vm_readv(pid, &raw const ours, 1, std::ptr::from_ref(theirs), 1, 0)
    };
    usize::try_from(read).unwrap_or(0)
}
