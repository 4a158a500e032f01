//! Devin on the command line and on the desktop. It runs Claude Code's hooks too, and its payloads name no directory.

use serde_json::json;

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply::{self, Reply, Saying, Word},
    table::{Content, Entries, Install, Literal, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "devin",
    title: "Devin",
    marks: &[&[
        Mark::Has("/hook_event_name"),
        Mark::Has("/prompt_id"),
        Mark::Lacks("/cwd"),
        Mark::Lacks("/transcript_path"),
    ]],
    hints: &[],
    lent: false,
    fields: Fields::CLAUDE,
    events: &[
        Event::new("PreToolUse", Moment::BeforeTool, reply::flat_block),
        Event::new("PermissionRequest", Moment::Permission, permission).asking(),
        Event::new("PostToolUse", Moment::AfterTool, reply::flat_block),
        Event::new("UserPromptSubmit", Moment::Prompt, reply::flat_block),
    ],
    other_events: &["Stop", "SessionStart", "SessionEnd"],
    tools: &[Tool::own("exec"), Tool::own("read"), Tool::own("write"), Tool::own("edit")],
    servers: Servers::Doubled,
    plan_modes: &["plan"],
    root_variables: &["DEVIN_PROJECT_DIR"],
    install: INSTALL,
};

const INSTALL: Install = Install::new(
    &[Trace::Program("devin"), Trace::Path(Place::configuration("devin"))],
    &[
        Target::user(Place::configuration("devin/config.json"), ENTRIES),
        Target::project(".devin/config.local.json", ENTRIES),
    ],
);

const ENTRIES: Content = Content::Entries(Entries {
    matcher: Some(""),
    heads: &[(&["version"], Literal::Number(1))],
    ..Entries::CLAUDE
});

/// It is about to ask its person: what would ask is left to that.
fn permission(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Ask(_) => Reply::silent(),
        Word::Allow(_) => Reply::json(&json!({ "decision": "approve" })),
        Word::Nothing | Word::Deny(_) | Word::Note(_) => reply::flat_block(saying),
    }
}
