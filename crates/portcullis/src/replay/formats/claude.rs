//! Claude Code's transcripts: a message in each line, whose content holds `tool_use` blocks.

use serde_json::Value;

use super::{Line, Transcript};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    let content = value.pointer("/message/content")?;
    transcript.placed(value.get("cwd"), value.get("sessionId"));
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    Some(transcript.blocks("claude", blocks, "tool_use", "input"))
}
