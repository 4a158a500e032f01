//! A server elsewhere, spoken to over Streamable HTTP in both eras of the protocol. Owns the way there: one address and no other, our own token and
//! never a client's, what is taken for an answer, and that every request is answered, if only by that no answer came.
//!
//! Nothing here has an opinion on what is said; what comes is a line for the engine, as from a process.

use std::{
    collections::HashMap,
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use portcullis_core::network::Target;
use portcullis_net::{
    Client, GuardOptions, Limits, Request as Asked, ResolverOptions, Roots, Stream,
};
use serde_json::Value;
use tokio::{
    sync::{Semaphore, mpsc},
    task::AbortHandle,
    time,
};

use super::{
    engine::{CODE, VERSION_KEY, VERSIONS},
    events::Events,
    frame::{Answer, Frame, Id, LONGEST, Line, Notification, Request},
    link::{Behind, Event},
    mirror,
    oauth::Access,
};
use crate::{
    guardian::{is_inside_by_itself, only_to},
    private,
};

/// How many frames wait to be sent.
const QUEUE: usize = 1_024;

/// How many requests are on their way at once; others wait.
const AT_ONCE: usize = 32;

/// How long the head of an answer is waited for: a server may work on a call for as long, and say nothing.
const HEAD: Duration = Duration::from_secs(600);

/// How long nothing may come in the middle of an answer.
const SILENCE: Duration = Duration::from_secs(600);

/// How long what wants no answer may take.
const TOLD: Duration = Duration::from_secs(30);

/// How often the stream of what a server says by itself is opened, where it ends at once, and what is waited in between.
const STREAMS: u32 = 10;
const PAUSE: Duration = Duration::from_secs(2);

/// The longest name of a session, and the longest token.
const LONGEST_SESSION: usize = 1_024;
const LONGEST_TOKEN: u64 = 16 << 10;

/// The header that says which gateways a request has passed.
pub const PASSED: &str = "portcullis-passed";

/// A server elsewhere.
pub struct Remote {
    frames: Option<mpsc::Sender<Sent>>,
}

/// A frame on its way, with the headers that repeat its arguments.
struct Sent(Frame, Vec<(String, String)>);

/// What requests to one server have in common.
struct Way {
    url: String,
    client: Client,
    key: Key,
    /// The gateways that are passed on the way, ours the last.
    passed: String,
    events: mpsc::Sender<Event>,
    at_once: Semaphore,
    met: Mutex<Met>,
    /// The requests that are on their way.
    open: Mutex<HashMap<Id, AbortHandle>>,
}

/// What a server knows us by.
pub enum Key {
    /// Nothing.
    None,
    /// A token that somebody put in a file.
    Token(String),
    /// The token of a login.
    Login(Box<Access>),
}

impl Key {
    /// What the configuration names, else a login.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of(token: Option<&Path>, login: Option<Access>) -> io::Result<Self> {
        match (token, login) {
            (Some(path), _) => token_in(path).map(Self::Token),
            (None, Some(login)) => Ok(Self::Login(Box::new(login))),
            (None, None) => Ok(Self::None),
        }
    }

    /// The token for a request; `refused` is one that did not count.
    async fn token(&self, refused: Option<&str>) -> Result<Option<String>, String> {
        match self {
            Self::None => Ok(None),
            Self::Token(token) => Ok(Some(token.clone())),
            Self::Login(login) => {
                login.token(refused).await.map(Some).map_err(|error| error.to_string())
            }
        }
    }
}

/// What a server of the old protocol said at first.
#[derive(Clone, Default)]
struct Met {
    session: Option<String>,
    version: Option<String>,
}

impl Remote {
    /// A way to a server, on the runtime that this is called on. What it says is sent to `events`; `passed` names the gateways on the way.
    ///
    /// # Errors
    /// When the address is none that may be reached, or the token cannot be read.
    pub fn new(
        url: &str,
        key: Key,
        passed: String,
        events: mpsc::Sender<Event>,
    ) -> io::Result<Self> {
        let target = Target::read(url).map_err(io::Error::other)?;
        // A name that leads inside leads nowhere, unless it says so itself.
        let policy =
            only_to([(&target, is_inside_by_itself(&target))]).map_err(io::Error::other)?;
        let resolver = ResolverOptions::default();
        let guard = GuardOptions { policy, resolver, ..GuardOptions::default() };
        let limits = Limits { redirects: 0, body: 0, time: HEAD };
        let client = Client::new(guard, Roots::System, limits);
        let (sender, frames) = mpsc::channel(QUEUE);
        let way = Way {
            url: url.to_owned(),
            client,
            key,
            passed,
            events,
            at_once: Semaphore::new(AT_ONCE),
            met: Mutex::default(),
            open: Mutex::default(),
        };
        tokio::spawn(Arc::new(way).run(frames));
        Ok(Self { frames: Some(sender) })
    }
}

