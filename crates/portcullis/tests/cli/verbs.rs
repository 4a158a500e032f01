//! Every verb and every exit code.

use std::fs;

use insta::assert_snapshot;

use crate::Place;

#[test]
fn exit_codes_say_what_was_decided_or_what_went_wrong() {
    let place = Place::new();
    fs::create_dir(place.home.path().join("directory")).unwrap();
    fs::write(place.home.path().join("broken.toml"), "mode = [").unwrap();
    fs::write(place.home.path().join("good.toml"), "mode = \"plan\"\n").unwrap();
    for (code, arguments) in [
        (0, &["check", "git status"][..]),
        (3, &["check", "git push --force origin main"]),
        (2, &["check", "--mode", "plan", "touch x"]),
        (3, &["check", "--mode", "default", "touch x"]),
        (0, &["check", "--mode", "acceptEdits", "touch x"]),
        (0, &["--help"]),
        (0, &["--version"]),
        (0, &["check", "--help"]),
        (0, &[]),
        (64, &["chek"]),
        (64, &["check"]),
        (64, &["check", "ls", "-la"]),
        (64, &["check", "--mode", "yolo", "ls"]),
        (64, &["check", "--jsonl", "ls"]),
        (64, &["check", "--tool", "str_replace_editor", "ls"]),
        (64, &["rules", "show", "no.such.rule"]),
        (65, &["check", "--file", "directory"]),
        (65, &["check", "--file", "absent"]),
        (65, &["check", "--call", "{}"]),
        (3, &["check", "--call", r#"{"tool":"bash","arguments":{}}"#]),
        (78, &["check", "--config", "broken.toml", "ls"]),
        (78, &["check", "--config", "directory", "ls"]),
        (78, &["check", "--config", "absent.toml", "ls"]),
        (78, &["policy", "check", "broken.toml"]),
        (0, &["policy", "check", "good.toml"]),
        (2, &["check", "--config", "good.toml", "touch x"]),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}\n{}", ended.page());
        if code > 3 {
            assert!(ended.err.starts_with("error: "), "{arguments:?}\n{}", ended.page());
        }
    }
}

#[test]
fn help_is_the_same_for_everybody() {
    let place = Place::new();
    assert_snapshot!("introduction", place.run(&[] as &[&str]).page());
    assert_snapshot!("help", place.run(["--help"]).page());
    assert_snapshot!("help-check", place.run(["check", "--help"]).page());
    assert_snapshot!("help-explain", place.run(["explain", "--help"]).page());
    assert_snapshot!("help-allow", place.run(["allow", "--help"]).page());
    assert_snapshot!("help-assess", place.run(["assess", "--help"]).page());
    assert_snapshot!("help-rules", place.run(["rules", "--help"]).page());
}

#[test]
fn threats_are_told_to_people_and_programs() {
    let place = Place::new();
    let told = place.run(["threats"]);
    assert_eq!(told.code, 0);
    let listed = place.run(["threats", "--json"]).json();
    let threats = listed["threats"].as_array().unwrap();
    assert_eq!((listed["v"].as_u64(), threats.len()), (Some(1), 7));
    for threat in threats {
        assert!(told.out.contains(threat["name"].as_str().unwrap()), "{}", told.page());
        for mitigation in threat["mitigations"].as_array().unwrap() {
            assert!(told.out.contains(mitigation["name"].as_str().unwrap()), "{}", told.page());
        }
    }
}

#[test]
fn usage_errors_read_like_ours() {
    let place = Place::new();
    let said = |arguments: &[&str]| place.run(arguments).err;
    assert_snapshot!(said(&["chekc"]), @r#"
    error: there is no command `chekc`
    help: did you mean `check`?
    "#);
    assert_snapshot!(said(&["check"]), @r#"
    error: nothing to judge
    help: give a command, as in `portcullis check 'git status'`, or `--file`, `--call` or `--jsonl`
    "#);
    assert_snapshot!(said(&["check", "ls", "-la"]), @r#"
    error: unexpected argument `-l`
    help: quote the whole command, as in `portcullis check 'ls -la'`
    "#);
    assert_snapshot!(said(&["check", "ls", "x"]), @r#"
    error: unexpected argument `x`
    help: quote the whole command, as in `portcullis check 'ls -la'`
    "#);
    assert_snapshot!(said(&["check", "--jsn", "x"]), @r#"
    error: unexpected argument `--jsn`
    help: did you mean `--json`?
    "#);
    assert_snapshot!(said(&["check", "--file"]), @r#"
    error: `--file <FILE>` needs a value
    help: `portcullis --help` lists the commands, `portcullis COMMAND --help` explains one
    "#);
    assert_snapshot!(said(&["check", "--file", "a", "--call", "b"]), @r#"
    error: `--file <FILE>` cannot be used with `--call <JSON>`
    help: `portcullis --help` lists the commands, `portcullis COMMAND --help` explains one
    "#);
    assert_snapshot!(said(&["check", "--mode", "yolo", "x"]), @"error: `yolo` is not a permission mode; expected default, plan, acceptEdits, dontAsk, or bypassPermissions");
    assert_snapshot!(said(&["check", "--\u{1b}[2J\nhelp: all is well", "x"]), @r#"
    error: unexpected argument `--\u{1b}[2J\nhelp: all is well`
    help: did you mean `--help`?
    "#);
    assert_snapshot!(said(&["completions", "tcsh"]), @r#"
    error: `tcsh` is not a value of `<SHELL>`
    help: did you mean `zsh`?
    "#);
    assert_snapshot!(said(&["check", "--call", r#"{"tool":"bash"}"#]), @r#"
    error: the call is malformed: line 1: `arguments` is missing
    help: a call looks like `{"tool":"bash","arguments":{"command":"ls"}}`
    "#);
}

#[test]
fn the_man_page_and_the_completions_know_every_verb() {
    let place = Place::new();
    let man = place.run(["man"]).out;
    let completions = place.run(["completions", "bash"]).out;
    for verb in [
        "allow",
        "pause",
        "resume",
        "check",
        "explain",
        "rules",
        "policy",
        "audit",
        "completions",
        "man",
    ] {
        assert!(man.contains(verb), "{verb}");
        assert!(completions.contains(verb), "{verb}");
    }
    assert!(place.run(["man", "check"]).out.contains("jsonl"));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(place.run(["completions", shell]).out.contains("portcullis"), "{shell}");
    }
}

#[test]
fn rules_are_listed_and_shown_in_text_and_json() {
    let place = Place::new();
    let listed = place.run(["rules", "list", "--json"]).json();
    let rules = listed["rules"].as_array().unwrap();
    let text = place.run(["rules", "list"]).out;
    assert_eq!(text.lines().count(), rules.len());
    let id = rules[0]["rule"].as_str().unwrap();
    assert!(place.run(["rules", "show", id]).out.contains(id));
    assert_eq!(place.run(["rules", "show", id, "--json"]).json()["rule"], id);
    let some = place.run(["rules", "list", "--category", "destruction", "--json"]).json();
    let some = some["rules"].as_array().unwrap();
    assert!(!some.is_empty() && some.iter().all(|rule| rule["category"] == "destruction"));
}

#[test]
fn a_call_may_come_as_argument_file_or_input() {
    let place = Place::new();
    fs::write(place.home.path().join("job.sh"), "git push --force\n").unwrap();
    fs::write(place.home.path().join("job.py"), "print(1)\n").unwrap();
    let call = r#"{"id":5,"tool":"bash","arguments":{"command":"git push --force"}}"#;
    assert_eq!(place.run(["check", "--file", "job.sh"]).code, 3);
    assert_eq!(place.fed(["check", "--file", "-"], b"git push --force").code, 3);
    assert_eq!(place.run(["check", "--call", call]).code, 3);
    let answer = place.fed(["check", "--call", "-", "--json"], call.as_bytes());
    assert_eq!(answer.code, 3);
    assert_eq!(answer.json()["id"], 5);
    let answer = place.run(["check", "--tool", "python", "--file", "job.py", "--json"]).json();
    assert_eq!(answer["v"], 1);
}

#[test]
fn the_policy_is_shown_in_text_and_json() {
    let place = Place::new();
    let config = place.home.path().join(".config/portcullis");
    fs::create_dir_all(&config).unwrap();
    fs::write(
        config.join("config.toml"),
        "mode = \"acceptEdits\"\n[rules]\ndeny = [\"Bash(git push:*)\"]\n",
    )
    .unwrap();
    let shown = place.run(["policy", "show"]).out;
    for part in ["acceptEdits", "Bash(git push:*)", "fs.delete.root", "asks at high risk and above"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = place.run(["policy", "show", "--json"]).json();
    assert_eq!(shown["mode"], "acceptEdits");
    assert_eq!(shown["deny"][0], "Bash(git push:*)");
    let ended = place.run(["check", "git push origin topic"]);
    assert_eq!(ended.code, 2, "{}", ended.page());
    assert!(ended.out.starts_with("deny: "), "{}", ended.out);
    assert!(ended.out.contains("decided by the deny rules"), "{}", ended.out);
}

#[test]
fn a_mistake_in_the_configuration_is_shown_in_its_place() {
    let place = Place::new();
    let text = "mode = \"plan\"\n[rules]\ndeny = [\"Bash(\"]\n";
    fs::write(place.home.path().join("mine.toml"), text).unwrap();
    assert_snapshot!(place.run(["policy", "check", "mine.toml"]).page(), @r#"
    exit 78
    --- stderr
    error: mine.toml:3:9: `Bash(` is not a rule: its parentheses do not fit together
      |
    1 | mode = "plan"
    2 | [rules]
    3 | deny = ["Bash("]
      |         ^^^^^^^
    help: a rule is a tool, or a tool and what it is about: `Bash(git status)`
    "#);
    fs::write(place.home.path().join("mine.toml"), "mod = \"plan\"\n").unwrap();
    assert_snapshot!(place.run(["policy", "check", "mine.toml"]).page(), @r#"
    exit 78
    --- stderr
    error: mine.toml:1:1: unknown field `mod`, expected one of `mode`, `disable_bypass`, `dont_ask`, `confirmation`, `rules`, `severity`, `classes`, `floors`, `audit`, `analyzers`, `hook`, `gateway`, `monitor`, `files`, `session`, `network`, `guardian`, `injection`, `contracts`, `sandbox`, `mcp`, `serve`, `team`, `chat`, `try`, `undo`, `security_policy`, `central`, `managed`
      |
    1 | mod = "plan"
      | ^^^
    help: did you mean `mode`?
    "#);
}

#[test]
fn analyzers_are_chosen_by_name() {
    let place = Place::new();
    let judged = |arguments: &[&str]| {
        let ended = place.run([&["check", "--json", "--cwd", "/w"], arguments].concat());
        let answer = ended.json();
        (answer["risk"].as_str().unwrap().to_owned(), ended.code)
    };
    for (arguments, risk, code) in [
        (&["--analyzers", "pattern,policy-rail", "ls -la"][..], "low", 0),
        (&["--analyzers", "pattern,policy-rail", "rm / -rf"], "high", 3),
        (&["--analyzers", "no-op", "ls -la"], "unknown", 3),
        (&["--analyzers", "no-op,pattern", "ls -la"], "low", 0),
        (&["--analyzers", "no-op,pattern", "--propagate-unknown", "ls -la"], "unknown", 3),
        (&["ls -la"], "safe", 0),
    ] {
        assert_eq!(judged(arguments), (risk.to_owned(), code), "{arguments:?}");
    }
    let ended = place.run(["check", "--analyzers", "magic", "ls"]);
    assert_eq!(ended.code, 64);
    assert!(ended.err.contains("expected rules, declared, pattern"), "{}", ended.err);
}
