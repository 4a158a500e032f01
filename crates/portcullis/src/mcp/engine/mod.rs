//! The proxy without its streams: frames of the client and of the server go in, frames for both come out. Owns who waits for what; what a
//! method means stands in [`super::method`], what is held in [`crate::pins`], and whether a call may run in [`super::desk`].
//!
//! ```text
//! client ──from_client──► table ──► lists held against pins ──► desk ──► server
//! client ◄── looked through, redacted, bounded ◄── table ◄──from_server── server
//! ```
//!
//! It runs on one thread and waits for nobody: a call that asks is put aside, and [`Engine::tick`] looks after it.

mod ask;
mod client;
mod given;
mod list;
mod plain;
mod reads;
mod sample;
mod server;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    io,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use serde_json::{Map, Value, json};

use self::{ask::Waiting, given::Given, list::Loading};
use super::{
    desk::{Desk, Passing},
    frame::{Answer, Frame, Id, Members, Notification, Request},
    method::{Kind, Wanted},
    mirror::{self, Mirrored},
    result,
    seal::{About, Seal},
};
use crate::pins::{
    self, Definition, Files, Known, Seen,
    held::{Itself, Listed},
    look::Others,
};
use crate::session;

/// The revisions of the protocol that are known, the newest last.
pub const VERSIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// Where a request of the new protocol says which revision it speaks.
pub const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Where it says what its client can do.
pub const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// What ids of any gate's own begin with; another gate may stand before this one, or behind it.
const OURS: &str = "portcullis/";

/// The most requests of the client that may be open, and of the server.
const OPEN: usize = 1_024;
const OPEN_OF_SERVER: usize = 64;

/// How many ids of before are known, so that none is used again.
const IDS: usize = 4_096;

/// How many tokens are known by which the client's requests hear how far they are.
const PROGRESS: usize = 1_024;

/// How many calls may wait for the server's own question to be answered.
const CONTINUING: usize = 256;

/// How long a listing of the server is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked whether somebody decided.
const LOOK: Duration = Duration::from_millis(250);

/// The code of errors that the gate answers with.
pub const CODE: i64 = 4_030;

/// What goes out.
#[derive(Debug, Default)]
pub struct Out {
    /// To the client, in order.
    pub client: Vec<Frame>,
    /// To the server, in order.
    pub server: Vec<Frame>,
    /// Lines for the client in place of an answer to what could not be read.
    pub lines: Vec<Vec<u8>>,
    /// Words for whoever reads standard error.
    pub notes: Vec<String>,
}

impl Out {
    /// Puts what comes after it behind it.
    pub fn extend(&mut self, next: Self) {
        let Self { client, server, lines, notes } = next;
        self.client.extend(client);
        self.server.extend(server);
        self.lines.extend(lines);
        self.notes.extend(notes);
    }
}

/// A request of the client that the server is to answer.
struct Open {
    what: What,
    method: String,
    is_modern: bool,
}

enum What {
    Initialize,
    Discover,
    Pass,
    Call(Box<Passing>, Box<About>),
}

/// A listing of one kind, held against what was accepted.
struct List {
    listed: Vec<Listed>,
    /// What stood beside the entries.
    beside: Members,
    /// Whether nothing says that it changed.
    is_fresh: bool,
}

/// What the proxy is started with.
pub struct Options<'a> {
    /// The state directory.
    pub state: &'a Path,
    /// What the server is called.
    pub server: &'a str,
    /// What starts it.
    pub definition: Definition,
    /// Whether what a call names is repeated in headers on the way to the server.
    pub repeats: bool,
    /// Whether it may have the client's model write for it.
    pub samples: bool,
    /// Who calls: bound into what a client brings back.
    pub principal: String,
    /// How long a call waits for a person before its client is told that it has to come again.
    pub wait: Duration,
}

