//! Commands that go on when their call has ended, and start what a later call wrote.

use std::fs;

use serde_json::{Value, json};

use super::{Ended, Place};

const HARM: &str = "cp n.txt ~/.claude/settings.json";

fn place() -> Place {
    let place = Place::recorded();
    fs::create_dir_all(place.home.path().join("work/.git")).unwrap();
    fs::write(place.home.path().join("work/n.txt"), "{}").unwrap();
    place
}

fn called(place: &Place, tool: &str, input: Value) -> Ended {
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "permission_mode": "default", "cwd": place.home.path().join("work"),
        "tool_name": tool, "tool_input": input,
    });
    place.hook("claude", payload.to_string().as_bytes())
}

fn bash(place: &Place, command: &str) -> Ended {
    called(place, "Bash", json!({"command": command}))
}

fn stops(answer: &Ended) -> bool {
    answer.out.contains("\"deny\"") || answer.out.contains("\"ask\"")
}

#[test]
fn what_is_written_for_what_goes_on_is_judged_as_what_it_would_run() {
    for (begun, path, harm, harmless) in [
        (
            "(sleep 3; make) >/dev/null 2>&1 &",
            "Makefile",
            format!("all:\n\t{HARM}\n"),
            "all:\n\techo ok\n\tmkdir -p out\n",
        ),
        ("while :; do sh x.txt; sleep .3; done &", "x.txt", format!("{HARM}\n"), "echo ok\n"),
        (
            "(sleep 3; npm test) >/dev/null 2>&1 &",
            "package.json",
            json!({"name": "a", "scripts": {"test": HARM}}).to_string(),
            "{\"name\": \"a\", \"scripts\": {\"test\": \"jest\"}}",
        ),
    ] {
        let place = place();
        let file = place.home.path().join("work").join(path);
        let write =
            |content: &str| called(&place, "Write", json!({"file_path": file, "content": content}));
        assert!(!stops(&write(&harm)), "{begun}: nothing goes on yet");
        let began = bash(&place, begun);
        assert!(!stops(&began), "{begun}: {}", began.page());
        let answer = write(&harm);
        assert!(stops(&answer), "{begun}: {}", answer.page());
        assert!(stops(&bash(&place, &format!("cat > {path} <<'EOF'\n{harm}\nEOF"))), "{begun}");
        fs::write(place.home.path().join("work/notes.md"), &harm).unwrap();
        assert!(stops(&bash(&place, &format!("cp notes.md {path}"))), "{begun}");
        let answer = write(harmless);
        assert!(!stops(&answer), "{begun}: {}", answer.page());
    }
}

#[test]
fn an_edit_of_what_runs_is_judged_as_a_whole_and_ordinary_work_goes_on() {
    let place = place();
    let work = place.home.path().join("work");
    fs::write(work.join("Makefile"), "all: lint\n\techo ok\nlint:\n\techo lint\n").unwrap();
    fs::write(work.join("main.py"), "import http.server\nprint('hi')\n").unwrap();
    let server = json!({"command": "make && python3 main.py", "run_in_background": true});
    assert!(!stops(&called(&place, "Bash", server)));
    let edit = |name: &str, old: &str, new: &str| {
        let input = json!({"file_path": work.join(name), "old_string": old, "new_string": new});
        called(&place, "Edit", input)
    };
    assert!(stops(&edit("Makefile", "echo lint", HARM)));
    for (name, old, new) in [
        ("Makefile", "echo lint", "cargo clippy"),
        ("main.py", "print('hi')", "print('hello')\n\ndef index():\n    return {'ok': True}"),
        ("README.md", "a", "b"),
    ] {
        let answer = edit(name, old, new);
        assert!(!stops(&answer), "{name}: {}", answer.page());
    }
    assert!(!stops(&bash(&place, "sed -i 's/hi/hello/' main.py")));
}
