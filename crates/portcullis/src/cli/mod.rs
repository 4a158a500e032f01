//! The command line. Owns the verbs and how their arguments are read; what a verb does, its own file says.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use clap::{Arg, ArgAction, ArgMatches, Command, error::ErrorKind};
use serde::Serialize;

use crate::report::Colour;

mod about;
mod allow;
mod approvals;
mod assess;
mod audit;
mod check;
mod contract;
mod conversation;
mod database;
mod duration;
mod egress;
mod failure;
mod fetch;
mod guardian;
mod hook;
mod input;
mod inspect;
mod install;
mod mcp;
mod pause;
mod policy;
mod proxy;
mod redact;
mod replay;
mod rules;
mod run;
mod sandbox;
mod scan;
mod serve;
mod servers;
mod session;
mod signals;
mod status;
mod statusline;
mod threats;
mod tools;
#[cfg(target_os = "linux")]
mod trial;
mod trust;
#[cfg(target_os = "linux")]
mod undo;
mod url;

pub use failure::{Exit, Failure};

/// One verb of the command line.
struct Verb {
    name: &'static str,
    /// Its arguments and help: the one definition that parser, help, man page and completions are made of.
    define: fn(Command) -> Command,
    run: fn(&ArgMatches, &mut dyn Write) -> Result<Exit, Failure>,
}

/// Every verb, in the order of the help.
const VERBS: &[Verb] = &[
    Verb { name: "check", define: check::define_check, run: check::check },
    Verb { name: "explain", define: check::define_explain, run: check::explain },
    Verb { name: "assess", define: assess::define, run: assess::run },
    Verb { name: "inspect", define: inspect::define, run: inspect::run },
    Verb { name: "redact", define: redact::define, run: redact::run },
    Verb { name: "url", define: url::define, run: url::run },
    Verb { name: "fetch", define: fetch::define, run: fetch::run },
    Verb { name: "proxy", define: proxy::define, run: proxy::run },
    Verb { name: "sandbox", define: sandbox::define, run: sandbox::run },
    #[cfg(target_os = "linux")]
    Verb { name: "try", define: trial::define, run: trial::run },
    #[cfg(target_os = "linux")]
    Verb { name: "undo", define: undo::define, run: undo::run },
    Verb { name: "scan", define: scan::define, run: scan::run },
    Verb { name: hook::NAME, define: hook::define, run: hook::run },
    Verb { name: "allow", define: allow::define, run: allow::run },
    Verb { name: "pause", define: pause::define, run: pause::run },
    Verb { name: "resume", define: pause::define_resume, run: pause::resume },
    Verb { name: "install", define: install::define_install, run: install::install },
    Verb { name: "uninstall", define: install::define_uninstall, run: install::uninstall },
    Verb { name: "status", define: status::define_status, run: status::status },
    Verb { name: "doctor", define: status::define_doctor, run: status::doctor },
    Verb { name: "mcp", define: mcp::define, run: mcp::run },
    Verb { name: "rules", define: rules::define, run: rules::run },
    Verb { name: "threats", define: threats::define, run: threats::run },
    Verb { name: "policy", define: policy::define, run: policy::run },
    Verb { name: "guardian", define: guardian::define, run: guardian::run },
    Verb { name: "serve", define: serve::define, run: serve::run },
    Verb { name: "approvals", define: approvals::define, run: approvals::run },
    Verb { name: "tools", define: tools::define, run: tools::run },
    Verb { name: "run", define: run::define, run: run::run },
    Verb { name: "conversation", define: conversation::define, run: conversation::run },
    Verb { name: "replay", define: replay::define, run: replay::run },
    Verb { name: "statusline", define: statusline::define, run: statusline::run },
    Verb { name: "trust", define: trust::define, run: trust::run },
    Verb { name: "audit", define: audit::define, run: audit::run },
    Verb { name: "completions", define: about::define_completions, run: about::completions },
    Verb { name: "man", define: about::define_man, run: about::man },
];

/// Runs the command line `arguments`, the program's name first. Answers go to `out`; what went wrong is for the caller to
/// show.
///
/// Only the verb that was asked for is built, because building all of them costs more than judging a command.
///
/// # Errors
/// A [`Failure`] with the exit code and the words for it.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let mut arguments = arguments.into_iter().skip(1).peekable();
    let Some(first) = arguments.peek() else {
        return shown(out, about::INTRODUCTION);
    };
    let verb = VERBS.iter().find(|verb| first == verb.name);
    let Some(verb) = verb else {
        return match whole()
            .try_get_matches_from(std::iter::once("portcullis".into()).chain(arguments))
        {
            Ok(_) => shown(out, about::INTRODUCTION),
            Err(error) => explained(&error, "", out),
        };
    };
    let name = format!("portcullis {}", verb.name);
    let command = (verb.define)(Command::new(verb.name).bin_name(name));
    let ended = match command.try_get_matches_from(arguments) {
        Ok(matches) => (verb.run)(&matches, out),
        Err(error) => explained(&error, verb.name, out),
    };
    // Agents take any other code of a hook for "go on".
    let blocking = |failure| Failure { exit: Exit::Denied, ..failure };
    if verb.name == hook::NAME { ended.map_err(blocking) } else { ended }
}

/// The command line with every verb.
fn whole() -> Command {
    VERBS.iter().fold(
        Command::new("portcullis")
            .version(env!("CARGO_PKG_VERSION"))
            .about(env!("CARGO_PKG_DESCRIPTION"))
            .after_help(about::EXIT_CODES)
            .subcommand_required(true),
        |command, verb| command.subcommand((verb.define)(Command::new(verb.name))),
    )
}

/// Help that was asked for is an answer; everything else that clap has to say is a usage error.
fn explained(error: &clap::Error, verb: &str, out: &mut dyn Write) -> Result<Exit, Failure> {
    let text = error.render().to_string();
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        return shown(out, &text);
    }
    Err(failure::from_clap(error, verb))
}

fn shown(out: &mut dyn Write, text: &str) -> Result<Exit, Failure> {
    write(out, text.as_bytes())?;
    Ok(Exit::Done)
}

/// Whether somebody still reads what is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Reader {
    Listens,
    /// Who has gone away wants no more, and no complaint.
    Gone,
}

/// Writes to standard output.
fn write(out: &mut dyn Write, bytes: &[u8]) -> Result<Reader, Failure> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::Listens),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => {
            Err(Failure::internal(format_args!("the answer could not be written: {error}")))
        }
    }
}

/// One JSON value on one line, of many. Where the reader is gone, what else would be read would be judged for nobody.
fn write_line(out: &mut dyn Write, value: &impl Serialize) -> Result<Reader, Failure> {
    let mut line = serde_json::to_vec(value).map_err(|error| {
        Failure::internal(format_args!("the answer could not be made: {error}"))
    })?;
    line.push(b'\n');
    write(out, &line)
}

/// One JSON value on one line.
fn write_json(out: &mut dyn Write, value: &impl Serialize) -> Result<Exit, Failure> {
    write_line(out, value)?;
    Ok(Exit::Done)
}

fn json_flag() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help("Answer in JSON")
}

/// Colour only where somebody sees it: on a terminal, and as `NO_COLOR`, `CLICOLOR` and `TERM` say.
fn colour() -> Colour {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => Colour::Plain,
        _ => Colour::Coloured,
    }
}
