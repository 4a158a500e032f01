//! Calls that ask: in the gateway's inbox, and at the client where the configuration lets it.

use serde_json::{Value, json};

use super::{
    Events, Mcp, Place, Setup, request,
    stateless::{asking, open, post, text},
    wait,
};

const PATIENT: &str = "wait = 600";
const AT_ONCE: &str = "wait = 0";

fn pending(place: &Place) -> Vec<Value> {
    let all = place.gateway.client().get("/v1/approvals?status=pending", &place.gateway.person);
    all.json()["approvals"].as_array().unwrap().clone()
}

/// The one request that waits.
fn one(place: &Place) -> Value {
    wait(|| pending(place).len() == 1);
    pending(place)[0].clone()
}

fn decide(place: &Place, id: &str, token: &str, word: &str) -> u16 {
    let path = format!("/v1/approvals/{id}/decision");
    place.gateway.client().post(&path, token, &json!({"decision": word})).status
}

fn pay(amount: i64) -> Value {
    json!({"name": "send_money", "arguments": {"to": "DE02", "amount": amount}})
}

fn waiting(client: &Mcp<'_>, id: i64, amount: i64) -> Events {
    client.open("POST", &[], &request(id, "tools/call", pay(amount)).to_string())
}

fn answer(mut events: Events) -> Value {
    events.begun();
    if events.headers.contains("text/event-stream") {
        events.next().unwrap()
    } else {
        events.whole()
    }
}

#[test]
fn a_call_waits_in_the_gateways_inbox_and_goes_on_with_a_persons_yes() {
    let place = Place::with(PATIENT);
    let client = place.met();
    for (id, word, calls) in [(2, "approve", 1), (3, "deny", 1)] {
        let events = waiting(&client, id, id);
        let asked = one(&place);
        assert_eq!(
            (&asked["requester"], &asked["tool"]),
            (&json!("agents"), &json!("mcp__notes__send_money"))
        );
        let number = asked["id"].as_str().unwrap();
        // Whoever asks does not decide, under no scope.
        assert_eq!(decide(&place, number, &place.gateway.agents, word), 403);
        let namesake = place.gateway.token("AGENTS", &["approve"]);
        assert_eq!(decide(&place, number, &namesake, "approve"), 403);
        assert_eq!(decide(&place, number, &place.gateway.person, word), 200);
        let answer = answer(events);
        assert_eq!(place.lines("calls").len(), calls, "{answer}");
        let expected = if word == "approve" { "hello" } else { "denied by" };
        assert!(text(&answer).contains(expected), "{answer}");
    }
}

#[test]
fn who_is_told_to_come_again_takes_the_yes_up_once() {
    let place = Place::with(AT_ONCE);
    let client = place.met();
    let call = |id: i64, amount: i64| {
        let said = client.post(&request(id, "tools/call", pay(amount))).json();
        text(&said).to_owned()
    };
    assert!(call(2, 900).contains("make the same call again"));
    assert!(call(3, 900).contains("make the same call again"));
    let asked = one(&place);
    assert_eq!(
        decide(&place, asked["id"].as_str().unwrap(), &place.gateway.person, "approve"),
        200
    );
    assert!(
        call(4, 901).contains("make the same call again"),
        "for other arguments it counts nothing"
    );
    // For the same call of another token neither.
    let mut other = place.client();
    other.token = place.gateway.token("other", &["judge"]);
    other.meet(json!({}));
    let said = other.post(&request(2, "tools/call", pay(900))).json();
    assert!(text(&said).contains("make the same call again"), "{said}");
    assert_eq!(call(5, 900), "hello");
    assert!(call(6, 900).contains("make the same call again"), "once");
    assert_eq!(place.lines("calls").len(), 1);
}

#[test]
fn two_people_agree_where_two_must() {
    let place = Place::of(&Setup {
        server: PATIENT,
        options: &["--two-people", "low", "--person", "lead"],
        ..Setup::default()
    });
    let client = place.met();
    let events = waiting(&client, 2, 5);
    let asked = one(&place);
    let number = asked["id"].as_str().unwrap();
    assert_eq!(decide(&place, number, &place.gateway.person, "approve"), 200);
    assert!(place.lines("calls").is_empty());
    assert_eq!(decide(&place, number, &place.gateway.person_named("lead"), "approve"), 200);
    assert_eq!(text(&answer(events)), "hello");
}

