//! Who may use the proxy, and how much. Owns the names, passwords and budgets of sessions and of their tools.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use portcullis_core::network::{Budget, NetworkOptions};
use tokio::time::Instant;

use crate::random;

/// How many random bytes a password is made of.
const PASSWORD_BYTES: usize = 24;

/// The time in which connections are counted.
const WINDOW: Duration = Duration::from_secs(60);

/// What stands between the name of a session and that of one of its tools.
const TOOL: char = '.';

/// The name and password of one session, or of one tool of a session.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Credentials {
    /// The name, `session` or `session.tool`; it stands in the record.
    pub session: String,
    /// The password.
    pub password: String,
}

impl Credentials {
    /// A session with a password that nobody can guess.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn random(session: impl Into<String>) -> std::io::Result<Self> {
        let mut bytes = [0; PASSWORD_BYTES];
        random::fill(&mut bytes)
            .map_err(|_| std::io::Error::other("the system gives no random numbers"))?;
        let password = data_encoding::BASE64URL_NOPAD.encode(&bytes);
        Ok(Self { session: session.into(), password })
    }
}

/// Whose budget it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Whose {
    Session,
    Tool,
}

impl std::fmt::Display for Whose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Session => "session",
            Self::Tool => "tool",
        })
    }
}

/// Why nobody connects now.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum Spent {
    #[error("this {0} has made its {1} connections")]
    Connections(Whose, u64),
    #[error("this {0} has sent and received its {1} bytes")]
    Bytes(Whose, u64),
    #[error("this session makes more than {0} connections a minute")]
    Rate(u64),
}

/// What was used of a budget.
#[derive(Debug)]
struct Tally {
    whose: Whose,
    budget: Budget,
    connections: AtomicU64,
    bytes: AtomicU64,
}

impl Tally {
    const fn new(whose: Whose, budget: Budget) -> Self {
        Self { whose, budget, connections: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    fn connect(&self) -> Result<(), Spent> {
        let before = self.connections.fetch_add(1, Ordering::Relaxed);
        match self.budget.connections {
            Some(most) if before >= most => Err(Spent::Connections(self.whose, most)),
            _ => Ok(()),
        }
    }

    fn carry(&self, bytes: u64) -> Result<(), Spent> {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.check_bytes()
    }

    fn check_bytes(&self) -> Result<(), Spent> {
        match self.budget.bytes {
            Some(most) if self.bytes.load(Ordering::Relaxed) > most => {
                Err(Spent::Bytes(self.whose, most))
            }
            _ => Ok(()),
        }
    }
}

/// What all that use one session have in common, whichever tool they are.
#[derive(Debug)]
struct Whole {
    tally: Tally,
    rate: u64,
    window: Mutex<(Instant, u64)>,
}

/// A session, or one of its tools.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) name: String,
    password: String,
    whole: Arc<Whole>,
    /// What the tool itself may use, beside what its session may.
    tool: Option<Tally>,
}

impl Session {
    /// One more connection.
    pub(super) fn connect(&self) -> Result<(), Spent> {
        let Whole { tally, rate, window } = &*self.whole;
        for tally in self.tool.iter().chain([tally]) {
            tally.check_bytes()?;
        }
        {
            let mut window = window.lock().unwrap_or_else(PoisonError::into_inner);
            if window.0.elapsed() >= WINDOW {
                *window = (Instant::now(), 0);
            }
            if window.1 >= *rate {
                return Err(Spent::Rate(*rate));
            }
            window.1 += 1;
        }
        // What one tool is refused does not count against the others.
        self.tool.as_ref().map_or(Ok(()), Tally::connect)?;
        tally.connect()
    }

    /// So many more bytes.
    pub(super) fn carry(&self, bytes: usize) -> Result<(), Spent> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        // Both are counted, whichever of them is spent.
        let whole = self.whole.tally.carry(bytes);
        self.tool.as_ref().map_or(Ok(()), |tool| tool.carry(bytes))?;
        whole
    }
}

/// All sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions(HashMap<String, Arc<Session>>);

impl Sessions {
    pub(super) fn new(credentials: Vec<Credentials>, options: &NetworkOptions, rate: u64) -> Self {
        let mut wholes: HashMap<String, Arc<Whole>> = HashMap::new();
        let session = |Credentials { session: name, password }| {
            let (owner, tool) = match name.split_once(TOOL) {
                Some((owner, _)) => (owner, Some(Tally::new(Whose::Tool, options.tool_budget))),
                None => (name.as_str(), None),
            };
            let whole = wholes.entry(owner.to_owned()).or_insert_with(|| {
                let tally = Tally::new(Whose::Session, options.budget);
                Arc::new(Whole { tally, rate, window: Mutex::new((Instant::now(), 0)) })
            });
            let whole = Arc::clone(whole);
            (name.clone(), Arc::new(Session { name, password, whole, tool }))
        };
        Self(credentials.into_iter().map(session).collect())
    }

    /// The session of a name and a password.
    pub(super) fn known(&self, name: &[u8], password: &[u8]) -> Option<Arc<Session>> {
        let session = self.0.get(std::str::from_utf8(name).ok()?)?;
        is_same(session.password.as_bytes(), password).then(|| Arc::clone(session))
    }

    /// The session of `Basic NAME:PASSWORD` (RFC 7617).
    pub(super) fn of_header(&self, header: &[u8]) -> Option<Arc<Session>> {
        let (scheme, rest) = header.split_at_checked(6)?;
        if !scheme.eq_ignore_ascii_case(b"basic ") {
            return None;
        }
        let plain = data_encoding::BASE64.decode(rest.trim_ascii()).ok()?;
        let at = plain.iter().position(|byte| *byte == b':')?;
        let (name, password) = plain.split_at(at);
        self.known(name, password.get(1..)?)
    }
}

/// Compares without telling by the time it takes how much of it is right.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let differing = left.iter().zip(right).fold(0, |differing, (a, b)| differing | (a ^ b));
    left.len() == right.len() && std::hint::black_box(differing) == 0
}
