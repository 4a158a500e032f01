//! Text to tokens. Total and linear: every search for a closing mark is bounded or consumes what it looked at.

mod literals;

use super::{
    CODE_BYTES, Dialect, Token, TokenKind, Tokens,
    literal::{Reading, is_name, starts},
};
use crate::{Span, limits::NODES};

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

    /// Whether a slash ends an element that is written out in JavaScript: `</p>`, `<Page dir={home}/>`.
    fn ends_element(&self) -> bool {
        let next = self.bytes.get(self.at + 1).copied().unwrap_or_default();
        let Some(last) = self.list.last().filter(|last| last.kind == TokenKind::Operator) else {
            return false;
        };
        match last.span.of(self.source) {
            "<" => last.span.range().end == self.at && (next.is_ascii_alphabetic() || next == b'>'),
            "}" => next == b'>',
            _ => false,
        }
    }

    /// Whether a quote of JavaScript stands in a word, as it only does in what a page says: `<p>it's</p>`.
    fn is_apostrophe(&self) -> bool {
        /// Words of the language that a text may stand right behind.
        const BEFORE_TEXTS: &[&str] = &[
            "as",
            "assert",
            "await",
            "case",
            "default",
            "delete",
            "do",
            "else",
            "export",
            "extends",
            "from",
            "get",
            "import",
            "in",
            "instanceof",
            "is",
            "keyof",
            "new",
            "of",
            "return",
            "satisfies",
            "set",
            "static",
            "throw",
            "type",
            "typeof",
            "void",
            "with",
            "yield",
        ];
        self.dialect.name == "javascript"
            && self.list.last().is_some_and(|last| {
                last.kind == TokenKind::Name
                    && last.span.range().end == self.at
                    && !BEFORE_TEXTS.contains(&last.span.of(self.source))
            })
    }

    fn token(&mut self, byte: u8) -> TokenKind {
        if let Some(kind) = self.here_document() {
            return kind;
        }
        if byte == b'\'' && self.is_apostrophe() {
            self.at += 1;
            return TokenKind::Operator;
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
            // What stands first in a line begins a statement.
            && (self.first || self.value_may_start())
            && let Some(kind) = self.percent_literal()
        {
            return kind;
        }
        if byte == b'/'
            && self.dialect.patterns
            && self.value_may_start()
            && !self.ends_element()
            && self.pattern()
        {
            return TokenKind::Pattern;
        }
        let length = OPERATORS
            .iter()
            .find(|operator| starts(self.bytes, self.at, operator))
            .map_or(1, |operator| operator.len());
        self.at += length;
        TokenKind::Operator
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
            } else if self.dialect.name == "perl" && byte == b'$' {
                end = self.variable_of_perl(name)?;
            } else {
                return None;
            }
        }
        self.at = end;
        Some(TokenKind::Variable)
    }

    /// Where a variable of Perl ends that is called by a sign: `$<`, `$"`, `$^I`; or `$#` in front of a list in braces. (perldoc, "perlvar")
    fn variable_of_perl(&self, name: usize) -> Option<usize> {
        let is_capital = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_uppercase);
        match self.bytes.get(name) {
            Some(b'{') if name == self.at + 2 && self.bytes.get(name - 1) == Some(&b'#') => {
                Some(name)
            }
            _ if name != self.at + 1 => None,
            Some(b'<' | b'>' | b'"' | b'|' | b'.' | b'\\') => Some(name + 1),
            Some(b'^') if is_capital(name + 1) => Some(name + 2),
            _ => None,
        }
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
}

#[cfg(test)]
mod tests {
    use super::{super::TextPart, *};
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
                "<p>it's</p>; f(); return'x'",
                "< p > it ' s < / p > ; f ( ) ; return «x»",
            ),
            (
                "javascript",
                "<p>{a}</p>; <A b={c}/>; d/e",
                "< p > { a } < / p > ; < A b = { c } / > ; d / e",
            ),
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
