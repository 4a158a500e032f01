//! `tools`: programs as tools for agents. Owns the options and what is shown; what a call goes through, [`crate::tools`] says.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use portcullis_core::{call::ToolCall, intervention::Approvers};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    Exit, Failure, Reader, json_flag, policy as policies, sandbox, write, write_json, write_line,
};
use crate::{
    audit,
    confirmation::{AtTerminal, ConfirmationHandler},
    person::Person,
    platform::{self, Directories},
    report::visible,
    sandbox::Named,
    session::{Options, Session},
    tools::{Answer, Ending, FileError, Identity, Tool, Toolbox, ToolsFile, default_path},
    wire::{self, ErrorAnswer, Lines, Request, VERSION},
};

pub(super) fn define(command: Command) -> Command {
    let file = || {
        Arg::new("tools")
            .long("tools")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("The tools; `tools.toml` beside your configuration by default")
    };
    let name = || Arg::new("name").value_name("NAME").required(true).help("The tool");
    command
        .about("Programs as tools for agents: registered, checked, held in a sandbox, watched and recorded")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(
            "Examples:\n  portcullis tools list\n  portcullis tools show count-lines\n  \
             portcullis tools call count-lines '{\"file\": \"README.md\"}'",
        )
        .subcommand(Command::new("list").about("Which tools there are, and which of them may be used").arg(file()).arg(caller()).arg(json_flag()))
        .subcommand(Command::new("show").about("Everything that holds for one tool").arg(name()).arg(file()).arg(json_flag()))
        .subcommand(
            Command::new("check")
                .about("Whether a file of tools can be used, and what is wrong with it")
                .arg(file())
                .arg(json_flag()),
        )
        .subcommand(super::contract::define())
        .subcommand(
            Command::new("call")
                .about("Call a tool: five checks, a question where one is due, the sandbox, and what came back without its secrets")
                .after_help(
                    "Exit codes: 0 it ran and ended well; 1 it ran and did not; 2 a check stopped it, or a person said no; 65 the arguments are no \
                     JSON object; 70 it could not be run as it has to be; 78 the tools cannot be used.\n\n\
                     With --jsonl each line is `{\"id\":…,\"tool\":…,\"arguments\":{…}}`, all of them one execution with its limits; the exit code is 0 \
                     when every line was answered.",
                )
                .arg(Arg::new("name").value_name("NAME").required_unless_present("jsonl").help("The tool"))
                .arg(Arg::new("arguments").value_name("JSON").help("Its arguments, as a JSON object; `-` reads them from standard input"))
                .arg(
                    Arg::new("jsonl")
                        .long("jsonl")
                        .action(ArgAction::SetTrue)
                        .conflicts_with_all(["name", "arguments"])
                        .help("Read one call per line, and answer each with one line"),
                )
                .arg(file())
                .arg(caller())
                .arg(
                    Arg::new("permission")
                        .long("permission")
                        .value_name("NAME")
                        .action(ArgAction::Append)
                        .help("Use only these of the caller's permissions"),
                )
                .arg(
                    Arg::new("workspace")
                        .long("workspace")
                        .value_name("DIR")
                        .value_parser(value_parser!(PathBuf))
                        .help("Where the tools work; the current directory by default"),
                )
                .arg(Arg::new("session").long("session").value_name("NAME").help("The agent's session, for the record and its monitor"))
                .arg(Arg::new("agent").long("agent").value_name("NAME").help("Which agent calls, for the record"))
                .arg(Arg::new("headless").long("headless").action(ArgAction::SetTrue).help("Nobody can be asked: what would ask is denied"))
                .arg(
                    Arg::new("config")
                        .long("config")
                        .value_name("FILE")
                        .value_parser(value_parser!(PathBuf))
                        .help("Use this configuration in place of your own"),
                )
                .arg(json_flag()),
        )
}

fn caller() -> Arg {
    Arg::new("as")
        .long("as")
        .value_name("CALLER")
        .help("Whose permissions count; those without a name by default")
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("list", matches)) => list(matches, out),
        Some(("show", matches)) => show(matches, out),
        Some(("check", matches)) => check(matches, out),
        Some(("call", matches)) => call(matches, out),
        Some(("contract", matches)) => super::contract::run(matches, out),
        _ => Err(Failure::usage(
            "say what to do with the tools: `list`, `show`, `check`, `call` or `contract`",
        )),
    }
}

