//! Sessions of Gemini CLI, and of Qwen Code, which is made of it.
//!
//! Gemini writes a message again when its calls have come to something; a call counts once.

use serde_json::Value;

use super::{Line, Transcript, arguments, list, some, text};

/// A message of Gemini with its `toolCalls`, a change (`$set`) of them, or a whole session in one document.
pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    if value.get("projectHash").is_some() {
        transcript.placed(None, value.get("sessionId"));
        return Some(messages(transcript, list(value, "/messages").unwrap_or_default()));
    }
    if let Some(change) = value.get("$set") {
        return Some(messages(transcript, list(change, "/messages").unwrap_or_default()));
    }
    match text(value, "type")? {
        "gemini" => Some(messages(transcript, std::slice::from_ref(value))),
        "user" | "info" | "error" | "warning" if value.get("content").is_some() => {
            // Others have messages of these types too; theirs hold a `message`, or blocks with calls.
            let parts = list(value, "/content").unwrap_or_default();
            (!parts.is_empty() && parts.iter().all(|part| part.get("type").is_none()))
                .then_some(Line::Other)
        }
        _ => None,
    }
}

fn messages(transcript: &mut Transcript, messages: &[Value]) -> Line {
    let mut calls = Vec::new();
    for call in messages.iter().flat_map(|message| list(message, "/toolCalls").unwrap_or_default())
    {
        let Some(name) = text(call, "name") else { continue };
        let Some(arguments) = call.get("args").and_then(arguments) else { continue };
        if transcript.is_new(call.get("id")) {
            calls.extend(transcript.made("gemini", name, arguments));
        }
    }
    some(calls)
}

/// A message of Qwen: parts, of which calls are `functionCall`.
pub(super) fn qwen(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    let is_system = text(value, "type") == Some("system") && value.get("systemPayload").is_some();
    let parts = match list(value, "/message/parts") {
        None if is_system => return Some(Line::Other),
        parts => parts?,
    };
    transcript.placed(value.get("cwd"), value.get("sessionId"));
    let mut calls = Vec::new();
    for call in parts.iter().filter_map(|part| part.get("functionCall")) {
        let Some(name) = text(call, "name") else { continue };
        let Some(arguments) = call.get("args").and_then(arguments) else { continue };
        if transcript.is_new(call.get("id")) {
            calls.extend(transcript.made("qwen", name, arguments));
        }
    }
    Some(some(calls))
}
