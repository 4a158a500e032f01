//! What holds of every judgement. Owns the checks; calls are made elsewhere.

use std::sync::LazyLock;

use portcullis_core::{
    Span,
    action::{Action, ActionKind},
    assessment::{Assessment, Coverage},
    call::ToolCall,
    decision::Verdict,
    facts::Facts,
    finding::Place,
    gate::{Gate, Judgement},
    policy::Policy,
    risk::{Risk, Severity},
};
use serde_json::Value;

/// The gate as it comes.
pub static GATE: LazyLock<Gate> = LazyLock::new(|| Gate::new(Policy::default()));

/// Judges an action twice, which must give the same answer, and one that agrees with itself.
pub fn judged(action: &Action, facts: &Facts) {
    let first = GATE.judge(action, facts);
    check(action, &first);
    let again = GATE.judge(action, facts);
    assert_eq!(account(&first), account(&again), "judged twice: {:?}", action.call);
}

/// Whether places, risk, coverage and decision of a judgement agree.
pub fn check(action: &Action, judgement: &Judgement) {
    check_places(action, &judgement.assessment);
    let Assessment { risk, level, findings, coverage, .. } = &judgement.assessment;
    let call = &action.call;
    let expected = match coverage {
        Coverage::Partial(gaps) => {
            assert!(!gaps.is_empty(), "partial without a gap: {call:?}");
            if *level < Severity::High { Risk::Unknown } else { (*level).into() }
        }
        Coverage::Full => (*level).into(),
    };
    assert_eq!(*risk, expected, "risk and coverage: {call:?}");
    let worst = findings.iter().map(|finding| finding.severity).max();
    assert!(worst.is_none_or(|worst| worst <= *level), "{worst:?} above {level:?}: {call:?}");
    let needs_someone = risk.severity().is_none_or(|severity| severity >= Severity::High);
    assert!(
        !needs_someone || judgement.decision.verdict > Verdict::Allow,
        "{risk:?} is allowed: {call:?}"
    );
}

/// Whether every place of an assessment lies in the text that it names.
pub fn check_places(action: &Action, assessment: &Assessment) {
    let gaps: &[(Place, &str)] = match &assessment.coverage {
        Coverage::Partial(gaps) => gaps,
        Coverage::Full => &[],
    };
    let of_findings = assessment.findings.iter().map(|finding| (&finding.place, finding.rule));
    for (place, why) in of_findings.chain(gaps.iter().map(|(place, why)| (place, *why))) {
        let inside = match text(action, &place.pointer) {
            Some(text) => text.get(place.span.range()).is_some(),
            None => place.span == Span::default(),
        };
        assert!(inside, "{why} at {place:?} in {:?}", action.call);
        if let Some((text, span)) = &place.layer {
            assert!(text.get(span.range()).is_some(), "{why} at {place:?} in {:?}", action.call);
            // Where an unknown value stands, its origin is shown.
            let hidden = text.contains(|shown| matches!(shown, '\u{f0000}'..='\u{fff00}'));
            assert!(!hidden, "{why} at {place:?} in {:?}", action.call);
        }
    }
}

/// The text that a pointer names: what the action was made of before what was sent, since words and edits are joined.
fn text<'a>(action: &'a Action, pointer: &str) -> Option<&'a str> {
    let mut read: Vec<(&str, &str)> = Vec::new();
    match &action.kind {
        ActionKind::Shell { pointer, command: text }
        | ActionKind::Code { pointer, language: _, code: text }
        | ActionKind::Query { pointer, statement: text } => read.push((pointer, text)),
        ActionKind::File { pointer, path, content, .. } => {
            read.extend(content.as_ref().map(|(at, text)| (at.as_str(), text.as_str())));
            read.push((pointer, path));
        }
        ActionKind::Http { pointer, url, body, .. } => {
            read.push((pointer, url));
            read.extend(body.as_ref().map(|(at, text)| (at.as_str(), text.as_str())));
        }
        ActionKind::Tool => {}
    }
    let call = &action.call;
    let made = read.into_iter().find(|(at, _)| *at == pointer).map(|(_, text)| text);
    made.or_else(|| sent(call, pointer)).or_else(|| match pointer {
        "/thought" => call.thought.as_deref(),
        "/summary" => call.summary.as_deref(),
        _ => None,
    })
}

fn sent<'a>(call: &'a ToolCall, pointer: &str) -> Option<&'a str> {
    let rest = pointer.strip_prefix('/')?;
    let (name, rest) = rest
        .split_once('/')
        .map_or((rest, ""), |(name, _)| (name, rest.get(name.len()..).unwrap_or_default()));
    let value = call.arguments.get(&name.replace("~1", "/").replace("~0", "~"))?;
    value.pointer(rest).and_then(Value::as_str)
}

fn account(judgement: &Judgement) -> String {
    let Judgement { action, effects: _, assessment, decision } = judgement;
    format!("{action:?} {assessment:?} {decision:?}")
}
