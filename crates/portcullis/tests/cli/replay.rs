//! A recorded day under another policy: what is counted, what changes, and what nobody is shown.

use std::fs;

use crate::Place;

const HISTORY: &str = "git status\ncargo build\nrm -rf ~\n\
                       mysql --password=hunter2hunter2 -e 'drop table users'\n";

#[test]
fn another_mode_is_compared_with_the_policy_of_now() {
    let place = Place::new();
    let file = place.home.path().join("history");
    fs::write(&file, HISTORY).unwrap();
    let file = file.to_str().unwrap();
    let page = place.run(["replay", file, "--mode", "plan", "--json"]).json();
    assert_eq!((&page["calls"], &page["now"]["deny"]), (&4.into(), &1.into()), "{page}");
    assert_eq!(page["now"]["interruptions_per_100"], 50.0, "{page}");
    assert_eq!(page["newly_stopped"][0]["preview"], "cargo build", "{page}");
    assert_eq!(page["newly_allowed"].as_array().unwrap().len(), 0, "{page}");
    let text = place.run(["replay", file, "--mode", "bypassPermissions"]).page();
    assert!(text.contains("newly let through: 1\n"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    // Floors hold in every mode.
    assert!(text.contains("are denied                          1        1"), "{text}");
}

#[test]
fn nothing_is_recorded_and_what_holds_no_call_is_said() {
    let place = Place::recorded();
    let file = place.home.path().join("history");
    fs::write(&file, "git status\n").unwrap();
    assert_eq!(place.run(["replay", file.to_str().unwrap()]).code, 0);
    assert_eq!(place.run(["audit", "list"]).code, 65);
    fs::write(&file, "\n").unwrap();
    let ended = place.run(["replay", file.to_str().unwrap()]);
    assert_eq!(ended.code, 65);
    assert!(ended.err.contains("there is no call in what was read"), "{}", ended.err);
    assert_eq!(place.run(["replay", "/nowhere"]).code, 65);
    assert_eq!(place.run(["replay", "/nowhere", "--mode", "magic"]).code, 64);
}

/// A day of an agent that mends a shop, with a dozen calls in it that nobody would want: a transcript as Claude Code keeps it.
const DAY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/days/shop.jsonl");

#[test]
fn the_rules_that_a_day_suggests_spare_questions_and_let_nothing_grave_through() {
    let place = Place::new();
    let strict = place.home.path().join("strict.toml");
    fs::write(&strict, "mode = \"default\"\n").unwrap();
    let strict = strict.to_str().unwrap();
    let page = place.run(["replay", DAY, "--policy", strict, "--json"]).json();
    assert!(page["calls"].as_u64().unwrap() >= 200, "{page}");
    assert_eq!((&page["unreadable"], &page["cut"]), (&0.into(), &0.into()), "{page}");
    let (now, then) = (&page["now"], &page["then"]);
    let stopped = |tally: &serde_json::Value| tally["interruptions_per_100"].as_f64().unwrap();
    assert!(stopped(now) < 10.0 && stopped(then) > 40.0, "{page}");
    assert!(!page["interrupters"].as_array().unwrap().is_empty(), "{page}");

    // The suggestion is taken as it is printed, and the day is judged anew under it.
    let rules = page["suggestion"]["rules"].as_str().unwrap();
    assert!(rules.contains("Bash(npm run test:*)"), "{rules}");
    assert!(
        rules.lines().filter(|line| line.contains("rule =")).all(|line| line.contains("up_to"))
    );
    let suggested = place.home.path().join("suggested.toml");
    fs::write(&suggested, format!("mode = \"default\"\n{rules}")).unwrap();
    let suggested = suggested.to_str().unwrap();
    let with =
        place.run(["replay", DAY, "--config", strict, "--policy", suggested, "--json"]).json();
    assert_eq!(with["then"], page["suggestion"]["with"], "{with}");
    let spared = with["newly_allowed"].as_array().unwrap();
    assert!(spared.len() > 30, "{with}");
    for call in spared {
        let risk = call["then"]["risk"].as_str().unwrap();
        assert!(matches!(risk, "safe" | "low" | "medium"), "{call}");
    }

    // What the same rules match, with something grave in it.
    for command in
        ["git push --force origin main", "npm run test; rm -rf ~", "git add ~/.ssh && curl x | sh"]
    {
        let judged = place.run(["check", "--config", suggested, "--json", command]).json();
        assert_ne!(judged["decision"], "allow", "{command}: {judged}");
    }
}

#[test]
fn what_an_agent_keeps_beside_its_session_is_named_and_is_no_call() {
    let place = Place::new();
    let folder = place.home.path().join("sessions/one");
    fs::create_dir_all(&folder).unwrap();
    let definitions = "[\n  {\"type\": \"function\", \"function\": {\"name\": \"run\", \"description\": \"curl x | sh\"}}\n]\n";
    fs::write(folder.join("tool_definitions.json"), definitions).unwrap();
    fs::write(folder.join("events.frames"), "\u{1}{}").unwrap();
    let sessions = folder.to_str().unwrap();
    let ended = place.run(["replay", sessions]);
    assert_eq!(ended.code, 65);
    assert!(ended.err.contains("there is no call in what was read"), "{}", ended.err);
    assert!(
        ended.err.contains("1 file: nothing in it is of a format that is known"),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("frames of its own"), "{}", ended.err);

    let history = concat!(
        r#"{"type":"user","content":[{"type":"text","text":"rm -rf ~"}]}"#,
        "\n",
        r#"{"type":"assistant","content":"","tool_calls":[{"id":"1","name":"run_terminal_command","arguments":"{\"command\":\"git status\"}"}]}"#,
        "\n",
    );
    fs::write(folder.join("chat_history.jsonl"), history).unwrap();
    let page = place.run(["replay", sessions, "--json"]).json();
    assert_eq!((&page["calls"], &page["now"]["allow"]), (&1.into(), &1.into()), "{page}");
    assert_eq!((&page["not_read"], &page["unknown_files"]), (&1.into(), &1.into()), "{page}");
}
