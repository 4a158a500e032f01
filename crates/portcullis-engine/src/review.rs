//! A call judged, and reviewed where it asks. Owns the order: what the policy decided is recorded before anybody is asked, and what
//! the reviewer answered before anybody acts on it.

mod record;

use std::borrow::Cow;

pub use record::entry;

use portcullis_core::{
    action::BadCall,
    assessment::ActionClass,
    call::ToolCall,
    decision::Verdict,
    guardian::{Case, Origin, Turn},
    policy::Context,
};

#[cfg(target_os = "linux")]
use crate::{config::TryingGate, trial::evidence};

use crate::{
    guardian::{Decided, Question, Reviewer},
    session::{Judged, Session},
    wire::Background,
};

/// A call that was judged, and the review where there was one.
pub struct Reviewed {
    /// What it was judged to be, with what the reviewer changed.
    pub judged: Judged,
    /// The review.
    pub review: Option<Decided>,
    /// What a trial of it showed, where there was one.
    pub trial: Option<serde_json::Value>,
}

/// Judges a call, has it reviewed where the policy asks and the reviewer may answer, and records both. `context.can_ask` says whether a
/// person can be asked about what the reviewer leaves open; where none can, that is denied. `background` is shown to the reviewer as evidence.
///
/// # Errors
/// [`BadCall`] where the arguments are not what the tool takes.
pub async fn judge(
    session: &mut Session,
    reviewer: &Reviewer,
    call: ToolCall,
    context: Context,
    background: &Background,
) -> Result<Reviewed, BadCall> {
    let can_ask = context.can_ask;
    let mut judged = session.consider(call, Context { can_ask: true, ..context })?;
    let terms = &reviewer.settings().terms;
    let wants = terms.wants(&judged.judgement.decision, &judged.judgement.assessment);
    if !wants && !can_ask {
        let context = Context { can_ask, ..judged.context };
        judged.judgement.decision = session.again(&judged, &context);
    }
    let mut trial = None;
    let mut transcript = Cow::Borrowed(&background.transcript);
    #[cfg(target_os = "linux")]
    if let Some(wanted) = evidence::wanted(&judged, TryingGate::Check)
        && session.note(wanted.entry(&judged)).is_ok()
        && let Some(evidence) = wanted.tell(session, &mut judged)
    {
        // Whatever the action named in its trial is a tool's word.
        let text = evidence.words().join("\n");
        trial = Some(evidence.shape());
        transcript.to_mut().push(Turn { origin: Origin::Tool, text });
    }
    session.record(&mut judged);
    // What could not be recorded is denied by now.
    let mut review = None;
    if wants && judged.judgement.decision.verdict == Verdict::Ask {
        let decided = {
            let Judged { action, facts, context, judgement, regime, .. } = &judged;
            let case = Case {
                action,
                assessment: &judgement.assessment,
                workspace: facts.workspace.as_deref(),
                mode: context.mode.or(regime.configuration.policy.permissions().mode()),
                recent_files: &background.recent_files,
                transcript: &transcript,
            };
            let policy = &regime.configuration.policy_id;
            let decision = &judgement.decision;
            reviewer.decide(&Question { case, decision, policy, can_ask }).await
        };
        decided.settled.apply(&mut judged.judgement.decision);
        let answer = entry(&judged, &decided);
        session.answered(&mut judged, answer);
        review = Some(decided);
    }
    let changes = judged.judgement.assessment.class != ActionClass::ReadOnly;
    if review.is_none() && changes && judged.judgement.decision.verdict == Verdict::Allow {
        reviewer.forget_approvals();
    }
    Ok(Reviewed { judged, review, trial })
}
