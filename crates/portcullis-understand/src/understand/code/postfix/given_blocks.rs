//! Blocks and `&function` behind a call of Ruby. Owns for what they are read, and what the call gives then (docs.ruby-lang.org,
//! Enumerable, Array, Hash, Kernel#then).

use std::ops::Range;

use portcullis_syntax::code::TokenKind;

use super::super::{
    interpreter::Interpreter,
    value::{Given, SOME_MEMBER, Value, mixed},
};
use crate::{bound::Bounded, text::Taint};

/// For how many elements a block is read one by one; it is read for all others together.
const ROUNDS: usize = 8;

/// How many tokens are looked through for the end of a block.
const BLOCK: usize = 4096;

/// Two functions of which the second gets what the first gives: what such a value is called.
pub(in super::super) const COMPOSED: &str = ">>";

/// Methods whose block gets each element of what they belong to. Sorted.
const FOR_EACH: &[&str] = &[
    "all?",
    "any?",
    "collect",
    "cycle",
    "delete_if",
    "detect",
    "each",
    "each_child",
    "each_entry",
    "each_line",
    "each_pair",
    "each_with_index",
    "each_with_object",
    "filter",
    "filter_map",
    "find",
    "find_all",
    "flat_map",
    "group_by",
    "inject",
    "keep_if",
    "map",
    "map!",
    "max_by",
    "min_by",
    "none?",
    "partition",
    "reduce",
    "reject",
    "reverse_each",
    "select",
    "sort_by",
    "sum",
    "tally_by",
    "to_h",
    "transform_values",
    "uniq",
];

/// Methods whose block gets what they belong to. Sorted.
const WITH_ITSELF: &[&str] = &["instance_eval", "instance_exec", "tap", "then", "yield_self"];

