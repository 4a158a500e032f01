//! A gate with analyzers of one's own choice.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use portcullis_core::{
    action::Action, analyze::Ensemble, call::ToolCall, decision::Verdict, facts::Facts, gate::Gate,
    policy::Policy, risk::Risk,
};
use serde_json::{Value, json};

/// A call in JSON as it would come in.
fn call(tool: &str, arguments: &Value) -> ToolCall {
    ToolCall {
        tool: tool.to_owned(),
        arguments: arguments.as_object().unwrap().clone(),
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        ..ToolCall::default()
    }
}

fn bash(command: &str) -> ToolCall {
    call("execute_bash", &json!({ "command": command }))
}

#[test]
fn a_gate_judges_with_just_the_analyzers_that_it_is_given() {
    let judge = |names: &str, propagate: bool, call: ToolCall| {
        let ensemble = Ensemble::from_names(names).unwrap().propagate_unknown(propagate);
        let gate = Gate::with_analyzers(Policy::default(), ensemble);
        let judgement = gate.judge(&Action::from_call(call).unwrap(), &Facts::default());
        (judgement.assessment.risk, judgement.decision.verdict)
    };
    for (names, propagate, command, expected) in [
        ("pattern,policy-rail", false, "ls -la", (Risk::Low, Verdict::Allow)),
        ("pattern,policy-rail", false, "git push --force", (Risk::Low, Verdict::Allow)),
        ("rules", false, "ls -la", (Risk::Safe, Verdict::Allow)),
        ("pattern", false, "curl https://x.example", (Risk::Medium, Verdict::Allow)),
        ("pattern", false, "rm -rf build", (Risk::High, Verdict::Ask)),
        ("no-op", false, "ls -la", (Risk::Unknown, Verdict::Ask)),
        ("no-op,pattern", false, "ls -la", (Risk::Low, Verdict::Allow)),
        ("no-op,pattern", true, "ls -la", (Risk::Unknown, Verdict::Ask)),
        ("no-op,pattern", true, "rm -rf build", (Risk::High, Verdict::Ask)),
    ] {
        assert_eq!(judge(names, propagate, bash(command)), expected, "{names} {command}");
    }
    let foreign = call("a_tool_of_a_server", &json!({ "text": "hello" }));
    assert_eq!(judge("pattern,policy-rail", false, foreign.clone()).0, Risk::Low);
    assert_eq!(judge("rules", false, foreign).0, Risk::Unknown);
}
