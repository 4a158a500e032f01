//! What a list or a table is after one of its own methods changed it.

use super::{
    super::{
        binding::is_listing,
        objects::{GETTER, SETTER},
        value::{Given, Value, mixed},
    },
    any_of, place,
};

/// A list in the order of its texts or numbers; where how it is sorted is not known, each may stand anywhere.
pub(in super::super) fn in_order(list: &[Value], given: &[Given]) -> Vec<Value> {
    // Tuples by their elements, the first one first.
    let texts_of = |one: &Value| match one {
        Value::List(parts) => parts.iter().map(|it| it.as_known().map(str::to_owned)).collect(),
        one => one.as_known().map(|text| vec![text.to_owned()]),
    };
    let mut texts: Vec<(Vec<String>, &Value)> =
        list.iter().filter_map(|one| Some((texts_of(one)?, one))).collect();
    if !given.is_empty() || texts.len() != list.len() {
        return any_of(list.to_vec());
    }
    texts.sort_by(|(one, _), (other, _)| one.cmp(other));
    texts.into_iter().map(|(_, one)| one.clone()).collect()
}

/// A method that is called, where one of several is: that of several objects.
pub(in super::super) fn one_method(callee: &Value) -> Option<(Value, String)> {
    match callee {
        Value::Method(method) => Some((method.0.clone(), method.1.clone())),
        Value::Any(several) => {
            let each: Option<Vec<(Value, String)>> = several.iter().map(one_method).collect();
            let each = each?;
            let name = each.first()?.1.clone();
            let is_one = each.iter().all(|(_, other)| *other == name);
            is_one.then(|| (Value::Any(each.into_iter().map(|(one, _)| one).collect()), name))
        }
        _ => None,
    }
}

