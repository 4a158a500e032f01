//! Copilot's events: what the model asked for stands in its messages, the directory in the first event.

use serde_json::Value;

use super::{Line, Transcript, functions, list, text};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    let kind = text(value, "type")?;
    value.get("data")?.as_object()?;
    // Each event is `thing.happened`.
    kind.split_once('.')?;
    if kind == "session.start" {
        transcript.placed(value.pointer("/data/context/cwd"), value.pointer("/data/sessionId"));
    }
    if kind != "assistant.message" {
        return Some(Line::Other);
    }
    let requests = list(value, "/data/toolRequests").unwrap_or_default();
    Some(functions(transcript, "copilot", requests))
}
