//! Statements that are told by more than their first word. Owns the heads of blocks, what a block declares, and what a generator gives.

use std::rc::Rc;

use portcullis_syntax::code::TokenKind;

use super::super::{interpreter::Interpreter, value::Value};

impl Interpreter<'_, '_, '_> {
    /// The names that a block of JavaScript declares for itself: those behind `let` and `const`, in no block within it.
    pub(in super::super) fn declared_in(&mut self, start: usize, end: usize) -> Vec<String> {
        /// How many names.
        const NAMES: usize = 32;
        let mut names = Vec::new();
        if self.language != "javascript" || !self.spend(end.saturating_sub(start) / 16) {
            return names;
        }
        let mut at = start;
        while at < end && names.len() < NAMES {
            if matches!(self.word_at(at), "const" | "let") {
                let next = at + 1;
                let close = match self.word_at(next) {
                    "[" | "{" => self.partner(next),
                    _ => next,
                };
                let bound = (next..=close).filter(|at| self.is_name(*at));
                names.extend(bound.map(|at| self.word_at(at).to_owned()));
                at = close + 1;
                // `let one = 1, other`
                while at < end && !matches!(self.word_at(at), ";" | "const" | "let") {
                    if self.word_at(at) == "," && self.is_name(at + 1) {
                        names.push(self.word_at(at + 1).to_owned());
                    }
                    if self.is_first(at) && self.word_at(at - 1) != "," && self.word_at(at) != "," {
                        break;
                    }
                    at = self.partner_or_next(at);
                }
                continue;
            }
            at = self.partner_or_next(at);
        }
        names
    }

    /// What a generator gives at this place, read from behind `yield`.
    pub(in super::super) fn yielded_here(&mut self) {
        let is_bare = self.is_first(self.at) && self.brackets == 0
            || matches!(self.word(), "" | ")" | "]" | "}" | "," | ";" | ":")
                && !matches!(
                    self.token_at(self.at).map(|token| &token.kind),
                    Some(TokenKind::Text(_) | TokenKind::Pattern)
                );
        if is_bare {
            self.yielded.push(Value::name(if self.language == "python" {
                "None"
            } else {
                "undefined"
            }));
            return;
        }
        let all = self.accept("from") || self.accept("*");
        if !self.spend(1) {
            return;
        }
        match self.values_in_line() {
            Value::List(list) if all => self.yielded.extend(list),
            value => self.yielded.push(value),
        }
    }

    /// `global name`: whether a function around has one of the same name, which is another.
    pub(in super::super) fn is_name_around(&self, start: usize) -> bool {
        let name = self.word_at(start + 1);
        let around = self.functions.iter().filter(|function| {
            function.active
                && Rc::ptr_eq(&function.unit, &self.unit)
                && function.body.contains(&start)
        });
        let mut bodies: Vec<_> = around.map(|function| function.body.clone()).collect();
        bodies.sort_by_key(ExactSizeIterator::len);
        let Some((own, outer)) = bodies.split_first() else { return false };
        let is_bound = |at: usize| {
            self.name_at(at) == name && matches!(self.name_at(at + 1), "=" | "+=" | ":=")
        };
        outer.iter().any(|body| body.clone().any(|at| !own.contains(&at) && is_bound(at)))
    }

    /// `with (open_one() as one, open_other() as other):`: whether that stands here. Reads its head.
    pub(in super::super) fn enters_in_brackets(&mut self, start: usize) -> bool {
        let open = start + 1;
        let close = self.partner(open);
        if self.language != "python"
            || self.word_at(open) != "("
            || self.word_at(close + 1) != ":"
            || !(open..close).any(|at| self.word_at(at) == "as")
            || !self.sink()
        {
            return false;
        }
        self.at = open + 1;
        let outer = self.narrow(close);
        self.brackets += 1;
        while self.at < close && self.spend(1) {
            let before = self.at;
            let value = self.expression(0);
            let end = self.block_end(start);
            self.enters(end, &value);
            if self.accept("as") {
                let from = self.at;
                while self.at < close && self.word() != "," {
                    self.at = self.partner_or_next(self.at);
                }
                let span = self.span_from(before);
                let entered = ["__enter__", "__aenter__"]
                    .iter()
                    .find_map(|method| self.by_itself(&value, method, &[], span));
                let to = self.at;
                self.bind_targets(from, to, &entered.unwrap_or(value));
            }
            self.accept(",");
            if self.at == before {
                self.at += 1;
            }
        }
        self.brackets -= 1;
        self.end = outer;
        self.rise();
        self.at = close + 1;
        true
    }

    /// `match (a, b):`, and not `match(a, b)`: whether a colon stands in the line of the word at `start`, in no brackets.
    pub(in super::super) fn heads_a_block(&self, start: usize) -> bool {
        let mut at = start + 1;
        while at < self.end && !self.is_first(at) {
            if self.word_at(at) == ":" {
                return true;
            }
            at = self.partner_or_next(at);
        }
        false
    }
}
