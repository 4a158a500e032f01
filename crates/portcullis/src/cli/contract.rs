//! `tools contract`: what a tool does that only its server knows, and how that is known. Owns the options and what is shown; the contracts
//! themselves are the core's and the configuration's.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Command, value_parser};
use portcullis_core::{
    contract::{Class, Contract, Data, Reach, Source},
    session::ToolDefinition,
    understand::{self, Known},
};
use serde_json::{Value, json};

use super::{Exit, Failure, json_flag, policy as policies, write, write_json};
use crate::{
    config::Configuration,
    report::visible,
    wire::{self, VERSION},
};

/// The longest list of tools that is read.
const LONGEST: u64 = 16 << 20;

pub(super) fn define() -> Command {
    let list = |help: &'static str| {
        Arg::new("list").value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    let config = || {
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Use this configuration in place of your own")
    };
    Command::new("contract")
        .about("What tools of servers do, and how that is known: shipped, written down, or derived of what they say")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Examples:\n  portcullis tools contract show mcp__github__merge_pull_request\n  \
             portcullis tools contract propose tools-list.json >> ~/.config/portcullis/config.toml\n  \
             portcullis tools contract check ~/.config/portcullis/config.toml",
        )
        .subcommand(
            Command::new("show")
                .about("The contract of one tool, and where it comes from")
                .arg(Arg::new("name").value_name("TOOL").required(true).help("The tool as an agent calls it"))
                .arg(list("A `tools/list` of its server: what the tool says of itself").long("list"))
                .arg(config())
                .arg(json_flag()),
        )
        .subcommand(
            Command::new("check")
                .about("Whether the contracts of a configuration can be used, and which say less than the names of their tools")
                .arg(Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf)).help("The configuration"))
                .arg(json_flag()),
        )
        .subcommand(
            Command::new("propose")
                .about("Contracts for every tool of a `tools/list`, to be read by a person and written down")
                .arg(list("The list, in JSON; `-` reads it from standard input").required(true))
                .arg(Arg::new("server").long("server").value_name("NAME").help("What the server is called in the agent's settings"))
                .arg(json_flag()),
        )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("show", matches)) => show(matches, out),
        Some(("check", matches)) => check(matches, out),
        Some(("propose", matches)) => propose(matches, out),
        _ => Err(Failure::usage("say what to do with contracts: `show`, `check` or `propose`")),
    }
}

fn show(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = policies::load(matches)?;
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let listed = match matches.get_one::<PathBuf>("list") {
        Some(path) => definitions(path)?,
        None => Vec::new(),
    };
    let own = name.rsplit("__").next().unwrap_or(name);
    let mut tool =
        listed.into_iter().find(|tool| tool.name == name || tool.name == own).unwrap_or_default();
    name.clone_into(&mut tool.name);
    let known = contract_of(&tool, &configuration);
    if matches.get_flag("json") {
        write_json(out, &shape(&tool.name, known.as_ref()))?;
    } else {
        write(out, described(&tool.name, known.as_ref()).as_bytes())?;
    }
    Ok(Exit::Done)
}

fn check(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = matches.get_one::<PathBuf>("file").cloned().unwrap_or_default();
    let configuration = Configuration::load(Some(&path)).map_err(Failure::configuration)?;
    let mut weaker = Vec::new();
    let mut count = 0;
    for (name, contract) in configuration.contracts.all() {
        count += 1;
        let tool = ToolDefinition { name: name.to_owned(), ..ToolDefinition::default() };
        let named = understand::contract_of(&tool, None, false);
        if let Some(known) = named.filter(|known| known.contract.class > contract.class) {
            weaker.push((name, contract.class, known));
        }
    }
    if matches.get_flag("json") {
        let weaker: Vec<Value> = weaker
            .iter()
            .map(|(name, class, known)| {
                json!({"tool": name, "class": class.name(), "otherwise": known.contract.class.name()})
            })
            .collect();
        write_json(out, &json!({"v": VERSION, "contracts": count, "weaker": weaker}))?;
        return Ok(Exit::Done);
    }
    let mut text = format!("{count} contracts can be used\n");
    for (name, class, known) in &weaker {
        text.push_str(&format!(
            "noticed: `{}` is written down as {}, and would be {} otherwise ({})\n",
            visible::line(name),
            class.name(),
            known.contract.class.name(),
            source(known.source),
        ));
    }
    write(out, text.as_bytes())?;
    Ok(Exit::Done)
}

fn propose(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = matches.get_one::<PathBuf>("list").cloned().unwrap_or_default();
    let server = matches.get_one::<String>("server");
    let mut proposals = Vec::new();
    for mut tool in definitions(&path)? {
        if let Some(server) = server {
            tool.name = format!("mcp__{server}__{}", tool.name);
        }
        let known = understand::contract_of(&tool, None, false);
        proposals.push((tool.name, known));
    }
    if matches.get_flag("json") {
        let tools: Vec<Value> =
            proposals.iter().map(|(name, known)| shape(name, known.as_ref())).collect();
        write_json(out, &json!({"v": VERSION, "tools": tools}))?;
        return Ok(Exit::Done);
    }
    let mut text = String::from(
        "# Proposed from what the tools say of themselves. Read each before you write it down: it is your word from then on.\n",
    );
    for (name, known) in &proposals {
        text.push_str(&proposal(name, known.as_ref()));
    }
    write(out, text.as_bytes())?;
    Ok(Exit::Done)
}

