//! The system calls that the standard library has no words for. Owns every `unsafe` block of the workspace; each function is a
//! thin, safe wrapper around one call, and decides nothing.

mod calls;
mod idle;
mod lease;
mod mounts;
mod overlay;
mod sockets;

pub(crate) use calls::{Call, answer_at_once, answer_call, memory, next_call, watched_calls};
pub use idle::{idle, keep_descriptors};
pub use lease::Unwritten;
pub(crate) use mounts::{
    Links, MOUNT_NO_DEVICES, MOUNT_NO_SETUID, MOUNT_READ_ONLY, attach_mount, copy_mount,
    is_read_only, keep_mounts_private, locate, mount, mount_attributes,
};
pub(crate) use overlay::overlay;
use sockets::loopback_up;
pub(crate) use sockets::{may_have_socket, receive, send, unfit};

use std::{
    ffi::{CStr, CString, OsStr, c_char, c_int, c_void},
    io,
    mem::MaybeUninit,
    os::{
        fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd},
        unix::ffi::OsStrExt,
    },
    ptr,
};

/// A process.
pub(crate) type Pid = libc::pid_t;

/// The most descriptors that one message carries.
pub(crate) const MOST_DESCRIPTORS: usize = 64;

/// What became of a child.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Waited {
    /// It runs.
    Running,
    /// There is no such child.
    Nobody,
    /// It ended by itself.
    Exited(Pid, i32),
    /// A signal ended it.
    Signalled(Pid, i32),
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn checked_long(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn c_text(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
}

/// Makes a child like `fork`, in new namespaces where `namespaces` has their flags. `None` is the child. For processes with one
/// thread only.
pub(crate) fn fork(namespaces: c_int) -> io::Result<Option<Pid>> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without a stack of its own and without shared memory this is `fork`; the stage has one thread.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0_usize, 0_usize, 0_usize, 0_usize) };
    let pid = checked_long(pid)?;
    Ok((pid > 0).then_some(Pid::try_from(pid).unwrap_or(Pid::MAX)))
}

/// Makes a child that lives in the memory of this process until it runs another program or ends, and waits for that; what was set up
/// in that memory need not be copied. `body` comes back only where the child is to end. For processes with one thread only.
pub(crate) fn fork_within(body: &mut dyn FnMut()) -> io::Result<Pid> {
    /// As much as a first thread may have. Only what is touched of it is there.
    const STACK: usize = 8 << 20;
    const GUARD: usize = 64 << 10;
    extern "C" fn enter(body: *mut c_void) -> c_int {
        // SAFETY: it is the pointer that is handed over below, to a closure that outlives the child's stay in this memory.
        let body = unsafe { &mut *body.cast::<&mut dyn FnMut()>() };
        body();
        126
    }
    let mut body = body;
    let flags = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
    // SAFETY: the stack is new, belongs to the child alone, grows down from its end towards a page that nobody may touch, and is given
    // back when the child has left this memory: until then the kernel lets this thread, the only one, not go on.
    unsafe {
        let stack = libc::mmap(ptr::null_mut(), STACK, flags, kind, -1, 0);
        if stack == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let started = checked(libc::mprotect(stack, GUARD, libc::PROT_NONE)).and_then(|_| {
            let end = stack.cast::<u8>().add(STACK).cast();
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            checked(libc::clone(enter, end, flags, (&raw mut body).cast()))
        });
        libc::munmap(stack, STACK);
        started
    }
}

/// Puts this thread into a new network namespace, with its loopback up, and gives a descriptor of it.
pub(crate) fn new_network() -> io::Result<OwnedFd> {
    const SIOCGSKNS: libc::c_ulong = 0x894c;
    // SAFETY: new descriptors belong to nobody else.
    unsafe {
        checked(libc::unshare(libc::CLONE_NEWNET))?;
        let socket = loopback_up()?;
        Ok(OwnedFd::from_raw_fd(checked(libc::ioctl(socket.as_raw_fd(), SIOCGSKNS as _))?))
    }
}

/// Goes into a network namespace.
pub(crate) fn enter_network(network: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: no memory is involved.
    checked(unsafe { libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET) }).map(drop)
}

/// Waits for the child `pid`, for any where it is -1; not at all where `patient` is false.
pub(crate) fn wait(pid: Pid, patient: bool) -> io::Result<Waited> {
    loop {
        let mut status = 0;
        // SAFETY: the status is written to a variable of ours.
        let found =
            unsafe { libc::waitpid(pid, &raw mut status, if patient { 0 } else { libc::WNOHANG }) };
        match checked(found) {
            Ok(0) => return Ok(Waited::Running),
            Ok(found) if libc::WIFEXITED(status) => {
                return Ok(Waited::Exited(found, libc::WEXITSTATUS(status)));
            }
            Ok(found) => return Ok(Waited::Signalled(found, libc::WTERMSIG(status))),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.raw_os_error() == Some(libc::ECHILD) => return Ok(Waited::Nobody),
            Err(error) => return Err(error),
        }
    }
}

