//! What a client says that is neither a call nor a list: how much is logged, how far something is, which task is meant. Owns what of each
//! may go out. No words do: nothing judges them here.

use serde_json::Value;

use super::{modern_meta, own_meta};
use crate::mcp::frame::Members;

/// How much a server may be asked to log.
const LEVELS: &[&str] =
    &["alert", "critical", "debug", "emergency", "error", "info", "notice", "warning"];

/// The longest name of a task, or token of progress.
const NAME: usize = 128;

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
    let Some(mut params) = params else {
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
    // What a request says of itself stays; that of the old protocol is the token of its progress alone.
    let token = params.get("_meta").and_then(|meta| meta.get("progressToken")).cloned();
    if modern_meta(Some(&params)).is_none()
        && params.remove("_meta").is_some()
        && let Some(token) = token.filter(is_name)
    {
        params.insert("_meta".to_owned(), serde_json::json!({ "progressToken": token }));
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
fn is_name(value: &Value) -> bool {
    value.is_number()
        || value.as_str().is_some_and(|text| {
            text.len() <= NAME
                && text.bytes().all(|byte| {
                    byte.is_ascii_alphanumeric()
                        || matches!(byte, b'-' | b'_' | b'.' | b':' | b'~' | b'/' | b'+' | b'=')
                })
        })
}
