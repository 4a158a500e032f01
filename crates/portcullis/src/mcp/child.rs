//! A server that is a process of ours. Owns how it is started, that its streams hold up nobody, what is passed on of its complaints, and that
//! nothing of it is left when it ends.

use std::{
    ffi::OsString,
    io::{self, BufRead as _, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, SyncSender},
    thread,
    time::{Duration, Instant},
};

use portcullis_core::secrets::redacted;
use serde_json::Value;

use super::{
    frame::{Frame, Line, line},
    link::{Behind, Event},
};
use crate::report::visible;

/// How many frames a server may leave unread before it counts as gone.
const UNREAD: usize = 1_024;

/// How long a server has to end by itself, after its input has ended.
const GRACE: Duration = Duration::from_secs(3);

/// The longest line of its complaints that is passed on, and how many of them.
const COMPLAINT: u64 = 2_000;
const COMPLAINTS: usize = 2_000;

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory that it is started in, where it is not ours.
    pub directory: Option<PathBuf>,
    /// What its complaints begin with; nothing where there is one server alone.
    pub label: String,
    /// Whether it is ended with all that it started: we go on when it has gone.
    pub is_apart: bool,
}

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    child: Child,
    is_apart: bool,
    /// Its input, written by a thread of its own: a server that reads nothing holds up nobody but itself.
    input: Option<SyncSender<Vec<u8>>>,
}

impl Server {
    /// Starts one. What it says is given to `sink`, until that says that nobody listens any more.
    ///
    /// # Errors
    /// What the system says.
    pub fn start(
        start: &Start,
        sink: impl FnMut(Event) -> bool + Send + 'static,
    ) -> io::Result<Self> {
        let mut words = start.words.iter();
        let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(words).env_clear().envs(start.environment.iter().cloned());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &start.directory {
            command.current_dir(directory);
        }
        if start.is_apart {
            apart(&mut command);
        }
        let mut child = command.spawn()?;
        let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(server), Some(output), Some(complaints)) = taken else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        thread::Builder::new().name("server".to_owned()).spawn(move || {
            let mut sink = sink;
            read(&mut BufReader::new(output), &mut sink);
        })?;
        let label = start.label.clone();
        thread::Builder::new()
            .name("complaints".to_owned())
            .spawn(move || complaints_of(&label, &mut BufReader::new(complaints)))?;
        let (input, lines) = mpsc::sync_channel::<Vec<u8>>(UNREAD);
        thread::Builder::new().name("input".to_owned()).spawn(move || {
            let mut server = server;
            for line in lines {
                if server.write_all(&line).and_then(|()| server.flush()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { child, is_apart: start.is_apart, input: Some(input) })
    }
}

impl Behind for Server {
    fn send(&mut self, frame: Frame, _: Option<&Value>) -> bool {
        self.input.as_ref().is_none_or(|input| input.try_send(frame.line()).is_ok())
    }

    fn close(&mut self) {
        self.input = None;
    }

    /// Waits a moment for a server that has no input any more, and ends it then.
    fn end(self: Box<Self>) {
        let Self { mut child, is_apart, input } = *self;
        drop(input);
        let begun = Instant::now();
        while begun.elapsed() < GRACE && !has_ended(&mut child, is_apart) {
            thread::sleep(Duration::from_millis(10));
        }
        if is_apart {
            end_all(&child);
        }
        // Who has ended cannot be ended, and is only waited for.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Puts what is started in a group of its own, with all that it will start.
fn apart(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    #[cfg(not(unix))]
    {
        let _ = command;
    }
}

/// Whether a server has ended. One that stands apart is left to be waited for, so that its number stays its own until its group has gone.
fn has_ended(child: &mut Child, is_apart: bool) -> bool {
    #[cfg(unix)]
    if is_apart {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        return id.is_none_or(|id| !matches!(waitid(WaitId::Pid(id), options), Ok(None)));
    }
    let _ = is_apart;
    !matches!(child.try_wait(), Ok(None))
}

/// Ends a group.
fn end_all(child: &Child) {
    #[cfg(unix)]
    if let Some(id) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // A group that has gone already is what is wanted.
        let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    {
        let _ = child;
    }
}

/// Gives every line of a stream to `sink`.
pub(super) fn read(input: &mut dyn io::BufRead, sink: &mut dyn FnMut(Event) -> bool) {
    loop {
        let (next, is_last) = match line(input) {
            Ok(Line::End) => (Event::Line(Line::End), true),
            Ok(line) => (Event::Line(line), false),
            Err(error) => (Event::Broken(error.to_string()), true),
        };
        if !sink(next) || is_last {
            return;
        }
    }
}

/// Passes on what a server complains about, without secrets and with every character shown.
fn complaints_of(label: &str, input: &mut dyn io::BufRead) {
    let mut said = 0;
    loop {
        let mut bytes = Vec::new();
        match io::Read::take(&mut *input, COMPLAINT).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        said += 1;
        if said > COMPLAINTS {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = redacted(text.trim_end());
        // Who closed standard error does not want to know.
        let _ = writeln!(io::stderr(), "{label}{}", visible::line(&text));
        if said == COMPLAINTS {
            let words = "what the server complains about is not passed on any more";
            let _ = writeln!(io::stderr(), "portcullis: {label}{words}");
        }
    }
}
