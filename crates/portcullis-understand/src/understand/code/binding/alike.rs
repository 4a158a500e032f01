//! Containers that may be the same one, by what they hold. Owns the comparison, and what a value is once such a one has changed.

use super::super::value::Value;

/// Whether two containers are alike, entry by entry.
pub(in super::super) fn is_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_alike(one, other))
        }
        (Value::Table(one), Value::Table(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|((key, one), (other_key, other))| {
                    key == other_key && is_alike(one, other)
                })
        }
        (Value::Name(one, _), Value::Name(other, _)) => one == other,
        (Value::Any(one), Value::Any(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_alike(one, other))
        }
        (Value::Any(_), _) | (_, Value::Any(_)) => false,
        (Value::Function(one), Value::Function(other)) => one == other,
        (Value::List(_) | Value::Table(_), _) | (_, Value::List(_) | Value::Table(_)) => false,
        (one, other) => {
            one.is_same(other) || one.as_known().is_none() && other.as_known().is_none()
        }
    }
}

/// Whether a value is such a container, or holds one: deep down only, where that is asked.
pub(super) fn holds_alike(value: &Value, container: &Value, deep: bool) -> bool {
    if !deep {
        return is_alike(value, container);
    }
    match value {
        Value::List(list) | Value::Any(list) => {
            list.iter().any(|one| is_alike(one, container) || holds_alike(one, container, true))
        }
        Value::Table(table) => table
            .iter()
            .any(|(_, one)| is_alike(one, container) || holds_alike(one, container, true)),
        _ => false,
    }
}

/// A value in which each container that is alike may be the changed one.
pub(super) fn replaced(value: &Value, before: &Value, after: &Value) -> Value {
    if is_alike(value, before) {
        return value.clone().or(after.clone());
    }
    match value {
        Value::List(list) => {
            Value::List(list.iter().map(|one| replaced(one, before, after)).collect())
        }
        Value::Any(list) => {
            Value::Any(list.iter().map(|one| replaced(one, before, after)).collect())
        }
        Value::Table(table) => {
            let each = table.iter().map(|(key, one)| (key.clone(), replaced(one, before, after)));
            Value::Table(each.collect())
        }
        other => other.clone(),
    }
}