fn contract_of(tool: &ToolDefinition, configuration: &Configuration) -> Option<Known> {
    let named = tool.name.strip_prefix("mcp__").and_then(|name| name.split_once("__"));
    let server = named.map(|(server, _)| server).or(tool.server.as_deref());
    let is_trusted = server.is_some_and(|server| configuration.contracts.trusts(server));
    understand::contract_of(tool, configuration.contracts.of(&tool.name), is_trusted)
}

/// The tools of a list: a `tools/list` answer, what is in it, or the array alone.
fn definitions(path: &Path) -> Result<Vec<ToolDefinition>, Failure> {
    let unreadable = |error: io::Error| {
        Failure::bad_input(format_args!("cannot read `{}`: {error}", path.display()))
    };
    let text = if path == Path::new("-") {
        let mut text = String::new();
        io::Read::read_to_string(&mut io::Read::take(io::stdin(), LONGEST), &mut text)
            .map_err(unreadable)?;
        text
    } else {
        fs::read_to_string(path).map_err(unreadable)?
    };
    let value = wire::parse(text.as_bytes(), 1).map_err(|error| {
        Failure::bad_input(format_args!("the list of tools cannot be read: {error}"))
    })?;
    let list = value
        .pointer("/result/tools")
        .or_else(|| value.pointer("/tools"))
        .unwrap_or(&value)
        .as_array()
        .ok_or_else(|| {
            Failure::bad_input("there is no list of tools in it")
                .with_help("give the answer to `tools/list`: `{\"tools\": [{\"name\": …}]}`")
        })?;
    Ok(list.iter().filter_map(ToolDefinition::read).collect())
}

fn shape(name: &str, known: Option<&Known>) -> Value {
    let Some(Known { contract, source }) = known else {
        return json!({"v": VERSION, "tool": name, "source": "none", "contract": null});
    };
    json!({"v": VERSION, "tool": name, "source": source.name(), "contract": contract})
}

fn described(name: &str, known: Option<&Known>) -> String {
    let name = visible::line(name);
    let Some(Known { contract, source: from }) = known else {
        return format!("{name}\n  nothing says what it does, so each call of it is asked about\n");
    };
    let yes = |value: bool| if value { "yes" } else { "no" };
    let mut text = format!(
        "{name}\n  class       {}\n  known from  {}\n  reaches     {}\n  done to     {}\n  gives back  {}{}\n  reversible  {}\n",
        contract.class.name(),
        source(*from),
        word(contract.reach),
        visible::line(if contract.subject.is_empty() { "-" } else { &contract.subject }),
        word(contract.gives),
        if contract.foreign { ", perhaps written by others" } else { "" },
        yes(contract.reversible),
    );
    for argument in &contract.arguments {
        text.push_str(&format!(
            "    {}: {}\n",
            visible::line(&argument.pointer),
            word(argument.meaning)
        ));
    }
    text.push_str(&format!("  so          {}\n", consequence(contract)));
    text
}

/// What follows by the default policy.
fn consequence(contract: &Contract) -> &'static str {
    match contract.class {
        Class::Quiet => "it goes on",
        Class::Read if contract.gives == Data::Secret => {
            "it is asked about: the agent is shown a secret"
        }
        Class::Read => "it goes on, unless something sensitive goes in",
        Class::Change => "it goes on at a medium risk",
        Class::Send if contract.reach == Reach::People => {
            "it is asked about where it names people, and goes on at a medium risk where it names a place"
        }
        Class::Delete if contract.reversible => "it goes on at a medium risk",
        _ => "it is asked about",
    }
}

fn proposal(name: &str, known: Option<&Known>) -> String {
    let key = name.replace('\\', "\\\\").replace('"', "\\\"");
    let Some(Known { contract, source: from }) = known else {
        let name = visible::line(name);
        return format!(
            "\n# `{name}`: nothing says what it does; each call of it is asked about.\n"
        );
    };
    let mut text = format!(
        "\n# {}\n[contracts.tools.\"{}\"]\nclass = \"{}\"\nreach = \"{}\"\nsubject = \"{}\"\nforeign = {}\nreversible = {}\n",
        source(*from),
        visible::line(&key),
        contract.class.name(),
        word(contract.reach),
        visible::line(&contract.subject).replace(['"', '\\'], ""),
        contract.foreign,
        contract.reversible,
    );
    if contract.gives != Data::Work {
        text.push_str(&format!("gives = \"{}\"\n", word(contract.gives)));
    }
    if !contract.arguments.is_empty() {
        text.push_str("arguments = [\n");
        for argument in &contract.arguments {
            let pointer = visible::line(&argument.pointer).replace(['"', '\\'], "");
            let meaning = word(argument.meaning);
            text.push_str(&format!("  {{ pointer = \"{pointer}\", meaning = \"{meaning}\" }},\n"));
        }
        text.push_str("]\n");
    }
    text
}

const fn source(source: Source) -> &'static str {
    match source {
        Source::Derived => "derived of its name and what it says of itself",
        Source::Organisation => "written down in the configuration",
        Source::Shipped => "shipped, from the documentation of its server",
    }
}

/// The word of a value in files.
fn word(value: impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
