//! Bytes both ways. Owns how they are counted, what they are held in and when it ends; it looks at none of them.

use std::{
    io,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::AsyncWriteExt as _,
    net::{
        TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    time::{self, Instant},
};

use super::{record::Recorded, session::Session};

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// How many blocks are kept for the next one who needs one.
const MOST_KEPT: usize = 32;

/// What is read into, lent to those who have something to carry: a tunnel in which nobody speaks holds none.
#[derive(Debug, Default)]
pub(super) struct Blocks(Mutex<Vec<Vec<u8>>>);

impl Blocks {
    fn take(&self) -> Vec<u8> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.unwrap_or_else(|| vec![0; BLOCK])
    }

    fn give(&self, block: Vec<u8>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.push(block);
        }
    }
}

/// Carries bytes between a client and a server until both have ended, one of them breaks, nothing comes for too long, or the
/// session has carried enough. What is counted stands in `recorded` at any time.
pub(super) async fn relay(
    mut client: TcpStream,
    mut server: TcpStream,
    session: &Session,
    blocks: &Blocks,
    idle: Duration,
    recorded: &mut Recorded,
) {
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    let watch = Watch::new(idle);
    let way = Way { session, blocks, watch: &watch };
    // Each way waits for itself alone: a side that only writes would otherwise wait for one that only writes too.
    let both = async {
        tokio::try_join!(
            way.carry(from_client, to_server, &recorded.sent),
            way.carry(from_server, to_client, &recorded.received),
        )
    };
    let how = tokio::select! {
        ended = both => match ended {
            Ok(((), ())) => "closed".to_owned(),
            Err(error) => format!("broken: {error}"),
        },
        () = watch.until_idle() => watch.words(),
    };
    recorded.how = how;
}

/// What both ways have in common.
#[derive(Clone, Copy)]
struct Way<'a> {
    session: &'a Session,
    blocks: &'a Blocks,
    watch: &'a Watch,
}

impl Way<'_> {
    /// Carries what comes until there is no more.
    async fn carry(
        self,
        from: ReadHalf<'_>,
        mut to: WriteHalf<'_>,
        count: &AtomicU64,
    ) -> io::Result<()> {
        loop {
            from.readable().await?;
            let mut block = self.blocks.take();
            let more = self.carry_what_is_there(&from, &mut to, count, &mut block).await;
            self.blocks.give(block);
            if !more? {
                return to.shutdown().await;
            }
        }
    }

    /// Whether there will be more.
    async fn carry_what_is_there(
        self,
        from: &ReadHalf<'_>,
        to: &mut WriteHalf<'_>,
        count: &AtomicU64,
        block: &mut [u8],
    ) -> io::Result<bool> {
        loop {
            let length = match from.try_read(block) {
                Ok(0) => return Ok(false),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            };
            to.write_all(block.get(..length).unwrap_or_default()).await?;
            self.watch.touch();
            count.fetch_add(as_count(length), Ordering::Relaxed);
            self.session.carry(length).map_err(io::Error::other)?;
        }
    }
}

/// When something last went through.
pub(super) struct Watch {
    start: Instant,
    /// In milliseconds from the start.
    last: AtomicU64,
    idle: Duration,
}

impl Watch {
    pub(super) fn new(idle: Duration) -> Self {
        Self { start: Instant::now(), last: AtomicU64::new(0), idle }
    }

    pub(super) fn touch(&self) {
        let now = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    pub(super) async fn until_idle(&self) {
        loop {
            let last = self.start + Duration::from_millis(self.last.load(Ordering::Relaxed));
            let until = last + self.idle;
            if Instant::now() >= until {
                return;
            }
            time::sleep_until(until).await;
        }
    }

    /// How it ended, where that ended it.
    pub(super) fn words(&self) -> String {
        format!("idle for {} seconds", self.idle.as_secs())
    }
}

pub(super) fn as_count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
