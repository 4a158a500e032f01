//! Which patterns of a table may match a path at all. Owns an index by whole names, made when the program is built: of
//! several hundred patterns nearly all have a name in them that the path has not, and this is asked for every path.

use super::{
    letters::Letters,
    pattern::{Located, glob},
};
use crate::hash;

/// How many chains the entries are spread over; a power of two well above the longest table's share of one name.
const CHAINS: usize = 256;

/// The end of a chain.
const NONE: u16 = u16::MAX;

/// An index over the patterns of one table.
pub(super) struct Index<const ENTRIES: usize> {
    /// The first entry of each chain.
    heads: [u16; CHAINS],
    /// The first entry that has a glob where the others have a name.
    open: u16,
    entries: [Entry; ENTRIES],
}

/// One pattern under one of the names, or globs, that it may be found by.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pattern: &'static str,
    row: u16,
    name: u32,
    next: u16,
    /// Where a glob that a path's last component must fit begins and ends in the pattern; nowhere where there is none.
    form: (u16, u16),
    /// The letters that a path's component must begin with where the pattern begins.
    letters: Letters,
    /// The letters that a path must end with where the pattern ends.
    ends: Letters,
}

impl<const ENTRIES: usize> Index<ENTRIES> {
    pub(super) const EMPTY: Self = Self {
        heads: [NONE; CHAINS],
        open: NONE,
        entries: [Entry {
            pattern: "",
            row: 0,
            name: 0,
            next: NONE,
            form: (0, 0),
            letters: Letters::NONE,
            ends: Letters::NONE,
        }; ENTRIES],
    };

    /// Adds the patterns of a row; gives the number of the next entry.
    #[expect(
        clippy::indexing_slicing,
        reason = "runs when the program is built, where a wrong index is an error"
    )]
    pub(super) const fn with(
        mut self,
        row: usize,
        patterns: &'static [&'static str],
        first: usize,
    ) -> (Self, usize) {
        let mut number = first;
        let mut at = 0;
        while at < patterns.len() {
            let pattern = patterns[at];
            let bytes = pattern.as_bytes();
            let (start, end) = key(bytes);
            let (start, end) = if start == end { last(bytes) } else { (start, end) };
            let mut from = start;
            while from <= end {
                let mut to = from;
                while to < end && bytes[to] != b'|' {
                    to += 1;
                }
                let mut entry = Entry {
                    pattern,
                    row: row as u16,
                    name: 0,
                    next: NONE,
                    form: (0, 0),
                    letters: Letters::of_pattern(bytes),
                    ends: Letters::at_end(bytes),
                };
                if is_open(bytes, from, to) {
                    if from < to {
                        entry.letters = Letters::NONE.with(Some(bytes[from]), false);
                    }
                    if from < to && end == bytes.len() {
                        entry.ends = Letters::NONE.with_last(bytes[to - 1]);
                        entry.form = (from as u16, to as u16);
                    }
                    entry.next = self.open;
                    self.open = number as u16;
                } else {
                    entry.name = hash::part(bytes, from, to);
                    let chain = hash::chain(entry.name, CHAINS);
                    entry.next = self.heads[chain];
                    self.heads[chain] = number as u16;
                }
                self.entries[number] = entry;
                number += 1;
                from = to + 1;
            }
            at += 1;
        }
        (self, number)
    }

    /// The first row with a pattern that may match.
    pub(super) fn row(&self, located: &Located<'_>) -> Option<usize> {
        let mut found: Option<u16> = None;
        if located.is_literal() {
            for name in located.hashes() {
                let head = self.heads.get(hash::chain(*name, CHAINS)).copied().unwrap_or(NONE);
                self.along(head, Some(*name), located, &mut found);
            }
            self.along(self.open, None, located, &mut found);
        } else {
            // A pattern stands in several entries, one behind the other.
            let mut asked = "";
            for entry in &self.entries {
                if !std::ptr::eq(entry.pattern, asked) && entry.may_fit(located, found) {
                    asked = entry.pattern;
                    if located.may_match(asked) {
                        found = Some(entry.row);
                    }
                }
            }
        }
        found.map(usize::from)
    }

    fn along(&self, head: u16, name: Option<u32>, located: &Located<'_>, found: &mut Option<u16>) {
        let mut next = head;
        while let Some(entry) = self.entries.get(usize::from(next)) {
            if name.is_none_or(|name| name == entry.name)
                && entry.may_fit(located, *found)
                && entry.has_form(located)
                && located.may_match(entry.pattern)
            {
                *found = Some(entry.row);
            }
            next = entry.next;
        }
    }
}

