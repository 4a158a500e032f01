//! Cline, in editors and on the command line. It must be answered, and knows no answer that asks.

use serde_json::json;

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply::{Reply, Saying, Word},
    table::{Base, Content, Install, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "cline",
    title: "Cline",
    marks: &[
        &[Mark::Has("/hookName"), Mark::Has("/preToolUse")],
        &[Mark::Has("/hookName"), Mark::Has("/clineVersion")],
    ],
    hints: &[],
    lent: false,
    fields: Fields {
        event: &["/hookName"],
        tool: &[
            "/preToolUse/toolName",
            "/preToolUse/tool",
            "/postToolUse/toolName",
            "/postToolUse/tool",
        ],
        input: &["/preToolUse/parameters", "/postToolUse/parameters"],
        cwd: &[],
        roots: &["/workspaceRoots"],
        session: &["/taskId"],
        call: &["/timestamp"],
        mode: &[],
        result: &["/postToolUse/result"],
        prompt: &["/userPromptSubmit/prompt", "/prompt"],
    },
    events: &[
        Event::new("PreToolUse", Moment::BeforeTool, answer),
        // What the command line calls it. A call that is cancelled ends its whole run there, with nothing said to anybody.
        Event::new("tool_call", Moment::BeforeTool, told_instead)
            .marked(&[Mark::Is("/tool_call/name", "run_commands")]),
        Event::new("tool_call", Moment::BeforeTool, answer),
        Event::new("PostToolUse", Moment::AfterTool, answer),
        Event::new("tool_result", Moment::AfterTool, answer),
        Event::new("UserPromptSubmit", Moment::Prompt, answer),
        Event::new("prompt_submit", Moment::Prompt, answer),
    ],
    other_events: &[
        "TaskStart",
        "TaskResume",
        "TaskCancel",
        "TaskComplete",
        "TaskError",
        "PreCompact",
        "agent_start",
        "agent_resume",
        "agent_abort",
        "agent_end",
        "agent_error",
        "session_shutdown",
    ],
    tools: &[
        Tool::own("execute_command"),
        Tool::alias("run_commands", "bash").each(&["commands"], "command"),
        Tool::own("read_file"),
        Tool::alias("read_files", "read_many_files").each(&["files", "paths"], "path"),
        Tool::own("write_to_file"),
        Tool::own("replace_in_file"),
        Tool::alias("editor", "edit_file"),
        Tool::own("apply_patch").renaming(&[("input", "patch")]),
        Tool::own("search_files"),
        Tool::alias("search_codebase", "codebase_search"),
        Tool::own("list_files"),
        Tool::of_server("use_mcp_tool", "server_name", "tool_name", "arguments"),
        Tool::alias("browser_action", "web_fetch").given("url"),
        Tool::own("browser_action"),
        Tool::own("web_fetch"),
    ],
    servers: Servers::Unmarked,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    afterwards: "hooks have to be switched on in Cline's settings",
    ..Install::new(
        &[
            Trace::Program("cline"),
            Trace::Path(Place::home(".cline")),
            Trace::Beginning(Place::home(".vscode/extensions"), "saoudrizwan.claude-dev"),
        ],
        &[
            Target::user(documents("Cline/Hooks/PreToolUse"), BEFORE),
            Target::user(documents("Cline/Hooks/PostToolUse"), AFTER),
            Target::user(documents("Cline/Hooks/UserPromptSubmit"), PROMPT),
            // Wherever the documents are, its command line looks here.
            Target::user(Place::home("Documents/Cline/Hooks/PreToolUse"), BEFORE)
                .only_with(COMMAND_LINE),
            Target::user(Place::home("Documents/Cline/Hooks/PostToolUse"), AFTER)
                .only_with(COMMAND_LINE),
            Target::user(Place::home("Documents/Cline/Hooks/UserPromptSubmit"), PROMPT)
                .only_with(COMMAND_LINE),
            // It runs every hook that it finds, so that each call would be judged twice.
            Target::user(Place::home(".cline/hooks/PreToolUse"), BEFORE).former(),
            Target::user(Place::home(".cline/hooks/PostToolUse"), AFTER).former(),
            Target::user(Place::home(".cline/hooks/UserPromptSubmit"), PROMPT).former(),
            Target::project(".clinerules/hooks/PreToolUse", BEFORE),
            Target::project(".clinerules/hooks/PostToolUse", AFTER),
            Target::project(".clinerules/hooks/UserPromptSubmit", PROMPT),
        ],
    )
};

const BEFORE: Content = Content::Script("PreToolUse");
const AFTER: Content = Content::Script("PostToolUse");
const PROMPT: Content = Content::Script("UserPromptSubmit");

const COMMAND_LINE: Trace = Trace::Path(Place::home(".cline"));

const fn documents(path: &'static str) -> Place {
    Place { base: Base::Documents, path }
}

fn answer(saying: &Saying<'_>) -> Reply {
    Reply::json(&match saying.word {
        Word::Nothing | Word::Allow(_) => json!({ "cancel": false }),
        Word::Note(note) => json!({ "cancel": false, "contextModification": note }),
        Word::Ask(reason) | Word::Deny(reason) => json!({
            "cancel": true,
            "errorMessage": reason,
            "contextModification": reason,
        }),
    })
}

/// Where its command line would run a command that is denied, it runs one that says why and fails: so the model reads the reason, the
/// person sees it, and the run goes on. Every version that names the event so takes the arguments of a hook in the place of the model's.
fn told_instead(saying: &Saying<'_>) -> Reply {
    let (Word::Ask(reason) | Word::Deny(reason)) = saying.word else { return answer(saying) };
    if cfg!(windows) {
        return answer(saying);
    }
    // No shell finds a word of its own in this, whatever the reason quotes.
    let plain =
        |letter: char| letter.is_alphanumeric() || " .,:;/_-=@%+()`~*?<>|&\"[]{}#".contains(letter);
    let said: String =
        reason.chars().map(|letter| if plain(letter) { letter } else { ' ' }).collect();
    let command = format!("printf '%s\\n' '{said}' >&2; exit 1");
    Reply::json(&json!({
        "cancel": false,
        "overrideInput": { "commands": [command] },
        "contextModification": reason,
    }))
}
