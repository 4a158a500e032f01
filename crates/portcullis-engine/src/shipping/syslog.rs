//! Records as messages of syslog (RFC 5424), each behind its length (RFC 6587 §3.4.1, RFC 5425 §4.3), over TLS. Owns the frame, and when what was sent
//! counts as delivered.
//!
//! The protocol has no answers. So each shipment is a connection of its own, which is closed in order: we say that nothing follows (`close_notify`), and
//! wait until the other side says the same, as TLS has it. Only then it counts; a connection that breaks before is sent again whole.

use std::{sync::Arc, time::Duration};

use portcullis_core::{network::Target, risk::Risk};
use portcullis_net::{Guard, GuardOptions, Roots, client_config};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time,
};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};

use super::{BadDestination, ShippingError};
use crate::{
    audit::{Kind, Record, time_text},
    guardian::{is_inside_by_itself, only_to},
    platform,
};

/// The facility of messages of a log of what was done: log audit.
const FACILITY: u8 = 13;

/// How long a shipment may take from the connection to its end.
const PATIENCE: Duration = Duration::from_secs(60);

/// The port of syslog over TLS (RFC 5425 §4.1).
const PORT: u16 = 6514;

/// The most bytes of an answer that are read over: a server of syslog says nothing.
const MOST_ANSWER: usize = 64 << 10;

/// A server of syslog.
#[derive(Debug)]
pub struct Syslog {
    target: Target,
    guard: Guard,
    roots: Roots,
    host: String,
}

impl Syslog {
    /// The server at `tls://host:port`.
    ///
    /// # Errors
    /// When it cannot be one.
    pub fn new(url: &str, roots: Roots) -> Result<Self, BadDestination> {
        let bad = |reason: String| BadDestination { url: url.to_owned(), reason };
        let rest = url.strip_prefix("tls://").map(|rest| rest.trim_end_matches('/'));
        let rest = rest.filter(|rest| !rest.contains(['/', '?', '#', '@']));
        let rest =
            rest.ok_or_else(|| bad("it is written as `tls://host` or `tls://host:port`".into()))?;
        let has_port = rest.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
        let address = if has_port { rest.to_owned() } else { format!("{rest}:{PORT}") };
        let target = Target::read(&format!("https://{address}/"));
        let target = target.map_err(|error| bad(error.to_string()))?;
        let policy = only_to([(&target, is_inside_by_itself(&target))]);
        let policy = policy.map_err(|error| bad(error.to_string()))?;
        let guard = Guard::new(GuardOptions { policy, ..GuardOptions::default() });
        let host = header_word(&platform::machine_name(), 255);
        Ok(Self { target, guard, roots, host })
    }

    /// Sends lines about records, and returns once the server has read all of them.
    ///
    /// # Errors
    /// When it may not have.
    pub(super) async fn send(
        &self,
        page: &[(String, Record, String)],
    ) -> Result<(), ShippingError> {
        match time::timeout(PATIENCE, self.sent(page)).await {
            Ok(sent) => sent,
            Err(_) => {
                let seconds = PATIENCE.as_secs();
                Err(ShippingError::Again(format!("the server took longer than {seconds} seconds")))
            }
        }
    }

