//! `audit`: what was decided and done. Owns the options and the layout of the listings; the record is kept and checked by
//! [`crate::audit`].

mod export;
mod heads;
mod segment;

use std::{
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};
use jiff::{RoundMode, Timestamp, TimestampRound, Unit, civil::Date, tz::TimeZone};
use portcullis_core::{decision::Verdict, risk::Risk};
use serde_json::json;

use super::{Exit, Failure, database, duration, json_flag, shown, signals, write_json};
use crate::{
    audit::{
        self, AuditError, Filter, Kind, Log, Place, Record, Verification, export::json as as_json,
        segment::Archive, summary,
    },
    config::{Configuration, Serve},
    remote::{PATIENCE, Remote},
    report::visible,
    undelivered::Queue,
    wire::VERSION,
};

/// How many records `list` shows unless told otherwise.
const LISTED: &str = "20";

pub(super) fn define(command: Command) -> Command {
    let listing =
        Command::new("list").about("List what was decided and done, newest last").arg(json_flag());
    let listing = filters(listing).mut_arg("limit", |limit| limit.default_value(LISTED));
    let show = Command::new("show")
        .about("Show one record with every field")
        .arg(Arg::new("sequence").value_name("NUMBER").required(true).help("Its number"))
        .arg(json_flag());
    let verify = Command::new("verify")
        .about("Check that nobody changed the record")
        .after_help(
            "`--heads` takes what `audit heads` wrote earlier and was kept elsewhere: what it names must still stand in the record.\n\n\
             Exit codes: 0 intact, 65 changed",
        )
        .args(heads::verify_options())
        .args(segment::verify_options())
        .arg(json_flag());
    let export = filters(export::define(Command::new("export")));
    let deliver = Command::new("deliver")
        .about("Bring to the gateway of the configuration what went on here while none answered")
        .after_help("What waits is also brought beside the next calls that a gateway judges. Exit codes: 0 nothing waits any more, 70 something does")
        .arg(json_flag());
    let report = filters(Command::new("report").about("Sum the record up in a page of Markdown"));
    command
        .about("Show, check and export the record of what was decided")
        .subcommand_required(true)
        .arg(
            Arg::new("state")
                .long("state")
                .value_name("DIR")
                .global(true)
                .value_parser(ValueParser::path_buf())
                .help("The directory of the record, where it is not the usual one"),
        )
        .args(database::options().map(|option| option.global(true)))
        .subcommands([
            listing,
            show,
            verify,
            heads::define(),
            export,
            segment::define(),
            report,
            deliver,
        ])
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let Some((verb, matches)) = matches.subcommand() else {
        return Err(Failure::usage("a command is missing"));
    };
    let given = matches.get_one::<PathBuf>("state").map(PathBuf::as_path);
    if verb == "deliver" {
        return deliver(matches, &audit::directory(given).map_err(|error| failure(&error))?, out);
    }
    if verb == "segment" {
        let state = audit::directory(given).map_err(|error| failure(&error))?;
        return segment::run(matches, &state, out);
    }
    let shared = database::source(matches, &Serve::default(), Path::new(""), Some("reader"))?;
    let open = || match &shared {
        // What vouches for its end is kept by each gateway.
        Some(source) => source.log_alone(),
        None => Log::read(&audit::directory(given)?),
    };
    match verb {
        "show" => show(matches, &mut open().map_err(|error| failure(&error))?, out),
        "heads" => {
            let state = audit::directory(given).map_err(|error| failure(&error));
            heads::run(matches, &mut open().map_err(|error| failure(&error))?, state, out)
        }
        "verify" => {
            // Where there is no such directory, nobody sealed anything here.
            let state = audit::directory(given);
            let archive = state.as_ref().ok().map(|state| segment::archive(matches, state));
            let log = &mut open().map_err(|error| failure(&error))?;
            let known = heads::known(matches, log, state.map_err(|error| failure(&error)))?;
            verify(matches, log, (&known, archive), out)
        }
        "export" => {
            let log = &mut open().map_err(|error| failure(&error))?;
            export::run(matches, log, filter(matches)?, out)
        }
        "report" => {
            let filter = filter(matches)?;
            let mut log = open().map_err(|error| failure(&error))?;
            shown(
                out,
                &summary::summary(&mut log, &filter, Timestamp::now())
                    .map_err(|error| failure(&error))?,
            )
        }
        _ => {
            let filter = filter(matches)?;
            list(matches, &mut open().map_err(|error| failure(&error))?, &filter, out)
        }
    }
}

