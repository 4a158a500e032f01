//! Codex. It takes Claude Code's format, and lets a call run when it does not understand the answer: one that asks, an empty
//! reason, a field too many.

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Install, Literal, Place, Switch, Target, Trace, Trust},
};

pub(super) static AGENT: Agent = Agent {
    name: "codex",
    title: "Codex",
    marks: &[&[Mark::Has("/turn_id"), Mark::Has("/hook_event_name")]],
    hints: &[],
    lent: false,
    fields: Fields::CLAUDE,
    events: &[
        Event::new("PreToolUse", Moment::BeforeTool, reply::denial_alone),
        Event::new("PermissionRequest", Moment::Permission, reply::permission_request).asking(),
        Event::new("PostToolUse", Moment::AfterTool, reply::feedback),
        Event::new("UserPromptSubmit", Moment::Prompt, reply::prompt_feedback),
    ],
    other_events: &[
        "SessionStart",
        "SessionEnd",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "PreModelRequest",
        "PostModelRequest",
    ],
    tools: &[Tool::own("apply_patch").renaming(&[("command", "patch")])],
    servers: Servers::Doubled,
    plan_modes: &["plan"],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    switches: &[
        Switch::is(own("config.toml"), &["features", "hooks"], Literal::Flag(false)),
        Switch::is(
            Place::project(".codex/config.toml"),
            &["features", "hooks"],
            Literal::Flag(false),
        ),
        Switch::is(
            Place::system("etc/codex/requirements.toml"),
            &["allow_managed_hooks_only"],
            Literal::Flag(true),
        ),
    ],
    trust: Some(Trust::Codex(own("config.toml"))),
    afterwards: "Codex skips new and changed hooks until you trust them: type `/hooks` in Codex",
    ..Install::new(
        &[Trace::Program("codex"), Trace::Path(own(""))],
        &[
            Target::user(own("hooks.json"), Content::Entries(Entries::CLAUDE)),
            Target::project(".codex/hooks.json", Content::Entries(Entries::CLAUDE)),
        ],
    )
};

const fn own(file: &'static str) -> Place {
    Place::variable("CODEX_HOME", ".codex", file)
}
