//! A rule as other programs read it. Owns the names of the fields.

use portcullis_core::rules::Rule;
use serde_json::{Value, json};

/// What a rule says.
#[must_use]
pub fn rule_json(rule: &Rule) -> Value {
    json!({
        "rule": rule.id,
        "category": rule.category,
        "severity": rule.severity,
        "confidence": rule.confidence,
        "message": rule.message,
        "remedy": rule.remedy,
        "reversible": rule.reversible,
    })
}
