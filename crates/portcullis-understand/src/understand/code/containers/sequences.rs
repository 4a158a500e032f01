//! What functions of Python make of sequences, and what a text of JSON holds.

use super::{
    super::{
        binding::is_listing,
        value::{ELEMENTS, Given, SOME_MEMBER, Value, mixed},
    },
    any_of, in_order,
};
use crate::bound::Bounded;

/// How deep JSON is read.
pub(super) const DEPTH: usize = 8;

/// What a function of Python makes of one sequence or several: another one, or one of its elements.
pub(super) fn sequence(path: &str, first: Option<&Value>, given: &[Given]) -> Option<Value> {
    match path {
        "enumerate" => {
            let start = match given.get(1).map(|it| &it.value) {
                Some(Value::Number(start)) => *start,
                _ => 0,
            };
            let list = listed(first)?;
            let pairs = list.into_iter().zip(start..);
            Some(Value::List(
                pairs.map(|(one, at)| Value::List(vec![Value::Number(at), one])).collect(),
            ))
        }
        "zip" | "itertools.zip_longest" => {
            let plain = || given.iter().filter(|it| it.name.is_none());
            let known = plain().filter_map(|it| listed(Some(&it.value)).map(|it| it.len())).min();
            // A list of which nothing is known is as long as the others.
            let length = known?;
            let lists: Vec<Vec<Value>> = plain()
                .map(|it| {
                    listed(Some(&it.value)).unwrap_or_else(|| {
                        vec![Value::Text(mixed("an element", [&it.value])); length]
                    })
                })
                .collect();
            let rows = (0..length).map(|at| {
                Value::List(lists.iter().filter_map(|list| list.get(at).cloned()).collect())
            });
            Some(Value::List(rows.collect()))
        }
        "itertools.chain" | "itertools.chain.from_iterable" => {
            let parts: Vec<Value> = match (path, first) {
                ("itertools.chain", _) => given.iter().map(|it| it.value.clone()).collect(),
                (_, first) => listed(first)?,
            };
            let lists: Option<Vec<Vec<Value>>> = parts.iter().map(|it| listed(Some(it))).collect();
            Some(Value::list(lists?.into_iter().flatten()))
        }
        "filter" => match given {
            [
                Given { value: Value::Name(nothing, _), .. },
                Given { value: Value::List(list), .. },
            ] if &**nothing == "None" => {
                let is_left = |one: &&Value| !one.is_false() && one.as_known() != Some("");
                Some(Value::List(list.iter().filter(is_left).cloned().collect()))
            }
            // What is left out is not known: each may be among them.
            [_, Given { value: Value::List(list), .. }] => Some(Value::List(any_of(list.clone()))),
            [_, Given { value: value @ Value::Text(text), .. }] if is_listing(text) => {
                Some(value.clone())
            }
            _ => None,
        },
        "sorted" => match first? {
            Value::List(list) => {
                Some(Value::List(in_order(list, given.get(1..).unwrap_or_default())))
            }
            _ => None,
        },
        // Which of them are taken is not counted.
        "itertools.islice" => Some(Value::List(any_of(listed(first)?))),
        "sum" => match first? {
            // `sum(lists, [])`
            Value::List(lists) if matches!(lists.first(), Some(Value::List(_))) => {
                let inner = lists.iter().flat_map(|one| match one {
                    Value::List(inner) => inner.clone(),
                    one => vec![one.clone()],
                });
                Some(Value::list(inner))
            }
            _ => None,
        },
        // How many were taken before is not counted.
        "next" => listed(first)?.into_iter().reduce(Value::or),
        "max" | "min" | "random.choice" | "secrets.choice" => {
            let many = given.iter().filter(|it| it.name.is_none()).map(|it| it.value.clone());
            let many: Vec<Value> = many.collect();
            match many.as_slice() {
                [Value::List(list)] => list.iter().cloned().reduce(Value::or),
                [one @ Value::Text(text)] if is_listing(text) => Some(one.clone()),
                [_, _, ..] => many.into_iter().reduce(Value::or),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The elements of a list.
pub(super) fn listed(value: Option<&Value>) -> Option<Vec<Value>> {
    match value {
        Some(Value::List(list)) => Some(list.clone()),
        // What stands for all names of a directory is each of them.
        Some(value @ Value::Text(text)) if is_listing(text) => Some(vec![value.clone()]),
        _ => None,
    }
}

/// What a text of JSON holds.
pub(super) fn json(first: Option<&Value>) -> Option<Value> {
    let known = first?.as_known()?;
    let read: serde_json::Value = serde_json::from_str(known).ok()?;
    (read.is_object() || read.is_array()).then(|| of_json(&read, DEPTH))
}

/// A value that is written as JSON.
pub(super) fn of_json(read: &serde_json::Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::unknown("a value") };
    match read {
        serde_json::Value::Null => Value::name("null"),
        serde_json::Value::Bool(is_so) => Value::name(if *is_so { "true" } else { "false" }),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Value::Number(number),
            None => Value::known(&number.to_string()),
        },
        serde_json::Value::String(text) => Value::known(text),
        serde_json::Value::Array(list) => Value::list(list.iter().map(|one| of_json(one, depth))),
        serde_json::Value::Object(members) => {
            let said = members.iter().leading(ELEMENTS);
            let mut table: Vec<(String, Value)> =
                said.map(|(key, one)| (key.clone(), of_json(one, depth))).collect();
            let rest = members.iter().nth(ELEMENTS);
            table.extend(rest.map(|_| (SOME_MEMBER.to_owned(), Value::unknown("a member"))));
            Value::Table(table)
        }
    }
}
