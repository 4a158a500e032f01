//! `mcp`: the gate in front of servers of the Model Context Protocol. Owns the verbs and their options; what they do, [`crate::mcp`] says.

mod accept;
mod contract;
mod list;
mod lock;
mod login;
mod proxy;
mod wrap;

use std::{
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser, value_parser};

use super::{Exit, Failure, audit::failure as unusable, json_flag, policy};
use crate::{audit, config::Configuration, pins::Files};

pub(super) fn define(command: Command) -> Command {
    command
        .about("Stand in front of MCP servers: judge their calls, hold back what nobody accepted, look through what they answer")
        .after_help(
            "Examples:\n  portcullis mcp proxy --server files -- npx -y @modelcontextprotocol/server-filesystem .\n  \
             portcullis mcp wrap\n  portcullis mcp list\n  portcullis mcp accept files\n  portcullis mcp lock > mcp.lock.json\n  \
             portcullis mcp verify mcp.lock.json --format sarif",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(file("config", "FILE", "Read the configuration from this file instead of the usual places").global(true))
        .arg(file("state", "DIR", "The state directory, in place of the configuration's").global(true))
        .subcommand(
            Command::new("proxy")
                .about("Start a server, and pass between it and whoever started this")
                .after_help(
                    "Agents start this in place of the server. Standard input and output speak the protocol, standard error says what is held.\n\
                     The server is started with an environment of its own: the usual variables, and those that `--env` names. One that has a contract\n\
                     (`[contracts.servers]`) is started inside it, whatever `--sandbox` says.",
                )
                .arg(server().required(true))
                .arg(
                    Arg::new("env")
                        .long("env")
                        .value_name("NAME")
                        .action(ArgAction::Append)
                        .value_parser(ValueParser::os_string())
                        .help("A variable that the server is given, as it is, or set with `NAME=VALUE`"),
                )
                .arg(
                    Arg::new("sandbox")
                        .long("sandbox")
                        .value_name("PROFILE")
                        .help("Start the server inside limits: `read-only`, `workspace-write`, `network-proxy`, or a profile of the configuration"),
                )
                .arg(
                    Arg::new("wait")
                        .long("wait")
                        .value_name("SECONDS")
                        .default_value("30")
                        .value_parser(value_parser!(u32).range(0..=3_600))
                        .help("How long a call waits for a person before its client is told to come again"),
                )
                .arg(
                    Arg::new("sampling")
                        .long("sampling")
                        .action(ArgAction::SetTrue)
                        .help("The server may have the client's model write text for it (`sampling`), without tools"),
                )
                .arg(started_by().required(true)),
        )
        .subcommand(
            wrapping("wrap")
                .about("Put the proxy in front of every server in the settings of agents that they start")
                .after_help(
                    "What starts a server is changed, and nothing else in the file. What a server shows at its first start is accepted where a person\n\
                     ran this, but for what speaks to the model; from then on whatever is new or another is held.",
                ),
        )
        .subcommand(
            wrapping("unwrap")
                .about("Take the proxy away again; asks a person at a terminal")
                .after_help("A file that nobody changed since is restored byte by byte."),
        )
        .subcommand(
            Command::new("list")
                .about("The servers that are known, what was accepted of them and what is held")
                .arg(json_flag()),
        )
        .subcommand(
            Command::new("accept")
                .about("Look at what is held of a server, and accept it; a person does that at a terminal")
                .after_help("Without a command it shows what the proxy saw last; with one, or for a server of the configuration that nobody saw yet, the server is started once to look at it.")
                .arg(name())
                .arg(
                    Arg::new("entry")
                        .long("entry")
                        .value_name("NAME")
                        .action(ArgAction::Append)
                        .help("Only this tool, prompt or resource, or `identity`, or `definition`"),
                )
                .arg(
                    Arg::new("dry-run")
                        .long("dry-run")
                        .action(ArgAction::SetTrue)
                        .help("Show it, and ask nothing"),
                )
                .arg(started_by()),
        )
        .subcommand(
            Command::new("forget")
                .about("Accept nothing of a server any more")
                .arg(name()),
        )
        .subcommand(contract::define())
        .subcommand(login::define_login())
        .subcommand(login::define_logout())
        .subcommand(
            Command::new("lock")
                .about("Write what is accepted of servers as digests, for others to verify")
                .arg(names()),
        )
        .subcommand(
            Command::new("verify")
                .about("Hold what is accepted here, or what a server shows now, against a lock file")
                .after_help("It ends with 0 where all is the same, with 2 where something differs.")
                .arg(
                    Arg::new("lock")
                        .value_name("FILE")
                        .required(true)
                        .value_parser(value_parser!(PathBuf))
                        .help("What `portcullis mcp lock` wrote"),
                )
                .arg(
                    Arg::new("format")
                        .long("format")
                        .value_name("FORMAT")
                        .default_value("text")
                        .value_parser(["text", "json", "sarif"])
                        .help("How the differences are told"),
                )
                .arg(server().requires("command"))
                .arg(started_by().requires("server")),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("proxy", matches)) => proxy::run(matches),
        Some(("wrap", matches)) => wrap::run(matches, true, out),
        Some(("unwrap", matches)) => wrap::run(matches, false, out),
        Some(("list", matches)) => list::run(matches, out),
        Some(("accept", matches)) => accept::run(matches, out),
        Some(("contract", matches)) => contract::run(matches, out),
        Some(("forget", matches)) => accept::forget(matches, out),
        Some(("login", matches)) => login::login(matches, out),
        Some(("logout", matches)) => login::end(matches, out),
        Some(("lock", matches)) => lock::write_lock(matches, out),
        Some(("verify", matches)) => lock::verify(matches, out),
        _ => Err(Failure::usage("a command is missing")),
    }
}