impl Behind for Remote {
    fn send(&mut self, frame: Frame, tool: Option<&Value>) -> bool {
        let Some(frames) = &self.frames else { return true };
        let headers = match (&frame, tool) {
            (Frame::Request(request), Some(tool)) => repeated(request, tool),
            _ => Vec::new(),
        };
        frames.try_send(Sent(frame, headers)).is_ok()
    }

    fn close(&mut self) {
        self.frames = None;
    }

    fn end(self: Box<Self>) {
        // The task sees that nothing more comes, takes back what is on its way, and ends the session.
        drop(self);
    }
}

/// The headers that a call of a tool has. A tool that is unfit for them is held, and not called.
fn repeated(request: &Request, tool: &Value) -> Vec<(String, String)> {
    let arguments = request.params.as_ref().and_then(|params| params.get("arguments"));
    let none = serde_json::Map::new();
    let arguments = arguments.and_then(Value::as_object).unwrap_or(&none);
    let headers = mirror::headers(tool, arguments).unwrap_or_default();
    headers.into_iter().map(|(name, value)| (format!("{}{name}", mirror::PREFIX), value)).collect()
}

fn token_in(path: &Path) -> io::Result<String> {
    let bytes = private::read(path, LONGEST_TOKEN).map_err(io::Error::other)?;
    let text = String::from_utf8(bytes).unwrap_or_default();
    let token = text.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(io::Error::other("the token is empty, or has characters that no token has"));
    }
    Ok(token.to_owned())
}

impl Way {
    /// Sends what is to be sent. Requests do not wait for each other; whatever is told is there before what comes after it.
    async fn run(self: Arc<Self>, mut frames: mpsc::Receiver<Sent>) {
        let mut stream: Option<AbortHandle> = None;
        loop {
            let next = tokio::select! {
                next = frames.recv() => next,
                () = self.events.closed() => None,
            };
            let Some(Sent(frame, repeated)) = next else { break };
            match frame {
                Frame::Request(request) => {
                    let id = request.id.clone();
                    let way = Arc::clone(&self);
                    // Held while it is begun, so that it cannot be over before it is known.
                    let mut open = self.open();
                    let asked = tokio::spawn(async move { way.asked(request, repeated).await });
                    open.insert(id, asked.abort_handle());
                }
                Frame::Notification(told) => {
                    let is_ready = told.method == "notifications/initialized";
                    self.told(told).await;
                    if is_ready && stream.is_none() {
                        stream = Some(tokio::spawn(Arc::clone(&self).listen()).abort_handle());
                    }
                }
                frame @ Frame::Answer(_) => self.sent(frame).await,
            }
        }
        for (_, asked) in self.open().drain() {
            asked.abort();
        }
        if let Some(stream) = stream {
            stream.abort();
        }
        self.ended().await;
    }

    fn open(&self) -> std::sync::MutexGuard<'_, HashMap<Id, AbortHandle>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn met(&self) -> Met {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A request, until its answer is there. Where none comes, that is the answer.
    async fn asked(&self, request: Request, repeated: Vec<(String, String)>) {
        let id = request.id.clone();
        let is_beginning = request.method == "initialize";
        let answered = match self.at_once.acquire().await {
            Ok(_place) => self.answered(request, repeated, is_beginning).await,
            Err(_) => Err("the gate is ending".to_owned()),
        };
        self.open().remove(&id);
        if let Err(why) = answered {
            let words = format!("portcullis: the server gave no answer: {why}");
            self.line(Frame::from(Answer::error(id, CODE, &words)).line()).await;
        }
    }

