//! Codex's rollouts: function calls among the items of responses, and the directory in the metadata.

use serde_json::{Map, Value};

use super::{Line, Transcript, arguments, some, text};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    let kind = text(value, "type")?;
    let payload = value.get("payload")?;
    match kind {
        "session_meta" | "turn_context" => {
            transcript.placed(payload.get("cwd"), payload.get("id"));
            Some(Line::Other)
        }
        "response_item" => {
            let calls = match text(payload, "type")? {
                "function_call" => {
                    let arguments = payload.get("arguments").and_then(arguments)?;
                    transcript.made("codex", text(payload, "name")?, arguments)
                }
                "custom_tool_call" => {
                    let input = text(payload, "input")?.into();
                    let input = Map::from_iter([("input".to_owned(), input)]);
                    transcript.made("codex", text(payload, "name")?, input)
                }
                "local_shell_call" => {
                    let action = payload.get("action")?.as_object()?;
                    transcript.made("codex", "shell", action.clone())
                }
                _ => return Some(Line::Other),
            };
            Some(some(calls))
        }
        _ => Some(Line::Other),
    }
}
