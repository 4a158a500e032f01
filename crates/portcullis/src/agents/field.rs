//! The values of a payload by JSON pointers.

use serde_json::Value;

/// The value at a JSON pointer (RFC 6901) of a table: none of those escapes anything, and a payload is asked for many.
pub(crate) fn at<'a>(payload: &'a Value, pointer: &str) -> Option<&'a Value> {
    if pointer.contains('~') {
        return payload.pointer(pointer);
    }
    let mut keys = pointer.split('/');
    if keys.next() != Some("") {
        return None;
    }
    keys.try_fold(payload, |value, key| match value {
        Value::Object(map) => map.get(key),
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        _ => None,
    })
}

/// The first value at these pointers.
pub(crate) fn first<'a>(payload: &'a Value, pointers: &[&str]) -> Option<&'a Value> {
    pointers.iter().find_map(|pointer| at(payload, pointer).filter(|value| !value.is_null()))
}
