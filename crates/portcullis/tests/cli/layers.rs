//! Configuration in layers as people meet it.

use std::fs;

use insta::assert_snapshot;

use super::Place;

/// A place with a user's file, and a project's in the working directory.
fn place(user: &str, project: &str) -> Place {
    let place = Place::new();
    let config = place.home.path().join(".config/portcullis");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), user).unwrap();
    let workspace = place.home.path().join("work");
    fs::create_dir(&workspace).unwrap();
    fs::write(workspace.join(".portcullis.toml"), project).unwrap();
    place
}

const USER: &str = "rules.allow = ['Bash(git status)']\nhook.approve = 'read-only'\n";
const PROJECT: &str = "mode = 'plan'\n[rules]\nallow = ['Bash(make)']\n\
    deny = [{ rule = 'Bash(make deploy)', reason = 'the pipeline deploys', match = ['make deploy'] }]\n";

/// What is printed, without what differs from run to run.
fn page(place: &Place, arguments: &[&str]) -> String {
    let home = fs::canonicalize(place.home.path()).unwrap();
    let page = place.run(arguments).page();
    let page = page.replace(home.to_str().unwrap(), "/home/dev");
    page.replace(place.home.path().to_str().unwrap(), "/home/dev")
}

#[test]
fn a_project_counts_for_calls_in_it_and_its_reason_is_told() {
    let place = place(USER, PROJECT);
    let work = place.home.path().join("work");
    let work = work.to_str().unwrap();
    let verdict = |arguments: &[&str]| place.run(arguments).code;
    assert_eq!(verdict(&["check", "--cwd", work, "touch x"]), 2);
    assert_eq!(verdict(&["check", "touch x"]), 0);
    assert_eq!(verdict(&["check", "--cwd", work, "make"]), 2, "it waits for trust");
    let ended = place.run(["check", "--cwd", work, "make deploy"]);
    assert!(ended.out.contains(": the pipeline deploys"), "{}", ended.page());
    let named = place.home.path().join(".config/portcullis/config.toml");
    let named = named.to_str().unwrap();
    assert_eq!(verdict(&["check", "--config", named, "--cwd", work, "touch x"]), 0);
    let lines = format!(
        "{{\"id\":1,\"tool\":\"bash\",\"arguments\":{{\"command\":\"touch x\"}},\"cwd\":\"{work}\"}}\n\
         {{\"id\":2,\"tool\":\"bash\",\"arguments\":{{\"command\":\"touch x\"}}}}\n"
    );
    let answers = place.fed(["check", "--jsonl"], lines.as_bytes()).out;
    let decisions: Vec<_> = answers
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["decision"].clone())
        .collect();
    assert_eq!(decisions, ["deny", "allow"]);
}

#[test]
fn a_policy_is_shown_with_where_each_part_comes_from() {
    let place = place(USER, PROJECT);
    let shown = page(&place, &["policy", "show", "--cwd", "work"]);
    let own = |line: &&str| {
        !line.starts_with("policy") && !line.starts_with("  ") && !line.contains(".*")
    };
    let shown: Vec<_> = shown.lines().filter(own).collect();
    assert_snapshot!(shown.join("\n"));
    let json = place.run(["policy", "show", "--cwd", "work", "--json"]).json();
    assert_eq!(json["mode"], "plan");
    assert_eq!(json["files"][1]["layer"], "project");
    assert_eq!(json["files"][1]["trusted"], false);
    assert_eq!(json["left_out"][0]["key"], "rules.allow");
    assert_eq!(json["left_out"][0]["why"], "untrusted");
    assert_eq!(json["hook"]["approve"], "read-only");
}

#[test]
fn a_check_tells_what_holds_and_what_waits() {
    let place = place(USER, PROJECT);
    assert_snapshot!("check-here", page(&place, &["policy", "check", "--cwd", "work"]));
    assert_snapshot!(
        "check-a-project",
        page(&place, &["policy", "check", "work/.portcullis.toml"])
    );
    let json = place.run(["policy", "check", "work/.portcullis.toml", "--json"]).json();
    assert_eq!((&json["usable"], &json["v"]), (&true.into(), &1.into()));
    assert_eq!(json["settings"].as_array().unwrap().len(), 4, "{json}");
}

#[test]
fn examples_are_tried_and_told_one_by_one() {
    let place = place(USER, PROJECT);
    let file = "[rules]\nallow = [{ rule = 'Bash(npm run build)', match = ['npm run build'], \
        no_match = ['npm run build; rm -rf /', 'npm run build'] }]\n";
    fs::write(place.home.path().join("mine.toml"), file).unwrap();
    assert_snapshot!("test-a-file", page(&place, &["policy", "test", "mine.toml"]));
    assert_snapshot!("check-a-failing-example", page(&place, &["policy", "check", "mine.toml"]));
    let here = place.run(["policy", "test", "--cwd", "work", "--json"]);
    assert_eq!((here.code, &here.json()["failed"]), (0, &0.into()), "{}", here.page());
    assert_eq!(here.json()["examples"][0]["rule"], "Bash(make deploy)");
}

#[test]
fn nobody_trusts_a_project_without_a_person() {
    let place = place(USER, PROJECT);
    let asked = place.run(["trust", "work"]);
    assert_eq!(asked.code, 64, "{}", asked.page());
    assert!(asked.out.contains("+ rules.allow: Bash(make)"), "{}", asked.page());
    assert!(asked.err.contains("a person has to answer"), "{}", asked.page());
    assert_eq!(place.run(["trust", "list"]).out, "nothing is trusted\n");
    let revoked = place.run(["trust", "revoke", "work/.portcullis.toml"]);
    assert!(revoked.out.ends_with("was not trusted\n"), "{}", revoked.page());
    for (arguments, code) in [
        (&["trust", "."][..], 64),
        (&["trust", "absent"], 64),
        (&["trust", ".config/portcullis/config.toml"], 0),
        (&["trust", "list", "--json"], 0),
    ] {
        assert_eq!(place.run(arguments).code, code, "{arguments:?}");
    }
}

#[test]
fn what_asks_for_nothing_needs_no_trust() {
    let place = place("", "rules.deny = ['Bash(make)']");
    let asked = place.run(["trust", "work"]);
    assert_eq!(asked.code, 0, "{}", asked.page());
    assert!(asked.out.contains("asks for nothing that needs trust"), "{}", asked.page());
}

#[test]
fn the_analyzers_of_a_file_judge() {
    let place = place("analyzers = ['pattern', 'policy-rail']", "");
    let risk = |arguments: &[&str]| {
        let ended = place.run([&["check", "--json", "--cwd", "/w"], arguments].concat());
        ended.json()["risk"].as_str().unwrap().to_owned()
    };
    assert_eq!(risk(&["ls -la"]), "low", "as the pattern analyzer has it");
    assert_eq!(risk(&["--analyzers", "rules", "ls -la"]), "safe");
}
