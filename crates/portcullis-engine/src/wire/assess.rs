//! Actions for the risk assessor and its answers. Owns the names and types of their fields; how they are assessed is said by
//! `portcullis_core`.

use portcullis_core::{
    assessor::{ActionMap, RiskAssessment},
    redact::redact,
    risk::Risk,
};
use serde::Serialize;
use serde_json::Value;

use super::{VERSION, head, strict::Malformed};

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
        head::read(bytes, line, "a request for an action", |id, fields| {
            let action = head::object(fields, "action")?;
            match action.get("code") {
                None | Some(Value::Null | Value::String(_)) => Ok(Self { id, action }),
                // What is no text cannot be assessed, and must not pass for nothing.
                Some(_) => Err("`code` in `action` must be a string".to_owned()),
            }
        })
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
