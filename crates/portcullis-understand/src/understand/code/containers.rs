//! Lists and tables as a program makes them and looks into them. Owns what the functions and methods of containers give: `enumerate`, `zip`,
//! `items()`, `Object.entries`, `slice`, `splice`. What a method leaves in the container itself, [`mod@grown`] says.

mod grown;
mod javascript;
mod proxies;
mod sequences;

use portcullis_syntax::Span;

pub(super) use grown::{grown, in_order, one_method};
use sequences::{DEPTH, json, of_json, sequence};

use super::{
    interpreter::Interpreter,
    objects::{GETTER, SETTER},
    value::{ELEMENTS, Given, SOME_MEMBER, Value, mixed},
};
use crate::{bound::Bounded, effect::WriteMode, text::Text};

/// For how many elements a function is called that gets each of them.
const EACH: usize = 16;

impl Interpreter<'_, '_, '_> {
    /// What a function of the language makes of containers.
    pub(super) fn container(&mut self, path: &str, given: &[Given]) -> Option<Value> {
        match self.language {
            "python" => self.container_of_python(path, given),
            "javascript" => self.container_of_javascript(path, given),
            _ => None,
        }
    }

    fn container_of_python(&mut self, path: &str, given: &[Given]) -> Option<Value> {
        let first = given.iter().find(|it| it.name.is_none()).map(|it| &it.value);
        match path {
            "list" | "set" | "tuple" | "collections.deque" | "deque" if given.is_empty() => {
                Some(Value::List(Vec::new()))
            }
            "collections.Counter" | "Counter" | "frozenset" | "set" => match first? {
                Value::Text(text) => characters(text),
                Value::Table(table) => Some(Value::List(keys(table))),
                Value::List(list) => Some(Value::List(list.clone())),
                _ => None,
            },
            "list" | "tuple" | "collections.deque" | "deque" => match first? {
                Value::Text(text) => characters(text),
                Value::Table(table) => Some(Value::List(keys(table))),
                value => Some(value.clone()),
            },
            "collections.defaultdict" | "defaultdict" if given.len() <= 1 => {
                Some(Value::Table(Vec::new()))
            }
            "dict" | "collections.OrderedDict" | "OrderedDict" => match first {
                None if given.is_empty() => Some(Value::Table(Vec::new())),
                Some(Value::List(pairs)) => table_of(pairs),
                _ => None,
            },
            "types.SimpleNamespace" | "SimpleNamespace" | "argparse.Namespace"
                if given.iter().all(|it| it.name.is_some()) =>
            {
                let named =
                    given.iter().map(|it| (it.name.clone().unwrap_or_default(), it.value.clone()));
                Some(Value::Table(named.collect()))
            }
            // The fields of an object of a class of the script.
            "dataclasses.asdict" | "dataclasses.astuple" | "attr.asdict" => {
                let Value::Name(object, _) = first? else { return None };
                let (_, fields) = self.fields.get(object.strip_suffix("()")?)?.clone();
                let mut value = |name: &str| {
                    let known = self.bound(&format!("self.{name}"));
                    known.unwrap_or_else(|| Value::unknown("a field"))
                };
                let entries = fields.iter().map(|field| (field.name.clone(), value(&field.name)));
                Some(match path {
                    "dataclasses.astuple" => Value::List(entries.map(|(_, one)| one).collect()),
                    _ => Value::Table(entries.collect()),
                })
            }
            // The number of the open file stands for its name.
            "tempfile.mkstemp" => {
                let made = Value::known(&made_among_temporary(given)?);
                Some(Value::List(vec![made.clone(), made]))
            }
            "tempfile.NamedTemporaryFile" | "tempfile.TemporaryFile" => {
                let value = Value::known(&made_among_temporary(given)?);
                let file = Given { name: None, value, span: Span::default() };
                Some(self.open_file(&file, true, WriteMode::Replace))
            }
            // What a coroutine gives was computed where it was called.
            "asyncio.run"
            | "asyncio.wait_for"
            | "asyncio.shield"
            | "asyncio.create_task"
            | "asyncio.ensure_future"
                if matches!(
                    first,
                    Some(Value::Text(_) | Value::List(_) | Value::Table(_) | Value::Any(_))
                ) =>
            {
                first.cloned()
            }
            "asyncio.gather" if !given.is_empty() => {
                let all = given.iter().filter(|it| it.name.is_none());
                Some(Value::List(all.map(|it| it.value.clone()).collect()))
            }
            "ast.literal_eval" => {
                let known = first?.as_known()?;
                let text =
                    if known.contains('"') { known.to_owned() } else { known.replace('\'', "\"") };
                let text = text.replace(['(', ')'], "\u{0}");
                let read: serde_json::Value = serde_json::from_str(&text).ok()?;
                Some(of_json(&read, DEPTH))
            }
            "functools.reduce" | "reduce" => {
                let [function, Given { value: Value::List(list), span, .. }, start @ ..] = given
                else {
                    return None;
                };
                let Value::Function(index) = function.value else { return None };
                let start = start.first().map(|it| it.value.clone());
                self.reduced(index, list.clone(), start, *span)
            }
            "os.environ.update" => {
                let Value::Table(table) = first?.clone() else { return None };
                for (name, value) in table {
                    self.store_member(Value::name(&format!("os.environ.{name}")), value);
                }
                Some(Value::unknown("nothing"))
            }
            "json.loads" => json(first),
            _ => sequence(path, first, given),
        }
    }

    /// What a method of a container gives.
    pub(super) fn container_method(
        &mut self,
        receiver: &Value,
        name: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if !matches!(self.language, "python" | "javascript") {
            return None;
        }
        let number = |at: usize| match given.get(at).map(|it| &it.value) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        };
        match (receiver, name) {
            (Value::Table(table), "items" | "entries") => Some(entries(table)),
            (Value::Table(table), "keys") => Some(Value::List(keys(table))),
            (Value::Table(table), "values") => Some(Value::List(values(table))),
            (Value::Table(_), "copy") => Some(receiver.clone()),
            (Value::Table(table), "get" | "pop" | "setdefault") => {
                let Some(name) = given.first()?.value.as_known() else {
                    // One of them, or what is given for none.
                    let other = given.get(1).map(|it| it.value.clone());
                    let all = table.iter().map(|(_, value)| value.clone()).chain(other);
                    return all.reduce(Value::or).filter(|_| self.language == "python");
                };
                let known = table.iter().rev().find(|(key, _)| key == name);
                match (known, given.get(1)) {
                    (Some((_, value)), _) => Some(value.clone()),
                    (None, Some(other)) => Some(other.value.clone()),
                    // Out of several, it may be any.
                    (None, None) => None,
                }
            }
            (Value::Table(table), "forEach") if self.language == "javascript" => {
                let Value::Function(index) = given.first()?.value else { return None };
                let given = |value: Value| Given { name: None, value, span };
                let mut rounds: Vec<(Value, Value)> = table
                    .iter()
                    .leading(EACH)
                    .map(|(key, value)| (value.clone(), Value::known(key)))
                    .collect();
                if let Some(rest) = table.get(EACH..).filter(|rest| !rest.is_empty()) {
                    let any = mixed("a member", rest.iter().map(|(_, value)| value));
                    rounds.push((Value::Text(any), Value::unknown("a name")));
                }
                for (value, key) in rounds {
                    self.apply(index, Some(&[given(value), given(key)]));
                }
                Some(Value::unknown("nothing"))
            }
            (Value::List(list), "slice") if !given.is_empty() => {
                let start = place(number(0)?, list.len());
                let end = match given.get(1) {
                    Some(_) => place(number(1)?, list.len()),
                    None => list.len(),
                };
                Some(Value::List(list.get(start..end.max(start)).unwrap_or_default().to_vec()))
            }
            (Value::List(list), "slice" | "copy" | "toSorted") if given.is_empty() => {
                Some(Value::List(list.clone()))
            }
            (Value::List(list), "toReversed") => {
                Some(Value::List(list.iter().rev().cloned().collect()))
            }
            (Value::List(list), "splice") => {
                let start = place(number(0)?, list.len());
                let count = match given.get(1) {
                    Some(_) => usize::try_from(number(1)?).unwrap_or(0),
                    None => list.len(),
                };
                let end = start.saturating_add(count).min(list.len());
                Some(Value::List(list.get(start..end).unwrap_or_default().to_vec()))
            }
            (Value::List(list), "concat") => {
                let mut list = list.clone();
                for given in given {
                    match &given.value {
                        Value::List(more) => list.extend(more.iter().cloned()),
                        value => list.push(value.clone()),
                    }
                }
                Some(Value::list(list))
            }
            (Value::List(list), "at" | "pop") if !given.is_empty() => {
                list.get(place(number(0)?, list.len())).cloned()
            }
            (Value::List(list), "pop") => list.last().cloned(),
            (Value::List(list), "shift" | "popleft") => list.first().cloned(),
            // A generator: `{value, done}`.
            (Value::List(list), "next") if self.language == "javascript" => {
                let any = list.iter().cloned().reduce(Value::or);
                let any = any.unwrap_or_else(|| Value::name("undefined"));
                // What it is told may be what it gives.
                let any = given.first().map_or(any.clone(), |told| any.or(told.value.clone()));
                Some(Value::Table(vec![("value".to_owned(), any)]))
            }
            // What gives itself back, as it is now.
            (
                Value::Table(_) | Value::List(_),
                "set" | "add" | "sort" | "reverse" | "fill" | "copyWithin",
            ) if self.language == "javascript" => {
                let callee = Value::Method(Box::new((receiver.clone(), name.to_owned())));
                grown(&callee, given)
            }
            (Value::Table(_) | Value::List(_), "deref") => Some(receiver.clone()),
            (Value::List(list), "flat") => {
                let depth = match given.first().map(|it| &it.value) {
                    None => 1,
                    Some(Value::Number(depth)) => usize::try_from(*depth).unwrap_or(0),
                    // `flat(Infinity)`
                    Some(_) => DEPTH,
                };
                Some(Value::list(flat(list, depth.min(DEPTH))))
            }
            (Value::List(list), _) => self.for_elements(list, name, given, span),
            _ => None,
        }
    }

    /// A method of a list that calls a function with its elements.
    fn for_elements(
        &mut self,
        list: &[Value],
        name: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let start = given.get(1).map(|it| it.value.clone());
        match name {
            "map" | "forEach" | "flatMap" | "filter" | "find" | "findLast" | "some" | "every"
            | "each" => {
                // `filter(Boolean)`
                if let (Value::Name(path, _), "filter") = (&given.first()?.value, name)
                    && path.as_ref() == "Boolean"
                {
                    let is_nothing = |one: &&Value| one.as_known() == Some("") || one.is_false();
                    let left = list.iter().filter(|one| !is_nothing(one));
                    return Some(Value::List(left.cloned().collect()));
                }
                let Value::Function(index) = given.first()?.value else { return None };
                let results = self.for_each(list, index, span);
                match name {
                    "flatMap" => Some(Value::List(flat(&results, 1))),
                    "map" => Some(Value::List(results)),
                    // What is gone through at once may be all of them.
                    "filter" if self.is_gone_through() => Some(Value::List(list.to_vec())),
                    "filter" => Some(Value::List(any_of(list.to_vec()))),
                    "find" | "findLast" => {
                        let any = list.iter().cloned().reduce(Value::or);
                        Some(any.unwrap_or_else(|| Value::unknown("nothing")))
                    }
                    _ => Some(Value::unknown("nothing")),
                }
            }
            "reduceRight" => {
                let Value::Function(index) = given.first()?.value else { return None };
                self.reduced(index, list.iter().rev().cloned().collect(), start, span)
            }
            "reduce" => {
                let Value::Function(index) = given.first()?.value else { return None };
                self.reduced(index, list.to_vec(), start, span)
            }
            _ => None,
        }
    }

    /// Whether what a call gives, behind which the reading stands, is what a loop or a function goes through, each for itself.
    fn is_gone_through(&self) -> bool {
        if matches!(self.word(), "." | "?.") {
            return matches!(self.word_at(self.at + 1), "forEach" | "map")
                && self.word_at(self.at + 2) == "(";
        }
        // `for (const [from, to] of plan.filter(…))`
        self.word() == ")" && {
            let Some(open) = self.unit.partners.get(self.at).copied() else { return false };
            let is_loop = open.checked_sub(1).is_some_and(|at| self.word_at(at) == "for");
            is_loop && (open..self.at).any(|at| self.word_at(at) == "of")
        }
    }

    /// What a function makes of the elements of a list, one after the other.
    fn reduced(
        &mut self,
        index: usize,
        list: Vec<Value>,
        start: Option<Value>,
        span: Span,
    ) -> Option<Value> {
        let given = |value: Value| Given { name: None, value, span };
        let mut list = list.into_iter();
        let mut value = match start {
            Some(start) => start,
            None => list.next()?,
        };
        let mut left = EACH;
        for one in list {
            let Some(fewer) = left.checked_sub(1) else {
                return Some(Value::Text(mixed("a sum", [&value, &one])));
            };
            left = fewer;
            value = self.apply(index, Some(&[given(value), given(one)]));
        }
        Some(value)
    }

    /// Calls a function of the script for each element; what is beyond the bound is read as any of them.
    fn for_each(&mut self, list: &[Value], index: usize, span: Span) -> Vec<Value> {
        let given = |value: Value| Given { name: None, value, span };
        let mut results = Vec::new();
        for (at, one) in list.iter().enumerate().leading(EACH) {
            let at = Value::Number(i64::try_from(at).unwrap_or(0));
            results.push(self.apply(index, Some(&[given(one.clone()), given(at)])));
        }
        let rest = list.get(EACH..).unwrap_or_default();
        if !rest.is_empty() {
            let any = Value::Text(mixed("an element", rest));
            let at = Value::unknown("a number");
            results.push(self.apply(index, Some(&[given(any), given(at)])));
        }
        results
    }
}

