//! A policy from a centre as people meet it: built, signed by two, published, fetched, and in force.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::{Ended, Place};

/// A machine with a centre in a file, and two people who sign.
struct Centre {
    place: Place,
    keys: [String; 2],
}

impl Centre {
    fn new(rest: &str) -> Self {
        let place = Place::recorded();
        let keys = ["ana.key", "ben.key"].map(|name| {
            let made = place.run(["policy", "key", name]);
            assert_eq!(made.code, 0, "{}", made.page());
            made.out.trim().to_owned()
        });
        let centre = Self { place, keys };
        centre.configure(rest);
        // What is left so counts for agents, whatever runs afterwards.
        centre.done("policy show");
        centre
    }

    fn configure(&self, rest: &str) {
        let config = self.path(".config/portcullis");
        fs::create_dir_all(&config).unwrap();
        let [ana, ben] = &self.keys;
        let url = self.path("centre.bundle").display().to_string();
        let text = format!("[central]\nurl = \"{url}\"\nkeys = [\"{ana}\", \"{ben}\"]\n{rest}");
        fs::write(config.join("config.toml"), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.home.path().join(name)
    }

    fn run(&self, line: &str) -> Ended {
        self.place.run(line.split(' '))
    }

    fn done(&self, line: &str) -> Ended {
        let ended = self.run(line);
        assert_eq!(ended.code, 0, "{line}: {}", ended.page());
        ended
    }

    /// A bundle of one file that both signed, where the centre has it.
    fn published(&self, revision: u32, toml: &str) {
        let folder = self.path("policy");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("base.toml"), toml).unwrap();
        self.done(&format!("policy build policy --name acme --revision {revision} -o new.bundle"));
        self.done("policy sign new.bundle --key ana.key");
        self.done("policy sign new.bundle --key ben.key");
        self.done("policy publish new.bundle");
    }

    fn revision(&self) -> Value {
        let shown = self.done("policy show --json").json();
        shown.pointer("/central/revision").cloned().unwrap_or_default()
    }
}

const NO_CURL: &str = "[rules]\ndeny = [{ rule = \"Bash(curl *)\", reason = \"use the mirror\", match = [\"curl x\"] }]\n";

#[test]
fn two_people_publish_and_every_decision_names_what_they_published() {
    let centre = Centre::new("");
    assert_eq!(centre.run("check ls").code, 3, "nothing was fetched yet");
    let folder = centre.path("policy");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("base.toml"), NO_CURL).unwrap();
    centre.done("policy build policy --name acme --revision 3 -o new.bundle");
    centre.done("policy sign new.bundle --key ana.key");
    let alone = centre.run("policy publish new.bundle");
    assert_eq!(alone.code, 2, "{}", alone.page());
    assert!(
        alone.err.contains("signed by 1 of the keys that count, and 2 are needed"),
        "{}",
        alone.err
    );
    centre.done("policy sign new.bundle --key ana.key");
    assert_eq!(centre.run("policy publish new.bundle").code, 2, "twice the same person");
    centre.done("policy sign new.bundle --key ben.key");
    centre.done("policy publish new.bundle");
    let fetched = centre.done("policy fetch --json").json();
    assert_eq!((&fetched["state"], &fetched["revision"]), (&json!("activated"), &json!(3)));
    assert_eq!(centre.done("policy fetch --json").json()["state"], "unchanged");
    assert_eq!(centre.run("check ls").code, 0);
    let denied = centre.place.run(["check", "--json", "curl https://a.example"]);
    assert_eq!(denied.code, 2, "{}", denied.page());
    let records = centre.done("audit list --json --limit 100").json();
    let records = records["records"].as_array().unwrap();
    let digest = fetched["digest"].as_str().unwrap();
    let last = records.last().unwrap()["policy"].as_str().unwrap();
    assert!(last.ends_with(&format!(", central acme 3 {digest}")), "{last}");
    let changed = records.iter().find(|record| record["outcome"] == "policy activated").unwrap();
    assert!(changed["reason"].as_str().unwrap().contains(digest), "{changed}");
    let shown = centre.done("policy show").out;
    assert!(shown.contains("Bash(curl *) (central)"), "{shown}");
    assert!(shown.contains("centre:        acme 3 of"), "{shown}");
    let payload = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s", "cwd": "/",
        "tool_input": { "command": "curl https://a.example" },
    });
    let answer = centre.place.hook("claude", payload.to_string().as_bytes());
    assert!(answer.out.contains("use the mirror"), "{}", answer.page());
}

