use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    command::Program,
    json::{self, Fragment},
    machine::Machine,
    manifest::Manifest,
    status::State,
    *,
};
use crate::{
    agents::{
        AGENTS,
        table::{self, Content, Scope},
    },
    hook,
};

/// A machine of its own, with a program whose path needs quoting.
struct Place {
    directory: TempDir,
    machine: Machine,
    program: Program,
}

impl Place {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let below = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let program = below("it's $HOME, \"here\"").join("portcullis");
        fs::write(&program, "").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let machine = Machine {
            home: below("home"),
            configuration: below("home/.config"),
            documents: below("home/Documents"),
            project: Some(below("project")),
            root: below("root"),
            ..Machine::default()
        };
        Self { program: Program::at(&program).unwrap(), machine, directory }
    }

    fn manifest(&self) -> Manifest {
        Manifest::open(&self.directory.path().join("state")).unwrap()
    }

    fn changes(&self, agent: &'static Agent, scope: Scope) -> Result<Vec<Change>, InstallError> {
        installation(agent, scope, &self.machine, &self.program, &self.manifest())
    }

    fn install(&self, agent: &'static Agent, scope: Scope) -> bool {
        let mut manifest = self.manifest();
        let changes = installation(agent, scope, &self.machine, &self.program, &manifest).unwrap();
        changes.iter().for_each(|change| change.apply(&mut manifest).unwrap());
        changes.iter().any(Change::is_any)
    }

    fn uninstall(&self, agent: &'static Agent, scope: Scope) {
        let mut manifest = self.manifest();
        let changes = removal(agent, scope, &self.machine, &self.program, &manifest).unwrap();
        changes.iter().for_each(|change| change.apply(&mut manifest).unwrap());
    }

    fn status(&self, agent: &'static Agent) -> status::Status {
        status::status(agent, &self.machine, &self.program, None)
    }

    /// Every file and directory outside of our own, with what files hold.
    fn everything(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        fn collect(path: &Path, all: &mut Vec<(PathBuf, Option<Vec<u8>>)>) {
            for entry in fs::read_dir(path).unwrap() {
                let path = entry.unwrap().path();
                all.push((path.clone(), fs::read(&path).ok()));
                if path.is_dir() {
                    collect(&path, all);
                }
            }
        }
        let mut all = Vec::new();
        for directory in [&self.machine.home, self.machine.project.as_ref().unwrap()] {
            collect(directory, &mut all);
        }
        all.sort();
        all
    }

    fn write(&self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Every agent that can be installed, in every scope that it has.
fn everywhere() -> Vec<(&'static Agent, Scope)> {
    let has =
        |agent: &Agent, scope| agent.install.targets.iter().any(|target| target.scope == scope);
    let scopes = [Scope::User, Scope::Project];
    AGENTS
        .iter()
        .filter(|agent| agent.install.missing.is_none())
        .flat_map(|agent| scopes.iter().map(|scope| (*agent, *scope)))
        .filter(|(agent, scope)| has(agent, *scope))
        .collect()
}

/// Settings as people keep them, with other hooks in the shape of this agent.
fn settings(content: &Content) -> Vec<Option<String>> {
    let mut all: Vec<Option<String>> = vec![None];
    let Content::Entries(entries) = content else { return all };
    let hooks = match entries.form {
        table::Form::Groups => {
            r#"{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"other guard"}]}],"BeforeTool":[]}"#
        }
        table::Form::Hooks => r#"{"preToolUse":[{"command":"other guard"}],"PreToolUse":[]}"#,
        table::Form::Triggers => {
            r#"[{"name":"x","trigger":"PreToolUse","action":{"type":"command","command":"other"}}]"#
        }
    };
    let wrapped = entries
        .root
        .iter()
        .rev()
        .fold(hooks.to_owned(), |inner, key| format!("{{\"{key}\":{inner}}}"));
    all.extend(
        [
            "",
            "{}",
            "{ }\n",
            "// only a comment\n",
            "{\n    // mine\n    \"model\": \"x\", /* y */\n    \"z\": [1,2 , 3],\n}",
            "{\r\n\t\"model\": \"x\",\r\n\t\"list\": [\r\n\t\t1\r\n\t]\r\n}\r\n",
            "\u{feff}{\"a\":1}",
            "{\"ü\": \"\\u00fc \\ud83d\\ude00\", \"n\": 1e3}",
        ]
        .map(|text| Some(text.to_owned())),
    );
    all.push(Some(wrapped.clone()));
    let value: serde_json::Value = serde_json::from_str(&wrapped).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    all.push(Some(pretty.replace('\n', "\r\n").replace("  ", "\t")));
    all.push(Some(pretty));
    all
}

#[test]
fn what_is_installed_twice_and_taken_away_once_leaves_every_byte() {
    for (agent, scope) in everywhere() {
        let targets = Place::new().machine.targets(agent, scope);
        let is_written =
            |target: &Target| !target.former && !matches!(target.content, Content::Noted(_));
        for (target, _) in targets.into_iter().filter(|(target, _)| is_written(target)) {
            for text in settings(&target.content) {
                let place = Place::new();
                let path = place.machine.locate(target.place).unwrap().path;
                if let Some(text) = &text {
                    place.write(&path, text);
                }
                let before = place.everything();
                let told = format!("{} {scope:?} {text:?}", agent.name);
                assert!(place.install(agent, scope), "{told}");
                let with = fs::read_to_string(&path).unwrap();
                assert!(!place.install(agent, scope), "{told}: {with}");
                let status = place.status(agent);
                assert!(status.is_installed(), "{told}: {with}\n{status:#?}");
                place.uninstall(agent, scope);
                assert_eq!(place.everything(), before, "{told}: {with}");
                assert!(!place.status(agent).is_any(), "{told}");
                place.uninstall(agent, scope);
                assert_eq!(place.everything(), before, "{told}");
            }
        }
    }
}

#[test]
fn what_an_agent_noted_of_our_hook_goes_with_it() {
    let agent = hook::named("hermes").unwrap();
    let ours = |place: &Place| {
        let command = plugin::lines_command(agent, &place.program);
        serde_json::json!({"event": "pre_tool_call", "command": command, "approved_at": "x"})
    };
    let theirs = serde_json::json!({"event": "pre_tool_call", "command": "other guard"});
    let place = Place::new();
    let noted = place.machine.home.join(".hermes/shell-hooks-allowlist.json");
    let note = |place: &Place, approvals: &[serde_json::Value]| {
        let text = serde_json::json!({ "approvals": approvals });
        place.write(&noted, &serde_json::to_string_pretty(&text).unwrap());
    };
    assert!(place.install(agent, Scope::User));
    assert!(!noted.exists());
    assert!(place.status(agent).is_installed());
    note(&place, &[ours(&place)]);
    place.uninstall(agent, Scope::User);
    assert!(!noted.exists());

    note(&place, std::slice::from_ref(&theirs));
    let before = place.everything();
    assert!(place.install(agent, Scope::User));
    note(&place, &[theirs.clone(), ours(&place)]);
    place.uninstall(agent, Scope::User);
    assert_eq!(place.everything(), before);
    // What is none of ours stays, whatever it is.
    for text in ["{", "[]", r#"{"approvals": {}}"#, r#"{"approvals": []}"#] {
        place.write(&noted, text);
        place.install(agent, Scope::User);
        place.uninstall(agent, Scope::User);
        assert_eq!(fs::read_to_string(&noted).unwrap(), text);
    }
}

#[test]
fn claude_runs_our_hook_in_each_of_its_versions_and_stops_where_it_fails() {
    let agent = hook::named("claude").unwrap();
    let place = Place::new();
    let path = place.machine.home.join(".claude/settings.json");
    place.install(agent, Scope::User);
    let read = || serde_json::from_str::<serde_json::Value>(&fs::read_to_string(&path).unwrap());
    let written = read().unwrap();
    let hook = written.pointer("/hooks/PreToolUse/0/hooks/0").unwrap();
    // Versions before it was known run the command alone, and take its silence for consent.
    assert!(hook.get("args").is_none(), "{hook}");
    assert_eq!(hook.get("onFailure").and_then(|word| word.as_str()), Some("block"));
    let after = written.pointer("/hooks/PostToolUse/0/hooks/0").unwrap();
    assert!(after.get("onFailure").is_none(), "{after}");
    // What an older version of ours wrote is told of, and put right.
    let called = place.program.words("claude");
    let older = serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
        {"type": "command", "command": called[0], "args": called[1..], "timeout": 5}
    ]}]}});
    fs::write(&path, older.to_string()).unwrap();
    let faults = &place.status(agent).files[0].faults;
    assert!(faults.iter().any(|fault| fault.contains("args")), "{faults:?}");
    assert!(place.install(agent, Scope::User));
    assert!(read().unwrap().pointer("/hooks/PreToolUse/0/hooks/0/args").is_none());
}

