//! Reasonix. It reads nothing but the exit code.

use crate::{
    hook::{
        agent::{Agent, Event, Fields, Mark, Moment, Servers},
        reply,
    },
    install::table::{Install, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "reasonix",
    title: "Reasonix",
    marks: &[&[Mark::Has("/event"), Mark::Has("/toolArgs")]],
    hints: &[],
    lent: false,
    fields: Fields {
        event: &["/event"],
        tool: &["/toolName"],
        input: &["/toolArgs"],
        session: &["/sessionId"],
        ..Fields::CLAUDE
    },
    events: &[Event::new("PreToolUse", Moment::BeforeTool, reply::exit_code)],
    other_events: &["PostToolUse", "UserPromptSubmit", "Stop"],
    tools: &[],
    servers: Servers::Doubled,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    traces: &[Trace::Program("reasonix")],
    missing: Some("where its settings lie is not known here"),
    ..Install::NONE
};
