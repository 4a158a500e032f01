//! A server elsewhere: one of our own on the loopback, which speaks HTTP in both eras and misbehaves where it is told to.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::fs::PermissionsExt as _,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

use super::{
    Mcp, Place, Setup, messages, request,
    stateless::{post, text},
    wait,
};

/// A request as the server saw it.
#[derive(Clone, Debug)]
struct Seen {
    method: String,
    headers: BTreeMap<String, String>,
    body: Value,
}

struct Elsewhere {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Elsewhere {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let all = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), all) = (stream, Arc::clone(&all)) else { return };
                thread::spawn(move || served(stream, &all));
            }
        });
        Self { address, seen }
    }

    fn url(&self) -> String {
        format!("url = \"http://{}/mcp\"", self.address)
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    fn of(&self, method: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|one| one.body["method"] == method).collect()
    }
}

fn served(stream: TcpStream, all: &Mutex<Vec<Seen>>) {
    let mut input = BufReader::new(stream);
    let mut first = String::new();
    input.read_line(&mut first).unwrap();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        input.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length: u64 = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let method = first.split(' ').next().unwrap().to_owned();
    all.lock().unwrap().push(Seen { method, headers: headers.clone(), body: body.clone() });
    // A client that has gone wants no answer.
    let _ = input.get_mut().write_all(&answered(&first, &headers, &body));
}

fn http(status: &str, kind: &str, more: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn answered(first: &str, headers: &BTreeMap<String, String>, body: &Value) -> Vec<u8> {
    let json = |value: Value| {
        let value = json!({"jsonrpc": "2.0", "id": body["id"], "result": value});
        http("200 OK", "application/json", "", &value.to_string())
    };
    let is_new = headers.get("mcp-protocol-version").is_some_and(|it| it == "2026-07-28");
    if !first.starts_with("POST") {
        return http("405 Method Not Allowed", "text/plain", "", "");
    }
    let tools = json!([
        {"name": "read_note", "description": "Reads a note.", "inputSchema": {"type": "object", "properties": {"where": {"type": "string", "x-mcp-header": "Where"}}}},
        {"name": "list_notes", "description": "Lists the notes.", "inputSchema": {"type": "object", "properties": {"a": {"type": "number", "x-mcp-header": "A"}}}},
    ]);
    let who = json!({"name": "notes", "version": "1"});
    match body["method"].as_str().unwrap_or_default() {
        "initialize" => {
            let value = json!({"jsonrpc": "2.0", "id": body["id"], "result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": who}});
            http("200 OK", "application/json", "Mcp-Session-Id: far-1\r\n", &value.to_string())
        }
        "server/discover" => json(
            json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": who}),
        ),
        _ if !is_new && headers.get("mcp-session-id").is_none_or(|id| id != "far-1") => http(
            "404 Not Found",
            "application/json",
            "",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"LEAK"}}"#,
        ),
        "tools/list" => json(json!({"resultType": "complete", "tools": tools})),
        "tools/call" => called(body, &json),
        "ping" => json(json!({})),
        _ => http("202 Accepted", "text/plain", "", ""),
    }
}

fn called(body: &Value, json: &dyn Fn(Value) -> Vec<u8>) -> Vec<u8> {
    let content = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let whole =
        |value: &Value| json!({"jsonrpc": "2.0", "id": body["id"], "result": value}).to_string();
    let events = |text: &str| http("200 OK", "text/event-stream; charset=utf-8", "", text);
    match body["params"]["arguments"]["how"].as_str().unwrap_or_default() {
        "progress" => events(&format!(
            ": hello\r\n\r\nevent: message\r\ndata: {}\r\n\r\ndata: {}\n\ndata: {}\n\n",
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": body["params"]["_meta"]["progressToken"], "progress": 1}}),
            whole(&content("done")),
            whole(&content("LEAK after the answer")),
        )),
        "elsewhere" => http(
            "307 Temporary Redirect",
            "text/plain",
            "Location: http://127.0.0.1:1/LEAK\r\n",
            "",
        ),
        "page" => http("200 OK", "text/html", "", "LEAK"),
        "broken" => http("500 Internal Server Error", "text/plain", "", "LEAK"),
        "other" => http(
            "200 OK",
            "application/json",
            "",
            r#"{"jsonrpc":"2.0","id":"portcullis/1","result":{"content":[{"type":"text","text":"LEAK"}]}}"#,
        ),
        "twice" => http(
            "200 OK",
            "application/json",
            "",
            &format!(
                r#"{{"jsonrpc":"2.0","id":{0},"id":{0},"result":{{"content":[{{"type":"text","text":"LEAK"}}]}}}}"#,
                body["id"]
            ),
        ),
        "batch" => {
            http("200 OK", "application/json", "", &format!("[{}]", whole(&content("LEAK"))))
        }
        "packed" => http("200 OK", "application/json", "Content-Encoding: gzip\r\n", "LEAK"),
        "off" => events("data: {\"jsonrpc\":\"2.0\",\"id\":"),
        "locked" => http(
            "401 Unauthorized",
            "application/json",
            "WWW-Authenticate: Bearer\r\n",
            r#"{"error":"LEAK"}"#,
        ),
        "long" => http(
            "200 OK",
            "application/json",
            "",
            &whole(&content(&format!("LEAK{}", "a".repeat(17 << 20)))),
        ),
        "longer" => events(&format!("data: {}\n\n", "LEAK".repeat(5 << 20))),
        "secret" => json(content("the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a")),
        _ => json(content("hello")),
    }
}

