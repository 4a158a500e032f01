//! A level of risk, as a file says it.

use portcullis_core::risk::Severity as RiskLevel;
use schemars::JsonSchema;
use serde::Deserialize;

/// A level of risk.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Shows something.
    Safe,
    /// Reads, or is undone with ease.
    Low,
    /// Changes something that can be brought back.
    Medium,
    /// Hard to undo.
    High,
    /// Cannot be undone.
    Critical,
}

pub(super) fn level_of(word: Level) -> RiskLevel {
    match word {
        Level::Safe => RiskLevel::Safe,
        Level::Low => RiskLevel::Low,
        Level::Medium => RiskLevel::Medium,
        Level::High => RiskLevel::High,
        Level::Critical => RiskLevel::Critical,
    }
}
