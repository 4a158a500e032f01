//! Where a lowering is in its text, and how much it may still do. Owns the bounds; what a text says is the lowerings' own.

use super::{Expression, ExpressionKind, Opaque};
use crate::{
    Span,
    limits::{DEPTH, NODES, SOURCE_BYTES},
};

/// How many steps one value may be reached by, each of which holds the one before: a tree that is no deeper than what else nests.
const CHAIN: usize = 50;

/// A place in a text.
pub(super) struct Cursor<'s> {
    pub(super) source: &'s str,
    pub(super) at: usize,
    end: usize,
    depth: usize,
    nodes: usize,
    pub(super) opaque: Vec<Opaque>,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        let mut cursor =
            Self { source, at: 0, end: source.len(), depth: 0, nodes: 0, opaque: Vec::new() };
        if source.len() > SOURCE_BYTES {
            let mut end = SOURCE_BYTES;
            while !source.is_char_boundary(end) {
                end -= 1;
            }
            cursor.end = end;
            cursor.opaque.push(Opaque { span: Span::new(end, source.len()), limit: true });
        }
        cursor
    }

    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.at..self.end).unwrap_or("")
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'s str {
        self.source.get(start..end.min(self.end)).unwrap_or("")
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character behind the next one.
    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Goes past `text` where it stands here.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let stands = self.rest().starts_with(text);
        if stands {
            self.at += text.len();
        }
        stands
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Goes on while `holds`; gives what was passed.
    pub(super) fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let length = rest.find(|character| !holds(character)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    /// One level deeper; `false` where that is too deep, and then the rest of the text is not read.
    pub(super) fn enter(&mut self) -> bool {
        self.nodes += 1;
        if self.depth >= DEPTH || self.nodes >= NODES {
            self.give_up();
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Counts one more of what is written on to a value, each of which holds the ones before it; `false` when there are too many,
    /// and then the rest of the text is not read.
    pub(super) fn goes_on(&mut self, steps: &mut usize) -> bool {
        *steps += 1;
        self.nodes += 1;
        let may = *steps < CHAIN && self.nodes < NODES;
        if !may {
            self.give_up();
        }
        may
    }

    /// Ends the text earlier; gives where it ended, for [`Cursor::widen`].
    pub(super) fn narrow(&mut self, end: usize) -> usize {
        let outer = self.end;
        self.end = end.min(outer);
        outer
    }

    /// Ends the text where it did, and goes on from a place.
    pub(super) fn widen(&mut self, outer: usize, at: usize) {
        // Where a limit was met inside, nothing is read behind it.
        if self.nodes < NODES {
            self.end = outer;
        }
        self.at = at.min(self.end);
    }

    fn give_up(&mut self) {
        if !self.is_at_end() {
            self.opaque.push(Opaque { span: Span::new(self.at, self.end), limit: true });
            self.end = self.at;
        }
    }

    /// What stands from `start` to here was not placed.
    pub(super) fn misplaced(&mut self, start: usize) {
        self.opaque.push(Opaque { span: Span::new(start, self.at), limit: false });
    }

    pub(super) fn opaque(&mut self, start: usize) -> Expression {
        self.misplaced(start);
        Expression::new(ExpressionKind::Opaque, start, self.at)
    }
}
