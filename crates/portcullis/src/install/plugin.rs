//! Files of our own inside an agent: scripts that run us, and plugins. Owns their text; how a plugin hangs in its agent, the
//! agent's own file says.

use super::{
    command::{self, Program, line},
    json::Fragment,
};
use crate::agents::{
    agent::{Agent, Event, Moment},
    reply::{Saying, Word},
    table::Content,
};

/// What every file of ours says of itself, and is known by.
const MARK: &str = "Written by `portcullis install`";

/// What a plugin may use: `judge(call)`, which never fails and never lets through what could not be judged.
const COMMON: &str = include_str!("plugin.js");

/// The text of a file of ours; `None` for entries in a file that others write too.
#[must_use]
pub fn text(content: &Content, agent: &Agent, program: &Program) -> Option<String> {
    match content {
        Content::Entries(_) | Content::Lines(_) | Content::Noted(_) => None,
        Content::Script(event) => Some(format!(
            "#!/bin/sh\n# {MARK}; `portcullis uninstall` takes it away.\nexec {}\n",
            line(&script_words(event, agent, program))
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

/// The program that a plugin of ours starts.
#[must_use]
pub fn called_in(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("const COMMAND = "))?;
    let words: Vec<String> = serde_json::from_str(line.trim_end().trim_end_matches(';')).ok()?;
    words.into_iter().next()
}

/// The words that a script runs for an event: where we could not be run, a call is denied, and everything else goes on.
#[must_use]
pub fn script_words(event: &str, agent: &Agent, program: &Program) -> Vec<String> {
    let answer = agent.events.iter().find(|known| known.name == event).map(lost);
    command::guarded(program.words(agent.name), answer)
}

/// The command in lines of a YAML file.
#[must_use]
pub fn lines_command(agent: &Agent, program: &Program) -> String {
    let answer = agent.events.first().map(lost);
    line(&command::guarded(program.words(agent.name), answer))
}

fn lost(event: &Event) -> String {
    let word = match event.moment {
        Moment::BeforeTool | Moment::Permission => Word::Deny(command::LOST.to_owned()),
        Moment::AfterTool | Moment::Prompt => Word::Nothing,
    };
    command::ending_in_answer(
        &(event.speak)(&Saying { event: event.name, word: &word, input: None }).output,
    )
}

/// Whether a text is one of ours, of any version.
#[must_use]
pub fn is_ours(content: &Content, found: &str) -> bool {
    match content {
        Content::Entries(_) => false,
        Content::Lines(_) | Content::Noted(_) => false,
        Content::Script(_) | Content::Plugin(_) => found.contains(MARK),
        Content::Beside(text) => found == *text || found.contains("portcullis"),
    }
}