/// The proxy of one server.
pub struct Engine {
    desk: Desk,
    files: Files,
    principal: String,
    wait: Duration,
    seal: Seal,
    known: Known,
    stamp: Option<(SystemTime, u64)>,
    others: Others,
    definition: Definition,
    repeats: bool,
    samples: bool,
    /// Why the server is not started, or nothing of it is let through.
    unstarted: Vec<String>,
    identity: Option<(Value, Itself)>,
    client: String,
    elicits: bool,
    has_roots: bool,
    is_legacy: bool,
    lists: BTreeMap<Kind, List>,
    loading: BTreeMap<Kind, Loading>,
    discovering: Option<Id>,
    open: HashMap<Id, Open>,
    of_server: HashMap<Id, (Id, Wanted)>,
    waiting: Vec<Waiting>,
    continuing: VecDeque<(String, Box<Passing>)>,
    ids: VecDeque<Id>,
    given: Given,
    /// The tokens of the client by which it knows what tells how far something is.
    progress: VecDeque<Value>,
    /// What calls said of their arguments in headers, until they are held against them.
    mirrored: HashMap<Id, Mirrored>,
    /// What ids of our own begin with.
    ours: String,
    next: u64,
    looked: Option<Instant>,
    later: Vec<(Box<Passing>, result::Shown, &'static str)>,
    /// How many frames of the server were dropped.
    pub dropped: u64,
}

impl Engine {
    /// The proxy of a server.
    ///
    /// # Errors
    /// When its files or the key cannot be used.
    pub fn new(desk: Desk, options: Options<'_>) -> io::Result<Self> {
        let Options { state, server, definition, repeats, samples, principal, wait } = options;
        let files = Files::of(state, server).map_err(io::Error::other)?;
        let seal = Seal::of(state)?;
        let instance = data_encoding::HEXLOWER.encode(&crate::platform::random::<8>()?);
        let ours = format!("{OURS}{instance}/");
        let (known, stamp) = (files.known(), files.stamp());
        let others = Others::beside(&files, state);
        let mut engine = Self {
            desk,
            files,
            principal,
            wait,
            seal,
            known,
            stamp,
            others,
            definition,
            repeats,
            samples,
            unstarted: Vec::new(),
            identity: None,
            client: String::new(),
            elicits: false,
            has_roots: false,
            is_legacy: false,
            lists: BTreeMap::new(),
            loading: BTreeMap::new(),
            discovering: None,
            open: HashMap::new(),
            of_server: HashMap::new(),
            waiting: Vec::new(),
            continuing: VecDeque::new(),
            ids: VecDeque::new(),
            given: Given::default(),
            progress: VecDeque::new(),
            mirrored: HashMap::new(),
            ours,
            next: 0,
            looked: None,
            later: Vec::new(),
            dropped: 0,
        };
        engine.unstarted = engine.against_definition();
        Ok(engine)
    }

    /// Why the server must not be started: it is another than was accepted. Nothing where it may.
    #[must_use]
    pub fn unstarted(&self) -> &[String] {
        &self.unstarted
    }

    fn against_definition(&self) -> Vec<String> {
        match &self.known {
            // Whoever starts a server starts it; nothing of what it shows is let through.
            Known::Nothing => Vec::new(),
            Known::Broken(why) => {
                vec![format!("what was accepted of this server cannot be read: {why}")]
            }
            Known::Pins(pins) => match &pins.definition {
                // Which files it names is settled at its first start, where that is.
                Some(accepted)
                    if pins.first_use.is_some()
                        && pins.begun.is_none()
                        && self.definition.is_same_command(accepted) =>
                {
                    Vec::new()
                }
                Some(accepted) => self.definition.differences(accepted),
                None => Vec::new(),
            },
        }
    }

    /// Judges by another configuration from here on.
    pub fn judge_under(&mut self, options: session::Options) {
        self.desk.judge_under(options);
    }

    /// Holds what the headers of a request say against its arguments, once it is known which of them they repeat. To be said before the
    /// request itself.
    pub fn mirrored(&mut self, id: &Id, mirrored: Mirrored) {
        if self.mirrored.len() >= IDS {
            // Only a call that waits for a list still has to be held against them.
            let loading = &self.loading;
            self.mirrored.retain(|id, _| {
                loading.values().any(|it| it.waiting.iter().any(|request| request.id == *id))
            });
        }
        self.mirrored.insert(id.clone(), mirrored);
    }

    /// A tool as the server listed it last.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Value> {
        let list = self.lists.get(&Kind::Tool)?;
        list.listed.iter().find(|one| one.name == name).map(|one| &one.entry)
    }

    /// Takes a line of the client.
    pub fn from_client(&mut self, line: &[u8]) -> Out {
        let mut out = Out::default();
        match Frame::parse(line) {
            Err(unreadable) => out.lines.push(unreadable.line()),
            Ok(frame) => self.client_frame(frame, &mut out),
        }
        out
    }

    /// Takes a frame of the client.
    pub fn client_frame(&mut self, frame: Frame, out: &mut Out) {
        self.settle_later();
        self.look_at_pins(out);
        match frame {
            Frame::Request(request) => self.request(request, out),
            Frame::Notification(notification) => self.told(notification, out),
            Frame::Answer(answer) => self.client_answers(answer, out),
        }
    }

    /// Takes a line of the server. What cannot be read is dropped and counted.
    pub fn from_server(&mut self, line: &[u8]) -> Out {
        let mut out = Out::default();
        match Frame::parse(line) {
            Err(unreadable) => self.drop_frame(&unreadable.message, &mut out),
            Ok(frame) => self.server_frame(frame, &mut out),
        }
        out
    }

