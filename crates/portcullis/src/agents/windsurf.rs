//! Windsurf's Cascade. It has an event for each kind of tool, and reads nothing but the exit code.

use crate::agents::{
    agent::{Agent, Event, Fields, Mark, Moment, Servers, Tool},
    reply,
    table::{Content, Entries, Form, Install, Literal, Place, Target, Trace},
};

pub(super) static AGENT: Agent = Agent {
    name: "windsurf",
    title: "Windsurf",
    marks: &[&[Mark::Has("/agent_action_name")]],
    hints: &[],
    lent: false,
    fields: Fields {
        event: &["/agent_action_name"],
        tool: &[],
        input: &["/tool_info"],
        // Hooks are started at the root of the workspace; the directory of a command is its model's choice.
        cwd: &[],
        roots: &[],
        session: &["/trajectory_id"],
        call: &[],
        mode: &[],
        result: &["/tool_info/mcp_result"],
        prompt: &["/tool_info/user_prompt"],
    },
    events: &[
        Event::new("pre_run_command", Moment::BeforeTool, reply::exit_code)
            .about("run_command", "/tool_info"),
        Event::new("pre_write_code", Moment::BeforeTool, reply::exit_code)
            .about("write_code", "/tool_info"),
        Event::new("pre_read_code", Moment::BeforeTool, reply::exit_code)
            .about("read_code", "/tool_info"),
        Event::new("pre_mcp_tool_use", Moment::BeforeTool, reply::exit_code).about_server(
            Some("/tool_info/mcp_server_name"),
            "/tool_info/mcp_tool_name",
            "/tool_info/mcp_tool_arguments",
        ),
        Event::new("post_mcp_tool_use", Moment::AfterTool, reply::nothing).about_server(
            Some("/tool_info/mcp_server_name"),
            "/tool_info/mcp_tool_name",
            "/tool_info/mcp_tool_arguments",
        ),
        Event::new("pre_user_prompt", Moment::Prompt, reply::exit_code),
    ],
    other_events: &[
        "post_run_command",
        "post_write_code",
        "post_read_code",
        "post_cascade_response",
    ],
    tools: &[
        Tool::alias("run_command", "bash")
            .renaming(&[("command_line", "command")])
            .running_in(&["cwd"]),
        Tool::alias("write_code", "edit_file"),
        Tool::alias("read_code", "read_file"),
    ],
    servers: Servers::Doubled,
    plan_modes: &[],
    root_variables: &[],
    install: INSTALL,
};

const INSTALL: Install = Install::new(
    &[Trace::Program("windsurf"), Trace::Path(Place::home(".codeium/windsurf"))],
    &[
        Target::user(Place::home(".codeium/windsurf/hooks.json"), ENTRIES),
        Target::project(".windsurf/hooks.json", ENTRIES),
    ],
);

const ENTRIES: Content = Content::Entries(Entries {
    form: Form::Hooks,
    timeout: None,
    members: &[("show_output", Literal::Flag(true))],
    matcher: None,
    ..Entries::CLAUDE
});
