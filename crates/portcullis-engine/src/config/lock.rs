//! The keys that a layer keeps those below it from loosening. Owns their words.

use schemars::JsonSchema;
use serde::Deserialize;

/// A key that only the managed file loosens.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, PartialEq)]
pub enum Lock {
    /// `mode` and `dont_ask`.
    #[serde(rename = "mode")]
    Mode,
    /// `disable_bypass`, which nothing sets back in any case.
    #[serde(rename = "disable_bypass")]
    DisableBypass,
    /// `confirmation`, `try` and `undo.max_risk`.
    #[serde(rename = "confirmation")]
    Confirmation,
    /// The rules that allow: only those of the managed file count.
    #[serde(rename = "rules.allow")]
    Allow,
    /// `severity`: findings are only raised.
    #[serde(rename = "severity")]
    Severity,
    /// `classes`: classes are only raised.
    #[serde(rename = "classes")]
    Classes,
    /// `floors`, which only add up in any case.
    #[serde(rename = "floors")]
    Floors,
    /// `analyzers`.
    #[serde(rename = "analyzers")]
    Analyzers,
    /// `audit`; also for options and variables.
    #[serde(rename = "audit")]
    Audit,
    /// `hook`, `gateway`, `mcp`, `serve`, `team`, `chat` and the snapshots of `undo`.
    #[serde(rename = "hook")]
    Hook,
    /// `monitor`.
    #[serde(rename = "monitor")]
    Monitor,
    /// `files`.
    #[serde(rename = "files")]
    Files,
    /// `network`.
    #[serde(rename = "network")]
    Network,
    /// `guardian`, `injection` and `security_policy`.
    #[serde(rename = "guardian")]
    Guardian,
}

impl Lock {
    /// Every lock, in the order of the keys in a file.
    pub const ALL: [Self; 14] = [
        Self::Mode,
        Self::DisableBypass,
        Self::Confirmation,
        Self::Allow,
        Self::Severity,
        Self::Classes,
        Self::Floors,
        Self::Analyzers,
        Self::Audit,
        Self::Hook,
        Self::Monitor,
        Self::Files,
        Self::Network,
        Self::Guardian,
    ];

    /// Its word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mode => "mode",
            Self::DisableBypass => "disable_bypass",
            Self::Confirmation => "confirmation",
            Self::Allow => "rules.allow",
            Self::Severity => "severity",
            Self::Classes => "classes",
            Self::Floors => "floors",
            Self::Analyzers => "analyzers",
            Self::Audit => "audit",
            Self::Hook => "hook",
            Self::Monitor => "monitor",
            Self::Files => "files",
            Self::Network => "network",
            Self::Guardian => "guardian",
        }
    }
}