#[test]
fn of_a_file_that_was_changed_since_only_our_entries_go() {
    for (agent, scope) in everywhere() {
        for (target, _) in Place::new().machine.targets(agent, scope) {
            for text in settings(&target.content).into_iter().flatten() {
                let place = Place::new();
                let path = place.machine.locate(target.place).unwrap().path;
                place.write(&path, &text);
                place.install(agent, scope);
                let added = Fragment::object([("theirs", Fragment::Flag(true))]);
                let with = fs::read_to_string(&path).unwrap();
                fs::write(&path, json::set(&with, &["added"], &added).unwrap()).unwrap();
                // Installing again takes the changed file for what it is.
                assert!(!place.install(agent, scope), "{with}");
                place.uninstall(agent, scope);
                let left = fs::read_to_string(&path).unwrap();
                let expected = json::set(&text, &["added"], &added).unwrap();
                let value = |text: &str| json::read(text).unwrap().map(|node| node.value());
                assert_eq!(
                    value(&left),
                    value(&expected),
                    "{}: {text:?}\n{with}\n{left}",
                    agent.name
                );
                let comments = |text: &str| text.matches("/*").count() + text.matches("//").count();
                assert_eq!(comments(&left), comments(&text), "{left}");
            }
        }
    }
}

#[test]
fn an_entry_that_was_loosened_is_told_and_put_right() {
    let agent = hook::named("claude").unwrap();
    for (key, value) in [
        ("/hooks/PreToolUse/0/matcher", "\"Bash\""),
        ("/hooks/PreToolUse/0/hooks/0/timeout", "1"),
        ("/hooks/PreToolUse/0/hooks/0/async", "true"),
        ("/hooks/PreToolUse/0/hooks/0/if", "\"Bash(git *)\""),
        ("/hooks/PreToolUse/0/hooks/0/type", "\"prompt\""),
        ("/hooks/PreToolUse/0/hooks/0/command", "\"/gone/portcullis\""),
        ("/hooks/PreToolUse", "[]"),
    ] {
        let place = Place::new();
        place.install(agent, Scope::User);
        let path = place.machine.home.join(".claude/settings.json");
        let right = fs::read_to_string(&path).unwrap();
        let mut settings: serde_json::Value = serde_json::from_str(&right).unwrap();
        let (parent, last) = key.rsplit_once('/').unwrap();
        settings.pointer_mut(parent).unwrap()[last] = serde_json::from_str(value).unwrap();
        fs::write(&path, settings.to_string()).unwrap();
        let status = place.status(agent);
        assert_eq!(status.files[0].state, State::Changed, "{key}: {status:#?}");
        assert!(place.install(agent, Scope::User), "{key}");
        assert!(place.status(agent).is_live(), "{key}");
    }
}

