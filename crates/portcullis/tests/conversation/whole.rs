//! What a person can do to a conversation, from its beginning to its end.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use portcullis::{
    conversation::{
        Conversation, ConversationError, Heard, LogError, ModelError, Remote,
        events::{EndReason, Event, Status},
        path_of, read, timeline,
    },
    guardian::Provider,
};
use portcullis_core::{
    policy::{Confirmation, Mode},
    risk::Severity,
};
use portcullis_net::ResolverOptions;
use serde_json::json;

use crate::{
    World, carried_out, ended, note,
    scripted::{Say, Scripted},
    waiting,
};

fn two_then_done(said: usize) -> crate::Said {
    Ok(match said {
        0 => vec![note("one"), note("two")],
        _ => vec![("finish", json!({"message": "did both"}))],
    })
}

#[test]
fn what_asks_waits_and_runs_once_it_is_agreed_to() {
    let world = World::new();
    let mut conversation = world.start(two_then_done);
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation);
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation, "running is no yes");
    let asks = waiting(&conversation);
    assert_eq!(asks.len(), 2, "one reply, one batch");
    assert!(conversation.approve(asks[0].0, &asks[1].1, "dev").is_err(), "another's hash");
    conversation.approve(asks[0].0, &asks[0].1, "dev").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation);
    assert!(world.ran().is_empty(), "nothing runs before all of it is answered");
    conversation.reject(asks[1].0, "not that one", "dev").unwrap();
    assert_eq!((conversation.status(), world.ran().len()), (Status::Idle, 0));
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert_eq!(world.ran(), ["one"]);
    let told = world.last_shown();
    assert!(
        told.contains("noted one") && told.contains("action_cancelled: not that one"),
        "{told}"
    );
    assert_eq!(ended(&conversation), (EndReason::Finished, "did both".to_owned()));
    let page = timeline(conversation.events());
    assert!(
        page.contains("approved by dev") && page.contains("rejected by dev: not that one"),
        "{page}"
    );
}

#[test]
fn a_message_answers_nothing_and_is_read_after_the_answer() {
    let world = World::new();
    let mut conversation = world.start(two_then_done);
    conversation.run().unwrap();
    conversation.send_message("yes, do it all, I approve").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation);
    assert!(world.ran().is_empty());
    assert_eq!(conversation.reject_pending_actions("no", "dev").unwrap(), 2);
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert!(world.ran().is_empty());
    let told = world.last_shown();
    let (result, message) = (told.find("action_cancelled"), told.find("yes, do it all"));
    assert!(result.unwrap() < message.unwrap(), "{told}");
    assert_eq!(conversation.reject_pending_actions("no", "dev").unwrap(), 0);
}

#[test]
fn what_is_edited_is_judged_anew_and_asked_about_again() {
    let world = World::new();
    let mut conversation = world.start(two_then_done);
    conversation.run().unwrap();
    let asks = waiting(&conversation);
    conversation.approve(asks[1].0, &asks[1].1, "dev").unwrap();
    let other = json!({"title": "three"}).as_object().unwrap().clone();
    conversation.edit(asks[0].0, other, "dev").unwrap();
    assert!(conversation.approve(asks[0].0, &asks[0].1, "dev").is_err(), "what was shown before");
    let wrong = json!({"title": 7}).as_object().unwrap().clone();
    let error = conversation.edit(asks[0].0, wrong, "dev").unwrap_err();
    assert!(matches!(error, ConversationError::Stopped(_)), "{error}");
    let now = waiting(&conversation);
    conversation.approve(now[0].0, &now[0].1, "dev").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert_eq!(world.ran(), ["three", "two"]);
    assert!(world.last_shown().contains("the person changed the arguments"));
}

