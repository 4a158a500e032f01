//! Substitutions: `$(…)`, backticks, `<(…)`, `${ …; }`, and arithmetic, told apart from commands without reading
//! any text more than a bounded number of times.

use super::cursor::{Closers, END, Parser};
use super::rules::{ARITHMETIC, SUBSCRIPT};
use super::text::Builder;
use super::tree::{PartKind, Statement, UnparsedReason, Word};

/// How often, for each byte of the text, the search for the end of arithmetic may pass over it. Text that people write
/// needs one; more is met only where quotes pair differently from each beginning.
const SEARCHES: usize = 8;

impl Parser<'_> {
    /// `$(…)` or `$((…))`, the cursor on the `$`.
    pub(super) fn dollar_parenthesis(&mut self, out: &mut Builder) {
        let start = self.at;
        self.advance_by(2);
        if self.peek() == b'('
            && let Some(close) = self.arithmetic_end(self.at)
        {
            let inside = self.arithmetic(close);
            return out.push(PartKind::Arithmetic(inside.parts), self.span_from(start));
        }
        let body = self.parenthesized(start);
        out.push(PartKind::CommandSubstitution { body }, self.span_from(start));
    }

    /// `<(…)` or `>(…)`, the cursor on the first byte.
    pub(super) fn process_substitution(&mut self, output: bool, out: &mut Builder) {
        let start = self.at;
        self.advance_by(2);
        let body = self.parenthesized(start);
        out.push(PartKind::ProcessSubstitution { output, body }, self.span_from(start));
    }

    /// The commands up to the `)` of a substitution. Heredocs that wait for a line outside go on waiting, and those
    /// that begin inside and find no line are read before them, as bash does.
    fn parenthesized(&mut self, start: usize) -> Vec<Statement> {
        let waiting = std::mem::take(&mut self.pending);
        let outer = std::mem::replace(&mut self.in_substitution, true);
        let body = self.isolated(Closers::PARENTHESIS);
        if !self.accept(b')') {
            self.unclosed(start);
        }
        self.in_substitution = outer;
        self.pending.extend(waiting);
        body
    }

    /// `${ …; }` or `${| …; }`, the cursor after the `{`.
    pub(super) fn function_substitution(&mut self, start: usize, out: &mut Builder) {
        self.accept(b'|');
        let inside = self.at;
        let waiting = std::mem::take(&mut self.pending);
        let body = self.isolated(Closers::SUBSTITUTION_BRACE);
        let end = self.at;
        if !self.accept(b'}') {
            self.unclosed(start);
        } else if self.ends_early(inside, end) {
            self.unparsed(self.span_from(start), UnparsedReason::Syntax);
        }
        self.pending.extend(waiting);
        out.push(PartKind::CommandSubstitution { body }, self.span_from(start));
    }

    /// Whether a bash before 5.3, for which this is an expansion that it cannot read, takes an earlier `}` for the end and
    /// what stands behind that for commands.
    fn ends_early(&mut self, start: usize, end: usize) -> bool {
        self.spend(end - start.min(end));
        let mut open = 0_usize;
        let mut before = 0;
        for byte in self.slice(start, end).bytes() {
            match byte {
                b'{' if before == b'$' => open += 1,
                b'}' if open == 0 => return true,
                b'}' => open -= 1,
                _ => {}
            }
            before = byte;
        }
        false
    }

    /// The commands up to `closers`, with everything that encloses them out of sight.
    pub(super) fn isolated(&mut self, closers: Closers) -> Vec<Statement> {
        let outer = std::mem::replace(&mut self.enclosing, closers);
        let body = self.deeper(Self::statements);
        self.enclosing = outer;
        body
    }

    /// `` `…` ``, the cursor on the first backtick.
    pub(super) fn backticks(&mut self, out: &mut Builder, in_double: bool) {
        let start = self.at;
        let (close, escaped) = self.backtick_end(start + 1, in_double);
        let body = if escaped {
            self.at = close;
            self.unescaped_backticks(start + 1, close, in_double)
        } else {
            self.advance();
            self.limited(close, Self::whole_text)
        };
        self.peek();
        if !self.accept(b'`') {
            self.unclosed(start);
        }
        out.push(PartKind::CommandSubstitution { body }, self.span_from(start));
    }

    /// Where the closing backtick stands, or the end of the text; and whether a backslash before it goes away.
    fn backtick_end(&mut self, start: usize, in_double: bool) -> (usize, bool) {
        let text = self.text.as_bytes().get(..self.end).unwrap_or_default();
        let mut at = start;
        let mut escaped = false;
        let end = loop {
            match memchr::memchr2(b'`', b'\\', text.get(at..).unwrap_or_default()) {
                None => break text.len(),
                Some(length) if text.get(at + length) == Some(&b'`') => break at + length,
                Some(length) => {
                    escaped |= text
                        .get(at + length + 1)
                        .is_some_and(|&byte| loses_backslash(byte, in_double));
                    at += length + 2;
                }
            }
        };
        self.spend(end - start.min(end));
        (end, escaped)
    }

    fn unescaped_backticks(&mut self, start: usize, end: usize, in_double: bool) -> Vec<Statement> {
        let escaped = self.slice(start, end);
        let mut text = String::with_capacity(escaped.len());
        let mut origin = Vec::with_capacity(escaped.len() + 1);
        let mut push = |character: char, offset: usize| {
            text.push(character);
            origin.extend(
                (offset..offset + character.len_utf8()).map(|at| self.source_offset(start + at)),
            );
        };
        let mut characters = escaped.char_indices();
        while let Some((offset, character)) = characters.next() {
            let next = if character == '\\' { characters.next() } else { None };
            let loses = next.is_some_and(|(_, next)| {
                u8::try_from(next).is_ok_and(|byte| loses_backslash(byte, in_double))
            });
            if !loses {
                push(character, offset);
            }
            if let Some((next_offset, next)) = next {
                push(next, if loses { offset } else { next_offset });
            }
        }
        self.spend(escaped.len());
        origin.push(self.source_offset(end));
        self.with_text(&text, origin.into_boxed_slice(), |parser| parser.whole_text())
    }

    /// Commands up to the end of the text, with all heredocs closed there.
    pub(super) fn whole_text(&mut self) -> Vec<Statement> {
        let waiting = std::mem::take(&mut self.pending);
        let outer = std::mem::replace(&mut self.in_substitution, false);
        let body = self.isolated(Closers::NONE);
        self.read_heredocs();
        self.in_substitution = outer;
        self.pending = waiting;
        body
    }

    /// `$[…]`, the cursor on the `$`.
    pub(super) fn dollar_bracket(&mut self, out: &mut Builder) {
        let start = self.at;
        self.advance_by(2);
        let parts = self.deeper(|parser| parser.parts(Builder::new(), &SUBSCRIPT));
        if !self.accept(b']') {
            self.unclosed(start);
        }
        out.push(PartKind::Arithmetic(parts), self.span_from(start));
    }

    /// The inside of `((…))`, the cursor on the second `(` and `close` its `)`.
    pub(super) fn arithmetic(&mut self, close: usize) -> Word {
        self.advance();
        let start = self.at;
        let mut inside =
            self.limited(close, |parser| parser.deeper(|parser| parser.word(&ARITHMETIC)));
        if inside.parts.is_empty() {
            // Too deep to be read: what stands here is listed as unparsed, the word is empty.
            inside.span = self.span_from(start);
        }
        self.advance_by(2);
        inside
    }

    /// Where the `(` at `open` is closed, when another `)` follows at once: that makes what stands between them
    /// arithmetic. Otherwise the parenthesis begins a subshell, as in bash.
    pub(super) fn arithmetic_end(&mut self, open: usize) -> Option<usize> {
        if !self.parentheses.contains_key(&open) {
            self.match_parentheses(open);
        }
        let close = self.parentheses.get(&open).copied().flatten()?;
        (self.raw(self.past_continuations(close + 1)) == b')').then_some(close)
    }

    /// Finds the `)` of the `(` at `open` and of every parenthesis between, passing over quotes.
    fn match_parentheses(&mut self, open: usize) {
        if self.parenthesis_steps > SEARCHES * self.text.len() {
            return self.halt(UnparsedReason::TooManyNodes);
        }
        let mut scan = Scan { at: open, open: Vec::new() };
        loop {
            let byte = self.raw(scan.at);
            if byte == END {
                break;
            }
            match scan.open.last() {
                Some(Open::Double) => self.scan_double_quoted(byte, &mut scan),
                Some(Open::Brace) if byte == b'}' => scan.close(),
                _ => self.scan_plain(byte, &mut scan),
            }
            if scan.open.is_empty() {
                break;
            }
        }
        for open in scan.open {
            if let Open::Parenthesis(at) = open {
                self.parentheses.insert(at, None);
            }
        }
        let steps = scan.at.min(self.end) - open + 1;
        self.parenthesis_steps += steps;
        self.spend(steps);
    }

    fn scan_plain(&mut self, byte: u8, scan: &mut Scan) {
        match byte {
            b'\\' => scan.at += 2,
            b'\'' => {
                let rest = self.text.as_bytes().get(scan.at + 1..self.end).unwrap_or_default();
                let ansi = scan.at > 0 && self.raw(scan.at - 1) == b'$';
                let length = if ansi {
                    super::quote::ansi_length(rest).0
                } else {
                    memchr::memchr(b'\'', rest).unwrap_or(rest.len())
                };
                scan.at += length + 2;
            }
            b'`' => scan.at = self.backtick_end(scan.at + 1, false).0 + 1,
            b'"' => scan.open(Open::Double, 1),
            b'$' if self.raw(scan.at + 1) == b'{' => scan.open(Open::Brace, 2),
            b'(' => scan.open(Open::Parenthesis(scan.at), 1),
            b')' => match scan.open.last() {
                Some(&Open::Parenthesis(at)) => {
                    self.parentheses.insert(at, Some(scan.at));
                    scan.close();
                }
                _ => scan.at += 1,
            },
            _ => scan.at += 1,
        }
    }

    fn scan_double_quoted(&mut self, byte: u8, scan: &mut Scan) {
        match (byte, self.raw(scan.at + 1)) {
            (b'\\', _) => scan.at += 2,
            (b'"', _) => scan.close(),
            (b'`', _) => scan.at = self.backtick_end(scan.at + 1, true).0 + 1,
            (b'$', b'{') => scan.open(Open::Brace, 2),
            (b'$', b'(') => scan.open(Open::Parenthesis(scan.at + 1), 2),
            _ => scan.at += 1,
        }
    }
}

/// The search for closing parentheses.
struct Scan {
    at: usize,
    open: Vec<Open>,
}

enum Open {
    Parenthesis(usize),
    Brace,
    Double,
}

impl Scan {
    fn open(&mut self, open: Open, length: usize) {
        self.open.push(open);
        self.at += length;
    }

    fn close(&mut self) {
        self.open.pop();
        self.at += 1;
    }
}

/// Whether a backslash before `byte` goes away inside backticks.
fn loses_backslash(byte: u8, in_double: bool) -> bool {
    matches!(byte, b'$' | b'`' | b'\\') || in_double && byte == b'"'
}
