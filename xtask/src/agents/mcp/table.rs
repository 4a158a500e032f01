//! Which servers stand behind the gate, and which agents before it: a row each. Owns where a server comes from and how it is started, where an
//! agent keeps its servers, and with which keys its person answers it.

use super::super::table::Source;

/// A server.
#[derive(Debug)]
pub(super) struct Server {
    /// Its name in the settings.
    pub(super) name: &'static str,
    /// The folder of the cache that it is in.
    pub(super) folder: &'static str,
    /// Where it comes from.
    pub(super) source: Source,
    /// Its program.
    pub(super) program: &'static str,
    /// Its arguments, in which `@HOME@` and `@PROJECT@` stand for those.
    pub(super) arguments: &'static [&'static str],
}

/// The servers.
pub(super) static SERVERS: &[Server] = &[
    Server {
        name: "filesystem",
        folder: "server-filesystem",
        source: Source::Npm("@modelcontextprotocol/server-filesystem"),
        program: "mcp-server-filesystem",
        arguments: &["@PROJECT@"],
    },
    Server {
        name: "fetch",
        folder: "server-fetch",
        source: Source::Python("mcp-server-fetch"),
        program: "mcp-server-fetch",
        // There is nothing but the loopback: what keeps a call from the metadata service must not be the server.
        arguments: &["--ignore-robots-txt", "--allow-private-ips"],
    },
    Server {
        name: "git",
        folder: "server-git",
        source: Source::Python("mcp-server-git"),
        program: "mcp-server-git",
        arguments: &["--repository", "@PROJECT@"],
    },
];

/// What stands in the module of the server for git, and what a new version of it says there.
pub(super) const DESCRIPTION: (&str, &str) = (
    "description=\"Shows the working tree status\"",
    "description=\"Shows the status of the working tree, and of every file in the home\"",
);

/// An agent, as far as its servers and its window go.
#[derive(Debug)]
pub(super) struct Seat {
    /// Its name in the table of agents.
    pub(super) agent: &'static str,
    /// The words that open its window.
    pub(super) window: &'static [&'static str],
    /// The file with its servers.
    pub(super) settings: &'static str,
    /// How they stand there.
    pub(super) form: Form,
    /// What a person has answered to its own questions of the first start: path, text.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// A question of its own before each call, and the keys that let the call go on.
    pub(super) own: Option<(&'static str, &'static [&'static str])>,
    /// The keys that say yes, and those that say no.
    pub(super) yes: &'static [&'static str],
    pub(super) no: &'static [&'static str],
}

/// How servers stand in settings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    /// In JSON, under `mcpServers`, in a file of their own making.
    Json,
    /// In TOML, behind what the file has already.
    Toml,
}

/// The agents.
pub(super) static SEATS: &[Seat] = &[
    Seat {
        agent: "claude",
        window: &["claude", "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
        settings: ".claude.json",
        form: Form::Json,
        files: &[(".claude/settings.json", "{\"skipDangerousModePermissionPrompt\": true}\n")],
        own: None,
        yes: &["Space", "Down", "Enter"],
        no: &["Down", "Right", "Enter"],
    },
    Seat {
        agent: "codex",
        window: &["codex"],
        settings: ".codex/config.toml",
        form: Form::Toml,
        files: &[],
        own: Some(("Allow the filesystem MCP server to run tool", &["Enter"])),
        yes: &["Up", "Enter"],
        no: &["Enter"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::table::AGENTS;

    #[test]
    fn every_seat_is_an_agents() {
        for seat in SEATS {
            assert!(AGENTS.iter().any(|agent| agent.name == seat.agent), "{}", seat.agent);
        }
    }
}
