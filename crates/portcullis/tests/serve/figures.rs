//! The work in numbers: by project and time, what rules cost, what a rule would have saved; and the record, looked through part by part.

use serde_json::{Value, json};

use crate::client::{Gateway, PATIENCE, call};

const HIGH: &str = "rm -rf /srv/data";

const PROJECTS: &str = "[[team.projects]]\nname = \"pay\"\nagents = [\"agents\"]\n\
    [[team.projects]]\nname = \"w<b>'\\\"%_\"\nagents = [\"odd\"]\n";

fn gateway(state: &std::path::Path, options: &[&str]) -> Gateway {
    let file = state.join("team.toml");
    std::fs::write(&file, PROJECTS).unwrap();
    Gateway::with(state, &[&["--config", file.to_str().unwrap()], options].concat())
}

fn summary(gateway: &Gateway, query: &str) -> Value {
    let told = gateway.client().get(&format!("/v1/summary{query}"), &gateway.person);
    assert_eq!(told.status, 200, "{}", told.body);
    told.json()
}

fn decides(gateway: &Gateway, judged: &Value, word: &str) {
    let id = judged["approval"]["id"].as_str().unwrap();
    let said = gateway.client().post(
        &format!("/v1/approvals/{id}/decision"),
        &gateway.person,
        &json!({ "decision": word }),
    );
    assert_eq!(said.status, 200, "{}", said.body);
}

fn works(gateway: &Gateway) {
    let odd = gateway.token("odd", &["judge"]);
    let none = gateway.token("none", &["judge"]);
    for (token, command, word) in [
        (&gateway.agents, "ls", None),
        (&gateway.agents, "cargo --version", None),
        (&gateway.agents, HIGH, Some("approve")),
        (&gateway.agents, "rm -rf /srv/other", Some("deny")),
        (&gateway.agents, "rm -rf /srv/third", None),
        (&odd, "rm -rf /srv/fourth", Some("approve")),
        (&none, "ls", None),
    ] {
        let judged = gateway.client().judge(token, command).json();
        if let Some(word) = word {
            decides(gateway, &judged, word);
        }
    }
}