fn far(place: &Place) -> Mcp<'_> {
    let mut client = place.client();
    client.path = "/mcp/far";
    client
}

fn met(place: &Place) -> Mcp<'_> {
    let mut client = far(place);
    client.meet(json!({}));
    client
}

#[test]
fn a_server_elsewhere_is_judged_and_pinned_and_gets_no_token_of_a_client() {
    let elsewhere = Elsewhere::new();
    let keys = tempfile::tempdir().unwrap();
    let key = keys.path().join("key");
    fs::write(&key, "far-token\n").unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let place =
        Place::before(&Setup::default(), Some(&format!("{}\ntoken = {key:?}", elsewhere.url())));
    let client = met(&place);
    let said = client.call(2, "read_note", json!({}));
    assert_eq!(text(&said[0]), "hello", "{said:?}");
    let said = client.call(3, "read_note", json!({"how": "secret"}));
    assert!(!said[0].to_string().contains("ghp_16C7"), "{said:?}");
    wait(|| elsewhere.of("notifications/initialized").len() == 1);
    for seen in elsewhere.seen() {
        assert_eq!(seen.headers["authorization"], "Bearer far-token");
        assert!(!format!("{seen:?}").contains(&place.gateway.agents), "{seen:?}");
        let is_first = seen.body["method"] == "initialize";
        assert_eq!(
            seen.headers.get("mcp-session-id").map(String::as_str),
            (!is_first).then_some("far-1")
        );
        assert_eq!(
            seen.headers.get("mcp-protocol-version").map(String::as_str),
            (!is_first).then_some("2025-06-18")
        );
    }
    // The gate's own session is another than the server's, and both end together.
    let session = client.session.clone().unwrap();
    assert_ne!(session, "far-1");
    client.send("DELETE", &[("Mcp-Session-Id", &session)], "");
    wait(|| elsewhere.seen().iter().any(|seen| seen.method == "DELETE"));
}

#[test]
fn events_of_a_server_elsewhere_come_as_they_come_and_none_after_the_answer() {
    let elsewhere = Elsewhere::new();
    let place = Place::before(&Setup::default(), Some(&elsewhere.url()));
    let client = met(&place);
    let params = json!({"name": "read_note", "arguments": {"how": "progress"}, "_meta": {"progressToken": 5}});
    let all = messages(&client.post(&request(2, "tools/call", params)));
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!((&all[0]["params"]["progressToken"], text(&all[1])), (&json!(5), "done"));
}

#[test]
fn without_sessions_headers_say_what_the_message_says_and_a_tool_that_breaks_their_rules_is_held() {
    let elsewhere = Elsewhere::new();
    let place = Place::before(&Setup::default(), Some(&elsewhere.url()));
    let client = far(&place);
    let listed = post(&client, &super::stateless::request(1, "tools/list", json!({})), &[]).json();
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["read_note", "portcullis_held"], "{listed}");
    let call = super::stateless::request(
        2,
        "tools/call",
        json!({"name": "read_note", "arguments": {"where": "zü"}}),
    );
    let answer = post(&client, &call, &[("Mcp-Param-Where", "=?base64?esO8?=")]);
    assert_eq!(text(&answer.json()), "hello", "{answer:?}");
    let seen = elsewhere.of("tools/call");
    let header = |name: &str| seen[0].headers.get(name).map(String::as_str);
    assert_eq!(header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!((header("mcp-method"), header("mcp-name")), (Some("tools/call"), Some("read_note")));
    assert_eq!(header("mcp-param-where"), Some("=?base64?esO8?="));
    assert_eq!(header("mcp-session-id"), None);
    let unfit = super::stateless::request(
        3,
        "tools/call",
        json!({"name": "list_notes", "arguments": {"a": 1}}),
    );
    let answer = post(&client, &unfit, &[]);
    assert!(answer.body.contains("held"), "{answer:?}");
    assert_eq!(elsewhere.of("tools/call").len(), 1);
}

#[test]
fn what_is_no_answer_is_not_passed_on_and_the_next_question_is_answered() {
    let elsewhere = Elsewhere::new();
    let place = Place::before(&Setup::default(), Some(&elsewhere.url()));
    let client = met(&place);
    let hows = [
        "elsewhere",
        "page",
        "broken",
        "other",
        "twice",
        "batch",
        "packed",
        "off",
        "locked",
        "long",
        "longer",
    ];
    for (id, how) in (2..).zip(hows) {
        let answer = client.call(id, "read_note", json!({"how": how}));
        let last = answer.last().unwrap();
        assert!(
            last["error"]["message"].as_str().unwrap().contains("gave no answer"),
            "{how}: {answer:?}"
        );
        assert!(!format!("{answer:?}").contains("LEAK"), "{how}: {answer:?}");
    }
    assert_eq!(text(&client.call(90, "read_note", json!({}))[0]), "hello");
}

#[test]
fn an_address_that_leads_inside_or_nowhere_is_not_followed() {
    // Two ways to what gives away who a machine is, and an address where nobody listens.
    for (url, why) in [
        ("url = \"https://metadata.google.internal/mcp\"", "metadata service"),
        ("url = \"https://169.254.169.254/mcp\"", "metadata service"),
        ("url = \"http://127.0.0.1:9/mcp\"", "gave no answer"),
    ] {
        let place = Place::before(&Setup::default(), Some(url));
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
        let answer = far(&place).post(&request(1, "initialize", params));
        assert!(answer.body.contains(why), "{url} {answer:?}");
        assert!(!answer.headers.contains("mcp-session-id"), "{answer:?}");
    }
}
