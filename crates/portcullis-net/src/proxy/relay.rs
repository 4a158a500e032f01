//! Bytes both ways. Owns how they are counted and when it ends; it looks at none of them.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
    time::{self, Instant},
};

use super::{record::Recorded, session::Session};

/// How much is read at once.
const BUFFER: usize = 64 << 10;

/// Carries bytes between a client and a server until both have ended, one of them breaks, nothing comes for too long, or the
/// session has carried enough. What is counted stands in `recorded` at any time.
pub(super) async fn relay(
    mut client: TcpStream,
    mut server: TcpStream,
    session: &Session,
    idle: Duration,
    recorded: &mut Recorded,
) {
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    let watch = Watch::new(idle);
    // Each way waits for itself alone: a side that only writes would otherwise wait for one that only writes too.
    let both = async {
        tokio::try_join!(
            pump(from_client, to_server, &recorded.sent, session, &watch),
            pump(from_server, to_client, &recorded.received, session, &watch),
        )
    };
    let how = tokio::select! {
        ended = both => match ended {
            Ok(((), ())) => "closed".to_owned(),
            Err(error) => format!("broken: {error}"),
        },
        () = watch.until_idle() => format!("idle for {} seconds", idle.as_secs()),
    };
    recorded.how = how;
}

async fn pump<R, W>(
    mut from: R,
    mut to: W,
    count: &AtomicU64,
    session: &Session,
    watch: &Watch,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut buffer = vec![0; BUFFER];
    loop {
        let length = from.read(&mut buffer).await?;
        let bytes = buffer.get(..length).unwrap_or_default();
        if bytes.is_empty() {
            return to.shutdown().await;
        }
        to.write_all(bytes).await?;
        watch.touch();
        count.fetch_add(as_count(length), Ordering::Relaxed);
        session.carry(length).map_err(io::Error::other)?;
    }
}

/// When something last went through.
struct Watch {
    start: Instant,
    /// In milliseconds from the start.
    last: AtomicU64,
    idle: Duration,
}

impl Watch {
    fn new(idle: Duration) -> Self {
        Self { start: Instant::now(), last: AtomicU64::new(0), idle }
    }

    fn touch(&self) {
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    async fn until_idle(&self) {
        loop {
            let last = self.start + Duration::from_millis(self.last.load(Ordering::Relaxed));
            let until = last + self.idle;
            if Instant::now() >= until {
                return;
            }
            time::sleep_until(until).await;
        }
    }
}

pub(super) fn as_count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
