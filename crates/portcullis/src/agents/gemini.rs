//! Gemini CLI. It has no answer that asks, and takes whatever is no JSON for "go on".

use serde_json::{Map, Value};

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Install, Literal, Place, Switch, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    marks: &[&[Mark::OneOf("/hook_event_name", &["BeforeTool", "AfterTool", "BeforeAgent"])]],
    hints: &[],
    lent: false,
    fields: Fields { result: &["/tool_response/llmContent", "/tool_response"], ..Fields::CLAUDE },
    events: &[
        Event::new("BeforeTool", Moment::BeforeTool, reply::flat_deny),
        Event::new("AfterTool", Moment::AfterTool, reply::added_context),
        Event::new("BeforeAgent", Moment::Prompt, reply::flat_deny),
    ],
    other_events: &[
        "AfterAgent",
        "BeforeModel",
        "AfterModel",
        "BeforeToolSelection",
        "SessionStart",
        "SessionEnd",
        "Notification",
        "PreCompress",
    ],
    tools: &[
        Tool::alias("run_shell_command", "bash").running_in(&["directory"]),
        Tool::own("write_file"),
        Tool::own("replace"),
        Tool::own("read_many_files").renaming(&[("include", "paths")]),
        Tool::own("web_fetch").found(addresses),
    ],
    servers: Servers::Prefixed("mcp_", Some('_')),
    plan_modes: &["plan"],
    root_variables: &["GEMINI_PROJECT_DIR", "GEMINI_CWD"],
    install: INSTALL,
};

const INSTALL: Install = Install {
    switches: &[
        Switch::is(Place::home(SETTINGS), &["hooksConfig", "enabled"], Literal::Flag(false)),
        Switch::is(Place::project(SETTINGS), &["hooksConfig", "enabled"], Literal::Flag(false)),
        Switch::is(
            Place::system("etc/gemini-cli/settings.json"),
            &["hooksConfig", "enabled"],
            Literal::Flag(false),
        ),
        Switch::names(Place::home(SETTINGS), &["hooksConfig", "disabled"]),
        Switch::names(Place::project(SETTINGS), &["hooksConfig", "disabled"]),
    ],
    afterwards: "sessions that are open go on without it until they are started again",
    ..Install::new(
        &[Trace::Program("gemini"), Trace::Path(Place::home(SETTINGS))],
        &[Target::user(Place::home(SETTINGS), ENTRIES), Target::project(SETTINGS, ENTRIES)],
    )
};

const SETTINGS: &str = ".gemini/settings.json";

/// Its time limit is in milliseconds.
const ENTRIES: Content = Content::Entries(Entries {
    timeout: Some(("timeout", 5000)),
    members: &[("name", Literal::Text("portcullis")), ("type", Literal::Text("command"))],
    ..Entries::CLAUDE
});

/// What is fetched is named in the prompt for it: a call for each address.
pub(super) fn addresses(arguments: &Map<String, Value>) -> Vec<Map<String, Value>> {
    let prompt = arguments.get("prompt").and_then(Value::as_str).unwrap_or_default();
    let named = arguments.get("url").cloned();
    let in_prompt = prompt.split_whitespace().filter_map(|word| {
        let at = word.find("://")?;
        let start = word.get(..at)?.rfind(|letter: char| !letter.is_ascii_alphanumeric());
        let start = start.map_or(0, |start| start + 1);
        let closing = [')', ']', '>', '"', '\'', '`', ',', ';', '.', '!', '?'];
        Some(Value::String(word.get(start..)?.trim_end_matches(closing).to_owned()))
    });
    let call = |address| Map::from_iter([("url".to_owned(), address)]);
    named.into_iter().chain(in_prompt).map(call).collect()
}
