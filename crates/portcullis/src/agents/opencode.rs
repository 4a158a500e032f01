//! OpenCode. Our plugin runs before each of its tools; it can stop one, and ask nobody.

use crate::agents::{
    agent::{Agent, Servers, Tool},
    plugin,
    table::{Content, Install, Place, Plugin, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    marks: &[&plugin::marks("opencode")],
    hints: &[],
    lent: false,
    fields: plugin::FIELDS,
    events: plugin::EVENTS,
    other_events: &[],
    tools: TOOLS,
    servers: Servers::Unmarked,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

/// Its tools, which Kilo took over.
pub(super) const TOOLS: &[Tool] = &[
    Tool::own("bash").running_in(&["workdir"]),
    Tool::own("read"),
    Tool::own("write"),
    Tool::own("edit"),
    Tool::alias("multiedit", "multi_edit"),
    Tool::own("apply_patch").renaming(&[("patchText", "patch")]),
    Tool::own("patch").renaming(&[("patchText", "patch")]),
    Tool::own("glob"),
    Tool::own("grep"),
    Tool::alias("list", "list_files"),
    Tool::alias("webfetch", "web_fetch"),
    Tool::alias("websearch", "web_search"),
    Tool::own("task"),
    Tool::alias("todowrite", "todo_write"),
    Tool::alias("todoread", "todo_read"),
];

const INSTALL: Install = Install {
    afterwards: "OpenCode loads plugins when it starts, and none with `--pure`",
    ..Install::new(
        &[Trace::Program("opencode"), Trace::Path(Place::configuration("opencode"))],
        &[
            Target::user(Place::configuration("opencode/plugins/portcullis.js"), PLUGIN),
            Target::project(".opencode/plugins/portcullis.js", PLUGIN),
        ],
    )
};

pub(super) const PLUGIN: Content = Content::Plugin(Plugin {
    source: include_str!("opencode.js"),
    harness: include_str!("opencode.play.js"),
});
