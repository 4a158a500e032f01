//! Words: literal text, quotes, globs, braces and tildes. What begins with `$` or a backtick is read in
//! [`super::expansion`] and [`super::substitution`].

use super::cursor::{END, Parser, character_length, ends_word};
use super::quote;
use super::rules::{ALTERNATIVE, DOUBLE_QUOTED, Ending, PAIRED, Rules, Single};
use super::text::{Builder, TextKind};
use super::tree::{Part, PartKind, UnparsedReason, Word};

impl Parser<'_> {
    /// Reads a word at the cursor; it is empty where none stands there.
    pub(super) fn word(&mut self, rules: &Rules) -> Word {
        self.peek();
        self.word_after(self.at, Builder::new(), rules)
    }

    /// Reads on with a word whose first parts were read already.
    pub(super) fn word_after(&mut self, start: usize, parts: Builder, rules: &Rules) -> Word {
        self.node();
        let parts = self.parts(parts, rules);
        Word { parts, span: self.span_from(start) }
    }

    /// Reads parts up to what ends this kind of text, which is left at the cursor.
    pub(super) fn parts(&mut self, mut out: Builder, rules: &Rules) -> Vec<Part> {
        let mut counted = 0;
        let mut nested = 0;
        let begin = self.at;
        if rules.strip_tabs {
            self.strip_tabs();
        }
        loop {
            self.run(&mut out, rules);
            for _ in counted..out.parts.len() {
                self.node();
            }
            counted = out.parts.len();
            let byte = self.peek();
            if byte == END || self.structure(byte, &mut out, rules, &mut nested) {
                break;
            }
        }
        if nested > 0 && rules.ending == Ending::Regex {
            self.unclosed(begin);
        }
        out.finish()
    }

    /// Takes plain text.
    #[inline]
    fn run(&mut self, out: &mut Builder, rules: &Rules) {
        let rest = self.text.as_bytes().get(self.at..self.end).unwrap_or_default();
        let length = rest.iter().position(|&byte| !rules.is_plain(byte)).unwrap_or(rest.len());
        self.spend(length + 1);
        if length > 0 {
            let start = self.at;
            self.at += length;
            out.text(rules.text, self.slice(start, self.at), self.span_from(start));
        }
    }

    /// Reads what a byte that is not plain begins. Says whether it ends the text.
    fn structure(
        &mut self,
        byte: u8,
        out: &mut Builder,
        rules: &Rules,
        nested: &mut usize,
    ) -> bool {
        match byte {
            b'\\' => self.backslash(out, rules),
            b'$' => self.dollar(out, rules),
            b'`' => self.backticks(out, rules.in_double),
            b'\'' => self.single_quote(out, rules),
            b'"' if rules.ending == Ending::Quote => return true,
            b'"' if rules.double => self.double_quoted(self.at, out),
            b'(' if self.begins_extended_glob(out, rules) => {
                let operator = out.take_operator(self.source_offset(self.at - 1)).unwrap_or('@');
                self.extended_glob(operator, self.at - 1, out);
            }
            b'(' if self.begins_group(rules) => self.extended_glob('@', self.at, out),
            b'<' | b'>' if self.second() == b'(' => {
                self.process_substitution(byte == b'>', out);
            }
            b'*' | b'?' if rules.globs() => return self.wildcard(byte, out, rules),
            b'[' if rules.globs() => self.bracket(out, rules),
            b'~' => self.tilde(out, rules),
            b'{' | b'}' | b',' if rules.braces => self.brace(byte, out),
            b'\n' if rules.strip_tabs => {
                self.one(out, rules.text);
                self.strip_tabs();
            }
            _ => {
                if ends(rules.ending, byte, nested) {
                    return true;
                }
                self.one(out, rules.text);
            }
        }
        false
    }

    /// Takes one byte as text.
    fn one(&mut self, out: &mut Builder, kind: TextKind) {
        let start = self.at;
        self.advance();
        out.text(kind, self.slice(start, self.at), self.span_from(start));
    }

    fn strip_tabs(&mut self) {
        while self.raw(self.at) == b'\t' {
            self.advance();
        }
    }

    fn backslash(&mut self, out: &mut Builder, rules: &Rules) {
        let start = self.at;
        let next = self.raw(start + 1);
        let escapes = match rules.ending {
            _ if next == END => false,
            Ending::Quote | Ending::Limit => {
                matches!(next, b'$' | b'`' | b'\\') || next == b'"' && rules.ending == Ending::Quote
            }
            _ => !rules.in_double || matches!(next, b'$' | b'`' | b'\\' | b'"' | b'}'),
        };
        if escapes {
            self.at = (start + 1 + character_length(next)).min(self.end);
            out.text(TextKind::Quoted, self.slice(start + 1, self.at), self.span_from(start));
        } else {
            self.one(out, rules.text);
        }
    }

    fn single_quote(&mut self, out: &mut Builder, rules: &Rules) {
        if rules.single == Single::Text {
            return self.one(out, rules.text);
        }
        let start = self.at;
        let rest = self.text.as_bytes().get(start + 1..self.end).unwrap_or_default();
        let close = memchr::memchr(b'\'', rest).map(|length| start + 1 + length);
        let end = close.unwrap_or(self.end);
        self.spend(end - start);
        match rules.single {
            Single::Pairs => {
                self.one(out, TextKind::Quoted);
                let Some(close) = close else { return self.unclosed(start) };
                let parts = self.limited(close, |parser| parser.parts(Builder::new(), &PAIRED));
                out.extend(parts);
                if self.peek() == b'\'' {
                    self.one(out, TextKind::Quoted);
                }
            }
            Single::Quotes | Single::Text => {
                self.at = if close.is_some() { end + 1 } else { end };
                out.text(TextKind::Quoted, self.slice(start + 1, end), self.span_from(start));
                if close.is_none() {
                    self.unclosed(start);
                }
            }
        }
    }

    /// `$'…'`, the cursor on the `$`.
    pub(super) fn ansi_quoted(&mut self, out: &mut Builder) {
        let start = self.at;
        let text = self.ansi_text();
        out.text(TextKind::Quoted, &text, self.span_from(start));
    }

    /// `$'…'` where single quotes do not quote: bash decodes it, and then expands what it stands for.
    pub(super) fn ansi_expanded(&mut self, out: &mut Builder) {
        let start = self.at;
        let text = self.ansi_text();
        if memchr::memchr2(b'$', b'`', text.as_bytes()).is_none() {
            return out.text(TextKind::Quoted, &text, self.span_from(start));
        }
        let whole = self.span_from(start);
        let mut origin = vec![whole.start; text.len()];
        origin.push(whole.end);
        let origin = origin.into_boxed_slice();
        let parts = self.deeper(|parser| {
            parser.with_text(&text, origin, |inner| inner.parts(Builder::new(), &PAIRED))
        });
        out.extend(parts);
    }

    fn ansi_text(&mut self) -> String {
        let start = self.at;
        self.advance_by(2);
        let text = self.text.as_bytes().get(self.at..self.end).unwrap_or_default();
        let (length, closed) = quote::ansi_length(text);
        let inside = self.slice(self.at, self.at + length);
        self.spend(length);
        self.at += length;
        if closed {
            self.advance();
        } else {
            self.unclosed(start);
        }
        quote::ansi_decoded(inside)
    }

    /// `"…"`, the cursor on the quote and `start` on a `$` before it, if there is one.
    pub(super) fn double_quoted(&mut self, start: usize, out: &mut Builder) {
        self.advance();
        let parts = self.deeper(|parser| parser.parts(Builder::new(), &DOUBLE_QUOTED));
        if !self.accept(b'"') {
            self.unclosed(start);
        }
        out.push(PartKind::DoubleQuoted(parts), self.span_from(start));
    }

    fn begins_extended_glob(&self, out: &Builder, rules: &Rules) -> bool {
        rules.globs()
            && rules.extended
            && out.tail().ends_with(['@', '+', '!'])
            && matches!(self.raw(self.at - 1), b'@' | b'+' | b'!')
            && !(rules.command && out.is_literal() && self.empty_parentheses(self.at))
    }

    /// Whether names stand between parentheses within a word that is no command: `src/app/(shop)/page.tsx`. For bash that is an error and nothing of
    /// it runs; zsh takes any of them. (zshexpn(1), "Glob Operators")
    fn begins_group(&self, rules: &Rules) -> bool {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.|".contains(&byte);
        if !rules.globs() || rules.command || rules.ending != Ending::Word || self.at == 0 {
            return false;
        }
        let before = self.raw(self.at - 1);
        let mut end = self.at + 1;
        while is_of_name(self.raw(end)) && end < self.end {
            end += 1;
        }
        (before == b'/' || before.is_ascii_alphanumeric() || b"_-.".contains(&before))
            && end > self.at + 1
            && self.raw(end) == b')'
    }

    /// Whether `()` stands at `at`, blanks between them not minded: what makes a name the name of a function.
    fn empty_parentheses(&self, at: usize) -> bool {
        let mut next = self.past_continuations(at + 1);
        while matches!(self.raw(next), b' ' | b'\t') {
            next = self.past_continuations(next + 1);
        }
        self.raw(next) == b')'
    }

    /// `*` or `?`. Says whether the word ends before the parenthesis that follows.
    fn wildcard(&mut self, byte: u8, out: &mut Builder, rules: &Rules) -> bool {
        let start = self.at;
        if self.second() == b'(' {
            let function = rules.command && out.is_literal() && self.empty_parentheses(start + 1);
            if function || !rules.extended {
                self.one(out, TextKind::Literal);
                return true;
            }
            self.advance();
            self.peek();
            self.extended_glob(char::from(byte), start, out);
            return false;
        }
        self.advance();
        while matches!(self.raw(self.at), b'*' | b'?') && self.raw(self.at + 1) != b'(' {
            self.advance();
        }
        out.push(PartKind::Glob(self.slice(start, self.at).into()), self.span_from(start));
        false
    }

    /// The alternatives of an extended glob, the cursor on the `(`.
    fn extended_glob(&mut self, operator: char, start: usize, out: &mut Builder) {
        self.advance();
        let mut alternatives = Vec::new();
        self.deeper(|parser| {
            loop {
                alternatives.push(parser.parts(Builder::new(), &ALTERNATIVE));
                if !parser.accept(b'|') {
                    break;
                }
                parser.node();
            }
        });
        if !self.accept(b')') {
            self.unclosed(start);
        }
        out.push(PartKind::ExtendedGlob { operator, alternatives }, self.span_from(start));
    }

    /// `[…]`: one part where it is plain text up to its `]`.
    fn bracket(&mut self, out: &mut Builder, rules: &Rules) {
        let start = self.at;
        if start >= self.no_bracket
            && let Some(end) = self.bracket_end(rules.ending)
        {
            self.at = end;
            return out.push(PartKind::Glob(self.slice(start, end).into()), self.span_from(start));
        }
        if self.bracket_computed {
            self.advance();
            out.push(PartKind::Glob("[".into()), self.span_from(start));
        } else {
            self.one(out, rules.text);
        }
    }

    /// Where the bracket expression at the cursor ends. Where it does not, what was seen is remembered, so that
    /// no text is searched twice.
    fn bracket_end(&mut self, ending: Ending) -> Option<usize> {
        let start = self.at;
        let mut at = start + 1;
        if matches!(self.raw(at), b'!' | b'^') {
            at += 1;
        }
        if self.raw(at) == b']' {
            at += 1;
        }
        let found = loop {
            match self.raw(at) {
                b']' => break Some(at + 1),
                b'\\' => at += 2,
                b'\'' | b'"' => {
                    let quote = self.raw(at);
                    let rest = self.text.as_bytes().get(at + 1..self.end).unwrap_or_default();
                    let length = rest.iter().position(|&byte| {
                        byte == quote || quote == b'"' && matches!(byte, b'$' | b'`' | b'\\')
                    });
                    match length {
                        Some(length) if rest.get(length) == Some(&quote) => at += length + 2,
                        _ => break None,
                    }
                }
                b'$' | b'`' | END => break None,
                b'[' if matches!(self.raw(at + 1), b':' | b'.' | b'=') => {
                    let kind = self.raw(at + 1);
                    let mut close = at + 2;
                    while self.raw(close).is_ascii_lowercase() {
                        close += 1;
                    }
                    let closes = self.raw(close) == kind && self.raw(close + 1) == b']';
                    at = if closes { close + 2 } else { at + 1 };
                }
                byte if ends_word(byte) && ending == Ending::Word => break None,
                b'}' if matches!(ending, Ending::Operand | Ending::Pattern) => break None,
                b'/' if ending == Ending::Pattern => break None,
                b'|' | b')' if ending == Ending::Alternative => break None,
                byte => at += character_length(byte),
            }
        };
        self.spend(at.min(self.end) - start);
        if found.is_none() {
            self.no_bracket = at;
            self.bracket_computed = matches!(self.raw(at), b'$' | b'`' | b'"' | b'\'');
        }
        found.filter(|&end| end <= self.end)
    }

    fn tilde(&mut self, out: &mut Builder, rules: &Rules) {
        let start = self.at;
        let tail = out.tail();
        let begins = out.is_empty()
            || rules.tilde_after_colon && tail.ends_with(':')
            || rules.braces && out.is_literal() && tail.strip_suffix('=').is_some_and(is_name);
        let mut end = start + 1;
        while matches!(self.raw(end), b'-' | b'.' | b'+' | b'_')
            || self.raw(end).is_ascii_alphanumeric()
        {
            end += 1;
        }
        self.spend(end - start);
        let next = self.raw(end);
        let expands = begins
            && (next == b'/' || ends_word(next) || next == b':' && rules.tilde_after_colon)
            || begins && next == b'}' && rules.ending == Ending::Operand;
        if expands {
            self.at = end;
            out.push(PartKind::Tilde(self.slice(start + 1, end).into()), self.span_from(start));
        } else {
            self.one(out, rules.text);
        }
    }

    fn brace(&mut self, byte: u8, out: &mut Builder) {
        let start = self.at;
        let next = self.second();
        let span = self.span(start, start + 1);
        match byte {
            b'{' if next == b'}' => {
                self.one(out, TextKind::Literal);
                self.peek();
                self.one(out, TextKind::Literal);
            }
            b'{' if !ends_word(next) || matches!(next, b'<' | b'>') => {
                if out.open_braces() >= self.levels_left() {
                    return self.halt(UnparsedReason::TooDeep);
                }
                self.advance();
                out.open_brace(span);
            }
            b',' if out.in_brace() => {
                self.advance();
                out.comma(span);
            }
            b'}' if out.in_brace() => {
                self.advance();
                out.close_brace(span);
            }
            _ => self.one(out, TextKind::Literal),
        }
    }
}

