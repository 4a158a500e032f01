//! From what an agent says about a tool to calls in our words. Owns how the rows of [`Agent::tools`] are applied; what a
//! call would do is judged elsewhere.

use std::{env, path::Path};

use portcullis_core::{
    action::Action,
    assessment::ActionClass,
    call::ToolCall,
    tool::{self, Meaning, folded},
};
use serde_json::{Map, Value};

use super::unreadable::{Unreadable, text, type_name};
use crate::{
    agents::{
        agent::{Agent, Event, Means, Parts, Servers, Tool, ToolName, of_server},
        field::{at, first},
    },
    wire,
};

/// The most calls in one: each is judged and recorded in the time that an agent waits.
const MAX_CALLS: usize = 64;

type Arguments = Map<String, Value>;

/// The calls that a payload is about.
pub(super) struct Calls {
    /// Never none.
    pub(super) calls: Vec<ToolCall>,
    /// Whether they are readings of one call: what it would be under each of its names.
    pub(super) one: bool,
}

impl Calls {
    fn alone(call: ToolCall) -> Self {
        Self { calls: vec![call], one: false }
    }
}

/// The calls that a payload is about.
///
/// # Errors
/// [`Unreadable`], where something is missing that a judgement needs.
pub(super) fn calls(payload: &Value, agent: &Agent, event: &Event) -> Result<Calls, Unreadable> {
    let name = named(payload, agent, event)?;
    let input = match event.input {
        Some(pointer) => at(payload, pointer),
        None => first(payload, agent.fields.input),
    };
    let mut arguments = arguments(input)?;
    if !event.only.is_empty() {
        arguments.retain(|key, _| event.only.contains(&key.as_str()));
    }
    let call = ToolCall {
        cwd: cwd(payload, agent, &arguments)?,
        session: first(payload, agent.fields.session).and_then(Value::as_str).map(str::to_owned),
        agent: Some(agent.name.to_owned()),
        ..ToolCall::default()
    };
    if let ToolName::Server(..) = event.tool {
        return Ok(Calls::alone(made(&call, name, arguments)));
    }
    of_tool(agent, name, arguments, &call)
}

/// The calls of a tool of an agent, with where and in which session they are made from `call`; never none.
///
/// # Errors
/// [`Unreadable`], where something is missing that a judgement needs.
pub(super) fn of_tool(
    agent: &Agent,
    name: String,
    arguments: Arguments,
    call: &ToolCall,
) -> Result<Calls, Unreadable> {
    let with = |tool: String, arguments| made(call, tool, arguments);
    let rows = rows(agent, &name, &arguments);
    if rows.is_empty() {
        let Some(qualified) = agent.servers.qualified(&name) else {
            return Ok(Calls::alone(with(name, arguments)));
        };
        let known = with(name, arguments.clone());
        let mut calls = vec![with(qualified, arguments)];
        // It may be a new tool of the agent's own too. What that could do counts, what it could be trusted with does not.
        if agent.servers == Servers::Unmarked
            && tool::class(&known.tool) != ActionClass::ReadOnly
            && Action::of_own_tool(known.clone()).is_ok()
        {
            calls.push(known);
        }
        return Ok(Calls { calls, one: true });
    }
    let mut calls = Vec::new();
    for row in rows {
        for part in parts(row, &arguments) {
            calls.push(meant(row, part, call)?);
            if calls.len() > MAX_CALLS {
                return Err(Unreadable::TooMany);
            }
        }
    }
    Ok(Calls { calls, one: false })
}

/// The calls of a tool as an agent names it, as its hook would have them; `call` says where, in which session and by whom.
#[must_use]
pub fn calls_of_tool(call: ToolCall, tool: &str, arguments: Map<String, Value>) -> Vec<ToolCall> {
    let plain = |arguments| made(&call, tool.to_owned(), arguments);
    let Some(agent) = call.agent.as_deref().and_then(super::named) else {
        return vec![plain(arguments)];
    };
    // A tool without a row may be a server's where an agent names those by no sign; one that is known is its own.
    let has_row = agent.tools.iter().any(|row| row.name == tool);
    if agent.servers == Servers::Unmarked && !has_row && tool::meaning(tool) != Meaning::Other {
        return vec![plain(arguments)];
    }
    let Ok(Calls { mut calls, one }) = of_tool(agent, tool.to_owned(), arguments.clone(), &call)
    else {
        return vec![plain(arguments)];
    };
    // What was one call counts once.
    calls.truncate(if one { 1 } else { MAX_CALLS });
    calls
}