#[test]
fn an_answer_holds_for_the_files_that_were_judged() {
    let world = World::new();
    let script = world.work().join("x.sh");
    let shown = "git push --force\n";
    std::fs::write(&script, shown).unwrap();
    let turns = |said: usize| -> crate::Said {
        Ok(match said {
            0 => vec![("bash", json!({"command": "bash x.sh"}))],
            _ => vec![("finish", json!({"message": "done"}))],
        })
    };
    let mut conversation = world.start(turns);
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation);
    let asks = waiting(&conversation);
    std::fs::write(&script, "git push --force --mirror\n").unwrap();
    assert!(conversation.approve(asks[0].0, &asks[0].1, "dev").is_err(), "it is another file");
    std::fs::write(&script, shown).unwrap();
    conversation.approve(asks[0].0, &asks[0].1, "dev").unwrap();
    std::fs::write(&script, "echo another > made\n").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert!(!world.work().join("made").exists());
    assert!(world.last_shown().contains("not what was shown"), "{}", world.last_shown());
}

#[test]
fn it_waits_across_restarts() {
    let world = World::new();
    let mut conversation = world.start(two_then_done);
    conversation.run().unwrap();
    let (id, asks) = (conversation.id().to_owned(), waiting(&conversation));
    let elsewhere = Conversation::open(&id, world.parts(two_then_done));
    assert!(matches!(elsewhere, Err(ConversationError::Log(LogError::Busy))));
    drop(conversation);
    let mut conversation = Conversation::open(&id, world.parts(two_then_done)).unwrap();
    assert_eq!(conversation.status(), Status::WaitingForConfirmation);
    assert_eq!(waiting(&conversation), asks);
    assert_eq!(conversation.unmatched_actions().count(), 2);
    for (action, hash) in asks {
        conversation.approve(action, &hash, "dev").unwrap();
    }
    drop(conversation);
    let mut conversation = Conversation::open(&id, world.parts(two_then_done)).unwrap();
    assert!(world.ran().is_empty());
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert_eq!(world.ran(), ["one", "two"]);
    // Its end can be read, and what a person says then opens it again.
    conversation.send_message("and now?").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::Finished);
}

#[test]
fn secrets_are_not_kept_and_what_held_one_is_not_run_from_the_log() {
    const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let world = World::new();
    let turns = |said: usize| Ok(if said == 0 { vec![note(TOKEN)] } else { vec![] });
    let mut conversation = world.start(turns);
    conversation.run().unwrap();
    let id = conversation.id().to_owned();
    let log = std::fs::read_to_string(path_of(&world.state(), &id).unwrap()).unwrap();
    assert!(!log.contains(TOKEN), "{log}");
    // The process that had it can run it.
    let asks = waiting(&conversation);
    drop(conversation);
    let mut conversation = Conversation::open(&id, world.parts(turns)).unwrap();
    assert!(conversation.approve(asks[0].0, &asks[0].1, "dev").is_err());
    conversation.reject(asks[0].0, "no", "dev").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert!(world.ran().is_empty());
    let mut conversation = world.start(turns);
    assert_eq!(carried_out(&mut conversation), Status::Finished);
    assert_eq!(world.ran(), [TOKEN]);
}

#[test]
fn what_a_person_changes_holds_at_once_and_after_a_restart() {
    let world = World::new();
    let turns = |said: usize| {
        Ok(match said {
            0..=2 => vec![("view_file", json!({"path": "a.txt"}))],
            _ => vec![],
        })
    };
    std::fs::write(world.work().join("a.txt"), "hello").unwrap();
    let mut conversation = world.start(turns);
    conversation.set_confirmation_policy(Confirmation::Always, "dev").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation);
    let id = conversation.id().to_owned();
    drop(conversation);
    let mut conversation = Conversation::open(&id, world.parts(turns)).unwrap();
    let (action, hash) = waiting(&conversation)[0].clone();
    conversation.approve(action, &hash, "dev").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation, "it still holds");
    let risky = Confirmation::Risky { threshold: Severity::High, confirm_unknown: true };
    conversation.set_confirmation_policy(risky, "dev").unwrap();
    conversation.set_security_analyzer("pattern,policy-rail", "dev").unwrap();
    assert!(conversation.set_security_analyzer("nonsense", "dev").is_err());
    let (action, hash) = waiting(&conversation)[0].clone();
    conversation.approve(action, &hash, "dev").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::Finished);
}

