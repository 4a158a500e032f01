//! Who may loosen what a gateway judges by: nobody alone where two must agree, nobody unseen, and nobody for good.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::{Answer, Gateway, PATIENCE};

fn put(gateway: &Gateway, token: &str, policy: &str) -> Answer {
    let body = json!({ "approval_policy": policy, "lasts": 600 }).to_string();
    gateway.client().send("PUT", "/v1/policy/approval", token, &[], &body).unwrap()
}

fn holds(gateway: &Gateway) -> Value {
    gateway.client().get("/v1/policy/approval", &gateway.person).json()
}

fn decide(gateway: &Gateway, id: &str, token: &str) -> Answer {
    let path = format!("/v1/approvals/{id}/decision");
    gateway.client().post(&path, token, &json!({ "decision": "approve" }))
}

fn verdict(gateway: &Gateway, command: &str) -> String {
    let answer = gateway.client().judge(&gateway.agents, command).json();
    answer["decision"].as_str().unwrap_or_default().to_owned()
}

/// Waits until a gateway judges so: another process tells it by the store.
fn until(gateway: &Gateway, command: &str, expected: &str) {
    let end = Instant::now() + PATIENCE;
    while verdict(gateway, command) != expected {
        assert!(Instant::now() < end, "`{command}` never became {expected}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn one_of_two_loosens_nothing_and_both_loosen_it_for_every_gateway_until_it_ends() {
    let state = tempfile::tempdir().unwrap();
    let first = Gateway::with(state.path(), &["--two-people", "critical"]);
    let second = Gateway::with(state.path(), &["--two-people", "critical"]);
    let ana = first.token("ana", &["approve", "read"]);
    let asked = put(&first, &first.person, "auto_approve");
    assert_eq!(asked.status, 202, "{}", asked.body);
    let id = asked.json()["approval"]["id"].as_str().unwrap().to_owned();
    for gateway in [&first, &second] {
        assert_eq!(verdict(gateway, "rm -rf /srv/data"), "ask");
        assert!(holds(gateway).get("loosened").is_none());
    }
    // Neither the one who wants it nor an administrator who decides nothing, nor in bulk, nor with something in its place.
    let own = decide(&first, &id, &first.person);
    assert_eq!((own.status, own.code().as_str()), (403, "own-request"));
    let admin = first.token("root2", &["admin"]);
    assert_eq!(decide(&first, &id, &admin).code(), "out-of-scope");
    let word = json!({ "decision": "approve", "modified": { "arguments": { "approval_policy": "auto_approve" } } });
    let changed = first.client().post(&format!("/v1/approvals/{id}/decision"), &ana, &word);
    assert_eq!(changed.status, 403, "{}", changed.body);
    let bulk = json!({ "decision": "approve", "ids": [id] });
    let bulk = first.client().post("/v1/decisions", &first.person, &bulk).json();
    assert_eq!(bulk["decided"], 0);
    let tried = json!({ "toml": "confirmation = \"auto_approve\"" });
    assert_eq!(first.client().post("/v1/policy/dry-run", &first.person, &tried).status, 200);
    assert_eq!(verdict(&first, "rm -rf /srv/data"), "ask");

    assert_eq!(decide(&second, &id, &ana).status, 200);
    for gateway in [&first, &second] {
        until(gateway, "rm -rf /srv/data", "allow");
        let loosened = &holds(gateway)["loosened"];
        assert_eq!(loosened["approval_policy"], "auto_approve");
        assert_eq!(
            (&loosened["approver"], loosened["request"].as_str()),
            (&json!("ana"), Some(id.as_str()))
        );
        assert!(loosened["until"].as_str() > loosened["since"].as_str());
    }
    let judged = first.client().get("/v1/policy/approval", &first.agents);
    assert_eq!(judged.status, 403, "an agent is not told when it is judged loosely");
    // A third one that starts now judges so too, and each may end it, which holds for all.
    let third = Gateway::with(state.path(), &["--two-people", "critical"]);
    assert_eq!(verdict(&third, "rm -rf /srv/data"), "allow");
    let ended =
        third.client().send("DELETE", "/v1/policy/approval", &third.person, &[], "").unwrap();
    assert_eq!(ended.status, 200, "{}", ended.body);
    assert_eq!(verdict(&third, "rm -rf /srv/data"), "ask");
    until(&first, "rm -rf /srv/data", "ask");
    let export = first.client().get("/v1/records/export", &first.person).body;
    for words in
        ["wants a looser approval policy", "loosened the approval policy", "before its time"]
    {
        assert!(export.contains(words), "{words}");
    }
}

#[test]
fn what_is_stricter_holds_at_once_for_every_gateway_and_after_a_restart() {
    let state = tempfile::tempdir().unwrap();
    let first = Gateway::with(state.path(), &["--two-people", "critical"]);
    let second = Gateway::start(state.path());
    assert_eq!(verdict(&second, "rm -rf build"), "allow");
    let set = put(&first, &first.person, "confirm_all");
    assert_eq!((set.status, &set.json()["approval_policy"]), (200, &json!("confirm_all")));
    assert_eq!(verdict(&first, "rm -rf build"), "ask");
    until(&second, "rm -rf build", "ask");
    drop(first);
    let again = Gateway::with(state.path(), &["--two-people", "critical"]);
    assert_eq!(verdict(&again, "rm -rf build"), "ask");
    // Back again is looser than what holds, and so it is asked for.
    assert_eq!(put(&again, &again.person, "confirm_high_risk").status, 202);
    assert_eq!(verdict(&again, "rm -rf build"), "ask");
}

#[test]
fn one_person_confirms_as_a_request_what_loosens_and_it_ends_by_itself() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::start(state.path());
    let body = json!({ "approval_policy": "auto_approve", "lasts": 2 }).to_string();
    let asked =
        gateway.client().send("PUT", "/v1/policy/approval", &gateway.person, &[], &body).unwrap();
    assert_eq!(asked.status, 202, "{}", asked.body);
    assert_eq!(verdict(&gateway, "rm -rf /srv/data"), "ask");
    let id = asked.json()["approval"]["id"].as_str().unwrap().to_owned();
    assert_eq!(decide(&gateway, &id, &gateway.person).status, 200);
    until(&gateway, "rm -rf /srv/data", "allow");
    until(&gateway, "rm -rf /srv/data", "ask");
    assert!(holds(&gateway).get("loosened").is_none());
    for lasts in [0, 86_401] {
        let body = json!({ "approval_policy": "auto_approve", "lasts": lasts }).to_string();
        let person = &gateway.person;
        let refused = gateway.client().send("PUT", "/v1/policy/approval", person, &[], &body);
        assert_eq!(refused.unwrap().status, 400);
    }
}
