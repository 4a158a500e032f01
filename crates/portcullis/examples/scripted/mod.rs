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
    /// A text, and then calls.
    Both(String, Vec<(String, Value)>),
    /// This answer cut off after so many bytes, so many times, and then all of it.
    BrokenOff(usize, usize, Box<Say>),
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

    /// The wire that it speaks.
    pub(crate) const fn provider(&self) -> Provider {
        self.provider
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
    let in_pieces = body.get("stream") == Some(&json!(true));
    asked.lock().unwrap_or_else(PoisonError::into_inner).push(body);
    let mut say = script.get(said).cloned().unwrap_or_else(|| Say::Text("I am done.".to_owned()));
    let (mut status, mut most) = (200, usize::MAX);
    if let Say::Failing(code, times, then) = say {
        say = *then;
        if *failed < times {
            *failed += 1;
            status = code;
        }
    }
    if let Say::BrokenOff(bytes, times, then) = say {
        say = *then;
        if *failed < times {
            *failed += 1;
            most = bytes;
        }
    }
    let is_plain = status != 200 || matches!(say, Say::Raw(_));
    let (kind, body) = match say {
        _ if status != 200 => ("application/json", "{}".to_owned()),
        Say::Raw(raw) if !in_pieces => ("application/json", raw),
        Say::Raw(raw) => ("text/event-stream", raw),
        say if in_pieces => ("text/event-stream", pieces(provider, &say, said)),
        say => ("application/json", envelope(provider, &say, said).to_string()),
    };
    write!(
        stream,
        "HTTP/1.1 {status} Said\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    let sent = body.as_bytes().get(..most.min(body.len())).unwrap_or_default();
    if is_plain || !in_pieces {
        return stream.write_all(sent);
    }
    // Cut where it hurts: in the middle of lines and of characters.
    for portion in sent.chunks(7) {
        stream.write_all(portion)?;
    }
    Ok(())
}

/// The same answer as it comes in pieces.
fn pieces(provider: Provider, say: &Say, turn: usize) -> String {
    let whole = envelope(provider, say, turn);
    let parts = |text: &str| -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(5).map(|part| part.iter().collect()).collect()
    };
    let at = |value: &Value, place: &str| value.pointer(place).cloned().unwrap_or_default();
    let text =
        |value: &Value, place: &str| at(value, place).as_str().unwrap_or_default().to_owned();
    let list =
        |value: &Value, place: &str| at(value, place).as_array().cloned().unwrap_or_default();
    let with = |mut value: Value, name: &str, new: Value| {
        if let Some(members) = value.as_object_mut() {
            members.insert(name.to_owned(), new);
        }
        value
    };
    let mut events = Vec::new();
    match provider {
        Provider::Anthropic => {
            let begun = with(whole.clone(), "content", json!([]));
            events.push(json!({"type": "message_start", "message": begun}));
            events.push(json!({"type": "ping"}));
            let content = list(&whole, "/content");
            for (index, part) in content.into_iter().enumerate() {
                let is_text = text(&part, "/type") == "text";
                let (deltas, field, kind, part) = if is_text {
                    let deltas = parts(&text(&part, "/text"));
                    (deltas, "text", "text_delta", with(part, "text", json!("")))
                } else {
                    let deltas = parts(&at(&part, "/input").to_string());
                    (deltas, "partial_json", "input_json_delta", with(part, "input", json!({})))
                };
                events.push(
                    json!({"type": "content_block_start", "index": index, "content_block": part}),
                );
                for piece in deltas {
                    let delta = json!({"type": kind, field: piece});
                    events.push(
                        json!({"type": "content_block_delta", "index": index, "delta": delta}),
                    );
                }
                events.push(json!({"type": "content_block_stop", "index": index}));
            }
            let (reason, usage) = (at(&whole, "/stop_reason"), at(&whole, "/usage"));
            events.push(
                json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}),
            );
            events.push(json!({"type": "message_stop"}));
            events
                .iter()
                .map(|event| format!("event: {}\ndata: {event}\n\n", text(event, "/type")))
                .collect()
        }
        _ => {
            let mut chunk = |delta: Value, reason: &Value| {
                let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
                events.push(
                    json!({"object": "chat.completion.chunk", "choices": [choice], "usage": null}),
                );
            };
            chunk(json!({"role": "assistant", "content": ""}), &Value::Null);
            for piece in parts(&text(&whole, "/choices/0/message/content")) {
                chunk(json!({"content": piece}), &Value::Null);
            }
            let calls = list(&whole, "/choices/0/message/tool_calls");
            for (index, call) in calls.into_iter().enumerate() {
                let arguments = parts(&text(&call, "/function/arguments"));
                let function = with(at(&call, "/function"), "arguments", json!(""));
                let call = with(with(call, "function", function), "index", json!(index));
                chunk(json!({"tool_calls": [call]}), &Value::Null);
                for piece in arguments {
                    let call = json!({"index": index, "function": {"arguments": piece}});
                    chunk(json!({"tool_calls": [call]}), &Value::Null);
                }
            }
            chunk(json!({}), &at(&whole, "/choices/0/finish_reason"));
            events.push(json!({"choices": [], "usage": at(&whole, "/usage")}));
            let events: String =
                events.iter().map(|event| format!("data: {event}\r\n\r\n")).collect();
            format!(": a comment\r\n\r\n{events}data: [DONE]\r\n\r\n")
        }
    }
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
        Say::Both(text, calls) => (Some(text.as_str()), calls.as_slice()),
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
