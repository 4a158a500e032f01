//! The MCP servers that a gateway stands in front of: the `[mcp]` table. Owns its words and what each of them may be; how a server is started or
//! reached, the program's `mcp` knows.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use portcullis_core::network::Target;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::error::Misreading;
use crate::guardian::crosses_openly;

/// How long a call waits for a person, unless the file says otherwise.
const WAIT: u32 = 30;

/// The longest that a call may wait for a person.
const LONGEST_WAIT: u32 = 3_600;

/// The longest name of a server: it stands in an address.
const LONGEST_NAME: usize = 64;

/// MCP servers by name, each reached at `/mcp/NAME` of `portcullis serve`. Never in a project's file: each is a program that runs as you.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpTable {
    /// Servers by name. One that a file above this one has stays as it is.
    #[schemars(with = "BTreeMap<String, McpServerTable>")]
    pub servers: BTreeMap<String, Spanned<McpServerTable>>,
}

/// One server: a program that the gateway starts, or an address that it connects to.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpServerTable {
    /// The program that is the server; it speaks over its standard input and output.
    pub command: Option<String>,
    /// What it is started with.
    pub args: Vec<String>,
    /// The variables of the gateway's own environment that it is given, beside the usual ones.
    pub env: Vec<String>,
    /// The directory that it is started in, absolute; that of the gateway by default.
    pub directory: Option<PathBuf>,
    /// The profile of the sandbox that it is started in; none by default.
    pub sandbox: Option<String>,
    /// The address of a server elsewhere, in place of a command: `https://mcp.example/mcp`, or `http://` on this machine.
    pub url: Option<String>,
    /// The file with the token that such a server wants, absolute. What a client sends to the gateway is never sent on.
    pub token: Option<PathBuf>,
    /// For how many seconds a call waits for a person before its client is told to come again; 30 by default.
    pub wait: Option<u32>,
    /// Whether a client may ask its person itself, up to a medium risk. By default it may not, and everything that asks is decided at the gateway:
    /// whoever holds the token could answer in a person's place.
    pub elicitation: Option<bool>,
    /// Whether the server may have the client's model write text for it, without tools; not by default.
    pub sampling: Option<bool>,
}

/// A server that the gateway stands in front of.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct McpServer {
    /// How it is reached.
    pub at: McpAt,
    /// How long a call waits for a person.
    pub wait: Duration,
    /// Whether a client may ask its person.
    pub elicits: bool,
    /// Whether it may have the client's model write for it.
    pub samples: bool,
}

/// How a server is reached.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum McpAt {
    /// It is a program that is started.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// The names of the variables that it is given.
        env: Vec<String>,
        /// The directory that it is started in.
        directory: Option<PathBuf>,
        /// The profile of the sandbox.
        sandbox: Option<String>,
    },
    /// It is elsewhere.
    Url {
        /// Where.
        url: String,
        /// The file with the token that it wants.
        token: Option<PathBuf>,
    },
}

impl McpServer {
    /// In words, for where the configuration is shown.
    pub(super) fn words(&self) -> String {
        match &self.at {
            McpAt::Command { words, .. } => portcullis_core::secrets::redacted(&words.join(" ")),
            McpAt::Url { url, .. } => portcullis_core::secrets::redacted(url),
        }
    }
}

pub(super) fn servers_of(table: &McpTable) -> Result<BTreeMap<String, McpServer>, Misreading> {
    let McpTable { servers } = table;
    servers.iter().map(|(name, table)| Ok((name.clone(), server_of(name, table)?))).collect()
}

fn server_of(name: &str, table: &Spanned<McpServerTable>) -> Result<McpServer, Misreading> {
    let wrong = |message: &str, help: &str| {
        Misreading::new(table.span(), format!("the server `{name}` {message}")).with_help(help)
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if !(1..=LONGEST_NAME).contains(&name.len()) || !name.bytes().all(is_plain) {
        return Err(wrong(
            "has a name that cannot stand in an address",
            "take 1 to 64 letters, digits, `-` or `_`",
        ));
    }
    let McpServerTable {
        command,
        args,
        env,
        directory,
        sandbox,
        url,
        token,
        wait,
        elicitation,
        sampling,
    } = table.get_ref();
    let absolute = |path: &Option<PathBuf>| path.as_ref().is_none_or(|path| path.is_absolute());
    if !absolute(directory) || !absolute(token) {
        return Err(wrong(
            "names a path that is not absolute",
            "a relative path would name another file in each directory",
        ));
    }
    let wait = wait.unwrap_or(WAIT);
    if wait > LONGEST_WAIT {
        return Err(wrong("lets a call wait longer than an hour", "write at most 3600"));
    }
    let at = match (command, url) {
        (Some(command), None) if token.is_none() => {
            if command.trim().is_empty() {
                return Err(wrong("has an empty command", "name the program that it is"));
            }
            if env.iter().any(|name| name.is_empty() || name.contains(['=', '\0'])) {
                return Err(wrong(
                    "names a variable that cannot be one",
                    "write the names alone: values are those of the gateway's own environment",
                ));
            }
            let words = std::iter::once(command).chain(args).cloned().collect();
            McpAt::Command {
                words,
                env: env.clone(),
                directory: directory.clone(),
                sandbox: sandbox.clone(),
            }
        }
        (None, Some(url))
            if args.is_empty() && env.is_empty() && directory.is_none() && sandbox.is_none() =>
        {
            let target = Target::read(url)
                .map_err(|refusal| wrong(&format!("cannot be reached: {refusal}"), URL))?;
            if crosses_openly(&target) {
                return Err(wrong("would be spoken to unencrypted over the network", URL));
            }
            McpAt::Url { url: url.clone(), token: token.clone() }
        }
        _ => {
            return Err(wrong(
                "must have either a command or an address",
                "`command` goes with `args`, `env`, `directory` and `sandbox`; `url` with `token`",
            ));
        }
    };
    Ok(McpServer {
        at,
        wait: Duration::from_secs(wait.into()),
        elicits: elicitation.unwrap_or(false),
        samples: sampling.unwrap_or(false),
    })
}

const URL: &str =
    "write it as `https://mcp.example/mcp`, or `http://127.0.0.1:8000/mcp` on this machine";
