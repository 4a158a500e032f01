//! Numbers and sizes that tools are given. Owns their bounds.

use serde::Deserialize;
use serde_json::Value;

use super::Refused;

/// A number.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct NumberRules {
    /// The least.
    pub min: Option<f64>,
    /// The most.
    pub max: Option<f64>,
    /// Whether it must be whole.
    pub whole: bool,
}

impl NumberRules {
    pub(super) fn check(self, value: &Value) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("number", message));
        let Some(number) = value.as_f64().filter(|number| number.is_finite()) else {
            return refuse("it is not a number");
        };
        if self.whole && number.fract() != 0.0 {
            return refuse("the number is not whole");
        }
        if self.min.is_some_and(|min| number < min) {
            return refuse("the number is too small");
        }
        if self.max.is_some_and(|max| number > max) {
            return refuse("the number is too large");
        }
        Ok(())
    }
}

/// How much there may be of something.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SizeRules {
    /// The most bytes of a text, or of all texts in a list or table.
    pub bytes: Option<usize>,
    /// The most elements of a list or table.
    pub elements: Option<usize>,
}

impl SizeRules {
    pub(super) fn check(self, value: &Value) -> Result<(), Refused> {
        if self.bytes.is_some_and(|most| bytes(value, 0) > most) {
            return Err(Refused::new("size", "it is too long"));
        }
        let elements = match value {
            Value::Array(list) => list.len(),
            Value::Object(table) => table.len(),
            _ => 0,
        };
        if self.elements.is_some_and(|most| elements > most) {
            return Err(Refused::new("size", "it has too many elements"));
        }
        Ok(())
    }
}

fn bytes(value: &Value, depth: usize) -> usize {
    match value {
        _ if depth > 64 => usize::MAX / 2,
        Value::String(text) => text.len(),
        Value::Array(list) => {
            list.iter().fold(0, |sum: usize, one| sum.saturating_add(bytes(one, depth + 1)))
        }
        Value::Object(table) => table.iter().fold(0, |sum: usize, (name, one)| {
            sum.saturating_add(name.len()).saturating_add(bytes(one, depth + 1))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}
