//! It may end at any moment: whatever was kept by then, nothing runs twice and nothing runs unapproved.

use std::{
    collections::BTreeMap,
    fs,
    process::{Command, Stdio},
    time::Duration,
};

use portcullis::conversation::{
    Conversation,
    events::{Event, Status},
    path_of, read,
};
use serde_json::json;

use crate::{Said, World, carried_out, lines, note};

/// Two batches that ask, one that does not, a failure, a part, and the end.
fn turns(said: usize) -> Said {
    Ok(match said {
        0 => vec![note("a"), note("b")],
        1 => vec![("view_file", json!({"path": "a.txt"})), ("think", json!({"thought": "hm"}))],
        2 => vec![note("fail")],
        3 => vec![note("c"), note("d"), note("e")],
        _ => vec![("finish", json!({"message": "done"}))],
    })
}

#[test]
fn from_every_event_on_it_goes_on_and_runs_nothing_twice() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "hello").unwrap();
    let mut conversation = world.start(turns);
    assert_eq!(carried_out(&mut conversation), Status::Finished);
    let id = conversation.id().to_owned();
    drop(conversation);
    let whole = lines(&path_of(&world.state(), &id).unwrap());
    assert_eq!(world.ran(), ["a", "b", "fail", "c", "d", "e"]);
    let titles = ["a", "b", "", "", "fail", "c", "d", "e"];
    for kept in 1..=whole.len() {
        // A half-written line at the end changes nothing.
        for torn in [false, true] {
            fs::remove_file(world.home.path().join("ran")).ok();
            let path = path_of(&world.state(), &id).unwrap();
            let mut text: String = whole[..kept].iter().map(|line| format!("{line}\n")).collect();
            if torn && let Some(next) = whole.get(kept) {
                text.push_str(&next[..next.len() / 2]);
            }
            fs::write(&path, text).unwrap();
            let (before, begun) = {
                let mut conversation = Conversation::open(&id, world.parts(turns)).unwrap();
                let begun: Vec<u64> = conversation
                    .events()
                    .iter()
                    .filter_map(|kept| match kept.event {
                        Event::Intent { action, .. } => Some(action),
                        _ => None,
                    })
                    .collect();
                let before = conversation.status();
                let status = if before.is_over() { before } else { carried_out(&mut conversation) };
                assert_eq!(status, Status::Finished, "after {kept} of {}: {before:?}", whole.len());
                (before, begun)
            };
            let ran = world.ran();
            for (action, title) in (0..).zip(titles) {
                let times = ran.iter().filter(|ran| !title.is_empty() && *ran == title).count();
                let most = usize::from(!begun.contains(&action));
                assert!(times <= most, "after {kept} ({before:?}): `{title}` ran {times} times");
                if !title.is_empty() && most == 1 {
                    assert_eq!(times, 1, "after {kept}: `{title}` was lost");
                }
            }
            // The log says the same to whoever reads it again.
            let (events, state) = read(&path).unwrap();
            assert_eq!(state.status(), Status::Finished);
            let observed = events.iter().filter(|kept| matches!(kept.event, Event::Intent { .. }));
            assert_eq!(observed.count(), 7, "each began once");
        }
    }
}

/// What the list says of the only conversation that there is.
fn listed(world: &World) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["conversation", "list", "--json"])
        .env_clear()
        .env("HOME", world.home.path())
        .env("PORTCULLIS_STATE_DIR", world.state())
        .output()
        .unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    listed.pointer("/conversations/0/status").unwrap().as_str().unwrap().to_owned()
}

#[test]
fn one_that_was_killed_is_told_from_one_that_runs() {
    let world = World::new();
    let mut conversation = world.start(many);
    carried_out(&mut conversation);
    let id = conversation.id().to_owned();
    drop(conversation);
    assert_eq!(listed(&world), "finished");
    let path = path_of(&world.state(), &id).unwrap();
    let whole = lines(&path);
    let kept = (1..whole.len()).find(|kept| {
        fs::write(&path, whole[..*kept].join("\n") + "\n").unwrap();
        read(&path).unwrap().1.status() == Status::Running
    });
    assert!(kept.is_some(), "it ran at some time");
    assert_eq!(listed(&world), "interrupted");
    let held = portcullis::conversation::EventLog::open(&path).unwrap();
    assert_eq!(listed(&world), "running");
    drop(held);
}

const HOME: &str = "PORTCULLIS_TEST_CONVERSATION";

fn many(said: usize) -> Said {
    // However quick the machine is, there is time to be killed in.
    std::thread::sleep(Duration::from_millis(5));
    Ok(match said {
        0..12 => (0..3).map(|at| ("note", json!({"title": format!("{said}-{at}")}))).collect(),
        _ => vec![("finish", json!({"message": "done"}))],
    })
}

/// The process of [`a_process_that_is_killed_at_any_time_runs_nothing_twice`].
#[test]
fn goes_on_until_it_is_killed() {
    let Some(home) = std::env::var_os(HOME) else { return };
    let world = World::of(home.as_ref());
    let id = portcullis::conversation::list(&world.state()).unwrap();
    let mut conversation = match id.first() {
        // One that was killed before its first line was whole never began.
        Some((id, _)) => match Conversation::open(id, world.parts(many)) {
            Ok(conversation) => conversation,
            Err(error) => panic!("{error}"),
        },
        None => Conversation::start("do it", world.parts(many)).unwrap(),
    };
    carried_out(&mut conversation);
}

#[test]
fn a_process_that_is_killed_at_any_time_runs_nothing_twice() {
    // Where this process stood still, the other may have come to its end before it could be killed.
    let killed = (0..20).any(|_| killed_until_it_is_over() >= 5);
    assert!(killed, "too few were killed");
}

fn only(world: &World) -> String {
    portcullis::conversation::list(&world.state()).unwrap().first().unwrap().0.clone()
}

/// How often a conversation was killed before it came to its end.
fn killed_until_it_is_over() -> usize {
    let world = World::new();
    // The first line is there before anything is killed.
    drop(world.start(many));
    let path = path_of(&world.state(), &only(&world)).unwrap();
    let written = || fs::metadata(&path).unwrap().len();
    let mut seed = u64::from(std::process::id()) | 1;
    let (mut killed, mut starts) = (0, 0);
    let status = loop {
        starts += 1;
        assert!(starts < 60, "it gets nowhere: {:?}", read(&path).unwrap().1.status());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["crash::goes_on_until_it_is_killed", "--exact", "--nocapture"])
            .env(HOME, world.home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Killed once it has written so much more; the later ones are let live: each has to get somewhere.
        let enough = if killed < 25 { written() + (seed >> 33) % 3_000 } else { u64::MAX };
        let until = std::time::Instant::now() + Duration::from_secs(60);
        while child.try_wait().unwrap().is_none()
            && written() <= enough
            && std::time::Instant::now() < until
        {
            std::thread::yield_now();
        }
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            killed += 1;
        }
        child.wait().unwrap();
        let (_, state) = read(&path).unwrap();
        if state.status().is_over() {
            break state.status();
        }
    };
    assert!(status.is_over());
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for title in world.ran() {
        *times.entry(title).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    killed
}
