//! Reasonix. It reads nothing but the exit code.

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers},
    reply,
    table::{Content, Entries, Form, Install, Place, Target, Trace},
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
        result: &["/toolResult"],
        ..Fields::CLAUDE
    },
    events: &[
        Event::new("PreToolUse", Moment::BeforeTool, reply::exit_code),
        Event::new("PostToolUse", Moment::AfterTool, reply::nothing),
    ],
    other_events: &["PostToolUseFailure", "UserPromptSubmit", "Stop", "StopFailure", "PreCompact"],
    tools: &[],
    servers: Servers::Doubled,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install::new(
    &[Trace::Program("reasonix"), Trace::Path(own(""))],
    &[
        Target::user(own("settings.json"), ENTRIES),
        Target::project(".reasonix/settings.json", ENTRIES),
    ],
);

/// Its time limit is in milliseconds, and a hook without a `match` is for every tool.
const ENTRIES: Content = Content::Entries(Entries {
    form: Form::Hooks,
    timeout: Some(("timeout", 5000)),
    members: &[],
    matcher: None,
    ..Entries::CLAUDE
});

const fn own(file: &'static str) -> Place {
    Place::variable("REASONIX_HOME", ".reasonix", file)
}
