//! What is written down of each connection. Owns what is told and in which order: that something may be connected to before it
//! is, and how it ended after; where it is kept, others say.

use std::{
    net::SocketAddr,
    sync::{atomic::AtomicU64, mpsc},
    thread,
};

use tokio::sync::oneshot;

/// What somebody wants to connect to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Attempt {
    /// The session.
    pub session: String,
    /// The method, or `SOCKS5`.
    pub method: String,
    /// The host and port, or the URL, as the client wrote it.
    pub target: String,
    /// The addresses that were checked.
    pub addresses: Vec<SocketAddr>,
    /// Why it is refused; `None` where it is not.
    pub refusal: Option<String>,
}

/// Keeps the record. It is called from one thread alone.
pub trait Witness: Send + 'static {
    /// Before anything is connected to: gives a number for [`Witness::ended`].
    ///
    /// # Errors
    /// Why nothing could be recorded; nothing is connected to then.
    fn decided(&mut self, attempt: &Attempt) -> Result<u64, String>;

    /// After a connection: the bytes of the client, those of the server, and how it ended.
    fn ended(&mut self, number: u64, sent: u64, received: u64, how: &str);
}

enum Message {
    Decided(Box<Attempt>, oneshot::Sender<Result<u64, String>>),
    Ended { number: u64, sent: u64, received: u64, how: String },
}

/// The way to the one who keeps the record.
#[derive(Clone, Debug)]
pub(super) struct Recorder(mpsc::Sender<Message>);

impl Recorder {
    /// A thread of its own, because writing to disk waits; it ends when nobody can tell it anything any more.
    pub(super) fn new(
        mut witness: Box<dyn Witness>,
    ) -> std::io::Result<(Self, thread::JoinHandle<()>)> {
        let (sender, messages) = mpsc::channel();
        let thread = thread::Builder::new().name("record".to_owned()).spawn(move || {
            for message in messages {
                match message {
                    Message::Decided(attempt, answer) => {
                        // Who asked may have gone; it stands in the record all the same.
                        let _ = answer.send(witness.decided(&attempt));
                    }
                    Message::Ended { number, sent, received, how } => {
                        witness.ended(number, sent, received, &how);
                    }
                }
            }
        })?;
        Ok((Self(sender), thread))
    }

    pub(super) async fn decided(&self, attempt: Attempt) -> Result<u64, String> {
        let gone = || "the record is closed".to_owned();
        let (answer, recorded) = oneshot::channel();
        self.0.send(Message::Decided(Box::new(attempt), answer)).map_err(|_| gone())?;
        recorded.await.map_err(|_| gone())?
    }

    pub(super) fn ended(&self, number: u64, sent: u64, received: u64, how: String) {
        // Where the record is closed, there is nobody left to tell.
        let _ = self.0.send(Message::Ended { number, sent, received, how });
    }
}

/// A connection that stands in the record: its end does too, however it ends.
pub(super) struct Recorded {
    recorder: Recorder,
    number: u64,
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
    pub(super) how: String,
}

impl Recorded {
    pub(super) fn new(recorder: Recorder, number: u64) -> Self {
        Self {
            recorder,
            number,
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            how: "cut off".to_owned(),
        }
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let how = std::mem::take(&mut self.how);
        let (sent, received) = (*self.sent.get_mut(), *self.received.get_mut());
        self.recorder.ended(self.number, sent, received, how);
    }
}
