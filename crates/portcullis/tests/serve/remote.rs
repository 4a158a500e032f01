//! `check --gateway`: what is judged here is judged there too.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::Path,
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::{Gateway, PATIENCE};

fn check(url: &str, token: &Path, command: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["check", "--json", "--no-record", "--gateway", url, "--gateway-token"])
        .arg(token)
        .args(more)
        .arg(command)
        .env("HOME", "/nonexistent")
        .output()
        .unwrap()
}

fn said(output: &Output) -> (Option<i32>, Value) {
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!("{}", String::from_utf8_lossy(&output.stderr));
    });
    (output.status.code(), answer)
}

#[test]
fn a_person_at_the_gateway_answers_what_asks_here() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::start(state.path());
    let url = format!("http://{}", gateway.address);
    let token = state.path().join("gateway/agents-token");
    let (code, answer) = said(&check(&url, &token, "ls", &[]));
    assert_eq!((code, &answer["decision"]), (Some(0), &json!("allow")));
    let (code, _) = said(&check(&url, &token, "rm -rf /srv/data", &[]));
    assert_eq!(code, Some(3), "nobody is waited for");
    let (code, answer) = said(&check(&url, &token, "rm -rf /", &[]));
    assert_eq!((code, &answer["decision"]), (Some(2), &json!("deny")));
    for (word, expected) in [("approve", 0), ("deny", 2)] {
        thread::scope(|scope| {
            let checked =
                scope.spawn(|| check(&url, &token, "rm -rf /srv/other", &["--wait", "100"]));
            let mut person = gateway.client();
            let id = loop {
                let list = person.get("/v1/approvals?status=pending", &gateway.person).json();
                let waiting = list["approvals"].as_array().unwrap().iter().find(|one| {
                    let path = format!("/v1/approvals/{}", one["id"].as_str().unwrap());
                    let whole = gateway.client().get(&path, &gateway.person);
                    whole.body.contains("/srv/other")
                });
                if let Some(one) = waiting {
                    break one["id"].as_str().unwrap().to_owned();
                }
            };
            let decision = json!({ "decision": word, "reason": "seen" });
            person.post(&format!("/v1/approvals/{id}/decision"), &gateway.person, &decision);
            let (code, answer) = said(&checked.join().unwrap());
            assert_eq!(code, Some(expected), "{answer}");
            assert_eq!(answer["layer"], "person");
            assert!(answer["reasons"][0].as_str().unwrap().contains("seen"), "{answer}");
        });
    }
}

#[test]
fn a_gateway_that_is_lost_or_strange_is_a_no() {
    let state = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::start(state.path());
    let url = format!("http://{}", gateway.address);
    let tokens = state.path().join("gateway");
    // A token that may not ask.
    let readers = gateway.token("readers", &["read"]);
    let file = state.path().join("readers-token");
    std::fs::write(&file, readers).unwrap();
    let (code, answer) = said(&check(&url, &file, "ls", &[]));
    assert_eq!(code, Some(2), "{answer}");
    assert!(answer["reasons"][0].as_str().unwrap().contains("403"), "{answer}");
    gateway.kill();
    let (code, answer) = said(&check(&url, &tokens.join("agents-token"), "ls", &[]));
    assert_eq!((code, &answer["decision"]), (Some(2), &json!("deny")));
    assert!(answer["reasons"][0].as_str().unwrap().contains("cannot be asked"), "{answer}");
    let missing = check(&url, &tokens.join("none"), "ls", &[]);
    assert_eq!(missing.status.code(), Some(78));
    let plain = check("http://gate.example:4180", &tokens.join("agents-token"), "ls", &[]);
    assert_eq!(plain.status.code(), Some(78));
    let said = String::from_utf8_lossy(&plain.stderr).into_owned();
    assert!(said.contains("unencrypted"), "{said}");
}

