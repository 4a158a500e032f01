//! Literals of text. Owns what is put into them.

use std::rc::Rc;

use portcullis_syntax::{
    Span,
    code::{TextPart, TokenKind},
};

use super::super::{
    interpreter::{Interpreter, Unit},
    value::{ALTERNATIVES, Value},
};
use crate::text::Text;

impl Interpreter<'_, '_, '_> {
    pub(super) fn texts(&mut self) -> Value {
        if self.language == "javascript"
            && let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind)
            && parts.iter().any(|part| matches!(part, TextPart::Code(_)))
        {
            let parts = parts.clone();
            self.at += 1;
            return self.each_text(&parts);
        }
        let mut text = Text::default();
        while let Some(TokenKind::Text(parts)) = self.token_at(self.at).map(|token| &token.kind) {
            let parts = parts.clone();
            self.at += 1;
            text.append(&self.parts(&parts));
            if !matches!(self.language, "python" | "ruby" | "java" | "awk" | "julia")
                || !self.continues()
            {
                break;
            }
        }
        Value::Text(text)
    }

    /// A template: where a part of it is one of several texts, it is one of several.
    fn each_text(&mut self, parts: &[TextPart]) -> Value {
        let mut texts = vec![Text::default()];
        for part in parts {
            let TextPart::Code(span) = part else {
                let literal = self.parts(std::slice::from_ref(part));
                texts.iter_mut().for_each(|text| text.append(&literal));
                continue;
            };
            let value = self.fragment(*span);
            let value = self.written(&value, *span).unwrap_or(value);
            let several = match &value {
                Value::Any(several)
                    if several.len() * texts.len() <= ALTERNATIVES
                        && several
                            .iter()
                            .all(|it| matches!(it, Value::Text(_) | Value::Number(_))) =>
                {
                    several.iter().map(Value::text).collect()
                }
                value => vec![value.text()],
            };
            let joined = texts.iter().flat_map(|text| {
                several.iter().map(|more| {
                    let mut text = text.clone();
                    text.append(more);
                    text
                })
            });
            texts = joined.collect();
        }
        let each = texts.into_iter().map(Value::Text);
        each.reduce(Value::or).unwrap_or_else(|| Value::known(""))
    }

    /// The value of a string with its computed stretches.
    pub(in super::super) fn parts(&mut self, parts: &[TextPart]) -> Text {
        let mut text = Text::default();
        for part in parts {
            match part {
                TextPart::Literal(literal) => {
                    self.spend(literal.len() / 32);
                    text.append(&self.walk.disembed(literal));
                }
                TextPart::Code(span) => {
                    let value = self.fragment(*span);
                    let value = self.written(&value, *span).unwrap_or(value);
                    match &value {
                        Value::List(list) if matches!(self.language, "perl" | "julia") => {
                            for (index, value) in list.iter().enumerate() {
                                if index > 0 {
                                    text.push_known(" ");
                                }
                                text.append(&value.text());
                            }
                        }
                        value => text.append(&value.text()),
                    }
                }
            }
        }
        text
    }

    /// The value of an expression that stands inside a string.
    pub(in super::super) fn fragment(&mut self, span: Span) -> Value {
        if !self.sink() {
            return Value::unknown("a value");
        }
        let (unit, _) = Unit::new(self.source, span, self.dialect);
        self.spliced(&unit.tokens, true);
        let end = unit.tokens.len();
        let value = self.within(Rc::new(unit), 0..end, |inner| inner.expression(0));
        self.rise();
        value
    }
}
