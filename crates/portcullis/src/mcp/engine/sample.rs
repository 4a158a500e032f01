//! A server that has the client's model write for it, where somebody let it. Owns what goes on of what it asks and of what the model says: no tools, no
//! context of others, no secrets, and no more than a result may have.

use serde_json::{Map, Value, json};

use super::CAPABILITIES_KEY;
use crate::mcp::{
    desk::Desk,
    frame::Members,
    result::{shown, without_secrets},
};

/// What the client says that its model does for servers, as a server is told it: nothing unless it is let, and text alone then.
pub(super) fn told(capabilities: &mut Map<String, Value>, is_let: bool) {
    if !is_let {
        capabilities.remove("sampling");
    } else if let Some(own) = capabilities.get_mut("sampling") {
        *own = json!({});
    }
}

/// The same in a request of the new protocol.
pub(super) fn told_in(params: Option<&mut Members>, is_let: bool) {
    let meta = params.and_then(|params| params.get_mut("_meta"));
    let own = meta.and_then(|meta| meta.get_mut(CAPABILITIES_KEY)).and_then(Value::as_object_mut);
    own.into_iter().for_each(|own| told(own, is_let));
}

/// What goes on of such a request. What it says to the model is kept in mind as anything else that a server says.
pub(super) fn asked(params: &mut Members, desk: &Desk) -> Result<(), String> {
    if ["tools", "toolChoice"].iter().any(|name| params.contains_key(*name)) {
        return Err("the server would have the client's model call tools for it".to_owned());
    }
    // What other servers told the client is none of this one's.
    if params.contains_key("includeContext") {
        params.insert("includeContext".to_owned(), "none".into());
    }
    let cleaned = without_secrets(std::mem::take(params));
    *params = cleaned.ok_or("the server asks the client's model for too much")?;
    let said = shown(params.clone());
    desk.overheard("sampling/createMessage", &said.text, &said.seen);
    Ok(())
}

/// What goes on of an answer.
pub(super) fn answered(outcome: Result<Members, Members>) -> Result<Members, Members> {
    let too_long = || {
        let mut error = Map::new();
        error.insert("code".to_owned(), super::CODE.into());
        error.insert("message".to_owned(), "what the client's model wrote is too long".into());
        error
    };
    match outcome {
        Ok(result) => without_secrets(result).ok_or_else(too_long),
        Err(error) => Err(without_secrets(error).unwrap_or_else(too_long)),
    }
}

/// The same where the answers come with the call again: what a model wrote has no `action`, as a person's answer has.
pub(super) fn answered_in(params: &mut Members) {
    let answers = params.get_mut("inputResponses").and_then(Value::as_object_mut);
    for answer in answers.into_iter().flat_map(|all| all.values_mut()) {
        if let Value::Object(written) = answer
            && !written.contains_key("action")
            && !written.contains_key("roots")
        {
            *written = without_secrets(std::mem::take(written)).unwrap_or_default();
        }
    }
}
