//! Amp. Our plugin runs before each of its tools, and asks in Amp's own dialog; Amp itself asks nobody.

use crate::agents::{
    agent::{Agent, Servers, Tool},
    plugin,
    table::{Content, Install, Place, Plugin, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "amp",
    title: "Amp",
    marks: &[&plugin::marks("amp")],
    hints: &[],
    lent: false,
    fields: plugin::FIELDS,
    events: plugin::EVENTS,
    other_events: &[],
    tools: &[
        Tool::own("shell_command").running_in(&["workdir"]),
        Tool::own("Bash").renaming(&[("cmd", "command")]).running_in(&["cwd"]),
        Tool::own("apply_patch").renaming(&[("patchText", "patch")]),
        Tool::own("create_file"),
        Tool::own("edit_file"),
        Tool::alias("upload_thread_file", "read_file"),
        Tool::alias("download_thread_file", "write_file").renaming(&[("destination", "path")]),
        Tool::alias("read_web_page", "web_fetch"),
    ],
    servers: Servers::Doubled,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    afterwards: "start Amp again or run `plugins: reload` in it; `PLUGINS=off` turns all of them off",
    ..Install::new(
        &[Trace::Program("amp"), Trace::Path(Place::configuration("amp"))],
        &[
            Target::user(Place::configuration("amp/plugins/portcullis.js"), PLUGIN),
            Target::project(".amp/plugins/portcullis.js", PLUGIN),
        ],
    )
};

const PLUGIN: Content = Content::Plugin(Plugin {
    source: include_str!("amp.js"),
    harness: include_str!("amp.play.js"),
});
