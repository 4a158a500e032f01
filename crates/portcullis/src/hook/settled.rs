//! A call after it was judged: answered by the gateway, put in another's place, kept for an undo, told to the proxy. Owns what becomes of the
//! decision there, and which word the agent is given.

use std::{io, path::Path, time::Duration};

use portcullis_core::{
    assessment::{ActionClass, Coverage},
    decision::{Layer, Verdict},
    risk::Risk,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Around, Before, Bounds, GATEWAY_PATIENCE, HookError, KEPT, KEPT_PART, Program, replaced, twin,
    words,
};
use crate::{
    agents::{agent::Agent, reply::Word},
    config::{self, Approve},
    remote::Remote,
    session::{Judged, Session},
};

/// A call that was judged, and whose word it is.
pub(super) struct Settled {
    pub(super) judged: Judged,
    pub(super) by: By,
    /// What whoever is asked is told beside why.
    pub(super) told: Option<String>,
    /// The arguments that it runs with in place of its own.
    pub(super) replaced: Option<Map<String, Value>>,
}

/// Whose word a decision is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    /// The policy's, or that of a pause.
    Policy,
    /// A person's, who had allowed just this beforehand.
    Grant,
    /// That of whoever answers at the gateway.
    Gateway,
    /// Nobody's: a person would be asked, and the agent asks none.
    Nobody,
}

/// The gateway that has a say, asked with the token for agents.
pub(super) fn remote(
    gateway: &config::Gateway,
    state: Option<&Path>,
    wait: Duration,
) -> Result<Remote, HookError> {
    let kept = (wait / KEPT_PART).min(KEPT);
    Ok(Remote::of(gateway, state, wait - kept, GATEWAY_PATIENCE + kept)?.resuming())
}

/// Has a trial run in place of a call that nobody can know, where the configuration says so. A session that was seen to run what it was given is
/// not asked about it.
#[cfg(target_os = "linux")]
pub(super) fn replace(
    state: &Path,
    agent: &Agent,
    input: &Map<String, Value>,
    judged: &mut Judged,
) -> Option<Map<String, Value>> {
    let program = Program::this().ok()?;
    let arguments = replaced::arguments(judged, input, program.path())?;
    let session = judged.action.call.session.clone();
    // What cannot be noted is never proven.
    replaced::given(state, session.as_deref(), agent.name, &arguments).ok()?;
    if replaced::obeys(state, session.as_deref(), agent.name) {
        replaced::settle(judged);
    }
    Some(arguments)
}

/// Keeps what a call would lose that may go on. A call of which nothing can be kept goes on all the same.
#[cfg(target_os = "linux")]
pub(super) fn keep(state: &Path, judged: &Judged) -> Option<io::Result<Around>> {
    let kept = judged.regime.configuration.snapshots;
    if judged.judgement.decision.verdict == Verdict::Deny || !kept.enabled || !kept.hooks {
        return None;
    }
    Around::taken(Some(state), judged, Before::Losses, Bounds::hook()).transpose()
}

/// Records what was kept, once the decision stands in the record. What does not go on after all loses nothing.
#[cfg(target_os = "linux")]
pub(super) fn note_kept(session: &mut Session, judged: &Judged, kept: io::Result<Around>) {
    let entry = match kept {
        Ok(around) if judged.judgement.decision.verdict == Verdict::Deny => return around.forget(),
        Ok(mut around) => {
            // Where nobody looks at the end, less is brought back by itself.
            let _ = around.refer_to(judged.sequence);
            let _ = around.leave_open(&judged.action.id());
            around.entry()
        }
        Err(error) => Around::failed(judged, &error),
    };
    // The agent is answered whether that stands in the record or not.
    let _ = session.note(entry);
}

/// Tells other processes that the agent starts for the same call what was answered, as far as the record proves it.
pub(super) fn tell(first: twin::First, judged: Verdict, settled: &[Settled]) {
    let strictest = settled.iter().max_by_key(|one| one.judged.judgement.decision.verdict);
    if let Some(Settled { judged: Judged { sequence: Some(sequence), .. }, by, .. }) = strictest {
        first.answer(twin::Answer { judged, sequence: *sequence, by: *by });
    }
}

