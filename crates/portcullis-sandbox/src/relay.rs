//! The way from inside to the proxy outside. Owns that a socket which listens inside leads there and nowhere else. It lives outside:
//! inside there is only the socket.

use std::{
    io::{self, PipeReader, PipeWriter},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    os::fd::{AsFd as _, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crate::kernel::{self, Watch};

/// The most connections at once. A further one is closed.
const MOST_CONNECTIONS: usize = 256;

/// How long the proxy may take to accept.
const PATIENCE: Duration = Duration::from_secs(10);

/// Leads connections on as long as it is there.
#[derive(Debug)]
pub(crate) struct Relay {
    _stop: PipeWriter,
}

impl Relay {
    /// Leads every connection to `inside` on to the proxy.
    pub(crate) fn started(inside: OwnedFd, proxy: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::from(inside);
        listener.set_nonblocking(true)?;
        let (stopped, stop) = io::pipe()?;
        thread::Builder::new()
            .name("relay".to_owned())
            .spawn(move || accept(&listener, &stopped, proxy))?;
        Ok(Self { _stop: stop })
    }
}

fn accept(listener: &TcpListener, stopped: &PipeReader, proxy: SocketAddr) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let mut watches = [
            Watch { descriptor: listener.as_fd(), to_write: false, ready: false },
            Watch { descriptor: stopped.as_fd(), to_write: false, ready: false },
        ];
        if kernel::poll(&mut watches, None).is_err()
            || watches.iter().skip(1).any(|watch| watch.ready)
        {
            return;
        }
        let Ok((connection, _)) = listener.accept() else { continue };
        if open.fetch_add(1, Ordering::AcqRel) >= MOST_CONNECTIONS {
            open.fetch_sub(1, Ordering::AcqRel);
            continue;
        }
        let counted = Counted(Arc::clone(&open));
        // Without a thread the connection is closed, and the program sees that.
        let _ = thread::Builder::new().name("relay".to_owned()).spawn(move || {
            let _counted = counted;
            let _ = lead(connection, proxy);
        });
    }
}

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn lead(inside: TcpStream, proxy: SocketAddr) -> io::Result<()> {
    inside.set_nonblocking(false)?;
    let outside = TcpStream::connect_timeout(&proxy, PATIENCE)?;
    let (from, to) = (inside.try_clone()?, outside.try_clone()?);
    let there = thread::Builder::new().name("relay".to_owned()).spawn(move || copy(&from, &to))?;
    copy(&outside, &inside);
    let _ = there.join();
    Ok(())
}

fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
