//! Looking at a server once, for a person or a pipeline that has not the proxy in between. Owns the few requests that this takes, in both eras of
//! the protocol; nothing of the server is called.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    engine::{VERSION_KEY, VERSIONS},
    frame::{Answer, Frame, Id, Line, Members, Notification, Request, line},
    method::Kind,
};
use crate::pins::{self, Definition, Files, Seen, Shown, held, look::Others};

/// The most pages and entries of a listing.
const PAGES: usize = 100;
const ENTRIES: usize = 5_000;

/// How long a server has to know `server/discover`; one that says nothing is of the old protocol.
const DISCOVERY: Duration = Duration::from_secs(5);

/// What a server shows.
#[derive(Debug)]
pub struct Looked {
    /// Who it says that it is.
    pub identity: Value,
    /// What it lists.
    pub entries: Vec<(Kind, Value)>,
}

impl Looked {
    /// The names that are listed more than once.
    #[must_use]
    pub fn doubled(&self) -> Vec<String> {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for (kind, entry) in &self.entries {
            let name = entry.get(kind.key()).and_then(Value::as_str).unwrap_or_default();
            *count.entry(format!("{} {name}", kind.name())).or_default() += 1;
        }
        count.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect()
    }
}

/// Starts a server, asks it who it is and what it has, and ends it.
///
/// # Errors
/// When it cannot be started, says nothing in time, or nothing that can be read.
pub fn look(
    words: &[OsString],
    environment: Vec<(OsString, OsString)>,
    directory: Option<&Path>,
    patience: Duration,
) -> io::Result<Looked> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(environment);
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let looked = (|| {
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, lines) = mpsc::sync_channel(16);
        thread::Builder::new().name("server".to_owned()).spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(next) = line(&mut output) {
                let is_last = next == Line::End;
                if sender.send(next).is_err() || is_last {
                    return;
                }
            }
        })?;
        Talk { input, lines, ends: Instant::now() + patience, next: 0, meta: None }.all()
    })();
    // It was started to be looked at, and for nothing else.
    let _ = child.kill();
    let _ = child.wait();
    looked
}

/// What was seen, held against what was accepted.
#[must_use]
pub fn seen(looked: &Looked, definition: Definition, files: &Files, state: &Path) -> Seen {
    let (known, others) = (files.known(), Others::beside(files, state));
    let mut entries = Vec::new();
    for kind in Kind::ALL {
        let of_kind = looked.entries.iter().filter(|(known, _)| *known == kind);
        let listed =
            held::against(kind, of_kind.map(|(_, entry)| entry.clone()).collect(), &known, &others)
                .0;
        entries.extend(listed.into_iter().filter(|one| !one.held.is_empty()).map(|one| Shown {
            kind,
            name: one.name,
            entry: one.entry,
            held: one.held,
        }));
    }
    Seen {
        definition: Some(definition),
        identity: Some(looked.identity.clone()),
        entries,
        ..Seen::default()
    }
}

struct Talk {
    input: std::process::ChildStdin,
    lines: mpsc::Receiver<Line>,
    ends: Instant,
    next: i64,
    /// What every request says of itself, where the server speaks the new protocol.
    meta: Option<Value>,
}

impl Talk {
    fn all(mut self) -> io::Result<Looked> {
        let newest = VERSIONS.last().copied().unwrap_or_default();
        let client = json!({"name": "portcullis", "version": env!("CARGO_PKG_VERSION")});
        self.meta = Some(json!({
            VERSION_KEY: newest,
            "io.modelcontextprotocol/clientInfo": client,
            "io.modelcontextprotocol/clientCapabilities": {},
        }));
        let discovered = self.ask("server/discover", json!({}), Some(DISCOVERY));
        let met = match discovered {
            Ok(Ok(result)) => result,
            _ => {
                self.meta = None;
                let old = VERSIONS.iter().rev().nth(1).copied().unwrap_or_default();
                let params =
                    json!({"protocolVersion": old, "capabilities": {}, "clientInfo": client});
                let result = self.ask("initialize", params, None)?.map_err(|error| said(&error))?;
                let told =
                    Notification { method: "notifications/initialized".to_owned(), params: None };
                self.send(Frame::Notification(told))?;
                result
            }
        };
        let info = met.get("serverInfo").or_else(|| {
            met.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"))
        });
        let identity = pins::identity(info, met.get("instructions"));
        let mut entries = Vec::new();
        let capabilities = met.get("capabilities").cloned().unwrap_or_default();
        for kind in
            Kind::ALL.into_iter().filter(|kind| capabilities.get(kind.capability()).is_some())
        {
            let mut cursor: Option<Value> = None;
            for _ in 0..PAGES {
                let params = cursor.as_ref().map_or(json!({}), |cursor| json!({"cursor": cursor}));
                // A server may have resources and no patterns of them.
                let Ok(page) = self.ask(kind.list(), params, None)? else { break };
                let Some(Value::Array(listed)) = page.get(kind.members()) else { break };
                entries.extend(listed.iter().map(|entry| (kind, entry.clone())));
                if entries.len() > ENTRIES {
                    return Err(io::Error::other(format!("it lists more than {ENTRIES} entries")));
                }
                cursor = page.get("nextCursor").filter(|cursor| !cursor.is_null()).cloned();
                if cursor.is_none() {
                    break;
                }
            }
            if cursor.is_some() {
                return Err(io::Error::other(format!("it lists more than {PAGES} pages")));
            }
        }
        Ok(Looked { identity, entries })
    }

    fn send(&mut self, frame: Frame) -> io::Result<()> {
        self.input.write_all(&frame.line())?;
        self.input.flush()
    }

    /// Asks, and waits for the answer; what else the server says meanwhile is passed over.
    fn ask(
        &mut self,
        method: &str,
        params: Value,
        patience: Option<Duration>,
    ) -> io::Result<Result<Members, Members>> {
        self.next += 1;
        let id = Id::Number(self.next);
        let mut params = params.as_object().cloned().unwrap_or_default();
        if let Some(meta) = &self.meta {
            params.insert("_meta".to_owned(), meta.clone());
        }
        let request = Request { id: id.clone(), method: method.to_owned(), params: Some(params) };
        self.send(Frame::Request(request))?;
        let ends = patience.map_or(self.ends, |patience| self.ends.min(Instant::now() + patience));
        loop {
            let left = ends.saturating_duration_since(Instant::now());
            let line = self
                .lines
                .recv_timeout(left)
                .map_err(|_| io::Error::other(format!("it did not answer `{method}` in time")))?;
            let Line::Whole(bytes) = line else {
                return Err(io::Error::other(format!(
                    "it ended, or said too much, before it answered `{method}`"
                )));
            };
            if let Ok(Frame::Answer(Answer { id: theirs, outcome })) = Frame::parse(&bytes)
                && theirs == id
            {
                return Ok(outcome);
            }
        }
    }
}

fn said(error: &Members) -> io::Error {
    let message = error.get("message").and_then(Value::as_str).unwrap_or("no reason");
    io::Error::other(format!("it says: {}", crate::report::visible::line(message)))
}
