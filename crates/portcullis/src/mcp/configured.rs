//! A server that the configuration names. Owns what is pinned of how it is reached, and what it is started with; its words, [`crate::config`] reads.

use std::{ffi::OsString, io};

use super::{
    child::Start,
    confined::{self, Held, Startup},
    link::say,
};
use crate::{
    config::{Configuration, McpAt, McpServer},
    pins::Definition,
};

/// What is pinned of how a server is reached.
#[must_use]
pub fn definition(server: &McpServer) -> Definition {
    match &server.at {
        McpAt::Command { words, directory, .. } => {
            Definition::of_command_in(words, directory.as_deref())
        }
        McpAt::Url { url, .. } => Definition::of_url(url),
    }
}

/// What holds a server while it runs.
#[must_use]
pub fn held<'a>(
    configuration: &'a Configuration,
    name: &str,
    server: Option<&'a McpServer>,
) -> Held<'a> {
    match server.map(|server| &server.at) {
        Some(McpAt::Url { .. }) => Held::Elsewhere,
        Some(McpAt::Command { sandbox, .. }) => Held::of(configuration, name, sandbox.as_deref()),
        None => Held::of(configuration, name, None),
    }
}

/// How a server is started; nothing where it is elsewhere. It ends with all that it started, and what it says on standard error begins with
/// `label`.
///
/// # Errors
/// When it cannot be found out which file this program runs from, which makes the sandbox.
pub fn start(
    configuration: &Configuration,
    name: &str,
    server: &McpServer,
    label: &str,
) -> io::Result<Option<Start>> {
    let McpAt::Command { words, env, directory, sandbox } = &server.at else { return Ok(None) };
    let named = env.iter().map(OsString::from).filter_map(|name| {
        let value = std::env::var_os(&name)?;
        Some((name, value))
    });
    let entry = Startup {
        words: words.iter().map(OsString::from).collect(),
        variables: named.collect(),
        directory: directory.clone(),
        profile: sandbox.clone(),
    };
    let (start, notes) = confined::start(configuration, name, entry)?;
    for note in notes {
        say(label, &note);
    }
    Ok(Some(Start { label: label.to_owned(), is_apart: true, ..start }))
}
