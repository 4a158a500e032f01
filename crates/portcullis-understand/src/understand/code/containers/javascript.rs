//! What functions of JavaScript make of lists and tables: `Object.entries`, `Array.from`, `Reflect.construct`. Owns one arm for each.

use super::{
    super::{
        events::SETTLE,
        fold, handed,
        interpreter::Interpreter,
        objects::described_as,
        tables::Act,
        value::{ELEMENTS, Given, SOME_MEMBER, Value, mixed},
    },
    EACH, characters, entries, keys,
    sequences::{json, listed},
    table_of, values,
};
use crate::{bound::Bounded, text::Text};

impl Interpreter<'_, '_, '_> {
    pub(super) fn container_of_javascript(&mut self, path: &str, given: &[Given]) -> Option<Value> {
        let first = given.iter().find(|it| it.name.is_none()).map(|it| &it.value);
        match path {
            "Reflect.apply" => match given {
                [Given { value: Value::Function(index), .. }, _, list, ..] => {
                    let spread: Vec<Given> = handed::spread(list);
                    Some(self.apply(*index, Some(&spread)))
                }
                _ => None,
            },
            // `String.raw(texts, ...values)` in a tag of the script's own.
            "String.raw" => {
                let (Given { value: Value::List(texts), .. }, values) = given.split_first()? else {
                    return None;
                };
                let mut whole = Text::default();
                for (at, text) in texts.iter().enumerate() {
                    if let Some(value) = at.checked_sub(1).and_then(|before| values.get(before)) {
                        whole.append(&value.value.text());
                    }
                    whole.append(&text.text());
                }
                Some(Value::Text(whole))
            }
            // The one of `timers/promises` is told how long and comes to what stands behind.
            "timers.setTimeout" if matches!(first, Some(Value::Number(_))) => {
                given.get(1).map(|it| it.value.clone())
            }
            "Object.defineProperty" => {
                let [Given { value: Value::Table(table), .. }, name, described] = given else {
                    return None;
                };
                let mut table = table.clone();
                table.extend(described_as(name.value.text().display(), &described.value));
                Some(Value::Table(table))
            }
            "Object.defineProperties" => {
                let [
                    Given { value: Value::Table(table), .. },
                    Given { value: Value::Table(all), .. },
                ] = given
                else {
                    return None;
                };
                let mut table = table.clone();
                table.extend(all.iter().flat_map(|(name, one)| described_as(name.clone(), one)));
                Some(Value::Table(table))
            }
            // What listeners get.
            "CustomEvent" | "Event" => {
                let kind = (String::from("type"), first?.clone());
                let more = given.get(1).and_then(|it| it.value.entry("detail"));
                let detail = more.map(|detail| (String::from("detail"), detail.clone()));
                Some(Value::Table(std::iter::once(kind).chain(detail).collect()))
            }
            "Reflect.construct" => {
                let [class, list, ..] = given else { return None };
                let spread: Vec<Given> = handed::spread(list);
                Some(self.call_value(class.value.clone(), spread, class.span))
            }
            // A text is code.
            "setTimeout" | "setInterval" if first.is_some_and(|it| it.as_known().is_some()) => {
                let span = given.first()?.span;
                Some(self.act(Act::Code, path, given.get(..1)?, span))
            }
            "Object.groupBy" | "Map.groupBy" => {
                let [
                    Given { value: Value::List(list), .. },
                    Given { value: Value::Function(index), span, .. },
                ] = given
                else {
                    return None;
                };
                let keys = self.for_each(&list.clone(), *index, *span);
                Some(grouped(list, &keys))
            }
            // `setTimeout(run, 10, path)`
            "setTimeout" | "setInterval" | "setImmediate" | "process.nextTick" => {
                let (function, rest) = given.split_first()?;
                let rest = if path.starts_with("set") && path != "setImmediate" {
                    rest.get(1..)?
                } else {
                    rest
                };
                match &function.value {
                    // What settles a promise is called with the rest.
                    Value::Name(settle, _) if &**settle == SETTLE => {
                        self.call_value(function.value.clone(), rest.to_vec(), function.span);
                        Some(Value::unknown("a timer"))
                    }
                    Value::Function(index) if !rest.is_empty() => {
                        let index = *index;
                        self.apply(index, Some(rest));
                        self.called_later(path, index, rest);
                        Some(Value::unknown("a timer"))
                    }
                    _ => None,
                }
            }
            "String" if matches!(first, Some(Value::Table(_) | Value::Any(_))) => {
                let span = given.first().map(|it| it.span).unwrap_or_default();
                let each = first?
                    .alternatives()
                    .into_iter()
                    .map(|one| self.written(&one, span).unwrap_or_else(|| Value::Text(one.text())));
                each.collect::<Vec<_>>().into_iter().reduce(Value::or)
            }
            "JSON.stringify"
                if given.get(1).is_some_and(|it| {
                    !it.value.is_false() && !matches!(it.value, Value::Number(_))
                }) =>
            {
                Some(Value::Text(mixed("what is written", first)))
            }
            // What is made of each entry is not followed.
            "JSON.parse" if given.len() > 1 => Some(Value::Text(mixed("what is parsed", first))),
            "JSON.parse" => json(first),
            "Buffer.concat" => match first? {
                Value::List(list) => {
                    let mut text = Text::default();
                    list.iter().for_each(|one| text.append(&one.text()));
                    Some(Value::Text(text))
                }
                _ => None,
            },
            "util.format" if given.first()?.value.as_known()?.contains('%') => {
                Some(fold::format(given))
            }
            "Array" | "Set" | "Array.of" if given.is_empty() => Some(Value::List(Vec::new())),
            "Array.of" => Some(Value::List(given.iter().map(|it| it.value.clone()).collect())),
            "WeakRef" => first.cloned(),
            "Set" => Some(Value::List(listed(first)?)),
            "Map" | "Object" if given.is_empty() => Some(Value::Table(Vec::new())),
            "Map" | "Object.fromEntries" => match first? {
                Value::List(pairs) => table_of(pairs),
                _ => None,
            },
            "Object.entries" => match first? {
                Value::Table(table) => Some(entries(table)),
                Value::Name(path, _) if self.chooses_acts(path) => {
                    let one = Value::name(&format!("{path}[]"));
                    Some(Value::List(vec![Value::List(vec![Value::unknown("a name"), one])]))
                }
                _ => None,
            },
            "Object.values" => match first? {
                Value::Table(table) => Some(Value::List(values(table))),
                Value::Name(path, _) if self.chooses_acts(path) => {
                    Some(Value::List(vec![Value::name(&format!("{path}[]"))]))
                }
                _ => None,
            },
            "Object.keys" => match first? {
                Value::Table(table) => Some(Value::List(keys(table))),
                _ => None,
            },
            "Object.freeze" | "Object.seal" | "structuredClone" | "Object.create" => match first? {
                value @ (Value::Table(_) | Value::List(_)) => Some(value.clone()),
                value if path != "Object.create" => Some(value.clone()),
                _ => None,
            },
            "Object.assign" if matches!(first, Some(Value::Name(..))) => {
                let object = first?.clone();
                let Value::Name(path, _) = &object else { return None };
                for one in given.iter().skip(1) {
                    let Value::Table(table) = &one.value else { continue };
                    for (name, value) in table.clone() {
                        if !self.sets_by_class(path, &name, &value, one.span) {
                            self.store_member(Value::name(&format!("{path}.{name}")), value);
                        }
                    }
                }
                Some(object)
            }
            "Object.assign" => {
                let mut all = Vec::new();
                for given in given {
                    match &given.value {
                        Value::Table(table) => all.extend(table.iter().cloned()),
                        _ => return None,
                    }
                }
                Some(Value::Table(all))
            }
            "Proxy" if self.is_shown_alone(given) => self.shown_through(given),
            "Proxy" => self.stands_for(given),
            "Array.from" => match (first?, given.get(1)) {
                (Value::Table(table), Some(Given { value: Value::Function(index), span, .. }))
                    if matches!(table.as_slice(), [(name, Value::Number(_))] if name == "length") =>
                {
                    let (index, span) = (*index, *span);
                    let count = match table.as_slice() {
                        [(_, Value::Number(count))] => usize::try_from(*count).unwrap_or(0),
                        _ => 0,
                    };
                    let undefined = Value::name("undefined");
                    Some(Value::List(self.for_each(&vec![undefined; count.min(EACH)], index, span)))
                }
                (Value::Text(text), None) => characters(text),
                (Value::List(list), None) => Some(Value::List(list.clone())),
                (Value::List(list), Some(Given { value: Value::Function(index), span, .. })) => {
                    let (index, span) = (*index, *span);
                    Some(Value::List(self.for_each(&list.clone(), index, span)))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// A table of lists, each of the elements for which a function gave its key; what it gives beyond those is any of them.
fn grouped(list: &[Value], keys: &[Value]) -> Value {
    let mut table: Vec<(String, Value)> = Vec::new();
    for (at, one) in list.iter().enumerate().leading(ELEMENTS) {
        let known = keys.get(at).and_then(Value::as_known).filter(|_| at < EACH);
        let key = known.unwrap_or(SOME_MEMBER);
        match table.iter_mut().find(|(name, _)| name == key) {
            Some((_, Value::List(group))) => group.push(one.clone()),
            _ => table.push((key.to_owned(), Value::List(vec![one.clone()]))),
        }
    }
    // Under which name the rest stands, nobody knows: it may stand under any.
    let rest = table.iter().position(|(name, _)| name == SOME_MEMBER).map(|at| table.remove(at).1);
    if let Some(Value::List(rest)) = rest {
        for (_, group) in &mut table {
            if let Value::List(group) = group {
                group.extend(rest.iter().cloned());
            }
        }
        table.push((SOME_MEMBER.to_owned(), Value::List(rest)));
    }
    Value::Table(table)
}
