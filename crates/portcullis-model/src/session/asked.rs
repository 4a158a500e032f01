//! What a person asked for, by the words they sent and nobody else's: acts, the things that they named, amounts, and limits. Owns how a
//! prompt is read and what of it is kept; what follows from it is said in `rules::session`.
//!
//! The text itself is not kept. A word is known again by its mark, and a name by the marks of its parts.

mod clause;
mod consent;
mod limit;
mod own;
mod reach;
mod terms;

use clause::{Clause, stem};
use consent::Consent;
use limit::Said;
pub use limit::{Broken, Limit};
use serde::{Deserialize, Serialize};
use terms::{ARTICLES, NOUN_FOLLOWS, OF_SOMEBODY};

use super::{
    act::Acts,
    digest::{Mark, Marks},
    lexicon::{Lexicon, folded},
    named::{self, Name},
    token,
};

/// How many different words are kept of all prompts.
const WORDS: usize = 2_048;

/// How many names of people and companies are kept.
const PEOPLE: usize = 256;

/// How many beginnings of words are kept, and how long each is; how many texts in quotation marks, and of how many words.
const STEMS: usize = 384;
const STEM: usize = 5;
const QUOTED: usize = 8;
const QUOTED_WORDS: std::ops::RangeInclusive<usize> = 2..=6;

/// How many things that were named, limits and amounts are kept.
const NAMED: usize = 48;
const LIMITS: usize = 24;
const AMOUNTS: usize = 24;

/// What stands in front of the name of a channel or a person.
const SIGNS: [char; 2] = ['#', '@'];

/// How much of a prompt is read; what is behind it names nothing.
const LONGEST: usize = 64 << 10;

/// What a person asked for so far.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Asked {
    /// How many prompts there were.
    prompts: u32,
    acts: Acts,
    words: Marks<WORDS>,
    /// The beginnings of the longer words, by which a record is known that speaks of the same.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    stems: Marks<STEMS>,
    /// What stood in quotation marks and has several words: how many, and their mark.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quoted: Vec<(u8, u64)>,
    /// How many things are to be deleted or called off; `None` where nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<u32>,
    /// Those of the words that are somebody's name.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    people: Marks<PEOPLE>,
    /// Those of them that stand alone: no first name beside a last one.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    lone: Marks<PEOPLE>,
    #[serde(with = "named")]
    named: Vec<Name>,
    limits: Vec<Limit>,
    /// In hundredths.
    amounts: Vec<u64>,
    /// Whether the person wants something done as a guide of the project says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    guided: bool,
    /// Whether somebody was named by an address: then nobody else is meant by their name.
    addresses: bool,
    /// Whether more was named or limited than is kept.
    is_cut: bool,
}

