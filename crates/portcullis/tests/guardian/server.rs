//! A server that does as it is told, on a real socket. Owns how a request is read, and the answers of each provider's shape.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use portcullis::guardian::Provider;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// What is done with a connection once its request was read.
#[derive(Clone)]
pub(crate) enum Say {
    /// These bytes, and the end.
    Bytes(Vec<u8>),
    /// These bytes, and then nothing.
    Hang(Vec<u8>),
    /// These bytes, one at a time, for ever again.
    Drip(Vec<u8>),
}

pub(crate) struct Server {
    pub(crate) port: u16,
    /// Every request, whole.
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    /// The most requests that were under way at once.
    pub(crate) most: Arc<AtomicUsize>,
}

impl Server {
    /// A server that answers by a script: the request's body and how many came before it.
    pub(crate) async fn new(script: impl Fn(&str, usize) -> Say + Send + Sync + 'static) -> Self {
        Self::slow(std::time::Duration::ZERO, script).await
    }

    /// One that takes its time.
    pub(crate) async fn slow(
        pause: std::time::Duration,
        script: impl Fn(&str, usize) -> Say + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (most, now) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (kept, peak, script) = (Arc::clone(&asked), Arc::clone(&most), Arc::new(script));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (kept, peak, now, script) =
                    (Arc::clone(&kept), Arc::clone(&peak), Arc::clone(&now), Arc::clone(&script));
                tokio::spawn(async move {
                    let Some(request) = request(&mut stream).await else { return };
                    peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
                    let before = {
                        let mut kept = kept.lock().unwrap();
                        kept.push(request.clone());
                        kept.len() - 1
                    };
                    let say = script(body, before);
                    if !pause.is_zero() {
                        tokio::time::sleep(pause).await;
                    }
                    // Before the answer: whoever has it may be followed by the next at once.
                    now.fetch_sub(1, Ordering::SeqCst);
                    answer(&mut stream, say).await;
                });
            }
        });
        Self { port, asked, most }
    }

    pub(crate) async fn saying(say: Say) -> Self {
        Self::new(move |_, _| say.clone()).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn answer(stream: &mut TcpStream, say: Say) {
    match say {
        Say::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Say::Hang(bytes) => {
            let _ = stream.write_all(&bytes).await;
            // Until the other side goes.
            let _ = stream.read(&mut [0; 64]).await;
        }
        Say::Drip(bytes) => {
            for byte in bytes.iter().cycle() {
                if stream.write_all(&[*byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
    }
}

async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8_192];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            if body.len() >= length.unwrap_or(0_usize) {
                return Some(text);
            }
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// A whole answer.
pub(crate) fn http(status: u16, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} Said\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        bytes.push_str(header);
        bytes.push_str("\r\n");
    }
    bytes.push_str("\r\n");
    let mut bytes = bytes.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

pub(crate) const JSON: &str = "Content-Type: application/json";

pub(crate) fn json_answer(body: &Value) -> Vec<u8> {
    http(200, &[JSON], body.to_string().as_bytes())
}

/// A review as a provider sends it.
pub(crate) fn envelope(provider: Provider, text: &str) -> Value {
    match provider {
        Provider::OpenAi => json!({
            "id": "x", "object": "chat.completion", "model": "a-model",
            "choices": [{"index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": text, "refusal": null}}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
        }),
        Provider::OpenAiResponses => json!({
            "id": "x", "object": "response", "status": "completed", "error": null,
            "output": [
                {"type": "reasoning", "id": "r", "summary": []},
                {"type": "message", "role": "assistant", "status": "completed", "id": "m",
                    "content": [{"type": "output_text", "text": text, "annotations": []}]},
            ],
            "usage": {"input_tokens": 900, "output_tokens": 40, "total_tokens": 940},
        }),
        Provider::Anthropic => json!({
            "id": "x", "type": "message", "role": "assistant", "model": "a-model",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 900, "output_tokens": 40},
        }),
        Provider::GraySwan => serde_json::from_str(text).unwrap_or(Value::Null),
    }
}

pub(crate) fn review(score: f64) -> String {
    json!({"riskScore": score, "reasoning": "in its own words", "risks": []}).to_string()
}

/// An answer that approves.
pub(crate) fn approval(provider: Provider) -> Vec<u8> {
    let text = match provider {
        Provider::GraySwan => r#"{"violation":0.01}"#.to_owned(),
        _ => review(5.0),
    };
    json_answer(&envelope(provider, &text))
}
