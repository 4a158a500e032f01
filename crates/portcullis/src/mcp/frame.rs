//! Frames of the Model Context Protocol: JSON-RPC 2.0, one message a line. Owns what a frame must be before anybody looks at what it says, its
//! bounds, and how one is written. What a method means, it does not know.
//!
//! A frame is read whole, and what goes on is written anew from what was read: two readers never see two messages in the same bytes. What
//! cannot be read is not passed on.

use std::{
    fmt,
    io::{self, BufRead},
};

use serde_json::{Map, Value, json};

use crate::wire;

/// The longest frame. Pictures of whole pages come in a frame.
pub const LONGEST: usize = 16 << 20;

/// The most values in a frame: a few bytes of JSON each take some thirty of memory.
pub const VALUES: usize = 500_000;

/// The longest id of a request.
const LONGEST_ID: usize = 256;

/// The longest name of a method.
const LONGEST_METHOD: usize = 128;

/// The members of an object.
pub type Members = Map<String, Value>;

/// What a request is known by.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Id {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// Somebody wants an answer.
    Request(Request),
    /// Somebody tells something.
    Notification(Notification),
    /// Somebody answers.
    Answer(Answer),
}

/// Somebody wants an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What it is known by.
    pub id: Id,
    /// What is wanted.
    pub method: String,
    /// Of what; `None` where nothing is said.
    pub params: Option<Members>,
}

/// Somebody tells something.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// What of.
    pub method: String,
    /// What; `None` where nothing more is said.
    pub params: Option<Members>,
}

/// Somebody answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The request that it answers.
    pub id: Id,
    /// The result, or the error as it came.
    pub outcome: Result<Members, Members>,
}

/// A frame that cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    /// The request that it was, where that could be read.
    pub id: Option<Id>,
    /// The code of JSON-RPC: -32700 for what is no JSON, -32600 for what is no message.
    pub code: i64,
    /// What is wrong.
    pub message: String,
}

/// A line of a stream.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Line {
    /// The bytes of one.
    Whole(Vec<u8>),
    /// It was longer than [`LONGEST`]; it was read to its end and dropped.
    TooLong,
    /// The stream is at its end.
    End,
}

/// Reads the next line that is not empty, and never keeps more than [`LONGEST`] of it.
///
/// # Errors
/// What the system says.
pub fn line(input: &mut dyn BufRead) -> io::Result<Line> {
    let mut bytes = Vec::new();
    let mut is_long = false;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            // A last line that nothing ends is none: whoever wrote it was cut off.
            return Ok(Line::End);
        }
        let end = memchr::memchr(b'\n', available);
        let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
        if bytes.len() + part.len() > LONGEST {
            is_long = true;
            bytes = Vec::new();
        }
        if !is_long {
            bytes.extend_from_slice(part);
        }
        let used = end.map_or(part.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            match (is_long, bytes.trim_ascii().is_empty()) {
                (true, _) => return Ok(Line::TooLong),
                (false, true) => bytes.clear(),
                (false, false) => return Ok(Line::Whole(bytes)),
            }
        }
    }
}

