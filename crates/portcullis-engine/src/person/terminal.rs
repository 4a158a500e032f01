//! Asking at a terminal. Owns the device, what counts as an answer and how long one is waited for; the words of the
//! question are the caller's.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    os::fd::AsFd as _,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    termios::{
        LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetpgrp,
        tcsetattr,
    },
};

use super::{NoPerson, Screen};
use crate::{platform, report::visible};

/// A terminal with somebody in front of it.
#[derive(Debug)]
pub(super) struct Terminal {
    device: File,
}

/// The longest line that somebody types.
const MAX_LINE: usize = 64 << 10;

/// How often it is looked whether it was stopped.
const GLANCE: Duration = Duration::from_millis(100);

/// Longer than any answer that we ask for.
const MAX_ANSWER: usize = 256;

impl Terminal {
    /// The terminal that controls this process, whatever its input and output are connected to.
    pub(super) fn controlling() -> Result<Self, NoPerson> {
        let device = File::options().read(true).write(true).open("/dev/tty");
        let terminal = Self::of(device.map_err(NoPerson::NoTerminal)?)?;
        let foreground = tcgetpgrp(&terminal.device).ok();
        if foreground != Some(rustix::process::getpgrp()) {
            return Err(NoPerson::Background);
        }
        Ok(terminal)
    }

    /// A device that is a terminal.
    pub(super) fn of(device: File) -> Result<Self, NoPerson> {
        if rustix::termios::isatty(&device) {
            Ok(Self { device })
        } else {
            Err(NoPerson::NoTerminal(io::ErrorKind::Unsupported.into()))
        }
    }

    /// The whole of it, until that is dropped.
    pub(super) fn screen(&self) -> io::Result<Screen> {
        Screen::of(&self.device)
    }

    /// How wide it is, where it says so.
    pub(super) fn columns(&self) -> Option<usize> {
        platform::columns(&self.device)
    }

    /// Shows a text, and asks for `word` to be typed. Whatever was typed before is thrown away.
    pub(super) fn asked(&mut self, text: &str, word: &str, patience: Duration) -> io::Result<bool> {
        let _lines = Lines::on(&self.device)?;
        let text = visible::lines(text);
        tcflush(&self.device, QueueSelector::IFlush)?;
        let question =
            format!("{}\ntype `{word}` to agree, anything else to refuse: ", text.trim_end());
        self.device.write_all(question.as_bytes())?;
        let answer = self.line(patience)?;
        if answer.is_none() {
            self.device.write_all(b"\nno answer, so the answer is no\n")?;
        }
        Ok(answer.is_some_and(|answer| answer.trim_ascii() == word.as_bytes()))
    }

    /// Shows a text and gives the line that is typed; `None` at the end of the input, and where `stop` was set. Whatever was typed before is
    /// thrown away. It waits as long as nobody answers.
    pub(super) fn line_for(&mut self, text: &str, stop: &AtomicBool) -> io::Result<Option<String>> {
        let _lines = Lines::on(&self.device)?;
        tcflush(&self.device, QueueSelector::IFlush)?;
        self.device.write_all(visible::lines(text).as_bytes())?;
        let mut line = Vec::new();
        while line.len() <= MAX_LINE {
            if stop.load(Ordering::Relaxed) {
                self.device.write_all(b"\n")?;
                return Ok(None);
            }
            let glance = Timespec::try_from(GLANCE).map_err(io::Error::other)?;
            match poll(
                &mut [PollFd::from_borrowed_fd(self.device.as_fd(), PollFlags::IN)],
                Some(&glance),
            ) {
                Ok(0) | Err(Errno::INTR) => continue,
                other => other?,
            };
            let mut bytes = [0; MAX_ANSWER];
            let count = match self.device.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                count => count?,
            };
            let bytes = bytes.get(..count).unwrap_or_default();
            if bytes.is_empty() {
                self.device.write_all(b"\n")?;
                return Ok(None);
            }
            line.extend_from_slice(bytes);
            if line.ends_with(b"\n") {
                line.pop();
                return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
            }
        }
        Ok(None)
    }

    /// One line; `None` where none comes in time, or none that could be an answer.
    fn line(&mut self, patience: Duration) -> io::Result<Option<Vec<u8>>> {
        let until = Instant::now() + patience;
        let mut line = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || line.len() > MAX_ANSWER {
                return Ok(None);
            }
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(
                &mut [PollFd::from_borrowed_fd(self.device.as_fd(), PollFlags::IN)],
                Some(&left),
            ) {
                Ok(0) | Err(Errno::INTR) => continue,
                other => other?,
            };
            let mut bytes = [0; MAX_ANSWER];
            let count = self.device.read(&mut bytes)?;
            let bytes = bytes.get(..count).unwrap_or_default();
            if bytes.is_empty() {
                return Ok(None);
            }
            match bytes.iter().position(|byte| *byte == b'\n') {
                Some(end) => {
                    line.extend_from_slice(bytes.get(..end).unwrap_or_default());
                    return Ok(Some(line));
                }
                None => line.extend_from_slice(bytes),
            }
        }
    }
}

/// Line by line and with an echo for as long as this lives, and as it was before afterwards.
struct Lines {
    device: File,
    before: Termios,
}

impl Lines {
    fn on(device: &File) -> io::Result<Self> {
        let device = device.try_clone()?;
        let before = tcgetattr(&device)?;
        let mut lines = before.clone();
        lines.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        tcsetattr(&device, OptionalActions::Now, &lines)?;
        Ok(Self { device, before })
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing.
        let _ = tcsetattr(&self.device, OptionalActions::Now, &self.before);
    }
}
