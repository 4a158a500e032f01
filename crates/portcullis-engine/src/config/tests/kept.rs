//! The user's own file as agents meet it, beside what a person left.

use std::fs;

use super::{super::*, layers::World};

/// The rules that deny, that ask and that allow, for an agent, and what is said of the file.
fn met(world: &World) -> (String, String, String, Option<String>) {
    let configuration = Configuration::load_for_agents(None, &world.directories).unwrap();
    let options = configuration.policy.options();
    let rules = |rules: &[Rule]| {
        let mut words: Vec<String> = rules.iter().map(ToString::to_string).collect();
        words.dedup();
        words.join(" ")
    };
    let doubt = configuration.doubt();
    (rules(&options.deny), rules(&options.ask), rules(&options.allow), doubt)
}

fn says(world: &World, text: &str) -> (String, String, String, Option<String>) {
    fs::write(world.user(), text).unwrap();
    met(world)
}

fn as_left(deny: &str, ask: &str, allow: &str) -> (String, String, String, Option<String>) {
    (deny.to_owned(), ask.to_owned(), allow.to_owned(), None)
}

const ALLOWS: &str = "rules.allow = ['Bash(make)']\n";

#[test]
fn what_is_only_stricter_is_what_counts_from_then_on() {
    let world = World::new();
    assert_eq!(says(&world, ALLOWS), as_left("", "", "Bash(make)"));
    let stricter = "mode = 'plan'\nrules.allow = ['Bash(make)']\nrules.deny = ['WebFetch']\n";
    assert_eq!(says(&world, stricter), as_left("WebFetch", "", "Bash(make)"));
    // Put back, it holds on, and that is said.
    let (deny, _, allow, doubt) = says(&world, ALLOWS);
    assert_eq!((deny.as_str(), allow.as_str()), ("WebFetch", "Bash(make)"));
    assert!(doubt.unwrap().contains("waits for `portcullis trust`"));
    let configuration = Configuration::load_for_agents(None, &world.directories).unwrap();
    assert_eq!(configuration.policy.options().mode, Some(Mode::Plan));
    assert_eq!(says(&world, stricter), as_left("WebFetch", "", "Bash(make)"));
    // Without what it allowed it is stricter too.
    let least = "mode = 'plan'\nrules.deny = ['WebFetch']\n";
    assert_eq!(says(&world, least), as_left("WebFetch", "", ""));
    assert_eq!(says(&world, stricter).2, "");
    // A person says that it is theirs.
    let kept = Kept::new(world.directories.state.as_deref().unwrap());
    kept.keep(&world.user(), Named::ByPlace, ALLOWS).unwrap();
    assert_eq!(says(&world, ALLOWS), as_left("", "", "Bash(make)"));
}

#[test]
fn what_is_stricter_and_looser_holds_as_far_as_it_is_stricter_whatever_stands_there_later() {
    let world = World::new();
    assert_eq!(says(&world, ALLOWS), as_left("", "", "Bash(make)"));
    let both = "rules.allow = ['Bash(npm publish)']\nrules.deny = ['WebFetch']\n";
    let (deny, _, allow, doubt) = says(&world, both);
    assert_eq!((deny.as_str(), allow.as_str()), ("WebFetch", "Bash(make)"));
    assert!(doubt.unwrap().contains("waits for `portcullis trust`"));
    let classes = "[rules]\nask = ['Write']\n[classes]\nRead = 'destructive'\n";
    assert_eq!(says(&world, classes).0, "WebFetch");
    for text in [ALLOWS, "", "mode = 'bypass", both, "rules.allow = ['Bash']\n"] {
        let (deny, ask, allow, doubt) = says(&world, text);
        assert_eq!(deny, "WebFetch", "{text}");
        assert_eq!((ask.as_str(), allow.as_str()), ("Write", "Bash(make)"), "{text}");
        assert!(doubt.unwrap().contains("portcullis trust"), "{text}");
        let configuration = Configuration::load_for_agents(None, &world.directories).unwrap();
        assert_eq!(configuration.policy.options().classes.len(), 1, "{text}");
    }
    fs::remove_file(world.user()).unwrap();
    assert_eq!(met(&world).0, "WebFetch");
    // All of it in one file, and nothing else, is that file.
    let whole = "[rules]\nask = ['Write']\ndeny = ['WebFetch']\nallow = ['Bash(make)']\n[classes]\nRead = 'destructive'\n";
    assert!(says(&world, whole).3.is_some(), "classes have no order that is known here");
    let kept = Kept::new(world.directories.state.as_deref().unwrap());
    kept.keep(&world.user(), Named::ByPlace, whole).unwrap();
    assert_eq!(met(&world), as_left("WebFetch", "Write", "Bash(make)"));
    assert_eq!(says(&world, ALLOWS).0, "WebFetch");
}

