//! The gateway as a centre: who gives it a policy, and who gets it.

use std::{
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::{Answer, Gateway, PATIENCE};

fn run(home: &Path, line: &str) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(line.split(' '))
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

fn done(home: &Path, line: &str) -> String {
    let (code, text) = run(home, line);
    assert_eq!(code, 0, "{line}: {text}");
    text
}

fn bundle(home: &Path, revision: u32, toml: &str) -> String {
    fs::create_dir_all(home.join("policy")).unwrap();
    fs::write(home.join("policy/base.toml"), toml).unwrap();
    done(home, &format!("policy build policy --name acme --revision {revision} -o new.bundle"));
    done(home, "policy sign new.bundle --key key");
    fs::read_to_string(home.join("new.bundle")).unwrap()
}

const PATH: &str = "/v1/policy/bundle";

fn put(gateway: &Gateway, token: &str, body: &str) -> Answer {
    gateway.client().send("PUT", PATH, token, &[], body).unwrap()
}

fn etag(answer: &Answer) -> String {
    let line = answer.headers.lines().find(|line| line.starts_with("etag: ")).unwrap();
    line.trim_start_matches("etag: ").trim().to_owned()
}

#[test]
fn a_gateway_gives_out_what_was_signed_and_nothing_older() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let key = done(home, "policy key key");
    let config = home.join("config.toml");
    let key = key.trim();
    fs::write(
        &config,
        format!("[central]\nurl = \"/nowhere\"\nkeys = [\"{key}\"]\nwhen_stale = \"warn\"\n"),
    )
    .unwrap();
    let state = home.join("state");
    let gateway = Gateway::at_home(home, &state, &["--config", config.to_str().unwrap()]);
    assert_eq!(gateway.client().get(PATH, &gateway.agents).status, 404);
    let first = bundle(home, 1, "");
    assert_eq!(put(&gateway, &gateway.agents, &first).status, 403, "an agent publishes nothing");
    let mut unsigned: Value = serde_json::from_str(&first).unwrap();
    unsigned["signatures"] = json!([]);
    let refused = put(&gateway, &gateway.person, &unsigned.to_string());
    assert_eq!((refused.status, refused.code().as_str()), (422, "refused"), "{}", refused.body);
    assert_eq!(put(&gateway, &gateway.person, first.get(..first.len() / 2).unwrap()).status, 422);
    let taken = put(&gateway, &gateway.person, &first);
    assert_eq!((taken.status, &taken.json()["revision"]), (200, &json!(1)), "{}", taken.body);
    let given = gateway.client().get(PATH, &gateway.agents);
    assert_eq!((given.status, given.body.as_str()), (200, first.as_str()));
    let known = etag(&given);
    let same =
        gateway.client().send("GET", PATH, &gateway.agents, &[("If-None-Match", &known)], "");
    assert_eq!(same.unwrap().status, 304);
    // Whoever waits is told as soon as there is a newer one.
    let waiting = thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let path = format!("{PATH}?wait=60");
            gateway
                .client()
                .send("GET", &path, &gateway.agents, &[("If-None-Match", &known)], "")
                .unwrap()
        });
        let second = bundle(home, 2, "mode = \"plan\"\n");
        assert_eq!(put(&gateway, &gateway.person, &second).status, 200);
        (waiting.join().unwrap(), second)
    });
    assert_eq!((waiting.0.status, waiting.0.body.as_str()), (200, waiting.1.as_str()));
    let older = put(&gateway, &gateway.person, &first);
    assert_eq!((older.status, older.code().as_str()), (409, "not-newer"), "{}", older.body);
    let records = gateway.client().get("/v1/records?kind=change", &gateway.person).json();
    let published = records["records"].as_array().unwrap().iter();
    let published = published.filter(|record| record["outcome"] == "policy published");
    assert_eq!(published.count(), 2, "{records}");

    // Another machine, whose centre is the gateway.
    let machine = home.join("machine");
    fs::create_dir_all(machine.join(".config/portcullis")).unwrap();
    let token = machine.join("token");
    fs::write(&token, &gateway.agents).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let url = format!("http://{}{PATH}", gateway.address);
    let text = format!(
        "[central]\nurl = \"{url}\"\nkeys = [\"{key}\"]\ntoken = \"{}\"\n",
        token.display()
    );
    fs::write(machine.join(".config/portcullis/config.toml"), text).unwrap();
    assert!(done(&machine, "policy fetch").starts_with("activated: acme 2"));
    assert!(done(&machine, "policy fetch").starts_with("unchanged: acme 2"));
    let shown = done(&machine, "policy show --json");
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["mode"], &shown["central"]["revision"]), (&json!("plan"), &json!(2)));
    // Published by the verb, with the person's token.
    bundle(home, 3, "");
    let person = home.join("person");
    fs::write(&person, &gateway.person).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&person, fs::Permissions::from_mode(0o600)).unwrap();
    }
    done(
        home,
        &format!("policy publish new.bundle --config config.toml --to {url} --token person"),
    );
    assert!(done(&machine, "policy fetch --wait 1").starts_with("activated: acme 3"));
}

