//! The pure core as WebAssembly, for `docs/playground.html`, which judges what is typed without a server. Owns the way between a page and the core: a text goes in byte by
//! byte, is judged, and an answer comes out byte by byte, so that no address passes between the two and nothing here needs `unsafe` code.
//!
//! It knows nothing of the world: no file, no earlier call, a directory and a home that are supposed. A panic ends the module, which the page starts anew.

use std::sync::{Mutex, MutexGuard, PoisonError};

use portcullis_core::{
    action::Action, call::ToolCall, facts::Facts, gate::Gate, policy::Policy, redact::redact,
};
use serde_json::{Map, Value, json};

/// Where calls are supposed to run.
const HOME: &str = "/home/dev";
const PROJECT: &str = "/home/dev/project";

/// The text on its way in, and the answer on its way out.
static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Takes one more byte of a call, `{"tool":…,"arguments":{…}}`.
#[expect(unsafe_code, reason = "nothing else that is linked has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn portcullis_put(byte: u32) {
    held(&TEXT).push(u8::try_from(byte).unwrap_or(b'?'));
}

/// Judges what was taken; gives how many bytes the answer has.
#[expect(unsafe_code, reason = "nothing else that is linked has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn portcullis_judge() -> u32 {
    let text = std::mem::take(&mut *held(&TEXT));
    let answer = judged(&text).unwrap_or_else(|error| json!({ "error": error }));
    let answer = answer.to_string().into_bytes();
    let length = u32::try_from(answer.len()).unwrap_or(0);
    *held(&ANSWER) = answer;
    length
}

/// A byte of the answer.
#[expect(unsafe_code, reason = "nothing else that is linked has this name")]
#[unsafe(no_mangle)]
pub extern "C" fn portcullis_get(at: u32) -> u32 {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    held(&ANSWER).get(at).copied().map_or(0, u32::from)
}

fn held(bytes: &'static Mutex<Vec<u8>>) -> MutexGuard<'static, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The answer to a call, in the words of `docs/reference/answer.schema.json`, as far as the page shows it.
fn judged(text: &[u8]) -> Result<Value, String> {
    let said: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let tool = said.get("tool").and_then(Value::as_str).ok_or("`tool` is missing")?;
    let arguments = said.get("arguments").and_then(Value::as_object);
    let arguments: Map<String, Value> = arguments.ok_or("`arguments` is missing")?.clone();
    let call = ToolCall {
        tool: tool.to_owned(),
        arguments,
        cwd: Some(PROJECT.to_owned()),
        home: Some(HOME.to_owned()),
        ..ToolCall::default()
    };
    let action = Action::from_call(call).map_err(|error| error.to_string())?;
    let facts = Facts {
        cwd: Some(PROJECT.to_owned()),
        home: Some(HOME.to_owned()),
        workspace: Some(PROJECT.to_owned()),
        ..Facts::default()
    };
    let judgement = Gate::new(Policy::default()).judge(&action, &facts);
    let findings: Vec<Value> = judgement
        .assessment
        .findings
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule,
                "severity": finding.severity,
                "in": finding.place.pointer,
                "span": [finding.place.span.start, finding.place.span.end],
                "nested": finding.place.layer.is_some(),
                "message": redact(&finding.message),
                "remedy": redact(&finding.remedy),
            })
        })
        .collect();
    let reasons: Vec<_> = judgement.decision.reasons.iter().map(|text| redact(text)).collect();
    Ok(json!({
        "decision": judgement.decision.verdict,
        "risk": judgement.assessment.risk,
        "layer": judgement.decision.layer,
        "reasons": reasons,
        "findings": findings,
        "impact": judgement.assessment.impact,
        "reversible": judgement.assessment.reversible,
    }))
}

#[cfg(test)]
mod tests {
    use super::{Value, portcullis_get, portcullis_judge, portcullis_put};

    fn asked(text: &str) -> Value {
        text.bytes().for_each(|byte| portcullis_put(u32::from(byte)));
        let length = portcullis_judge();
        let answer: Vec<u8> =
            (0..length).filter_map(|at| u8::try_from(portcullis_get(at)).ok()).collect();
        serde_json::from_slice(&answer).unwrap_or_default()
    }

    #[test]
    fn a_call_goes_in_and_its_answer_comes_out() {
        for (command, decision) in [("ls", "allow"), ("git push -f", "ask"), ("rm -rf ~", "deny")] {
            let call = serde_json::json!({ "tool": "bash", "arguments": { "command": command } });
            assert_eq!(asked(&call.to_string())["decision"], decision, "{command}");
        }
        let found = asked(r#"{"tool":"bash","arguments":{"command":"rm -rf ~ # ä"}}"#);
        assert_eq!(found["findings"][0]["span"], serde_json::json!([7, 8]));
        for broken in ["", "{", r#"{"tool":"bash"}"#, "[]"] {
            assert!(asked(broken)["error"].is_string(), "{broken}");
        }
        assert_eq!(portcullis_get(u32::MAX), 0);
    }
}
