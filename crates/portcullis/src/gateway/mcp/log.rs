//! What was said on the streams of a session, for a client that lost its connection and says by `Last-Event-ID` what it has. Owns the names of events,
//! and how much is kept: the latest, within two bounds.
//!
//! Each request has a stream of its own, by the number of the connection that it came on; what the server says by itself has the number 0. What was
//! said on one stream is never said again on another.

use std::{collections::VecDeque, fmt};

/// How many messages are kept of a session, and how many bytes of them.
const MOST: usize = 256;
const BYTES: usize = 2 << 20;

/// What the server says by itself.
pub(super) const BY_ITSELF: u64 = 0;

/// The name of an event: which of a stream it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct EventId {
    pub(super) stream: u64,
    pub(super) number: u64,
}

impl EventId {
    /// Nothing where it is no name of ours.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (stream, number) = text.split_once('-')?;
        let own = Self { stream: stream.parse().ok()?, number: number.parse().ok()? };
        (own.to_string() == text).then_some(own)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.stream, self.number)
    }
}

/// A message that was said.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Said {
    pub(super) event: EventId,
    pub(super) text: Vec<u8>,
    /// Whether it is the answer, after which nothing comes on its stream.
    pub(super) is_last: bool,
}

/// The latest of what was said.
#[derive(Debug, Default)]
pub(super) struct Log {
    said: VecDeque<Said>,
    bytes: usize,
}

impl Log {
    /// Keeps a message; what is older makes room for it. One that is too long for that is not kept.
    pub(super) fn keep(&mut self, event: EventId, text: &[u8], is_last: bool) {
        if text.len() > BYTES {
            return;
        }
        self.bytes += text.len();
        self.said.push_back(Said { event, text: text.to_vec(), is_last });
        while self.said.len() > MOST || self.bytes > BYTES {
            let Some(oldest) = self.said.pop_front() else { return };
            self.bytes -= oldest.text.len();
        }
    }

    /// What was said on the stream of an event after it, as far as it is kept.
    pub(super) fn after(&self, last: EventId) -> Vec<Said> {
        let wanted =
            |said: &&Said| said.event.stream == last.stream && said.event.number > last.number;
        self.said.iter().filter(wanted).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(stream: u64, number: u64) -> EventId {
        EventId { stream, number }
    }

    #[test]
    fn a_name_is_read_as_it_was_written_and_no_other_way() {
        assert_eq!(EventId::read("3-14"), Some(event(3, 14)));
        for wrong in
            ["", "3", "3-", "-3", "+3-1", "03-1", "3-1-1", "3-1 ", "a-b", "99999999999999999999-1"]
        {
            assert_eq!(EventId::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_came_after_an_event_is_that_of_its_own_stream() {
        let mut log = Log::default();
        for number in 1..=3 {
            log.keep(event(7, number), b"seven", number == 3);
            log.keep(event(BY_ITSELF, number), b"itself", false);
        }
        let numbers = |last| log.after(last).iter().map(|it| it.event.number).collect::<Vec<_>>();
        assert_eq!(numbers(event(7, 1)), [2, 3]);
        assert_eq!(numbers(event(7, 3)), Vec::<u64>::new());
        assert_eq!(numbers(event(BY_ITSELF, 2)), [3]);
        assert_eq!(numbers(event(8, 0)), Vec::<u64>::new());
    }

    #[test]
    fn only_the_latest_is_kept() {
        let mut log = Log::default();
        for number in 1..=2_000 {
            log.keep(event(1, number), b"x", false);
        }
        assert_eq!(log.after(event(1, 0)).len(), MOST);
        for number in 1..=20 {
            log.keep(event(2, number), &vec![b'x'; BYTES / 4], false);
        }
        assert_eq!(log.after(event(2, 0)).len(), 4);
        assert!(log.bytes <= BYTES);
        log.keep(event(3, 1), &vec![b'x'; BYTES + 1], true);
        assert!(log.after(event(3, 0)).is_empty());
    }
}