/// The figures of projects once they are kept.
fn kept(gateway: &Gateway, project: &str) -> Value {
    let begun = std::time::Instant::now();
    loop {
        let told = summary(gateway, "?hours=168");
        let projects = told["projects"].as_array().unwrap().clone();
        let one = projects.into_iter().find(|one| one["project"] == *project);
        if let Some(one) = one.filter(|one| one["ask"].as_u64() > Some(0)) {
            return one;
        }
        assert!(begun.elapsed() < PATIENCE, "{told}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

fn counted(gateway: &Gateway) {
    works(gateway);
    let pay = kept(gateway, "pay");
    let expected =
        json!({ "allow": 2, "ask": 3, "deny": 0, "asked": 3, "approved": 1, "denied": 1 });
    for (name, count) in expected.as_object().unwrap() {
        assert_eq!(pay[name], *count, "{name}: {pay}");
    }
    // Of people's answers alone: what waits still is none.
    assert_eq!(pay["answered_after_ms"]["count"], 2);
    assert_eq!(kept(gateway, "w<b>'\"%_")["ask"], 1);
    let all = summary(gateway, "");
    assert_eq!((&all["allow"], &all["ask"], &all["pending"]), (&json!(3), &json!(4), &json!(1)));
    assert_eq!((&all["span_hours"], &all["cut"]), (&json!(24), &json!(false)));
    let rule = &all["rules"][0];
    assert_eq!(
        (&rule["asked"], &rule["approved"], &rule["denied"]),
        (&json!(4), &json!(2), &json!(1))
    );
    assert_eq!(rule["count"], 4, "{all}");
    let stretches = |told: &Value| told["hours"].as_array().unwrap().len();
    assert_eq!((stretches(&all), stretches(&summary(gateway, "?hours=720"))), (24, 30));
    let last = &all["hours"][23];
    assert_eq!(last["allow"].as_u64().unwrap() + all["hours"][22]["allow"].as_u64().unwrap(), 3);
    let odd = summary(gateway, "?hours=168&project=w%3Cb%3E%27%22%25_");
    assert_eq!((&odd["allow"], &odd["ask"]), (&json!(0), &json!(1)), "{odd}");
    assert_eq!(odd["answered_after_ms"]["count"], 1);
    let nobody = summary(gateway, "?project=none");
    assert_eq!((&nobody["ask"], &nobody["rules"]), (&json!(0), &json!([])));
    for bad in ["?hours=5", "?hours=-24", "?hours=x", "?hour=24"] {
        let refused = gateway.client().get(&format!("/v1/summary{bad}"), &gateway.person);
        assert_eq!(refused.status, 400, "{bad}: {}", refused.body);
    }
    assert_eq!(gateway.client().get("/v1/summary", &gateway.agents).status, 403);
}

#[test]
fn calls_and_answers_are_counted_by_project_by_time_and_by_rule() {
    let state = tempfile::tempdir().unwrap();
    let mut first = gateway(state.path(), &[]);
    counted(&first);
    first.kill();
    // What was counted is kept, and what is counted then comes on top of it.
    let second = gateway(state.path(), &[]);
    assert_eq!(kept(&second, "pay")["ask"], 3);
    assert_eq!(summary(&second, "")["ask"], 4);
    second.client().judge(&second.agents, "rm -rf /srv/fifth");
    let begun = std::time::Instant::now();
    while kept(&second, "pay")["ask"] != 4 {
        assert!(begun.elapsed() < PATIENCE);
    }
}

#[cfg(all(unix, feature = "postgres"))]
#[test]
fn gateways_that_share_a_database_count_together() {
    let Some(cluster) = crate::cluster::cluster() else { return };
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let url = cluster.database();
    let a = gateway(here.path(), &["--database", &url, "--name", "a"]);
    counted(&a);
    let b = gateway(there.path(), &["--database", &url, "--name", "b"]);
    b.client().judge(&b.agents, "rm -rf /srv/fifth");
    let begun = std::time::Instant::now();
    while kept(&a, "pay")["ask"] != 4 {
        assert!(begun.elapsed() < PATIENCE);
    }
}

#[test]
fn a_rule_is_tried_on_what_was_asked_and_rules_are_proposed() {
    let state = tempfile::tempdir().unwrap();
    let gateway = gateway(state.path(), &[]);
    let strict = json!({ "approval_policy": "confirm_medium_and_up" });
    let put = gateway.client().send(
        "PUT",
        "/v1/policy/approval",
        &gateway.person,
        &[],
        &strict.to_string(),
    );
    assert_eq!(put.unwrap().status, 200);
    for number in 0..3 {
        gateway.client().judge(&gateway.agents, &format!("frobnicate --all {number}"));
    }
    gateway.client().judge(&gateway.agents, HIGH);
    gateway.client().judge(&gateway.agents, "ls");
    let tried = |body: &Value| {
        let tried = gateway.client().post("/v1/policy/dry-run", &gateway.person, body);
        assert_eq!(tried.status, 200, "{}", tried.body);
        tried.json()
    };
    let now = tried(&json!({ "allow": [] }));
    assert_eq!(
        (&now["spared"], &now["calls"], &now["now"]["ask"]),
        (&json!(0), &json!(5), &json!(4)),
        "{now}"
    );
    let proposed = now["proposed"].as_array().unwrap();
    assert!(!proposed.is_empty(), "{now}");
    let rule = proposed[0]["allow"].as_str().unwrap();
    let spares = proposed[0]["spares"].as_u64().unwrap();
    let then = tried(&json!({ "allow": [rule] }));
    assert!(spares > 0 && then["spared"].as_u64().unwrap() >= spares, "{rule}: {then}");
    // Nothing holds by it.
    let again = gateway.client().judge(&gateway.agents, "frobnicate --all 0").json();
    assert_eq!(again["decision"], "ask");
    assert!(tried(&json!({ "allow": ["Bash("] }))["mistake"].is_string());
    for bad in
        [json!({}), json!({ "toml": "", "allow": [] }), json!({ "allow": vec!["Bash(ls)"; 51] })]
    {
        let refused = gateway.client().post("/v1/policy/dry-run", &gateway.person, &bad);
        assert_eq!(refused.status, 400, "{bad}");
    }
}

#[test]
fn the_record_is_looked_through_part_by_part_and_nothing_is_passed_over() {
    let state = tempfile::tempdir().unwrap();
    let gateway = gateway(state.path(), &[]);
    for number in 0..40 {
        let command =
            if number % 10 == 0 { format!("echo needle-{number}") } else { "ls".to_owned() };
        let judged = gateway.client().post("/v1/judge", &gateway.agents, &call(&command));
        assert_eq!(judged.status, 200);
    }
    let all = |query: &str| {
        let (mut found, mut at) = (Vec::new(), String::new());
        loop {
            let page =
                gateway.client().get(&format!("/v1/records?{query}{at}"), &gateway.person).json();
            for record in page["records"].as_array().unwrap() {
                found.push(record["sequence"].as_u64().unwrap());
            }
            let Some(before) = page["before"].as_u64() else { return found };
            at = format!("&before={before}");
        }
    };
    let needles = all("text=NEEDLE&limit=3");
    assert_eq!(needles.len(), 4, "{needles:?}");
    assert!(needles.is_sorted_by(|one, next| one > next), "{needles:?}");
    let whole = all("limit=7");
    assert_eq!(whole, (1..=whole[0]).rev().collect::<Vec<_>>());
    assert_eq!(all("limit=7&after=5"), (6..=whole[0]).rev().collect::<Vec<_>>());
    assert_eq!(all("text=nowhere"), [] as [u64; 0]);
    let far = "since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z";
    assert_eq!(all(far), [] as [u64; 0]);
    let near = format!("since={}", jiff::Timestamp::now() - jiff::SignedDuration::from_hours(1));
    assert_eq!(all(&near).len(), whole.len());
}

#[cfg(all(unix, feature = "postgres"))]
#[test]
fn a_gateway_that_may_not_count_decides_on() {
    let Some(cluster) = crate::cluster::cluster() else { return };
    let state = tempfile::tempdir().unwrap();
    let url = cluster.database();
    let gateway = gateway(state.path(), &["--database", &url, "--name", "a"]);
    // As after an upgrade in which the roles were not given their rights anew.
    cluster.say(&url, "ALTER TABLE portcullis.called RENAME TO elsewhere");
    let begun = std::time::Instant::now();
    let mut client = gateway.client();
    while begun.elapsed() < std::time::Duration::from_secs(5) {
        let judged = client.post("/v1/judge", &gateway.agents, &call("ls"));
        assert_eq!(judged.status, 200, "{}", judged.body);
    }
    let refused = client.get("/v1/summary", &gateway.person);
    assert!(refused.status >= 500, "{}", refused.body);
    cluster.say(&url, "ALTER TABLE portcullis.elsewhere RENAME TO called");
    assert_eq!(client.get("/v1/summary", &gateway.person).status, 200);
}