fn path(matches: &ArgMatches) -> Result<PathBuf, Failure> {
    match matches.get_one::<PathBuf>("tools") {
        Some(path) => Ok(path.clone()),
        None => default_path(&Directories::from_environment()).ok_or_else(|| {
            Failure::configuration("there is no home directory in which tools could be looked for")
                .with_help("name a file with `--tools`")
        }),
    }
}

fn read(matches: &ArgMatches) -> Result<ToolsFile, Failure> {
    ToolsFile::read(&path(matches)?).map_err(|error| {
        let failure = Failure::configuration(&error);
        match &error {
            FileError::Unbelievable { why, .. } if why.is_missing() => {
                failure.with_help("write your tools there, or name another file with `--tools`; docs/tools.md shows how")
            }
            FileError::Unbelievable { .. } => failure.with_help("it has to be a file of yours that nobody else may write: `chmod go-w` it"),
            _ => failure,
        }
    })
}

/// What the caller may do.
fn identity(matches: &ArgMatches, file: &ToolsFile) -> Result<Identity, Failure> {
    let mut permissions = match matches.get_one::<String>("as") {
        None => file.permissions.clone(),
        Some(name) => match file.callers.get(name) {
            Some(caller) => caller.permissions.clone(),
            None => {
                return Err(Failure::usage(format_args!(
                    "there is no caller `{}`",
                    visible::line(name)
                ))
                .with_help("`[callers.NAME]` in the file of tools says who may do what"));
            }
        },
    };
    if let Ok(Some(only)) = matches.try_get_many::<String>("permission") {
        let only: Vec<&String> = only.collect();
        permissions.retain(|permission| only.contains(&permission));
    }
    let text = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
    Ok(Identity {
        permissions,
        user: Some(platform::user_name()),
        agent: text("agent"),
        session: text("session"),
    })
}

#[derive(Serialize)]
struct ToolShape<'a> {
    name: &'a str,
    description: &'a str,
    permissions: Vec<&'a str>,
    allowed: bool,
    risk: &'static str,
    reversible: bool,
    read_only: bool,
    confirm: bool,
    sandbox: &'a str,
    timeout_seconds: u64,
    output_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_minute: Option<u32>,
    input_schema: &'a Value,
    checks: Map<String, Value>,
    digest: String,
}

fn shape<'a>(tool: &'a Tool, identity: &Identity) -> ToolShape<'a> {
    let kinds = |(name, list): (&String, &Vec<portcullis_core::validate::Validator>)| {
        (name.clone(), json!(list.iter().map(|validator| validator.kind()).collect::<Vec<_>>()))
    };
    ToolShape {
        name: &tool.name,
        description: &tool.description,
        permissions: tool.permissions.iter().map(String::as_str).collect(),
        allowed: tool.is_permitted(&identity.permissions),
        risk: tool.least_risk().name(),
        reversible: tool.is_reversible(),
        read_only: tool.read_only,
        confirm: tool.confirm,
        sandbox: &tool.sandbox,
        timeout_seconds: tool.timeout.as_secs(),
        output_bytes: tool.output,
        per_minute: tool.rate,
        input_schema: tool.schema.document(),
        checks: tool.validators.iter().map(kinds).collect(),
        digest: format!("sha256:{}", data_encoding::HEXLOWER.encode(&tool.digest())),
    }
}