impl Frame {
    /// Reads one message.
    ///
    /// # Errors
    /// [`Unreadable`] where two readers could read it differently, or it is no message of JSON-RPC 2.0.
    pub fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        if bytes.len() > LONGEST {
            return Err(unreadable(None, "the message is too long"));
        }
        if has_too_many(bytes) {
            return Err(unreadable(None, &format!("the message has more than {VALUES} values")));
        }
        let value = wire::parse(bytes, 1).map_err(|error| {
            let id = error.id.as_ref().and_then(Id::read);
            Unreadable { id, code: -32700, message: error.message }
        })?;
        match value {
            Value::Object(members) => Self::of(members),
            Value::Array(_) => Err(unreadable(None, "several messages in one are not taken")),
            _ => Err(unreadable(None, "the message is no object")),
        }
    }

    fn of(mut members: Members) -> Result<Self, Unreadable> {
        let id = match members.remove("id") {
            None => None,
            Some(value) => Some(Id::read(&value).ok_or_else(|| {
                unreadable(None, "`id` must be an integer or a text of at most 256 bytes")
            })?),
        };
        let wrong = |message: &str| unreadable(id.clone(), message);
        if members.remove("jsonrpc").as_ref().and_then(Value::as_str) != Some("2.0") {
            return Err(wrong("`jsonrpc` must be \"2.0\""));
        }
        let method = members.remove("method");
        let result = members.remove("result");
        let error = members.remove("error");
        let params = match members.remove("params") {
            None | Some(Value::Null) => None,
            Some(Value::Object(params)) => Some(params),
            Some(_) => return Err(wrong("`params` must be an object")),
        };
        if let Some(name) = members.keys().next() {
            let name = name.chars().take(40).collect::<String>();
            return Err(wrong(&format!("`{name}` is no member of a message")));
        }
        let frame = match (method, result, error, id.clone()) {
            (Some(Value::String(method)), None, None, id) => {
                if method.is_empty() || method.len() > LONGEST_METHOD {
                    return Err(wrong("`method` must have 1 to 128 bytes"));
                }
                match id {
                    Some(id) => Self::Request(Request { id, method, params }),
                    None => Self::Notification(Notification { method, params }),
                }
            }
            (None, Some(Value::Object(result)), None, Some(id)) if params.is_none() => {
                Self::Answer(Answer { id, outcome: Ok(result) })
            }
            (None, None, Some(Value::Object(error)), Some(id)) if params.is_none() => {
                let is_whole = error.get("code").is_some_and(Value::is_i64)
                    && error.get("message").is_some_and(Value::is_string);
                if !is_whole {
                    return Err(wrong("an error must have a `code` and a `message`"));
                }
                Self::Answer(Answer { id, outcome: Err(error) })
            }
            _ => return Err(wrong("it is no request, notification or answer")),
        };
        Ok(frame)
    }

    /// The message as it is sent.
    #[must_use]
    pub fn value(self) -> Value {
        match self {
            Self::Request(Request { id, method, params }) => {
                with_params(json!({"jsonrpc": "2.0", "id": id.value(), "method": method}), params)
            }
            Self::Notification(Notification { method, params }) => {
                with_params(json!({"jsonrpc": "2.0", "method": method}), params)
            }
            Self::Answer(Answer { id, outcome: Ok(result) }) => {
                json!({"jsonrpc": "2.0", "id": id.value(), "result": result})
            }
            Self::Answer(Answer { id, outcome: Err(error) }) => {
                json!({"jsonrpc": "2.0", "id": id.value(), "error": error})
            }
        }
    }

    /// The line that is sent.
    #[must_use]
    pub fn line(self) -> Vec<u8> {
        written(&self.value())
    }
}

