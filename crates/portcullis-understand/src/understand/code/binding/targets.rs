//! Several names at once: patterns, lists and members that are taken apart. Owns which part of a value each name gets.

use portcullis_syntax::code::TokenKind;

use super::super::{interpreter::Interpreter, value::Value};

impl Interpreter<'_, '_, '_> {
    /// `{exec, spawn: run} = value`, `(a, b) = value`.
    pub(in super::super) fn destructure(&mut self) {
        let open = self.at;
        let close = self.partner(open);
        let assigns = matches!(self.word_at(close + 1), "=" | "of" | "in");
        if !assigns {
            return;
        }
        self.at = close + 2;
        let mut value = self.expression(0);
        // Perl's `("one")` is a list of one.
        if self.language == "perl" && matches!(value, Value::Text(_) | Value::Number(_)) {
            value = Value::List(vec![value]);
        }
        let after = std::mem::replace(&mut self.at, open);
        self.bind_pattern(&value);
        self.at = after;
    }

    /// The names in the brackets that begin here, each with its part of a value.
    pub(in super::super) fn bind_pattern(&mut self, value: &Value) {
        let close = self.partner(self.at);
        if self.word() == "{" {
            self.bind_members(close, value);
        } else {
            self.at += 1;
            self.bind_list(close, value);
        }
    }

    pub(in super::super) fn bind_members(&mut self, close: usize, value: &Value) {
        self.at += 1;
        let mut taken: Vec<String> = Vec::new();
        while self.at < close {
            if self.word() == "..." && self.is_name(self.at + 1) {
                let name = self.word_at(self.at + 1).to_owned();
                let rest = match self.all_gotten(value.clone()) {
                    Value::Table(mut table) => {
                        table.retain(|(key, _)| !taken.contains(key));
                        Value::Table(table)
                    }
                    other => other,
                };
                self.bind(name, rest);
                self.at += 2;
                continue;
            }
            let at = self.at;
            let mut name = self.word().to_owned();
            let member = if self.is_name(at) {
                self.at += 1;
                taken.push(name.clone());
                self.member(value.clone(), &name)
            } else if let Some(key) = self.key_of_pattern() {
                name.clear();
                match key.as_known() {
                    Some(key) => {
                        taken.push(key.to_owned());
                        self.member(value.clone(), key)
                    }
                    None => self.element(value, 0),
                }
            } else {
                self.at = at + 1;
                continue;
            };
            let renamed = matches!(self.word(), ":" | "as");
            if renamed && matches!(self.word_at(self.at + 1), "{" | "[") {
                self.at += 1;
                let end = self.partner(self.at);
                self.bind_pattern(&member);
                self.at = end + 1;
                continue;
            }
            let bound = if renamed && self.is_name(self.at + 1) {
                self.at += 2;
                self.word_at(self.at - 1).to_owned()
            } else {
                name
            };
            let member = self.or_default(member, close);
            self.bind(bound, member);
        }
        self.at = close + 1;
    }

    /// A value, or what stands for it behind `=` where it is missing.
    fn or_default(&mut self, value: Value, close: usize) -> Value {
        if self.word() != "=" || self.language != "javascript" {
            return value;
        }
        self.at += 1;
        let outer = self.narrow(close);
        self.brackets += 1;
        let default = self.expression(0);
        self.brackets -= 1;
        self.end = outer;
        // What is there takes the place of what would stand for it.
        let is_there = match &value {
            Value::Text(text) => text.as_known().is_some(),
            Value::Name(path, _) => matches!(&**path, "true" | "false"),
            Value::Number(_) => true,
            _ => false,
        };
        if is_there {
            return value;
        }
        let is_missing = match &value {
            Value::Method(method) => matches!(method.0, Value::Table(_)),
            Value::Text(text) => text.as_known().is_none(),
            _ => false,
        };
        if is_missing { default } else { value.or(default) }
    }

    fn bind_list(&mut self, close: usize, value: &Value) {
        let mut position = 0;
        let mut is_hole = true;
        while self.at < close {
            let name = self.word().to_owned();
            if name == "," {
                position += usize::from(is_hole && self.language == "javascript");
                is_hole = true;
                self.at += 1;
                continue;
            }
            is_hole = false;
            if name == "..." {
                let rest = match value {
                    Value::List(list) => {
                        Value::List(list.get(position..).unwrap_or_default().to_vec())
                    }
                    Value::Any(list) => {
                        let each = list.iter().map(|one| match one {
                            Value::List(list) => {
                                Value::List(list.get(position..).unwrap_or_default().to_vec())
                            }
                            other => other.clone(),
                        });
                        each.reduce(Value::or).unwrap_or_else(|| Value::unknown("the rest"))
                    }
                    other => other.clone(),
                };
                if !self.is_name(self.at + 1) {
                    self.at += 1;
                    if matches!(self.word(), "[" | "{") && self.sink() {
                        let end = self.partner(self.at);
                        self.bind_pattern(&rest);
                        self.rise();
                        self.at = end + 1;
                    }
                    continue;
                }
                let name = self.word_at(self.at + 1).to_owned();
                self.bind(name, rest);
                self.at += 2;
                continue;
            }
            if matches!(name.as_str(), "[" | "{") && self.language == "javascript" {
                let element = self.element(value, position);
                position += 1;
                let end = self.partner(self.at);
                self.bind_pattern(&element);
                self.at = end + 1;
                continue;
            }
            let binds = self
                .token_at(self.at)
                .is_some_and(|token| matches!(token.kind, TokenKind::Name | TokenKind::Variable));
            self.at += 1;
            if binds && !matches!(name.as_str(), "my" | "let" | "const" | "var") {
                // A list of Perl takes all that is left.
                let element = match value {
                    Value::List(list)
                        if self.language == "perl" && name.starts_with(['@', '%']) =>
                    {
                        Value::List(list.get(position..).unwrap_or_default().to_vec())
                    }
                    _ => self.element(value, position),
                };
                position += 1;
                let element = self.or_default(element, close);
                self.bind(name, element);
            }
        }
        self.at = close;
    }

    /// Gives the targets of a loop what it goes through: `name`, `i, (a, *rest)`, `const [key, value]`.
    pub(in super::super) fn bind_targets(&mut self, start: usize, end: usize, value: &Value) {
        let mut start = start;
        while matches!(self.word_at(start), "const" | "let" | "var" | "my" | "await") {
            start += 1;
        }
        let mut parts = Vec::new();
        let (mut at, mut from) = (start, start);
        while at < end && parts.len() < 16 {
            if self.word_at(at) == "," {
                parts.push(from..at);
                from = at + 1;
            }
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        let is_one = parts.is_empty();
        if from < end {
            parts.push(from..end);
        }
        let last = parts.len().saturating_sub(1);
        // What stands behind the one that takes the rest is counted from the end.
        let mut taken = 0;
        for (position, part) in parts.into_iter().enumerate() {
            let position = position + taken;
            let part_value = if is_one { value.clone() } else { self.element(value, position) };
            match self.word_at(part.start) {
                "[" | "{" if self.language == "javascript" => {
                    let back = std::mem::replace(&mut self.at, part.start);
                    self.bind_pattern(&part_value);
                    self.at = back;
                }
                "(" | "[" => {
                    let close = self.partner(part.start);
                    if self.sink() {
                        self.bind_targets(part.start + 1, close, &part_value);
                        self.rise();
                    }
                }
                "*" => {
                    let rest = match value {
                        Value::List(list) if !is_one => {
                            let end = list.len().saturating_sub(last - (position - taken));
                            taken = end.saturating_sub(position + 1);
                            Value::List(list.get(position..end).unwrap_or_default().to_vec())
                        }
                        other => other.clone(),
                    };
                    let name = self.word_at(part.start + 1).to_owned();
                    self.bind(name, rest);
                }
                // `self.path, table["depth"] = path, depth`
                _ if self.language == "python" && part.len() > 1 && self.is_name(part.start) => {
                    if self.set_part(part.clone(), &part_value) {
                        continue;
                    }
                    let back = std::mem::replace(&mut self.at, part.start);
                    let outer = std::mem::replace(&mut self.end, part.end);
                    let place = self.operand();
                    (self.at, self.end) = (back, outer);
                    self.store_member(place, part_value);
                }
                name if self.is_name(part.start) || name.starts_with(['$', '@', '%']) => {
                    let name = name.to_owned();
                    self.bind(name, part_value);
                }
                _ => {}
            }
        }
    }
}
