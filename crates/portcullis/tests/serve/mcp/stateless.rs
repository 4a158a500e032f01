//! The protocol without sessions, of 2026-07-28.

use serde_json::{Value, json};

use super::{Events, Mcp, Place, lives, messages, wait};

const VERSION: &str = "2026-07-28";

/// A request as a client of this revision sends it.
pub(crate) fn request(id: i64, method: &str, params: Value) -> Value {
    asking(id, method, params, json!({}))
}

pub(crate) fn asking(id: i64, method: &str, mut params: Value, capabilities: Value) -> Value {
    let meta = params["_meta"].as_object().cloned().unwrap_or_default();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    params["_meta"].as_object_mut().unwrap().extend(meta);
    super::request(id, method, params)
}

/// The headers that it has to have.
fn headers(request: &Value) -> Vec<(&'static str, String)> {
    let mut headers = vec![
        ("MCP-Protocol-Version", VERSION.to_owned()),
        ("Mcp-Method", request["method"].as_str().unwrap().to_owned()),
    ];
    let named = request["params"]["name"].as_str().or(request["params"]["uri"].as_str());
    headers.extend(named.map(|name| ("Mcp-Name", name.to_owned())));
    headers
}

pub(crate) fn post(
    client: &Mcp<'_>,
    request: &Value,
    more: &[(&str, &str)],
) -> crate::client::Answer {
    let own = headers(request);
    let mut all: Vec<(&str, &str)> =
        own.iter().map(|(name, value)| (*name, value.as_str())).collect();
    all.retain(|(name, _)| !more.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
    all.extend(more);
    client.post_with(&all, &request.to_string())
}

pub(super) fn open(client: &Mcp<'_>, request: &Value) -> Events {
    let own = headers(request);
    let all: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
    client.open("POST", &all, &request.to_string())
}

fn call(id: i64, arguments: Value) -> Value {
    request(id, "tools/call", json!({"name": "read_note", "arguments": arguments}))
}

pub(crate) fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn nothing_is_begun_and_everybody_with_one_token_shares_a_process() {
    let place = Place::new();
    let client = place.client();
    let met = post(&client, &request(1, "server/discover", json!({})), &[]);
    assert_eq!(met.status, 200, "{met:?}");
    assert_eq!(met.json()["result"]["supportedVersions"], json!([VERSION]));
    assert_eq!(met.json()["result"]["cacheScope"], "private");
    assert!(!met.headers.contains("mcp-session-id"), "{}", met.headers);
    let listed = post(&client, &request(1, "tools/list", json!({})), &[]).json();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4, "{listed}");
    // The same id twice, at once too, is two requests.
    for _ in 0..2 {
        let answer = post(&client, &call(1, json!({})), &[("Mcp-Session-Id", "nobody's")]);
        assert_eq!((answer.status, &answer.json()["id"]), (200, &json!(1)), "{answer:?}");
        assert_eq!(text(&answer.json()), "hello");
    }
    assert_eq!(place.lines("started").len(), 1);
    let mut other = place.client();
    other.token = place.gateway.token("other", &["judge"]);
    assert_eq!(post(&other, &call(1, json!({})), &[]).status, 200);
    assert_eq!(place.lines("started").len(), 2, "another token has another process");
}