#[test]
fn a_wait_outlives_a_gateway_that_is_started_anew() {
    let state = tempfile::tempdir().unwrap();
    for killed in [true, false] {
        let mut gateway = Gateway::start(state.path());
        let address = gateway.address.to_string();
        let url = format!("http://{address}");
        let token = state.path().join("gateway/agents-token");
        let pending = |gateway: &Gateway| {
            gateway.client().get("/v1/approvals?status=pending", &gateway.person).json()
        };
        thread::scope(|scope| {
            let checked =
                scope.spawn(|| check(&url, &token, "rm -rf /srv/data", &["--wait", "100"]));
            let until = Instant::now() + PATIENCE;
            while pending(&gateway)["pending"] == 0 {
                assert!(Instant::now() < until, "nothing was asked");
                thread::sleep(Duration::from_millis(20));
            }
            if killed {
                gateway.kill();
            } else {
                gateway.end();
            }
            thread::sleep(Duration::from_secs(1));
            let again = Gateway::with(state.path(), &["--listen", &address]);
            let list = pending(&again);
            let id = list["approvals"][0]["id"].as_str().unwrap().to_owned();
            // It waits again before anybody answers, and asked nothing anew.
            thread::sleep(Duration::from_millis(800));
            assert_eq!(pending(&again)["pending"], 1);
            let word = json!({ "decision": "approve", "reason": "seen" });
            let path = format!("/v1/approvals/{id}/decision");
            assert_eq!(again.client().post(&path, &again.person, &word).status, 200);
            let (code, answer) = said(&checked.join().unwrap());
            assert_eq!(code, Some(0), "{answer}");
            let reasons: Vec<&str> =
                answer["reasons"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let mut once = reasons.clone();
            once.dedup();
            assert_eq!(reasons, once);
        });
    }
}

#[test]
fn a_policy_there_that_lets_go_on_what_waits_is_nobodys_yes_here() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::start(state.path());
    let url = format!("http://{}", gateway.address);
    let token = state.path().join("gateway/agents-token");
    thread::scope(|scope| {
        let checked = scope.spawn(|| check(&url, &token, "rm -rf /srv/data", &["--wait", "100"]));
        let mut person = gateway.client();
        let until = Instant::now() + PATIENCE;
        while person.get("/v1/approvals?status=pending", &gateway.person).json()["pending"] == 0 {
            assert!(Instant::now() < until, "nothing was asked");
            thread::sleep(Duration::from_millis(20));
        }
        let policy = json!({ "approval_policy": "auto_approve" }).to_string();
        let set = person.send("PUT", "/v1/policy/approval", &gateway.person, &[], &policy).unwrap();
        assert_eq!(set.status, 202, "{}", set.body);
        // Its own request is one more that waits, and is agreed to as such.
        let set = set.json();
        let path = format!("/v1/approvals/{}/decision", set["approval"]["id"].as_str().unwrap());
        let agreed = person.post(&path, &gateway.person, &json!({ "decision": "approve" }));
        assert_eq!(agreed.status, 200, "{}", agreed.body);
        let (code, answer) = said(&checked.join().unwrap());
        assert_eq!((code, &answer["decision"]), (Some(3), &json!("ask")), "{answer}");
    });
}

#[test]
fn an_answer_about_another_action_is_none() {
    let state = tempfile::tempdir().unwrap();
    let token = state.path().join("token");
    std::fs::write(&token, "pcls_x").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap() > 2 {
            line.clear();
        }
        let body =
            json!({ "decision": "allow", "layer": "person", "action": "sha256:0", "reasons": [] });
        let body = body.to_string();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(head.as_bytes()).unwrap();
    });
    let (code, answer) = said(&check(&url, &token, "rm -rf /srv/data", &["--wait", "1"]));
    served.join().unwrap();
    assert_eq!(code, Some(2));
    assert!(answer["reasons"][0].as_str().unwrap().contains("another action"), "{answer}");
}

