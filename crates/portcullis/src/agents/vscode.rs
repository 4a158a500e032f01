//! GitHub Copilot in Visual Studio Code, and its command line with hooks under PascalCase names. It takes Claude Code's
//! format, and Claude Code's own hooks.

use super::claude;
use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Form, Install, Literal, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "vscode",
    title: "GitHub Copilot in VS Code",
    marks: &[],
    hints: &[&[
        Mark::Has("/hook_event_name"),
        Mark::OneOf("/tool_name", NAMES),
        Mark::Lacks("/turn_id"),
    ]],
    lent: false,
    fields: Fields::CLAUDE,
    // It shows an answer that asks whatever is approved by itself, as its source has it.
    events: &claude::events(
        Event::new("PreToolUse", Moment::BeforeTool, reply::permission_decision).asking(),
    ),
    other_events: claude::OTHER_EVENTS,
    tools: &[
        Tool::alias("runTerminalCommand", "bash"),
        Tool::alias("run_in_terminal", "bash"),
        Tool::own("readFile"),
        Tool::own("createFile"),
        Tool::own("createDirectory"),
        Tool::alias("replaceString", "edit_file"),
        Tool::own("replace_string_in_file"),
        Tool::alias("multi_replace_string_in_file", "edit_file").each(&["replacements"], "path"),
        Tool::own("insert_edit_into_file").renaming(&[("code", "content")]),
        Tool::alias("editFiles", "edit_file").each(&["files"], "path"),
        Tool::own("grepSearch"),
        Tool::own("fileSearch"),
        Tool::alias("semantic_search", "codebase_search"),
        Tool::alias("fetch_webpage", "web_fetch").each(&["urls"], "url"),
        Tool::alias("fetchWebpage", "web_fetch").each(&["urls"], "url"),
        // Those of the command line.
        Tool::own("view"),
        Tool::alias("create", "create_file"),
        Tool::alias("ask_user", "ask_user_question"),
        Tool::alias("write_bash", "bash").renaming(&[("input", "command")]),
    ],
    servers: Servers::Prefixed("mcp_", Some('_')),
    plan_modes: &["plan"],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install::new(
    &[Trace::Beginning(Place::home(".vscode/extensions"), "github.copilot")],
    &[
        Target::user(Place::home(".copilot/hooks/portcullis-vscode.json"), ENTRIES),
        Target::project(".github/hooks/portcullis-vscode.json", ENTRIES),
    ],
);

const ENTRIES: Content = Content::Entries(Entries {
    form: Form::Hooks,
    matcher: None,
    heads: &[(&["version"], Literal::Number(1))],
    events: Some(&["PreToolUse", "PostToolUse", "UserPromptSubmit"]),
    ..Entries::CLAUDE
});

/// The tools that no other agent of this format has.
const NAMES: &[&str] = &[
    "runTerminalCommand",
    "run_in_terminal",
    "readFile",
    "createFile",
    "create_file",
    "createDirectory",
    "create_directory",
    "replaceString",
    "replace_string_in_file",
    "multi_replace_string_in_file",
    "insert_edit_into_file",
    "editFiles",
    "grepSearch",
    "fileSearch",
    "semantic_search",
    "fetch_webpage",
    "bash",
    "powershell",
    "view",
    "create",
    "ask_user",
];