/// A list with what lies in its lists, down to a depth, in their place.
fn flat(list: &[Value], depth: usize) -> Vec<Value> {
    let inner = list.iter().flat_map(|one| match one {
        Value::List(inner) if depth > 0 => flat(inner, depth - 1),
        one => vec![one.clone()],
    });
    inner.leading(ELEMENTS + 1).collect()
}

fn place(at: i64, length: usize) -> usize {
    let back = usize::try_from(at.saturating_neg()).ok().filter(|_| at < 0);
    match back {
        Some(back) => length.saturating_sub(back),
        None => usize::try_from(at).unwrap_or(length).min(length),
    }
}

pub(super) fn entries(table: &[(String, Value)]) -> Value {
    let pair = |(key, value): &(String, Value)| Value::List(vec![key_of(key), value.clone()]);
    Value::List(table.iter().map(pair).collect())
}

pub(super) fn keys(table: &[(String, Value)]) -> Vec<Value> {
    table.iter().map(|(key, _)| key_of(key)).collect()
}

/// A key as a value.
fn key_of(key: &str) -> Value {
    // What is called where the member is read or set has the member's own name.
    let name = [GETTER, SETTER].iter().find_map(|end| key.strip_suffix(end)).unwrap_or(key);
    if name == SOME_MEMBER { Value::unknown("a key") } else { Value::known(name) }
}

