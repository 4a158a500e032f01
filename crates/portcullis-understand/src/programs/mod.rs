//! What programs do. Owns one flat table of rows per domain: a program's name, the options that take a value, and what
//! running it means. Adding a program is adding a row; `cards` has those of which everything stands in one place.
//!
//! What is *bad* about running it is not said here but in `rules`.

use crate::{
    bound::Bounded, effect::Argument, hash, pattern::matches, programs::host::Host,
    programs::invocation::Invocation, text::Text,
};
pub(crate) use filters::chosen_lines;

pub mod agents;
mod archives;
pub mod cards;
pub(crate) mod changers;
mod ciphers;
mod consoles;
pub mod databases;
mod discards;
mod emptied;
pub(crate) mod environment;
pub mod escapes;
pub(crate) mod files;
mod filters;
pub(crate) mod following;
pub mod found;
pub mod host;
pub mod importing;
pub(crate) mod interpreters;
pub mod invocation;
pub(crate) mod laid_over;
mod listed_names;
pub mod manuals;
mod mounts;
mod names;
#[cfg(test)]
mod near_pairs;
mod network;
pub mod notable;
mod operands;
mod operators;
mod options;
mod packages;
mod patches;
mod printers;
mod projects;
mod queries;
mod reports;
mod runners;
pub(crate) mod secret_names;
pub mod started;
pub mod statements;
pub mod system;
mod text;
mod tmpfiles;
pub mod trees;
mod typesetting;
mod wrappers;

pub(crate) use names::known_as;
pub(crate) use options::values_of;
pub use options::{Given, Options, Word};
pub(crate) use printers::prints_for_shells;

/// A row: one program and what it means to run it.
#[derive(Clone, Copy)]
pub struct Program {
    /// Its name without a directory.
    pub name: &'static str,
    /// Options that take a value, `-o` and `--output` alike, so that operands can be told from values.
    pub values: &'static [&'static str],
    /// What it does.
    pub does: Does,
}

/// What running a program means.
#[derive(Clone, Copy)]
pub enum Does {
    /// Tells something about itself or the system; its operands are not files that it opens.
    Reports,
    /// Reads the files that its operands name, or its standard input.
    Reads,
    /// Its first operand is a pattern or an expression, the others are files that it reads.
    Searches,
    /// Prints its operands or turns its input into its output; what comes out is computed where everything is known.
    Filters(fn(&Filter<'_>) -> Option<Text>),
    /// Changes things in a way that only rules on the command tell apart: a tool with subcommands.
    Operates,
    /// Something of its own.
    Custom(fn(&mut dyn Host, &Invocation) -> Text),
}

impl Does {
    /// Whether nothing is done with a file but to show it, to search it, or to turn it into what is printed.
    #[must_use]
    pub const fn only_shows(&self) -> bool {
        matches!(self, Self::Reads | Self::Reports | Self::Filters(_) | Self::Searches)
    }
}

/// What a filter is given.
pub struct Filter<'a> {
    /// Its arguments.
    pub arguments: &'a [Argument],
    /// Its standard input.
    pub input: Option<&'a Text>,
}

/// The row of a program, by any of its names.
#[must_use]
pub fn program(name: &str) -> Option<&'static Program> {
    row(known_as(name)).map(|(found, ..)| found)
}

/// The options of a program that take a value, as its row has them; of git, as the command does that is given.
#[must_use]
pub fn values_for(name: &str, arguments: &[Argument]) -> &'static [&'static str] {
    match known_as(name) {
        "git" => operators::git(arguments),
        known => program(known).map_or(&[][..], |row| row.values),
    }
}

/// The row of a program, with the table and the place in it.
fn row(name: &str) -> Option<(&'static Program, u8, u16)> {
    let mut next = INDEX.heads.get(chain(name)).copied().unwrap_or(NONE);
    // Each entry leads to one before it, so this ends.
    while let Some((table, row, before)) = INDEX.entries.get(usize::from(next)) {
        let found = TABLES.get(usize::from(*table)).and_then(|rows| rows.get(usize::from(*row)));
        if let Some(found) = found.filter(|program| program.name == name) {
            return Some((found, *table, *row));
        }
        next = *before;
    }
    None
}

/// Whether a word of the shell is only there to run the words behind it, which are a command of their own.
pub fn hands_all_on(name: &str) -> bool {
    matches!(name, "builtin" | "command" | "eval" | "exec")
}

