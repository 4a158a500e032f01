//! What is on its way to one client: the answer to a request with what comes before it, or a stream. Owns that a client which does not read keeps
//! nobody else waiting and fills no memory.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::mpsc;

use super::log::EventId;
use crate::mcp::frame::LONGEST;

/// How many messages wait for one client.
const QUEUE: usize = 256;

/// How many bytes wait for all clients of one server's process.
const BYTES: usize = 4 * LONGEST;

/// One message.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) text: Vec<u8>,
    /// Whether nothing comes after it.
    pub(super) is_last: bool,
    /// The code, where it is an error.
    pub(super) code: Option<i64>,
    /// What a client that loses its connection knows it by.
    pub(super) event: Option<EventId>,
    _held: Held,
}

/// Counts the bytes of what waits.
#[derive(Debug)]
struct Held(Arc<AtomicUsize>, usize);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::AcqRel);
    }
}

/// How much waits for the clients of one process.
#[derive(Clone, Debug, Default)]
pub(super) struct Room(Arc<AtomicUsize>);

impl Room {
    fn take(&self, bytes: usize) -> Option<Held> {
        let before = self.0.fetch_add(bytes, Ordering::AcqRel);
        let held = Held(Arc::clone(&self.0), bytes);
        (before + bytes <= BYTES).then_some(held)
    }

    /// Room that is always there: what says that there is none.
    fn small(&self, bytes: usize) -> Held {
        self.0.fetch_add(bytes, Ordering::AcqRel);
        Held(Arc::clone(&self.0), bytes)
    }
}

/// The way to one client.
#[derive(Debug)]
pub(super) struct Pipe(mpsc::Sender<Part>);

impl Pipe {
    pub(super) fn new() -> (Self, mpsc::Receiver<Part>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self(sender), receiver)
    }

    /// Whether the client has gone.
    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Sends a message that is not the last; whether it is on its way. The last place is kept for the answer.
    pub(super) fn send(&self, room: &Room, text: Vec<u8>, event: Option<EventId>) -> bool {
        if self.0.capacity() < 2 {
            return false;
        }
        let Some(held) = room.take(text.len()) else { return false };
        self.0.try_send(Part { text, is_last: false, code: None, event, _held: held }).is_ok()
    }

    /// Sends the last message. Where there is no room for it, `small` is sent in its place.
    pub(super) fn finish(
        self,
        room: &Room,
        (text, code): (Vec<u8>, Option<i64>),
        event: Option<EventId>,
        small: impl FnOnce() -> (Vec<u8>, Option<i64>),
    ) {
        let (text, code, held) = match room.take(text.len()) {
            Some(held) => (text, code, held),
            None => {
                let (text, code) = small();
                let held = room.small(text.len());
                (text, code, held)
            }
        };
        // A client that has gone wants no answer.
        let _ = self.0.try_send(Part { text, is_last: true, code, event, _held: held });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_does_not_read_gets_its_answer_and_no_more_than_there_is_room_for() {
        let room = Room::default();
        let (pipe, mut parts) = Pipe::new();
        let sent = (0..2 * QUEUE).filter(|_| pipe.send(&room, vec![b'x'], None)).count();
        assert_eq!(sent, QUEUE - 1);
        pipe.finish(&room, (b"answer".to_vec(), None), None, || (b"small".to_vec(), None));
        let mut last = None;
        while let Ok(part) = parts.try_recv() {
            last = Some((part.text.clone(), part.is_last));
        }
        assert_eq!(last, Some((b"answer".to_vec(), true)));
        assert_eq!(room.0.load(Ordering::Acquire), 0, "what was read waits no more");
    }

    #[test]
    fn what_is_too_much_for_the_memory_is_answered_in_few_words() {
        let room = Room::default();
        let (slow, _kept) = Pipe::new();
        for _ in 0..4 {
            assert!(slow.send(&room, vec![b'x'; LONGEST], None));
        }
        assert!(!slow.send(&room, vec![b'x'], None));
        let (pipe, mut parts) = Pipe::new();
        pipe.finish(&room, (b"answer".to_vec(), None), None, || (b"small".to_vec(), Some(-1)));
        assert_eq!(parts.try_recv().unwrap().text, b"small");
    }
}
