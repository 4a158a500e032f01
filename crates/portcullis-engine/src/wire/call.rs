//! Calls as other programs send them. Owns the names and types of the fields; what they mean is said by
//! `portcullis_core`.

use portcullis_core::{
    call::ToolCall,
    guardian::{Origin, Turn},
    risk::Risk,
};
use serde_json::{Map, Value};

use super::{
    head::{self, UnknownField},
    strict::Malformed,
};

/// The longest line, and the longest file with a call or a command: more than any model writes in one go, and little
/// enough to be held in memory several times.
pub const LONGEST: usize = 16 << 20;

/// Every field of a call, beside its `id` and its version.
const FIELDS: &[&str] = &[
    "event",
    "server",
    "tool",
    "arguments",
    "cwd",
    "home",
    "thought",
    "summary",
    "security_risk",
    "mode",
    "agent",
    "session",
    "recent_files",
    "transcript",
];

/// One call with what its sender said about how to judge it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The caller's own identifier, a string or a number, echoed as it came.
    pub id: Option<Value>,
    /// The call.
    pub call: ToolCall,
    /// The permission mode to enforce, by its name.
    pub mode: Option<String>,
    /// What a reviewing model is shown beside the call.
    pub background: Background,
    /// The fields that nobody knows, and that nothing was judged by.
    pub unknown_fields: Vec<UnknownField>,
}

/// What a reviewing model is shown beside a call. Whoever sends the call vouches for it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Background {
    /// Files that were worked on lately, the newest first.
    pub recent_files: Vec<String>,
    /// The conversation so far, the oldest first.
    pub transcript: Vec<Turn>,
}

impl Request {
    /// Reads one call from JSON. `line` is the number of the text's first line, for messages.
    ///
    /// # Errors
    /// [`Malformed`] where the text is not JSON, or a field is missing or not of its type.
    pub fn parse(bytes: &[u8], line: usize) -> Result<Self, Malformed> {
        head::read(bytes, line, "a call", Self::from_fields)
    }

    /// As [`Request::parse`], where a field that nobody knows is an error.
    ///
    /// # Errors
    /// As [`Request::parse`].
    pub fn parse_strictly(bytes: &[u8], line: usize) -> Result<Self, Malformed> {
        head::read_strictly(bytes, line, "a call", FIELDS, Self::from_fields)
    }

    fn from_fields(id: Option<Value>, fields: &mut Map<String, Value>) -> Result<Self, String> {
        let tool = head::needed(fields, "tool")?;
        if tool.trim().is_empty() {
            return Err("`tool` is empty".to_owned());
        }
        let arguments = head::object(fields, "arguments")?;
        let declared_risk = head::text(fields, "security_risk")?
            .map(|word| word.parse::<Risk>().map_err(|error| format!("`security_risk`: {error}")))
            .transpose()?;
        let call = ToolCall {
            id: id.as_ref().map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned)),
            tool,
            arguments,
            cwd: head::text(fields, "cwd")?,
            home: head::text(fields, "home")?,
            thought: head::text(fields, "thought")?,
            summary: head::text(fields, "summary")?,
            declared_risk,
            agent: head::text(fields, "agent")?,
            session: head::text(fields, "session")?,
        };
        let background = Background::from_fields(fields)?;
        let mode = head::text(fields, "mode")?;
        let unknown_fields = head::unknown(fields, FIELDS);
        Ok(Self { id, call, mode, background, unknown_fields })
    }
}

impl Background {
    fn from_fields(fields: &mut Map<String, Value>) -> Result<Self, String> {
        let file = |file: Value| match file {
            Value::String(file) => Ok(file),
            other => Err(head::expected("recent_files", "an array of strings", &other)),
        };
        let files = head::list(fields, "recent_files")?.into_iter().map(file);
        let turns = head::list(fields, "transcript")?.into_iter().map(turn);
        Ok(Self {
            recent_files: files.collect::<Result<_, _>>()?,
            transcript: turns.collect::<Result<_, _>>()?,
        })
    }
}

