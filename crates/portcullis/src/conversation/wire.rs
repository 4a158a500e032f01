//! Tool calls on the wires of providers: OpenAI's chat completions and Anthropic's messages. Owns how a conversation is written and a reply
//! read in each; who is asked and how often, [`super::model`] knows.

use portcullis_core::guardian::{Json, Tokens};
use serde::Deserialize;
use serde_json::{Map, Number, Value};

use super::model::{Called, Prompt, Reply, Turn};
use crate::guardian::{Provider, Settings, Trouble, envelope, malformed, refused};

/// Whether tools can be called over a wire.
pub(super) const fn speaks(provider: Provider) -> bool {
    matches!(provider, Provider::OpenAi | Provider::Anthropic)
}

/// What is sent.
pub(super) fn body(settings: &Settings, prompt: &Prompt) -> Json {
    let most = Json::Number(Number::from(settings.max_output_tokens));
    let Prompt { system, tools, turns } = prompt;
    match settings.provider {
        Provider::Anthropic => object(vec![
            ("model", text(&settings.model)),
            ("max_tokens", most),
            ("system", text(system)),
            ("tools", Json::List(tools.clone())),
            ("messages", Json::List(anthropic(turns))),
            ("stream", Json::Bool(false)),
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
            object(vec![
                ("model", text(&settings.model)),
                ("messages", Json::List(messages)),
                ("tools", Json::List(tools.collect())),
                ("max_completion_tokens", most),
                ("n", Json::Number(1.into())),
                ("stream", Json::Bool(false)),
            ])
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
    match provider {
        Provider::Anthropic => of_messages(body),
        _ => of_chat(body),
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

#[derive(Default, Deserialize)]
struct ChatUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

fn of_chat(body: &str) -> Result<Reply, Trouble> {
    let Chat { choices, usage } = envelope(body)?;
    let [Choice { message, finish_reason }] = <[Choice; 1]>::try_from(choices)
        .map_err(|choices| malformed(format!("there are {} choices", choices.len())))?;
    let ChatMessage { role, content, refusal, tool_calls } = message;
    if role.is_some_and(|role| role != "assistant") {
        return Err(malformed("the message is not the model's"));
    }
    if refusal.is_some_and(|refusal| !refusal.is_empty()) {
        return Err(refused());
    }
    match finish_reason.as_deref() {
        Some("content_filter") => return Err(refused()),
        Some("length") => return Err(malformed("the answer did not come to its end")),
        _ => {}
    }
    let calls = tool_calls.unwrap_or_default().into_iter().map(|call| Called {
        id: call.id,
        tool: call.function.name,
        arguments: arguments(&call.function.arguments),
    });
    let ChatUsage { prompt_tokens: input, completion_tokens: output } = usage.unwrap_or_default();
    Ok(Reply {
        text: content.unwrap_or_default(),
        calls: calls.collect(),
        tokens: Tokens { input, output },
    })
}

/// Arguments that came as text. What stands twice in them would be read otherwise by others.
fn arguments(written: &str) -> Result<Map<String, Value>, String> {
    if written.trim().is_empty() {
        return Ok(Map::new());
    }
    Json::parse(written).map_err(|error| format!("the arguments are no JSON object: {error}"))?;
    serde_json::from_str(written).map_err(|_| "the arguments are no JSON object".to_owned())
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

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
struct MessagesUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

fn of_messages(body: &str) -> Result<Reply, Trouble> {
    let Messages { kind, role, content, stop_reason, usage } = envelope(body)?;
    if kind != "message" || role != "assistant" {
        return Err(malformed("the message is not the model's"));
    }
    match stop_reason.as_deref() {
        Some("refusal") => return Err(refused()),
        Some("max_tokens") => return Err(malformed("the answer did not come to its end")),
        _ => {}
    }
    let MessagesUsage { input_tokens: input, output_tokens: output } = usage.unwrap_or_default();
    let mut reply = Reply { tokens: Tokens { input, output }, ..Reply::default() };
    for part in content {
        match part {
            Part::Text { text } => {
                if !reply.text.is_empty() {
                    reply.text.push('\n');
                }
                reply.text.push_str(&text);
            }
            Part::ToolUse { id, name, input } => {
                let arguments = match input {
                    Value::Object(arguments) => Ok(arguments),
                    Value::Null => Ok(Map::new()),
                    _ => Err("the arguments are no JSON object".to_owned()),
                };
                reply.calls.push(Called { id, tool: name, arguments });
            }
            // What it thought is no answer.
            Part::Other => {}
        }
    }
    Ok(reply)
}
