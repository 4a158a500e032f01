//! Words with their classes and where they stand: in quotation marks, in a comment, at the beginning of a sentence. Owns the
//! cutting of folded text; what words together mean, `pattern` says.

use super::{
    class::*,
    fold::{Folded, Unit, looks_like, written_for},
    index,
};

/// A word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) class: Class,
    pub(super) start: u32,
    pub(super) end: u32,
    /// What stands before it.
    pub(super) gap: Gap,
    /// The number of the quotation that it stands in, or 0.
    pub(super) quote: u16,
    pub(super) carrier: Carrier,
    pub(super) mark: Mark,
    /// Whether it was written with other characters than its own.
    pub(super) is_disguised: bool,
    /// Whether it begins with a capital letter, or with one of a script that has none.
    pub(super) is_capital: bool,
    /// The word as a number, and its beginning, which its other forms share; 0 where it is none that was read whole.
    pub(super) word: u32,
    pub(super) stem: u32,
}

/// What stands between a word and the one before.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Gap {
    /// Blanks and little else.
    #[default]
    None,
    /// A dash, a bracket, a quotation mark.
    Light,
    Comma,
    Colon,
    /// A new line.
    Line,
    /// The end of a sentence, or of a paragraph.
    Sentence,
}

/// What a word stands in.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Carrier {
    #[default]
    Text,
    /// A comment of HTML or Markdown: who reads the page does not see it.
    Comment,
    /// An attribute that is rarely shown: `alt`, `title`.
    Attribute,
    /// An element that is not shown.
    Element,
}

/// A sign that is no word.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Mark {
    #[default]
    None,
    /// A token of chat templates, or a tag of a role: `<|im_start|>`, `[INST]`, `<system>`.
    Role,
    /// `SYSTEM:` at the beginning of a line.
    Speaker,
    /// `Assistant:`, `AI,` at the beginning of a sentence.
    Called,
    /// A mode in angle brackets.
    Mode,
    /// What is read is said to end, or somebody else is said to speak: `=== BEGIN USER MESSAGE ===`, `END OF PAGE`.
    Frame,
    /// A tag that makes something look important.
    Framed,
    /// An address with a place that is to be filled in.
    Beacon,
    /// Something is piped into a shell, or deleted with all below.
    Shell,
}

/// A quotation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quote {
    /// How many words came before it.
    pub(super) first: u32,
    /// How many words came before its end; 0 where it does not end.
    pub(super) last: u32,
    /// What stood before it: a letter and a blank, a colon, something else.
    pub(super) before: char,
    pub(super) after: char,
    pub(super) is_code: bool,
}

/// The words of a text.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    pub(super) quotes: Vec<Quote>,
    /// Two characters that stand together in a script without blanks: where, and both as a number.
    pub(super) pairs: Vec<(u32, u32)>,
}

/// The longest word that is looked up, in characters.
const LONGEST: usize = 40;
/// How many single letters in a row are a spelt word.
const SPELT: usize = 5;
/// The longest quotation, in words.
const QUOTED: usize = 60;

/// Cuts folded text into words.
pub(super) fn tokens(folded: &Folded) -> Tokens {
    let mut reader = Reader {
        units: &folded.units,
        at: 0,
        out: Tokens { quotes: vec![Quote::default()], ..Tokens::default() },
        gap: Gap::Sentence,
        quote: 0,
        opened: '\0',
        carrier: Carrier::Text,
        closes: '\0',
        mark: Mark::None,
        disguised: false,
        is_option: false,
        capital: false,
        single_until: 0,
        word: String::new(),
        whole: 0,
        stem: 0,
    };
    reader.run();
    reader.out
}

struct Reader<'a> {
    units: &'a [Unit],
    at: usize,
    out: Tokens,
    gap: Gap,
    quote: u16,
    opened: char,
    carrier: Carrier,
    /// The character that ends the carrier.
    closes: char,
    mark: Mark,
    disguised: bool,
    /// Whether the last word was a part of an option's name.
    is_option: bool,
    /// Whether the word that is pushed next begins with a capital letter, or one of a script that has none.
    capital: bool,
    /// Until where single letters are known to be no spelt word.
    single_until: usize,
    word: String,
    /// The numbers of the word that is pushed next.
    whole: u32,
    stem: u32,
}

