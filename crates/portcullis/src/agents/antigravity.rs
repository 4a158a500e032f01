//! Google Antigravity, the editor and its command line. Its payloads name no event, and its answers are read strictly: each
//! must decide, and `allow` means what `ask` does.

use serde_json::json;

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply::{Reply, Saying, Word},
    table::{Content, Entries, Install, Literal, Lost, Place, Switch, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "antigravity",
    title: "Antigravity",
    marks: &[&[Mark::Has("/toolCall/name")]],
    hints: &[],
    lent: false,
    fields: Fields {
        event: &[],
        tool: &["/toolCall/name"],
        input: &["/toolCall/args"],
        cwd: &[],
        roots: &["/workspacePaths"],
        session: &["/conversationId"],
        call: &[],
        mode: &[],
        result: &[],
        prompt: &[],
    },
    events: &[Event::new("PreToolUse", Moment::BeforeTool, decision).asking()],
    other_events: &[],
    tools: &[
        Tool::alias("run_command", "bash")
            .renaming(&[("CommandLine", "command")])
            .running_in(&["Cwd"]),
        Tool::own("view_file").renaming(&[("AbsolutePath", "path")]),
        Tool::own("write_to_file").renaming(&[("TargetFile", "path"), ("CodeContent", "content")]),
        Tool::own("replace_file_content")
            .renaming(&[("TargetFile", "path"), ("ReplacementContent", "content")]),
        Tool::alias("multi_replace_file_content", "multi_edit")
            .renaming(&[("TargetFile", "path"), ("ReplacementChunks", "edits")]),
        Tool::own("list_dir").renaming(&[("DirectoryPath", "path")]),
        Tool::alias("find_by_name", "find_files").renaming(&[("SearchDirectory", "path")]),
        Tool::own("grep_search").renaming(&[("SearchPath", "path")]),
        Tool::alias("read_url_content", "web_fetch").renaming(&[("Url", "url")]),
        Tool::alias("search_web", "web_search"),
    ],
    servers: Servers::Unmarked,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install {
    switches: &[
        Switch::is(Place::home(HOOKS), &["portcullis", "enabled"], Literal::Flag(false)),
        Switch::is(
            Place::project(HOOKS_OF_PROJECT),
            &["portcullis", "enabled"],
            Literal::Flag(false),
        ),
    ],
    afterwards: "start Antigravity again; tools that it names none of in its hooks are its own affair",
    ..Install::new(
        &[
            Trace::Program("agy"),
            Trace::Program("antigravity"),
            Trace::Path(Place::home(".gemini/config")),
        ],
        &[Target::user(Place::home(HOOKS), ENTRIES), Target::project(HOOKS_OF_PROJECT, ENTRIES)],
    )
};

const HOOKS: &str = ".gemini/config/hooks.json";
const HOOKS_OF_PROJECT: &str = ".agents/hooks.json";

/// Hooks have names here, and ours is one.
const ENTRIES: Content = Content::Entries(Entries {
    root: &["portcullis"],
    matcher: Some(
        "run_command|view_file|write_to_file|replace_file_content|multi_replace_file_content|list_dir|find_by_name|\
         grep_search",
    ),
    heads: &[(&["portcullis", "enabled"], Literal::Flag(true))],
    lost: Lost::Answer,
    ..Entries::CLAUDE
});

fn decision(saying: &Saying<'_>) -> Reply {
    Reply::json(&match saying.word {
        // What it would do without a hook: its own rules hold, and a call that they say nothing of is asked about.
        Word::Nothing | Word::Note(_) => json!({ "decision": "ask" }),
        Word::Allow(reason) => json!({ "decision": "auto_approve", "reason": reason }),
        Word::Ask(reason) => json!({ "decision": "force_ask", "reason": reason }),
        Word::Deny(reason) => json!({ "decision": "deny", "reason": reason }),
    })
}
