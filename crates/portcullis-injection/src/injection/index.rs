//! The words as tables that are made when the program is built. Owns finding the classes of a word, and the groups by which the
//! first pass tells whether a stretch is worth reading.

use super::{
    class::{Class, FREE, GROUPS},
    words::TABLES,
};

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;
const WORDS: usize = 1 << 14;
const STEMS: usize = 1 << 12;
/// Places of the first pass.
const PLACES: usize = 1 << 17;
/// How many letters of a stem the first pass knows.
pub(super) const STEM: u32 = 5;

/// FNV-1a, one byte at a time.
#[derive(Clone, Copy)]
pub(super) struct Hash(u64);

impl Hash {
    pub(super) const fn new() -> Self {
        Self(BASIS)
    }

    pub(super) const fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ byte as u64).wrapping_mul(PRIME);
    }

    const fn number(self) -> u32 {
        ((self.0 ^ self.0 >> 32) as u32) | 1
    }
}

/// A word is its hash: two of these few thousand do not share 64 bits, and what else in the world shares them is read as the word.
#[derive(Clone, Copy)]
struct Slot {
    hash: u64,
    class: Class,
}

static EXACT: [Slot; WORDS] = build::<WORDS>(false);
static BEGUN: [Slot; STEMS] = build::<STEMS>(true);
static NEAR: [u16; PLACES] = groups();
/// Which places of `NEAR` hold a group, one bit each: most words of most texts end at these few bytes.
static TAKEN: [u64; PLACES / 64] = taken();

/// The classes of a word as `fold` writes it; none where it is not known.
pub(super) fn class(word: &str) -> Class {
    let mut hash = Hash::new();
    let mut stem = 0;
    for (at, byte) in word.bytes().enumerate() {
        // Stems in ASCII are no shorter.
        if at >= STEM as usize && byte & 0xc0 != 0x80 {
            stem |= find(&BEGUN, hash.0);
        }
        hash.push(byte);
    }
    find(&EXACT, hash.0) | stem | find(&BEGUN, hash.0)
}

/// How many letters the beginning of a word has that its other forms share; a syllable of Hangul is worth more.
const BEGINNING: usize = 5;
const SYLLABLES: usize = 2;

/// A word and its beginning as numbers, none of them 0.
pub(super) fn numbers(word: &str) -> (u32, u32) {
    let mut hash = Hash::new();
    let mut stem = None;
    let letters = match word.chars().next() {
        Some('\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}') => SYLLABLES,
        _ => BEGINNING,
    };
    for (count, letter) in word.chars().enumerate() {
        if count == letters {
            stem = Some(hash);
        }
        let mut bytes = [0; 4];
        for byte in letter.encode_utf8(&mut bytes).bytes() {
            hash.push(byte);
        }
    }
    (hash.number(), stem.unwrap_or(hash).number())
}

/// Two characters as a number.
pub(super) fn pair(one: char, other: char) -> u32 {
    let mut hash = Hash::new();
    for letter in [one, other] {
        for byte in u32::from(letter).to_le_bytes() {
            hash.push(byte);
        }
    }
    hash.number()
}

/// The groups of a word by its hash, and of other words that share its place: the first pass may look too often.
pub(super) fn near(hash: Hash) -> u16 {
    let at = place(hash.0, PLACES);
    match TAKEN.get(at / 64) {
        Some(bits) if bits >> (at % 64) & 1 == 1 => NEAR.get(at).copied().unwrap_or(0),
        _ => 0,
    }
}

fn find(table: &[Slot], hash: u64) -> Class {
    let mut at = place(hash, table.len());
    while let Some(slot) = table.get(at) {
        if slot.class == 0 || slot.hash == hash {
            return slot.class;
        }
        at = (at + 1) % table.len();
    }
    0
}

const fn place(hash: u64, length: usize) -> usize {
    (hash ^ (hash >> 29)) as usize % length
}

/// One word of a row.
struct Word {
    hash: u64,
    /// The hash of the first letters that the first pass looks at.
    short: u64,
    is_stem: bool,
    is_latin: bool,
    next: usize,
}

/// The word of a row that begins at `from`.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn word(row: &[u8], from: usize) -> Word {
    let mut hash = Hash::new();
    let mut short = BASIS;
    let mut at = from;
    while at < row.len() && row[at] != b' ' && row[at] != b'*' {
        hash.push(row[at]);
        at += 1;
        if at - from == STEM as usize {
            short = hash.0;
        }
    }
    assert!(at > from, "a row has no empty words");
    let is_stem = at < row.len() && row[at] == b'*';
    if is_stem {
        at += 1;
    }
    Word { hash: hash.0, short, is_stem, is_latin: row[from].is_ascii(), next: at + 1 }
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn build<const N: usize>(stems: bool) -> [Slot; N] {
    let mut slots = [Slot { hash: 0, class: 0 }; N];
    let mut used = 0;
    let mut table = 0;
    while table < TABLES.len() {
        let (besides, rows) = TABLES[table];
        let mut row = 0;
        while row < rows.len() {
            let (class, words) = rows[row];
            let bytes = words.as_bytes();
            let mut from = 0;
            while from < bytes.len() {
                let word = word(bytes, from);
                from = word.next;
                if word.is_stem != stems {
                    continue;
                }
                let mut at = place(word.hash, N);
                while slots[at].class != 0 && slots[at].hash != word.hash {
                    at = (at + 1) % N;
                }
                // What is an English word too says nothing about the order of words.
                let known = slots[at].class;
                let besides = if known != 0 && known & FREE == 0 { 0 } else { besides };
                if known == 0 {
                    used += 1;
                }
                slots[at] = Slot { hash: word.hash, class: known | class | besides };
            }
            row += 1;
        }
        table += 1;
    }
    assert!(used < N * 3 / 4, "the table is too full");
    slots
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn groups() -> [u16; PLACES] {
    let mut near = [0; PLACES];
    let mut table = 0;
    while table < TABLES.len() {
        let rows = TABLES[table].1;
        let mut row = 0;
        while row < rows.len() {
            let (class, words) = rows[row];
            let mut bits = 0;
            let mut group = 0;
            while group < GROUPS.len() {
                if class & GROUPS[group] != 0 {
                    bits |= 1 << group;
                }
                group += 1;
            }
            let bytes = words.as_bytes();
            let mut from = 0;
            while from < bytes.len() && bits != 0 {
                let word = word(bytes, from);
                from = word.next;
                // What is not written in Latin letters is read in any case.
                if !word.is_latin {
                    continue;
                }
                near[place(if word.is_stem { word.short } else { word.hash }, PLACES)] |= bits;
            }
            row += 1;
        }
        table += 1;
    }
    near
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
const fn taken() -> [u64; PLACES / 64] {
    let mut taken = [0; PLACES / 64];
    let mut at = 0;
    while at < PLACES {
        if NEAR[at] != 0 {
            taken[at / 64] |= 1 << (at % 64);
        }
        at += 1;
    }
    taken
}
