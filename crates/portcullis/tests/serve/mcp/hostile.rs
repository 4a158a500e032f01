//! Clients and servers that mean harm, or are broken.

use serde_json::{Value, json};

use super::{BOTH, JSON, Place, messages, request, wait};

fn list() -> String {
    request(9, "tools/list", json!({})).to_string()
}

#[test]
fn a_session_belongs_to_one_token_and_one_server() {
    let place = Place::new();
    let mut client = place.met();
    let other = place.gateway.token("other", &["judge"]);
    let reader = place.gateway.token("reader", &["read"]);
    let mine = client.token.clone();
    for (token, path, status) in [
        (mine.as_str(), "/mcp/notes", 200),
        (&other, "/mcp/notes", 404),
        (mine.as_str(), "/mcp/other", 404),
        (mine.as_str(), "/mcp/none", 404),
        (&reader, "/mcp/notes", 403),
        ("", "/mcp/notes", 401),
        ("wrong", "/mcp/notes", 401),
    ] {
        client.token = token.to_owned();
        client.path = path;
        assert_eq!(
            client.post(&request(9, "tools/list", json!({}))).status,
            status,
            "{token} {path}"
        );
        if status != 200 {
            let ended = client.send(
                "DELETE",
                &[("Mcp-Session-Id", client.session.as_deref().unwrap())],
                "",
            );
            assert_eq!(ended.status, status, "{token} {path}");
            let mut stream = client.open("GET", &[], "");
            stream.begun();
            assert_eq!(stream.status, status, "{token} {path}");
        }
    }
    client.token = mine;
    client.path = "/mcp/notes";
    for session in ["", "0", "../notes", &"0".repeat(64), &"f".repeat(10_000)] {
        client.session = Some(session.to_owned());
        let answer = client.post(&request(9, "tools/list", json!({})));
        assert_eq!(answer.status, 404, "{session}");
        assert_eq!(answer.json()["id"], 9);
    }
    client.session = None;
    assert_eq!(client.post(&request(9, "tools/list", json!({}))).status, 400);
}

#[test]
fn what_two_readers_could_read_differently_is_not_read_over_http_either() {
    let place = Place::new();
    let client = place.met();
    let wide = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":[{}1]}}}}"#,
        "1,".repeat(500_001)
    );
    for body in [
        "",
        "{",
        "[]",
        "null",
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"read_note"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
        &wide,
    ] {
        let answer = client.post_with(&[], body);
        let shown: String = body.chars().take(80).collect();
        assert_eq!(answer.status, 400, "{shown}: {answer:?}");
        assert!(
            matches!(answer.json()["error"]["code"].as_i64(), Some(-32700 | -32600)),
            "{shown}"
        );
    }
    let too_long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":"{}"}}}}"#,
        "a".repeat(16 << 20)
    );
    assert_eq!(client.post_with(&[], &too_long).status, 413);
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":70,"method":"ping","params":{{"a":"{}"}}}}"#,
        "a".repeat(15 << 20)
    );
    assert_eq!(client.post_with(&[], &long).status, 200);
    assert!(place.lines("calls").is_empty());
    assert_eq!(client.post_with(&[], &list()).status, 200, "the session goes on");
}

#[test]
fn headers_that_say_something_else_are_refused() {
    let place = Place::new();
    let client = place.met();
    let own = format!("http://{}", place.gateway.address);
    for (more, status) in [
        (("Origin", "http://evil.example"), 403),
        (("Origin", "null"), 403),
        (("Origin", "http://127.0.0.1:1"), 403),
        (("Origin", own.as_str()), 200),
        (("Host", "evil.example"), 421),
        (("Content-Type", "text/plain"), 415),
        (("Content-Type", ""), 415),
        (("Content-Type", "application/json; charset=utf-8"), 200),
        (("Accept", "application/json"), 406),
        (("Accept", "text/event-stream"), 406),
        (("Accept", ""), 406),
        (("MCP-Protocol-Version", "1999-01-01"), 400),
        (("MCP-Protocol-Version", "x"), 400),
        (("MCP-Protocol-Version", ""), 200),
        (("MCP-Protocol-Version", "2024-11-05"), 200),
    ] {
        // An id is used once.
        static NEXT: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(100);
        let id = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let answer = client.post_with(&[more], &request(id, "ping", json!({})).to_string());
        assert_eq!(answer.status, status, "{more:?} {answer:?}");
    }
    let session = client.session.clone().unwrap();
    let twice =
        [BOTH, JSON, ("Mcp-Session-Id", session.as_str()), ("Mcp-Session-Id", session.as_str())];
    assert_eq!(client.send("POST", &twice, &list()).status, 400);
    assert_eq!(client.send("PUT", &[BOTH, JSON], &list()).status, 405);
    assert_eq!(client.send("GET", &[BOTH], "").status, 405, "without a session there is no stream");
    assert_eq!(client.send("DELETE", &[BOTH], "").status, 405);
}

#[test]
fn an_id_that_was_used_is_refused_also_while_it_waits() {
    let place = Place::new();
    let client = place.met();
    assert_eq!(client.post(&request(5, "ping", json!({}))).json()["result"], json!({}));
    let again = client.post(&request(5, "ping", json!({}))).json();
    assert_eq!(again["error"]["code"], -32600, "{again}");
    let body = request(6, "tools/call", json!({"name": "read_note", "arguments": {"how": "hang"}}));
    let _waits = client.open("POST", &[], &body.to_string());
    place.until("calls", 1);
    let again = client.post(&body).json();
    assert_eq!(again["error"]["message"], "this id was used before");
    assert_eq!(place.lines("calls").len(), 1);
}