impl Interpreter<'_, '_, '_> {
    /// A block of Ruby behind a call, or `&function` as the last of what it was given: what the call gives with it.
    pub(super) fn with_block(&mut self, callee: &Value, given: &[Given], result: Value) -> Value {
        if self.language != "ruby" {
            return result;
        }
        if let Some(last) = given.last()
            && (last.span.of(self.source).trim_start().starts_with('&')
                || matches!(last_name(callee), "inject" | "reduce")
                    && last.value.as_known() == Some("+"))
            && FOR_EACH.binary_search(&last_name(callee)).is_ok()
        {
            let function = last.clone();
            return self.gone_over(callee, None, result, |walker, element, memo| {
                walker.called_with(&function, element, memo)
            });
        }
        if self.at >= self.end || !matches!(self.word(), "{" | "do") || self.is_first(self.at) {
            return result;
        }
        let open = self.at;
        let found = self.end_of_block(open);
        let looked = found.map_or(BLOCK.min(self.end - open), |close| close - open);
        self.spend(looked / 16);
        let Some(close) = found else {
            self.block(&result);
            return result;
        };
        let mut begin = open + 1;
        let mut names = Vec::new();
        if self.word_at(begin) == "|" {
            let bar = (begin + 1..close.min(begin + 32)).find(|at| self.word_at(*at) == "|");
            if let Some(bar) = bar {
                names = self.names_of_block(begin + 1..bar);
                begin = bar + 1;
            }
        }
        if matches!(callee, Value::Name(path, _) if matches!(&**path, "lambda" | "proc" | "Proc.new"))
        {
            let bars = open + 2..begin.saturating_sub(1).max(open + 2);
            let parameters = self.parameters(bars.start, bars.end);
            self.at = close + 1;
            return Value::Function(self.push_function(parameters, begin..close, false));
        }
        self.opens_class(&result, begin..close);
        let is_reduced = matches!(last_name(callee), "inject" | "reduce");
        let begins = given.first().map(|given| given.value.clone());
        let value = self.gone_over(callee, begins, result, |walker, element, memo| {
            walker.read_block(begin..close, &names, element, memo, is_reduced)
        });
        self.at = close + 1;
        value
    }

    /// Reads a block for one element: what it gives.
    fn read_block(
        &mut self,
        body: Range<usize>,
        names: &[String],
        element: Value,
        memo: Option<Value>,
        is_reduced: bool,
    ) -> Value {
        if !self.sink() {
            return Value::unknown("what a block gives");
        }
        let mut values = vec![element.clone()];
        values.extend(memo);
        if is_reduced {
            values.reverse();
        }
        let is_apart = names.len() > 1 && values.len() == 1;
        let mut before = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let value = match is_apart {
                true => self.element(&element, at),
                false => values.get(at).cloned().unwrap_or_else(|| Value::unknown("a value")),
            };
            before.push((name.clone(), self.variables.get(name).cloned()));
            self.bind(name.clone(), value);
        }
        if names.is_empty() {
            for name in ["_1", "it"] {
                before.push((name.to_owned(), self.variables.get(name).cloned()));
                self.bind(name.to_owned(), element.clone());
            }
        }
        self.at = body.start;
        let value = self.last_value(body.end).map(|(value, _)| value);
        // What is filled in the block is what goes on.
        let filled = (values.len() > 1 && names.len() > 1 && !is_reduced)
            .then(|| names.get(1).and_then(|name| self.variables.get(name).cloned()))
            .flatten();
        for (name, value) in before {
            match value {
                Some(value) => self.variables.insert(name, value),
                None => self.variables.remove(&name),
            };
        }
        self.rise();
        let value = value.unwrap_or_else(|| Value::unknown("what a block gives"));
        match filled {
            Some(filled) => Value::List(vec![value, filled]),
            None => value,
        }
    }

    /// `&:name`, `&method(:name)`, `&function`.
    fn called_with(&mut self, function: &Given, element: Value, memo: Option<Value>) -> Value {
        let span = function.span;
        let argument = Given { name: None, value: element.clone(), span };
        if let Some(name) = function.value.as_known() {
            let is_plus = name == "+";
            return match memo {
                Some(memo) if is_plus => self.add(memo, element),
                _ => {
                    let method = self.member(element, name);
                    match method {
                        callee @ (Value::Method(_) | Value::Name(..)) => {
                            self.call_value(callee, Vec::new(), span)
                        }
                        value => value,
                    }
                }
            };
        }
        self.call_value(function.value.clone(), vec![argument], span)
    }

    /// Reads something for each of what a call goes over, and makes of that what the call gives.
    fn gone_over(
        &mut self,
        callee: &Value,
        begins: Option<Value>,
        result: Value,
        mut read: impl FnMut(&mut Self, Value, Option<Value>) -> Value,
    ) -> Value {
        let name = last_name(callee).to_owned();
        let receiver = match callee {
            Value::Method(method) => Some(method.0.clone()),
            _ => None,
        };
        let is_each = FOR_EACH.binary_search(&name.as_str()).is_ok();
        let is_itself = WITH_ITSELF.binary_search(&name.as_str()).is_ok();
        let (of, is_each) = match receiver {
            // What lies in a directory.
            Some(_) if matches!(name.as_str(), "each_child" | "each_entry") => {
                (result.clone(), true)
            }
            Some(receiver) if is_each => (receiver, true),
            Some(receiver) if is_itself => (receiver, false),
            _ => {
                let is_list = matches!(result, Value::List(_));
                (result.clone(), is_list)
            }
        };
        let elements = match &of {
            Value::List(list) if is_each => list.clone(),
            Value::Table(table) if is_each => table
                .iter()
                .map(|(key, value)| Value::List(vec![Value::known(key), value.clone()]))
                .collect(),
            Value::Any(several) if is_each => several.clone(),
            of => vec![of.clone()],
        };
        let with_memo = matches!(name.as_str(), "each_with_object" | "inject" | "reduce");
        let mut memo = begins.filter(|_| with_memo);
        let mut elements = elements.into_iter();
        if matches!(name.as_str(), "inject" | "reduce") && memo.is_none() {
            memo = elements.next();
        }
        let mut rounds: Vec<Value> = elements.by_ref().leading(ROUNDS).collect();
        rounds.extend(elements.reduce(Value::or));
        if rounds.is_empty() && memo.is_none() {
            rounds.push(Value::unknown("an element"));
        }
        let mut made = Vec::new();
        for element in rounds {
            if !self.spend(1) {
                break;
            }
            match name.as_str() {
                // The block gets what was made so far first.
                "inject" | "reduce" => {
                    let before = memo.take().unwrap_or_else(|| Value::unknown("a value"));
                    let value = read(self, element.clone(), Some(before.clone()));
                    memo = Some(mixed_or_known(value, &element, &before));
                }
                "each_with_object" => {
                    let value = read(self, element, memo.clone());
                    if let Value::List(pair) = value {
                        memo = pair.into_iter().nth(1);
                    }
                }
                _ => made.push(read(self, element, None)),
            }
        }
        match name.as_str() {
            "map" | "map!" | "collect" | "filter_map" if is_each => Value::List(made),
            "flat_map" if is_each => {
                let flat = made.into_iter().flat_map(|value| match value {
                    Value::List(list) => list,
                    value => vec![value],
                });
                Value::List(flat.collect())
            }
            "then" | "yield_self" | "instance_eval" | "instance_exec" => {
                made.pop().unwrap_or(result)
            }
            "sum" => made.into_iter().reduce(|one, other| self.add(one, other)).unwrap_or(result),
            "inject" | "reduce" | "each_with_object" => memo.unwrap_or(result),
            "to_h" if is_each => {
                let pairs = made.into_iter().map(|pair| match pair {
                    Value::List(pair) => {
                        let mut pair = pair.into_iter();
                        let key = pair.next().unwrap_or_else(|| Value::known(""));
                        let value = pair.next().unwrap_or_else(|| Value::unknown("a value"));
                        (key.as_known().unwrap_or(SOME_MEMBER).to_owned(), value)
                    }
                    value => (SOME_MEMBER.to_owned(), value),
                });
                Value::Table(pairs.collect())
            }
            "select" | "filter" | "reject" | "find_all" | "sort_by" | "uniq" | "each"
            | "reverse_each" | "each_with_index" | "tap"
                if is_each || is_itself =>
            {
                of
            }
            // One of them, whichever.
            "find" | "detect" | "max_by" | "min_by" if is_each => match of {
                Value::List(list) => list.into_iter().reduce(Value::or).unwrap_or(result),
                of => of,
            },
            _ => result,
        }
    }

    fn names_of_block(&self, bars: Range<usize>) -> Vec<String> {
        let named = |at: &usize| {
            self.token_at(*at)
                .is_some_and(|token| matches!(token.kind, TokenKind::Name | TokenKind::Variable))
                && (*at == bars.start || matches!(self.word_at(*at - 1), "," | "(" | "*" | "&"))
        };
        bars.clone().filter(named).map(|at| self.word_at(at).to_owned()).collect()
    }

    /// Where the block ends that begins with a brace or `do`.
    pub(in super::super) fn end_of_block(&self, open: usize) -> Option<usize> {
        if self.word_at(open) == "{" {
            let close = self.partner(open);
            return (close > open).then_some(close);
        }
        let mut depth = 1_usize;
        let mut is_headed = false;
        for at in open + 1..self.end.min(open + BLOCK) {
            if self.is_first(at) {
                is_headed = false;
            }
            if !self.is_name(at)
                || matches!(self.word_at(at - 1), "." | "&." | ":")
                || self.word_at(at + 1) == ":" && self.word_at(at + 2) != ":"
            {
                continue;
            }
            let begins = self.is_first(at)
                || matches!(
                    self.word_at(at - 1),
                    ";" | "=" | "(" | "then" | "do" | "else" | "{" | "|" | "||" | "&&" | "<<" | ","
                );
            match self.word_at(at) {
                "end" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                "def" if self.is_endless_definition(at) => {}
                "def" | "class" | "module" | "begin" | "case" => depth += 1,
                "while" | "until" | "for" if begins => (depth, is_headed) = (depth + 1, true),
                "if" | "unless" if begins => depth += 1,
                "do" if is_headed => is_headed = false,
                "do" => depth += 1,
                _ => {}
            }
        }
        None
    }

    /// `->(name) { … }`: the cursor stands behind the arrow.
    pub(in super::super) fn ruby_lambda(&mut self) -> Value {
        let start = self.at;
        let mut head = start;
        let mut parameters = Vec::new();
        if self.word() == "(" {
            let close = self.partner(start);
            parameters = self.parameters(start + 1, close);
            head = close + 1;
        } else {
            while head < self.end.min(start + 16) && !matches!(self.word_at(head), "{" | "do") {
                head += 1;
            }
            if head > start {
                parameters = self.parameters(start, head);
            }
        }
        let opens = matches!(self.word_at(head), "{" | "do");
        let Some(close) = opens.then(|| self.end_of_block(head)).flatten() else {
            return Value::unknown("a function");
        };
        self.at = close + 1;
        Value::Function(self.push_function(parameters, head + 1..close, false))
    }

    /// `first >> second`, `second << first` of functions.
    pub(in super::super) fn composed(
        &self,
        left: &Value,
        sign: &str,
        right: &Value,
    ) -> Option<Value> {
        let is_function = |value: &Value| match value {
            Value::Function(_) => true,
            Value::Method(method) => method.1 == COMPOSED || matches!(method.0, Value::Function(_)),
            Value::Name(path, _) => self.does_something(path) || self.is_row(path),
            _ => false,
        };
        if self.language != "ruby" || !is_function(left) || !is_function(right) {
            return None;
        }
        let (first, second) = if sign == ">>" { (left, right) } else { (right, left) };
        let both = Value::List(vec![first.clone(), second.clone()]);
        Some(Value::Method(Box::new((both, COMPOSED.to_owned()))))
    }

    pub(in super::super) fn is_row(&self, path: &str) -> bool {
        super::super::tables::row(self.language, &self.canonical(path)).is_some()
    }
}

/// What is known of both, where a step of a reduction gave nothing that is.
fn mixed_or_known(value: Value, element: &Value, before: &Value) -> Value {
    match value {
        Value::Text(text) if text.as_known().is_none() && text.taint == Taint::NONE => {
            Value::Text(mixed("a reduction", [element, before]))
        }
        value => value,
    }
}

/// The name of a method or function.
fn last_name(callee: &Value) -> &str {
    match callee {
        Value::Name(path, _) => path.rsplit('.').next().unwrap_or_default(),
        Value::Method(method) => method.1.as_str(),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::{FOR_EACH, WITH_ITSELF};

    #[test]
    fn methods_are_sorted() {
        assert!(FOR_EACH.is_sorted());
        assert!(WITH_ITSELF.is_sorted());
    }
}
