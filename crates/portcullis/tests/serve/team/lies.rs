//! A company's login that lies, browsers that bring what belongs to nobody, and the path of a proxy.

use serde_json::{Value, json};

use super::{House, account, configured, cookie, header, house, location, signer::Signer, with};
use crate::client::Answer;

/// What a provider says otherwise than it should: before somebody comes to its page, and after.
const BEFORE: &[&str] = &[
    "a redirecting description",
    "a giant description",
    "a broken description",
    "a description twice over",
    "no description",
    "a description that fails",
    "another issuer's description",
    "the issuer with a slash",
    "a page that is a program",
    "a page that says it already",
    "tokens without codes",
];
const AFTER: &[&str] = &[
    "no keys named",
    "keys elsewhere, open",
    "tokens elsewhere, open",
    "a redirecting list of keys",
    "a giant list of keys",
    "too many keys",
    "keys that are none",
    "no list of keys",
    "somebody else's keys",
    "a redirecting place for tokens",
    "a giant token",
    "another state",
    "another issuer comes back",
    "no issuer comes back",
    "refused there",
    "no code",
    "another nonce",
    "another audience",
    "another issuer in the token",
    "over",
    "another access token",
    "nobody",
    "an unsigned token",
    "somebody else's signature",
    "an unknown key",
    "no token",
];

fn lets_nobody_in(answer: &Answer, lie: &str) {
    assert!(matches!(answer.status, 403 | 502), "{lie}: {answer:?}");
    assert!(!answer.headers.contains("__host-portcullis="), "{lie}: {answer:?}");
    assert!(!answer.headers.contains("location:"), "{lie}: {answer:?}");
}

#[test]
fn whoever_lies_lets_nobody_in() {
    let somebody = account("cyn", &["security"]);
    for lie in BEFORE {
        let house = with(super::Provider::that(lie), "", &[]);
        lets_nobody_in(&house.get("/gate/login", &[]), lie);
    }
    for lie in AFTER {
        let house = with(super::Provider::that(lie), "", &[]);
        let back = house.tried(&somebody, "");
        lets_nobody_in(&back, lie);
        assert!(
            back.headers.contains("__host-portcullis-login=;"),
            "what was begun is over: {lie}"
        );
    }
    // It is the lie that they were refused for, however the issuer signs.
    for signer in [Signer::ec(), Signer::rsa(), Signer::ed()] {
        let house = with(super::Provider::signing(signer, ""), "", &[]);
        assert_eq!(house.tried(&somebody, "").status, 200);
    }
}

