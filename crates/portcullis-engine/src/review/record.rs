//! A review in the record. Owns which of its particulars are kept and under which names; the record redacts and cuts them.

use portcullis_core::{
    decision::Verdict,
    guardian::{Ruling, Score},
};
use serde::Serialize;

use crate::{
    audit::{Entry, Kind},
    guardian::{Decided, Particulars},
    session::Judged,
};

/// The most risks that are kept.
const MOST_RISKS: usize = 4;

/// The most characters of each.
const LONGEST_RISK: usize = 60;

/// The particulars of a review on one line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    first_look: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counted: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<&'a str>,
    milliseconds: u128,
    input_tokens: u64,
    output_tokens: u64,
    attempts: u32,
    #[serde(skip_serializing_if = "is_false")]
    cut: bool,
    #[serde(skip_serializing_if = "is_false")]
    masked: bool,
    omitted: usize,
    shortened: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    barrier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    risks: Vec<String>,
}

/// The entry about a review of a call: who reviewed, what came of it, and the particulars as JSON in `preview`.
#[must_use]
pub fn entry(judged: &Judged, decided: &Decided) -> Entry {
    let Decided { ruling, settled, particulars } = decided;
    let Particulars {
        model,
        first_look,
        prompt,
        reply,
        latency,
        tokens,
        attempts,
        omitted,
        shortened,
        detail,
    } = particulars;
    let (score, cut, masked, risks) = match ruling {
        Ruling::Review { review, is_whole, is_masked } => {
            (Some(review.score), !is_whole, *is_masked, few(&review.risks))
        }
        _ => (None, false, false, Vec::new()),
    };
    let line = Line {
        model,
        first_look: *first_look,
        score: score.map(Score::value),
        counted: settled.score.map(Score::value),
        prompt: prompt.as_deref(),
        reply: reply.as_deref(),
        milliseconds: latency.as_millis(),
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        attempts: *attempts,
        cut,
        masked,
        omitted: *omitted,
        shortened: *shortened,
        barrier: settled.barrier.map(portcullis_core::guardian::Barrier::words),
        detail: detail.as_deref(),
        risks,
    };
    let call = &judged.action.call;
    Entry {
        refers_to: judged.sequence,
        tool: Some(call.tool.clone()),
        class: Some(judged.judgement.assessment.class.name().to_owned()),
        risk: Some(judged.judgement.assessment.risk),
        decision: Some(settled.verdict),
        layer: Some(portcullis_core::decision::Layer::Guardian),
        reason: Some(settled.reasons.join("; ")),
        approver: Some(format!("guardian {model}")),
        outcome: Some(word(ruling, settled.verdict)),
        action: Some(judged.action.id()),
        preview: Some(serde_json::to_string(&line).unwrap_or_default()),
        session: call.session.clone(),
        agent: call.agent.clone(),
        cwd: call.cwd.clone(),
        ..Entry::new(Kind::Answer)
    }
}

/// As many of a model's risks as leave the line whole: what is longer than a record's preview would be cut.
fn few(risks: &[String]) -> Vec<String> {
    let short = |risk: &String| risk.chars().take(LONGEST_RISK).collect();
    risks.iter().take(MOST_RISKS).map(short).collect()
}

/// What came of it, in a word or two.
fn word(ruling: &Ruling, verdict: Verdict) -> String {
    match ruling {
        Ruling::Review { .. } => match verdict {
            Verdict::Allow => "approved",
            Verdict::Ask => "left to a person",
            Verdict::Deny => "denied",
        }
        .to_owned(),
        Ruling::Kept => "approved again".to_owned(),
        Ruling::Failed(failing) | Ruling::Unknown(failing) => {
            format!("failed: {}", failing.name())
        }
        Ruling::Stopped => "stopped".to_owned(),
    }
}

const fn is_false(word: &bool) -> bool {
    !*word
}
