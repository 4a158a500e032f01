//! The gate over HTTP. Owns what several requests have in common: who judges, who writes, who is told; each group of routes has a file of
//! its own, and the table of them is `routes`.
//!
//! ```text
//! connection ──serve──► access (host, origin, token, scope, rate) ──routes──► judge │ approvals │ records │ events │ page
//!                                                                              └───────── Clerk: one writer, shared commits
//! ```
//!
//! Nothing is answered before it is recorded, and nothing that counts is kept in memory alone.

mod access;
mod approvals;
mod bench;
mod body;
mod bundle;
pub(crate) mod cedar;
mod chat;
mod deliveries;
mod events;
mod figures;
mod grants;
mod guards;
mod inbox;
mod intercept;
mod judge;
mod looking;
mod machines;
mod mcp;
mod notices;
mod openapi;
mod overview;
mod page;
mod people;
mod place;
mod policy;
mod problem;
mod records;
mod rights;
mod roles;
mod routes;
mod serve;
mod servers;
mod shapes;
mod snapshots;
mod talk;
mod tokens;

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use portcullis_core::approval::TwoPeople;
use tokio::sync::broadcast;

use self::{access::Door, bench::Bench, chat::Ear, notices::Receivers};
pub use self::{
    place::Place,
    problem::Problem,
    serve::{ServeError, Serving, Stop, TlsFiles},
    shapes::approval_json,
};
pub use crate::remote::{
    PATIENCE, Remote, RemoteError, Word,
    keys::{AGENTS, KeyError, Keys, is_name},
};
use crate::{
    approvals::{Book, Clerk, ClerkError, Question, Source, Step, Webhook},
    audit::{Body, Entry},
    config::Team,
    identity::People,
    platform,
    report::visible,
    session,
    telemetry::Telemetry,
};

/// What a gateway is started with.
pub struct Options {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The names under which it is reached, beside those of the loopback.
    pub hosts: Vec<String>,
    /// Where people reach it, where that is somewhere else than where it listens.
    pub place: Option<Place>,
    /// The certificate and its key, where connections are encrypted.
    pub tls: Option<TlsFiles>,
    /// Whether something in front of it encrypts, and listens elsewhere.
    pub is_encrypted_before: bool,
    /// The state directory: tokens of this machine, and the record with requests unless they are elsewhere.
    pub state: PathBuf,
    /// Where the record, requests and tokens are, and the store that was opened there.
    pub store: (Source, Book),
    /// How calls are judged.
    pub session: session::Options,
    /// How long a decision is waited for.
    pub timeout: Duration,
    /// From which risk on two people must agree.
    pub two_people: TwoPeople,
    /// How many requests one client may send in a second.
    pub rate: u32,
    /// The most connections at once.
    pub connections: usize,
    /// Who is told of each request.
    pub webhooks: Vec<Webhook>,
    /// Whether this desktop shows a note of each request.
    pub notify: bool,
}

impl Options {
    /// How many requests one client may send in a second, unless somebody says otherwise: no person's agent is faster, and a loop that went
    /// wrong is held.
    pub const RATE: u32 = 20_000;

    /// The most connections at once, unless somebody says otherwise.
    pub const CONNECTIONS: usize = 16_384;
}