#[test]
fn what_is_told_of_a_request_reaches_its_client_under_its_own_names() {
    let place = Place::new();
    let client = place.client();
    let params = json!({"name": "read_note", "arguments": {"how": "progress"}, "_meta": {"progressToken": "mine"}});
    let answer = post(&client, &request(7, "tools/call", params), &[]);
    let all = messages(&answer);
    assert_eq!(all[0]["params"]["progressToken"], "mine", "{all:?}");
    assert_eq!((&all[1]["id"], text(&all[1])), (&json!(7), "done"));
    // Two listen under the same id; each is told under it.
    let listen =
        request(7, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let (mut one, mut two) = (open(&client, &listen), open(&client, &listen));
    for events in [&mut one, &mut two] {
        let told = events.next().unwrap();
        assert_eq!(told["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7, "{told}");
    }
}

#[test]
fn whoever_closes_the_connection_takes_the_request_back() {
    let place = Place::new();
    let client = place.client();
    let hangs = open(&client, &call(1, json!({"how": "hang"})));
    place.until("calls", 1);
    drop(hangs);
    let cancelled = place.until("cancelled", 1);
    let called = place.lines("calls")[0].clone();
    let id =
        cancelled[0].split("\"requestId\":").nth(1).unwrap().split('}').next().unwrap().to_owned();
    assert!(called.starts_with(&format!("{{\"id\":{id}")), "{called} {id}");
    assert_eq!(text(&post(&client, &call(2, json!({})), &[]).json()), "hello");
}

#[test]
fn what_headers_and_message_disagree_on_is_refused() {
    let place = Place::new();
    let client = place.client();
    let plain = call(1, json!({}));
    let here = call(1, json!({"where": "hére"}));
    let listed = request(1, "tools/list", json!({}));
    for (request, more, status, code) in [
        (&plain, ("Mcp-Name", "read_note"), 200, None),
        (&plain, ("Mcp-Name", "=?base64?cmVhZF9ub3Rl?="), 200, None),
        (&plain, ("Mcp-Name", "send_money"), 400, Some(-32020)),
        (&plain, ("Mcp-Name", ""), 400, Some(-32020)),
        (&plain, ("Mcp-Method", "tools/list"), 400, Some(-32020)),
        (&plain, ("Mcp-Method", ""), 400, Some(-32020)),
        (&plain, ("MCP-Protocol-Version", "2025-11-25"), 400, Some(-32020)),
        (&plain, ("MCP-Protocol-Version", ""), 400, Some(-32020)),
        (&plain, ("MCP-Protocol-Version", "2031-01-01"), 400, Some(-32022)),
        (&here, ("Mcp-Param-Where", "=?base64?aMOpcmU=?="), 200, None),
        (&here, ("Mcp-Param-Where", "here"), 400, Some(-32020)),
        (&here, ("Mcp-Param-Other", "x"), 400, Some(-32020)),
        (&plain, ("Mcp-Param-Where", "there"), 400, Some(-32020)),
        (&plain, ("Mcp-Param-Other", "x"), 200, None),
        (&listed, ("Mcp-Param-Where", "x"), 200, None),
    ] {
        let before = place.lines("calls").len();
        let answer = post(&client, request, &[more]);
        assert_eq!(answer.status, status, "{more:?} {answer:?}");
        assert_eq!(answer.json()["error"]["code"].as_i64(), code, "{more:?} {answer:?}");
        assert_eq!(answer.json()["id"], 1);
        let is_call = status == 200 && request["method"] == "tools/call";
        assert_eq!(place.lines("calls").len(), before + usize::from(is_call), "{more:?}");
    }
}

#[test]
fn what_this_revision_has_not_is_not_there() {
    let place = Place::new();
    let client = place.client();
    for (method, status, code) in [
        ("initialize", 404, -32601),
        ("ping", 404, -32601),
        ("logging/setLevel", 404, -32601),
        ("resources/subscribe", 404, -32601),
        ("tools/Call", 404, -32601),
        ("sampling/createMessage", 404, -32601),
    ] {
        let answer = post(&client, &request(1, method, json!({})), &[]);
        assert_eq!(answer.status, status, "{method} {answer:?}");
        assert_eq!(answer.json()["error"]["code"], code, "{method}");
    }
    let mut bare = request(1, "tools/list", json!({}));
    bare["params"]["_meta"]
        .as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientCapabilities");
    let answer = post(&client, &bare, &[]);
    assert_eq!((answer.status, answer.json()["error"]["code"].as_i64()), (400, Some(-32602)));
    let version = [("MCP-Protocol-Version", VERSION)];
    for body in [
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
    ] {
        assert_eq!(client.post_with(&version, &body.to_string()).status, 400, "{body}");
    }
    for method in ["GET", "DELETE"] {
        let answer = client.send(method, &[super::BOTH, version[0], ("Mcp-Session-Id", "x")], "");
        assert_eq!(answer.status, 405, "{method}");
        assert!(answer.headers.contains("allow: post"), "{}", answer.headers);
    }
    assert!(place.lines("started").is_empty(), "nothing of that is worth a process");
}

#[test]
fn a_server_of_the_old_protocol_is_spoken_to_in_that() {
    let place = Place::new();
    std::fs::write(place.server().join("old"), "").unwrap();
    let client = place.client();
    let met = post(&client, &request(1, "server/discover", json!({})), &[]);
    assert_eq!(met.status, 400, "{met:?}");
    assert_eq!(met.json()["error"]["code"], -32022);
    let supported = met.json()["error"]["data"]["supported"].clone();
    assert_eq!(supported.as_array().unwrap().last().unwrap(), "2025-11-25");
    assert_eq!(
        place.met().call(2, "read_note", json!({}))[0]["result"]["content"][0]["text"],
        "hello"
    );
}

#[test]
fn a_process_that_dies_is_started_anew_for_the_next_request() {
    let place = Place::new();
    let client = place.client();
    let answer = post(&client, &call(1, json!({"how": "die"})), &[]);
    assert!(
        answer.json()["error"]["message"].as_str().unwrap().contains("has ended"),
        "{answer:?}"
    );
    let process = place.lines("started")[0].clone();
    wait(|| !lives(&process));
    wait(|| post(&client, &call(2, json!({})), &[]).status == 200);
    assert_eq!(place.lines("started").len(), 2);
}
