//! Slack over a connection that the gateway makes: what comes in envelopes decides as what comes to the door does, once, and connections are made anew.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

use super::{
    EVERYTHING, HIGH, asked, private, request,
    slack::{APP, APP_TOKEN, Slack, TEAM, TOKEN, User, button},
    until, waits,
};
use crate::client::{Gateway, PATIENCE};

const ADA: User = User { id: "U0ADA" };

/// Where gateways connect to.
struct Sockets(TcpListener);

/// One connection.
struct Socket(WebSocket<TcpStream>);

impl Sockets {
    fn new(slack: &Slack) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        slack.names(&format!("ws://{}/link/?ticket=1", listener.local_addr().unwrap()));
        Self(listener)
    }

    /// The next one, greeted.
    fn next(&self) -> Socket {
        let (stream, _) = self.0.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut socket = Socket(tungstenite::accept(stream).unwrap());
        socket.says(
            &json!({ "type": "hello", "num_connections": 1, "connection_info": { "app_id": APP } }),
        );
        socket
    }
}

impl Socket {
    fn says(&mut self, what: &Value) {
        self.0.send(Message::text(what.to_string())).unwrap();
    }

    /// What is answered next.
    fn hears(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                return serde_json::from_str(text.as_str()).unwrap();
            }
        }
    }

    /// Says something in an envelope, and gives what it is acknowledged with.
    fn envelope(&mut self, id: &str, kind: &str, payload: &Value) -> Value {
        let envelope = json!({
            "envelope_id": id, "type": kind, "payload": payload, "accepts_response_payload": kind == "slash_commands",
        });
        self.says(&envelope);
        let answer = self.hears();
        assert_eq!(answer["envelope_id"], id, "{answer}");
        answer
    }

    fn types(&mut self, id: &str, text: &str) -> String {
        let payload = json!({
            "team_id": TEAM, "api_app_id": APP, "user_id": ADA.id, "channel_id": "C0OPS", "command": "/portcullis", "text": text,
        });
        let answer = self.envelope(id, "slash_commands", &payload);
        answer["payload"]["text"].as_str().unwrap_or_default().to_owned()
    }

    /// Links an account as a person does.
    fn links(&mut self, gateway: &Gateway, token: &str) {
        let code = gateway.client().post("/v1/chat/links", token, &Value::Null).json();
        let command = code["command"].as_str().unwrap().strip_prefix("/portcullis ").unwrap();
        assert!(self.types("link", command).contains("From now on you speak for"));
    }
}

/// A gateway that connects to the Slack at an address, and that nothing reaches.
fn gateway(state: &Path, slack: SocketAddr, options: &[&str]) -> Gateway {
    let (token, app_token) = (state.join("slack-token"), state.join("slack-app-token"));
    private(&token, TOKEN);
    private(&app_token, APP_TOKEN);
    let config = format!(
        "[chat]\nup_to = \"high\"\n[chat.slack]\nteam = \"{TEAM}\"\napp = \"{APP}\"\ntoken = \"{}\"\napp_token = \"{}\"\n\
         url = \"http://{slack}/api\"\n{EVERYTHING}",
        token.display(),
        app_token.display()
    );
    let file = state.join("chat.toml");
    fs::write(&file, config).unwrap();
    let mut all = vec!["--config", file.to_str().unwrap()];
    all.extend(options);
    Gateway::with(state, &all)
}

fn standing(gateway: &Gateway) -> Value {
    gateway.client().get("/v1/chat/links", &gateway.person).json()["socket"].clone()
}

#[test]
fn buttons_decide_over_a_connection_that_the_gateway_makes_and_nothing_comes_in() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let sockets = Sockets::new(&slack);
    let gateway = gateway(state.path(), slack.address, &["--person", "ada"]);
    let mut socket = sockets.next();
    until(|| (standing(&gateway)["connected"] == true).then_some(()));
    assert!(socket.types("before", "").contains("I do not know who you are"));
    socket.links(&gateway, &gateway.person_named("ada"));
    assert!(socket.types("after", "").contains("You speak for ada here"));
    let waiting = waits(&gateway, HIGH);
    let said = slack.hears("chat.postMessage", 1).body;
    let press = ADA.payload(&button(&said, "Approve").unwrap());
    let acknowledged = socket.envelope("press", "interactive", &press);
    assert_eq!(acknowledged, json!({ "envelope_id": "press" }));
    let answer = waiting.join().unwrap().json();
    assert_eq!(answer["decision"], "allow", "{answer}");
    assert_eq!(
        (&answer["approval"]["approver"], &answer["approval"]["origin"]),
        (&json!("ada"), &json!("slack"))
    );
    slack.hears("chat.update", 1);
    // Slack says again what it thinks was lost: it is acknowledged, and done once.
    socket.envelope("press", "interactive", &press);
    socket.types("still", "");
    let records =
        gateway.client().get("/v1/records?kind=change", &gateway.person).json().to_string();
    assert_eq!(records.matches("pressed a button in a chat").count(), 1, "{records}");
    assert!(!records.contains(APP_TOKEN));
    assert_eq!(slack.said("chat.postEphemeral").len(), 0);
    // No door is open for what has no signature to prove it.
    assert_eq!(gateway.client().send("POST", "/chat/slack", "", &[], "").unwrap().status, 404);
}

