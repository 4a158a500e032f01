//! The forms in which agents are answered. Owns one function for each form that is documented, and only documented fields:
//! some agents let a call run when an answer has a field too many.
//!
//! | rule | why |
//! |---|---|
//! | one JSON object on standard output, nothing else | several agents take anything else for "go on" |
//! | silence where there is nothing to say | "allow" skips the person's own prompt in most agents |
//! | a reason is never empty | Codex lets a call run that is denied without one |

use serde_json::{Map, Value, json};

/// What an agent is told.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Word {
    /// Nothing: its own rules hold.
    #[default]
    Nothing,
    /// The call may go on without its person.
    Allow(String),
    /// Its person must be asked.
    Ask(String),
    /// The call may not go on.
    Deny(String),
    /// Nothing is decided, but this should be known.
    Note(String),
}

/// A word, and what it answers.
#[derive(Clone, Debug)]
pub struct Saying<'a> {
    /// The name of the event, as an answer repeats it.
    pub event: &'a str,
    /// The word.
    pub word: &'a Word,
    /// The arguments that the call is to run with in place of its own, where the event takes some; nothing where it stays as it is.
    pub input: Option<&'a Map<String, Value>>,
}

/// What a process gives back.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Reply {
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub error: String,
    /// Its exit code.
    pub exit: u8,
}

impl Reply {
    /// Silence.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// One JSON object.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        Self { output: format!("{value}\n"), ..Self::default() }
    }

    /// The exit code that blocks nearly everywhere, with the reason where it is read.
    #[must_use]
    pub fn blocked(reason: &str) -> Self {
        Self { error: format!("{reason}\n"), exit: 2, ..Self::default() }
    }
}

/// Claude Code's answer before a tool runs.
#[must_use]
pub fn permission_decision(saying: &Saying<'_>) -> Reply {
    let decision = |decision: &str, reason: &str| {
        let mut answer = json!({ "hookSpecificOutput": {
            "hookEventName": saying.event,
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }});
        if let Some(input) = saying.input.filter(|_| decision != "deny")
            && let Some(output) =
                answer.pointer_mut("/hookSpecificOutput").and_then(Value::as_object_mut)
        {
            output.insert("updatedInput".to_owned(), Value::Object(input.clone()));
        }
        Reply::json(&answer)
    };
    match saying.word {
        Word::Nothing => Reply::silent(),
        Word::Allow(reason) => decision("allow", reason),
        Word::Ask(reason) => decision("ask", reason),
        Word::Deny(reason) => decision("deny", reason),
        Word::Note(note) => system_message(note),
    }
}

/// Claude Code's answer where silence is the only way to let a call go on.
#[must_use]
pub fn denial_alone(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Allow(_) => Reply::silent(),
        _ => permission_decision(saying),
    }
}

/// Claude Code's answer where it is about to ask its person: what would ask is left to that prompt.
#[must_use]
pub fn permission_request(saying: &Saying<'_>) -> Reply {
    let decision = |decision: Value| {
        Reply::json(
            &json!({ "hookSpecificOutput": { "hookEventName": saying.event, "decision": decision } }),
        )
    };
    match saying.word {
        Word::Nothing | Word::Ask(_) => Reply::silent(),
        Word::Allow(_) => decision(json!({ "behavior": "allow" })),
        Word::Deny(reason) => decision(json!({ "behavior": "deny", "message": reason })),
        Word::Note(note) => system_message(note),
    }
}

/// Claude Code's answer after a tool ran: a note goes to the model.
#[must_use]
pub fn feedback(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Nothing | Word::Allow(_) => Reply::silent(),
        Word::Ask(reason) | Word::Deny(reason) => {
            Reply::json(&json!({ "decision": "block", "reason": reason }))
        }
        Word::Note(note) => Reply::json(&json!({ "hookSpecificOutput": {
            "hookEventName": saying.event,
            "additionalContext": note,
        }})),
    }
}

/// What is added to a tool's result, and `deny`, which hides the result.
#[must_use]
pub fn added_context(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Note(_) => feedback(saying),
        _ => flat_deny(saying),
    }
}

/// Claude Code's answer to a prompt: a note goes to the person.
#[must_use]
pub fn prompt_feedback(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Nothing | Word::Allow(_) => Reply::silent(),
        Word::Ask(reason) | Word::Deny(reason) => {
            Reply::json(&json!({ "decision": "block", "reason": reason }))
        }
        Word::Note(note) => system_message(note),
    }
}

/// `{"decision":"deny","reason":…}`, and silence for everything else.
#[must_use]
pub fn flat_deny(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Ask(reason) | Word::Deny(reason) => {
            Reply::json(&json!({ "decision": "deny", "reason": reason }))
        }
        Word::Allow(_) => Reply::json(&json!({ "decision": "allow" })),
        Word::Nothing => Reply::silent(),
        Word::Note(note) => system_message(note),
    }
}

/// `{"decision":"block","reason":…}`, and silence for everything else.
#[must_use]
pub fn flat_block(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Ask(reason) | Word::Deny(reason) => {
            Reply::json(&json!({ "decision": "block", "reason": reason }))
        }
        Word::Nothing | Word::Allow(_) => Reply::silent(),
        Word::Note(note) => aside(note),
    }
}

/// Silence where nothing can be said to the model; a note goes where a person may find it.
#[must_use]
pub fn nothing(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Nothing | Word::Allow(_) => Reply::silent(),
        Word::Ask(words) | Word::Deny(words) | Word::Note(words) => aside(words),
    }
}

/// The exit code alone: 2 with the reason on standard error blocks.
#[must_use]
pub fn exit_code(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Ask(reason) | Word::Deny(reason) => Reply::blocked(reason),
        Word::Nothing | Word::Allow(_) => Reply::silent(),
        Word::Note(note) => aside(note),
    }
}

/// A note on standard error, which some agents show to the person.
fn aside(note: &str) -> Reply {
    Reply { error: format!("{note}\n"), ..Reply::default() }
}

/// A note to the person.
#[must_use]
pub fn system_message(note: &str) -> Reply {
    Reply::json(&json!({ "systemMessage": note }))
}