impl Asked {
    pub(super) const NOTHING: Self = Self {
        prompts: 0,
        acts: Acts::NONE,
        words: Marks::NONE,
        stems: Marks::NONE,
        quoted: Vec::new(),
        most: None,
        people: Marks::NONE,
        lone: Marks::NONE,
        named: Vec::new(),
        limits: Vec::new(),
        amounts: Vec::new(),
        guided: false,
        addresses: false,
        is_cut: false,
    };

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::NOTHING
    }

    /// How many prompts there were.
    #[must_use]
    pub const fn prompts(&self) -> u32 {
        self.prompts
    }

    /// The acts that were asked for.
    #[must_use]
    pub const fn acts(&self) -> Acts {
        self.acts
    }

    /// How many limits hold.
    #[must_use]
    pub fn limits(&self) -> usize {
        self.limits.len()
    }

    /// How many things were named.
    #[must_use]
    pub fn things(&self) -> usize {
        self.named.len()
    }

    /// What of a prompt the person says themselves.
    pub(super) fn own_words(text: &str) -> String {
        own::parted(text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default()).own
    }

    /// Reads what a person sent.
    pub(super) fn hear(&mut self, text: &str) {
        self.prompts = self.prompts.saturating_add(1);
        let read = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        self.is_cut |= read.len() < text.len();
        let lexicon = Lexicon::shared();
        let own::Parted { own, shown } = own::parted(read);
        let consent = consent::of(&own, lexicon);
        // A short answer to a question asks for nothing new: what was said of the task holds.
        let answers = consent == Consent::None
            && token::tokens(&own).count() <= ANSWER
            && !own::demands(&own);
        self.limits.retain(|limit| !limit.is_for_this || answers);
        self.assents(consent);
        // Where what is only shown demands something, its words are its writer's alone.
        let is_other = own::demands(&shown);
        token::tokens(&own).for_each(|token| self.word(token));
        token::tokens(&shown).filter(|_| !is_other).for_each(|token| self.word(token));
        self.record_words(read);
        self.most = None;
        let mut said = Said { is_template: own::is_template(read), ..Said::default() };
        let arguments = own::arguments(read);
        for clause in token::clauses(&own) {
            self.people(clause);
            for part in consent::parts(clause, lexicon) {
                let is_argument = arguments.is_some_and(|text| {
                    let mut bare = part.split(['<', '>']).map(str::trim);
                    bare.any(|part| part.len() > 3 && text.contains(part))
                });
                let held = self.limits.len();
                self.clause(part, !own::is_told(part), lexicon, &mut said);
                if is_argument {
                    self.limits.iter_mut().skip(held).for_each(|limit| limit.is_own = true);
                }
            }
        }
        self.settle(&said);
        let held = self.limits.len();
        for clause in token::clauses(&shown) {
            if !is_other {
                self.people(clause);
            }
            for part in consent::parts(clause, lexicon) {
                self.clause(part, false, lexicon, &mut said);
            }
        }
        // What somebody else's words forbid is about what is done with those words, and nothing that the person asks for beside them.
        let keeps = token::tokens(&own).any(|word| KEEPS_TO.contains(&folded(word.text).as_str()));
        let own = if keeps { Acts::NONE } else { said.acts.without(Acts::READ) };
        for limit in self.limits.iter_mut().skip(held) {
            limit.acts = limit.acts.without(own);
        }
        self.limits.retain(|limit| !limit.acts.is_empty());
        let held = held.min(self.limits.len());
        self.limits.iter_mut().skip(held).for_each(|limit| limit.is_for_this = true);
    }

    fn word(&mut self, token: token::Token<'_>) {
        self.words.add(Mark::of(token.text));
        // `#general`, `@ann`: the sign says what kind of name it is.
        self.words.add(Mark::of(token.text.trim_start_matches(SIGNS)));
        for part in token.text.split(['/', '=', ':', '(', ')', '\'']).filter(|part| part.len() > 2)
        {
            self.words.add(Mark::of(part));
        }
        if token.is_name() {
            self.name(token.text);
        }
        self.addresses |= is_address(token.text);
        if let Some(amount) = token::amount(token.text)
            && self.amounts.len() < AMOUNTS
            && !self.amounts.contains(&amount)
        {
            self.amounts.push(amount);
        }
    }

    /// Keeps by what a record is known that the person speaks of.
    fn record_words(&mut self, text: &str) {
        for word in text.split(|letter: char| !letter.is_alphabetic()) {
            if let Some(stem) = stem_of(word) {
                self.stems.add(stem);
            }
        }
        for quoted in token::quoted(text) {
            let words = token::tokens(quoted).count();
            if QUOTED_WORDS.contains(&words) && self.quoted.len() < QUOTED {
                let mark = (u8::try_from(words).unwrap_or(u8::MAX), spaced(quoted).0);
                if !self.quoted.contains(&mark) {
                    self.quoted.push(mark);
                }
            }
        }
    }

    /// Whether a record speaks of what the person spoke of: by what they put in quotation marks where it is there at all, else by any longer word.
    pub(super) fn speaks_of(&self, record: &str) -> Spoken {
        let words: Vec<token::Token<'_>> = token::tokens(record).take(RECORD_WORDS).collect();
        let is_quoted = self.quoted.iter().any(|(count, mark)| {
            words.windows(usize::from(*count)).any(|part| {
                let text: Vec<&str> = part.iter().map(|word| word.text).collect();
                Mark::of(&text.join(" ")).0 == *mark
            })
        });
        if is_quoted {
            return Spoken::Quoted;
        }
        let parts = record.split(|letter: char| !letter.is_alphabetic()).take(RECORD_WORDS);
        let is_akin = parts.filter_map(stem_of).any(|stem| self.stems.has(stem));
        if is_akin { Spoken::Akin } else { Spoken::Not }
    }

    /// How many things the person wants deleted or called off, where they said so.
    pub fn most(&self) -> Option<usize> {
        self.most.and_then(|most| usize::try_from(most).ok())
    }

    /// Keeps the words of a part of a sentence that are somebody's name: written like one, and neither the first, which is so in any
    /// case, nor a thing with its article.
    fn people(&mut self, clause: &str) {
        let mut before: Option<String> = None;
        let mut names: Vec<Option<Mark>> = Vec::new();
        for token in token::tokens(clause) {
            let first = token.text.chars().next();
            let is_written = first.is_some_and(|letter| {
                letter.is_uppercase() || letter.is_alphabetic() && !letter.is_lowercase()
            });
            let is_thing = before.as_deref().is_none_or(|before| {
                NOUN_FOLLOWS.contains(&before) && !OF_SOMEBODY.contains(&before)
                    || ARTICLES.contains(&before)
            });
            let name = (is_written && !is_thing).then(|| Mark::of(token.text));
            if let Some(name) = name {
                self.people.add(name);
            }
            // The first word is written like a name in any case; a verb is none.
            let is_name =
                is_written && Lexicon::shared().meaning(&folded(token.text)).acts.is_empty();
            names.push(name.or_else(|| is_name.then(|| Mark::of(token.text))));
            before = Some(folded(token.text));
        }
        for (at, name) in names.iter().enumerate() {
            let beside =
                |at: Option<usize>| at.and_then(|at| names.get(at)).is_some_and(Option::is_some);
            if let Some(name) = name.filter(|_| !beside(at.checked_sub(1)) && !beside(Some(at + 1)))
            {
                self.lone.add(name);
            }
        }
    }

    fn name(&mut self, text: &str) {
        let name = Name::of(text);
        if self.named.iter().any(|known| known.whole == name.whole) {
            return;
        }
        if self.named.len() >= NAMED {
            self.named.remove(0);
            self.is_cut = true;
        }
        self.named.push(name);
    }

    /// Reads a part of a sentence. One that is not the person's own sets limits and asks for nothing.
    fn clause(&mut self, clause: &str, is_own: bool, lexicon: &Lexicon, said: &mut Said) {
        let read = Clause::read(clause, lexicon);
        said.is_for_now |= read.is_for_now;
        let acts = read.acts.without(Acts::READ);
        if read.forbids {
            let limit = self.forbidden(clause, read, acts);
            if !limit.acts.is_empty() {
                self.limit(limit);
            }
            return;
        }
        if read.reads_only || read.looks_only {
            let (acts, is_for_this, prompt) = (Acts::EFFECTFUL, read.looks_only, self.prompts);
            self.limit(Limit { acts, is_for_this, prompt, ..Limit::default() });
        } else if read.does_only {
            // Whatever somebody does only so far may be done on the way there as well: a comment is a change.
            let acts = Acts::GRAVE.without(read.acts);
            self.limit(Limit { acts, is_for_this: true, prompt: self.prompts, ..Limit::default() });
        } else if read.only
            && !read.things.is_empty()
            && (acts.is_empty() && read.touches || acts.without(Acts::SHARE) == Acts::CHANGE)
        {
            // `only touch src/api`: commands are told by what they do to files.
            let acts = Acts::CHANGE.and(Acts::DELETE);
            let objects = if is_own { about(clause) } else { Vec::new() };
            let (things, prompt, others, beyond) = (read.things, self.prompts, true, true);
            self.limit(Limit { acts, things, objects, others, beyond, prompt, ..Limit::default() });
            return;
        } else if read.only && !read.things.is_empty() && !acts.is_empty() {
            let (things, words, prompt) = (read.things, read.words, self.prompts);
            self.limit(Limit { acts, words, things, others: true, prompt, ..Limit::default() });
        }
        if !is_own {
            return;
        }
        if read.acts.meet(Acts::DELETE) {
            // A clause that does not say how many may mean any number.
            let most = self.most.unwrap_or(0).checked_add(read.count.unwrap_or(u32::MAX));
            self.most = Some(most.unwrap_or(u32::MAX));
        }
        self.acts = self.acts.and(read.acts);
        said.acts = said.acts.and(read.acts);
        self.guided |= read.is_plain && follows_guide(clause);
        if read.acts.meet(Acts::CHANGE) {
            said.files.extend(token::tokens(clause).filter_map(file_named).take(FILES));
            said.about.extend(about(clause));
        }
        // Whoever asks for what they forbade before takes that back.
        if !acts.is_empty() && read.is_plain {
            if read.orders_work {
                self.work_is_meant();
            }
            self.limits.retain(|limit| {
                if limit.is_for_this && limit.acts.meet(acts) {
                    return false;
                }
                let lifted = limit.acts.without(acts).is_empty() && limit.things.is_empty();
                limit.others || limit.asks || !lifted
            });
        }
    }

    /// Whether the person said this value, word for word.
    #[must_use]
    pub fn said(&self, value: &str) -> bool {
        let mut words = token::tokens(value).peekable();
        let is_said = |word: token::Token<'_>| {
            self.words.has(Mark::of(word.text))
                || self.words.has(Mark::of(word.text.trim_start_matches(SIGNS)))
        };
        words.peek().is_some() && words.all(is_said)
    }

    /// Whether the person named each of those whom a value reaches: by the address itself or, where they gave no address at all, by a
    /// name in it.
    #[must_use]
    pub fn said_whom(&self, value: &str) -> bool {
        if self.said(value) {
            return true;
        }
        let mut reached = token::tokens(value).peekable();
        reached.peek().is_some()
            && !self.addresses
            && reached.all(|one| {
                let name = one.text.split_once('@').map_or(one.text, |(name, _)| name);
                folded(name)
                    .split(|letter: char| !letter.is_alphanumeric())
                    .any(|word| word.len() > 2 && self.people.has(Mark::of(word)))
            })
    }

    /// Whether the person said a word as somebody's name.
    pub(super) fn said_person(&self, word: &str) -> bool {
        word.len() > 2 && self.people.has(Mark::of(word))
    }

    /// Whether the person said a word as the whole of somebody's name.
    pub(super) fn said_alone(&self, word: &str) -> bool {
        self.said_person(word) && self.lone.has(Mark::of(word))
    }

    /// Whether the person said every address and account that stands in a value.
    #[must_use]
    pub fn said_addresses(&self, value: &str) -> bool {
        token::tokens(value)
            .filter(|word| word.text.contains('@') || is_account(word.text))
            .all(|word| self.words.has(Mark::of(word.text)))
    }

    /// Whether an amount is far beyond every one that was named.
    pub(super) fn exceeds(&self, amount: u64) -> bool {
        const FAR: u64 = 20;
        self.amounts.iter().max().is_some_and(|most| amount / FAR >= *most && *most > 0)
    }

    /// Whether the person said a word.
    pub(super) fn said_word(&self, word: &str) -> bool {
        self.words.has(Mark::of(word))
            || word.len() > 3 && self.words.has(Mark::of(&format!("{word}s")))
            || word.strip_suffix('s').is_some_and(|one| self.words.has(Mark::of(one)))
    }

    /// Whether the person wants something put in order without saying how: to sort something out, to give it attention.
    pub fn wants_order(&self) -> bool {
        ["attention", "sort", "handle", "stale", "unhealthy", "unused", "old"]
            .iter()
            .any(|word| self.said_word(word))
    }

    /// Whether things were named so that others can be told from them.
    pub fn names_things(&self) -> bool {
        self.named.iter().any(|name| {
            !name.telling.is_empty() || !name.patterns.is_empty() || name.parts.len() > 1
        })
    }

    /// Whether something was named by what tells it from others: a number, or a pattern of numbers.
    pub fn counts_things(&self) -> bool {
        self.named.iter().any(|name| !name.telling.is_empty() || !name.patterns.is_empty())
    }

    /// Whether the person wants something done as a guide of the project says: `set it up as the README says`.
    #[must_use]
    pub const fn follows_guide(&self) -> bool {
        self.guided
    }

    /// How many things were named one by one; `None` where several were meant at once.
    pub fn counted(&self) -> Option<usize> {
        let telling: Vec<_> = self
            .named
            .iter()
            .filter(|name| !name.telling.is_empty() || !name.patterns.is_empty())
            .collect();
        let is_counted = !telling.is_empty() && telling.iter().all(|name| name.patterns.is_empty());
        is_counted.then_some(telling.len())
    }

    /// Whether a thing that is acted on is one that was named, or belongs to it.
    #[must_use]
    pub fn means(&self, thing: &str) -> bool {
        let thing = Name::of(thing);
        self.named.iter().any(|named| named.means(&thing))
    }
}

