//! One clause of what a person asked: what it wants done, what it forbids, and what it only tells. Owns the words for that.

use super::super::{
    act::{Acts, Role},
    digest::Mark,
    lexicon::{Lexicon, folded, is_joined},
    token,
};

/// What one part of a sentence says.
#[derive(Debug, Default)]
pub(super) struct Clause {
    pub(super) acts: Acts,
    pub(super) words: Vec<u64>,
    pub(super) things: Vec<u64>,
    pub(super) anything: bool,
    pub(super) forbids: bool,
    pub(super) touches: bool,
    pub(super) asks: bool,
    pub(super) only: bool,
    pub(super) reads_only: bool,
    pub(super) is_for_now: bool,
    /// Whether it simply asks for something.
    pub(super) is_plain: bool,
}

impl Clause {
    pub(super) fn read(clause: &str, lexicon: &Lexicon) -> Self {
        let mut read = Self { is_plain: true, ..Self::default() };
        let mut before = Role::And;
        let mut forgets = false;
        let plain = folded(clause);
        let tokens: Vec<_> = token::tokens(&plain).collect();
        for (at, token) in tokens.iter().enumerate() {
            let word = token.text;
            let beside =
                |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |other| other.text);
            // `the report`, `my latest note`: a thing, and nothing that is asked for.
            // A word that is written with a hyphen is no name: `force-push it`.
            let is_name = token.is_name() && lexicon.meaning(word).acts.is_empty();
            let is_noun = NOUN_FOLLOWS.contains(&beside(at.checked_sub(1))) || is_name;
            let for_oneself = matches!(beside(Some(at + 1)), "me" | "us");
            if is_name && word != "read-only" {
                read.things.push(Mark::of(word.trim_matches('/')).0);
            }
            if word == "read-only" || word == "readonly" {
                // `read-only commands`: a word for a thing.
                let next = beside(Some(at + 1));
                read.reads_only |= next.is_empty() || READ_ONLY_ENDS.contains(&next);
            }
            read.is_for_now |= word == "yet";
            read.acts = read.acts.and(lexicon.together(tokens.get(at..).unwrap_or_default()));
            let joined = if word.chars().any(is_joined) {
                lexicon.within(word).collect()
            } else {
                Vec::new()
            };
            for meaning in std::iter::once(lexicon.meaning(word)).chain(joined) {
                match meaning.role {
                    Role::Not if negates(word, before) => {
                        let acts = lexicon.meaning(beside(Some(at + 1))).acts;
                        let (last, next) = (beside(at.checked_sub(1)), beside(Some(at + 1)));
                        read.forbids |= !tells(word, last, next, acts);
                    }
                    Role::Forget => forgets = true,
                    Role::Touch => read.touches = true,
                    Role::Ask => read.asks = true,
                    Role::Only => read.only = true,
                    Role::Anything => {
                        read.anything = true;
                        read.forbids |= NOTHING.contains(&word);
                    }
                    _ => {}
                }
                let acts = if is_noun {
                    meaning.acts.only(Acts::ADMINISTER)
                } else if for_oneself {
                    Acts::READ
                } else {
                    meaning.acts
                };
                read.acts = read.acts.and(acts);
                if acts.meet(COMMON) {
                    read.words.push(stem(word));
                }
                if meaning.role != Role::None || !meaning.acts.is_empty() {
                    before = meaning.role;
                } else {
                    before = Role::None;
                }
            }
        }
        if read.forbids && forgets {
            read.forbids = false;
        }
        read.asks &= read.forbids;
        read
    }
}

/// Words behind `read-only` that leave it to say how everything is to be done.
const READ_ONLY_ENDS: &[&str] = &[
    "and",
    "at",
    "but",
    "for",
    "here",
    "investigation",
    "look",
    "mode",
    "now",
    "please",
    "review",
    "session",
    "so",
    "task",
    "today",
    "until",
    "work",
];

/// Words by which somebody lets go on what they held up, where they stand at the beginning.
pub(super) const GO_AHEAD: &[&str] = &[
    "ahead",
    "approved",
    "continue",
    "go",
    "implement",
    "lgtm",
    "ok",
    "okay",
    "proceed",
    "sure",
    "yep",
    "yes",
    "yup",
    "adelante",
    "continua",
    "ja",
    "oui",
    "si",
    "sim",
    "vai",
    "weiter",
];

