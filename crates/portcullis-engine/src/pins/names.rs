//! Names of servers and their tools, as agents write them. Owns how both are read out of one name.

use portcullis_core::tool::MCP_PREFIX;

/// The server and the tool of a name that agents give to tools of servers: `mcp__server__tool`.
#[must_use]
pub fn parts(tool: &str) -> Option<(&str, &str)> {
    tool.strip_prefix(MCP_PREFIX)?.split_once("__")
}

/// A name as agents write it in the names of tools.
#[must_use]
pub fn written(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    name.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect()
}
