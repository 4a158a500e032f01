//! The parser's state and its cursor: one byte at a time, line continuations skipped, limits kept, spans mapped.
//! It does not know any grammar.

use std::collections::BTreeMap;

use super::tree::{Unparsed, UnparsedReason, Word};
use crate::Span;
use crate::limits::{DEPTH, NODES};

/// What [`Parser::peek`] gives where nothing is left; no byte of UTF-8 has this value.
pub(super) const END: u8 = 0xFF;

/// What is gathered beside the tree. It travels through the parsers of unescaped backticks, so that limits hold for all.
#[derive(Default)]
pub(super) struct Record {
    pub(super) unparsed: Vec<Unparsed>,
    pub(super) comments: Vec<Span>,
    pub(super) heredocs: Vec<Option<Word>>,
    nodes: usize,
    depth: usize,
    halted: bool,
    #[cfg(test)]
    pub(super) work: u64,
}

/// What would close the constructs around the cursor, up to the nearest parenthesis or quote.
#[derive(Clone, Copy, Default, Eq, PartialEq)]
pub(super) struct Closers(u16);

impl Closers {
    pub(super) const NONE: Self = Self(0);
    pub(super) const PARENTHESIS: Self = Self(1);
    pub(super) const BRACE: Self = Self(1 << 1);
    pub(super) const THEN: Self = Self(1 << 2);
    pub(super) const ELSE: Self = Self(1 << 3);
    pub(super) const FI: Self = Self(1 << 4);
    pub(super) const DO: Self = Self(1 << 5);
    pub(super) const DONE: Self = Self(1 << 6);
    pub(super) const ESAC: Self = Self(1 << 7);
    pub(super) const ARM: Self = Self(1 << 8);
    /// The `}` of `${ …; }`, which needs nothing after it.
    pub(super) const SUBSTITUTION_BRACE: Self = Self(1 << 9);

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A heredoc whose body has not been read yet.
pub(super) struct Pending {
    /// Where in the record the body belongs.
    pub(super) index: usize,
    /// The line that closes it.
    pub(super) delimiter: Box<str>,
    /// Whether nothing in the body expands.
    pub(super) quoted: bool,
    /// `<<-`
    pub(super) stripped: bool,
}

/// A parser over one text. A backtick substitution with removed backslashes is a text of its own.
pub(super) struct Parser<'s> {
    pub(super) text: &'s str,
    pub(super) at: usize,
    /// Reading stops here: the end of the text, of a heredoc's body, or of a quoted part.
    pub(super) end: usize,
    /// Whether the text has a backslash before a line end anywhere, so that most texts never look for one.
    continued: bool,
    /// Where each byte begins in the source, a removed backslash before it included, and where the last one ends; nothing
    /// when that is where it stands in the text.
    origin: Option<Box<[u32]>>,
    pub(super) record: Record,
    pub(super) enclosing: Closers,
    pub(super) pending: Vec<Pending>,
    /// Inside `$(…)`, where a heredoc's delimiter may be followed by the closing parenthesis.
    pub(super) in_substitution: bool,
    /// For each `(` scanned as arithmetic: its `)`, if it has one.
    pub(super) parentheses: BTreeMap<usize, Option<usize>>,
    pub(super) parenthesis_steps: usize,
    /// Up to here no `[` begins a bracket expression that is plain text.
    pub(super) no_bracket: usize,
    /// Whether that is because an expansion stands inside.
    pub(super) bracket_computed: bool,
}

impl<'s> Parser<'s> {
    pub(super) fn new(text: &'s str, origin: Option<Box<[u32]>>, record: Record) -> Self {
        Self {
            text,
            at: 0,
            end: text.len(),
            continued: memchr::memmem::find(text.as_bytes(), b"\\\n").is_some(),
            origin,
            record,
            enclosing: Closers::NONE,
            pending: Vec::new(),
            in_substitution: false,
            parentheses: BTreeMap::new(),
            parenthesis_steps: 0,
            no_bracket: 0,
            bracket_computed: false,
        }
    }

    /// The byte at `at`, line continuations not looked at.
    #[inline]
    pub(super) fn raw(&self, at: usize) -> u8 {
        if at < self.end { self.text.as_bytes().get(at).copied().unwrap_or(END) } else { END }
    }

