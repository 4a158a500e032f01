//! Sessions of messages with blocks: Pi and OpenClaw (`toolCall`), Droid (`tool_use`), and Cline, whose session is one document.

use serde_json::Value;

use super::{Line, Transcript, functions, list, text};

/// A line of Pi, OpenClaw or Droid: a beginning that says where it runs, or a message.
pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    match text(value, "type")? {
        "session" | "session_start" if value.get("cwd").is_some() => {
            transcript.placed(value.get("cwd"), value.get("id"));
            Some(Line::Other)
        }
        "message" => {
            let blocks = value.pointer("/message/content")?;
            let blocks = blocks.as_array().map(Vec::as_slice).unwrap_or_default();
            Some(match transcript.blocks("pi", blocks, "toolCall", "arguments") {
                Line::Other => transcript.blocks("droid", blocks, "tool_use", "input"),
                calls => calls,
            })
        }
        _ => None,
    }
}

/// A session of Cline in one document.
pub(super) fn document(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    let messages = list(value, "/messages")?;
    value.get("system_prompt").or_else(|| value.get("agent"))?;
    transcript.placed(None, value.get("sessionId"));
    let mut all = Vec::new();
    for message in messages {
        if let Some(Line::Calls(calls)) = turn(transcript, message) {
            all.extend(calls);
        }
    }
    Some(super::some(all))
}

/// A turn as services take it: a role, and blocks with calls (older sessions of Cline are lists of them) or a list of calls.
pub(super) fn turn(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    text(value, "role").filter(|role| ["user", "assistant", "tool"].contains(role))?;
    if let Some(calls) = list(value, "/tool_calls") {
        return Some(functions(transcript, "openai", calls));
    }
    let content = value.get("content")?;
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    Some(transcript.blocks("cline", blocks, "tool_use", "input"))
}
