//! What one half of a step holds: its texts and the calls that the model asks for. Owns where either stands in the bodies of providers; what they mean, others
//! judge.
//!
//! A payload is read by the shape of what stands in it and not by the protocol that it is said to be in, so that a wrong word hides no call. Every text of it
//! is read, wherever it stands: a place that is in no list would be one where nobody looks.

use serde_json::{Map, Value};

use super::event::{Event, Half};

/// The most calls of one answer that are judged.
pub(super) const MOST_CALLS: usize = 64;

/// The longest key that is a name, and no text.
const LONGEST_KEY: usize = 40;

/// How much of what a model says beside its calls is read with them.
const LONGEST_THOUGHT: usize = 16 << 10;

/// How deep a payload is followed; what is read as JSON goes no deeper.
const DEEPEST: usize = 128;

/// What stands in one half of a step.
#[derive(Debug, Default)]
pub(super) struct Step {
    pub(super) texts: Vec<Text>,
    pub(super) calls: Vec<Called>,
    /// The tools that the model may call, as their definitions say.
    pub(super) tools: Vec<Value>,
    /// What the model says beside its calls.
    pub(super) thought: String,
    /// The places that nobody could look at.
    pub(super) unread: Vec<String>,
}

/// A text.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Text {
    /// Where it stands: `payload.messages.1.content`.
    pub(super) path: String,
    pub(super) text: String,
    pub(super) from: From,
    /// Whether it is the whole of a string, so that a part of it can be named.
    pub(super) is_value: bool,
}

/// Who wrote a text, as far as that can be told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum From {
    /// Whoever speaks in the conversation. Who that is, nobody can tell: programs write in the place of people.
    Conversation,
    /// What a call answered.
    Result,
    /// The definition of a tool.
    Definition,
}

/// A call that the model asks for.
#[derive(Debug, PartialEq)]
pub(super) struct Called {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    /// Where the arguments stand.
    pub(super) path: String,
    /// Whether they are sent as they are, so that a part of them can be named.
    pub(super) is_plain: bool,
}

/// What models call that their provider runs: it has run when the answer comes.
const RUN_ELSEWHERE: [&str; 8] = [
    "server_tool_use",
    "mcp_tool_use",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "tool_search_call",
];

/// Reads the payload of an event.
pub(super) fn read(event: &Event) -> Step {
    let mut step = Step::default();
    if let Some(needed) = event.protocol.needs(event.half)
        && !event.payload.get(needed).is_some_and(Value::is_array)
    {
        step.unread.push(format!("payload.{needed}"));
    }
    if event.half == Half::Request
        && let Some(Value::Array(tools)) = event.payload.get("tools")
    {
        step.tools.extend(tools.iter().map(definition));
    }
    let mut walk = Walk { step, half: event.half, written: 0 };
    for (name, value) in &event.payload {
        let from = if name == "tools" { From::Definition } else { From::Conversation };
        walk.member(&format!("payload.{name}"), name, value, from, 0);
    }
    if walk.step.calls.len() > MOST_CALLS {
        let more = walk.step.calls.split_off(MOST_CALLS);
        walk.step.unread.extend(more.into_iter().map(|call| call.path));
    }
    walk.step
}

struct Walk {
    step: Step,
    half: Half,
    /// How many calls there were so far, those that cannot be read too.
    written: usize,
}

