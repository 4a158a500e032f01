//! GitHub Copilot's command line and cloud agent, with hooks under camelCase names. Their payloads name no event. Under
//! PascalCase names they are those of [`super::vscode`].

use serde_json::json;

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply::{self, Reply, Saying, Word},
    table::{Content, Entries, Form, Install, Literal, Lost, Place, Switch, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "copilot",
    title: "GitHub Copilot",
    marks: &[&[
        Mark::Has("/toolName"),
        Mark::Has("/toolArgs"),
        Mark::Has("/sessionId"),
        Mark::Lacks("/event"),
    ]],
    hints: &[],
    lent: true,
    fields: Fields {
        event: &[],
        tool: &["/toolName"],
        input: &["/toolArgs"],
        cwd: &["/cwd"],
        roots: &[],
        session: &["/sessionId"],
        call: &["/toolCallId", "/timestamp"],
        mode: &[],
        result: &["/toolResult"],
        prompt: &["/prompt"],
    },
    events: &[
        Event::new("preToolUse", Moment::BeforeTool, decision)
            .marked(&[Mark::Lacks("/toolResult"), Mark::Lacks("/prompt")])
            .asking(),
        Event::new("postToolUse", Moment::AfterTool, reply::nothing)
            .marked(&[Mark::Has("/toolName"), Mark::Has("/toolResult")]),
        Event::new("userPromptSubmitted", Moment::Prompt, reply::nothing).marked(&[
            Mark::Has("/prompt"),
            Mark::Lacks("/toolName"),
            Mark::Lacks("/toolArgs"),
        ]),
    ],
    other_events: &[],
    tools: &[
        Tool::own("bash"),
        Tool::own("powershell"),
        Tool::own("view"),
        Tool::alias("create", "create_file"),
        Tool::own("edit"),
        Tool::own("apply_patch").renaming(&[("input", "patch")]),
        Tool::own("glob"),
        Tool::own("grep"),
        Tool::own("web_fetch"),
        Tool::own("task"),
        Tool::alias("ask_user", "ask_user_question"),
        // What is typed into a shell that runs already.
        Tool::alias("write_bash", "bash").renaming(&[("input", "command")]),
        Tool::alias("write_powershell", "powershell").renaming(&[("input", "command")]),
    ],
    servers: Servers::Unmarked,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    switches: &[
        Switch::is(own("settings.json"), &["disableAllHooks"], Literal::Flag(true)),
        Switch::is(own("hooks/portcullis.json"), &["disableAllHooks"], Literal::Flag(true)),
        Switch::is(
            Place::project(".github/copilot/settings.json"),
            &["disableAllHooks"],
            Literal::Flag(true),
        ),
    ],
    ..Install::new(
        &[Trace::Program("copilot"), Trace::Path(own("config.json"))],
        &[
            Target::user(own("hooks/portcullis.json"), ENTRIES),
            Target::project(".github/hooks/portcullis.json", ENTRIES),
        ],
    )
};

const ENTRIES: Content = Content::Entries(Entries {
    form: Form::Hooks,
    command: "bash",
    timeout: Some(("timeoutSec", 5)),
    matcher: None,
    heads: &[(&["version"], Literal::Number(1))],
    lost: Lost::Answer,
    ..Entries::CLAUDE
});

const fn own(file: &'static str) -> Place {
    Place::variable("COPILOT_HOME", ".copilot", file)
}

fn decision(saying: &Saying<'_>) -> Reply {
    let decision = |decision: &str, reason: &str| {
        Reply::json(&json!({
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }))
    };
    match saying.word {
        Word::Nothing | Word::Note(_) => Reply::silent(),
        Word::Allow(reason) => decision("allow", reason),
        Word::Ask(reason) => decision("ask", reason),
        Word::Deny(reason) => decision("deny", reason),
    }
}
