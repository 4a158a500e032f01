//! A model that wants harm: each attempt ends as documented, and none of it runs.

use std::fs;

use portcullis::{
    conversation::{
        Conversation, ModelError, Remote,
        events::{EndReason, Event, Status},
    },
    guardian::Provider,
};
use portcullis_core::{monitor::Limits, policy::Mode};
use portcullis_net::ResolverOptions;
use serde_json::{Value, json};

use crate::{
    World, carried_out, ended, note,
    scripted::{Say, Scripted},
    waiting,
};

#[test]
fn an_unknown_tool_ends_it() {
    let world = World::new();
    let mut conversation = world
        .start(|_| Ok(vec![note("beside"), ("set_mode", json!({"mode": "bypassPermissions"}))]));
    assert_eq!(conversation.run().unwrap(), Status::Error);
    let (reason, message) = ended(&conversation);
    assert_eq!(reason, EndReason::Blocked);
    assert!(message.starts_with("tool_not_allowed: there is no tool `set_mode`"), "{message}");
    assert!(world.ran().is_empty(), "nothing beside it ran or was asked about");
    assert_eq!(conversation.mode(), Some(Mode::Default));
}

#[test]
fn malformed_arguments_are_told_of_and_end_it_when_they_go_on() {
    let world = World::new();
    let mut conversation = world.start(|said| {
        Ok(vec![match said % 3 {
            0 => ("note", Value::Null),
            1 => ("note", json!({"title": 7, "more": said})),
            _ => ("note", json!({"title": "x", "security_risk": "NONE"})),
        }])
    });
    assert_eq!(conversation.run().unwrap(), Status::Error);
    assert_eq!(ended(&conversation).0, EndReason::TooManyErrors);
    assert!(world.last_shown().contains("action_blocked: invalid_parameters"));
    assert!(world.ran().is_empty());
}

#[test]
fn huge_arguments_are_refused_and_not_kept() {
    let world = World::new();
    let mut conversation =
        world.start(|said| Ok(if said == 0 { vec![note_of("x".repeat(3 << 20))] } else { vec![] }));
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert!(world.last_shown().contains("invalid_parameters"));
    let path = portcullis::conversation::path_of(&world.state(), conversation.id()).unwrap();
    let length = fs::metadata(path).unwrap().len();
    assert!(length < 1 << 20, "{length} bytes");
}

fn note_of(title: String) -> (&'static str, Value) {
    ("note", json!({"title": title}))
}

#[test]
fn a_thousand_calls_in_one_reply_are_none() {
    let world = World::new();
    let mut conversation =
        world.start(|_| Ok((0..1_000).map(|at| note_of(format!("{at}"))).collect()));
    assert_eq!(conversation.run().unwrap(), Status::Error);
    assert_eq!(ended(&conversation).0, EndReason::TooManyErrors);
    assert!(world.ran().is_empty());
    assert!(world.last_shown().contains("it calls 1000 tools, and 64 are the most"));
}

#[test]
fn endless_loops_end() {
    // The same again and again, unasked.
    let world = World::new();
    fs::write(world.work().join("a.txt"), "hello").unwrap();
    let mut conversation = world.start(|_| Ok(vec![("view_file", json!({"path": "a.txt"}))]));
    let status = carried_out(&mut conversation);
    assert_eq!((status, ended(&conversation).0), (Status::Stuck, EndReason::Stuck));
    assert!(conversation.state().actions() < 50, "{}", conversation.state().actions());
    // Thoughts alone are steps too.
    let world = World {
        limits: Limits { max_iterations: Some(10), ..World::new().limits },
        ..World::new()
    };
    let mut conversation =
        world.start(|said| Ok(vec![("think", json!({"thought": format!("{said}")}))]));
    assert_eq!(conversation.run().unwrap(), Status::Error);
    let (reason, message) = ended(&conversation);
    assert_eq!(reason, EndReason::LimitExceeded);
    assert!(message.starts_with("max_iterations_exceeded"), "{message}");
    assert_eq!(conversation.state().actions(), 10);
    // After a restart no step is given back.
    let id = conversation.id().to_owned();
    drop(conversation);
    let mut conversation = Conversation::open(&id, world.parts(|_| Ok(vec![]))).unwrap();
    conversation.send_message("go on").unwrap();
    conversation.run().unwrap();
    assert_eq!(ended(&conversation).0, EndReason::LimitExceeded);
}

