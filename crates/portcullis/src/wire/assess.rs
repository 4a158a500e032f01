//! Actions for the risk assessor and its answers. Owns the names and types of their fields; how they are assessed is said by
//! `portcullis_core`.

use portcullis_core::{
    assessor::{ActionMap, RiskAssessment},
    redact::redact,
    risk::Risk,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    VERSION,
    strict::{self, Malformed},
};

/// One action to assess.
#[derive(Clone, Debug, PartialEq)]
pub struct AssessRequest {
    /// The caller's own identifier, a string or a number, echoed as it came.
    pub id: Option<Value>,
    /// The action: `{"action": "code", "code": "…"}`.
    pub action: ActionMap,
}

impl AssessRequest {
    /// Reads one action from JSON. `line` is the number of the text's first line, for messages.
    ///
    /// # Errors
    /// [`Malformed`] where the text is not JSON, or a field is missing or not of its type.
    pub fn parse(bytes: &[u8], line: usize) -> Result<Self, Malformed> {
        let Value::Object(mut fields) = strict::parse(bytes, line)? else {
            return Err(Malformed::new(line, "an action must be in a JSON object"));
        };
        let id = match fields.remove("id") {
            None | Some(Value::Null) => None,
            Some(id @ (Value::String(_) | Value::Number(_))) => Some(id),
            Some(_) => return Err(Malformed::new(line, "`id` must be a string or a number")),
        };
        let malformed =
            |message: &str| Malformed { id: id.clone(), line, message: message.to_owned() };
        if fields.get("v").is_some_and(|version| version.as_u64() != Some(VERSION)) {
            return Err(malformed(&format!("`v` must be {VERSION}")));
        }
        let action = match fields.remove("action") {
            Some(Value::Object(action)) => action,
            Some(_) => return Err(malformed("`action` must be an object")),
            None => return Err(malformed("`action` is missing")),
        };
        match action.get("code") {
            None | Some(Value::Null | Value::String(_)) => Ok(Self { id, action }),
            // What is no text cannot be assessed, and must not pass for nothing.
            Some(_) => Err(malformed("`code` in `action` must be a string")),
        }
    }
}

/// The answer to one action.
#[derive(Debug, Serialize)]
pub struct AssessAnswer<'a> {
    /// The version of this shape.
    pub v: u64,
    /// The caller's own identifier, as it came.
    pub id: Option<&'a Value>,
    /// The level.
    pub level: Risk,
    /// Why.
    pub reasons: Vec<String>,
    /// What may be affected, each with its kind.
    pub affected_resources: Vec<String>,
    /// Whether all of it can be undone.
    pub reversible: bool,
    /// The impact in a sentence.
    pub estimated_impact: &'a str,
    /// What to do before.
    pub recommendations: &'a [String],
    /// Whether it typically needs a person.
    pub requires_approval: bool,
}

impl<'a> AssessAnswer<'a> {
    /// The answer to an action that was assessed. No secret is in it.
    #[must_use]
    pub fn new(id: Option<&'a Value>, assessment: &'a RiskAssessment) -> Self {
        let redacted =
            |list: &[String]| list.iter().map(|text| redact(text).into_owned()).collect();
        let RiskAssessment {
            level,
            reasons,
            affected_resources,
            reversible,
            estimated_impact,
            recommendations,
        } = assessment;
        Self {
            v: VERSION,
            id,
            level: *level,
            reasons: redacted(reasons),
            affected_resources: redacted(affected_resources),
            reversible: *reversible,
            estimated_impact,
            recommendations,
            requires_approval: assessment.requires_approval(),
        }
    }
}
