//! Many answers to one question, at the same moment and through several processes.

use std::{
    collections::BTreeMap,
    sync::{Barrier, Mutex},
    thread,
};

use serde_json::{Value, json};

use crate::client::{Gateway, call};

/// Which caller, with which status, and the request as it was told.
type Told = (usize, u16, Value);

const REQUESTS: usize = 1_000;
const CALLERS: usize = 8;

#[test]
fn of_eight_answers_through_two_gateways_exactly_one_decides_and_all_are_told_the_truth() {
    let state = tempfile::tempdir().unwrap();
    let gateways = [Gateway::start(state.path()), Gateway::start(state.path())];
    let [first, second] = &gateways;
    let names: Vec<String> = (0..CALLERS).map(|caller| format!("person{caller}")).collect();
    let tokens: Vec<String> = names.iter().map(|name| first.token(name, &["approve"])).collect();
    let ids: Vec<String> = (0..REQUESTS)
        .map(|number| {
            let gateway = if number % 2 == 0 { first } else { second };
            let answer = gateway.client().judge(&gateway.agents, "rm -rf /srv/data");
            answer.json()["approval"]["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let told: Mutex<BTreeMap<&str, Vec<Told>>> = Mutex::default();
    let together = Barrier::new(CALLERS);
    thread::scope(|scope| {
        for (caller, token) in tokens.iter().enumerate() {
            let (ids, told, together, gateways) = (&ids, &told, &together, &gateways);
            scope.spawn(move || {
                let mut client = gateways[caller % 2].client();
                let decision = if caller % 2 == 0 { "approve" } else { "deny" };
                let body = json!({ "decision": decision, "reason": format!("from {caller}") });
                together.wait();
                for id in ids {
                    let answer = client.post(&format!("/v1/approvals/{id}/decision"), token, &body);
                    let said = answer.json();
                    let shape = if answer.status == 200 { said } else { said["approval"].clone() };
                    told.lock().unwrap().entry(id).or_default().push((
                        caller,
                        answer.status,
                        shape,
                    ));
                }
            });
        }
    });
    let told = told.into_inner().unwrap();
    assert_eq!(told.len(), REQUESTS);
    let mut reader = second.client();
    for (id, answers) in &told {
        let winners: Vec<_> = answers.iter().filter(|(_, status, _)| *status == 200).collect();
        let [(caller, _, shape)] = winners[..] else { panic!("{id}: {answers:?}") };
        assert!(answers.iter().all(|(_, status, _)| matches!(status, 200 | 409)), "{answers:?}");
        assert_eq!(shape["approver"], names[*caller]);
        let wanted = if caller % 2 == 0 { "approved" } else { "denied" };
        assert_eq!(shape["status"], wanted);
        for (_, _, other) in answers {
            assert_eq!(
                (&other["status"], &other["approver"]),
                (&shape["status"], &shape["approver"])
            );
        }
        let stored = reader.get(&format!("/v1/approvals/{id}"), &second.person).json();
        assert_eq!(
            (&stored["status"], &stored["approver"]),
            (&shape["status"], &shape["approver"])
        );
    }
    let verified = reader.get("/v1/records/verify", &second.person).json();
    assert_eq!(verified["intact"], true, "{verified}");
    let answers = reader.get("/v1/records/export?kind=answer", &second.person);
    assert_eq!(answers.body.lines().count(), REQUESTS, "one record for each decision");
}

#[test]
fn whoever_waits_at_one_gateway_is_told_of_a_decision_at_another() {
    let state = tempfile::tempdir().unwrap();
    let (here, there) = (Gateway::start(state.path()), Gateway::start(state.path()));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            here.client().post("/v1/judge?wait=100", &here.agents, &call("rm -rf /srv/data")).json()
        });
        let mut person = there.client();
        let id = loop {
            let waiting = person.get("/v1/approvals?status=pending", &there.person).json();
            if let Some(id) = waiting["approvals"][0]["id"].as_str() {
                break id.to_owned();
            }
        };
        let word = json!({ "decision": "approve" });
        person.post(&format!("/v1/approvals/{id}/decision"), &there.person, &word);
        let answer = waiting.join().unwrap();
        assert_eq!((&answer["decision"], &answer["layer"]), (&json!("allow"), &json!("person")));
        assert!(answer["approval"]["claimed"].is_string(), "{answer}");
    });
}