/// English words by which a person takes what they show for their own.
const KEEPS_TO: &[&str] = &["follow", "heed", "keep", "mind", "obey", "respect"];

/// How many words a short answer has, and how many files and words are kept of what is to be changed.
const ANSWER: usize = 3;
const FILES: usize = 16;
const ABOUT: usize = 24;

/// Whether a clause wants something set up, run or built as a guide of the project says.
fn follows_guide(clause: &str) -> bool {
    const VERBS: &[&str] = &[
        "build",
        "bootstrap",
        "follow",
        "get",
        "initialise",
        "initialize",
        "install",
        "run",
        "set",
        "setup",
        "start",
    ];
    const GUIDES: &[&str] = &["readme", "contributing", "install", "installation", "setup"];
    const BY: &[&str] =
        &["as", "follow", "following", "from", "described", "per", "steps", "instructions", "with"];
    let plain = folded(clause);
    let words: Vec<&str> = token::tokens(&plain).map(|word| word.text).collect();
    let first = words.iter().take(FIRST).any(|word| VERBS.contains(word));
    let guide = words.iter().skip(1).any(|word| {
        let name = word.trim_end_matches("'s").trim_end_matches(".md");
        GUIDES.contains(&name) && (name == "readme" || name == "contributing" || *word != name)
    });
    first && guide && words.iter().any(|word| BY.contains(word))
}