/// Whether `byte`, which is not plain, ends the text; nesting is counted where it does not.
fn ends(ending: Ending, byte: u8, nested: &mut usize) -> bool {
    let (opens, closes) = match (ending, byte) {
        (Ending::Word, _) => return ends_word(byte),
        (Ending::Regex, b'(') => (true, false),
        (Ending::Regex, b')') => (false, true),
        (Ending::Regex, b'|') => return false,
        (Ending::Regex, _) => return *nested == 0 && ends_word(byte),
        (Ending::Operand | Ending::Pattern | Ending::Slice, b'}') | (Ending::Pattern, b'/') => {
            return true;
        }
        (Ending::Slice, b'(' | b'?') => (true, false),
        (Ending::Slice, b')') if *nested == 0 => return false,
        (Ending::Slice, b')' | b':') => (false, true),
        (Ending::Subscript, b'[') | (Ending::Alternative, b'(') => (true, false),
        (Ending::Subscript, b']') | (Ending::Alternative, b')') => (false, true),
        (Ending::Alternative, b'|') => return *nested == 0,
        _ => return false,
    };
    if closes && *nested == 0 {
        return true;
    }
    *nested = if opens { *nested + 1 } else { *nested - usize::from(closes) };
    false
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(super::cursor::continues_name)
}
