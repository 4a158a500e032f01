//! Grok's history of a chat: what the model said, with its calls. What else it keeps in the same folder says the same again.

use serde_json::Value;

use super::{Line, Transcript, functions, list, text};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    if text(value, "method") == Some("session/update") {
        return Some(Line::Other);
    }
    match text(value, "type")? {
        "assistant" => {
            value.get("content")?;
            let calls = list(value, "/tool_calls").unwrap_or_default();
            Some(functions(transcript, "grok", calls))
        }
        "system" | "user" | "tool_result" | "reasoning" => {
            value.get("content").map(|_| Line::Other)
        }
        _ => None,
    }
}
