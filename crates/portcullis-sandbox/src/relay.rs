//! The way from inside to the proxy outside. Owns that a socket which listens inside leads there and nowhere else, that it takes no more
//! than its share of the caller's descriptors and threads, and that nothing of it outlives the run. It lives outside: inside there is
//! only the socket.

use std::{
    collections::HashMap,
    io::{self, PipeReader, PipeWriter},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    os::fd::{AsFd as _, OwnedFd},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use crate::kernel::{self, Watch};

/// The most connections at once. A further one is closed. Each takes two descriptors and two threads of the caller, who may have 1,024
/// descriptors in all.
const MOST_CONNECTIONS: usize = 128;

/// How long the proxy may take to accept.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long is waited where a connection cannot be taken, for want of descriptors, in milliseconds.
const PAUSE: i32 = 100;

/// What a thread may have as its stack; it only copies.
const STACK: usize = 128 << 10;

/// Leads connections on as long as it is there.
#[derive(Debug)]
pub(crate) struct Relay {
    open: Arc<Mutex<Open>>,
    _stop: PipeWriter,
}

impl Relay {
    /// Leads every connection to `inside` on to the proxy.
    pub(crate) fn started(inside: OwnedFd, proxy: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::from(inside);
        listener.set_nonblocking(true)?;
        let (stopped, stop) = io::pipe()?;
        let open = Arc::<Mutex<Open>>::default();
        let ways = Arc::clone(&open);
        started(move || accept(&listener, &stopped, proxy, &ways))?;
        Ok(Self { open, _stop: stop })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // Whoever was inside is gone; the other side may never say that it is done.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.is_over = true;
        for ends in open.ways.values().flat_map(|way| &way.ends) {
            let _ = ends.shutdown(Shutdown::Both);
        }
    }
}

/// The connections that are led on.
#[derive(Debug, Default)]
struct Open {
    is_over: bool,
    next: u64,
    ways: HashMap<u64, Way>,
}

/// Both ends of a connection, the outer one once it is there.
#[derive(Debug)]
struct Way {
    ends: Vec<Arc<TcpStream>>,
}

/// A connection that is counted as long as this is there.
struct Counted {
    number: u64,
    open: Arc<Mutex<Open>>,
}

impl Counted {
    /// None where there are too many, or the run is over.
    fn new(open: &Arc<Mutex<Open>>, inside: &Arc<TcpStream>) -> Option<Self> {
        let mut ways = open.lock().unwrap_or_else(PoisonError::into_inner);
        if ways.is_over || ways.ways.len() >= MOST_CONNECTIONS {
            return None;
        }
        let number = ways.next;
        ways.next += 1;
        ways.ways.insert(number, Way { ends: vec![Arc::clone(inside)] });
        drop(ways);
        Some(Self { number, open: Arc::clone(open) })
    }

    /// Whether the run still goes on, so that the other end is of use.
    fn leads_to(&self, outside: &Arc<TcpStream>) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_over {
            return false;
        }
        if let Some(way) = open.ways.get_mut(&self.number) {
            way.ends.push(Arc::clone(outside));
        }
        true
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).ways.remove(&self.number);
    }
}

fn started<F: FnOnce() + Send + 'static>(work: F) -> io::Result<thread::JoinHandle<()>> {
    thread::Builder::new().name("relay".to_owned()).stack_size(STACK).spawn(work)
}

fn accept(
    listener: &TcpListener,
    stopped: &PipeReader,
    proxy: SocketAddr,
    open: &Arc<Mutex<Open>>,
) {
    let watch = |descriptor| Watch { descriptor, to_write: false, ready: false };
    loop {
        let mut watches = [watch(listener.as_fd()), watch(stopped.as_fd())];
        if kernel::poll(&mut watches, None).is_err()
            || watches.iter().skip(1).any(|watch| watch.ready)
        {
            return;
        }
        let connection = match listener.accept() {
            Ok((connection, _)) => Arc::new(connection),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(_) => {
                // It stays ready, and asking again at once would only keep a processor busy.
                let _ = kernel::poll(&mut [watch(stopped.as_fd())], Some(PAUSE));
                continue;
            }
        };
        let Some(counted) = Counted::new(open, &connection) else { continue };
        // Without a thread the connection is closed, and the program sees that.
        let _ = started(move || {
            let _ = lead(&connection, proxy, &counted);
        });
    }
}

fn lead(inside: &Arc<TcpStream>, proxy: SocketAddr, counted: &Counted) -> io::Result<()> {
    inside.set_nonblocking(false)?;
    let outside = Arc::new(TcpStream::connect_timeout(&proxy, PATIENCE)?);
    if !counted.leads_to(&outside) {
        return Ok(());
    }
    let (from, to) = (Arc::clone(inside), Arc::clone(&outside));
    let there = started(move || copy(&from, &to))?;
    copy(&outside, inside);
    let _ = there.join();
    Ok(())
}

fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
