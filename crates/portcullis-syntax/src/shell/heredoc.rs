//! Heredocs: the delimiter where the redirection stands, the body after the line, and how it gets into the tree.

use super::cursor::{END, Parser, Pending, character_length, ends_word};
use super::quote;
use super::rules::{ARGUMENT, HEREDOC, HEREDOC_STRIPPED};
use super::text::{Builder, TextKind};
use super::tree::{Part, PartKind, Word};
use crate::Span;

impl Parser<'_> {
    /// Reads the delimiter at the cursor. The body is read after the line; what is returned beside the delimiter stands
    /// for it until then.
    pub(super) fn heredoc_delimiter(&mut self, stripped: bool) -> Option<(Word, Word)> {
        self.peek();
        let start = self.at;
        let mut parts = Builder::new();
        let mut quoted = false;
        loop {
            let byte = self.peek();
            let at = self.at;
            match byte {
                b'\\' => {
                    quoted = true;
                    let next = self.raw(at + 1);
                    let length = if next == END { 0 } else { character_length(next) };
                    self.at = at + 1 + length;
                    parts.text(TextKind::Quoted, self.slice(at + 1, self.at), self.span_from(at));
                }
                b'\'' | b'"' => {
                    quoted = true;
                    self.delimiter_quote(byte, at, &mut parts);
                }
                b'$' if matches!(self.second(), b'\'' | b'"') => {
                    quoted = true;
                    if self.second() == b'\'' {
                        self.ansi_quoted(&mut parts);
                    } else {
                        self.advance();
                        self.peek();
                        self.delimiter_quote(b'"', at, &mut parts);
                    }
                }
                b'$' if matches!(self.second(), b'(' | b'{' | b'[') => {
                    self.verbatim(at, &mut parts)
                }
                b'`' => self.verbatim(at, &mut parts),
                b'<' | b'>' if self.second() == b'(' => self.verbatim(at, &mut parts),
                _ if ends_word(byte) => break,
                _ => {
                    self.advance_character();
                    parts.text(TextKind::Literal, self.slice(at, self.at), self.span_from(at));
                }
            }
        }
        if self.at == start {
            return None;
        }
        self.node();
        self.spend(self.at - start);
        let target = Word { parts: parts.finish(), span: self.span_from(start) };
        let delimiter = target.parts.iter().fold(String::new(), |mut text, part| {
            if let PartKind::Literal(piece) | PartKind::Quoted(piece) = &part.kind {
                text.push_str(piece);
            }
            text
        });
        let index = self.record.heredocs.len();
        self.record.heredocs.push(None);
        self.pending.push(Pending {
            index,
            delimiter: delimiter.into_boxed_str(),
            quoted,
            stripped,
        });
        Some((target, Word { parts: Vec::new(), span: Span::new(index, index) }))
    }

    fn delimiter_quote(&mut self, quote: u8, start: usize, parts: &mut Builder) {
        self.advance();
        let open = self.at;
        let rest = self.text.as_bytes().get(open..self.end).unwrap_or_default();
        let mut length = 0;
        while let Some(&byte) = rest.get(length)
            && byte != quote
        {
            length += if byte == b'\\' && quote == b'"' { 2 } else { 1 };
        }
        let length = length.min(rest.len());
        let inside = self.slice(open, open + length);
        self.at = open + length;
        if !self.accept(quote) {
            self.unclosed(start);
        }
        let text = if quote == b'"' { &*quote::double_decoded(inside) } else { inside };
        parts.text(TextKind::Quoted, text, self.span_from(start));
    }

    /// A substitution in a delimiter: it does not run and stands for its own text.
    fn verbatim(&mut self, start: usize, parts: &mut Builder) {
        let mut discarded = Builder::new();
        match self.raw(start) {
            b'`' => self.backticks(&mut discarded, false),
            b'$' => self.dollar(&mut discarded, &ARGUMENT),
            byte => self.process_substitution(byte == b'>', &mut discarded),
        }
        parts.text(TextKind::Literal, self.slice(start, self.at), self.span_from(start));
    }

    /// Reads the bodies that wait, the cursor at the beginning of a line. The end of the text closes a heredoc too.
    pub(super) fn read_heredocs(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let (end, next) = self.heredoc_end(&pending);
            let parts = if pending.quoted {
                self.verbatim_body(start, end, pending.stripped)
            } else {
                let rules = if pending.stripped { &HEREDOC_STRIPPED } else { &HEREDOC };
                self.limited(end, |parser| {
                    parser.deeper(|parser| parser.parts(Builder::new(), rules))
                })
            };
            let body = Word { parts, span: self.span(start, end) };
            if let Some(place) = self.record.heredocs.get_mut(pending.index) {
                *place = Some(body);
            }
            self.at = next.max(self.at).min(self.end);
        }
    }

    fn verbatim_body(&mut self, start: usize, end: usize, stripped: bool) -> Vec<Part> {
        if start >= end {
            return Vec::new();
        }
        self.node();
        let text = self.slice(start, end);
        let text: Box<str> = if stripped {
            text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
        } else {
            text.into()
        };
        vec![Part { kind: PartKind::Quoted(text), span: self.span(start, end) }]
    }

    /// Where the body ends and where reading goes on.
    fn heredoc_end(&mut self, pending: &Pending) -> (usize, usize) {
        let start = self.at;
        let mut line = start;
        let found = loop {
            if line >= self.end {
                break (self.end, self.end);
            }
            let mut at = line;
            while pending.stripped && self.raw(at) == b'\t' {
                at += 1;
            }
            if let Some(after) = self.delimiter_at(at, pending) {
                match self.raw(after) {
                    b'\n' => break (line, after + 1),
                    END => break (line, after),
                    _ if self.in_substitution && self.closes_on_line(after) => break (line, after),
                    _ => {}
                }
            }
            line = self.line_end(at, pending.quoted);
        };
        self.spend(found.1 - start + 1);
        found
    }

    /// Where the delimiter ends that stands at `at`. Line continuations in a body that expands go away first.
    fn delimiter_at(&self, mut at: usize, pending: &Pending) -> Option<usize> {
        let joins = !pending.quoted;
        for &byte in pending.delimiter.as_bytes() {
            if joins {
                at = self.past_continuations(at);
            }
            if self.raw(at) != byte {
                return None;
            }
            at += 1;
        }
        Some(if joins { self.past_continuations(at) } else { at })
    }

    fn closes_on_line(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..self.end).unwrap_or_default();
        rest.iter().take_while(|&&byte| byte != b'\n').any(|&byte| byte == b')')
    }

    /// Where the next line begins. In a body that expands, a line that ends with a backslash goes on.
    fn line_end(&self, start: usize, quoted: bool) -> usize {
        let text = self.text.as_bytes().get(..self.end).unwrap_or_default();
        let mut at = start;
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'\n', rest) else { return self.end };
            let line = rest.get(..length).unwrap_or_default();
            at += length + 1;
            let backslashes = line.iter().rev().take_while(|&&byte| byte == b'\\').count();
            if quoted || backslashes % 2 == 0 {
                return at;
            }
        }
    }
}
