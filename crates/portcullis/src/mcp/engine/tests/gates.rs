//! Two gates on one call: a hook of the agent, and the proxy in front of the server. They say the same of every call, and decide it once.

use portcullis_core::{call::ToolCall, decision::Verdict, policy::Context};

use super::*;
use crate::{
    audit::{Filter, Kind as Recorded, Log},
    mcp::desk::Ruling,
    session::Session,
};

/// Servers, each with its tools.
const SERVERS: &[(&str, &[&str])] = &[
    (
        "notes",
        &[
            "read_note",
            "list_notes",
            "search_notes",
            "add_note",
            "update_note",
            "delete_note",
            "share_note",
            "export_notes",
            "send_money",
            "do_it",
        ],
    ),
    (
        "github",
        &[
            "get_issue",
            "list_issues",
            "search_code",
            "create_issue",
            "add_issue_comment",
            "merge_pull_request",
            "create_or_update_file",
            "delete_file",
            "fork_repository",
            "delete_repository",
        ],
    ),
    (
        "filesystem",
        &[
            "read_file",
            "read_text_file",
            "list_directory",
            "search_files",
            "get_file_info",
            "write_file",
            "edit_file",
            "move_file",
            "create_directory",
            "run_command",
        ],
    ),
    (
        "postgres",
        &[
            "query",
            "execute_sql",
            "list_tables",
            "describe_table",
            "explain_query",
            "drop_table",
            "create_index",
            "vacuum",
            "grant_access",
            "backup",
        ],
    ),
    (
        "slack",
        &[
            "slack_list_channels",
            "slack_get_users",
            "slack_get_channel_history",
            "slack_post_message",
            "slack_reply_to_thread",
            "slack_add_reaction",
            "slack_upload_file",
            "slack_invite",
            "slack_archive_channel",
            "slack_set_topic",
        ],
    ),
];

