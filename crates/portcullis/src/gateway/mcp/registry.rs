//! Which processes run behind the gateway, and for whom. Owns how many there may be, their names, that a session belongs to one token and one server,
//! and that none outlives the gateway.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use axum::http::{HeaderMap, StatusCode};
use portcullis_core::risk::Risk;
use tokio::{
    runtime,
    sync::{mpsc, mpsc::error::SendError},
};

use super::{
    era::{Era, Refusal},
    line::{Input, Line, QUEUE, Wants},
    round::Own,
};
use crate::{
    approvals::{Id, Question},
    config::{Configuration, McpAt, McpServer},
    gateway::{Gateway, Problem, Shared, access::Caller, notices, rights},
    mcp::{
        child::Server,
        configured,
        desk::Desk,
        engine::{self, CODE, Engine},
        link::{Behind, Event, Link},
        oauth::Access,
        remote::{Key, Remote},
        visitor::{Addressing, Counter, Visitor},
    },
    pins::Files,
    platform, session,
    telemetry::{Begun, Circumstances, Way},
};

/// The most processes at once, and of one token.
const PROCESSES: usize = 64;
const OF_ONE: usize = 16;

/// How long processes have to end when the gateway does.
const ENDING: Duration = Duration::from_secs(8);

/// The processes.
pub(in crate::gateway) struct Fronts {
    servers: BTreeMap<String, McpServer>,
    own: Own,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// Sessions of the old protocol, by their ids.
    sessions: HashMap<String, Arc<Handle>>,
    /// What everybody with one token shares, by the token and the server.
    shared: HashMap<(Owner, String), Arc<Handle>>,
    threads: Vec<JoinHandle<()>>,
}

/// For whom a process runs: an agent, for one project. An agent by its workload can come with another project than before.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct Owner {
    id: Id,
    project: Option<String>,
}

impl Owner {
    fn of(gateway: &Shared, caller: &Caller) -> Self {
        let project = rights::project_of(gateway, caller).map(str::to_owned);
        Self { id: caller.id, project }
    }
}

/// A process that runs, or ran.
pub(super) struct Handle {
    /// What a session is known by; empty where it is shared.
    pub(super) id: String,
    pub(super) era: Era,
    server: String,
    owner: Owner,
    inputs: mpsc::Sender<Input>,
    numbers: AtomicU64,
    wants: Arc<Wants>,
    /// How much it was sent.
    sent: AtomicUsize,
    begun: Instant,
}

impl Handle {
    /// Sends it something, as soon as it takes it.
    pub(super) async fn send(&self, input: Input) -> Result<(), SendError<Input>> {
        self.sent.fetch_add(1, Ordering::AcqRel);
        self.inputs.send(input).await
    }

    /// Whether nobody wants anything of it, nor has just asked.
    fn is_idle(&self) -> bool {
        let taken = self.wants.taken.load(Ordering::Acquire);
        self.wants.waiting.load(Ordering::Acquire) == 0
            && self.sent.load(Ordering::Acquire) == taken
    }

    pub(super) fn is_over(&self) -> bool {
        self.inputs.is_closed()
    }

    /// The number of another connection that waits for it.
    pub(super) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::AcqRel)
    }
}

impl Open {
    /// Ends the session of a token that was begun first of those of which nobody wants anything: many clients never end theirs.
    fn end_oldest_idle(&mut self, owner: Id) {
        let idle =
            self.sessions.values().filter(|handle| handle.owner.id == owner && handle.is_idle());
        let Some(oldest) = idle.min_by_key(|handle| handle.begun).cloned() else { return };
        // One that has so much to do that nothing more fits is not idle.
        if oldest.inputs.try_send(Input::End).is_ok() {
            self.sessions.remove(&oldest.id);
        }
    }
}

