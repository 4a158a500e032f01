//! `mcp proxy`. Owns the environment that a server is started with, and whose session its calls belong to.

use std::{ffi::OsString, time::Duration};

use clap::ArgMatches;

use super::{Exit, Failure, Setting, texts, words};
use crate::{
    audit,
    cli::sandbox::variables,
    mcp::{
        desk::Desk,
        engine::{Engine, Options},
        stdio::{self, Start},
    },
    person,
    pins::Definition,
    platform,
    sandbox::environment,
};

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let Setting { state, configuration } = Setting::of(matches)?;
    audit::secure_directory(&state).map_err(|error| super::unusable(&error))?;
    let server = matches.get_one::<String>("server").map_or("", String::as_str);
    let words = words(matches);
    let definition = Definition::of_command(&texts(&words)?);
    let desk = Desk::open(configuration, &state, server, person::session_of_starter("mcp"));
    let desk = desk.map_err(Failure::configuration)?;
    let seconds = matches.get_one::<u32>("wait").copied().unwrap_or(0);
    let options = Options {
        state: &state,
        server,
        definition,
        principal: platform::user_name(),
        wait: Duration::from_secs(seconds.into()),
    };
    let engine = Engine::new(desk, options).map_err(|error| {
        Failure::internal(format_args!("what was accepted of `{server}` cannot be used: {error}"))
    })?;
    let words = match matches.get_one::<String>("sandbox") {
        Some(profile) => sandboxed(profile, matches, words)?,
        None => words,
    };
    let start = Start { words, environment: environment(variables(matches)?) };
    stdio::run(engine, &start).map_err(|error| {
        Failure::internal(format_args!("the server cannot be passed on to: {error}"))
            .with_help("see that the command behind `--` starts the server")
    })?;
    Ok(Exit::Done)
}

/// The words that start a server inside limits: this program does that, and passes its streams through.
fn sandboxed(
    profile: &str,
    matches: &ArgMatches,
    words: Vec<OsString>,
) -> Result<Vec<OsString>, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::internal(format_args!(
            "which file this program runs from cannot be found out: {error}"
        ))
    })?;
    let ours = ["sandbox", "run", "--profile", profile].map(OsString::from);
    // It has them already, and says so once more: what runs inside is told no variable that nobody names.
    let named = variables(matches)?.into_iter().flat_map(|(name, _)| ["--env".into(), name]);
    let all = std::iter::once(program.into_os_string()).chain(ours).chain(named);
    Ok(all.chain(std::iter::once("--".into())).chain(words).collect())
}
