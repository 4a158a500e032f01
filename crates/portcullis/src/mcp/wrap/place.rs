//! Where agents keep the servers that they start, as a table: one row for each file. Owns the places and the forms; what is done with them is in
//! the rest of this module.

use crate::agents::table::Place;

/// A file in which an agent keeps its servers.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The agent.
    pub agent: &'static str,
    /// The file.
    pub place: Place,
    /// How servers stand in it.
    pub form: Form,
}

/// How servers stand in a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// In JSON, at the end of this path, each under its name; `*` stands for every key. `command` is a text, `args` a list.
    Json(&'static [&'static str]),
    /// In JSON, at the end of this path, each under its name; `command` is the list of all words.
    Words(&'static [&'static str]),
    /// In TOML, in tables of this name.
    Toml(&'static str),
}

/// Every file. Files of a project are not among them: the path of a program is one of this machine, and they are shared.
pub const SETTINGS: &[Settings] = &[
    json("claude", Place::variable("CLAUDE_CONFIG_DIR", "", ".claude.json"), &["mcpServers"]),
    json(
        "claude",
        Place::variable("CLAUDE_CONFIG_DIR", "", ".claude.json"),
        &["projects", "*", "mcpServers"],
    ),
    Settings {
        agent: "codex",
        place: Place::variable("CODEX_HOME", ".codex", "config.toml"),
        form: Form::Toml("mcp_servers"),
    },
    json("cursor", Place::home(".cursor/mcp.json"), &["mcpServers"]),
    json(
        "copilot",
        Place::variable("COPILOT_HOME", ".copilot", "mcp-config.json"),
        &["mcpServers"],
    ),
    json("gemini", Place::home(".gemini/settings.json"), &["mcpServers"]),
    json("qwen", Place::home(".qwen/settings.json"), &["mcpServers"]),
    words("opencode", Place::configuration("opencode/opencode.json"), &["mcp"]),
    words("opencode", Place::configuration("opencode/opencode.jsonc"), &["mcp"]),
    words("kilo", Place::configuration("kilo/kilo.json"), &["mcp"]),
    words("kilo", Place::configuration("kilo/kilo.jsonc"), &["mcp"]),
    json("pi", Place::variable("PI_CODING_AGENT_DIR", ".pi/agent", "mcp.json"), &["mcpServers"]),
    json(
        "openclaw",
        Place::variable("OPENCLAW_STATE_DIR", ".openclaw", "openclaw.json"),
        &["mcp", "servers"],
    ),
];

const fn json(agent: &'static str, place: Place, path: &'static [&'static str]) -> Settings {
    Settings { agent, place, form: Form::Json(path) }
}

const fn words(agent: &'static str, place: Place, path: &'static [&'static str]) -> Settings {
    Settings { agent, place, form: Form::Words(path) }
}
