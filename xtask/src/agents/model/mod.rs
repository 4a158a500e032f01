//! The scripted model that the agents talk to: a server on the loopback that answers every conversation with the next call of
//! one script. Owns the script, what it noticed of the conversations, and the server; how each service writes its
//! conversations is a file each beside this one.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use axum::{
    Router,
    body::{self, Bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};

use crate::command::Failed;

/// The longest body that is read; agents send all that they were told with each request.
const MAX_BODY: usize = 32 << 20;

/// The word that every task of ours has, so that other conversations (titles, summaries) are told from it.
pub(super) const TOKEN: &str = "portcullis-bench-task";

/// Where the server gives the script that a person should not pipe into a shell.
pub(super) const SCRIPT_PATH: &str = "/install.sh";

/// A call that the model makes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// The tool as the agent names it.
    pub(super) tool: &'static str,
    /// Its arguments.
    pub(super) arguments: Value,
}

/// What the model answers.
#[derive(Debug)]
enum Answer {
    /// A call.
    Call(Call),
    /// Words.
    Words(&'static str),
}

/// One turn of a conversation, as far as a script has to know it.
#[derive(Debug, PartialEq)]
enum Turn {
    /// Somebody wrote something.
    Words(String),
    /// What a call came to.
    Result(String),
}

/// A piece of an answer: the name of its event, where it has one, and its data.
type Piece = (Option<String>, Value);

/// A service's way of writing: where it is asked, how a conversation is read, and how an answer is written.
struct Wire {
    /// Whether a request's path is this service's.
    fits: fn(&str) -> bool,
    /// The turns of a request.
    turns: fn(&Value) -> Vec<Turn>,
    /// The names of the tools that it offers.
    tools: fn(&Value) -> Vec<String>,
    /// Whether the answer is wanted in pieces.
    streams: fn(&str, &Value) -> bool,
    /// The answer in one.
    whole: fn(&Answer, &Value, u64) -> Value,
    /// The answer in pieces.
    pieces: fn(&Answer, &Value, u64) -> Vec<Piece>,
    /// What ends the pieces.
    end: &'static str,
}

static WIRES: &[&Wire] = &[&anthropic::WIRE, &chat::WIRE, &responses::WIRE, &gemini::WIRE];

/// What is to be called, and what was noticed meanwhile.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// The calls, one for each result that came back.
    pub(super) calls: Vec<Call>,
    /// What the script at [`SCRIPT_PATH`] does.
    pub(super) fetched: String,
    /// How many of the calls were made.
    pub(super) made: usize,
    /// What the model was told of each.
    pub(super) told: Vec<String>,
    /// A tool that the script calls and the agent did not offer, with those that it did.
    pub(super) not_offered: Option<(String, Vec<String>)>,
    /// Requests on paths that no service has.
    pub(super) strangers: Vec<String>,
}

/// The server.
#[derive(Debug)]
pub(super) struct Model {
    script: Arc<Mutex<Script>>,
    /// Where it listens.
    pub(super) address: SocketAddr,
}

impl Model {
    /// Starts it. It ends with the process.
    pub(super) fn start() -> Result<Self, Failed> {
        let broken = |source| Failed::Start {
            program: "the scripted model".to_owned(),
            source,
            help: "the loopback device must be up",
        };
        let script = Arc::new(Mutex::new(Script::default()));
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(broken)?;
        listener.set_nonblocking(true).map_err(broken)?;
        let address = listener.local_addr().map_err(broken)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(broken)?;
        let router = Router::new().fallback(asked).with_state(Arc::clone(&script));
        thread::spawn(move || {
            runtime.block_on(async {
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    // A server that ends is noticed by the first agent that reaches nobody.
                    let _ended = axum::serve(listener, router).await;
                }
            });
        });
        Ok(Self { script, address })
    }

    /// Looks at the script that is followed.
    pub(super) fn look<T>(&self, look: impl FnOnce(&mut Script) -> T) -> T {
        look(&mut held(&self.script))
    }

    /// Takes a new script, and gives what the last one came to.
    pub(super) fn follow(&self, script: Script) -> Script {
        std::mem::replace(&mut *held(&self.script), script)
    }
}

fn held(script: &Mutex<Script>) -> MutexGuard<'_, Script> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn asked(State(script): State<Arc<Mutex<Script>>>, request: Request) -> Response {
    let path = request.uri().to_string();
    let is_question = request.method() == "POST";
    let Ok(body) = body::to_bytes(request.into_body(), MAX_BODY).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    answered(&script, &path, is_question, &body)
}

fn answered(script: &Mutex<Script>, path: &str, is_question: bool, body: &Bytes) -> Response {
    if path == SCRIPT_PATH {
        return held(script).fetched.clone().into_response();
    }
    if !is_question {
        let models = json!({"object": "list", "data": [{
            "id": super::table::MODEL, "object": "model", "owned_by": "portcullis", "type": "model",
            "display_name": "scripted", "context_length": 200_000
        }]});
        let is_list = path.contains("models");
        return if is_list { written(&models) } else { StatusCode::NOT_FOUND.into_response() };
    }
    let question: Value = serde_json::from_slice(body).unwrap_or_default();
    if path.contains("count_tokens") || path.contains("countTokens") {
        return written(&json!({"input_tokens": 100, "totalTokens": 100}));
    }
    let Some(wire) = WIRES.iter().find(|wire| (wire.fits)(path)) else {
        held(script).strangers.push(path.to_owned());
        return written(&json!({}));
    };
    let (answer, number) =
        next(&mut held(script), &(wire.turns)(&question), &(wire.tools)(&question));
    if !(wire.streams)(path, &question) {
        return written(&(wire.whole)(&answer, &question, number));
    }
    let mut text = String::new();
    for (name, data) in (wire.pieces)(&answer, &question, number) {
        if let Some(name) = name {
            text.push_str(&format!("event: {name}\n"));
        }
        text.push_str(&format!("data: {data}\n\n"));
    }
    text.push_str(wire.end);
    ([(header::CONTENT_TYPE, "text/event-stream")], text).into_response()
}

