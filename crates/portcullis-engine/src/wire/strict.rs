//! JSON read strictly. Owns what a text must be before anybody looks at its fields: UTF-8, one value, no key twice. It
//! does not know what the fields mean.

use std::{fmt, str};

use serde::de::{Deserialize as _, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads one JSON value. `first_line` is the number of the text's first line, for messages.
///
/// A key that appears twice is refused at any depth, because two readers may pick different ones: what was judged would
/// not be what runs. Nesting is limited to 128 by `serde_json`.
///
/// # Errors
/// [`Malformed`], with the line and column where there is one.
pub fn parse(bytes: &[u8], first_line: usize) -> Result<Value, Malformed> {
    let text = str::from_utf8(without_mark(bytes)).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let breaks = before.iter().filter(|byte| **byte == b'\n').count();
        Malformed::new(
            first_line + breaks,
            format!("the text is not UTF-8 at byte {}", error.valid_up_to()),
        )
    })?;
    let mut repeated = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict { repeated: &mut repeated }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| from_serde(&error, first_line))?;
    match repeated {
        None => Ok(value),
        Some(key) => Err(Malformed {
            id: value.get("id").filter(|_| key != "id").cloned(),
            line: first_line,
            message: format!("the key `{key}` appears twice in one object"),
        }),
    }
}

/// A text that is not the JSON it should be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Malformed {
    /// The caller's identifier, where it could be read.
    pub id: Option<Value>,
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Malformed {
    /// Something is wrong on a line whose identifier is not known.
    #[must_use]
    pub fn new(line: usize, message: impl Into<String>) -> Self {
        Self { id: None, line, message: message.into() }
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

fn from_serde(error: &serde_json::Error, first_line: usize) -> Malformed {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&place).unwrap_or(&message);
    Malformed::new(
        first_line + error.line().saturating_sub(1),
        format!("not valid JSON at column {}: {message}", error.column()),
    )
}

/// Builds a [`Value`] and notes the first key that an object has twice. It reads on, so that the answer can carry the
/// identifier that stands after it.
struct Strict<'n> {
    repeated: &'n mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Strict { repeated: &mut *self.repeated })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key_seed(Key)? {
            let value = entries.next_value_seed(Strict { repeated: &mut *self.repeated })?;
            if map.contains_key(&key) {
                self.repeated.get_or_insert(key);
            } else {
                map.insert(key, value);
            }
        }
        Ok(Value::Object(map))
    }
}

struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        String::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ordinary_json_is_read_as_serde_json_reads_it() {
        for text in [
            r#"{"a":[1,-2,3.5,true,null,"x"],"b":{"c":{}}}"#,
            r#""\ud83d\ude00 \u0000""#,
            "18446744073709551615",
            "[]",
        ] {
            assert_eq!(
                parse(text.as_bytes(), 1).ok(),
                serde_json::from_str::<Value>(text).ok(),
                "{text}"
            );
        }
        assert_eq!(parse("\u{feff}{}".as_bytes(), 1), Ok(json!({})));
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        for (text, part) in [
            (&br#"{"id":"7","tool":"a","tool":"b"}"#[..], "the key `tool` appears twice"),
            (br#"{"a":[{"b":{"c":1,"c":2}}]}"#, "the key `c` appears twice"),
            (br#"{"a":1,"\u0061":2}"#, "the key `a` appears twice"),
            (br#"{"a":"\ud800"}"#, "not valid JSON at column"),
            (br#"{"a":"\udc00x"}"#, "not valid JSON at column"),
            (b"{\"a\":\"\xff\"}", "not UTF-8 at byte 6"),
            (b"{\"a\":\"\xed\xa0\x80\"}", "not UTF-8 at byte 6"),
            (br#"{"a":1} {"b":2}"#, "trailing characters"),
            (br#"{"a":1,}"#, "trailing comma"),
            (b"{'a':1}", "key must be a string"),
            (br#"{"a":NaN}"#, "expected value"),
            (b"{\"a\":\"\x00\"}", "control character"),
            (b"", "EOF while parsing a value"),
        ] {
            let shown = String::from_utf8_lossy(text);
            let error = parse(text, 4).expect_err(&shown);
            assert!(error.message.contains(part), "{shown}: {}", error.message);
            assert_eq!(error.line, 4, "{shown}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(deep.as_bytes(), 1).is_err_and(|error| error.message.contains("recursion")));
    }

    #[test]
    fn the_identifier_survives_a_repeated_key_unless_it_is_the_one() {
        let id = |text: &str| parse(text.as_bytes(), 1).err().and_then(|error| error.id);
        assert_eq!(id(r#"{"a":1,"a":2,"id":"7"}"#), Some(json!("7")));
        assert_eq!(id(r#"{"id":"7","id":"8"}"#), None);
    }
}
