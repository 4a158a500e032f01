//! Kilo's command line. It comes from OpenCode, and runs the same plugin from directories of its own.

use super::opencode;
use crate::agents::{
    agent::{Agent, Servers},
    plugin,
    table::{Install, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "kilo",
    title: "Kilo",
    marks: &[&plugin::marks("kilo")],
    hints: &[],
    lent: false,
    fields: plugin::FIELDS,
    events: plugin::EVENTS,
    other_events: &[],
    tools: opencode::TOOLS,
    servers: Servers::Unmarked,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    afterwards: "Kilo loads plugins when it starts, and none with `--pure`",
    ..Install::new(
        &[Trace::Program("kilo"), Trace::Path(Place::configuration("kilo"))],
        &[
            Target::user(Place::configuration("kilo/plugin/portcullis.js"), opencode::PLUGIN),
            Target::project(".kilo/plugin/portcullis.js", opencode::PLUGIN),
        ],
    )
};