#[test]
fn a_server_that_dies_is_told_of_and_its_session_is_over() {
    let place = Place::new();
    let client = place.met();
    let answer = client.call(2, "read_note", json!({"how": "die"}));
    assert!(
        answer[0]["error"]["message"].as_str().unwrap().contains("the server has ended"),
        "{answer:?}"
    );
    wait(|| client.post(&request(3, "ping", json!({}))).status == 404);
    place.met();
}

#[test]
fn a_server_that_cannot_be_started_is_no_session() {
    let place = Place::with("directory = \"/nowhere/at/all\"");
    let client = place.client();
    let answer = client.post(&request(
        1,
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}}),
    ));
    assert_eq!(answer.status, 502, "{answer:?}");
    assert!(!answer.headers.contains("mcp-session-id"), "{answer:?}");
}

#[test]
fn a_server_that_hangs_keeps_nobody_else_waiting() {
    let place = Place::new();
    let client = place.met();
    let body = request(2, "tools/call", json!({"name": "read_note", "arguments": {"how": "hang"}}));
    let mut hangs = client.open("POST", &[], &body.to_string());
    place.until("calls", 1);
    let other = place.met();
    assert_eq!(other.call(2, "list_notes", json!({}))[0]["result"]["content"][0]["text"], "hello");
    assert_eq!(client.call(3, "list_notes", json!({}))[0]["result"]["content"][0]["text"], "hello");
    // After a while its answer is a stream, so that nothing on the way takes it for lost.
    hangs.begun();
    assert!(hangs.headers.contains("text/event-stream"), "{}", hangs.headers);
    let session = client.session.clone().unwrap();
    client.send("DELETE", &[("Mcp-Session-Id", &session)], "");
    let last = hangs.next().unwrap();
    assert!(last["error"]["message"].as_str().unwrap().contains("ended"), "{last}");
}

#[test]
fn a_flood_reaches_a_client_that_reads_and_fills_no_memory_for_one_that_does_not() {
    let place = Place::new();
    let client = place.met();
    let answer = client.call(2, "read_note", json!({"how": "flood"}));
    let is_last = |message: &Value| message["result"]["content"][0]["text"] == "after the flood";
    assert!(is_last(answer.last().unwrap()), "{:?}", answer.last());
    assert!(answer[..answer.len() - 1].iter().all(|one| one["params"]["data"] == "flood"));
    // This one reads nothing until its session was used by another connection.
    let body =
        request(3, "tools/call", json!({"name": "read_note", "arguments": {"how": "flood"}}));
    let mut slow = client.open("POST", &[], &body.to_string());
    place.until("calls", 2);
    assert_eq!(client.post(&request(4, "ping", json!({}))).json()["result"], json!({}));
    let mut last = None;
    while let Some(message) = slow.next() {
        last = Some(message);
    }
    assert!(is_last(&last.unwrap()));
}

#[test]
fn one_token_has_so_many_sessions_and_one_that_nobody_uses_gives_its_place_away() {
    let place = Place::new();
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let clients: Vec<_> = (0..16).map(|_| place.met()).collect();
    let mut streams: Vec<_> = clients
        .iter()
        .map(|client| {
            let mut stream = client.open("GET", &[], "");
            stream.begun();
            stream
        })
        .collect();
    let initialize = request(1, "initialize", params);
    let one_more = place.client().post(&initialize);
    assert_eq!((one_more.status, one_more.code().as_str()), (429, "too-many-sessions"));
    let mut another = place.client();
    another.token = place.gateway.token("other", &["judge"]);
    another.meet(json!({}));
    // Whose client has gone gives its place away, and no other does.
    drop(streams.remove(3));
    wait(|| place.client().post(&initialize).status == 200);
    assert_eq!(clients[3].post(&request(9, "ping", json!({}))).status, 404);
    assert_eq!(clients[2].post(&request(9, "ping", json!({}))).status, 200);
}

#[test]
fn a_session_ends_with_its_token() {
    let place = Place::new();
    let made = place
        .gateway
        .client()
        .post("/v1/tokens", &place.gateway.person, &json!({"name": "brief", "scopes": ["judge"]}))
        .json();
    let mut client = place.client();
    client.token = made["token"].as_str().unwrap().to_owned();
    client.meet(json!({}));
    let mut stream = client.open("GET", &[], "");
    stream.begun();
    let id = made["id"].as_str().unwrap();
    let revoked = place.gateway.client().send(
        "DELETE",
        &format!("/v1/tokens/{id}"),
        &place.gateway.person,
        &[],
        "",
    );
    assert_eq!(revoked.unwrap().status, 204);
    assert_eq!(stream.next(), None);
    place.until("ended", 1);
}

#[test]
fn what_is_answered_is_read_by_others_as_we_wrote_it() {
    let place = Place::new();
    let client = place.met();
    let answer = client.post(&request(
        2,
        "tools/call",
        json!({"name": "read_note", "arguments": {"where": "a\nb\r\u{2028}c"}}),
    ));
    assert_eq!(messages(&answer).len(), 1);
    assert!(place.lines("calls")[0].contains(r"a\nb\r"), "{:?}", place.lines("calls"));
}
