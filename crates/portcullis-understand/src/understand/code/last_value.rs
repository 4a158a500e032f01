//! Blocks whose last statement is what they are worth, in Perl and Ruby. Owns where that statement begins.

use super::{interpreter::Interpreter, value::Value};

/// Words whose statements are worth nothing that is followed.
const GIVES_NOTHING: &[&str] = &[
    "begin", "case", "def", "for", "foreach", "if", "return", "unless", "until", "while", "yield",
];

/// Words on a line of their own that end or divide a block of Ruby.
const DIVIDES: &[&str] = &["else", "elsif", "end", "ensure", "in", "rescue", "when", "}", ")", "]"];

impl Interpreter<'_, '_, '_> {
    /// Reads the statements from the cursor up to the token at `end`: what the last one gives, where it gives something, and whether that is
    /// one value even where it is a list.
    pub(super) fn last_value(&mut self, end: usize) -> Option<(Value, bool)> {
        let last = self.last_statement(self.at, end);
        let brackets = std::mem::replace(&mut self.brackets, 0);
        if last > self.at {
            let outer = self.behind.replace((last, end));
            self.statements(last);
            self.behind = outer;
            // The block was left before its last statement.
            if last < end && self.at >= end {
                self.brackets = brackets;
                return None;
            }
        }
        self.at = last;
        let outer = self.narrow(end);
        let is_plain = !GIVES_NOTHING.contains(&self.word()) && !self.sets_place(last, end);
        let found = (is_plain && last < end).then(|| {
            let first = self.expression(0);
            let is_one = self.is_reference(last);
            let mut all = vec![first];
            while matches!(self.word(), "," | "=>") && self.at < self.end && self.spend(1) {
                self.at += 1;
                if self.at < self.end {
                    all.push(self.expression(0));
                }
            }
            match (all.len(), all.pop()) {
                (1, Some(only)) => (only, is_one),
                (_, last) => {
                    all.extend(last);
                    (Value::List(all), false)
                }
            }
        });
        self.statements(end);
        self.end = outer;
        self.brackets = brackets;
        found
    }

    /// Whether a statement gives something else than a variable a value.
    fn sets_place(&self, from: usize, end: usize) -> bool {
        let mut at = from;
        while at < end && self.word_at(at) != ";" {
            if matches!(self.word_at(at), "=" | "+=" | "-=" | "||=" | ".=") {
                return at > from + 1;
            }
            at = self.partner_or_next(at);
        }
        false
    }

    /// Where the last statement begins.
    fn last_statement(&self, from: usize, end: usize) -> usize {
        let indent = self.token_at(from).map_or(0, |token| token.indent);
        let (mut at, mut last) = (from, from);
        while at < end {
            let is_behind = self.word_at(at) == ";" && at + 1 < end;
            let is_line = self.language == "ruby"
                && at > from
                && self.is_first(at)
                && self.token_at(at).is_some_and(|token| token.indent <= indent)
                && !DIVIDES.contains(&self.word_at(at))
                && !matches!(self.word_at(at), "." | "&.")
                && !matches!(self.word_at(at - 1), "," | "(" | "[" | "{" | "|" | "+" | "&&" | "||");
            if is_behind {
                last = at + 1;
            } else if is_line {
                last = at;
            }
            at = self.partner_or_next(at);
        }
        last
    }
}
