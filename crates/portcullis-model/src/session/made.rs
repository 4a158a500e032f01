//! What a session made itself: the files that its calls wrote, the commands that it wrote down, the processes that it started. Owns what of it is
//! kept, and what counts as its own: nothing that an answer told before, and nothing that a call wrote which anybody else could have a say in.

use serde::{Deserialize, Serialize};

use super::{
    digest::{Mark, Marks},
    heard::{self, Heard, Source, Weight},
};

/// How many files, lines and processes are kept; the oldest are forgotten first.
const FILES: usize = 128;
const LINES: usize = 384;
const PROCESSES: usize = 48;

/// How many digits the number of a process has, and of how many lines an answer is that only tells of it.
const DIGITS: usize = 7;
const TOLD_IN: usize = 6;

/// What a session made itself.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Made {
    files: Marks<FILES>,
    lines: Marks<LINES>,
    processes: Marks<PROCESSES>,
}

impl Made {
    pub(super) const NOTHING: Self =
        Self { files: Marks::NONE, lines: Marks::NONE, processes: Marks::NONE };

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::NOTHING
    }

    /// Keeps what a call made that answered so.
    pub(super) fn keep(&mut self, source: &Source, answer: &str, heard: &Heard) {
        if source.weight != Weight::Project {
            return;
        }
        for path in &source.made {
            self.files.add(Mark::of(path));
        }
        if source.starts {
            numbers(answer).for_each(|number| self.processes.add(Mark::of(number)));
        }
        for line in heard::commands_in(&source.wrote) {
            // What somebody told before stays theirs, whoever writes it down.
            if !heard.tells(line) {
                self.lines.add(line);
            }
        }
    }

    /// Whether the session wrote a file itself.
    #[must_use]
    pub fn wrote_file(&self, path: &str) -> bool {
        self.files.has(Mark::of(path))
    }

    /// Whether the session started a process itself, by its number.
    #[must_use]
    pub fn started(&self, number: &str) -> bool {
        self.processes.has(Mark::of(number))
    }

    pub(super) fn wrote_line(&self, line: Mark) -> bool {
        self.lines.has(line)
    }
}

/// The numbers of processes in a short answer: `4242`, `[1] 4242`.
fn numbers(answer: &str) -> impl Iterator<Item = &str> {
    let is_number = |word: &str| {
        (2..=DIGITS).contains(&word.len()) && word.bytes().all(|digit| digit.is_ascii_digit())
    };
    answer.lines().take(TOLD_IN).filter_map(move |line| {
        let words: Vec<&str> = line.split_whitespace().take(3).collect();
        match words.as_slice() {
            [number] if is_number(number) => Some(*number),
            [job, number] if job.starts_with('[') && is_number(number) => Some(*number),
            [name, number] if name.to_ascii_lowercase().starts_with("pid") && is_number(number) => {
                Some(*number)
            }
            _ => None,
        }
    })
}
