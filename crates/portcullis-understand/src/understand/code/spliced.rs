//! Unknown values that a shell puts into code outside of its strings. Owns where one can be taken for a value; anywhere else
//! it is code that cannot be known.

use portcullis_syntax::code::{Token, TokenKind};

use super::interpreter::Interpreter;
use crate::effect::{GapReason, stands_for};

/// Words that a value stands after.
const BEFORE: &[&str] = &[
    "and", "assert", "case", "echo", "elif", "eq", "ge", "gt", "if", "in", "is", "le", "lt", "ne",
    "not", "or", "print", "printf", "puts", "return", "say", "unless", "until", "while", "yield",
];

/// Operators that no value stands after, or that only stand between statements.
const NOT_BEFORE: &[&str] =
    &[";", "{", "}", ")", "]", ".", "?.", "::", "->", "|>", "@", "\\", "++", "--", "=>"];

/// What makes code of a value that stands before it.
const NOT_AFTER: &[&str] = &["(", ".", "?.", "::", "->", "=", ":=", "@", "\\", "=>"];

/// Whether a name is nothing but unknown values.
pub(super) fn is_stand_in(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|character| stands_for(character).is_some())
}

impl Interpreter<'_, '_, '_> {
    /// Says that unknown code stands among `tokens`, which are a script or an `expression`.
    pub(super) fn spliced(&mut self, tokens: &[Token], expression: bool) {
        let mut open = usize::from(expression);
        for (index, token) in tokens.iter().enumerate() {
            let text = token.span.of(self.source);
            match token.kind {
                TokenKind::Operator => match text {
                    "(" | "[" | "{" => open += 1,
                    ")" | "]" | "}" => open = open.saturating_sub(1),
                    _ => {}
                },
                TokenKind::Name | TokenKind::Number if text.is_ascii() => {}
                TokenKind::Name | TokenKind::Number => {
                    let before = index.checked_sub(1).and_then(|before| tokens.get(before));
                    let is_value = is_stand_in(text)
                        && self.value_follows(before, token, open > 0, expression)
                        && self.value_ends(tokens.get(index + 1));
                    if !is_value && text.chars().any(|character| stands_for(character).is_some()) {
                        self.walk.gap(token.span, GapReason::UnknownCode);
                    }
                }
                _ => {}
            }
        }
    }

    fn value_follows(
        &self,
        before: Option<&Token>,
        token: &Token,
        inside: bool,
        expression: bool,
    ) -> bool {
        let Some(before) = before else { return expression };
        let text = before.span.of(self.source);
        match before.kind {
            _ if token.first && !inside => false,
            TokenKind::Operator if text == ":" => inside,
            TokenKind::Operator => !NOT_BEFORE.contains(&text) || text == "=>" && inside,
            TokenKind::Name => BEFORE.contains(&text),
            _ => false,
        }
    }

    fn value_ends(&self, next: Option<&Token>) -> bool {
        next.is_none_or(|next| match next.kind {
            _ if next.first => true,
            TokenKind::Operator => !NOT_AFTER.contains(&next.span.of(self.source)),
            TokenKind::Name => next.spaced,
            _ => false,
        })
    }
}
