//! Text to tokens. Total and linear: every search for a closing mark is bounded or consumes what it looked at.

use super::{
    CODE_BYTES, Dialect, Escapes, Interpolation, TextPart, Token, TokenKind, Tokens,
    literal::{Literal, Reading, is_name, literal, starts},
};
use crate::{Span, limits::NODES};

/// How far a regular expression is looked for; longer ones are written as strings.
const PATTERN_BYTES: usize = 2048;

/// How many marks that are never closed are looked for before they count as ordinary text.
const UNCLOSED: usize = 64;

/// How many marks may stand before a variable's name.
const SIGILS: usize = 64;

/// Operators of more than one character, longest first.
const OPERATORS: &[&str] = &[
    "===", "!==", "**=", "<=>", "...", "..=", "||=", "&&=", "??=", "//=", ">>>", "<<=", ">>=",
    "=>", "->", "::", "==", "!=", "~=", "<=", ">=", "&&", "||", "**", "..", "+=", "-=", "*=", "/=",
    ".=", ":=", "|=", "&=", "%=", "??", "?.", "=~", "!~", "|>", "<<", ">>", "++", "--", "|&", "<-",
];

/// Reads `source` into tokens.
#[must_use]
pub fn tokens(source: &str, dialect: &Dialect) -> Tokens {
    let mut lexer = Lexer {
        source,
        bytes: source.as_bytes(),
        dialect,
        at: 0,
        list: Vec::new(),
        first: true,
        spaced: true,
        indent: 0,
        here: None,
        unclosed: 0,
        word: None,
    };
    let complete = lexer.run();
    Tokens { list: lexer.list, complete }
}

struct Lexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    dialect: &'a Dialect,
    at: usize,
    list: Vec<Token>,
    first: bool,
    spaced: bool,
    indent: u32,
    /// Where the bodies of the line's here-documents end.
    here: Option<usize>,
    unclosed: usize,
    /// The previous token where it is a name, to tell patterns from division.
    word: Option<Span>,
}

