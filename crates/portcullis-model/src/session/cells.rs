//! Code that a session ran in interpreters that live on: what it bound is there for what comes after. Owns how much of it is kept.

use serde::{Deserialize, Serialize};

/// How many bytes of code are kept; the oldest is forgotten first.
const BYTES: usize = 32 << 10;

/// How many pieces of code.
const CELLS: usize = 64;

/// The code of a session, the newest last.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Cells {
    list: Vec<Cell>,
    /// Whether there was more: what is bound nowhere may be bound in what was forgotten.
    is_cut: bool,
}

#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
struct Cell {
    language: String,
    code: String,
}

impl Cells {
    /// Of a session that ran none.
    pub const NONE: Self = Self { list: Vec::new(), is_cut: false };

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.is_cut
    }

    /// Whether code ran that is not kept any more.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Keeps code that may run. What is longer than all that is kept leaves its names unknown, as those of forgotten code are.
    pub fn keep(&mut self, language: &str, code: &str) {
        if code.trim().is_empty() {
            return;
        }
        if code.len() > BYTES / 2 {
            self.is_cut = true;
            return;
        }
        self.list.push(Cell { language: language.to_owned(), code: code.to_owned() });
        while self.list.len() > CELLS || self.bytes() > BYTES {
            self.list.remove(0);
            self.is_cut = true;
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
        assert!(cells.bytes() <= BYTES && cells.list.len() <= CELLS && cells.is_cut());
        assert!(cells.in_language(|it| it == "python").last().is_some_and(|it| it.contains("999")));
        cells.keep("python", &"x".repeat(BYTES));
        cells.keep("javascript", "let x = 1");
        assert_eq!(cells.in_language(|it| it == "javascript").count(), 1);
        assert!(!cells.in_language(|_| true).any(|it| it.len() > BYTES / 2));
    }
}
