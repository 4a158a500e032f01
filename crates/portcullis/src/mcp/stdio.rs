//! The proxy over standard input and output: the client is whoever started us, the server a process of ours. Owns our own streams and when it is
//! over; what is said on them, [`super::engine`] knows.

use std::{
    io::{self, BufReader, Write as _},
    iter,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use super::{
    child::{self, Server, Start},
    engine::Engine,
    frame::{Line, Unreadable},
    link::{Event, Link, Said},
};

/// How many lines wait between two threads.
const QUEUE: usize = 64;

/// How many of them are taken together, beside the first.
const TOGETHER: usize = 31;

/// How often what waits is looked after.
const TICK: Duration = Duration::from_millis(100);

/// How long its answers are still waited for when the client has gone.
const LAST_WORDS: Duration = Duration::from_secs(2);

enum From {
    Client(Event),
    Server(Event),
}

/// Passes between the client on our own streams and a server, until one of them has gone.
///
/// # Errors
/// When the server cannot be started.
pub fn run(engine: Engine, start: &Start) -> io::Result<()> {
    let (sender, events) = mpsc::sync_channel(QUEUE);
    let servers = sender.clone();
    let mut link = Link::start(engine, &start.label, || {
        let sink = move |event| servers.send(From::Server(event)).is_ok();
        Ok(Box::new(Server::start(start, sink)?))
    })?;
    thread::Builder::new().name("client".to_owned()).spawn(move || {
        let mut sink = |event| sender.send(From::Client(event)).is_ok();
        child::read(&mut BufReader::new(io::stdin()), &mut sink);
    })?;
    let ended = passed(&mut link, &events);
    link.end();
    ended
}

fn passed(link: &mut Link, events: &Receiver<From>) -> io::Result<()> {
    let mut client_left: Option<Instant> = None;
    loop {
        if client_left.is_some_and(|left| left.elapsed() > LAST_WORDS) {
            return Ok(());
        }
        let said = match events.recv_timeout(TICK) {
            Ok(first) => {
                // What came meanwhile is taken with it, and what all of that comes to is recorded at once.
                let others = iter::from_fn(|| events.try_recv().ok()).take(TOGETHER);
                let mut too_long = Vec::new();
                for event in iter::once(first).chain(others) {
                    match event {
                        From::Client(Event::Line(Line::Whole(line))) => link.gather_client(&line),
                        From::Client(Event::Line(Line::TooLong)) => {
                            too_long.push(Unreadable::too_long().line());
                        }
                        From::Client(Event::Line(Line::End) | Event::Broken(_)) => {
                            client_left = Some(Instant::now());
                        }
                        From::Server(event) => link.gather_server(event),
                    }
                }
                let said = link.send();
                Said { lines: too_long.into_iter().chain(said.lines).collect(), ..said }
            }
            Err(RecvTimeoutError::Timeout) => link.tick(),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        if written(said)? || written(link.after())? {
            return Ok(());
        }
        if client_left.is_some() {
            // What is under way may still be answered.
            if !link.has_server() {
                return Ok(());
            }
            link.close();
        }
    }
}

/// Writes what goes to the client, and says whether it was the last. A client that does not read is an error.
fn written(said: Said) -> io::Result<bool> {
    let Said { frames, lines, has_ended } = said;
    if !frames.is_empty() || !lines.is_empty() {
        let mut output = io::stdout().lock();
        for line in lines.into_iter().chain(frames.into_iter().map(super::frame::Frame::line)) {
            output.write_all(&line)?;
        }
        output.flush()?;
    }
    Ok(has_ended)
}