fn named(payload: &Value, agent: &Agent, event: &Event) -> Result<String, Unreadable> {
    let name = match event.tool {
        ToolName::Field => text(payload, agent.fields.tool, "tool")?.map(str::to_owned),
        ToolName::Fixed(name) => Some(name.to_owned()),
        ToolName::Server(server, tool) => {
            let server = server.map_or(Ok(None), |server| text(payload, &[server], "server"))?;
            let tool = text(payload, &[tool], "tool")?.filter(|tool| !tool.trim().is_empty());
            tool.map(|tool| of_server(server, tool))
        }
    };
    name.filter(|name| !name.trim().is_empty()).ok_or(Unreadable::NoTool)
}

/// The rows that a tool has: those of its name whose argument is given, else the first of its name.
fn rows<'a>(agent: &'a Agent, name: &str, arguments: &Arguments) -> Vec<&'a Tool> {
    // Where a server's tool looks like one of the agent's own, nothing but the very name is one.
    let is_loose = !matches!(agent.servers, Servers::Unmarked);
    let is_named = |row: &&Tool| row.name == name || is_loose && folded(name).eq(folded(row.name));
    let named: Vec<_> = agent.tools.iter().filter(is_named).collect();
    let is_given = |row: &&Tool| {
        row.given
            .is_none_or(|argument| arguments.get(argument).is_some_and(|value| !value.is_null()))
    };
    let given: Vec<_> = named.iter().copied().filter(is_given).collect();
    if given.is_empty() { named.into_iter().take(1).collect() } else { given }
}

/// The arguments of each call that is in this one.
fn parts(row: &Tool, arguments: &Arguments) -> Vec<Arguments> {
    let parts = match row.parts {
        Parts::One => Vec::new(),
        Parts::Each(lists, item) => items(lists, item, arguments),
        Parts::Found(found) => found(arguments),
    };
    if parts.is_empty() { vec![arguments.clone()] } else { parts }
}

fn items(lists: &[&str], name: &str, arguments: &Arguments) -> Vec<Arguments> {
    let is_given = |key: &&&str| arguments.get(**key).is_some_and(|value| !value.is_null());
    let Some(key) = lists.iter().find(is_given) else { return Vec::new() };
    let mut rest = arguments.clone();
    let items = match rest.remove(*key) {
        Some(Value::Array(items)) => items,
        Some(Value::String(text)) => match wire::parse(text.as_bytes(), 1) {
            Ok(Value::Array(items)) => items,
            _ => vec![Value::String(text)],
        },
        item => item.into_iter().collect(),
    };
    let mut parts = Vec::new();
    if rest.contains_key(name) {
        parts.push(rest.clone());
    }
    for item in items.into_iter().take(MAX_CALLS + 1) {
        let mut part = rest.clone();
        match item {
            Value::Object(own) => part.extend(own),
            item => {
                part.insert(name.to_owned(), item);
            }
        }
        parts.push(part);
    }
    parts
}