/// A session that is none, or another's: nobody learns which.
pub(super) fn unknown_session() -> Refusal {
    let words = "there is no such session; begin another with `initialize`";
    Refusal::new(StatusCode::NOT_FOUND, CODE, words)
}

/// A server that has gone, or never came.
pub(super) fn gone() -> Refusal {
    let words = "portcullis: the server cannot be started, or has ended; what the gateway says on standard error tells more";
    Refusal::new(StatusCode::BAD_GATEWAY, CODE, words)
}

impl Fronts {
    pub(in crate::gateway) fn new(servers: BTreeMap<String, McpServer>) -> Self {
        Self { servers, own: Own::new(), open: Mutex::default() }
    }

    /// Those of the configuration.
    pub(in crate::gateway) const fn servers(&self) -> &BTreeMap<String, McpServer> {
        &self.servers
    }

    /// How many processes of a server run, or connections to one elsewhere, and how many wait for what they say.
    pub(in crate::gateway) fn running(&self, name: &str) -> (usize, usize) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let all = open.sessions.values().chain(open.shared.values());
        let of_it = all.filter(|handle| handle.server == name && !handle.is_over());
        of_it.fold((0, 0), |(running, waiting), handle| {
            (running + 1, waiting + handle.wants.waiting.load(Ordering::Acquire))
        })
    }

    /// Refuses what has passed this gateway before.
    pub(in crate::gateway) fn check_way(&self, headers: &HeaderMap) -> Result<(), Problem> {
        self.own.check(headers)
    }

    pub(in crate::gateway) fn server(&self, name: &str) -> Option<&McpServer> {
        self.servers.get(name)
    }

    /// The session that a client names.
    pub(super) fn session(
        &self,
        id: &str,
        server: &str,
        (gateway, caller): (&Shared, &Caller),
    ) -> Result<Arc<Handle>, Refusal> {
        let owner = Owner::of(gateway, caller);
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open
            .sessions
            .get(id)
            .filter(|handle| handle.owner == owner && handle.server == server && !handle.is_over());
        found.cloned().ok_or_else(unknown_session)
    }

    /// Ends a session, and forgets it.
    pub(super) async fn end(&self, handle: &Handle) {
        {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.sessions.remove(&handle.id);
        }
        // One that is over has ended.
        let _ = handle.send(Input::End).await;
    }

    /// Waits for what runs: it ends by itself when the gateway does.
    pub(in crate::gateway) async fn ended(&self) {
        let threads = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.sessions.clear();
            open.shared.clear();
            std::mem::take(&mut open.threads)
        };
        let joined = tokio::task::spawn_blocking(move || {
            for thread in threads {
                // A thread that failed has ended.
                let _ = thread.join();
            }
        });
        // Whoever takes longer is ended with us.
        let _ = tokio::time::timeout(ENDING, joined).await;
    }
}

