//! Lists, tables and sets as they are written out, and what goes through others to make them. Owns their entries.

use portcullis_syntax::code::TokenKind;

use super::super::{
    containers::{any_of, characters},
    interpreter::Interpreter,
    value::{ELEMENTS, SOME_MEMBER, SPREAD, Value, mixed},
};

/// A comprehension while it is gone through.
#[derive(Default)]
struct Made {
    /// Where what it gives for each begins.
    head: usize,
    /// The first `for`.
    separator: usize,
    /// Behind a key.
    colon: Option<usize>,
    names: Vec<String>,
    keys: Vec<String>,
    values: Vec<Value>,
}

impl Interpreter<'_, '_, '_> {
    /// The values between the bracket at the cursor and `close`, which is passed.
    pub(in super::super) fn list(&mut self, close: usize) -> Vec<Value> {
        self.at += 1;
        let mut list = Vec::new();
        let outer = self.narrow(close);
        self.brackets += 1;
        while self.at < self.end && self.spend(1) {
            let before = self.at;
            let spread = self.word() == "*" || self.word() == "...";
            let value = self.expression(0);
            match value {
                Value::List(inner)
                    if spread || self.language == "perl" && !self.is_reference(before) =>
                {
                    list.extend(inner);
                }
                Value::Text(text) if spread => match characters(&text) {
                    Some(Value::List(inner)) => list.extend(inner),
                    _ => list.push(Value::Text(text)),
                },
                // What a pattern with several ways gave: names of each.
                Value::Any(several) if spread && several.iter().all(is_names) => {
                    list.extend(several);
                }
                value if spread && self.language == "javascript" && self.at > before => {
                    let span = self.span_from(before);
                    match self.gone_through(&value, span) {
                        Some(Value::List(inner)) => list.extend(inner),
                        _ => list.push(Value::Text(mixed("what is spread", [&value]))),
                    }
                }
                value if self.at > before => list.push(value),
                _ => {}
            }
            if self.word() == "for" {
                // A generator: its head was read with the variable unknown.
                self.at = self.end;
            }
            let separated = matches!(self.word(), "," | "=>");
            if separated || self.at == before {
                self.at += 1;
            }
        }
        self.brackets -= 1;
        self.end = outer;
        self.at = close + 1;
        if list.len() > ELEMENTS {
            self.limit();
        }
        list.truncate(ELEMENTS);
        list
    }

    /// `[head for name in list]`, `{key: head for …}` between the bracket at the cursor and `close`.
    pub(in super::super) fn comprehension(&mut self, close: usize) -> Option<Value> {
        if self.language != "python" {
            return None;
        }
        let open = self.at;
        let mut at = open + 1;
        let (mut separator, mut colon) = (None, None);
        while at < close {
            if self.word_at(at) == "for" && self.is_name(at) {
                separator = Some(at);
                break;
            }
            if self.word_at(at) == ":" && self.word_at(open) == "{" {
                colon = Some(at);
            }
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        let separator = separator?;
        let outer = self.narrow(close);
        self.brackets += 1;
        let mut made = Made { head: open + 1, separator, colon, ..Made::default() };
        let outside = self.outside_of(separator);
        let functions = self.functions.len();
        let rest = self.rounds(separator, &mut made);
        let end = self.end;
        let chooses = (rest..end).any(|at| self.word_at(at) == "if" && self.is_name(at));
        let Made { keys, mut values, names, .. } = made;
        if chooses {
            // Which of them are chosen is not known: each may be the first.
            values = any_of(values);
        }
        for name in names {
            // A function that was made in it sees what its names were worth last.
            if let Some(last) = self.variables.get(&name).cloned() {
                for function in self.functions.iter_mut().skip(functions) {
                    function.captured.push((name.clone(), last.clone()));
                }
            }
            match outside.iter().position(|(known, _)| *known == name) {
                Some(at) => {
                    let value = outside.get(at).map(|(_, value)| value.clone());
                    value
                        .into_iter()
                        .for_each(|value| drop(self.variables.insert(name.clone(), value)));
                }
                None => drop(self.variables.remove(&name)),
            }
        }
        self.brackets -= 1;
        self.end = outer;
        self.at = close + 1;
        Some(match colon {
            Some(_) => Value::Table(keys.into_iter().zip(values).collect()),
            None => Value::List(values),
        })
    }

    /// What the names of a comprehension are worth outside of it.
    fn outside_of(&self, separator: usize) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        let mut next = Some(separator);
        while let Some(at) = next {
            let within = (at..self.end).find(|at| self.word_at(*at) == "in").unwrap_or(self.end);
            for name in self.names(at + 1, within) {
                if let Some(value) = self.variables.get(&name) {
                    found.push((name, value.clone()));
                }
            }
            next = self.next_for(within, self.end);
        }
        found
    }

    /// The rounds of one `for` of a comprehension, and within each those of the next one; gives where the conditions behind its list begin.
    fn rounds(&mut self, separator: usize, made: &mut Made) -> usize {
        let end = self.end;
        let within = (separator..end).find(|index| self.word_at(*index) == "in").unwrap_or(end);
        made.names.extend(self.names(separator + 1, within));
        self.at = within + 1;
        let list = self.expression(2);
        let rest = self.at;
        let span = self.span_from(made.head - 1);
        let list = self.gone_through(&list, span).unwrap_or(list);
        let elements: Vec<Value> = match &list {
            Value::List(list) if !list.is_empty() => list.clone(),
            Value::Text(text) if text.as_known().is_some_and(|known| known.len() <= ELEMENTS) => {
                let known = text.as_known().unwrap_or_default();
                known.chars().map(|character| Value::known(&character.to_string())).collect()
            }
            other => vec![self.element(other, 0)],
        };
        let next = self.next_for(rest, end);
        for element in elements {
            self.bind_targets(separator + 1, within, &element);
            // What its conditions bind stands in what it gives: `[word for line in lines if (word := line.strip())]`.
            self.at = rest;
            let outer = std::mem::replace(&mut self.end, next.unwrap_or(end));
            self.statements(self.end);
            self.end = outer;
            match next {
                Some(next) => {
                    self.rounds(next, made);
                }
                None => self.head_of(made),
            }
            if self.work == 0 || made.values.len() > ELEMENTS {
                self.limit();
                break;
            }
        }
        rest
    }

    /// The `for` behind a list of a comprehension.
    fn next_for(&self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        while at < end {
            if self.word_at(at) == "for" && self.is_name(at) {
                return Some(at);
            }
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        None
    }

    /// What a comprehension gives for the names as they are bound.
    fn head_of(&mut self, made: &mut Made) {
        self.at = made.head;
        let outer = std::mem::replace(&mut self.end, made.separator);
        if let Some(colon) = made.colon {
            self.end = colon;
            let key = self.expression(0).text();
            let key = if key.has_unknown() { SOME_MEMBER.to_owned() } else { key.display() };
            made.keys.push(key);
            self.end = made.separator;
            self.at = colon + 1;
        }
        made.values.push(self.expression(0));
        self.end = outer;
    }

    /// `{one, two}` of Python: something in the brackets, and neither a key nor a table that is spread.
    fn is_set(&self, close: usize) -> bool {
        let mut at = self.at + 1;
        let mut is_empty = true;
        while at < close {
            if matches!(self.word_at(at), ":" | "**") && !self.is_text(at) {
                return false;
            }
            is_empty = false;
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        !is_empty
    }

    fn is_text(&self, at: usize) -> bool {
        self.token_at(at).is_some_and(|token| matches!(token.kind, TokenKind::Text(_)))
    }

    /// A dictionary, an object or a block.
    pub(in super::super) fn table(&mut self) -> Value {
        let close = self.partner(self.at);
        if self.language == "python" && self.is_set(close) {
            return Value::List(self.list(close));
        }
        self.at += 1;
        let outer = self.narrow(close);
        let mut table: Vec<(String, Value)> = Vec::new();
        // Under one of several names: what it holds is known, and not where.
        let mut several: Option<Value> = None;
        let brackets = std::mem::replace(&mut self.brackets, 1);
        self.blocks += 1;
        while self.at < self.end && self.spend(1) {
            let before = self.at;
            // `{...defaults, …}`, `{**defaults, …}`
            if matches!(self.word(), "..." | "**") {
                self.at += 1;
                let spread = self.expression(0);
                match self.all_gotten(spread) {
                    Value::Table(more) => table.extend(more),
                    // What may put another value in the place of any.
                    Value::Any(more) => {
                        for one in &more {
                            let Value::Table(more) = one else { continue };
                            for (key, value) in more {
                                let before = table.iter().rposition(|(known, _)| known == key);
                                let before = before.map(|at| table.remove(at).1);
                                let value = match before {
                                    Some(before) => Value::or(before, value.clone()),
                                    None => value.clone(),
                                };
                                table.push((key.clone(), value));
                            }
                        }
                    }
                    other => table.push((SPREAD.to_owned(), other)),
                }
                self.accept(",");
                continue;
            }
            // `{ %defaults, … }`
            let is_pairs = self.language == "perl"
                && (self.word().starts_with('%')
                    || matches!(self.word(), "map" | "grep") && self.word_at(before + 1) != "=>");
            if is_pairs {
                let value = self.expression(0);
                match self.with_sigil("%", value) {
                    Value::Table(more) => table.extend(more),
                    other => table.push((SOME_MEMBER.to_owned(), other)),
                }
                self.accept(",");
                if self.at == before {
                    self.at += 1;
                }
                continue;
            }
            // `{[name]: value}`
            if self.word() == "[" && self.language == "javascript" {
                let end = self.partner(before);
                if self.word_at(end + 1) == ":" {
                    let key = self.list(end).pop();
                    several = several.or(key.clone().filter(|it| matches!(it, Value::Any(_))));
                    let key = key.map(|key| match &key {
                        Value::Text(text) if text.has_unknown() => SOME_MEMBER.to_owned(),
                        Value::Name(..) | Value::Method(_) if !key.is_true() && !key.is_false() => {
                            match &key {
                                Value::Name(path, _) if path.starts_with("Symbol.") => {
                                    path.to_string()
                                }
                                _ => SOME_MEMBER.to_owned(),
                            }
                        }
                        key => key.text().display(),
                    });
                    self.at = end + 2;
                    let value = self.expression(0);
                    table.push((key.unwrap_or_default(), value));
                    self.accept(",");
                    continue;
                }
            }
            if self.language == "javascript"
                && let Some((name, value)) = self.literal_method(before)
            {
                table.push((name, value));
                self.accept(",");
                continue;
            }
            let separator = self.word_at(before + 1);
            let lua = self.language == "lua" && separator == "=";
            if matches!(separator, ":" | "=>") || lua {
                let key = match self.token_at(before).map(|token| &token.kind) {
                    Some(TokenKind::Text(parts)) => {
                        let parts = parts.clone();
                        self.parts(&parts).display()
                    }
                    // The names of Python's keys are variables.
                    _ if self.language == "python" && self.is_name(before) => {
                        let word = self.word_at(before);
                        let bound = self.bound(word);
                        several =
                            several.or(bound.clone().filter(|it| matches!(it, Value::Any(_))));
                        match &bound {
                            Some(Value::Number(number)) => number.to_string(),
                            Some(value) => value.as_known().unwrap_or(SOME_MEMBER).to_owned(),
                            None => word.to_owned(),
                        }
                    }
                    Some(TokenKind::Variable) if self.language == "perl" => {
                        let key = self.bound(self.word_at(before));
                        let key = key.as_ref().and_then(Value::as_known);
                        key.unwrap_or(SOME_MEMBER).to_owned()
                    }
                    _ => self.word_at(before).to_owned(),
                };
                self.at += 2;
                let value = self.expression(0);
                table.push((key, value));
            } else if self.is_name(before)
                && matches!(separator, "," | "}" | "")
                && self.language == "javascript"
            {
                let name = self.word();
                self.at += 1;
                let value = self.resolve(name);
                table.push((name.to_owned(), value));
            } else {
                self.brackets = 0;
                self.statement_once();
                self.brackets = 1;
            }
            self.accept(",");
            if self.at == before {
                self.at += 1;
            }
        }
        self.blocks -= 1;
        self.brackets = brackets;
        self.end = outer;
        self.at = close + 1;
        match several {
            Some(key) => Value::Text(mixed("a table", [&Value::Table(table), &key])),
            None => Value::Table(table),
        }
    }
}

/// Whether a value stands for the names that a pattern gave, and is no text of letters.
fn is_names(value: &Value) -> bool {
    let Value::Text(text) = value else { return false };
    text.pieces.iter().any(|piece| matches!(piece, crate::text::Piece::Glob(_)))
}