#[test]
fn what_is_no_word_of_our_app_or_no_envelope_decides_nothing() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let sockets = Sockets::new(&slack);
    let gateway = gateway(state.path(), slack.address, &["--person", "ada"]);
    let mut socket = sockets.next();
    socket.links(&gateway, &gateway.person_named("ada"));
    let waiting = asked(&gateway, HIGH);
    let said = slack.hears("chat.postMessage", 1).body;
    let good = ADA.payload(&button(&said, "Approve").unwrap());
    let changes: [fn(&mut Value); 5] = [
        |press| press["api_app_id"] = json!("A0OTHER"),
        |press| press["team"]["id"] = json!("T0OTHER"),
        |press| press["user"]["team_id"] = json!("T0OTHER"),
        |press| press["actions"][0]["value"] = json!("x.y"),
        |press| *press = json!([1]),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut press = good.clone();
        change(&mut press);
        socket.envelope(&format!("bad-{number}"), "interactive", &press);
    }
    for text in ["", "{", "[]", "{\"type\":1}", "{\"type\":\"interactive\"}"] {
        socket.0.send(Message::text(text)).unwrap();
    }
    let unnamed = json!({ "type": "interactive", "envelope_id": "a\nb", "payload": good });
    socket.says(&unnamed);
    socket.says(&json!({ "type": "interactive", "envelope_id": "x".repeat(200), "payload": good }));
    socket.0.send(Message::binary(vec![0; 64])).unwrap();
    socket.envelope("other", "events_api", &json!({ "event": {} }));
    assert_eq!(request(&gateway, &waiting["id"])["status"], "pending");
    // More than anybody says at once ends the connection, and another one is made.
    let _ = socket.0.send(Message::text("x".repeat(300 << 10)));
    let mut next = sockets.next();
    assert!(next.types("again", "").contains("You speak for ada here"));
    assert_eq!(request(&gateway, &waiting["id"])["status"], "pending");
}

#[test]
fn a_connection_that_ends_is_made_anew_and_what_was_pressed_is_done_once_over_all() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let sockets = Sockets::new(&slack);
    let mut first =
        gateway(state.path(), slack.address, &["--person", "ada", "--two-people", "high"]);
    let mut socket = sockets.next();
    socket.links(&first, &first.person_named("ada"));
    asked(&first, HIGH);
    let said = slack.hears("chat.postMessage", 1).body;
    let press = ADA.payload(&button(&said, "Approve").unwrap());
    socket.envelope("press", "interactive", &press);
    let told = slack.hears("chat.postEphemeral", 1).body["text"].to_string();
    assert!(told.contains("one of two"), "{told}");
    // Slack asks for another one, or breaks off.
    socket.says(&json!({ "type": "disconnect", "reason": "refresh_requested" }));
    let mut second = sockets.next();
    assert!(second.types("second", "").contains("You speak for ada here"));
    drop(second);
    let mut third = sockets.next();
    assert!(third.types("third", "").contains("You speak for ada here"));
    // Said again to another process, it is the same word.
    first.kill();
    drop(third);
    let again = gateway(state.path(), slack.address, &["--person", "ada", "--two-people", "high"]);
    let mut socket = sockets.next();
    socket.envelope("press", "interactive", &press);
    assert!(socket.types("last", "").contains("You speak for ada here"));
    let records = again.client().get("/v1/records?kind=change", &again.person).json().to_string();
    assert_eq!(records.matches("pressed a button in a chat").count(), 1, "{records}");
}

#[test]
fn a_socket_elsewhere_is_not_connected_to_and_the_trouble_is_told() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let sockets = Sockets::new(&slack);
    let address = sockets.0.local_addr().unwrap();
    slack.names(&format!("ws://localhost:{}/link", address.port()));
    let gateway = gateway(state.path(), slack.address, &["--person", "ada"]);
    let trouble = until(|| standing(&gateway)["trouble"].as_str().map(str::to_owned));
    assert!(trouble.contains("is not below `127.0.0.1`"), "{trouble}");
    assert_eq!(standing(&gateway)["connected"], false);
    let reader = gateway.token("eve", &["approve", "read"]);
    let seen = gateway.client().get("/v1/chat/links", &reader).json();
    assert_eq!(seen["socket"], json!({ "connected": false, "trouble": null }));
    let metrics = gateway.client().get("/metrics", &gateway.person).body;
    assert!(metrics.contains("portcullis_delivery_failures_total{channel=\"slack\"}"), "{metrics}");
    sockets.0.set_nonblocking(true).unwrap();
    assert!(sockets.0.accept().is_err(), "nobody came");
    // What Slack refuses is told as well, and it is tried again.
    slack.lies(&[(200, "{\"ok\":false,\"error\":\"invalid_auth\"}")]);
    until(|| {
        standing(&gateway)["trouble"]
            .as_str()
            .filter(|said| said.contains("invalid_auth"))
            .map(drop)
    });
    slack.names(&format!("ws://{address}/link"));
    sockets.0.set_nonblocking(false).unwrap();
    let mut socket = sockets.next();
    assert!(socket.types("x", "").contains("I do not know who you are"));
    until(|| (standing(&gateway) == json!({ "connected": true, "trouble": null })).then_some(()));
}
