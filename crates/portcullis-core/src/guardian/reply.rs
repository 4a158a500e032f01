//! What a reviewer said. Owns the one form in which an answer is read; every other text is an error, because whoever wrote the
//! action may have written the answer too.

use super::{
    brief::Briefing,
    json::{Json, NotJson},
    score::Score,
};
use crate::decision::Verdict;

/// The most bytes of an answer.
pub const MAX_REPLY: usize = 16 << 10;

/// The most characters of the reasoning, and of one risk.
pub const MAX_REASONING: usize = 4_000;

/// The most risks.
pub const MAX_RISKS: usize = 20;

/// An answer that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// How risky it holds the action.
    pub score: Score,
    /// Why. Words of a model: shown to people, and never followed.
    pub reasoning: String,
    /// What could happen, as the model sees it.
    pub risks: Vec<String>,
    /// The decision that the model names beside its score. It can only make the outcome stricter.
    pub claimed: Option<Verdict>,
}

/// Why an answer was not read. It never repeats the answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// There is none.
    #[error("the answer is empty")]
    Empty,
    /// More than any answer needs.
    #[error("the answer is longer than {MAX_REPLY} bytes")]
    TooLong,
    /// It is not one JSON value: prose, two objects, a member twice, a number that is none.
    #[error("the answer is not one JSON object: {0}")]
    NotJson(#[from] NotJson),
    /// It is JSON and no object.
    #[error("the answer is {0}, expected an object")]
    NotAnObject(&'static str),
    /// A member that nobody asked for.
    #[error("the answer has a member that nobody asked for")]
    Unexpected,
    /// A member is not there.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A member has another type.
    #[error("`{name}` is {found}, expected {expected}")]
    WrongType {
        /// Which.
        name: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// The score is none.
    #[error("`riskScore` is not a number from 0 to 100")]
    OutOfRange,
    /// A text says nothing.
    #[error("`{0}` is empty")]
    Blank(&'static str),
    /// A text or a list is longer than what is read.
    #[error("`{0}` is too long")]
    Overlong(&'static str),
    /// The decision is none of the three words.
    #[error("`decision` is none of `approve`, `prompt_user` and `deny`")]
    NotADecision,
    /// It repeats the number that fences the evidence, or a stretch of the evidence itself.
    #[error("the answer quotes the evidence")]
    Quotes,
    /// A text inside the answer looks like an answer of its own.
    #[error("the answer holds another answer")]
    Nested,
}

/// Reads an answer to a briefing: one JSON object with `riskScore`, `reasoning` and `risks`, perhaps a `decision`, and nothing else.
///
/// # Errors
/// [`Malformed`] for every other text.
pub fn read(text: &str, briefing: &Briefing) -> Result<Review, Malformed> {
    if text.len() > MAX_REPLY {
        return Err(Malformed::TooLong);
    }
    if text.trim().is_empty() {
        return Err(Malformed::Empty);
    }
    let value = Json::parse(text)?;
    let Json::Object(members) = &value else { return Err(Malformed::NotAnObject(value.kind())) };
    let known = ["riskScore", "reasoning", "risks", "decision"];
    if members.iter().any(|(name, _)| !known.contains(&name.as_str())) {
        return Err(Malformed::Unexpected);
    }
    let review = Review {
        score: score(&value)?,
        reasoning: words("reasoning", needed(&value, "reasoning")?)?,
        risks: risks(needed(&value, "risks")?)?,
        claimed: value.get("decision").map(claimed).transpose()?,
    };
    for text in std::iter::once(&review.reasoning).chain(&review.risks) {
        let folded: String = text.chars().filter(|letter| letter.is_alphanumeric()).collect();
        if folded.to_lowercase().contains("riskscore") {
            return Err(Malformed::Nested);
        }
    }
    // What is split over several texts is one quotation all the same.
    let whole = format!("{} {}", review.reasoning, review.risks.join(" "));
    if briefing.is_quoted_in(&whole) {
        return Err(Malformed::Quotes);
    }
    Ok(review)
}

fn needed<'a>(value: &'a Json, name: &'static str) -> Result<&'a Json, Malformed> {
    value.get(name).ok_or(Malformed::Missing(name))
}

fn score(value: &Json) -> Result<Score, Malformed> {
    let name = "riskScore";
    match needed(value, name)? {
        Json::Number(number) => number.as_f64().and_then(Score::new).ok_or(Malformed::OutOfRange),
        other => Err(Malformed::WrongType { name, expected: "a number", found: other.kind() }),
    }
}

fn words(name: &'static str, value: &Json) -> Result<String, Malformed> {
    let Json::Text(text) = value else {
        return Err(Malformed::WrongType { name, expected: "a string", found: value.kind() });
    };
    if text.trim().is_empty() {
        return Err(Malformed::Blank(name));
    }
    if text.chars().count() > MAX_REASONING {
        return Err(Malformed::Overlong(name));
    }
    Ok(text.clone())
}

fn risks(value: &Json) -> Result<Vec<String>, Malformed> {
    let name = "risks";
    let Json::List(items) = value else {
        return Err(Malformed::WrongType { name, expected: "an array", found: value.kind() });
    };
    if items.len() > MAX_RISKS {
        return Err(Malformed::Overlong(name));
    }
    items.iter().map(|item| words(name, item)).collect()
}

fn claimed(value: &Json) -> Result<Verdict, Malformed> {
    match value.as_text() {
        Some("approve") => Ok(Verdict::Allow),
        Some("prompt_user") => Ok(Verdict::Ask),
        Some("deny") => Ok(Verdict::Deny),
        _ => Err(Malformed::NotADecision),
    }
}
