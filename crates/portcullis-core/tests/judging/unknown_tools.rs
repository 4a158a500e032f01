//! Calls of tools that nobody knows, inside an agent that asks for its own tools: what is harmless must go on without a
//! question, and what can be read of the arguments and is dangerous must not. Each table has one call on a line.

use portcullis_core::{
    Span,
    action::Action,
    assessment::Coverage,
    call::ToolCall,
    decision::Verdict,
    facts::Facts,
    gate::{Gate, Judgement},
    policy::{Context, Policy},
    risk::Severity,
};
use serde_json::{Map, Value};

const HARMLESS: &str = include_str!("unknown_tools/harmless.jsonl");
const DANGEROUS: &str = include_str!("unknown_tools/dangerous.jsonl");

#[derive(serde::Deserialize)]
struct Row {
    tool: String,
    arguments: Map<String, Value>,
}

#[expect(clippy::panic, reason = "a test may fail by panicking")]
fn rows(table: &str) -> impl Iterator<Item = (&str, Row)> {
    table.lines().map(|line| match serde_json::from_str(line) {
        Ok(row) => (line, row),
        Err(error) => panic!("{error} in {line}"),
    })
}

#[expect(clippy::unwrap_used, reason = "a test may fail by panicking")]
fn judge(row: Row) -> Judgement {
    let call = ToolCall {
        tool: row.tool,
        arguments: row.arguments,
        cwd: Some("/workspace/project".into()),
        home: Some("/home/dev".into()),
        ..ToolCall::default()
    };
    let facts = Facts { workspace: call.cwd.clone(), ..Facts::default() };
    let context = Context { agent_asks: true, ..Context::default() };
    let action = Action::from_call(call).unwrap();
    Gate::new(Policy::default()).judge_in(&action, &facts, &context)
}

/// Everything found at this level or above, and what was not understood beside the tool itself.
fn told(judgement: &Judgement, least: Severity) -> Vec<String> {
    let findings = judgement.assessment.findings.iter();
    let mut told: Vec<String> = findings
        .filter(|finding| finding.severity >= least)
        .map(|finding| format!("{} at `{}`", finding.rule, finding.place.pointer))
        .collect();
    if let Coverage::Partial(gaps) = &judgement.assessment.coverage {
        let gaps = gaps.iter().filter(|(_, why)| *why != "what this tool does is not known");
        told.extend(gaps.map(|(place, why)| format!("{why} at `{}`", place.pointer)));
    }
    told
}

#[test]
fn harmless_calls_go_on_without_a_question() {
    let mut wrong = Vec::new();
    for (line, row) in rows(HARMLESS) {
        let judgement = judge(row);
        let told = told(&judgement, Severity::High);
        if judgement.decision.verdict != Verdict::Allow || !told.is_empty() {
            wrong.push(format!("{line}\n    {told:?}"));
        }
    }
    let all = HARMLESS.lines().count();
    assert!(wrong.is_empty(), "{} of {all} are not allowed:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn dangerous_calls_are_asked_about_or_denied() {
    let mut wrong = Vec::new();
    for (line, row) in rows(DANGEROUS) {
        let judgement = judge(row);
        if judgement.decision.verdict == Verdict::Allow {
            wrong.push(format!("{line}\n    {:?}", told(&judgement, Severity::Safe)));
        }
    }
    let all = DANGEROUS.lines().count();
    assert!(wrong.is_empty(), "{} of {all} are allowed:\n{}", wrong.len(), wrong.join("\n"));
}

fn has_text(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => items.iter().any(has_text),
        Value::Object(members) => members.values().any(has_text),
        _ => false,
    }
}

#[test]
fn whatever_is_found_lies_in_the_argument_that_it_names() {
    for (line, row) in rows(HARMLESS).chain(rows(DANGEROUS)) {
        let arguments = Value::Object(row.arguments.clone());
        let judgement = judge(row);
        for finding in &judgement.assessment.findings {
            let place = &finding.place;
            let text = arguments.pointer(&place.pointer).and_then(Value::as_str);
            // What a call without any text does, its whole says.
            let is_whole = place.pointer.is_empty() && place.span == Span::default();
            let inside = text.is_some_and(|text| text.get(place.span.range()).is_some())
                || is_whole && !has_text(&arguments);
            assert!(inside, "{}: {place:?} in {line}", finding.rule);
            if let Some((text, span)) = &place.layer {
                assert!(text.get(span.range()).is_some(), "{place:?} in {line}");
            }
        }
    }
}
