//! Which rules need to be asked at all. Owns the indices over the registry, made when the program is built: of several
//! hundred rules a command concerns a handful.

use super::{Rule, SHELVES, When};
use crate::hash;

/// The rules that name a program with their shapes, each as it stands behind the programs, in the order of the registry;
/// only those whose first operand may begin with one of these letters.
pub(super) fn shapes(
    program: &str,
    begins: Letters,
) -> impl Iterator<Item = (&'static Rule, &'static str)> {
    let name = hash::whole(program);
    let head = SHAPES.heads.get(hash::chain(name, CHAINS)).copied().unwrap_or(NONE);
    let at = |number: u16| SHAPES.entries.get(usize::from(number));
    // Each entry leads to one before it, so this ends.
    std::iter::successors(at(head), move |entry| at(entry.next))
        .filter(move |entry| entry.name == name && entry.begins.meet(begins))
        .filter_map(Entry::read)
        .filter_map(move |(rule, named, rest)| (named == program).then_some((rule, rest)))
}

/// The rules that look at effects or at the whole scene, in the order of the registry.
pub(super) fn watching() -> impl Iterator<Item = &'static Rule> {
    WATCHING.iter().filter_map(|(shelf, rule)| rule_at(*shelf, *rule))
}

/// A set of first letters, whatever their case. What is no letter of the alphabet shares its place with some that are.
#[derive(Clone, Copy)]
pub(super) struct Letters(u32);

impl Letters {
    pub(super) const NONE: Self = Self(0);
    /// Also where nothing is there to begin with.
    pub(super) const ANY: Self = Self(u32::MAX);

    pub(super) const fn with(self, letter: u8) -> Self {
        Self(self.0 | 1 << (letter & 31))
    }

    const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0 || self.0 == u32::MAX || other.0 == u32::MAX
    }

    /// What the first word of a shape behind the programs lets the first operand begin with.
    #[expect(
        clippy::indexing_slicing,
        reason = "runs when the program is built, where a wrong index is an error"
    )]
    const fn of_words(words: &[u8], start: usize) -> Self {
        let mut letters = Self::NONE;
        let mut at = start;
        let mut starts = true;
        while at < words.len() && words[at] != b' ' {
            if starts {
                // An option, a wild card and `…` say nothing of the first operand.
                if !words[at].is_ascii_alphanumeric() {
                    return Self::ANY;
                }
                letters = letters.with(words[at]);
            }
            starts = words[at] == b'|';
            at += 1;
        }
        if letters.0 == 0 { Self::ANY } else { letters }
    }
}

/// One program in one shape.
#[derive(Clone, Copy)]
struct Entry {
    name: u32,
    shelf: u8,
    rule: u16,
    shape: u16,
    /// Where the program's name begins and ends in the shape, and where the words behind the programs begin.
    from: u16,
    to: u16,
    rest: u16,
    /// What the first operand may begin with.
    begins: Letters,
    next: u16,
}

impl Entry {
    const EMPTY: Self = Self {
        name: 0,
        shelf: 0,
        rule: 0,
        shape: 0,
        from: 0,
        to: 0,
        rest: 0,
        begins: Letters::ANY,
        next: NONE,
    };

    /// The rule, the program's name and the words behind the programs.
    fn read(&self) -> Option<(&'static Rule, &'static str, &'static str)> {
        let rule = rule_at(self.shelf, self.rule)?;
        let When::Command(shapes) = rule.when else { return None };
        let shape = shapes.get(usize::from(self.shape))?;
        let named = shape.get(usize::from(self.from)..usize::from(self.to))?;
        Some((rule, named, shape.get(usize::from(self.rest)..)?))
    }
}

fn rule_at(shelf: u8, rule: u16) -> Option<&'static Rule> {
    SHELVES.get(usize::from(shelf))?.rules.get(usize::from(rule))
}

struct Shapes {
    heads: [u16; CHAINS],
    entries: [Entry; COUNTS.0],
}

/// How many chains there are: about one for each program.
const CHAINS: usize = 1024;

/// The end of a chain.
const NONE: u16 = u16::MAX;

