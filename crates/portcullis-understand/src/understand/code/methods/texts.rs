//! What methods make of a text alone: parts of it, what stands between separators, bytes as a format says.

use portcullis_syntax::Span;

use super::super::{
    fold::{self, Fold, words},
    value::{Given, Value, mixed},
};
use crate::text::{Piece, Taint, Text};

/// What stands in front of `=`.
pub(in super::super) const A_NAME: &str = "a name, not followed";

/// Whether a text is of a file of settings and secrets, and of nothing that came from elsewhere.
pub(in super::super) fn keeps_secrets(value: &Value) -> bool {
    let taint = value.taint();
    taint.has(Taint::SECRET) && !taint.has(Taint::NETWORK)
}

/// Whether a text is one of these and nothing else.
pub(in super::super) fn is_a_name(text: &Text) -> bool {
    matches!(text.pieces.as_slice(), [Piece::Unknown(origin)] if &**origin == A_NAME)
        && text.taint == Taint::NONE
}

/// `text.slice(start, end)`, `text.substring(start, end)`, `text.substr(start, length)`.
pub(super) fn cut_out(receiver: &Value, name: &str, given: &[Given]) -> Value {
    let number = |at: usize| match given.get(at).map(|it| &it.value) {
        Some(Value::Number(number)) => Some(Some(*number)),
        None => Some(None),
        _ => None,
    };
    let (Some(known), Some(start), Some(end)) = (receiver.as_known(), number(0), number(1)) else {
        return Value::Text(mixed("a part", [receiver]));
    };
    let length = i64::try_from(known.chars().count()).unwrap_or(i64::MAX);
    let start = start.unwrap_or(0);
    let (start, end) = match name {
        "substr" => {
            let start = if start < 0 { (length + start).max(0) } else { start };
            (start, end.map(|count| start.saturating_add(count.max(0))))
        }
        // Its ends may stand either way, and what is below the beginning is the beginning.
        "substring" => {
            let (one, other) = (start.clamp(0, length), end.unwrap_or(length).clamp(0, length));
            (one.min(other), Some(one.max(other)))
        }
        _ => (start, end),
    };
    Value::Text(fold::slice(&receiver.text(), Some(start), end, false))
}

/// What stands before a separator, the separator, and what stands behind it.
pub(super) fn partition(receiver: &Value, separator: Option<&Given>, name: &str) -> Value {
    let parts = receiver.as_known().zip(separator.and_then(|it| it.value.as_known()));
    let Some((text, separator)) = parts else {
        let part = Value::Text(mixed("a part", [receiver]));
        let separator = separator.and_then(|it| it.value.as_known());
        if name == "partition" && separator == Some("=") && keeps_secrets(receiver) {
            return Value::List(vec![Value::unknown(A_NAME), Value::known("="), part]);
        }
        return Value::List(vec![part.clone(), part.clone(), part]);
    };
    let split =
        if name == "partition" { text.split_once(separator) } else { text.rsplit_once(separator) };
    let derived = |part: &str| Value::Text(receiver.text().derive([Piece::Known(part.to_owned())]));
    match split {
        Some((before, behind)) => {
            Value::List(vec![derived(before), Value::known(separator), derived(behind)])
        }
        None if name == "partition" => {
            Value::List(vec![receiver.clone(), Value::known(""), Value::known("")])
        }
        None => Value::List(vec![Value::known(""), Value::known(""), receiver.clone()]),
    }
}

/// A file of which nothing is known, with one text in it replaced by another: what was there, then what was put in.
pub(super) fn put_into(text: &Text, name: &str, from: &Given, to: &Given) -> Option<Text> {
    let (from, to) = (from.value.as_known()?, to.value.as_known()?);
    let ([origin @ Piece::Unknown(_)] | [origin @ Piece::Unknown(_), Piece::Known(_)]) =
        text.pieces.as_slice()
    else {
        return None;
    };
    // What was a comment would be code, and letters could become other words.
    let is_plain = !from.contains('#') && !from.contains("//") && !from.is_empty();
    if !is_plain || !text.taint.has(Taint::FILE) || !matches!(name, "replace" | "replaceAll") {
        return None;
    }
    let before = match text.pieces.get(1) {
        Some(Piece::Known(before)) if before.starts_with('\n') => before.as_str(),
        Some(_) => return None,
        None => "",
    };
    Some(text.derive([origin.clone(), Piece::Known(format!("{before}\n{to}"))]))
}

/// `pack('C*', …)`, `['…'].pack('H*')`.
pub(in super::super) fn pack(format: &str, list: &[Value], span: Span) -> Value {
    let given = |value: Value| [Given { name: None, value, span }];
    let first = list.first().cloned().unwrap_or_else(|| Value::known(""));
    match format.chars().next() {
        Some('C' | 'c' | 'U' | 'W') => {
            fold::fold(Fold::Characters, &given(Value::List(list.to_vec())))
        }
        Some('H') => fold::fold(Fold::Hex, &given(first)),
        Some('a' | 'A') => first,
        _ => fold::fold(Fold::Decoded, &given(Value::List(list.to_vec()))),
    }
}

pub(super) fn split(receiver: &Value, given: &[Given], counts_cuts: bool) -> Value {
    let separator = given.first();
    let text = receiver.text();
    let Some(known) = text.as_known() else {
        // What begins with a program is told to run it, whatever else is in it.
        return match separator {
            None if !text.known_prefix().trim_start().is_empty() => {
                Value::List(words(&text, false).into_iter().map(Value::Text).collect())
            }
            // `KEY=value`: what stands in front is a name, and none of what is kept under it.
            Some(separator)
                if separator.value.as_known() == Some("=") && keeps_secrets(receiver) =>
            {
                /// How many signs a line has at the most.
                const PARTS: usize = 64;
                let rest = Value::Text(mixed("a list", [receiver]));
                let mut parts = vec![rest; PARTS];
                parts.insert(0, Value::unknown(A_NAME));
                Value::List(parts)
            }
            _ => Value::Text(mixed("a list", [receiver])),
        };
    };
    let parts: Vec<Value> = match separator.map(|given| given.value.as_known()) {
        None => known.split_whitespace().map(Value::known).collect(),
        Some(Some("")) => {
            known.chars().map(|character| Value::known(&character.to_string())).collect()
        }
        Some(Some(separator)) => match given.get(1).map(|it| &it.value) {
            // Python's number is how often it is cut; in JavaScript it is how many parts are kept.
            Some(Value::Number(cuts)) if counts_cuts && *cuts >= 0 => {
                let parts = usize::try_from(*cuts).unwrap_or(usize::MAX).saturating_add(1);
                known.splitn(parts, separator).map(Value::known).collect()
            }
            _ => known.split(separator).map(Value::known).collect(),
        },
        Some(None) => return Value::Text(mixed("a list", [receiver])),
    };
    Value::List(parts)
}