fn values(table: &[(String, Value)]) -> Vec<Value> {
    table.iter().map(|(_, value)| value.clone()).collect()
}

/// A table from pairs; none where one of them is something else.
fn table_of(pairs: &[Value]) -> Option<Value> {
    let pair = |pair: &Value| match pair {
        Value::List(pair) => match pair.as_slice() {
            [key, value] if key.text().has_unknown() => {
                Some((SOME_MEMBER.to_owned(), value.clone()))
            }
            [key, value] => Some((key.text().display(), value.clone())),
            _ => None,
        },
        _ => None,
    };
    Some(Value::Table(pairs.iter().map(pair).collect::<Option<Vec<_>>>()?))
}

/// As many values, each of which may be any of them.
pub(super) fn any_of(list: Vec<Value>) -> Vec<Value> {
    let length = list.len();
    match list.into_iter().reduce(Value::or) {
        Some(any) if length > 1 => vec![any; length.min(EACH)],
        Some(one) => vec![one],
        None => Vec::new(),
    }
}

/// The path of a file that is made for the moment: what of its name is told, and where it is put.
fn made_among_temporary(given: &[Given]) -> Option<String> {
    let part = |name: &str| {
        let given = given.iter().find(|it| it.name.as_deref() == Some(name));
        match given.map(|it| &it.value) {
            None => Some(""),
            Some(value) if value.is_false() => Some(""),
            Some(value) => value.as_known(),
        }
    };
    let directory = part("dir")?.trim_end_matches('/');
    let directory = if directory.is_empty() { "/tmp" } else { directory };
    let (before, after) = (part("prefix")?, part("suffix")?);
    Some(format!("{directory}/{before}tmp.made{after}"))
}

/// The characters of a known text.
pub(super) fn characters(text: &Text) -> Option<Value> {
    let known = text.as_known().filter(|known| known.len() <= ELEMENTS)?;
    Some(Value::List(known.chars().map(|one| Value::known(one.encode_utf8(&mut [0; 4]))).collect()))
}
