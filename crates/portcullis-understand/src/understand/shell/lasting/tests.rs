//! What a later call writes, read as what goes on would run it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::{
    action::Action,
    call::ToolCall,
    facts::{Facts, FileText},
    understand::understand,
};

/// Facts about a project with these files.
fn facts(files: &[(&str, &str)]) -> Facts {
    let mut facts = Facts {
        cwd: Some("/w".to_owned()),
        home: Some("/home/dev".to_owned()),
        workspace: Some("/w".to_owned()),
        ..Facts::default()
    };
    for (name, text) in files {
        let file = FileText {
            bytes: text.len() as u64,
            text: Arc::from(*text),
            sha256: "00".repeat(32),
            whole: true,
            executable: false,
            leads_to: None,
            committed: None,
        };
        facts.contents.insert(format!("/w/{name}"), FileFact::Read(file));
    }
    facts
}

fn call(tool: &str, arguments: Value) -> Action {
    let arguments = arguments.as_object().unwrap().clone();
    Action::from_call(ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() }).unwrap()
}

/// What the last of several calls would do. What the others read and wrote stands as the facts say.
fn last(files: &[(&str, &str)], calls: &[Action]) -> Effects {
    let mut facts = facts(files);
    let (last, earlier) = calls.split_last().unwrap();
    for action in earlier {
        let effects = understand(action, &facts);
        facts.session.after(action, &effects);
        effects.lasting.iter().for_each(|begun| facts.session.goes_on(begun.clone()));
    }
    understand(last, &facts)
}

fn bash(command: &str) -> Action {
    call("Bash", json!({ "command": command }))
}

fn written(path: &str, content: &str) -> Action {
    call("Write", json!({ "file_path": format!("/w/{path}"), "content": content }))
}

fn shreds(effects: &Effects) -> bool {
    effects.list.iter().any(|it| matches!(&it.kind, EffectKind::Run(run) if run.program == "shred"))
}

const HARM: &str = "shred key\n";

#[test]
fn what_goes_on_is_kept_and_what_ends_is_not() {
    for command in [
        "(sleep 3; make) &",
        "while :; do sh x.txt; sleep .3; done",
        "until [ -s x.txt ]; do sleep .2; done; sh x.txt",
        "nohup sh x.txt",
        "watch -n1 sh x.txt",
        "node --watch x.js",
        "tmux new -d 'sh x.txt'",
        "python3 -m http.server --cgi",
    ] {
        assert!(!understand(&bash(command), &facts(&[])).lasting.is_empty(), "{command}");
    }
    for command in ["make", "ls | while read -r x; do echo $x; done", "sh x.txt && ls"] {
        assert!(understand(&bash(command), &facts(&[])).lasting.is_empty(), "{command}");
    }
    let told = call("Bash", json!({"command": "npm test", "run_in_background": true}));
    let begun = understand(&told, &facts(&[])).lasting;
    assert_eq!(begun.len(), 1);
    assert_eq!(begun[0].directory.as_deref(), Some("/w"));
    let told = call("Bash", json!({"command": "npm test", "run_in_background": false}));
    assert!(understand(&told, &facts(&[])).lasting.is_empty());
}

#[test]
fn what_is_written_into_a_file_that_goes_on_is_read_as_what_would_run() {
    let node = "require('child_process').execSync('shred key')\n";
    let python = "import os\nos.system('shred key')\n";
    let package = json!({"scripts": {"test": "shred key"}}).to_string();
    for (begun, path, text) in [
        ("(sleep 3; make) &", "Makefile", "all:\n\tshred key\n"),
        ("(while sleep .3; do make -s -f x.txt; done) &", "x.txt", "a:\n\tshred key\n"),
        ("(sleep 3; sh x.txt) &", "x.txt", HARM),
        ("while :; do sh ./x.txt; sleep .3; done &", "x.txt", HARM),
        ("nohup sh -c 'while sleep .3; do sh ./x.txt; done' >/dev/null 2>&1 &", "x.txt", HARM),
        ("(until [ -s x.txt ]; do sleep .2; done; sh x.txt) >/dev/null 2>&1 &", "x.txt", HARM),
        ("(for i in 1 2 3; do . ./x.txt; sleep .5; done) &", "x.txt", HARM),
        ("(sleep 4; cat x.txt | sh) & sleep .1", "x.txt", HARM),
        ("(trap 'sh x.txt' USR1; sleep 3; kill -USR1 $BASHPID) &", "x.txt", HARM),
        ("watch -n1 sh x.txt", "x.txt", HARM),
        ("node --watch x.js >/dev/null 2>&1 &", "x.js", node),
        ("(sleep 3; npm test) &", "package.json", &package),
        ("(sleep 3; python3 src/main.py) &", "src/main.py", python),
        (
            "python3 -c 'import time\nwhile 1:\n  time.sleep(.3)\n  exec(open(\"x.txt\").read())' &",
            "x.txt",
            python,
        ),
    ] {
        for there in [&[][..], &[(path, "")]] {
            let begin = bash(begun);
            let found = last(there, &[begin.clone(), written(path, text)]);
            assert!(shreds(&found), "{begun}: {:?}", found.list);
            let here = format!("cat > {path} <<'EOF'\n{text}EOF");
            assert!(shreds(&last(there, &[begin.clone(), bash(&here)])), "{begun}: by a shell");
            let mut both = there.to_vec();
            both.push(("notes.md", text));
            for moved in ["cp notes.md", "mv notes.md", "ln -sf /w/notes.md"] {
                let moved = bash(&format!("{moved} {path}"));
                assert!(shreds(&last(&both, &[begin.clone(), moved])), "{begun}: moved");
            }
            assert!(!shreds(&last(there, &[written(path, text)])), "{begun}: nothing goes on");
            let elsewhere = written("docs/other.txt", text);
            let found = last(there, &[begin, elsewhere]);
            assert!(!shreds(&found), "{begun}: another file: {:?}", found.list);
        }
    }
}

