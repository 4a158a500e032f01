//! The protocol with sessions, up to 2025-11-25.

use serde_json::{Value, json};

use super::{Place, Setup, lives, messages, request, wait};

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn a_session_is_begun_used_and_ended_and_its_server_ends_with_it() {
    let place = Place::new();
    let client = place.met();
    let id = client.session.clone().unwrap();
    assert!(id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    let listed = client.post(&request(2, "tools/list", json!({})));
    let names: Vec<&str> = listed.json()["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned().leak() as &str)
        .collect();
    assert_eq!(names, ["read_note", "list_notes", "update_note", "send_money"]);
    assert_eq!(text(&client.call(3, "read_note", json!({}))[0]), "hello");
    assert_eq!(place.lines("calls").len(), 1);
    let process = place.lines("started")[0].clone();
    assert!(lives(&process));
    let ended = client.send("DELETE", &[("Mcp-Session-Id", &id)], "");
    assert_eq!(ended.status, 204);
    place.until("ended", 1);
    wait(|| !lives(&process));
    assert_eq!(client.post(&request(4, "tools/list", json!({}))).status, 404);
}

#[test]
fn what_comes_before_the_answer_comes_as_events_and_what_comes_alone_as_json() {
    let place = Place::new();
    let client = place.met();
    let params = json!({"name": "read_note", "arguments": {"how": "progress"}, "_meta": {"progressToken": 7}});
    let answer = client.post(&request(2, "tools/call", params));
    assert!(answer.headers.contains("x-accel-buffering: no"), "{}", answer.headers);
    let all = messages(&answer);
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(
        (&all[0]["method"], &all[0]["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!(7))
    );
    assert_eq!(text(&all[1]), "done");
    let alone = client.post(&request(3, "ping", json!({})));
    assert!(alone.headers.contains("content-type: application/json"), "{}", alone.headers);
}

#[test]
fn the_server_asks_the_person_on_the_stream_of_its_call_and_what_it_says_by_itself_comes_on_another()
 {
    let place = Place::new();
    let mut client = place.client();
    client.meet(json!({"elicitation": {}}));
    let body = request(2, "tools/call", json!({"name": "read_note", "arguments": {"how": "ask"}}));
    let mut events = client.open("POST", &[], &body.to_string());
    let asked = events.next().unwrap();
    assert_eq!(asked["method"], "elicitation/create");
    assert!(asked["params"]["message"].as_str().unwrap().contains("`notes` asks"), "{asked}");
    let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"colour": "red"}}});
    assert_eq!(client.post(&said).status, 202);
    assert_eq!(text(&events.next().unwrap()), "a colour");
    assert_eq!(events.next(), None);
    // What is about no call waits for the stream.
    let mut stream = client.open("GET", &[], "");
    stream.begun();
    assert_eq!(stream.status, 200);
    let flood = client.call(3, "read_note", json!({"how": "flood"}));
    assert_eq!(text(flood.last().unwrap()), "after the flood");
    assert_eq!(flood.len(), 1, "it came on the stream");
    let first = stream.next().unwrap();
    assert_eq!(first["params"]["data"], "flood");
}

#[test]
fn everything_is_judged_recorded_pinned_and_redacted_as_over_standard_output() {
    let place = Place::new();
    let client = place.met();
    let answer = client.call(2, "read_note", json!({"how": "secret"}));
    assert!(!answer[0].to_string().contains("ghp_16C7"), "{answer:?}");
    let records = place.gateway.client().get("/v1/records", &place.gateway.person).json();
    let decided = records["records"].as_array().unwrap().iter();
    let decided: Vec<&Value> = decided.filter(|one| one["kind"] == "decision").collect();
    assert_eq!(decided.len(), 1, "{records}");
    assert_eq!(decided[0]["tool"], "mcp__notes__read_note");
    // A rug pull is held, and the call does not arrive.
    std::fs::write(place.server().join("changed"), "Reads every note.").unwrap();
    let client = place.met();
    let answer = client.call(2, "read_note", json!({}));
    assert!(answer[0].to_string().contains("another than was accepted"), "{answer:?}");
    assert_eq!(place.lines("calls").len(), 1);
}

#[test]
fn what_nobody_accepted_is_held() {
    let place = Place::of(&Setup { is_new: true, ..Setup::default() });
    let client = place.met();
    let listed = client.post(&request(2, "tools/list", json!({}))).json();
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1, "{tools:?}");
    assert_eq!(tools[0]["name"], "portcullis_held");
    let answer = client.call(3, "read_note", json!({}));
    assert!(answer[0].to_string().contains("held"), "{answer:?}");
    assert!(place.lines("calls").is_empty());
    // A person looks at it; nobody sits here.
    let (code, text) = place.ran(&["mcp", "accept", "notes", "--dry-run"]);
    assert!(code == 0 && text.contains("+  \"description\": \"Reads a note.\""), "{text}");
    let (_, text) = place.ran(&["mcp", "accept", "other", "--dry-run"]);
    assert!(text.contains("+  \"description\": \"Reads a note.\""), "it is started once: {text}");
    let (code, text) = place.ran(&["mcp", "accept", "notes"]);
    assert!(code == 2 && text.contains("only a person"), "{code} {text}");
}

#[test]
fn the_gateway_ends_its_servers_when_it_ends() {
    let mut place = Place::new();
    place.met();
    let process = place.lines("started")[0].clone();
    assert_eq!(place.gateway.end(), Some(0));
    assert!(!lives(&process));
}

#[test]
fn a_request_that_is_taken_back_gets_no_answer_and_the_session_goes_on() {
    let place = Place::new();
    let client = place.met();
    let body = request(2, "tools/call", json!({"name": "read_note", "arguments": {"how": "hang"}}));
    let mut events = client.open("POST", &[], &body.to_string());
    place.until("calls", 1);
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
    assert_eq!(client.post(&cancelled).status, 202);
    assert_eq!(events.next(), None);
    place.until("cancelled", 1);
    assert_eq!(text(&client.call(3, "read_note", json!({}))[0]), "hello");
}