    async fn sent(&self, page: &[(String, Record, String)]) -> Result<(), ShippingError> {
        let config =
            client_config(&self.roots).map_err(|error| ShippingError::Never(error.to_string()))?;
        let name = ServerName::try_from(self.target.host().into_owned())
            .map_err(|_| ShippingError::Never("no certificate can name this host".to_owned()))?;
        let broken = |error: std::io::Error| ShippingError::Again(error.to_string());
        let stream = self.guard.connect(&self.target).await.map_err(|failure| {
            let reason = failure.to_string();
            if failure.is_refusal() {
                ShippingError::Never(reason)
            } else {
                ShippingError::Again(reason)
            }
        })?;
        let connector = TlsConnector::from(Arc::new(config));
        let mut stream = connector.connect(name, stream).await.map_err(broken)?;
        for (chain, record, line) in page {
            stream.write_all(&self.frame(chain, record, line)).await.map_err(broken)?;
        }
        // Nothing follows; whoever closes now has read everything before.
        stream.shutdown().await.map_err(broken)?;
        let mut answer = [0; 1_024];
        let mut read = 0;
        loop {
            match stream.read(&mut answer).await {
                Ok(0) => return Ok(()),
                Ok(more) => read += more,
                // Whoever just went away may have left anything unread.
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    let reason = "the server closed the connection without saying that it has read to its end";
                    return Err(ShippingError::Again(reason.to_owned()));
                }
                Err(error) => return Err(broken(error)),
            }
            if read > MOST_ANSWER {
                return Err(ShippingError::Never("it is no server of syslog".to_owned()));
            }
        }
    }

    /// One message behind its length. The line is one line, so that also readers who know nothing of lengths take it for one message.
    fn frame(&self, chain: &str, record: &Record, line: &str) -> Vec<u8> {
        let priority = FACILITY * 8 + severity(record);
        let time = time_text(record.time);
        let (host, kind) = (&self.host, record.entry.kind.name());
        let chain = header_word(chain, 128);
        let message = format!("<{priority}>1 {time} {host} portcullis {chain} {kind} - {line}");
        format!("{} {message}", message.len()).into_bytes()
    }
}

/// The severity (RFC 5424 §6.2.1) that people who watch are woken by.
fn severity(record: &Record) -> u8 {
    match (record.entry.kind, record.entry.risk) {
        (Kind::Decision | Kind::Answer, Some(Risk::Critical)) => 2,
        (Kind::Decision | Kind::Answer, Some(Risk::High)) => 4,
        (Kind::Decision | Kind::Answer, Some(Risk::Medium | Risk::Unknown)) | (Kind::Change, _) => {
            5
        }
        _ => 6,
    }
}

/// A word of the header: printable ASCII without spaces, at most so long, `-` where nothing is left (RFC 5424 §6).
fn header_word(text: &str, most: usize) -> String {
    let word: String = text.chars().filter(char::is_ascii_graphic).take(most).collect();
    if word.is_empty() { "-".to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Body, Entry, Hash};

    #[test]
    fn a_message_is_as_the_standard_writes_it_whatever_stands_in_it() {
        let server = Syslog::new("tls://logs.example", Roots::System).unwrap();
        let server = Syslog { host: "gate.example".to_owned(), ..server };
        let entry = Entry { risk: Some(Risk::High), ..Entry::new(Kind::Decision) };
        let time = "2026-11-29T03:04:05.000006Z".parse().unwrap();
        let record = Body::new(&entry, time).chained(1, Hash::GENESIS);
        let frame = String::from_utf8(server.frame("gate a\n<1>", &record, "{\"é\":1}")).unwrap();
        let message = "<108>1 2026-11-29T03:04:05.000006Z gate.example portcullis gatea<1> decision - {\"é\":1}";
        assert_eq!(frame, format!("{} {message}", message.len()));
        let frame = String::from_utf8(server.frame("", &record, "x")).unwrap();
        assert!(frame.contains(" portcullis - decision - x"), "{frame}");
    }

    #[test]
    fn only_an_encrypted_server_is_one() {
        for (url, address) in [
            ("tls://logs.example", "https://logs.example:6514/"),
            ("tls://logs.example:7000", "https://logs.example:7000/"),
            ("tls://[::1]", "https://[::1]:6514/"),
            ("tls://[::1]:7000/", "https://[::1]:7000/"),
        ] {
            let server = Syslog::new(url, Roots::System).unwrap();
            assert_eq!(server.target.canonical(), address, "{url}");
        }
        for url in [
            "tcp://logs.example",
            "logs.example:6514",
            "tls://",
            "tls://a/b",
            "tls://u@a",
            "tls://a:b",
        ] {
            assert!(Syslog::new(url, Roots::System).is_err(), "{url}");
        }
    }
}
