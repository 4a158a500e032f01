//! What is our own: calls as `check --jsonl` takes them, lines of the record, and payloads of hooks.

use portcullis_core::{
    call::ToolCall,
    tool::{self, Meaning},
};
use serde_json::{Map, Value};

use super::{Line, Transcript, some, text};
use crate::{hook, wire};

/// A call as `check --jsonl` reads it.
pub(super) fn call(_: &mut Transcript, value: &Value) -> Option<Line> {
    value.get("tool")?;
    value.get("arguments")?;
    let request = wire::Request::parse(value.to_string().as_bytes(), 1).ok()?;
    Some(Line::Calls(vec![request.call]))
}

/// A line of `audit export`. It keeps the text of a call, redacted and cut, and not its arguments.
pub(super) fn record(_: &mut Transcript, value: &Value) -> Option<Line> {
    value.get("sequence")?;
    if text(value, "kind") != Some("decision") {
        return Some(Line::Other);
    }
    let preview = text(value, "preview")?;
    let was_changed = preview.contains("***") || preview.contains("[… ");
    let Some(tool) = text(value, "tool").filter(|_| !was_changed) else { return Some(Line::Cut) };
    let key = match tool::meaning(tool) {
        Meaning::Shell => "command",
        Meaning::Code(_) => "code",
        Meaning::Query => "query",
        Meaning::Http(_) => "url",
        Meaning::File(_) => "path",
        // What they did is not in the text.
        _ => return Some(Line::Cut),
    };
    let owned = |key| text(value, key).map(str::to_owned);
    Some(Line::Calls(vec![ToolCall {
        tool: tool.to_owned(),
        arguments: Map::from_iter([(key.to_owned(), preview.into())]),
        cwd: owned("cwd"),
        session: owned("session"),
        agent: owned("agent"),
        ..ToolCall::default()
    }]))
}

/// A payload of a hook that somebody kept.
pub(super) fn hook(_: &mut Transcript, value: &Value) -> Option<Line> {
    let calls = hook::calls_of(value);
    (!calls.is_empty()).then(|| some(calls))
}
