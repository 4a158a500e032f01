//! What a condition says of a name while its body is read: `if name == "__pycache__": …`. Owns which conditions say it and how long it holds.

use std::ops::Range;

use portcullis_syntax::code::{TextPart, TokenKind};

use super::{binding::is_listing, interpreter::Interpreter, value::Value};
use crate::text::Text;

/// How many tokens of a condition are looked at.
const CONDITION: usize = 48;

/// A name that is one of a few texts while a body is read.
#[derive(Debug)]
pub(super) struct Learned {
    /// The tokens in which that holds.
    within: Range<usize>,
    name: String,
    /// What it was before, and is afterwards.
    before: Value,
    /// What the condition says that it is: something else was assigned in the body.
    said: Vec<String>,
}

impl Learned {
    /// `name` is `value` in these tokens, and `before` outside of them.
    pub(super) fn new(within: Range<usize>, name: String, before: Value, value: &Value) -> Self {
        Self { within, name, before, said: shown(value) }
    }
}

fn shown(value: &Value) -> Vec<String> {
    value.clone().alternatives().iter().map(|one| one.text().display()).collect()
}

impl Interpreter<'_, '_, '_> {
    /// Takes what the condition behind the keyword at `start` says of names of which nothing else is known.
    pub(super) fn learn(&mut self, start: usize) {
        let Some((condition, end)) = self.condition(start) else { return };
        for part in self.conjuncts(condition) {
            let Some((name, is_name_of, texts)) = self.compared(part) else { continue };
            let Some(before) = self.bound(&name) else { continue };
            let Value::Text(text) = &before else { continue };
            if text.as_known().is_some() || is_name_of && !is_listing(text) {
                continue;
            }
            let text = text.clone();
            let one = |known: &String| match is_name_of {
                true => {
                    let mut below = text.clone();
                    below.push_known("/");
                    below.push_known(known);
                    Value::Text(below)
                }
                false => Value::Text(Text { taint: text.taint, ..Text::known(known.as_str()) }),
            };
            let Some(value) = texts.iter().map(one).reduce(Value::or) else { continue };
            self.learned.push(Learned::new(start..end, name.clone(), before, &value));
            self.variables.insert(name, value);
        }
    }

    /// Forgets what held in bodies that were left.
    pub(super) fn unlearn(&mut self) {
        while let Some(last) = self.learned.pop_if(|last| !last.within.contains(&self.at)) {
            let now = self.variables.remove(&last.name).filter(|now| shown(now) != last.said);
            let value = match now {
                Some(assigned) => last.before.or(assigned),
                None => last.before,
            };
            self.variables.insert(last.name, value);
        }
    }

    /// The tokens of a condition, and where the body behind it ends.
    fn condition(&self, start: usize) -> Option<(Range<usize>, usize)> {
        if self.language == "python" {
            let end = self.end.min(start + CONDITION);
            let mut at = start + 1;
            while at < end && self.word_at(at) != ":" {
                at = self.partner_or_next(at);
            }
            return (at < end).then(|| (start + 1..at, self.block_end(start)));
        }
        if self.language != "javascript" || self.word_at(start + 1) != "(" {
            return None;
        }
        let close = self.partner(start + 1);
        let is_short = close > start + 1 && close < start + CONDITION;
        // A body without braces is one statement, which ends nobody knows where.
        let is_body = is_short && self.word_at(close + 1) == "{";
        is_body.then(|| (start + 2..close, self.partner(close + 1)))
    }

    /// The parts of a condition that all have to hold; none where one of several is enough.
    fn conjuncts(&self, condition: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut from, mut at) = (Vec::new(), condition.start, condition.start);
        while at < condition.end {
            match self.word_at(at) {
                "or" | "||" | "??" | "?" | "if" | "else" | "lambda" | "," | ":=" => {
                    return Vec::new();
                }
                "and" | "&&" => {
                    parts.push(from..at);
                    from = at + 1;
                }
                _ => {}
            }
            at = self.partner_or_next(at);
        }
        parts.push(from..condition.end);
        parts
    }

    /// The name that a comparison says the text of, whether it is the last part of a path that is compared, and which texts it may be.
    fn compared(&self, part: Range<usize>) -> Option<(String, bool, Vec<String>)> {
        let name = self.is_name(part.start).then(|| self.word_at(part.start).to_owned())?;
        let is_name_of = self.language == "python"
            && [1, 2].map(|by| self.word_at(part.start + by)) == [".", "name"];
        let operator = part.start + if is_name_of { 3 } else { 1 };
        let literal = |at: usize| match &self.token_at(at)?.kind {
            TokenKind::Text(parts) => match parts.as_ref() {
                [TextPart::Literal(text)] => Some(text.to_string()),
                _ => None,
            },
            _ => None,
        };
        let texts = match self.word_at(operator) {
            "==" | "===" if operator + 2 == part.end => vec![literal(operator + 1)?],
            "in" if self.language == "python"
                && matches!(self.word_at(operator + 1), "(" | "[" | "{")
                && self.partner(operator + 1) + 1 == part.end =>
            {
                let inside = (operator + 2..part.end - 1).filter(|at| self.word_at(*at) != ",");
                inside.map(literal).collect::<Option<Vec<String>>>()?
            }
            _ => return None,
        };
        let is_plain = |text: &String| !text.is_empty() && !text.contains('/') && text != "..";
        (!texts.is_empty() && (!is_name_of || texts.iter().all(is_plain)))
            .then_some((name, is_name_of, texts))
    }
}
