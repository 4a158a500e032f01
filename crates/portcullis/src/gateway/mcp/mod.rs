//! MCP servers behind the gateway, over Streamable HTTP: `/mcp/NAME`. Owns who may speak to which session, what is answered in which form, and how
//! much of everything there may be; what a message means and whether a call may run, [`crate::mcp`] says, as it does over standard input and output.
//!
//! ```text
//! POST ──era (headers, body)──► session of this token ──► line (a thread, a process) ──► answer as JSON, or as events
//! GET  ──► what the server says by itself        DELETE ──► the end of the session
//! ```

mod era;
mod line;
mod log;
mod pipe;
mod registry;
mod round;

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Extension,
    body::{Body, Bytes},
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, oneshot},
    time::timeout,
};
use tokio_stream::wrappers::ReceiverStream;

pub(super) use self::registry::Fronts;
use self::{
    era::{Era, Refusal, accepts, single},
    line::Input,
    log::EventId,
    pipe::{Part, Pipe},
    registry::Handle,
};
use super::{Shared, access::Caller, problem::Problem};
use crate::{
    approvals::Holder,
    config::McpServer,
    mcp::{
        frame::{Frame, Request, Unreadable},
        mirror::{self, Mirrored},
    },
};

/// The route, in the table of all.
pub(super) const PATH: &str = "/mcp/{server}";

/// The longest message.
pub(super) const LONGEST: usize = crate::mcp::frame::LONGEST;

/// What is longer than this is read when there is room for it, and parsed where it keeps nobody waiting.
pub(super) const LARGE: usize = 1 << 20;
const SHORT: usize = 64 << 10;

/// The header that names a session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// How long an answer is waited for before a stream is begun in its place, so that nothing on the way takes it for lost.
const ALONE: Duration = Duration::from_secs(5);

/// The revision from which on clients go on after an event with nothing in it.
const RESUMING: &str = "2025-11-25";

