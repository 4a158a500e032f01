//! Cursor, the editor and its command line. Its answers are flat. One that asks was seen to be ignored, so such a call is
//! denied. The model reads what is said to the user, so both are told the reason.

use serde_json::json;

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply::{Reply, Saying, Word},
    table::{Content, Entries, Form, Install, Literal, Lost, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    marks: &[
        &[Mark::Has("/cursor_version")],
        &[Mark::Has("/conversation_id"), Mark::Has("/generation_id")],
    ],
    hints: &[],
    lent: false,
    fields: Fields {
        roots: &["/workspace_roots"],
        session: &["/conversation_id", "/session_id"],
        result: &["/tool_output", "/result_json"],
        ..Fields::CLAUDE
    },
    events: &[
        Event::new("preToolUse", Moment::BeforeTool, permission),
        Event::new("beforeShellExecution", Moment::BeforeTool, permission)
            .about("Shell", "")
            .only(&["command"]),
        Event::new("beforeMCPExecution", Moment::BeforeTool, permission).about_server(
            None,
            "/tool_name",
            "/tool_input",
        ),
        Event::new("beforeReadFile", Moment::BeforeTool, permission)
            .about("Read", "")
            .only(&["file_path"]),
        Event::new("postToolUse", Moment::AfterTool, added),
        Event::new("beforeSubmitPrompt", Moment::Prompt, prompt),
    ],
    other_events: &[
        "sessionStart",
        "sessionEnd",
        "postToolUseFailure",
        "subagentStart",
        "subagentStop",
        "afterShellExecution",
        "afterMCPExecution",
        "afterFileEdit",
        "preCompact",
        "stop",
        "afterAgentResponse",
        "afterAgentThought",
        "beforeTabFileRead",
        "afterTabFileEdit",
        "workspaceOpen",
    ],
    tools: &[
        Tool::alias("Shell", "bash").running_in(&["cwd", "working_directory"]),
        Tool::own("Read"),
        Tool::own("Write"),
        Tool::alias("Delete", "delete_file"),
        Tool::own("Grep"),
        Tool::alias("List", "list_files"),
    ],
    servers: Servers::Prefixed("MCP:", None),
    plan_modes: &["plan"],
    root_variables: &["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    install: INSTALL,
};

const INSTALL: Install = Install {
    afterwards: "Cursor reads its hooks when it starts; its settings show them under Hooks",
    ..Install::new(
        &[
            Trace::Program("cursor"),
            Trace::Program("cursor-agent"),
            Trace::Path(Place::home(".cursor")),
        ],
        &[
            Target::user(Place::home(".cursor/hooks.json"), ENTRIES),
            Target::project(".cursor/hooks.json", ENTRIES),
        ],
    )
};

/// A shell command fires an event of its own beside the one for every tool; one of the two is enough.
const ENTRIES: Content = Content::Entries(Entries {
    root: &["hooks"],
    form: Form::Hooks,
    timeout: Some(("timeout", 5)),
    command: "command",
    before: &[],
    members: &[],
    matcher: Some("*"),
    heads: &[(&["version"], Literal::Number(1))],
    events: Some(&["preToolUse", "postToolUse", "beforeSubmitPrompt"]),
    lost: Lost::Exit,
});

fn permission(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Nothing | Word::Note(_) => Reply::silent(),
        Word::Allow(_) => Reply::json(&json!({ "permission": "allow" })),
        Word::Ask(reason) | Word::Deny(reason) => Reply::json(&json!({
            "permission": "deny",
            "user_message": reason,
            "agent_message": reason,
        })),
    }
}

fn added(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Nothing | Word::Allow(_) => Reply::silent(),
        Word::Ask(words) | Word::Deny(words) | Word::Note(words) => {
            Reply::json(&json!({ "additional_context": words }))
        }
    }
}

fn prompt(saying: &Saying<'_>) -> Reply {
    match saying.word {
        Word::Nothing | Word::Allow(_) => Reply::silent(),
        Word::Note(note) => Reply::json(&json!({ "continue": true, "user_message": note })),
        Word::Ask(reason) | Word::Deny(reason) => {
            Reply::json(&json!({ "continue": false, "user_message": reason }))
        }
    }
}