#[test]
fn more_stricter_texts_than_are_held_are_never_fewer() {
    let world = World::new();
    says(&world, ALLOWS);
    let mut denied = false;
    for number in 0..40 {
        let text = format!("rules.allow = ['Bash']\nrules.deny = ['Bash(x{number})']\n");
        fs::write(world.user(), text).unwrap();
        denied = Configuration::load_for_agents(None, &world.directories).is_err();
    }
    assert!(denied);
    fs::write(world.user(), ALLOWS).unwrap();
    let error = Configuration::load_for_agents(None, &world.directories).unwrap_err();
    assert!(matches!(error, ConfigError::NotKept { .. }), "{error}");
}

#[test]
fn a_file_that_is_loosened_holds_nothing_back_from_a_person_who_never_changed_it() {
    let world = World::new();
    says(&world, "rules.deny = ['WebFetch']\nrules.allow = ['Bash(make)']\n");
    for loosened in ["", "mode = 'bypassPermissions'\n", "rules.allow = ['Bash']\n"] {
        assert_eq!(says(&world, loosened).0, "WebFetch", "{loosened}");
    }
    // What only looks the same is not: a rule has more than its words.
    let text = "[rules]\ndeny = [{ tool = 'WebFetch', reason = 'x' }]\nallow = ['Bash(make)']\n";
    assert!(says(&world, text).0.contains("WebFetch"));
}

#[test]
fn without_its_copy_a_file_counts_against_what_is_built_in() {
    let world = World::new();
    let state = world.directories.state.clone().unwrap();
    says(&world, ALLOWS);
    fs::create_dir(state.join("memory")).unwrap();
    fs::remove_dir_all(state.join("own")).unwrap();
    let text = "rules.allow = ['Bash']\nrules.deny = ['WebFetch']\n";
    for _ in 0..2 {
        let (deny, _, allow, doubt) = says(&world, text);
        assert_eq!((deny.as_str(), allow.as_str()), ("WebFetch", ""));
        assert!(doubt.unwrap().contains("no copy is kept of it"));
        assert!(!state.join("own").exists());
    }
    fs::remove_file(world.user()).unwrap();
    assert!(met(&world).3.is_some(), "that there is none is said too");
    Kept::new(&state).keep(&world.user(), Named::ByPlace, text).unwrap();
    assert_eq!(says(&world, text), as_left("WebFetch", "", "Bash"));
}

#[test]
fn another_file_counts_against_the_one_that_a_person_left() {
    let mut world = World::new();
    says(&world, "rules.deny = ['WebFetch']\nrules.allow = ['Bash(make)']\n");
    let left = world.directories.configuration.clone().unwrap();
    let other = left.with_file_name("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join(FILE_NAME), "rules.allow = ['Bash']\nrules.ask = ['Write']\n").unwrap();
    world.directories.configuration = Some(other.clone());
    for _ in 0..2 {
        let (deny, ask, allow, doubt) = met(&world);
        assert_eq!(
            (deny.as_str(), ask.as_str(), allow.as_str()),
            ("WebFetch", "Write", "Bash(make)")
        );
        let doubt = doubt.unwrap();
        assert!(doubt.contains("is not the file") && doubt.contains("portcullis trust"), "{doubt}");
    }
    fs::remove_dir_all(&left).unwrap();
    assert_eq!(met(&world).0, "WebFetch", "whether the other is there or not");
}