/// An error of the record, with the exit code that fits it.
pub(super) fn failure(error: &AuditError) -> Failure {
    let failure = match error {
        AuditError::NoDirectory
        | AuditError::Directory { .. }
        | AuditError::NotADirectory { .. }
        | AuditError::Insecure { .. }
        | AuditError::NameTaken { .. }
        | AuditError::NoTables { .. } => Failure::configuration(error),
        AuditError::Missing { .. }
        | AuditError::NotAFile { .. }
        | AuditError::Foreign { .. }
        | AuditError::Altered { .. }
        | AuditError::Ignored { .. }
        | AuditError::Damaged { .. }
        | AuditError::Newer { .. }
        | AuditError::Unreadable { .. } => Failure::bad_input(error),
        _ => Failure::internal(error),
    };
    failure.with_help(error.help())
}

fn list(
    matches: &ArgMatches,
    log: &mut Log,
    filter: &Filter,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let records = log.list(filter).map_err(|error| failure(&error))?;
    if matches.get_flag("json") {
        let records: Vec<_> = records.iter().map(as_json).collect();
        return write_json(out, &json!({ "v": VERSION, "records": records }));
    }
    if records.is_empty() {
        return shown(out, "nothing was recorded that fits\n");
    }
    let text: String = records.iter().map(row).collect();
    shown(out, &text)
}

/// One record on one line: its number, when, what was decided or done, and the call.
fn row(record: &Record) -> String {
    let entry = &record.entry;
    let what = match entry.kind {
        Kind::Decision => entry.decision.map_or("", Verdict::name).to_owned(),
        Kind::Answer => format!("answer {}", entry.decision.map_or("", Verdict::name)),
        Kind::Outcome | Kind::Change => entry.outcome.clone().unwrap_or_default(),
    };
    let whole_seconds = TimestampRound::new().smallest(Unit::Second).mode(RoundMode::Trunc);
    let time = record.time.round(whole_seconds).unwrap_or(record.time);
    let risk = entry.risk.map_or("", Risk::name);
    let about = match (&entry.preview, entry.refers_to) {
        (Some(preview), _) => preview.clone(),
        (None, decision) if entry.kind == Kind::Change => {
            let reason = entry.reason.clone().unwrap_or_default();
            decision.map_or(reason.clone(), |decision| format!("{reason}, of {decision}"))
        }
        (None, Some(decision)) => format!("of {decision}"),
        (None, None) => String::new(),
    };
    let line = format!("{:>6}  {time}  {what:<12}  {risk:<8}  {about}", record.sequence);
    format!("{}\n", visible::line(line.trim_end()))
}

fn show(matches: &ArgMatches, log: &mut Log, out: &mut dyn Write) -> Result<Exit, Failure> {
    let number = matches.get_one::<String>("sequence").map_or("", String::as_str);
    let sequence: u64 = number
        .parse()
        .map_err(|_| Failure::usage(format_args!("`{number}` is not the number of a record")))?;
    let Some(record) = log.record(sequence).map_err(|error| failure(&error))? else {
        return Err(Failure::bad_input(format_args!("there is no record {sequence}"))
            .with_help("`portcullis audit list` lists them"));
    };
    if matches.get_flag("json") {
        return write_json(out, &as_json(&record));
    }
    let mut text = String::new();
    for (name, value) in record.fields() {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            text.push_str(&format!("{name:<10} {}\n", visible::line(&value)));
        }
    }
    text.push_str(&format!("{:<10} {}\n", "hash", record.hash));
    shown(out, &text)
}

fn verify(
    matches: &ArgMatches,
    log: &mut Log,
    (known, archive): (&[Place], Option<Archive>),
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if let (Some(key), Some(archive)) = (matches.get_one::<String>("key"), &archive) {
        segment::are_signed(archive, log, key)?;
    }
    let found = log.verify_with(known, archive.as_ref()).map_err(|error| failure(&error))?;
    let exit = if found.is_intact() { Exit::Done } else { Exit::BadInput };
    if matches.get_flag("json") {
        let problems: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
        let page = json!({
            "v": VERSION,
            "intact": found.is_intact(),
            "records": found.records,
            "head": { "sequence": found.head.sequence, "hash": found.head.hash.to_string() },
            "unwitnessed": found.unwitnessed,
            "without_outcome": found.without_outcome,
            "segments": {
                "sealed": found.segments.sealed,
                "dropped": found.segments.dropped,
                "erased": found.segments.erased,
                "elsewhere": found.segments.elsewhere,
            },
            "problems": problems,
        });
        return write_json(out, &page).map(|_| exit);
    }
    let Verification { records, head, problems, .. } = &found;
    // The first line says it: who reads no further has read it.
    let mut text = match problems.first() {
        None => format!("intact: {records} records, the last with the hash {}\n", head.hash),
        Some(first) => format!("changed: {}\n", visible::line(&first.to_string())),
    };
    for problem in problems.iter().skip(1) {
        text.push_str(&format!("{}\n", visible::line(&problem.to_string())));
    }
    if !problems.is_empty() {
        text.push_str(&format!("{records} records, the last with the hash {}\n", head.hash));
    }
    text.push_str(&segment::summed_up(found.segments));
    match found.unwitnessed {
        0 => {}
        _ if !found.is_witnessed => text.push_str(
            "`head` vouches for none of them: records at the end could have been cut off or written anew\n",
        ),
        count => text.push_str(&format!(
            "`head` does not know the last {count} yet, as when a process was killed after writing them, or an older `head` was put \
             back: they could be cut off unnoticed\n"
        )),
    }
    shown(out, &text).map(|_| exit)
}