#[test]
fn what_is_refused_leaves_what_was_in_force() {
    let centre = Centre::new("");
    centre.published(5, NO_CURL);
    centre.done("policy fetch");
    let good = fs::read_to_string(centre.path("centre.bundle")).unwrap();
    let refused = |text: &str, why: &str| {
        fs::write(centre.path("centre.bundle"), text).unwrap();
        let ended = centre.run("policy fetch");
        assert_eq!(ended.code, 2, "{why}: {}", ended.page());
        assert!(ended.err.contains(why), "{why}: {}", ended.err);
        assert_eq!(centre.revision(), 5, "{why}");
        assert_eq!(centre.place.run(["check", "curl https://a.example"]).code, 2, "{why}");
    };
    refused(&good[..good.len() / 2], "it is no bundle");
    let mut value: Value = serde_json::from_str(&good).unwrap();
    value["files"]["more.toml"] = json!("");
    refused(&value.to_string(), "`more.toml` is not listed");
    value["files"] = json!({});
    refused(&value.to_string(), "`base.toml` is missing");
    centre.published(4, "");
    let older = fs::read_to_string(centre.path("centre.bundle")).unwrap();
    refused(&older, "it is revision 4, and revision 5 was in force already");
    centre.published(5, "");
    let twin = fs::read_to_string(centre.path("centre.bundle")).unwrap();
    refused(&twin, "another revision 5");
    fs::remove_file(centre.path("centre.bundle")).unwrap();
    assert_eq!(centre.run("policy fetch").code, 65);
    assert_eq!(centre.revision(), 5);
    // The newest is cut where it is kept, and the one before it holds.
    centre.published(6, "");
    centre.done("policy fetch");
    let current = centre.path(".local/state/portcullis/central/current");
    let bytes = fs::read(&current).unwrap();
    fs::write(&current, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(centre.revision(), 5);
    let told = centre.run("check ls");
    assert!(told.err.contains("cannot be used: it is cut short"), "{}", told.page());
}

#[test]
fn the_canary_says_what_would_change_and_stops_what_changes_too_much() {
    let centre = Centre::new("[central.canary]\nmost_changed_per_1000 = 100\n");
    centre.published(1, "");
    centre.done("policy fetch");
    for command in ["curl https://a.example/x", "curl https://a.example/x", "ls", "cat README.md"] {
        let call = json!({ "tool": "bash", "arguments": { "command": command }, "agent": "codex" });
        let judged = centre.place.fed(["check", "--jsonl"], format!("{call}\n").as_bytes());
        assert_eq!(judged.code, 0, "{}", judged.page());
    }
    centre.published(2, NO_CURL);
    let stopped = centre.run("policy fetch --json");
    assert_eq!(stopped.code, 2, "{}", stopped.page());
    let said = stopped.json();
    assert_eq!(said["state"], "stopped");
    let canary = &said["canary"];
    assert_eq!((&canary["calls"], &canary["changed"]), (&json!(4), &json!(2)), "{canary}");
    assert_eq!(canary["changes"][0]["then"], "deny");
    assert_eq!(canary["agents"], json!({ "codex": 2 }));
    assert_eq!(canary["examples"].as_array().unwrap().len(), 1);
    assert_eq!(centre.revision(), 1);
    assert_eq!(
        centre.done("policy fetch --whatever-it-changes --json").json()["state"],
        "activated"
    );
    assert_eq!(centre.revision(), 2);
    centre.published(3, "");
    let tried = centre.done("policy fetch --dry-run --whatever-it-changes --json").json();
    assert_eq!(tried["state"], "tried");
    assert_eq!(centre.revision(), 2, "a trial puts nothing in force");
}

#[test]
fn a_team_tries_its_own_cases() {
    let centre = Centre::new("");
    fs::write(centre.path("mine.toml"), NO_CURL).unwrap();
    let cases = "{\"name\":\"mirror\",\"tool\":\"bash\",\"arguments\":{\"command\":\"curl x\"},\"cwd\":\"/w\",\"expect\":\"deny\"}\n\n\
        {\"tool\":\"bash\",\"arguments\":{\"command\":\"ls\"},\"cwd\":\"/w\",\"expect\":\"allow\",\"risk\":\"safe\"}\n";
    fs::write(centre.path("cases.jsonl"), cases).unwrap();
    centre.configure("when_stale = \"warn\"\n");
    let all = centre.done("policy test mine.toml --cases cases.jsonl --json").json();
    assert_eq!((&all["failed"], all["cases"].as_array().unwrap().len()), (&json!(0), 2), "{all}");
    fs::write(centre.path("cases.jsonl"), cases.replace("\"deny\"", "\"allow\"")).unwrap();
    let wrong = centre.run("policy test mine.toml --cases cases.jsonl");
    assert_eq!(wrong.code, 78, "{}", wrong.page());
    assert!(wrong.out.contains("FAILED: mirror: expected allow, it is deny"), "{}", wrong.out);
    for line in [
        "{}",
        "{\"expect\":\"no\"}",
        "x",
        "{\"tool\":\"bash\",\"arguments\":{},\"expect\":\"deny\",\"x\":1}",
    ] {
        fs::write(centre.path("cases.jsonl"), line).unwrap();
        let ended = centre.run("policy test mine.toml --cases cases.jsonl");
        assert_eq!(ended.code, 65, "{line}: {}", ended.page());
    }
}