#[test]
fn what_changed_between_the_answer_and_the_run_does_not_run() {
    let world = World::new();
    let edit = json!({"path": "a.txt", "old_str": "one", "new_str": "two"});
    let turns =
        move |said: usize| Ok(if said == 0 { vec![("str_replace", edit.clone())] } else { vec![] });
    fs::write(world.work().join("a.txt"), "one").unwrap();
    fs::write(world.work().join("b.txt"), "one").unwrap();
    let mut conversation = world.start(turns);
    conversation.run().unwrap();
    let (action, hash) = waiting(&conversation)[0].clone();
    conversation.approve(action, &hash, "dev").unwrap();
    // The name leads out of the workspace by now.
    fs::remove_file(world.work().join("a.txt")).unwrap();
    fs::write(world.home.path().join("outside"), "one").unwrap();
    std::os::unix::fs::symlink("../outside", world.work().join("a.txt")).unwrap();
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert_eq!(fs::read_to_string(world.home.path().join("outside")).unwrap(), "one");
    let ran = conversation.events().iter().any(|kept| matches!(kept.event, Event::Intent { .. }));
    assert!(!ran, "{:#?}", conversation.events());
}

#[test]
fn a_log_whose_arguments_were_changed_is_none() {
    let world = World::new();
    let turns = |said: usize| Ok(if said == 0 { vec![note("kind")] } else { vec![] });
    let mut conversation = world.start(turns);
    conversation.run().unwrap();
    let (id, path) = (
        conversation.id().to_owned(),
        portcullis::conversation::path_of(&world.state(), conversation.id()).unwrap(),
    );
    drop(conversation);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("kind\"}", "evil\"}")).unwrap();
    assert!(Conversation::open(&id, world.parts(turns)).is_err());
}

#[test]
fn a_floor_is_a_floor_and_ends_it() {
    let world = World { mode: Some(Mode::BypassPermissions), ..World::new() };
    let mut conversation = world.start(|_| Ok(vec![("bash", json!({"command": "rm -rf /"}))]));
    assert_eq!(conversation.run().unwrap(), Status::Error);
    assert_eq!(ended(&conversation).0, EndReason::Blocked);
}

/// Whatever stands in an answer: it is no call.
#[test]
fn no_answer_of_a_service_breaks_it() {
    let many = (0..1_000).map(|at| json!({"id": format!("{at}"), "type": "function", "function": {"name": "note", "arguments": "{}"}}));
    let many = json!({"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": many.collect::<Vec<_>>()}}]});
    let deep = format!("{{\"choices\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    for (provider, raw) in [
        (Provider::OpenAi, String::new()),
        (Provider::OpenAi, "[]".to_owned()),
        (Provider::OpenAi, r#"{"choices":[]}"#.to_owned()),
        (
            Provider::OpenAi,
            r#"{"choices":[{"finish_reason":"length","message":{"content":"x"}}]}"#.to_owned(),
        ),
        (
            Provider::OpenAi,
            r#"{"choices":[{"message":{"role":"system","content":"x"}}]}"#.to_owned(),
        ),
        (Provider::OpenAi, r#"{"choices":[{"message":{"content":"x"}}],"choices":[]}"#.to_owned()),
        (Provider::OpenAi, many.to_string()),
        (Provider::OpenAi, deep),
        (Provider::Anthropic, r#"{"type":"error"}"#.to_owned()),
        (
            Provider::Anthropic,
            r#"{"type":"message","role":"assistant","content":[{"type":"tool_use"}]}"#.to_owned(),
        ),
        (
            Provider::Anthropic,
            r#"{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}"#
                .to_owned(),
        ),
        (
            Provider::Anthropic,
            r#"{"type":"message","role":"assistant","content":[],"stop_reason":"refusal"}"#
                .to_owned(),
        ),
    ] {
        let world = World::new();
        let shown: String = raw.chars().take(80).collect();
        let server = Scripted::start(provider, vec![Say::Raw(raw)]).unwrap();
        let model = Remote::new(server.settings(), ResolverOptions::default()).unwrap();
        let parts = world.parts_with(Box::new(model));
        let mut conversation = Conversation::start("do it", parts).unwrap();
        assert_eq!(conversation.run().unwrap(), Status::Error, "{shown}");
        assert_eq!(ended(&conversation).0, EndReason::TooManyErrors, "{shown}");
        assert!(world.ran().is_empty(), "{shown}");
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_told_of_and_ends_it_when_it_goes_on() {
    let world = World::new();
    let mut conversation = world.start(|_| Err(ModelError::Malformed("it is cut off".to_owned())));
    assert_eq!(conversation.run().unwrap(), Status::Error);
    assert_eq!(ended(&conversation).0, EndReason::TooManyErrors);
    assert!(world.last_shown().contains("it is cut off"));
}
