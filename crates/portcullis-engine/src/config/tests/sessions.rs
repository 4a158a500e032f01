//! What the layers come to for the calls of one session.

use std::{fs, path::Path};

use portcullis_core::{
    call::ToolCall,
    decision::Verdict,
    policy::{Context, Mode},
};

use super::{super::*, layers::World};
use crate::{
    audit::{Filter, Log},
    session::{Judged, Options, Session},
};

fn open(world: &World, options: Options) -> Session {
    let configuration = Configuration::load_from(None, &world.directories).unwrap();
    Session::open(Options { configuration, unrecorded: true, ..options })
}

fn judged(session: &Session, cwd: &Path, command: &str, mode: Option<Mode>) -> Judged {
    let call = ToolCall { cwd: cwd.to_str().map(str::to_owned), ..ToolCall::shell(command) };
    session.consider(call, Context { mode, ..Context::default() }).unwrap()
}

#[test]
fn each_call_is_judged_under_the_project_that_it_runs_in_as_its_file_stands_now() {
    let world = World::new();
    let session = open(&world, Options::default());
    let (inside, outside) = (world.workspace(), world.managed().parent().unwrap().to_owned());
    let below = inside.join("src");
    fs::create_dir_all(&below).unwrap();
    fs::create_dir(inside.join(".git")).unwrap();
    let verdict = |cwd: &Path| judged(&session, cwd, "echo x", None).judgement.decision.verdict;
    let deny = "rules.deny = ['Bash(echo *)']";
    for (text, expected) in [
        (None, Verdict::Allow),
        (Some(deny), Verdict::Deny),
        (Some("rules.ask = ['Bash(echo *)']"), Verdict::Ask),
        (Some("rules.allow = ['Bash(echo *)']"), Verdict::Allow),
        (Some("rules.deny = ["), Verdict::Deny),
        (Some(deny), Verdict::Deny),
        (None, Verdict::Allow),
    ] {
        match text {
            Some(text) => fs::write(world.project(), text).unwrap(),
            None => drop(fs::remove_file(world.project())),
        }
        for cwd in [&inside, &below] {
            assert_eq!(verdict(cwd), expected, "{text:?} in {}", cwd.display());
        }
        assert_eq!(verdict(&outside), Verdict::Allow, "{text:?}");
    }
}

#[test]
fn what_a_project_demands_and_cannot_be_read_is_named_in_the_denial() {
    let world = World::new();
    let session = open(&world, Options::default());
    fs::write(world.project(), "rules.deny = [").unwrap();
    let decision = judged(&session, &world.workspace(), "ls", None).judgement.decision;
    assert_eq!(decision.verdict, Verdict::Deny);
    assert!(decision.reasons[0].contains(".portcullis.toml:1:"), "{:?}", decision.reasons);
}

#[test]
fn trust_counts_for_the_next_call() {
    let world = World::new();
    let session = open(&world, Options::default());
    fs::write(world.project(), "rules.allow = ['Bash(git push *)']").unwrap();
    let verdict = || {
        let judged = judged(&session, &world.workspace(), "git push --force origin main", None);
        judged.judgement.decision.verdict
    };
    assert_eq!(verdict(), Verdict::Ask);
    world.trust_project();
    assert_eq!(verdict(), Verdict::Allow);
    world.trust().revoke(&world.project()).unwrap();
    assert_eq!(verdict(), Verdict::Ask);
}

#[test]
fn a_locked_mode_holds_whatever_the_call_or_the_session_wants() {
    let world = World::new();
    fs::write(world.managed(), "mode = 'plan'\nmanaged.lock = ['mode']").unwrap();
    for of_session in [None, Some(Mode::BypassPermissions)] {
        let session = open(&world, Options { mode: of_session, ..Options::default() });
        for of_call in [None, Some(Mode::AcceptEdits)] {
            let judged = judged(&session, &world.workspace(), "touch a", of_call);
            let verdict = judged.judgement.decision.verdict;
            assert_eq!(verdict, Verdict::Deny, "{of_session:?}, {of_call:?}");
            let again = session.again(&judged, &Context { mode: of_call, ..judged.context });
            assert_eq!(again.verdict, Verdict::Deny, "{of_session:?}, {of_call:?}");
        }
    }
}

#[test]
fn the_analyzers_of_the_configuration_judge_where_no_option_names_others() {
    let world = World::new();
    let risk = |options| {
        let session = open(&world, options);
        judged(&session, &world.workspace(), "rm -rf build", None).judgement.assessment.risk
    };
    let built_in = risk(Options::default());
    fs::write(world.user(), "analyzers = ['no-op']").unwrap();
    assert_ne!(risk(Options::default()), built_in);
    let analyzers = Some(Ensemble::default());
    assert_eq!(risk(Options { analyzers, ..Options::default() }), built_in);
}

#[test]
fn a_record_that_is_locked_is_kept_although_an_option_says_no() {
    let world = World::new();
    let record = world.workspace().join("record");
    let managed = |lock: &str| {
        let text = format!("audit.path = '{}'\nmanaged.lock = [{lock}]", record.display());
        fs::write(world.managed(), text).unwrap();
        let mut session = open(&world, Options::default());
        session.judge(ToolCall::shell("ls"), Context::default()).unwrap();
    };
    managed("");
    assert!(!record.exists());
    managed("'audit'");
    assert_eq!(Log::read(&record).unwrap().list(&Filter::default()).unwrap().len(), 1);
}
