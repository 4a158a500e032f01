//! What a hook inside a coding agent does beside judging. Owns the words of the `[hook]` table and what holds where a word
//! is missing; the hook itself reads calls and writes answers elsewhere.

use schemars::JsonSchema;
use serde::Deserialize;

/// What a hook does beside judging.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Hook {
    /// Which allowed calls are approved in the agent's place.
    pub approve: Approve,
    /// What happens to a call that could not be judged.
    pub on_failure: OnHookFailure,
    /// Who is asked about a tool that only the agent knows.
    pub unknown_tools: UnknownTools,
    /// Whether the desktop shows that a person is asked.
    pub notify: bool,
    /// Whether the permission mode that the agent names is enforced.
    pub enforce_mode: bool,
}

/// Which allowed calls are approved in the agent's place, so that the agent itself does not ask. The stricter comes first.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "kebab-case")]
pub enum Approve {
    /// None: the agent's own prompts stand.
    #[default]
    Never,
    /// Those that only read.
    ReadOnly,
    /// Whatever the policy allows.
    Policy,
}

/// What happens to a call that could not be judged. The stricter comes first.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
pub enum OnHookFailure {
    /// It is denied.
    #[default]
    Deny,
    /// A person is asked.
    Ask,
}

/// Who is asked about a tool that only the agent knows. The stricter comes first.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
pub enum UnknownTools {
    /// The policy's word stands: what it does not know, it asks about.
    Ask,
    /// It is left to the agent's own prompts.
    #[default]
    Agent,
}

impl Approve {
    /// Its word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::ReadOnly => "read-only",
            Self::Policy => "policy",
        }
    }
}

impl OnHookFailure {
    /// Its word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
        }
    }
}

impl UnknownTools {
    /// Its word in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Agent => "agent",
        }
    }
}
