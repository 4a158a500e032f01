//! What waits to be told: across restarts, while a receiver is away, and once nobody took it.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::{EVERYTHING, HIGH, Slack, asked, gateway, notices, shown, until};

#[test]
fn what_was_not_told_before_a_kill_is_told_after_it_and_once() {
    let state = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Nobody listens there.
    drop(listener);
    let mut first = gateway(state.path(), address, EVERYTHING, &[]);
    let waiting = asked(&first, HIGH);
    let kept =
        until(|| notices(&first, "waiting").into_iter().find(|one| !one["trouble"].is_null()));
    assert_eq!((&kept["receiver"], &kept["approval"]), (&json!("ops"), &waiting["id"]));
    assert!(kept["attempts"].as_u64().unwrap() >= 1, "{kept}");
    first.kill();
    let slack = Slack::at(TcpListener::bind(address).unwrap());
    let second = gateway(state.path(), address, EVERYTHING, &[]);
    let said = slack.hears("chat.postMessage", 1).body;
    assert!(shown(&said).contains(HIGH), "{said}");
    let sent = until(|| notices(&second, "sent").pop());
    assert_eq!((&sent["id"], &sent["trouble"]), (&kept["id"], &Value::Null));
    assert_eq!(slack.said("chat.postMessage").len(), 1);
}

#[test]
fn a_receiver_that_is_busy_is_told_later_and_one_that_refuses_is_seen() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let gateway = gateway(state.path(), slack.address, EVERYTHING, &[]);
    slack.lies(&[
        (503, "down"),
        (429, r#"{"ok":false,"error":"ratelimited"}"#),
        (200, r#"{"ok":false,"error":"internal_error"}"#),
    ]);
    asked(&gateway, HIGH);
    slack.hears("chat.postMessage", 4);
    let sent = until(|| notices(&gateway, "sent").pop());
    assert_eq!(sent["attempts"], 4, "{sent}");
    // What is refused is not tried again by itself, and is seen.
    slack.lies(&[(200, r#"{"ok":false,"error":"channel_not_found"}"#)]);
    asked(&gateway, "rm -rf /srv/other");
    let dead = until(|| notices(&gateway, "dead").pop());
    assert_eq!(
        (&dead["trouble"], &dead["attempts"]),
        (&json!("Slack answers channel_not_found"), &json!(1))
    );
    let records = gateway.client().get("/v1/records?kind=change", &gateway.person).json();
    assert!(records.to_string().contains("a message was not delivered"), "{records}");
    let metrics = gateway.client().get("/metrics", &gateway.person).body;
    assert!(metrics.contains("channel=\"slack\"} 4"), "{metrics}");
    let path = format!("/v1/notices/{}/repeat", dead["id"].as_str().unwrap());
    assert_eq!(gateway.client().post(&path, &gateway.agents, &Value::Null).status, 403);
    assert_eq!(gateway.client().post(&path, &gateway.person, &Value::Null).status, 200);
    until(|| notices(&gateway, "dead").is_empty().then_some(()));
    slack.hears("chat.postMessage", 6);
    until(|| (notices(&gateway, "sent").len() == 2).then_some(()));
    let unknown = "/v1/notices/00000000000000000000000000000000/repeat";
    assert_eq!(gateway.client().post(unknown, &gateway.person, &Value::Null).status, 404);
}

#[test]
fn each_project_has_its_channel() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let more = format!(
        "{EVERYTHING}[[chat.receivers]]\nname = \"pay\"\nslack = \"C0PAY\"\nprojects = [\"pay\"]\n\
         [[chat.receivers]]\nname = \"web\"\nslack = \"C0WEB\"\nprojects = [\"web\"]\n\
         [[team.projects]]\nname = \"pay\"\nagents = [\"agents\"]\n"
    );
    let gateway = gateway(state.path(), slack.address, &more, &[]);
    asked(&gateway, HIGH);
    slack.hears("chat.postMessage", 2);
    let mut channels: Vec<Value> = slack
        .said("chat.postMessage")
        .into_iter()
        .map(|said| said.body["channel"].clone())
        .collect();
    channels.sort_by_key(ToString::to_string);
    assert_eq!(channels, [json!("C0OPS"), json!("C0PAY")]);
    let text = shown(&slack.hears("chat.postMessage", 1).body);
    assert!(text.contains("claude in pay asks to use bash"), "{text}");
    let listed = gateway.client().get("/v1/notices", &gateway.person).json();
    assert_eq!(listed["receivers"].as_array().unwrap().len(), 3);
}

#[cfg(all(unix, feature = "postgres"))]
#[test]
fn of_gateways_that_share_a_database_one_tells_and_any_takes_the_word() {
    use super::{User, button, request};

    let Some(cluster) = crate::cluster::cluster() else { return };
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let url = cluster.database();
    let slack = Slack::start();
    let started = |state: &std::path::Path, name: &str| {
        gateway(state, slack.address, EVERYTHING, &["--database", &url, "--name", name])
    };
    let a = started(here.path(), "a");
    let b = started(there.path(), "b");
    let ada = User { id: "U0ADA" };
    ada.links(&b, &a.person);
    for round in 1..=5_usize {
        let waiting = asked(&a, &format!("rm -rf /srv/data-{round}"));
        let said = slack.hears("chat.postMessage", round).body;
        let gateway = if round % 2 == 0 { &a } else { &b };
        ada.presses(gateway, &button(&said, "Deny").unwrap());
        slack.hears("chat.update", round);
        assert_eq!(request(&a, &waiting["id"])["status"], "denied");
    }
    assert_eq!((slack.said("chat.postMessage").len(), slack.said("chat.update").len()), (5, 5));
}
