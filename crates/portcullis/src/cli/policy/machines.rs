//! `policy machines`: which policy each machine holds; and what a machine tells its centre about that. Owns both ends of it but for the gateway's.

use std::{io::Write, time::Duration};

use clap::{Arg, ArgMatches, Command, builder::ValueParser};
use serde_json::{Value, json};

use super::{
    super::{Exit, Failure, json_flag, shown, write_json},
    asked::{asked, centre, problem},
    load,
};
use crate::{bundle::Held, config::Central, platform, report::visible};

/// How long a centre may take to hear it, and to say it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a gateway gives out a bundle, and where it hears who holds it.
const GIVES: &str = "/v1/policy/bundle";
const HEARS: &str = "/v1/policy/machines";

/// How many characters of what went wrong are told.
const LONGEST: usize = 128;

pub(super) fn define() -> Command {
    Command::new("machines")
        .about("List which policy each machine said that it holds, whoever is behind or silent first")
        .after_help("A machine tells a gateway after each `policy fetch`. Exit codes: 0 all hold what is given out, 2 one does not or is silent")
        .arg(
            Arg::new("token")
                .long("token")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("The file with a token that may read; the one of this machine by default"),
        )
        .arg(
            Arg::new("silent")
                .long("silent")
                .value_name("SECONDS")
                .value_parser(clap::value_parser!(u32))
                .default_value("3600")
                .help("Who said nothing for longer is silent"),
        )
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("The configuration, where it is not the usual one"),
        )
        .arg(json_flag())
}

/// Where a centre that is a gateway hears of machines.
fn hears(url: &str) -> Option<String> {
    url.split(['?', '#']).next()?.strip_suffix(GIVES).map(|gateway| format!("{gateway}{HEARS}"))
}

/// Tells the centre what holds here, where it is a gateway. Nothing depends on whether it hears it.
pub(super) fn tell(central: &Central, held: Option<&Held>, state: &str, trouble: Option<&str>) {
    let Some(url) = hears(&central.url) else { return };
    let machine: String =
        platform::machine_name().chars().filter(char::is_ascii_graphic).take(128).collect();
    let trouble = trouble.map(|words| words.chars().take(LONGEST).collect::<String>());
    let said = json!({
        "machine": if machine.is_empty() { "unnamed" } else { &machine },
        "name": held.map(|held| &held.name), "revision": held.map(|held| held.revision),
        "digest": held.map(|held| &held.digest), "state": state, "trouble": trouble,
    });
    let body = said.to_string().into_bytes();
    let _ = asked("POST", &url, central.token.as_deref(), Vec::new(), Some(body), PATIENCE);
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = load(matches)?;
    let centre = centre(&configuration)?;
    let Some(url) = hears(&centre.central.url) else {
        return Err(Failure::configuration("the centre is no gateway, and hears of no machine")
            .with_help("`url` of `[central]` ends with `/v1/policy/bundle` where it is one"));
    };
    let token = match matches.get_one::<std::path::PathBuf>("token") {
        Some(path) => Some(path.clone()),
        None => configuration.state().map(|state| crate::remote::Keys::in_state(&state).person),
    };
    let silent = matches.get_one::<u32>("silent").copied().unwrap_or(3_600);
    let url = format!("{url}?silent={silent}");
    let answer = asked("GET", &url, token.as_deref(), Vec::new(), None, PATIENCE)?;
    if answer.status != 200 {
        let detail = problem(&answer);
        return Err(Failure::internal(format_args!(
            "the centre answers {}: {detail}",
            answer.status
        )));
    }
    let told: Value = serde_json::from_slice(&answer.body)
        .map_err(|_| Failure::internal("the centre answers no JSON"))?;
    let machines = told.get("machines").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is = |machine: &Value, name: &str| machine.get(name).and_then(Value::as_bool) == Some(true);
    let are_current =
        machines.iter().all(|machine| is(machine, "current") && !is(machine, "silent"));
    let exit = if are_current { Exit::Done } else { Exit::Denied };
    if matches.get_flag("json") {
        return write_json(out, &told).map(|_| exit);
    }
    if machines.is_empty() {
        return shown(out, "no machine said anything yet\n").map(|_| exit);
    }
    let mut text = String::new();
    for machine in machines {
        let word = |name: &str| machine.get(name).and_then(Value::as_str).unwrap_or_default();
        let revision = machine.get("revision").and_then(Value::as_u64);
        let revision = revision.map_or_else(|| "none".to_owned(), |number| number.to_string());
        let mut line = format!(
            "{}  {}  {revision}  {}  {}",
            word("machine"),
            word("token"),
            word("state"),
            word("seen")
        );
        if !is(machine, "current") {
            line.push_str("  behind");
        }
        if is(machine, "silent") {
            line.push_str("  silent");
        }
        if !word("trouble").is_empty() {
            line.push_str(&format!("  {}", word("trouble")));
        }
        text.push_str(&format!("{}\n", visible::line(&line)));
    }
    shown(out, &text).map(|_| exit)
}
