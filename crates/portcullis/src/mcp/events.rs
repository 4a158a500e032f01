//! Server-sent events (HTML Standard, section 9.2) that carry messages. Owns how pieces become events, and that none is longer than a message.

use super::frame::LONGEST;

/// The events of a stream that is still coming.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    is_after_return: bool,
    /// The data of the event that has no end yet; nothing where it has none.
    data: Option<Vec<u8>>,
    /// Whether it is an event of another name, which carries no message.
    is_other: bool,
}

/// A stream with a line or an event that is longer than any message.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an event is longer than a message may be")]
pub struct TooLong;

impl Events {
    /// Takes what came, cut anywhere, and gives the data of each event that is whole by it.
    ///
    /// # Errors
    /// [`TooLong`]; nothing more of the stream can be told apart then.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut whole = Vec::new();
        for byte in bytes {
            // A line ends with either of the two, or with both.
            match byte {
                b'\n' if self.is_after_return => self.is_after_return = false,
                b'\n' | b'\r' => {
                    self.is_after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    whole.extend(self.lined(&line)?);
                }
                byte => {
                    self.is_after_return = false;
                    if self.line.len() > LONGEST {
                        return Err(TooLong);
                    }
                    self.line.push(*byte);
                }
            }
        }
        Ok(whole)
    }

    fn lined(&mut self, line: &[u8]) -> Result<Option<Vec<u8>>, TooLong> {
        if line.is_empty() {
            let is_other = std::mem::take(&mut self.is_other);
            return Ok(self.data.take().filter(|data| !is_other && !data.is_empty()));
        }
        let end = memchr::memchr(b':', line).unwrap_or(line.len());
        let (name, rest) = line.split_at(end);
        let value = rest.strip_prefix(b":").unwrap_or(rest);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"event" => self.is_other = !matches!(value, b"" | b"message"),
            b"data" => {
                let data = match &mut self.data {
                    Some(data) => {
                        data.push(b'\n');
                        data
                    }
                    none => none.insert(Vec::new()),
                };
                if data.len() + value.len() > LONGEST {
                    return Err(TooLong);
                }
                data.extend_from_slice(value);
            }
            // A comment, or something that says how to begin anew.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, size: usize) -> Vec<String> {
        let mut events = Events::default();
        let mut all = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            all.extend(events.push(piece).unwrap());
        }
        all.into_iter().map(|data| String::from_utf8(data).unwrap()).collect()
    }

    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let text = "\u{feff}: a comment\n\ndata: one\n\nevent: message\r\ndata:two\r\ndata: more\r\n\r\nid: 7\rretry: 5\rdata: three\r\revent: ping\ndata: other\n\nevent:\ndata: four\n\ndata\n\ndata: unfinished\n";
        for size in [1, 2, 3, 7, 1_000] {
            assert_eq!(read(text, size), ["one", "two\nmore", "three", "four"], "{size}");
        }
    }

    #[test]
    fn an_event_is_no_longer_than_a_message() {
        let long = vec![b'x'; LONGEST + 2];
        assert_eq!(Events::default().push(&long), Err(TooLong));
        let mut events = Events::default();
        let half = [b"data:".as_slice(), &long[..LONGEST / 2 - 8], b"\n"].concat();
        assert_eq!(events.push(&half), Ok(Vec::new()));
        assert_eq!(events.push(&half), Ok(Vec::new()));
        assert_eq!(events.push(&half), Err(TooLong));
    }
}