#[test]
fn what_belongs_to_no_login_of_this_browser_lets_nobody_in() {
    let house = house("");
    let somebody = account("cyn", &["security"]);
    let (page, kept) = house.begun("");
    let there = house.provider.log_in(&page, &somebody);
    lets_nobody_in(&house.back(&there, ""), "no login was begun");
    let (_, others) = house.begun("");
    lets_nobody_in(&house.back(&there, &others), "another login's state");
    lets_nobody_in(&house.back(&there, "__Host-portcullis-login=bm90aGluZw"), "no login");
    lets_nobody_in(&house.back(&there, &format!("{kept}; {kept}")), "two cookies are none");
    lets_nobody_in(&house.back("https://tools.example/gate/login/back", &kept), "nothing brought");
    let twice = format!("{there}&state=x");
    lets_nobody_in(&house.back(&twice, &kept), "a name twice");
    // A code is for whoever began: another's verifier fits none.
    let (other_page, other_kept) = house.begun("");
    let other = house.provider.log_in(&other_page, &somebody);
    let code =
        |text: &str| text.split("code=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    let swapped = there.replace(&code(&there), &code(&other));
    lets_nobody_in(&house.back(&swapped, &kept), "a code of another login");
    assert_eq!(house.back(&other, &other_kept).status, 403, "a code is used once, whoever tried");
    assert_eq!(house.back(&there, &kept).status, 200);
    lets_nobody_in(&house.back(&there, &kept), "once");
    let note = house.gateway.client().get("/v1/records?kind=change", &house.gateway.person);
    assert!(note.body.contains("refused a log-in by the company's login"), "{}", note.body);
}

#[test]
fn the_page_to_log_in_at_is_told_what_only_this_login_knows() {
    let house = house("[team.step_up]\nfrom = \"critical\"\nacr = [\"gold\", \"silver\"]\n");
    let (page, kept) = house.begun("?place=inbox/1");
    let (there, query) = page.split_once('?').unwrap();
    assert_eq!(there, format!("{}/authorize", house.provider.issuer()));
    for word in [
        "response_type=code",
        "client_id=portcullis",
        "redirect_uri=https%3A%2F%2Ftools.example%2Fgate%2Flogin%2Fback",
        "scope=openid+profile",
        "code_challenge_method=S256",
        "state=",
        "nonce=",
    ] {
        assert!(query.contains(word), "{word}: {query}");
    }
    assert!(!query.contains("max_age"), "{query}");
    let (anew, _) = house.begun("?anew=1");
    assert!(anew.contains("max_age=300") && anew.contains("acr_values=gold+silver"), "{anew}");
    let set = header(&house.get("/gate/login", &[]), "set-cookie:");
    for word in ["; Path=/", "; HttpOnly", "; SameSite=Lax", "; Secure", "; Max-Age=600"] {
        assert!(set.contains(word), "{word}: {set}");
    }
    // Where somebody comes back to is a place in the page, and nothing else.
    let somebody = account("cyn", &["security"]);
    for place in ["//evil.example", "javascript:alert(1)", "%22%3E%3Cscript%3E", "a%0d%0ax"] {
        let (page, kept) = house.begun(&format!("?place={place}"));
        let back = house.back(&house.provider.log_in(&page, &somebody), &kept);
        let is_plain = back.body.contains("place\" content=\"\"")
            || place == "//evil.example"
                && back.body.contains("place\" content=\"//evil.example\"");
        assert!(back.status == 200 && is_plain, "{place}: {}", back.body);
    }
    let back = house.back(&house.provider.log_in(&page, &somebody), &kept);
    let line = back.raw.lines().find(|line| line.contains("__Host-portcullis=")).unwrap();
    for word in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Secure", "; Max-Age=28800"] {
        assert!(line.contains(word), "{word}: {line}");
    }
    let session = cookie(&back, "__host-portcullis=");
    let (_, secret) = session.split_once('=').unwrap();
    assert!(!back.body.contains(secret), "no page reads it");
}

#[test]
fn a_session_ends_and_is_worth_nothing_without_what_the_page_knows() {
    let house = house("");
    let cyn = house.enters(&account("cyn", &["security"]));
    let without = |headers: &[(&str, &str)]| house.get("/gate/v1/me", headers).status;
    assert_eq!(without(&[("cookie", &cyn.cookie)]), 403, "the cookie alone");
    let wrong = [("cookie", cyn.cookie.as_str()), ("x-portcullis-csrf", "pcls_x")];
    assert_eq!(without(&wrong), 403);
    let elsewhere = [
        ("cookie", cyn.cookie.as_str()),
        ("x-portcullis-csrf", cyn.csrf.as_str()),
        ("origin", "https://evil.example"),
    ];
    assert_eq!(without(&elsewhere), 403);
    let beside = [
        ("cookie", cyn.cookie.as_str()),
        ("x-portcullis-csrf", cyn.csrf.as_str()),
        ("sec-fetch-site", "same-site"),
    ];
    assert_eq!(without(&beside), 403);
    // Under the name that a neighbour could set, it is none.
    let plain = cyn.cookie.replace("__Host-", "");
    assert_eq!(without(&[("cookie", &plain), ("x-portcullis-csrf", &cyn.csrf)]), 401);
    // A session is no token, wherever it stands.
    let (_, secret) = cyn.cookie.split_once('=').unwrap();
    assert_eq!(house.gateway.client().get("/v1/me", secret).status, 401);
    let out = house.as_person(&cyn, "POST", "/v1/logout", &Value::Null);
    assert_eq!(out.status, 200, "{}", out.body);
    let leave = out.json()["leave"].as_str().unwrap().to_owned();
    assert!(
        leave.starts_with(&format!(
            "{}/logout?client_id=portcullis&post_logout_redirect_uri=",
            house.provider.issuer()
        )),
        "{leave}"
    );
    assert_eq!(house.as_person(&cyn, "GET", "/v1/me", &Value::Null).status, 401);
}

