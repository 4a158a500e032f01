//! Who may use the proxy. Owns the names and passwords of sessions and of their tools, and which budgets they share; how they
//! are counted, [`crate::budget`] knows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use portcullis_core::network::NetworkOptions;
use tokio::time::Instant;

use crate::{
    budget::{Spent, Tally, Whose},
    random,
};

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
                Some((owner, tool)) => {
                    (owner, Some(Tally::new(Whose::Tool, options.budget_of_tool(tool))))
                }
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
