//! What is known of a program, in one place: a card says what its options take and do, what it runs, writes and connects to, which of its
//! subcommands only look, and where each fact comes from. Owns the shape of a card, the list of them, and how one is found; the cards are in
//! the files below, one family each.
//!
//! The tables around this are asked for a card before or after their own rows. What is *bad* about running a program is said by `rules`.

mod clouds;
mod clusters;
mod engines;
mod forges;
mod infrastructure;

use super::{
    Does, Program,
    escapes::Escape,
    manuals::{self, Manual},
};
use crate::effect::WriteMode;

/// Everything that is known of one program.
#[derive(Clone, Copy)]
pub struct Card {
    /// Its name without a directory.
    pub name: &'static str,
    /// Where what is said here comes from: the manual, with its version.
    pub source: &'static str,
    /// Options that take a value, so that operands can be told from values.
    pub values: &'static [&'static str],
    /// What running it means.
    pub does: Does,
    /// Whether it is there to run another program.
    pub wraps: bool,
    /// All its options by their kind, where they are known whole: another one is not understood.
    pub(in crate::programs) manual: Option<&'static Manual>,
    /// Options whose value is run.
    pub(in crate::programs) runs: &'static [Escape],
    /// Options that name what it writes beside what it is there for, and how.
    pub writes: Option<(&'static [&'static str], WriteMode)>,
    /// The words behind which it prints code for the shell that called it.
    pub prints: &'static [&'static str],
    /// The image that starts it with the words behind it.
    pub image: Option<&'static str>,
    /// Ways of using it that change nothing: first operands, and `!x` for an option that is refused.
    pub looks: &'static [&'static str],
    /// What its words say about whom it connects to.
    pub connects: Option<Connects>,
    /// Options whose value is the server that it speaks to as somebody.
    pub server: &'static [&'static str],
    /// Hosts to which a token that it prints belongs.
    pub issues_for: &'static [&'static str],
    /// Words behind which a command runs among the variables of something deployed.
    pub enters: &'static [&'static str],
    /// Whether a file of keys among its words is what it signs in with.
    pub has_keys: bool,
    /// Whether a path among its words is a name to it and no more, unless it says that it reads it.
    pub names_paths: bool,
}

/// What the words of a program are, beside its own options.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Connects {
    /// An address among them, as `https://host/` or `user@host:path`, is one that it connects to.
    Addresses,
    /// They are hosts, addresses and settings, so that a metadata service among them is what it connects to.
    Hosts,
    /// As [`Connects::Hosts`], and `-h` is a host.
    Store,
}

impl Card {
    /// A tool with subcommands of which nothing else is known.
    const EMPTY: Self = Self {
        name: "",
        source: "",
        values: &[],
        does: Does::Operates,
        wraps: false,
        manual: None,
        runs: &[],
        writes: None,
        prints: &[],
        image: None,
        looks: &[],
        connects: None,
        server: &[],
        issues_for: &[],
        enters: &[],
        has_keys: false,
        names_paths: false,
    };
}

/// Every card, sorted by name.
static CARDS: &[&Card] = &[
    &engines::BUILDAH,
    &engines::DOCKER,
    &forges::GH,
    &clusters::HELM,
    &clusters::KUBECTL,
    &engines::NERDCTL,
    &clusters::OC,
    &engines::PODMAN,
    &clouds::PULUMI,
    &clouds::RCLONE,
    &infrastructure::TERRAFORM,
    &infrastructure::TOFU,
];

/// The cards as rows of a table of programs, in the same order.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
pub(super) static TABLE: &[Program] = &{
    let mut rows = [Program { name: "", values: &[], does: Does::Operates }; CARDS.len()];
    let mut at = 0;
    while at < CARDS.len() {
        let Card { name, values, does, .. } = *CARDS[at];
        rows[at] = Program { name, values, does };
        at += 1;
    }
    rows
};

/// The card of a program.
#[must_use]
pub fn card(name: &str) -> Option<&'static Card> {
    let (_, table, row) = super::row(name)?;
    CARDS.get(usize::from(row)).filter(|_| usize::from(table) == super::OF_CARDS).copied()
}

/// The manual of a program that is known whole: its card's, or the one in the lists.
#[must_use]
pub fn manual(program: &str) -> Option<&'static Manual> {
    match card(program) {
        Some(card) => card.manual,
        None => manuals::listed(program),
    }
}

/// Every card.
pub fn all() -> impl Iterator<Item = &'static Card> + Clone {
    CARDS.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{TABLES, escapes, printers, wrappers},
        *,
    };

    fn images_list(known: &Card) -> Option<&'static str> {
        wrappers::lists_image(known.image?).then_some("images")
    }

    #[test]
    fn every_card_is_found_by_its_name_and_says_where_it_comes_from() {
        for known in all() {
            assert_eq!(card(known.name).map(|found| found.name), Some(known.name));
            assert!(!known.source.is_empty(), "{}", known.name);
            let row = super::super::program(known.name).map(|row| row.values);
            assert_eq!(row, Some(known.values), "{}", known.name);
        }
        assert!(card("no-such-program").is_none());
        assert!(card("ls").is_none());
    }

    #[test]
    fn what_stands_on_a_card_stands_on_no_list_beside_it() {
        for known in all() {
            let name = known.name;
            let rows = TABLES.iter().flat_map(|table| table.iter());
            assert_eq!(rows.filter(|row| row.name == name).count(), 1, "`{name}` has two rows");
            let listed = [
                escapes::lists(name),
                manuals::listed(name).is_some().then_some("manuals"),
                printers::lists(name).then_some("printers"),
                images_list(known),
            ];
            let listed: Vec<&str> = listed.into_iter().flatten().collect();
            assert!(listed.is_empty(), "`{name}` has a card, and a row in {listed:?}");
        }
    }
}
