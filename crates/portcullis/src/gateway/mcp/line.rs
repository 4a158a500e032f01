//! One server's process behind the gate, and the clients that wait for it. Owns whose answer is whose, and when it is over: a session of the old
//! protocol has a process of its own, and everybody who comes with one token shares one in the new.
//!
//! It runs on a thread of its own, since a call is judged and recorded there; what comes and goes travels in channels that are bounded.

use std::{
    collections::HashMap,
    future::pending,
    sync::{
        Arc, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::http::HeaderMap;
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::MissedTickBehavior,
};

use super::{
    ALONE,
    era::{Era, HEADER_MISMATCH, unsupported, with_sessions},
    log::{BY_ITSELF, EventId, Log},
    pipe::{Pipe, Room},
};
use crate::{
    gateway::Gateway,
    mcp::{
        engine::CODE,
        frame::{Answer, Frame, Id, Notification, Request},
        link::{Event, Link, Said},
        mirror::Mirrored,
    },
};

/// How many messages of the client, and of the server, wait to be looked at.
pub(super) const QUEUE: usize = 64;

/// How often what waits is looked after.
const TICK: Duration = Duration::from_millis(100);

/// How often it is looked whether the token still holds, and whether anybody is there.
const LOOK: Duration = Duration::from_secs(1);

/// How long a process is kept of which nobody wants anything.
const IDLE: Duration = Duration::from_secs(1_800);
const IDLE_SHARED: Duration = Duration::from_secs(300);

/// How long a server has to say who it is, in the protocol that has no sessions; one that says nothing does not speak it.
const DISCOVERY: Duration = Duration::from_secs(10);

/// How many requests are kept whose connections broke off: their clients may come for the answers.
const LEFT: usize = 64;

/// What a client wants of it.
pub(super) enum Input {
    /// An answer.
    Request { request: Request, mirrored: Option<Mirrored>, number: u64, pipe: Pipe },
    /// Nothing: it tells something, or answers.
    Tell(Frame),
    /// What the server says by itself.
    Stream(Pipe),
    /// What came on a stream after this event, and what will; `known` is told whether there is such a stream.
    Resume { last: EventId, number: u64, pipe: Pipe, known: oneshot::Sender<bool> },
    /// The answer to this request no more: its connection is closed.
    Gone(u64),
    /// Nothing any more.
    End,
}

/// A request that waits for its answer.
struct Post {
    /// The way to its client; nothing while its connection is lost.
    pipe: Option<Pipe>,
    /// Which connection waits for it.
    number: u64,
    /// The name of its stream, and how much was said there.
    stream: u64,
    said: u64,
    /// The id that its client knows it by.
    id: Id,
    /// The token that its client knows its progress by.
    progress: Option<Value>,
    method: String,
    since: Instant,
}

impl Post {
    fn is_call(&self) -> bool {
        matches!(self.method.as_str(), "tools/call" | "prompts/get" | "resources/read")
    }

    fn is_heard(&self) -> bool {
        self.pipe.as_ref().is_some_and(|pipe| !pipe.is_closed())
    }

    /// Whether its answer comes as a stream, of which the client may have an event to go on from.
    fn is_streamed(&self) -> bool {
        self.said > 0 || self.since.elapsed() >= ALONE / 2
    }

    /// The name of what is said next on its stream.
    fn event(&mut self) -> EventId {
        self.said += 1;
        EventId { stream: self.stream, number: self.said }
    }

    /// Says something before the answer.
    fn say(&mut self, log: &mut Log, room: &Room, text: Vec<u8>) {
        let event = self.event();
        log.keep(event, &text, false);
        if let Some(pipe) = &self.pipe {
            pipe.send(room, text, Some(event));
        }
    }
}

/// What is wanted of a process, as its thread says it.
#[derive(Debug, Default)]
pub(super) struct Wants {
    /// How many wait for something of it.
    pub(super) waiting: AtomicUsize,
    /// How much of what it was sent counts in that.
    pub(super) taken: AtomicUsize,
}

/// Where it runs.
pub(super) struct Line {
    link: Link,
    era: Era,
    gateway: Weak<Gateway>,
    /// What its client came with first.
    headers: HeaderMap,
    /// The policy that is judged by.
    generation: u64,
    posts: HashMap<Id, Post>,
    next: u64,
    stream: Option<Pipe>,
    /// How much the server said by itself, and how much of that went to a stream.
    by_itself: u64,
    heard: u64,
    log: Log,
    room: Room,
    used: Instant,
    looked: Instant,
    wants: Arc<Wants>,
}

impl Line {
    pub(super) fn new(
        link: Link,
        era: Era,
        gateway: &Arc<Gateway>,
        headers: HeaderMap,
        generation: u64,
        wants: Arc<Wants>,
    ) -> Self {
        Self {
            wants,
            link,
            era,
            gateway: Arc::downgrade(gateway),
            headers,
            generation,
            posts: HashMap::new(),
            next: 0,
            stream: None,
            by_itself: 0,
            heard: 0,
            log: Log::default(),
            room: Room::default(),
            used: Instant::now(),
            looked: Instant::now(),
        }
    }

    /// Goes on until the client ends it, the server has gone, nobody wants anything any more, the token has ended, or the gateway ends.
    pub(super) async fn run(
        mut self,
        mut inputs: mpsc::Receiver<Input>,
        mut events: mpsc::Receiver<Event>,
        mut closed: watch::Receiver<bool>,
    ) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let mut taken = 0;
            let said = tokio::select! {
                input = inputs.recv() => match input {
                    None | Some(Input::End) => break,
                    Some(input) => {
                        taken = 1;
                        self.takes(input)
                    }
                },
                event = next(&mut events) => self.link.server(event),
                _ = ticks.tick() => {
                    if !self.goes_on() {
                        break;
                    }
                    self.link.tick()
                }
                _ = closed.wait_for(|closed| *closed) => break,
            };
            let has_ended = self.deliver(said);
            let after = self.link.after();
            if self.deliver(after) || has_ended {
                break;
            }
            self.wants.waiting.store(self.waiting(), Ordering::Release);
            self.wants.taken.fetch_add(taken, Ordering::AcqRel);
        }
        inputs.close();
        self.over("it is over");
        // Whoever came meanwhile is told by that nobody takes what they sent.
        drop(inputs);
        // Nobody reads what the server says any more, so that it cannot be held up by that.
        drop(events);
        self.link.end();
    }

    fn takes(&mut self, input: Input) -> Said {
        self.used = Instant::now();
        match input {
            Input::Request { request, mirrored, number, pipe } => {
                self.judge_by_what_holds();
                self.requested(request, mirrored, number, pipe)
            }
            Input::Tell(frame) => {
                if let Frame::Notification(Notification { method, params }) = &frame
                    && method == "notifications/cancelled"
                    && let Some(id) = params.as_ref().and_then(|it| Id::read(it.get("requestId")?))
                {
                    // Who takes a request back gets no answer to it.
                    self.posts.remove(&id);
                }
                self.link.client_frame(frame)
            }
            Input::Stream(pipe) => {
                self.opened(pipe, self.heard);
                Said::default()
            }
            Input::Resume { last, number, pipe, known } => {
                // Who asked may have gone.
                let _ = known.send(self.resumed(last, number, pipe));
                Said::default()
            }
            Input::Gone(number) => self.left(number),
            Input::End => Said::default(),
        }
    }

    fn requested(
        &mut self,
        mut request: Request,
        mirrored: Option<Mirrored>,
        number: u64,
        pipe: Pipe,
    ) -> Said {
        let id = request.id.clone();
        let token = request.params.as_mut().and_then(|params| params.get_mut("_meta"));
        let token = token.and_then(|meta| meta.get_mut("progressToken"));
        let progress = token.as_deref().cloned();
        if self.era == Era::Stateless {
            // Clients that share a process know nothing of each other's ids.
            self.next += 1;
            request.id = Id::Text(format!("http/{}", self.next));
            if let Some(token) = token {
                *token = request.id.clone().value();
            }
        }
        if self.posts.contains_key(&request.id) {
            let answer = Answer::error(id, -32_600, "this id was used before");
            pipe.finish(&self.room, written(answer), None, || (Vec::new(), None));
            return Said::default();
        }
        if let Some(mirrored) = mirrored {
            self.link.engine.mirrored(&request.id, mirrored);
        }
        let method = request.method.clone();
        let post = Post {
            pipe: Some(pipe),
            number,
            stream: number,
            said: 0,
            id,
            progress,
            method,
            since: Instant::now(),
        };
        self.posts.insert(request.id.clone(), post);
        self.link.client_frame(Frame::Request(request))
    }

    /// The connection of a request is closed. Without sessions that takes the request back; with them it says nothing, and a client that had an
    /// event of it may come for the rest.
    fn left(&mut self, number: u64) -> Said {
        let post = self.posts.iter_mut().find(|(_, post)| post.number == number);
        let Some((id, post)) = post else { return Said::default() };
        let id = id.clone();
        if self.era == Era::Stateless {
            self.posts.remove(&id);
            return self.take_back(&id);
        }
        if !post.is_streamed() {
            self.posts.remove(&id);
            return Said::default();
        }
        post.pipe = None;
        let left = self.posts.iter().filter(|(_, post)| post.pipe.is_none());
        if left.clone().count() > LEFT
            && let Some(oldest) = left.min_by_key(|(_, post)| post.since).map(|(id, _)| id.clone())
        {
            self.posts.remove(&oldest);
        }
        Said::default()
    }

    /// The stream of what the server says by itself, with what was said of that after an event.
    fn opened(&mut self, pipe: Pipe, number: u64) {
        for said in self.log.after(EventId { stream: BY_ITSELF, number }) {
            pipe.send(&self.room, said.text, Some(said.event));
        }
        self.heard = self.by_itself;
        // A client that opens another one has lost the one of before.
        self.stream = Some(pipe);
    }

    /// Goes on with a stream after an event; whether there is such a stream, and anything to go on with.
    fn resumed(&mut self, last: EventId, number: u64, pipe: Pipe) -> bool {
        if last.stream == BY_ITSELF {
            let was_said = last.number <= self.by_itself;
            if was_said {
                self.opened(pipe, last.number);
            }
            return was_said;
        }
        let after = self.log.after(last);
        let post = self.posts.values_mut().find(|post| post.stream == last.stream);
        if post.as_ref().is_some_and(|post| last.number > post.said)
            || post.is_none() && !after.last().is_some_and(|said| said.is_last)
        {
            return false;
        }
        let mut pipe = Some(pipe);
        for said in after {
            if said.is_last {
                if let Some(pipe) = pipe.take() {
                    let nothing = || (Vec::new(), None);
                    pipe.finish(&self.room, (said.text, None), Some(said.event), nothing);
                }
            } else if let Some(pipe) = &pipe {
                pipe.send(&self.room, said.text, Some(said.event));
            }
        }
        if let Some(post) = post {
            post.pipe = pipe;
            post.number = number;
        }
        true
    }

    fn take_back(&mut self, id: &Id) -> Said {
        let mut params = serde_json::Map::new();
        params.insert("requestId".to_owned(), id.clone().value());
        let method = "notifications/cancelled".to_owned();
        self.link.client_frame(Frame::Notification(Notification { method, params: Some(params) }))
    }

    /// Gives everything to whom it is for; whether nothing more comes.
    fn deliver(&mut self, said: Said) -> bool {
        let Said { frames, lines: _, has_ended } = said;
        for frame in frames {
            match frame {
                Frame::Answer(answer) => self.answered(answer),
                Frame::Request(_) => self.asked(frame.line()),
                Frame::Notification(notification) => self.told(notification),
            }
        }
        has_ended
    }

    fn answered(&mut self, answer: Answer) {
        let Some(post) = self.posts.remove(&answer.id) else { return };
        let mut post = post;
        let id = post.id.clone();
        let mut answer = Answer { id: id.clone(), ..answer };
        if self.era == Era::Stateless && post.method == "server/discover" {
            answer = discovered(answer);
        }
        let written_answer = written(answer);
        let is_named = self.era == Era::Sessions && post.is_streamed();
        let event = is_named.then(|| post.event());
        if let Some(event) = event {
            self.log.keep(event, &written_answer.0, true);
        }
        let Some(pipe) = post.pipe else { return };
        let small = || {
            let words = "portcullis: more waits for the clients of this server than is kept";
            written(Answer::error(id, CODE, words))
        };
        pipe.finish(&self.room, written_answer, event, small);
    }

    /// The server, or the gate, asks the client: there, where a call is open, because it is about that.
    fn asked(&mut self, text: Vec<u8>) {
        let call = self.newest().filter(|id| self.posts.get(id).is_some_and(Post::is_call));
        match call {
            Some(id) => self.say(&id, text),
            None => self.said(text),
        }
    }

    /// The request that was made last of those that are open, a call before all others, and one whose client is there before one whose client may
    /// come back: what names none is about that, if about any.
    fn newest(&self) -> Option<Id> {
        let key = |post: &Post| (post.is_heard(), post.is_call(), post.since);
        let open = self.posts.iter().filter(|(_, post)| post.is_heard() || post.is_call());
        open.max_by_key(|(_, post)| key(post)).map(|(id, _)| id.clone())
    }

    fn say(&mut self, id: &Id, text: Vec<u8>) {
        if let Some(post) = self.posts.get_mut(id) {
            post.say(&mut self.log, &self.room, text);
        }
    }

    /// The server tells something: about one request, or by itself.
    fn told(&mut self, mut notification: Notification) {
        if self.era == Era::Sessions {
            let token = notification.params.as_ref().and_then(|params| params.get("progressToken"));
            let about = self
                .posts
                .iter()
                .find(|(_, post)| token.is_some() && post.progress.as_ref() == token);
            let about = about.map(|(id, _)| id.clone());
            let text = Frame::Notification(notification).line();
            match about {
                Some(id) => self.say(&id, text),
                None => self.said(text),
            }
            return;
        }
        let Some(post) = self.meant(&mut notification) else { return };
        if let Some(pipe) = &post.pipe {
            pipe.send(&self.room, Frame::Notification(notification).line(), None);
        }
    }

    /// The one request that a notification is about, where there are no sessions; its names become those that its client gave.
    fn meant(&self, notification: &mut Notification) -> Option<&Post> {
        const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
        let named = |value: &Value| {
            let id = Id::read(value)?;
            self.posts.get(&id)
        };
        let params = notification.params.as_mut();
        let Some(params) = params else { return self.only() };
        if let Some(token) = params.get_mut("progressToken") {
            let post = named(token)?;
            *token = post.progress.clone()?;
            return Some(post);
        }
        if let Some(id) = params.get_mut("_meta").and_then(|meta| meta.get_mut(SUBSCRIPTION)) {
            let post = named(id)?;
            *id = post.id.clone().value();
            return Some(post);
        }
        self.only()
    }

    /// The request that is open, where there is one alone: what names none can be about no other.
    fn only(&self) -> Option<&Post> {
        let mut open = self.posts.values();
        let first = open.next()?;
        open.next().is_none().then_some(first)
    }

    /// What is about no request: on the client's stream, else to a request that is open, else once there is a stream.
    fn said(&mut self, text: Vec<u8>) {
        if self.stream.as_ref().is_some_and(Pipe::is_closed) {
            self.stream = None;
        }
        if self.stream.is_none()
            && let Some(id) = self.newest()
            && self.posts.get(&id).is_some_and(Post::is_heard)
        {
            self.say(&id, text);
            return;
        }
        self.by_itself += 1;
        let event = EventId { stream: BY_ITSELF, number: self.by_itself };
        self.log.keep(event, &text, false);
        if let Some(stream) = &self.stream {
            stream.send(&self.room, text, Some(event));
            self.heard = self.by_itself;
        }
    }

    /// Whether it goes on; asked often, and looked at once in a while.
    fn goes_on(&mut self) -> bool {
        if self.looked.elapsed() < LOOK {
            return true;
        }
        self.looked = Instant::now();
        let Some(gateway) = self.gateway.upgrade() else { return false };
        if gateway.door.still(&self.headers).is_err() {
            return false;
        }
        drop(gateway);
        self.give_up_on_discovery();
        if self.waiting() > 0 {
            self.used = Instant::now();
        }
        let idle = if self.era == Era::Sessions { IDLE } else { IDLE_SHARED };
        self.used.elapsed() < idle
    }

    /// How many wait for an answer, or listen.
    fn waiting(&self) -> usize {
        let has_stream = self.stream.as_ref().is_some_and(|stream| !stream.is_closed());
        let posts = self.posts.values().filter(|post| post.pipe.is_some()).count();
        posts + usize::from(has_stream)
    }

    /// A server that does not say who it is does not speak this revision.
    fn give_up_on_discovery(&mut self) {
        let is_late =
            |post: &Post| post.method == "server/discover" && post.since.elapsed() > DISCOVERY;
        if self.era == Era::Sessions {
            return;
        }
        let late: Vec<Id> =
            self.posts.iter().filter(|(_, post)| is_late(post)).map(|(id, _)| id.clone()).collect();
        for id in late {
            self.answered(Answer::error(id.clone(), -32_601, "no answer came"));
            let said = self.take_back(&id);
            self.deliver(said);
        }
    }

    fn judge_by_what_holds(&mut self) {
        let Some(gateway) = self.gateway.upgrade() else { return };
        if let Some((generation, options)) = gateway.bench.since(self.generation) {
            self.generation = generation;
            self.link.engine.judge_under(options);
        }
    }

    /// Tells everybody who waits that it is over.
    fn over(&mut self, why: &str) {
        let out = self.link.engine.server_gone(why);
        self.deliver(Said { frames: out.client, ..Said::default() });
        for (_, post) in std::mem::take(&mut self.posts) {
            let answer = Answer::error(post.id, CODE, "portcullis: the session is over");
            if let Some(pipe) = post.pipe {
                pipe.finish(&self.room, written(answer), None, || (Vec::new(), None));
            }
        }
    }
}

/// The next thing that the server says; where none is there, never.
async fn next(events: &mut mpsc::Receiver<Event>) -> Event {
    match events.recv().await {
        Some(event) => event,
        None => pending().await,
    }
}

/// Who the server says that it is. One that knows no such question speaks the protocol with sessions, and its client is told that it has to.
fn discovered(answer: Answer) -> Answer {
    let Err(error) = &answer.outcome else { return answer };
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    // What the gate says of the server, or the server of the protocol, is said as it is.
    if code == CODE || (-32_099..=HEADER_MISMATCH).contains(&code) {
        return answer;
    }
    let refusal = unsupported(super::era::MODERN, &with_sessions());
    let error = refusal.body().get("error").and_then(Value::as_object).cloned();
    Answer { outcome: Err(error.unwrap_or_default()), ..answer }
}

/// An answer, and the code of the error that it is.
fn written(answer: Answer) -> (Vec<u8>, Option<i64>) {
    let code = answer.outcome.as_ref().err().and_then(|error| error.get("code")?.as_i64());
    (Frame::Answer(answer).line(), code)
}
