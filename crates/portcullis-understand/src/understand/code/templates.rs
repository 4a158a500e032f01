//! Templates of JavaScript behind a name: commands of zx, execa and Bun, and what a function of the script is given.

use portcullis_syntax::code::{TextPart, TokenKind};

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::text::{Piece, Text};

impl Interpreter<'_, '_, '_> {
    /// A template that is a command: each value in it is one word, and each element of a list.
    pub(super) fn template(&mut self) -> Text {
        let mut command = Text::default();
        let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind) else {
            return command;
        };
        let parts = parts.clone();
        self.at += 1;
        for part in &parts {
            let TextPart::Code(span) = part else {
                command.append(&self.parts(std::slice::from_ref(part)));
                continue;
            };
            let values = match self.fragment(*span) {
                Value::List(list) => list,
                value => vec![value],
            };
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    command.push_known(" ");
                }
                let word = value.text();
                match word.as_known() {
                    Some(known) => {
                        let quoted = format!("'{}'", known.replace('\'', "'\\''"));
                        command.append(&word.derive([Piece::Known(quoted)]));
                    }
                    None => command.append(&word),
                }
            }
        }
        command
    }

    /// What the function in front of a template gets: the list of its texts, then each value.
    pub(super) fn tagged(&mut self) -> Vec<Given> {
        let span = self.span_from(self.at);
        let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind) else {
            return Vec::new();
        };
        let parts = parts.clone();
        self.at += 1;
        let (mut texts, mut values) = (vec![Text::default()], Vec::new());
        for part in &parts {
            match part {
                TextPart::Literal(_) => {
                    let literal = self.parts(std::slice::from_ref(part));
                    if let Some(last) = texts.last_mut() {
                        last.append(&literal);
                    }
                }
                TextPart::Code(inner) => {
                    values.push(self.fragment(*inner));
                    texts.push(Text::default());
                }
            }
        }
        let texts = Value::List(texts.into_iter().map(Value::Text).collect());
        let given = |value: Value| Given { name: None, value, span };
        std::iter::once(texts).chain(values).map(given).collect()
    }
}
