//! What every request has in common: an object, the caller's identifier, the version, fields of one type. Owns how they are
//! read and what is said where they are wrong; which fields a request has, its own file says.

use serde::Serialize;
use serde_json::{Map, Value};

use portcullis_core::secrets::redacted;

use super::strict::{self, Malformed};
use crate::config::nearest;

/// The version of what is read and written here, in the field `v`; what comes without one is read as this.
pub const VERSION: u64 = 1;

/// A field that nobody knows: whoever misspelled one was judged without what they said in it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[cfg_attr(any(test, feature = "testing"), derive(schemars::JsonSchema))]
pub struct UnknownField {
    /// Its name.
    pub field: String,
    /// The field that was meant, where one is named nearly so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<&'static str>,
}

/// How much of the name of an unknown field is said.
const LONGEST_NAME: usize = 64;

/// How many unknown fields are named.
const MOST_UNKNOWN: usize = 16;

/// The fields of a request, of which `take` reads what it knows.
///
/// # Errors
/// [`Malformed`] where the bytes are not a JSON object, or a field is missing or not of its type. It carries the identifier as soon
/// as that is known.
pub(super) fn read<R>(
    bytes: &[u8],
    line: usize,
    noun: &str,
    take: impl FnOnce(Option<Value>, &mut Map<String, Value>) -> Result<R, String>,
) -> Result<R, Malformed> {
    let Value::Object(mut fields) = strict::parse(bytes, line)? else {
        return Err(Malformed::new(line, format!("{noun} must be a JSON object")));
    };
    let id = match fields.remove("id") {
        None | Some(Value::Null) => None,
        Some(id @ (Value::String(_) | Value::Number(_))) => Some(id),
        Some(other) => {
            return Err(Malformed::new(line, expected("id", "a string or a number", &other)));
        }
    };
    let version = match fields.remove("v") {
        Some(other) if other.as_u64() != Some(VERSION) => {
            Err(format!("`v` must be {VERSION}, but it is `{other}`"))
        }
        _ => Ok(()),
    };
    version.and_then(|()| take(id.clone(), &mut fields)).map_err(|message| Malformed {
        id,
        line,
        message,
    })
}

/// As [`read`], where a field that nobody knows is an error: whoever misspells one would be judged without what they said.
///
/// # Errors
/// As [`read`].
pub(super) fn read_strictly<R>(
    bytes: &[u8],
    line: usize,
    noun: &str,
    known: &[&str],
    take: impl FnOnce(Option<Value>, &mut Map<String, Value>) -> Result<R, String>,
) -> Result<R, Malformed> {
    read(bytes, line, noun, |id, fields| {
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            None => take(id, fields),
            Some(unknown) => Err(unknown_field(unknown, known)),
        }
    })
}

/// The fields that nobody knows, each with the one that is named nearly so; a few stand for all where there are many.
pub(super) fn unknown(fields: &Map<String, Value>, known: &[&'static str]) -> Vec<UnknownField> {
    let unknown = || fields.keys().filter(|name| !known.contains(&name.as_str()));
    let named = unknown().take(MOST_UNKNOWN).map(|name| UnknownField {
        field: redacted(&shortened(name)),
        nearest: nearest(name, known.iter().copied()),
    });
    let mut named: Vec<UnknownField> = named.collect();
    let more = unknown().skip(MOST_UNKNOWN).count();
    if more > 0 {
        named.push(UnknownField { field: format!("… and {more} more"), nearest: None });
    }
    named
}

fn shortened(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

fn unknown_field(name: &str, known: &[&str]) -> String {
    let shown = shortened(name);
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("unknown field `{shown}`: did you mean `{meant}`?"),
        None => format!("unknown field `{shown}`, expected one of `{}`", known.join("`, `")),
    }
}

/// A text that must be there.
pub(super) fn needed(fields: &mut Map<String, Value>, name: &str) -> Result<String, String> {
    match fields.remove(name) {
        Some(Value::String(text)) => Ok(text),
        None | Some(Value::Null) => Err(missing(name)),
        Some(other) => Err(expected(name, "a string", &other)),
    }
}

/// A text in an optional field; `null` is as good as nothing.
pub(super) fn text(fields: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => needed(fields, name).map(Some),
    }
}

/// An object that must be there.
pub(super) fn object(
    fields: &mut Map<String, Value>,
    name: &str,
) -> Result<Map<String, Value>, String> {
    match fields.remove(name) {
        Some(Value::Object(object)) => Ok(object),
        None => Err(missing(name)),
        Some(other) => Err(expected(name, "an object", &other)),
    }
}

/// A list in an optional field; `null` is as good as nothing.
pub(super) fn list(fields: &mut Map<String, Value>, name: &str) -> Result<Vec<Value>, String> {
    match fields.remove(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(expected(name, "an array", &other)),
    }
}

pub(super) fn expected(name: &str, what: &str, got: &Value) -> String {
    let got = match got {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("`{name}` must be {what}, but it is {got}")
}

fn missing(name: &str) -> String {
    format!("`{name}` is missing")
}
