//! Continue's sessions: one document with the history, in which a message holds its calls.

use serde_json::Value;

use super::{Line, Transcript, functions, list};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    let history = list(value, "/history")?;
    value.get("workspaceDirectory")?;
    transcript.placed(value.get("workspaceDirectory"), value.get("sessionId"));
    let mut all = Vec::new();
    for item in history {
        let calls = list(item, "/message/toolCalls").unwrap_or_default();
        if let Line::Calls(calls) = functions(transcript, "continue", calls) {
            all.extend(calls);
        }
    }
    Some(super::some(all))
}