    /// Takes a frame of the server.
    pub fn server_frame(&mut self, frame: Frame, out: &mut Out) {
        self.settle_later();
        match frame {
            Frame::Request(request) => self.server_wants(request, out),
            Frame::Notification(notification) => self.noted(notification, out),
            Frame::Answer(answer) => self.server_answers(answer, out),
        }
    }

    /// Looks after what waits.
    pub fn tick(&mut self) -> Out {
        let mut out = Out::default();
        self.put_down();
        let now = Instant::now();
        if self.looked.is_none_or(|looked| now.duration_since(looked) >= LOOK) {
            self.looked = Some(now);
            self.look_at_pins(&mut out);
            self.look_at_waiting(now, &mut out);
            self.look_at_loading(now, &mut out);
        }
        out
    }

    /// Whether something waits that [`Engine::tick`] has to look after.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || !self.loading.is_empty()
    }

    /// Puts down what came of calls whose answers are on their way: the client waits for its answer, not for that.
    pub fn settle_later(&mut self) {
        for (passing, shown, outcome) in std::mem::take(&mut self.later) {
            self.desk.finished(&passing, &shown.text, &shown.seen, outcome);
        }
    }

    /// The same, so that it survives a loss of power.
    pub fn put_down(&mut self) {
        self.settle_later();
        self.desk.sync();
    }

    /// Has what was decided survive a loss of power, before anything goes out. Where it cannot, nothing goes on.
    pub fn settle(&mut self, out: &mut Out) {
        let Err(why) = self.desk.settle() else { return };
        let words = format!("portcullis: denied: {why}");
        for frame in std::mem::take(&mut out.server) {
            match frame {
                Frame::Request(request) if self.open.remove(&request.id).is_some() => {
                    let is_modern = modern_meta(request.params.as_ref()).is_some();
                    let kind =
                        if request.method == "tools/call" { Kind::Tool } else { Kind::Resource };
                    out.client.push(self.no(request.id, kind, &words, is_modern));
                }
                other => out.server.push(other),
            }
        }
    }

    /// The server has gone: whoever waits for it is told.
    pub fn server_gone(&mut self, why: &str) -> Out {
        let mut out = Out::default();
        let words = format!("portcullis: the server has ended: {why}");
        let open: Vec<Id> = self.open.keys().cloned().collect();
        for id in open {
            self.open.remove(&id);
            out.client.push(Answer::error(id, CODE, &words).into());
        }
        for waiting in std::mem::take(&mut self.waiting) {
            out.client.push(Answer::error(waiting.into_id(), CODE, &words).into());
        }
        for (_, loading) in std::mem::take(&mut self.loading) {
            for request in loading.waiting {
                out.client.push(Answer::error(request.id, CODE, &words).into());
            }
        }
        out
    }

    /// Reads the pins anew where their file is another than it was, and holds what is listed against them.
    fn look_at_pins(&mut self, out: &mut Out) {
        let stamp = self.files.stamp();
        if stamp == self.stamp {
            return;
        }
        self.stamp = stamp;
        self.known = self.files.known();
        self.unstarted = self.against_definition();
        if let Some((identity, itself)) = &mut self.identity {
            *itself = pins::held::of_identity(identity, &self.known, &self.others);
        }
        let kinds: Vec<Kind> = self.lists.keys().copied().collect();
        for kind in kinds {
            let Some(list) = self.lists.get_mut(&kind) else { continue };
            let before = held_names(&list.listed);
            let entries = list.listed.drain(..).map(|one| one.entry).collect();
            list.listed = against(kind, entries, (&self.known, &self.others), self.repeats).0;
            let changes = held_names(&list.listed) != before;
            if kind == Kind::Tool {
                self.learn();
            }
            if let Some(method) = changed_method(kind).filter(|_| changes && self.is_legacy) {
                out.client.push(notification(method));
            }
        }
    }

    /// Why nothing of the server is let through; nothing where it may be.
    fn held_whole(&self) -> Vec<String> {
        let identity = self.identity.iter().flat_map(|(_, itself)| &itself.server);
        self.unstarted.iter().chain(identity).cloned().collect()
    }

    /// What a person has to do about what is held.
    fn way_out(&self) -> String {
        let name = &self.files.server;
        let is_plain =
            name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
        let shown = crate::report::visible::line(name);
        if is_plain {
            format!("a person can look at it with `portcullis mcp accept {shown}`")
        } else {
            format!("a person can look at it with `portcullis mcp accept '{shown}'`")
        }
    }

    /// Keeps what the server shows for whoever is to accept it, or forgets that something was held.
    fn keep_seen(&mut self, out: &mut Out) {
        let is_held = !self.held_whole().is_empty()
            || self.identity.as_ref().is_some_and(|(_, itself)| !itself.is_clear())
            || self.lists.values().flat_map(|list| &list.listed).any(|one| !one.held.is_empty());
        if !is_held {
            self.files.nothing_is_held();
            return;
        }
        let entries =
            self.lists.values().flat_map(|list| &list.listed).filter(|one| !one.held.is_empty());
        let shown = entries.map(|one| pins::Shown {
            kind: one.kind,
            name: one.name.clone(),
            entry: one.entry.clone(),
            held: one.held.clone(),
        });
        let seen = Seen {
            definition: Some(self.definition.clone()),
            identity: self.identity.as_ref().map(|(identity, _)| identity.clone()),
            entries: shown.collect(),
            ..Seen::default()
        };
        if let Err(error) = self.files.keep_seen(&seen) {
            out.notes.push(format!("what is held cannot be kept: {error}"));
        }
    }

    /// Keeps what is held because the server must not be started.
    pub fn keep_unstarted(&mut self) {
        self.keep_seen(&mut Out::default());
    }

    fn learn(&self) {
        let list = self.lists.get(&Kind::Tool).map(|list| list.listed.as_slice());
        let accepted = list.unwrap_or_default().iter().filter(|one| one.held.is_empty());
        self.desk.learn(accepted.map(|one| &one.entry));
    }

    /// An id of our own.
    fn own_id(&mut self) -> Id {
        self.next += 1;
        Id::Text(format!("{}{}", self.ours, self.next))
    }

    /// A request of ours to the server; of the new protocol with what the client said of itself.
    fn own_request(&mut self, method: &str, mut params: Members, meta: Option<Value>) -> Request {
        if let Some(meta) = meta {
            params.insert("_meta".to_owned(), meta);
        }
        let params = (!params.is_empty()).then_some(params);
        Request { id: self.own_id(), method: method.to_owned(), params }
    }

    fn drop_frame(&mut self, why: &str, out: &mut Out) {
        self.dropped += 1;
        if self.dropped <= 5 {
            let why: String = why.chars().take(200).collect();
            out.notes.push(format!(
                "a message of the server was dropped: {}",
                crate::report::visible::line(&why)
            ));
        }
    }
}