impl Reader<'_> {
    fn letter(&self, ahead: usize) -> char {
        self.units.get(self.at + ahead).map_or('\0', |unit| unit.letter)
    }

    fn before(&self, back: usize) -> char {
        self.at.checked_sub(back).and_then(|at| self.units.get(at)).map_or('\0', |unit| unit.letter)
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, letter)| self.letter(ahead) == letter)
    }

    fn run(&mut self) {
        while self.at < self.units.len() {
            let letter = self.letter(0);
            if is_cut_at_known_words(letter) {
                self.unspaced();
            } else if is_word(letter) {
                self.word();
            } else {
                self.sign(letter);
            }
        }
    }

    fn breaks(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    fn sign(&mut self, letter: char) {
        match letter {
            '=' | '-' | '#' | '*' | '%' | '~' if self.rule(letter) => return,
            '.' | '!' | '?' | ';' => {
                let next = self.letter(1);
                if !is_word(next) || letter != '.' {
                    self.breaks(Gap::Sentence);
                } else {
                    self.breaks(Gap::Light);
                }
            }
            '。' | '！' | '？' | '；' | '।' | '؟' | '؛' => self.breaks(Gap::Sentence),
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                if self.gap >= Gap::Line && self.before(1) == '\n' {
                    self.breaks(Gap::Sentence);
                }
                self.breaks(Gap::Line);
                if self.closes == '\n' {
                    self.carrier = Carrier::Text;
                    self.closes = '\0';
                }
            }
            ':' if self.letter(1) == ':' || self.before(1) == ':' => self.breaks(Gap::Sentence),
            '-' if is_word(self.before(1)) && is_word(self.letter(1)) => {}
            ',' | '，' | '、' | '،' => self.breaks(Gap::Comma),
            ':' | '：' => self.breaks(Gap::Colon),
            ' ' | '\t' | '*' | '_' => {}
            '"' | '`' | '“' | '”' | '„' | '«' | '»' | '\'' | '‘' | '’' | '「' | '」' | '『'
            | '』' => {
                self.quotation(letter);
            }
            '<' => self.angle(),
            '-' if self.starts("-->") => {
                self.breaks(Gap::Sentence);
                if self.carrier == Carrier::Comment {
                    self.carrier = Carrier::Text;
                }
            }
            '[' => {
                self.breaks(Gap::Light);
                if self.starts("[//]:") || self.starts("[comment]:") {
                    self.breaks(Gap::Sentence);
                    self.carrier = Carrier::Comment;
                    self.closes = '\n';
                    self.at += 4;
                } else if let Some(role) = BRACKETS.iter().find(|role| self.starts(role)) {
                    self.breaks(Gap::Sentence);
                    self.role(role.len());
                    return;
                }
            }
            '|' => {
                self.breaks(Gap::Light);
                let mut ahead = 1;
                while self.letter(ahead) == ' ' {
                    ahead += 1;
                }
                for shell in ["sh", "bash", "zsh", "sudo"] {
                    let is = shell.chars().enumerate().all(|(at, c)| self.letter(ahead + at) == c);
                    if is && !is_word(self.letter(ahead + shell.len())) {
                        self.mark = Mark::Shell;
                    }
                }
            }
            '/' if self.starts("*/") || self.before(1) == '*' => self.breaks(Gap::Sentence),
            '#' if self.starts("### ") => self.breaks(Gap::Sentence),
            '~' | '/' | '@' | '$' | '\\' | '#' => {}
            '{' | '}' | '=' | '&' => self.breaks(Gap::Sentence),
            '(' if self.starts("(system)") || self.starts("(system_message)") => {
                self.breaks(Gap::Sentence);
                self.role(if self.letter(7) == ')' { 8 } else { 16 });
                return;
            }
            '(' if is_word(self.before(1)) => self.breaks(Gap::Sentence),
            _ => self.breaks(Gap::Light),
        }
        if self.carrier != Carrier::Text && letter == self.closes {
            self.carrier = Carrier::Text;
            self.closes = '\0';
            self.breaks(Gap::Sentence);
        }
        self.at += 1;
    }

    /// `=== BEGIN USER MESSAGE ===`: a line of signs that says what begins or ends.
    fn rule(&mut self, sign: char) -> bool {
        if self.before(1) == sign || self.letter(1) != sign || self.letter(2) != sign {
            return false;
        }
        let signs = (0..40).take_while(|ahead| self.letter(*ahead) == sign).count();
        if self.letter(signs) != ' ' {
            return false;
        }
        let mut inside = String::new();
        let mut ahead = signs + 1;
        while inside.len() < 48 && (is_word(self.letter(ahead)) || self.letter(ahead) == ' ') {
            inside.push(self.letter(ahead));
            ahead += 1;
        }
        let is_closed = self.letter(ahead) == sign && inside.ends_with(' ');
        if !is_closed || !is_frame(&inside) {
            return false;
        }
        self.breaks(Gap::Sentence);
        self.one(ahead, Mark::Frame);
        true
    }

    /// A token of a chat template is one word.
    fn role(&mut self, length: usize) {
        self.one(length, Mark::Role);
    }

    /// Characters that are one word with a mark.
    fn one(&mut self, length: usize, mark: Mark) {
        let (Some(first), Some(last)) = (
            self.units.get(self.at),
            self.units.get((self.at + length).min(self.units.len()).saturating_sub(1)),
        ) else {
            self.at += 1;
            return;
        };
        let (start, end) = (first.start, last.end);
        self.mark = mark;
        self.push(0, start, end);
        self.gap = Gap::Sentence;
        self.at += length.max(1);
    }

    fn angle(&mut self) {
        self.breaks(Gap::Light);
        if self.starts("<!--") {
            self.breaks(Gap::Sentence);
            self.carrier = Carrier::Comment;
            self.closes = '\0';
            self.at += 3;
        } else if self.starts("<|") && self.letter(2).is_alphabetic() {
            let length =
                (2..24).find(|ahead| self.letter(*ahead) == '>' && self.letter(ahead - 1) == '|');
            if let Some(length) = length {
                self.role(length);
            }
        } else if let Some(role) = ROLES.iter().find(|role| self.starts(role)) {
            self.role(role.len().saturating_sub(1));
        } else if let Some(tag) = FRAMED.iter().find(|tag| self.starts(tag)) {
            self.breaks(Gap::Sentence);
            self.one(tag.len(), Mark::Framed);
        } else {
            self.element();
        }
    }

    /// A tag: what it hides, or a mode that somebody claims.
    fn element(&mut self) {
        let mut ahead = 1;
        let mut inside = String::new();
        while ahead < 160 && !matches!(self.letter(ahead), '>' | '\0') {
            if !matches!(self.letter(ahead), ' ' | '\n') || !inside.ends_with(' ') {
                inside.push(self.letter(ahead));
            }
            ahead += 1;
        }
        if self.letter(ahead) != '>' {
            return;
        }
        if self.letter(1) == '/' {
            self.breaks(Gap::Sentence);
            if self.carrier == Carrier::Element {
                self.carrier = Carrier::Text;
            }
            return;
        }
        let capitals = self.units.get(self.at..self.at + ahead).unwrap_or_default();
        let capitals = capitals.iter().filter(|unit| unit.is_capital).count();
        let is_words = inside
            .chars()
            .all(|letter| is_word(letter) || matches!(letter, ' ' | '-' | '_' | ':' | '!'));
        if inside.contains(" mode") && inside.len() < 60 && capitals > 2 && is_words {
            self.mark = Mark::Mode;
        } else if inside.contains("style") || inside.contains("hidden") || inside.contains("color")
        {
            let plain: String = inside.chars().filter(|letter| *letter != ' ').collect();
            if HIDING.iter().any(|hiding| plain.contains(hiding) || inside.contains(hiding)) {
                self.breaks(Gap::Sentence);
                self.carrier = Carrier::Element;
                self.closes = '\0';
            }
        }
    }

    fn quotation(&mut self, letter: char) {
        if letter == '\'' || letter == '’' || letter == '‘' {
            // Inside a word it is an apostrophe.
            if is_word(self.before(1)) && is_word(self.letter(1)) {
                return;
            }
        }
        let closing = match self.opened {
            '“' | '„' => matches!(letter, '”' | '“'),
            '‘' => letter == '’',
            '«' => letter == '»',
            '»' => letter == '«',
            '「' => letter == '」',
            '『' => letter == '』',
            '\0' => false,
            same => letter == same,
        };
        let words = u32::try_from(self.out.list.len()).unwrap_or(u32::MAX);
        if closing {
            let after = self.letter(1);
            if let Some(quote) = self.out.quotes.get_mut(usize::from(self.quote)) {
                quote.last = words;
                quote.after = after;
            }
            self.quote = 0;
            self.opened = '\0';
            if self.carrier == Carrier::Attribute {
                self.carrier = Carrier::Text;
                self.breaks(Gap::Sentence);
            } else if self.ends_item() {
                self.breaks(Gap::Sentence);
            } else {
                self.breaks(Gap::Light);
            }
            return;
        }
        let too_long = self
            .out
            .quotes
            .get(usize::from(self.quote))
            .is_some_and(|quote| words as usize > quote.first as usize + QUOTED);
        if self.quote != 0 && !too_long || self.out.quotes.len() >= usize::from(u16::MAX) {
            return;
        }
        let mut before = self.before(1);
        if before == ' ' && is_word(self.before(2)) {
            before = if self.is_argument() { '=' } else { 'a' };
        } else if before == ' ' {
            before = self.before(2);
        }
        if matches!(letter, '\'') && is_word(self.before(1)) {
            return;
        }
        self.quote = u16::try_from(self.out.quotes.len()).unwrap_or(0);
        self.opened = letter;
        self.out.quotes.push(Quote {
            first: words,
            last: 0,
            before,
            after: '\0',
            is_code: letter == '`',
        });
        let attribute = |name: &str| {
            name.chars().rev().enumerate().all(|(back, letter)| self.before(back + 1) == letter)
        };
        if ["alt=", "title=", "label=", "summary=", "placeholder="]
            .iter()
            .any(|name| attribute(name))
        {
            self.carrier = Carrier::Attribute;
            self.breaks(Gap::Sentence);
        } else {
            self.breaks(Gap::Light);
        }
    }

    /// Whether a quotation is one of several: what stands in the next says nothing of this one.
    fn ends_item(&self) -> bool {
        let sign = self.letter(1);
        if matches!(sign, ']' | '}' | ';') || sign == ')' && self.letter(2) != '.' {
            return true;
        }
        let next = (2..60).map(|ahead| self.letter(ahead)).find(|next| !next.is_whitespace());
        sign == ',' && matches!(next, Some('"' | '\'' | '`' | '[' | '(' | '&' | '{'))
    }

    /// Whether the quotation is what a command is given, and not a part of a sentence.
    fn is_argument(&self) -> bool {
        let mut word = String::new();
        let mut back = 2;
        while back < 14 && is_word(self.before(back)) {
            word.insert(0, self.before(back));
            back += 1;
        }
        self.before(back) == '-' || matches!(word.as_str(), "echo" | "printf")
    }

    fn push(&mut self, class: Class, start: u32, end: u32) {
        let token = Token {
            class,
            start,
            end,
            gap: self.gap,
            quote: self.quote,
            carrier: self.carrier,
            mark: self.mark,
            is_disguised: self.disguised,
            is_capital: self.capital,
            word: self.whole,
            stem: self.stem,
        };
        self.whole = 0;
        self.stem = 0;
        self.disguised = false;
        self.capital = false;
        self.gap = Gap::None;
        self.mark = Mark::None;
        self.out.list.push(token);
    }

    /// A word between blanks, or single letters that make one.
    fn word(&mut self) {
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
    fn unspaced(&mut self) {
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

/// Tags of roles.
const ROLES: &[&str] = &[
    "<system>",
    "</system>",
    "<<sys>>",
    "<</sys>>",
    "<system-reminder>",
    "</system-reminder>",
    "<system_prompt>",
    "<system-prompt>",
    "</system_prompt>",
    "<system_message>",
    "<important>",
    "<assistant>",
    "</assistant>",
    "<admin>",
    "</tool_result>",
    "</tool_response>",
    "</function_results>",
    "</user_input>",
    "</untrusted>",
    "</data>",
    "<developer>",
    "</document>",
    "</context>",
    "<user>",
    "<human>",
];

/// Marks of roles in square brackets.
const BRACKETS: &[&str] = &[
    "[inst]",
    "[/inst]",
    "[system]",
    "[/system]",
    "[user]",
    "[/user]",
    "[human]",
    "[assistant]",
    "[tool result]",
    "[/tool result]",
    "[tool_result]",
    "[/tool_result]",
];

/// Tags that make something look important.
const FRAMED: &[&str] = &["<information>", "<instructions>", "<instruction>", "<urgent>"];

/// Whether a line says that what is read begins or ends, or that somebody speaks.
fn is_frame(line: &str) -> bool {
    let mut says = (false, false);
    for word in line.split(' ') {
        says.0 |= matches!(word, "end" | "begin" | "start" | "new");
        says.1 |= matches!(
            word,
            "user"
                | "system"
                | "document"
                | "context"
                | "input"
                | "message"
                | "data"
                | "content"
                | "prompt"
                | "instructions"
                | "tool"
                | "page"
                | "file"
                | "output"
                | "result"
                | "email"
                | "mail"
                | "article"
        );
    }
    says.0 && says.1
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

/// How an element is not shown.
const HIDING: &[&str] = &[
    "display:none",
    "visibility:hidden",
    "font-size:0",
    "font-size:1px",
    "opacity:0",
    "color:white",
    "color:#fff",
    "color:transparent",
    "width:0",
    "height:0",
    "left:-9999",
    "text-indent:-9",
    "aria-hidden=\"true\"",
    " hidden",
    "type=\"hidden",
];

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric()
        || ('\u{900}'..='\u{dff}').contains(&letter) && letter != '।' && letter != '॥'
}

/// Scripts without blanks between words.
fn is_cut_at_known_words(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}