/// A call with the answer that another process gave to it; its readings where they are stricter than what was judged there.
pub(super) fn answered(
    session: &mut Session,
    mut all: Vec<Judged>,
    answer: &twin::Answer,
) -> Result<Settled, Vec<Judged>> {
    let Some(record) = session.recorded(answer.sequence) else { return Err(all) };
    let name = all.first().and_then(|judged| judged.action.call.session.as_deref());
    let Some((verdict, layer)) = twin::decision_of(&record, name) else { return Err(all) };
    // What was answered holds for the files that were judged then.
    let files = record.entry.files.seal();
    if all.iter().any(|judged| judged.seal() != files) {
        return Err(all);
    }
    let own = all.iter().map(|judged| judged.judgement.decision.verdict).max();
    // What is stricter now stays so.
    if own > Some(answer.judged.max(verdict)) {
        return Err(all);
    }
    all.sort_by_key(|judged| judged.judgement.decision.verdict);
    let Some(mut judged) = all.pop() else { return Err(all) };
    let decision = &mut judged.judgement.decision;
    (decision.verdict, decision.layer) = (verdict, layer);
    if let Some(reason) = record.entry.reason.filter(|reason| !decision.reasons.contains(reason)) {
        decision.reasons.insert(0, reason);
    }
    judged.sequence = Some(answer.sequence);
    Ok(Settled { judged, by: answer.by, told: None, replaced: None })
}

/// Of several words about one call, the one that holds.
pub(super) const fn strictness(word: &Word) -> u8 {
    match word {
        Word::Allow(_) => 0,
        Word::Nothing => 1,
        Word::Note(_) => 2,
        Word::Ask(_) => 3,
        Word::Deny(_) => 4,
    }
}

/// Where the agent asks nobody, what asks is denied, and says how a person can answer.
pub(super) fn refuse_what_asks(judged: &mut Judged, agent: &Agent) {
    let decision = &mut judged.judgement.decision;
    let note = words::nobody_is_asked(agent);
    decision.verdict = Verdict::Deny;
    decision.layer = Layer::Person;
    decision.reasons.push(note.clone());
    decision.account(Layer::Person, Some(Verdict::Deny), note);
}

/// What a decision comes to for the agent. Silence leaves an allowed call to the agent's own rules.
pub(super) fn word(settled: &Settled, gateway: Option<&str>) -> Word {
    let Settled { judged, by, told, replaced } = settled;
    // A project's file may have made it stricter.
    let approve = judged.regime.configuration.hook.approve;
    let decision = &judged.judgement.decision;
    let assessment = &judged.judgement.assessment;
    match decision.verdict {
        Verdict::Allow => {
            let approved = match approve {
                // What is not understood is nobody's to approve.
                _ if assessment.tool_is_unknown || assessment.coverage != Coverage::Full => false,
                _ if judged.judgement.effects.leave_open() => false,
                Approve::Never => false,
                Approve::ReadOnly => {
                    assessment.class == ActionClass::ReadOnly
                        && matches!(assessment.risk, Risk::Safe | Risk::Low)
                }
                Approve::Policy => true,
            };
            // What a person allowed is passed on, whatever else is left to the agent. A pause is as if we were not there.
            let by_person = matches!(by, By::Grant | By::Gateway);
            if approved || by_person || replaced.is_some() {
                Word::Allow(words::allowed(judged))
            } else {
                Word::Nothing
            }
        }
        Verdict::Ask => Word::Ask(words::asked(judged, told.as_deref())),
        Verdict::Deny => Word::Deny(match by {
            By::Nobody => words::denied_unasked(judged, gateway),
            By::Gateway => words::denied_there(judged),
            By::Policy | By::Grant => words::denied(judged),
        }),
    }
}
