//! System calls, raw, as an attacker makes them.
#![expect(unsafe_code, reason = "an attacker is not polite")]

use std::{
    ffi::CString,
    io,
    os::{
        fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd},
        unix::ffi::OsStrExt as _,
    },
    path::Path,
};

pub(crate) fn c(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

/// Any system call.
pub(crate) fn call(number: libc::c_long, arguments: &[libc::c_long]) -> io::Result<libc::c_long> {
    let a = |index: usize| arguments.get(index).copied().unwrap_or(0);
    // SAFETY: whatever happens, happens to this process, whose only task it is.
    let result = unsafe { libc::syscall(number, a(0), a(1), a(2), a(3), a(4), a(5)) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// One that was not refused: whatever else went wrong with it, it was tried.
pub(crate) fn got_through(result: io::Result<libc::c_long>) -> io::Result<()> {
    match result {
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EPERM | libc::EACCES | libc::ENOSYS | libc::EAFNOSUPPORT | libc::EROFS)
            ) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}

pub(crate) fn pointer<T>(value: &T) -> libc::c_long {
    std::ptr::from_ref(value) as libc::c_long
}

pub(crate) fn text(value: &CString) -> libc::c_long {
    value.as_ptr() as libc::c_long
}

/// The child is `Ok(0)`.
pub(crate) fn fork() -> io::Result<i32> {
    // SAFETY: the attacker has one thread.
    let pid = unsafe { libc::fork() };
    if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(pid) }
}

/// Whether a child ended by itself, with 0.
pub(crate) fn ended_well(child: i32) -> bool {
    let mut status = 1;
    // SAFETY: the status is written to a variable of ours.
    let found = unsafe { libc::waitpid(child, &raw mut status, 0) };
    found == child && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}

pub(crate) fn new_session() {
    // SAFETY: no memory is involved.
    unsafe { libc::setsid() };
}

pub(crate) fn die_with_parent() {
    // SAFETY: no memory is involved.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

pub(crate) fn parent() -> i32 {
    // SAFETY: no preconditions.
    unsafe { libc::getppid() }
}

pub(crate) fn user() -> u32 {
    // SAFETY: no preconditions.
    unsafe { libc::geteuid() }
}

pub(crate) fn kill(pid: i32, signal: i32) -> io::Result<()> {
    // SAFETY: no memory is involved.
    if unsafe { libc::kill(pid, signal) } < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A segment of shared memory that holds a text, readable to the user.
pub(crate) fn shared_secret(secret: &str) -> i32 {
    // SAFETY: the segment is longer than the text, and attached where the kernel chooses.
    unsafe {
        let id = libc::shmget(libc::IPC_PRIVATE, 4096, libc::IPC_CREAT | 0o600);
        if id >= 0 {
            let at = libc::shmat(id, std::ptr::null(), 0).cast::<u8>();
            if at as isize != -1 {
                std::ptr::copy_nonoverlapping(secret.as_ptr(), at, secret.len());
                libc::shmdt(at.cast());
            }
        }
        id
    }
}

pub(crate) fn forget_shared(id: i32) {
    // SAFETY: the segment is ours.
    unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
}

pub(crate) fn read_shared(id: i32, length: usize) -> io::Result<Vec<u8>> {
    // SAFETY: the segment is one page long.
    unsafe {
        let at = libc::shmat(id, std::ptr::null(), libc::SHM_RDONLY).cast::<u8>();
        if at as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(std::slice::from_raw_parts(at, length).to_vec())
    }
}

/// A descriptor that stays open when another program is run.
pub(crate) fn inheritable(path: &Path, flags: i32) -> OwnedFd {
    // SAFETY: the descriptor belongs to nobody else.
    unsafe {
        let opened = libc::open(c(path).as_ptr(), flags);
        assert!(opened >= 0, "{}", path.display());
        OwnedFd::from_raw_fd(opened)
    }
}

pub(crate) fn owned(number: libc::c_long) -> OwnedFd {
    // SAFETY: a new descriptor of a call.
    unsafe { OwnedFd::from_raw_fd(RawFd::try_from(number).unwrap()) }
}

pub(crate) fn open_at(folder: RawFd, path: &str, flags: i32) -> io::Result<OwnedFd> {
    let path = CString::new(path).unwrap();
    // SAFETY: the path is a text; the descriptor belongs to nobody else.
    unsafe {
        let opened = libc::openat(folder, path.as_ptr(), flags, 0o644);
        if opened < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(opened)) }
    }
}

/// The path of a Unix socket as the kernel takes it.
pub(crate) fn unix_address(path: &Path) -> (libc::sockaddr_un, libc::c_long) {
    // SAFETY: zeros are a valid address.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_family = libc::sa_family_t::try_from(libc::AF_UNIX).unwrap();
    for (to, from) in address.sun_path.iter_mut().zip(path.as_os_str().as_bytes()) {
        *to = (*from).cast_signed();
    }
    (address, libc::c_long::try_from(size_of::<libc::sockaddr_un>()).unwrap())
}

/// Sends a datagram to a path from a socket.
pub(crate) fn send_to(socket: RawFd, path: &Path) -> io::Result<()> {
    let (address, length) = unix_address(path);
    let byte = *b"x";
    call(libc::SYS_sendto, &[socket.into(), pointer(&byte), 1, 0, pointer(&address), length])
        .map(drop)
}

/// Two connected sockets.
pub(crate) fn pair(kind: i32) -> io::Result<[OwnedFd; 2]> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two.
    unsafe {
        if libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok([OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])])
    }
}

