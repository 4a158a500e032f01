//! What is said twice over HTTP: in the message, and in headers by which others route it. Owns how a value stands in a header, which arguments of
//! a tool are repeated there (`x-mcp-header`), and whether a header says the same as the message. The protocol of 2026-07-28 has this.

use std::collections::BTreeMap;

use serde_json::Value;

use super::frame::Members;

/// How the headers of arguments begin, in lower case.
pub const PREFIX: &str = "mcp-param-";

/// What a value in Base64 stands between.
const OPENS: &str = "=?base64?";
const CLOSES: &str = "?=";

/// How deep the properties of a tool are looked through, and how many of them.
const DEPTH: usize = 16;
const PROPERTIES: usize = 2_000;

/// The largest whole number that every reader of JSON takes for the same.
const SAFE: i64 = (1 << 53) - 1;

/// The headers of arguments that came with a call, by what stands after the prefix, in lower case. A header that stands there twice, or is
/// no plain text, has no value.
pub type Mirrored = BTreeMap<String, Option<String>>;

/// Why a tool cannot be called over HTTP.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// The name is none.
    #[error("an `x-mcp-header` of it is no name of a header")]
    Name,
    /// Two say the same.
    #[error("two of its `x-mcp-header` are the same")]
    Twice,
    /// It stands where no value can be found by it.
    #[error("an `x-mcp-header` of it stands where no text, whole number or truth value does")]
    Place,
    /// There is more than is looked through.
    #[error("its schema is deeper or longer than is looked through for `x-mcp-header`")]
    Long,
}

/// The text of a header's value; nothing where it cannot be one.
#[must_use]
pub fn decoded(value: &str) -> Option<String> {
    let Some(encoded) = value.strip_prefix(OPENS).and_then(|rest| rest.strip_suffix(CLOSES)) else {
        let is_plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
        return is_plain.then(|| value.to_owned());
    };
    let bytes = data_encoding::BASE64.decode(encoded.as_bytes()).ok()?;
    String::from_utf8(bytes).ok()
}

/// A text as the value of a header.
#[must_use]
pub fn encoded(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && text.trim() == text
        && !(text.starts_with(OPENS) && text.ends_with(CLOSES));
    if is_plain {
        return text.to_owned();
    }
    format!("{OPENS}{}{CLOSES}", data_encoding::BASE64.encode(text.as_bytes()))
}

/// Where the arguments stand that a tool repeats in headers, by what stands after the prefix, as the tool writes it.
///
/// # Errors
/// [`Unfit`] where the tool breaks the rules for that.
pub fn places(tool: &Value) -> Result<BTreeMap<String, Vec<String>>, Unfit> {
    let Some(schema) = tool.get("inputSchema") else { return Ok(BTreeMap::new()) };
    let mut walk = Walk { found: BTreeMap::new(), left: PROPERTIES };
    walk.schema(schema, &mut Vec::new(), true)?;
    Ok(walk.found.into_values().collect())
}

struct Walk {
    /// By the name in lower case.
    found: BTreeMap<String, (String, Vec<String>)>,
    left: usize,
}