    /// The next byte after any line continuations, which are passed over.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        let byte = self.raw(self.at);
        if byte == b'\\' && self.continued { self.peek_past_continuations() } else { byte }
    }

    #[cold]
    fn peek_past_continuations(&mut self) -> u8 {
        self.at = self.past_continuations(self.at);
        self.raw(self.at)
    }

    /// The first offset from `at` on that does not begin a line continuation.
    #[inline]
    pub(super) fn past_continuations(&self, mut at: usize) -> usize {
        while self.continued && self.raw(at) == b'\\' && self.raw(at + 1) == b'\n' {
            at += 2;
        }
        at
    }

    /// The byte after the next one.
    #[inline]
    pub(super) fn second(&self) -> u8 {
        self.raw(self.past_continuations(self.at + 1))
    }

    /// The two bytes after the next one.
    pub(super) fn second_and_third(&self) -> (u8, u8) {
        let second = self.past_continuations(self.at + 1);
        (self.raw(second), self.raw(self.past_continuations(second + 1)))
    }

    /// Passes over the next byte, which must have been peeked at.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Passes over `count` bytes and the line continuations between them.
    pub(super) fn advance_by(&mut self, count: usize) {
        for _ in 0..count {
            self.peek();
            self.at = (self.at + 1).min(self.end);
        }
    }

    /// Whether the next byte is `byte`; if so it is passed over.
    pub(super) fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        if found {
            self.advance();
        }
        found
    }

    /// Passes over one character of any length.
    pub(super) fn advance_character(&mut self) {
        self.at = (self.at + character_length(self.raw(self.at))).min(self.end);
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'s str {
        self.text.get(start..end).unwrap_or("")
    }

    /// The source span of a range of the text.
    #[inline]
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let Some(origin) = &self.origin else { return Span::new(start, end) };
        let place =
            |at: usize| origin.get(at).or(origin.last()).map_or(0, |&offset| offset as usize);
        Span::new(place(start), place(end))
    }

    /// The source span from `start` to the cursor.
    #[inline]
    pub(super) fn span_from(&self, start: usize) -> Span {
        self.span(start, self.at)
    }

    /// Where the byte at `at` stands in the source.
    pub(super) fn source_offset(&self, at: usize) -> u32 {
        self.span(at, at).start
    }

    /// Lists a span that could not be placed. After a limit was met nothing more is listed: the limit's span covers it.
    #[cold]
    pub(super) fn unparsed(&mut self, span: Span, reason: UnparsedReason) {
        if !self.record.halted {
            self.record.unparsed.push(Unparsed { span, reason });
            self.node();
        }
    }

    /// Lists what began at `start` and is not closed before the text ends.
    #[cold]
    pub(super) fn unclosed(&mut self, start: usize) {
        self.unparsed(self.span_from(start), UnparsedReason::Unclosed);
    }

    /// Counts a node of the tree.
    #[inline]
    pub(super) fn node(&mut self) {
        self.record.nodes += 1;
        if self.record.nodes > NODES {
            self.halt(UnparsedReason::TooManyNodes);
        }
    }

    /// Runs `read` one level deeper, or gives up where that is too deep.
    pub(super) fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.record.depth >= DEPTH {
            self.halt(UnparsedReason::TooDeep);
            return T::default();
        }
        self.record.depth += 1;
        let tree = read(self);
        self.record.depth -= 1;
        tree
    }

    /// How many levels are left.
    pub(super) fn levels_left(&self) -> usize {
        DEPTH.saturating_sub(self.record.depth)
    }

    /// Stops reading: everything from here on is one unparsed span.
    #[cold]
    pub(super) fn halt(&mut self, reason: UnparsedReason) {
        if !self.record.halted {
            let span = self.span(self.at.min(self.text.len()), self.text.len());
            self.record.unparsed.push(Unparsed { span, reason });
            self.record.halted = true;
        }
        self.end = self.at;
    }

    /// Runs `read` with the text ending at `end`.
    pub(super) fn limited<T>(&mut self, end: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.end;
        self.end = end.min(outer);
        let tree = read(self);
        self.end = if self.record.halted { self.at } else { outer };
        tree
    }

    /// Parses another text, whose bytes stand in the source where `origin` says, with the same limits.
    pub(super) fn with_text<T>(
        &mut self,
        text: &str,
        origin: Box<[u32]>,
        read: impl FnOnce(&mut Parser<'_>) -> T,
    ) -> T {
        let mut inner = Parser::new(text, Some(origin), std::mem::take(&mut self.record));
        let tree = read(&mut inner);
        let reason = inner.record.unparsed.last().map(|unparsed| unparsed.reason);
        self.record = inner.record;
        if self.record.halted {
            let span = self.span(self.at, self.text.len());
            let reason = reason.unwrap_or(UnparsedReason::TooDeep);
            self.record.unparsed.push(Unparsed { span, reason });
            self.end = self.at;
        }
        tree
    }

    /// Counts work, so that a test can see that it grows with the text and no faster.
    #[inline]
    pub(super) fn spend(&mut self, _steps: usize) {
        #[cfg(test)]
        {
            self.record.work += _steps as u64;
        }
    }

    /// Passes over blanks and a comment.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        self.spend(1);
        loop {
            match self.peek() {
                b' ' | b'\t' => {
                    self.advance();
                    self.spend(1);
                }
                b'#' => return self.skip_comment(),
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..self.end).unwrap_or_default();
        self.at = memchr::memchr(b'\n', rest).map_or(self.end, |length| start + length);
        self.spend(self.at - start);
        let span = self.span_from(start);
        self.record.comments.push(span);
        self.node();
    }

    /// Passes over blanks, comments and line ends, reading heredocs after each line end. Says whether there was one.
    pub(super) fn skip_lines(&mut self) -> bool {
        let mut any = false;
        loop {
            self.skip_blanks();
            if self.peek() != b'\n' {
                return any;
            }
            any = true;
            self.advance();
            if !self.pending.is_empty() {
                self.read_heredocs();
            }
        }
    }
}

/// How many bytes the character has that begins with `byte`.
pub(super) fn character_length(byte: u8) -> usize {
    match byte {
        0xF0..=0xFF => 4,
        0xE0..=0xEF => 3,
        0xC0..=0xDF => 2,
        _ => 1,
    }
}

/// Whether `byte` ends a word.
#[inline]
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' | END)
}

/// Whether `byte` can begin a name.
#[inline]
pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether `byte` can stand in a name.
#[inline]
pub(super) fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
