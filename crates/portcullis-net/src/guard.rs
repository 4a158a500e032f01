//! The one way out. Owns the order in which a target is judged, resolved, admitted and connected to; it has no opinion of its
//! own on any address.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    time::Duration,
};

use portcullis_core::network::{Admission, NetworkPolicy, Target};
use tokio::{
    net::TcpStream,
    time::{self, Instant},
};

use crate::{
    dns::{Resolver, ResolverOptions},
    failure::Failure,
};

/// How many addresses that do not answer are waited for.
const PATIENCE: u32 = 3;

/// How the way out is made.
#[derive(Clone, Debug)]
pub struct GuardOptions {
    /// What may be connected to.
    pub policy: NetworkPolicy,
    /// How names are resolved.
    pub resolver: ResolverOptions,
    /// How long one address may take to answer.
    pub connect_timeout: Duration,
}

impl Default for GuardOptions {
    fn default() -> Self {
        Self {
            policy: NetworkPolicy::default(),
            resolver: ResolverOptions::default(),
            connect_timeout: Duration::from_secs(10),
        }
    }
}

/// The one way out.
#[derive(Clone, Debug)]
pub struct Guard {
    policy: NetworkPolicy,
    resolver: Resolver,
    connect_timeout: Duration,
    /// Where this process itself listens.
    own: Vec<SocketAddr>,
}

impl Guard {
    /// A way out under a policy.
    #[must_use]
    pub fn new(options: GuardOptions) -> Self {
        let GuardOptions { policy, resolver, connect_timeout } = options;
        Self { policy, resolver: Resolver::new(resolver), connect_timeout, own: Vec::new() }
    }

    /// The same, that never leads to a listener of this process itself.
    #[must_use]
    pub fn without(mut self, listener: SocketAddr) -> Self {
        self.own.push(listener);
        self
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &NetworkPolicy {
        &self.policy
    }

    /// The sockets that a target may be connected to at, all of them checked. Names are resolved here and nowhere else, once.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn admitted(&self, target: &Target) -> Result<Vec<SocketAddr>, Failure> {
        let sockets = match self.policy.judge_target(target)? {
            Admission::Address(socket) => vec![socket],
            Admission::Name => {
                let host = target.host();
                let unresolved =
                    |error| Failure::Unresolved { host: host.clone().into_owned(), error };
                let resolved = self.resolver.resolve(&host).await.map_err(unresolved)?;
                for alias in &resolved.aliases {
                    self.policy.judge_alias(target, alias).map_err(|refusal| Failure::Alias {
                        host: host.clone().into_owned(),
                        alias: alias.clone(),
                        refusal,
                    })?;
                }
                self.policy.admit(target, &resolved.addresses)?
            }
        };
        for socket in &sockets {
            if self.own.iter().any(|own| is_listener(*own, *socket)) {
                return Err(Failure::ThisProxy(*socket));
            }
            let class = self.policy.classify(socket.ip());
            if class.is_public() && is_this_machine(socket.ip()) {
                return Err(Failure::ThisMachine(*socket));
            }
        }
        Ok(sockets)
    }

    /// Connects to a target, at one of the addresses that were checked.
    ///
    /// # Errors
    /// Why it may not be, or could not be.
    pub async fn connect(&self, target: &Target) -> Result<TcpStream, Failure> {
        let sockets = self.admitted(target).await?;
        self.connect_to(&sockets).await
    }

    /// Connects to one of the addresses that [`Guard::admitted`] gave, in their order.
    pub(crate) async fn connect_to(&self, sockets: &[SocketAddr]) -> Result<TcpStream, Failure> {
        let mut last = None;
        let start = Instant::now();
        for socket in sockets.iter().copied() {
            if start.elapsed() > PATIENCE * self.connect_timeout {
                break;
            }
            match time::timeout(self.connect_timeout, TcpStream::connect(socket)).await {
                Ok(Ok(stream)) => {
                    let reached = stream.peer_addr()?;
                    // A connection to itself, which the system makes of a port that nobody listens at, is nobody's answer.
                    if reached != socket || stream.local_addr()? == reached {
                        return Err(Failure::OtherPeer { asked: socket, reached });
                    }
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Ok(Err(error)) => last = Some(Failure::Unreachable { address: socket, error }),
                Err(_) => {
                    let error = std::io::ErrorKind::TimedOut.into();
                    last = Some(Failure::Unreachable { address: socket, error });
                }
            }
        }
        Err(last.unwrap_or(Failure::TooSlow(self.connect_timeout)))
    }
}

/// Whether a socket is one that a listener answers at, which may listen at every address.
fn is_listener(own: SocketAddr, socket: SocketAddr) -> bool {
    let everywhere = own.ip().is_unspecified();
    let here =
        socket.ip().is_loopback() || socket.ip().is_unspecified() || is_this_machine(socket.ip());
    own.port() == socket.port()
        && (own.ip() == socket.ip() || (everywhere || own.ip().is_loopback()) && here)
}

/// Whether an address is one of this machine: then the system would call from it. Nothing is sent to find out.
fn is_this_machine(address: IpAddr) -> bool {
    let any: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let from = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    from.is_ok_and(|from| from.ip() == address)
}
