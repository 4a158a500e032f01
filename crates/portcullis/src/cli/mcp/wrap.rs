//! `mcp wrap` and `mcp unwrap`. Owns which agents are meant, what is shown, and that a person takes the proxy away.

use std::io::Write;

use clap::ArgMatches;

use super::{Exit, Failure, Setting};
use crate::{
    audit,
    cli::{allow::person, shown},
    install::{command::Program, machine::Machine, manifest::Manifest},
    mcp::wrap::{self, Change, Looked, WrapError},
    person::Person,
    report::visible,
};

pub(super) fn run(matches: &ArgMatches, adds: bool, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let machine = Machine::this(None).ok_or_else(|| {
        Failure::configuration(
            "cannot tell where agents keep their settings: no home directory is known",
        )
        .with_help("set `HOME` to an absolute path")
    })?;
    let program = Program::this().map_err(Failure::configuration)?;
    let agents: Vec<&str> =
        matches.get_many::<String>("agents").into_iter().flatten().map(String::as_str).collect();
    let known: Vec<&str> = wrap::place::SETTINGS.iter().map(|one| one.agent).collect();
    if let Some(other) = agents.iter().find(|agent| !known.contains(*agent)) {
        let mut known = known;
        known.dedup();
        return Err(Failure::usage(format_args!(
            "where `{}` keeps its servers is not known",
            visible::line(other)
        ))
        .with_help(format_args!("expected one of {}", known.join(", "))));
    }
    let dry = matches.get_flag("dry-run");
    audit::secure_directory(&setting.state).map_err(|error| super::unusable(&error))?;
    let folder = wrap::manifest_directory(&setting.state);
    crate::platform::create_private_directory(&folder).map_err(Failure::internal)?;
    let mut manifest = Manifest::open(&folder).map_err(Failure::internal)?;
    let changes = planned(&machine, &agents, &program, &manifest, adds, out)?;
    if changes.is_empty() {
        let words = if adds {
            "no server is there that is not behind the proxy\n"
        } else {
            "no server is behind the proxy\n"
        };
        return shown(out, words);
    }
    if dry {
        for change in &changes {
            shown(out, &visible::lines(&change.diff()))?;
        }
        return Ok(Exit::Done);
    }
    // What a person puts there is what they meant; for anybody else everything is held until a person looks at it.
    let by = if adds {
        Person::at_terminal_beside(Some(&setting.state)).ok().map(|person| person.name().to_owned())
    } else {
        let of = |change: &Change| {
            let names: Vec<&str> = change.servers.iter().map(|(name, _)| name.as_str()).collect();
            format!("{} of {}", names.join(", "), change.agent)
        };
        let servers: Vec<String> = changes.iter().map(of).collect();
        let servers = visible::line(&servers.join("; ")).into_owned();
        let ask = format!("take the gate away from these servers: {servers}?");
        let agreed = person(&setting.state)?.confirm(&ask).map_err(Failure::internal)?;
        if !agreed {
            return Err(Failure::denied("nothing was changed"));
        }
        None
    };
    // A file can hold servers in two places: each is looked at again, as the one before left it.
    for agent in agents_of(&changes) {
        let count = wrap::look(&machine, &[agent]).len();
        for at in 0..count {
            let Some(Ok(looked)) = wrap::look(&machine, &[agent]).into_iter().nth(at) else {
                continue;
            };
            let change = plan(looked, &program, &manifest, adds).map_err(|error| failed(&error))?;
            if !change.is_any() {
                continue;
            }
            if let Some(by) = &by {
                wrap::enrolled(&change, &setting.state, by).map_err(|error| failed(&error))?;
            }
            wrap::apply(&change, &mut manifest, adds).map_err(|error| failed(&error))?;
            shown(out, &told(&change, adds))?;
        }
    }
    if adds && by.is_none() {
        shown(
            out,
            "nobody was at a terminal, so everything of these servers is held until a person accepts it\n",
        )?;
    }
    if adds {
        shown(
            out,
            "sessions that are open go on without it until they are started again; `portcullis mcp list` shows what is held\n",
        )?;
    }
    Ok(Exit::Done)
}

fn planned(
    machine: &Machine,
    agents: &[&str],
    program: &Program,
    manifest: &Manifest,
    adds: bool,
    out: &mut dyn Write,
) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    for looked in wrap::look(machine, agents) {
        let change = looked.and_then(|looked| plan(looked, program, manifest, adds));
        match change {
            Ok(change) => {
                for (name, why) in &change.left {
                    shown(
                        out,
                        &format!(
                            "{}: `{}` stays as it is: {why}\n",
                            change.agent,
                            visible::line(name)
                        ),
                    )?;
                }
                if change.is_any() {
                    changes.push(change);
                }
            }
            Err(error) => {
                shown(out, &format!("left alone: {}\n", visible::line(&error.to_string())))?;
            }
        }
    }
    Ok(changes)
}

fn plan(
    looked: Looked,
    program: &Program,
    manifest: &Manifest,
    adds: bool,
) -> Result<Change, WrapError> {
    if adds { wrap::wrapping(looked, program.path()) } else { wrap::unwrapping(looked, manifest) }
}

fn agents_of(changes: &[Change]) -> Vec<&'static str> {
    let mut agents: Vec<&'static str> = changes.iter().map(|change| change.agent).collect();
    agents.sort_unstable();
    agents.dedup();
    agents
}

fn told(change: &Change, adds: bool) -> String {
    let names: Vec<String> =
        change.servers.iter().map(|(name, _)| visible::line(name).into_owned()).collect();
    let what = if adds { "behind the proxy now" } else { "as they were" };
    format!(
        "{}: `{}`: {}: {}\n",
        change.agent,
        change.found.located.path.display(),
        what,
        names.join(", ")
    )
}

fn failed(error: &WrapError) -> Failure {
    Failure::internal(error).with_help("nothing of that file was changed")
}