/// One entry of a conversation: `{"origin":"person","text":"…"}`.
fn turn(entry: Value) -> Result<Turn, String> {
    let Value::Object(mut fields) = entry else {
        return Err(head::expected("transcript", "an array of objects", &entry));
    };
    let origin = match head::needed(&mut fields, "origin")?.as_str() {
        "person" => Origin::Person,
        "agent" => Origin::Agent,
        "tool" => Origin::Tool,
        other => {
            return Err(format!("`origin` is `{other}`, expected one of person, agent, tool"));
        }
    };
    Ok(Turn { origin, text: head::needed(&mut fields, "text")? })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_read_with_every_field() {
        let line = br#"{"v":1,"id":7,"tool":"bash","arguments":{"command":"ls\u0000"},"cwd":"/w","home":"/h",
            "thought":"t","summary":"s","security_risk":"LOW","mode":"plan","agent":"a","session":"x","other":1}"#;
        let request = Request::parse(line, 1).unwrap();
        assert_eq!(request.id, Some(json!(7)));
        assert_eq!(request.mode.as_deref(), Some("plan"));
        let [other] = &request.unknown_fields[..] else { panic!("{request:?}") };
        assert_eq!((other.field.as_str(), other.nearest), ("other", None));
        let call = request.call;
        assert_eq!(call.id.as_deref(), Some("7"));
        assert_eq!(call.arguments["command"], "ls\0");
        assert_eq!((call.cwd.as_deref(), call.home.as_deref()), (Some("/w"), Some("/h")));
        assert_eq!((call.thought.as_deref(), call.summary.as_deref()), (Some("t"), Some("s")));
        assert_eq!((call.agent.as_deref(), call.session.as_deref()), (Some("a"), Some("x")));
        assert_eq!(call.declared_risk, Some(Risk::Low));
    }

    #[test]
    fn what_is_missing_or_of_the_wrong_type_is_named() {
        for (line, message) in [
            ("[]", "a call must be a JSON object"),
            ("{}", "`tool` is missing"),
            (r#"{"tool":null,"arguments":{}}"#, "`tool` is missing"),
            (r#"{"tool":" ","arguments":{}}"#, "`tool` is empty"),
            (r#"{"tool":5,"arguments":{}}"#, "`tool` must be a string, but it is a number"),
            (r#"{"tool":"bash"}"#, "`arguments` is missing"),
            (
                r#"{"tool":"bash","arguments":{},"recent_files":["a",1]}"#,
                "`recent_files` must be an array of strings, but it is a number",
            ),
            (
                r#"{"tool":"bash","arguments":{},"transcript":{}}"#,
                "`transcript` must be an array, but it is an object",
            ),
            (
                r#"{"tool":"bash","arguments":{},"transcript":["hi"]}"#,
                "`transcript` must be an array of objects, but it is a string",
            ),
            (
                r#"{"tool":"bash","arguments":{},"transcript":[{"origin":"system","text":"hi"}]}"#,
                "`origin` is `system`, expected one of person, agent, tool",
            ),
            (
                r#"{"tool":"bash","arguments":{},"transcript":[{"origin":"person"}]}"#,
                "`text` is missing",
            ),
            (
                r#"{"tool":"bash","arguments":"ls"}"#,
                "`arguments` must be an object, but it is a string",
            ),
            (
                r#"{"tool":"bash","arguments":{},"cwd":[]}"#,
                "`cwd` must be a string, but it is an array",
            ),
            (
                r#"{"id":{},"tool":"bash","arguments":{}}"#,
                "`id` must be a string or a number, but it is an object",
            ),
            (r#"{"v":2,"tool":"bash","arguments":{}}"#, "`v` must be 1, but it is `2`"),
            (
                r#"{"tool":"bash","arguments":{},"security_risk":"none"}"#,
                "`security_risk`: `none` is not a risk; expected safe, low, medium, high, critical, or unknown",
            ),
        ] {
            assert_eq!(Request::parse(line.as_bytes(), 1).unwrap_err().message, message, "{line}");
        }
        let error = Request::parse(br#"{"id":"x"}"#, 3).unwrap_err();
        assert_eq!((error.id, error.line), (Some(json!("x")), 3));
    }
}