impl Walk {
    /// Looks through a schema, and all that stands in it. `is_reached` says whether the way to it has nothing but properties.
    fn schema(
        &mut self,
        schema: &Value,
        path: &mut Vec<String>,
        is_reached: bool,
    ) -> Result<(), Unfit> {
        self.left = self.left.checked_sub(1).ok_or(Unfit::Long)?;
        if path.len() > DEPTH {
            return Err(Unfit::Long);
        }
        match schema {
            Value::Object(members) => {
                if let Some(name) = members.get("x-mcp-header") {
                    self.mark(name, members, path, is_reached)?;
                }
                for (key, value) in members {
                    match (key.as_str(), value) {
                        ("properties", Value::Object(properties)) => {
                            for (name, schema) in properties {
                                path.push(name.clone());
                                self.schema(schema, path, is_reached)?;
                                path.pop();
                            }
                        }
                        // A value is no schema, whatever stands in it.
                        ("const" | "default" | "enum" | "examples" | "x-mcp-header", _) => {}
                        (_, value) => {
                            path.push(String::new());
                            self.schema(value, path, false)?;
                            path.pop();
                        }
                    }
                }
                Ok(())
            }
            Value::Array(values) => {
                path.push(String::new());
                for value in values {
                    self.schema(value, path, false)?;
                }
                path.pop();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn mark(
        &mut self,
        name: &Value,
        schema: &Members,
        path: &[String],
        is_reached: bool,
    ) -> Result<(), Unfit> {
        let name = name.as_str().ok_or(Unfit::Name)?;
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || name.len() > 128 || !name.bytes().all(is_token) {
            return Err(Unfit::Name);
        }
        let kind = schema.get("type").and_then(Value::as_str);
        if !is_reached || path.is_empty() || !matches!(kind, Some("string" | "integer" | "boolean"))
        {
            return Err(Unfit::Place);
        }
        let place = (name.to_owned(), path.to_vec());
        match self.found.insert(name.to_ascii_lowercase(), place) {
            None => Ok(()),
            Some(_) => Err(Unfit::Twice),
        }
    }
}

/// The headers that a call of a tool has, without the prefix; where the tool is not fit for any, none.
///
/// # Errors
/// [`Unfit`].
pub fn headers(tool: &Value, arguments: &Members) -> Result<Vec<(String, String)>, Unfit> {
    let mut all = Vec::new();
    for (name, path) in places(tool)? {
        if let Some(value) = at(arguments, &path) {
            all.push((name, encoded(&text(value).ok_or(Unfit::Place)?)));
        }
    }
    Ok(all)
}

/// That the headers of a call say what its arguments say.
///
/// # Errors
/// The name of the first that does not.
pub fn check(tool: &Value, arguments: &Members, mirrored: &Mirrored) -> Result<(), String> {
    let places = match places(tool) {
        Ok(places) => places,
        // Which of them it means was not found out, so none can be said to be right.
        Err(Unfit::Long) => return mirrored.keys().next().map_or(Ok(()), |name| Err(name.clone())),
        // A tool that breaks the rules has no such headers, and nothing is routed by them.
        Err(_) => return Ok(()),
    };
    for (name, path) in places {
        let said = match mirrored.get(&name.to_ascii_lowercase()) {
            None => None,
            Some(value) => {
                let value = value.as_deref().and_then(decoded);
                Some(value.ok_or_else(|| name.clone())?)
            }
        };
        let is_same = match (said, at(arguments, &path)) {
            (None, None) => true,
            (Some(said), Some(Value::Number(number))) => match number.as_i64() {
                Some(number) => said.parse::<f64>().ok() == as_float(number),
                None => false,
            },
            (Some(said), Some(value)) => text(value).is_some_and(|value| value == said),
            _ => false,
        };
        if !is_same {
            return Err(name);
        }
    }
    Ok(())
}

/// The value at a path; nothing where there is none, or `null`.
fn at<'a>(arguments: &'a Members, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let first = arguments.get(first)?;
    let value = rest.iter().try_fold(first, |value, name| value.get(name))?;
    (!value.is_null()).then_some(value)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Number(number) => {
            number.as_i64().filter(|number| as_float(*number).is_some()).map(|it| it.to_string())
        }
        _ => None,
    }
}

/// A whole number that every reader takes for the same.
#[expect(clippy::cast_precision_loss, reason = "numbers up to 2^53 have an exact form")]
fn as_float(number: i64) -> Option<f64> {
    (-SAFE..=SAFE).contains(&number).then_some(number as f64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(properties: Value) -> Value {
        json!({"name": "t", "inputSchema": {"type": "object", "properties": properties}})
    }

    #[test]
    fn a_value_stands_in_a_header_as_the_specification_has_it() {
        for (text, header) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", ""),
        ] {
            assert_eq!(encoded(text), header);
            assert_eq!(decoded(header).as_deref(), Some(text));
        }
        for wrong in ["=?base64?%?=", "=?base64?/w==?=", "a\u{7f}", "ü"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_call_says_in_its_headers_what_it_says_in_its_arguments() {
        let tool = tool(json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "deep": {"type": "object", "properties": {"dry": {"type": "boolean", "x-mcp-header": "Dry"}}},
            "free": {"type": "string"},
        }));
        let arguments = json!({"region": "ü", "count": 42, "deep": {"dry": true}, "free": "x"});
        let arguments = arguments.as_object().unwrap();
        let made = headers(&tool, arguments).unwrap();
        let mirrored: Mirrored =
            made.iter().map(|(name, value)| (name.to_lowercase(), Some(value.clone()))).collect();
        assert_eq!(made.len(), 3, "{made:?}");
        assert_eq!(check(&tool, arguments, &mirrored), Ok(()));
        let with = |name: &str, value: Option<Option<&str>>| {
            let mut other = mirrored.clone();
            match value {
                None => drop(other.remove(name)),
                Some(value) => drop(other.insert(name.to_owned(), value.map(str::to_owned))),
            }
            check(&tool, arguments, &other)
        };
        assert_eq!(with("count", Some(Some("42.0"))), Ok(()));
        for (name, value) in [
            ("region", Some(Some("u"))),
            ("region", Some(None)),
            ("region", None),
            ("count", Some(Some("43"))),
            ("count", Some(Some("x"))),
            ("dry", Some(Some("True"))),
            ("dry", None),
        ] {
            assert!(with(name, value).is_err(), "{name} {value:?}");
        }
        // What is not among the arguments, or null, has no header.
        let empty = json!({"region": null});
        assert_eq!(check(&tool, empty.as_object().unwrap(), &Mirrored::new()), Ok(()));
        assert!(check(&tool, empty.as_object().unwrap(), &mirrored).is_err());
    }

    #[test]
    fn a_tool_that_breaks_the_rules_for_headers_is_unfit() {
        let marked = |kind: &str, name: &str| json!({"type": kind, "x-mcp-header": name});
        for (properties, why) in [
            (json!({"a": marked("string", "")}), Unfit::Name),
            (json!({"a": marked("string", "a b")}), Unfit::Name),
            (json!({"a": marked("string", "a\r\nb")}), Unfit::Name),
            (json!({"a": marked("string", "X"), "b": marked("string", "x")}), Unfit::Twice),
            (json!({"a": marked("number", "X")}), Unfit::Place),
            (json!({"a": marked("object", "X")}), Unfit::Place),
            (json!({"a": {"type": "array", "items": marked("string", "X")}}), Unfit::Place),
            (json!({"a": {"anyOf": [marked("string", "X")]}}), Unfit::Place),
            (
                json!({"a": {"type": "object", "properties": {"b": {"not": marked("string", "X")}}}}),
                Unfit::Place,
            ),
        ] {
            assert_eq!(places(&tool(properties.clone())), Err(why), "{properties}");
        }
        assert_eq!(
            places(&tool(json!({"a": {"enum": [marked("number", "X")]}}))),
            Ok(BTreeMap::new())
        );
        let mut deep = json!({"type": "string"});
        for _ in 0..40 {
            deep = json!({"type": "object", "properties": {"a": deep}});
        }
        assert_eq!(places(&tool(json!({"a": deep}))), Err(Unfit::Long));
    }
}