#[test]
fn whoever_takes_a_call_back_waits_no_more() {
    let place = Place::with(PATIENT);
    let client = place.met();
    let mut events = waiting(&client, 2, 7);
    let asked = one(&place);
    client.post(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}),
    );
    assert_eq!(events.next(), None);
    assert_eq!(
        decide(&place, asked["id"].as_str().unwrap(), &place.gateway.person, "approve"),
        200
    );
    // Without sessions it is taken back by closing the connection.
    let stateless = place.client();
    let call = super::stateless::request(3, "tools/call", pay(8));
    let waits = open(&stateless, &call);
    let asked = one(&place);
    drop(waits);
    wait(|| place.waited_for("notes") == 0);
    assert_eq!(
        decide(&place, asked["id"].as_str().unwrap(), &place.gateway.person, "approve"),
        200
    );
    assert!(place.lines("calls").is_empty(), "nobody wants it any more");
    assert_eq!(
        text(&post(&stateless, &call, &[]).json()),
        "hello",
        "who wants it again has the yes"
    );
}

#[test]
fn a_policy_that_is_put_in_place_holds_from_the_next_call_on() {
    let place = Place::with(AT_ONCE);
    let client = place.met();
    assert_eq!(client.call(2, "read_note", json!({}))[0]["result"]["content"][0]["text"], "hello");
    let put = place.gateway.client().send(
        "PUT",
        "/v1/policy/approval",
        &place.gateway.person,
        &[],
        r#"{"approval_policy":"confirm_all"}"#,
    );
    let put = put.unwrap();
    assert!(put.status < 300, "{put:?}");
    let said = client.call(3, "read_note", json!({}));
    assert!(text(&said[0]).contains("make the same call again"), "{said:?}");
    assert_eq!(place.lines("calls").len(), 1);
}

const MEDIUM: &str = "confirmation = { threshold = \"medium\" }";
const ELICITS: &str = "wait = 0\nelicitation = true";

#[test]
fn a_client_answers_for_its_person_only_where_the_configuration_says_so() {
    for (server, is_asked) in [(ELICITS, true), (AT_ONCE, false)] {
        let place = Place::of(&Setup { top: MEDIUM, server, ..Setup::default() });
        let mut client = place.client();
        client.meet(json!({"elicitation": {}}));
        let body =
            request(2, "tools/call", json!({"name": "update_note", "arguments": {"a": "1"}}));
        let mut events = client.open("POST", &[], &body.to_string());
        if !is_asked {
            assert!(text(&answer(events)).contains("make the same call again"));
            continue;
        }
        let asked = events.next().unwrap();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        assert_eq!(one(&place)["requester"], "agents");
        client.post(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"approve": true}}}));
        assert_eq!(text(&events.next().unwrap()), "hello");
        let records =
            place.gateway.client().get("/v1/records?kind=answer", &place.gateway.person).json();
        assert_eq!(records["records"][0]["approver"], "the client of agents", "{records}");
        // Above medium no client answers.
        let said = client.post(&request(3, "tools/call", pay(1))).json();
        assert!(text(&said).contains("make the same call again"), "{said}");
    }
}

#[test]
fn a_question_without_a_session_is_sealed_for_one_token_and_one_call_and_used_once() {
    let place = Place::of(&Setup { top: MEDIUM, server: ELICITS, ..Setup::default() });
    let client = place.client();
    let can = json!({"elicitation": {}});
    let call = |id: i64, a: &str, more: Value| {
        let mut params = json!({"name": "update_note", "arguments": {"a": a}});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asking(id, "tools/call", params, can.clone())
    };
    let asked = post(&client, &call(1, "1", json!({})), &[]).json();
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let state = asked["result"]["requestState"].clone();
    let yes = json!({"portcullis": {"action": "accept", "content": {"approve": true}}});
    let brought = json!({"requestState": state, "inputResponses": yes});
    let mut other = place.client();
    other.token = place.gateway.token("other", &["judge"]);
    let refused = post(&other, &call(2, "1", brought.clone()), &[]).json();
    assert!(text(&refused).contains("another call"), "{refused}");
    let refused = post(&client, &call(2, "2", brought.clone()), &[]).json();
    assert!(text(&refused).contains("another call"), "{refused}");
    let forged =
        json!({"requestState": "pc1.e30.AAAA", "inputResponses": brought["inputResponses"]});
    let refused = post(&client, &call(2, "1", forged), &[]).json();
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert!(place.lines("calls").is_empty());
    let done = post(&client, &call(3, "1", brought.clone()), &[]).json();
    assert_eq!(text(&done), "hello", "{done}");
    let replayed = post(&client, &call(4, "1", brought), &[]).json();
    assert_ne!(text(&replayed), "hello", "{replayed}");
    assert_eq!(place.lines("calls").len(), 1);
}
