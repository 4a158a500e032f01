//! The words that a wallet is restored from: 12 to 24 of the list of BIP-39, the last of which holds a checksum. Owns where such
//! words are looked for and whether they are a phrase; the list is the English one of the standard, which its authors gave to all.

use sha2::{Digest, Sha256};

use super::{
    kinds::SEED_PHRASE,
    scan::{Candidate, FRAMED, Scan},
    validate::Validity,
    value,
};
use crate::finding::Confidence;

/// The words, one a line, in the order of their numbers, which is that of the alphabet.
static LIST: &[u8] = include_bytes!("phrase/english.txt");
/// How many there are; each stands for eleven bits.
const WORDS: usize = 2048;
const BITS: usize = 11;
/// How many words a phrase may have.
const LENGTHS: [usize; 5] = [24, 21, 18, 15, 12];
const LONGEST: usize = 24;
const SHORTEST: usize = 12;
/// The fewest and most letters of a word.
const LETTERS: std::ops::RangeInclusive<usize> = 3..=8;
/// How far behind a telling word the phrase begins at the latest, in words.
const BEHIND: usize = 8;
/// How far two words of a phrase stand apart at most: `", "`, or a number, a line and a margin.
const APART: usize = 16;

/// How long a text is that is nothing but a phrase.
const ALONE: std::ops::Range<usize> = SHORTEST * 4 - 1..LONGEST * (APART + 8);

/// Where each word begins.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static STARTS: [u16; WORDS] = {
    let mut starts = [0; WORDS];
    let (mut at, mut word) = (0, 0);
    while word < WORDS {
        starts[word] = at as u16;
        while LIST[at] != b'\n' {
            at += 1;
        }
        at += 1;
        word += 1;
    }
    assert!(at == LIST.len());
    starts
};

/// The number of a word of the list.
fn number(word: &[u8]) -> Option<u16> {
    if !LETTERS.contains(&word.len()) {
        return None;
    }
    let own = |start: &u16| {
        let line = LIST.get(usize::from(*start)..).unwrap_or_default();
        line.split(|byte| *byte == b'\n').next().unwrap_or_default()
    };
    let found = STARTS.binary_search_by(|start| own(start).cmp(word)).ok()?;
    u16::try_from(found).ok()
}

/// Whether so many words hold their own checksum: behind the entropy stand as many bits of its SHA-256 as it has words of 32.
fn is_whole(numbers: &[u16]) -> bool {
    let bits = numbers.len() * BITS;
    let sum_bits = bits / 33;
    let bit = |at: usize| {
        numbers.get(at / BITS).is_some_and(|number| number >> (BITS - 1 - at % BITS) & 1 == 1)
    };
    let entropy: Vec<u8> = (0..(bits - sum_bits) / 8)
        .map(|byte| (0..8).fold(0, |all, own| all << 1 | u8::from(bit(byte * 8 + own))))
        .collect();
    let sum = Sha256::digest(&entropy);
    let Some(first) = sum.first() else { return false };
    (0..sum_bits).all(|at| bit(bits - sum_bits + at) == (first >> (7 - at) & 1 == 1))
}

/// Words that repeat are an example: of 12 drawn from 2,048 hardly two are the same.
fn is_drawn(numbers: &[u16]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() + numbers.len() / SHORTEST >= numbers.len()
}

/// A word of a text.
#[derive(Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
    number: Option<u16>,
}