fn written(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// The next answer of a script to a conversation, and its number.
fn next(script: &mut Script, turns: &[Turn], tools: &[String]) -> (Answer, u64) {
    let is_task = |turn: &Turn| matches!(turn, Turn::Words(words) if words.contains(TOKEN));
    let number = u64::try_from(script.made).unwrap_or(u64::MAX);
    let Some(start) = turns.iter().position(is_task) else {
        return (Answer::Words("A short task"), number);
    };
    if tools.is_empty() {
        return (Answer::Words("A short task"), number);
    }
    let results: Vec<&String> = turns
        .iter()
        .skip(start)
        .filter_map(|turn| match turn {
            Turn::Result(result) => Some(result),
            Turn::Words(_) => None,
        })
        .collect();
    if results.len() > script.told.len() {
        script.told = results.iter().map(|result| (*result).clone()).collect();
    }
    let Some(call) = script.calls.get(results.len()).cloned() else {
        return (Answer::Words("The task is done."), number);
    };
    if !tools.iter().any(|tool| tool == call.tool) {
        // A conversation about the task in which nothing can be done is one about its title.
        if tools.len() > 1 {
            script.not_offered = Some((call.tool.to_owned(), tools.to_vec()));
        }
        return (Answer::Words("There is no such tool."), number);
    }
    script.made = script.made.max(results.len() + 1);
    (Answer::Call(call), number + 1)
}

/// The text of a value that services write as a text, as parts, or as an object around either.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => ["text", "content", "output", "response", "parts"]
            .iter()
            .find_map(|key| members.get(*key))
            .map_or_else(|| value.to_string(), text),
        other => other.to_string(),
    }
}

/// The items of a list under a key; none where there is no list.
fn items<'value>(value: &'value Value, key: &str) -> &'value [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A text under a key; empty where there is none.
fn word<'value>(value: &'value Value, key: &str) -> &'value str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The names of the tools of a list whose items name them at this key.
fn named(value: &Value, list: &str, key: &str) -> Vec<String> {
    items(value, list)
        .iter()
        .filter_map(|tool| tool.get(key).and_then(Value::as_str))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script {
        let call = Call { tool: "bash", arguments: json!({"command": "ls"}) };
        Script { calls: vec![call], ..Script::default() }
    }

    fn question(wire: &Wire, told: bool) -> Value {
        let task = format!("{TOKEN}: go on");
        let turns = if std::ptr::eq(wire, &raw const anthropic::WIRE) {
            let mut turns =
                vec![json!({"role": "user", "content": [{"type": "text", "text": task}]})];
            if told {
                turns.push(json!({"role": "user", "content": [{"type": "tool_result", "content": "told"}]}));
            }
            return json!({"messages": turns, "tools": [{"name": "bash"}]});
        } else if std::ptr::eq(wire, &raw const gemini::WIRE) {
            let mut turns = vec![json!({"role": "user", "parts": [{"text": task}]})];
            if told {
                turns.push(
                    json!({"parts": [{"functionResponse": {"response": {"output": "told"}}}]}),
                );
            }
            return json!({"contents": turns, "tools": [{"functionDeclarations": [{"name": "bash"}]}]});
        } else if std::ptr::eq(wire, &raw const responses::WIRE) {
            let mut turns =
                vec![json!({"role": "user", "content": [{"type": "input_text", "text": task}]})];
            if told {
                turns.push(json!({"type": "function_call_output", "output": "told"}));
            }
            return json!({"input": turns, "tools": [{"type": "function", "name": "bash"}]});
        } else {
            let mut turns = vec![json!({"role": "user", "content": task})];
            if told {
                turns.push(json!({"role": "tool", "content": "told"}));
            }
            turns
        };
        json!({"messages": turns, "tools": [{"type": "function", "function": {"name": "bash"}}]})
    }

    #[test]
    fn each_wire_is_given_the_call_and_then_the_end() {
        for wire in WIRES {
            let mut script = script();
            for (told, expected) in [(false, "ls"), (true, "The task is done.")] {
                let question = question(wire, told);
                let (turns, tools) = ((wire.turns)(&question), (wire.tools)(&question));
                let (answer, number) = next(&mut script, &turns, &tools);
                let whole = (wire.whole)(&answer, &question, number).to_string();
                assert!(whole.contains(expected), "{whole}");
                let pieces = (wire.pieces)(&answer, &question, number);
                assert!(
                    pieces.iter().any(|(_, data)| data.to_string().contains(expected)),
                    "{pieces:?}"
                );
            }
            assert_eq!((script.made, script.told.len()), (1, 1), "{script:?}");
            assert!(script.told.iter().all(|told| told.contains("told")), "{script:?}");
        }
    }

    #[test]
    fn a_conversation_about_something_else_gets_no_call() {
        let mut script = script();
        let turns = [Turn::Words("name this conversation".to_owned())];
        let (answer, _) = next(&mut script, &turns, &["bash".to_owned()]);
        assert!(matches!(answer, Answer::Words(_)), "{answer:?}");
        assert_eq!(script.made, 0);
    }

    #[test]
    fn a_tool_that_is_not_offered_is_noticed() {
        let mut script = script();
        let turns = [Turn::Words(TOKEN.to_owned())];
        let tools = ["read".to_owned(), "write".to_owned()];
        next(&mut script, &turns, &tools);
        assert_eq!(script.not_offered.map(|(tool, _)| tool).as_deref(), Some("bash"));
    }
}
