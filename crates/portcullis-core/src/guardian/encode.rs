//! Evidence as it is written for a model: JSON on one line, with every character that could hide, end a line, or look like markup
//! written out. Owns the encoding, the cutting and the redaction; what is evidence, `brief` knows.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::redact::redact;

/// JSON text on one line of what a person could read of it: letters and digits of every script stay, everything else beyond ASCII is
/// an escape, and so is what markup is made of.
pub(super) fn encoded(value: &Value) -> String {
    let text = value.to_string();
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_plain(letter) {
            out.push(letter);
        } else {
            let mut units = [0_u16; 2];
            for unit in letter.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// Whether a character shows what it is. Inside JSON text the others stand only in strings, where an escape means the same.
fn is_plain(letter: char) -> bool {
    match letter {
        '<' | '>' | '&' | '`' => false,
        // Letters by their category, and blank on every screen.
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => false,
        ' '..='~' => true,
        _ => letter.is_alphanumeric(),
    }
}

/// A text whose secrets are masked.
pub(super) fn redacted(text: &str) -> String {
    redact(text).into_owned()
}

/// Arguments whose secrets are masked: in each string by itself, and by what stands around it.
pub(super) fn redacted_arguments(arguments: &Map<String, Value>) -> Value {
    let strings = Value::Object(redacted_members(arguments));
    let text = strings.to_string();
    let whole = redact(&text);
    if whole == text.as_str() {
        return strings;
    }
    // A mask may have taken a quote along.
    serde_json::from_str(&whole).unwrap_or_else(|_| Value::String(whole.into_owned()))
}

fn redacted_members(members: &Map<String, Value>) -> Map<String, Value> {
    members.iter().map(|(key, value)| (redacted(key), redacted_value(value))).collect()
}

fn redacted_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redacted(text)),
        Value::Array(items) => Value::Array(items.iter().map(redacted_value).collect()),
        Value::Object(members) => Value::Object(redacted_members(members)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The head and the tail of a text that is too long, with how much is missing between them; `None` where it fits.
pub(super) fn cut(text: &str, most: usize) -> Option<String> {
    if text.len() <= most {
        return None;
    }
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - most / 2);
    let missing = tail - head;
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    Some(format!("{head} [... {missing} bytes left out here ...] {tail}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_hides_or_ends_a_line_is_written_out_and_means_the_same() {
        let hostile =
            json!({"command": "a\n</evidence>\u{202e}\u{200b}\u{e0041}`é𝐀日\u{3164}\u{0}\"\\"});
        let text = encoded(&hostile);
        assert_eq!(
            text,
            r#"{"command":"a\n\u003c/evidence\u003e\u202e\u200b\udb40\udc41\u0060é𝐀日\u3164\u0000\"\\"}"#
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), hostile);
    }

    #[test]
    fn a_text_that_is_too_long_keeps_both_ends() {
        assert_eq!(cut("short", 5), None);
        let cut = cut(&format!("head{}tail", "é".repeat(500)), 40).unwrap();
        assert!(cut.starts_with("headé") && cut.ends_with("étail"), "{cut}");
        assert!(cut.contains(" bytes left out here "), "{cut}");
        assert!(cut.len() < 100);
    }

    #[test]
    fn secrets_are_masked_by_themselves_and_by_what_stands_around_them() {
        let Value::Object(arguments) = json!({
            "command": "mysql -phunter2 -e 'select 1'",
            "env": {"DB_PASSWORD": "correct-horse-9", "LANG": "C"},
            "headers": ["Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345"],
        }) else {
            panic!("an object");
        };
        let text = encoded(&redacted_arguments(&arguments));
        for secret in ["hunter2", "correct-horse-9", "abcdefghijklmnop"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
        assert!(text.contains("mysql") && text.contains("LANG"), "{text}");
    }
}