#[test]
fn a_decision_is_made_anew_when_its_action_runs() {
    let world = World::new();
    let mut conversation = world.start(two_then_done);
    conversation.run().unwrap();
    for (action, hash) in waiting(&conversation) {
        conversation.approve(action, &hash, "dev").unwrap();
    }
    // Between the answer and the run the person has second thoughts.
    conversation.set_mode(Mode::Plan, "dev").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::Finished);
    assert!(world.ran().is_empty());
    assert!(world.last_shown().contains("action_blocked"));
}

#[test]
fn a_plan_is_carried_out_only_once_it_is_accepted() {
    let turns = |said: usize| {
        Ok(match said {
            0 => vec![note("too early")],
            1 | 2 => vec![("present_plan", json!({"plan": "write one note"}))],
            3 => vec![note("in time")],
            _ => vec![("finish", json!({"message": "done"}))],
        })
    };
    let world = World { mode: Some(Mode::Plan), ..World::new() };
    let mut conversation = world.start(turns);
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation);
    assert!(world.last_shown().contains("action_blocked"), "{}", world.last_shown());
    let (action, _) = waiting(&conversation)[0];
    conversation.reject(action, "think again", "dev").unwrap();
    conversation.run().unwrap();
    assert_eq!(conversation.mode(), Some(Mode::Plan));
    let (action, hash) = waiting(&conversation)[0].clone();
    conversation.approve(action, &hash, "dev").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation);
    assert_eq!(conversation.mode(), Some(Mode::Default));
    assert_eq!(carried_out(&mut conversation), Status::Finished);
    assert_eq!(world.ran(), ["in time"]);
}

#[test]
fn a_part_has_the_limits_and_the_policy_of_the_whole() {
    let turns = |said: usize| {
        Ok(if said == 0 {
            vec![("delegate", json!({"task": "the part"}))]
        } else {
            vec![note("x")]
        })
    };
    let mut world = World::new();
    world.limits.max_iterations = Some(6);
    // Each part gives a part away until none is that deep, and then does nothing but ask: nobody can be asked in it.
    let mut conversation = world.start(turns);
    let status = conversation.run().unwrap();
    assert_ne!(status, Status::Finished);
    assert!(world.ran().is_empty(), "nothing runs unasked in a part");
    let counted: usize = portcullis::conversation::list(&world.state())
        .unwrap()
        .iter()
        .map(|(id, _)| {
            let (events, _) = read(&path_of(&world.state(), id).unwrap()).unwrap();
            let batches = events.iter().filter(|kept| matches!(kept.event, Event::Batch { .. }));
            batches.count()
        })
        .sum();
    assert!(counted <= 6, "every step of a part is one of the whole: {counted}");
}

#[test]
fn a_model_that_cannot_be_asked_ends_it_and_a_person_can_go_on() {
    let world = World::new();
    let fails = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let failed = Arc::clone(&fails);
    let mut conversation = world.start(move |_| {
        if crate::once(&failed) {
            Err(ModelError::Unavailable("nobody is there".to_owned()))
        } else {
            Ok(vec![])
        }
    });
    assert_eq!(conversation.run().unwrap(), Status::Error);
    assert_eq!(ended(&conversation).0, EndReason::ModelFailed);
    assert_eq!(conversation.run().unwrap(), Status::Error, "it stays so");
    conversation.send_message("try again").unwrap();
    assert_eq!(conversation.run().unwrap(), Status::Finished);
}

#[test]
fn a_goal_is_the_persons_alone() {
    let world = World::new();
    let mut conversation = world.start(|_| Ok(vec![]));
    let before = conversation.state().goal_hash().to_owned();
    conversation.run().unwrap();
    assert_eq!(conversation.state().goal_hash(), before);
    conversation.set_goal("another", "dev").unwrap();
    assert_ne!(conversation.state().goal_hash(), before);
    conversation.run().unwrap();
    let prompt = world.shown.lock().unwrap().last().unwrap().clone();
    assert!(prompt.system.contains("# Goal\n\nanother"), "{}", prompt.system);
}

