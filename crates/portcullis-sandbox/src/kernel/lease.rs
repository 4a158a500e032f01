//! A lease on an open file: as long as it is held, nobody has the file open to write. Owns only that it is given back.

use std::{
    io,
    os::fd::{AsRawFd as _, BorrowedFd},
};

use super::checked;

/// `F_SETSIG` of Linux, which the bindings leave out.
const SET_SIGNAL: libc::c_int = 10;

/// That nobody has a file open to write, until it is dropped: whoever wants to is made to wait, by the kernel for less than a minute.
#[derive(Debug)]
pub struct Unwritten<'a>(BorrowedFd<'a>);

impl<'a> Unwritten<'a> {
    /// Of a file that is open for reading alone.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] where somebody has it open to write; anything else where the file system has no leases, or the file is
    /// somebody else's.
    pub fn held(file: BorrowedFd<'a>) -> io::Result<Self> {
        let file_number = file.as_raw_fd();
        // Who waits is told of by a signal, which would end this process if it were the usual one. This one does nothing.
        // SAFETY: no memory is involved.
        checked(unsafe { libc::fcntl(file_number, SET_SIGNAL, libc::SIGURG) })?;
        // SAFETY: no memory is involved.
        checked(unsafe { libc::fcntl(file_number, libc::F_SETLEASE, libc::F_RDLCK) })?;
        Ok(Self(file))
    }

    /// Whether it is held still, and nobody waits to write.
    #[must_use]
    pub fn is_held(&self) -> bool {
        // SAFETY: no memory is involved.
        let lease = unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_GETLEASE) };
        lease == libc::F_RDLCK
    }
}

impl Drop for Unwritten<'_> {
    fn drop(&mut self) {
        // SAFETY: no memory is involved.
        let _ = unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_SETLEASE, libc::F_UNLCK) };
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        io::Write as _,
        os::fd::AsFd as _,
        thread,
    };

    use super::*;

    #[test]
    fn a_file_that_somebody_may_write_gives_none_and_others_wait_for_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "one").unwrap();
        let reading = File::open(&path).unwrap();
        let writing = File::options().write(true).open(&path).unwrap();
        let refused = Unwritten::held(reading.as_fd()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::WouldBlock);
        drop(writing);
        let lease = Unwritten::held(reading.as_fd()).unwrap();
        assert!(lease.is_held());
        let other = thread::spawn({
            let path = path.clone();
            move || File::options().write(true).open(path).unwrap().write_all(b"two").unwrap()
        });
        while lease.is_held() {
            thread::yield_now();
        }
        // Somebody waits, and nothing was written.
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        drop(lease);
        other.join().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    }
}
