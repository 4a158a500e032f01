//! Parts of OpenCode's messages, and of Kilo's, which is made of it: in a database, in files of older versions.

use serde_json::Value;

use super::{Line, Transcript, arguments, some, text};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    if text(value, "type")? != "tool" {
        return None;
    }
    let (name, state) = (text(value, "tool")?, value.get("state")?);
    transcript.placed(None, value.get("sessionID"));
    let Some(arguments) = state.get("input").and_then(arguments) else { return Some(Line::Other) };
    let is_new = transcript.is_new(value.get("callID"));
    Some(if is_new { some(transcript.made("opencode", name, arguments)) } else { Line::Other })
}