#[test]
fn an_entry_is_not_replaced_by_a_looser_one() {
    let agent = hook::named("claude").unwrap();
    let place = Place::new();
    let path = place.machine.home.join(".claude/settings.json");
    let strict = r#"{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"portcullis hook claude --config /etc/strict.toml"}]}]}}"#;
    place.write(&path, strict);
    let error = place.changes(agent, Scope::User).unwrap_err().to_string();
    assert!(error.contains("options of its own"), "{error}");
    // What a person added that makes it stricter stays when the entry is put right.
    let kept = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"/old/portcullis hook claude","onFailure":"block"}]}]}}"#;
    place.write(&path, kept);
    place.install(agent, Scope::User);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(r#""onFailure": "block""#), "{text}");
    assert!(place.status(agent).is_live(), "{text}");
}

#[test]
fn a_file_that_is_not_sound_is_left_alone() {
    let agent = hook::named("claude").unwrap();
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(5 << 20));
    for (text, told) in [
        ("{\"hooks\": {\"PreToolUse\": }}", "expected a value at line 1, column 26"),
        ("[]", "something else than expected"),
        ("{\"hooks\": []}", "something else than expected"),
        ("{\"hooks\": {}, \"hooks\": {}}", "a key stands twice"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "something else than expected"),
        (long.as_str(), "longer than 4 MiB"),
        (&"[".repeat(100_000), "values lie too deep"),
    ] {
        let place = Place::new();
        let path = place.machine.home.join(".claude/settings.json");
        place.write(&path, text);
        let before = place.everything();
        let error = place.changes(agent, Scope::User).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
        assert_eq!(place.everything(), before);
    }
}

