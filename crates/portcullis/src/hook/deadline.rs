//! The answer that is given when there is no other in time. Owns the watch over the process: one answer leaves it, whoever
//! comes first, because an agent takes a hook without an answer for one without an objection.

use std::{
    io::{self, Write as _},
    process,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::agents::reply::Reply;

/// How long a hook may take. Agents wait for five seconds at least, and go on then.
pub const LONGEST: Duration = Duration::from_secs(2);

/// What is said where an answer has no reader.
const UNREAD: &str = "portcullis: nobody reads the answer on standard output, so this is denied\n";

/// A watch over this process, and what is known of whoever waits for its answer.
#[derive(Clone, Debug)]
pub struct Deadline<T> {
    /// Who waits, and until when; taken by whoever answers.
    waiting: Arc<Mutex<Option<(T, Instant)>>>,
}

impl<T: Send + 'static> Deadline<T> {
    /// Starts the watch. When `time` is up, the process answers what `refusal` makes of whoever waits then, and ends.
    ///
    /// # Errors
    /// When the system gives no thread to watch with.
    pub fn start(time: Duration, waiting: T, refusal: fn(&T) -> Reply) -> io::Result<Self> {
        let end = Instant::now() + time;
        let deadline = Self { waiting: Arc::new(Mutex::new(Some((waiting, end)))) };
        let watched = Arc::clone(&deadline.waiting);
        thread::Builder::new().name("deadline".to_owned()).stack_size(1 << 16).spawn(
            move || {
                loop {
                    // Held until the process ends, so that no other answer comes after this one.
                    let mut waiting = watched.lock().unwrap_or_else(PoisonError::into_inner);
                    let Some((_, end)) = &*waiting else { return };
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero()
                        && let Some((waiting, _)) = waiting.take()
                    {
                        process::exit(i32::from(written(&refusal(&waiting))));
                    }
                    drop(waiting);
                    thread::sleep(left);
                }
            },
        )?;
        Ok(deadline)
    }

    /// Who waits, now that more is known of it.
    pub fn answers_to(&self, waiting: T) {
        let mut known = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, _)) = &mut *known {
            *known = waiting;
        }
    }

    /// Gives more time, where whoever waits is known to have it.
    pub fn extend(&self, time: Duration) {
        let mut known = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, end)) = &mut *known {
            *end += time;
        }
    }

    /// Answers, unless time is up: then the process is about to end with the other answer.
    #[must_use]
    pub fn answer(&self, reply: &Reply) -> u8 {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.take() {
            Some(_) => written(reply),
            None => 2,
        }
    }
}

/// Writes an answer; gives the exit code. One that cannot be written, or that nobody reads, ends with the code that blocks: an
/// empty answer with any other lets a call go on.
fn written(reply: &Reply) -> u8 {
    let Reply { output, error, exit } = reply;
    let said = || {
        let mut out = io::stdout().lock();
        out.write_all(output.as_bytes())?;
        out.flush()
    };
    // The reason is on standard error for agents that block by exit code; the code itself says as much.
    let _ = io::stderr().write_all(error.as_bytes());
    match said() {
        Ok(()) if output.is_empty() || is_read() => *exit,
        Ok(()) | Err(_) => {
            let _ = io::stderr().write_all(UNREAD.as_bytes());
            2
        }
    }
}

/// Whether somebody can read what is written. A process that is started without a standard output gets the null device for one.
fn is_read() -> bool {
    #[cfg(unix)]
    {
        use std::{
            fs,
            os::{
                fd::AsFd as _,
                unix::fs::{FileTypeExt as _, MetadataExt as _},
            },
        };
        let own = io::stdout().as_fd().try_clone_to_owned().map(fs::File::from);
        let Ok(own) = own.and_then(|file| file.metadata()) else { return false };
        let is_null = fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == own.rdev());
        !(own.file_type().is_char_device() && is_null)
    }
    #[cfg(not(unix))]
    {
        true
    }
}
