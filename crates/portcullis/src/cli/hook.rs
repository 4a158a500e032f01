//! `hook`: what coding agents call. Owns its arguments; the answers are made by [`crate::hook`].

use std::{io::Write, path::PathBuf, time::Duration};

use clap::{Arg, ArgMatches, Command, builder::ValueParser};

use super::{Exit, Failure};
use crate::{
    agents::{self, AGENTS},
    hook::{self, Options},
};

/// The verb. Whatever goes wrong with it ends with the code that blocks.
pub(super) const NAME: &str = "hook";

pub(super) fn define(command: Command) -> Command {
    command
        .about("Answer a coding agent's hook: one payload on standard input, its answer on standard output")
        .after_help(
            "Agents call this; `portcullis install` tells them to.\n\
             An agent's payload is known by what it holds, since several agents run the hooks of others;\n\
             AGENT says whose it is where it could be several agents', and --agent says so in any case.",
        )
        .arg(Arg::new("name").value_name("AGENT").help("The agent that the hook was installed for"))
        .arg(
            Arg::new("agent")
                .long("agent")
                .value_name("AGENT")
                .conflicts_with("name")
                .help("Read and answer as this agent, whatever the payload looks like"),
        )
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("Read the configuration from this file instead of the usual places"),
        )
        .arg(
            Arg::new("wait")
                .long("wait")
                .value_name("SECONDS")
                .value_parser(clap::value_parser!(u32).range(0..=3_600))
                .help("How long the agent was told to wait for a person at the gateway of the configuration, beyond its usual time"),
        )
}

pub(super) fn run(matches: &ArgMatches, _: &mut dyn Write) -> Result<Exit, Failure> {
    let name = |key| matches.get_one::<String>(key);
    let agent = name("agent").or(name("name")).map(|name| agent(name)).transpose()?;
    let code = hook::run(&Options {
        agent,
        forced: name("agent").is_some(),
        configuration: matches.get_one::<PathBuf>("config").cloned(),
        wait: Duration::from_secs(matches.get_one::<u32>("wait").copied().unwrap_or(0).into()),
    });
    Ok(if code == 0 { Exit::Done } else { Exit::Denied })
}

fn agent(name: &str) -> Result<&'static agents::agent::Agent, Failure> {
    hook::named(name).ok_or_else(|| {
        let names: Vec<_> = AGENTS.iter().map(|agent| agent.name).collect();
        Failure::usage(format_args!("`{name}` is no agent that is known here"))
            .with_help(format_args!("expected one of {}", names.join(", ")))
    })
}
