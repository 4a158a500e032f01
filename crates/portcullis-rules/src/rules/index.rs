//! Which rules need to be asked at all. Owns the indices over the registry, made when the program is built: of several
//! hundred rules a command concerns a handful.

use super::{Rule, SHELVES, When};
use crate::{
    effect::{EffectKind, Kinds},
    hash,
};

/// The rules that name a program with their shapes, each as it stands behind the programs, in the order of the registry;
/// only those whose first operand may be one of these words.
pub(super) fn shapes(
    program: &str,
    first: Words,
) -> impl Iterator<Item = (&'static Rule, &'static str)> {
    let name = hash::whole(program);
    let head = SHAPES.heads.get(hash::chain(name, CHAINS)).copied().unwrap_or(NONE);
    let at = |number: u16| SHAPES.entries.get(usize::from(number));
    // Each entry leads to one before it, so this ends.
    std::iter::successors(at(head), move |entry| at(entry.next))
        .filter(move |entry| entry.name == name && entry.first.meet(first))
        .filter_map(Entry::read)
        .filter_map(move |(rule, named, rest)| (named == program).then_some((rule, rest)))
}

/// The rules that look at effects of a kind, in the order of the registry.
pub(super) fn looking_at(effect: &EffectKind) -> impl Iterator<Item = &'static Rule> {
    listed(Kinds::of(effect).first())
}

/// The rules that look at the whole scene, in the order of the registry.
pub(super) fn overlooking() -> impl Iterator<Item = &'static Rule> {
    listed(SCENE)
}

fn listed(list: usize) -> impl Iterator<Item = &'static Rule> {
    let numbers = WATCHING.get(list).into_iter().flatten();
    numbers.map_while(|(shelf, rule)| rule_at(*shelf, *rule))
}

/// What a first operand may be: a set of words, whatever their case, that may hold more than was put in.
#[derive(Clone, Copy)]
pub(super) struct Words(u64);

impl Words {
    pub(super) const NONE: Self = Self(0);
    /// Also where nothing is there.
    pub(super) const ANY: Self = Self(u64::MAX);

    pub(super) const fn with(self, word: &str) -> Self {
        self.with_part(word.as_bytes(), 0, word.len())
    }

    const fn with_part(self, bytes: &[u8], from: usize, to: usize) -> Self {
        let hash = hash::part_in_lower_case(bytes, from, to);
        Self(self.0 | 1 << hash::chain(hash, 64))
    }

    const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// What the first word of a shape behind the programs lets the first operand be.
    #[expect(
        clippy::indexing_slicing,
        reason = "runs when the program is built, where a wrong index is an error"
    )]
    const fn of_shape(shape: &[u8], start: usize) -> Self {
        let mut words = Self::NONE;
        let mut from = start;
        let mut at = start;
        while at <= shape.len() {
            let ends = at == shape.len() || shape[at] == b' ';
            if ends || shape[at] == b'|' {
                // An option and `…` say nothing of the first operand.
                if from == at || !shape[from].is_ascii_alphanumeric() {
                    return Self::ANY;
                }
                words = words.with_part(shape, from, at);
                from = at + 1;
            } else if shape[at] == b'*' {
                return Self::ANY;
            }
            if ends {
                break;
            }
            at += 1;
        }
        words
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
    /// What the first operand may be.
    first: Words,
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
        first: Words::ANY,
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
                When::Effect(..) | When::Scene(_) => watching += 1,
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
                            first: Words::of_shape(bytes, rest),
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

/// The list of the rules that look at the whole scene; before it stands one for each kind of effects.
const SCENE: usize = Kinds::COUNT;

/// In which lists a rule stands, one bit each.
const fn lists(rule: &Rule) -> u32 {
    match rule.when {
        When::Effect(kinds, _) => kinds.bits(),
        When::Scene(_) => 1 << SCENE,
        When::Command(_) | When::Read | When::Noted | When::Words => 0,
    }
}

/// The rules of each list by shelf and number. Behind the last of a list stand numbers that no rule has.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static WATCHING: [[(u8, u16); COUNTS.1 + 1]; SCENE + 1] = {
    let mut watching = [[(u8::MAX, NONE); COUNTS.1 + 1]; SCENE + 1];
    let mut list = 0;
    while list <= SCENE {
        let mut number = 0;
        let mut shelf = 0;
        while shelf < SHELVES.len() {
            let mut rule = 0;
            while rule < SHELVES[shelf].rules.len() {
                if lists(&SHELVES[shelf].rules[rule]) & (1 << list) != 0 {
                    watching[list][number] = (shelf as u8, rule as u16);
                    number += 1;
                }
                rule += 1;
            }
            shelf += 1;
        }
        list += 1;
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
            let found = shapes(program, Words::ANY).map(|(rule, rest)| (rule.id, rest));
            assert_eq!(found.collect::<Vec<_>>(), expected, "{program}");
        }
        assert_eq!(shapes("no-such-program", Words::ANY).count(), 0);
    }

    #[test]
    fn every_rule_that_looks_at_effects_is_asked() {
        for list in 0..=SCENE {
            let expected: Vec<_> = super::super::all()
                .filter(|rule| match rule.when {
                    When::Effect(kinds, _) => kinds.bits() & (1 << list) != 0,
                    When::Scene(_) => list == SCENE,
                    _ => false,
                })
                .map(|rule| rule.id)
                .collect();
            assert_eq!(listed(list).map(|rule| rule.id).collect::<Vec<_>>(), expected, "{list}");
        }
    }
}