/// What each tool is called with.
fn given() -> [Value; 10] {
    let token = format!("gh{}_{}", "p", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    [
        json!({}),
        json!({"path": "README.md", "content": "hello"}),
        json!({"path": "/etc/shadow"}),
        json!({"path": "~/.ssh/id_ed25519", "content": "x"}),
        json!({"query": "select 1", "sql": "select 1"}),
        json!({"query": "drop table users", "sql": "drop table users"}),
        json!({"command": "rm -rf /"}),
        json!({"url": "http://169.254.169.254/latest/meta-data/"}),
        json!({"to": "DE89370400440532013000", "amount": 900}),
        json!({"channel": "C1", "text": token}),
    ]
}

/// One server with what it shows accepted.
struct Gates {
    state: tempfile::TempDir,
    server: &'static str,
    tools: Vec<Value>,
    settings: String,
}

impl Gates {
    fn new(server: &'static str, names: &[&str], settings: &str) -> Self {
        let state = tempfile::tempdir().unwrap();
        let files = Files::of(state.path(), server).unwrap();
        pins::enrol(&files, &definition(), "ann").unwrap();
        let tools: Vec<Value> = names.iter().map(|name| tool(name, "Does what it says.")).collect();
        let settings = format!("audit.path = {:?}\n{settings}", state.path());
        let gates = Self { state, server, tools, settings };
        let options = Options {
            state: gates.state.path(),
            server,
            definition: definition(),
            repeats: false,
            samples: false,
            principal: "dev".to_owned(),
            wait: Duration::ZERO,
        };
        let engine = Engine::new(gates.desk("mcp-0"), options).unwrap();
        let state = tempfile::tempdir().unwrap();
        let mut stage = Stage { state, engine, settings: String::new() };
        stage.meet(json!({}));
        assert_eq!(stage.names(1, &gates.tools).len(), names.len(), "{server}: nothing is held");
        gates
    }

    fn configuration(&self) -> Configuration {
        Configuration::parse(&self.settings, Path::new("config.toml")).unwrap()
    }

    fn desk(&self, own: &str) -> Desk {
        let desk = Desk::open(self.configuration(), self.state.path(), self.server, own.to_owned());
        let desk = desk.unwrap();
        desk.learn(self.tools.iter());
        desk
    }

    fn hook(&self) -> Session {
        let configuration = self.configuration();
        Session::open(session::Options { configuration, ..session::Options::default() })
    }

    /// The call as the agent's hook has it.
    fn call(&self, tool: &str, arguments: &Value, number: usize) -> ToolCall {
        let cwd = std::env::current_dir().unwrap();
        let call = ToolCall {
            cwd: cwd.to_str().map(str::to_owned),
            session: Some(format!("s-{number}")),
            agent: Some("claude".to_owned()),
            ..ToolCall::default()
        };
        let name = format!("mcp__{}__{tool}", self.server);
        let arguments = arguments.as_object().cloned().unwrap();
        let mut calls = crate::hook::calls_of_tool(call, &name, arguments);
        assert_eq!(calls.len(), 1);
        calls.remove(0)
    }

    /// How many decisions about calls were recorded.
    fn decisions(&self) -> usize {
        let filter = Filter { kind: Some(Recorded::Decision), ..Filter::default() };
        let mut count = 0;
        let mut log = Log::open(self.state.path()).unwrap();
        log.each(&filter, &mut |record| {
            record.unwrap();
            count += 1;
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        count
    }
}

const CONTEXT: Context = Context { can_ask: true, mode: None, agent_asks: true };

fn verdict(ruling: &Ruling) -> Verdict {
    match ruling {
        Ruling::Go(_) => Verdict::Allow,
        Ruling::Asks(_) => Verdict::Ask,
        Ruling::No(_) => Verdict::Deny,
    }
}

fn each(settings: &str, mut does: impl FnMut(&Gates, &str, &Value, usize)) -> usize {
    let mut count = 0;
    for (server, names) in SERVERS {
        let gates = Gates::new(server, names, settings);
        for name in *names {
            for arguments in given() {
                count += 1;
                does(&gates, name, &arguments, count);
            }
        }
    }
    count
}

#[test]
fn hook_and_proxy_say_the_same_of_five_hundred_calls() {
    // What is not known is left to the agent's own questions by a hook, and an agent asks none about what a proxy lets through.
    let settings = "hook.unknown_tools = 'ask'\nrules.deny = ['mcp__github__delete_repository']\n";
    let mut said = BTreeMap::new();
    let mut drift = Vec::new();
    let count = each(settings, |gates, tool, arguments, number| {
        let mut hook = gates.hook();
        let mut judged = hook.consider_own(gates.call(tool, arguments, number), CONTEXT).unwrap();
        hook.watch(&mut judged);
        let own = judged.judgement.decision.verdict;
        let mut desk = gates.desk(&format!("mcp-{number}"));
        let ruling = desk.judge(tool, arguments.as_object().cloned().unwrap());
        *said.entry(own.name()).or_insert(0) += 1;
        if own != verdict(&ruling) {
            drift.push(format!("{} {tool} {arguments}: {}", gates.server, own.name()));
        }
    });
    assert_eq!((count, drift), (500, Vec::new()));
    // It is no agreement on one word.
    assert!(said.len() == 3 && said.values().all(|count| *count >= 10), "{said:?}");
}

#[test]
fn what_a_hook_decided_is_what_the_proxy_does_and_stands_in_the_record_once() {
    let settings = "rules.deny = ['mcp__github__delete_repository']\n";
    let mut before = 0;
    let count = each(settings, |gates, tool, arguments, number| {
        let mut hook = gates.hook();
        let call = gates.call(tool, arguments, number);
        let mut judged = hook.consider_own(call, CONTEXT).unwrap();
        hook.watch(&mut judged);
        hook.record(&mut judged);
        let call = &judged.action.call;
        crate::handover::leave(
            gates.state.path(),
            &call.tool,
            &call.arguments,
            judged.sequence.unwrap(),
        );
        let decided = judged.judgement.decision.verdict;
        if number % 100 == 1 {
            before = gates.decisions() - 1;
        }
        let mut desk = gates.desk(&format!("mcp-{number}"));
        let ruling = desk.judge(tool, arguments.as_object().cloned().unwrap());
        // What the agent asks its person about comes here with a yes, or not at all.
        let expected = if decided == Verdict::Deny { Verdict::Deny } else { Verdict::Allow };
        assert_eq!(verdict(&ruling), expected, "{} {tool} {arguments}", gates.server);
        if number % 100 == 0 {
            assert_eq!(gates.decisions() - before, 100, "each call is decided once");
        }
    });
    assert_eq!(count, 500);
}
