//! An agent must not weaken the gate through its own tool calls, and must be free to name, read and discuss it. Each line of
//! the tables in `self_protection/` is one call, judged end to end under the default policy.
//!
//! `floor CALL` has to be denied by a floor, `ask CALL` at least asked about, and `allow CALL` let through. A call is a shell
//! command, in which `⏎` ends a line, or `@TOOL {JSON}` for another tool. `in DIRECTORY` says where the calls below it run.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panicking")]

use portcullis_core::{
    action::Action,
    call::ToolCall,
    decision::{Layer, Verdict},
    facts::{Facts, PathFact, PathKind},
    gate::Gate,
    policy::Policy,
};

const HOME: &str = "/home/dev";

/// Files that the installer put an entry of ours into.
const HOOKED: &[&str] = &[
    ".claude/settings.json",
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".copilot/hooks/portcullis.json",
    ".gemini/settings.json",
    ".config/opencode/plugins/portcullis.ts",
    "Documents/Cline/Hooks/PreToolUse",
];

fn facts(directory: &str) -> Facts {
    let home = |path: &&str| format!("{HOME}/{path}");
    let links = [
        ("/home/dev/work/shop/here", "/home/dev/work/shop"),
        ("/home/dev/work/shop/h", "/home/dev"),
        ("/home/dev/work/shop/h/.config", "/home/dev/.config"),
        ("/home/dev/work/shop/h/.config/portcullis", "/home/dev/.config/portcullis"),
        (
            "/home/dev/work/shop/h/.config/portcullis/config.toml",
            "/home/dev/.config/portcullis/config.toml",
        ),
        ("/home/dev/work/shop/h/.local", "/home/dev/.local"),
        ("/home/dev/work/shop/c", "/home/dev/.config"),
        ("/home/dev/work/shop/cfg", "/home/dev/.config/portcullis/config.toml"),
        ("/home/dev/work/shop/notes.json", "/home/dev/.claude/settings.json"),
        ("/home/dev/work/shop/store/audit.db", "/home/dev/.local/state/portcullis/audit.db"),
    ];
    let link = |(path, leads_to): (&str, &str)| {
        let leads_to = Some(leads_to.to_owned());
        (path.to_owned(), PathFact { exists: true, kind: PathKind::Link, leads_to, tracked: None })
    };
    Facts {
        cwd: Some(directory.to_owned()),
        home: Some(HOME.to_owned()),
        workspace: Some(directory.to_owned()),
        guarded: [".cargo/bin/portcullis", ".local/state/portcullis", ".config/portcullis"]
            .iter()
            .map(home)
            .collect(),
        hooked: HOOKED.iter().map(home).collect(),
        paths: links.into_iter().map(link).collect(),
        ..Facts::default()
    }
}

fn call(text: &str) -> ToolCall {
    let Some((tool, arguments)) = text.strip_prefix('@').and_then(|call| call.split_once(' '))
    else {
        return ToolCall::shell(text.replace('⏎', "\n"));
    };
    let arguments = serde_json::from_str(arguments).unwrap_or_else(|why| panic!("{why}: {text}"));
    ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() }
}

/// Judges each line of a table; gives how many there are, and those that came out wrong.
fn judge(table: &str) -> (usize, Vec<String>) {
    let gate = Gate::new(Policy::default());
    let mut facts_here = facts("/home/dev/work/shop");
    let (mut count, mut wrong) = (0, Vec::new());
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (expected, text) = line.split_once(' ').unwrap();
        let text = text.trim_start();
        if expected == "in" {
            facts_here = facts(text);
            continue;
        }
        count += 1;
        let action = Action::from_call(call(text)).unwrap();
        let judgement = gate.judge(&action, &facts_here);
        let (verdict, layer) = (judgement.decision.verdict, judgement.decision.layer);
        let fits = match expected {
            "floor" => layer == Layer::Floor,
            "ask" => verdict >= Verdict::Ask,
            "allow" => verdict == Verdict::Allow,
            other => panic!("`{other}` is no expectation"),
        };
        if !fits {
            let rules: Vec<_> =
                judgement.assessment.findings.iter().map(|finding| finding.rule).collect();
            wrong.push(format!("{expected}, not {}: {text}  {rules:?}", verdict.name()));
        }
    }
    (count, wrong)
}

#[test]
fn no_attack_on_the_gate_passes() {
    let (count, wrong) = judge(include_str!("self_protection/attacks.txt"));
    assert!(count >= 400, "{count} attacks are too few");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn naming_reading_and_discussing_the_gate_is_free() {
    let (count, wrong) = judge(include_str!("self_protection/innocent.txt"));
    assert!(count >= 150, "{count} innocents are too few");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_path_that_leads_elsewhere_than_it_seems_passes() {
    let (count, wrong) = judge(include_str!("self_protection/led_elsewhere.txt"));
    assert!(count >= 35, "{count} are too few");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