#[test]
#[cfg(unix)]
fn links_and_files_of_everyone_are_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let agent = hook::named("claude").unwrap();
    let place = Place::new();
    let directory = place.machine.home.join(".claude");
    let path = directory.join("settings.json");
    let error = |place: &Place| place.changes(agent, Scope::User).unwrap_err().to_string();
    let elsewhere = place.machine.home.join("dotfiles");
    fs::create_dir_all(&elsewhere).unwrap();
    symlink(&elsewhere, &directory).unwrap();
    assert!(error(&place).ends_with(&format!("is a symbolic link to `{}`", elsewhere.display())));
    fs::remove_file(&directory).unwrap();
    fs::create_dir(&directory).unwrap();
    symlink("/etc/passwd", &path).unwrap();
    assert!(error(&place).ends_with("is a symbolic link to `/etc/passwd`"), "{}", error(&place));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(error(&place).ends_with("is not a regular file"));
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "{}").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(error(&place).starts_with("everyone may write to"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    place.install(agent, Scope::User);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    place.uninstall(agent, Scope::User);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    assert!(error(&place).ends_with("is not UTF-8 text"));
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(error(&place).starts_with("everyone may write to"));
}

#[test]
#[cfg(unix)]
fn a_program_that_everyone_can_replace_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let path = Path::new(place.program.path());
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o777)).unwrap();
    let error = Program::at(path).unwrap_err().to_string();
    assert!(error.starts_with("everyone may write to"), "{error}");
}

#[test]
fn what_was_there_before_is_kept_for_this_user_alone() {
    let agent = hook::named("claude").unwrap();
    let place = Place::new();
    let path = place.machine.home.join(".claude/settings.json");
    place.write(&path, "{\"key\": \"sk-1\"}");
    place.install(agent, Scope::User);
    let backups = place.directory.path().join("state/install/backups");
    let kept: Vec<_> = fs::read_dir(&backups).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(fs::read_to_string(&kept[0]).unwrap(), "{\"key\": \"sk-1\"}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&kept[0]).unwrap().permissions().mode() & 0o777, 0o600);
    }
    place.uninstall(agent, Scope::User);
    assert_eq!(fs::read_dir(&backups).unwrap().count(), 0);
}