/// How many programs stand in all shapes, and how many rules watch.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const COUNTS: (usize, usize) = {
    let (mut names, mut watching) = (0, 0);
    let mut shelf = 0;
    while shelf < SHELVES.len() {
        let mut rule = 0;
        while rule < SHELVES[shelf].rules.len() {
            match SHELVES[shelf].rules[rule].when {
                When::Command(shapes) => {
                    let mut shape = 0;
                    while shape < shapes.len() {
                        let bytes = shapes[shape].as_bytes();
                        names += 1;
                        let mut at = 0;
                        while at < bytes.len() && bytes[at] != b' ' {
                            if bytes[at] == b'|' {
                                names += 1;
                            }
                            at += 1;
                        }
                        shape += 1;
                    }
                }
                When::Effect(_) | When::Scene(_) => watching += 1,
                When::Read | When::Noted | When::Words => {}
            }
            rule += 1;
        }
        shelf += 1;
    }
    (names, watching)
};

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static SHAPES: Shapes = {
    let mut index = Shapes { heads: [NONE; CHAINS], entries: [Entry::EMPTY; COUNTS.0] };
    let mut number = 0;
    // Backwards, since each entry is put before the ones that are in its chain already.
    let mut shelf = SHELVES.len();
    while shelf > 0 {
        shelf -= 1;
        let mut rule = SHELVES[shelf].rules.len();
        while rule > 0 {
            rule -= 1;
            let When::Command(shapes) = SHELVES[shelf].rules[rule].when else { continue };
            let mut shape = shapes.len();
            while shape > 0 {
                shape -= 1;
                let bytes = shapes[shape].as_bytes();
                let mut end = 0;
                while end < bytes.len() && bytes[end] != b' ' {
                    end += 1;
                }
                let rest = if end < bytes.len() { end + 1 } else { end };
                let mut from = 0;
                let mut at = 0;
                while at <= end {
                    if at == end || bytes[at] == b'|' {
                        let name = hash::part(bytes, from, at);
                        let chain = hash::chain(name, CHAINS);
                        index.entries[number] = Entry {
                            name,
                            shelf: shelf as u8,
                            rule: rule as u16,
                            shape: shape as u16,
                            from: from as u16,
                            to: at as u16,
                            rest: rest as u16,
                            begins: Letters::of_words(bytes, rest),
                            next: index.heads[chain],
                        };
                        index.heads[chain] = number as u16;
                        number += 1;
                        from = at + 1;
                    }
                    at += 1;
                }
            }
        }
    }
    index
};

/// The shelf and the place on it of each rule that watches.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static WATCHING: [(u8, u16); COUNTS.1] = {
    let mut watching = [(0, 0); COUNTS.1];
    let mut number = 0;
    let mut shelf = 0;
    while shelf < SHELVES.len() {
        let mut rule = 0;
        while rule < SHELVES[shelf].rules.len() {
            if matches!(SHELVES[shelf].rules[rule].when, When::Effect(_) | When::Scene(_)) {
                watching[number] = (shelf as u8, rule as u16);
                number += 1;
            }
            rule += 1;
        }
        shelf += 1;
    }
    watching
};

// What is counted above stays below what the numbers of an entry can say.
const _: () = assert!(COUNTS.0 < NONE as usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_of_every_shape_is_found_in_the_order_of_the_registry() {
        let programs: std::collections::BTreeSet<&str> =
            SHELVES.iter().flat_map(|shelf| shelf.programs).copied().collect();
        for program in programs {
            let mut expected = Vec::new();
            for rule in super::super::all() {
                let When::Command(all) = rule.when else { continue };
                for shape in all {
                    let (names, rest) = shape.split_once(' ').unwrap_or((shape, ""));
                    if names.split('|').any(|name| name == program) {
                        expected.push((rule.id, rest));
                    }
                }
            }
            let found = shapes(program, Letters::ANY).map(|(rule, rest)| (rule.id, rest));
            assert_eq!(found.collect::<Vec<_>>(), expected, "{program}");
        }
        assert_eq!(shapes("no-such-program", Letters::ANY).count(), 0);
    }

    #[test]
    fn every_rule_that_looks_at_effects_is_asked() {
        let expected: Vec<_> = super::super::all()
            .filter(|rule| matches!(rule.when, When::Effect(_) | When::Scene(_)))
            .map(|rule| rule.id)
            .collect();
        assert_eq!(watching().map(|rule| rule.id).collect::<Vec<_>>(), expected);
    }
}
