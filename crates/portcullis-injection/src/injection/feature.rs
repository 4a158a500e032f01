//! The features of a passage, as numbers. Owns the kinds that there are and how each becomes a number below [`COUNT`]; which of them a
//! passage has, `passage` says, and how much each says, `linear`.

use super::class::Class;

/// How many bits number a feature.
const BITS: u32 = 17;
/// How many numbers of features there are.
pub const COUNT: usize = 1 << BITS;
/// The first number of the features that are of the words themselves. The fit leaves these out every other time, so that what holds for other words
/// and languages is learnt as well; and no word shares a number with what is of few kinds.
pub const LEXICAL: usize = COUNT / 4;

/// What a feature is about. A number is made of the kind and of what `add` is given besides, so that the order of the kinds is a part of the
/// fitted table: new ones go to the end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A word, and its beginning; the same where a model is named in the passage.
    Word,
    Stem,
    StemNamed,
    /// Two words that follow each other, by their beginnings.
    Stems,
    /// Two characters of a script without blanks.
    Pair,
    /// What a word can be.
    Class,
    /// What two words of the passage can be, and what two can be that follow each other.
    Together,
    Following,
    /// A sign that is no word.
    Mark,
    /// One of the first words, and what it can be.
    FirstWord,
    FirstClass,
    /// What stands before the passage, and whether it begins with a capital letter.
    Gap,
    Length,
    /// What words of the passage before and behind can be; the same where a model is named in one of both.
    Before,
    Behind,
    BeforeNamed,
    BehindNamed,
    /// How many other passages name a model, begin with an order, talk about attacks; how many passages there are.
    Names,
    Orders,
    Talk,
    Passages,
    /// How much of it stands in quotation marks, and which.
    Quoted,
    QuotedAfter,
    QuotedCode,
    /// What it stands in, and how it is written.
    Carrier,
    Decoded,
    Unseen,
    /// Where a model is named in it, and what stands around the name.
    NameBetween,
    NameBefore,
    NamePlace,
    /// A verb that begins an order; the same where a model is named.
    Order,
    OrderNamed,
    /// The signs in its text.
    Underscores,
    Brackets,
    Slashes,
    Ats,
    Digits,
    Capitals,
    Ends,
    /// A pattern with its weight, and what is said where a model is named.
    Signal,
    Sign,
    /// How many of its words that the tables do not know stand elsewhere in the text.
    Shared,
    /// A thing of a machine that is named in it, by itself and with what the words of the passage can be; the same of a passage beside it.
    Thing,
    ThingNear,
    /// How long ago a model was named or spoken to, and what the passage can be that follows.
    Since,
    SinceClass,
    SinceFirst,
    /// How it begins and ends, how its line does, in what kind of document and where in it.
    Lead,
    Line,
    Tail,
    Genre,
    Position,
    GenrePosition,
    GenreLead,
    GenreClass,
}

impl Kind {
    /// Whether it is of the words themselves, and so of one language and one subject.
    const fn is_lexical(self) -> bool {
        matches!(
            self,
            Self::Word | Self::Stem | Self::StemNamed | Self::Stems | Self::Pair | Self::FirstWord
        )
    }
}

/// The features of one passage after another.
#[derive(Debug)]
pub(super) struct Features {
    numbers: Vec<u32>,
    /// Which of all are among them, one bit each.
    seen: Vec<u64>,
}

impl Features {
    pub(super) fn new() -> Self {
        Self { numbers: Vec::with_capacity(384), seen: vec![0; COUNT / 64] }
    }

    pub(super) fn add(&mut self, kind: Kind, one: u32, other: u32) {
        let mut hash = (kind as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ u64::from(one)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 29;
        hash = (hash ^ u64::from(other)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        hash ^= hash >> 32;
        let numbers = if kind.is_lexical() { COUNT - LEXICAL } else { LEXICAL };
        let hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let number = ((hash * numbers as u64) >> 32) as u32;
        let number = if kind.is_lexical() { LEXICAL as u32 + number } else { number };
        if let Some(seen) = self.seen.get_mut(number as usize / 64)
            && *seen >> (number % 64) & 1 == 0
        {
            *seen |= 1 << (number % 64);
            self.numbers.push(number);
        }
    }

    /// The numbers, each once; what comes next is of another passage.
    pub(super) fn take(&mut self) -> Vec<u32> {
        for number in &self.numbers {
            if let Some(seen) = self.seen.get_mut(*number as usize / 64) {
                *seen = 0;
            }
        }
        let taken = self.numbers.clone();
        self.numbers.clear();
        taken
    }
}

/// The classes in a set, by number.
pub(super) fn classes(mut all: Class) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (all != 0).then(|| {
            let bit = all.trailing_zeros();
            all &= all - 1;
            bit
        })
    })
}

/// A count as one of few: many are like more.
pub(super) fn grade(count: usize) -> u32 {
    match count {
        0..=3 => count as u32,
        4..=6 => 4,
        7..=12 => 5,
        _ => 6,
    }
}