fn private(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// A machine whose centre is a gateway, which it asks with a token.
fn machine(home: &Path, gateway: &Gateway, (key, token): (&str, &str)) {
    fs::create_dir_all(home.join(".config/portcullis")).unwrap();
    private(&home.join("token"), token);
    private(&home.join("person"), &gateway.person);
    let (url, token) = (format!("http://{}{PATH}", gateway.address), home.join("token"));
    let text = format!(
        "[central]\nurl = \"{url}\"\nkeys = [\"{key}\"]\ntoken = \"{}\"\ncanary.days = 0\n",
        token.display()
    );
    fs::write(home.join(".config/portcullis/config.toml"), text).unwrap();
}

#[test]
fn what_each_machine_holds_is_told_after_each_fetch_and_who_is_behind_comes_first() {
    const MACHINES: &str = "/v1/policy/machines";
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let key = done(home, "policy key key");
    let config = home.join("config.toml");
    let key = key.trim();
    fs::write(
        &config,
        format!("[central]\nurl = \"/nowhere\"\nkeys = [\"{key}\"]\nwhen_stale = \"warn\"\n"),
    )
    .unwrap();
    let state = home.join("state");
    let gateway = Gateway::at_home(home, &state, &["--config", config.to_str().unwrap()]);
    assert_eq!(put(&gateway, &gateway.person, &bundle(home, 1, "")).status, 200);
    let (ana, ben) = (home.join("ana"), home.join("ben"));
    machine(&ana, &gateway, (key, &gateway.token("ana", &["judge"])));
    machine(&ben, &gateway, (key, &gateway.token("ben", &["judge"])));
    let (code, nobody) = run(&ana, "policy machines --token person");
    assert_eq!((code, nobody.trim()), (0, "no machine said anything yet"));
    done(&ana, "policy fetch");
    done(&ben, "policy fetch");
    let (code, both) = run(&ana, "policy machines --token person");
    assert_eq!((code, both.lines().count()), (0, 2), "{both}");
    assert_eq!(put(&gateway, &gateway.person, &bundle(home, 2, "")).status, 200);
    done(&ana, "policy fetch");
    let listed = || gateway.client().get(MACHINES, &gateway.person).json();
    let seen = listed();
    assert_eq!(seen["given"]["revision"], 2);
    let of = |at: usize, seen: &Value| {
        let one = &seen["machines"][at];
        [&one["token"], &one["revision"], &one["state"], &one["current"], &one["silent"]]
            .map(Value::to_string)
            .join(" ")
    };
    assert_eq!(of(0, &seen), "\"ben\" 1 \"activated\" false false");
    assert_eq!(of(1, &seen), "\"ana\" 2 \"activated\" true false");
    let (code, behind) = run(&ana, "policy machines --token person");
    assert_eq!(code, 2, "{behind}");
    assert!(behind.lines().next().unwrap().ends_with("behind"), "{behind}");
    // What is refused is told with why, and what held before.
    let other = done(home, "policy key other");
    let text = fs::read_to_string(ben.join(".config/portcullis/config.toml")).unwrap();
    fs::write(ben.join(".config/portcullis/config.toml"), text.replace(key, other.trim())).unwrap();
    assert_eq!(run(&ben, "policy fetch").0, 2);
    let refused = &listed()["machines"][0];
    assert_eq!(
        (&refused["state"], &refused["revision"]),
        (&json!("refused"), &json!(1)),
        "{refused}"
    );
    assert!(refused["trouble"].as_str().unwrap().contains("sign"), "{refused}");
    // Who tells something else than a machine does, and who only judges and looks.
    let say =
        |body: &str| gateway.client().send("POST", MACHINES, &gateway.agents, &[], body).unwrap();
    for bad in [
        "",
        "{}",
        "{\"machine\":\"\",\"state\":\"unchanged\"}",
        "{\"machine\":\"a\\u001b[2J\",\"state\":\"unchanged\"}",
        "{\"machine\":\"a\",\"state\":\"fine\"}",
        "{\"machine\":\"a\",\"state\":\"unchanged\",\"revision\":-1}",
        "{\"machine\":\"a\",\"state\":\"unchanged\",\"more\":1}",
        &format!("{{\"machine\":\"{}\",\"state\":\"unchanged\"}}", "a".repeat(129)),
        &format!("{{\"machine\":\"a\",\"state\":\"refused\",\"trouble\":\"{}\"}}", "x".repeat(513)),
    ] {
        assert_eq!(say(bad).status, 400, "{bad}");
    }
    assert_eq!(gateway.client().get(MACHINES, &gateway.agents).status, 403);
    let hostile = "{\"machine\":\"a\",\"state\":\"refused\",\"trouble\":\"\\u001b[2J\\u202e\"}";
    assert_eq!(say(hostile).status, 204);
    let shown = run(&ana, "policy machines --token person").1;
    assert!(shown.contains("\\u{202e}") && !shown.contains('\u{1b}'), "{shown:?}");
}

/// What the gateway decides about a harmless call, once it is this.
fn becomes(gateway: &Gateway, decision: &str) {
    let begun = Instant::now();
    loop {
        let answer = gateway.client().judge(&gateway.agents, "curl https://x.example").json();
        if answer["decision"] == decision {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{answer}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_gateway_that_runs_judges_by_the_newest_bundle_that_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let key = done(home, "policy key key");
    let config = home.join(".config/portcullis/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    let url = home.join("new.bundle");
    let table = format!("url = \"{}\"\nkeys = [\"{}\"]\n", url.display(), key.trim());
    fs::write(&config, format!("[central]\n{table}canary.days = 0\n")).unwrap();
    bundle(home, 1, "");
    done(home, "policy fetch");
    let state = home.join(".local/state/portcullis");
    let gateway = Gateway::at_home(home, &state, &[]);
    becomes(&gateway, "allow");
    bundle(home, 2, "[rules]\ndeny = ['Bash(curl *)']\n");
    done(home, "policy fetch");
    becomes(&gateway, "deny");
    // What is cut takes the place of nothing, though the one before it is there too and allows.
    let current = state.join("central/current");
    let whole = fs::read(&current).unwrap();
    for end in [0, 1, whole.len() / 2, whole.len() - 1] {
        fs::write(&current, &whole[..end]).unwrap();
        let told = |record: &Value| record["reason"].to_string().contains("cannot be used");
        let begun = Instant::now();
        let records = || gateway.client().get("/v1/records?kind=change", &gateway.person).json();
        while !records()["records"].as_array().unwrap().iter().any(told) {
            assert!(begun.elapsed() < PATIENCE, "{}", records());
            becomes(&gateway, "deny");
        }
        becomes(&gateway, "deny");
    }
    bundle(home, 3, "");
    done(home, "policy fetch");
    becomes(&gateway, "allow");
}

#[test]
fn a_gateway_without_keys_takes_no_policy() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    done(home, "policy key key");
    let state = home.join("state");
    let gateway = Gateway::at_home(home, &state, &[]);
    let answer = put(&gateway, &gateway.person, &bundle(home, 1, ""));
    assert_eq!((answer.status, answer.code().as_str()), (409, "no-keys"), "{}", answer.body);
}