impl Scan<'_> {
    /// The phrase behind a word that tells of one and ends at `end`: `mnemonic = "…"`, `Phrase:` and a line, a numbered list.
    pub(super) fn phrase(&mut self, end: usize) {
        if end < self.phrases_until {
            return;
        }
        let (mut words, mut from) =
            (Vec::new(), self.source.skip(end, |byte| byte.is_ascii_alphabetic()));
        let mut behind = 0;
        while words.len() < LONGEST {
            let Some(word) = self.next_word(from) else { break };
            from = word.end;
            // Until the phrase begins, other words may stand; in it none.
            if word.number.is_none() && (!words.is_empty() || behind >= BEHIND) {
                break;
            }
            if word.number.is_none() {
                behind += 1;
            } else {
                words.push(word);
            }
        }
        let ended = self.source.skip_at_most(from, APART, |byte| !byte.is_ascii_alphabetic());
        if ended >= self.source.len() && words.len() < LONGEST && (behind == 0 || !words.is_empty())
        {
            self.want_more();
        }
        self.phrase_of(&words);
        if words.len() >= SHORTEST {
            self.phrases_until = from;
        }
    }

    /// The same for a text that is nothing but a phrase.
    pub(super) fn phrase_alone(&mut self) {
        let source = self.source;
        let is_text = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_whitespace();
        let begins = source.bytes.first().is_some_and(u8::is_ascii_lowercase);
        if !begins || !ALONE.contains(&source.len()) || !source.bytes.iter().all(is_text) {
            return;
        }
        let (mut words, mut from) = (Vec::new(), 0);
        while let Some(word) = self.next_word(from) {
            from = word.end;
            if word.number.is_none() || words.len() > LONGEST {
                return;
            }
            words.push(word);
        }
        if LENGTHS.contains(&words.len()) {
            self.phrase_of(&words);
        }
    }

    /// The next word of small letters, where one stands near.
    fn next_word(&self, from: usize) -> Option<Word> {
        let source = self.source;
        let start = source.skip_at_most(from, APART, |byte| !byte.is_ascii_alphabetic());
        if !source.at(start).is_ascii_alphabetic() {
            return None;
        }
        let end = source.skip_at_most(start, APART, |byte| byte.is_ascii_alphabetic());
        Some(Word { start, end, number: number(source.slice(start, end)) })
    }

    /// Takes the phrase among words of the list that follow each other. Words that tell of it may stand before, and are words of the
    /// list themselves: `seed phrase: …`.
    fn phrase_of(&mut self, words: &[Word]) {
        for begin in 0..words.len().saturating_sub(SHORTEST - 1).min(BEHIND) {
            for length in LENGTHS {
                let Some(own) = words.get(begin..begin + length) else { continue };
                let (Some(first), Some(last)) = (own.first(), own.last()) else { continue };
                let numbers: Vec<u16> = own.iter().filter_map(|word| word.number).collect();
                if !is_drawn(&numbers) || !is_whole(&numbers) || self.is_published_phrase(own) {
                    continue;
                }
                self.found.push(Candidate {
                    start: first.start,
                    end: last.end,
                    body: first.start,
                    kind: &SEED_PHRASE,
                    confidence: Some(Confidence::High),
                    validity: Validity::Wellformed,
                    rank: FRAMED,
                });
                return;
            }
        }
    }

    /// Whether a phrase stands in the standard or in a book.
    fn is_published_phrase(&self, words: &[Word]) -> bool {
        let texts: Vec<&[u8]> =
            words.iter().map(|word| self.source.slice(word.start, word.end)).collect();
        value::is_published(&texts.join(&b' '))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::are_told_apart, *};

    /// A phrase nobody uses: drawn with a fixed seed, with its checksum.
    const DRAWN: &str =
        "remove now glass fitness machine stem island speed rail smile achieve define";

    #[test]
    fn the_list_is_the_one_of_the_standard() {
        assert_eq!(number(b"abandon"), Some(0));
        assert_eq!(number(b"zoo"), Some(2047));
        assert_eq!(number(b"zoom"), None);
        let sum = data_encoding::HEXLOWER.encode(&Sha256::digest(LIST));
        assert_eq!(sum, "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda");
    }

    #[test]
    fn phrases_of_wallets_are_told_from_words() {
        let numbered: Vec<String> =
            DRAWN.split(' ').enumerate().map(|(at, word)| format!("{}. {word}", at + 1)).collect();
        let long = "divorce town blast public expect clip destroy loan lucky smile recycle industry fashion combine feel connect \
                    patch expand then try moment piano frequent empty";
        let given: Vec<(String, &str)> = [
            DRAWN.to_owned(),
            format!("{long}\n"),
            format!("Phrase:\n{DRAWN}\n"),
            format!("seed phrase is: {DRAWN}."),
            format!("MNEMONIC=\"{DRAWN}\""),
            format!("{{\"mnemonic\": \"{DRAWN}\"}}"),
            format!("const seedWords = ['{}'];", DRAWN.replace(' ', "', '")),
            format!("Your recovery phrase:\n{}\n", numbered.join("\n")),
            format!("seed: {long}"),
        ]
        .into_iter()
        .map(|text| (text, "seed-phrase"))
        .collect();
        are_told_apart(
            &given,
            &[
                // The checksum is wrong.
                "seed phrase: remove now glass fitness machine stem island speed rail smile define achieve",
                // Of the standard's own tests, and words that repeat.
                "seed: legal winner thank year wave sausage worth useful legal winner thank yellow",
                "mnemonic: scheme spot photo card baby mountain device kick cradle pact join borrow",
                "test test test test test test test test test test test junk",
                // A part of the list, and sentences.
                "seed words: abandon ability able about above absent absorb abstract absurd abuse access accident account",
                "seed the random number with this one before you use order again and what then will they say",
                "enter your recovery phrase below",
            ],
        );
    }
}
