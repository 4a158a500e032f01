//! Continue's command line. It reads hooks in Claude Code's format, and runs none of them before a tool.

use super::claude;
use crate::agents::{
    agent::{Agent, Event, Fields, Moment, Servers},
    reply,
    table::{Install, Place, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "continue",
    title: "Continue",
    marks: &[],
    hints: &[],
    lent: false,
    fields: Fields::CLAUDE,
    events: &[Event::new("PreToolUse", Moment::BeforeTool, reply::denial_alone)],
    other_events: claude::OTHER_EVENTS,
    tools: &[],
    servers: Servers::Doubled,
    plan_modes: &["plan"],
    root_variables: &["CONTINUE_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    install: INSTALL,
};

const INSTALL: Install = Install {
    traces: &[Trace::Program("cn"), Trace::Path(Place::home(".continue"))],
    missing: Some(
        "its command line reads hooks and runs none before a tool (seen with 1.5.47): its own permissions are all that holds it",
    ),
    ..Install::NONE
};
