//! What agents ask over MCP servers: whose project it is, how many must agree, and that nobody answers for a person whom nobody knows.

use serde_json::{Value, json};

use super::Provider;
use crate::mcp::{Mcp, Place, Setup, request, stateless};

/// Changing a note is of medium risk, so that a client could be asked about it.
const MEDIUM: &str = "confirmation = { threshold = \"medium\" }";
const ELICITS: &str = "wait = 0\nelicitation = true\n";

fn place(team: &str) -> Place {
    let server = String::leak(format!("{ELICITS}{team}"));
    Place::of(&Setup { top: MEDIUM, server, ..Setup::default() })
}

fn pending(place: &Place) -> Vec<Value> {
    let all = place.gateway.client().get("/v1/approvals?status=pending", &place.gateway.person);
    all.json()["approvals"].as_array().unwrap().clone()
}

fn change(note: &str) -> Value {
    json!({"name": "update_note", "arguments": {"a": note}})
}

/// Calls in a session and without one, as a client that can ask its person; gives what the gate said.
fn both_ways(client: &Mcp<'_>, note: &str) -> [Value; 2] {
    let can = json!({"elicitation": {}});
    let mut met = client.clone();
    met.meet(can.clone());
    let in_session = met.post(&request(2, "tools/call", change(note))).json();
    let call = stateless::asking(3, "tools/call", change(note), can);
    [in_session, stateless::post(client, &call, &[]).json()]
}

fn is_told_to_come_again(said: &Value) -> bool {
    stateless::text(said).contains("make the same call again")
}

#[test]
fn where_people_log_in_no_client_answers_for_one() {
    let team = "[team.login]\nissuer = \"https://login.example\"\nclient_id = \"portcullis\"\n\
        [[team.roles]]\ngroup = \"leads\"\nmay = [\"approve\"]\n";
    for (team, is_asked) in [("", true), (team, false)] {
        let place = place(team);
        let client = place.client();
        let call = stateless::asking(2, "tools/call", change("1"), json!({"elicitation": {}}));
        let said = stateless::post(&client, &call, &[]).json();
        assert_eq!(said["result"]["resultType"] == "input_required", is_asked, "{said}");
        if !is_asked {
            for said in both_ways(&client, "1") {
                assert!(is_told_to_come_again(&said), "{said}");
            }
            assert_eq!(pending(&place).len(), 1, "it waits for somebody with a role");
        }
    }
}

#[test]
fn a_projects_rules_hold_for_what_its_agents_ask_over_servers() {
    let team =
        "[[team.projects]]\nname = \"pay\"\nagents = [\"agents\"]\ntwo_people = \"medium\"\n";
    let place = place(team);
    for said in both_ways(&place.client(), "1") {
        assert!(is_told_to_come_again(&said), "{said}");
    }
    let asked = &pending(&place)[0];
    assert_eq!((&asked["project"], &asked["needed"]), (&json!("pay"), &json!(2)), "{asked}");
    // Whoever belongs to no project has the rules of none.
    let mut other = place.client();
    other.token = place.gateway.token("other", &["judge"]);
    let call = stateless::asking(4, "tools/call", change("2"), json!({"elicitation": {}}));
    let said = stateless::post(&other, &call, &[]).json();
    assert_eq!(said["result"]["resultType"], "input_required", "{said}");
}

#[test]
fn an_agent_that_comes_with_another_project_asks_for_that_one() {
    let provider = Provider::start();
    let place = place(&format!(
        "[[team.workloads]]\nissuer = \"{}\"\naudience = \"https://tools.example/gate/\"\n\
         agents = [{{ claims = {{ repository = \"acme/pay\" }}, project_claim = \"part\" }}]\n",
        provider.issuer()
    ));
    let now = jiff::Timestamp::now().as_second();
    let token = |part: &str| {
        let claims = json!({
            "iss": provider.issuer(), "aud": "https://tools.example/gate/", "sub": "repo:acme/pay", "repository": "acme/pay",
            "part": part, "iat": now, "exp": now + 300,
        });
        provider.signer.plain("k1", &claims)
    };
    let as_part = |part: &str| {
        let mut client = place.client();
        client.token = token(part);
        client
    };
    let mut in_session = as_part("web");
    in_session.meet(json!({}));
    for (part, note) in [("web", "1"), ("shop", "2")] {
        let call = stateless::request(2, "tools/call", change(note));
        let said = stateless::post(&as_part(part), &call, &[]).json();
        assert!(is_told_to_come_again(&said), "{said}");
        let asked = pending(&place);
        let projects: Vec<&Value> = asked.iter().map(|one| &one["project"]).collect();
        assert!(projects.contains(&&json!(part)), "{projects:?}");
    }
    // A session is of the project that it was begun for.
    in_session.token = token("shop");
    assert_eq!(in_session.post(&request(3, "tools/call", change("3"))).status, 404);
    in_session.token = token("web");
    assert_eq!(in_session.post(&request(4, "tools/call", change("3"))).status, 200);
}
