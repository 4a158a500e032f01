//! The program as it is run: its answers, its exit codes, and what stands in its record.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use portcullis::guardian::Provider;
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::server::{JSON, Say, Server, envelope, http, json_answer, review};

/// A home with a configuration that names a server, and the server.
struct Place {
    home: TempDir,
    server: Server,
    /// Where the server runs.
    _runtime: Runtime,
}

impl Place {
    fn new(settings: &str, script: impl Fn(&str, usize) -> Say + Send + Sync + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let server = runtime.block_on(Server::new(script));
        let home = TempDir::new().unwrap();
        let directory = home.path().join(".config/portcullis");
        fs::create_dir_all(&directory).unwrap();
        let text = format!(
            "mode = \"default\"\n[guardian]\nprovider = \"openai\"\nbase_url = \"{}\"\nmodel = \"a-model\"\n\
             api_key_env = \"REVIEWER_KEY\"\n{settings}\n",
            server.url()
        );
        fs::write(directory.join("config.toml"), text).unwrap();
        Self { home, server, _runtime: runtime }
    }

    fn run(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let home = self.home.path();
        let mut child = Command::new(env!("CARGO_BIN_EXE_portcullis"))
            .args(arguments)
            .env_clear()
            .env("HOME", home)
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("REVIEWER_KEY", "sk-a-key-for-tests")
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (ended.status.code().unwrap(), text(ended.stdout), text(ended.stderr))
    }

    fn records(&self) -> Vec<Value> {
        let (code, out, err) = self.run(&["audit", "list", "--json"], "");
        assert_eq!(code, 0, "{err}");
        let listed: Value = serde_json::from_str(&out).unwrap();
        listed["records"].as_array().unwrap().clone()
    }
}

const MAY: &str =
    "may_approve = { max_risk = \"medium\", classes = [\"edit\", \"execute\", \"network\"] }";

fn saying(text: &str) -> Say {
    Say::Bytes(json_answer(&envelope(Provider::OpenAi, text)))
}

/// Whoever is asked about the proof that does harm says so.
fn sensible(body: &str, _: usize) -> Say {
    let harmful = body.contains(".ssh") || body.contains("force");
    saying(&review(if harmful { 97.0 } else { 12.5 }))
}

#[test]
fn an_ask_is_answered_and_both_are_in_the_record() {
    let place = Place::new(MAY, sensible);
    let (code, out, err) = place.run(&["check", "--guardian", "npm install left-pad"], "");
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("the reviewer scores it 12.5, which counts as 40: in its own words"),
        "{out}"
    );
    let (code, out, _) = place.run(&["check", "--guardian", "--json", "npm install left-pad"], "");
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &answer["decision"], &answer["layer"]),
        (0, &"allow".into(), &"guardian".into())
    );
    assert_eq!(answer["guardian"]["riskScore"], 12.5);
    assert_eq!(answer["guardian"]["input_tokens"], 900);
    // Without the option nobody is asked, and what the reviewer may not approve is not sent.
    assert_eq!(place.run(&["check", "npm install left-pad"], "").0, 3);
    assert_eq!(place.run(&["check", "--guardian", "git push --force"], "").0, 3);
    assert_eq!(place.server.requests().len(), 2);
    let records = place.records();
    let brief: Vec<(&str, &str)> = records
        .iter()
        .map(|record| (record["kind"].as_str().unwrap(), record["decision"].as_str().unwrap()))
        .collect();
    assert_eq!(
        brief,
        [
            ("decision", "ask"),
            ("answer", "allow"),
            ("decision", "ask"),
            ("answer", "allow"),
            ("decision", "ask"),
            ("decision", "ask")
        ]
    );
    let review = &records[1];
    assert_eq!(review["refers_to"], 1);
    assert_eq!(review["approver"], "guardian a-model");
    assert_eq!(review["outcome"], "approved");
    let particulars: Value = serde_json::from_str(review["preview"].as_str().unwrap()).unwrap();
    assert_eq!(particulars["model"], "a-model");
    assert_eq!((&particulars["score"], &particulars["counted"]), (&12.5.into(), &40.0.into()));
    assert_eq!((&particulars["attempts"], &particulars["input_tokens"]), (&1.into(), &900.into()));
    for hash in ["prompt", "reply"] {
        assert_eq!(particulars[hash].as_str().unwrap().len(), 64, "{particulars}");
    }
    let (code, out, _) = place.run(&["audit", "verify"], "");
    assert_eq!(code, 0, "{out}");
    // The key is nowhere but in its header.
    let kept = walk(place.home.path());
    assert!(!kept.is_empty());
    assert!(kept.iter().all(|bytes| !contains(bytes, b"sk-a-key-for-tests")));
}