impl Walk {
    fn member(&mut self, path: &str, name: &str, value: &Value, from: From, depth: usize) {
        if name.len() > LONGEST_KEY {
            self.text(path, name, from, false);
        }
        if depth > DEEPEST {
            self.step.unread.push(path.to_owned());
            return;
        }
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => {
                if self.half == Half::Response && SAID.contains(&name) {
                    self.says(text);
                }
                self.text(path, text, from, true);
            }
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    let path = format!("{path}.{at}");
                    if !self.calls(&path, name, item) {
                        self.member(&path, "", item, from, depth + 1);
                    }
                }
            }
            Value::Object(members) => {
                if self.calls(path, name, value) {
                    return;
                }
                let from = if is_result(members) { From::Result } else { from };
                for (name, value) in members {
                    self.member(&format!("{path}.{name}"), name, value, from, depth + 1);
                }
            }
        }
    }

    fn text(&mut self, path: &str, text: &str, from: From, is_value: bool) {
        if !text.is_empty() {
            let (path, text) = (path.to_owned(), text.to_owned());
            self.step.texts.push(Text { path, text, from, is_value });
        }
    }

    fn says(&mut self, text: &str) {
        let room = LONGEST_THOUGHT.saturating_sub(self.step.thought.len());
        let text = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
        if !text.is_empty() && !self.step.thought.is_empty() {
            self.step.thought.push('\n');
        }
        self.step.thought.push_str(text);
    }

    /// Takes a call of an answer, where it is one; `list` is the name of the member that it stands in.
    fn calls(&mut self, path: &str, list: &str, value: &Value) -> bool {
        if self.half == Half::Request {
            return false;
        }
        let Some(written) = written(list, value) else { return false };
        let encoded = format!("payload.tool_calls.{}.arguments", self.written);
        self.written += 1;
        let is_plain = matches!(written.arguments, Some(Value::Object(_)));
        let path = if is_plain { format!("{path}.{}", written.member) } else { encoded };
        let arguments = match written.arguments {
            Some(Value::Object(arguments)) => Some(arguments.clone()),
            Some(Value::String(text)) if written.is_free => {
                Some(Map::from_iter([("input".to_owned(), Value::String(text.clone()))]))
            }
            // Who takes no arguments is often given an empty text.
            Some(Value::String(text)) if text.trim().is_empty() => Some(Map::new()),
            Some(Value::String(text)) => match crate::wire::parse(text.as_bytes(), 1) {
                Ok(Value::Object(arguments)) => Some(arguments),
                _ => None,
            },
            None | Some(Value::Null) => Some(Map::new()),
            Some(_) => None,
        };
        match (arguments, written.name.filter(|name| !name.is_empty())) {
            (Some(arguments), Some(name)) => self.step.calls.push(Called {
                id: written.id.map(str::to_owned),
                name: name.to_owned(),
                arguments,
                path,
                is_plain,
            }),
            _ => self.step.unread.push(path),
        }
        true
    }
}

/// The members in which a model says something.
const SAID: [&str; 6] =
    ["content", "text", "reasoning", "reasoning_content", "thinking", "refusal"];

/// A call as it is written.
struct Written<'a> {
    id: Option<&'a str>,
    name: Option<&'a str>,
    arguments: Option<&'a Value>,
    /// The member that the arguments stand in.
    member: &'static str,
    /// Whether the arguments may be a text that is no JSON.
    is_free: bool,
}

fn written<'a>(list: &str, value: &'a Value) -> Option<Written<'a>> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let kind = text("type").unwrap_or_default();
    let id = text("call_id").or_else(|| text("id"));
    let call = |of: &'a Value, member, is_free| Written {
        id,
        name: of.get("name").and_then(Value::as_str),
        arguments: of.get(member),
        member,
        is_free,
    };
    if !value.is_object() || RUN_ELSEWHERE.contains(&kind) {
        return None;
    }
    match (list, kind) {
        ("tool_calls" | "function_call", _) => {
            Some(match (value.get("function"), value.get("custom")) {
                (Some(function), _) => call(function, "arguments", false),
                (None, Some(custom)) => call(custom, "input", true),
                (None, None) => call(value, "arguments", false),
            })
        }
        (_, "tool_use") => Some(call(value, "input", false)),
        (_, "function_call") => Some(call(value, "arguments", false)),
        (_, "custom_tool_call") => Some(call(value, "input", true)),
        // Tools that the protocol itself has, and that the caller runs: `local_shell_call`, `apply_patch_call`, `computer_call`.
        (_, kind) => {
            // What has a name and arguments is a call, whatever it is said to be: a kind that is to come must not pass unseen.
            if value.get("name").is_some_and(Value::is_string) {
                let member = ["arguments", "input"].into_iter().find(|it| value.get(*it).is_some());
                if let Some(member) = member {
                    return Some(call(value, member, false));
                }
            }
            let name = kind.strip_suffix("_call").filter(|name| !name.is_empty())?;
            let member = if value.get("operation").is_some() { "operation" } else { "action" };
            Some(Written { name: Some(name), ..call(value, member, false) })
        }
    }
}

