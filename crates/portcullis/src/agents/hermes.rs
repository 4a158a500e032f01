//! Hermes. It must be answered with an object, and knows no answer that asks.

use serde_json::json;

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply::{Reply, Saying, Word},
    table::{Content, Install, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "hermes",
    title: "Hermes",
    marks: &[&[Mark::OneOf("/hook_event_name", &["pre_tool_call", "post_tool_call"])]],
    hints: &[],
    lent: false,
    fields: Fields { result: &["/tool_response", "/result"], ..Fields::CLAUDE },
    events: &[
        Event::new("pre_tool_call", Moment::BeforeTool, block),
        Event::new("post_tool_call", Moment::AfterTool, block),
    ],
    other_events: &[],
    tools: &[
        Tool::own("terminal").running_in(&["workdir"]),
        // It is told either a patch, or a file with the old and the new text.
        Tool::own("patch").given("patch"),
        Tool::alias("patch", "edit_file").given("path"),
        Tool::own("search_files"),
        Tool::own("execute_code"),
    ],
    servers: Servers::Prefixed("mcp_", Some('_')),
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    afterwards: "sessions that are open go on without it until they are started again",
    ..Install::new(
        &[Trace::Program("hermes"), Trace::Path(own(""))],
        &[
            Target::user(own("config.yaml"), Content::Lines(LINES)),
            // It notes there which hooks it accepted.
            Target::user(own("shell-hooks-allowlist.json"), Content::Noted("approvals")),
        ],
    )
};

/// It asks its person about each hook once, at a terminal, and without one it runs none that was not accepted.
const LINES: &[&str] =
    &["hooks:", "  pre_tool_call:", "    - command: {command}", "hooks_auto_accept: true"];

const fn own(file: &'static str) -> Place {
    Place::variable("HERMES_HOME", ".hermes", file)
}

fn block(saying: &Saying<'_>) -> Reply {
    Reply::json(&match saying.word {
        Word::Nothing | Word::Allow(_) => json!({}),
        Word::Ask(reason) | Word::Deny(reason) => {
            json!({ "decision": "block", "reason": reason })
        }
        Word::Note(note) => return Reply { error: format!("{note}\n"), ..Reply::json(&json!({})) },
    })
}
