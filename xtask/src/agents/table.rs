//! The agents that can be had and driven without a person, a row each. Owns where each comes from, how it is told of the scripted
//! model, its most permissive mode, and how its tools take a command and a file.
//!
//! In the texts of a row stand `@HOME@`, `@PROJECT@`, `@MODEL@` (the model's address with `http://`) and `@TASK@`; in the
//! arguments of a tool `@COMMAND@`, `@PATH@` and `@CONTENT@`.

/// The name of the scripted model.
pub(super) const MODEL: &str = "scripted-1";

/// An agent.
#[derive(Debug)]
pub(super) struct Agent {
    /// Its name to us, and on `portcullis install`'s command line.
    pub(super) name: &'static str,
    /// Where it comes from.
    pub(super) source: Source,
    /// Files that its home has before anything else: path, text.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Variables beside those that all agents get.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// What is run once before its first task, as it would be by whoever sets it up.
    pub(super) setup: &'static [&'static [&'static str]],
    /// The words that give it a task; `@MODE@` is replaced by the words of a mode.
    pub(super) command: &'static [&'static str],
    /// The words of its most permissive mode.
    pub(super) permissive: &'static [&'static str],
    /// What its person has to do by hand after `install`, and the words that stand for it in a run without a person.
    pub(super) by_hand: Option<(&'static str, &'static [&'static str])>,
    /// Its tool for commands.
    pub(super) shell: Tool,
    /// Its tool for new files; `None` where the scripted model is offered none.
    pub(super) write: Option<Tool>,
    /// How many seconds one task may take.
    pub(super) patience: u64,
}

/// Where an agent comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A package of npm.
    Npm(&'static str),
    /// A package of Python's index, in an environment of its own.
    Python(&'static str),
}

/// A tool: its name, and its arguments as JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) arguments: &'static str,
}

const fn tool(name: &'static str, arguments: &'static str) -> Tool {
    Tool { name, arguments }
}

/// What most rows share.
const PLAIN: Agent = Agent {
    name: "",
    source: Source::Npm(""),
    files: &[],
    variables: &[],
    setup: &[],
    command: &[],
    permissive: &[],
    by_hand: None,
    shell: tool("bash", r#"{"command": "@COMMAND@"}"#),
    write: Some(tool("write", r#"{"path": "@PATH@", "content": "@CONTENT@"}"#)),
    patience: 60,
};

/// The agents, in the order of the table.
pub(super) static AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        source: Source::Npm("@anthropic-ai/claude-code"),
        // Servers of MCP are waited for before the first question, and their tools are told of with it.
        variables: &[("ENABLE_TOOL_SEARCH", "false"), ("MCP_CONNECTION_NONBLOCKING", "false")],
        command: &["claude", "-p", "@MODE@", "--model", "claude-sonnet-4-5", "@TASK@"],
        permissive: &["--dangerously-skip-permissions"],
        shell: tool("Bash", r#"{"command": "@COMMAND@", "description": "a step"}"#),
        write: Some(tool("Write", r#"{"file_path": "@PATH@", "content": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "codex",
        source: Source::Npm("@openai/codex"),
        files: &[(
            ".codex/config.toml",
            r#"model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "@MODEL@/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
[projects."@PROJECT@"]
trust_level = "trusted"
"#,
        )],
        command: &["codex", "exec", "@MODE@", "@TASK@"],
        permissive: &["--dangerously-bypass-approvals-and-sandbox"],
        by_hand: Some(("trust the hook in `/hooks`", &["--dangerously-bypass-hook-trust"])),
        shell: tool("exec_command", r#"{"cmd": "@COMMAND@", "yield_time_ms": 5000}"#),
        write: None,
        ..PLAIN
    },
    Agent {
        name: "gemini",
        source: Source::Npm("@google/gemini-cli"),
        files: &[(
            ".gemini/settings.json",
            r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}}"#,
        )],
        command: &["gemini", "@MODE@", "--skip-trust", "-m", "gemini-2.5-pro", "-p", "@TASK@"],
        permissive: &["--yolo"],
        shell: tool("run_shell_command", r#"{"command": "@COMMAND@", "description": "a step"}"#),
        write: Some(tool("write_file", r#"{"file_path": "@PATH@", "content": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "qwen",
        source: Source::Npm("@qwen-code/qwen-code"),
        variables: &[("OPENAI_BASE_URL", "@MODEL@/v1"), ("OPENAI_MODEL", MODEL)],
        command: &["qwen", "@MODE@", "--auth-type", "openai", "-p", "@TASK@"],
        permissive: &["--yolo"],
        shell: tool("run_shell_command", r#"{"command": "@COMMAND@", "is_background": false}"#),
        write: Some(tool("write_file", r#"{"file_path": "@PATH@", "content": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "opencode",
        source: Source::Npm("opencode-ai"),
        files: &[(".config/opencode/opencode.json", OPENCODE)],
        // Behind a plugin it installs its own helpers first, and tries for minutes where there is no network.
        variables: &[("npm_config_fetch_retries", "0"), ("OPENCODE_DISABLE_MODELS_FETCH", "1")],
        command: &["opencode", "run", "@MODE@", "@TASK@"],
        write: Some(tool("write", r#"{"filePath": "@PATH@", "content": "@CONTENT@"}"#)),
        patience: 150,
        ..PLAIN
    },
    Agent {
        name: "kilo",
        source: Source::Npm("@kilocode/cli"),
        files: &[(".config/kilo/kilo.json", OPENCODE)],
        variables: &[("npm_config_fetch_retries", "0"), ("KILO_DISABLE_MODELS_FETCH", "1")],
        command: &["kilo", "run", "@MODE@", "@TASK@"],
        permissive: &["--auto"],
        shell: tool("bash", r#"{"command": "@COMMAND@", "description": "a step"}"#),
        write: Some(tool("write", r#"{"filePath": "@PATH@", "content": "@CONTENT@"}"#)),
        patience: 150,
        ..PLAIN
    },
    Agent {
        name: "copilot",
        source: Source::Npm("@github/copilot"),
        variables: &[
            ("COPILOT_PROVIDER_BASE_URL", "@MODEL@/v1"),
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_PROVIDER_API_KEY", "x"),
            ("COPILOT_MODEL", MODEL),
            ("COPILOT_OFFLINE", "true"),
        ],
        command: &["copilot", "@MODE@", "-p", "@TASK@"],
        permissive: &["--allow-all"],
        shell: tool("bash", r#"{"command": "@COMMAND@", "description": "a step"}"#),
        write: Some(tool("create", r#"{"path": "@PATH@", "file_text": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "cline",
        source: Source::Npm("cline"),
        setup: &[&["cline", "auth", "-p", "openai", "-k", "x", "-m", MODEL, "-b", "@MODEL@/v1"]],
        command: &["cline", "@MODE@", "@TASK@"],
        shell: tool("run_commands", r#"{"commands": ["@COMMAND@"]}"#),
        write: Some(tool("editor", r#"{"path": "@PATH@", "new_text": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "pi",
        source: Source::Npm("@earendil-works/pi-coding-agent"),
        files: &[(
            ".pi/agent/models.json",
            r#"{"providers": {"scripted": {
  "baseUrl": "@MODEL@/v1", "api": "openai-completions", "apiKey": "x",
  "models": [{"id": "scripted-1", "name": "scripted", "reasoning": false, "input": ["text"],
    "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, "contextWindow": 100000, "maxTokens": 1000}]
}}}"#,
        )],
        command: &["pi", "-p", "@MODE@", "--provider", "scripted", "--model", MODEL, "@TASK@"],
        ..PLAIN
    },
    Agent {
        name: "grok",
        source: Source::Npm("@xai-official/grok"),
        files: &[(
            ".grok/config.toml",
            r#"[models]
default = "scripted-1"
[model.scripted-1]
model = "scripted-1"
base_url = "@MODEL@/v1"
name = "scripted"
api_key = "x"
context_window = 100000
"#,
        )],
        command: &["grok", "@MODE@", "-m", MODEL, "-p", "@TASK@"],
        permissive: &["--always-approve"],
        shell: tool("run_terminal_command", r#"{"command": "@COMMAND@", "description": "a step"}"#),
        write: Some(tool("write", r#"{"file_path": "@PATH@", "content": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "droid",
        source: Source::Npm("droid"),
        files: &[(
            ".factory/settings.json",
            r#"{
 "customModels": [
  {"model": "scripted-1", "id": "custom:Scripted-0", "index": 0, "baseUrl": "@MODEL@/v1", "apiKey": "x",
   "displayName": "Scripted", "maxOutputTokens": 1000, "noImageSupport": true, "provider": "generic-chat-completion-api"}
 ]
}
"#,
        )],
        variables: &[("FACTORY_API_KEY", "fk-x")],
        command: &["droid", "exec", "@MODE@", "-m", "custom:scripted-1", "@TASK@"],
        permissive: &["--skip-permissions-unsafe"],
        shell: tool("Execute", r#"{"command": "@COMMAND@", "summary": "a step"}"#),
        write: Some(tool("Create", r#"{"file_path": "@PATH@", "content": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "reasonix",
        source: Source::Npm("reasonix"),
        files: &[(
            ".reasonix/config.toml",
            r#"default_model = "scripted"
[[providers]]
name = "scripted"
kind = "openai"
base_url = "@MODEL@/v1"
model = "scripted-1"
models = ["scripted-1"]
api_key_env = "OPENAI_API_KEY"
context_window = 100000
"#,
        )],
        command: &["reasonix", "run", "--model", "scripted", "@MODE@", "@TASK@"],
        permissive: &["--permission-mode", "danger-full-access"],
        write: Some(tool("write_file", r#"{"path": "@PATH@", "content": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "continue",
        source: Source::Npm("@continuedev/cli"),
        files: &[(
            ".continue/config.yaml",
            "name: scripted\nversion: 0.0.1\nschema: v1\nmodels:\n  - name: scripted\n    provider: openai\n    model: scripted-1\n    \
             apiKey: x\n    apiBase: @MODEL@/v1\n    capabilities: [tool_use]\n    roles: [chat]\n",
        )],
        command: &["cn", "--config", "@HOME@/.continue/config.yaml", "@MODE@", "-p", "@TASK@"],
        permissive: &["--auto"],
        shell: tool("Bash", r#"{"command": "@COMMAND@"}"#),
        write: Some(tool("Write", r#"{"filepath": "@PATH@", "content": "@CONTENT@"}"#)),
        ..PLAIN
    },
    Agent {
        name: "hermes",
        source: Source::Python("hermes-agent"),
        files: &[(
            ".hermes/config.yaml",
            "model:\n  default: scripted-1\n  provider: custom\n  base_url: @MODEL@/v1\n  api_key: x\n",
        )],
        command: &["hermes", "chat", "@MODE@", "-q", "@TASK@"],
        permissive: &["--yolo"],
        shell: tool("terminal", r#"{"command": "@COMMAND@", "background": false}"#),
        write: Some(tool("write_file", r#"{"path": "@PATH@", "content": "@CONTENT@"}"#)),
        patience: 90,
        ..PLAIN
    },
    Agent {
        name: "openclaw",
        source: Source::Npm("openclaw"),
        files: &[(
            ".openclaw/openclaw.json",
            r#"{
 "agents": {"defaults": {"model": {"primary": "scripted/scripted-1"}}},
 "memory": {"search": {"enabled": false}},
 "models": {"providers": {"scripted": {
  "baseUrl": "@MODEL@/v1", "apiKey": "x", "api": "openai-completions",
  "models": [{"id": "scripted-1", "name": "scripted", "input": ["text"], "contextWindow": 200000, "maxTokens": 2000,
    "reasoning": false, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]
 }}}
}
"#,
        )],
        command: &[
            "openclaw",
            "agent",
            "--local",
            "@MODE@",
            "--session-id",
            "@SESSION@",
            "-m",
            "@TASK@",
        ],
        shell: tool("exec", r#"{"command": "@COMMAND@", "background": false}"#),
        patience: 150,
        ..PLAIN
    },
];

/// The settings of OpenCode, and of Kilo, which is made of it.
const OPENCODE: &str = r#"{
  "provider": {"scripted": {
    "npm": "@ai-sdk/openai-compatible", "name": "scripted",
    "options": {"baseURL": "@MODEL@/v1", "apiKey": "x"}, "models": {"scripted-1": {"name": "scripted"}}
  }},
  "model": "scripted/scripted-1",
  "permission": "allow"
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_how_a_task_a_command_and_a_file_are_given() {
        for agent in AGENTS {
            assert!(agent.command.contains(&"@TASK@"), "{}", agent.name);
            assert!(agent.command.contains(&"@MODE@"), "{}", agent.name);
            let arguments: serde_json::Value = serde_json::from_str(agent.shell.arguments).unwrap();
            assert!(arguments.to_string().contains("@COMMAND@"), "{}", agent.name);
            if let Some(write) = agent.write {
                let arguments: serde_json::Value = serde_json::from_str(write.arguments).unwrap();
                let arguments = arguments.to_string();
                assert!(
                    arguments.contains("@PATH@") && arguments.contains("@CONTENT@"),
                    "{}",
                    agent.name
                );
            }
        }
    }

    #[test]
    fn names_are_given_once() {
        let mut names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), AGENTS.len());
    }
}
