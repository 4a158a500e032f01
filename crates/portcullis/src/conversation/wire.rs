//! Tool calls on the wires of providers: OpenAI's chat completions and Anthropic's messages. Owns how a conversation is written and a reply
//! read in each; who is asked and how often, [`super::model`] knows.

use portcullis_core::guardian::{Json, Tokens};
use serde::Deserialize;
use serde_json::{Map, Number, Value};

use super::turn::{Called, Prompt, Reply, Turn};
use crate::guardian::{Provider, Settings, Trouble, envelope, malformed, refused};

/// What is said of arguments that are none.
pub(super) const NO_OBJECT: &str = "the arguments are no JSON object";

/// Whether tools can be called over a wire.
pub(super) const fn speaks(provider: Provider) -> bool {
    matches!(provider, Provider::OpenAi | Provider::Anthropic)
}

/// What is sent; whether the answer is to come in pieces.
pub(super) fn body(settings: &Settings, prompt: &Prompt, in_pieces: bool) -> Json {
    let most = Json::Number(Number::from(settings.max_output_tokens));
    let Prompt { system, tools, turns } = prompt;
    match settings.provider {
        Provider::Anthropic => object(vec![
            ("model", text(&settings.model)),
            ("max_tokens", most),
            ("system", text(system)),
            ("tools", Json::List(tools.clone())),
            ("messages", Json::List(anthropic(turns))),
            ("stream", Json::Bool(in_pieces)),
        ]),
        _ => {
            let tools = tools.iter().map(|tool| {
                let part = |name: &str| tool.get(name).cloned().unwrap_or(Json::Null);
                let function = object(vec![
                    ("name", part("name")),
                    ("description", part("description")),
                    ("parameters", part("input_schema")),
                ]);
                object(vec![("type", text("function")), ("function", function)])
            });
            let first = object(vec![("role", text("system")), ("content", text(system))]);
            let messages = std::iter::once(first).chain(turns.iter().map(openai)).collect();
            let mut members = vec![
                ("model", text(&settings.model)),
                ("messages", Json::List(messages)),
                ("tools", Json::List(tools.collect())),
                ("max_completion_tokens", most),
                ("n", Json::Number(1.into())),
                ("stream", Json::Bool(in_pieces)),
            ];
            if in_pieces {
                // What it took is otherwise not said.
                let usage = object(vec![("include_usage", Json::Bool(true))]);
                members.push(("stream_options", usage));
            }
            object(members)
        }
    }
}

fn openai(turn: &Turn) -> Json {
    let role = |role: &str| ("role", text(role));
    match turn {
        Turn::User(said) => object(vec![role("user"), ("content", text(said))]),
        Turn::Result { call, text: said, is_error: _ } => {
            object(vec![role("tool"), ("tool_call_id", text(call)), ("content", text(said))])
        }
        Turn::Assistant { text: said, calls } => {
            let content = if said.is_empty() { Json::Null } else { text(said) };
            let mut members = vec![role("assistant"), ("content", content)];
            if !calls.is_empty() {
                let calls = calls.iter().map(|(id, tool, arguments)| {
                    let arguments = Value::Object(arguments.clone()).to_string();
                    let function =
                        object(vec![("name", text(tool)), ("arguments", text(&arguments))]);
                    object(vec![
                        ("id", text(id)),
                        ("type", text("function")),
                        ("function", function),
                    ])
                });
                members.push(("tool_calls", Json::List(calls.collect())));
            }
            object(members)
        }
    }
}

/// Anthropic's messages take turns, and results come before whatever else the user says.
fn anthropic(turns: &[Turn]) -> Vec<Json> {
    let mut messages: Vec<(&str, Vec<Json>)> = Vec::new();
    for turn in turns {
        let (role, parts) = match turn {
            Turn::User(said) => ("user", vec![block(said)]),
            Turn::Result { call, text: said, is_error } => {
                let result = object(vec![
                    ("type", text("tool_result")),
                    ("tool_use_id", text(call)),
                    ("content", text(said)),
                    ("is_error", Json::Bool(*is_error)),
                ]);
                ("user", vec![result])
            }
            Turn::Assistant { text: said, calls } => {
                let said = (!said.is_empty()).then(|| block(said));
                let calls = calls.iter().map(|(id, tool, arguments)| {
                    object(vec![
                        ("type", text("tool_use")),
                        ("id", text(id)),
                        ("name", text(tool)),
                        ("input", json_of(&Value::Object(arguments.clone()))),
                    ])
                });
                ("assistant", said.into_iter().chain(calls).collect())
            }
        };
        match messages.last_mut() {
            Some((last, all)) if *last == role => all.extend(parts),
            _ => messages.push((role, parts)),
        }
    }
    let message =
        |(role, parts)| object(vec![("role", text(role)), ("content", Json::List(parts))]);
    messages.into_iter().map(message).collect()
}

fn block(said: &str) -> Json {
    object(vec![("type", text("text")), ("text", text(said))])
}

/// The same value, in the form that keeps an order.
pub(super) fn json_of(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(word) => Json::Bool(*word),
        Value::Number(number) => Json::Number(number.clone()),
        Value::String(said) => text(said),
        Value::Array(items) => Json::List(items.iter().map(json_of).collect()),
        Value::Object(members) => Json::Object(
            members.iter().map(|(name, value)| (name.clone(), json_of(value))).collect(),
        ),
    }
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

