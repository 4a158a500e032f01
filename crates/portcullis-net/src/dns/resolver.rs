//! Asking for the addresses of a name. Owns which servers are asked, how often and how long; what the addresses are, others
//! judge.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpStream, UdpSocket},
    sync::Semaphore,
    time,
};

use super::{
    message::{Question, Reply, parse_reply},
    system,
};
use crate::random;

/// A datagram without extensions is no longer than this (RFC 1035 §4.2.1); one that is, is cut by whoever sends it.
const DATAGRAM: usize = 4_096;

/// How many datagrams that are no answer are passed over: they are noise, or somebody's guesses.
const MOST_STRAY: usize = 16;

/// How many names are asked for at once; a server's queue holds a few hundred questions, and drops the rest.
const MOST_AT_ONCE: usize = 64;

/// How often the servers are asked in turn.
const ROUNDS: usize = 2;

/// How names are resolved.
#[derive(Clone, Debug)]
pub struct ResolverOptions {
    /// The servers; those of the system where it is empty.
    pub servers: Vec<SocketAddr>,
    /// Whether `/etc/hosts` is asked first, as the system does.
    pub hosts_file: bool,
    /// How long one server may take for one answer.
    pub patience: Duration,
    /// How long all of it may take.
    pub timeout: Duration,
    /// The most addresses of a name; one with more is refused.
    pub most_addresses: usize,
}

impl Default for ResolverOptions {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            hosts_file: true,
            patience: Duration::from_secs(2),
            timeout: Duration::from_secs(5),
            most_addresses: 32,
        }
    }
}

/// Why a name has no addresses.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DnsError {
    /// There is no such name.
    #[error("the name does not exist")]
    NoName,
    /// Nobody answered in time.
    #[error("no name server answered in time")]
    Timeout,
    /// Every server failed; the last code.
    #[error("the name server could not answer (code {0})")]
    Failed(u8),
    /// What came is no answer to the question.
    #[error("the name server sent what is no answer")]
    Malformed,
    /// It has more addresses than anyone needs.
    #[error("the name has more than {0} addresses")]
    TooMany(usize),
    /// It is no name.
    #[error("it is no name that can be asked for")]
    NotAName,
    /// The servers cannot be reached.
    #[error("the name server cannot be reached: {0}")]
    Unreachable(#[from] io::Error),
    /// Without a number that nobody guesses, answers could be forged.
    #[error("the system gives no random numbers")]
    NoRandom,
}

/// What a name leads to.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Resolved {
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
    /// The names that led to them.
    pub aliases: Vec<String>,
}

/// Asks for addresses.
#[derive(Clone, Debug)]
pub struct Resolver {
    options: ResolverOptions,
    room: Arc<Semaphore>,
}

impl Resolver {
    /// A resolver. The system's servers are read now.
    #[must_use]
    pub fn new(mut options: ResolverOptions) -> Self {
        if options.servers.is_empty() {
            options.servers = system::system_servers();
        }
        Self { options, room: Arc::new(Semaphore::new(MOST_AT_ONCE)) }
    }

    /// All addresses of a name, of both families. One question that is not answered means that the name has none: half an
    /// answer is what somebody wants us to see.
    ///
    /// # Errors
    /// [`DnsError`]; an existing name without addresses is an empty answer.
    pub async fn resolve(&self, name: &str) -> Result<Resolved, DnsError> {
        if self.options.hosts_file {
            let addresses = system::addresses_in_hosts(name);
            if !addresses.is_empty() {
                return self.bounded(Resolved { addresses, aliases: Vec::new() });
            }
        }
        // It is never closed; without room there is no answer.
        let _permit = self.room.acquire().await.map_err(|_| DnsError::Timeout)?;
        let both = async { tokio::try_join!(self.ask(name, false), self.ask(name, true)) };
        let both = time::timeout(self.options.timeout, both).await;
        let (mut four, six) = both.map_err(|_| DnsError::Timeout)??;
        four.addresses.extend(six.addresses);
        for alias in six.aliases {
            if !four.aliases.contains(&alias) {
                four.aliases.push(alias);
            }
        }
        self.bounded(four)
    }

    fn bounded(&self, resolved: Resolved) -> Result<Resolved, DnsError> {
        let most = self.options.most_addresses;
        if resolved.addresses.len() > most { Err(DnsError::TooMany(most)) } else { Ok(resolved) }
    }

    /// One question to the servers in turn. That a name does not exist is an answer; everything else sends us on.
    async fn ask(&self, name: &str, six: bool) -> Result<Resolved, DnsError> {
        let mut last = DnsError::Timeout;
        for server in self.options.servers.iter().cycle().take(ROUNDS * self.options.servers.len())
        {
            match self.ask_one(*server, name, six).await {
                Ok(Reply::Found { addresses, aliases }) => {
                    return Ok(Resolved { addresses, aliases });
                }
                Ok(Reply::NoName) => return Err(DnsError::NoName),
                Ok(Reply::Failed(code)) => last = DnsError::Failed(code),
                Ok(Reply::Truncated) => last = DnsError::Malformed,
                Err(error @ (DnsError::NotAName | DnsError::NoRandom)) => return Err(error),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn ask_one(&self, server: SocketAddr, name: &str, six: bool) -> Result<Reply, DnsError> {
        let mut id = [0; 2];
        random::fill(&mut id).map_err(|_| DnsError::NoRandom)?;
        let question = Question { id: u16::from_be_bytes(id), name: name.to_owned(), six };
        let bytes = question.bytes().ok_or(DnsError::NotAName)?;
        let within = |error: time::error::Elapsed| {
            let _: time::error::Elapsed = error;
            DnsError::Timeout
        };
        let asked = by_datagram(server, &bytes, &question);
        let reply = time::timeout(self.options.patience, asked).await.map_err(within)??;
        if reply != Reply::Truncated {
            return Ok(reply);
        }
        let asked = by_stream(server, &bytes, &question);
        time::timeout(self.options.patience, asked).await.map_err(within)?
    }
}

async fn by_datagram(
    server: SocketAddr,
    bytes: &[u8],
    question: &Question,
) -> Result<Reply, DnsError> {
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    // A new socket for each question: the system gives it a port of its own, and drops what others send to it.
    let socket = UdpSocket::bind(any).await?;
    socket.connect(server).await?;
    socket.send(bytes).await?;
    let mut buffer = vec![0; DATAGRAM];
    for _ in 0..MOST_STRAY {
        let length = socket.recv(&mut buffer).await?;
        let received = buffer.get(..length).unwrap_or_default();
        if let Some(reply) = parse_reply(received, question) {
            return Ok(reply);
        }
    }
    Err(DnsError::Malformed)
}

async fn by_stream(
    server: SocketAddr,
    bytes: &[u8],
    question: &Question,
) -> Result<Reply, DnsError> {
    let mut stream = TcpStream::connect(server).await?;
    let length = u16::try_from(bytes.len()).map_err(|_| DnsError::NotAName)?;
    stream.write_all(&[&length.to_be_bytes(), bytes].concat()).await?;
    let length = stream.read_u16().await?;
    let mut answer = vec![0; usize::from(length)];
    stream.read_exact(&mut answer).await?;
    match parse_reply(&answer, question) {
        Some(Reply::Truncated) | None => Err(DnsError::Malformed),
        Some(reply) => Ok(reply),
    }
}