    async fn answered(
        &self,
        request: Request,
        repeated: Vec<(String, String)>,
        is_beginning: bool,
    ) -> Result<(), String> {
        let id = request.id.clone();
        let is_discovery = request.method == "server/discover";
        let mut headers = self.headers_of(&request);
        headers.extend(repeated);
        let mut stream = self.post(Frame::Request(request), headers).await?;
        if is_beginning && stream.status == 200 {
            let session = stream.header("mcp-session-id").map(str::to_owned);
            if let Some(session) = &session
                && (session.len() > LONGEST_SESSION
                    || session.is_empty()
                    || !session.bytes().all(|byte| byte.is_ascii_graphic()))
            {
                return Err("its name for the session is none".to_owned());
            }
            self.met.lock().unwrap_or_else(PoisonError::into_inner).session = session;
        }
        let kind = kind(&stream);
        match (stream.status, kind.as_str()) {
            // It does not know the question, whatever it takes it for.
            (400 | 404 | 405 | 406, _) if is_discovery => self.unknown(&mut stream, id).await,
            (200, "text/event-stream") => self.streamed(&mut stream, Some(&id), is_beginning).await,
            (status, "application/json") if status == 200 || (400..500).contains(&status) => {
                let body = whole(&mut stream).await?;
                // What is wrong with a request is told by a status too, and by an answer that may not say to what.
                if !answers(&body, &id) {
                    return Err(format!("it answered something else, with the status {status}"));
                }
                self.noted(&body, is_beginning);
                self.line(body).await;
                Ok(())
            }
            (301 | 302 | 303 | 307 | 308, _) => {
                Err("it sends us to another address, which nobody accepted".to_owned())
            }
            (401, _) => Err("it does not let us in: see the token of the server in the configuration, or `portcullis mcp login`"
                .to_owned()),
            (403, _) => Err("it does not let us do that: the token may not, or allows too little (`portcullis mcp login` asks for what it wants)"
                .to_owned()),
            (508, _) => Err("its address leads back to this gateway".to_owned()),
            (404, _) if self.met().session.is_some() => {
                self.over("its session is over").await;
                Err("its session is over".to_owned())
            }
            (status, _) => {
                Err(format!("it answered with the status {status}, and nothing that can be read"))
            }
        }
    }

    /// A server that was asked who it is in the new protocol, and refused: in that protocol's own words, or because it does not speak it.
    async fn unknown(&self, stream: &mut Stream, id: Id) -> Result<(), String> {
        let body = whole(stream).await?;
        if answers(&body, &id) {
            self.line(body).await;
        } else {
            let words = "the server does not speak this revision of the protocol";
            self.line(Frame::from(Answer::error(id, -32_601, words)).line()).await;
        }
        Ok(())
    }

    /// The events of an answer, until that is there; or of a stream, until it ends.
    async fn streamed(
        &self,
        stream: &mut Stream,
        id: Option<&Id>,
        is_beginning: bool,
    ) -> Result<(), String> {
        let mut events = Events::default();
        loop {
            let came = match id {
                // What a server says by itself may take as long as it likes.
                None => stream.next().await,
                Some(_) => time::timeout(SILENCE, stream.next())
                    .await
                    .map_err(|_| "nothing came for ten minutes".to_owned())?,
            };
            let Some(came) = came.map_err(|failure| failure.to_string())? else {
                return Err("its answer broke off".to_owned());
            };
            for data in events.push(&came).map_err(|error| error.to_string())? {
                let is_answer = id.is_some_and(|id| answers(&data, id));
                if is_answer {
                    self.noted(&data, is_beginning);
                }
                self.line(data).await;
                if is_answer {
                    return Ok(());
                }
            }
        }
    }

    /// Keeps which revision the server of the old protocol chose.
    fn noted(&self, body: &[u8], is_beginning: bool) {
        if !is_beginning {
            return;
        }
        if let Ok(Frame::Answer(Answer { outcome: Ok(result), .. })) = Frame::parse(body) {
            let version = result.get("protocolVersion").and_then(Value::as_str);
            let version = version.filter(|version| VERSIONS.contains(version)).map(str::to_owned);
            self.met.lock().unwrap_or_else(PoisonError::into_inner).version = version;
        }
    }

    /// A notification. In the new protocol a request is taken back by leaving its connection.
    async fn told(&self, told: Notification) {
        if told.method == "notifications/cancelled" {
            let id = told.params.as_ref().and_then(|params| Id::read(params.get("requestId")?));
            let asked = id.and_then(|id| self.open().remove(&id));
            let Some(asked) = asked else { return };
            let has_session = self.met().version.is_some();
            if has_session {
                self.sent(Frame::Notification(told)).await;
            }
            asked.abort();
            return;
        }
        self.sent(Frame::Notification(told)).await;
    }

    /// Sends what wants no answer. That it did not arrive is seen by what comes of it.
    async fn sent(&self, frame: Frame) {
        let headers = self.headers();
        let _ = time::timeout(TOLD, self.post(frame, headers)).await;
    }

