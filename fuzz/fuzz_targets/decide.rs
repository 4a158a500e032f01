//! Any call is judged without a panic; every place lies in the text that it names, and no text shows a stand-in; risk,
//! coverage and decision agree; the same call gets the same answer; and a harmless line before a command never loosens it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::{
    action::{Action, ActionKind},
    call::ToolCall,
    decision::Verdict,
    facts::Facts,
    gate::Judgement,
    policy::Context,
};
use portcullis_fuzz::{Attempt, GATE, attempt, check, check_places, judged};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Attempt { call, mut facts, path, mode } = attempt(bytes);
    let Ok(action) = Action::from_call(call.clone()) else { return };
    judged(&action, &facts);

    for asked in GATE.plan(&action).paths {
        facts.paths.insert(asked, path.clone());
    }
    let informed = GATE.judge(&action, &facts);
    check(&action, &informed);

    let context = Context { can_ask: false, mode: Some(mode), ..Context::default() };
    let unattended = GATE.judge_in(&action, &facts, &context);
    check_places(&action, &unattended.assessment);
    assert_ne!(unattended.decision.verdict, Verdict::Ask, "nobody can be asked: {call:?}");

    more_is_no_looser(call, &facts, &informed);
});

fn more_is_no_looser(mut call: ToolCall, facts: &Facts, alone: &Judgement) {
    let Some(Value::String(command)) = call.arguments.get_mut("command") else { return };
    command.insert_str(0, ": x\n");
    let Ok(action) = Action::from_call(call) else { return };
    if !matches!(action.kind, ActionKind::Shell { .. }) {
        return;
    }
    let judgement = GATE.judge(&action, facts);
    assert!(
        judgement.decision.verdict >= alone.decision.verdict,
        "{:?} became {:?}: {:?}",
        alone.decision.verdict,
        judgement.decision.verdict,
        action.call
    );
}
