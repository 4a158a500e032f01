//! Texts, numbers and patterns as a language writes them: quotes of every kind, here documents, `%w()`.

use super::{
    super::{
        Escapes, Interpolation, TextPart, TokenKind,
        literal::{Literal, Reading, is_name, literal, starts},
    },
    Lexer,
};

/// How far a regular expression is looked for; longer ones are written as strings.
const PATTERN_BYTES: usize = 2048;

/// How many marks that are never closed are looked for before they count as ordinary text.
const UNCLOSED: usize = 64;

impl Lexer<'_> {
    pub(super) fn string(&mut self, start: usize, reading: Reading<'_>) -> Box<[TextPart]> {
        let interpolation =
            if self.unclosed < UNCLOSED { reading.interpolation } else { Interpolation::None };
        let Literal { parts, end, unclosed } =
            literal(self.dialect, Reading { interpolation, ..reading }, start);
        self.unclosed += unclosed;
        self.at = end;
        parts.into_boxed_slice()
    }

    pub(super) fn number(&mut self) {
        let mut exponent = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            let more = byte.is_ascii_alphanumeric()
                || byte == b'_'
                || (byte == b'.' && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit))
                || (exponent && matches!(byte, b'+' | b'-'));
            if !more {
                break;
            }
            exponent = false;
            self.at += 1;
        }
    }

    /// `rb'…'` and its kin: `word` stands right before a quote.
    pub(super) fn prefixed(&mut self, word: &str) -> Option<TokenKind> {
        if word.len() > 2 || !word.bytes().all(|byte| b"rRbBuUfFtT".contains(&byte)) {
            return None;
        }
        let quote =
            self.dialect.quotes.iter().find(|quote| starts(self.bytes, self.at, quote.open))?;
        let has = |letters: &[u8]| word.bytes().any(|byte| letters.contains(&byte));
        let parts = self.string(
            self.at + quote.open.len(),
            Reading {
                source: self.source,
                close: quote.close,
                nests: None,
                escapes: if has(b"rR") { Escapes::None } else { Escapes::Full },
                interpolation: if has(b"fFtT") {
                    Interpolation::Brace
                } else {
                    Interpolation::None
                },
                multiline: quote.multiline,
            },
        );
        Some(TokenKind::Text(parts))
    }

    pub(super) fn quote_word(&mut self, word: &str) -> Option<TokenKind> {
        if !matches!(word, "q" | "qq" | "qw" | "qx" | "qr" | "m" | "s" | "tr" | "y") {
            return None;
        }
        let mut open_at = self.at;
        while matches!(self.bytes.get(open_at), Some(b' ')) {
            open_at += 1;
        }
        let open = *self.bytes.get(open_at)?;
        let spaced = open_at > self.at;
        if (spaced && open == b'#')
            || (open == b'-' && self.bytes.get(open_at + 1) == Some(&b'>'))
            || matches!(open, b',' | b';' | b')' | b'}' | b']' | b'>' | b'=' | b'_')
            || !open.is_ascii_punctuation()
        {
            return None;
        }
        let twice = matches!(word, "s" | "tr" | "y");
        let kind = self.delimited(
            open_at,
            match word {
                "q" => Delimited::Plain,
                "qq" => Delimited::Computed,
                "qx" => Delimited::Command,
                "qw" => Delimited::Words,
                _ => Delimited::Pattern,
            },
        );
        if twice {
            let second = if closing(open) == open {
                self.at.saturating_sub(1)
            } else {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                self.at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
            };
            if self.bytes.get(second).is_some() {
                self.delimited(second, Delimited::Pattern);
            }
        }
        if kind == TokenKind::Pattern {
            while self.bytes.get(self.at).is_some_and(u8::is_ascii_alphabetic) {
                self.at += 1;
            }
        }
        Some(kind)
    }

    pub(super) fn percent_literal(&mut self) -> Option<TokenKind> {
        let letter = *self.bytes.get(self.at + 1)?;
        let (kind, open_at) = match letter {
            b'q' | b's' => (Delimited::Plain, self.at + 2),
            b'Q' => (Delimited::Computed, self.at + 2),
            b'w' | b'W' | b'i' | b'I' => (Delimited::Words, self.at + 2),
            b'x' => (Delimited::Command, self.at + 2),
            b'r' => (Delimited::Pattern, self.at + 2),
            b'(' | b'[' | b'{' | b'<' | b'|' | b'!' => (Delimited::Computed, self.at + 1),
            _ => return None,
        };
        let open = *self.bytes.get(open_at)?;
        open.is_ascii_punctuation().then(|| self.delimited(open_at, kind))
    }

    fn delimited(&mut self, open_at: usize, kind: Delimited) -> TokenKind {
        let open = self.bytes.get(open_at).copied().unwrap_or(b'/');
        let close = closing(open);
        let mut buffer = [0; 4];
        let close_text: &str = char::from(close).encode_utf8(&mut buffer);
        let interpolation = match (kind, open, self.dialect.percent_literals) {
            (Delimited::Computed | Delimited::Command, b'\'', _)
            | (Delimited::Plain | Delimited::Words | Delimited::Pattern, ..) => Interpolation::None,
            (_, _, true) => Interpolation::Hash,
            _ => Interpolation::Dollar,
        };
        let parts = self.string(
            open_at + 1,
            Reading {
                source: self.source,
                close: close_text,
                nests: (close != open).then_some(open),
                escapes: match kind {
                    Delimited::Plain | Delimited::Words | Delimited::Pattern => Escapes::Few,
                    Delimited::Computed | Delimited::Command => Escapes::Full,
                },
                interpolation,
                multiline: true,
            },
        );
        match kind {
            Delimited::Plain | Delimited::Computed => TokenKind::Text(parts),
            Delimited::Command => TokenKind::Command(parts),
            Delimited::Pattern => TokenKind::Pattern,
            Delimited::Words => {
                let text = match parts.first() {
                    Some(TextPart::Literal(text)) => words_of(text),
                    _ => Box::default(),
                };
                TokenKind::Words(text)
            }
        }
    }

    /// `<<NAME`: the text is the body, which starts on the next line.
    pub(super) fn here_document(&mut self) -> Option<TokenKind> {
        let opener = self.dialect.heredoc?;
        if !starts(self.bytes, self.at, opener) || !self.value_may_start() {
            return None;
        }
        let mut at = self.at + opener.len();
        while matches!(self.bytes.get(at), Some(b'~' | b'-' | b' ')) && at < self.at + 8 {
            at += 1;
        }
        let quote = self.bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        at += usize::from(quote.is_some());
        let name_start = at;
        while self.bytes.get(at).is_some_and(|byte| is_name(*byte)) {
            at += 1;
        }
        let name = self.source.get(name_start..at).unwrap_or_default();
        if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            return None;
        }
        at += usize::from(quote.is_some());
        let body = match self.here {
            Some(end) => end,
            None => {
                let rest = self.bytes.get(at..).unwrap_or_default();
                at + rest.iter().position(|byte| *byte == b'\n')? + 1
            }
        };
        let mut end = body;
        let mut next = self.bytes.len();
        while end < self.bytes.len() {
            let rest = self.bytes.get(end..).unwrap_or_default();
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let text = self.source.get(end..end + length).unwrap_or_default().trim();
            // PHP goes on right behind the name (php.net, "Heredoc").
            let behind = text.strip_prefix(name).filter(|_| opener == "<<<");
            if let Some(behind) = behind.filter(|it| !it.bytes().next().is_some_and(is_name)) {
                let line = self.source.get(end..end + length).unwrap_or_default();
                next = end + line.trim_end().len() - behind.len();
                break;
            }
            if text.trim_end_matches([';', ',', ')']) == name {
                next = end + length;
                break;
            }
            end += length + 1;
        }
        let end = end.min(self.bytes.len());
        let interpolation = match (quote, self.dialect.percent_literals) {
            (Some(b'\''), _) => Interpolation::None,
            (_, true) => Interpolation::Hash,
            _ => Interpolation::Dollar,
        };
        let escapes = if quote == Some(b'\'') { Escapes::None } else { Escapes::Full };
        // The body is read as a string that ends where the source is cut off.
        let source = self.source.get(..end).unwrap_or_default();
        let reading =
            Reading { source, close: "\0", nests: None, escapes, interpolation, multiline: true };
        let parts = self.string(body, reading);
        self.here = Some(next);
        self.at = at;
        Some(if quote == Some(b'`') { TokenKind::Command(parts) } else { TokenKind::Text(parts) })
    }

    pub(super) fn pattern(&mut self) -> bool {
        if self.unclosed >= UNCLOSED {
            return false;
        }
        let mut class = false;
        let mut at = self.at + 1;
        let limit = self.bytes.len().min(self.at + PATTERN_BYTES);
        while at < limit {
            match self.bytes.get(at) {
                Some(b'\\') => at += 1,
                Some(b'[') => class = true,
                Some(b']') => class = false,
                Some(b'\n') => break,
                Some(b'/') if !class => {
                    at += 1;
                    while self.bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
                        at += 1;
                    }
                    self.at = at;
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        self.unclosed += 1;
        false
    }

    /// Whether a value may start here, rather than an operator.
    pub(super) fn value_may_start(&self) -> bool {
        let Some(last) = self.list.last() else { return true };
        let text = last.span.of(self.source);
        match last.kind {
            TokenKind::Operator => !matches!(text, ")" | "]" | "}"),
            TokenKind::Name => self.word.is_some_and(|word| {
                matches!(
                    word.of(self.source),
                    "return"
                        | "typeof"
                        | "case"
                        | "in"
                        | "of"
                        | "if"
                        | "unless"
                        | "while"
                        | "and"
                        | "or"
                        | "not"
                        | "when"
                        | "then"
                        | "else"
                        | "split"
                        | "grep"
                        | "map"
                        | "print"
                        | "puts"
                        | "echo"
                        | "delete"
                        | "void"
                        | "throw"
                        | "new"
                        | "do"
                ) || (self.dialect.percent_literals || self.dialect.quote_words)
                    && self.spaced
                    && !self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_whitespace)
            }),
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Delimited {
    Plain,
    Computed,
    Command,
    Words,
    Pattern,
}

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        other => other,
    }
}

/// The words of a literal: between blanks, but for those behind a backslash, which belong to a word.
fn words_of(text: &str) -> Box<[Box<str>]> {
    let mut words: Vec<Box<str>> = Vec::new();
    let mut word = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\\'
            && let Some(blank) = letters.next_if(|next| next.is_whitespace())
        {
            word.push(blank);
        } else if letter.is_whitespace() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word).into());
            }
        } else {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        words.push(word.into());
    }
    words.into()
}
