//! Lines of bounded length. Owns how a stream is cut into lines; it does not read them.

use std::io::{self, BufRead};

use super::{call::LONGEST, strict::Malformed};

/// Reads a stream line by line with one buffer, which never grows past [`LONGEST`].
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    /// Reads from `from`.
    pub fn new(from: R) -> Self {
        Self { from, buffer: Vec::new(), number: 0 }
    }

    /// The number of the line that was read last, counted from one.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The next line that holds more than blanks, without its end; or the complaint that it is too long, after which
    /// reading goes on with the line behind it.
    ///
    /// # Errors
    /// What the stream answers.
    pub fn read(&mut self) -> io::Result<Option<Result<&[u8], Malformed>>> {
        loop {
            self.buffer.clear();
            self.number += 1;
            let mut length = 0;
            let ended = loop {
                let chunk = self.from.fill_buf()?;
                if chunk.is_empty() {
                    break length == 0;
                }
                let end = chunk.iter().position(|byte| *byte == b'\n');
                let taken = end.map_or(chunk.len(), |end| end + 1);
                if length + taken <= LONGEST + 1 {
                    self.buffer.extend_from_slice(chunk.get(..taken).unwrap_or_default());
                }
                length += taken;
                self.from.consume(taken);
                if end.is_some() {
                    break false;
                }
            };
            if ended {
                return Ok(None);
            }
            if length > LONGEST + 1 {
                self.buffer = Vec::new();
                let message = format!("the line is longer than {} MiB", LONGEST >> 20);
                return Ok(Some(Err(Malformed::new(self.number, message))));
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        Ok(Some(Ok(self.buffer.trim_ascii_end())))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail by panicking")]
mod tests {
    use std::io::{BufReader, Read as _};

    use super::*;

    #[test]
    fn lines_keep_their_numbers_and_blank_ones_are_skipped() {
        let mut lines = Lines::new(BufReader::with_capacity(3, &b"one\r\n\n  \nfour"[..]));
        assert_eq!(lines.read().unwrap().unwrap().unwrap(), b"one");
        assert_eq!(lines.number(), 1);
        assert_eq!(lines.read().unwrap().unwrap().unwrap(), b"four");
        assert_eq!(lines.number(), 4);
        assert!(lines.read().unwrap().is_none());
    }

    #[test]
    fn a_line_past_the_limit_is_refused_without_being_held() {
        let long = io::repeat(b'x').take(3 * LONGEST as u64).chain(&b"\nnext\n"[..]);
        let mut lines = Lines::new(BufReader::new(long));
        let error = lines.read().unwrap().unwrap().unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (1, "the line is longer than 16 MiB"));
        assert!(lines.buffer.capacity() <= 2 * LONGEST);
        assert_eq!(lines.read().unwrap().unwrap().unwrap(), b"next");
        assert_eq!(lines.number(), 2);
    }
}
