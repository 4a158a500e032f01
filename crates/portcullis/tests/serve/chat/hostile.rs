//! What is no word of anybody's: unsigned, old, said again, from elsewhere, about too much.

use serde_json::{Value, json};

use super::{
    CRITICAL, EVERYTHING, HIGH, Slack, User, asked, button, gateway, request, shown,
    slack::{APP, SECRET, TEAM, form, now, say, send, signature},
    until,
};

const ADA: User = User { id: "U0ADA" };

/// What somebody else makes of what a button says.
type Change = fn(&mut Value);

#[test]
fn only_what_slack_said_just_now_and_once_is_listened_to() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let gateway = gateway(state.path(), slack.address, EVERYTHING, &["--person", "ada"]);
    ADA.links(&gateway, &gateway.person_named("ada"));
    let waiting = asked(&gateway, HIGH);
    let said = slack.hears("chat.postMessage", 1).body;
    let deny = button(&said, "Deny").unwrap();
    let body = form(&[("payload", &ADA.payload(&deny).to_string())]);
    let time = now();
    let good = signature(SECRET, time, &body);
    for (when, signed, text) in [
        (time.to_string(), signature("another", time, &body), body.clone()),
        (time.to_string(), good.clone(), body.replace("U0ADA", "U0EVE")),
        (time.to_string(), good.replace("v0=", "v1="), body.clone()),
        (time.to_string(), String::new(), body.clone()),
        ((time + 1).to_string(), good.clone(), body.clone()),
        ((time - 301).to_string(), signature(SECRET, time - 301, &body), body.clone()),
        ((time + 400).to_string(), signature(SECRET, time + 400, &body), body.clone()),
        ("now".to_owned(), good.clone(), body.clone()),
    ] {
        let answer = send(&gateway, &when, &signed, &text);
        assert_eq!(answer.status, 401, "{when} {signed}: {}", answer.body);
        assert!(answer.body.contains("Slack"), "{}", answer.body);
    }
    let bare = gateway.client().send("POST", "/chat/slack", "", &[], &body).unwrap();
    assert_eq!(bare.status, 401);
    assert_eq!(request(&gateway, &waiting["id"])["status"], "pending");
    // Said once, and then again word for word.
    assert_eq!(send(&gateway, &time.to_string(), &good, &body).status, 200);
    assert_eq!(send(&gateway, &time.to_string(), &good, &body).status, 401);
    until(|| (request(&gateway, &waiting["id"])["status"] == "denied").then_some(()));
    let records = gateway.client().get("/v1/records?kind=change", &gateway.person).json();
    assert!(records.to_string().contains("refused what claimed to be Slack"), "{records}");
}

#[test]
fn what_was_said_before_a_restart_is_not_done_after_it() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let options = ["--person", "ada", "--person", "ben", "--two-people", "high"];
    let mut first = gateway(state.path(), slack.address, EVERYTHING, &options);
    ADA.links(&first, &first.person_named("ada"));
    asked(&first, HIGH);
    let said = slack.hears("chat.postMessage", 1).body;
    let body = form(&[("payload", &ADA.payload(&button(&said, "Approve").unwrap()).to_string())]);
    let time = now();
    let good = signature(SECRET, time, &body);
    assert_eq!(send(&first, &time.to_string(), &good, &body).status, 200);
    slack.hears("chat.postEphemeral", 1);
    first.kill();
    let second = gateway(state.path(), slack.address, EVERYTHING, &options);
    // What is in memory is gone, and what is in the record is not.
    assert_eq!(send(&second, &time.to_string(), &good, &body).status, 200);
    ADA.presses(&second, &button(&said, "Approve").unwrap());
    slack.hears("chat.postEphemeral", 2);
    let records = second.client().get("/v1/records?kind=change", &second.person).json();
    let presses = records.to_string().matches("pressed a button in a chat").count();
    assert_eq!(presses, 2, "the first, and the one that was pressed anew: {records}");
}

