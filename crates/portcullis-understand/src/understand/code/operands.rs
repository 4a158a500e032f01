//! Operands: literals, interpolation, names and lists. Owns where a value begins.

use portcullis_syntax::{Span, code::TokenKind};

use super::{
    interpreter::Interpreter,
    numbers,
    value::{Given, Value},
};
use crate::{effect::Argument, text::Text};

mod collected;
mod markup;
mod names;
mod texts;

pub(super) use names::whole_environment;

/// How many lines of what a command prints are followed one by one.
pub(super) const LINES: usize = 4;

impl Interpreter<'_, '_, '_> {
    pub(super) fn primary(&mut self) -> Value {
        let Some(token) = self.token_at(self.at) else { return Value::unknown("nothing") };
        let span = token.span;
        match &token.kind {
            TokenKind::Text(_) => self.texts(),
            TokenKind::Command(parts) => {
                let parts = parts.clone();
                self.at += 1;
                let command = self.parts(&parts);
                self.seen.spawns = Some(span);
                self.flush();
                let input = None;
                Value::Text(self.walk.shell(&command, span, &[], input))
            }
            TokenKind::Words(words) => {
                let list = words.iter().map(|word| Value::Text(self.walk.disembed(word))).collect();
                self.at += 1;
                Value::List(list)
            }
            TokenKind::Number => {
                let text = span.of(self.source);
                self.at += 1;
                number(text).map_or_else(|| Value::unknown("a number"), Value::Number)
            }
            TokenKind::Pattern => {
                self.at += 1;
                if self.language == "perl" {
                    self.code_in_pattern(span);
                    if let Some(value) = self.changed_topic(span) {
                        return value;
                    }
                }
                match self.language {
                    "javascript" => Value::name("RegExp()"),
                    _ => Value::unknown("a pattern"),
                }
            }
            TokenKind::Variable => {
                let name = span.of(self.source);
                self.at += 1;
                self.variable(name)
            }
            TokenKind::Name if self.language == "awk" && self.word() == "getline" => self.getline(),
            TokenKind::Name => self.name(span),
            TokenKind::Operator => self.prefix(span),
        }
    }

    /// `getline`, `getline name`, `getline < file`, `getline name < file` of awk.
    pub(super) fn getline(&mut self) -> Value {
        self.at += 1;
        let name = self.is_name(self.at).then(|| self.word().to_owned());
        self.at += usize::from(name.is_some());
        let line = if self.accept("<") {
            let start = self.at;
            let file = self.primary().text();
            let file = Argument { text: file, span: self.span_from(start) };
            self.flush();
            Value::Text(self.walk.read(&file))
        } else {
            Value::Text(self.standard_input())
        };
        match name {
            Some(name) => self.bind(name, line.clone()),
            // Without a name the line is what `$0` and its fields are from here on.
            None => self.bind("$0".to_owned(), line.clone()),
        }
        line
    }

    /// What the script is given, as a list.
    pub(super) fn argument_list(&self) -> Value {
        Value::List(
            self.arguments.iter().map(|argument| Value::Text(argument.text.clone())).collect(),
        )
    }

    /// What arrives on the standard input.
    pub(super) fn standard_input(&self) -> Text {
        self.input.clone().unwrap_or_else(|| Text::unknown("standard input"))
    }

    pub(super) fn prefix(&mut self, span: Span) -> Value {
        let word = span.of(self.source);
        match word {
            "(" => {
                let close = self.partner(self.at);
                if self.language == "lisp" && self.is_name(self.at + 1) {
                    return self.form(close);
                }
                let arrow = self.word_at(close + 1) == "=>" && self.language == "javascript";
                if arrow {
                    let parameters = self.parameters(self.at + 1, close);
                    self.at = close + 1;
                    return self.arrow(parameters);
                }
                // `(f for f in files)`: a generator gives what its list would, as it is when it is asked.
                let open = self.at;
                if let Some(list) = self.comprehension(close) {
                    self.goes_through_later(open, close);
                    return list;
                }
                match self.list(close) {
                    mut list
                        if list.len() == 1
                            && self.word_at(close - 1) != ","
                            && !(self.language == "perl"
                                && matches!(list.first(), Some(Value::List(_)))) =>
                    {
                        list.pop().unwrap_or_else(|| Value::known(""))
                    }
                    // `(['make'])` is a list of one list.
                    list if self.language == "perl" && list.len() == 1 => Value::List(list),
                    // The comma operator: the last counts.
                    mut list if self.language == "javascript" && !list.is_empty() => {
                        list.pop().unwrap_or_else(|| Value::known(""))
                    }
                    list => Value::List(list),
                }
            }
            "[" => {
                let close = self.partner(self.at);
                if self.language == "lisp" {
                    return Value::List(self.list(close));
                }
                if self.language == "php" && self.word_at(self.at + 2) == "=>" {
                    return self.table();
                }
                self.comprehension(close).unwrap_or_else(|| Value::List(self.list(close)))
            }
            // `&{\&copy}(…)`, `@{$list}`, `*{"name"}`
            "&" | "@" | "$" | "%" | "*"
                if self.language == "perl" && self.word_at(self.at + 1) == "{" =>
            {
                self.dereferenced_block()
            }
            // `\%ENV`: a reference to it.
            "\\" if self.language == "perl" => {
                self.at += 1;
                self.prefixed()
            }
            "{" => {
                let close = self.partner(self.at);
                self.comprehension(close).unwrap_or_else(|| self.table())
            }
            "-" | "+" => {
                self.at += 1;
                let value = self.prefixed();
                // What an object is worth as a number, it says itself.
                let value = match value.own_entry("valueOf") {
                    Some(Value::Function(index)) if self.language == "javascript" => {
                        let index = *index;
                        self.apply(index, Some(&[]))
                    }
                    _ => value,
                };
                match value {
                    // The sign stands before the whole power.
                    Value::Number(_) if word == "-" && self.word() == "**" => {
                        Value::unknown("a number")
                    }
                    Value::Number(number) if word == "-" => Value::Number(number.saturating_neg()),
                    value => value,
                }
            }
            "++" | "--" if self.is_name(self.at + 1) && self.language == "javascript" => {
                self.at += 1;
                let at = self.at;
                let value = self.prefixed();
                if self.at == at + 1 { self.counted(at, word).1 } else { value }
            }
            "!" | "~" => {
                self.at += 1;
                match self.prefixed() {
                    Value::Number(number) if word == "~" && self.word() != "**" => {
                        numbers::turned(self.language, number)
                    }
                    _ => Value::unknown("a condition"),
                }
            }
            "*" | "**" | "&" | "\\" | "..." | "@" | "$" | "<-" => {
                self.at += 1;
                if self.is_first(self.at) { Value::unknown(word) } else { self.prefixed() }
            }
            // `:+`
            ":" if self.language == "ruby"
                && matches!(self.word_at(self.at + 1), "+" | "*" | "<<")
                && self.token_at(self.at + 1).is_some_and(|token| !token.spaced) =>
            {
                let name = self.word_at(self.at + 1);
                self.at += 2;
                Value::known(name)
            }
            ":" if self.is_name(self.at + 1)
                && matches!(self.language, "ruby" | "julia" | "lisp") =>
            {
                let name = self.word_at(self.at + 1);
                self.at += 2;
                Value::known(name)
            }
            "<" if self.language == "perl" => self.between_angles(),
            "<" if self.begins_element() => {
                self.written_element().unwrap_or_else(|| Value::unknown("nothing"))
            }
            "->" if self.language == "ruby" => {
                self.at += 1;
                self.ruby_lambda()
            }
            _ => Value::unknown("nothing"),
        }
    }

    /// Remembers the lists by whose names a generator goes through them.
    fn goes_through_later(&mut self, open: usize, close: usize) {
        /// How many are remembered.
        const LATER: usize = 32;
        for at in open..close {
            let name = self.word_at(at + 1);
            let is_list = self.word_at(at) == "in"
                && self.is_name(at + 1)
                && matches!(self.variables.get(name), Some(Value::List(_) | Value::Table(_)));
            if is_list && !self.lazy.iter().any(|known| known == name) {
                if self.lazy.len() >= LATER {
                    return self.limit();
                }
                self.lazy.push(name.to_owned());
            }
        }
    }

    /// Lisp's `(function argument …)`.
    pub(super) fn form(&mut self, close: usize) -> Value {
        let start = self.at;
        let span = self.unit.tokens.get(start + 1).map(|token| token.span).unwrap_or_default();
        let mut values = self.list(close).into_iter();
        let Some(function) = values.next() else { return Value::unknown("nothing") };
        let given = values.map(|value| Given { name: None, value, span }).collect();
        let span = self.span_from(start);
        self.call_value(function, given, span)
    }
}

/// How many bytes of a text are known.
pub(super) fn number(text: &str) -> Option<i64> {
    let digits: String = text.chars().filter(|character| *character != '_').collect();
    let lower = digits.to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = lower.strip_prefix(prefix) {
            return i64::from_str_radix(rest.trim_end_matches('n'), radix).ok();
        }
    }
    if lower.len() > 1 && lower.starts_with('0') && lower.bytes().all(|byte| byte.is_ascii_digit())
    {
        return i64::from_str_radix(&lower, 8).ok();
    }
    lower.trim_end_matches(['n', 'l', 'u']).parse().ok()
}
