//! What programs do. Owns one flat table of rows per domain: a program's name, the options that take a value, and what
//! running it means. Adding a program is adding a row.
//!
//! What is *bad* about running it is not said here but in `rules`.

use crate::{
    effect::Argument,
    text::Text,
    understand::shell::{Invocation, Walk, matches},
};

mod archives;
mod databases;
pub(crate) mod escapes;
mod files;
mod filters;
pub(crate) mod interpreters;
mod network;
mod operands;
mod operators;
mod options;
mod reports;
mod runners;
pub(crate) mod system;
mod text;
mod wrappers;

pub use options::{Given, Options, Word};

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
    Custom(fn(&mut Walk<'_>, &Invocation) -> Text),
}

/// What a filter is given.
pub struct Filter<'a> {
    /// Its arguments.
    pub arguments: &'a [Argument],
    /// Its standard input.
    pub input: Option<&'a Text>,
}

/// The row of a program.
#[must_use]
pub fn program(name: &str) -> Option<&'static Program> {
    TABLES.iter().find_map(|table| {
        let at = table.binary_search_by(|row| row.name.cmp(name)).ok()?;
        table.get(at)
    })
}

/// The names that a pattern matches, a few at most: what a glob in a program's place may become.
pub(crate) fn matching(pattern: &str) -> impl Iterator<Item = &'static str> {
    TABLES
        .iter()
        .flat_map(|table| table.iter())
        .map(|row| row.name)
        .filter(move |name| matches(pattern, name))
        .take(4)
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
    system::TABLE,
    reports::READERS,
    reports::REPORTERS,
];

#[cfg(test)]
mod tests {
    use super::*;

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
