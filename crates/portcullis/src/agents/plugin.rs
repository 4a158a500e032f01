//! The form of the plugins that we generate for agents which run no commands. Owns both directions: what a plugin sends and
//! what it is answered; the plugins themselves are written by `install`.
//!
//! A plugin starts `portcullis hook AGENT` for each call, writes one object and reads one:
//!
//! | sends | |
//! |---|---|
//! | `portcullis` | `1`, the version of this form |
//! | `agent` | the agent's name, as in the table |
//! | `event` | `tool.before`, `tool.after` or `prompt` |
//! | `tool`, `input` | the tool's name and its arguments, as the agent has them |
//! | `cwd`, `session` | the directory and the session, where there are any |
//! | `asks` | `true` where it can ask the person now |
//! | `result`, `prompt` | what the tool gave back; what the person wrote |
//!
//! | reads | |
//! |---|---|
//! | `verdict` | `allow`, `ask` or `deny`; `ask` only where it can ask |
//! | `reason` | for the model, where it is not `allow` |
//! | `note` | what should be known, where nothing is decided |
//!
//! Whatever else comes back, nothing, or another exit code than 0, is a denial.

use serde_json::json;

use super::{
    agent::{Event, Fields, Mark, Moment},
    reply::{Reply, Saying, Word},
};

/// Where a plugin's payload holds what.
pub(super) const FIELDS: Fields = Fields {
    event: &["/event"],
    tool: &["/tool"],
    input: &["/input"],
    cwd: &["/cwd"],
    roots: &[],
    session: &["/session"],
    call: &["/call"],
    mode: &[],
    result: &["/result"],
    prompt: &["/prompt"],
};

/// The events of a plugin. One that cannot ask stands first, for what is not understood.
pub(super) const EVENTS: &[Event] = &[
    Event::new("tool.before", Moment::BeforeTool, verdict).marked(&[VERSION, Mark::Lacks("/asks")]),
    Event::new("tool.before", Moment::BeforeTool, verdict)
        .marked(&[VERSION, Mark::True("/asks")])
        .asking(),
    Event::new("tool.before", Moment::BeforeTool, verdict).marked(&[VERSION]),
    Event::new("tool.after", Moment::AfterTool, verdict).marked(&[VERSION]),
    Event::new("prompt", Moment::Prompt, verdict).marked(&[VERSION]),
];

/// What tells the payloads of an agent's plugin.
pub(super) const fn marks(agent: &'static str) -> [Mark; 2] {
    [Mark::Has("/portcullis"), Mark::Is("/agent", agent)]
}

const VERSION: Mark = Mark::Number("/portcullis", 1);

fn verdict(saying: &Saying<'_>) -> Reply {
    Reply::json(&match saying.word {
        Word::Nothing | Word::Allow(_) => json!({ "verdict": "allow" }),
        Word::Ask(reason) => json!({ "verdict": "ask", "reason": reason }),
        Word::Deny(reason) => json!({ "verdict": "deny", "reason": reason }),
        Word::Note(note) => json!({ "verdict": "allow", "note": note }),
    })
}
