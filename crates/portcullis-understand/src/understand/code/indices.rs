//! What stands in brackets behind a value: an index, a key, a slice. Owns which element that is.

use portcullis_syntax::Span;

use super::{
    containers::any_of,
    fold,
    interpreter::Interpreter,
    libraries,
    operands::number,
    tables::Act,
    value::{Given, Value, mixed},
};
use crate::{
    effect::GapReason,
    text::{Piece, Text},
    understand::meaning,
};

/// First words of the names of what only reads.
const READS: &[&str] =
    &["count", "describe", "find", "get", "head", "list", "query", "search", "select"];

impl Interpreter<'_, '_, '_> {
    /// The parts of `[start:end:step]` between the bracket at the cursor and `close`, where it is one: each a number, nothing, or
    /// something that is not known.
    fn slice_parts(&self, close: usize) -> Option<[Option<Option<i64>>; 3]> {
        let mut parts = [None; 3];
        let mut part = 0;
        let mut colons = 0;
        let mut at = self.at + 1;
        while at < close.min(self.at + 32) {
            match self.word_at(at) {
                ":" => (part, colons) = (part + 1, colons + 1),
                "::" => (part, colons) = (part + 2, colons + 1),
                word => {
                    let negative = word == "-";
                    let digits = if negative { self.word_at(at + 1) } else { word };
                    let known = number(digits).filter(|_| !digits.is_empty());
                    let known = known.map(|known| if negative { -known } else { known });
                    let slot = parts.get_mut(part)?;
                    // A second word makes it something that is not known.
                    *slot = Some(if slot.is_some() { None } else { known });
                    at += usize::from(negative);
                }
            }
            at = match self.unit.partners.get(at) {
                Some(partner) if *partner > at => partner + 1,
                _ => at + 1,
            };
        }
        (colons > 0).then_some(parts)
    }

    /// A member of an object whose name is computed: of the library of a service that can destroy, its beginning may say that it only reads.
    fn some_member(&mut self, path: &str, text: Text, key: &Value, span: Span) -> Value {
        let some = format!("{path}[]");
        let root = self.module_in(path).filter(|module| libraries::can_destroy(module));
        let Some(root) = root else { return Value::reached(&some, text) };
        let begins = key.text();
        let words = meaning::words(begins.known_prefix());
        // The last word may go on in what is not known.
        if words.first().is_some_and(|word| READS.contains(&word.as_str())) {
            return Value::reached(&format!("{path}.{}[]", words.join("_")), text);
        }
        if root != path && path.contains("()") && self.word() == "(" {
            self.walk.gap(span, GapReason::UnknownCode);
        }
        Value::reached(&some, text)
    }

    pub(super) fn index(&mut self, value: Value) -> Value {
        let close = self.partner(self.at);
        let is_changed =
            ["argv.", "argv =", "argv=", "argv +"].iter().any(|it| self.source.contains(it));
        let is_arguments = self.at > 0 && self.word_at(self.at - 1) == "argv" && !is_changed;
        if self.language == "python"
            && let Some(parts) = self.slice_parts(close)
        {
            self.at = close + 1;
            return slice(value, &parts);
        }
        let word = self.word_in_braces(close).map(str::to_owned);
        if let (Some(word), Value::Name(path, _)) = (&word, &value)
            && matches!(&**path, "ENV")
        {
            self.at = close + 1;
            return self.member(value, word);
        }
        let mut list = self.list(close);
        // `local['rm']['-rf', path]()`: what stands in the second brackets are the words of the program.
        if let Value::Name(path, _) = &value
            && let Some(program) =
                path.strip_prefix("plumbum.local.").or_else(|| path.strip_prefix("plumbum.cmd."))
        {
            list.insert(0, Value::known(program));
            let words = self.words([(&Value::List(list), self.span_from(close))].into_iter());
            return Value::Text(self.run_words(&words, None));
        }
        let key = list.pop().unwrap_or_else(|| Value::known(""));
        if let Some(home) = Self::home_of_account(&value, &key) {
            return home;
        }
        let span = self.span_from(close);
        // `Dir["build/*"]`
        if self.language == "ruby" && matches!(&value, Value::Name(path, _) if &**path == "Dir") {
            let pattern = [Given { name: None, value: key, span }];
            return self.act(Act::List, "Dir.glob", &pattern, span);
        }
        let own = ["__getitem__", "__missing__"]
            .iter()
            .find_map(|method| self.by_itself(&value, method, std::slice::from_ref(&key), span));
        if let Some(found) = own {
            return found;
        }
        match (&value, &key) {
            (Value::Any(several), _)
                if several.iter().any(|one| matches!(one, Value::Holder(_))) =>
            {
                value
            }
            (Value::Holder(_), _) => value,
            // `list[Symbol.iterator]()`
            (Value::List(_), Value::Name(path, _)) if &**path == "Symbol.iterator" => {
                Value::Method(Box::new((value, "slice".to_owned())))
            }
            // Any of them.
            (Value::List(elements), key)
                if !matches!(key, Value::Number(_))
                    && key.as_known().is_none()
                    && !elements.is_empty() =>
            {
                let any = elements.iter().cloned().reduce(Value::or);
                any.unwrap_or_else(|| Value::unknown("an element"))
            }
            (Value::List(elements), Value::Number(position)) => {
                let position = if *position < 0 {
                    usize::try_from(position.saturating_neg())
                        .ok()
                        .and_then(|back| elements.len().checked_sub(back))
                } else {
                    usize::try_from(*position).ok()
                };
                // What nobody has given to a program.
                if is_arguments
                    && position.is_some_and(|it| it >= elements.len())
                    && elements.iter().all(|it| it.as_known().is_some())
                {
                    return Value::name("undefined");
                }
                position
                    .and_then(|position| elements.get(position).cloned())
                    .unwrap_or_else(|| Value::unknown("an element"))
            }
            (_, Value::Text(text)) if text.as_known().is_some() => {
                let name = text.as_known().unwrap_or_default().to_owned();
                if let Some(given) = self.gotten(&value, &name, "") {
                    return given;
                }
                match value.entry(&name) {
                    Some(entry) => entry.clone(),
                    None => self.member(value, &name),
                }
            }
            (Value::Text(text), Value::Number(position)) => match text.as_known() {
                Some(known) => usize::try_from(*position)
                    .ok()
                    .and_then(|position| known.chars().nth(position))
                    .map_or_else(
                        || Value::unknown("a character"),
                        |character| Value::known(&character.to_string()),
                    ),
                None => Value::Text(text.clone()),
            },
            // `$ENV{HOME}`, `process.env[name]`
            (Value::Name(path, text), Value::Name(key, _)) if self.language == "perl" => {
                let name = format!("{path}.{key}");
                let text = text.clone();
                self.variables.get(&name).cloned().unwrap_or_else(|| Value::reached(&name, text))
            }
            (Value::Name(path, text), key) => {
                let (path, text) = (path.to_string(), text.clone());
                if self.language == "javascript" {
                    return self.some_member(&path, text, key, span);
                }
                // Which of all the names there are, something from elsewhere may say.
                let mut text = text;
                if matches!(&*path, "a module" | "builtins" | "globals()" | "locals()" | "vars()") {
                    key.inherit_into(&mut text);
                }
                Value::reached(&format!("{path}[]"), text)
            }
            // `{True: one, False: other}[question]`
            (Value::Table(table), Value::Name(key, _))
                if table.iter().any(|(name, _)| **name == **key) =>
            {
                value.entry(key).cloned().unwrap_or_else(|| Value::unknown("an element"))
            }
            // `plans[quick ? "a" : "b"]`
            (Value::Table(_), Value::Any(keys))
                if keys
                    .iter()
                    .all(|key| key.as_known().is_some_and(|key| value.entry(key).is_some())) =>
            {
                let found = keys.iter().filter_map(|key| value.entry(key.as_known()?).cloned());
                found.reduce(Value::or).unwrap_or_else(|| Value::unknown("an element"))
            }
            (Value::Table(table), _)
                if matches!(self.language, "javascript" | "python" | "ruby")
                    && !table.is_empty() =>
            {
                let any = table.iter().map(|(_, value)| value.clone()).reduce(Value::or);
                any.unwrap_or_else(|| Value::unknown("an element"))
            }
            _ => {
                let element = Value::Text(mixed("an element", [&value]));
                self.holding(element, [&value])
            }
        }
    }
}

