//! What a client says that is neither a call nor a list: how much is logged, how far something is, which task is meant, who it is. Owns what of
//! each may go out. No words do: nothing judges them here.

use portcullis_core::secrets::redacted;
use serde_json::Value;

use super::{modern_meta, own_meta};
use crate::{
    mcp::frame::Members,
    trace::{HEADER, Trace},
};

/// How much a server may be asked to log.
const LEVELS: &[&str] =
    &["alert", "critical", "debug", "emergency", "error", "info", "notice", "warning"];

/// The longest name of a task, or token of progress.
const NAME: usize = 128;

/// The longest text in what a client says of itself.
const LONGEST_OF_ITSELF: usize = 256;

/// How deep that is read.
const DEPTH: usize = 8;

/// What begins the names that the protocol keeps for itself.
const OWN: &str = "io.modelcontextprotocol/";

/// Where a message says to which task it belongs.
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Leaves of `_meta` what the protocol knows: the token of progress, the trace, and in the new protocol what a client says of itself.
pub(super) fn keep_meta(params: &mut Members) {
    let is_modern = modern_meta(Some(params)).is_some();
    let Some(meta) = params.get_mut("_meta") else { return };
    if let Some(members) = meta.as_object_mut() {
        members.retain(|name, value| match name.as_str() {
            "progressToken" => is_name(value),
            HEADER => value.as_str().and_then(Trace::read).is_some_and(|trace| {
                *value = trace.to_string().into();
                true
            }),
            RELATED => value.as_object_mut().is_some_and(|related| {
                related.retain(|name, value| name == "taskId" && is_name(value));
                !related.is_empty()
            }),
            name if is_modern && name.starts_with(OWN) => {
                keep_of_itself(value, DEPTH);
                true
            }
            _ => false,
        });
    }
    if meta.as_object().is_none_or(Members::is_empty) {
        params.remove("_meta");
    }
}

/// Leaves of the parameters that begin a session what the protocol knows: who the client says that it is, and what it can do.
pub(super) fn keep_beginning(params: &mut Members) {
    params.retain(|name, _| {
        matches!(name.as_str(), "_meta" | "capabilities" | "clientInfo" | "protocolVersion")
    });
    for name in ["capabilities", "clientInfo", "protocolVersion"] {
        params.get_mut(name).into_iter().for_each(|value| keep_of_itself(value, DEPTH));
    }
}

/// Takes secrets and long texts out of what a client says of itself.
fn keep_of_itself(value: &mut Value, depth: usize) {
    match value {
        Value::String(text) => {
            let mut kept = redacted(text);
            kept.truncate(kept.floor_char_boundary(LONGEST_OF_ITSELF));
            *text = kept;
        }
        Value::Array(_) | Value::Object(_) if depth == 0 => *value = Value::Null,
        Value::Array(items) => items.iter_mut().for_each(|item| keep_of_itself(item, depth - 1)),
        Value::Object(members) => {
            members.retain(|name, _| name.len() <= NAME && redacted(name) == *name);
            members.values_mut().for_each(|value| keep_of_itself(value, depth - 1));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The parameters with which a request that is passed on goes out.
///
/// # Errors
/// What is wrong with them, for the client.
pub(super) fn of_request(method: &str, params: Option<Members>) -> Result<Option<Members>, String> {
    let is_known = |name: &str| match method {
        "logging/setLevel" => name == "level",
        "resources/unsubscribe" => name == "uri",
        "tasks/list" => name == "cursor",
        "tasks/update" => matches!(name, "inputResponses" | "requestState" | "taskId"),
        "tasks/cancel" | "tasks/get" | "tasks/result" => name == "taskId",
        _ => false,
    };
    let Some(params) = params else {
        return match method {
            "logging/setLevel" => Err(level()),
            _ => Ok(None),
        };
    };
    if let Some(name) = params.keys().find(|name| *name != "_meta" && !is_known(name)) {
        let name: String = name.chars().take(40).collect();
        let name = crate::report::visible::line(&name).into_owned();
        return Err(format!("`{name}` is no parameter of `{method}` that the gate knows"));
    }
    if method == "logging/setLevel"
        && !params.get("level").and_then(Value::as_str).is_some_and(|it| LEVELS.contains(&it))
    {
        return Err(level());
    }
    for name in ["cursor", "taskId"] {
        if params.get(name).is_some_and(|it| !is_name(it)) {
            return Err(format!(
                "`{name}` must be what the server called it: at most {NAME} letters, digits and `-_.:~/+=`"
            ));
        }
    }
    Ok(Some(params))
}

fn level() -> String {
    format!("`level` must be one of `{}`", LEVELS.join("`, `"))
}

/// The parameters with which a notification goes out: its numbers and names, and none of its words.
pub(super) fn of_notification(method: &str, params: Option<Members>) -> Option<Members> {
    let params = params?;
    let meta = modern_meta(Some(&params)).map(own_meta);
    let is_kept = |name: &str, value: &Value| match (method, name) {
        ("notifications/progress", "progress" | "total") => value.is_number(),
        ("notifications/progress", "progressToken") | ("notifications/cancelled", "requestId") => {
            is_name(value)
        }
        _ => false,
    };
    let kept = params.into_iter().filter(|(name, value)| is_kept(name, value));
    let kept: Members = kept.chain(meta.map(|meta| ("_meta".to_owned(), meta))).collect();
    (!kept.is_empty()).then_some(kept)
}

/// A number, or a short text without blanks.
pub(super) fn is_name(value: &Value) -> bool {
    value.is_number()
        || value.as_str().is_some_and(|text| {
            text.len() <= NAME
                && text.bytes().all(|byte| {
                    byte.is_ascii_alphanumeric()
                        || matches!(byte, b'-' | b'_' | b'.' | b':' | b'~' | b'/' | b'+' | b'=')
                })
        })
}
