//! `run` and `conversation` as programs meet them: nobody sits there, and a scripted model on this machine says what it is to.

use std::fs;

use portcullis::guardian::Provider;
use serde_json::json;

use crate::Place;

#[expect(dead_code, reason = "these tests use a part of it")]
#[path = "../../examples/scripted/mod.rs"]
pub(crate) mod scripted;

use scripted::{Say, Scripted};

#[test]
fn an_agent_works_where_nobody_sits_and_what_asks_is_denied() {
    for provider in [Provider::OpenAi, Provider::Anthropic] {
        let place = Place::recorded();
        let work = place.home.path().join("work");
        fs::create_dir(&work).unwrap();
        let server = Scripted::start(
            provider,
            vec![
                Say::call(
                    "bash",
                    json!({"command": "echo hello > a.txt && cat a.txt", "security_risk": "LOW"}),
                ),
                Say::call("bash", json!({"command": "git push --force"})),
                Say::call("finish", json!({"message": "said hello"})),
            ],
        )
        .unwrap();
        let base = server.url();
        let work_text = work.to_string_lossy().into_owned();
        let ended = place.run([
            "run",
            "--headless",
            "--mode",
            "dontAsk",
            "--provider",
            provider.name(),
            "--base-url",
            &base,
            "--model",
            "m",
            "--workspace",
            &work_text,
            "say hello",
        ]);
        assert_eq!(ended.code, 0, "{}", ended.page());
        assert_eq!(fs::read_to_string(work.join("a.txt")).unwrap(), "hello\n", "{}", ended.page());
        for part in [
            "call 0     done: hello",
            "call 1     cancelled: ",
            "agent      said hello\nended      finished",
        ] {
            assert!(ended.out.contains(part), "`{part}` in {}", ended.page());
        }
        let listed = place.run(["conversation", "list", "--json"]).json();
        let id = listed["conversations"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!(listed["conversations"][0]["status"], "finished");
        let shown = place.run(["conversation", "show", &id[..4]]);
        assert!(shown.out.contains("goal       say hello"), "{}", shown.page());
        let exported = place.run(["conversation", "export", &id]).out;
        let last = exported.lines().last().unwrap();
        assert!(last.contains(r#""kind":"ended""#), "{last}");
        assert_eq!(place.run(["audit", "verify"]).code, 0);
        // It can be gone on with, by its first digits.
        let more = place.run([
            "run",
            "--headless",
            "--provider",
            provider.name(),
            "--base-url",
            &base,
            "--model",
            "m",
            "--workspace",
            &work_text,
            "--resume",
            &id[..6],
            "thanks",
        ]);
        assert_eq!(more.code, 0, "{}", more.page());
        assert!(more.out.contains("agent      I am done."), "{}", more.page());
    }
}

#[test]
fn mistakes_are_named_before_anything_runs() {
    // Whoever runs the tests may well sit at a terminal.
    let place = Place::new().with("CLAUDECODE", "1");
    for (code, arguments, said) in [
        (78, &["run", "--headless", "x"][..], "there is no model"),
        (64, &["run", "--headless", "--provider", "x", "y"], "is no provider"),
        (64, &["run", "--headless", "--provider", "openai", "y"], "which model is missing"),
        (
            64,
            &[
                "run",
                "--headless",
                "--provider",
                "openai",
                "--model",
                "m",
                "--base-url",
                "http://example.com",
                "y",
            ],
            "must be encrypted",
        ),
        (
            64,
            &["run", "--headless", "--provider", "openai", "--model", "m", "--mode", "yolo", "y"],
            "not a permission mode",
        ),
        (
            64,
            &["run", "--headless", "--provider", "openai", "--model", "m"],
            "what the agent is to do is missing",
        ),
        (
            65,
            &["run", "--headless", "--provider", "openai", "--model", "m", "--resume", "abcd"],
            "there is no conversation",
        ),
        (65, &["conversation", "show", "abcd"], "there is no conversation"),
        (2, &["run", "--provider", "openai", "--model", "m", "y"], "nobody can be asked here"),
    ] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}\n{}", ended.page());
        assert!(ended.err.contains(said), "{arguments:?}\n{}", ended.page());
    }
    assert_eq!(place.run(["conversation", "list"]).out, "there are no conversations\n");
    assert_eq!(place.run(["run", "--list"]).out, "there are no conversations\n");
}

/// An agent may look at conversations, and start none.
#[test]
fn an_agent_starts_no_agent_unasked() {
    let place = Place::new();
    for command in
        ["portcullis run --headless --mode bypassPermissions x", "portcullis run --resume 4f1c yes"]
    {
        let ended = place.run(["check", command]);
        assert_eq!(ended.code, 2, "{}", ended.page());
    }
    assert_eq!(place.run(["check", "portcullis conversation list"]).code, 0);
}

#[test]
fn what_the_model_may_cost_is_kept() {
    let place = Place::recorded();
    let think = |at: usize| Say::call("think", json!({"thought": at.to_string()}));
    let server = Scripted::start(Provider::OpenAi, (0..40).map(think).collect()).unwrap();
    let base = server.url();
    let run = |more: &[&str]| {
        let fixed = ["run", "--headless", "--provider", "openai", "--base-url", &base];
        place.run(fixed.iter().chain(&["--model", "m"]).chain(more))
    };
    let ended = run(&["--max-cost", "1", "think"]);
    assert_eq!(ended.code, 64, "{}", ended.page());
    assert!(ended.err.contains("what the model costs is not known"), "{}", ended.page());
    for wrong in ["0", "x", "1.2345678", "-1", ".5", "1e9"] {
        assert_eq!(run(&["--max-cost", wrong, "think"]).code, 64, "{wrong}");
    }
    // Each reply takes 100 and 10 tokens: a hundredth and a tenth of that.
    let configuration = format!(
        "[guardian]\nprovider = \"openai\"\nbase_url = \"{base}\"\nmodel = \"m\"\nsecond_opinion = true\nprice = {{ input = 100.0, output = 1000.0 }}\n"
    );
    let directory = place.home.path().join(".config/portcullis");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("config.toml"), configuration).unwrap();
    let ended = run(&["--max-cost", "0.05", "think"]);
    assert_eq!(ended.code, 1, "{}", ended.page());
    assert!(ended.out.contains("ended      limit exceeded: max_cost_exceeded"), "{}", ended.page());
    assert_eq!(server.asked().len(), 3, "{}", ended.page());
    // Nothing is given back to whoever goes on with it.
    let id = ended.out.lines().next().unwrap().trim_start_matches("conversation ").to_owned();
    let more = run(&["--max-cost", "0.05", "--resume", &id, "go on"]);
    assert!(more.out.contains("max_cost_exceeded"), "{}", more.page());
    assert_eq!(server.asked().len(), 3, "{}", more.page());
}