fn list(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let file = read(matches)?;
    let identity = identity(matches, &file)?;
    if matches.get_flag("json") {
        let tools: Vec<_> = file.registry.tools().map(|tool| shape(tool, &identity)).collect();
        return write_json(
            out,
            &json!({"v": VERSION, "registry": file.registry.digest(), "tools": tools}),
        );
    }
    let width = file.registry.tools().map(|tool| tool.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for tool in file.registry.tools() {
        let may = if tool.is_permitted(&identity.permissions) {
            ""
        } else {
            " (not with these permissions)"
        };
        text.push_str(&format!(
            "{:width$}  {:8}  {}{may}\n",
            tool.name,
            tool.least_risk().name(),
            visible::line(&tool.description)
        ));
    }
    if text.is_empty() {
        text.push_str("there are no tools\n");
    }
    write(out, text.as_bytes())?;
    Ok(Exit::Done)
}

fn show(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let file = read(matches)?;
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let Some(tool) = file.registry.get(name) else {
        return Err(Failure::usage(format_args!("there is no tool `{}`", visible::line(name)))
            .with_help("`portcullis tools list` shows which there are"));
    };
    let shape =
        shape(tool, &Identity { permissions: file.permissions.clone(), ..Identity::default() });
    if matches.get_flag("json") {
        return write_json(out, &shape);
    }
    let yes = |value: bool| if value { "yes" } else { "no" };
    let mut text = format!(
        "{}\n  {}\n\n  needs        {}\n  risk         {}\n  reversible   {}\n  read-only    {}\n  asks always  {}\n  sandbox      {}\n  at most      {} s, {} bytes{}\n",
        tool.name,
        visible::line(&tool.description),
        shape.permissions.join(", "),
        shape.risk,
        yes(shape.reversible),
        yes(shape.read_only),
        yes(shape.confirm),
        visible::line(shape.sandbox),
        shape.timeout_seconds,
        shape.output_bytes,
        shape.per_minute.map_or_else(String::new, |rate| format!(", {rate} times a minute")),
    );
    text.push_str("\n  parameters\n");
    for name in tool.schema.names() {
        let property = tool.schema.property(name);
        let kind = property
            .get("type")
            .map_or_else(|| "any".to_owned(), |kind| kind.to_string().replace('"', ""));
        let checks = shape.checks.get(name).map_or_else(String::new, |checks| {
            format!(
                ", held to {}",
                checks.to_string().replace(['"', '[', ']'], "").replace(',', ", ")
            )
        });
        let words = property.get("description").and_then(Value::as_str).unwrap_or_default();
        text.push_str(&format!(
            "    {}: {kind}{checks}  {}\n",
            visible::line(name),
            visible::line(words)
        ));
    }
    write(out, text.as_bytes())?;
    Ok(Exit::Done)
}

fn check(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let file = read(matches)?;
    let count = file.registry.tools().count();
    if matches.get_flag("json") {
        return write_json(
            out,
            &json!({"v": VERSION, "tools": count, "registry": file.registry.digest()}),
        );
    }
    let tools = if count == 1 { "tool" } else { "tools" };
    write(out, format!("{count} {tools}, {}\n", file.registry.digest()).as_bytes())?;
    Ok(Exit::Done)
}

fn call(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let file = read(matches)?;
    let identity = identity(matches, &file)?;
    let configuration = policies::load(matches)?;
    let workspace = match matches.get_one::<PathBuf>("workspace") {
        Some(workspace) => workspace.clone(),
        None => std::env::current_dir().map_err(|error| {
            Failure::internal(format_args!("there is no current directory: {error}"))
        })?,
    };
    let state = audit::directory(configuration.audit.path.as_deref()).ok();
    let profiles = configuration.sandbox.clone();
    let unknown = |tool: &&Arc<Tool>| Named::find(&tool.sandbox, &profiles).is_none();
    if let Some(tool) = file.registry.tools().find(unknown) {
        let failure = sandbox::unknown(&tool.sandbox, &profiles);
        return Err(Failure { exit: Exit::Configuration, ..failure });
    }
    let session = Session::open(Options { configuration, ..Options::default() });
    let mut toolbox = Toolbox::new(file.registry, session, &workspace).map_err(|error| {
        Failure::usage(format_args!("cannot work in `{}`: {error}", workspace.display()))
    })?;
    toolbox = toolbox
        .with_limits(file.limits)
        .with_fatality(file.fatality)
        .with_intervention(file.intervention);
    if let Some(state) = &state {
        toolbox = toolbox.with_state(state);
    }
    if let Some(handler) = handler(state.as_deref()).filter(|_| !matches.get_flag("headless")) {
        toolbox = toolbox.with_handler(handler);
    }
    // It listens as long as the calls last.
    let named = matches.get_one::<String>("name");
    let connects = |tool: &Arc<Tool>| {
        named.is_none_or(|name| *name == tool.name)
            && Named::find(&tool.sandbox, &profiles).is_some_and(|profile| profile.connects())
    };
    let needs_proxy = toolbox.registry().tools().any(connects);
    let proxy = needs_proxy.then(|| sandbox::Opened::new(matches)).transpose()?;
    toolbox = toolbox.with_profiles(profiles);
    if let Some(proxy) = &proxy {
        toolbox = toolbox.with_proxy(proxy.way.clone());
    }
    if matches.get_flag("jsonl") {
        return lines(&mut toolbox, &identity, out);
    }
    let call = ToolCall {
        tool: matches.get_one::<String>("name").cloned().unwrap_or_default(),
        arguments: arguments(matches.get_one::<String>("arguments").map(String::as_str))?,
        ..ToolCall::default()
    };
    let answer = toolbox.call(call, &identity);
    if matches.get_flag("json") {
        write_json(out, &versioned(&answer)?)?;
    } else {
        said(&answer, out)?;
    }
    Ok(exit(&answer))
}

fn exit(answer: &Answer) -> Exit {
    match answer.status {
        Ending::Done => Exit::Done,
        Ending::Failed | Ending::TimedOut => Exit::Ended(1),
        Ending::Blocked | Ending::Cancelled => Exit::Denied,
        _ => Exit::Internal,
    }
}

fn arguments(written: Option<&str>) -> Result<Map<String, Value>, Failure> {
    let text = match written {
        None => return Ok(Map::new()),
        Some("-") => io::read_to_string(io::stdin()).map_err(|error| {
            Failure::bad_input(format_args!("cannot read the arguments: {error}"))
        })?,
        Some(text) => text.to_owned(),
    };
    let bad = |why: &dyn std::fmt::Display| {
        Failure::bad_input(format_args!("the arguments cannot be read: {why}"))
            .with_help("write them as a JSON object, like `{\"file\": \"README.md\"}`")
    };
    match wire::parse(text.as_bytes(), 1) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(bad(&"they are no JSON object")),
        Err(malformed) => Err(bad(&malformed)),
    }
}

