//! What agents leave of their sessions, a format each. Owns the table of formats, and what the lines before say of those that follow.
//!
//! A format knows its lines by what they hold. One that is no format's is no call, whatever stands in it.

mod claude;
mod codex;
mod continue_dev;
mod copilot;
mod gemini;
mod grok;
mod messages;
mod opencode;
mod openhands;
mod own;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use portcullis_core::call::ToolCall;
use serde_json::{Map, Value};

use crate::{hook, wire};

/// What a line holds.
#[derive(Debug)]
pub(super) enum Line {
    /// Calls, one at least.
    Calls(Vec<ToolCall>),
    /// A call of which only a part was kept.
    Cut,
    /// No call.
    Other,
}

/// What a line holds, where it is of a format.
type Format = fn(&mut Transcript, &Value) -> Option<Line>;

/// The formats, tried in this order: what is more particular comes first.
static FORMATS: &[Format] = &[
    own::call,
    own::record,
    codex::read,
    openhands::read,
    copilot::read,
    gemini::read,
    gemini::qwen,
    continue_dev::read,
    opencode::read,
    messages::read,
    claude::read,
    grok::read,
    messages::document,
    messages::turn,
    own::hook,
];

/// What the lines before said of the lines that follow.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    cwd: Option<String>,
    session: Option<String>,
    /// Calls that were told already: some agents write a message again with each change.
    told: BTreeSet<String>,
    is_known: bool,
}

impl Transcript {
    /// A session that runs in a directory that is known from elsewhere.
    pub(super) fn beginning(cwd: Option<String>) -> Self {
        Self { cwd, ..Self::default() }
    }

    /// A session of this name.
    pub(super) fn named(self, session: &str) -> Self {
        Self { session: Some(session.to_owned()), ..self }
    }

    /// What a line holds.
    pub(super) fn calls(&mut self, value: &Value) -> Line {
        let line = FORMATS.iter().find_map(|format| format(self, value));
        self.is_known |= line.is_some();
        line.unwrap_or(Line::Other)
    }

    /// Whether any line was of a format.
    pub(super) const fn is_known(&self) -> bool {
        self.is_known
    }

    /// Takes over where and what session it is, where a line says so.
    fn placed(&mut self, cwd: Option<&Value>, session: Option<&Value>) {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        self.cwd = text(cwd).filter(|path| Path::new(path).is_absolute()).or(self.cwd.take());
        self.session = text(session).or(self.session.take());
    }

    /// Whether a call with this name of its own was not told before; one without is always new.
    fn is_new(&mut self, id: Option<&Value>) -> bool {
        id.and_then(Value::as_str).is_none_or(|id| self.told.insert(id.to_owned()))
    }

    /// The calls of an agent's tool, as its hook would have them.
    fn made(
        &self,
        agent: &'static str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Vec<ToolCall> {
        let directory = || arguments.get("workdir").and_then(Value::as_str).map(str::to_owned);
        let placed = || directory().filter(|path| Path::new(path).is_absolute());
        let call = ToolCall {
            cwd: self.cwd.clone().or_else(placed),
            session: self.session.clone(),
            agent: Some(agent.to_owned()),
            ..ToolCall::default()
        };
        hook::calls_of_tool(call, tool, arguments)
    }

    /// The calls of blocks of a message, of these kinds: a block's type, and where its arguments are.
    fn blocks(&mut self, agent: &'static str, blocks: &[Value], kind: &str, input: &str) -> Line {
        let mut calls = Vec::new();
        for block in blocks {
            let is_call = text(block, "type") == Some(kind);
            let Some(name) = text(block, "name").filter(|_| is_call) else { continue };
            let Some(arguments) = block.get(input).and_then(arguments) else { continue };
            if self.is_new(block.get("id")) {
                calls.extend(self.made(agent, name, arguments));
            }
        }
        some(calls)
    }
}

fn some(calls: Vec<ToolCall>) -> Line {
    if calls.is_empty() { Line::Other } else { Line::Calls(calls) }
}

fn text<'value>(value: &'value Value, key: &str) -> Option<&'value str> {
    value.get(key).and_then(Value::as_str)
}

fn list<'value>(value: &'value Value, pointer: &str) -> Option<&'value [Value]> {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice)
}

/// Arguments: an object, or one in a string.
fn arguments(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(arguments) => Some(arguments.clone()),
        Value::String(text) => match wire::parse(text.as_bytes(), 1) {
            Ok(Value::Object(arguments)) => Some(arguments),
            _ => None,
        },
        _ => None,
    }
}

/// The calls of a list as OpenAI's chat has them, flat or with the name and the arguments in `function`.
fn functions(transcript: &mut Transcript, agent: &'static str, calls: &[Value]) -> Line {
    let mut made = Vec::new();
    for call in calls {
        let function = call.get("function").unwrap_or(call);
        let Some(name) = text(function, "name") else { continue };
        let Some(arguments) = function.get("arguments").and_then(arguments) else { continue };
        if transcript.is_new(call.get("id").or_else(|| call.get("toolCallId"))) {
            made.extend(transcript.made(agent, name, arguments));
        }
    }
    some(made)
}

/// The calls of a list as OpenAI's chat has them, outside of any session.
pub(super) fn calls_in(
    cwd: Option<String>,
    session: &str,
    agent: &'static str,
    calls: &Value,
) -> Line {
    let mut transcript = Transcript::beginning(cwd).named(session);
    functions(&mut transcript, agent, calls.as_array().map(Vec::as_slice).unwrap_or_default())
}

/// A file beside a session that says where it ran.
struct Beside {
    /// Where that file is, for a session that has one.
    path: fn(&Path) -> Option<PathBuf>,
    /// Where it says so: a JSON pointer; empty for all of its text.
    pointer: &'static str,
}

static BESIDE: &[Beside] = &[
    // Grok.
    Beside {
        path: |path| {
            path.ends_with("chat_history.jsonl").then(|| path.with_file_name("summary.json"))
        },
        pointer: "/info/cwd",
    },
    // Cline.
    Beside {
        path: |path| {
            let stem = path.file_name()?.to_str()?.strip_suffix(".messages.json")?;
            Some(path.with_file_name(format!("{stem}.json")))
        },
        pointer: "/cwd",
    },
    // Gemini.
    Beside {
        path: |path| {
            let folder = path.parent().filter(|folder| folder.ends_with("chats"))?;
            Some(folder.with_file_name(".project_root"))
        },
        pointer: "",
    },
];

/// The longest file of that kind.
const MAX_BESIDE: u64 = 1 << 20;

/// Where a session ran, where a file beside it says so.
pub(super) fn beside(path: &Path) -> Option<String> {
    let (path, pointer) =
        BESIDE.iter().find_map(|beside| Some(((beside.path)(path)?, beside.pointer)))?;
    fs::metadata(&path).ok().filter(|file| file.is_file() && file.len() <= MAX_BESIDE)?;
    let written = fs::read_to_string(&path).ok()?;
    let cwd = if pointer.is_empty() {
        written.trim().to_owned()
    } else {
        wire::parse(written.as_bytes(), 1).ok()?.pointer(pointer)?.as_str()?.to_owned()
    };
    Path::new(&cwd).is_absolute().then_some(cwd)
}

#[cfg(test)]
mod tests;