/// Begins a session of the old protocol.
pub(super) fn begin(
    gateway: &Shared,
    name: &str,
    server: &McpServer,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Arc<Handle>, Problem> {
    let id = platform::random::<32>().map_err(|_| {
        let words = "the system gives no random numbers";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-randomness", words)
    })?;
    let id = data_encoding::HEXLOWER.encode(&id);
    let mut open = gateway.fronts.open.lock().unwrap_or_else(PoisonError::into_inner);
    let handle = started(&mut open, (gateway, name, server, caller, headers), Era::Sessions, &id)?;
    open.sessions.insert(id, Arc::clone(&handle));
    Ok(handle)
}

/// The process that everybody with this token shares, which is started where there is none.
pub(super) fn shared(
    gateway: &Shared,
    name: &str,
    server: &McpServer,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Arc<Handle>, Problem> {
    let key = (Owner::of(gateway, caller), name.to_owned());
    let mut open = gateway.fronts.open.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = open.shared.get(&key).filter(|handle| !handle.is_over()) {
        return Ok(Arc::clone(handle));
    }
    let handle = started(&mut open, (gateway, name, server, caller, headers), Era::Stateless, "")?;
    open.shared.insert(key, Arc::clone(&handle));
    Ok(handle)
}

type Wanted<'a> = (&'a Shared, &'a str, &'a McpServer, &'a Caller, &'a HeaderMap);

/// Starts the thread of a process. That the process cannot be started is seen by that nobody takes what it is sent.
fn started(
    open: &mut Open,
    (gateway, name, server, caller, headers): Wanted<'_>,
    era: Era,
    id: &str,
) -> Result<Arc<Handle>, Problem> {
    open.sessions.retain(|_, handle| !handle.is_over());
    open.shared.retain(|_, handle| !handle.is_over());
    open.threads.retain(|thread| !thread.is_finished());
    let of_one = |open: &Open| {
        let all = open.sessions.values().chain(open.shared.values());
        all.filter(|handle| handle.owner.id == caller.id).count()
    };
    if of_one(open) >= OF_ONE {
        open.end_oldest_idle(caller.id);
    }
    // Threads that are ending still have their processes.
    let of_one = of_one(open);
    if open.threads.len() >= PROCESSES || of_one >= OF_ONE {
        let words = "as many sessions with servers are open as may; end one of them first";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too-many-sessions", words);
        return Err(problem.retry_after(30));
    }
    if gateway.is_closing() {
        let words = "the gateway is shutting down";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "closing", words));
    }
    let (inputs, receiver) = mpsc::channel(QUEUE);
    let handle = Handle {
        id: id.to_owned(),
        era,
        server: name.to_owned(),
        owner: Owner::of(gateway, caller),
        inputs,
        numbers: AtomicU64::new(1),
        // Whoever it is begun for waits for it.
        wants: Arc::new(Wants { waiting: AtomicUsize::new(1), taken: AtomicUsize::new(0) }),
        sent: AtomicUsize::new(0),
        begun: Instant::now(),
    };
    let wants = Arc::clone(&handle.wants);
    let closed = gateway.closed.subscribe();
    let runtime = runtime::Handle::current();
    let (gateway, caller, headers) = (Arc::clone(gateway), caller.clone(), headers.clone());
    let (name, server) = (name.to_owned(), server.clone());
    let thread = std::thread::Builder::new().name("mcp".to_owned()).spawn(move || {
        // What a gateway tells of requests is told on its runtime.
        let _inside = runtime.enter();
        let (sender, events) = mpsc::channel(QUEUE);
        let (generation, options) = gateway.bench.now();
        let label = format!("mcp {name}: ");
        let passed = gateway.fronts.own.onward(&headers);
        let link = link(&gateway, (&name, &server), (&caller, options), (&label, passed), sender);
        match link {
            Ok(link) => {
                let line = Line::new(link, era, &gateway, headers, generation, wants);
                drop(gateway);
                runtime.block_on(line.run(receiver, events, closed));
            }
            Err(error) => {
                use io::Write as _;
                let error = error.to_string();
                let words = crate::report::visible::line(&error);
                // Who closed it does not want to know.
                let _ = writeln!(io::stderr(), "portcullis: {label}cannot be started: {words}");
            }
        }
    });
    let thread = thread.map_err(|_| {
        let words = "the system starts no more threads";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-threads", words).retry_after(30)
    })?;
    open.threads.push(thread);
    Ok(Arc::new(handle))
}

