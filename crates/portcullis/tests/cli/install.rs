//! The gate in front of agents, as a person puts it there: installed into a home of its own, read back, and proven by calls.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::Place;

/// A home with the directories of some agents, and a `PATH` with what plugins are played with, and nothing else.
fn home(agents: &[&str]) -> Place {
    let place = Place::recorded();
    let programs = place.home.path().join("programs");
    fs::create_dir(&programs).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let node =
        std::env::split_paths(&path).map(|path| path.join("node")).find(|path| path.is_file());
    #[cfg(unix)]
    if let Some(node) = node {
        std::os::unix::fs::symlink(node, programs.join("node")).unwrap();
    }
    let place = place.with("PATH", programs.to_str().unwrap());
    for agent in agents {
        fs::create_dir_all(place.home.path().join(agent)).unwrap();
    }
    place
}

fn settings(place: &Place) -> PathBuf {
    place.home.path().join(".claude/settings.json")
}

fn agent<'a>(answer: &'a Value, list: &str, name: &str) -> &'a Value {
    let all = answer.get(list).and_then(Value::as_array).unwrap();
    all.iter()
        .find(|one| one.get("agent").and_then(Value::as_str) == Some(name))
        .unwrap_or_else(|| panic!("{name} is not in {answer}"))
}

/// What was not as it should be, in words.
fn failures(answer: &Value, name: &str) -> Vec<String> {
    let checks = agent(answer, "diagnoses", name).get("checks").and_then(Value::as_array).unwrap();
    let failed = |check: &&Value| check.get("proof").and_then(Value::as_str) == Some("failed");
    let what = |check: &Value| check.get("what").and_then(Value::as_str).unwrap().to_owned();
    checks.iter().filter(failed).map(what).collect()
}

