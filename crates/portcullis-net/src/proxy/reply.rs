//! What a client is told. Owns the words and numbers of HTTP and SOCKS for it.

use std::time::Duration;

use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    time,
};

use super::socks::BadSocks;
use crate::failure::Failure;

/// Why a client gets nothing.
pub(super) struct Denial {
    status: u16,
    /// The reply field of SOCKS 5.
    socks: u8,
    pub(super) reason: String,
    help: Option<&'static str>,
}

impl Denial {
    /// It is no request.
    pub(super) fn malformed(reason: impl Into<String>) -> Self {
        Self { status: 400, socks: 1, reason: reason.into(), help: None }
    }

    /// It is no request of SOCKS.
    pub(super) fn of_socks(bad: BadSocks) -> Self {
        let socks = match bad {
            BadSocks::Version => 1,
            BadSocks::Command => 7,
            BadSocks::Address => 8,
        };
        Self { socks, ..Self::malformed(bad.to_string()) }
    }

    /// Nobody knows who asks.
    pub(super) fn stranger() -> Self {
        let reason = "this proxy needs the name and password of a session";
        Self { status: 407, socks: 2, reason: reason.to_owned(), help: None }
    }

    /// There is too much of it.
    pub(super) fn too_much(reason: impl Into<String>) -> Self {
        Self { status: 429, socks: 2, reason: reason.into(), help: None }
    }

    /// The proxy itself cannot.
    pub(super) fn unable(reason: impl Into<String>) -> Self {
        Self { status: 503, socks: 1, reason: reason.into(), help: None }
    }

    /// What came of trying.
    pub(super) fn of(failure: &Failure) -> Self {
        let (status, socks) = match failure {
            failure if failure.is_refusal() => (403, 2),
            Failure::Unreachable { .. } => (502, 5),
            _ => (502, 1),
        };
        Self { status, socks, reason: failure.to_string(), help: failure.help() }
    }

    /// As HTTP.
    pub(super) fn http(&self) -> Vec<u8> {
        let phrase = match self.status {
            400 => "Bad Request",
            403 => "Forbidden",
            407 => "Proxy Authentication Required",
            429 => "Too Many Requests",
            502 => "Bad Gateway",
            _ => "Service Unavailable",
        };
        let mut body = format!("portcullis: {}\n", self.reason);
        if let Some(help) = self.help {
            body.push_str(&format!("help: {help}\n"));
        }
        let challenge = match self.status {
            407 => "Proxy-Authenticate: Basic realm=\"portcullis\"\r\n",
            _ => "",
        };
        format!(
            "HTTP/1.1 {} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n{challenge}\
             Connection: close\r\n\r\n{body}",
            self.status,
            body.len()
        )
        .into_bytes()
    }

    /// As SOCKS 5.
    pub(super) const fn socks(&self) -> [u8; 10] {
        [5, self.socks, 0, 1, 0, 0, 0, 0, 0, 0]
    }
}

/// Reads what is still said by somebody who has been told all: a connection that is dropped with bytes unread is reset, and
/// takes the answer with it.
pub(super) async fn let_go<R: AsyncRead + Unpin>(client: &mut R) {
    let mut rest = [0; 4_096];
    let read = async {
        for _ in 0..64 {
            if !client.read(&mut rest).await.is_ok_and(|length| length > 0) {
                break;
            }
        }
    };
    // Whoever goes on speaking is not waited for.
    let _ = time::timeout(Duration::from_secs(5), read).await;
}

/// The tunnel stands.
pub(super) const TUNNEL_STANDS: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// The same as SOCKS 5. The address that is called from is nobody's business.
pub(super) const SOCKS_STANDS: [u8; 10] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];
