//! The canonical bytes of an action. Owns the one encoding that hashes are made over; it is never parsed again.
//!
//! Every part is a tag byte, a length and the bytes, so that no two actions share an encoding; the keys of objects are
//! sorted, so that their order does not count.

use serde_json::{Map, Number, Value};

use super::{ActionKind, FileOperation};
use crate::call::ToolCall;

/// Changes with the encoding, so that an old approval never fits a new reading of a call.
const VERSION: &[u8] = b"portcullis-action-v1";

pub(super) fn bytes(kind: &ActionKind, call: &ToolCall) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    part(&mut out, b'V', VERSION);
    part(&mut out, b'T', call.tool.as_bytes());
    part(&mut out, b'K', word(kind).as_bytes());
    match &call.cwd {
        Some(cwd) => part(&mut out, b'C', cwd.as_bytes()),
        None => part(&mut out, b'-', b""),
    }
    object(&mut out, &call.arguments);
    out
}

fn word(kind: &ActionKind) -> &str {
    match kind {
        ActionKind::Shell { .. } => "shell",
        ActionKind::Code { language, .. } => language,
        ActionKind::Query { .. } => "query",
        ActionKind::File { operation, .. } => match operation {
            FileOperation::Read => "file-read",
            FileOperation::Search => "file-search",
            FileOperation::Write => "file-write",
            FileOperation::Edit => "file-edit",
            FileOperation::Delete => "file-delete",
        },
        ActionKind::Http { .. } => "http",
        ActionKind::Tool => "tool",
    }
}

fn value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => part(out, b'0', b""),
        Value::Bool(true) => part(out, b'b', b"1"),
        Value::Bool(false) => part(out, b'b', b"0"),
        Value::Number(number) => numeral(out, number),
        Value::String(text) => part(out, b's', text.as_bytes()),
        Value::Array(items) => {
            count(out, b'[', items.len());
            for item in items {
                self::value(out, item);
            }
        }
        Value::Object(members) => object(out, members),
    }
}

fn object(out: &mut Vec<u8>, members: &Map<String, Value>) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_unstable_by(|left, right| left.0.cmp(right.0));
    count(out, b'{', sorted.len());
    for (key, member) in sorted {
        part(out, b'k', key.as_bytes());
        value(out, member);
    }
}

fn numeral(out: &mut Vec<u8>, number: &Number) {
    part(out, b'n', number.to_string().as_bytes());
}

pub(super) fn part(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    count(out, tag, bytes.len());
    out.extend_from_slice(bytes);
}

fn count(out: &mut Vec<u8>, tag: u8, length: usize) {
    out.push(tag);
    out.extend_from_slice(&u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes());
}
