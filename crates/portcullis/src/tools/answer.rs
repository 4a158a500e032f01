//! What a caller is, and what it is answered. Owns the words of an answer; what stands in it is found in `run`.

use std::collections::BTreeSet;

use portcullis_core::{call::ToolCall, conversation::Stopped, risk::Risk};
use portcullis_sandbox::Report;
use serde::Serialize;

use super::Violation;

/// Who calls.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Identity {
    /// What they may do.
    pub permissions: BTreeSet<String>,
    /// For whom the agent works.
    pub user: Option<String>,
    /// Which agent.
    pub agent: Option<String>,
    /// Which session of it.
    pub session: Option<String>,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// It ran, and ended well.
    Done,
    /// It ran, and the program ended with another code than 0.
    Failed,
    /// It took too long and was killed.
    TimedOut,
    /// A check stopped it (`action_blocked`).
    Blocked,
    /// A person said no, or nobody said anything (`action_cancelled`).
    Cancelled,
    /// It could not be run as it has to be.
    Refused,
}

/// What a tool said, as an agent may see it.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Output {
    /// What it answered.
    pub stdout: String,
    /// What it said beside that.
    pub stderr: String,
    /// How many bytes were too many.
    pub dropped: u64,
}

/// What was noticed in an answer.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Caught {
    /// How many secrets were taken out.
    pub secrets: usize,
    /// Words in it that tell an agent what to do, each on one line.
    pub instructions: Vec<String>,
}

/// What an agent is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The caller's own identifier.
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// What became of it.
    pub status: Ending,
    /// Whether the whole execution ends with it.
    pub fatal: bool,
    /// Everything that the checks found.
    pub violations: Vec<Violation>,
    /// Why, for the agent, where it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The program's exit status, as a shell says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// What it said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// What was noticed in that.
    pub caught: Caught,
    /// How risky it was judged to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The action's hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What held it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Report>,
}

impl From<&Answer> for Stopped {
    fn from(answer: &Answer) -> Self {
        let first = answer.violations.first();
        Self {
            code: first.map_or_else(|| "unrecorded".to_owned(), |first| first.reason.clone()),
            message: answer.message.clone().unwrap_or_default(),
            fatal: answer.fatal,
        }
    }
}

impl Answer {
    pub(super) fn new(call: &ToolCall) -> Self {
        Self {
            id: call.id.clone(),
            tool: call.tool.clone(),
            status: Ending::Blocked,
            fatal: false,
            violations: Vec::new(),
            message: None,
            exit: None,
            output: None,
            caught: Caught::default(),
            risk: None,
            action: None,
            sandbox: None,
        }
    }
}
