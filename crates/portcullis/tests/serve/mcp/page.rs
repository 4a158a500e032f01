//! What people are shown of servers, and accepting what is held.

use serde_json::{Value, json};

use super::{Place, Setup, request};
use crate::client::Answer;

fn held(place: &Place, token: &str) -> Vec<Value> {
    let answer = place.gateway.client().get("/v1/servers/notes", token);
    answer.json()["held"].as_array().unwrap().clone()
}

fn accept(place: &Place, token: &str, marks: &[&Value]) -> Answer {
    place.gateway.client().post("/v1/servers/notes/accept", token, &json!({"marks": marks}))
}

fn names(place: &Place) -> Vec<String> {
    let listed = place.met().post(&request(2, "tools/list", json!({}))).json();
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_approver_accepts_what_they_were_shown_and_nothing_else() {
    let place = Place::of(&Setup { is_new: true, ..Setup::default() });
    let person = place.gateway.person.clone();
    assert_eq!(names(&place), ["portcullis_held"]);
    let all = held(&place, &person);
    let of = |name: &str| {
        let found = all.iter().find(|one| one["kind"] == "tool" && one["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {all:?}")).clone()
    };
    let note = of("read_note");
    assert!(
        note["difference"].as_str().unwrap().contains("+  \"description\": \"Reads a note.\""),
        "{note}"
    );
    // Who has calls judged sees nothing and accepts nothing; who reads does not accept.
    let reader = place.gateway.token("reader", &["read"]);
    assert_eq!(place.gateway.client().get("/v1/servers/notes", &place.gateway.agents).status, 403);
    assert_eq!(place.gateway.client().get("/v1/servers", &place.gateway.agents).status, 403);
    assert_eq!(held(&place, &reader).len(), all.len());
    for token in [place.gateway.agents.as_str(), &reader, ""] {
        assert!(matches!(accept(&place, token, &[&note["mark"]]).status, 401 | 403));
    }
    for marks in [vec![json!("sha256:0")], vec![note["mark"].clone(), json!("")]] {
        let marks: Vec<&Value> = marks.iter().collect();
        let answer = accept(&place, &person, &marks);
        assert_eq!((answer.status, answer.code().as_str()), (409, "other-held"), "{answer:?}");
    }
    assert_eq!(accept(&place, &person, &[]).status, 400);
    assert_eq!(place.gateway.client().get("/v1/servers/none", &person).status, 404);
    assert_eq!(place.gateway.client().get("/v1/servers/..%2Fnotes", &person).status, 404);
    assert_eq!(names(&place), ["portcullis_held"], "nothing was accepted");
    // The server itself and one of its tools.
    let server: Vec<Value> =
        all.iter().filter(|one| one["kind"] != "tool").map(|one| one["mark"].clone()).collect();
    let mut marks: Vec<&Value> = server.iter().collect();
    marks.push(&note["mark"]);
    let answer = accept(&place, &person, &marks);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(names(&place), ["read_note", "portcullis_held"]);
    let records = place.gateway.client().get("/v1/records?kind=change", &person);
    let records = records.json();
    assert!(records.to_string().contains("tool read_note"), "{records}");
    // What it shows by now is another thing than what was read.
    let before = of("send_money");
    std::fs::write(place.server().join("changed"), "Reads every note.").unwrap();
    names(&place);
    let all = held(&place, &person);
    let note = all.iter().find(|one| one["name"] == "read_note").unwrap();
    assert!(
        note["difference"].as_str().unwrap().contains("-  \"description\": \"Reads a note.\""),
        "{note}"
    );
    // Why it is held is another reason by now, which they have not seen.
    assert_eq!(accept(&place, &person, &[&before["mark"]]).code(), "other-held");
    let sent = all.iter().find(|one| one["name"] == "send_money").unwrap();
    assert_eq!(accept(&place, &person, &[&sent["mark"]]).status, 200);
    assert_eq!(
        accept(&place, &person, &[&sent["mark"]]).code(),
        "other-held",
        "it is held no more"
    );
}

#[test]
fn what_is_too_long_to_be_read_is_not_accepted_there_and_where_two_decide_one_does_not() {
    let place = Place::of(&Setup {
        is_new: true,
        options: &["--two-people", "critical"],
        ..Setup::default()
    });
    std::fs::write(place.server().join("changed"), "long ".repeat(40_000)).unwrap();
    names(&place);
    let all = held(&place, &place.gateway.person);
    let long = all.iter().find(|one| one["name"] == "read_note").unwrap();
    assert!(long["difference"].is_null() && long["mark"].is_null(), "{}", long.to_string().len());
    let other = all.iter().find(|one| one["name"] == "list_notes").unwrap();
    let answer = accept(&place, &place.gateway.person, &[&other["mark"]]);
    assert_eq!((answer.status, answer.code().as_str()), (403, "one-of-two"));
}

#[test]
fn servers_are_listed_with_what_is_accepted_held_and_called() {
    let place = Place::new();
    let client = place.met();
    client.call(2, "read_note", json!({}));
    client.call(3, "read_note", json!({"where": "x"}));
    let listed = place.gateway.client().get("/v1/servers", &place.gateway.person).json();
    let servers = listed["servers"].as_array().unwrap();
    assert_eq!(servers.iter().map(|one| &one["server"]).collect::<Vec<_>>(), ["notes", "other"]);
    let notes = &servers[0];
    assert_eq!((&notes["path"], &notes["running"]), (&json!("/mcp/notes"), &json!(1)));
    assert_eq!(notes["accepted"].as_array().unwrap().len(), 4, "{notes}");
    assert_eq!((&notes["calls"]["allow"], &notes["held"]), (&json!(2), &json!([])), "{notes}");
    assert_eq!((&servers[1]["running"], &servers[1]["calls"]["last"]), (&json!(0), &Value::Null));
    let (code, text) = place.ran(&["mcp", "list"]);
    assert!(code == 0 && text.contains("behind      /mcp/notes of the gateway"), "{text}");
    assert!(text.contains("called      2 allow; the last at"), "{text}");
    for path in ["/server.js", "/app.js"] {
        assert_eq!(place.gateway.client().get(path, "").status, 200);
    }
}