#[test]
fn an_edit_is_read_with_what_stands_around_it() {
    let make = "all: lint\n\techo ok\nlint:\n\techo lint\n";
    let begin = bash("(sleep 3; make) &");
    let edits = |old: &str, new: &str| {
        call("Edit", json!({"file_path": "/w/Makefile", "old_string": old, "new_string": new}))
    };
    let found = last(&[("Makefile", make)], &[begin.clone(), edits("echo lint", "shred key")]);
    assert!(shreds(&found), "{:?}", found.list);
    let several = call(
        "MultiEdit",
        json!({"file_path": "/w/Makefile", "edits": [
            {"old_string": "echo ok", "new_string": "echo fine"},
            {"old_string": "echo lint", "new_string": "shred key"},
        ]}),
    );
    assert!(shreds(&last(&[("Makefile", make)], &[begin.clone(), several])));
    let by_sed = bash("sed -i 's/echo lint/shred key/' Makefile");
    assert!(shreds(&last(&[("Makefile", make)], &[begin.clone(), by_sed])));
    let quiet = last(&[("Makefile", make)], &[begin, edits("echo lint", "echo lint it")]);
    assert!(!shreds(&quiet) && quiet.gaps.is_empty(), "{:?}", quiet.gaps);
}

#[test]
fn what_was_there_before_is_judged_once() {
    let make = "all:\n\tshred key\n\techo ok\n";
    let calls =
        [bash("(sleep 3; make) &"), written("Makefile", "all:\n\tshred key\n\techo fine\n")];
    let found = last(&[("Makefile", make)], &calls);
    assert!(!shreds(&found), "{:?}", found.list);
}

#[test]
fn what_goes_on_may_have_written_what_is_started_later() {
    let sh = "echo 'shred key' > x.sh";
    for (begun, command, path) in [
        (format!("(sleep 3; {sh}) &"), "sleep 4; sh x.sh", "x.sh"),
        (format!("nohup sh -c \"{sh}\" &"), ". ./x.sh", "x.sh"),
        ("(sleep 9; printf 'all:\\n\\tshred key\\n' > Makefile) &".to_owned(), "make", "Makefile"),
        (
            "(sleep 1; cat > a.py <<'E'\nimport os\nos.system('shred key')\nE\n) &".to_owned(),
            "python3 a.py",
            "a.py",
        ),
    ] {
        for there in [&[][..], &[(path, "# nothing\n")]] {
            let found = last(there, &[bash(&begun), bash(command)]);
            assert!(shreds(&found), "{begun}, {command}: {:?}", found.list);
            assert!(!shreds(&last(there, &[bash(command)])), "{command} alone");
        }
    }
    let fetch = bash("(sleep 3; curl -so x.sh https://example.com/x) &");
    let found = last(&[("x.sh", "echo\n")], &[fetch.clone(), bash("sh x.sh")]);
    assert!(
        !found.gaps.is_empty()
            || found.list.iter().any(|it| matches!(&it.kind, EffectKind::Execute { .. })),
        "{:?}",
        found.list
    );
    for command in ["ls", "cat log.txt", "make"] {
        let there = [("Makefile", "all:\n\techo ok\n")];
        let alone = last(&there, &[bash(command)]);
        let beside = bash("npm run dev > log.txt 2>&1 &");
        let found = last(&there, &[beside, bash(command)]);
        assert_eq!(found.gaps.len(), alone.gaps.len(), "{command}: {:?}", found.gaps);
        assert_eq!(found.list.len(), alone.list.len(), "{command}: {:?}", found.list);
    }
}

#[test]
fn ordinary_work_beside_a_server_says_nothing_more() {
    let app = "import flask\napp = flask.Flask(__name__)\n\n@app.route('/')\ndef index():\n    return 'hi'\n\napp.run()\n";
    for (begun, path, text) in [
        ("python3 src/main.py &", "src/main.py", app),
        ("npm run dev &", "src/app.js", "import x from './x.js'\nconsole.log(x)\n"),
        ("node --watch server.js &", "server.js", "require('http').createServer().listen(3000)\n"),
        (
            "(sleep 3; make) &",
            "Makefile",
            "all:\n\tcargo build\n\tmkdir -p out\nclean:\n\trm -rf out\n",
        ),
        ("tail -f log &", "README.md", "# Hello\n"),
    ] {
        let package = ("package.json", r#"{"scripts": {"dev": "vite"}}"#);
        let there = [package, (path, "")];
        let alone = last(&there, &[written(path, text)]);
        let found = last(&there, &[bash(begun), written(path, text)]);
        assert_eq!(found.gaps.len(), alone.gaps.len(), "{begun}: {:?}", found.gaps);
    }
}

#[test]
fn where_it_is_not_known_what_goes_on_every_file_may_be_started() {
    let mut facts = facts(&[]);
    for number in 0..40 {
        let command = format!("sh {number}.sh &");
        facts.session.goes_on(Begun { directory: None, command, writes: false });
    }
    assert!(shreds(&understand(&written("other.sh", HARM), &facts)));
    facts.session = crate::session::SessionState::lost();
    assert!(shreds(&understand(&written("Makefile", "all:\n\tshred key\n"), &facts)));
    assert!(!shreds(&understand(&written("README.md", HARM), &facts)));
}