/// How often a stream shows that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// The place in memory that a long body takes.
#[derive(Clone)]
pub(super) struct Large {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl Large {
    pub(super) fn new(permit: OwnedSemaphorePermit) -> Self {
        Self { _permit: Arc::new(permit) }
    }
}

/// That a body of ours was meant so: what the framework refuses by itself is put in other words.
#[derive(Clone, Copy)]
pub(super) struct Spoken;

type Answered = Result<Response, Problem>;

/// A message of a client.
pub(super) async fn post(
    State(gateway): State<Shared>,
    Path(name): Path<String>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    large: Option<Extension<Large>>,
    body: Bytes,
) -> Answered {
    let front = Front::new(gateway, name, caller, headers)?;
    let headers = &front.headers;
    if let Err(refusal) = is_message(headers) {
        return Ok(refused(&refusal));
    }
    let frame = match parsed(body).await {
        Ok(frame) => frame,
        Err(unreadable) => return Ok(refused(&unread(unreadable))),
    };
    drop(large);
    let spoken = match era::of(headers, &frame) {
        Ok(spoken) => spoken,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    match (spoken, frame) {
        (Era::Stateless, Frame::Request(request)) => front.stateless(request).await,
        (Era::Sessions, Frame::Request(request)) if request.method == "initialize" => {
            front.initialize(request).await
        }
        (_, frame) => match front.session() {
            Ok(session) => front.in_session(session, frame).await,
            Err(refusal) => Ok(refused(&match frame {
                Frame::Request(request) => refusal.of(&request.id),
                Frame::Notification(_) | Frame::Answer(_) => refusal,
            })),
        },
    }
}

/// A stream in a session: of what a server says by itself, or one that broke off, from where it did.
pub(super) async fn get(
    State(gateway): State<Shared>,
    Path(name): Path<String>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Answered {
    let front = Front::new(gateway, name, caller, headers)?;
    Ok(match front.listened().await {
        Ok(response) => response,
        Err(refusal) => refused(&refusal),
    })
}

/// The end of a session.
pub(super) async fn delete(
    State(gateway): State<Shared>,
    Path(name): Path<String>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Answered {
    let front = Front::new(gateway, name, caller, headers)?;
    Ok(match front.session_alone() {
        Ok(session) => {
            front.gateway.fronts.end(&session).await;
            StatusCode::NO_CONTENT.into_response()
        }
        Err(refusal) => refused(&refusal),
    })
}

/// A request to one server.
struct Front {
    gateway: Shared,
    name: String,
    server: McpServer,
    caller: Caller,
    headers: HeaderMap,
}

impl Front {
    fn new(
        gateway: Shared,
        name: String,
        caller: Caller,
        headers: HeaderMap,
    ) -> Result<Self, Problem> {
        let server = known(&gateway, &name, &caller)?;
        Ok(Self { gateway, name, server, caller, headers })
    }

    async fn listened(&self) -> Result<Response, Refusal> {
        let session = self.session_alone()?;
        if !accepts(&self.headers, "text/event-stream") {
            return Err(not_acceptable());
        }
        let (pipe, parts) = Pipe::new();
        let over = |_| registry::unknown_session();
        let Some(last) = single(&self.headers, "last-event-id")? else {
            session.send(Input::Stream(pipe)).await.map_err(over)?;
            return Ok(streamed(&self.gateway, parts, Begun::default()));
        };
        let last = EventId::read(last).ok_or_else(no_such_event)?;
        let (known, is_known) = oneshot::channel();
        let number = session.number();
        session.send(Input::Resume { last, number, pipe, known }).await.map_err(over)?;
        let leaving = Leaving { session: Arc::clone(&session), number };
        if is_known.await != Ok(true) {
            leaving.answered();
            return Err(no_such_event());
        }
        let begun = Begun { leaving: Some(leaving), ..Begun::default() };
        Ok(streamed(&self.gateway, parts, begun))
    }

    async fn initialize(self, request: Request) -> Answered {
        if self.headers.contains_key(SESSION) {
            let refusal = Refusal::invalid("a session is begun once").of(&request.id);
            return Ok(refused(&refusal));
        }
        let begun =
            registry::begin(&self.gateway, &self.name, &self.server, &self.caller, &self.headers);
        let session = begun?;
        let id = session.id.clone();
        let mut response = self.ask(&session, request, None).await?;
        if response.extensions().get::<Failed>().is_some() {
            // Nobody knows of it, so nobody would end it.
            self.gateway.fronts.end(&session).await;
        } else if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(SESSION, id);
        }
        Ok(response)
    }

    async fn in_session(self, session: Arc<Handle>, frame: Frame) -> Answered {
        match frame {
            Frame::Request(request) => self.ask(&session, request, None).await,
            frame => match session.send(Input::Tell(frame)).await {
                Ok(()) => Ok(StatusCode::ACCEPTED.into_response()),
                Err(_) => Ok(refused(&registry::unknown_session())),
            },
        }
    }

    async fn stateless(self, request: Request) -> Answered {
        let session =
            registry::shared(&self.gateway, &self.name, &self.server, &self.caller, &self.headers)?;
        let mirrored = (request.method == "tools/call").then(|| mirrored(&self.headers));
        self.ask(&session, request, mirrored).await
    }

    /// Asks, and answers as JSON where the answer comes alone and soon, else with a stream of events.
    async fn ask(
        &self,
        session: &Arc<Handle>,
        request: Request,
        mirrored: Option<Mirrored>,
    ) -> Answered {
        let id = request.id.clone();
        let (pipe, mut parts) = Pipe::new();
        let number = session.number();
        let input = Input::Request { request, mirrored, number, pipe };
        if session.send(input).await.is_err() {
            return Ok(failed(refused(&registry::unknown_session().of(&id))));
        }
        let leaving = Leaving { session: Arc::clone(session), number };
        match timeout(ALONE, parts.recv()).await {
            Ok(Some(part)) if part.is_last => {
                leaving.answered();
                Ok(alone(session.era, part))
            }
            Err(_) => {
                // A client of the latest of these revisions can go on from an event with nothing in it.
                let version = single(&self.headers, "mcp-protocol-version").ok().flatten();
                let can = session.era == Era::Sessions && version == Some(RESUMING);
                let mark = can.then_some(EventId { stream: number, number: 0 });
                let begun = Begun { first: None, leaving: Some(leaving), mark };
                Ok(streamed(&self.gateway, parts, begun))
            }
            Ok(None) if session.is_over() => Ok(failed(refused(&registry::gone().of(&id)))),
            Ok(None) => {
                leaving.answered();
                Ok(streamed(&self.gateway, parts, Begun::default()))
            }
            Ok(first) => {
                let begun = Begun { first, leaving: Some(leaving), mark: None };
                Ok(streamed(&self.gateway, parts, begun))
            }
        }
    }

    /// The session that a message names; one of another token, or of another server, is none.
    fn session(&self) -> Result<Arc<Handle>, Refusal> {
        let named = single(&self.headers, SESSION.as_str())?.ok_or_else(|| {
            Refusal::invalid("`Mcp-Session-Id` is missing: a session begins with `initialize`")
        })?;
        self.gateway.fronts.session(named, &self.name, (&self.gateway, &self.caller))
    }

    /// The same for what has no body.
    fn session_alone(&self) -> Result<Arc<Handle>, Refusal> {
        if let Some(version) = single(&self.headers, "mcp-protocol-version")? {
            if version == era::MODERN {
                return Err(no_such_method());
            }
            if !era::with_sessions().contains(&version) {
                return Err(era::unsupported(version, &crate::mcp::engine::VERSIONS));
            }
        }
        if !self.headers.contains_key(SESSION) {
            return Err(no_such_method());
        }
        self.session()
    }
}

/// Takes a request back when its connection is closed before its answer.
struct Leaving {
    session: Arc<Handle>,
    number: u64,
}

impl Leaving {
    fn answered(mut self) {
        self.number = 0;
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if self.number == 0 || self.session.is_over() {
            return;
        }
        let (session, number) = (Arc::clone(&self.session), self.number);
        // The thread may be busy with a call; it is told when it has time.
        tokio::spawn(async move { session.send(Input::Gone(number)).await });
    }
}

/// Marks an answer that says that nothing was done.
#[derive(Clone, Copy)]
struct Failed;

fn failed(mut response: Response) -> Response {
    response.extensions_mut().insert(Failed);
    response
}

/// The server that a path names. A browser's session is no client of servers.
fn known(gateway: &Shared, name: &str, caller: &Caller) -> Result<McpServer, Problem> {
    if caller.holder != Holder::Api {
        let words = "a browser's session does not speak to servers";
        return Err(Problem::new(StatusCode::FORBIDDEN, "no-client", words));
    }
    gateway.fronts.server(name).cloned().ok_or_else(|| Problem::unknown("server"))
}

fn is_message(headers: &HeaderMap) -> Result<(), Refusal> {
    let kind = single(headers, "content-type")?.unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let message = "`Content-Type` must be `application/json`";
        return Err(Refusal {
            status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ..Refusal::invalid(message)
        });
    }
    if !accepts(headers, "application/json") || !accepts(headers, "text/event-stream") {
        return Err(not_acceptable());
    }
    Ok(())
}

fn not_acceptable() -> Refusal {
    let message = "`Accept` must name `application/json` and `text/event-stream`";
    Refusal { status: StatusCode::NOT_ACCEPTABLE, ..Refusal::invalid(message) }
}

fn no_such_event() -> Refusal {
    Refusal::invalid("`Last-Event-ID` names no event of which anything is kept")
}

fn no_such_method() -> Refusal {
    let message = "without a session there is only POST";
    Refusal { status: StatusCode::METHOD_NOT_ALLOWED, ..Refusal::invalid(message) }
}

async fn parsed(body: Bytes) -> Result<Frame, Unreadable> {
    if body.len() <= SHORT {
        return Frame::parse(&body);
    }
    let apart = tokio::task::spawn_blocking(move || Frame::parse(&body)).await;
    apart.unwrap_or_else(|_| Err(Unreadable::too_long()))
}

fn unread(unreadable: Unreadable) -> Refusal {
    let Unreadable { id, code, message } = unreadable;
    Refusal { id, ..Refusal::new(StatusCode::BAD_REQUEST, code, message) }
}

/// What a call says of its arguments in headers.
fn mirrored(headers: &HeaderMap) -> Mirrored {
    let mut all = Mirrored::new();
    for name in headers.keys() {
        let Some(named) = name.as_str().strip_prefix(mirror::PREFIX) else { continue };
        let mut values = headers.get_all(name).iter();
        let value = values.next().and_then(|value| value.to_str().ok());
        let value = value.filter(|_| values.next().is_none()).map(str::to_owned);
        all.insert(named.to_owned(), value);
    }
    all
}

/// A refusal, in the words of the protocol.
fn refused(refusal: &Refusal) -> Response {
    let mut response = json(refusal.status, refusal.body().to_string().into_bytes());
    if refusal.status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    }
    response
}

/// An answer that came alone. Without sessions its status says what kind of error it is.
fn alone(spoken: Era, part: Part) -> Response {
    let status = match (spoken, part.code) {
        (Era::Sessions, _) | (Era::Stateless, None) => StatusCode::OK,
        (Era::Stateless, Some(-32_601)) => StatusCode::NOT_FOUND,
        (Era::Stateless, Some(code)) if (-32_099..=-32_020).contains(&code) => {
            StatusCode::BAD_REQUEST
        }
        (Era::Stateless, Some(_)) => StatusCode::OK,
    };
    let is_error = part.code.is_some();
    let mut response = json(status, part.text);
    if is_error {
        response = failed(response);
    }
    response
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    let mut response = (status, kind, body).into_response();
    response.extensions_mut().insert(Spoken);
    response
}

/// How a stream begins.
#[derive(Default)]
struct Begun {
    first: Option<Part>,
    /// Told when the connection is closed before the last event.
    leaving: Option<Leaving>,
    /// An event with nothing in it, from which a client can go on.
    mark: Option<EventId>,
}

/// A stream of events, until the last of them.
fn streamed(gateway: &Shared, mut parts: mpsc::Receiver<Part>, begun: Begun) -> Response {
    let Begun { first, leaving, mark } = begun;
    let (sender, receiver) = mpsc::channel::<Result<Bytes, Infallible>>(1);
    let mut closed = gateway.closed.subscribe();
    tokio::spawn(async move {
        let mut next = first;
        if let Some(mark) = mark
            && sender.send(Ok(format!("id: {mark}\ndata:\n\n").into())).await.is_err()
        {
            return;
        }
        loop {
            let part = match next.take() {
                Some(part) => Some(part),
                None => tokio::select! {
                    part = parts.recv() => match part {
                        Some(part) => Some(part),
                        None => return,
                    },
                    () = tokio::time::sleep(ALIVE) => None,
                    () = sender.closed() => return,
                    // The answers of what ends are on their way.
                    _ = closed.wait_for(|closed| *closed), if leaving.is_none() => return,
                },
            };
            let is_last = part.as_ref().is_some_and(|part| part.is_last);
            let text = match part {
                Some(part) => event(&part),
                None => Bytes::from_static(b": alive\n\n"),
            };
            if sender.send(Ok(text)).await.is_err() {
                return;
            }
            if is_last {
                if let Some(leaving) = leaving {
                    leaving.answered();
                }
                return;
            }
        }
    });
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(ReceiverStream::new(receiver))).into_response()
}

/// A message as an event. It is one line: we wrote it.
fn event(part: &Part) -> Bytes {
    let mut event = Vec::with_capacity(part.text.len() + 64);
    if let Some(id) = part.event {
        event.extend_from_slice(format!("id: {id}\n").as_bytes());
    }
    event.extend_from_slice(b"event: message\ndata: ");
    event.extend_from_slice(part.text.trim_ascii_end());
    event.extend_from_slice(b"\n\n");
    event.into()
}
