use portcullis_core::risk::Risk;
use proptest::prelude::*;

use super::*;

fn request(details: Value) -> Request {
    let now = jiff::Timestamp::from_second(1_790_000_000).unwrap();
    Request {
        id: Id::named("r"),
        sequence: 1,
        status: Status::Pending,
        action: format!("sha256:{}", "ab".repeat(32)),
        tool: "bash".to_owned(),
        risk: Risk::High,
        session: None,
        agent: Some("<@U1> *claude*\u{202e}".to_owned()),
        requester: "agents".to_owned(),
        project: None,
        needed: 1,
        agreed: Vec::new(),
        asked: now,
        expires: now,
        decided: None,
        answer: None,
        approver: None,
        origin: None,
        reason: None,
        modified: None,
        claimed: None,
        policy: "p".to_owned(),
        details,
    }
}

fn of_text(text: &str) -> Request {
    let texts = json!([{ "in": "/command", "segments": [{ "text": text }] }]);
    request(json!({ "texts": texts, "reasons": [], "understood": true }))
}

fn texts(message: &Message) -> Vec<&str> {
    message.blocks.iter().filter_map(|block| block["text"]["text"].as_str()).collect()
}

fn has(message: &Message, action: &str) -> bool {
    let actions = message.blocks.last().unwrap()["elements"].as_array().unwrap();
    actions.iter().any(|one| one["action_id"] == action)
}

/// What a reader of Slack's escapes makes of a text.
fn read(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[test]
fn a_text_of_a_block_more_than_fits_is_not_approved_here() {
    let name = "command:\n".len();
    for (length, is) in
        [(LONGEST * TEXTS - name, true), (LONGEST * TEXTS - name + 1, false), (1, true)]
    {
        let message =
            asked(&of_text(&"x".repeat(length)), "https://g.example/", Severity::High, None);
        assert_eq!(has(&message, APPROVE), is, "{length}");
        assert!(has(&message, DENY) && has(&message, OPEN));
        assert!(message.blocks.len() <= 50, "as many as Slack takes");
    }
    let mut cut = of_text("x");
    cut.details["texts"][0]["segments"][0]["left_out"] = json!(true);
    assert!(
        !has(&asked(&cut, "", Severity::High, None), APPROVE),
        "it was not shown whole on the page"
    );
    assert!(
        !has(&asked(&request(json!({})), "", Severity::High, None), APPROVE),
        "nothing is shown"
    );
    let many: Vec<Value> = (0..40)
        .map(|at| json!({ "severity": "high", "message": format!("{at} {}", "m".repeat(900)) }))
        .collect();
    let mut found = of_text("x");
    found.details["findings"] = json!(many);
    assert!(
        !has(&asked(&found, "", Severity::High, None), APPROVE),
        "not all that was found is shown"
    );
}

#[test]
fn what_is_decided_on_the_page_has_no_button() {
    let of = |risk, up_to| {
        let request = Request { risk, ..of_text("x") };
        let message = asked(&request, "", up_to, None);
        assert_eq!(has(&message, APPROVE), is_shown_whole(&request, up_to, true).is_ok());
        has(&message, APPROVE)
    };
    assert!(of(Risk::High, Severity::High) && of(Risk::Low, Severity::Low));
    assert!(!of(Risk::High, Severity::Medium) && !of(Risk::Unknown, Severity::High));
    assert!(!of(Risk::Critical, Severity::High));
    let mut policy = of_text("x");
    policy.details["policy"] = json!("auto_approve");
    assert!(!has(&asked(&policy, "", Severity::High, None), DENY));
}

#[test]
fn a_button_stands_for_one_action() {
    let request = of_text("x");
    let value = format!("{}.{}", request.id, "ab".repeat(8));
    assert!(chosen(APPROVE, &value).is_some_and(|it| it.approves && it.is_about(&request)));
    assert!(chosen(DENY, &value).is_some_and(|it| !it.approves));
    let mut other = request.clone();
    other.action = format!("sha256:{}", "cd".repeat(32));
    assert!(!chosen(APPROVE, &value).unwrap().is_about(&other));
    for (action, value) in [
        (OPEN, value.as_str()),
        ("approve", &value),
        (APPROVE, ""),
        (APPROVE, "."),
        (APPROVE, value.get(1..).unwrap()),
        (APPROVE, value.get(..value.len() - 1).unwrap()),
    ] {
        assert_eq!(chosen(action, value), None, "{action} {value}");
    }
}

proptest! {
    #[test]
    fn whatever_an_agent_says_is_text_and_all_of_it(text in "(\\PC|[<>&`*_~|@#:\u{202e}\u{200b}\n]){0,400}", times in 1_usize..40) {
        let text = visible::lines(&text.repeat(times)).into_owned();
        let message = asked(&of_text(&text), "https://g.example/", Severity::High, None);
        let all = texts(&message);
        for block in &all {
            let length = block.encode_utf16().count();
            prop_assert!((1..=LONGEST).contains(&length));
            let hides = block.contains(['<', '>', '\u{202e}', '\u{200b}']);
            prop_assert!(!hides, "{}", block);
            for (at, _) in block.match_indices('&') {
                let rest = block.get(at..).unwrap();
                prop_assert!(["&amp;", "&lt;", "&gt;"].iter().any(|one| rest.starts_with(one)));
            }
        }
        let is_plain =
            |block: &Value| block["type"] != "section" || block["text"]["type"] == "plain_text";
        prop_assert!(message.blocks.iter().all(is_plain));
        if has(&message, APPROVE) {
            let joined: String = all.iter().map(|block| read(block)).collect();
            prop_assert!(joined.contains(&format!("command:\n{text}")), "{joined}");
        }
    }
}
