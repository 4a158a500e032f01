//! The reviewing model against real servers on real sockets: what they do wrong, what they are talked into, what goes over the wire,
//! and a thousand reviews at once.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail by panicking"
)]

mod content;
mod faults;
mod load;
mod server;
mod steering;
mod whole;
mod wire;

use std::time::Duration;

use portcullis::guardian::{Decided, Provider, Question, Reviewer, Settings};
use portcullis_core::{
    action::Action,
    assessment::ActionClass,
    call::ToolCall,
    decision::Verdict,
    facts::Facts,
    gate::{Gate, Judgement},
    guardian::{Case, MayApprove, Ruling, Terms},
    policy::{Mode, Policy, PolicyOptions},
    risk::Severity,
};
use portcullis_net::ResolverOptions;

/// Every class.
const CLASSES: [ActionClass; 6] = [
    ActionClass::ReadOnly,
    ActionClass::Edit,
    ActionClass::Network,
    ActionClass::Execute,
    ActionClass::Destructive,
    ActionClass::Unknown,
];

fn terms(max_risk: Severity) -> Terms {
    let may = MayApprove { max_risk, classes: CLASSES.to_vec(), unknown: true };
    Terms { may_approve: Some(may), second_opinion: true, ..Terms::default() }
}

fn settings(provider: Provider, base_url: &str) -> Settings {
    Settings {
        terms: terms(Severity::Medium),
        timeout: Duration::from_secs(20),
        pause: Duration::from_millis(1),
        concurrency: 16,
        ..Settings::new(provider, base_url, "a-model")
    }
}

fn reviewer(settings: Settings) -> Reviewer {
    Reviewer::new(settings, ResolverOptions::default()).unwrap()
}

fn facts() -> Facts {
    Facts {
        cwd: Some("/work/project".to_owned()),
        workspace: Some("/work/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        ..Facts::default()
    }
}

/// A call that asks in the mode `default`, and is judged there.
fn judged(call: ToolCall) -> (Action, Judgement) {
    let action = Action::from_call(call).unwrap();
    let options = PolicyOptions { mode: Some(Mode::Default), ..PolicyOptions::default() };
    let judgement = Gate::new(Policy::new(options)).judge(&action, &facts());
    (action, judgement)
}

async fn decide(reviewer: &Reviewer, action: &Action, judgement: &Judgement) -> Decided {
    let case = Case {
        action,
        assessment: &judgement.assessment,
        workspace: Some("/work/project"),
        mode: Some(Mode::Default),
        recent_files: &[],
        transcript: &[],
    };
    let decision = &judgement.decision;
    reviewer.decide(&Question { case, decision, policy: "test", can_ask: true }).await
}

/// Something that only asks, and that a reviewer may approve.
fn harmless() -> (Action, Judgement) {
    let (action, judgement) = judged(ToolCall::shell("npm install left-pad"));
    assert_eq!(judgement.decision.verdict, Verdict::Ask);
    (action, judgement)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// The word that a failure is recorded by.
fn failing(decided: &Decided) -> &'static str {
    match &decided.ruling {
        Ruling::Failed(failing) | Ruling::Unknown(failing) => failing.name(),
        Ruling::Stopped => "stopped",
        Ruling::Review { .. } | Ruling::Kept => "none",
    }
}
