//! What a model is asked and what it answers.

use portcullis_core::guardian::{Json, Tokens};
use serde_json::{Map, Value};

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What it is told about its task and the gate.
    pub system: String,
    /// The tools, each as `{"name", "description", "input_schema"}`.
    pub tools: Vec<Json>,
    /// What was said and done.
    pub turns: Vec<Turn>,
}

/// A part of a conversation, as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The person, or the gate.
    User(String),
    /// The model.
    Assistant {
        /// What it said.
        text: String,
        /// What it called: the identifier, the tool, the arguments.
        calls: Vec<(String, String, Map<String, Value>)>,
    },
    /// What came of a call.
    Result {
        /// The identifier of the call.
        call: String,
        /// What came of it.
        text: String,
        /// Whether that is an error.
        is_error: bool,
    },
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// What it said.
    pub text: String,
    /// What it calls.
    pub calls: Vec<Called>,
    /// What it took.
    pub tokens: Tokens,
}

/// A tool that a model calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The model's own identifier.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments; why they are none, where they are none.
    pub arguments: Result<Map<String, Value>, String>,
}
