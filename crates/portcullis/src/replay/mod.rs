//! What a recorded day would look like under another policy. Owns the comparison: which calls a session had, what two gates
//! say of each, and the sums of that; nothing is run, asked or recorded.
//!
//! ```text
//! transcripts, histories, records ──source, formats──► calls ──two sessions──► Comparison ──► a page
//! ```

pub mod canary;
mod database;
mod formats;
mod history;
pub mod source;
mod spared;
mod suggestion;

use std::collections::BTreeMap;

use portcullis_core::{
    assessment::ActionClass,
    call::ToolCall,
    decision::{Layer, Verdict},
    policy::{Context, Rule},
    risk::{Risk, Severity},
};

use self::source::Recorded;
pub use self::{spared::Spared, suggestion::Suggestion};
use crate::{
    alike::Like,
    session::{self, Judged, Session},
};

/// How a call comes out under one policy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The layer that decided.
    pub layer: Layer,
    /// The risk.
    pub risk: Risk,
    /// The highest severity found, also where something was not understood.
    pub level: Severity,
    /// The rule that weighs most, where one was found.
    pub rule: Option<String>,
    /// What kind of action it is.
    pub class: ActionClass,
}

/// A call under both policies.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The call.
    pub call: ToolCall,
    /// Where it was read.
    pub place: source::Place,
    /// The call for a person: its command, path or address.
    pub preview: String,
    /// Under the policy of now.
    pub now: Outcome,
    /// Under the other one.
    pub then: Outcome,
    /// The rules that would spare its question under the other one.
    pub rules: Vec<Rule>,
    /// The kind that it is of where the other one asks, and its like can be allowed together.
    pub kind: Option<Like>,
}

/// Two policies, side by side.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Every call that could be judged, in order.
    pub pairs: Vec<Pair>,
    /// Calls whose arguments are not what their tool takes: where, and why.
    pub unreadable: Vec<(source::Place, String)>,
}

/// How often each verdict was given.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Tally {
    /// Calls that would go on.
    pub allowed: usize,
    /// Calls that a person would be asked about.
    pub asked: usize,
    /// Calls that would be refused.
    pub denied: usize,
}

impl Tally {
    fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Allow => self.allowed += 1,
            Verdict::Ask => self.asked += 1,
            Verdict::Deny => self.denied += 1,
        }
    }

    /// How many of 100 calls interrupt a person.
    #[must_use]
    pub fn interruptions(self) -> f64 {
        let stopped = self.asked + self.denied;
        let all = stopped + self.allowed;
        if all == 0 { 0.0 } else { count(stopped) * 100.0 / count(all) }
    }
}

/// A count as a number to divide; exact as far as anybody counts calls.
fn count(calls: usize) -> f64 {
    u32::try_from(calls).map_or(f64::from(u32::MAX), f64::from)
}

impl Comparison {
    /// Judges every call under both policies, as a hook inside an agent would: with what the earlier calls of its session left.
    #[must_use]
    pub fn new(calls: Vec<Recorded>, now: &Session, then: &Session) -> Self {
        let mut comparison = Self::default();
        for Recorded { call, place } in calls {
            let judged = now
                .consider(call.clone(), context())
                .and_then(|now| Ok((now, then.consider(call.clone(), context())?)));
            match judged {
                Ok((mut before, mut after)) => {
                    comparison.pairs.push(Pair {
                        call,
                        place,
                        preview: session::preview(&before.action),
                        now: outcome(&before),
                        rules: suggestion::rules_for(&after, then.policy()),
                        kind: kind(&after),
                        then: outcome(&after),
                    });
                    now.remember(&mut before);
                    then.remember(&mut after);
                }
                Err(error) => comparison.unreadable.push((place, error.to_string())),
            }
        }
        comparison
    }

    /// How often each verdict was given now, and under the other policy.
    #[must_use]
    pub fn tallies(&self) -> (Tally, Tally) {
        let tally = |side: fn(&Pair) -> &Outcome| {
            let mut tally = Tally::default();
            for pair in &self.pairs {
                tally.count(side(pair).verdict);
            }
            tally
        };
        (tally(|pair| &pair.now), tally(|pair| &pair.then))
    }

    /// The calls that the other policy would newly let through.
    pub fn loosened(&self) -> impl Iterator<Item = &Pair> {
        self.pairs
            .iter()
            .filter(|pair| pair.then.verdict == Verdict::Allow && pair.now.verdict > Verdict::Allow)
    }

    /// The calls that the other policy would newly stop.
    pub fn tightened(&self) -> impl Iterator<Item = &Pair> {
        self.pairs
            .iter()
            .filter(|pair| pair.now.verdict == Verdict::Allow && pair.then.verdict > Verdict::Allow)
    }

    /// What interrupts most under the other policy: a rule, or what was not understood or not known, and how often.
    #[must_use]
    pub fn interrupters(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for pair in self.pairs.iter().filter(|pair| pair.then.verdict > Verdict::Allow) {
            *counts.entry(reason(&pair.then)).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        counts
    }
}

/// What stopped a call, in a word or two.
#[must_use]
pub fn reason(outcome: &Outcome) -> String {
    match (outcome.layer, &outcome.rule) {
        (Layer::Confirmation | Layer::Floor | Layer::Person, Some(rule))
            if outcome.level >= Severity::High || outcome.risk != Risk::Unknown =>
        {
            rule.clone()
        }
        (Layer::Confirmation | Layer::Floor | Layer::Person, _) => "not understood".to_owned(),
        (Layer::Mode, _) => format!("the mode ({})", outcome.class.name()),
        (layer, _) => format!("{} of the policy", layer.name()),
    }
}

/// The kind of a call that asks.
fn kind(judged: &Judged) -> Option<Like> {
    let asks = judged.judgement.decision.verdict == Verdict::Ask;
    asks.then(|| judged.kind().ok()).flatten()
}

/// Calls are judged as a hook inside an agent judges them.
fn context() -> Context {
    Context { agent_asks: true, ..Context::default() }
}

fn outcome(judged: &Judged) -> Outcome {
    let assessment = &judged.judgement.assessment;
    let decision = &judged.judgement.decision;
    Outcome {
        verdict: decision.verdict,
        layer: decision.layer,
        risk: assessment.risk,
        level: assessment.level,
        rule: assessment.findings.first().map(|finding| finding.rule.to_owned()),
        class: assessment.class,
    }
}
