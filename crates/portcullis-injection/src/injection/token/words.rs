//! Words: where one begins and ends, which class it is of, words that are spelt out, run together or mistyped.

use super::{
    super::{
        class::*,
        fold::{Unit, looks_like, written_for},
        index,
    },
    Gap, Mark, Reader,
};

/// The longest word that is looked up, in characters.
const LONGEST: usize = 40;

/// How many single letters in a row are a spelt word.
const SPELT: usize = 5;

impl Reader<'_> {
    /// A word between blanks, or single letters that make one.
    pub(super) fn word(&mut self) {
        if self.spelt() {
            return;
        }
        let first = self.at;
        let mut digits = 0;
        let mut latin = false;
        let mut foreign = false;
        self.word.clear();
        let mut count = 0;
        while let Some(unit) = self.units.get(self.at) {
            let letter = unit.letter;
            let joins = matches!(letter, '\'' | '’') && is_word(self.letter(1)) && self.at > first;
            if joins {
                // `don't` is one word, `l'utilisateur` two, of which the second counts.
                let tail = (1..4).take_while(|ahead| is_word(self.letter(*ahead))).count();
                if count <= 2 && tail > 2 {
                    self.word.clear();
                    count = 0;
                } else if tail > 2 {
                    break;
                }
                self.at += 1;
                continue;
            }
            let signs = matches!(letter, '@' | '$' | '!') && count > 0 && is_word(self.letter(1));
            if !is_word(letter) && !signs || is_cut_at_known_words(letter) {
                break;
            }
            if letter.is_ascii_digit() || signs {
                digits += 1;
            } else if letter.is_ascii_alphabetic() {
                latin = true;
            } else if looks_like(letter) != letter {
                foreign = true;
            }
            count += 1;
            if count <= LONGEST {
                self.word.push(letter);
            }
            self.at += 1;
        }
        let Some(units) = self.units.get(first..self.at) else { return };
        let (Some(start), Some(end)) = (units.first(), units.last()) else { return };
        let (start, end) = (start.start, end.end);
        let class = self.class_of(digits, latin, foreign, count, units);
        self.capital =
            units.first().is_some_and(|unit| unit.is_capital || !unit.letter.is_lowercase());
        // What a verb is in a name is done by nobody: `send_money`.
        let is_named = self.letter(0) == '_' && is_word(self.letter(1))
            || first > 1
                && self.units.get(first - 1).is_some_and(|it| it.letter == '_')
                && self.units.get(first - 2).is_some_and(|it| is_word(it.letter));
        let class =
            if is_named { class & !(ACT | SEND | HARM | REVEAL | PAY | READ) } else { class };
        // Neither is what the name of an option says: `--bypass-approvals`.
        let is_option = self.units.get(..first).is_some_and(|before| {
            let mut before = before.iter().rev().map(|unit| unit.letter);
            before.next() == Some('-')
                && (before.next() == Some('-') || self.is_option && self.gap == Gap::None)
        });
        self.is_option = is_option;
        let class = if is_option { class & (RECKLESS | NOT) } else { class };
        // `User-Agent` is no agent.
        let class = if class & AGENT != 0
            && self.gap == Gap::None
            && self.out.list.last().is_some_and(|last| last.class & PERSON != 0)
        {
            class & !AGENT
        } else {
            class
        };
        // `Model 300 owners` own a machine.
        let class = if class & AGENT != 0 && self.is_product() { class & !AGENT } else { class };
        let class = class | self.address(first);
        let end = self.units.get(self.at.saturating_sub(1)).map_or(end, |unit| unit.end.max(end));
        self.speaker(class, first);
        if self.word == "end"
            && self.starts(" of ")
            && self.gap >= Gap::Line
            && units_are_capital(self.units, first)
        {
            self.mark = Mark::Frame;
        }
        let is_called = class & AI != 0 && first > 0 && matches!(self.letter(0), ' ' | ',');
        if is_called && self.units.get(first - 1).is_some_and(|it| it.letter == '@') {
            self.mark = Mark::Called;
        }
        if self.word == "rm" && self.starts(" -") {
            self.mark = Mark::Shell;
        }
        (self.whole, self.stem) = index::numbers(&self.word);
        self.push(class, start, end);
    }

    /// Whether the word is the kind of a thing with its number, which nobody calls by it: a name would end there.
    fn is_product(&self) -> bool {
        const KINDS: &[&str] = &["model", "modele", "modell", "modello", "modelo"];
        const NUMBER: usize = 8;
        if !KINDS.contains(&self.word.as_str()) || self.letter(0) != ' ' {
            return false;
        }
        let digits = (1..NUMBER).take_while(|ahead| self.letter(*ahead).is_ascii_digit()).count();
        digits > 0 && self.letter(digits + 1) == ' ' && self.letter(digits + 2).is_alphabetic()
    }

    fn class_of(
        &mut self,
        digits: usize,
        latin: bool,
        foreign: bool,
        count: usize,
        units: &[Unit],
    ) -> Class {
        let mut class = index::class(&self.word);
        if class == 0 && digits > 0 && digits < count && count > 3 {
            let read: String = self.word.chars().map(written_for).collect();
            class = index::class(&read);
            if class == 0 && self.word.contains('1') {
                let read: String = self.word.replace('1', "l").chars().map(written_for).collect();
                class = index::class(&read);
            }
            self.disguised = class != 0;
        }
        if class == 0 && latin && foreign {
            let read: String = self.word.chars().map(looks_like).collect();
            class = index::class(&read);
            self.disguised = class != 0;
        }
        if matches!(self.word.as_str(), "have" | "has") {
            class = if self.starts(" to ") { class | MUST } else { class & !MUST };
        }
        if class == 0 && self.word.len() > 9 && is_mistyped(&self.word) {
            class = INSTRUCTIONS;
        }
        // A name that somebody makes up for a model.
        if class == 0 && self.word.len() > 4 && self.word.ends_with("gpt") {
            class = AI;
        }
        if self.word == "dan" && units.iter().all(|unit| unit.is_capital) {
            class |= UNBOUND;
        }
        class
    }

    /// Takes the rest of an address, and says that it was one.
    fn address(&mut self, first: usize) -> Class {
        let is_url = self.starts("://");
        let is_mail = self.letter(0) == '@' && is_word(self.letter(1)) || self.word.contains('@');
        if !is_url && !is_mail {
            return if matches!(self.word.as_str(), "authorized_keys" | "authorized") {
                DOOR
            } else {
                0
            };
        }
        while self.at < self.units.len() && self.at - first < 400 {
            let letter = self.letter(0);
            let ends = letter.is_whitespace()
                || matches!(letter, '"' | '\'' | '<' | '>' | ')' | '`' | '”' | '，' | '。');
            if ends
                || is_cut_at_known_words(letter)
                || is_mail && !is_url && matches!(letter, ',' | ';' | '/')
                || matches!(letter, '.' | ',' | ';') && !is_word(self.letter(1))
            {
                break;
            }
            self.at += 1;
        }
        if self.is_open(first) {
            self.mark = Mark::Beacon;
        }
        DESTINATION
    }

    /// Whether an address has a place that is to be filled in: it ends with `=`, or has brackets or a word in capitals behind one.
    fn is_open(&self, first: usize) -> bool {
        let Some(units) = self.units.get(first..self.at) else { return false };
        let Some(question) = units.iter().position(|unit| unit.letter == '?') else { return false };
        let query = units.get(question..).unwrap_or_default();
        let ends = query.last().is_some_and(|unit| unit.letter == '=');
        let bracket = query.windows(2).any(|pair| {
            pair.first().is_some_and(|it| it.letter == '=')
                && pair.last().is_some_and(|it| matches!(it.letter, '{' | '[' | '$'))
        });
        let mut values = query.split(|unit| matches!(unit.letter, '=' | '&')).skip(1);
        let word = |value: &[Unit]| {
            value.len() > 3 && value.iter().all(|unit| unit.is_capital || unit.letter == '_')
        };
        ends || bracket || values.any(word)
    }

    /// Whether the word is a speaker's or reader's name before a colon.
    fn speaker(&mut self, class: Class, first: usize) {
        if self.gap < Gap::Line && !self.out.list.is_empty() || self.mark != Mark::None {
            return;
        }
        let colon = matches!(self.letter(0), ':' | '：' | ']')
            || self.letter(0) == '*' && (self.starts("**:") || self.starts("*:"));
        let next = self.letter(1);
        if colon && matches!(self.word.as_str(), "system" | "sysadmin" | "developer" | "human") {
            let capital = self.units.get(first).is_some_and(|unit| unit.is_capital);
            if capital && (next == ' ' || next == '\n' || next == '*') {
                self.mark = Mark::Speaker;
            }
        } else if class & (AI | AGENT) != 0
            && (colon || self.letter(0) == ',')
            && next == ' '
            && self.units.get(first).is_some_and(|unit| unit.is_capital)
        {
            self.mark = Mark::Called;
        }
    }

    /// Single letters with one sign between them.
    fn spelt(&mut self) -> bool {
        if self.at < self.single_until
            || is_word(self.letter(1))
            || !is_word(self.letter(2))
            || is_word(self.letter(3))
        {
            return false;
        }
        let mut letters: Vec<(char, usize, bool)> = Vec::new();
        let mut at = self.at;
        let mut apart = false;
        while let Some(unit) = self.units.get(at) {
            let next = self.units.get(at + 1).map_or('\0', |unit| unit.letter);
            if !is_word(unit.letter) || is_word(next) {
                break;
            }
            letters.push((unit.letter, at, apart));
            let mut skip = 1;
            while skip < 5
                && self
                    .units
                    .get(at + skip)
                    .is_some_and(|unit| !is_word(unit.letter) && unit.letter != '\n')
            {
                skip += 1;
            }
            apart = skip > 2;
            at += skip;
        }
        if letters.len() < SPELT || letters.iter().all(|(letter, ..)| letter.is_ascii_digit()) {
            // None of them is tried again.
            self.single_until = at;
            return false;
        }
        let mut from = 0;
        while from < letters.len() {
            let until = letters.iter().skip(from + 1).position(|(.., apart)| *apart);
            let until = until.map_or(letters.len(), |at| from + 1 + at);
            self.segments(letters.get(from..until).unwrap_or_default());
            from = until;
        }
        self.at = letters.last().map_or(self.at, |(_, at, _)| *at) + 1;
        true
    }

    /// The longest known words in letters without blanks.
    fn segments(&mut self, letters: &[(char, usize, bool)]) {
        let mut from = 0;
        while from < letters.len() {
            let most = (letters.len() - from).min(16);
            let found = (2..=most).rev().find_map(|length| {
                let part = letters.get(from..from + length)?;
                let word: String = part.iter().map(|(letter, ..)| written_for(*letter)).collect();
                let class = index::class(&word);
                (class != 0).then_some((class, length))
            });
            let (class, length) = found.unwrap_or((0, 1));
            let start = letters.get(from).and_then(|(_, at, _)| self.units.get(*at));
            let end = letters.get(from + length - 1).and_then(|(_, at, _)| self.units.get(*at));
            if let (Some(start), Some(end)) = (start, end)
                && class != 0
            {
                let (start, end) = (start.start, end.end);
                self.disguised = length > 3;
                self.push(class, start, end);
            }
            from += length;
        }
    }

    /// Text without blanks between words: the longest known ones.
    pub(super) fn unspaced(&mut self) {
        let mut word = String::new();
        let mut best = (0, 0);
        for ahead in 0..10 {
            let letter = self.letter(ahead);
            if !is_cut_at_known_words(letter) {
                break;
            }
            word.push(letter);
            let class = index::class(&word);
            if class != 0 {
                best = (class, ahead + 1);
            }
        }
        let (class, length) = best;
        for at in self.at..self.at + length.max(1) {
            let pair = (self.units.get(at), self.units.get(at + 1));
            if let (Some(one), Some(other)) = pair
                && is_cut_at_known_words(other.letter)
            {
                self.out.pairs.push((one.start, index::pair(one.letter, other.letter)));
            }
        }
        self.whole = index::numbers(&word.chars().take(length).collect::<String>()).0;
        let (first, last) = (self.units.get(self.at), self.units.get(self.at + length.max(1) - 1));
        if let (Some(first), Some(last)) = (first, last)
            && class != 0
        {
            let (start, end) = (first.start, last.end);
            self.capital = true;
            self.push(class, start, end);
        }
        self.whole = 0;
        self.at += length.max(1);
    }
}

/// Whether a word is `instructions` with one letter more, less, or in another place.
fn is_mistyped(word: &str) -> bool {
    let right = b"instructions";
    let word = word.as_bytes();
    let same = word.iter().zip(right).take_while(|(one, other)| one == other).count();
    let word_end = word.iter().rev();
    let tail = word_end.zip(right.iter().rev()).take_while(|(one, other)| one == other).count();
    match word.len() {
        11 | 13 => same + tail + 1 >= right.len().max(word.len()) && same > 0,
        12 => same + tail + 2 >= right.len() && same > 0,
        _ => false,
    }
}

fn units_are_capital(units: &[Unit], first: usize) -> bool {
    units.get(first..first + 3).is_some_and(|units| units.iter().all(|unit| unit.is_capital))
}

pub(super) fn is_word(letter: char) -> bool {
    letter.is_alphanumeric()
        || ('\u{900}'..='\u{dff}').contains(&letter) && letter != '।' && letter != '॥'
}

/// Scripts without blanks between words.
pub(super) fn is_cut_at_known_words(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}
