//! Streams that break off, and go on from the event that a client had last.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::{Events, Mcp, Place, Setup, request, stateless::text, wait};
use crate::client::Answer;

fn progress(id: i64, how: &str) -> String {
    let params =
        json!({"name": "read_note", "arguments": {"how": how}, "_meta": {"progressToken": "mine"}});
    request(id, "tools/call", params).to_string()
}

/// Asks for the rest of a stream.
fn resumed(client: &Mcp<'_>, last: &str) -> Events {
    client.open("GET", &[("Last-Event-ID", last), ("Accept", "text/event-stream")], "")
}

fn refused(client: &Mcp<'_>, last: &str) -> Answer {
    let session = client.session.as_deref().unwrap();
    let headers =
        [("Accept", "text/event-stream"), ("Mcp-Session-Id", session), ("Last-Event-ID", last)];
    client.send("GET", &headers, "")
}

#[test]
fn a_stream_that_broke_off_goes_on_from_its_last_event_and_says_nothing_twice() {
    let place = Place::new();
    let client = place.met();
    let mut events = client.open("POST", &[], &progress(2, "slow"));
    let (told, first) = (events.next().unwrap(), events.last.clone());
    assert_eq!(told["method"], "notifications/progress", "{told}");
    drop(events);
    wait(|| place.waited_for("notes") == 0);
    // The server goes on meanwhile, and its answer is kept.
    std::fs::write(place.server().join("go"), "").unwrap();
    place.until("gone", 1);
    let mut rest = resumed(&client, &first);
    let (answer, last) = (rest.next().unwrap(), rest.last.clone());
    assert_eq!((&answer["id"], text(&answer)), (&json!(2), "done at last"));
    assert_eq!(rest.next(), None);
    // From a later event there is nothing more to be said, and an event that was not is none.
    assert_eq!(refused(&client, &last).status, 400);
    let mut again = resumed(&client, &first);
    assert_eq!(again.next().unwrap()["id"], 2);
    for wrong in ["", "x", "99-1", "0-99", "1-0-0"] {
        let answer = refused(&client, wrong);
        assert_eq!(answer.status, 400, "{wrong} {answer:?}");
    }
    assert_eq!(place.lines("calls").len(), 1, "it was called once");
    // What was said in one session is no other's.
    let other = place.met();
    assert_eq!(refused(&other, &first).status, 400);
    // A call whose answer is still to come goes on too.
    std::fs::remove_file(place.server().join("go")).unwrap();
    let mut events = client.open("POST", &[], &progress(3, "slow"));
    events.next().unwrap();
    let last = events.last.clone();
    drop(events);
    wait(|| place.waited_for("notes") == 0);
    let mut rest = resumed(&client, &last);
    wait(|| place.waited_for("notes") == 1);
    std::fs::write(place.server().join("go"), "").unwrap();
    assert_eq!(text(&rest.next().unwrap()), "done at last");
}

#[test]
fn what_a_server_says_by_itself_is_there_after_the_last_that_was_heard() {
    let place = Place::new();
    let client = place.met();
    let mut stream = client.open("GET", &[("Accept", "text/event-stream")], "");
    wait(|| place.waited_for("notes") == 1);
    let set = |name: &str, id: i64| {
        let changed = json!({"name": "read_note", "arguments": {"how": "tells", "what": name}});
        client.post(&request(id, "tools/call", changed));
    };
    set("one", 2);
    set("two", 3);
    let (one, at_one) = (stream.next().unwrap(), stream.last.clone());
    assert_eq!(one["params"]["data"], "one", "{one}");
    assert_eq!(stream.next().unwrap()["params"]["data"], "two");
    drop(stream);
    wait(|| place.waited_for("notes") == 0);
    let mut stream = resumed(&client, &at_one);
    let (two, at_two) = (stream.next().unwrap(), stream.last.clone());
    assert_eq!(two["params"]["data"], "two", "it may have been lost on the way");
    drop(stream);
    wait(|| place.waited_for("notes") == 0);
    let mut stream = resumed(&client, &at_two);
    wait(|| place.waited_for("notes") == 1);
    set("three", 4);
    assert_eq!(stream.next().unwrap()["params"]["data"], "three");
}

#[test]
fn a_server_whose_address_leads_back_to_the_gateway_is_noticed() {
    // Nobody else takes a port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen: &'static str = Box::leak(format!("127.0.0.1:{port}").into_boxed_str());
    let options: &'static [&'static str] = Box::leak(Box::new(["--listen", listen]));
    let far = format!("url = \"http://{listen}/mcp/far\"");
    let place = Place::before(&Setup { options, ..Setup::default() }, Some(&far));
    let mut client = place.client();
    client.path = "/mcp/far";
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let answer = client.post(&request(1, "initialize", params));
    assert!(answer.body.contains("leads back to this gateway"), "{answer:?}");
    let asked: Value = super::stateless::request(1, "tools/list", json!({}));
    let answer = super::stateless::post(&client, &asked, &[]);
    assert!(answer.body.contains("leads back to this gateway"), "{answer:?}");
}