fn filters(command: Command) -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).action(ArgAction::Set).help(help)
    };
    command.args([
        option("kind", "KIND", "Only these: decision, answer, outcome, change"),
        option("risk", "RISK", "Only with this risk: safe, low, medium, high, critical, unknown"),
        option("decision", "DECISION", "Only with this decision: allow, ask, deny"),
        option("since", "TIME", "Only from this time on: `2026-11-20`, `2026-11-20T08:00:00Z`, or `7d`, `12h`, `30m` ago"),
        option("until", "TIME", "Only up to this time"),
        option("agent", "NAME", "Only of this agent"),
        option("session", "NAME", "Only of this session"),
        option("limit", "NUMBER", "Only the newest so many"),
    ])
}

/// Brings what waits in a state directory to the gateway of the configuration.
fn deliver(matches: &ArgMatches, state: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = Configuration::load(None).map_err(Failure::configuration)?;
    let Some(gateway) = &configuration.gateway else {
        return Err(Failure::configuration("the configuration names no gateway")
            .with_help("`[gateway]` with its `url` says where it is"));
    };
    let remote = Remote::of(gateway, Some(state), Duration::ZERO, PATIENCE)
        .map_err(Failure::configuration)?;
    let queue = Queue::of(state);
    let brought = remote.deliver(&queue).map_err(Failure::internal)?;
    let left = queue.len().map_err(Failure::internal)?;
    if matches.get_flag("json") {
        let strange = brought.strange.iter().map(|(path, why)| json!({ "file": path, "why": why }));
        let strange: Vec<_> = strange.collect();
        let said = json!({ "v": VERSION, "delivered": brought.delivered, "left": left, "strange": strange });
        write_json(out, &said)?;
    } else {
        let mut text = format!("{} delivered, {left} left\n", brought.delivered);
        for (path, why) in &brought.strange {
            let line = format!("{} is no decision of ours: {why}", path.display());
            text.push_str(&format!("{}\n", visible::line(&line)));
        }
        shown(out, &text)?;
    }
    Ok(if left == 0 { Exit::Done } else { Exit::Internal })
}

fn filter(matches: &ArgMatches) -> Result<Filter, Failure> {
    let text = |name| matches.get_one::<String>(name);
    let not_one_of = |name: &str, word: &str, known: &str| {
        Failure::usage(format_args!("`{word}` is not a value of `--{name}`"))
            .with_help(format_args!("expected one of {known}"))
    };
    let kind = match text("kind") {
        None => None,
        Some(word) => Some(
            Kind::ALL
                .into_iter()
                .find(|kind| kind.name() == word)
                .ok_or_else(|| not_one_of("kind", word, "decision, answer, outcome, change"))?,
        ),
    };
    let decision = match text("decision") {
        None => None,
        Some(word) => Some(
            [Verdict::Allow, Verdict::Ask, Verdict::Deny]
                .into_iter()
                .find(|verdict| verdict.name() == word)
                .ok_or_else(|| not_one_of("decision", word, "allow, ask, deny"))?,
        ),
    };
    let now = Timestamp::now();
    let time = |name| text(name).map(|word| moment(word, now)).transpose();
    let limit = |word: &String| {
        word.parse::<u32>().map_err(|_| {
            Failure::usage(format_args!("`{word}` is not a number that `--limit` takes"))
        })
    };
    Ok(Filter {
        kind,
        risk: text("risk").map(|word| word.parse()).transpose().map_err(Failure::usage)?,
        decision,
        since: time("since")?,
        until: time("until")?,
        agent: text("agent").cloned(),
        session: text("session").cloned(),
        limit: text("limit").map(limit).transpose()?,
        ..Filter::default()
    })
}

/// A moment as people write it: a timestamp, a day (in UTC), or so long ago.
fn moment(word: &str, now: Timestamp) -> Result<Timestamp, Failure> {
    if let Ok(moment) = word.parse::<Timestamp>() {
        return Ok(moment);
    }
    if let Ok(day) = word.parse::<Date>()
        && let Ok(start) = day.to_zoned(TimeZone::UTC)
    {
        return Ok(start.timestamp());
    }
    let ago = duration::parsed(word).and_then(|length| now.checked_sub(length).ok());
    ago.ok_or_else(|| {
        Failure::usage(format_args!("`{word}` is not a time"))
            .with_help("expected something like `2026-11-20`, `2026-11-20T08:00:00Z`, or `7d`")
    })
}
