//! What works behind everything else. Owns the two calls by which the kernel is told so.

use std::io;

use super::{checked, checked_long};

/// `IOPRIO_WHO_PROCESS` and the class that the disk serves when nobody else wants it, which the bindings leave out.
const ONE_PROCESS: libc::c_int = 1;
const IDLE_CLASS: libc::c_int = 3 << 13;

/// Has this thread, and those that it starts from now on, run when nobody else wants the processor or the disk.
///
/// # Errors
/// What the system says; what could be had of it holds.
pub fn idle() -> io::Result<()> {
    // SAFETY: the structure is one number, which this policy leaves unused.
    let none: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is ours and whole.
    let set = checked(unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const none) });
    // SAFETY: no memory is involved.
    let disk = unsafe { libc::syscall(libc::SYS_ioprio_set, ONE_PROCESS, 0, IDLE_CLASS) };
    checked_long(disk)?;
    set.map(drop)
}

/// Closes what this process was given beside its standard streams when another program is run, so that nobody waits for that one to end.
///
/// # Errors
/// What the system says.
pub fn keep_descriptors() -> io::Result<()> {
    super::close_from_on_run(3)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_thread_that_asked_for_it_runs_behind_all_others() {
        let policy = std::thread::spawn(|| {
            let _ = idle();
            fs::read_to_string("/proc/thread-self/sched").unwrap_or_default()
        });
        let text = policy.join().unwrap();
        // Without the debugging of the scheduler the kernel does not tell.
        let line = text.lines().find(|line| line.starts_with("policy"));
        assert!(line.is_none_or(|line| line.ends_with('5')), "{text}");
    }
}