/// Whether a program runs whatever it is told to, with these words after it (and any others, where `more`): a shell, an
/// interpreter, a program that runs another one.
pub fn runs_anything(name: &str, words: &[String], more: bool) -> bool {
    /// Programs in the tables of wrappers and interpreters that are told by their first word what to do.
    const BY_SUBCOMMAND: &[&str] = &[
        "cmake",
        "docker-compose",
        "ip",
        "k0s",
        "k3s",
        "make",
        "microk8s",
        "minikube",
        "perf",
        "podman-compose",
    ];
    /// Others that run what their arguments say.
    const OTHERS: &[&str] = &[".", "mosh", "portcullis", "rsh", "source", "ssh", "trap"];
    let name = known_as(name);
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let is_in = |table: &[Program]| table.iter().any(|row| row.name == name || row.name == plain);
    if BY_SUBCOMMAND.contains(&name) || cards::card(name).is_some_and(|card| card.wraps) {
        return words.is_empty() && more;
    }
    escapes::is_shell(name)
        || hands_all_on(name)
        || OTHERS.contains(&name)
        || is_in(wrappers::WRAPPERS)
        || is_in(interpreters::INTERPRETERS)
        || runners::hands_on(name, words, more)
}

/// Programs that take any beginning of a long option's name for it: git's reader of options, GNU's in what people use most,
/// npm's and pip's. Sorted.
const ABBREVIATE: &[&str] = &[
    "chgrp", "chmod", "chown", "cp", "env", "git", "gzip", "ln", "make", "man", "mkdir", "mv",
    "npm", "npx", "pip", "rm", "rmdir", "sed", "shred", "sort", "split", "tar", "timeout", "touch",
    "truncate", "wget", "xargs",
];

/// Whether a program takes any beginning of a long option's name for it.
pub fn abbreviates(name: &str) -> bool {
    ABBREVIATE.binary_search(&name).is_ok()
}

/// The names that a pattern matches, a few at most: what a glob in a program's place may become.
pub fn matching(pattern: &str) -> impl Iterator<Item = &'static str> {
    TABLES
        .iter()
        .flat_map(|table| table.iter())
        .map(|row| row.name)
        .filter(move |name| matches(pattern, name))
        .leading(4)
}

/// Every table, each sorted by name.
static TABLES: &[&[Program]] = &[
    wrappers::WRAPPERS,
    interpreters::INTERPRETERS,
    text::TABLE,
    network::TABLE,
    operators::TABLE,
    databases::TABLE,
    runners::TABLE,
    files::TABLE,
    archives::TABLE,
    ciphers::TABLE,
    system::TABLE,
    typesetting::TABLE,
    reports::READERS,
    reports::REPORTERS,
    cards::TABLE,
];

/// The table that the cards are.
const OF_CARDS: usize = TABLES.len() - 1;

/// Where each program's row is, by a hash of its name; made when the program is built, so that it costs nothing to have.
struct Index {
    /// The last entry of each chain.
    heads: [u16; CHAINS],
    /// The table, the row in it, and the entry before in the same chain.
    entries: [(u8, u16, u16); ROWS],
}

/// How many chains there are: as many as rows, about.
const CHAINS: usize = 2048;

/// The end of a chain.
const NONE: u16 = u16::MAX;

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const ROWS: usize = {
    let mut count = 0;
    let mut table = 0;
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
};

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static INDEX: Index = {
    let mut index = Index { heads: [NONE; CHAINS], entries: [(0, 0, NONE); ROWS] };
    let mut entry = 0;
    let mut table = 0;
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            let chain = chain(TABLES[table][row].name);
            index.entries[entry] = (table as u8, row as u16, index.heads[chain]);
            index.heads[chain] = entry as u16;
            entry += 1;
            row += 1;
        }
        table += 1;
    }
    index
};

const fn chain(name: &str) -> usize {
    hash::chain(hash::whole(name), CHAINS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_name() {
        for row in TABLES.iter().flat_map(|table| table.iter()) {
            assert_eq!(program(row.name).map(|found| found.name), Some(row.name));
        }
        assert!(program("no-such-program").is_none());
        assert!(program("").is_none());
    }

    #[test]
    fn every_table_is_sorted_and_no_program_has_two_rows() {
        let mut seen = std::collections::BTreeSet::new();
        for table in TABLES {
            for pair in table.windows(2) {
                if let [left, right] = pair {
                    assert!(
                        left.name < right.name,
                        "`{}` stands before `{}`",
                        left.name,
                        right.name
                    );
                }
            }
            for row in *table {
                assert!(seen.insert(row.name), "`{}` has two rows", row.name);
            }
        }
    }
}