/// The engine of a server, with the server.
fn link(
    gateway: &Shared,
    (name, server): (&str, &McpServer),
    (caller, options): (&Caller, session::Options),
    (label, passed): (&str, String),
    events: mpsc::Sender<Event>,
) -> io::Result<Link> {
    let state: &Path = &gateway.state;
    let directory = match &server.at {
        McpAt::Command { directory, .. } => directory.as_deref().and_then(Path::to_str),
        McpAt::Url { .. } => None,
    };
    let visitor = Visitor {
        name: caller.name.clone(),
        directory: directory.map(str::to_owned),
        elicits: server.elicits && rights::may_client_answer(gateway),
        project: rights::project_of(gateway, caller).map(str::to_owned),
        tells: addressees(gateway),
        needed: needed(gateway, caller),
        holds: gateway.timeout,
        tell: teller(gateway),
        count: counter(gateway, caller),
    };
    let is_shared = gateway.clerk.source().is_shared();
    let clerk = is_shared.then(|| gateway.clerk.clone());
    // All that comes with one token is one session: what one server answered is known when another is called.
    let own = format!("mcp-http-{}", caller.id);
    let configuration = options.configuration.clone();
    let desk = Desk::behind_gateway(options, state, name, own, (visitor, clerk));
    let options = engine::Options {
        state,
        server: name,
        definition: configured::definition(server),
        repeats: matches!(server.at, McpAt::Url { .. }),
        samples: server.samples,
        principal: format!("token {} {}", caller.id, caller.name),
        wait: server.wait,
    };
    let engine = Engine::new(desk, options)?;
    let files = Files::of(state, name).map_err(io::Error::other)?;
    Link::start(engine, label, || behind(&configuration, server, &files, (label, passed), events))
}

/// How many must agree to what somebody asks here, at the time at which they ask.
fn needed(gateway: &Shared, caller: &Caller) -> Box<dyn Fn(Risk) -> u8 + Send> {
    let project = rights::project_of(gateway, caller).map(str::to_owned);
    let gateway: std::sync::Weak<Gateway> = Arc::downgrade(gateway);
    Box::new(move |risk| {
        // One that is closing asks nobody any more.
        gateway.upgrade().map_or(2, |gateway| rights::needed(&gateway, project.as_deref(), risk))
    })
}

/// Who is told of a request for approval.
fn addressees(gateway: &Shared) -> Addressing {
    let gateway: std::sync::Weak<Gateway> = Arc::downgrade(gateway);
    Box::new(move |question| {
        gateway.upgrade().map_or_else(Vec::new, |gateway| notices::told_of(&gateway, question))
    })
}

/// Tells whoever wants to know of a request for approval.
fn teller(gateway: &Shared) -> Box<dyn Fn(Question) + Send> {
    let gateway: std::sync::Weak<Gateway> = Arc::downgrade(gateway);
    Box::new(move |question| {
        if let Some(gateway) = gateway.upgrade() {
            gateway.tell(&question);
        }
    })
}

/// Counts each call that somebody makes.
fn counter(gateway: &Shared, caller: &Caller) -> Counter {
    let project = rights::project_of(gateway, caller).map(str::to_owned);
    let requester = caller.name.clone();
    let gateway: std::sync::Weak<Gateway> = Arc::downgrade(gateway);
    Box::new(move |judged, since, recorded_in| {
        let Some(gateway) = gateway.upgrade() else { return };
        let around = Circumstances {
            way: Way::Mcp,
            id: None,
            sequence: judged.sequence,
            requester: &requester,
            project: project.as_deref(),
            begun: Begun::since(since),
            recorded_in,
        };
        gateway.telemetry.judged_alone(judged, &around);
    })
}

fn behind(
    configuration: &Configuration,
    server: &McpServer,
    files: &Files,
    (label, passed): (&str, String),
    events: mpsc::Sender<Event>,
) -> io::Result<Box<dyn Behind>> {
    if let McpAt::Url { url, token } = &server.at {
        let login = Access::of(files, url).map_err(io::Error::other)?;
        let key = Key::of(token.as_deref(), login)?;
        return Ok(Box::new(Remote::new(url, key, passed, events)?));
    }
    let start = configured::start(configuration, &files.server, server, label)?;
    let start = start.ok_or(io::ErrorKind::InvalidInput)?;
    let sink = move |event| events.blocking_send(event).is_ok();
    Ok(Box::new(Server::start(&start, sink)?))
}
