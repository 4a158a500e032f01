//! Muse. It takes Claude Code's format and clears the environment. That it asks when an answer says so is not documented,
//! so what would ask is denied.

use super::claude;
use crate::agents::{
    agent::{Agent, Event, Fields, Moment, Servers},
    reply,
    table::{Install, Place, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "muse",
    title: "Muse",
    marks: &[],
    hints: &[],
    lent: false,
    fields: Fields::CLAUDE,
    events: &[Event::new("PreToolUse", Moment::BeforeTool, reply::denial_alone)],
    other_events: claude::OTHER_EVENTS,
    tools: &[],
    servers: Servers::Doubled,
    plan_modes: &["plan"],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    traces: &[Trace::Program("muse"), Trace::Path(Place::configuration("muse"))],
    missing: Some("the form of its settings is not known here"),
    ..Install::NONE
};