/// Everything that requests have in common.
pub(super) struct Gateway {
    clerk: Clerk,
    bench: Bench,
    door: Door,
    /// Where people reach it.
    place: Place,
    /// Who works with it.
    team: Arc<Team>,
    /// Where people log in, where that is not here.
    people: Option<People>,
    /// Who looks at which request.
    looking: looking::Looking,
    /// Room for logins that are on their way.
    logins: tokio::sync::Semaphore,
    /// What it is, for programs.
    description: String,
    telemetry: Arc<Telemetry>,
    /// What was read of the record for the dashboard.
    remembered: figures::Remembered,
    /// What listeners are told: the text of an event, made once for all of them.
    events: broadcast::Sender<Arc<str>>,
    timeout: Duration,
    two_people: TwoPeople,
    /// Who is told of requests elsewhere.
    receivers: Receivers,
    /// What was heard of chats lately.
    ear: Ear,
    notify: bool,
    state: PathBuf,
    closing: AtomicBool,
    /// Held while the approval policy changes here, so that whoever changes it is told what it decided.
    ruling: tokio::sync::Mutex<()>,
    /// When it was last tried whether anything can be recorded, and whether it could.
    tried: tokio::sync::Mutex<Option<(Instant, bool)>>,
    /// The MCP servers behind it.
    fronts: mcp::Fronts,
    /// What sessions of other guards were told of.
    told: guards::Told,
    /// Room for the bodies that are long.
    large: Arc<tokio::sync::Semaphore>,
    /// Wakes whoever waits for a newer policy of the centre.
    bundles: tokio::sync::watch::Sender<u64>,
    /// Which of those each machine says that it holds.
    machines: machines::Machines,
    /// Ends whoever waits when the gateway stops.
    closed: tokio::sync::watch::Sender<bool>,
}

type Shared = Arc<Gateway>;

/// How long it is believed that something could, or could not, be recorded, and how long it may take to find out.
const TRIED_EVERY: Duration = Duration::from_secs(1);
const TRIED_FOR: Duration = Duration::from_secs(2);

/// How many long bodies are in memory at once.
const LARGE: usize = 8;

/// How much room there must be for decisions to be recorded: a request as long as most, in the log that is written ahead and in the file.
const ROOM: u64 = 256 << 10;

impl Gateway {
    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Whether a decision could be recorded now. It is tried, but not for each of many who ask at once.
    async fn is_ready(&self) -> bool {
        let mut tried = self.tried.lock().await;
        if let Some((when, could)) = *tried
            && when.elapsed() < TRIED_EVERY
        {
            return could;
        }
        let written = tokio::time::timeout(TRIED_FOR, self.clerk.take(Step::Pulse)).await;
        // What means nothing is written over what meant nothing; a request needs room of its own.
        let state = self.state.clone();
        let room = tokio::task::spawn_blocking(move || platform::room(&state)).await;
        let has_room = matches!(room, Ok(Ok(room)) if room >= ROOM);
        let could = has_room && matches!(written, Ok(Ok(_)));
        *tried = Some((Instant::now(), could));
        could
    }

    /// How long after a login an account of a chat speaks for somebody.
    fn chat_lasts(&self) -> SignedDuration {
        self.bench.configuration().chat.links_last
    }

    /// Shows a request on this desktop, where that is wanted. Who is told elsewhere stands in the store with the request.
    fn tell(&self, question: &Question) {
        if self.notify {
            let agent = visible::line(question.agent.as_deref().unwrap_or("an agent")).into_owned();
            let words =
                format!("{agent} asks to use {}: risk {}", question.tool, question.risk.name());
            tokio::task::spawn_blocking(move || {
                // A desktop that shows nothing stops nobody; a program that does is waited for, or it would stay as a zombie.
                platform::show_on_desktop("Portcullis", &visible::line(&words))
                    .and_then(|mut child| child.wait())
            });
        }
    }

    /// Reads from the store on a thread that may wait.
    async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        reads: impl FnOnce(&mut dyn crate::approvals::Ledger) -> Result<T, crate::audit::AuditError>
        + Send
        + 'static,
    ) -> Result<T, Problem> {
        let gateway = Arc::clone(self);
        let read = tokio::task::spawn_blocking(move || gateway.clerk.read(reads)).await;
        Ok(read.map_err(|_| ClerkError::Closed)??)
    }
}

/// Records something that somebody did to the gate, where nobody waits for it.
fn note(clerk: &Clerk, who: &str, what: &str, count: u32) {
    let entry = Entry::change(who, what, format!("{count} within a minute"));
    let record = Body::new(&entry, Timestamp::now());
    let clerk = clerk.clone();
    tokio::spawn(async move {
        // What cannot be recorded now was refused all the same.
        let _ = clerk.take(Step::Note { record, once: None }).await;
    });
}
