//! Pi. Our extension runs before each of its tools.

use crate::agents::{
    agent::{Agent, Servers, Tool},
    plugin,
    table::{Content, Install, Place, Plugin, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "pi",
    title: "Pi",
    marks: &[&plugin::marks("pi")],
    hints: &[],
    lent: false,
    fields: plugin::FIELDS,
    events: plugin::EVENTS,
    other_events: &[],
    tools: &[
        Tool::own("bash"),
        Tool::own("read"),
        Tool::own("write"),
        Tool::own("edit"),
        Tool::own("grep"),
        Tool::alias("find", "find_files"),
        Tool::own("ls"),
    ],
    servers: Servers::Unmarked,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    afterwards: "start Pi again or type `/reload` in it",
    ..Install::new(
        &[Trace::Program("pi"), Trace::Path(Place::home(".pi"))],
        &[
            Target::user(
                Place::variable("PI_CODING_AGENT_DIR", ".pi/agent", "extensions/portcullis.ts"),
                PLUGIN,
            ),
            Target::project(".pi/extensions/portcullis.ts", PLUGIN),
        ],
    )
};

const PLUGIN: Content =
    Content::Plugin(Plugin { source: include_str!("pi.js"), harness: include_str!("pi.play.js") });
