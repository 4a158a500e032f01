//! `mcp proxy`. Owns the environment that a server is started with, and whose session its calls belong to.

use std::time::Duration;

use clap::ArgMatches;

use super::{Exit, Failure, Setting, texts, words};
use crate::{
    audit,
    cli::sandbox::variables,
    mcp::{
        confined::{self, Startup},
        desk::Desk,
        engine::{Engine, Options},
        link, stdio,
    },
    person,
    pins::Definition,
    platform,
};

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let Setting { state, configuration } = Setting::of(matches)?;
    audit::secure_directory(&state).map_err(|error| super::unusable(&error))?;
    let server = matches.get_one::<String>("server").map_or("", String::as_str);
    let words = words(matches);
    let definition = Definition::of_command(&texts(&words)?);
    let profile = matches.get_one::<String>("sandbox").cloned();
    let entry = Startup { words, variables: variables(matches)?, directory: None, profile };
    let (start, notes) = confined::start(&configuration, server, entry).map_err(|error| {
        Failure::internal(format_args!(
            "which file this program runs from cannot be found out: {error}"
        ))
    })?;
    for note in notes {
        link::say("", &note);
    }
    let desk = Desk::open(configuration, &state, server, person::session_of_starter("mcp"));
    let desk = desk.map_err(Failure::configuration)?;
    let seconds = matches.get_one::<u32>("wait").copied().unwrap_or(0);
    let options = Options {
        state: &state,
        server,
        definition,
        repeats: false,
        samples: matches.get_flag("sampling"),
        principal: platform::user_name(),
        wait: Duration::from_secs(seconds.into()),
    };
    let engine = Engine::new(desk, options).map_err(|error| {
        Failure::internal(format_args!("what was accepted of `{server}` cannot be used: {error}"))
    })?;
    stdio::run(engine, &start).map_err(|error| {
        Failure::internal(format_args!("the server cannot be passed on to: {error}"))
            .with_help("see that the command behind `--` starts the server")
    })?;
    Ok(Exit::Done)
}
