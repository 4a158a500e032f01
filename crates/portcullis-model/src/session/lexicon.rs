//! The words of every language. Owns how a word is folded and looked up; the words stand in `words`, one file a language.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    act::{Acts, Meaning, Role},
    token::Token,
    words::{COMPOUNDS, GAP, LANGUAGES, Language},
};

/// The words of all languages.
pub(super) struct Lexicon {
    words: HashMap<&'static str, Meaning>,
    beginnings: Vec<(&'static str, Meaning)>,
    /// Languages that put no blanks between words.
    joined: Vec<(&'static str, Meaning)>,
    /// What several words say together, by the first of them.
    phrases: HashMap<&'static str, Vec<(&'static str, Acts)>>,
}

impl Lexicon {
    /// The one of this process, made when the first text is read.
    pub(super) fn shared() -> &'static Self {
        static SHARED: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);
        &SHARED
    }

    fn new() -> Self {
        let mut lexicon = Self {
            words: HashMap::with_capacity(2_048),
            beginnings: Vec::new(),
            joined: Vec::new(),
            phrases: HashMap::new(),
        };
        for language in LANGUAGES {
            lexicon.add(language);
        }
        lexicon
    }

    fn add(&mut self, language: &'static Language) {
        for (acts, phrases) in language.phrases {
            for phrase in phrases.split(',').map(str::trim) {
                let (first, rest) = phrase.split_once(' ').unwrap_or((phrase, ""));
                self.phrases.entry(first).or_default().push((rest, *acts));
            }
        }
        let acts = language
            .acts
            .iter()
            .map(|(acts, words)| (Meaning { acts: *acts, role: Role::None }, *words));
        let roles = language
            .roles
            .iter()
            .map(|(role, words)| (Meaning { acts: Acts::NONE, role: *role }, *words));
        for (meaning, words) in acts.chain(roles) {
            for word in words.split_ascii_whitespace() {
                if !language.is_spaced {
                    self.joined.push((word, meaning));
                } else if let Some(beginning) = word.strip_suffix('*') {
                    self.beginnings.push((beginning, meaning));
                } else {
                    let known = self.words.entry(word).or_default();
                    known.acts = known.acts.and(meaning.acts);
                    if known.role == Role::None {
                        known.role = meaning.role;
                    }
                }
            }
        }
    }

    /// What the first of these words says together with those behind it.
    pub(super) fn together(&self, words: &[Token<'_>]) -> Acts {
        let Some((first, behind)) = words.split_first() else { return Acts::NONE };
        let known = self.phrases.get(first.text).map(Vec::as_slice).unwrap_or_default();
        let said = known.iter().filter(|(rest, _)| follows(rest, behind));
        said.fold(Acts::NONE, |acts, (_, act)| acts.and(*act))
    }

    /// What a word says, as [`folded`] writes it.
    pub(super) fn meaning(&self, word: &str) -> Meaning {
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        if word.is_ascii() && word.len() < 5 {
            return Meaning::default();
        }
        let begins = self.beginnings.iter().find(|(beginning, _)| word.starts_with(beginning));
        let begins = begins.map(|(_, meaning)| *meaning);
        begins.unwrap_or_default()
    }

    /// What the words in a stretch of text without blanks say.
    pub(super) fn within<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Meaning> + 'a {
        let reads = text.chars().any(is_joined);
        let found = self.joined.iter().filter(move |(word, _)| reads && stands_alone(word, text));
        found.map(|(_, meaning)| *meaning)
    }
}

/// Whether a word stands in a text and not only as a part of another that says something else: `别` in `识别`.
fn stands_alone(word: &str, text: &str) -> bool {
    let mut letters = word.chars();
    if letters.next().is_none() || letters.next().is_some() {
        return text.contains(word);
    }
    text.match_indices(word).any(|(at, _)| {
        !COMPOUNDS.iter().filter(|compound| compound.contains(word)).any(|compound| {
            let within = compound.find(word).unwrap_or_default();
            at.checked_sub(within)
                .and_then(|from| text.get(from..))
                .is_some_and(|rest| rest.starts_with(compound))
        })
    })
}

/// Whether words go on as the rest of a phrase does.
fn follows(phrase: &str, words: &[Token<'_>]) -> bool {
    let mut words = words;
    let mut gap = 0;
    for wanted in phrase.split_ascii_whitespace() {
        if wanted == "…" {
            gap = GAP;
            continue;
        }
        let at = words.iter().take(gap + 1).position(|word| word.text == wanted);
        let Some(behind) = at.and_then(|at| words.get(at + 1..)) else { return false };
        (words, gap) = (behind, 0);
    }
    true
}

/// Whether a letter is of a script that puts no blanks between words.
pub(super) fn is_joined(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// The acts that a name in English says, such as a tool's: the first word that says some decides.
#[must_use]
pub fn acts_of_name<'a>(words: impl Iterator<Item = &'a str>) -> Acts {
    for word in words {
        let says = |known: &str| known.split_ascii_whitespace().any(|known| known == word);
        let rows = super::words::ENGLISH.acts.iter().filter(|(_, known)| says(known));
        let acts = rows.fold(Acts::NONE, |acts, (act, _)| acts.and(*act));
        if !acts.is_empty() {
            return acts;
        }
    }
    Acts::NONE
}

/// The acts that words of a text can order, wherever in it they stand and in whatever language.
#[must_use]
pub fn acts_of_order(text: &str) -> Acts {
    let lexicon = Lexicon::shared();
    super::token::tokens(text).fold(Acts::NONE, |acts, token| {
        let word = folded(token.text);
        let joined = lexicon.within(&word).fold(Acts::NONE, |acts, it| acts.and(it.acts));
        let is_told = is_imperative(&word);
        let own = if is_told { lexicon.meaning(&word).acts } else { Acts::NONE };
        acts.and(own).and(joined)
    })
}

/// Whether a word can tell somebody to do something, and does not only tell that it was done.
pub(super) fn is_imperative(word: &str) -> bool {
    if !word.is_ascii() {
        return true;
    }
    let tells = word.len() > 4 && word.ends_with("ed")
        || word.len() > 4 && word.ends_with("ing")
        || word.len() > 3 && word.ends_with('s') && !word.ends_with("ss")
        || matches!(
            word,
            "sent"
                | "paid"
                | "password"
                | "account"
                | "profile"
                | "role"
                | "permission"
                | "policy"
                | "is"
                | "has"
                | "can"
                | "who"
                | "what"
                | "when"
                | "where"
                | "which"
                | "how"
        );
    !tells
}

/// A text in lower case, with Latin letters without their marks, as the tables of words are written.
#[must_use]
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            folded.push(letter.to_ascii_lowercase());
            continue;
        }
        match letter {
            // Full-width letters look the same.
            '\u{ff01}'..='\u{ff5e}' => {
                let plain = char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter);
                folded.push(plain.to_ascii_lowercase());
            }
            '\u{2018}' | '\u{2019}' | '\u{2bc}' => folded.push('\''),
            '\u{201c}' | '\u{201d}' | '«' | '»' | '„' => folded.push('"'),
            '\u{a0}' | '\u{202f}' | '\u{3000}' => folded.push(' '),
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'
            | '\u{feff}'
            | '\u{300}'..='\u{36f}' => {}
            _ => letter.to_lowercase().for_each(|letter| folded.extend(plain(letter))),
        }
    }
    folded
}

/// A letter without its marks.
fn plain(letter: char) -> Option<char> {
    Some(match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ț' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ž' | 'ż' => 'z',
        'ё' => 'е',
        '\u{307}' => return None,
        other => other,
    })
}