/// One call of a row's tool. The directory that its arguments name says where the command runs, and stays an argument of a shell's call: what is
/// the project, the agent says and no model.
fn meant(row: &Tool, mut arguments: Arguments, call: &ToolCall) -> Result<ToolCall, Unreadable> {
    let mut directory = None;
    for key in row.directory.iter().rev() {
        match arguments.remove(*key) {
            None | Some(Value::Null) => {}
            Some(Value::String(named)) if named.is_empty() => {}
            Some(Value::String(named)) => directory = Some(named),
            Some(other) => {
                return Err(Unreadable::Field("directory", type_name(&other), "a string"));
            }
        }
    }
    if let Some(named) = directory {
        arguments.insert(DIRECTORY.to_owned(), Value::String(named));
    }
    for (theirs, ours) in row.renames {
        if let Some(value) = arguments.remove(*theirs).filter(|value| !value.is_null()) {
            arguments.insert((*ours).to_owned(), value);
        }
    }
    let (tool, arguments) = match row.means {
        Means::Known(name) => (name.to_owned(), arguments),
        Means::OfServer(server, tool, inner) => {
            let word = |key| arguments.get(key).and_then(Value::as_str);
            let tool =
                word(tool).filter(|tool| !tool.trim().is_empty()).ok_or(Unreadable::NoTool)?;
            let inner = arguments.get(inner).filter(|value| !value.is_null());
            let inner = inner.map_or_else(|| Ok(Map::new()), |inner| self::arguments(Some(inner)));
            (of_server(word(server), tool), inner?)
        }
    };
    Ok(made(call, tool, arguments))
}

/// The argument in which a shell's call names the directory that it runs in.
const DIRECTORY: &str = "workdir";

/// A call of a tool. What a model says of its command differs each time that it tries; the action is the same, and so is a
/// grant's.
fn made(call: &ToolCall, tool: String, mut arguments: Arguments) -> ToolCall {
    let is_shell = tool::meaning(&tool) == Meaning::Shell;
    let words = if is_shell { arguments.remove(DESCRIPTION) } else { None };
    let summary =
        words.map(|words| words.as_str().map_or_else(|| words.to_string(), str::to_owned));
    ToolCall { tool, arguments, summary, ..call.clone() }
}

/// The argument in which models say what a command is for.
const DESCRIPTION: &str = "description";

/// The arguments as an object. Some agents send it as a string, and a tool of one argument that argument alone.
fn arguments(input: Option<&Value>) -> Result<Arguments, Unreadable> {
    let found = match input {
        None => "missing",
        Some(Value::Object(arguments)) => return Ok(arguments.clone()),
        Some(Value::String(text)) => match wire::parse(text.as_bytes(), 1) {
            Ok(Value::Object(arguments)) => return Ok(arguments),
            Ok(other) => type_name(&other),
            Err(_) if text.trim_start().starts_with('{') => "no JSON",
            Err(_) => {
                return Ok(Map::from_iter([("input".to_owned(), Value::String(text.clone()))]));
            }
        },
        Some(other) => type_name(other),
    };
    Err(Unreadable::Field("arguments", found, "an object"))
}

/// The working directory: the payload's own, else the open directory that the arguments lie in, else the first one, else
/// what the agent's variables say. Without any, it is the one that the process was started in.
fn cwd(
    payload: &Value,
    agent: &Agent,
    arguments: &Arguments,
) -> Result<Option<String>, Unreadable> {
    let absolute = |path: &&str| Path::new(path).is_absolute();
    for pointer in agent.fields.cwd {
        if let Some(own) = text(payload, &[pointer], "cwd")?.filter(absolute) {
            return Ok(Some(own.to_owned()));
        }
    }
    let roots: Vec<&str> = match first(payload, agent.fields.roots) {
        None => Vec::new(),
        Some(Value::Array(roots)) => {
            roots.iter().filter_map(Value::as_str).filter(absolute).collect()
        }
        Some(other) => {
            return Err(Unreadable::Field("open directories", type_name(other), "a list"));
        }
    };
    let holds = |root: &&&str| {
        let paths = arguments.values().filter_map(Value::as_str);
        paths.into_iter().any(|path| Path::new(path).starts_with(root))
    };
    let nearest = roots.iter().filter(holds).max_by_key(|root| root.len());
    let variable = || {
        let value = |name: &&str| env::var(name).ok().filter(|path| absolute(&path.as_str()));
        agent.root_variables.iter().find_map(value)
    };
    Ok(nearest.or(roots.first()).map(|root| (*root).to_owned()).or_else(variable))
}
