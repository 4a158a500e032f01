//! Arguments that an agent has written as the text of a Python dictionary: `{'to': 'ann', 'all': True}`. Owns how such a text is read
//! as the object that it stands for; what it cannot place, it does not read.

use serde_json::{Map, Value};

/// How deep such a text is read.
const DEPTH: usize = 16;

/// The object that a text stands for, where all of it is one.
pub(super) fn object(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text };
    let value = reader.value(DEPTH)?;
    (reader.rest.trim().is_empty() && value.is_object()).then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn accept(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_start();
        let found = self.rest.strip_prefix(mark);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.rest = self.rest.trim_start();
        match self.rest.chars().next()? {
            '{' => self.members(depth),
            '[' => self.items('[', ']', depth),
            '(' => self.items('(', ')', depth),
            '\'' | '"' => self.text().map(Value::String),
            _ => self.word(),
        }
    }

    fn members(&mut self, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        self.accept('{');
        while !self.accept('}') {
            let name = match self.value(depth)? {
                Value::String(name) => name,
                Value::Number(number) => number.to_string(),
                _ => return None,
            };
            if !self.accept(':') {
                return None;
            }
            // Which of two entries of one name counts, is not known.
            if members.insert(name, self.value(depth)?).is_some() {
                return None;
            }
            if !self.accept(',') {
                return self.accept('}').then_some(Value::Object(members));
            }
        }
        Some(Value::Object(members))
    }

    fn items(&mut self, open: char, close: char, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        self.accept(open);
        while !self.accept(close) {
            items.push(self.value(depth)?);
            if !self.accept(',') {
                return self.accept(close).then_some(Value::Array(items));
            }
        }
        Some(Value::Array(items))
    }

    fn text(&mut self) -> Option<String> {
        let mut letters = self.rest.chars();
        let quote = letters.next()?;
        let mut text = String::new();
        loop {
            let letter = letters.next()?;
            if letter == quote {
                self.rest = letters.as_str();
                return Some(text);
            }
            match letter {
                '\\' => match letters.next()? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    other @ ('\\' | '\'' | '"') => text.push(other),
                    other => text.extend(['\\', other]),
                },
                other => text.push(other),
            }
        }
    }

    fn word(&mut self) -> Option<Value> {
        let end = self.rest.find([',', ':', '}', ']', ')']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        match word.trim() {
            "True" | "true" => Some(Value::Bool(true)),
            "False" | "false" => Some(Value::Bool(false)),
            "None" | "null" => Some(Value::Null),
            number => serde_json::from_str::<serde_json::Number>(number).ok().map(Value::Number),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dictionary_is_the_object_that_it_stands_for() {
        for (text, expected) in [
            ("{'to': 'ann', 'all': True}", json!({"to": "ann", "all": true})),
            ("{'a': \"it's\", 'n': [1, -2.5, None,],}", json!({"a": "it's", "n": [1, -2.5, null]})),
            ("{'a': {'b': ('x', 'y\\'z')}}", json!({"a": {"b": ["x", "y'z"]}})),
            ("{}", json!({})),
        ] {
            assert_eq!(object(text), Some(expected), "{text}");
        }
        let deep = "{'a': ".repeat(DEPTH + 1) + "1" + &"}".repeat(DEPTH + 1);
        for text in
            ["{'a'}", "{'a': f()}", "{'a': 1} x", "{'a': 1, 'a': 2}", "['a']", "{'a': 'b", &deep]
        {
            assert_eq!(object(text), None, "{text}");
        }
    }
}