fn object(members: Vec<(&str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The reply in an answer with the status 200.
pub(super) fn reply(provider: Provider, body: &str) -> Result<Reply, Trouble> {
    let draft = match provider {
        Provider::Anthropic => of_messages(body),
        _ => of_chat(body),
    };
    draft?.reply()
}

/// What came of a reply, before anything is made of how it ended.
#[derive(Default)]
pub(super) struct Draft {
    /// What the model said.
    pub(super) text: String,
    /// What it calls.
    pub(super) calls: Vec<Called>,
    /// Whether it said that it will not.
    pub(super) is_refused: bool,
    /// Why it ended, in the words of either wire.
    pub(super) ended: Option<String>,
    /// What it took.
    pub(super) tokens: Tokens,
}

impl Draft {
    /// The reply, where it is a whole one.
    pub(super) fn reply(self) -> Result<Reply, Trouble> {
        let Self { text, calls, is_refused, ended, tokens } = self;
        match ended.as_deref() {
            Some("content_filter" | "refusal") => Err(refused()),
            Some("length" | "max_tokens" | "model_context_window_exceeded") => Err(cut()),
            _ if is_refused => Err(refused()),
            _ => Ok(Reply { text, calls, tokens }),
        }
    }

    /// A further text of the same reply.
    pub(super) fn paragraph(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}

/// It is not whole.
pub(super) fn cut() -> Trouble {
    malformed("the answer did not come to its end")
}

/// Whether a message is the model's.
pub(super) fn is_of_model(role: Option<&str>) -> Result<(), Trouble> {
    match role {
        None | Some("assistant") => Ok(()),
        Some(_) => Err(malformed("the message is not the model's")),
    }
}

#[derive(Deserialize)]
struct Chat {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<ChatUsage>,
}

#[derive(Deserialize)]
struct Choice {
    message: ChatMessage,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChatMessage {
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ChatCall>>,
}

#[derive(Deserialize)]
struct ChatCall {
    #[serde(default)]
    id: String,
    function: ChatFunction,
}

#[derive(Deserialize)]
struct ChatFunction {
    name: String,
    #[serde(default)]
    arguments: String,
}

#[derive(Clone, Copy, Default, Deserialize)]
pub(super) struct ChatUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl From<ChatUsage> for Tokens {
    fn from(usage: ChatUsage) -> Self {
        Self { input: usage.prompt_tokens, output: usage.completion_tokens }
    }
}

fn of_chat(body: &str) -> Result<Draft, Trouble> {
    let Chat { choices, usage } = envelope(body)?;
    let [Choice { message, finish_reason: ended }] = <[Choice; 1]>::try_from(choices)
        .map_err(|choices| malformed(format!("there are {} choices", choices.len())))?;
    let ChatMessage { role, content, refusal, tool_calls } = message;
    is_of_model(role.as_deref())?;
    let calls = tool_calls.unwrap_or_default().into_iter().map(|call| Called {
        id: call.id,
        tool: call.function.name,
        arguments: arguments(&call.function.arguments),
    });
    Ok(Draft {
        text: content.unwrap_or_default(),
        calls: calls.collect(),
        is_refused: refusal.is_some_and(|refusal| !refusal.is_empty()),
        ended,
        tokens: usage.unwrap_or_default().into(),
    })
}

/// Arguments that came as text. What stands twice in them would be read otherwise by others.
pub(super) fn arguments(written: &str) -> Result<Map<String, Value>, String> {
    if written.trim().is_empty() {
        return Ok(Map::new());
    }
    Json::parse(written).map_err(|error| format!("the arguments are no JSON object: {error}"))?;
    serde_json::from_str(written).map_err(|_| NO_OBJECT.to_owned())
}

#[derive(Deserialize)]
struct Messages {
    #[serde(rename = "type")]
    kind: String,
    role: String,
    content: Vec<Part>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<MessagesUsage>,
}

/// A part of a message.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part {
    /// What the model says.
    Text {
        #[serde(default)]
        text: String,
    },
    /// What it calls.
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    /// What it thought, which is no answer.
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Default, Deserialize)]
pub(super) struct MessagesUsage {
    #[serde(default)]
    pub(super) input_tokens: u64,
    #[serde(default)]
    pub(super) output_tokens: u64,
}

fn of_messages(body: &str) -> Result<Draft, Trouble> {
    let Messages { kind, role, content, stop_reason: ended, usage } = envelope(body)?;
    if kind != "message" {
        return Err(malformed("the message is not the model's"));
    }
    is_of_model(Some(&role))?;
    let MessagesUsage { input_tokens: input, output_tokens: output } = usage.unwrap_or_default();
    let mut draft = Draft { ended, tokens: Tokens { input, output }, ..Draft::default() };
    for part in content {
        match part {
            Part::Text { text } => {
                draft.paragraph();
                draft.text.push_str(&text);
            }
            Part::ToolUse { id, name, input } => {
                let arguments = match input {
                    Value::Object(arguments) => Ok(arguments),
                    Value::Null => Ok(Map::new()),
                    _ => Err(NO_OBJECT.to_owned()),
                };
                draft.calls.push(Called { id, tool: name, arguments });
            }
            Part::Other => {}
        }
    }
    Ok(draft)
}
