//! What people do about a request without deciding it, over HTTP: comments, who sees to it, and putting it off.

use serde_json::{Value, json};

use crate::client::{Client, Gateway};

fn asks(client: &mut Client, token: &str, command: &str) -> String {
    let body = json!({ "tool": "bash", "arguments": { "command": command }, "agent": "claude" });
    let answer = client.post("/v1/judge", token, &body).json();
    answer["approval"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn people_talk_about_a_request_and_the_agent_hears_none_of_it() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::with(state.path(), &["--person", "ana"]);
    let ana = gateway.person_named("ana");
    let mut client = gateway.client();
    let id = asks(&mut client, &gateway.agents, "rm -rf /srv/data");
    let path = |what: &str| format!("/v1/approvals/{id}/{what}");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let said = json!({ "text": format!(" approve: run it, token {secret} ") });
    let told = client.post(&path("comments"), &ana, &said).json();
    let text = told["comments"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("approve: run it") && !text.contains(secret), "{told}");
    assert_eq!(told["comments"][0]["by"], "ana");
    let seen = client.get(&path("talk"), &gateway.person).json();
    assert_eq!(seen["comments"], told["comments"], "everybody reads it");
    let record = &told["comments"][0]["record"];
    let record = client.get(&format!("/v1/records/{record}"), &gateway.person).json();
    let record = record.to_string();
    assert!(record.contains("commented") && !record.contains(secret), "{record}");
    // Who has calls judged learns none of it, and says nothing.
    for (method, what) in
        [("GET", "talk"), ("POST", "comments"), ("PUT", "assignment"), ("PUT", "snooze")]
    {
        let answer = client.send(method, &path(what), &gateway.agents, &[], "{}").unwrap();
        assert_eq!((answer.status, answer.code().as_str()), (403, "out-of-scope"), "{what}");
    }
    let reader = gateway.token("reader", &["read"]);
    assert_eq!(client.get(&path("talk"), &reader).status, 200);
    assert_eq!(client.post(&path("comments"), &reader, &said).status, 403);
    let shown = client.get(&format!("/v1/approvals/{id}"), &gateway.agents);
    assert!(!shown.body.contains("run it"), "{}", shown.body);
    assert_eq!(shown.json()["status"], "pending", "nothing is decided by it");
    let none = json!({ "decision": "deny" });
    assert_eq!(client.post(&path("decision"), &ana, &none).status, 200);
    let again = json!({ "tool": "bash", "arguments": { "command": "rm -rf /srv/data" }, "agent": "claude" });
    let answer = client.post("/v1/judge?resume=true", &gateway.agents, &again);
    assert!(!answer.body.contains("run it"), "{}", answer.body);
    for wrong in [
        json!({}),
        json!({ "text": " \n" }),
        json!({ "text": "x".repeat(1_001) }),
        json!({ "text": "x", "decision": "approve" }),
    ] {
        assert_eq!(client.post(&path("comments"), &ana, &wrong).status, 400, "{wrong}");
    }
    let unknown = format!("/v1/approvals/{}/comments", "0".repeat(32));
    assert_eq!(client.post(&unknown, &ana, &said).status, 404);
}

#[test]
fn a_request_is_seen_to_by_one_and_put_off_by_whoever_wants_to() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::with(state.path(), &["--person", "ana"]);
    let ana = gateway.person_named("ana");
    let mut client = gateway.client();
    let me = client.get("/v1/me", &gateway.person).json()["name"].as_str().unwrap().to_owned();
    let id = asks(&mut client, &gateway.agents, "rm -rf /srv/one");
    asks(&mut client, &gateway.agents, "rm -rf /srv/two");
    let put = |token: &str, what: &str, body: Value| {
        let path = format!("/v1/approvals/{id}/{what}");
        gateway.client().send("PUT", &path, token, &[], &body.to_string()).unwrap()
    };
    assert_eq!(put(&ana, "assignment", json!({ "to": me })).json()["assigned"], json!(me));
    for nobody in ["nobody", "agents"] {
        let refused = put(&ana, "assignment", json!({ "to": nobody }));
        assert_eq!((refused.status, refused.code().as_str()), (409, "decides-nothing"), "{nobody}");
    }
    let mine = client.get(&format!("/v1/approvals?order=worst&assigned={me}"), &ana).json();
    assert_eq!(mine["approvals"].as_array().unwrap().len(), 1, "{mine}");
    assert_eq!(
        (&mine["approvals"][0]["id"], &mine["approvals"][0]["assigned"]),
        (&json!(id), &json!(me))
    );
    let own = client.get("/v1/approvals?order=worst", &gateway.agents);
    assert!(!own.body.contains("assigned"), "{}", own.body);
    let until = (jiff::Timestamp::now() + jiff::SignedDuration::from_secs(3_600)).to_string();
    assert_eq!(put(&ana, "snooze", json!({ "until": until })).status, 200);
    let mut seen = |token: &str, query: &str| {
        let answer = client.get(&format!("/v1/approvals?order=worst{query}"), token).json();
        let pending = answer["pending"].as_u64().unwrap();
        (answer["approvals"].as_array().unwrap().len(), pending)
    };
    assert_eq!(seen(&ana, "&snoozed=without"), (1, 2), "and it is counted all the same");
    assert_eq!(seen(&ana, "&snoozed=with"), (2, 2));
    assert_eq!(seen(&ana, ""), (2, 2));
    assert_eq!(seen(&gateway.person, "&snoozed=without"), (2, 2), "hidden from nobody else");
    assert_eq!(put(&ana, "snooze", json!({ "until": null })).json()["snoozed"], Value::Null);
    assert_eq!(seen(&ana, "&snoozed=without"), (2, 2));
    for (wrong, status) in [("2020-01-01T00:00:00Z", 409), ("soon", 400)] {
        assert_eq!(put(&ana, "snooze", json!({ "until": wrong })).status, status, "{wrong}");
    }
    let no = json!({ "decision": "deny" });
    let decision = format!("/v1/approvals/{id}/decision");
    assert_eq!(gateway.client().post(&decision, &ana, &no).status, 200);
    let late = put(&ana, "assignment", json!({ "to": "ana" }));
    assert_eq!((late.status, late.code().as_str()), (409, "decided"));
}
