//! Files of our own inside an agent: scripts that run us, and plugins. Owns their text; how a plugin hangs in its agent, the
//! agent's own file says.

use super::{
    command::{Program, quoted},
    json::Fragment,
    table::Content,
};
use crate::hook::agent::Agent;

/// What every file of ours says of itself, and is known by.
const MARK: &str = "Written by `portcullis install`";

/// What a plugin may use: `judge(call)`, which never fails and never lets through what could not be judged.
const COMMON: &str = include_str!("plugin.js");

/// The text of a file of ours; `None` for entries in a file that others write too.
#[must_use]
pub fn text(content: &Content, agent: &Agent, program: &Program) -> Option<String> {
    match content {
        Content::Entries(_) => None,
        Content::Script => Some(format!(
            "#!/bin/sh\n# {MARK}; `portcullis uninstall` takes it away.\nexec {} hook {}\n",
            quoted(program.path()),
            agent.name
        )),
        Content::Plugin(plugin) => {
            let words = program.words(agent.name).into_iter().map(Fragment::Text).collect();
            let command = Fragment::List(words).value();
            Some(format!(
                "// {MARK}; `portcullis uninstall` takes it away. Changes are lost.\n\
                 const COMMAND = {command};\n{COMMON}\n{}",
                plugin.source
            ))
        }
        Content::Beside(text) => Some((*text).to_owned()),
    }
}

/// Whether a text is one of ours, of any version.
#[must_use]
pub fn is_ours(content: &Content, found: &str) -> bool {
    match content {
        Content::Entries(_) => false,
        Content::Script | Content::Plugin(_) => found.contains(MARK),
        Content::Beside(text) => found == *text || found.contains("portcullis"),
    }
}
