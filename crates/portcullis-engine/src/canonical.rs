//! One spelling of a JSON value, so that its digest says whether it is the same: RFC 8785, but that whole numbers keep all of their digits.
//! Owns the order of members, the spelling of numbers and texts; what is digested, its callers know.

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};

/// The canonical text: no blanks, members by the UTF-16 units of their names, one spelling of each number.
///
/// ```
/// use portcullis_engine::canonical::text;
/// use serde_json::json;
///
/// assert_eq!(text(&json!({"b": 1.0, "a": [true, "x\u{1}"]})), r#"{"a":[true,"x\u0001"],"b":1}"#);
/// ```
#[must_use]
pub fn text(value: &Value) -> String {
    let mut out = String::with_capacity(256);
    write(&mut out, value);
    out
}

/// The digest of the canonical text: `sha256:` and hexadecimal digits.
#[must_use]
pub fn digest(value: &Value) -> String {
    hash(text(value).as_bytes())
}

/// The digest of bytes, spelt as [`digest`] spells it.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    format!("sha256:{}", data_encoding::HEXLOWER.encode(&Sha256::digest(bytes)))
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(one) => out.push_str(&number(one)),
        Value::String(one) => quoted(out, one),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            out.push('{');
            for (at, (name, member)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                quoted(out, name);
                out.push(':');
                write(out, member);
            }
            out.push('}');
        }
    }
}

fn quoted(out: &mut String, text: &str) {
    // What it escapes and how is what RFC 8785 wants.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// As ECMAScript writes it.
fn number(number: &Number) -> String {
    if let Some(float) = number.as_f64().filter(|_| number.is_f64()) {
        let size = float.abs();
        if float == 0.0 {
            return "0".to_owned();
        }
        if (1e-6..1e21).contains(&size) {
            return format!("{float}");
        }
        let text = format!("{float:e}");
        return match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                format!("{digits}e+{exponent}")
            }
            _ => text,
        };
    }
    number.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_examples_of_the_standard_come_out_as_it_says() {
        let value: Value = serde_json::from_str(
            r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
                "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
        )
        .unwrap();
        assert_eq!(
            text(&value),
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
        );
        // U+FB33 comes behind the surrogates of U+1F600.
        let sorted = text(
            &json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7}),
        );
        assert!(sorted.find('\u{1f600}') < sorted.find('\u{fb33}'), "{sorted}");
    }

    #[test]
    fn what_means_the_same_has_one_digest_and_what_does_not_has_another() {
        let one: Value = serde_json::from_str(r#"{"a": 1, "b": {"y": [1, 2], "x": 1e2}}"#).unwrap();
        let same: Value = serde_json::from_str(r#"{ "b" : {"x":100.0,"y":[1,2]},"a":1}"#).unwrap();
        assert_eq!(digest(&one), digest(&same));
        for other in [
            json!({"a": 1, "b": {"y": [2, 1], "x": 100}}),
            json!({"a": "1", "b": {"y": [1, 2], "x": 100}}),
            json!({"a": 1, "b": {"y": [1, 2], "x": 100, "z": null}}),
            json!({"a": 9_007_199_254_740_993_u64}),
            json!({"a": 9_007_199_254_740_992_u64}),
        ] {
            assert_ne!(digest(&one), digest(&other), "{other}");
        }
        assert_ne!(
            digest(&json!(9_007_199_254_740_993_u64)),
            digest(&json!(9_007_199_254_740_992_u64))
        );
    }
}