impl Entry {
    /// Whether it is worth comparing: its row comes before the one found, and the letters are those of the path.
    fn may_fit(&self, located: &Located<'_>, found: Option<u16>) -> bool {
        self.ends.meet(located.end())
            && self.letters.meet(located.letters())
            && found.is_none_or(|best| self.row < best)
    }

    /// Whether the last name of a literal path is one that the entry's own form means: a pattern has many, and each has an
    /// entry.
    fn has_form(&self, located: &Located<'_>) -> bool {
        match self.pattern.get(usize::from(self.form.0)..usize::from(self.form.1)) {
            Some("") | None => true,
            Some(form) => located.all().last().is_some_and(|last| glob(form, last, false)),
        }
    }
}

/// How many entries the patterns of a row take.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
pub(super) const fn entries(patterns: &[&str]) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < patterns.len() {
        let bytes = patterns[at].as_bytes();
        let (start, end) = key(bytes);
        let (start, end) = if start == end { last(bytes) } else { (start, end) };
        count += 1;
        let mut byte = start;
        while byte < end {
            if bytes[byte] == b'|' {
                count += 1;
            }
            byte += 1;
        }
        at += 1;
    }
    count
}

/// The last component of a pattern that says anything of a name.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn last(pattern: &[u8]) -> (usize, usize) {
    let mut end = pattern.len();
    if let [.., b'/', b'*', b'*'] = pattern {
        end -= 3;
    }
    let mut start = end;
    while start > 0 && pattern[start - 1] != b'/' {
        start -= 1;
    }
    (start, end)
}

/// Whether one form in a component stands for several names, or for nothing.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn is_open(pattern: &[u8], from: usize, to: usize) -> bool {
    let mut at = from;
    while at < to {
        if matches!(pattern[at], b'*' | b'?' | b'[' | b'~') {
            return true;
        }
        at += 1;
    }
    from == to
}

/// The component of a pattern that is made of whole names and whose shortest name is the longest; empty where there is none.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn key(pattern: &[u8]) -> (usize, usize) {
    let mut best = (0, 0);
    let mut best_length = 0;
    let mut start = 0;
    while start < pattern.len() {
        let mut end = start;
        let mut whole = true;
        let mut shortest = usize::MAX;
        let mut length = 0;
        while end < pattern.len() && pattern[end] != b'/' {
            match pattern[end] {
                b'*' | b'?' | b'[' | b'~' => whole = false,
                b'|' => {
                    if length < shortest {
                        shortest = length;
                    }
                    length = 0;
                }
                _ => length += 1,
            }
            end += 1;
        }
        if length < shortest {
            shortest = length;
        }
        let is_here = end == start + 1 && pattern[start] == b'.';
        if whole && !is_here && shortest > best_length {
            best = (start, end);
            best_length = shortest;
        }
        start = end + 1;
    }
    best
}

/// Makes the index of a table by the patterns of its rows.
macro_rules! index {
    ($table:ident) => {
        $crate::place::index::index!($table, row => row.patterns)
    };
    ($table:ident, $row:ident => $patterns:expr) => {{
        const ENTRIES: usize = {
            let mut count = 0;
            let mut number = 0;
            while number < $table.len() {
                let $row = &$table[number];
                count += $crate::place::index::entries($patterns);
                number += 1;
            }
            count
        };
        const INDEX: $crate::place::index::Index<ENTRIES> = {
            let mut index = $crate::place::index::Index::<ENTRIES>::EMPTY;
            let mut entry = 0;
            let mut number = 0;
            while number < $table.len() {
                let $row = &$table[number];
                (index, entry) = index.with(number, $patterns, entry);
                number += 1;
            }
            index
        };
        static STATIC: $crate::place::index::Index<ENTRIES> = INDEX;
        &STATIC
    }};
}
pub(super) use index;

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn the_longest_whole_name_is_the_key() {
        for (pattern, expected) in [
            ("**/.ssh/id_*", ".ssh"),
            ("~/.aws/credentials", "credentials"),
            ("**/*.pem", ""),
            ("/etc/a|bb/x*", "etc"),
            ("?:/Windows/**", "Windows"),
            ("~/.bashrc|.zshrc", ".bashrc|.zshrc"),
            ("./x", "x"),
        ] {
            let (start, end) = key(pattern.as_bytes());
            assert_eq!(pattern.get(start..end), Some(expected), "{pattern}");
        }
    }
}
