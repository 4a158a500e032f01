//! Qwen Code. It comes from Gemini CLI and takes Claude Code's format.

use super::{claude, gemini};
use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Install, Literal, Place, Switch, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "qwen",
    title: "Qwen Code",
    marks: &[],
    hints: &[&[
        Mark::Is("/tool_name", "run_shell_command"),
        Mark::OneOf("/hook_event_name", &["PreToolUse", "PermissionRequest", "PostToolUse"]),
        Mark::Lacks("/turn_id"),
    ]],
    lent: false,
    fields: Fields::CLAUDE,
    events: &claude::events(
        Event::new("PreToolUse", Moment::BeforeTool, reply::permission_decision).asking_where(&[
            Mark::OneOf("/permission_mode", &["default", "auto-edit", "auto_edit", "plan"]),
        ]),
    ),
    other_events: claude::OTHER_EVENTS,
    tools: &[
        Tool::alias("run_shell_command", "bash").running_in(&["directory"]),
        Tool::own("write_file"),
        Tool::own("edit"),
        Tool::own("web_fetch").found(gemini::addresses),
    ],
    servers: Servers::Doubled,
    plan_modes: &["plan"],
    root_variables: &["QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    install: INSTALL,
};

const INSTALL: Install = Install {
    switches: &[
        Switch::is(Place::home(SETTINGS), &["disableAllHooks"], Literal::Flag(true)),
        Switch::is(Place::project(SETTINGS), &["disableAllHooks"], Literal::Flag(true)),
        Switch::is(Place::home(SETTINGS), &["hooksConfig", "enabled"], Literal::Flag(false)),
    ],
    ..Install::new(
        &[Trace::Program("qwen"), Trace::Path(Place::home(SETTINGS))],
        &[Target::user(Place::home(SETTINGS), ENTRIES), Target::project(SETTINGS, ENTRIES)],
    )
};

const SETTINGS: &str = ".qwen/settings.json";

/// The unit of its time limit is not documented, so its own limit stands.
const ENTRIES: Content = Content::Entries(Entries { timeout: None, ..Entries::CLAUDE });
