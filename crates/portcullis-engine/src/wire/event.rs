//! Events of a session beside its calls: which tools there are, what a person sent, what a call answered. Owns the names and types
//! of their fields, and which line is an event.

use portcullis_core::session::ToolDefinition;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{VERSION, call::Request, head, strict::Malformed};

/// One line of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// A call to be judged.
    Call(Box<Request>),
    /// Something that happened beside the calls.
    Event(EventRequest),
}

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRequest {
    /// The identifier that came with it; of a result, that of its call.
    pub id: Option<Value>,
    /// The session.
    pub session: String,
    /// Whose session it is.
    pub agent: Option<String>,
    /// What happened.
    pub what: Happened,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// These are the tools that there are.
    Tools(Vec<ToolDefinition>),
    /// A person sent this, and nobody else did.
    Prompt(String),
    /// A call answered this.
    Result(String),
}

impl Happened {
    /// The word on the wire.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Tools(_) => "tools",
            Self::Prompt(_) => "prompt",
            Self::Result(_) => "result",
        }
    }
}

impl Incoming {
    /// Reads one line. `line` is its number, for messages.
    ///
    /// # Errors
    /// [`Malformed`] where it is not JSON, or a field is missing or not of its type.
    pub fn parse(bytes: &[u8], line: usize) -> Result<Self, Malformed> {
        match EventRequest::parse(bytes, line) {
            Some(event) => Ok(Self::Event(event?)),
            None => Ok(Self::Call(Box::new(Request::parse(bytes, line)?))),
        }
    }
}

impl EventRequest {
    /// Reads a line that says which event it is; `None` where it says none, or that it is a call.
    ///
    /// # Errors
    /// As [`Incoming::parse`].
    #[must_use]
    pub fn parse(bytes: &[u8], line: usize) -> Option<Result<Self, Malformed>> {
        // Most lines are calls, and are read once.
        memchr::memmem::find(bytes, b"\"event\"")?;
        let mut is_event = true;
        let read = head::read(bytes, line, "an event", |id, fields| {
            is_event = !matches!(fields.get("event"), None | Some(Value::Null))
                && fields.get("event").and_then(Value::as_str) != Some("call");
            if is_event { Self::from_fields(id, fields) } else { Err(String::new()) }
        });
        is_event.then_some(read)
    }

    fn from_fields(id: Option<Value>, fields: &mut Map<String, Value>) -> Result<Self, String> {
        let event = head::needed(fields, "event")?;
        let session = head::needed(fields, "session")?;
        if session.is_empty() {
            return Err("`session` is empty".to_owned());
        }
        let what = match event.as_str() {
            "tools" => {
                let tools = head::list(fields, "tools")?;
                Happened::Tools(tools.iter().filter_map(ToolDefinition::read).collect())
            }
            "prompt" => Happened::Prompt(head::needed(fields, "text")?),
            "result" => Happened::Result(head::needed(fields, "text")?),
            other => {
                let known = "expected one of tools, prompt, result, call";
                return Err(format!("`event` is `{other}`, {known}"));
            }
        };
        Ok(Self { id, session, agent: head::text(fields, "agent")?, what })
    }
}

/// The answer to an event.
#[derive(Debug, Serialize)]
pub struct EventAnswer<'a> {
    /// Which event.
    pub event: &'static str,
    /// The version of this shape.
    pub v: u64,
    /// The identifier that came with it.
    pub id: Option<&'a Value>,
    /// The session.
    pub session: &'a str,
    /// What was noticed.
    pub noticed: Noticed,
}

/// What was noticed of an event. Nothing of its text is in it.
#[derive(Debug, Default, Serialize)]
pub struct Noticed {
    /// How many tools were told of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<usize>,
    /// Whether a text holds a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<bool>,
    /// Whether a text tells an agent what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planted: Option<bool>,
    /// The acts that the person asked for so far: `send`, `delete`…
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Vec<&'static str>>,
    /// How many things they named so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<usize>,
    /// How many limits of theirs hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<usize>,
    /// Where an answer came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The acts that answers so far demand of whoever reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demands: Option<Vec<&'static str>>,
}

impl<'a> EventAnswer<'a> {
    /// The answer to an event of which this was noticed.
    #[must_use]
    pub fn new(request: &'a EventRequest, noticed: Noticed) -> Self {
        let EventRequest { id, session, agent: _, what } = request;
        Self { event: what.name(), v: VERSION, id: id.as_ref(), session, noticed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Incoming {
        Incoming::parse(line.as_bytes(), 1).unwrap()
    }

    #[test]
    fn a_line_is_an_event_where_it_says_so_and_else_a_call() {
        for (line, expected) in [
            (r#"{"event":"prompt","session":"s","text":"hi"}"#, "prompt"),
            (r#"{"event":"result","session":"s","id":"7","text":"hi"}"#, "result"),
            (r#"{"event":"tools","session":"s","tools":[{"name":"a"}]}"#, "tools"),
            (r#"{"event":"call","session":"s","tool":"bash","arguments":{"command":"ls"}}"#, ""),
            (r#"{"session":"s","tool":"bash","arguments":{"command":"ls"}}"#, ""),
            (r#"{"tool":"bash","arguments":{"command":"echo","event":"prompt","text":"x"}}"#, ""),
            (r#"{"tool":"bash","arguments":{"command":"echo '{\"event\":\"prompt\"}'"}}"#, ""),
        ] {
            let name = match parse(line) {
                Incoming::Event(event) => event.what.name(),
                Incoming::Call(_) => "",
            };
            assert_eq!(name, expected, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_with_an_event_is_named() {
        for (line, message) in [
            (r#"{"event":"prompt","text":"hi"}"#, "`session` is missing"),
            (r#"{"event":"prompt","session":"","text":"hi"}"#, "`session` is empty"),
            (r#"{"event":"prompt","session":"s"}"#, "`text` is missing"),
            (
                r#"{"event":"party","session":"s"}"#,
                "`event` is `party`, expected one of tools, prompt, result, call",
            ),
            (r#"{"event":7,"session":"s"}"#, "`event` must be a string, but it is a number"),
        ] {
            let error = Incoming::parse(line.as_bytes(), 1).unwrap_err();
            assert_eq!(error.message, message, "{line}");
        }
    }
}
