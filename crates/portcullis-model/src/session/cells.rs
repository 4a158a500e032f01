//! Code that a session ran in interpreters that live on: what it bound is there for what comes after. Owns how much of it is kept.

use serde::{Deserialize, Serialize};

/// How many bytes of code are kept; the oldest is forgotten first.
const BYTES: usize = 32 << 10;

/// How many pieces of code.
const CELLS: usize = 64;

/// The code of a session, the newest last.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Cells {
    list: Vec<Cell>,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Cell {
    language: String,
    code: String,
}

impl Cells {
    /// Of a session that ran none.
    pub const NONE: Self = Self { list: Vec::new() };

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether code is short enough to be kept.
    #[must_use]
    pub const fn keeps(code: &str) -> bool {
        code.len() <= BYTES / 2
    }

    /// Keeps code that may run. What is longer than all that is kept leaves its names unknown, as those of forgotten code are.
    pub fn keep(&mut self, language: &str, code: &str) {
        if code.trim().is_empty() || !Self::keeps(code) {
            return;
        }
        self.list.push(Cell { language: language.to_owned(), code: code.to_owned() });
        while self.list.len() > CELLS || self.bytes() > BYTES {
            self.list.remove(0);
        }
    }

    /// The code in languages that `is_asked` says, the oldest first.
    pub fn in_language<'s>(
        &'s self,
        is_asked: impl Fn(&str) -> bool + 's,
    ) -> impl Iterator<Item = &'s str> {
        self.list.iter().filter(move |cell| is_asked(&cell.language)).map(|cell| cell.code.as_str())
    }

    fn bytes(&self) -> usize {
        self.list.iter().map(|cell| cell.code.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_code_is_kept_within_bounds() {
        let mut cells = Cells::default();
        for number in 0..1_000 {
            cells.keep("python", &format!("x = {number} # {}", "-".repeat(600)));
        }
        assert!(cells.bytes() <= BYTES && cells.list.len() <= CELLS);
        assert!(cells.in_language(|it| it == "python").last().is_some_and(|it| it.contains("999")));
        cells.keep("python", &"x".repeat(BYTES));
        cells.keep("javascript", "let x = 1");
        assert_eq!(cells.in_language(|it| it == "javascript").count(), 1);
        assert!(!cells.in_language(|_| true).any(|it| it.len() > BYTES / 2));
    }
}
