//! What Perl goes through: loops before and behind a statement, and the lists in their heads. Owns what `$_` and the variable of a loop are worth in
//! each round.

use portcullis_syntax::code::TokenKind;

use super::super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::bound::Bounded;

/// For how many elements of a list a block is read one by one; it is read for all others together.
const ROUNDS: usize = 8;

/// How many tokens a statement has that is looked through for a loop behind it.
const STATEMENT: usize = 512;

impl Interpreter<'_, '_, '_> {
    /// `chdir;` goes home, `unlink;` takes what `$_` names.
    pub(super) fn of_topic(&mut self, start: usize) {
        let function = self.word().to_owned();
        self.at += 1;
        let span = self.span_from(start);
        let value = match (function.as_str(), self.bound("$_")) {
            ("chdir", _) => Value::Text(self.environment("HOME")),
            (_, Some(value)) => value,
            // Lines of files: who starts perl reads these.
            ("eval", None) => return,
            (_, None) => Value::unknown("what nothing is named for"),
        };
        self.call_value(Value::name(&function), vec![Given { name: None, value, span }], span);
    }

    /// `for my $name (LIST) { … }`
    pub(super) fn perl_loop(&mut self, start: usize) -> bool {
        let mut at = start + 1;
        at += usize::from(matches!(self.word_at(at), "my" | "our" | "local" | "state"));
        let mut name = "$_".to_owned();
        if self.token_at(at).is_some_and(|token| token.kind == TokenKind::Variable) {
            name = self.word_at(at).to_owned();
            at += 1;
        }
        let close = self.partner(at);
        let body = close + 1;
        let is_counted = (at..close).any(|inside| self.word_at(inside) == ";");
        if self.word_at(at) != "(" || self.word_at(body) != "{" || is_counted {
            return false;
        }
        self.at = at + 1;
        let values = self.perl_list(close);
        self.for_each_of(&name, values, |walker| {
            walker.at = body;
            walker.braces();
        });
        self.at = self.partner(body) + 1;
        true
    }

    /// `unlink $_ for LIST;`
    pub(super) fn loop_behind(&mut self, start: usize) -> bool {
        let last = self.end.min(start + STATEMENT);
        let (mut at, mut found) = (start, None);
        while at < last && !matches!(self.word_at(at), ";" | "}") {
            let is_word = self.token_at(at).is_some_and(|token| token.kind == TokenKind::Name);
            if at > start && is_word && matches!(self.word_at(at), "for" | "foreach") {
                found = Some(at);
            }
            at = self.partner_or_next(at);
        }
        let Some(found) = found else { return false };
        if !self.sink() {
            return false;
        }
        self.at = found + 1;
        let values = self.perl_list(at.min(last));
        self.for_each_of("$_", values, |walker| {
            walker.at = start;
            walker.statements(found);
        });
        self.rise();
        self.at = at.min(last);
        true
    }

    /// Reads something for each element of a list, under whose name it stands.
    pub(super) fn for_each_of(
        &mut self,
        name: &str,
        values: Vec<Value>,
        mut read: impl FnMut(&mut Self),
    ) {
        let outer = self.variables.get(name).cloned();
        let mut values = values.into_iter();
        let mut rounds: Vec<Value> = values.by_ref().leading(ROUNDS).collect();
        rounds.extend(values.reduce(Value::or));
        if rounds.is_empty() {
            rounds.push(Value::unknown("an element"));
        }
        for value in rounds {
            if !self.spend(1) {
                break;
            }
            self.bind(name.to_owned(), value);
            read(self);
        }
        match outer {
            Some(value) => self.variables.insert(name.to_owned(), value),
            None => self.variables.remove(name),
        };
    }

    /// The elements of a list that ends at a token.
    pub(in super::super) fn perl_list(&mut self, close: usize) -> Vec<Value> {
        let outer = self.narrow(close);
        self.brackets += 1;
        let mut all = Vec::new();
        while self.at < self.end && self.spend(1) {
            let before = self.at;
            // `reverse 1 .. 4`
            let is_reversed = self.accept("reverse");
            if let Some(mut range) = self.range_of_numbers() {
                if is_reversed {
                    range.reverse();
                }
                all.extend(range);
                self.accept(",");
                continue;
            }
            self.at = before;
            match self.expression(0) {
                Value::List(list) if !self.is_reference(before) => all.extend(list),
                // `glob ".{netrc,pgpass}"`: each of them.
                Value::Any(list) if list.iter().all(|it| matches!(it, Value::Text(_))) => {
                    all.extend(list);
                }
                value => all.push(value),
            }
            if !self.accept(",") && !self.accept("=>") && self.at <= before {
                self.at = before + 1;
            }
        }
        self.brackets -= 1;
        self.end = outer;
        self.at = close;
        all
    }

    /// `1..3`: read as one number, or as two with the sign between them.
    pub(super) fn range_of_numbers(&mut self) -> Option<Vec<Value>> {
        /// How many numbers are told apart.
        const NUMBERS: i64 = 64;
        let written = |at: usize| -> Option<&str> {
            let token = self.token_at(at)?;
            (token.kind == TokenKind::Number).then(|| token.span.of(self.source))
        };
        let first = written(self.at)?;
        let (first, last, length) = match first.split_once("..") {
            Some((first, last)) => (first, last, 1),
            None if self.word_at(self.at + 1) == ".." => (first, written(self.at + 2)?, 3),
            None => return None,
        };
        let (first, last) = (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?);
        self.at += length;
        if last.saturating_sub(first) >= NUMBERS {
            return Some(vec![
                Value::Number(first),
                Value::unknown("a number"),
                Value::Number(last),
            ]);
        }
        Some((first..=last).map(Value::Number).collect())
    }

    /// `unlink` or `rmdir` in an expression, where nothing stands behind it: what `$_` names.
    pub(super) fn of_topic_in_line(&mut self, word: &str) -> Option<Value> {
        const ENDS: &[&str] = &[
            "}", ")", "]", ";", ":", "?", ",", "&&", "||", "==", "//", "and", "or", "if", "unless",
            "for", "foreach",
        ];
        let start = self.at;
        let next = self.word_at(start + 1);
        let is_empty = next == "(" && self.word_at(start + 2) == ")";
        let ends = start + 1 >= self.end || ENDS.contains(&next) || is_empty;
        if !matches!(word, "rmdir" | "unlink") || !ends || !self.variables.contains_key("$_") {
            return None;
        }
        self.of_topic(start);
        self.at = start + 1 + 2 * usize::from(is_empty);
        Some(Value::unknown("whether it was done"))
    }
}
