//! Hooks with a gateway: its people answer what asks, for exactly that call, and a gateway that is lost is a no.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::{Gateway, PATIENCE};

/// A user whose configuration names a gateway.
struct Machine {
    home: tempfile::TempDir,
}

impl Machine {
    fn new(url: &str, token: &Path) -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/portcullis");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("config.toml");
        fs::write(&file, format!("[gateway]\nurl = '{url}'\ntoken = '{}'\n", token.display()))
            .unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        Self { home }
    }

    /// What an agent is answered, and why. A machine that stands still for as long as a hook may take is asked again.
    fn hook(&self, agent: &str, wait: &str, command: &str) -> (String, String) {
        let until = Instant::now() + PATIENCE;
        loop {
            let (decision, reason) = self.answered(agent, wait, command);
            if !reason.contains("could not judge in") || Instant::now() > until {
                return (decision, reason);
            }
        }
    }

    fn answered(&self, agent: &str, wait: &str, command: &str) -> (String, String) {
        let payload = match agent {
            "gemini" => json!({
                "hook_event_name": "BeforeTool", "session_id": "s", "cwd": "/work",
                // Each call has its own, as the agent sends it: the same once more is the same call.
                "transcript_path": "/t", "timestamp": jiff::Timestamp::now().to_string(),
                "tool_name": "run_shell_command", "tool_input": { "command": command },
            }),
            _ => json!({
                "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/work",
                "transcript_path": "/t", "permission_mode": "default",
                "tool_name": "Bash", "tool_input": { "command": command },
            }),
        };
        let mut process = Command::new(env!("CARGO_BIN_EXE_portcullis"))
            .args(["hook", agent, "--wait", wait])
            .env_clear()
            .env("HOME", self.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        process.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = |pointer: &str| said.pointer(pointer).and_then(Value::as_str);
        let decision = text("/hookSpecificOutput/permissionDecision").or_else(|| text("/decision"));
        let reason =
            text("/hookSpecificOutput/permissionDecisionReason").or_else(|| text("/reason"));
        (decision.unwrap_or("silent").to_owned(), reason.unwrap_or_default().to_owned())
    }
}

/// Decides what waits as soon as something does, and gives how many requests there were.
fn decide(gateway: &Gateway, word: &str) -> usize {
    let mut person = gateway.client();
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        let list = person.get("/v1/approvals?status=pending", &gateway.person).json();
        let waiting = list["approvals"].as_array().unwrap();
        if let Some(one) = waiting.first() {
            let path = format!("/v1/approvals/{}/decision", one["id"].as_str().unwrap());
            let decision = json!({ "decision": word, "reason": "as agreed" });
            assert_eq!(person.post(&path, &gateway.person, &decision).status, 200);
            return waiting.len();
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("nothing was asked");
}

#[test]
fn a_person_at_the_gateway_answers_for_an_agent_that_waits() {
    let state = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::start(state.path());
    let token = state.path().join("gateway/agents-token");
    let machine = Machine::new(&format!("http://{}", gateway.address), &token);
    assert_eq!(machine.hook("claude", "100", "ls"), ("silent".to_owned(), String::new()));
    let (decision, reason) = machine.hook("claude", "100", "rm -rf /");
    assert_eq!(decision, "deny", "what is denied here is asked nowhere: {reason}");
    for (word, expected) in [("approve", "allow"), ("deny", "deny")] {
        let (decision, reason) = thread::scope(|scope| {
            let hook = scope.spawn(|| machine.hook("claude", "100", "rm -rf /srv/data"));
            decide(&gateway, word);
            hook.join().unwrap()
        });
        assert_eq!(decision, expected, "{reason}");
        assert!(reason.contains("as agreed"), "{reason}");
    }
    gateway.kill();
    let (decision, reason) = machine.hook("claude", "100", "ls");
    assert_eq!(decision, "deny");
    assert!(reason.contains("the gateway cannot be asked"), "{reason}");
}

#[test]
fn an_agent_that_comes_again_takes_up_what_was_approved_once() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::start(state.path());
    let token = state.path().join("gateway/agents-token");
    let machine = Machine::new(&format!("http://{}", gateway.address), &token);
    let place = format!("a person decides at http://{}", gateway.address);
    let until = Instant::now() + PATIENCE;
    let mut told = 0;
    while told < 2 {
        let (decision, reason) = machine.hook("gemini", "3", "rm -rf /srv/data");
        assert_eq!(decision, "deny", "{reason}");
        told += usize::from(reason.contains(&place));
        // A busy machine may be too slow for the few seconds that an agent waits.
        assert!(Instant::now() < until, "nobody said where a person decides: {reason}");
    }
    assert_eq!(decide(&gateway, "approve"), 1, "the same is asked once");
    let (other, _) = machine.hook("gemini", "3", "rm -rf /srv/data /srv/more");
    assert_eq!(other, "deny", "another call is another question");
    let (decision, reason) = machine.hook("gemini", "100", "rm -rf /srv/data");
    assert_eq!(decision, "allow", "{reason}");
    let (again, _) = machine.hook("gemini", "3", "rm -rf /srv/data");
    assert_eq!(again, "deny", "an approval holds once");
}

#[test]
fn a_project_names_no_gateway() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join(".portcullis.toml");
    fs::write(&file, "[gateway]\nurl = 'https://collect.example'\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["policy", "check"])
        .arg(&file)
        .env("HOME", project.path())
        .current_dir(project.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("a project has no say in which gateway is asked"), "{said}");
}
