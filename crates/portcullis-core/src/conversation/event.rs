//! What can happen in a conversation. Owns the words on disk and their version; what may follow on what, [`super::State`] knows.
//!
//! Everything in an event was redacted by whoever made it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{
    decision::Verdict,
    risk::{Risk, Severity},
};

/// The version of the events.
pub const VERSION: u32 = 1;

/// Something that happened.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// It began.
    Started(Started),
    /// A person gave it another goal.
    Goal {
        /// The goal.
        goal: String,
        /// Its hash.
        hash: String,
        /// Who.
        by: String,
    },
    /// Somebody said something.
    Message {
        /// Who.
        by: By,
        /// What.
        text: String,
    },
    /// The actions of one reply of the model, judged.
    Batch {
        /// What the model said beside them.
        text: String,
        /// The actions, in their order.
        actions: Vec<Proposed>,
        /// What the reply took.
        #[serde(default)]
        tokens: u64,
    },
    /// A person agreed to an action.
    Approved {
        /// Which.
        action: u64,
        /// Its hash as it was shown.
        hash: String,
        /// Who.
        by: String,
    },
    /// An action does not run: a person said no (`by`), or something else came in between.
    Cancelled {
        /// Which.
        action: u64,
        /// Who said no, where a person did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
        /// Why, for the model.
        reason: String,
    },
    /// A person put another action in the place of one. It was judged again, and what was agreed to before is void.
    Edited {
        /// Who.
        by: String,
        /// The action now, under the number that it had.
        action: Proposed,
    },
    /// A check stops an action.
    Blocked {
        /// Which.
        action: u64,
        /// The code.
        code: String,
        /// Why, for the model.
        message: String,
        /// Whether the conversation ends with it.
        fatal: bool,
    },
    /// An action is about to run.
    Intent {
        /// Which.
        action: u64,
        /// Its hash.
        hash: String,
    },
    /// What came of an action.
    Observation {
        /// Which.
        action: u64,
        /// How it ended.
        outcome: Outcome,
        /// What the model is told.
        text: String,
    },
    /// Something went wrong that no action is to blame for.
    Error {
        /// What, for a person and the model.
        message: String,
    },
    /// What a reply took that proposed nothing.
    Used {
        /// How many tokens.
        tokens: u64,
    },
    /// A person changed what is judged under.
    Changed {
        /// What.
        what: Change,
        /// What holds now.
        to: String,
        /// Who.
        by: String,
    },
    /// It may go on.
    Resumed {},
    /// It stops before the next step.
    Paused {
        /// Who.
        by: String,
    },
    /// A line that was only half written was taken off the log.
    Repaired {
        /// How many bytes it had.
        bytes: u64,
    },
    /// It is over.
    Ended {
        /// Why.
        reason: EndReason,
        /// The same in words.
        message: String,
    },
}

/// How a conversation begins.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Started {
    /// What the agent is to do.
    pub goal: String,
    /// The hash of that, as it was given.
    pub hash: String,
    /// Where it works.
    #[serde(default)]
    pub workspace: String,
    /// Who is judged by what.
    #[serde(default)]
    pub policy: String,
    /// The permission mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The model.
    #[serde(default)]
    pub model: String,
    /// For whom it works.
    #[serde(default)]
    pub user: String,
    /// The conversation that this is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

impl Started {
    /// With a goal and nothing else.
    #[must_use]
    pub fn new(goal: &str) -> Self {
        Self {
            goal: goal.to_owned(),
            hash: goal_hash(goal),
            workspace: String::new(),
            policy: String::new(),
            mode: None,
            model: String::new(),
            user: String::new(),
            parent: None,
        }
    }
}

/// What a goal is known by.
#[must_use]
pub fn goal_hash(goal: &str) -> String {
    format!("sha256:{}", data_encoding::HEXLOWER.encode(&Sha256::digest(goal.as_bytes())))
}

/// Who said something.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The person.
    User,
    /// The model.
    Agent,
}

/// An action that a model proposed, as it was judged.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Proposed {
    /// Its number in this conversation.
    pub action: u64,
    /// What the model calls it.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The arguments, without secrets.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// Whether secrets were taken out of them: from the log alone it cannot be run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub withheld: bool,
    /// What the model says that it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What the model says of its risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Risk>,
    /// What identifies it. Empty where it is no action at all.
    #[serde(default)]
    pub hash: String,
    /// What stands for the files that it would start, as they were judged: an answer is bound to it as to the hash. Nothing where it starts
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// Whether it may run.
    pub verdict: Verdict,
    /// How risky it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// What was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Noted>,
    /// Why it asks, or does not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// The policy that it was judged under.
    #[serde(default)]
    pub policy: String,
    /// What stops it, where something does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Where the decision stands in the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
}

/// What stops an action.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Stopped {
    /// The code.
    pub code: String,
    /// Why, for the model.
    pub message: String,
    /// Whether the conversation ends with it.
    pub fatal: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl Proposed {
    /// An action of a tool that is not let through.
    #[must_use]
    pub fn new(action: u64, tool: &str) -> Self {
        Self {
            action,
            call: String::new(),
            tool: tool.to_owned(),
            arguments: Map::new(),
            withheld: false,
            summary: None,
            claimed: None,
            hash: String::new(),
            files: None,
            verdict: Verdict::Deny,
            risk: None,
            findings: Vec::new(),
            reasons: Vec::new(),
            policy: String::new(),
            stopped: None,
            record: None,
        }
    }
}

/// A finding, as it is kept.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Noted {
    /// The rule.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What would happen.
    pub message: String,
}

/// How an action ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran, and ended well.
    Done,
    /// It ran, and did not.
    Failed,
    /// It could not be run.
    Refused,
    /// Nobody knows whether it ran: whoever ran it was ended before its outcome was kept.
    MayHaveRun,
}

/// What a person can change.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The permission mode.
    Mode,
    /// The confirmation policy.
    Confirmation,
    /// The analyzers.
    Analyzers,
    /// What is allowed for this conversation.
    Allowed,
    /// The kinds of calls that are allowed for this conversation.
    Alike,
}

/// Why a conversation is over.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The agent says that it is done.
    Finished,
    /// The agent answered, and calls no tool any more.
    Answered,
    /// A limit is reached.
    LimitExceeded,
    /// A check stopped it for good.
    Blocked,
    /// So many things went wrong in a row.
    TooManyErrors,
    /// It does the same again and again.
    Stuck,
    /// The model cannot be asked.
    ModelFailed,
}

/// Whether a tool only speaks to whoever runs the conversation, and touches nothing.
#[must_use]
pub fn is_inner(tool: &str) -> bool {
    matches!(tool, "finish" | "think")
}
