//! A call that was judged, with what it was judged by. Owns what is recorded, shown and asked of it.

use std::sync::Arc;

use portcullis_core::{
    action::{Action, ActionKind},
    decision::{Layer, Verdict},
    facts::Facts,
    gate::Judgement,
    policy::Context,
};

use super::Regime;
use crate::{
    alike::{Case, Like, NoKind},
    audit::{Entry, Files, Kind},
    report,
    trace::Trace,
};

/// A call that was judged, with what it was judged by.
pub struct Judged {
    /// What the call means.
    pub action: Action,
    /// What was known of the world.
    pub facts: Facts,
    /// What it was judged in.
    pub context: Context,
    /// What came of it.
    pub judgement: Judgement,
    /// What it was judged under.
    pub regime: Arc<Regime>,
    /// Under which ids the record tells what was noticed about its session.
    pub noticed: Vec<String>,
    /// Where the decision stands in the record, once it does.
    pub sequence: Option<u64>,
    /// Why no gateway answered, where it goes on by what is proven here: a gateway is told of it later.
    pub unanswered: Option<String>,
    /// Where the call stands in its caller's trace. No decision looks at it.
    pub trace: Option<Trace>,
}

/// The call for a person: its one text where it has one, else its arguments.
#[must_use]
pub fn preview(action: &Action) -> String {
    match &action.kind {
        ActionKind::Shell { command: text, .. }
        | ActionKind::Code { code: text, .. }
        | ActionKind::Query { statement: text, .. }
        | ActionKind::File { path: text, .. }
        | ActionKind::Http { url: text, .. } => text.clone(),
        ActionKind::Tool => serde_json::to_string(&action.call.arguments).unwrap_or_default(),
    }
}

impl Judged {
    /// Somebody answered: that is the decision now, with the note of who and why in front of the reasons.
    pub fn answered(&mut self, verdict: Verdict, note: String) {
        self.judgement.decision.decide(Layer::Person, verdict, note);
    }

    /// The kind of this call, where a person can be asked about all of its kind at once.
    ///
    /// # Errors
    /// [`NoKind`].
    pub fn kind(&self) -> Result<Like, NoKind> {
        Like::of(self.case())
    }

    /// Whether this call is asked about for nothing else than what is of a kind.
    #[must_use]
    pub fn is_of(&self, kind: &Like) -> bool {
        kind.covers(self.case())
    }

    fn case(&self) -> Case<'_> {
        let Self { action, facts, judgement, regime, .. } = self;
        let confirmation = regime.gate.policy().options().confirmation;
        Case { action, facts, judgement, confirmation }
    }

    /// What stands for the files that the action would start, as they were judged: see [`Files::seal`]. With the hash of the action it is what
    /// an answer is bound to, since the words of a call do not say what stands in the files that it starts.
    #[must_use]
    pub fn seal(&self) -> Option<String> {
        Files::of(&self.judgement.effects.files).fitted().seal()
    }

    /// The decision for the record.
    #[must_use]
    pub fn entry(&self) -> Entry {
        let Self { action, judgement, noticed, regime, .. } = self;
        let Judgement { action: _, effects, assessment, decision } = judgement;
        let call = &action.call;
        let mut rules: Vec<String> = Vec::new();
        for finding in &assessment.findings {
            if !rules.iter().any(|rule| rule == finding.rule) {
                rules.push(finding.rule.to_owned());
            }
        }
        rules.extend(noticed.iter().cloned());
        Entry {
            tool: Some(call.tool.clone()),
            class: Some(assessment.class.name().to_owned()),
            risk: Some(assessment.risk),
            rules,
            decision: Some(decision.verdict),
            layer: Some(decision.layer),
            reason: decision.reasons.first().cloned(),
            action: Some(action.id()),
            preview: Some(preview(action)),
            policy: Some(regime.configuration.policy_id.clone()),
            session: call.session.clone(),
            agent: call.agent.clone(),
            cwd: call.cwd.clone(),
            files: Files::of(&effects.files),
            ..Entry::new(Kind::Decision)
        }
    }

    /// The files that it was judged by; `None` where no file was looked for.
    #[must_use]
    pub fn files(&self) -> Option<Files> {
        let looked = !self.facts.contents.is_empty();
        looked.then(|| Files::of(&self.judgement.effects.files))
    }

    /// What a report shows of it.
    #[must_use]
    pub fn report(&self) -> report::Judged<'_> {
        report::Judged {
            call: &self.action.call,
            effects: &self.judgement.effects,
            assessment: &self.judgement.assessment,
            decision: &self.judgement.decision,
        }
    }
}