/// The person at the terminal, where there is one. On one's own machine one answers for oneself.
fn handler(state: Option<&Path>) -> Option<ConfirmationHandler> {
    let person = Person::at_terminal_beside(state).ok()?;
    let handler = ConfirmationHandler::new(Arc::new(AtTerminal::new(person)));
    Some(handler.approved_by(Approvers::UserToo))
}

/// One call per line.
fn lines(toolbox: &mut Toolbox, identity: &Identity, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut lines = Lines::new(io::stdin().lock());
    let mut exit = Exit::Done;
    loop {
        let line = lines.read().map_err(|error| {
            Failure::bad_input(format_args!("standard input could not be read: {error}"))
        })?;
        let Some((number, line)) = line else { return Ok(exit) };
        let reader = match line.and_then(|line| Request::parse(line, number)) {
            Ok(request) => write_line(out, &versioned(&toolbox.call(request.call, identity))?)?,
            Err(malformed) => {
                exit = Exit::BadInput;
                let message = malformed.to_string();
                write_line(out, &ErrorAnswer::new(malformed.id.as_ref(), "bad-input", message))?
            }
        };
        if reader == Reader::Gone {
            return Ok(exit);
        }
    }
}

fn versioned(answer: &Answer) -> Result<Value, Failure> {
    let mut value = serde_json::to_value(answer).map_err(|error| {
        Failure::internal(format_args!("the answer could not be made: {error}"))
    })?;
    if let Value::Object(table) = &mut value {
        table.insert("v".to_owned(), json!(VERSION));
    }
    Ok(value)
}

/// What a tool said, and beside it what a person should know.
fn said(answer: &Answer, out: &mut dyn Write) -> Result<(), Failure> {
    let mut beside = String::new();
    for violation in &answer.violations {
        let ends = if violation.fatal { ", which ends the execution" } else { "" };
        beside.push_str(&format!(
            "blocked: {} ({}{ends})\n",
            visible::line(&violation.message),
            violation.reason
        ));
    }
    if let Some(message) = answer.message.as_deref().filter(|_| answer.violations.is_empty()) {
        beside.push_str(&format!("not done: {}\n", visible::line(message)));
    }
    for words in &answer.caught.instructions {
        beside.push_str(&format!("noticed: words that tell an agent what to do: `{words}`\n"));
    }
    if answer.caught.secrets > 0 {
        beside.push_str(&format!("noticed: {} secrets, taken out\n", answer.caught.secrets));
    }
    if let Some(output) = &answer.output {
        write(out, output.stdout.as_bytes())?;
        beside.push_str(&output.stderr);
        if output.dropped > 0 {
            beside.push_str(&format!(
                "noticed: {} bytes more, which were too many\n",
                output.dropped
            ));
        }
    }
    if let Some(exit) = answer.exit.filter(|exit| *exit != 0) {
        beside.push_str(&format!("the program ended with {exit}\n"));
    }
    // Nobody is there to tell where standard error is closed; the exit code says it too.
    let _ = io::stderr().write_all(beside.as_bytes());
    Ok(())
}
