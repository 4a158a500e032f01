//! Plain requests. Owns how one is passed on: its head written anew, its body carried as long as it says it is, and nothing
//! behind it.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use bytes::Bytes;
use portcullis_core::network::Target;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{
    head::{Body, Head},
    record::Recorded,
    relay::{Watch, as_count},
    reply::let_go,
    session::Session,
};

/// How much is read at once.
const BUFFER: usize = 64 << 10;

/// The longest line that says how long a part is.
const LONGEST_CHUNK_LINE: usize = 256;

/// The head as the server gets it.
pub(super) fn rewritten(head: &Head, target: &Target) -> Vec<u8> {
    let url = target.url();
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    let mut bytes =
        format!("{} {}{query} HTTP/1.1\r\nhost: {host}{port}\r\n", head.method, url.path())
            .into_bytes();
    for (name, value) in &head.headers {
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value);
        bytes.extend_from_slice(b"\r\n");
    }
    match head.body {
        Body::Chunked => bytes.extend_from_slice(b"transfer-encoding: chunked\r\n"),
        Body::Length(0)
            if matches!(head.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "DELETE") => {}
        Body::Length(length) => {
            bytes.extend_from_slice(format!("content-length: {length}\r\n").as_bytes());
        }
    }
    bytes.extend_from_slice(b"connection: close\r\n\r\n");
    bytes
}

/// How a request is passed on.
pub(super) struct Exchange<'a> {
    pub(super) head: &'a Head,
    pub(super) target: &'a Target,
    /// What of the body has already come.
    pub(super) early: Vec<u8>,
    pub(super) session: &'a Session,
    pub(super) idle: Duration,
}

/// Passes on a request and its answer.
pub(super) async fn exchange(
    client: TcpStream,
    server: TcpStream,
    exchange: Exchange<'_>,
    recorded: &mut Recorded,
) {
    let Exchange { head, target, early, session, idle } = exchange;
    let (from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let watch = Watch::new(idle);
    let mut source = Source { from: from_client, early: early.into(), session, watch: &watch };
    let (sent, received) = (&recorded.sent, &recorded.received);
    let request = async {
        let rewritten = rewritten(head, target);
        to_server.write_all(&rewritten).await?;
        sent.fetch_add(as_count(rewritten.len()), Ordering::Relaxed);
        match head.body {
            Body::Length(length) => source.counted(length, &mut to_server, sent).await?,
            Body::Chunked => source.chunked(&mut to_server, sent).await?,
        }
        // The answer ends it; until then the client may only wait.
        std::future::pending::<()>().await;
        Ok(())
    };
    let answer = async {
        let mut buffer = vec![0; BUFFER];
        loop {
            let length = from_server.read(&mut buffer).await?;
            let bytes = buffer.get(..length).unwrap_or_default();
            if bytes.is_empty() {
                return to_client.shutdown().await;
            }
            to_client.write_all(bytes).await?;
            watch.touch();
            received.fetch_add(as_count(length), Ordering::Relaxed);
            session.carry(length).map_err(io::Error::other)?;
        }
    };
    let ended: io::Result<()> = tokio::select! {
        ended = request => ended,
        ended = answer => ended,
        () = watch.until_idle() => {
            recorded.how = watch.words();
            return;
        }
    };
    recorded.how = match ended {
        Ok(()) => {
            let_go(&mut source.from).await;
            "closed".to_owned()
        }
        Err(error) => format!("broken: {error}"),
    };
}

/// What comes from the client.
struct Source<'a, R> {
    from: R,
    early: Bytes,
    session: &'a Session,
    watch: &'a Watch,
}

impl<R: AsyncRead + Unpin> Source<'_, R> {
    /// Some bytes, at most `most`.
    async fn some(&mut self, most: u64) -> io::Result<Bytes> {
        if self.early.is_empty() {
            let mut buffer = vec![0; BUFFER];
            let length = self.from.read(&mut buffer).await?;
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.watch.touch();
            buffer.truncate(length);
            self.early = buffer.into();
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(self.early.len());
        Ok(self.early.split_to(most))
    }

    /// A body of so many bytes.
    async fn counted<W: AsyncWrite + Unpin>(
        &mut self,
        mut length: u64,
        to: &mut W,
        sent: &AtomicU64,
    ) -> io::Result<()> {
        while length > 0 {
            let bytes = self.some(length).await?;
            length -= as_count(bytes.len());
            self.pass(&bytes, to, sent).await?;
        }
        Ok(())
    }

    /// A body in parts, each written anew, without whatever else stands in the lines between them.
    async fn chunked<W: AsyncWrite + Unpin>(
        &mut self,
        to: &mut W,
        sent: &AtomicU64,
    ) -> io::Result<()> {
        loop {
            let line = self.line().await?;
            let length = chunk_length(&line).ok_or_else(malformed)?;
            if length == 0 {
                // Trailers are not passed on.
                while !self.line().await?.is_empty() {}
                return self.pass(b"0\r\n\r\n", to, sent).await;
            }
            self.pass(format!("{length:x}\r\n").as_bytes(), to, sent).await?;
            self.counted(length, to, sent).await?;
            if !self.line().await?.is_empty() {
                return Err(malformed());
            }
            self.pass(b"\r\n", to, sent).await?;
        }
    }

    /// A line, without its end.
    async fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            let byte = self.some(1).await?;
            line.extend_from_slice(&byte);
            if let Some(whole) = line.strip_suffix(b"\r\n") {
                // Nothing else ends a line.
                let plain = !whole.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
                return if plain { Ok(whole.to_vec()) } else { Err(malformed()) };
            }
            if line.len() > LONGEST_CHUNK_LINE {
                return Err(malformed());
            }
        }
    }

    async fn pass<W: AsyncWrite + Unpin>(
        &self,
        bytes: &[u8],
        to: &mut W,
        sent: &AtomicU64,
    ) -> io::Result<()> {
        to.write_all(bytes).await?;
        self.watch.touch();
        sent.fetch_add(as_count(bytes.len()), Ordering::Relaxed);
        self.session.carry(bytes.len()).map_err(io::Error::other)
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the parts of the body are malformed")
}

/// How long a part is: hexadecimal digits, and perhaps words behind a semicolon that are not passed on.
fn chunk_length(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?;
    let digits = std::str::from_utf8(digits).ok()?;
    let plain =
        (1..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| plain)
}
