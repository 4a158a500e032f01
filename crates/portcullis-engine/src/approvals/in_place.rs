//! What an approver puts in place of an action that was asked about. Owns what may be put there; whether it may run, it is judged like every
//! other, and whose word counts, the core says.

use portcullis_core::{
    call::ToolCall,
    decision::Verdict,
    redact::{MASK, redact},
    risk::{Risk, Severity},
};
use serde_json::{Map, Value};

use super::request::{Modified, Request};
use crate::{
    audit::{Entry, Files},
    session::Judged,
};

/// Why something cannot be put in place of an action.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum NotInPlace {
    /// It is kept until it is taken up.
    #[error("what is put in place of an action is kept, and must not hold a secret or `***`")]
    Secret,
    /// Each of two would have agreed to something else.
    #[error("two people must agree to the same: what is to be changed has to be asked about anew")]
    TwoPeople,
    /// How many must agree was settled by the risk of what was asked.
    #[error("it is riskier than what was asked about: it has to be asked about itself")]
    Riskier,
    /// The policy denies it.
    #[error("the policy denies the action in its place: {why}")]
    Denied {
        /// Why.
        why: String,
        /// The rules.
        rules: Vec<&'static str>,
    },
}

/// The call that is to be judged.
///
/// # Errors
/// Where nothing may be put in the place of this request, or not this.
pub fn call_in_place(
    request: &Request,
    tool: String,
    arguments: Map<String, Value>,
) -> Result<ToolCall, NotInPlace> {
    if request.needed > 1 {
        return Err(NotInPlace::TwoPeople);
    }
    // Each text by itself too: what is written with escapes in JSON is read without them.
    let text = serde_json::to_string(&arguments).unwrap_or_default();
    let is_secret = |text: &str| text.contains(MASK) || redact(text) != text;
    if is_secret(&text) || any_text(arguments.values(), &is_secret) {
        return Err(NotInPlace::Secret);
    }
    Ok(ToolCall {
        tool,
        arguments,
        cwd: request.details.get("cwd").and_then(Value::as_str).map(str::to_owned),
        agent: request.agent.clone(),
        session: request.session.clone(),
        ..ToolCall::shell("")
    })
}

/// What is put in the place of an action of some risk, once it is judged, with the record of that.
///
/// # Errors
/// Where the policy denies it, or it is riskier.
pub fn put_in_place(asked: Risk, judged: &Judged) -> Result<(Modified, Entry), NotInPlace> {
    let Judged { action, judgement, .. } = judged;
    let decision = &judgement.decision;
    if decision.verdict == Verdict::Deny {
        let why = decision.reasons.first().map_or("", String::as_str);
        let rules = judgement.assessment.findings.iter().map(|finding| finding.rule).collect();
        return Err(NotInPlace::Denied { why: redact(why).into_owned(), rules });
    }
    // What is not known may be critical.
    let grade = |risk: Risk| risk.severity().unwrap_or(Severity::Critical);
    if grade(judgement.assessment.risk) > grade(asked) {
        return Err(NotInPlace::Riskier);
    }
    let call = &action.call;
    let modified = Modified {
        action: action.id(),
        tool: call.tool.clone(),
        arguments: Value::Object(call.arguments.clone()),
        files: Files::of(&judgement.effects.files).fitted().lines(),
    };
    Ok((modified, judged.entry()))
}

fn any_text<'a>(
    values: impl IntoIterator<Item = &'a Value>,
    is_one: &dyn Fn(&str) -> bool,
) -> bool {
    values.into_iter().any(|value| match value {
        Value::String(text) => is_one(text),
        Value::Array(items) => any_text(items, is_one),
        Value::Object(fields) => any_text(fields.values(), is_one),
        _ => false,
    })
}