#[test]
fn a_proxy_may_leave_its_path_on_or_take_it_off() {
    let mut house: House = house("");
    let client = |house: &House, path: &str| house.get(path, &[]);
    let moved = client(&house, "/gate");
    assert_eq!((moved.status, location(&moved)), (308, "https://tools.example/gate/".to_owned()));
    for path in ["/gate/", "/gate/app.js", "/gate/v1/login", "/", "/app.js", "/v1/login"] {
        assert_eq!(client(&house, path).status, 200, "{path}");
    }
    for path in ["/gates/", "/gate/gate/", "/gate//"] {
        assert_eq!(client(&house, path).status, 404, "{path}");
    }
    let page = client(&house, "/gate/");
    assert!(!page.body.contains("=\"/"), "addresses of the page stand below wherever it is");
    // One that takes it off.
    house.base = "";
    let (page, kept) = house.begun("");
    let there = house.provider.log_in(&page, &account("cyn", &["security"]));
    let off = there.replace("https://tools.example/gate/", "https://tools.example/");
    assert_eq!(house.back(&off, &kept).status, 200);
    let judged = house.gateway.client().send(
        "POST",
        "/gate/v1/judge",
        &house.gateway.agents,
        &[],
        &json!({ "tool": "bash", "arguments": { "command": "ls" } }).to_string(),
    );
    assert_eq!(judged.unwrap().json()["decision"], "allow");
}

#[test]
fn a_gateway_without_such_a_login_has_no_such_page() {
    let state = tempfile::tempdir().unwrap();
    let gateway = configured(state.path(), "", &[]);
    let ways = gateway.client().get("/v1/login", "").json();
    assert_eq!((&ways["login"], &ways["tokens"]), (&json!(false), &json!(true)));
    assert_eq!(gateway.client().get("/login", "").status, 403);
    assert_eq!(gateway.client().get("/login/back?code=x&state=y", "").status, 403);
}

#[test]
fn a_team_that_cannot_be_is_said_before_anybody_is_let_in() {
    let login = "[team.login]\nissuer = \"https://login.example\"\nclient_id = \"portcullis\"\n";
    let role = "[[team.roles]]\ngroup = \"leads\"\nmay = [\"approve\"]\n";
    for (config, why) in [
        (login.to_owned(), "nobody who logs in there may do anything"),
        (role.to_owned(), "nobody has groups"),
        (format!("{login}hours = 9\n{role}"), "nobody stays logged in that long"),
        (format!("{}{role}", login.replace("https", "http")), "unencrypted"),
        (format!("{login}{role}when = \"in-hours\"\n"), "there are no office hours"),
        (format!("{login}{role}policies = [\"lax\"]\n"), "no approval policy"),
        (format!("{login}{}", role.replace("approve", "judge")), "judge"),
        (
            format!("{login}{role}[team.hours]\nfrom = \"18:00\"\nto = \"08:00\"\n"),
            "end before they begin",
        ),
        (
            format!("{login}{role}[team.hours]\nfrom = \"08:00\"\nto = \"18:00\"\nzone = \"Mars\"\n"),
            "no time zone",
        ),
        (
            "[[team.workloads]]\nissuer = \"https://token.example\"\naudience = \"x\"\nagents = [{ claims = {} }]\n".to_owned(),
            "every token of this issuer",
        ),
        (
            "[[team.workloads]]\nissuer = \"https://token.example\"\naudience = \"x\"\nagents = [{ claims = { sub = { begins = \"\" } } }]\n".to_owned(),
            "begins with nothing",
        ),
    ] {
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("team.toml");
        std::fs::write(&file, &config).unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_portcullis"))
            .args(["serve", "--listen", "127.0.0.1:0", "--config"])
            .arg(&file)
            .env("PORTCULLIS_STATE_DIR", state.path())
            .env("HOME", state.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(78), "{config}\n{said}");
        assert!(said.contains(why), "{config}\n{said}");
    }
}
