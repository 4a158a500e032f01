//! Generators that a script goes through by hand and leaves before their end: `steps = release(); next(steps); steps.close()`. Owns how far one
//! surely gets; whoever may go on with it elsewhere reads all of it.

use std::{ops::Range, rc::Rc};

use portcullis_syntax::code::TokenKind;

use super::super::interpreter::Interpreter;

impl Interpreter<'_, '_, '_> {
    /// The part of a generator's body that is done where its function is called here.
    pub(in super::super) fn stepped_through(
        &mut self,
        index: usize,
        body: Range<usize>,
    ) -> Range<usize> {
        let is_generator = body.clone().any(|at| self.name_at(at) == "yield");
        // A cell that is run later may go on with one.
        if !is_generator || self.calls != 1 || self.is_cell {
            return body;
        }
        match self.last_step(index, &body) {
            Some(end) => body.start..end,
            None => body,
        }
    }

    fn last_step(&mut self, index: usize, body: &Range<usize>) -> Option<usize> {
        let function = self.functions.get(index)?;
        let is_here = Rc::ptr_eq(&function.unit, &self.unit);
        let count = self.unit.tokens.len();
        let is_python = self.language == "python";
        if !is_here || !(is_python || self.language == "javascript") || !self.spend(count / 8 + 1) {
            return None;
        }
        let name = self.named.iter().find(|(_, it)| **it == index).map(|(name, _)| name.clone())?;
        let mentions = |word: &str| -> Vec<usize> {
            let is_word = |at: &usize| {
                let is_text = self.unit.tokens.get(*at).is_some_and(|token| {
                    matches!(token.kind, TokenKind::Text(_) | TokenKind::Command(_))
                });
                let text = self.name_at(*at);
                text == word || is_text && text.contains('{') && text.contains(word)
            };
            (0..count).filter(is_word).collect()
        };
        // Where it is made and where it is called, and nowhere else.
        let places = mentions(&name);
        let [made, called] = places[..] else { return None };
        let is_bound = made < body.start
            && !body.contains(&called)
            && self.name_at(called + 1) == "("
            && called.checked_sub(2).is_some_and(|at| self.name_at(at + 1) == "=");
        if !is_bound || self.finds_names(count) {
            return None;
        }
        let holder = self.name_at(called - 2).to_owned();
        let (mut steps, mut is_closed) = (0, false);
        for at in mentions(&holder) {
            if at == called - 2 {
                continue;
            }
            let before = |by: usize| at.checked_sub(by).map_or("", |at| self.name_at(at));
            let member = (self.name_at(at + 1) == ".").then(|| self.name_at(at + 2));
            let is_step = match member {
                Some("next") => !is_python && before(1) != ".",
                Some("close") if is_python => {
                    is_closed = true;
                    false
                }
                Some("return") if !is_python => {
                    is_closed = true;
                    false
                }
                None if is_python && before(1) == "(" && before(2) == "next" => true,
                _ => return None,
            };
            let is_once = match is_python {
                true => self.unit.tokens.get(at).is_some_and(|token| token.indent == 0),
                false => !(0..at).any(|open| {
                    self.name_at(open) == "{"
                        && self.unit.partners.get(open).is_some_and(|close| *close > at)
                }),
            };
            let is_looped = (at.saturating_sub(16)..at)
                .any(|at| matches!(self.name_at(at), "for" | "while" | "lambda" | "=>"));
            if is_step && (!is_once || is_looped) {
                return None;
            }
            steps += usize::from(is_step);
        }
        if !is_closed {
            return None;
        }
        // Only where each stands by itself is it told which is reached.
        let indent = self.unit.tokens.get(body.start)?.indent;
        let mut yields = Vec::new();
        let mut at = body.start;
        while at < body.end {
            match self.name_at(at) {
                "try" | "with" | "finally" => return None,
                "yield" if self.name_at(at + 1) == "*" || self.name_at(at + 1) == "from" => {
                    return None;
                }
                "yield" => {
                    let token = self.unit.tokens.get(at)?;
                    if is_python && token.indent != indent {
                        return None;
                    }
                    yields.push(at);
                }
                _ => {}
            }
            let partner = self.unit.partners.get(at).copied().unwrap_or(at);
            if partner > at && (at..partner).any(|at| self.name_at(at) == "yield") {
                return None;
            }
            at = partner.max(at) + 1;
        }
        if steps == 0 {
            return Some(body.start);
        }
        let last = *yields.get(steps - 1)?;
        let ends = |at: &usize| {
            self.name_at(*at) == ";" || self.unit.tokens.get(*at).is_some_and(|token| token.first)
        };
        Some((last + 1..body.end).find(ends).unwrap_or(body.end))
    }
}
