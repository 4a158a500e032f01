//! What servers may reach, as files say it.

use std::{fs, path::Path};

use super::{super::*, layers::World};

#[test]
fn the_most_general_file_that_has_a_server_says_what_it_may_reach() {
    let world = World::new();
    fs::write(
        world.managed(),
        "[contracts.servers.\"*\"]\n[contracts.servers.tracker]\nhosts = [\"tracker.example\"]\n",
    )
    .unwrap();
    fs::write(
        world.user(),
        "[contracts.servers.tracker]\nhosts = [\"tracker.example\", \"elsewhere.example\"]\n[contracts.servers.notes]\nread = [\"~/notes\"]\n",
    )
    .unwrap();
    let configuration = world.load().unwrap();
    let hosts = |server: &str| configuration.server_contract(server).map(|it| it.hosts.len());
    assert_eq!(hosts("tracker"), Some(1));
    assert_eq!(configuration.server_contract("notes").unwrap().read, ["~/notes"]);
    assert_eq!(hosts("any other"), Some(0));
    let left = &configuration.account.left_out;
    assert!(left.iter().any(|one| one.key == "contracts.servers"), "{left:?}");
    assert_eq!(configuration.own_file(), Some(world.user()));
    // Contracts of tools that a file above has stay: this one speaks of servers alone.
    fs::write(world.managed(), "[contracts.tools.mcp__bank__zap]\nclass = \"pay\"\n").unwrap();
    assert!(world.load().unwrap().contracts.of("mcp__bank__zap").is_some());
}

#[test]
fn a_lock_binds_contracts_of_servers_too_and_a_project_has_no_say() {
    let world = World::new();
    fs::write(world.managed(), "[managed]\nlock = [\"classes\"]\n").unwrap();
    fs::write(world.user(), "[contracts.servers.tracker]\nread = [\"/\"]\n").unwrap();
    assert_eq!(world.load().unwrap().server_contract("tracker"), None);
    fs::write(world.project(), "[contracts.servers.tracker]\n").unwrap();
    world.trust_project();
    assert!(world.load().unwrap_err().to_string().contains("a project has no say"));
}

#[test]
fn a_contract_that_could_mean_several_things_is_refused() {
    for (text, why) in [
        ("hosts = [\"https://x.example/\"]", "https://x.example/"),
        ("hosts = [\"*\"]", "*"),
        ("hosts = [\"10.0.0.0/8\"]", "range"),
        ("read = [\"notes\"]", "could be anywhere"),
        ("write = [\"../x\"]", "could be anywhere"),
        ("env = [\"A=b\"]", "a variable that cannot be one"),
        ("network = \"open\"", "unknown field"),
    ] {
        let text = format!("[contracts.servers.tracker]\n{text}\n");
        let error = Configuration::parse(&text, Path::new("mine.toml")).unwrap_err();
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
}