/// Whether an object is what a call answered.
fn is_result(members: &Map<String, Value>) -> bool {
    let word = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default();
    let (role, kind) = (word("role"), word("type"));
    matches!(role, "tool" | "function")
        || kind.ends_with("_result")
        || kind.ends_with("_output")
        || RUN_ELSEWHERE.contains(&kind)
}

/// The definition of a tool, as servers write theirs.
fn definition(tool: &Value) -> Value {
    let inner = tool.get("function").or_else(|| tool.get("custom")).unwrap_or(tool);
    let mut definition = Map::new();
    for (name, others) in [
        ("name", &["name"][..]),
        ("description", &["description"]),
        ("inputSchema", &["parameters", "input_schema", "inputSchema"]),
    ] {
        if let Some(value) = others.iter().find_map(|other| inner.get(*other)) {
            definition.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(definition)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::event::Protocol, *};

    fn step(half: Half, protocol: Protocol, payload: &Value) -> Step {
        read(&Event {
            half,
            step: "s".to_owned(),
            agent: None,
            conversation: None,
            payload: payload.as_object().unwrap().clone(),
            protocol,
        })
    }

    fn answered(protocol: Protocol, payload: &Value) -> Vec<(String, String, String)> {
        let step = step(Half::Response, protocol, payload);
        assert_eq!(step.unread, [""; 0], "{payload}");
        let call = |call: Called| (call.path, call.name, Value::Object(call.arguments).to_string());
        step.calls.into_iter().map(call).collect()
    }

    #[test]
    fn calls_are_found_in_every_protocol_whatever_it_is_said_to_be() {
        let ls = json!({"command": "ls"});
        let text = ls.to_string();
        let (plain, named) = (ls.clone(), ls.to_string());
        for (protocol, payload, path, name) in [
            (
                Protocol::Chat,
                json!({"choices": [{"message": {"content": null, "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "bash", "arguments": text}}]}}]}),
                "payload.tool_calls.0.arguments",
                "bash",
            ),
            (
                Protocol::Chat,
                json!({"choices": [{"message": {"function_call": {"name": "bash", "arguments": text}}}]}),
                "payload.tool_calls.0.arguments",
                "bash",
            ),
            (
                Protocol::Responses,
                json!({"output": [{"type": "message", "content": [{"type": "output_text", "text": "so"}]},
                    {"type": "function_call", "call_id": "c", "name": "bash", "arguments": text}]}),
                "payload.tool_calls.0.arguments",
                "bash",
            ),
            (
                Protocol::Responses,
                json!({"output": [{"type": "local_shell_call", "call_id": "c", "action": plain}]}),
                "payload.output.0.action",
                "local_shell",
            ),
            (
                Protocol::Messages,
                json!({"content": [{"type": "text", "text": "so"},
                    {"type": "tool_use", "id": "c", "name": "bash", "input": plain}]}),
                "payload.content.1.input",
                "bash",
            ),
            (
                Protocol::Canonical,
                json!({"tool_calls": [{"id": "c", "name": "bash", "arguments": plain}]}),
                "payload.tool_calls.0.arguments",
                "bash",
            ),
            (
                Protocol::Canonical,
                json!({"tool_calls": [{"id": "c", "name": "bash", "arguments": text}]}),
                "payload.tool_calls.0.arguments",
                "bash",
            ),
            // Kinds that nobody knows, and a list with another name.
            (
                Protocol::Messages,
                json!({"content": [{"type": "tool_use_next", "name": "bash", "input": plain}]}),
                "payload.content.0.input",
                "bash",
            ),
            (
                Protocol::Responses,
                json!({"output": [{"type": "mcp_approval_request", "name": "bash", "arguments": text}]}),
                "payload.tool_calls.0.arguments",
                "bash",
            ),
            (
                Protocol::Chat,
                json!({"choices": [{"message": {"more_calls": [
                    {"type": "function", "function": {"name": "bash", "arguments": text}}]}}]}),
                "payload.tool_calls.0.arguments",
                "bash",
            ),
            // It says it is canonical, and is not.
            (
                Protocol::Canonical,
                json!({"content": [{"type": "tool_use", "name": "bash", "input": plain}]}),
                "payload.content.0.input",
                "bash",
            ),
        ] {
            let expected = [(path.to_owned(), name.to_owned(), named.clone())];
            assert_eq!(answered(protocol, &payload), expected, "{payload}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_and_what_a_provider_ran_is_no_call() {
        for (protocol, payload, unread) in [
            (Protocol::Chat, json!({}), "payload.choices"),
            (Protocol::Chat, json!({"choices": {}}), "payload.choices"),
            (Protocol::Responses, json!({"choices": []}), "payload.output"),
            (Protocol::Messages, json!({"content": "so"}), "payload.content"),
            (
                Protocol::Canonical,
                json!({"tool_calls": [{"name": "bash", "arguments": "{\"command\": tru"}]}),
                "payload.tool_calls.0.arguments",
            ),
            (
                Protocol::Canonical,
                json!({"tool_calls": [{"name": "bash", "arguments": "{\"a\":1,\"a\":2}"}]}),
                "payload.tool_calls.0.arguments",
            ),
            (
                Protocol::Canonical,
                json!({"tool_calls": [{"arguments": {}}]}),
                "payload.tool_calls.0.arguments",
            ),
            (
                Protocol::Canonical,
                json!({"tool_calls": [{"name": "bash", "arguments": []}]}),
                "payload.tool_calls.0.arguments",
            ),
        ] {
            let step = step(Half::Response, protocol, &payload);
            assert_eq!((step.calls.len(), step.unread), (0, vec![unread.to_owned()]), "{payload}");
        }
        let many = vec![json!({"name": "bash", "arguments": {}}); MOST_CALLS + 2];
        let step = step(Half::Response, Protocol::Canonical, &json!({ "tool_calls": many }));
        assert_eq!((step.calls.len(), step.unread.len()), (MOST_CALLS, 2));
        let ran = json!({"content": [{"type": "server_tool_use", "name": "web_search", "input": {"query": "x"}}]});
        assert_eq!(answered(Protocol::Messages, &ran), []);
        // What a call writes is not what is called.
        let wrote = json!({"content": [{"type": "tool_use", "name": "write_file",
            "input": {"tool_calls": [{"name": "bash", "arguments": {"command": "rm -rf /"}}]}}]});
        assert_eq!(answered(Protocol::Messages, &wrote).len(), 1);
    }

    #[test]
    fn every_text_is_read_and_results_are_told_from_what_is_said() {
        let texts = |protocol, payload: &Value| {
            let step = step(Half::Request, protocol, payload);
            let text = |text: Text| (text.path, text.from);
            step.texts.into_iter().map(text).collect::<Vec<_>>()
        };
        for (protocol, payload, path) in [
            (
                Protocol::Chat,
                json!({"messages": [{"role": "tool", "content": "x"}]}),
                "payload.messages.0.content",
            ),
            (
                Protocol::Chat,
                json!({"messages": [{"role": "tool", "content": [{"type": "text", "text": "x"}]}]}),
                "payload.messages.0.content.0.text",
            ),
            (
                Protocol::Messages,
                json!({"messages": [{"role": "user", "content": [{"type": "tool_result", "content": "x"}]}]}),
                "payload.messages.0.content.0.content",
            ),
            (
                Protocol::Responses,
                json!({"input": [{"type": "function_call_output", "output": "x"}]}),
                "payload.input.0.output",
            ),
        ] {
            let found = texts(protocol, &payload);
            assert!(found.contains(&(path.to_owned(), From::Result)), "{found:?}");
        }
        let said = json!({"messages": [{"role": "user", "content": "x"}], "odd": {"place": ["x"]},
            "tools": [{"function": {"name": "a", "description": "x"}}]});
        let found = texts(Protocol::Chat, &said);
        for (path, from) in [
            ("payload.messages.0.content", From::Conversation),
            ("payload.odd.place.0", From::Conversation),
            ("payload.tools.0.function.description", From::Definition),
        ] {
            assert!(found.contains(&(path.to_owned(), from)), "{found:?}");
        }
        let key = json!({"messages": [], "x": {"y".repeat(41): 1}});
        assert!(step(Half::Request, Protocol::Chat, &key).texts.iter().any(|text| !text.is_value));
    }
}