#[test]
fn what_is_found_is_installed_and_proven_to_block() {
    let place = home(&[".claude", ".cursor"]);
    let ended = place.run(["install"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert!(
        ended.out.contains("found Claude Code: ") && ended.out.contains("Cursor: installed in"),
        "{}",
        ended.out
    );
    let status = place.run(["status", "--json"]);
    assert_eq!(status.code, 0, "{}", status.page());
    let doctor = place.run(["doctor", "--json"]);
    assert_eq!(doctor.code, 0, "{}", doctor.page());
    // What the doctor tried is no call of the agent.
    let answer = place.run(["status", "claude", "--json"]).json();
    assert!(agent(&answer, "agents", "claude").get("last_call").unwrap().is_null(), "{answer}");
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"/"}"#;
    place.hook("claude", payload.as_bytes());
    let answer = place.run(["status", "claude", "--json"]).json();
    assert!(agent(&answer, "agents", "claude").get("last_call").unwrap().is_string(), "{answer}");
}

#[test]
fn what_is_found_and_cannot_be_guarded_is_told_with_the_reason() {
    let place = home(&[".claude", ".continue"]);
    let ended = place.run(["install"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    let told = ended.out.lines().find(|line| line.starts_with("found Continue: ")).unwrap();
    assert!(told.contains("it is not guarded: its command line"), "{told}");
}

#[test]
fn what_a_person_has_to_do_before_an_agent_calls_us_is_the_last_word_until_it_is_done() {
    let place = home(&[".claude", ".codex"]);
    let ended = place.run(["install"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    let last = ended.out.lines().next_back().unwrap();
    assert!(last.starts_with("Codex does not call the gate yet: "), "{}", ended.out);
    assert!(last.contains("`/hooks`"), "{last}");
    // As it is when nothing was left to be done.
    let ended = place.run(["install", "claude"]);
    assert!(!ended.out.contains("does not call the gate yet"), "{}", ended.out);
}

#[test]
fn every_agent_is_proven_as_it_would_call() {
    let place = home(&[]);
    let names = [
        "claude",
        "codex",
        "cursor",
        "gemini",
        "antigravity",
        "windsurf",
        "cline",
        "opencode",
        "kilo",
        "amp",
        "openclaw",
        "pi",
        "copilot",
        "reasonix",
        "hermes",
        "crush",
        "grok",
        "openhands",
        "devin",
        "droid",
        "kiro",
        "qwen",
        "vscode",
    ];
    let installed = place.run(["install"].iter().chain(&names));
    assert_eq!(installed.code, 0, "{}", installed.page());
    let answer = place.run(["doctor", "--json"]).json();
    for name in names {
        let mut failed = failures(&answer, name);
        // Only its person can make Codex trust a hook.
        failed.retain(|what| !(name == "codex" && what.contains("trust")));
        assert!(failed.is_empty(), "{name}: {failed:#?}");
    }
}

#[test]
fn a_gate_that_lets_everything_through_is_found_out() {
    let place = home(&[".claude"]);
    let fake = place.home.path().join("portcullis");
    fs::write(&fake, "#!/bin/sh\nexit 0\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    }
    place.run(["install", "claude"]);
    let text = fs::read_to_string(settings(&place)).unwrap();
    let real = env!("CARGO_BIN_EXE_portcullis");
    fs::write(settings(&place), text.replace(real, fake.to_str().unwrap())).unwrap();
    let answer = place.run(["doctor", "claude", "--json"]);
    assert_eq!(answer.code, 3, "{}", answer.page());
    let failed = failures(&answer.json(), "claude");
    assert!(failed.iter().any(|what| what.starts_with("`rm -rf /` was not denied")), "{failed:#?}");
    // Installed again, it is this program that is called.
    assert_eq!(place.run(["install", "claude"]).code, 0);
    assert_eq!(place.run(["status", "claude"]).code, 0);
}

#[test]
fn a_configuration_that_cannot_be_used_is_found_out() {
    let place = home(&[".claude"]);
    place.run(["install", "claude"]);
    let directory = place.home.path().join(".config/portcullis");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("config.toml"), "nonsense = 1\n").unwrap();
    let answer = place.run(["doctor", "claude", "--json"]);
    assert_eq!(answer.code, 3, "{}", answer.page());
    let failed = failures(&answer.json(), "claude");
    assert!(failed.iter().any(|what| what.starts_with("`ls` was not let through")), "{failed:#?}");
}

#[test]
fn a_trial_changes_nothing_and_shows_everything() {
    let place = home(&[".claude"]);
    fs::write(settings(&place), "{\n  \"model\": \"x\"\n}\n").unwrap();
    let ended = place.run(["install", "--dry-run", "claude"]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert!(
        ended.out.contains("-  \"model\": \"x\"\n+  \"model\": \"x\",\n+  \"hooks\": {"),
        "{}",
        ended.out
    );
    assert_eq!(fs::read_to_string(settings(&place)).unwrap(), "{\n  \"model\": \"x\"\n}\n");
    assert!(!place.home.path().join(".local/state/portcullis").exists());
}

#[test]
fn only_a_person_takes_the_gate_away() {
    let place = home(&[".claude"]);
    place.run(["install", "claude"]);
    let before = fs::read(settings(&place)).unwrap();
    let ended = place.run(["uninstall"]);
    assert_eq!(ended.code, 2, "{}", ended.page());
    assert!(ended.err.contains("only a person can take the gate away: "), "{}", ended.err);
    assert_eq!(fs::read(settings(&place)).unwrap(), before);
    let trial = place.run(["uninstall", "--dry-run"]);
    assert!(trial.out.contains("+++ /dev/null"), "{}", trial.out);
    assert_eq!(fs::read(settings(&place)).unwrap(), before);
}

#[test]
fn what_is_turned_off_or_missing_needs_a_person() {
    let place = home(&[".claude"]);
    assert_eq!(place.run(["status"]).code, 3);
    place.run(["install"]);
    let text = fs::read_to_string(settings(&place)).unwrap();
    fs::write(settings(&place), text.replacen('{', "{\"disableAllHooks\": true, ", 1)).unwrap();
    let status = place.run(["status"]);
    assert_eq!(status.code, 3, "{}", status.page());
    assert!(status.out.contains("hooks are turned off: `disableAllHooks`"), "{}", status.out);
}

#[test]
fn one_agent_whose_settings_are_broken_does_not_keep_the_others_from_it() {
    let place = home(&[".claude", ".cursor"]);
    fs::write(settings(&place), "{\"hooks\": {\n").unwrap();
    let ended = place.run(["install"]);
    assert_eq!(ended.code, 65, "{}", ended.page());
    assert!(ended.out.contains("Claude Code: not installed: "), "{}", ended.out);
    assert!(ended.out.contains("expected a key or `}` at line 2, column 1"), "{}", ended.out);
    assert!(ended.out.contains("Cursor: installed in"), "{}", ended.out);
    assert_eq!(fs::read_to_string(settings(&place)).unwrap(), "{\"hooks\": {\n");
}

#[test]
fn a_project_is_installed_apart_from_the_user() {
    let place = home(&[]);
    let project = place.home.path().join("project");
    fs::create_dir(&project).unwrap();
    let ended = place.run(["install", "claude", "--project", project.to_str().unwrap()]);
    assert_eq!(ended.code, 0, "{}", ended.page());
    assert!(project.join(".claude/settings.local.json").is_file());
    assert!(!settings(&place).exists());
}

#[test]
fn a_project_that_turns_hooks_off_is_found_out_where_it_is() {
    let place = home(&[".claude"]);
    place.run(["install"]);
    let project = place.home.path().join("project");
    fs::create_dir_all(project.join(".claude")).unwrap();
    fs::write(project.join(".claude/settings.json"), "{\"disableAllHooks\": true}").unwrap();
    assert_eq!(place.run(["status"]).code, 0);
    let output = place.command().arg("status").current_dir(&project).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("hooks are turned off: `disableAllHooks`"), "{told}");
}

#[test]
fn a_project_cannot_make_the_doctor_run_its_own_program() {
    let place = home(&[".claude"]);
    let project = place.home.path().join("project");
    fs::create_dir(&project).unwrap();
    place.run(["install", "claude", "--project", project.to_str().unwrap()]);
    let path = project.join(".claude/settings.local.json");
    let text = fs::read_to_string(&path).unwrap();
    let evil = project.join("portcullis");
    let ran = project.join("ran");
    fs::write(&evil, format!("#!/bin/sh\n: > '{}'\n", ran.display())).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(&path, text.replace(env!("CARGO_BIN_EXE_portcullis"), evil.to_str().unwrap()))
        .unwrap();
    let output = place.command().args(["doctor", "claude"]).current_dir(&project).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("was not run: it is not this program"), "{told}");
    assert!(!ran.exists());
}
