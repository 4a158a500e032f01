//! `statusline`: one line for agents that show one. Owns what stands in it; it is read from the record.

use std::{
    io::{self, Read as _, Write},
    path::PathBuf,
};

use clap::{Arg, ArgMatches, Command, builder::ValueParser};
use jiff::{Timestamp, tz::TimeZone};
use portcullis_core::decision::Verdict;
use serde_json::Value;

use super::{Exit, Failure, audit::failure, shown};
use crate::{
    audit::{self, AuditError, Filter, Kind, Log},
    report::visible,
    wire,
};

/// The most records that are counted for one line: an agent draws it again and again.
const MAX_COUNTED: u32 = 2_000;

/// The most that is read of what the agent says about its session.
const LONGEST: u64 = 1 << 16;

pub(super) fn define(command: Command) -> Command {
    command
        .about("One line about the gate, for agents that show a status line")
        .after_help(
            "Reads the agent's session from standard input, where it says one.\n\n\
             Claude Code, in settings.json:\n  \
             \"statusLine\": { \"type\": \"command\", \"command\": \"portcullis statusline\" }",
        )
        .arg(
            Arg::new("state")
                .long("state")
                .value_name("DIR")
                .value_parser(ValueParser::path_buf())
                .help("The directory of the record, where it is not the usual one"),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut bytes = Vec::new();
    // A session that cannot be read is none: the line is about the whole day then.
    let _ = io::stdin().lock().take(LONGEST).read_to_end(&mut bytes);
    let said = wire::parse(&bytes, 1).unwrap_or_default();
    let session = said.get("session_id").and_then(Value::as_str).map(str::to_owned);
    let given = matches.get_one::<PathBuf>("state").map(PathBuf::as_path);
    let line = match audit::directory(given).and_then(|directory| Log::read(&directory)) {
        Ok(mut log) => line(&mut log, session).map_err(|error| failure(&error))?,
        Err(AuditError::Missing { .. }) => "portcullis: no call was judged yet".to_owned(),
        Err(error) => format!("portcullis: the record cannot be read: {error}"),
    };
    shown(out, &format!("{}\n", visible::line(&line)))
}

fn line(log: &mut Log, session: Option<String>) -> Result<String, AuditError> {
    let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
    let today = Timestamp::now().to_zoned(zone).start_of_day().ok().map(|day| day.timestamp());
    let decisions = Filter { kind: Some(Kind::Decision), ..Filter::default() };
    let last =
        log.list(&Filter { session, limit: Some(1), ..decisions.clone() })?.into_iter().next();
    let counted = log.list(&Filter { since: today, limit: Some(MAX_COUNTED), ..decisions })?;
    let count =
        |verdict| counted.iter().filter(|record| record.entry.decision == Some(verdict)).count();
    let (asked, denied) = (count(Verdict::Ask), count(Verdict::Deny));
    let last = last.and_then(|record| Some((record.entry.risk?, record.entry.decision?)));
    let last = match last {
        Some((risk, Verdict::Allow)) => format!("last call {risk}"),
        Some((risk, Verdict::Ask)) => format!("last call {risk}, asked"),
        Some((risk, Verdict::Deny)) => format!("last call {risk}, denied"),
        None => "no call in this session".to_owned(),
    };
    Ok(format!("portcullis: {last} · today {asked} asked, {denied} denied"))
}