/// What is held of a list, and how many entries without a name were left out. Where arguments are repeated in headers, a tool that breaks the
/// rules for that is held too, as the protocol of 2026-07-28 demands of clients.
fn against(
    kind: Kind,
    entries: Vec<Value>,
    (known, others): (&Known, &Others),
    repeats: bool,
) -> (Vec<Listed>, usize) {
    let (mut listed, nameless) = pins::held::against(kind, entries, known, others);
    if repeats && kind == Kind::Tool {
        for one in &mut listed {
            if let Err(unfit) = mirror::places(&one.entry) {
                one.held.push(unfit.to_string());
            }
        }
    }
    (listed, nameless)
}

/// Whether a request speaks the new protocol, and what it says of itself.
fn modern_meta(params: Option<&Members>) -> Option<&Value> {
    let meta = params?.get("_meta")?;
    meta.get(VERSION_KEY).and_then(Value::as_str).map(|_| meta)
}

/// The `_meta` of a listing of ours: what the client said of itself, and no token that its own answer is known by.
fn own_meta(meta: &Value) -> Value {
    let mut meta = meta.clone();
    if let Some(members) = meta.as_object_mut() {
        members.retain(|name, _| name.starts_with("io.modelcontextprotocol/"));
    }
    meta
}

/// The result of a call that did not run, as the protocol of the call has it.
fn refused(id: Id, words: &str, is_modern: bool) -> Frame {
    let mut members = result::failed(words);
    if is_modern {
        members.insert("resultType".to_owned(), "complete".into());
    }
    Answer { id, outcome: Ok(members) }.into()
}

fn notification(method: &str) -> Frame {
    Frame::Notification(Notification { method: method.to_owned(), params: None })
}

fn changed_method(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Tool => Some("notifications/tools/list_changed"),
        Kind::Prompt => Some("notifications/prompts/list_changed"),
        Kind::Resource => Some("notifications/resources/list_changed"),
        Kind::Template => None,
    }
}

fn held_names(listed: &[Listed]) -> Vec<(String, bool)> {
    listed.iter().map(|one| (one.name.clone(), one.held.is_empty())).collect()
}

/// The tool that says what is held.
fn tool_of_ours(held: usize, way_out: &str) -> Value {
    json!({
        "name": HELD_TOOL,
        "title": "What Portcullis holds back",
        "description": format!("{held} entries of this server are held back until they are accepted: {way_out}. Call this tool to see which."),
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

/// The name of it.
const HELD_TOOL: &str = "portcullis_held";

/// An empty object.
fn none() -> Members {
    Map::new()
}

#[cfg(test)]
mod tests;