fn walk(directory: &Path) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(walk(&path));
        } else {
            all.push(fs::read(&path).unwrap());
        }
    }
    all
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn an_error_denies_or_asks_and_is_recorded_by_its_name() {
    for (settings, code, options) in [
        ("", 2, &[][..]),
        ("on_error = \"ask\"", 3, &[]),
        ("on_error = \"ask\"", 2, &["--headless"]),
    ] {
        let place = Place::new(&format!("{MAY}\n{settings}"), |_, _| {
            Say::Bytes(http(401, &[JSON], b"{\"error\":\"sk-a-key-for-tests is not a key\"}"))
        });
        let arguments =
            [&["check", "--guardian", "--json"], options, &["npm install left-pad"]].concat();
        let (found, out, _) = place.run(&arguments, "");
        assert_eq!(found, code, "{out}");
        let answer: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(answer["guardian"]["error"], "unauthorised");
        assert!(!out.contains("sk-a-key"), "{out}");
        assert_eq!(place.records()[1]["outcome"], "failed: unauthorised");
    }
}

#[test]
fn nobody_to_ask_makes_an_ask_a_denial_and_never_an_allow() {
    let place = Place::new(MAY, |_, _| saying(&review(85.0)));
    assert_eq!(place.run(&["check", "--guardian", "npm install left-pad"], "").0, 3);
    assert_eq!(place.run(&["check", "--guardian", "--headless", "npm install left-pad"], "").0, 2);
    assert_eq!(place.run(&["check", "--headless", "npm install left-pad"], "").0, 2);
    // What the reviewer may not approve is not sent, and denied all the same.
    let before = place.server.requests().len();
    assert_eq!(place.run(&["check", "--guardian", "--headless", "git push --force"], "").0, 2);
    assert_eq!(place.server.requests().len(), before);
    assert_eq!(place.run(&["check", "--guardian", "--headless", "ls"], "").0, 0);
}

#[test]
fn lines_are_reviewed_one_after_the_other_within_one_session() {
    let place = Place::new(MAY, |_, _| saying(&review(95.0)));
    let line = |number: usize| {
        format!(
            "{{\"id\":{number},\"tool\":\"bash\",\"arguments\":{{\"command\":\"npm install x@{number}\"}}}}\n"
        )
    };
    let input: String = (0..6).map(line).collect();
    let (code, out, _) = place.run(&["check", "--guardian", "--jsonl"], &input);
    assert_eq!(code, 0, "{out}");
    let verdicts: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["decision"].clone())
        .collect();
    // Three denials in a row, and a person has to look.
    assert_eq!(verdicts, ["deny", "deny", "deny", "ask", "ask", "ask"]);
    assert_eq!(place.server.requests().len(), 3);
}

#[test]
fn the_conversation_and_recent_files_are_shown_as_evidence_and_redacted() {
    let place = Place::new(MAY, sensible);
    let call = r#"{"tool":"bash","arguments":{"command":"npm install left-pad"},
        "recent_files":["src/pad.js"],"transcript":[{"origin":"person","text":"pad the table"},
        {"origin":"tool","text":"password=correct-horse-9"}]}"#;
    let (code, out, err) = place.run(&["check", "--guardian", "--call", call], "");
    assert_eq!(code, 0, "{out}{err}");
    let [request] = &place.server.requests()[..] else { panic!("one request") };
    assert!(request.contains("src/pad.js") && request.contains("pad the table"), "{request}");
    assert!(!request.contains("correct-horse"), "{request}");
}

#[test]
fn a_configuration_is_proved_end_to_end() {
    let place = Place::new(&format!("{MAY}\nprice = {{ input = 2.0, output = 8.0 }}"), sensible);
    let (code, out, err) = place.run(&["guardian", "test"], "");
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("score     12.5, as it should be"), "{out}");
    assert!(out.contains("score     97, as it should be"), "{out}");
    assert!(
        out.contains("900 tokens in, 40 out") && out.contains("cost      0.004240 for both"),
        "{out}"
    );
    assert!(out.ends_with("the reviewer works\n"), "{out}");
    let (_, out, _) = place.run(&["guardian", "test", "--json"], "");
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["works"], true);
    assert_eq!(answer["reviews"][1]["riskScore"], 97.0);

    let gullible = Place::new(MAY, |_, _| saying(&review(0.0)));
    let (code, out, _) = gullible.run(&["guardian", "test"], "");
    assert_eq!(code, 2, "{out}");
    assert!(out.contains("score     0, NOT as it should be"), "{out}");

    let broken = Place::new(MAY, |_, _| Say::Bytes(http(404, &[JSON], b"{}")));
    let (code, out, _) = broken.run(&["guardian", "test"], "");
    assert_eq!(code, 70, "{out}");
    assert!(out.contains("the service answered with the status 404"), "{out}");
}

