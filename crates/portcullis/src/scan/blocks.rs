//! A stream of any length, read in blocks that overlap. Owns how much is in memory at once and where in the stream a finding
//! stands; what is found in a block, the detector says.
//!
//! Each block is searched with what stands before it and a stretch of what follows, and only what begins in the block itself
//! counts, so that the cuts change nothing.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};
use portcullis_core::secrets::{Detector, Finding, Place};

/// How a stream is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// What is kept of the text before a block, for the names and words in it.
    pub(super) before: usize,
    /// What counts.
    pub(super) block: usize,
    /// What is read ahead, so that a secret that begins in the block is seen whole: more than the longest key in armour.
    pub(super) ahead: usize,
}

impl Sizes {
    /// As files are read.
    pub(super) const USUAL: Self = Self { before: 1 << 13, block: 1 << 20, ahead: 1 << 16 };

    const fn whole(self) -> usize {
        self.before + self.block + self.ahead
    }
}

/// A line and a character in it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Position {
    /// The beginning of a text.
    pub(super) const FIRST: Self = Self { line: 1, column: 1 };
    /// Nothing, to count from.
    pub(super) const NOWHERE: Self = Self { line: 0, column: 0 };

    /// Goes on over some bytes.
    fn pass(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if let Some(last) = memrchr(b'\n', bytes) {
            self.line += memchr_iter(b'\n', bytes).count();
            self.column = 1;
            rest = bytes.get(last + 1..).unwrap_or_default();
        }
        // Characters, not bytes: those that continue one are not counted.
        self.column += rest.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    }

    /// This place, counted from another.
    pub(super) fn from(self, other: Self) -> Self {
        if self.line == 0 {
            Self { line: other.line, column: other.column + self.column }
        } else {
            Self { line: other.line + self.line, column: self.column }
        }
    }
}

/// Some bytes of a stream.
#[derive(Debug)]
pub(super) struct Window {
    bytes: Vec<u8>,
    filled: usize,
    sizes: Sizes,
    /// With what reading ended, where it did not end well.
    error: Option<io::Error>,
}

impl Window {
    pub(super) fn new(sizes: Sizes) -> Self {
        Self { bytes: Vec::new(), filled: 0, sizes, error: None }
    }

    /// What is in it.
    pub(super) fn text(&self) -> &[u8] {
        self.bytes.get(..self.filled).unwrap_or_default()
    }

    /// Begins with a new stream: as much of it as fits. Says whether it ended, be it with an error.
    pub(super) fn begin(&mut self, input: &mut dyn Read) -> bool {
        (self.filled, self.error) = (0, None);
        self.fill(input)
    }

    /// With what reading ended, where it did not end well.
    pub(super) fn error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Takes what is in it out.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.text().to_vec()
    }

    fn fill(&mut self, input: &mut dyn Read) -> bool {
        if self.bytes.is_empty() {
            self.bytes = vec![0; self.sizes.whole()];
        }
        loop {
            let free = self.bytes.get_mut(self.filled..).unwrap_or_default();
            if free.is_empty() {
                return false;
            }
            match input.read(free) {
                Ok(0) => return true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    return true;
                }
            }
        }
    }

    /// Leaves away the first bytes.
    fn drop_first(&mut self, count: usize) {
        self.bytes.copy_within(count..self.filled, 0);
        self.filled -= count;
    }
}

/// The part of a stream that counts, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// Where reading begins.
    pub(super) read_from: u64,
    /// The first byte that counts.
    pub(super) start: u64,
    /// Behind the last one.
    pub(super) end: u64,
}

impl Stretch {
    /// All of it.
    pub(super) const WHOLE: Self = Self { read_from: 0, start: 0, end: u64::MAX };
}

/// What is searched for, where, and from where its places are counted.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) detector: &'a Detector,
    pub(super) place: Place<'a>,
    pub(super) stretch: Stretch,
    pub(super) position: Position,
}

