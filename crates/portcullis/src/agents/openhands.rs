//! OpenHands, by the hooks of its software agent kit. It knows no answer that asks.

use serde_json::json;

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply::{self, Reply, Saying, Word},
    table::{Content, Entries, Install, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "openhands",
    title: "OpenHands",
    marks: &[&[Mark::Has("/event_type"), Mark::Lacks("/hook_event_name")]],
    hints: &[],
    lent: false,
    fields: Fields {
        event: &["/event_type"],
        cwd: &["/working_dir"],
        mode: &[],
        result: &["/tool_response", "/tool_output"],
        prompt: &["/message"],
        ..Fields::CLAUDE
    },
    events: &[
        Event::new("PreToolUse", Moment::BeforeTool, decision),
        Event::new("PostToolUse", Moment::AfterTool, reply::nothing),
        Event::new("UserPromptSubmit", Moment::Prompt, reply::nothing),
    ],
    other_events: &["SessionStart", "SessionEnd", "Stop", "Notification"],
    tools: &[
        Tool::own("terminal"),
        Tool::own("execute_bash"),
        Tool::own("file_editor"),
        Tool::own("str_replace_editor"),
        Tool::own("apply_patch"),
        Tool::own("glob"),
        Tool::own("grep"),
        Tool::own("think"),
        Tool::own("finish"),
        Tool::alias("task_tracker", "todo_write"),
        Tool::alias("browser_navigate", "web_fetch"),
    ],
    servers: Servers::Unmarked,
    plan_modes: &[],
    root_variables: &["OPENHANDS_PROJECT_DIR"],
    install: INSTALL,
};

const INSTALL: Install = Install {
    afterwards: "in a project with hooks of its own only those run: install it there with `--project` too",
    ..Install::new(
        &[Trace::Program("openhands"), Trace::Path(Place::home(".openhands"))],
        &[
            Target::user(Place::home(HOOKS), Content::Entries(Entries::CLAUDE)),
            Target::project(HOOKS, Content::Entries(Entries::CLAUDE)),
        ],
    )
};

const HOOKS: &str = ".openhands/hooks.json";

fn decision(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Allow(_) => Reply::json(&json!({ "decision": "allow" })),
        _ => reply::flat_deny(saying),
    }
}
