//! The wires that reviewers speak: OpenAI's chat and responses, Anthropic's messages, and GraySwan's monitor. Owns how a request is written
//! and where in an answer the model's text stands, for each of them; Ollama, vLLM, llama.cpp and others speak the first.
//!
//! A row is a path, the headers, a body and a reader. None of the bodies has tools. A reader wants exactly one text of a model that came
//! to its end: everything else is no answer.

use portcullis_core::guardian::{Briefing, Json, Tokens, VERDICT_NAME, verdict_schema};
use serde::Deserialize;
use serde_json::{Number, Value};

use super::{
    settings::Settings,
    trouble::{Trouble, malformed, refused},
};

/// A wire.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Provider {
    /// OpenAI's chat completions, and what is compatible with them.
    OpenAi,
    /// OpenAI's responses.
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// A classifier in the shape of GraySwan's.
    GraySwan,
}

/// What stands in an answer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Answer {
    /// The model's text.
    pub(super) text: String,
    /// What it took.
    pub(super) tokens: Tokens,
}

impl Provider {
    /// Every one.
    pub const ALL: [Self; 4] =
        [Self::OpenAi, Self::OpenAiResponses, Self::Anthropic, Self::GraySwan];

    /// Its word in a configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::GraySwan => "grayswan",
        }
    }

    /// Where it is, where nobody says otherwise.
    #[must_use]
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::OpenAi | Self::OpenAiResponses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::GraySwan => "https://api.grayswan.ai",
        }
    }

    /// Where under the base URL a request goes.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/chat/completions",
            Self::OpenAiResponses => "/responses",
            Self::Anthropic => "/v1/messages",
            Self::GraySwan => "/cygnal/monitor",
        }
    }

    /// Whether it is asked to hold the model to the form of an answer unless somebody says otherwise. Anthropic offers that as a beta.
    #[must_use]
    pub const fn is_structured_by_default(self) -> bool {
        matches!(self, Self::OpenAi | Self::OpenAiResponses)
    }

    /// Whether it gives a class and no review.
    #[must_use]
    pub const fn is_classifier(self) -> bool {
        matches!(self, Self::GraySwan)
    }

    pub(crate) fn headers(self, settings: &Settings, key: Option<&str>) -> Vec<(String, String)> {
        let mut headers = vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Accept".to_owned(), "application/json".to_owned()),
        ];
        let mut add = |name: &str, value: String| headers.push((name.to_owned(), value));
        match self {
            Self::OpenAi | Self::OpenAiResponses => {
                if let Some(key) = key {
                    add("Authorization", format!("Bearer {key}"));
                }
            }
            Self::Anthropic => {
                add("Anthropic-Version", "2023-06-01".to_owned());
                if settings.structured {
                    add("Anthropic-Beta", "structured-outputs-2025-11-13".to_owned());
                }
                if let Some(key) = key {
                    add("X-Api-Key", key.to_owned());
                }
            }
            Self::GraySwan => {
                if let Some(key) = key {
                    add("Grayswan-Api-Key", key.to_owned());
                }
            }
        }
        headers.extend(settings.headers.iter().cloned());
        headers
    }

    pub(super) fn body(self, settings: &Settings, model: &str, briefing: &Briefing) -> Json {
        let most = Json::Number(Number::from(settings.max_output_tokens));
        let (system, user) = (text(briefing.system), text(&briefing.user));
        let message =
            |role: &str, content| object(vec![("role", text(role)), ("content", content)]);
        let structured = settings.structured;
        match self {
            Self::OpenAi => {
                let messages = Json::List(vec![message("system", system), message("user", user)]);
                let mut members = vec![
                    ("model", text(model)),
                    ("messages", messages),
                    ("max_completion_tokens", most),
                    ("n", Json::Number(1.into())),
                    ("stream", Json::Bool(false)),
                ];
                if structured {
                    let schema = object(vec![
                        ("name", text(VERDICT_NAME)),
                        ("strict", Json::Bool(true)),
                        ("schema", verdict_schema()),
                    ]);
                    let format = vec![("type", text("json_schema")), ("json_schema", schema)];
                    members.push(("response_format", object(format)));
                }
                object(members)
            }
            Self::OpenAiResponses => {
                let mut members = vec![
                    ("model", text(model)),
                    ("instructions", system),
                    ("input", Json::List(vec![message("user", user)])),
                    ("max_output_tokens", most),
                    ("store", Json::Bool(false)),
                    ("stream", Json::Bool(false)),
                ];
                if structured {
                    let format = object(vec![
                        ("type", text("json_schema")),
                        ("name", text(VERDICT_NAME)),
                        ("strict", Json::Bool(true)),
                        ("schema", verdict_schema()),
                    ]);
                    members.push(("text", object(vec![("format", format)])));
                }
                object(members)
            }
            Self::Anthropic => {
                let mut members = vec![
                    ("model", text(model)),
                    ("max_tokens", most),
                    ("system", system),
                    ("messages", Json::List(vec![message("user", user)])),
                    ("stream", Json::Bool(false)),
                ];
                if structured {
                    let format = vec![("type", text("json_schema")), ("schema", verdict_schema())];
                    members.push(("output_format", object(format)));
                }
                object(members)
            }
            Self::GraySwan => {
                let mut members = vec![("messages", Json::List(vec![message("assistant", user)]))];
                if !model.is_empty() {
                    members.push(("policy_id", text(model)));
                }
                object(members)
            }
        }
    }

    /// The body of a question about a text that is no action: what a tool gave back. Only classifiers are asked such questions.
    pub(super) fn content(self, model: &str, content: &str) -> Json {
        let message = object(vec![("role", text("tool")), ("content", text(content))]);
        let mut members = vec![("messages", Json::List(vec![message]))];
        if !model.is_empty() {
            members.push(("policy_id", text(model)));
        }
        object(members)
    }

    /// The model's text in an answer with the status 200.
    pub(super) fn answer(self, body: &[u8]) -> Result<Answer, Trouble> {
        let body = std::str::from_utf8(body).map_err(|_| malformed("the answer is not UTF-8"))?;
        match self {
            Self::OpenAi => chat(body),
            Self::OpenAiResponses => responses(body),
            Self::Anthropic => messages(body),
            Self::GraySwan => Ok(Answer { text: body.to_owned(), tokens: Tokens::default() }),
        }
    }
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

