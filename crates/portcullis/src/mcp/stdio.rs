//! The proxy over standard input and output: the client is whoever started us, the server a process of ours. Owns the streams, the process and its
//! end; what is said on them, [`super::engine`] knows.

use std::{
    ffi::OsString,
    io::{self, BufRead as _, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    thread,
    time::{Duration, Instant},
};

use portcullis_core::secrets::redacted;

use super::{
    engine::{Engine, Out},
    frame::{Line, line},
};
use crate::report::visible;

/// How many lines wait between two threads.
const QUEUE: usize = 64;

/// How many frames a server may leave unread before it counts as gone.
const UNREAD: usize = 1_024;

/// How often what waits is looked after.
const TICK: Duration = Duration::from_millis(100);

/// How long a server has to end by itself, after its input has ended.
const GRACE: Duration = Duration::from_secs(3);

/// How long its answers are still waited for when the client has gone.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The longest line of its complaints that is passed on, and how many of them.
const COMPLAINT: u64 = 2_000;
const COMPLAINTS: usize = 2_000;

/// How a server is started.
#[derive(Debug)]
pub struct Start {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// All of its environment.
    pub environment: Vec<(OsString, OsString)>,
}

enum Event {
    Client(Line),
    Server(Line),
    /// A stream could not be read.
    Broken(&'static str, String),
}

/// Passes between the client on our own streams and a server, until one of them has gone.
///
/// # Errors
/// When the server cannot be started.
pub fn run(mut engine: Engine, start: &Start) -> io::Result<()> {
    let (sender, events) = mpsc::sync_channel(QUEUE);
    let mut server =
        if engine.unstarted().is_empty() { Some(started(start, &sender)?) } else { None };
    if server.is_none() {
        engine.keep_unstarted();
        say(&format!("the server is not started: {}", engine.unstarted().join("; ")));
    }
    let clients = sender;
    thread::Builder::new().name("client".to_owned()).spawn(move || {
        read(&mut BufReader::new(io::stdin()), &clients, Event::Client, "the client");
    })?;
    let ended = passed(&mut engine, &events, server.as_mut());
    engine.settle_later();
    if let Some(Server { child, input }) = server {
        drop(input);
        end(child);
    }
    if engine.dropped > 5 {
        say(&format!("{} messages of the server were dropped", engine.dropped));
    }
    ended
}

/// A server that runs.
struct Server {
    child: Child,
    /// Its input, written by a thread of its own: a server that reads nothing holds up nobody but itself.
    input: Option<SyncSender<Vec<u8>>>,
}

fn passed(
    engine: &mut Engine,
    events: &Receiver<Event>,
    mut server: Option<&mut Server>,
) -> io::Result<()> {
    let mut client_left: Option<Instant> = None;
    loop {
        if client_left.is_some_and(|left| left.elapsed() > LAST_WORDS) {
            return Ok(());
        }
        let out = match events.recv_timeout(TICK) {
            Ok(Event::Client(Line::Whole(line))) => engine.from_client(&line),
            Ok(Event::Client(Line::TooLong)) => too_long(),
            Ok(Event::Client(Line::End)) | Ok(Event::Broken("the client", _)) => {
                // What is under way may still be answered.
                client_left = Some(Instant::now());
                if let Some(server) = &mut server {
                    server.input = None;
                } else {
                    return Ok(());
                }
                continue;
            }
            Ok(Event::Server(Line::Whole(line))) => engine.from_server(&line),
            Ok(Event::Server(Line::TooLong)) => Out {
                notes: vec!["a message of the server was too long and was dropped".to_owned()],
                ..Out::default()
            },
            Ok(Event::Server(Line::End)) => {
                written(engine.server_gone("it closed its output"), None)?;
                return Ok(());
            }
            Ok(Event::Broken(_, why)) => {
                written(engine.server_gone(&why), None)?;
                return Ok(());
            }
            Err(RecvTimeoutError::Timeout) => engine.tick(),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let input = server.as_mut().and_then(|server| server.input.as_mut());
        if written(out, input)?.is_broken {
            written(engine.server_gone("it reads nothing any more"), None)?;
            return Ok(());
        }
        engine.settle_later();
        if engine.is_waiting() {
            let out = engine.tick();
            let input = server.as_mut().and_then(|server| server.input.as_mut());
            written(out, input)?;
        }
    }
}

struct Written {
    is_broken: bool,
}

/// Writes what goes out. A client that does not read is an error; a server that does not is gone.
fn written(out: Out, server: Option<&mut SyncSender<Vec<u8>>>) -> io::Result<Written> {
    let Out { client, server: to_server, lines, notes } = out;
    for note in notes {
        say(&note);
    }
    let mut is_broken = false;
    if let Some(server) = server {
        for frame in to_server {
            is_broken |= server.try_send(frame.line()).is_err();
        }
    }
    if !client.is_empty() || !lines.is_empty() {
        let mut output = io::stdout().lock();
        for line in lines.into_iter().chain(client.into_iter().map(super::frame::Frame::line)) {
            output.write_all(&line)?;
        }
        output.flush()?;
    }
    Ok(Written { is_broken })
}

fn too_long() -> Out {
    let unreadable = super::frame::Unreadable {
        id: None,
        code: -32600,
        message: format!("the message is longer than {} bytes", super::frame::LONGEST),
    };
    Out { lines: vec![unreadable.line()], ..Out::default() }
}

fn started(start: &Start, sender: &SyncSender<Event>) -> io::Result<Server> {
    let mut words = start.words.iter();
    let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(words).env_clear().envs(start.environment.iter().cloned());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(server), Some(output), Some(complaints)) = taken else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let answers = sender.clone();
    thread::Builder::new().name("server".to_owned()).spawn(move || {
        read(&mut BufReader::new(output), &answers, Event::Server, "the server");
    })?;
    thread::Builder::new()
        .name("complaints".to_owned())
        .spawn(move || complaints_of(&mut BufReader::new(complaints)))?;
    let (input, lines) = mpsc::sync_channel::<Vec<u8>>(UNREAD);
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut server = server;
        for line in lines {
            if server.write_all(&line).and_then(|()| server.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok(Server { child, input: Some(input) })
}

fn read(
    input: &mut dyn io::BufRead,
    events: &SyncSender<Event>,
    event: fn(Line) -> Event,
    whose: &'static str,
) {
    loop {
        let (next, is_last) = match line(input) {
            Ok(Line::End) => (event(Line::End), true),
            Ok(line) => (event(line), false),
            Err(error) => (Event::Broken(whose, error.to_string()), true),
        };
        if events.send(next).is_err() || is_last {
            return;
        }
    }
}

/// Passes on what a server complains about, without secrets and with every character shown.
fn complaints_of(input: &mut dyn io::BufRead) {
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
        let _ = writeln!(io::stderr(), "{}", visible::line(&text));
        if said == COMPLAINTS {
            say("what the server complains about is not passed on any more");
        }
    }
}

/// Words of ours on standard error, which clients show or keep as a server's log.
fn say(words: &str) {
    let _ = writeln!(io::stderr(), "portcullis: {}", visible::line(words));
}

/// Waits a moment for a server that has no input any more, and ends it then.
fn end(mut child: Child) {
    let begun = Instant::now();
    while begun.elapsed() < GRACE {
        match child.try_wait() {
            Ok(None) => thread::sleep(Duration::from_millis(10)),
            Ok(Some(_)) | Err(_) => return,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}