#[test]
fn a_reviewer_that_is_not_set_up_is_a_mistake_of_the_configuration() {
    let place = Place::new(MAY, sensible);
    let file = place.home.path().join(".config/portcullis/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    for (change, message) in [
        (
            text.replace("REVIEWER_KEY", "ANOTHER_KEY"),
            "the variable `ANOTHER_KEY` with the reviewer's key is not set",
        ),
        (String::new(), "there is no reviewing model"),
        (text.replace(MAY, ""), "may approve nothing"),
        (
            text.replace("\"medium\"", "\"critical\""),
            "what is critical is never approved by a model",
        ),
        (
            format!("{text}\napprove_below = 95\ndeny_at = 90"),
            "`deny_at` must not be below `approve_below`",
        ),
        (format!("{text}\napprove_below = 0"), "`approve_below` must be a number above 0"),
        (format!("{text}\ntimeout = 0"), "`timeout` must be from 1 to 300"),
        (
            format!("{text}\nheaders = {{ Authorization = \"x\" }}"),
            "the header `Authorization` is not one of yours",
        ),
        (format!("{text}\napi_key_file = \"/x\""), "there are two places for one key"),
        (
            text.replace("http://127.0.0.1", "http://models.example"),
            "what leaves this machine must be encrypted",
        ),
        (text.replace("http://127.0.0.1", "http://a:b@127.0.0.1"), "the base URL cannot be used"),
    ] {
        fs::write(&file, change).unwrap();
        let (code, out, err) = place.run(&["check", "--guardian", "npm install left-pad"], "");
        assert_eq!(code, 78, "{message}: {out}{err}");
        assert!(err.contains(message), "{message}: {err}");
    }
    assert!(place.server.requests().is_empty());
}

#[test]
fn a_project_has_no_say_in_who_reviews() {
    let place = Place::new(MAY, sensible);
    let project = place.home.path().join(".portcullis.toml");
    let text = format!(
        "[guardian]\nprovider = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\n{MAY}\n",
        place.server.url()
    );
    fs::write(project, text).unwrap();
    let (code, _, err) = place.run(&["policy", "check", ".portcullis.toml"], "");
    assert_eq!(code, 78, "{err}");
    assert!(err.contains("a project has no say in who reviews"), "{err}");
    let (code, out, _) = place.run(&["check", "--guardian", "npm install left-pad"], "");
    assert_eq!(code, 2, "{out}");
    assert!(place.server.requests().is_empty());
}

#[test]
fn the_security_policy_is_the_built_in_one_one_of_ones_own_or_none() {
    let place = Place::new(MAY, sensible);
    let (code, out, _) = place.run(&["policy", "template"], "");
    assert_eq!(code, 0);
    assert!(
        out.contains("The permission mode is default.") && out.contains("another model"),
        "{out}"
    );
    let own = place.home.path().join("own.j2");
    fs::write(&own, "Mode: {{ mode }}\n").unwrap();
    let own = own.to_str().unwrap();
    assert_eq!(place.run(&["policy", "template", own], "").1, "Mode: default\n");
    let file = place.home.path().join(".config/portcullis/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    let set =
        |value: &str| fs::write(&file, format!("security_policy = \"{value}\"\n{text}")).unwrap();
    set(own);
    assert_eq!(place.run(&["policy", "template"], "").1, "Mode: default\n");
    set("");
    assert_eq!(place.run(&["policy", "template"], "").1, "");
    fs::write(own, "").unwrap();
    set(own);
    assert_eq!(place.run(&["policy", "template"], "").1, "");
    fs::write(own, "a\n{{ mod }}\n").unwrap();
    let (code, _, err) = place.run(&["policy", "template"], "");
    assert_eq!(code, 78);
    assert!(err.contains("line 2: undefined value"), "{err}");
    set("relative.j2");
    assert_eq!(place.run(&["policy", "template"], "").0, 78);
}