    /// The stream of what a server of the old protocol says by itself, where it has one.
    async fn listen(self: Arc<Self>) {
        for _ in 0..STREAMS {
            let mut headers = self.headers();
            headers.push(("accept".to_owned(), "text/event-stream".to_owned()));
            let Ok(mut stream) = self.opened("GET", headers, None).await else { return };
            if stream.status != 200 || kind(&stream) != "text/event-stream" {
                return;
            }
            // It may end and be opened again as it likes, though not for good.
            let _ = self.streamed(&mut stream, None, false).await;
            time::sleep(PAUSE).await;
        }
    }

    /// Ends the session, where there is one; a server that does not want that keeps it.
    async fn ended(&self) {
        if self.met().session.is_none() {
            return;
        }
        let _ = time::timeout(TOLD, self.opened("DELETE", self.headers(), None)).await;
    }

    async fn post(
        &self,
        frame: Frame,
        mut headers: Vec<(String, String)>,
    ) -> Result<Stream, String> {
        headers.push(("accept".to_owned(), "application/json, text/event-stream".to_owned()));
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        self.opened("POST", headers, Some(frame.line())).await
    }

    /// Asks the server. A token of a login that does not count any more is made anew, once.
    async fn opened(
        &self,
        method: &str,
        headers: Vec<(String, String)>,
        body: Option<Vec<u8>>,
    ) -> Result<Stream, String> {
        let mut refused: Option<String> = None;
        loop {
            let token = self.key.token(refused.as_deref()).await?;
            let mut headers = headers.clone();
            headers.push((PASSED.to_owned(), self.passed.clone()));
            if let Some(token) = &token {
                headers.push(("authorization".to_owned(), format!("Bearer {token}")));
            }
            let (method, url) = (method.to_owned(), self.url.clone());
            let asked = Asked { method, url, headers, body: body.clone() };
            let stream = self.client.open(asked).await.map_err(|failure| failure.to_string())?;
            let is_again = stream.status == 401 && matches!(self.key, Key::Login(_));
            if stream.status == 403
                && let Key::Login(login) = &self.key
                && let Some(challenge) = stream.header("www-authenticate")
            {
                login.wants(challenge).await;
            }
            if !is_again || refused.is_some() {
                return Ok(stream);
            }
            refused = token;
        }
    }

    /// The headers of a session.
    fn headers(&self) -> Vec<(String, String)> {
        let Met { session, version } = self.met();
        let session = session.map(|session| ("mcp-session-id".to_owned(), session));
        let version = version.map(|version| ("mcp-protocol-version".to_owned(), version));
        session.into_iter().chain(version).collect()
    }

    /// The headers of a request: of a session, or those that say what the message says.
    fn headers_of(&self, request: &Request) -> Vec<(String, String)> {
        let params = request.params.as_ref();
        let version = params.and_then(|params| params.get("_meta")?.get(VERSION_KEY)?.as_str());
        let Some(version) = version else { return self.headers() };
        let mut headers = vec![
            ("mcp-protocol-version".to_owned(), version.to_owned()),
            ("mcp-method".to_owned(), request.method.clone()),
        ];
        let named = match request.method.as_str() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return headers,
        };
        if let Some(name) = params.and_then(|params| params.get(named)?.as_str()) {
            headers.push(("mcp-name".to_owned(), mirror::encoded(name)));
        }
        headers
    }

    async fn line(&self, line: Vec<u8>) {
        // Whoever does not listen any more wants nothing.
        let _ = self.events.send(Event::Line(Line::Whole(line))).await;
    }

    async fn over(&self, why: &str) {
        let _ = self.events.send(Event::Broken(why.to_owned())).await;
    }
}

/// What an answer is by its type.
fn kind(stream: &Stream) -> String {
    let kind = stream.header("content-type").unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A body that is no longer than a message.
async fn whole(stream: &mut Stream) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        let came = time::timeout(SILENCE, stream.next()).await;
        let came = came.map_err(|_| "nothing came for ten minutes".to_owned())?;
        let Some(came) = came.map_err(|failure| failure.to_string())? else { return Ok(body) };
        if body.len() + came.len() > LONGEST {
            return Err("its answer is longer than a message may be".to_owned());
        }
        body.extend_from_slice(&came);
    }
}

/// Whether a message is the answer to a request.
fn answers(body: &[u8], id: &Id) -> bool {
    matches!(Frame::parse(body), Ok(Frame::Answer(answer)) if answer.id == *id)
}