/// A value on one line, whoever reads it: some take other characters than the line feed for the end of a line, and would find a second message in a text.
fn written(value: &Value) -> Vec<u8> {
    const ENDS: [(char, &str); 3] =
        [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")];
    // What was read can always be written.
    let mut line = serde_json::to_string(value).unwrap_or_default();
    for (end, escaped) in ENDS {
        if line.contains(end) {
            line = line.replace(end, escaped);
        }
    }
    line.push('\n');
    line.into_bytes()
}

impl Answer {
    /// An error.
    #[must_use]
    pub fn error(id: Id, code: i64, message: &str) -> Self {
        let mut error = Map::new();
        error.insert("code".to_owned(), code.into());
        error.insert("message".to_owned(), message.into());
        Self { id, outcome: Err(error) }
    }
}

impl From<Answer> for Frame {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl Unreadable {
    /// A frame that is longer than [`LONGEST`].
    #[must_use]
    pub fn too_long() -> Self {
        unreadable(None, &format!("the message is longer than {LONGEST} bytes"))
    }

    /// What its sender is answered. Where it cannot be told which request it was, the id is `null`, as JSON-RPC wants it.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        let id = self.id.clone().map_or(Value::Null, Id::value);
        let error = json!({"code": self.code, "message": self.message});
        written(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }
}

impl Id {
    /// An id of a frame; `None` where it is none.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Number),
            Value::String(text) if text.len() <= LONGEST_ID => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    /// As it is written.
    #[must_use]
    pub fn value(self) -> Value {
        match self {
            Self::Number(number) => number.into(),
            Self::Text(text) => text.into(),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

fn with_params(mut value: Value, params: Option<Members>) -> Value {
    if let (Some(members), Some(params)) = (value.as_object_mut(), params) {
        members.insert("params".to_owned(), Value::Object(params));
    }
    value
}

fn unreadable(id: Option<Id>, message: &str) -> Unreadable {
    Unreadable { id, code: -32600, message: message.to_owned() }
}

/// Whether there are more values than a frame may have, by what stands between them outside of texts.
fn has_too_many(bytes: &[u8]) -> bool {
    if bytes.len() <= VALUES {
        return false;
    }
    let (mut count, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        match (in_text, escaped, byte) {
            (true, true, _) => escaped = false,
            (true, false, b'\\') => escaped = true,
            (_, false, b'"') => in_text = !in_text,
            (false, _, b',' | b'[' | b'{' | b':') => count += 1,
            _ => {}
        }
    }
    count > VALUES
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_message_is_one_line_for_every_reader() {
        let hidden = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call"}"#;
        for end in
            ['\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}']
        {
            let text = format!("a{end}{hidden}{end}");
            let params = json!({"name": text, text.clone(): {"b": [text]}});
            let request = Request {
                id: Id::Text(text),
                method: "tools/call".to_owned(),
                params: params.as_object().cloned(),
            };
            let frame = Frame::Request(request);
            let line = frame.clone().line();
            let written = std::str::from_utf8(&line).unwrap().strip_suffix('\n').unwrap();
            assert!(!written.contains([end, '\n']), "{end:?}: {written:?}");
            assert_eq!(Frame::parse(written.as_bytes()).unwrap(), frame);
        }
    }

    #[test]
    fn every_kind_of_message_is_read_and_written_as_the_same() {
        for text in [
            r#"{"id":1,"jsonrpc":"2.0","method":"tools/list"}"#,
            r#"{"id":"a","jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"id":1,"jsonrpc":"2.0","result":{"tools":[]}}"#,
            r#"{"error":{"code":-32601,"message":"no"},"id":1,"jsonrpc":"2.0"}"#,
        ] {
            let line = Frame::parse(text.as_bytes()).unwrap().line();
            let written: Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(written, serde_json::from_str::<Value>(text).unwrap());
        }
    }

    #[test]
    fn what_two_readers_could_read_differently_is_not_read() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}1{}}}"#,
            r#"{"a":"#.repeat(500),
            "}".repeat(500)
        );
        let wide = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":[{}1]}}}}"#,
            "1,".repeat(VALUES + 1)
        );
        let long_id = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"x"}}"#, "i".repeat(300));
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","n\u0061me":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\ud800"}}"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#,
            "[]",
            r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":[1],"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
            r#"{"id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":""}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":"y"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","extra":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x"} {"jsonrpc":"2.0","id":2,"method":"y"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x",}"#,
            r#"{'jsonrpc':'2.0','id':1,'method':'x'}"#,
            r#"{"jsonrpc":"2.0","id":NaN,"method":"x"}"#,
            "null",
            "7",
            "\"x\"",
            "{",
            "garbage",
            &deep,
            &wide,
            &long_id,
        ] {
            let shown: String = text.chars().take(90).collect();
            assert!(Frame::parse(text.as_bytes()).is_err(), "{shown}");
        }
        assert!(Frame::parse(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}").is_err());
        assert!(Frame::parse(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x00\"}").is_err());
    }

    #[test]
    fn commas_in_texts_are_no_values() {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":"{}\" "}}}}"#, ",[{".repeat(VALUES));
        assert!(Frame::parse(text.as_bytes()).is_ok());
    }

    #[test]
    fn a_line_is_bounded_and_what_is_too_long_costs_itself_alone() {
        let mut bytes = vec![b'x'; LONGEST + 1];
        bytes.extend_from_slice(b"\n\n  \nnext\nunfinished");
        let mut input = BufReader::new(bytes.as_slice());
        assert_eq!(line(&mut input).unwrap(), Line::TooLong);
        assert_eq!(line(&mut input).unwrap(), Line::Whole(b"next".to_vec()));
        assert_eq!(line(&mut input).unwrap(), Line::End);
    }
}
