//! Functions of Perl that lists go through: `map`, `grep`, `sort`, `keys`, `shift`. Owns what of a list each of them gives, and what a name without its
//! sigil has.

use portcullis_syntax::code::TokenKind;

use super::super::{interpreter::Interpreter, value::Value};

impl Interpreter<'_, '_, '_> {
    /// `map { BLOCK } LIST`, `map EXPRESSION, LIST`.
    pub(super) fn through_block(&mut self, word: &str) -> Option<Value> {
        let start = self.at;
        let is_paren = self.word_at(start + 1) == "(";
        let begin = start + 1 + usize::from(is_paren);
        let end = if is_paren { self.partner(start + 1) } else { self.end_of_list(begin) };
        let (block, list) = if self.word_at(begin) == "{" {
            let close = self.partner(begin);
            (begin + 1..close, close + 1)
        } else {
            let mut comma = begin;
            while comma < end && self.word_at(comma) != "," {
                comma = self.partner_or_next(comma);
            }
            (begin..comma, comma + 1)
        };
        let is_map = matches!(word, "map" | "grep") || self.word_at(begin) == "{";
        if !is_map || block.is_empty() || list > end || !self.sink() {
            return None;
        }
        self.at = list + usize::from(self.word_at(list) == ",");
        let values = self.perl_list(end);
        let mut made = Vec::new();
        let kept = values.clone();
        self.for_each_of("$_", values, |walker| {
            let (value, is_one) = if walker.word_at(begin) == "{" {
                walker.at = begin;
                walker.block_values()
            } else {
                walker.at = block.start;
                let outer = walker.narrow(block.end);
                let value = walker.expression(0);
                let is_one = walker.is_reference(block.start);
                walker.statements(block.end);
                walker.end = outer;
                (value, is_one)
            };
            match value {
                Value::List(list) if !is_one => made.extend(list),
                value => made.push(value),
            }
        });
        self.rise();
        self.at = end + usize::from(is_paren);
        Some(Value::List(if word == "map" { made } else { kept }))
    }

    /// `keys %table`, `values(%table)`.
    pub(super) fn parts_of_table(&mut self, are_keys: bool) -> Option<Value> {
        let is_paren = self.word_at(self.at + 1) == "(";
        let named = self.at + 1 + usize::from(is_paren);
        let start = self.at;
        let is_variable =
            self.token_at(named).is_some_and(|token| token.kind == TokenKind::Variable);
        if !is_variable && !matches!(self.word_at(named), "%" | "@") {
            return None;
        }
        self.at = named;
        let Value::Table(table) = self.prefixed() else {
            self.at = start;
            return None;
        };
        self.at += usize::from(is_paren);
        let part =
            |(key, value): (String, Value)| if are_keys { Value::known(&key) } else { value };
        Some(Value::List(table.into_iter().map(part).collect()))
    }

    /// `sort LIST`, `sort { BLOCK } LIST`: the same elements in whatever order.
    pub(super) fn sorted(&mut self) -> Option<Value> {
        let start = self.at;
        let is_paren = self.word_at(start + 1) == "(";
        let begin = start + 1 + usize::from(is_paren);
        let end = if is_paren { self.partner(start + 1) } else { self.end_of_list(begin) };
        if begin >= end || !self.sink() {
            return None;
        }
        let block = (self.word_at(begin) == "{").then_some(begin);
        self.at = block.map_or(begin, |block| self.partner(block) + 1);
        let values = self.perl_list(end);
        if let Some(block) = block {
            let any = values.iter().cloned().reduce(Value::or);
            let any = any.unwrap_or_else(|| Value::unknown("an element"));
            for name in ["$a", "$b"] {
                self.bind(name.to_owned(), any.clone());
            }
            self.at = block;
            drop(self.block_value());
        }
        self.rise();
        self.at = end + usize::from(is_paren);
        Some(Value::List(values))
    }

    /// Where a list ends that stands in no brackets.
    pub(super) fn end_of_list(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.end
            && !matches!(
                self.word_at(at),
                ";" | ")" | "}" | "]" | "for" | "foreach" | "if" | "unless" | "or" | "and"
            )
        {
            at = self.partner_or_next(at);
        }
        at.min(self.end)
    }

    /// `shift`, `shift @list`, `pop(@list)`.
    pub(super) fn taken_from_list(&mut self, is_first: bool) -> Value {
        self.at += 1;
        let is_paren = self.word() == "(" && !self.is_first(self.at);
        let named = self.at + usize::from(is_paren);
        let is_list = self.token_at(named).is_some_and(|token| token.kind == TokenKind::Variable)
            && self.word_at(named).starts_with('@');
        let name = match () {
            () if is_list => self.word_at(named).to_owned(),
            () => "@_".to_owned(),
        };
        if is_list {
            self.at = named + 1 + usize::from(is_paren);
        } else if is_paren && self.word_at(named) == ")" {
            self.at = named + 1;
        }
        match self.bound(&name) {
            Some(Value::List(mut list)) if !list.is_empty() => {
                let taken = if is_first { Some(list.remove(0)) } else { list.pop() };
                self.bind(name, Value::List(list));
                taken.unwrap_or_else(|| Value::unknown("an element"))
            }
            Some(other) => self.element(&other, 0),
            None if is_list || self.calls > 0 => Value::unknown("an element"),
            None => self.element(&self.argument_list(), 0),
        }
    }

    /// A list, or a table of pairs, as a variable with its sigil holds it.
    pub(in super::super) fn with_sigil(&self, name: &str, value: Value) -> Value {
        if self.language != "perl" {
            return value;
        }
        match (name.chars().next(), value) {
            (Some('@'), value @ (Value::Text(_) | Value::Number(_) | Value::File(_))) => {
                Value::List(vec![value])
            }
            (Some('%'), Value::List(list)) if list.len() % 2 == 0 => {
                let mut pairs = Vec::new();
                let mut list = list.into_iter();
                while let (Some(key), Some(value)) = (list.next(), list.next()) {
                    let key = match &key {
                        Value::Name(path, _) => path.to_string(),
                        key => key.text().display(),
                    };
                    pairs.push((key, value));
                }
                Value::Table(pairs)
            }
            (_, value) => value,
        }
    }

    /// The list or table whose element a variable is: `$list[0]` of `@list`, `$table{name}` of `%table`.
    pub(in super::super) fn element_of(&self, name: &str) -> Option<Value> {
        let bare = name.strip_prefix('$')?;
        let sigil = match self.word() {
            "[" => '@',
            "{" => '%',
            _ => return None,
        };
        let is_glued = self.token_at(self.at).is_some_and(|token| !token.spaced);
        self.variables.get(&format!("{sigil}{bare}")).filter(|_| is_glued).cloned()
    }
}
