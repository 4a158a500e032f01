//! Kiro, once Amazon Q: on the command line and as an editor. It reads nothing but the exit code.

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Form, Install, Literal, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "kiro",
    title: "Kiro",
    marks: &[],
    hints: &[
        &[
            Mark::Has("/hook_event_name"),
            Mark::OneOf(
                "/tool_name",
                &["execute_bash", "execute_cmd", "fs_read", "fs_write", "use_aws"],
            ),
        ],
        &[
            Mark::OneOf("/hook_event_name", &["preToolUse", "postToolUse", "userPromptSubmit"]),
            Mark::Lacks("/conversation_id"),
        ],
    ],
    lent: false,
    fields: Fields::CLAUDE,
    events: &[
        Event::new("PreToolUse", Moment::BeforeTool, reply::exit_code),
        Event::new("PostToolUse", Moment::AfterTool, reply::nothing),
        Event::new("UserPromptSubmit", Moment::Prompt, reply::nothing),
        Event::new("PromptSubmit", Moment::Prompt, reply::nothing),
    ],
    other_events: &[
        "AgentSpawn",
        "Stop",
        "PostFileCreate",
        "PostFileSave",
        "PostFileDelete",
        "Manual",
    ],
    tools: &[
        Tool::own("execute_bash"),
        Tool::alias("execute_cmd", "bash"),
        Tool::alias("fs_read", "read_file")
            .each(&["operations"], "path")
            .renaming(&[("image_paths", "paths")]),
        Tool::own("read").each(&["operations"], "path").renaming(&[("image_paths", "paths")]),
        Tool::alias("fs_write", "write_file").each(&["operations"], "path"),
        Tool::own("write").each(&["operations"], "path"),
    ],
    servers: Servers::Prefixed("@", Some('/')),
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    afterwards: "version 2 of its command line keeps hooks in each agent's own file, where they have to be added by hand",
    ..Install::new(
        &[Trace::Program("kiro-cli"), Trace::Program("kiro"), Trace::Path(own(""))],
        &[
            Target::user(own("hooks/portcullis.json"), ENTRIES),
            Target::project(".kiro/hooks/portcullis.json", ENTRIES),
        ],
    )
};

const ENTRIES: Content = Content::Entries(Entries {
    form: Form::Triggers,
    members: &[("type", Literal::Text("command")), ("enabled", Literal::Flag(true))],
    heads: &[(&["version"], Literal::Text("v1"))],
    events: Some(&["PreToolUse", "PostToolUse", "UserPromptSubmit"]),
    ..Entries::CLAUDE
});

const fn own(file: &'static str) -> Place {
    Place::variable("KIRO_HOME", ".kiro", file)
}
