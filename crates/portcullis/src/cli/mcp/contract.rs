//! `mcp contract`. Owns where what is known of a server is looked for; what is proposed of it, [`crate::mcp::proposal`] says.

use std::io::Write;

use clap::{ArgMatches, Command};

use super::{Exit, Failure, Setting, texts, words};
use crate::{
    cli::shown,
    config::McpAt,
    install::machine::Machine,
    mcp::{proposal::Proposal, wrap},
    platform::Directories,
    report::visible,
};

pub(super) fn define() -> Command {
    Command::new("contract")
        .about("Propose what a server may reach while it runs, to be read and written down in your configuration")
        .after_help(
            "It knows the hosts of many services, what the server's command names, and the variables of its entry. A server with a contract is started\n\
             inside it; nothing is changed by this.",
        )
        .arg(super::name())
        .arg(super::started_by())
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let given = texts(&words(matches))?;
    let (words, variables) = if given.is_empty() {
        started(&setting, name).ok_or_else(|| {
            Failure::bad_input(format_args!(
                "no server `{}` is in the settings of an agent or in the configuration",
                visible::line(name)
            ))
            .with_help("give its command after `--`")
        })?
    } else {
        (given, Vec::new())
    };
    let home = Directories::from_environment().home;
    let proposal = Proposal::of(name, &words, &variables, home.as_deref());
    shown(out, &visible::lines(&proposal.page(name)))
}

/// What starts a server, and the variables that its entry names.
fn started(setting: &Setting, name: &str) -> Option<(Vec<String>, Vec<String>)> {
    if let Some(McpAt::Command { words, env, .. }) =
        setting.configuration.mcp.get(name).map(|server| &server.at)
    {
        return Some((words.clone(), env.clone()));
    }
    let machine = Machine::this(None)?;
    let all = wrap::look(&machine, &[]).into_iter().filter_map(Result::ok);
    let mut servers = all.flat_map(|looked| looked.servers);
    let server = servers.find(|server| server.name == name && !server.words.is_empty())?;
    let words = wrap::wrapped(&server.words).map(<[String]>::to_vec).unwrap_or(server.words);
    Some((words, server.variables))
}
