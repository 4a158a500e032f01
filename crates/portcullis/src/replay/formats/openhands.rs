//! Events of OpenHands: an action with the call that it was made of.

use serde_json::Value;

use super::{Line, Transcript, arguments, some, text};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Option<Line> {
    let kind = text(value, "kind")?;
    if kind != "ActionEvent" {
        return kind.ends_with("Event").then_some(Line::Other);
    }
    let call = value.get("tool_call");
    let in_call = |pointer| call?.pointer(pointer).filter(|value| value.is_string());
    let name = text(value, "tool_name");
    let written = || in_call("/name").or_else(|| in_call("/function/name"))?.as_str();
    let name = name.or_else(written)?;
    let written = in_call("/arguments").or_else(|| in_call("/function/arguments"));
    let given = match written {
        Some(written) => arguments(written)?,
        None => {
            let mut action = value.get("action")?.as_object()?.clone();
            action.remove("kind");
            action
        }
    };
    Some(some(transcript.made("openhands", name, given)))
}
