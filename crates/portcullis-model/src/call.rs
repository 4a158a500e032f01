//! What arrived. Owns the untrusted call exactly as sent; it gives it no meaning.

use serde_json::{Map, Value};

use crate::risk::Risk;

/// The argument in which an agent's own model says how risky its call is, and the misspellings of it that are repaired.
pub const RISK_NAMES: [&str; 4] =
    ["security_risk", "security_rort", "securtiy_risk", "security_riks"];

/// A tool call as an agent sent it. Nothing in it is trusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The caller's own identifier, echoed in the answer.
    pub id: Option<String>,
    /// The tool's name as the agent knows it.
    pub tool: String,
    /// The tool's arguments.
    pub arguments: Map<String, Value>,
    /// The working directory that the call would run in.
    pub cwd: Option<String>,
    /// The home directory of the user it would run as.
    pub home: Option<String>,
    /// What the agent says it thinks; read for planted instructions, never as a command.
    pub thought: Option<String>,
    /// What the agent says it does; as `thought`.
    pub summary: Option<String>,
    /// The agent's own claim. It can raise the risk, never lower it.
    pub declared_risk: Option<Risk>,
    /// Which agent.
    pub agent: Option<String>,
    /// Which session of it.
    pub session: Option<String>,
}

impl ToolCall {
    /// A shell command, as an agent's terminal tool would send it.
    #[must_use]
    pub fn shell(command: impl Into<String>) -> Self {
        let mut arguments = Map::new();
        arguments.insert("command".to_owned(), Value::String(command.into()));
        Self { tool: "bash".to_owned(), arguments, ..Self::default() }
    }
}
