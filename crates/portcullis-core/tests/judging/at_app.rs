//! Calls of an agent that works in `/home/dev/app`, judged with nothing configured.

use portcullis_core::{
    action::Action,
    call::ToolCall,
    decision::Verdict,
    facts::Facts,
    gate::{Gate, Judgement},
};
use serde_json::{Value, json};

/// What is made of a call; none where it is no call of that tool.
pub(crate) fn judged(tool: &str, arguments: &Value) -> Option<Judgement> {
    let arguments = arguments.as_object().cloned()?;
    let call = ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() };
    let facts = Facts {
        cwd: Some("/home/dev/app".to_owned()),
        workspace: Some("/home/dev/app".to_owned()),
        home: Some("/home/dev".to_owned()),
        ..Facts::default()
    };
    Some(Gate::default().judge(&Action::from_call(call).ok()?, &facts))
}

/// What comes of code that an interpreter's own tool is given.
pub(crate) fn verdict_of_code(tool: &str, code: &str) -> Option<Verdict> {
    judged(tool, &json!({ "code": code })).map(|judgement| judgement.decision.verdict)
}
