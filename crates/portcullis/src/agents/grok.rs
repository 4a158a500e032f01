//! Grok CLI. It runs Claude Code's hooks with payloads of its own, and takes Claude Code's answers.

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Install, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "grok",
    title: "Grok",
    marks: &[
        &[Mark::Has("/hookEventName"), Mark::Has("/workspaceRoot")],
        &[Mark::OneOf("/hookEventName", &["pre_tool_use", "post_tool_use", "user_prompt_submit"])],
    ],
    hints: &[],
    lent: false,
    fields: Fields {
        event: &["/hookEventName", "/hook_event_name"],
        tool: &["/toolName", "/tool_name"],
        input: &["/toolInput", "/tool_input"],
        cwd: &["/cwd", "/workspaceRoot"],
        roots: &[],
        session: &["/sessionId", "/session_id"],
        call: &["/toolUseId", "/tool_use_id"],
        mode: &["/permissionMode", "/permission_mode"],
        result: &["/toolResponse", "/toolResult", "/tool_response"],
        prompt: &["/prompt"],
    },
    events: &[
        // With `--always-approve` it takes an answer that asks for consent; then it names another mode.
        Event::new("PreToolUse", Moment::BeforeTool, reply::permission_decision)
            .asking_where(&[Mark::Is("/permissionMode", "default")]),
        Event::new("PostToolUse", Moment::AfterTool, reply::nothing),
        Event::new("UserPromptSubmit", Moment::Prompt, reply::nothing),
    ],
    other_events: &[
        "SessionStart",
        "SessionEnd",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "Notification",
    ],
    tools: &[Tool::alias("run_terminal_command", "bash")],
    servers: Servers::Doubled,
    plan_modes: &["plan"],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install::new(
    &[Trace::Program("grok"), Trace::Path(Place::home(".grok"))],
    &[Target::user(Place::home(HOOKS), ENTRIES), Target::project(HOOKS, ENTRIES)],
);

const HOOKS: &str = ".grok/hooks/portcullis.json";
const ENTRIES: Content = Content::Entries(Entries { matcher: None, ..Entries::CLAUDE });
