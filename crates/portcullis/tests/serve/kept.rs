//! What was kept before actions, over HTTP: who may see and bring back, what is a conflict, what stands in the record; and trials of what is
//! asked about.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::client::Gateway;

/// Makes two files in a project and deletes them as an action that something is kept before; none, and that is said, where there is no sandbox to
/// delete them in.
pub(crate) fn deleted(state: &Path, project: &Path) -> bool {
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("src/a"), "a\n").unwrap();
    fs::write(project.join("src/b"), "b\n").unwrap();
    let ended = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["sandbox", "run", "--waive", "protected", "--workspace"])
        .arg(project)
        .args(["--", "rm", "-rf", "src"])
        .env("HOME", state)
        .env("PORTCULLIS_STATE_DIR", state)
        .output()
        .unwrap();
    if !ended.status.success() {
        eprintln!("skipped: {}", String::from_utf8_lossy(&ended.stderr));
    }
    ended.status.success()
}

/// A gateway, a project beside its state, and the name of the snapshot that was taken before its `src` was deleted.
fn lost() -> Option<(tempfile::TempDir, tempfile::TempDir, Gateway, String)> {
    let (state, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = work.path().canonicalize().unwrap();
    let gateway = Gateway::start(state.path());
    if !deleted(state.path(), &project) {
        return None;
    }
    let list = gateway.client().get("/v1/snapshots", &gateway.person).json();
    let name = list["snapshots"][0]["snapshot"].as_str().unwrap().to_owned();
    Some((state, work, gateway, name))
}

fn text(work: &Path, path: &str) -> Option<String> {
    fs::read_to_string(work.join(path)).ok()
}

#[test]
fn who_decides_brings_back_and_it_stands_in_the_record_under_their_name() {
    let Some((_state, work, gateway, name)) = lost() else { return };
    let mut client = gateway.client();
    let shown = client.get(&format!("/v1/snapshots/{name}"), &gateway.person).json();
    let files = shown["files"].as_array().unwrap();
    assert!(files.iter().any(|one| one["path"] == "src/a" && one["what"] == "restored"), "{shown}");
    let undo = format!("/v1/snapshots/{name}/undo");
    // One file, then the rest.
    let part = client.post(&undo, &gateway.person, &json!({ "paths": ["src/a"] }));
    assert_eq!(part.status, 200, "{}", part.body);
    assert_eq!(text(work.path(), "src/a").as_deref(), Some("a\n"));
    assert_eq!(text(work.path(), "src/b"), None);
    let rest = client.post(&undo, &gateway.person, &json!({}));
    assert_eq!(rest.status, 200, "{}", rest.body);
    assert_eq!(rest.json()["v"], 1);
    assert_eq!(text(work.path(), "src/b").as_deref(), Some("b\n"));
    let records = client.get("/v1/records", &gateway.person);
    assert!(records.body.contains(&format!("snapshot {name}")), "{}", records.body);
    assert!(records.body.contains("\"undone\""), "{}", records.body);
}

#[test]
fn agents_neither_see_nor_bring_back_and_no_path_leads_outside() {
    let Some((_state, work, gateway, name)) = lost() else { return };
    let mut client = gateway.client();
    let undo = format!("/v1/snapshots/{name}/undo");
    for path in ["/v1/snapshots".to_owned(), format!("/v1/snapshots/{name}")] {
        assert_eq!(client.get(&path, &gateway.agents).status, 403, "{path}");
        assert_eq!(client.get(&path, "no token").status, 401, "{path}");
    }
    assert_eq!(client.post(&undo, &gateway.agents, &json!({})).status, 403);
    for paths in [json!(["../x"]), json!(["/etc/passwd"]), json!([""]), json!(["src/../../x"])] {
        let answer = client.post(&undo, &gateway.person, &json!({ "paths": paths }));
        assert!(matches!(answer.status, 400 | 422), "{paths}: {} {}", answer.status, answer.body);
    }
    let many: Vec<String> = (0..10_001).map(|number| number.to_string()).collect();
    assert_eq!(client.post(&undo, &gateway.person, &json!({ "paths": many })).status, 400);
    for other in ["00000000", "..%2f..%2fkey", "x"] {
        let answer =
            client.post(&format!("/v1/snapshots/{other}/undo"), &gateway.person, &json!({}));
        assert_eq!(answer.status, 404, "{other}: {}", answer.body);
    }
    assert_eq!(text(work.path(), "src/a"), None);
}

#[test]
fn what_changed_since_stays_until_somebody_insists() {
    let Some((_state, work, gateway, name)) = lost() else { return };
    fs::create_dir(work.path().join("src")).unwrap();
    fs::write(work.path().join("src/a"), "mine\n").unwrap();
    let mut client = gateway.client();
    let undo = format!("/v1/snapshots/{name}/undo");
    let answer = client.post(&undo, &gateway.person, &json!({})).json();
    assert!(answer["conflicts"].as_u64().unwrap() >= 1, "{answer}");
    assert_eq!(text(work.path(), "src/a").as_deref(), Some("mine\n"));
    assert_eq!(text(work.path(), "src/b").as_deref(), Some("b\n"));
    let answer = client.post(&undo, &gateway.person, &json!({ "force": true })).json();
    assert_eq!(text(work.path(), "src/a").as_deref(), Some("a\n"), "{answer}");
    // What stood there was kept before that.
    let kept = answer["kept"].as_str().unwrap();
    let back = client.post(&format!("/v1/snapshots/{kept}/undo"), &gateway.person, &json!({}));
    assert_eq!(back.status, 200, "{}", back.body);
    assert_eq!(text(work.path(), "src/a").as_deref(), Some("mine\n"));
}

#[test]
fn a_gateway_tries_what_nobody_can_know_and_tells_its_people() {
    let (state, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = home.path().canonicalize().unwrap().join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("a"), "one\n").unwrap();
    fs::create_dir_all(home.path().join(".config/portcullis")).unwrap();
    let settings = "[try]\ngates = [\"gateway\"]\ncommit = true\n";
    fs::write(home.path().join(".config/portcullis/config.toml"), settings).unwrap();
    let gateway = Gateway::at_home(home.path(), state.path(), &[]);
    let body = json!({
        "tool": "bash",
        "arguments": { "command": "echo two >> a; $NOBODY_KNOWS" },
        "cwd": project,
    });
    let answer: Value = gateway.client().post("/v1/judge", &gateway.agents, &body).json();
    assert_eq!(answer["decision"], "ask", "{answer}");
    // Nothing of it has happened, whatever came of the trial.
    assert_eq!(text(&project, "a").as_deref(), Some("one\n"));
    if answer.to_string().contains("could not be tried first") {
        return eprintln!("skipped: {answer}");
    }
    assert!(answer["reasons"].to_string().contains("changed a"), "{answer}");
    let records = gateway.client().get("/v1/records", &gateway.person);
    assert!(records.body.contains("is tried"), "{}", records.body);
}
