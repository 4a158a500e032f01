//! `allow`: what a person lets through beforehand. Owns the options, and who may use them; what is waiting for an answer is
//! found in `waiting`, what is shown and granted in `offer`, and what was granted is listed in `listing`.

mod listing;
mod offer;
mod waiting;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, builder::ValueParser};
use jiff::{SignedDuration, Timestamp};

use super::{Exit, Failure, audit::failure, duration, json_flag, policy, shown};
use crate::{
    audit::{self, AuditError, Log},
    config::Configuration,
    person::{NoPerson, Person},
};

pub(super) fn define(command: Command) -> Command {
    let configuration = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .global(true)
        .value_parser(ValueParser::path_buf())
        .help("Read the configuration from this file instead of the usual places");
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let list =
        Command::new("list").about("List what was granted and whether it holds").arg(json_flag());
    let revoke = Command::new("revoke")
        .about("Take grants back")
        .arg(Arg::new("id").value_name("ID").help("The beginning of a grant's identifier"))
        .arg(flag("all", "Take all of them back"))
        .group(ArgGroup::new("which").args(["id", "all"]).required(true));
    command
        .about("Let through what was asked about, after a look at it: once, or for longer")
        .after_help(
            "Without arguments it lists what waits for an answer. It has to be run by a person, in a terminal of their own.\n\n\
             Examples:\n  portcullis allow --last\n  portcullis allow 42 --session\n  portcullis allow --last --session --like\n  \
             portcullis allow 42 --project --pattern 'Bash(npm run test:*)' --for 2h",
        )
        .args_conflicts_with_subcommands(true)
        .arg(Arg::new("record").value_name("RECORD").help("The number of the record that asked"))
        .arg(flag("last", "The newest that waits for an answer").conflicts_with("record"))
        .arg(
            Arg::new("pattern")
                .long("pattern")
                .value_name("RULE")
                .num_args(0..=1)
                .default_missing_value("")
                .action(ArgAction::Append)
                .help("Allow what a rule covers, not this call alone: one that is proposed, or this one"),
        )
        .arg(
            flag("like", "Allow whatever the same rules ask about on the same resources, up to high risk (with `--session` or `--project`)")
                .conflicts_with_all(["pattern", "always"]),
        )
        .arg(flag("session", "Allow it for the session that asked, not once"))
        .arg(flag("project", "Allow it in the workspace that it was asked in"))
        .arg(flag("always", "Allow it everywhere"))
        .group(ArgGroup::new("scope").args(["session", "project", "always"]))
        .arg(Arg::new("for").long("for").value_name("DURATION").help(
            "How long it holds: `2h`, `30m`, `7d` (once: 15m, session: 8h, else 30d)",
        ))
        .arg(configuration)
        .subcommands([list, revoke])
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let desk = Desk::open(matches)?;
    match matches.subcommand() {
        Some(("list", matches)) => return listing::list(&desk, matches, out),
        Some(("revoke", matches)) => return listing::revoke(&desk, matches, out),
        _ => {}
    }
    let wanted = Wanted::from_matches(matches)?;
    let Some(which) = wanted.which else {
        if wanted != Wanted::default() {
            return Err(Failure::usage("it is not said what to allow")
                .with_help("give `--last`, or a number that `portcullis allow` lists"));
        }
        return shown(out, &waiting::page(&mut desk.reading()?, desk.now)?);
    };
    let mut person =
        Person::at_terminal_beside(Some(&desk.state)).map_err(|error| nobody(&error))?;
    let record = waiting::chosen(&mut desk.reading()?, which)?;
    let offer = offer::Offer::new(&desk, &record, &wanted)?;
    shown(out, &offer.put_to(&desk, &mut person)?)
}

/// Nobody can be asked.
pub(super) fn nobody(error: &NoPerson) -> Failure {
    Failure::denied(format_args!("only a person can do this: {error}")).with_help(error.help())
}

/// Where a person answers: the state directory, under a configuration, at a time.
pub(super) struct Desk {
    state: PathBuf,
    configuration: Configuration,
    now: Timestamp,
}

impl Desk {
    fn open(matches: &ArgMatches) -> Result<Self, Failure> {
        let configuration = policy::load(matches)?;
        let state = audit::directory(configuration.audit.path.as_deref());
        Ok(Self {
            state: state.map_err(|error| failure(&error))?,
            configuration,
            now: Timestamp::now(),
        })
    }

    fn reading(&self) -> Result<Log, Failure> {
        Log::read(&self.state).map_err(|error| no_record(&error))
    }
}

fn no_record(error: &AuditError) -> Failure {
    match error {
        AuditError::Missing { .. } => Failure::bad_input(error).with_help(
            "what was asked is found in the record; nothing was asked yet, or it is off",
        ),
        _ => failure(error),
    }
}

/// Which of those that wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Which {
    Last,
    Record(u64),
}

/// What a person asked for.
#[derive(Clone, Debug, Default, PartialEq)]
struct Wanted {
    which: Option<Which>,
    scope: Breadth,
    /// The rules that were given; one that is empty stands for those that are proposed.
    patterns: Vec<String>,
    /// Whether the kind of the call is allowed.
    is_like: bool,
    length: Option<SignedDuration>,
}

/// For how often and where, before it is known which session and which workspace that is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Breadth {
    #[default]
    Once,
    Session,
    Project,
    Always,
}

impl Wanted {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let text = |name: &str| matches.get_one::<String>(name);
        let number = |word: &String| {
            word.parse::<u64>().map(Which::Record).map_err(|_| {
                Failure::usage(format_args!("`{word}` is not the number of a record"))
                    .with_help("`portcullis allow` lists what waits for an answer")
            })
        };
        let length = text("for").map(|word| {
            duration::parsed(word).filter(|length| !length.is_zero()).ok_or_else(|| {
                Failure::usage(format_args!("`{word}` is not a length of time"))
                    .with_help("expected something like `30m`, `2h`, or `7d`")
            })
        });
        let patterns: Vec<String> =
            matches.get_many::<String>("pattern").into_iter().flatten().cloned().collect();
        if let Some(number) = patterns.iter().find(|rule| rule.parse::<u64>().is_ok()) {
            return Err(Failure::usage(format_args!("`{number}` is not a rule")).with_help(
                format_args!("put the number first: `portcullis allow {number} --pattern`"),
            ));
        }
        let breadths = [
            ("session", Breadth::Session),
            ("project", Breadth::Project),
            ("always", Breadth::Always),
        ];
        let breadth = breadths.into_iter().find(|(name, _)| matches.get_flag(name));
        let is_like = matches.get_flag("like");
        if is_like && breadth.is_none() {
            return Err(Failure::usage("a kind of calls is allowed for a session or a project")
                .with_help("give `--session` or `--project` beside `--like`"));
        }
        Ok(Self {
            which: match text("record") {
                Some(word) => Some(number(word)?),
                None => matches.get_flag("last").then_some(Which::Last),
            },
            scope: breadth.map_or(Breadth::Once, |(_, breadth)| breadth),
            patterns,
            is_like,
            length: length.transpose()?,
        })
    }
}

/// The state directory of a configuration.
pub(super) fn state(matches: &ArgMatches) -> Result<PathBuf, Failure> {
    Desk::open(matches).map(|desk| desk.state)
}

/// A person beside a state directory.
pub(super) fn person(state: &Path) -> Result<Person, Failure> {
    Person::at_terminal_beside(Some(state)).map_err(|error| nobody(&error))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests;
