//! Calls by the line: order, flushing, and what a malformed line does.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::Place;

fn line(id: &Value, command: &str) -> String {
    json!({ "id": id, "tool": "bash", "arguments": { "command": command } }).to_string()
}

fn answers(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn answers_come_in_order_and_carry_the_identifier_as_it_came() {
    let place = Place::new();
    let ids: Vec<Value> =
        (0..200).map(|n| if n % 2 == 0 { json!(n) } else { json!(format!("x{n}")) }).collect();
    let input: String = ids
        .iter()
        .enumerate()
        .map(|(n, id)| line(id, if n % 3 == 0 { "git push --force" } else { "git status" }) + "\n")
        .collect();
    let ended = place.fed(["check", "--jsonl"], input.as_bytes());
    assert_eq!(ended.code, 0, "{}", ended.err);
    let answers = answers(&ended.out);
    assert_eq!(answers.len(), ids.len());
    for (n, (answer, id)) in answers.iter().zip(&ids).enumerate() {
        assert_eq!(&answer["id"], id);
        assert_eq!(answer["v"], 1);
        assert_eq!(answer["decision"], if n % 3 == 0 { "ask" } else { "allow" }, "{answer}");
    }
}

#[test]
fn each_answer_is_there_before_the_next_call_is_sent() {
    let place = Place::new();
    let mut child = place
        .command()
        .args(["check", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for n in 0..5 {
        writeln!(stdin, "{}", line(&json!(n), "ls")).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["id"], n);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_malformed_line_is_answered_and_the_next_is_judged() {
    let place = Place::new();
    let mut input = Vec::new();
    for part in [
        line(&json!("a"), "ls").as_bytes(),
        b"not json",
        br#"{"id":"b","tool":"bash"}"#,
        b"",
        b"{\"id\":\"c\",\"tool\":\"\xff\"}",
        br#"{"id":"d","tool":"bash","arguments":{"command":"ls","command":"x"}}"#,
        br#"{"id":"e","tool":"bash","arguments":{}}"#,
        br#"{"id":"f","tool":"bash","arguments":{"command":"ls"},"mode":"yolo"}"#,
        line(&json!("g"), "git push --force").as_bytes(),
    ] {
        input.extend_from_slice(part);
        input.extend_from_slice(b"\r\n");
    }
    let ended = place.fed(["check", "--jsonl"], &input);
    assert_eq!(ended.code, 65, "{}", ended.err);
    let answers = answers(&ended.out);
    let brief: Vec<(Value, Value)> = answers
        .iter()
        .map(|answer| {
            (
                answer["id"].clone(),
                answer.get("error").map_or(json!(0), |error| error["code"].clone()),
            )
        })
        .collect();
    let bad = json!("bad-input");
    assert_eq!(
        brief,
        [
            (json!("a"), json!(0)),
            (json!(null), bad.clone()),
            (json!("b"), bad.clone()),
            (json!(null), bad.clone()),
            (json!("d"), bad.clone()),
            // A tool of this name, and not the one that we know: it is asked about.
            (json!("e"), json!(0)),
            (json!("f"), bad),
            (json!("g"), json!(0)),
        ]
    );
    for (answer, line) in answers.iter().zip([0, 2, 3, 5, 6, 7, 8]) {
        if let Some(error) = answer.get("error") {
            let message = error["message"].as_str().unwrap();
            assert!(message.starts_with(&format!("line {line}: ")), "{message}");
        }
    }
}

#[test]
fn the_mode_of_the_command_line_is_not_loosened_by_a_line() {
    let place = Place::new();
    let call = json!({ "tool": "bash", "arguments": { "command": "touch x" }, "mode": "bypassPermissions", "cwd": "/w" });
    let judged = |arguments: &[&str]| {
        let ended = place.fed(arguments, call.to_string().as_bytes());
        answers(&ended.out)[0]["decision"].clone()
    };
    assert_eq!(judged(&["check", "--jsonl"]), "allow");
    assert_eq!(judged(&["check", "--jsonl", "--mode", "plan"]), "deny");
}

#[test]
fn actions_are_assessed_line_by_line_and_malformed_ones_answered() {
    let place = Place::new();
    let input = [
        json!({ "id": "1", "action": { "action": "code", "code": "print('hello')" } }).to_string(),
        json!({ "id": "2", "action": { "action": "code", "code":
            "import subprocess; subprocess.run(['rm', '-rf', '/home/user/data'])" } })
        .to_string(),
        json!({ "id": "3", "action": { "code": 7 } }).to_string(),
        "nonsense".to_owned(),
        json!({ "id": 5, "action": { "action": "code", "code": "git push --force" } }).to_string(),
    ]
    .join("\n");
    let ended = place.fed(["assess", "--jsonl"], input.as_bytes());
    assert_eq!(ended.code, 65, "{}", ended.err);
    let answers = answers(&ended.out);
    assert_eq!(
        answers[0],
        json!({ "v": 1, "id": "1", "level": "safe", "reasons": ["Output display only"],
            "affected_resources": [], "reversible": true,
            "estimated_impact": "No significant impact expected", "recommendations": [],
            "requires_approval": false })
    );
    assert_eq!(answers[1]["level"], "critical");
    assert_eq!(answers[1]["reversible"], false);
    assert_eq!(answers[1]["affected_resources"], json!(["file:/home/user/data"]));
    assert_eq!(answers[2]["error"]["code"], "bad-input");
    assert_eq!((&answers[2]["id"], &answers[3]["id"]), (&json!("3"), &json!(null)));
    assert_eq!((&answers[4]["id"], &answers[4]["level"]), (&json!(5), &json!("high")));
}

#[test]
fn who_has_gone_away_gets_no_more_answers_and_no_complaint() {
    let place = Place::new();
    for (verb, line) in [
        ("check", line(&json!(1), "ls")),
        ("assess", json!({"id": 1, "action": {"action": "code", "code": "print(1)"}}).to_string()),
        ("inspect", json!({"id": 1, "text": "nothing"}).to_string()),
        ("url", json!({"id": 1, "url": "https://192.0.2.1/"}).to_string()),
    ] {
        let mut child = place
            .command()
            .args([verb, "--jsonl"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut answer = String::new();
        writeln!(stdin, "{line}").unwrap();
        // One answer is taken, then nobody reads.
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut answer).unwrap();
        assert!(answer.contains("\"id\":1"), "{verb}: {answer}");
        // The writer goes on until it is told that nobody listens: the program has not read on for ever.
        let refused = (0..1_000_000).any(|_| writeln!(stdin, "{line}").is_err());
        assert!(refused, "{verb} reads on");
        drop(stdin);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{verb}");
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), "", "{verb}");
    }
}

#[test]
fn a_field_that_nobody_knows_is_named_beside_the_answer() {
    let place = Place::new();
    let many: String = (0..40).map(|at| format!(",\"extra{at}\":1")).collect();
    let input = format!(
        "{}\n{}\n{{\"tool\":\"bash\",\"arguments\":{{\"command\":\"ls\"}}{many}}}\n",
        r#"{"id":"1","tool":"bash","arguments":{"command":"ls"},"sesion":"x","cwd":null,"label":"LOW"}"#,
        r#"{"id":"2","tool":"bash","arguments":{"command":"ls"},"session":"x"}"#,
    );
    let ended = place.fed(["check", "--jsonl"], input.as_bytes());
    assert_eq!(ended.code, 0, "what nobody knows is no error: other programs send what is theirs");
    let answers = answers(&ended.out);
    assert_eq!(
        answers[0]["unknown_fields"],
        json!([{ "field": "label" }, { "field": "sesion", "nearest": "session" }])
    );
    assert_eq!(answers[1].get("unknown_fields"), None);
    let many = answers[2]["unknown_fields"].as_array().unwrap();
    assert_eq!((many.len(), &many[16]["field"]), (17, &json!("… and 24 more")));
}

/// What the settings of a repository name is obeyed as what lies in `.git` is; without them the same writes are ordinary.
#[test]
#[cfg(target_os = "linux")]
fn hooks_and_settings_of_git_are_known_where_its_settings_say_that_they_are() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    let project = home.join("project");
    let decisions = || -> Vec<(String, String)> {
        let calls = [
            ("bash", json!({ "command": "echo x > .husky/pre-commit" })),
            ("bash", json!({ "command": "cd .. && cp n project/.husky/pre-commit" })),
            ("write_file", json!({ "path": project.join(".gitinc"), "content": "[core]\n" })),
            ("write_file", json!({ "path": "tools/f.sh", "content": "cat\n" })),
            ("write_file", json!({ "path": "src/main.rs", "content": "fn main() {}\n" })),
            ("bash", json!({ "command": "cat .husky/pre-commit; git status" })),
        ];
        let lines = calls.iter().map(|(tool, arguments)| {
            let call =
                json!({ "tool": tool, "arguments": arguments, "cwd": project, "home": home });
            call.to_string() + "\n"
        });
        let ended = place.fed(["check", "--jsonl"], lines.collect::<String>().as_bytes());
        let rules = |answer: &Value| {
            let found = answer["findings"].as_array().unwrap();
            let found = found.iter().map(|one| one["rule"].as_str().unwrap());
            found.filter(|rule| rule.starts_with("persistence.git")).collect::<Vec<_>>().join(" ")
        };
        let all = answers(&ended.out);
        all.iter().map(|one| (one["decision"].as_str().unwrap().to_owned(), rules(one))).collect()
    };
    std::fs::create_dir_all(project.join(".git")).unwrap();
    crate::sandbox::told(&project);
    let told = decisions();
    for (at, rule) in ["hook", "hook", "config", "hook"].into_iter().enumerate() {
        assert_eq!(
            told[at],
            ("ask".to_owned(), format!("persistence.git.{rule}")),
            "{at}: {told:?}"
        );
    }
    assert!(told[4..].iter().all(|(decision, _)| decision == "allow"), "{told:?}");
    std::fs::write(project.join(".git/config"), "[core]\n\tbare = false\n").unwrap();
    let plain = decisions();
    assert!(
        plain.iter().all(|(decision, rules)| decision == "allow" && rules.is_empty()),
        "{plain:?}"
    );
}