impl Lexer<'_> {
    fn run(&mut self) -> bool {
        if starts(self.bytes, 0, "#!") {
            self.skip_line();
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            if self.at >= CODE_BYTES || self.list.len() >= NODES {
                return false;
            }
            if self.blank(byte) || self.comment() {
                continue;
            }
            let start = self.at;
            let kind = self.token(byte);
            if self.at <= start {
                self.at = start + 1;
                while !self.source.is_char_boundary(self.at) {
                    self.at += 1;
                }
            }
            let span = Span::new(start, self.at);
            self.word = (kind == TokenKind::Name).then_some(span);
            self.list.push(Token {
                kind,
                span,
                first: self.first,
                indent: self.indent,
                spaced: self.spaced,
            });
            self.first = false;
            self.spaced = false;
        }
        true
    }

    fn blank(&mut self, byte: u8) -> bool {
        match byte {
            b'\n' => {
                self.at = self.here.take().map_or(self.at + 1, |end| end.max(self.at + 1));
                let line = self.bytes.get(self.at..).unwrap_or_default();
                let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                self.indent = u32::try_from(blanks).unwrap_or(u32::MAX);
                self.at += blanks;
                self.first = true;
                self.spaced = true;
                true
            }
            b' ' | b'\t' | b'\r' | b'\x0c' => {
                self.at += 1;
                self.spaced = true;
                true
            }
            b'\\' if self.bytes.get(self.at + 1) == Some(&b'\n') => {
                self.at += 2;
                self.spaced = true;
                true
            }
            _ => false,
        }
    }

    fn comment(&mut self) -> bool {
        for (open, close) in self.dialect.block_comments {
            // A comment that starts a line is written with the line end in front of it, which is consumed already.
            let found = match open.strip_prefix('\n') {
                Some(word) => self.first && self.indent == 0 && starts(self.bytes, self.at, word),
                None => starts(self.bytes, self.at, open),
            };
            if found {
                let after = self.at + open.trim_start().len();
                let rest = self.source.get(after..).unwrap_or_default();
                self.at =
                    rest.find(close).map_or(self.bytes.len(), |end| after + end + close.len());
                if close.starts_with('\n') {
                    self.skip_line();
                }
                return true;
            }
        }
        for open in self.dialect.line_comments {
            let found = match open.strip_prefix('\n') {
                Some(word) => self.first && starts(self.bytes, self.at, word),
                None => starts(self.bytes, self.at, open),
            };
            let attribute = self.dialect.name == "php" && starts(self.bytes, self.at, "#[");
            if found && !attribute {
                self.skip_line();
                return true;
            }
        }
        false
    }

    fn skip_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    fn token(&mut self, byte: u8) -> TokenKind {
        if let Some(kind) = self.here_document() {
            return kind;
        }
        if let Some(quote) =
            self.dialect.quotes.iter().find(|quote| starts(self.bytes, self.at, quote.open))
        {
            let parts = self.string(
                self.at + quote.open.len(),
                Reading {
                    source: self.source,
                    close: quote.close,
                    nests: None,
                    escapes: quote.escapes,
                    interpolation: quote.interpolation,
                    multiline: quote.multiline,
                },
            );
            return if quote.command { TokenKind::Command(parts) } else { TokenKind::Text(parts) };
        }
        if byte.is_ascii_digit() {
            self.number();
            return TokenKind::Number;
        }
        if let Some(kind) = self.variable(byte) {
            return kind;
        }
        if is_name(byte) || (byte == b'$' && self.dialect.name_characters.contains(&b'$')) {
            return self.name();
        }
        if byte == b'%'
            && self.dialect.percent_literals
            && self.value_may_start()
            && let Some(kind) = self.percent_literal()
        {
            return kind;
        }
        if byte == b'/' && self.dialect.patterns && self.value_may_start() && self.pattern() {
            return TokenKind::Pattern;
        }
        let length = OPERATORS
            .iter()
            .find(|operator| starts(self.bytes, self.at, operator))
            .map_or(1, |operator| operator.len());
        self.at += length;
        TokenKind::Operator
    }

    fn string(&mut self, start: usize, reading: Reading<'_>) -> Box<[TextPart]> {
        let interpolation =
            if self.unclosed < UNCLOSED { reading.interpolation } else { Interpolation::None };
        let Literal { parts, end, unclosed } =
            literal(self.dialect, Reading { interpolation, ..reading }, start);
        self.unclosed += unclosed;
        self.at = end;
        parts.into_boxed_slice()
    }

    fn number(&mut self) {
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

    fn variable(&mut self, byte: u8) -> Option<TokenKind> {
        if !self.dialect.sigils.contains(&byte) || (byte == b'%' && !self.value_may_start()) {
            return None;
        }
        let mut end = self.at + 1;
        // Each of them begins one, too: a long run of them would be read once for each.
        while end - self.at < SIGILS && matches!(self.bytes.get(end), Some(b'$' | b'@' | b'#')) {
            end += 1;
        }
        let name = end;
        while self.bytes.get(end).is_some_and(|byte| {
            is_name(*byte)
                || (*byte == b':'
                    && name < end
                    && self.bytes.get(end + 1).is_some_and(|next| is_name(*next) || *next == b':')
                    && matches!(self.dialect.name, "perl" | "powershell"))
                || (*byte == b':' && self.bytes.get(end - 1) == Some(&b':') && name < end)
        }) {
            end += 1;
        }
        if end == name {
            if byte == b'$'
                && matches!(
                    self.bytes.get(name),
                    Some(b'!' | b'&' | b'@' | b'0' | b'/' | b';' | b',')
                )
            {
                end = name + 1;
            } else {
                return None;
            }
        }
        self.at = end;
        Some(TokenKind::Variable)
    }

    fn name(&mut self) -> TokenKind {
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|byte| is_name(*byte) || self.dialect.name_characters.contains(byte))
        {
            self.at += 1;
        }
        if matches!(self.dialect.name, "ruby" | "julia")
            && matches!(self.bytes.get(self.at), Some(b'?' | b'!'))
            && self.bytes.get(self.at + 1) != Some(&b'=')
        {
            self.at += 1;
        }
        let word = self.source.get(start..self.at).unwrap_or_default();
        if self.dialect.prefixes
            && let Some(kind) = self.prefixed(word)
        {
            return kind;
        }
        if self.dialect.quote_words
            && let Some(kind) = self.quote_word(word)
        {
            return kind;
        }
        TokenKind::Name
    }

    /// `rb'…'` and its kin: `word` stands right before a quote.
    fn prefixed(&mut self, word: &str) -> Option<TokenKind> {
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

    fn quote_word(&mut self, word: &str) -> Option<TokenKind> {
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

    fn percent_literal(&mut self) -> Option<TokenKind> {
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
                    Some(TextPart::Literal(text)) => {
                        text.split_whitespace().map(Into::into).collect()
                    }
                    _ => Box::default(),
                };
                TokenKind::Words(text)
            }
        }
    }

    /// `<<NAME`: the text is the body, which starts on the next line.
    fn here_document(&mut self) -> Option<TokenKind> {
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

    fn pattern(&mut self) -> bool {
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
    fn value_may_start(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::dialect;

    fn shown(language: &str, source: &str) -> String {
        let mut shown = Vec::new();
        for token in tokens(source, dialect(language)).list {
            shown.push(match &token.kind {
                TokenKind::Text(parts) => format!("«{}»", parts_shown(parts, source)),
                TokenKind::Command(parts) => format!("`{}`", parts_shown(parts, source)),
                TokenKind::Words(words) => format!("{words:?}"),
                TokenKind::Pattern => "pattern".to_owned(),
                _ => token.span.of(source).to_owned(),
            });
        }
        shown.join(" ")
    }

    fn parts_shown(parts: &[TextPart], source: &str) -> String {
        parts
            .iter()
            .map(|part| match part {
                TextPart::Literal(text) => text.to_string(),
                TextPart::Code(span) => format!("<{}>", span.of(source)),
            })
            .collect()
    }

    #[test]
    fn strings_are_decoded_and_comments_left_out() {
        for (language, source, expected) in [
            ("python", "os.system('rm' \"\\x20-rf\") # no", "os . system ( «rm» « -rf» )"),
            ("python", "rb'\\n' f'a{x}b{{' '''q\n''' x", "«\\n» «a<x>b{» «q\n» x"),
            ("python", "'\\d'", "«\\d»"),
            ("python", "'open\nx", "«open» x"),
            (
                "javascript",
                "a = b / c / d; /[/]x/g.test(`a${f(`}`)}`) // x",
                "a = b / c / d ; pattern . test ( «a<f(`}`)>» )",
            ),
            (
                "ruby",
                "system %q(rm -rf (x)) + `ls #{d}` if x =~ /'/",
                "system «rm -rf (x)» + `ls <d>` if x =~ pattern",
            ),
            ("ruby", "%w[rm -rf /]", "[\"rm\", \"-rf\", \"/\"]"),
            ("ruby", "a(<<~X, 1)\n  hi #{b}\n  X\nc", "a ( «  hi <b>\n» , 1 ) c"),
            (
                "perl",
                "exec qq{rm $x->[0] @y}; $h{q} = s/a'/b/r; qx/id/",
                "exec «rm <$x->[0]> <@y>» ; $h { q } = pattern ; `id`",
            ),
            (
                "php",
                "system(base64_decode('a\\'b')) /* ' */; `id $x`;",
                "system ( base64_decode ( «a'b» ) ) ; `id <$x>` ;",
            ),
            ("lua", "x = [[a'b]] .. '\\65' --[[ ' ]] y", "x = «a'b» .. «A» y"),
            ("r", "file.remove('x')", "file.remove ( «x» )"),
            ("awk", "BEGIN{system(\"id\"); x = y / 2}", "BEGIN { system ( «id» ) ; x = y / 2 }"),
        ] {
            assert_eq!(shown(language, source), expected, "{language}: {source}");
        }
    }

    #[test]
    fn every_text_gives_tokens_whose_spans_fit() {
        let pieces = [
            "'", "\"", "`", "${", "#{", "<<X", "/", "%q(", "é", "\\", "\n", "q{", "[[", "{",
            "=begin\n",
        ];
        for language in [
            "python",
            "javascript",
            "ruby",
            "perl",
            "php",
            "lua",
            "awk",
            "tcl",
            "powershell",
            "none",
        ] {
            for one in pieces {
                for two in pieces {
                    let source = format!("a {one}{two} b{one}").repeat(40);
                    let mut last = 0;
                    for token in tokens(&source, dialect(language)).list {
                        if token.span.start < last || source.get(token.span.range()).is_none() {
                            panic!("{language}: {source}");
                        }
                        last = token.span.start;
                    }
                }
            }
        }
    }
}