/// In how many words of a clause its verb stands.
const FIRST: usize = 4;

/// The mark of a file that a word names: by its path or its ending, and no log, which only tells of something.
fn file_named(word: token::Token<'_>) -> Option<u64> {
    let text = word.text.trim_matches('/');
    let (stem, end) = text.rsplit_once('.').unwrap_or((text, ""));
    let is_ending = (1..=6).contains(&end.len())
        && end.bytes().all(|letter| letter.is_ascii_alphanumeric())
        && end.bytes().any(|letter| letter.is_ascii_alphabetic());
    let is_shown = ["log", "png", "jpg", "jpeg", "gif", "com", "org", "io", "example"];
    let is_file = !stem.is_empty() && is_ending && !is_shown.contains(&end);
    let is_path = text.contains('/') && (is_file || end.is_empty());
    let is_elsewhere = text.contains([':', '@']) || text.starts_with('.') && text.len() < 3;
    ((is_file || is_path) && !is_elsewhere).then(|| Mark::of(text).0)
}

/// The stems of the longer words of a clause that are no verbs.
fn about(clause: &str) -> Vec<u64> {
    let lexicon = Lexicon::shared();
    let words = token::tokens(clause).filter(|word| !word.is_name());
    let words = words.map(|word| folded(word.text)).filter(|word| {
        let meaning = lexicon.meaning(word);
        let is_test = word.starts_with("test") || word.starts_with("spec");
        word.len() > 3
            && (is_test || meaning.acts.is_empty() && meaning.role == super::act::Role::None)
            && !terms::GENERAL.contains(&word.as_str())
            && !COMMON_WORDS.contains(&word.as_str())
    });
    words.map(|word| stem(&word)).take(ABOUT).collect()
}

