//! How much each signal says. Owns the table and the sum; how the table came about, its own comment tells.

use super::{fitted::WEIGHTS, pattern::Signal};

/// The score from which a text counts as planted.
pub(super) const PLANTED: i32 = 0;
/// The score from which that is sure.
pub(super) const SURE: i32 = 200;
/// The score from which caution is in place.
pub(super) const CAUTION: i32 = -150;

/// The grades of a signal.
const GRADES: usize = 4;

/// What is weighed of a stretch of words besides its signals.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Feature {
    /// A second place with the same signal.
    Again,
    /// Two signals that are more than weak.
    Two,
    Three,
    Four,
    /// A demand that follows on who is called.
    Ordered,
    /// The same, where it is one that does harm.
    Harmful,
    /// In a comment, or in an element that is not shown.
    Concealed,
    /// In an attribute that is rarely shown.
    Attribute,
    /// With characters that nobody sees, or letters in place of others.
    Unseen,
    /// Encoded.
    Decoded,
    /// At the beginning of a line or sentence of its own, behind something else.
    Apart,
    /// Where the text ends.
    Last,
    /// A word of those who write about attacks stands near.
    Discussed,
    DiscussedOften,
    /// It wants the person asked, and nothing that a person would refuse.
    Consults,
    /// Models and agents are named elsewhere in the text too: it is about them.
    About,
    AboutOften,
    /// Who is called is given an order: a demand at the beginning of a clause, or one that is said to be a duty.
    Commanded,
    /// The order is about what nobody gives away lightly.
    Loaded,
    /// A model is named near.
    Named,
    /// It speaks to somebody: you, your.
    Yours,
    /// It stands in quotation marks within prose, or in a string.
    QuotedProse,
    QuotedString,
    /// A demand follows on what is set aside.
    Followed,
    /// The words go on where a demand would end: "the earlier instruction sheet".
    RunsOn,
    /// Little else stands in the text.
    Short,
    /// All of what was said is set aside.
    Whole,
    /// The words are of a language whose order is not looked at.
    Free,
    Policy,
    Folk,
    Story,
    /// What is set aside is of something else: "the instructions on the label".
    Elsewhere,
    /// What follows is done with data, tools or answers.
    Digital,
    Physical,
}

const OTHERS: usize = Feature::Physical as usize + 1;
/// How many weights there are: the first is what every stretch begins with.
pub const COUNT: usize = 1 + Signal::COUNT * GRADES + OTHERS;

/// Where the fit begins: what each step of a signal, and each feature, says to somebody who knows the field. What the lists say
/// nothing about stays there.
pub const START: [i16; COUNT] = {
    let mut start = [100; COUNT];
    let others = [
        70, 10, 10, 10, 100, 120, 150, 80, 200, 200, 20, 20, -50, -120, -80, -60, -60, 100, 120,
        20, 10, -60, -40, 40, -60, 20, 20, 0, -30, -30, -120, -80, 60, -150,
    ];
    let mut at = 0;
    #[expect(clippy::indexing_slicing, reason = "runs when the program is built")]
    while at < OTHERS {
        start[COUNT - OTHERS + at] = others[at];
        at += 1;
    }
    start[0] = -370;
    start
};

/// Which features a stretch has, as bits.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Features(u128);

impl Features {
    /// A signal with its grade, and with all lower ones.
    pub(super) fn signal(&mut self, signal: Signal, grade: u8) {
        for step in 0..usize::from(grade).min(GRADES) {
            self.0 |= 1 << (1 + signal as usize * GRADES + step);
        }
    }

    pub(super) fn add(&mut self, feature: Feature) {
        self.0 |= 1 << (1 + Signal::COUNT * GRADES + feature as usize);
    }

    fn has(self, feature: Feature) -> bool {
        self.0 >> (1 + Signal::COUNT * GRADES + feature as usize) & 1 == 1
    }

    /// Whether what a model was told is set aside in plain words, and nothing says that something else is meant.
    pub(super) fn is_plain_override(self) -> bool {
        use Feature::{
            About, AboutOften, Discussed, DiscussedOften, Elsewhere, Folk, Physical, Policy,
            QuotedProse, QuotedString, RunsOn, Story,
        };
        let strongest = 1 + Signal::Override as usize * GRADES + GRADES - 1;
        let against = [
            About,
            AboutOften,
            Discussed,
            DiscussedOften,
            Elsewhere,
            Folk,
            Physical,
            Policy,
            QuotedProse,
            QuotedString,
            RunsOn,
            Story,
        ];
        self.0 >> strongest & 1 == 1 && !against.into_iter().any(|feature| self.has(feature))
    }

    /// The numbers of the features.
    pub(super) fn numbers(self) -> impl Iterator<Item = usize> {
        (1..COUNT).filter(move |number| self.0 >> number & 1 == 1)
    }
}

/// The sum of the weights, in hundredths of the logarithm of the odds.
pub(super) fn score(features: &Features) -> i32 {
    let weight = |number: usize| WEIGHTS.get(number).copied().map_or(0, i32::from);
    features.numbers().fold(weight(0), |sum, number| sum + weight(number))
}
