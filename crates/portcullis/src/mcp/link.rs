//! An engine with the server behind it, whoever the client is. Owns what goes to the server, what is said on standard error, and when the server
//! counts as gone; how a client is reached, each front knows: [`super::stdio`], and the gateway over HTTP.

use std::io::{self, Write as _};

use serde_json::Value;

use super::{
    engine::{Engine, Out},
    frame::{Frame, Line},
};
use crate::report::visible;

/// A server behind the gate.
pub trait Behind {
    /// Sends a frame; whether the server still takes what it is sent. With a call comes the tool as the server listed it.
    fn send(&mut self, frame: Frame, tool: Option<&Value>) -> bool;

    /// Tells it that nothing more comes; what is under way may still be answered.
    fn close(&mut self);

    /// Ends it.
    fn end(self: Box<Self>);
}

/// What comes from a server.
#[derive(Debug)]
pub enum Event {
    /// A line, or its end.
    Line(Line),
    /// It cannot be read any more.
    Broken(String),
}

/// What goes to the client.
#[derive(Debug, Default)]
pub struct Said {
    /// Frames, in order.
    pub frames: Vec<Frame>,
    /// Lines in place of an answer to what could not be read, before the frames.
    pub lines: Vec<Vec<u8>>,
    /// Whether the server has gone, and nothing more will come.
    pub has_ended: bool,
}

/// An engine with its server.
pub struct Link {
    /// The engine.
    pub engine: Engine,
    server: Option<Box<dyn Behind>>,
    label: String,
    /// What is to go out together.
    gathered: Out,
    /// Whether the server has gone.
    is_over: bool,
}

impl Link {
    /// Starts the server, unless it is another than was accepted: then the engine answers alone. What is said on standard error
    /// begins with `label`.
    ///
    /// # Errors
    /// When the server cannot be started.
    pub fn start(
        mut engine: Engine,
        label: &str,
        start: impl FnOnce() -> io::Result<Box<dyn Behind>>,
    ) -> io::Result<Self> {
        let server = if engine.unstarted().is_empty() { Some(start()?) } else { None };
        if server.is_none() {
            engine.keep_unstarted();
            say(label, &format!("the server is not started: {}", engine.unstarted().join("; ")));
        }
        Ok(Self {
            engine,
            server,
            label: label.to_owned(),
            gathered: Out::default(),
            is_over: false,
        })
    }

    /// Whether there is a server.
    #[must_use]
    pub const fn has_server(&self) -> bool {
        self.server.is_some()
    }

    /// Takes a line of the client. What it comes to goes out with [`Link::send`].
    pub fn gather_client(&mut self, line: &[u8]) {
        let out = self.engine.from_client(line);
        self.gathered.extend(out);
    }

    /// Takes what comes from the server. What it comes to goes out with [`Link::send`].
    pub fn gather_server(&mut self, event: Event) {
        let out = match event {
            Event::Line(Line::Whole(line)) => self.engine.from_server(&line),
            Event::Line(Line::TooLong) => Out {
                notes: vec!["a message of the server was too long and was dropped".to_owned()],
                ..Out::default()
            },
            Event::Line(Line::End) => self.gone("it closed its output"),
            Event::Broken(why) => self.gone(&why),
        };
        self.gathered.extend(out);
    }

    /// Takes a frame of the client.
    pub fn client_frame(&mut self, frame: Frame) -> Said {
        self.engine.client_frame(frame, &mut self.gathered);
        self.send()
    }

    /// Takes what comes from the server.
    pub fn server(&mut self, event: Event) -> Said {
        self.gather_server(event);
        self.send()
    }

    /// Looks after what waits.
    pub fn tick(&mut self) -> Said {
        let out = self.engine.tick();
        self.gathered.extend(out);
        self.send()
    }

    /// What is to be done once the client has its answer: the record of what came of calls, and whoever else waits.
    pub fn after(&mut self) -> Said {
        self.engine.settle_later();
        if self.engine.is_waiting() { self.tick() } else { Said::default() }
    }

    /// Tells the server that nothing more comes.
    pub fn close(&mut self) {
        if let Some(server) = &mut self.server {
            server.close();
        }
    }

    /// Ends the server.
    pub fn end(mut self) {
        self.engine.put_down();
        if let Some(server) = self.server.take() {
            server.end();
        }
        let dropped = self.engine.dropped;
        if dropped > 5 {
            self.say(&format!("{dropped} messages of the server were dropped"));
        }
    }

    /// Words of ours on standard error.
    pub fn say(&self, words: &str) {
        say(&self.label, words);
    }

    fn gone(&mut self, why: &str) -> Out {
        self.is_over = true;
        self.engine.server_gone(why)
    }

    /// Sends the server what is for it, and gives what is for the client: once what was decided survives a loss of power, for all that was gathered
    /// at once.
    pub fn send(&mut self) -> Said {
        let mut out = std::mem::take(&mut self.gathered);
        self.engine.settle(&mut out);
        let Out { client, server: to_server, lines, notes } = out;
        for note in notes {
            self.say(&note);
        }
        let mut said = Said { frames: client, lines, has_ended: self.is_over };
        if let Some(server) = &mut self.server {
            // A server that takes no more is not tried again.
            let engine = &self.engine;
            if !to_server.into_iter().all(|frame| {
                let tool = called(&frame).and_then(|name| engine.tool(name));
                server.send(frame, tool)
            }) {
                let Out { client, .. } = self.gone("it reads nothing any more");
                said.frames.extend(client);
                said.has_ended = true;
            }
        }
        said
    }
}

/// The tool that a frame calls.
fn called(frame: &Frame) -> Option<&str> {
    match frame {
        Frame::Request(request) if request.method == "tools/call" => {
            request.params.as_ref()?.get("name")?.as_str()
        }
        _ => None,
    }
}

/// Words of ours on standard error, which clients show or keep as a server's log. Who closed it does not want to know.
pub fn say(label: &str, words: &str) {
    let _ = writeln!(io::stderr(), "portcullis: {label}{}", visible::line(words));
}