#[test]
fn another_workspace_app_or_company_is_refused() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let gateway = gateway(state.path(), slack.address, EVERYTHING, &["--person", "ada"]);
    ADA.links(&gateway, &gateway.person_named("ada"));
    let waiting = asked(&gateway, HIGH);
    let deny = button(&slack.hears("chat.postMessage", 1).body, "Deny").unwrap();
    let changes: [(&str, Change); 6] = [
        ("team", |payload| payload["team"]["id"] = json!("T0EVIL")),
        ("app", |payload| payload["api_app_id"] = json!("A0EVIL")),
        ("guest", |payload| payload["user"]["team_id"] = json!("T0EVIL")),
        ("user", |payload| payload["user"]["id"] = json!("U0ADA or 1=1")),
        ("no team", |payload| payload["team"] = Value::Null),
        ("no app", |payload| drop(payload.as_object_mut().unwrap().remove("api_app_id"))),
    ];
    for (what, change) in changes {
        let mut payload = ADA.payload(&deny);
        change(&mut payload);
        let answer = say(&gateway, &form(&[("payload", &payload.to_string())]));
        assert!(matches!(answer.status, 400 | 403), "{what}: {answer:?}");
    }
    let typed = |team: &str, app: &str| {
        let fields = [
            ("team_id", team),
            ("api_app_id", app),
            ("user_id", "U0ADA"),
            ("command", "/portcullis"),
            ("text", ""),
        ];
        say(&gateway, &form(&fields)).status
    };
    assert_eq!((typed("T0EVIL", APP), typed(TEAM, "A0EVIL"), typed(TEAM, APP)), (403, 403, 200));
    for bad in ["payload=%zz", "payload=x&payload=y", "payload=[]", "", "payload=%7B%7D"] {
        let answer = say(&gateway, bad);
        assert!(matches!(answer.status, 400 | 403), "{bad}: {answer:?}");
    }
    let long = format!("payload={}", "x".repeat(300 << 10));
    assert_eq!(say(&gateway, &long).status, 413);
    // Other buttons, and other things that Slack says, do nothing.
    for change in [json!("portcullis_open"), json!("other")] {
        let mut other = deny.clone();
        other["action_id"] = change;
        assert_eq!(ADA.presses(&gateway, &other).status, 200);
    }
    let mut payload = ADA.payload(&deny);
    payload["type"] = json!("view_submission");
    assert_eq!(say(&gateway, &form(&[("payload", &payload.to_string())])).status, 200);
    // A button that is about another action than it was shown for.
    let mut other = deny.clone();
    other["value"] = json!(format!("{}.0123456789abcdef", waiting["id"].as_str().unwrap()));
    ADA.presses(&gateway, &other);
    let told = slack.hears("chat.postEphemeral", 1).body;
    assert!(told["text"].as_str().unwrap().contains("another action"), "{told}");
    assert_eq!(request(&gateway, &waiting["id"])["status"], "pending");
}

#[test]
fn what_is_graver_or_longer_than_a_chat_shows_has_no_button_and_takes_none() {
    let state = tempfile::tempdir().unwrap();
    let slack = Slack::start();
    let gateway = gateway(state.path(), slack.address, EVERYTHING, &["--person", "ada"]);
    ADA.links(&gateway, &gateway.person_named("ada"));
    let critical = asked(&gateway, CRITICAL);
    let said = slack.hears("chat.postMessage", 1).body;
    assert_eq!((button(&said, "Approve"), button(&said, "Deny")), (None, None), "{said}");
    assert!(button(&said, "Open the request").is_some());
    // As if it had one.
    let made = |request: &Value, action: &str| {
        let hash = request["action"].as_str().unwrap().strip_prefix("sha256:").unwrap();
        let hash = hash.get(..16).unwrap();
        json!({ "action_id": action, "value": format!("{}.{hash}", request["id"].as_str().unwrap()) })
    };
    ADA.presses(&gateway, &made(&critical, "portcullis_approve"));
    let told = slack.hears("chat.postEphemeral", 1).body["text"].to_string();
    assert!(told.contains("what is critical is decided on the page"), "{told}");
    assert_eq!(request(&gateway, &critical["id"])["status"], "pending");

    let hidden = format!(
        "rm -rf /srv/data # <!channel> & {}\u{202e}\n{}",
        "<b>".repeat(900),
        "y".repeat(2_900)
    );
    asked(&gateway, &hidden);
    let said = slack.hears("chat.postMessage", 2).body;
    let text = shown(&said);
    assert!(
        text.contains("&lt;!channel&gt; &amp; &lt;b&gt;") && text.contains("\\u{202e}"),
        "{text}"
    );
    assert!(!text.contains('<') && !text.contains('\u{202e}'));
    let blocks = said["blocks"].as_array().unwrap();
    let lengths: Vec<usize> = blocks
        .iter()
        .filter_map(|block| Some(block["text"]["text"].as_str()?.encode_utf16().count()))
        .collect();
    assert!(lengths.iter().all(|length| (1..=3_000).contains(length)), "{lengths:?}");
    assert!(lengths.iter().filter(|length| **length > 2_900).count() >= 3, "{lengths:?}");
    assert!(
        blocks
            .iter()
            .filter_map(|block| block["text"]["type"].as_str())
            .all(|kind| kind == "plain_text")
    );
    assert!(button(&said, "Approve").is_some(), "it is shown whole");

    let long = asked(&gateway, &format!("rm -rf /srv/data # {}", "z".repeat(40_000)));
    let said = slack.hears("chat.postMessage", 3).body;
    assert_eq!(button(&said, "Approve"), None);
    assert!(button(&said, "Deny").is_some() && shown(&said).contains("This is not all of it"));
    ADA.presses(&gateway, &made(&long, "portcullis_approve"));
    let told = slack.hears("chat.postEphemeral", 2).body["text"].to_string();
    assert!(told.contains("too long to be shown here"), "{told}");
    assert_eq!(request(&gateway, &long["id"])["status"], "pending");
    ADA.presses(&gateway, &button(&said, "Deny").unwrap());
    until(|| (request(&gateway, &long["id"])["status"] == "denied").then_some(()));
}