fn object(members: Vec<(&str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// An envelope, where no member stands twice.
pub fn envelope<'a, T: Deserialize<'a>>(body: &'a str) -> Result<T, Trouble> {
    Json::parse(body).map_err(|error| malformed(format!("the envelope is broken: {error}")))?;
    serde_json::from_str(body)
        .map_err(|_| malformed("the envelope is not the one of this provider"))
}

/// The one element of a list.
fn only<T>(items: Vec<T>, what: &str) -> Result<T, Trouble> {
    let mut items = items.into_iter();
    match (items.next(), items.next()) {
        (Some(item), None) => Ok(item),
        (None, _) => Err(malformed(format!("there is no {what}"))),
        (Some(_), Some(_)) => Err(malformed(format!("there is more than one {what}"))),
    }
}

/// Whether a member holds something.
fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
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
    finish_reason: String,
}

#[derive(Deserialize)]
struct ChatMessage {
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    refusal: Value,
    #[serde(default)]
    tool_calls: Value,
    #[serde(default)]
    function_call: Value,
}

#[derive(Default, Deserialize)]
struct ChatUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

fn chat(body: &str) -> Result<Answer, Trouble> {
    let Chat { choices, usage } = envelope(body)?;
    let Choice { message, finish_reason } = only(choices, "choice")?;
    let ChatMessage { role, content, refusal, tool_calls, function_call } = message;
    if role.is_some_and(|role| role != "assistant") {
        return Err(malformed("the message is not the model's"));
    }
    if is_something(&refusal) || finish_reason == "content_filter" {
        return Err(refused());
    }
    if is_something(&tool_calls) || is_something(&function_call) {
        return Err(malformed("the model calls a tool"));
    }
    if finish_reason != "stop" {
        return Err(malformed("the answer did not come to its end"));
    }
    let Value::String(text) = content else { return Err(malformed("the message has no text")) };
    let ChatUsage { prompt_tokens: input, completion_tokens: output } = usage.unwrap_or_default();
    Ok(Answer { text, tokens: Tokens { input, output } })
}

#[derive(Default, Deserialize)]
struct OtherUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
}

impl From<OtherUsage> for Tokens {
    fn from(OtherUsage { input_tokens: input, output_tokens: output }: OtherUsage) -> Self {
        Self { input, output }
    }
}

#[derive(Deserialize)]
struct Responses {
    status: String,
    output: Vec<Item>,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    usage: Option<OtherUsage>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    content: Value,
}

#[derive(Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

fn responses(body: &str) -> Result<Answer, Trouble> {
    let Responses { status, output, error, usage } = envelope(body)?;
    if is_something(&error) || status != "completed" {
        return Err(malformed("the answer did not come to its end"));
    }
    let mut messages = Vec::new();
    for item in output {
        match item.kind.as_str() {
            "message" => messages.push(item),
            // What it thought is no answer.
            "reasoning" => {}
            _ => return Err(malformed("the model calls a tool")),
        }
    }
    let Item { kind: _, role, status, content } = only(messages, "message")?;
    if role.is_some_and(|role| role != "assistant")
        || status.is_some_and(|status| status != "completed")
    {
        return Err(malformed("the message is not a whole one of the model"));
    }
    let parts: Vec<Part> = serde_json::from_value(content)
        .map_err(|_| malformed("the message has no list of parts"))?;
    if parts.iter().any(|part| part.kind == "refusal") {
        return Err(refused());
    }
    match only(parts, "text")? {
        Part { kind, text: Some(text) } if kind == "output_text" => {
            Ok(Answer { text, tokens: usage.unwrap_or_default().into() })
        }
        _ => Err(malformed("the message has no text")),
    }
}

#[derive(Deserialize)]
struct Messages {
    #[serde(rename = "type")]
    kind: String,
    role: String,
    content: Vec<Part>,
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<OtherUsage>,
}

fn messages(body: &str) -> Result<Answer, Trouble> {
    let Messages { kind, role, content, stop_reason, usage } = envelope(body)?;
    if kind != "message" || role != "assistant" {
        return Err(malformed("the message is not the model's"));
    }
    match stop_reason.as_deref() {
        Some("end_turn") => {}
        Some("refusal") => return Err(refused()),
        Some("tool_use") => return Err(malformed("the model calls a tool")),
        _ => return Err(malformed("the answer did not come to its end")),
    }
    let mut texts = Vec::new();
    for part in content {
        match part.kind.as_str() {
            "text" => texts.push(part),
            "thinking" | "redacted_thinking" => {}
            _ => return Err(malformed("the model calls a tool")),
        }
    }
    let Part { kind: _, text } = only(texts, "text")?;
    let text = text.ok_or_else(|| malformed("the message has no text"))?;
    Ok(Answer { text, tokens: usage.unwrap_or_default().into() })
}