/// A terminal of its own: the end of the program, and the other one.
pub(crate) fn terminal() -> Option<(OwnedFd, OwnedFd)> {
    let (mut master, mut slave) = (0, 0);
    // SAFETY: there is room for both; nothing else is asked for.
    unsafe {
        let null = std::ptr::null_mut();
        if libc::openpty(&raw mut master, &raw mut slave, null, null.cast(), null.cast()) < 0 {
            return None;
        }
        Some((OwnedFd::from_raw_fd(slave), OwnedFd::from_raw_fd(master)))
    }
}

/// Asks for the number of this process by the calls of 32-bit programs.
#[cfg(target_arch = "x86_64")]
pub(crate) fn old_number() -> i32 {
    let mut number: i32 = 20;
    // SAFETY: the interrupt changes nothing but the register.
    unsafe { std::arch::asm!("int 0x80", inlateout("eax") number) };
    number
}

/// Maps so many bytes.
pub(crate) fn map(bytes: usize) -> io::Result<()> {
    // SAFETY: the memory is never used.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Runs an open file in place of this process.
pub(crate) fn run_open(
    file: &OwnedFd,
    arguments: &[CString],
    environment: &[CString],
) -> io::Error {
    let list = |texts: &[CString]| -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    // SAFETY: both lists end with a null pointer.
    unsafe {
        libc::fexecve(file.as_raw_fd(), list(arguments).as_ptr(), list(environment).as_ptr())
    };
    io::Error::last_os_error()
}

/// Reads another process's memory.
pub(crate) fn read_memory(pid: i32, at: usize, length: usize) -> io::Result<Vec<u8>> {
    let mut room = vec![0; length];
    let mine = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: length };
    let theirs = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: length };
    // SAFETY: our part is as long as is said.
    let got = unsafe { libc::process_vm_readv(pid, &raw const mine, 1, &raw const theirs, 1, 0) };
    if got < 0 { Err(io::Error::last_os_error()) } else { Ok(room) }
}

/// The command lines of a user's processes, their words joined by blanks.
pub(crate) fn commands_of(user: u32) -> Vec<String> {
    use std::os::unix::fs::MetadataExt as _;
    let mut lines = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        if entry.metadata().is_ok_and(|found| found.uid() == user)
            && let Ok(line) = std::fs::read(entry.path().join("cmdline"))
        {
            lines.push(String::from_utf8_lossy(&line).replace('\0', " ").trim_end().to_owned());
        }
    }
    lines
}
