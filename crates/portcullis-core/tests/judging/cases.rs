//! The project's own cases: pairs of an attack and its innocent twin, in `corpus/`. What the gate still gets wrong is listed
//! there too, so that a case that begins to fail is noticed, and one that no longer fails leaves the list.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use portcullis_core::{
    action::Action,
    assessment::Assessment,
    call::ToolCall,
    facts::Facts,
    gate::Gate,
    inspect::inspect,
    policy::Policy,
    risk::Risk,
    rules,
    session::{Source, Weight},
};
use serde_json::{Map, Value, json};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    id: String,
    kind: String,
    /// Commands that the session ran before.
    #[serde(default)]
    earlier: Vec<String>,
    /// What the session was told before, each with who told it: `prompt` a person, `result` somebody elsewhere, `project` a file of it.
    #[serde(default)]
    told: Vec<(String, String)>,
    /// What the attack is found by, and its twin is not.
    rule: String,
    attack: Value,
    attack_risk: Risk,
    innocent: Value,
    innocent_risk: Risk,
    #[expect(dead_code, reason = "it is for whoever reads the case")]
    why: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panicking")]
fn pairs() -> Vec<Pair> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let texts = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect::<Vec<_>>();
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .map(|line| match serde_json::from_str(line) {
            Ok(pair) => pair,
            Err(error) => panic!("{error} in {line}"),
        })
        .collect()
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panicking")]
fn judged(gate: &Gate, pair: &Pair, side: &Value) -> Assessment {
    let mut facts = Facts {
        workspace: Some("/workspace/project".to_owned()),
        guarded: vec!["/home/dev/.local/state/portcullis".to_owned()],
        ..Facts::default()
    };
    for command in &pair.earlier {
        let action = Action::from_call(call("shell", &json!(command))).unwrap();
        let effects = gate.judge(&action, &facts).effects;
        facts.session.after(&action, &effects);
    }
    for (who, text) in &pair.told {
        let weight = if who == "project" { Weight::Project } else { Weight::Elsewhere };
        let source = Source { from: "what was read".to_owned(), weight, ..Source::default() };
        match who.as_str() {
            "prompt" => facts.session.person_sent(text),
            "result" | "project" => facts.session.answered(&source, text, &inspect(text)),
            other => panic!("{}: nobody is called `{other}`", pair.id),
        }
    }
    gate.judge(&Action::from_call(call(&pair.kind, side)).unwrap(), &facts).assessment
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panicking")]
fn call(kind: &str, side: &Value) -> ToolCall {
    let (tool, arguments) = match kind {
        "shell" => ("bash", json!({"command": side})),
        "python" => ("python", json!({"code": side})),
        "javascript" => ("javascript", json!({"code": side})),
        "powershell" => ("powershell", json!({"command": side})),
        "batch" => ("cmd", json!({"command": side})),
        "sql" => ("sql", json!({"query": side})),
        "url" => ("web_fetch", json!({"url": side})),
        "file" => ("write_file", side.clone()),
        "tool" => (side["tool"].as_str().unwrap(), side["arguments"].clone()),
        other => panic!("no kind of case: {other}"),
    };
    let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
    ToolCall {
        tool: tool.to_owned(),
        arguments,
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        ..ToolCall::default()
    }
}

/// Whether an assessment interrupts: as much as the policy that is built in asks about.
fn interrupts(assessment: &Assessment) -> bool {
    matches!(assessment.risk, Risk::High | Risk::Critical | Risk::Unknown)
}

/// What is worth a rule, but no question.
fn is_mild(risk: Risk) -> bool {
    matches!(risk, Risk::Safe | Risk::Low | Risk::Medium)
}

fn names(assessment: &Assessment, rule: &str) -> bool {
    assessment.findings.iter().any(|finding| finding.rule == rule)
}

#[test]
fn attacks_are_caught_and_their_twins_go_free_except_where_the_list_says_otherwise() {
    let gate = Gate::new(Policy::default());
    let mut wrong = BTreeSet::new();
    for pair in pairs() {
        let attack = judged(&gate, &pair, &pair.attack);
        let is_caught =
            interrupts(&attack) || attack.risk == pair.attack_risk && is_mild(attack.risk);
        if !is_caught {
            wrong.insert(format!("missed {}", pair.id));
        }
        if interrupts(&judged(&gate, &pair, &pair.innocent)) {
            wrong.insert(format!("stopped {}", pair.id));
        }
    }
    let path = folder().join("wrong.txt");
    if std::env::var_os("UPDATE_CASES").is_some() {
        let lines: Vec<&str> = wrong.iter().map(String::as_str).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    let listed = fs::read_to_string(&path).unwrap();
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    let worse: Vec<&String> = wrong.difference(&listed).collect();
    let better: Vec<&String> = listed.difference(&wrong).collect();
    assert!(worse.is_empty(), "not wrong before: {worse:#?}");
    assert!(better.is_empty(), "right now; take it off the list: {better:#?}");
}

#[test]
fn every_rule_has_an_attack_that_it_finds_and_a_twin_that_it_leaves_alone() {
    let gate = Gate::new(Policy::default());
    let mut shown: BTreeMap<&str, bool> = rules::all().map(|rule| (rule.id, false)).collect();
    let pairs = pairs();
    for pair in &pairs {
        assert!(shown.contains_key(pair.rule.as_str()), "{}: no rule `{}`", pair.id, pair.rule);
        let shows = names(&judged(&gate, pair, &pair.attack), &pair.rule)
            && !names(&judged(&gate, pair, &pair.innocent), &pair.rule);
        shown.entry(&pair.rule).and_modify(|shown| *shown |= shows);
    }
    let unshown: Vec<&&str> =
        shown.iter().filter(|(_, shown)| !**shown).map(|(id, _)| id).collect();
    assert!(unshown.is_empty(), "no pair shows {unshown:#?}");
}

#[test]
fn cases_are_told_apart_and_labelled_as_what_they_are() {
    let mut ids = BTreeSet::new();
    let mut texts = BTreeSet::new();
    for pair in pairs() {
        assert!(ids.insert(pair.id.clone()), "`{}` twice", pair.id);
        for side in [&pair.attack, &pair.innocent] {
            assert!(texts.insert(format!("{} {side}", pair.kind)), "{}: {side} twice", pair.id);
        }
        assert!(is_mild(pair.innocent_risk), "{}: an innocent is at most medium", pair.id);
        assert!(
            !matches!(pair.attack_risk, Risk::Safe | Risk::Unknown),
            "{}: an attack has a risk that can be named",
            pair.id
        );
    }
}
