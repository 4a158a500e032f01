//! Crush. It has Claude Code's arguments under an event field of its own, and no answer that asks.

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Form, Install, Literal, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "crush",
    title: "Crush",
    marks: &[&[Mark::Has("/event"), Mark::Has("/tool_input"), Mark::Lacks("/hook_event_name")]],
    hints: &[],
    lent: false,
    fields: Fields { event: &["/event"], ..Fields::CLAUDE },
    events: &[Event::new("PreToolUse", Moment::BeforeTool, reply::flat_deny)],
    other_events: &[],
    tools: &[
        Tool::own("bash").running_in(&["working_dir"]),
        Tool::own("view"),
        Tool::own("edit"),
        Tool::own("write"),
        Tool::alias("multiedit", "multi_edit"),
        // It fetches, and writes what it fetched.
        Tool::alias("download", "web_fetch").given("url"),
        Tool::alias("download", "write_file"),
    ],
    servers: Servers::Prefixed("mcp_", Some('_')),
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install::new(
    &[Trace::Program("crush"), Trace::Path(Place::configuration("crush"))],
    &[
        Target::user(Place::configuration("crush/crush.json"), ENTRIES),
        Target::project("crush.json", ENTRIES),
    ],
);

/// The unit of its time limit is not documented, so its own limit stands.
const ENTRIES: Content = Content::Entries(Entries {
    form: Form::Hooks,
    timeout: None,
    members: &[("name", Literal::Text("portcullis"))],
    matcher: Some(".*"),
    ..Entries::CLAUDE
});
