//! A server that the configuration names. Owns what is pinned of how it is reached, and what it is started with; its words, [`crate::config`] reads.

use std::{ffi::OsString, io};

use super::child::{self, Start};
use crate::{
    config::{McpAt, McpServer},
    pins::Definition,
    sandbox,
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

/// How a server is started; nothing where it is elsewhere. It ends with all that it started, and what it says on standard error begins with
/// `label`.
///
/// # Errors
/// When it cannot be found out which file this program runs from, which makes the sandbox.
pub fn start(server: &McpServer, label: &str) -> io::Result<Option<Start>> {
    let McpAt::Command { words, env, directory, sandbox } = &server.at else { return Ok(None) };
    let named = env.iter().map(OsString::from).filter_map(|name| {
        let value = std::env::var_os(&name)?;
        Some((name, value))
    });
    let named: Vec<(OsString, OsString)> = named.collect();
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let words = match sandbox {
        None => words,
        Some(profile) => child::sandboxed(profile, &named, words)?,
    };
    Ok(Some(Start {
        words,
        environment: sandbox::environment(named),
        directory: directory.clone(),
        label: label.to_owned(),
        is_apart: true,
    }))
}
