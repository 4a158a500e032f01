//! A model that says what it is told to, behind a real socket on this machine, over both wires. For examples and tests: it needs no network and
//! no key.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use portcullis::guardian::{Provider, Settings};
use serde_json::{Value, json};

/// What it says.
#[derive(Clone, Debug)]
pub(crate) enum Say {
    /// A text, and no call.
    Text(String),
    /// Calls of tools.
    Calls(Vec<(String, Value)>),
    /// This status, so many times, and then that.
    Failing(u16, usize, Box<Say>),
    /// These bytes as the body of an answer.
    Raw(String),
}

impl Say {
    /// One call.
    pub(crate) fn call(tool: &str, arguments: Value) -> Self {
        Self::Calls(vec![(tool.to_owned(), arguments)])
    }
}

/// A model that was started.
pub(crate) struct Scripted {
    provider: Provider,
    port: u16,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Scripted {
    /// A model that says one thing after the other: which it is, follows from how much of its own the conversation shows.
    pub(crate) fn start(provider: Provider, script: Vec<Say>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            let mut failed = 0;
            for stream in listener.incoming().flatten() {
                let _ = serve(provider, stream, &script, &kept, &mut failed);
            }
        });
        Ok(Self { provider, port, asked })
    }

    /// What makes it somebody's model.
    pub(crate) fn settings(&self) -> Settings {
        Settings::new(self.provider, self.url(), "scripted")
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Everything that it was asked.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(
    provider: Provider,
    mut stream: TcpStream,
    script: &[Say],
    asked: &Mutex<Vec<Value>>,
    failed: &mut usize,
) -> std::io::Result<()> {
    let Some(body) = request(&mut stream)? else { return Ok(()) };
    let said = body.get("messages").and_then(Value::as_array).map_or(0, |messages| {
        let of_model = |message: &&Value| message.get("role") == Some(&json!("assistant"));
        messages.iter().filter(of_model).count()
    });
    asked.lock().unwrap_or_else(PoisonError::into_inner).push(body);
    let mut say = script.get(said).cloned().unwrap_or_else(|| Say::Text("I am done.".to_owned()));
    let mut status = 200;
    if let Say::Failing(code, times, then) = say {
        say = *then;
        if *failed < times {
            *failed += 1;
            status = code;
        }
    }
    let body = match say {
        _ if status != 200 => "{}".to_owned(),
        Say::Raw(raw) => raw,
        say => envelope(provider, &say, said).to_string(),
    };
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn request(stream: &mut TcpStream) -> std::io::Result<Option<Value>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    loop {
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(head) = head {
            let (words, body) = bytes.split_at_checked(head + 4).unwrap_or_default();
            let words = String::from_utf8_lossy(words).to_ascii_lowercase();
            let length = words.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            if body.len() >= length {
                return Ok(serde_json::from_slice(body).ok());
            }
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(None),
            read => bytes.extend_from_slice(buffer.get(..read).unwrap_or_default()),
        }
    }
}

fn envelope(provider: Provider, say: &Say, turn: usize) -> Value {
    let (text, calls) = match say {
        Say::Text(text) => (Some(text.as_str()), &[][..]),
        Say::Calls(calls) => (None, calls.as_slice()),
        _ => (None, &[][..]),
    };
    let id = |at: usize| format!("c{turn}_{at}");
    match provider {
        Provider::Anthropic => {
            let mut content: Vec<Value> =
                text.iter().map(|text| json!({"type": "text", "text": text})).collect();
            content.extend(calls.iter().enumerate().map(|(at, (tool, input))| {
                json!({"type": "tool_use", "id": id(at), "name": tool, "input": input})
            }));
            let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
            json!({
                "id": "x", "type": "message", "role": "assistant", "model": "scripted", "content": content,
                "stop_reason": reason, "usage": {"input_tokens": 100, "output_tokens": 10},
            })
        }
        _ => {
            let calls: Vec<Value> = calls
                .iter()
                .enumerate()
                .map(|(at, (tool, arguments))| {
                    // What is no object is sent as it stands: a model can write anything.
                    let arguments = match arguments {
                        Value::String(raw) => raw.clone(),
                        other => other.to_string(),
                    };
                    json!({"id": id(at), "type": "function", "function": {"name": tool, "arguments": arguments}})
                })
                .collect();
            let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
            let calls = if calls.is_empty() { Value::Null } else { json!(calls) };
            json!({
                "id": "x", "object": "chat.completion", "model": "scripted",
                "choices": [{"index": 0, "finish_reason": reason,
                    "message": {"role": "assistant", "content": text, "tool_calls": calls}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10},
            })
        }
    }
}
