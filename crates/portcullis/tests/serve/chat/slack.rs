//! A Slack of the tests' own: on the loopback, saying what the real one says, refusing or away where it is told to; and its users, who press buttons and type.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::client::{Answer, Gateway, PATIENCE};

pub(crate) const TOKEN: &str = "xoxb-only-for-tests";
pub(crate) const APP_TOKEN: &str = "xapp-only-for-tests";
pub(crate) const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
pub(crate) const TEAM: &str = "T0ACME";
pub(crate) const APP: &str = "A0GATE";

/// What was said to it.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) method: String,
    pub(crate) headers: String,
    pub(crate) body: Value,
}

#[derive(Default)]
struct World {
    said: Vec<Said>,
    /// What it answers in place of what is right: a status and a body, the first first.
    lies: Vec<(u16, String)>,
    /// The address of the socket that it names.
    socket: String,
}

pub(crate) struct Slack {
    pub(crate) address: SocketAddr,
    world: Arc<(Mutex<World>, Condvar)>,
}

impl Slack {
    pub(crate) fn start() -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    pub(crate) fn at(listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap();
        let world: Arc<(Mutex<World>, Condvar)> = Arc::default();
        let shared = Arc::clone(&world);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let shared = Arc::clone(&shared);
                thread::spawn(move || answer(stream, &shared));
            }
        });
        Self { address, world }
    }

    pub(crate) fn lies(&self, lies: &[(u16, &str)]) {
        let lies = lies.iter().map(|(status, body)| (*status, (*body).to_owned()));
        self.world.0.lock().unwrap().lies.extend(lies);
    }

    /// Names this address to whoever asks for a socket.
    pub(crate) fn names(&self, socket: &str) {
        self.world.0.lock().unwrap().socket = socket.to_owned();
    }

    /// Everything that was said by one method.
    pub(crate) fn said(&self, method: &str) -> Vec<Said> {
        let world = self.world.0.lock().unwrap();
        world.said.iter().filter(|one| one.method.ends_with(method)).cloned().collect()
    }

    /// Waits until so much was said by one method, and gives the last.
    pub(crate) fn hears(&self, method: &str, count: usize) -> Said {
        let (world, news) = &*self.world;
        let world = world.lock().unwrap();
        let few = |world: &mut World| {
            world.said.iter().filter(|one| one.method.ends_with(method)).count() < count
        };
        let (world, waited) = news.wait_timeout_while(world, PATIENCE, few).unwrap();
        assert!(!waited.timed_out(), "never {count} of {method}: {:?}", world.said);
        let mut all = world.said.iter().filter(|one| one.method.ends_with(method));
        all.nth(count - 1).unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, shared: &(Mutex<World>, Condvar)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut headers = String::new();
    while reader.read_line(&mut headers).is_ok_and(|length| length > 2) {}
    let lower = headers.to_ascii_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
    let Some(length) = length.and_then(|text| text.trim().parse::<u64>().ok()) else { return };
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body).unwrap();
    let method = headers.split(' ').nth(1).unwrap_or_default().to_owned();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (status, text) = {
        let mut world = shared.0.lock().unwrap();
        let is_lied = !world.lies.is_empty();
        let lie = is_lied.then(|| world.lies.remove(0));
        let count = world.said.len();
        let right = match (method.ends_with("apps.connections.open"), headers.contains(APP_TOKEN)) {
            (true, true) => json!({ "ok": true, "url": world.socket }),
            (true, false) => json!({ "ok": false, "error": "not_allowed_token_type" }),
            _ => {
                json!({ "ok": true, "channel": body["channel"], "ts": format!("1790000000.{count:06}") })
            }
        };
        world.said.push(Said { method, headers, body });
        lie.unwrap_or((200, right.to_string()))
    };
    let more = if status == 429 { "Retry-After: 1\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status} X\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    // Who has gone wants no answer.
    let _ = stream.write_all(format!("{head}{text}").as_bytes());
    shared.1.notify_all();
}

