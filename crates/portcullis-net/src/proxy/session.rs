//! Who may use the proxy, and how much. Owns the names, passwords and budgets of sessions.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use portcullis_core::network::Budget;
use tokio::time::Instant;

use crate::random;

/// How many random bytes a password is made of.
const PASSWORD_BYTES: usize = 24;

/// The time in which connections are counted.
const WINDOW: Duration = Duration::from_secs(60);

/// The name and password of one session.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Credentials {
    /// The name; it stands in the record.
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

/// Why a session may not connect now.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum Spent {
    #[error("this session has made its {0} connections")]
    Connections(u64),
    #[error("this session has sent and received its {0} bytes")]
    Bytes(u64),
    #[error("this session makes more than {0} connections a minute")]
    Rate(u64),
}

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) name: String,
    password: String,
    budget: Budget,
    rate: u64,
    connections: AtomicU64,
    bytes: AtomicU64,
    window: Mutex<(Instant, u64)>,
}

impl Session {
    /// One more connection.
    pub(super) fn connect(&self) -> Result<(), Spent> {
        self.check_bytes()?;
        {
            let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
            if window.0.elapsed() >= WINDOW {
                *window = (Instant::now(), 0);
            }
            if window.1 >= self.rate {
                return Err(Spent::Rate(self.rate));
            }
            window.1 += 1;
        }
        let before = self.connections.fetch_add(1, Ordering::Relaxed);
        match self.budget.connections {
            Some(most) if before >= most => Err(Spent::Connections(most)),
            _ => Ok(()),
        }
    }

    /// So many more bytes.
    pub(super) fn carry(&self, bytes: usize) -> Result<(), Spent> {
        self.bytes.fetch_add(u64::try_from(bytes).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.check_bytes()
    }

    fn check_bytes(&self) -> Result<(), Spent> {
        match self.budget.bytes {
            Some(most) if self.bytes.load(Ordering::Relaxed) > most => Err(Spent::Bytes(most)),
            _ => Ok(()),
        }
    }
}

/// All sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions(HashMap<String, Arc<Session>>);

impl Sessions {
    pub(super) fn new(credentials: Vec<Credentials>, budget: Budget, rate: u64) -> Self {
        let session = |Credentials { session: name, password }| {
            let session = Session {
                name: name.clone(),
                password,
                budget,
                rate,
                connections: AtomicU64::new(0),
                bytes: AtomicU64::new(0),
                window: Mutex::new((Instant::now(), 0)),
            };
            (name, Arc::new(session))
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