/// Whether a record speaks of what the person spoke of.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Spoken {
    Not,
    Akin,
    Quoted,
}

/// How many words of a record are compared.
const RECORD_WORDS: usize = 64;

/// The mark of the beginning of a word that says what something is about.
fn stem_of(word: &str) -> Option<Mark> {
    let folded = folded(word);
    let mut letters = folded.char_indices();
    let end = letters.nth(STEM).map_or(folded.len(), |(at, _)| at);
    let is_word = folded.chars().all(char::is_alphabetic) && folded.chars().count() > 2;
    (is_word && !COMMON_WORDS.contains(&folded.as_str()))
        .then(|| Mark::of(folded.get(..end).unwrap_or_default()))
}

/// The mark of a text by its words, whatever stands between them.
fn spaced(text: &str) -> Mark {
    let words: Vec<&str> = token::tokens(text).map(|word| word.text).collect();
    Mark::of(&words.join(" "))
}

/// Words that stand everywhere.
static COMMON_WORDS: &[&str] = &[
    "about", "after", "again", "all", "and", "any", "are", "because", "been", "before", "but",
    "can", "could", "das", "dem", "den", "der", "die", "don't", "each", "ein", "eine", "einen",
    "else", "every", "for", "from", "have", "has", "his", "her", "its", "ist", "les", "mit",
    "more", "need", "not", "nur", "one", "only", "other", "our", "please", "que", "she", "should",
    "some", "that", "the", "their", "them", "then", "there", "they", "this", "und", "una", "von",
    "was", "what", "when", "where", "which", "will", "with", "would", "you", "your", "zum", "zur",
];

/// Whether a word is the address or the account of somebody: `ann@example.com`, `DE89370400440532013000`.
fn is_address(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
        || digits > 7 && word.bytes().all(|letter| letter.is_ascii_alphanumeric())
}

/// Whether a word is written like an account at a bank: two letters and many digits.
pub(super) fn is_account(word: &str) -> bool {
    let (country, rest) = (word.get(..2).unwrap_or_default(), word.get(2..).unwrap_or_default());
    country.bytes().all(|letter| letter.is_ascii_uppercase())
        && country.len() == 2
        && rest.len() > 11
        && is_address(word)
}