/// `value[start:end:step]`.
fn slice(value: Value, parts: &[Option<Option<i64>>; 3]) -> Value {
    let [start, end, step] = parts;
    let is_known = parts.iter().all(|part| *part != Some(None));
    let step = step.flatten().unwrap_or(1);
    match value {
        Value::Any(list) => list
            .into_iter()
            .map(|one| slice(one, parts))
            .reduce(Value::or)
            .unwrap_or_else(|| Value::unknown("a part")),
        Value::Text(text) if is_known && step == 1 => {
            Value::Text(fold::slice(&text, start.flatten(), end.flatten(), false))
        }
        Value::Text(text) if is_known && step == -1 && start.is_none() && end.is_none() => {
            Value::Text(fold::slice(&text, None, None, true))
        }
        Value::Text(text) if is_known && text.as_known().is_some() => {
            let letters: Vec<char> = text.as_known().unwrap_or_default().chars().collect();
            let places = places(letters.len(), start.flatten(), end.flatten(), step);
            let taken = places.into_iter().filter_map(|at| letters.get(at));
            Value::Text(text.derive([Piece::Known(taken.collect())]))
        }
        Value::Text(text) if !text.has_unknown() => {
            Value::Text(text.derive([Piece::Unknown("a part".into())]))
        }
        Value::List(list) if is_known => {
            let places = places(list.len(), start.flatten(), end.flatten(), step);
            Value::List(places.into_iter().filter_map(|at| list.get(at).cloned()).collect())
        }
        Value::List(list) => Value::List(any_of(list)),
        other => other,
    }
}

/// The places of a sequence that `[start:end:step]` takes, in order. (docs.python.org, "Common Sequence Operations", notes 4 and 5)
fn places(length: usize, start: Option<i64>, end: Option<i64>, step: i64) -> Vec<usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let is_forward = step >= 0;
    let (lowest, highest) = if is_forward { (0, length) } else { (-1, length - 1) };
    let bound = |at: Option<i64>, otherwise: i64| match at {
        None => otherwise,
        Some(at) if at < 0 => at.saturating_add(length).clamp(lowest, highest),
        Some(at) => at.clamp(lowest, highest),
    };
    let (first, last) = if is_forward { (0, length) } else { (length - 1, -1) };
    let (from, to) = (bound(start, first), bound(end, last));
    // Nothing is taken with a step of nothing; the program ends there.
    if step == 0 {
        return Vec::new();
    }
    let span = if is_forward { to.saturating_sub(from) } else { from.saturating_sub(to) };
    let pace = step.saturating_abs();
    let count = if span <= 0 { 0 } else { (span - 1) / pace + 1 };
    (0..count).filter_map(|at| usize::try_from(from.saturating_add(at * step)).ok()).collect()
}