#[test]
fn every_agent_is_found_or_says_why_it_cannot_be_installed() {
    for agent in AGENTS {
        let install = &agent.install;
        assert_eq!(install.missing.is_some(), install.targets.is_empty(), "{}", agent.name);
        for target in install.targets {
            if let Content::Entries(entries) = &target.content {
                for name in entries.events.into_iter().flatten() {
                    let known =
                        agent.events.iter().any(|event| event.name.eq_ignore_ascii_case(name));
                    assert!(known, "{}: {name}", agent.name);
                }
            }
        }
    }
}

#[test]
fn droids_file_for_hooks_is_used_where_there_is_one_because_it_hides_the_others() {
    let agent = hook::named("droid").unwrap();
    let place = Place::new();
    let path = place.machine.home.join(".factory/hooks.json");
    place.write(&path, "{\"PreToolUse\": []}\n");
    let before = place.everything();
    place.install(agent, Scope::User);
    assert!(fs::read_to_string(&path).unwrap().contains("hook droid"));
    assert!(!place.machine.home.join(".factory/settings.json").exists());
    assert!(place.status(agent).is_live());
    place.uninstall(agent, Scope::User);
    assert_eq!(place.everything(), before);
}

#[test]
fn scripts_of_older_versions_go_so_that_a_call_is_judged_once() {
    let cline = hook::named("cline").unwrap();
    let place = Place::new();
    let old = place.machine.home.join(".cline/hooks/PreToolUse");
    let mine = place.machine.home.join(".cline/hooks/PostToolUse");
    place
        .write(&old, "#!/bin/sh\n# Written by `portcullis install`.\nexec portcullis hook cline\n");
    place.write(&mine, "#!/bin/sh\nexit 0\n");
    assert!(place.install(cline, Scope::User));
    assert!(!old.exists() && mine.exists());
    assert!(place.machine.documents.join("Cline/Hooks/PreToolUse").is_file());
    assert!(place.status(cline).is_live(), "{:#?}", place.status(cline));
    place
        .write(&old, "#!/bin/sh\n# Written by `portcullis install`.\nexec portcullis hook cline\n");
    assert!(!place.status(cline).is_live());
}

#[test]
fn entries_of_older_versions_are_made_to_deny_where_the_program_is_gone() {
    for (name, path, hook) in [
        (
            "codex",
            ".codex/hooks.json",
            r#"{"type":"command","command":"COMMAND hook codex","timeout":5}"#,
        ),
        (
            "claude",
            ".claude/settings.json",
            r#"{"type":"command","command":"PATH","args":["hook","claude"],"timeout":5}"#,
        ),
        (
            "claude",
            ".claude/settings.json",
            r#"{"type":"command","command":"sh -c 'portcullis hook claude || exit 2'"}"#,
        ),
    ] {
        let agent = hook::named(name).unwrap();
        let place = Place::new();
        let path = place.machine.home.join(path);
        let quoted =
            command::quoted(place.program.path()).replace('\\', "\\\\").replace('"', "\\\"");
        let plain = place.program.path().replace('\\', "\\\\").replace('"', "\\\"");
        let hook = hook.replace("COMMAND", &quoted).replace("PATH", &plain);
        place.write(
            &path,
            &format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"*","hooks":[{hook}]}}]}}}}"#),
        );
        assert!(!place.status(agent).is_installed(), "{name}: {hook}");
        assert!(place.install(agent, Scope::User));
        let text = fs::read_to_string(&path).unwrap();
        let tree = json::read(&text).unwrap().unwrap().value();
        let groups = tree.pointer("/hooks/PreToolUse").and_then(|list| list.as_array()).unwrap();
        assert_eq!(groups.len(), 1, "{name}: {text}");
        assert!(text.contains("exit 2") && place.status(agent).is_installed(), "{name}: {text}");
    }
}