/// A button of a message that was posted, by the words on it.
pub(crate) fn button(message: &Value, words: &str) -> Option<Value> {
    let blocks = message["blocks"].as_array().unwrap();
    let elements = blocks.iter().filter_map(|block| block["elements"].as_array()).flatten();
    elements.into_iter().find(|one| one["text"]["text"] == words).cloned()
}

/// All that a message shows.
pub(crate) fn shown(message: &Value) -> String {
    let blocks = message["blocks"].as_array().unwrap();
    let texts = blocks.iter().filter_map(|block| block["text"]["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// Somebody in the workspace.
pub(crate) struct User {
    pub(crate) id: &'static str,
}

/// No two words are said at the same time with the same bytes.
static TRIGGER: AtomicU64 = AtomicU64::new(1);

impl User {
    pub(crate) fn payload(&self, button: &Value) -> Value {
        let trigger = TRIGGER.fetch_add(1, Ordering::Relaxed);
        json!({
            "type": "block_actions", "api_app_id": APP, "team": { "id": TEAM, "domain": "acme" },
            "user": { "id": self.id, "username": "u", "team_id": TEAM }, "channel": { "id": "C0OPS", "name": "ops" },
            "trigger_id": trigger.to_string(), "response_url": "https://hooks.slack.com/actions/x",
            "message": { "ts": "1790000000.000000", "text": "x" },
            "actions": [{ "type": "button", "action_id": button["action_id"], "block_id": "portcullis", "value": button["value"] }],
        })
    }

    pub(crate) fn presses(&self, gateway: &Gateway, button: &Value) -> Answer {
        say(gateway, &form(&[("payload", &self.payload(button).to_string())]))
    }

    /// Types `/portcullis` and these words.
    pub(crate) fn types(&self, gateway: &Gateway, text: &str) -> Answer {
        let trigger = TRIGGER.fetch_add(1, Ordering::Relaxed).to_string();
        let fields = [
            ("team_id", TEAM),
            ("api_app_id", APP),
            ("user_id", self.id),
            ("channel_id", "C0OPS"),
            ("command", "/portcullis"),
            ("text", text),
            ("trigger_id", trigger.as_str()),
        ];
        say(gateway, &form(&fields))
    }

    /// Links this account to whoever has a token, as a person does.
    pub(crate) fn links(&self, gateway: &Gateway, token: &str) {
        let code = gateway.client().post("/v1/chat/links", token, &Value::Null);
        assert_eq!(code.status, 201, "{}", code.body);
        let command = code.json()["command"].as_str().unwrap().to_owned();
        let told = self.types(gateway, command.strip_prefix("/portcullis ").unwrap());
        assert!(told.body.contains("From now on you speak for"), "{}", told.body);
    }
}

pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    let written = |text: &str| {
        text.bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' => {
                    char::from(byte).to_string()
                }
                b' ' => "+".to_owned(),
                other => format!("%{other:02X}"),
            })
            .collect::<String>()
    };
    let pair = |(name, value): &(&str, &str)| format!("{name}={}", written(value));
    fields.iter().map(pair).collect::<Vec<_>>().join("&")
}

pub(crate) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

pub(crate) fn signature(secret: &str, time: i64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("v0:{time}:{body}").as_bytes());
    format!("v0={}", data_encoding::HEXLOWER.encode(&mac.finalize().into_bytes()))
}

/// As Slack says it.
pub(crate) fn say(gateway: &Gateway, body: &str) -> Answer {
    let time = now();
    send(gateway, &time.to_string(), &signature(SECRET, time, body), body)
}

pub(crate) fn send(gateway: &Gateway, time: &str, signature: &str, body: &str) -> Answer {
    let headers = [
        ("content-type", "application/x-www-form-urlencoded"),
        ("x-slack-request-timestamp", time),
        ("x-slack-signature", signature),
    ];
    gateway.client().send("POST", "/chat/slack", "", &headers, body).unwrap()
}
