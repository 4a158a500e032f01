//! The tokens of a script as they are read. Owns how one is looked at, passed over and told from others.

use portcullis_syntax::{
    Span,
    code::{Token, TokenKind},
};

use super::Interpreter;

impl<'s> Interpreter<'_, '_, 's> {
    /// The token at `index`, where it may be read.
    pub(in super::super) fn token_at(&self, index: usize) -> Option<&Token> {
        if index < self.end { self.unit.tokens.get(index) } else { None }
    }

    /// The next token's text, empty at the end.
    pub(in super::super) fn word(&self) -> &'s str {
        self.word_at(self.at)
    }

    /// The text of the token at `index`, empty for strings and at the end.
    pub(in super::super) fn word_at(&self, index: usize) -> &'s str {
        match self.token_at(index) {
            Some(Token {
                kind:
                    TokenKind::Name | TokenKind::Variable | TokenKind::Number | TokenKind::Operator,
                span,
                ..
            }) => span.of(self.source),
            _ => "",
        }
    }

    /// Whether the token at `index` is a name.
    pub(in super::super) fn is_name(&self, index: usize) -> bool {
        self.token_at(index).is_some_and(|token| token.kind == TokenKind::Name)
    }

    /// Whether the token at `index` begins a line.
    pub(in super::super) fn is_first(&self, index: usize) -> bool {
        self.token_at(index).is_none_or(|token| token.first)
    }

    /// Takes the next token where it is `word`.
    pub(in super::super) fn accept(&mut self, word: &str) -> bool {
        let found = self.at < self.end && self.word() == word;
        if found {
            self.at += 1;
        }
        found
    }

    /// The index of the bracket that closes the one at `index`; the end where none does.
    pub(in super::super) fn partner(&self, index: usize) -> usize {
        match self.unit.partners.get(index) {
            Some(partner) if *partner > index => (*partner).min(self.end),
            _ => self.end,
        }
    }

    /// From the token at `start` to the one before the next.
    pub(in super::super) fn span_from(&self, start: usize) -> Span {
        let last = self.at.saturating_sub(1).max(start);
        let span = |index: usize| self.unit.tokens.get(index).map(|token| token.span);
        match (span(start), span(last)) {
            (Some(first), Some(last)) => first.to(last),
            _ => Span::default(),
        }
    }

    /// Reads no further than the token at `end`; gives the end before.
    pub(in super::super) fn narrow(&mut self, end: usize) -> usize {
        let narrowed = end.min(self.end);
        std::mem::replace(&mut self.end, narrowed)
    }
}