/// Gives `each` every finding of a stretch with the text around it. `window` holds the first bytes of `input`; `ended` says
/// whether these are all. Gives the position behind the stretch and how long it is, and the error with which reading ended.
pub(super) fn search(
    task: Task<'_>,
    window: &mut Window,
    mut ended: bool,
    input: &mut dyn Read,
    each: &mut dyn FnMut(Finding, &[u8]),
) -> (Position, u64) {
    let Task { detector, place: own, stretch, mut position } = task;
    let mut base = stretch.read_from;
    let mut from = distance(base, stretch.start);
    let mut until = 0;
    loop {
        let text = window.text();
        let cut = if ended { text.len() } else { text.len().saturating_sub(window.sizes.ahead) };
        let cut = cut.min(distance(base, stretch.end));
        let mut placed = from;
        for mut finding in detector.scan_at(text, own) {
            let start = finding.span.start;
            let absolute = base.saturating_add(start as u64);
            if start < from || start >= cut || absolute < until {
                continue;
            }
            position.pass(text.get(placed..start).unwrap_or_default());
            placed = start;
            until = base.saturating_add(finding.span.end as u64);
            let local = finding.span.clone();
            finding.span = place(absolute)..place(until);
            (finding.line, finding.column) = (position.line, position.column);
            let around = text.get(line_start(text, local.start)..line_end(text, local.end));
            each(finding, around.unwrap_or_default());
        }
        position.pass(text.get(placed..cut).unwrap_or_default());
        let reached = base.saturating_add(cut as u64);
        if ended || reached >= stretch.end {
            return (position, reached.saturating_sub(stretch.start));
        }
        let gone = cut.saturating_sub(window.sizes.before);
        window.drop_first(gone);
        base = base.saturating_add(gone as u64);
        from = cut - gone;
        ended = window.fill(input);
    }
}

fn distance(from: u64, to: u64) -> usize {
    place(to.saturating_sub(from))
}

fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// How much of a line is looked at on either side of a finding.
const LINE: usize = 1 << 12;

fn line_start(text: &[u8], at: usize) -> usize {
    let least = at.saturating_sub(LINE);
    let before = text.get(least..at).unwrap_or_default();
    memrchr(b'\n', before).map_or(least, |found| least + found + 1)
}

fn line_end(text: &[u8], at: usize) -> usize {
    let behind = text.get(at..text.len().min(at + LINE)).unwrap_or_default();
    memchr(b'\n', behind).map_or(at + behind.len(), |found| at + found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What stands in a text that is read in blocks of a size.
    fn found(text: &[u8], sizes: Sizes, stretch: Stretch, position: Position) -> Vec<Finding> {
        let detector = Detector::default();
        let mut window = Window::new(sizes);
        let mut input = text.get(place(stretch.read_from)..).unwrap();
        let ended = window.begin(&mut input);
        let mut found = Vec::new();
        let mut each = |finding: Finding, _: &[u8]| found.push(finding);
        let task = Task { detector: &detector, place: Place::default(), stretch, position };
        search(task, &mut window, ended, &mut input, &mut each);
        assert!(window.error().is_none());
        found
    }

    /// Pieces of which texts are made; put together here, so that no scanner takes this file for a leak.
    fn pieces() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("let x = compute(7);\n".to_owned()),
            Just("é ü — words\n".to_owned()),
            Just(format!("t = ghp_{}\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")),
            Just(format!("password = \"{}\"\n", "kT7#vQ2mX9!wZ")),
            Just(format!("postgres://app:{}@db.example/x ", "Xk7pQ2vLm9Rt")),
            Just("a".repeat(70)),
            Just("\n".to_owned()),
            "[ -~]{0,60}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn cuts_change_nothing(pieces in proptest::collection::vec(pieces(), 0..60), block in 64_usize..700) {
            let text = pieces.concat();
            let sizes = Sizes { before: 2048, block, ahead: 1024 };
            let whole = Detector::default().scan(text.as_bytes());
            let cut = found(text.as_bytes(), sizes, Stretch::WHOLE, Position::FIRST);
            prop_assert_eq!(whole, cut);
        }

        #[test]
        fn stretches_put_together_are_the_whole(pieces in proptest::collection::vec(pieces(), 0..60), share in 0.0..1.0) {
            let text = pieces.concat();
            let sizes = Sizes { before: 2048, block: 512, ahead: 1024 };
            let border = (text.len() as f64 * share) as u64;
            let whole = Detector::default().scan(text.as_bytes());
            let first = Stretch { read_from: 0, start: 0, end: border };
            let mut joined = found(text.as_bytes(), sizes, first, Position::FIRST);
            let mut between = Position::FIRST;
            between.pass(text.as_bytes().get(..place(border)).unwrap());
            let second = Stretch { read_from: border.saturating_sub(2048), start: border, end: u64::MAX };
            let until = joined.last().map_or(0, |finding| finding.span.end);
            for mut finding in found(text.as_bytes(), sizes, second, Position::NOWHERE) {
                let own = Position { line: finding.line, column: finding.column }.from(between);
                (finding.line, finding.column) = (own.line, own.column);
                if finding.span.start >= until {
                    joined.push(finding);
                }
            }
            prop_assert_eq!(whole, joined);
        }
    }
}
