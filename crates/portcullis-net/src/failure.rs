//! Why nothing was fetched or connected to. Owns the errors and their words; what may not be connected to, the policy says.

use std::{io, net::SocketAddr, time::Duration};

use portcullis_core::network::Refusal;

use crate::{budget::Spent, dns::DnsError, tls::TlsError};

/// Why nothing was fetched or connected to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The policy refuses it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The name leads by way of another one that is refused.
    #[error("`{host}` is another name of `{alias}`: {refusal}")]
    Alias {
        /// The name that was asked for.
        host: String,
        /// The name that it stands for.
        alias: String,
        /// Why that is refused.
        refusal: Refusal,
    },
    /// What may be used is used.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// It is an address of this machine.
    #[error("{0} is this machine")]
    ThisMachine(SocketAddr),
    /// It is where this proxy itself listens.
    #[error("{0} is this proxy itself")]
    ThisProxy(SocketAddr),
    /// The name has no address that anybody could tell.
    #[error("`{host}` has no address: {error}")]
    Unresolved {
        /// The name.
        host: String,
        /// Why.
        error: DnsError,
    },
    /// No connection came about.
    #[error("cannot connect to {address}: {error}")]
    Unreachable {
        /// The last address that was tried.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// Somebody else answered than was called.
    #[error("asked for {asked}, and connected to {reached}")]
    OtherPeer {
        /// Who was called.
        asked: SocketAddr,
        /// Who answered.
        reached: SocketAddr,
    },
    /// No encrypted connection came about.
    #[error("no secure connection to `{host}`: {error}")]
    Tls {
        /// The host.
        host: String,
        /// Why.
        error: TlsError,
    },
    /// The other side does not speak HTTP as it should.
    #[error("the answer is not proper HTTP: {0}")]
    Http(String),
    /// The proxy made no tunnel.
    #[error("the proxy made no tunnel: {0}")]
    Tunnel(String),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(#[from] io::Error),
    /// It took too long.
    #[error("it took longer than {}", seconds(*.0))]
    TooSlow(Duration),
    /// There is more than is wanted.
    #[error("the answer is longer than {0} bytes")]
    TooLong(u64),
    /// It is packed in a way that is not understood, or unpacks to no end.
    #[error("the answer is encoded as `{0}`, which is not read here")]
    Encoding(String),
    /// It says that it is packed, and is not.
    #[error("the answer is not what its encoding says: {0}")]
    Unpacking(io::Error),
    /// The server sends us on too often.
    #[error("more than {0} redirects")]
    TooManyRedirects(usize),
    /// The server sends us in a circle.
    #[error("the redirect leads back to `{0}`")]
    Loop(String),
    /// The server sends us from an encrypted connection to a plain one.
    #[error("the redirect leads from `https` to `http`")]
    Downgrade,
    /// The server wants what was sent to it sent to somebody else.
    #[error("the redirect would send the body of the request to `{0}`")]
    BodyElsewhere(String),
    /// The server names several places.
    #[error("the redirect names several places")]
    AmbiguousRedirect,
    /// A header or method of the request is none.
    #[error("`{0}` is not a proper header or method")]
    BadRequest(String),
    /// On the way, at one of several hops.
    #[error("redirect {number}, to `{url}`: {failure}")]
    Hop {
        /// Which redirect, from 1.
        number: usize,
        /// Where it leads.
        url: String,
        /// What went wrong there.
        failure: Box<Self>,
    },
}

impl Failure {
    /// Whether it was refused, and not only unlucky.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Hop { failure, .. } => failure.is_refusal(),
            Self::Refused(_)
            | Self::Alias { .. }
            | Self::Spent(_)
            | Self::ThisMachine(_)
            | Self::ThisProxy(_)
            | Self::Unresolved { .. }
            | Self::OtherPeer { .. }
            | Self::TooManyRedirects(_)
            | Self::Loop(_)
            | Self::Downgrade
            | Self::BodyElsewhere(_)
            | Self::AmbiguousRedirect => true,
            _ => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Hop { failure, .. } => failure.help(),
            Self::Refused(refusal) | Self::Alias { refusal, .. } => Some(refusal.help()),
            Self::Unresolved { .. } => {
                Some("see that the name is right; a name without an answer is never fetched")
            }
            Self::Spent(Spent::Connections(..) | Spent::Bytes(..)) => {
                Some("how much may be used stands under `[network]` in the configuration")
            }
            Self::TooLong(_) => Some("raise the limit with `--max-bytes`"),
            Self::TooSlow(_) => Some("raise the limit with `--timeout`"),
            _ => None,
        }
    }
}

fn seconds(duration: Duration) -> String {
    match duration.as_secs() {
        1 => "a second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
}
