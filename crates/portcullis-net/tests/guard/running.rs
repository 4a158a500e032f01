//! A proxy that runs for a test, what stands in its record, and servers that say nothing of their own. Owns what the tests of the
//! proxy have in common; it judges nothing.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use portcullis_net::{
    GuardOptions,
    proxy::{Attempt, Credentials, Proxy, ProxyOptions, Stop, Witness},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time,
};

use super::server::ok;

/// What stands in the record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Line {
    Decided(Attempt),
    Ended { number: u64, sent: u64, received: u64, how: String },
}

#[derive(Clone, Default)]
pub(crate) struct Kept {
    lines: Arc<Mutex<Vec<Line>>>,
    pub(crate) is_full: Arc<AtomicBool>,
}

impl Kept {
    pub(crate) fn lines(&self) -> Vec<Line> {
        self.lines.lock().unwrap().clone()
    }

    pub(crate) fn refusals(&self) -> Vec<String> {
        let refusal = |line| match line {
            Line::Decided(attempt) => attempt.refusal,
            Line::Ended { .. } => None,
        };
        self.lines().into_iter().filter_map(refusal).collect()
    }
}

impl Witness for Kept {
    fn decided(&mut self, attempt: &Attempt) -> Result<u64, String> {
        if self.is_full.load(Ordering::SeqCst) {
            return Err("the disk is full".to_owned());
        }
        let mut lines = self.lines.lock().unwrap();
        lines.push(Line::Decided(attempt.clone()));
        Ok(lines.len() as u64)
    }

    fn ended(&mut self, number: u64, sent: u64, received: u64, how: &str) {
        let how = how.to_owned();
        self.lines.lock().unwrap().push(Line::Ended { number, sent, received, how });
    }
}

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) password: String,
    pub(crate) kept: Kept,
    pub(crate) stop: Stop,
    pub(crate) ended: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn new(options: GuardOptions) -> Self {
        Self::with(ProxyOptions { guard: options, ..ProxyOptions::default() }).await
    }

    pub(crate) async fn with(mut options: ProxyOptions) -> Self {
        let credentials = Credentials::random("agent").unwrap();
        let password = credentials.password.clone();
        options.sessions.push(credentials);
        let kept = Kept::default();
        let listen = "127.0.0.1:0".parse().unwrap();
        let proxy = Proxy::bind(listen, options, Box::new(kept.clone())).await.unwrap();
        let (address, stop) = (proxy.address(), proxy.stop());
        Self { address, password, kept, stop, ended: tokio::spawn(proxy.run()) }
    }

    /// What stands in the record by now.
    pub(crate) fn lines(&self) -> Vec<Line> {
        self.kept.lines()
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn authorization(&self) -> String {
        let plain = format!("agent:{}", self.password);
        format!("Proxy-Authorization: Basic {}\r\n", data_encoding::BASE64.encode(plain.as_bytes()))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://agent:{}@{}", self.password, self.address)
    }

    /// Says all of it, and gives what comes back until the other side ends.
    pub(crate) async fn say(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        let read = time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
        let _ = read.expect("the proxy neither answers nor ends");
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A request for a tunnel, as a known session.
    pub(crate) fn connect(&self, authority: &str) -> String {
        format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{}\r\n", self.authorization())
    }

    /// A tunnel that stands.
    pub(crate) async fn tunnel(&self, authority: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(self.connect(authority).as_bytes()).await.unwrap();
        let mut answer = [0; 39];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200 Connection established\r\n\r\n");
        stream
    }

    pub(crate) async fn end(self) -> Kept {
        self.stop.stop();
        time::timeout(Duration::from_secs(30), self.ended).await.expect("it does not end").unwrap();
        self.kept
    }
}

/// How each connection of a record ended.
pub(crate) fn how(lines: &[Line]) -> Vec<String> {
    let ended = |line: &Line| match line {
        Line::Ended { how, .. } => Some(how.clone()),
        Line::Decided(_) => None,
    };
    lines.iter().filter_map(ended).collect()
}

/// A server that does this with whoever calls, as often as somebody does; its port.
pub(crate) async fn listening<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> u16
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    port
}

/// A server that keeps all bytes that come, and answers when it has seen `until`.
pub(crate) async fn bare(until: &'static [u8]) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&kept);
    let port = listening(move |mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            let mut buffer = [0; 1_024];
            while let Ok(length) = stream.read(&mut buffer).await {
                let done = {
                    let mut all: std::sync::MutexGuard<'_, Vec<u8>> = seen.lock().unwrap();
                    all.extend_from_slice(&buffer[..length]);
                    all.ends_with(until)
                };
                if done {
                    let _ = stream.write_all(&ok("done")).await;
                    return;
                }
                if length == 0 {
                    return;
                }
            }
        }
    })
    .await;
    (port, kept)
}