#[test]
fn a_webhook_is_told_of_what_asks_and_of_nothing_else() {
    let state = tempfile::tempdir().unwrap();
    let secret = state.path().join("secret");
    std::fs::write(&secret, "k\n").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("slack+http://{}/hook", listener.local_addr().unwrap());
    let options = ["--webhook", &url, "--webhook-secret", secret.to_str().unwrap()];
    let gateway = Gateway::with(state.path(), &options);
    assert_eq!(gateway.client().judge(&gateway.agents, "ls").status, 200);
    assert_eq!(gateway.client().judge(&gateway.agents, "rm -rf /srv/data").status, 200);
    let (mut stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap() > 2 {}
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok()
    });
    let mut body = vec![0; length.unwrap()];
    std::io::Read::read_exact(&mut reader, &mut body).unwrap();
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
    assert!(head.to_ascii_lowercase().contains("x-portcullis-signature: t="), "{head}");
    let told: Value = serde_json::from_slice(&body).unwrap();
    let text = told["text"].as_str().unwrap();
    assert!(text.contains("rm -rf /srv/data"), "{text}");
    assert!(text.contains(&format!("Decide at http://{}/", gateway.address)), "{text}");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "what may go on is nobody's business");
}

#[expect(dead_code, reason = "these tests use a part of it")]
#[path = "../../examples/scripted/mod.rs"]
mod scripted;

/// An agent where nobody sits: its questions wait at the gateway, across restarts of either, and what is answered there holds here, once.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_nobody_sits_at_is_answered_at_the_gateway() {
    use portcullis::guardian::Provider;
    use scripted::{Say, Scripted};

    let state = tempfile::tempdir().unwrap();
    let (home, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let gateway = Gateway::start(state.path());
    let token = state.path().join("gateway/agents-token");
    let create = |path: &str| {
        ("create_file".to_owned(), json!({"path": path, "content": path, "security_risk": "LOW"}))
    };
    let server = Scripted::start(
        Provider::OpenAi,
        vec![
            Say::Both("I write two.".to_owned(), vec![create("yes"), create("no")]),
            Say::Calls(vec![("finish".to_owned(), json!({"message": "done"}))]),
        ],
    )
    .unwrap();
    let start = |url: &str, more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_portcullis"))
            .args(["run", "--headless", "--gateway", url, "--gateway-token"])
            .arg(&token)
            .args(["--provider", "openai", "--model", "m", "--base-url", &server.url()])
            .arg("--workspace")
            .arg(work.path())
            .args(more)
            .env_clear()
            .env("HOME", home.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let url = format!("http://{}", gateway.address);
    // What asks at the gateway, as soon as something does.
    let waiting = || loop {
        let list = gateway.client().get("/v1/approvals?status=pending", &gateway.person).json();
        if let Some(one) = list["approvals"].as_array().unwrap().first() {
            break one["id"].as_str().unwrap().to_owned();
        }
        thread::sleep(Duration::from_millis(20));
    };
    let mut run = start(&url, &["write"]);
    let first = waiting();
    // It is killed while it waits; the question stays what it is.
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(!work.path().join("yes").exists());
    let listed = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["conversation", "list", "--json"])
        .env_clear()
        .env("HOME", home.path())
        .output()
        .unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let id = listed["conversations"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(listed["conversations"][0]["status"], "waiting_for_confirmation");
    let run = start(&url, &["--resume", &id]);
    assert_eq!(waiting(), first, "it is asked once");
    let decide = |id: &str, word: &str, reason: &str| {
        let decision = json!({ "decision": word, "reason": reason });
        let path = format!("/v1/approvals/{id}/decision");
        gateway.client().post(&path, &gateway.person, &decision).status
    };
    assert_eq!(decide(&first, "approve", "go on"), 200);
    assert_eq!(decide(&waiting(), "deny", "one is enough"), 200);
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_to_string(work.path().join("yes")).unwrap(), "yes");
    assert!(!work.path().join("no").exists(), "{said}");
    assert!(said.contains("one is enough"), "{said}");
    assert!(server.asked().last().unwrap().to_string().contains("one is enough"));
    let list = gateway.client().get("/v1/approvals", &gateway.person).json();
    assert_eq!(list["approvals"].as_array().unwrap().len(), 2, "{list}");
}