/// Ends this process at once, without destructors: for children after [`fork`].
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: `_exit` has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Sends a signal.
pub(crate) fn kill(pid: Pid, signal: c_int) -> io::Result<()> {
    // SAFETY: no memory is involved.
    checked(unsafe { libc::kill(pid, signal) }).map(drop)
}

pub(crate) fn process() -> Pid {
    // SAFETY: no preconditions.
    unsafe { libc::getpid() }
}

pub(crate) fn effective_user() -> u32 {
    // SAFETY: no preconditions.
    unsafe { libc::geteuid() }
}

pub(crate) fn effective_group() -> u32 {
    // SAFETY: no preconditions.
    unsafe { libc::getegid() }
}

/// A session and process group of its own, without a terminal.
pub(crate) fn new_session() -> io::Result<()> {
    // SAFETY: no memory is involved.
    checked(unsafe { libc::setsid() }).map(drop)
}

/// Leaves all supplementary groups.
pub(crate) fn leave_groups() -> io::Result<()> {
    // SAFETY: no group is read from the null pointer because there are none.
    checked(unsafe { libc::setgroups(0, ptr::null()) }).map(drop)
}

fn prctl(option: c_int, argument: libc::c_ulong) -> io::Result<c_int> {
    // SAFETY: only options whose argument is a number are used here.
    checked(unsafe { libc::prctl(option, argument, 0, 0, 0) })
}

pub(crate) fn no_new_privileges() -> io::Result<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1).map(drop)
}

/// Orphans below this process become its children.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    prctl(libc::PR_SET_CHILD_SUBREAPER, 1).map(drop)
}

/// Nobody of the same user may look into this process.
pub(crate) fn close_to_others() -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, 0).map(drop)
}

/// This process is killed when its parent ends.
pub(crate) fn die_with_parent() -> io::Result<()> {
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL.cast_unsigned().into()).map(drop)
}

/// Gives up every capability for good.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL.cast_unsigned().into())?;
    for capability in 0..64 {
        match prctl(libc::PR_CAPBSET_DROP, capability) {
            // Without the right to drop it, it cannot be gained either: there are no new privileges. And there are only so many.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EPERM | libc::EINVAL)) => break,
            done => done.map(drop)?,
        }
    }
    empty_capabilities()
}

/// Gives up every capability; without new privileges that is for good.
pub(crate) fn empty_capabilities() -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: c_int,
    }
    const VERSION_3: u32 = 0x2008_0522;
    let header = Header { version: VERSION_3, pid: 0 };
    let none = [0_u32; 6];
    // SAFETY: version 3 reads one header and two sets of three words.
    checked_long(unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) })
        .map(drop)
}

/// Sets the soft and the hard limit, never above the hard one that there is.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    let mut there = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the structure is written whole where the call succeeds, and read only then.
    let there = unsafe {
        checked(libc::getrlimit(resource, there.as_mut_ptr()))?;
        there.assume_init()
    };
    let value = value.min(there.rlim_max);
    let new = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the structure is ours and whole.
    checked(unsafe { libc::setrlimit(resource, &raw const new) }).map(drop)
}

/// Closes every descriptor from `first` on when another program is run.
pub(crate) fn close_from_on_run(first: RawFd) -> io::Result<()> {
    const CLOSE_ON_EXEC: c_int = 4;
    // SAFETY: no descriptor is closed here.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, c_int::MAX, CLOSE_ON_EXEC) };
    match checked_long(done) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) => {
            for descriptor in first..65_536 {
                // SAFETY: setting a flag on a descriptor that may not be there.
                unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
            }
            Ok(())
        }
        done => done.map(drop),
    }
}

/// A descriptor that the kernel passed down at this number.
pub(crate) fn own(number: RawFd) -> OwnedFd {
    // SAFETY: the stage is given its control socket at this number, and takes it once.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Makes `number` mean the same as `from`, open over a run. What was open there is closed.
pub(crate) fn place(from: RawFd, number: RawFd) -> io::Result<()> {
    if from == number {
        // SAFETY: a flag of a descriptor.
        return checked(unsafe { libc::fcntl(from, libc::F_SETFD, 0) }).map(drop);
    }
    // SAFETY: the process runs another program next and holds nothing at `number` that it needs.
    checked(unsafe { libc::dup2(from, number) }).map(drop)
}

/// Another descriptor for the same, at `least` or above, closed when another program is run.
pub(crate) fn lift(from: BorrowedFd<'_>, least: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: the new descriptor belongs to nobody else.
    unsafe {
        let new = checked(libc::fcntl(from.as_raw_fd(), libc::F_DUPFD_CLOEXEC, least))?;
        Ok(OwnedFd::from_raw_fd(new))
    }
}

/// Signals as our caller had them: what our runtime ignores is not, and none is blocked.
pub(crate) fn ordinary_signals() {
    // SAFETY: the set is initialised before it is used; the handler is the default.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
    }
}

