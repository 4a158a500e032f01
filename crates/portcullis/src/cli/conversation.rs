//! `conversation`: what agents that ran here did and what they wait for. Owns the options and the shapes; it changes nothing.

use std::{io::Write, path::PathBuf};

use clap::{Arg, ArgMatches, Command};
use jiff::Timestamp;
use portcullis_core::conversation::Event;
use serde_json::{Value, json};

use super::{Exit, Failure, egress, json_flag, policy as policies, shown, write_json};
use crate::{
    audit,
    conversation::{self, LogError, events::Status},
    report::visible,
    wire::VERSION,
};

/// The word for one that no program goes on with, and that nobody stopped.
const INTERRUPTED: &str = "interrupted";

pub(super) fn define(command: Command) -> Command {
    let id = || {
        Arg::new("id").value_name("ID").required(true).help("Which: its name, or how that begins")
    };
    let verb = |name: &'static str, about: &'static str| {
        Command::new(name).about(about).args(egress::configuration_arguments())
    };
    command
        .about("Conversations with agents that ran inside the gate: what happened, and what waits")
        .after_help(
            "Examples:\n  portcullis conversation list\n  portcullis conversation show 4f1c",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(verb("list", "Every conversation, the latest first").arg(json_flag()))
        .subcommand(verb("show", "What happened in one, event by event").arg(id()))
        .subcommand(
            verb("export", "The events of one as JSON lines, checked against their hashes")
                .arg(id()),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("list", matches)) => list(&state(matches)?, matches.get_flag("json"), out),
        Some(("show", matches)) => {
            let (_, events) = read(matches)?;
            shown(out, &conversation::timeline(&events))
        }
        Some(("export", matches)) => {
            let (id, events) = read(matches)?;
            for kept in events {
                let line =
                    json!({"v": VERSION, "conversation": id, "at": kept.at, "event": kept.event});
                write_json(out, &line)?;
            }
            Ok(Exit::Done)
        }
        _ => Err(Failure::usage("say what to do: `list`, `show` or `export`")),
    }
}

/// Where conversations are kept.
pub(super) fn state(matches: &ArgMatches) -> Result<PathBuf, Failure> {
    let configuration = policies::load(matches)?;
    audit::directory(configuration.audit.path.as_deref()).map_err(Failure::configuration)
}

/// The name of the one conversation that begins so.
pub(super) fn found(state: &std::path::Path, start: &str) -> Result<String, Failure> {
    let all = conversation::list(state).map_err(|error| {
        Failure::internal(format_args!("the conversations cannot be listed: {error}"))
    })?;
    let mut named = all.into_iter().map(|(id, _)| id).filter(|id| id.starts_with(start));
    match (named.next(), named.next()) {
        (Some(id), None) => Ok(id),
        (None, _) => Err(Failure::bad_input(format_args!(
            "there is no conversation `{}`",
            visible::line(start)
        ))
        .with_help("`portcullis conversation list` shows which there are")),
        (Some(_), Some(_)) => {
            Err(Failure::bad_input(format_args!("several conversations begin with `{start}`")))
        }
    }
}

pub(super) fn failure(error: &LogError) -> Failure {
    match error {
        LogError::Missing(_) | LogError::Name(_) => Failure::bad_input(error),
        LogError::Busy => Failure::denied(error).with_help("one process runs it at a time"),
        LogError::Changed { .. } => Failure::denied(error)
            .with_help("nothing goes on from what may not have happened; begin a new one"),
        _ => Failure::internal(error),
    }
}

fn read(matches: &ArgMatches) -> Result<(String, Vec<conversation::Kept>), Failure> {
    let state = state(matches)?;
    let id = found(&state, matches.get_one::<String>("id").map_or("", String::as_str))?;
    let path = conversation::path_of(&state, &id).map_err(|error| failure(&error))?;
    let (events, _) = conversation::read(&path).map_err(|error| failure(&error))?;
    Ok((id, events))
}

/// Every conversation in a line.
pub(super) fn list(
    state: &std::path::Path,
    is_json: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let all = conversation::list(state).map_err(|error| {
        Failure::internal(format_args!("the conversations cannot be listed: {error}"))
    })?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for (id, changed) in all {
        let path = conversation::path_of(state, &id);
        // Whoever was killed wrote down no end.
        let is_held = path.as_ref().is_ok_and(|path| conversation::is_held(path).unwrap_or(false));
        let read = path.and_then(|path| conversation::read(&path));
        let changed = Timestamp::try_from(changed).unwrap_or(Timestamp::UNIX_EPOCH);
        match read {
            Ok((events, state)) => {
                let begun = events.iter().find_map(|kept| match &kept.event {
                    Event::Started(started) => Some(started),
                    _ => None,
                });
                let parent = begun.and_then(|begun| begun.parent.clone());
                let status = match state.status() {
                    Status::Running if !is_held => INTERRUPTED,
                    status => status.name(),
                };
                rows.push(json!({
                    "id": id, "status": status, "goal": state.goal(), "parent": parent, "changed": changed,
                    "events": events.len(), "actions": state.actions(),
                }));
                let goal: String = state.goal().chars().take(60).collect();
                let part = if parent.is_some() { " (a part)" } else { "" };
                let at = changed.strftime("%Y-%m-%d %H:%M");
                text.push_str(&format!(
                    "{id}  {at}  {status:24}  {}{part}\n",
                    visible::line(&goal)
                ));
            }
            Err(error) => {
                rows.push(json!({"id": id, "error": error.to_string()}));
                text.push_str(&format!("{id}  {}\n", visible::line(&error.to_string())));
            }
        }
    }
    if is_json {
        return write_json(out, &json!({"v": VERSION, "conversations": Value::Array(rows)}));
    }
    if text.is_empty() {
        text.push_str("there are no conversations\n");
    }
    shown(out, &text)
}
