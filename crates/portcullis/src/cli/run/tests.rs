//! A person at a terminal with an agent: what they see, what they type, and what comes of it. The model is a scripted one on this machine.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    path::Path,
    thread,
};

use portcullis_core::{conversation::Status, monitor::Limits, policy::Mode};
use portcullis_net::ResolverOptions;
use rustix::termios::{LocalModes, tcgetattr};
use serde_json::json;
use tempfile::TempDir;

use super::{attend::attended, screen::Screen};
use crate::{
    conversation::{Conversation, Parts, Remote, built_in, identity, registry},
    guardian::Provider,
    person::{Person, desk::pair},
    platform,
    session::{Options, Session},
    tools::Toolbox,
};

#[expect(dead_code, reason = "these tests use a part of it")]
#[path = "../../../examples/scripted/mod.rs"]
mod scripted;

use scripted::{Say, Scripted};

/// A small repository.
fn repository() -> TempDir {
    let home = TempDir::new().unwrap();
    let work = home.path().join("work");
    fs::create_dir_all(work.join("src")).unwrap();
    fs::write(work.join("README.md"), "# Greeter\n").unwrap();
    fs::write(work.join("src/main.rs"), "fn main() {\n    println!(\"Helo, world\");\n}\n")
        .unwrap();
    home
}

fn conversation(home: &Path, server: &Scripted, mode: Mode) -> Conversation {
    let work = home.join("work");
    let session = Session::open(Options {
        unrecorded: true,
        mode: Some(mode),
        cwd: Some(work.to_string_lossy().into_owned()),
        ..Options::default()
    });
    let tools = registry(built_in("workspace-write", None).unwrap(), []).unwrap();
    let limits = Limits { actions_per_minute: None, ..Limits::default() };
    let parts = Parts {
        state: home.join("state"),
        toolbox: Toolbox::new(tools, session, &work).unwrap().with_limits(limits),
        identity: identity("dev", []),
        model: Box::new(Remote::new(server.settings(), ResolverOptions::default()).unwrap()),
        handler: None,
        gateway: None,
        security: None,
        price: None,
    };
    Conversation::start("Correct the greeting.", parts).unwrap()
}

