//! How much is used of what may be. Owns the counting of connections and bytes, and the words where it was too much; how much may
//! be used, the policy says.

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
};

use portcullis_core::network::{Budget, NetworkOptions};
use tokio::io::{self, AsyncRead, AsyncWrite, ReadBuf};

/// Whose budget it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Whose {
    /// That of a session, with all of its tools.
    Session,
    /// That of one tool of a session.
    Tool,
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Session => "session",
            Self::Tool => "tool",
        })
    }
}

/// Why nobody connects now.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Spent {
    /// It has made its connections.
    #[error("this {0} has made its {1} connections")]
    Connections(Whose, u64),
    /// It has sent and received its bytes.
    #[error("this {0} has sent and received its {1} bytes")]
    Bytes(Whose, u64),
    /// It connects too often.
    #[error("this session makes more than {0} connections a minute")]
    Rate(u64),
    /// Nobody can tell, or keep for later, how much was used.
    #[error("what this session has used cannot be counted: {0}")]
    Uncounted(String),
}

/// Counts what is used.
pub trait Meter: fmt::Debug + Send + Sync {
    /// One more connection.
    ///
    /// # Errors
    /// Where it is one too many, which is not made.
    fn connect(&self) -> Result<(), Spent>;

    /// So many more bytes, sent or received.
    ///
    /// # Errors
    /// Where they are too many; the connection ends.
    fn carry(&self, bytes: u64) -> Result<(), Spent>;
}

/// What was used of a budget.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Usage {
    /// How many connections.
    pub connections: u64,
    /// How many bytes, both ways together.
    pub bytes: u64,
}

impl Usage {
    /// Whether another connection, or more bytes, may follow.
    ///
    /// # Errors
    /// What of the budget is spent.
    pub fn within(&self, budget: Budget, whose: Whose, connections: u64) -> Result<(), Spent> {
        match budget {
            Budget { bytes: Some(most), .. } if self.bytes > most => Err(Spent::Bytes(whose, most)),
            Budget { connections: Some(most), .. }
                if self.connections.saturating_add(connections) > most =>
            {
                Err(Spent::Connections(whose, most))
            }
            _ => Ok(()),
        }
    }
}

/// What is used of one budget, counted in this process.
#[derive(Debug)]
pub(crate) struct Tally {
    whose: Whose,
    budget: Budget,
    connections: AtomicU64,
    bytes: AtomicU64,
}

impl Tally {
    pub(crate) const fn new(whose: Whose, budget: Budget) -> Self {
        Self { whose, budget, connections: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    pub(crate) fn connect(&self) -> Result<(), Spent> {
        let before = self.connections.fetch_add(1, Ordering::Relaxed);
        match self.budget.connections {
            Some(most) if before >= most => Err(Spent::Connections(self.whose, most)),
            _ => Ok(()),
        }
    }

    pub(crate) fn carry(&self, bytes: u64) -> Result<(), Spent> {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.check_bytes()
    }

    pub(crate) fn check_bytes(&self) -> Result<(), Spent> {
        match self.budget.bytes {
            Some(most) if self.bytes.load(Ordering::Relaxed) > most => {
                Err(Spent::Bytes(self.whose, most))
            }
            _ => Ok(()),
        }
    }
}

/// What one process uses as a tool of a session that ends with it.
#[derive(Debug)]
pub struct ThisProcess {
    session: Tally,
    tool: Tally,
}

impl ThisProcess {
    /// Nothing is used yet.
    #[must_use]
    pub fn new(options: &NetworkOptions, tool: &str) -> Self {
        Self {
            session: Tally::new(Whose::Session, options.budget),
            tool: Tally::new(Whose::Tool, options.budget_of_tool(tool)),
        }
    }
}

impl Meter for ThisProcess {
    fn connect(&self) -> Result<(), Spent> {
        self.session.check_bytes()?;
        self.tool.check_bytes()?;
        self.tool.connect()?;
        self.session.connect()
    }

    fn carry(&self, bytes: u64) -> Result<(), Spent> {
        // Both are counted, whichever of them is spent.
        let session = self.session.carry(bytes);
        self.tool.carry(bytes)?;
        session
    }
}

/// Counts for one request, wherever it leads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    meter: Option<Arc<dyn Meter>>,
    /// Why it ended, where it was too much: what breaks on the way to a stream's user are other words.
    spent: Arc<OnceLock<Spent>>,
}

impl Counted {
    pub(crate) fn new(meter: Option<Arc<dyn Meter>>) -> Self {
        Self { meter, spent: Arc::default() }
    }

    pub(crate) fn connect(&self) -> Result<(), Spent> {
        self.meter.as_ref().map_or(Ok(()), |meter| meter.connect())
    }

    /// Why it ended, where it was too much.
    pub(crate) fn spent(&self) -> Option<&Spent> {
        self.spent.get()
    }

    fn carry(&self, bytes: usize) -> io::Result<()> {
        let Some(meter) = &self.meter else { return Ok(()) };
        meter.carry(u64::try_from(bytes).unwrap_or(u64::MAX)).map_err(|spent| {
            // The first of them is the one to tell.
            let _ = self.spent.set(spent.clone());
            io::Error::other(spent)
        })
    }
}

/// A stream that counts what goes through it, and breaks where that is too much.
#[derive(Debug)]
pub(crate) struct Metered<S> {
    stream: S,
    counted: Counted,
}

impl<S> Metered<S> {
    pub(crate) const fn new(stream: S, counted: Counted) -> Self {
        Self { stream, counted }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, counted } = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(stream).poll_read(context, buffer))?;
        Poll::Ready(counted.carry(buffer.filled().len().saturating_sub(before)))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, counted } = self.get_mut();
        let written = ready!(Pin::new(stream).poll_write(context, bytes))?;
        Poll::Ready(counted.carry(written).map(|()| written))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
