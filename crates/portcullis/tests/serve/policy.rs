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
    let first = Gateway::with(state.path(), &["--two-people", "critical", "--person", "ana"]);
    let second = Gateway::with(state.path(), &["--two-people", "critical"]);
    let ana = first.person_named("ana");
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

#[test]
fn one_who_administers_is_never_two_people_whatever_tokens_they_make() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::with(
        state.path(),
        &["--two-people", "high", "--person", "ana", "--person", "ben"],
    );
    let eve = gateway.token("eve", &["approve", "read", "admin"]);
    // A second token in the name of somebody who is there is not theirs either.
    let false_ana = gateway.token("ana", &["approve", "read"]);
    let asks = |command| {
        let answer = gateway.client().judge(&gateway.agents, command).json();
        answer["approval"]["id"].as_str().unwrap().to_owned()
    };
    let id = asks("rm -rf /srv/data");
    assert_eq!(decide(&gateway, &id, &gateway.person).json()["status"], "pending");
    for token in [&eve, &false_ana] {
        let refused = decide(&gateway, &id, token);
        assert_eq!((refused.status, refused.code().as_str()), (403, "made-by-one"));
        let bulk = json!({ "decision": "approve", "ids": [id] });
        let bulk = gateway.client().post("/v1/decisions", token, &bulk).json();
        assert_eq!(bulk["decided"], 0);
    }
    // Nor does a browser that such a token opens count.
    let opened = json!({ "token": eve }).to_string();
    let opened = gateway.client().send("POST", "/v1/login", "", &[], &opened).unwrap();
    let cookie = opened.headers.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next()).unwrap().to_owned();
    assert_eq!(cookie.len(), "portcullis=".len() + 48, "{cookie}");
    let tokens = gateway.client().get("/v1/tokens", &gateway.person).json();
    for token in tokens["tokens"].as_array().unwrap() {
        let is_first = token["holder"] == "api" && token["name"] != "eve";
        let counts = token["made_here"] == true;
        assert!(is_first || !counts, "{token}");
    }
    assert_eq!(decide(&gateway, &id, &gateway.person_named("ana")).json()["status"], "approved");
    // One no is enough, whoever says it; and what takes one is decided as ever.
    let id = asks("rm -rf /srv/other");
    let path = format!("/v1/approvals/{id}/decision");
    let denied = gateway.client().post(&path, &eve, &json!({ "decision": "deny" }));
    assert_eq!(denied.json()["status"], "denied");
    // Whoever made a token that wants a looser policy could be the one who agrees to it: it takes two others then.
    let asked = put(&gateway, &eve, "auto_approve");
    assert_eq!(asked.status, 202, "{}", asked.body);
    let id = asked.json()["approval"]["id"].as_str().unwrap().to_owned();
    assert_eq!(decide(&gateway, &id, &eve).code(), "own-request");
    assert_eq!(decide(&gateway, &id, &false_ana).code(), "made-by-one");
    assert_eq!(decide(&gateway, &id, &gateway.person).json()["status"], "pending");
    assert!(holds(&gateway).get("loosened").is_none());
    assert_eq!(decide(&gateway, &id, &gateway.person_named("ben")).json()["status"], "approved");
    until(&gateway, "rm -rf /srv/more", "allow");
}

#[test]
fn a_person_keeps_the_token_that_was_made_for_them_and_odd_names_make_none() {
    let state = tempfile::tempdir().unwrap();
    let first = Gateway::with(state.path(), &["--person", "ana"]);
    let token = first.person_named("ana");
    let again = Gateway::with(state.path(), &["--person", "ana", "--person", "ben"]);
    assert_eq!(again.person_named("ana"), token);
    assert_ne!(again.person_named("ben"), token);
    let me = again.client().get("/v1/me", &token).json();
    assert_eq!((&me["name"], &me["scopes"]), (&json!("ana"), &json!(["approve", "read"])));
    for name in ["../token", "a b", "", "agents"] {
        let refused = std::process::Command::new(env!("CARGO_BIN_EXE_portcullis"))
            .args(["serve", "--listen", "127.0.0.1:0", "--person", name, "--state"])
            .arg(state.path())
            .env("HOME", state.path())
            .output()
            .unwrap();
        assert_eq!(refused.status.code(), Some(64), "{name}");
    }
}
