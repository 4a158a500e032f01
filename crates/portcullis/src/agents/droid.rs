//! Factory's Droid. It takes Claude Code's format, with modes and tools of its own.

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Install, Literal, Place, Switch, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "droid",
    title: "Droid",
    marks: &[
        &[Mark::OneOf("/permission_mode", MODES)],
        &[Mark::OneOf("/permissionMode", MODES), Mark::Lacks("/workspaceRoot")],
    ],
    hints: &[&[Mark::Is("/tool_name", "Execute")]],
    lent: false,
    fields: Fields {
        event: &["/hook_event_name", "/hookEventName"],
        tool: &["/tool_name", "/toolName"],
        input: &["/tool_input", "/toolInput"],
        session: &["/session_id", "/sessionId"],
        mode: &["/permission_mode", "/permissionMode"],
        result: &["/tool_response", "/toolResponse"],
        ..Fields::CLAUDE
    },
    events: &[
        // `droid exec` takes an answer that asks for consent in every mode, and no payload tells it from the rest.
        Event::new("PreToolUse", Moment::BeforeTool, reply::permission_decision),
        Event::new("PostToolUse", Moment::AfterTool, reply::feedback),
        Event::new("UserPromptSubmit", Moment::Prompt, reply::feedback),
    ],
    other_events: &[
        "SessionStart",
        "SessionEnd",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "Notification",
    ],
    tools: &[
        Tool::alias("Execute", "bash"),
        Tool::own("Read"),
        Tool::alias("Create", "create_file"),
        Tool::own("Edit"),
        Tool::own("ApplyPatch").renaming(&[("input", "patch")]),
        Tool::own("LS").renaming(&[("directory_path", "path")]),
        Tool::own("Glob").renaming(&[("folder", "path")]),
    ],
    servers: Servers::Doubled,
    plan_modes: &["spec"],
    root_variables: &["FACTORY_PROJECT_DIR"],
    install: INSTALL,
};

const INSTALL: Install = Install {
    switches: &[
        Switch::is(Place::home(SETTINGS), &["hooksDisabled"], Literal::Flag(true)),
        Switch::is(Place::project(SETTINGS), &["hooksDisabled"], Literal::Flag(true)),
    ],
    afterwards: "Droid takes changed hooks when it is started again, or when you review them with `/hooks`",
    ..Install::new(
        &[Trace::Program("droid"), Trace::Path(Place::home(".factory"))],
        // Hooks in the settings count only where there is no file for hooks.
        &[
            Target::user(Place::home(HOOKS), TOP).only_with(Trace::Path(Place::home(HOOKS))),
            Target::user(Place::home(SETTINGS), Content::Entries(Entries::CLAUDE))
                .only_without(Trace::Path(Place::home(HOOKS))),
            Target::project(HOOKS, TOP).only_with(Trace::Path(Place::project(HOOKS))),
            Target::project(SETTINGS, Content::Entries(Entries::CLAUDE))
                .only_without(Trace::Path(Place::project(HOOKS))),
        ],
    )
};

const HOOKS: &str = ".factory/hooks.json";
const SETTINGS: &str = ".factory/settings.json";

/// In the file for hooks alone the events stand at the top.
const TOP: Content = Content::Entries(Entries { root: &[], ..Entries::CLAUDE });

/// The modes that no other agent has.
const MODES: &[&str] = &["off", "spec", "auto-low", "auto-medium", "auto-high"];
