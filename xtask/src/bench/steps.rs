//! What the monitor costs a step, and what it keeps.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use portcullis_core::{
    action::Action,
    call::ToolCall,
    facts::Facts,
    gate::{Gate, Judgement},
    monitor::{Consequences, Deed, End, Limits, Monitor},
};

use super::{COMMANDS, at};
use crate::command::say;

/// How many steps one execution takes here.
const STEPS: usize = 10_000;

/// Steps of one execution: comparing the action, what is noticed and what follows, counting it.
pub(crate) fn steps(gate: &Gate, facts: &Facts) {
    let judged: Vec<(Action, Judgement)> = COMMANDS
        .iter()
        .filter_map(|command| {
            let action = Action::from_call(ToolCall::shell(*command)).ok()?;
            let judgement = gate.judge(&action, facts);
            Some((action, judgement))
        })
        .collect();
    let consequences = Consequences::default();
    let limits = Limits { max_iterations: None, max_time: None, ..Limits::default() };
    let mut monitor = Monitor::start(limits, Duration::ZERO);
    let mut times = Vec::with_capacity(STEPS);
    let mut kept = Vec::new();
    for (number, (action, judgement)) in judged.iter().cycle().take(STEPS).enumerate() {
        let mut decision = judgement.decision.clone();
        // Three seconds apart, so that no minute has too many.
        let now = Duration::from_secs(3 * number as u64);
        let begun = Instant::now();
        let Ok(step) = monitor.begin(now) else { continue };
        let deed = Deed::of(action, judgement);
        let noticed = monitor.notice(Some(&deed));
        let class = judgement.assessment.class;
        black_box(consequences.raise(&mut decision, class, &noticed));
        let end = if number % 7 == 0 { End::Blocked } else { End::Done };
        monitor.finish(step, &deed, end, Some(number as u64 % 5));
        times.push(begun.elapsed());
        if (number + 1).is_multiple_of(STEPS / 2) {
            kept.push(monitor.to_json().len().to_string());
        }
    }
    times.sort_unstable();
    say(
        "| monitored steps | p50 µs | p99 µs | bytes of state after half, after all |\n|---|---|---|---|\n",
    );
    let kept = kept.join(", ");
    say(&format!("| {} | {} | {} | {kept} |\n\n", times.len(), at(&times, 50), at(&times, 99)));
}