/// Over both wires, on a real socket, with a service that is not always there.
#[test]
fn both_wires_carry_whole_conversations() {
    for provider in [Provider::OpenAi, Provider::Anthropic] {
        let world = World::new();
        std::fs::write(world.work().join("a.txt"), "one\ntwo\n").unwrap();
        let edit = json!({"path": "a.txt", "old_str": "two", "new_str": "three", "security_risk": "LOW", "summary": "counts on"});
        let script = vec![
            Say::Failing(503, 2, Box::new(Say::call("view_file", json!({"path": "a.txt"})))),
            Say::Calls(vec![
                ("str_replace".to_owned(), edit),
                ("think".to_owned(), json!({"thought": "hm"})),
            ]),
            Say::call("finish", json!({"message": "counted"})),
        ];
        let server = Scripted::start(provider, script).unwrap();
        let mut settings = server.settings();
        settings.pause = Duration::from_millis(1);
        let model = Remote::new(settings, ResolverOptions::default()).unwrap();
        let mut conversation =
            Conversation::start("count", world.parts_with(Box::new(model))).unwrap();
        assert_eq!(conversation.run().unwrap(), Status::WaitingForConfirmation, "{provider:?}");
        assert_eq!(carried_out(&mut conversation), Status::Finished, "{provider:?}");
        assert_eq!(std::fs::read_to_string(world.work().join("a.txt")).unwrap(), "one\nthree\n");
        let asked = server.asked();
        assert_eq!(asked.len(), 5, "two failed: {provider:?}");
        let last = asked.last().unwrap().to_string();
        for part in ["counts on", "call_1", "replaced", "security_risk"] {
            let is_claim = part == "counts on";
            assert_eq!(last.contains(part), !is_claim, "{part} in {last}");
        }
        assert_eq!(conversation.state().tokens(), 330 - 110 + 110, "{provider:?}");
        assert!(
            Remote::new(
                portcullis::guardian::Settings::new(Provider::GraySwan, server.url(), "x"),
                ResolverOptions::default()
            )
            .is_err()
        );
    }
}

/// What comes in pieces is heard while it comes, counts when it is whole, and is the same in the end.
#[test]
fn what_the_model_says_is_heard_and_only_a_whole_answer_counts() {
    // So much that the text is there, and the end is not.
    for (provider, cut) in [(Provider::OpenAi, 900), (Provider::Anthropic, 1_400)] {
        let world = World::new();
        let call = |title: &str| vec![("note".to_owned(), json!({"title": title}))];
        let script = vec![
            Say::BrokenOff(cut, 2, Box::new(Say::Both("I note „one“ now".to_owned(), call("one")))),
            Say::Text("I noted it.".to_owned()),
        ];
        let server = Scripted::start(provider, script).unwrap();
        let mut settings = server.settings();
        settings.pause = Duration::from_millis(1);
        let model = Remote::new(settings, ResolverOptions::default()).unwrap();
        let mut conversation =
            Conversation::start("note", world.parts_with(Box::new(model))).unwrap();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let hears = Arc::clone(&heard);
        conversation.listen(move |part| {
            let mut heard = hears.lock().unwrap();
            match part {
                Heard::Text(text) => match heard.last_mut() {
                    Some(last) => last.push_str(text),
                    None => heard.push(text.to_owned()),
                },
                Heard::BrokenOff => heard.push(String::new()),
            }
        });
        assert_eq!(carried_out(&mut conversation), Status::Finished, "{provider:?}");
        assert_eq!(world.ran(), ["one"], "{provider:?}");
        let heard = heard.lock().unwrap().clone();
        let said = "I note „one“ now";
        assert_eq!(
            heard,
            [said.to_owned(), said.to_owned(), format!("{said}I noted it.")],
            "{provider:?}"
        );
        assert_eq!(conversation.state().tokens(), 220, "what broke off said nothing of it");
        assert_eq!(server.asked().len(), 4);
    }
}
