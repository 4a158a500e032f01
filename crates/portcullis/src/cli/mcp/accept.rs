//! `mcp accept` and `mcp forget`. Owns what a person is shown before they accept, and that they are one.

use std::{ffi::OsString, io::Write};

use clap::ArgMatches;

use super::{Exit, Failure, Setting, texts, words};
use crate::{
    audit::{Entry, Log},
    cli::{allow::person, shown},
    config::Configuration,
    mcp::{
        child::Start,
        configured,
        confined::{self, Startup},
        link, overview, probe,
    },
    pins::{self, Definition, Files, Question, Seen},
    report::visible,
};

/// How long a server is looked at.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let files = setting.files(name)?;
    let seen = seen(&setting, &files, words(matches))?;
    let only: Vec<&String> = matches.get_many::<String>("entry").into_iter().flatten().collect();
    let wanted = |one: &Question| {
        only.is_empty()
            || only
                .iter()
                .any(|name| **name == one.name || one.name.is_empty() && **name == one.what)
    };
    let questions = Question::of(&files.known(), &seen);
    let questions: Vec<&Question> = questions.iter().filter(|one| wanted(one)).collect();
    if questions.is_empty() {
        return shown(out, "nothing of that is held\n");
    }
    for question in &questions {
        shown(out, &page(question))?;
    }
    if matches.get_flag("dry-run") {
        return Ok(Exit::Done);
    }
    let mut person = person(&setting.state)?;
    let ask = format!(
        "accept these {} of the server `{}`, so that agents are shown them and may call them?",
        questions.len(),
        visible::line(name)
    );
    let agreed = person
        .confirm(&ask)
        .map_err(|error| Failure::internal(format_args!("the terminal failed: {error}")))?;
    if !agreed {
        return Err(Failure::denied("nothing was accepted"));
    }
    let by = person.name().to_owned();
    let accepted = pins::accept(&files, &seen, &by, &wanted).map_err(Failure::internal)?;
    record(
        &setting,
        &by,
        "mcp accepted",
        &format!(
            "server `{name}`: {}; all that is accepted: {}",
            accepted.names.join(", "),
            accepted.digest
        ),
    )?;
    let left = questions.len() - accepted.names.len().min(questions.len());
    let mut text = format!("accepted: {}\n", visible::line(&accepted.names.join(", ")));
    if left > 0 {
        text.push_str(&format!("{left} are listed more than once and stay held\n"));
    }
    shown(out, &text)
}

/// What a server shows: what the proxy saw last, or, where a command is given or the configuration has one and nothing was seen, what it shows
/// when it is started once.
fn seen(setting: &Setting, files: &Files, words: Vec<OsString>) -> Result<Seen, Failure> {
    let name = &files.server;
    let (start, definition) = if words.is_empty() {
        let error = match files.seen() {
            Ok(seen) => return Ok(seen),
            Err(error) => error,
        };
        if !error.is_missing() {
            return Err(Failure::bad_input(format_args!(
                "what is held of `{name}` cannot be read: {error}"
            )));
        }
        let server = setting.configuration.mcp.get(name);
        let start =
            server.map(|server| configured::start(&setting.configuration, name, server, ""));
        let start = start.transpose();
        match (start.map_err(Failure::internal)?.flatten(), server) {
            (Some(start), Some(server)) => (start, configured::definition(server)),
            _ => {
                return Err(Failure::bad_input(format_args!("nothing of `{name}` is held"))
                    .with_help(
                        "start the server through the proxy first, or give its command after `--`",
                    ));
            }
        }
    } else {
        let definition = Definition::of_command(&texts(&words)?);
        (looked_at(&setting.configuration, name, words)?, definition)
    };
    let Start { words, environment, directory, .. } = start;
    let looked = probe::look(&words, environment, directory.as_deref(), PATIENCE);
    let looked = looked.map_err(|error| {
        Failure::bad_input(format_args!("`{name}` cannot be looked at: {error}"))
    })?;
    Ok(probe::seen(&looked, definition, files, &setting.state))
}

/// How a server is started to be looked at once: inside what holds it else.
pub(super) fn looked_at(
    configuration: &Configuration,
    server: &str,
    words: Vec<OsString>,
) -> Result<Start, Failure> {
    let entry = Startup { words, variables: Vec::new(), directory: None, profile: None };
    let (start, notes) =
        confined::start(configuration, server, entry).map_err(Failure::internal)?;
    for note in notes {
        link::say("", &note);
    }
    Ok(start)
}

pub(super) fn forget(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let files = setting.files(name)?;
    files.forget().map_err(Failure::internal)?;
    record(&setting, &crate::platform::user_name(), "mcp forgotten", &format!("server `{name}`"))?;
    shown(out, "nothing of it is accepted any more\n")
}

fn record(setting: &Setting, by: &str, outcome: &str, reason: &str) -> Result<(), Failure> {
    if !setting.configuration.audit.enabled || crate::session::record_is_unwanted() {
        return Ok(());
    }
    let mut log = Log::open(&setting.state).map_err(|error| super::unusable(&error))?;
    log.append(&Entry::change(by, outcome, reason)).map_err(|error| super::unusable(&error))?;
    Ok(())
}

/// One thing that is held: why, and what differs from what was accepted, with every character that nobody sees written out.
fn page(question: &Question) -> String {
    let Question { what, name, held, .. } = question;
    let mut text = format!("{what} {}\n", visible::line(name));
    for why in held {
        text.push_str(&format!("  held: {}\n", visible::line(why)));
    }
    let diff = overview::difference(question);
    for line in diff.lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text.push('\n');
    text
}
