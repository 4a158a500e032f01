//! Why a payload is not understood, and fields that have to be of a type.

use serde_json::Value;

use crate::{agents::field::first, wire::Malformed};

/// The most bytes of a payload: a call of more is not a call that is answered in time.
pub(super) const LONGEST: usize = 16 << 20;

/// Why a payload was not understood.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// It is no JSON.
    #[error("the payload is not the JSON that it should be: {0}")]
    Malformed(#[from] Malformed),
    /// It is longer than 16 MiB.
    #[error("the payload is longer than {} MiB", LONGEST >> 20)]
    TooLong,
    /// It is no agent's that we know, and none was named.
    #[error("the payload is of no agent that is known here")]
    Stranger,
    /// Its event is none that we know.
    #[error("the payload is of an event that is not known here")]
    Event,
    /// It does not say which tool.
    #[error("the payload does not name a tool")]
    NoTool,
    /// A field has a type that it cannot have: which, what it is, what it should be.
    #[error("the payload's {0} should be {2}, but is {1}")]
    Field(&'static str, &'static str, &'static str),
    /// It does more in one call than is judged at once.
    #[error("the call does more things at once than are judged")]
    TooMany,
}

/// The first value at these pointers, which is a text.
///
/// # Errors
/// [`Unreadable::Field`] where it is not.
pub(super) fn text<'a>(
    payload: &'a Value,
    pointers: &[&str],
    name: &'static str,
) -> Result<Option<&'a str>, Unreadable> {
    match first(payload, pointers) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(Unreadable::Field(name, type_name(other), "a string")),
    }
}

/// The type of a value, for a person.
pub(super) const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
