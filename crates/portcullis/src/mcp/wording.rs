//! What people are told about a call: why it does not go on, and what they are asked. Owns the words; everything in them that came from elsewhere is
//! shown with every character, and without secrets.

use serde_json::{Map, Value};

use crate::session::Judged;

/// How much of the arguments a client's person is shown: a form has room for no more.
const QUESTION: usize = 1_200;

/// Why, in a line: what decided, and the worst of what was found.
#[must_use]
pub fn why(judged: &Judged) -> String {
    let reason = judged.judgement.decision.reasons.first();
    let worst = judged.judgement.assessment.findings.iter().max_by_key(|one| one.severity);
    let words = match (reason, worst.map(|one| &one.message)) {
        (Some(reason), Some(message)) if reason != message => format!("{message} ({reason})"),
        (Some(words), _) | (None, Some(words)) => words.clone(),
        (None, None) => "the policy says so".to_owned(),
    };
    crate::report::visible::line(&portcullis_core::secrets::redacted(&words)).into_owned()
}

/// The question for a client's person: what, how risky, why, on lines of ours; and whether that is all of it.
#[must_use]
pub fn question_words(judged: &Judged) -> (String, bool) {
    let line = |text: &str| crate::report::visible::line(text).into_owned();
    let call = &judged.action.call;
    let arguments = Value::Object(Map::from_iter(call.arguments.clone()));
    let shown = portcullis_core::secrets::redacted(&arguments.to_string());
    let cut = shown.floor_char_boundary(QUESTION);
    let is_whole = cut == shown.len();
    let more =
        if is_whole { String::new() } else { format!(" … and {} bytes more", shown.len() - cut) };
    // What is called comes before why it is asked about: clients show the first lines, and hide the rest behind a key.
    let mut lines = vec![
        format!(
            "Portcullis asks: may `{}` be called? The risk is {}.",
            line(&call.tool),
            judged.judgement.assessment.risk.name(),
        ),
        format!("Arguments: {}{more}", line(shown.get(..cut).unwrap_or_default())),
    ];
    lines.extend(
        judged.judgement.decision.reasons.iter().take(3).map(|why| format!("- {}", line(why))),
    );
    (lines.join("\n"), is_whole)
}