/// In how many words.
pub(super) const GO_AHEAD_IN: usize = 3;

/// English verbs of what is or is not so: nobody forbids to need or to seem.
const STATES: &[&str] = &[
    "appear",
    "believe",
    "care",
    "exist",
    "get",
    "have",
    "know",
    "like",
    "matter",
    "mean",
    "mind",
    "need",
    "recall",
    "remember",
    "see",
    "seem",
    "think",
    "understand",
];

/// English words before `not` with which it says what is so, or asks.
const SAYS_SO: &[&str] = &[
    "are", "did", "does", "had", "has", "have", "if", "is", "may", "might", "or", "was", "were",
    "whether", "why", "would",
];

/// Who does not do something, where nobody is told not to.
const WHO: &[&str] = &["he", "i", "it", "she", "that", "they", "users", "we", "which", "who"];

/// Whether an English word for `not` only tells what is so: `they don't need it`, `or not`, `not sure`, `we don't generate any`. `acts` are those of
/// the word behind it.
fn tells(word: &str, last: &str, next: &str, acts: Acts) -> bool {
    let is_common = !acts.is_empty() && acts.without(COMMON).without(Acts::READ).is_empty();
    match word {
        "don't" | "dont" => STATES.contains(&next) || WHO.contains(&last) && is_common,
        "not" => {
            SAYS_SO.contains(&last)
                || ["certain", "clear", "just", "necessarily", "only", "sure"].contains(&next)
        }
        _ => false,
    }
}

/// Acts that are too common to be forbidden as such: `do not run the migration` says nothing of the tests.
pub(super) const COMMON: Acts = Acts::CHANGE.and(Acts::RUN).and(Acts::COMMIT).and(Acts::SEND);

/// English words that a noun follows.
pub(super) const NOUN_FOLLOWS: &[&str] = &[
    "the", "a", "an", "my", "your", "our", "their", "his", "her", "its", "this", "that", "these",
    "those", "each", "every", "any", "some", "of", "in", "on", "from", "for", "with", "latest",
    "last", "recent", "new", "old", "saved", "received", "unread", "sms", "open", "who", "which",
    "is", "was", "are", "been", "has", "have",
];

/// Words of those that a person can stand behind as well.
pub(super) const OF_SOMEBODY: &[&str] = &["from", "for", "with", "on"];

/// Articles of other languages, with which nobody is called.
pub(super) const ARTICLES: &[&str] = &[
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "mein",
    "meine", "meinen", "meinem", "unser", "unsere", "unseren", "zum", "zur", "im", "am", "vom",
    "ins", "beim", "le", "la", "les", "un", "une", "du", "mon", "ma", "mes", "el", "los", "las",
    "una", "mi", "mis", "il", "lo", "gli", "o", "os", "as", "um", "uma", "het", "de", "een",
];

/// Words that say that nothing is to be done.
const NOTHING: &[&str] = &["nichts", "niets", "rien", "nada", "niente", "nulla", "ничего", "nic"];

/// The mark of a word without what English puts behind it.
pub(super) fn stem(word: &str) -> u64 {
    let word = folded(word);
    let ends = ["ing", "ed", "es", "s", "e"];
    let bare = ends.iter().find_map(|end| word.strip_suffix(end).filter(|bare| bare.len() > 2));
    let bare = bare.unwrap_or(&word);
    // `running`, `committing`
    let doubled = bare
        .chars()
        .next_back()
        .filter(|last| bare.len() > 3 && bare.ends_with(&format!("{last}{last}")));
    Mark::of(doubled.map_or(bare, |last| bare.strip_suffix(last).unwrap_or(bare))).0
}

/// Whether a word that says `not` forbids: of the English ones, those that stand where somebody is told something.
fn negates(word: &str, before: Role) -> bool {
    match word {
        "not" | "no" | "neither" | "nor" | "cannot" => {
            matches!(before, Role::Demand | Role::And | Role::Please)
        }
        _ => true,
    }
}
