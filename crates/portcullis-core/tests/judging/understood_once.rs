//! What is looked up after an action was understood: where a plain file stands, or nothing does, the same is understood of it, so that nobody understands it twice.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use portcullis_core::{
    action::Action,
    call::ToolCall,
    effect::Effects,
    facts::{Facts, Observed, PathFact, PathKind},
    gate::{Gate, Understood},
    policy::{Context, Policy},
    rules,
};

fn facts() -> Facts {
    Facts {
        cwd: Some("/workspace/project".to_owned()),
        workspace: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        ..Facts::default()
    }
}

fn action(command: &str) -> Action {
    let mut call = ToolCall { tool: "bash".to_owned(), ..ToolCall::default() };
    call.arguments.insert("command".to_owned(), command.into());
    Action::from_call(call).unwrap()
}

/// All that is understood; what was asked for depends on what was known already.
fn told(effects: Effects) -> String {
    format!("{:?}", Effects { asked: BTreeSet::new(), ..effects })
}

#[test]
fn a_plain_file_changes_nothing_that_is_understood() {
    let gate = Gate::new(Policy::default());
    let mut looked_up = 0;
    let examples = rules::all().flat_map(|rule| rule.fires.iter().chain(rule.quiet));
    let more = ["cd README.md && rm -rf build", "cp a b && cat b", "cat < notes", "mv x y; cd y"];
    for command in examples.chain(&more) {
        let action = action(command);
        let plan = Understood::new(&action, facts()).plan();
        if plan.paths.is_empty() {
            continue;
        }
        looked_up += 1;
        let file = PathFact { exists: true, kind: PathKind::File, ..PathFact::default() };
        for fact in [file, PathFact::default()] {
            let paths: BTreeMap<String, PathFact> =
                plan.paths.iter().map(|path| (path.clone(), fact.clone())).collect();
            let observed = || Observed { paths: paths.clone(), ..Observed::default() };
            let learned = Understood::new(&action, facts()).learned(observed());
            let learned = learned.unwrap_or_else(|_| panic!("{command}: understood anew"));
            let (kept, by) = gate.judge_understood(learned, &Context::default());
            let anew = gate.judge_in(&action, &by, &Context::default());
            assert_eq!(told(kept.effects), told(anew.effects), "{command}");
            assert_eq!(format!("{:?}", kept.decision), format!("{:?}", anew.decision), "{command}");
        }
    }
    assert!(looked_up > 500, "{looked_up}");
}

/// Directories stand where commands read and write, and few commands are about whether one does.
#[test]
fn a_directory_that_nobody_asked_for_changes_nothing_that_is_understood() {
    let gate = Gate::new(Policy::default());
    let (mut kept, mut anew) = (0, 0);
    let examples = rules::all().flat_map(|rule| rule.fires.iter().chain(rule.quiet));
    let more = [
        "ls -la",
        "git status",
        "grep -rn TODO src",
        "rm -rf dist && npm run build",
        "cd src && ls && cat < src",
        "cp -r src/a lib",
        "mv a b && cd b && rm -rf x",
        "exec 3< /srv/data && ls /proc/self/fd/3",
    ];
    for command in examples.chain(&more) {
        let action = action(command);
        let plan = Understood::new(&action, facts()).plan();
        if plan.paths.is_empty() {
            continue;
        }
        for kind in [PathKind::Directory, PathKind::Special, PathKind::Link, PathKind::Unknown] {
            let fact = PathFact { exists: true, kind, ..PathFact::default() };
            let paths: BTreeMap<String, PathFact> =
                plan.paths.iter().map(|path| (path.clone(), fact.clone())).collect();
            let observed = Observed { paths: paths.clone(), ..Observed::default() };
            let Ok(learned) = Understood::new(&action, facts()).learned(observed) else {
                anew += 1;
                continue;
            };
            kept += 1;
            let (judged, by) = gate.judge_understood(learned, &Context::default());
            let again = gate.judge_in(&action, &by, &Context::default());
            assert_eq!(told(judged.effects), told(again.effects), "{command}: {kind:?}");
            let (one, other) = (judged.decision, again.decision);
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{command}: {kind:?}");
        }
    }
    assert!(kept > 2_000 && anew > 50, "{kept} were kept, {anew} understood anew");
}

#[test]
fn a_link_or_a_directory_that_was_asked_for_is_understood_anew() {
    let action = action("cp -r src/a lib");
    let path = "/workspace/project/lib".to_owned();
    let directory = PathFact { exists: true, kind: PathKind::Directory, ..PathFact::default() };
    let link = PathFact { leads_to: Some("/etc".to_owned()), ..PathFact::default() };
    for fact in [directory, link] {
        let observed =
            Observed { paths: [(path.clone(), fact.clone())].into(), ..Observed::default() };
        let learned = Understood::new(&action, facts()).learned(observed);
        assert_eq!(learned.unwrap_err().paths.get(&path), Some(&fact));
    }
}