/// Types each of these once the text beside it is on the screen; gives all that was on it.
fn typing(
    mut keys: File,
    script: &[(&str, &str)],
    then: impl FnOnce() + Send + 'static,
) -> thread::JoinHandle<String> {
    let script: Vec<(String, String)> =
        script.iter().map(|(wanted, typed)| ((*wanted).to_owned(), (*typed).to_owned())).collect();
    thread::spawn(move || {
        let (mut screen, mut seen) = (String::new(), 0);
        let mut bytes = [0; 4_096];
        for (wanted, typed) in script {
            while !screen.get(seen..).unwrap_or_default().contains(&wanted) {
                let read = keys.read(&mut bytes).unwrap_or(0);
                assert!(read > 0, "no `{wanted}` in\n{screen}");
                screen.push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
            seen = screen.len();
            keys.write_all(typed.as_bytes()).unwrap();
        }
        then();
        // Until the other end is gone.
        while let Ok(read @ 1..) = keys.read(&mut bytes) {
            screen.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        screen.replace("\r\n", "\n")
    })
}

/// Runs a conversation with a person who types; gives how it stands, the screen, and the conversation.
fn sat(conversation: Conversation, script: &[(&str, &str)]) -> (Status, String, Conversation) {
    sat_until(conversation, script, || {})
}

/// As [`sat`], where something happens once all is typed.
fn sat_until(
    mut conversation: Conversation,
    script: &[(&str, &str)],
    then: impl FnOnce() + Send + 'static,
) -> (Status, String, Conversation) {
    let (keys, device) = pair();
    let (mut screen, shown, probe) =
        (device.try_clone().unwrap(), device.try_clone().unwrap(), device.try_clone().unwrap());
    let before = tcgetattr(&probe).unwrap().local_modes;
    let mut person = Person::at(device, "dev").unwrap();
    let hands = typing(keys, script, then);
    Screen::on(shown, platform::columns(&probe)).watch(&mut conversation);
    let stop = conversation.stopper();
    let status = attended(&mut conversation, &mut person, &stop, &mut screen).unwrap();
    let after = tcgetattr(&probe).unwrap().local_modes;
    assert_eq!(after, before, "the terminal is as it was");
    assert!(after.contains(LocalModes::ICANON | LocalModes::ECHO));
    conversation.watch(|_| {});
    conversation.listen(|_| {});
    drop((person, screen, probe));
    (status, hands.join().unwrap(), conversation)
}

fn script() -> Vec<Say> {
    let edit = json!({
        "path": "src/main.rs", "old_str": "Helo", "new_str": "Hello",
        "security_risk": "LOW", "summary": "corrects the greeting",
    });
    vec![
        Say::call("grep", json!({"path": ".", "pattern": "Helo"})),
        Say::call("str_replace", edit),
        Say::Calls(vec![(
            "bash".to_owned(),
            json!({"command": "rm -rf target && git push --force", "security_risk": "LOW"}),
        )]),
        Say::call(
            "create_file",
            json!({"path": "NOTES.md", "content": "Corrected the greting.\n"}),
        ),
        Say::call("finish", json!({"message": "The greeting is corrected; nothing was pushed."})),
    ]
}

#[test]
fn a_person_and_an_agent_correct_a_greeting_over_both_wires() {
    let other = r#"{"path": "NOTES.md", "content": "Corrected the greeting.\n"}"#;
    for provider in [Provider::OpenAi, Provider::Anthropic] {
        let home = repository();
        let server = Scripted::start(provider, script()).unwrap();
        let conversation = conversation(home.path(), &server, Mode::Default);
        let (status, screen, conversation) = sat(
            conversation,
            &[
                ("\n> ", "what?\n"),
                ("\n> ", "y\n"),
                ("\n> ", "n not without me\n"),
                ("\n> ", "e\n"),
                ("arguments, in JSON: ", &format!("{other}\n")),
                ("\n> ", "y\n"),
            ],
        );
        assert_eq!(status, Status::Finished, "{screen}");
        let read = |path: &str| fs::read_to_string(home.path().join("work").join(path)).unwrap();
        assert!(read("src/main.rs").contains("\"Hello, world\""), "{screen}");
        assert_eq!(read("NOTES.md"), "Corrected the greeting.\n");
        for part in [
            "-    println!(\"Helo, world\");\n    +    println!(\"Hello, world\");",
            "it says: corrects the greeting",
            "rejected by dev: not without me",
            "edited by dev",
            "agent      The greeting is corrected; nothing was pushed.\nended      finished\n",
        ] {
            assert!(screen.contains(part), "`{part}` in\n{screen}");
        }
        let last = server.asked().last().unwrap().to_string();
        assert!(last.contains("action_cancelled: not without me"), "{last}");
        assert!(conversation.unmatched_actions().next().is_none());
    }
}

#[test]
fn always_explain_and_the_end_of_input() {
    let home = repository();
    let again = || {
        Say::call(
            "str_replace",
            json!({"path": "README.md", "old_str": "Greeter", "new_str": "Greeter"}),
        )
    };
    let server = Scripted::start(
        Provider::OpenAi,
        vec![again(), again(), Say::call("bash", json!({"command": "git push --force"}))],
    )
    .unwrap();
    let conversation = conversation(home.path(), &server, Mode::Default);
    let (status, screen, conversation) =
        sat(conversation, &[("\n> ", "x\n"), ("\n> ", "a\n"), ("\n> ", "\u{4}")]);
    assert_eq!(status, Status::Paused, "{screen}");
    assert!(screen.contains("changed    mode to acceptEdits by dev"), "{screen}");
    assert!(screen.contains("rejected by dev: the person went away"), "{screen}");
    assert_eq!(
        screen.matches("call 1     str_replace README.md (runs unasked").count(),
        1,
        "{screen}"
    );
    assert_eq!(conversation.unmatched_actions().count(), 0);
}

#[test]
fn what_is_like_a_call_that_was_allowed_with_its_like_runs_unasked_and_nothing_else() {
    let home = repository();
    let work = home.path().join("work");
    fs::create_dir_all(work.join("build")).unwrap();
    let bash = |command: &str| Say::call("bash", json!({ "command": command }));
    let server = Scripted::start(
        Provider::OpenAi,
        vec![bash("rm -rf build"), bash("rm -r ./build"), bash("rm -rf src"), bash("rm -rf build")],
    )
    .unwrap();
    let conversation = conversation(home.path(), &server, Mode::Default);
    let id = conversation.id().to_owned();
    let (status, screen, conversation) = sat(
        conversation,
        &[
            ("\n> ", "l\n"),
            ("all of these? y: yes> ", "y\n"),
            ("\n> ", "l\n"),
            ("y: yes> ", "no\n"),
            ("\n> ", "\u{4}"),
        ],
    );
    assert_eq!(status, Status::Paused, "{screen}");
    let shown = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("in this conversation calls of `bash` that nothing but"), "{screen}");
    assert!(shown.contains("touch nothing but file:"), "{screen}");
    assert!(
        screen.contains("call 1     bash rm -r ./build (runs unasked, risk medium)"),
        "{screen}"
    );
    assert!(screen.contains("call 2     bash rm -rf src (asks"), "{screen}");
    assert!(screen.contains("changed    allowed calls of `bash`"), "{screen}");
    assert!(work.join("src").exists(), "{screen}");
    drop(conversation);
    // It is kept, so that it holds again where the conversation is opened again.
    let path = crate::conversation::path_of(&home.path().join("state"), &id).unwrap();
    assert!(fs::read_to_string(path).unwrap().contains("\"what\":\"alike\""));
}

#[test]
fn an_interrupt_rejects_what_waits() {
    let home = repository();
    let server = Scripted::start(
        Provider::Anthropic,
        vec![Say::call("create_file", json!({"path": "x", "content": "x"}))],
    )
    .unwrap();
    let conversation = conversation(home.path(), &server, Mode::Default);
    let stop = conversation.stopper();
    let (status, screen, _) = sat_until(conversation, &[("\n> ", "y")], move || {
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(status, Status::Paused, "{screen}");
    assert!(!home.path().join("work/x").exists(), "what was typed was not entered");
}

#[test]
fn a_plan_is_presented_and_carried_out_once_it_is_accepted() {
    let home = repository();
    let create = || Say::call("create_file", json!({"path": "PLAN.md", "content": "x\n"}));
    let server = Scripted::start(
        Provider::Anthropic,
        vec![
            create(),
            Say::call("present_plan", json!({"plan": "1. write PLAN.md\n2. stop"})),
            Say::call("present_plan", json!({"plan": "1. write PLAN.md"})),
            create(),
            Say::call("finish", json!({"message": "done"})),
        ],
    )
    .unwrap();
    let conversation = conversation(home.path(), &server, Mode::Plan);
    let (status, screen, _) =
        sat(conversation, &[("\n> ", "n shorter\n"), ("\n> ", "y\n"), ("\n> ", "y\n")]);
    assert_eq!(status, Status::Finished, "{screen}");
    assert!(
        screen.contains("the agent presents its plan:\n    1. write PLAN.md\n    2. stop\n"),
        "{screen}"
    );
    assert!(screen.contains("call 0     blocked: "), "{screen}");
    assert!(screen.contains("changed    mode to default by dev"), "{screen}");
    assert!(home.path().join("work/PLAN.md").exists());
}

/// What a model writes cannot look like something that the gate says.
#[test]
fn hostile_text_is_written_out() {
    let home = repository();
    let path = "x\u{1b}[2K\r> y\u{202e}";
    let server = Scripted::start(
        Provider::OpenAi,
        vec![Say::call("bash", json!({"command": format!("echo {path}"), "summary": path}))],
    )
    .unwrap();
    let conversation = conversation(home.path(), &server, Mode::Default);
    let (status, screen, _) = sat(conversation, &[("\n> ", "n\n")]);
    assert_eq!(status, Status::Finished, "{screen}");
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'), "{screen:?}");
}
