//! Lines of bounded length. Owns how a stream is cut into lines; it does not read them.

use std::io::{self, BufRead};

use super::{call::LONGEST, strict::Malformed};

/// Reads a stream line by line with one buffer, which never grows past [`LONGEST`].
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    number: usize,
}

/// A line: its number, counted from one, and its text.
pub type Line<'a> = (usize, Result<&'a [u8], Malformed>);

impl<R: BufRead> Lines<R> {
    /// Reads from `from`.
    pub fn new(from: R) -> Self {
        Self { from, buffer: Vec::new(), number: 0 }
    }

    /// The next line that holds more than blanks, without its end; or the complaint that it is too long, after which
    /// reading goes on with the line behind it.
    ///
    /// # Errors
    /// What the stream answers.
    pub fn read(&mut self) -> io::Result<Option<Line<'_>>> {
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
                return Ok(Some((self.number, Err(Malformed::new(self.number, message)))));
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        Ok(Some((self.number, Ok(self.buffer.trim_ascii_end()))))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read as _};

    use super::*;

    fn read<R: BufRead>(lines: &mut Lines<R>) -> Option<(usize, Result<Vec<u8>, Malformed>)> {
        lines.read().unwrap().map(|(number, line)| (number, line.map(<[u8]>::to_vec)))
    }

    #[test]
    fn lines_keep_their_numbers_and_blank_ones_are_skipped() {
        let mut lines = Lines::new(BufReader::with_capacity(3, &b"one\r\n\n  \nfour"[..]));
        assert_eq!(read(&mut lines), Some((1, Ok(b"one".to_vec()))));
        assert_eq!(read(&mut lines), Some((4, Ok(b"four".to_vec()))));
        assert_eq!(read(&mut lines), None);
    }

    #[test]
    fn a_line_past_the_limit_is_refused_without_being_held() {
        let long = io::repeat(b'x').take(3 * LONGEST as u64).chain(&b"\nnext\n"[..]);
        let mut lines = Lines::new(BufReader::new(long));
        let error = Malformed::new(1, "the line is longer than 16 MiB");
        assert_eq!(read(&mut lines), Some((1, Err(error))));
        assert!(lines.buffer.capacity() <= 2 * LONGEST);
        assert_eq!(read(&mut lines), Some((2, Ok(b"next".to_vec()))));
    }
}
