//! What a terminal shows of the bytes that it gets, for tests: enough of ECMA-48 for our own views.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test may fail by panicking"
)]

use std::fmt::Write as _;

/// A screen of cells.
#[derive(Debug)]
pub struct Grid {
    rows: Vec<Vec<String>>,
    at: (usize, usize),
    rest: Vec<u8>,
    /// Whether the other screen is shown, the one of views.
    pub other: bool,
    /// Whether the cursor is seen.
    pub has_cursor: bool,
    /// Whether anything was coloured.
    pub was_coloured: bool,
    /// What was written beside the view.
    pub plain: String,
}

impl Grid {
    pub fn new(columns: usize, rows: usize) -> Self {
        Self {
            rows: vec![vec![" ".to_owned(); columns]; rows],
            at: (0, 0),
            rest: Vec::new(),
            other: false,
            has_cursor: true,
            was_coloured: false,
            plain: String::new(),
        }
    }

    /// The screen as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let row = row.concat();
            writeln!(text, "{}", row.trim_end()).unwrap();
        }
        text
    }

    /// Takes what was written; a character or sequence that is not whole yet waits for the rest.
    pub fn take(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.rest);
        let whole = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(bytes.split_at(error.valid_up_to()).0).unwrap(),
        };
        let mut rest = whole;
        while let Some(character) = rest.chars().next() {
            if character != '\x1b' {
                self.put(character);
                rest = rest.split_at(character.len_utf8()).1;
                continue;
            }
            let end = rest.find(|letter: char| letter.is_ascii_alphabetic());
            let Some(end) = end else { break };
            let (sequence, more) = rest.split_at(end + 1);
            self.sequence(sequence);
            rest = more;
        }
        self.rest = rest.as_bytes().iter().chain(bytes.split_at(whole.len()).1).copied().collect();
    }

    fn put(&mut self, character: char) {
        if !self.other {
            self.plain.push(character);
            return;
        }
        let (row, column) = self.at;
        if let Some(cell) = self.rows.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = character.to_string();
        }
        self.at.1 += 1;
    }

    fn sequence(&mut self, sequence: &str) {
        let body = sequence.strip_prefix("\x1b[").unwrap_or_else(|| panic!("{sequence:?}"));
        let (numbers, kind) = body.split_at(body.len() - 1);
        match (numbers, kind) {
            ("?1049", on) => self.other = on == "h",
            ("?25", on) => self.has_cursor = on == "h",
            ("?2004", _) => {}
            ("2", "J") => {
                for cell in self.rows.iter_mut().flatten() {
                    *cell = " ".to_owned();
                }
            }
            (numbers, "m") => {
                self.was_coloured |= numbers.split(';').any(|one| one.starts_with('3'));
            }
            (place, "H") => {
                let (row, column) = place.split_once(';').unwrap();
                self.at = (row.parse::<usize>().unwrap() - 1, column.parse::<usize>().unwrap() - 1);
            }
            _ => panic!("{sequence:?}"),
        }
    }
}