/// A descriptor that can be read when a process has ended; none on kernels without them.
pub(crate) fn watch_process(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: the new descriptor belongs to nobody else.
    unsafe {
        let opened = checked_long(libc::syscall(libc::SYS_pidfd_open, pid, 0_u32))?;
        Ok(OwnedFd::from_raw_fd(RawFd::try_from(opened).unwrap_or(-1)))
    }
}

/// A descriptor that can be read when a child has ended; the signal itself is blocked.
pub(crate) fn child_signals() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised before it is used; the new descriptor belongs to nobody else.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        checked(libc::sigprocmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut()))?;
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        Ok(OwnedFd::from_raw_fd(checked(libc::signalfd(-1, set.as_ptr(), flags))?))
    }
}

/// Reads away what [`child_signals`] has to say.
pub(crate) fn forget_signals(descriptor: BorrowedFd<'_>) {
    let mut room = [0_u8; 1024];
    // SAFETY: at most the length of the buffer is written to it.
    unsafe { libc::read(descriptor.as_raw_fd(), room.as_mut_ptr().cast(), room.len()) };
}

/// What is waited for at a descriptor, and what happened.
pub(crate) struct Watch<'a> {
    pub(crate) descriptor: BorrowedFd<'a>,
    pub(crate) to_write: bool,
    /// It can be read or written, or its other end is gone.
    pub(crate) ready: bool,
}

/// Waits until something happened at one of them, or the time is up; without end where there is none.
pub(crate) fn poll(watches: &mut [Watch<'_>], milliseconds: Option<c_int>) -> io::Result<()> {
    let mut list: Vec<libc::pollfd> = watches
        .iter()
        .map(|watch| libc::pollfd {
            fd: watch.descriptor.as_raw_fd(),
            events: if watch.to_write { libc::POLLOUT } else { libc::POLLIN },
            revents: 0,
        })
        .collect();
    let count = libc::nfds_t::try_from(list.len()).unwrap_or(0);
    // SAFETY: the list has as many entries as are said.
    let done = checked(unsafe { libc::poll(list.as_mut_ptr(), count, milliseconds.unwrap_or(-1)) });
    match done {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
        _ => {}
    }
    for (watch, entry) in watches.iter_mut().zip(&list) {
        watch.ready = done.is_ok() && entry.revents != 0;
    }
    Ok(())
}

/// Reading and writing do not wait.
pub(crate) fn never_wait(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: flags of a descriptor.
    unsafe {
        let flags = checked(libc::fcntl(descriptor.as_raw_fd(), libc::F_GETFL))?;
        checked(libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK))
            .map(drop)
    }
}

/// Runs a program in place of this process; comes back only where that failed.
pub(crate) fn run(program: &CStr, arguments: &[CString], environment: &[CString]) -> io::Error {
    let list = |texts: &[CString]| -> Vec<*const c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
    };
    let (arguments, environment) = (list(arguments), list(environment));
    // SAFETY: both lists end with a null pointer, and their texts outlive the call.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// The kind of file behind a descriptor, as the bits of its mode.
pub(crate) fn kind(descriptor: &OwnedFd) -> io::Result<libc::mode_t> {
    let mut found = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the structure is written whole where the call succeeds, and read only then.
    unsafe {
        checked(libc::fstat(descriptor.as_raw_fd(), found.as_mut_ptr()))?;
        Ok(found.assume_init().st_mode & libc::S_IFMT)
    }
}

/// Makes a call with -1 in place of every argument; the number of its error, none where it did something.
pub(crate) fn call_with_nothing(number: libc::c_long) -> Option<i32> {
    const NOTHING: libc::c_long = -1;
    // SAFETY: an address of -1 is none, so that nothing is read or written; only numbers are given here that do nothing then.
    let done =
        unsafe { libc::syscall(number, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING) };
    (done < 0).then(|| io::Error::last_os_error().raw_os_error().unwrap_or(0))
}

/// The most that a process may still have of something.
pub(crate) fn most(resource: libc::__rlimit_resource_t) -> io::Result<u64> {
    let mut there = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the structure is written whole where the call succeeds, and read only then.
    unsafe {
        checked(libc::getrlimit(resource, there.as_mut_ptr()))?;
        Ok(there.assume_init().rlim_max)
    }
}

pub(crate) fn parent() -> Pid {
    // SAFETY: no preconditions.
    unsafe { libc::getppid() }
}

/// Which Landlock the kernel has; zero where it has none.
pub(crate) fn landlock_version() -> i32 {
    // SAFETY: with this flag nothing is read from the pointer.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0_usize, 1_u32)
    };
    i32::try_from(version).unwrap_or(0).max(0)
}

/// Takes the lock of an open file without waiting; shared with others who only hold it, or alone.
pub(crate) fn lock(descriptor: BorrowedFd<'_>, alone: bool) -> io::Result<()> {
    let kind = if alone { libc::LOCK_EX } else { libc::LOCK_SH };
    // SAFETY: no memory is involved.
    checked(unsafe { libc::flock(descriptor.as_raw_fd(), kind | libc::LOCK_NB) }).map(drop)
}