/// What a list or a table is after one of its own methods changed it.
pub(in super::super) fn grown(callee: &Value, given: &[Given]) -> Option<Value> {
    let Value::Method(method) = callee else { return None };
    let (receiver, name) = method.as_ref();
    if let Value::Any(several) = receiver {
        let each: Vec<Option<Value>> = several
            .iter()
            .map(|one| grown(&Value::Method(Box::new((one.clone(), name.clone()))), given))
            .collect();
        let is_any = each.iter().any(Option::is_some);
        let after = each.into_iter().zip(several).map(|(after, one)| after.unwrap_or(one.clone()));
        return is_any.then(|| after.reduce(Value::or)).flatten();
    }
    let plain = || given.iter().filter(|given| given.name.is_none()).map(|given| &given.value);
    match (receiver, name.as_str()) {
        (Value::List(list), "append" | "push" | "add") => {
            let mut list = list.clone();
            list.extend(plain().cloned());
            Some(Value::List(list))
        }
        (Value::List(list), "extend" | "concat!") => {
            let mut list = list.clone();
            for more in plain() {
                match more {
                    Value::List(more) => list.extend(more.iter().cloned()),
                    Value::Text(text) if is_listing(text) => list.push(more.clone()),
                    more => list.push(Value::Text(mixed("elements", [more]))),
                }
            }
            Some(Value::List(list))
        }
        (Value::List(list), "insert" | "unshift" | "appendleft") => {
            let mut list = list.clone();
            let (at, values): (usize, Vec<&Value>) = match given {
                [Given { value: Value::Number(at), .. }, rest @ ..] if name == "insert" => {
                    let at = place(*at, list.len());
                    (at, rest.iter().map(|given| &given.value).collect())
                }
                _ => (0, plain().collect()),
            };
            let at = at.min(list.len());
            list.splice(at..at, values.into_iter().cloned());
            Some(Value::List(list))
        }
        (Value::List(list), "reverse") => Some(Value::List(list.iter().rev().cloned().collect())),
        (Value::List(list), "shift" | "popleft") => {
            Some(Value::List(list.get(1..).unwrap_or_default().to_vec()))
        }
        (Value::List(_), "clear") => Some(Value::List(Vec::new())),
        (Value::Table(_), "clear") => Some(Value::Table(Vec::new())),
        (Value::List(list), "sort") => Some(Value::List(in_order(list, given))),
        (Value::List(list), "rotate") => {
            let by = match given.first().map(|it| &it.value) {
                None => 1,
                Some(Value::Number(by)) => *by,
                Some(_) => return Some(Value::List(any_of(list.clone()))),
            };
            let mut list = list.clone();
            let length = i64::try_from(list.len()).unwrap_or(i64::MAX).max(1);
            list.rotate_right(usize::try_from(by.rem_euclid(length)).unwrap_or(0));
            Some(Value::List(list))
        }
        (Value::List(list), "remove") => {
            let asked = given.first()?;
            let at = list.iter().position(|one| one.is_same(&asked.value));
            let mut list = list.clone();
            match at {
                Some(at) => drop(list.remove(at)),
                None => list = any_of(list),
            }
            Some(Value::List(list))
        }
        (Value::List(list), "fill" | "copyWithin") => {
            let mut all = list.clone();
            all.extend(given.first().map(|it| it.value.clone()));
            let any = any_of(all).into_iter().next()?;
            Some(Value::List(vec![any; list.len()]))
        }
        (Value::Table(table), "pop" | "delete") => {
            let key = given.first()?.value.as_known()?;
            let left = table.iter().filter(|(name, _)| name != key).cloned();
            Some(Value::Table(left.collect()))
        }
        (Value::List(list), "pop") => {
            let mut list = list.clone();
            match given.first().map(|it| &it.value) {
                None => drop(list.pop()),
                Some(Value::Number(at)) if place(*at, list.len()) < list.len() => {
                    let at = place(*at, list.len());
                    drop(list.remove(at));
                }
                _ => return None,
            }
            Some(Value::List(list))
        }
        (Value::List(list), "splice") => {
            let [Given { value: Value::Number(start), .. }, rest @ ..] = given else { return None };
            let mut list = list.clone();
            let start = place(*start, list.len());
            let count = match rest.first().map(|it| &it.value) {
                None => list.len(),
                Some(Value::Number(count)) => usize::try_from(*count).unwrap_or(0),
                Some(_) => return None,
            };
            let end = start.saturating_add(count).min(list.len());
            list.splice(start..end, rest.iter().skip(1).map(|it| it.value.clone()));
            Some(Value::List(list))
        }
        // `io.StringIO`, `StringIO`: what is written to a text in memory stands in it.
        (Value::Text(text), "write") if text.taint == crate::text::Taint::NONE => {
            let mut text = text.clone();
            plain().for_each(|more| text.append(&more.text()));
            Some(Value::Text(text))
        }
        (Value::Table(table), "set" | "setdefault") => {
            let [key, value, ..] = given else { return None };
            let Some(key) = key.value.as_known() else {
                // Under which name is not known, and what it holds is.
                return Some(Value::Text(mixed("a table", [receiver, &key.value, &value.value])));
            };
            let mut table = table.clone();
            let is_there = table.iter().any(|(known, _)| known == key);
            if !is_there || name == "set" {
                table.retain(|(known, _)| known != key);
                table.push((key.to_owned(), value.value.clone()));
            }
            Some(Value::Table(table))
        }
        (Value::Table(table), "__defineGetter__" | "__defineSetter__") => {
            let [key, function, ..] = given else { return None };
            let end = if name == "__defineGetter__" { GETTER } else { SETTER };
            let mut table = table.clone();
            table.push((format!("{}{end}", key.value.text().display()), function.value.clone()));
            Some(Value::Table(table))
        }
        (Value::Table(table), "update" | "merge!") => {
            let mut table = table.clone();
            for more in plain() {
                match more {
                    Value::Table(more) => table.extend(more.iter().cloned()),
                    more => {
                        let whole = [receiver, more];
                        return Some(Value::Text(mixed("a table", whole)));
                    }
                }
            }
            let named = given.iter().filter_map(|it| Some((it.name.clone()?, it.value.clone())));
            table.extend(named);
            Some(Value::Table(table))
        }
        _ => None,
    }
}