fn file(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).value_parser(ValueParser::path_buf()).help(help)
}

fn wrapping(name: &'static str) -> Command {
    Command::new(name)
        .arg(
            Arg::new("agents")
                .value_name("AGENT")
                .num_args(0..)
                .help("Which agents; all that are found where none is named"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Show what would be changed, and change nothing"),
        )
}

fn server() -> Arg {
    Arg::new("server")
        .long("server")
        .value_name("NAME")
        .help("What the server is called in the settings of its agents")
}

fn name() -> Arg {
    Arg::new("name").value_name("SERVER").required(true).help("What the server is called")
}

fn names() -> Arg {
    Arg::new("names")
        .value_name("SERVER")
        .num_args(0..)
        .help("Which servers; all where none is named")
}

fn started_by() -> Arg {
    Arg::new("command")
        .value_name("COMMAND")
        .num_args(1..)
        .last(true)
        .value_parser(ValueParser::os_string())
        .help("What starts the server")
}

/// What every verb works on.
struct Setting {
    state: PathBuf,
    configuration: Configuration,
}

impl Setting {
    fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let given = matches.get_one::<PathBuf>("state").map(PathBuf::as_path);
        let mut configuration = policy::load_for_agents(matches)?;
        let state = given.or(configuration.audit.path.as_deref()).map(Path::to_owned);
        let state = audit::directory(state.as_deref()).map_err(|error| unusable(&error))?;
        configuration.audit.path = Some(state.clone());
        Ok(Self { state, configuration })
    }

    fn files(&self, name: &str) -> Result<Files, Failure> {
        Files::of(&self.state, name).map_err(Failure::usage)
    }
}

/// The words after `--`.
fn words(matches: &ArgMatches) -> Vec<OsString> {
    matches.get_many::<OsString>("command").into_iter().flatten().cloned().collect()
}

/// The same as texts: what is pinned is shown to people.
fn texts(words: &[OsString]) -> Result<Vec<String>, Failure> {
    let text = |word: &OsString| {
        let text = word.to_str().map(str::to_owned);
        text.ok_or_else(|| Failure::usage("the command of a server must be valid UTF-8"))
    };
    words.iter().map(text).collect()
}
