//! JSON as it was written: members in their order, and none of them twice. Owns how it is read and written; what it means, its
//! reader knows.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
    ser::{SerializeMap as _, SerializeSeq as _},
};
use serde_json::Number;

/// A JSON value whose objects keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number that can be held.
    Number(Number),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

/// Why a text is not one JSON value.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct NotJson(String);

impl Json {
    /// Reads a text that is one JSON value, and nothing beside it. A member that stands twice in an object is an error, and so is
    /// a number that cannot be held, and nesting without end.
    ///
    /// # Errors
    /// [`NotJson`], with the place. It never repeats the text.
    pub fn parse(text: &str) -> Result<Self, NotJson> {
        serde_json::from_str(text).map_err(|error| {
            let category = match error.classify() {
                serde_json::error::Category::Eof => "it is cut off",
                _ => "it is not one JSON value",
            };
            let (line, column) = (error.line(), error.column());
            let twice = error.to_string().starts_with(TWICE).then_some(TWICE);
            NotJson(format!("{} (line {line}, column {column})", twice.unwrap_or(category)))
        })
    }

    /// The member of an object with a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The member of an object with a name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Object(members) = self else { return None };
        members.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The text, where it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A word for its type.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

const TWICE: &str = "a member stands twice in an object";

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A value of these parts always serialises.
        f.write_str(&serde_json::to_string(self).unwrap_or_default())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(word) => serializer.serialize_bool(*word),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, word: bool) -> Result<Json, E> {
        Ok(Json::Bool(word))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Json, E> {
        Number::from_f64(number)
            .map(Json::Number)
            .ok_or_else(|| E::custom("a number that cannot be held"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut names = std::collections::BTreeSet::new();
        while let Some((name, value)) = access.next_entry::<String, Json>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(TWICE));
            }
            members.push((name, value));
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_what_stands_twice_is_refused() {
        let text = r#"{"z":1,"a":[true,null,{"y":"é","b":-2.5}],"m":{}}"#;
        assert_eq!(Json::parse(text).unwrap().to_string(), text);
        for bad in [
            r#"{"a":1,"a":1}"#,
            r#"{"x":{"a":1,"\u0061":2}}"#,
            r#"[{"a":1,"b":{"c":1,"c":2}}]"#,
            "{}{}",
            "{} x",
            "",
            "NaN",
            "[Infinity]",
            "1e400",
            "[-1e999]",
            "{\"a\":1,}",
            "'a'",
            "{\"a\"",
            &"[".repeat(100_000),
        ] {
            assert!(Json::parse(bad).is_err(), "{bad:.60}");
        }
    }

    #[test]
    fn an_error_never_repeats_the_text() {
        let error = Json::parse(r#"{"token-hunter2":1,"token-hunter2":2}"#).unwrap_err();
        assert_eq!(error.to_string(), "a member stands twice in an object (line 1, column 37)");
    }
}
