//! Claude Code. Most agents took over its format, and some run its hooks.

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Install, Literal, Place, Switch, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    marks: &[],
    hints: &[],
    lent: true,
    fields: Fields::CLAUDE,
    events: EVENTS,
    other_events: OTHER_EVENTS,
    tools: &[
        Tool::own("Read"),
        Tool::own("Write"),
        Tool::own("Edit"),
        Tool::own("MultiEdit"),
        Tool::own("NotebookEdit"),
    ],
    servers: Servers::Doubled,
    plan_modes: &["plan"],
    root_variables: &["CLAUDE_PROJECT_DIR"],
    install: INSTALL,
};

const INSTALL: Install = Install {
    switches: &[
        Switch::is(settings("settings.json"), &["disableAllHooks"], Literal::Flag(true)),
        Switch::is(
            Place::project(".claude/settings.json"),
            &["disableAllHooks"],
            Literal::Flag(true),
        ),
        Switch::is(Place::project(SETTINGS_OF_PROJECT), &["disableAllHooks"], Literal::Flag(true)),
        Switch::is(MANAGED, &["disableAllHooks"], Literal::Flag(true)),
        Switch::is(MANAGED, &["allowManagedHooksOnly"], Literal::Flag(true)),
    ],
    afterwards: "sessions that are open go on without it until they are started again",
    ..Install::new(
        &[Trace::Program("claude"), Trace::Path(settings(""))],
        &[
            Target::user(settings("settings.json"), ENTRIES),
            Target::project(SETTINGS_OF_PROJECT, ENTRIES),
        ],
    )
};

/// A hook that fails or takes too long blocks where its version knows the word for that; others pass over it.
const ENTRIES: Content = Content::Entries(Entries {
    before: &[("onFailure", Literal::Text("block"))],
    ..Entries::CLAUDE
});

/// The settings that are not shared: the path of a program is one of this machine.
const SETTINGS_OF_PROJECT: &str = ".claude/settings.local.json";

const MANAGED: Place = Place::system(if cfg!(target_os = "macos") {
    "Library/Application Support/ClaudeCode/managed-settings.json"
} else {
    "etc/claude-code/managed-settings.json"
});

const fn settings(file: &'static str) -> Place {
    Place::variable("CLAUDE_CONFIG_DIR", ".claude", file)
}

/// The events of Claude Code. Where it bypasses permissions it takes an answer that asks for consent about some calls; in
/// modes that approve or deny by themselves nobody need be asked either.
const EVENTS: &[Event] = &events(
    Event::new("PreToolUse", Moment::BeforeTool, reply::permission_decision)
        .replacing()
        .asking_where(&[Mark::OneOf("/permission_mode", &["default", "acceptEdits", "plan"])]),
);

/// The events of Claude Code's format, with the one before a tool runs.
pub(super) const fn events(before: Event) -> [Event; 4] {
    [
        before,
        Event::new("PermissionRequest", Moment::Permission, reply::permission_request).asking(),
        Event::new("PostToolUse", Moment::AfterTool, reply::feedback),
        Event::new("UserPromptSubmit", Moment::Prompt, reply::prompt_feedback),
    ]
}

/// The events of Claude Code's format in which there is nothing to judge.
pub(super) const OTHER_EVENTS: &[&str] = &[
    "PermissionDenied",
    "PostToolUseFailure",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Notification",
    "Setup",
    "ConfigChange",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "WorktreeCreate",
    "WorktreeRemove",
    "Elicitation",
    "ElicitationResult",
    "MessageDisplay",
];
