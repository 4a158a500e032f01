//! The whole screen of somebody's terminal. Owns the device while a view has it: keys as they are typed, and everything as it was before when the
//! view ends, however it ends.

use std::{
    fs::File,
    io::{self, Read as _, Write},
    os::fd::AsFd as _,
    panic,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{
        OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetwinsize, tcsetattr,
    },
};

/// Another screen than the one with the shell on it, pasted text in brackets, no cursor.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[2J";

/// Everything as it was.
const LEAVE: &[u8] = b"\x1b[0m\x1b[?25h\x1b[?2004l\x1b[?1049l";

/// A size for terminals that do not say theirs.
const USUAL: (u16, u16) = (80, 24);

/// The screen of a terminal, for as long as this lives.
#[derive(Debug)]
pub struct Screen {
    device: File,
    before: Arc<Before>,
}

/// How a terminal was, and whether it is so again.
#[derive(Debug)]
struct Before {
    device: File,
    modes: Termios,
    restored: AtomicBool,
}

impl Before {
    fn restore(&self) {
        if self.restored.swap(true, Ordering::SeqCst) {
            return;
        }
        // A terminal that has gone needs nothing.
        let _ = (&self.device).write_all(LEAVE);
        let _ = tcsetattr(&self.device, OptionalActions::Now, &self.modes);
    }
}

impl Screen {
    pub(super) fn of(device: &File) -> io::Result<Self> {
        let modes = tcgetattr(device)?;
        let mut raw = modes.clone();
        raw.make_raw();
        let before =
            Before { device: device.try_clone()?, modes, restored: AtomicBool::new(false) };
        let mut screen = Self { device: device.try_clone()?, before: Arc::new(before) };
        tcsetattr(device, OptionalActions::Now, &raw)?;
        screen.forget()?;
        screen.device.write_all(ENTER)?;
        Ok(screen)
    }

    /// Lets what a panic has to say be read: it comes after the screen is as it was. For a process that ends with the view.
    pub fn restore_on_panic(&self) {
        let before = Arc::clone(&self.before);
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |told| {
            before.restore();
            usual(told);
        }));
    }

    /// Columns and rows.
    #[must_use]
    pub fn size(&self) -> (u16, u16) {
        match tcgetwinsize(&self.device) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => USUAL,
        }
    }

    /// What was typed, within a time; nothing where nothing was.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn typed(&mut self, patience: Duration) -> io::Result<Vec<u8>> {
        let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
        match poll(
            &mut [PollFd::from_borrowed_fd(self.device.as_fd(), PollFlags::IN)],
            Some(&patience),
        ) {
            Ok(0) | Err(Errno::INTR) => return Ok(Vec::new()),
            other => other?,
        };
        let mut bytes = vec![0; 4096];
        let count = match self.device.read(&mut bytes) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            count => count?,
        };
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Throws away what was typed and not read.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn forget(&mut self) -> io::Result<()> {
        Ok(tcflush(&self.device, QueueSelector::IFlush)?)
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.device.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.device.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.before.restore();
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use rustix::termios::LocalModes;

    use super::super::desk;
    use super::*;

    #[test]
    fn the_terminal_is_as_it_was_however_the_view_ends() {
        for panics in [false, true] {
            let (mut keys, device) = desk::pair();
            let before = tcgetattr(&device).unwrap();
            let ended = panic::catch_unwind(panic::AssertUnwindSafe(|| {
                let screen = Screen::of(&device).unwrap();
                let raw = tcgetattr(&device).unwrap();
                assert!(!raw.local_modes.contains(LocalModes::ICANON));
                assert!(!panics || screen.size().0 == 0, "on purpose");
            }));
            assert_eq!(ended.is_err(), panics);
            let after = tcgetattr(&device).unwrap();
            assert_eq!(after.local_modes, before.local_modes);
            assert_eq!(after.input_modes, before.input_modes);
            assert_eq!(after.output_modes, before.output_modes);
            let shown = desk::screen_with(&mut keys, "\x1b[?1049l");
            assert!(shown.starts_with("\x1b[?1049h") && shown.contains("\x1b[?25h"), "{shown:?}");
        }
    }
}
