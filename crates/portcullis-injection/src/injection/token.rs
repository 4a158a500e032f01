//! Words with their classes and where they stand: in quotation marks, in a comment, at the beginning of a sentence. Owns the
//! cutting of folded text; what words together mean, `pattern` says.

mod markup;
mod words;

use markup::BRACKETS;
use words::{is_cut_at_known_words, is_word};

use super::{
    class::*,
    fold::{Folded, Unit},
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
}
