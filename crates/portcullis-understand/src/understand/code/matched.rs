//! What the patterns of a `match` bind: the subject itself, its elements, what it has under a key.

use super::{interpreter::Interpreter, value::Value, value::mixed};

/// How many tokens of a pattern are looked at.
const PATTERN: usize = 64;

impl Interpreter<'_, '_, '_> {
    /// Binds the names between the cursor, which stands behind `case`, and the colon to what is matched; moves behind the colon.
    pub(super) fn pattern(&mut self) {
        let end = self.end.min(self.at + PATTERN);
        let mut colon = self.at;
        while colon < end && !matches!(self.word_at(colon), ":" | "if") {
            colon = match self.unit.partners.get(colon) {
                Some(partner) if *partner > colon => partner + 1,
                _ => colon + 1,
            };
        }
        if colon >= end {
            return;
        }
        let at = self.at;
        self.matched.retain(|(end, _)| *end > at);
        let subject = self.matched.last().map(|(_, value)| value.clone());
        let subject = subject.unwrap_or_else(|| Value::unknown("what is matched"));
        // Alternatives bind the same names.
        let mut from = self.at;
        for at in self.at..=colon {
            if at == colon || self.word_at(at) == "|" {
                self.bind_part(from, at, &subject);
                from = at + 1;
            }
        }
        self.at = colon + usize::from(self.word_at(colon) == ":");
    }

    /// Binds the names of one pattern.
    fn bind_part(&mut self, start: usize, end: usize, value: &Value) {
        if start >= end || !self.sink() {
            return;
        }
        let part = Value::Text(mixed("a part of what is matched", [value]));
        if let Some(name) = self.as_between(start, end) {
            self.bind_name(name + 1, value);
            self.bind_part(start, name, value);
        } else if let Some((open, close)) = self.brackets_of(start, end) {
            let is_list = matches!(self.word_at(open), "[" | "(") && open == start;
            for (position, (from, to)) in
                self.parts_between(open + 1, close).into_iter().enumerate()
            {
                let colon = (from..to).find(|at| self.word_at(*at) == ":");
                let equals = (from..to).find(|at| self.word_at(*at) == "=");
                match (colon, equals) {
                    // `{"key": pattern}`
                    (Some(colon), _) => {
                        self.at = from;
                        let key = self.expression(0);
                        let entry = key.as_known().and_then(|key| value.entry(key).cloned());
                        self.bind_part(colon + 1, to, &entry.unwrap_or_else(|| part.clone()));
                    }
                    // `Point(x=pattern)`
                    (None, Some(equals)) => {
                        let name = self.word_at(from).to_owned();
                        let member = self.member(value.clone(), &name);
                        self.bind_part(equals + 1, to, &member);
                    }
                    (None, None) if matches!(self.word_at(from), "*" | "**") => {
                        self.bind_name(from + 1, &part);
                    }
                    (None, None) if is_list => {
                        let element = match value {
                            Value::List(list) => list.get(position).cloned(),
                            _ => None,
                        };
                        self.bind_part(from, to, &element.unwrap_or_else(|| part.clone()));
                    }
                    (None, None) => self.bind_part(from, to, &part),
                }
            }
        } else if start + 1 == end {
            self.bind_name(start, value);
        } else if self.parts_between(start, end).len() > 1 {
            // `case "copy", source, target:`
            for (position, (from, to)) in self.parts_between(start, end).into_iter().enumerate() {
                let element = match value {
                    Value::List(list) => list.get(position).cloned(),
                    _ => None,
                };
                let from = from + usize::from(self.word_at(from) == "*");
                self.bind_part(from, to, &element.unwrap_or_else(|| part.clone()));
            }
        }
        self.rise();
    }

    /// Where `as` stands between two tokens, in no brackets between them.
    fn as_between(&self, start: usize, end: usize) -> Option<usize> {
        let mut at = start;
        while at < end {
            if self.word_at(at) == "as" && self.is_name(at) {
                return Some(at);
            }
            at = self.partner_or_next(at);
        }
        None
    }

    fn bind_name(&mut self, at: usize, value: &Value) {
        let is_constant = matches!(self.word_at(at), "_" | "True" | "False" | "None");
        if self.is_name(at) && !is_constant {
            let name = self.word_at(at).to_owned();
            self.bind(name, value.clone());
        }
    }

    /// The brackets that a pattern is, with the name of a class before them where it has one.
    fn brackets_of(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let open = (start..end).find(|at| matches!(self.word_at(*at), "[" | "(" | "{"))?;
        let is_class = (start..open).all(|at| self.is_name(at) || self.word_at(at) == ".");
        let close = self.partner(open);
        (is_class && close + 1 == end).then_some((open, close))
    }

    /// What stands between commas.
    fn parts_between(&self, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut parts = Vec::new();
        let (mut at, mut from) = (start, start);
        while at < end {
            if self.word_at(at) == "," {
                parts.push((from, at));
                from = at + 1;
            }
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        if from < end {
            parts.push((from, end));
        }
        parts
    }
}
