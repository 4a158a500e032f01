//! What follows from a review. Owns the order of what counts: rules and floors before, the deterministic risk under the score, the
//! numbers over the model's own word, and a person over everything that failed.

use super::{
    reply::Review,
    score::{Score, Thresholds},
};
use crate::{
    assessment::{ActionClass, Assessment, Coverage},
    decision::{Decision, Layer, Verdict},
    redact::redact,
    risk::Severity,
};

/// How much of a model's reasoning is repeated in a reason.
const REASONING: usize = 280;

/// What is said where a question meets nobody.
const NOBODY_ASKED: &str = "nobody can be asked, so it is denied";

/// Which *asks* a reviewer may answer with yes. Nothing else loosens anything.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MayApprove {
    /// The highest deterministic risk. What is critical is never approved, whatever stands here.
    pub max_risk: Severity,
    /// The classes of actions.
    pub classes: Vec<ActionClass>,
    /// Whether it may be approved although not everything in it was understood.
    pub unknown: bool,
}

/// What an error of the review leads to.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum OnError {
    /// The action is denied.
    #[default]
    Deny,
    /// The person is asked, where there is one.
    Ask,
}

/// What a reviewer may do, as the policy says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terms {
    /// From which score on what happens.
    pub thresholds: Thresholds,
    /// What may be approved; nothing by default.
    pub may_approve: Option<MayApprove>,
    /// Whether it also reviews what it may not approve: it can then deny, and tell the person what it thinks.
    pub second_opinion: bool,
    /// What an error leads to.
    pub on_error: OnError,
}

/// Why an action cannot be approved by a reviewer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Barrier {
    /// The policy did not ask about it.
    NotAsked,
    /// A rule of a person asks about it.
    Rule,
    /// The policy names nothing that may be approved.
    NothingNamed,
    /// It is critical.
    Critical,
    /// Its risk is above what may be approved.
    Risk,
    /// Its class is not among those that may be approved.
    Class,
    /// Not everything in it was understood.
    NotUnderstood,
    /// Not all of it could be shown to the reviewer.
    Cut,
    /// A part of it was masked as a secret, so that the reviewer did not see it.
    Masked,
}

impl Barrier {
    /// The reason for a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotAsked => "the policy decided by itself",
            Self::Rule => "a rule wants a person to be asked",
            Self::NothingNamed => "the policy lets the reviewer approve nothing",
            Self::Critical => "what is critical is for a person",
            Self::Risk => "its risk is above what the reviewer may approve",
            Self::Class => "its class is not among those that the reviewer may approve",
            Self::NotUnderstood => "not everything in it was understood",
            Self::Cut => "it is too long to be shown to the reviewer whole",
            Self::Masked => "a part of it was masked, so that the reviewer did not see it",
        }
    }
}

/// How a review can fail. None of them is an opinion about the action.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Failing {
    /// No answer in time.
    Timeout,
    /// The model would not answer.
    Refused,
    /// The answer cannot be read.
    Malformed,
    /// Nobody answered.
    Unreachable,
    /// The service answered that it cannot or will not.
    Rejected,
    /// The key was not taken, or there is none.
    Unauthorised,
    /// The connection is one that may not be made.
    Guarded,
    /// What a session may spend is spent.
    OverBudget,
    /// No briefing could be made.
    Unprepared,
}

impl Failing {
    /// Every one.
    pub const ALL: [Self; 9] = [
        Self::Timeout,
        Self::Refused,
        Self::Malformed,
        Self::Unreachable,
        Self::Rejected,
        Self::Unauthorised,
        Self::Guarded,
        Self::OverBudget,
        Self::Unprepared,
    ];

    /// The word in the record and on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::Malformed => "malformed",
            Self::Unreachable => "unreachable",
            Self::Rejected => "rejected",
            Self::Unauthorised => "unauthorised",
            Self::Guarded => "guarded",
            Self::OverBudget => "over-budget",
            Self::Unprepared => "unprepared",
        }
    }

    /// What it means for a person.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Timeout => {
                "the reviewer did not answer in time, which says nothing about the action"
            }
            Self::Refused => "the reviewer would not answer",
            Self::Malformed => "the reviewer's answer could not be read",
            Self::Unreachable => "the reviewer could not be reached",
            Self::Rejected => "the reviewer's service did not take the request",
            Self::Unauthorised => "the reviewer's service did not take the key",
            Self::Guarded => "the reviewer stands where no connection may lead",
            Self::OverBudget => "what this session may spend on reviews is spent",
            Self::Unprepared => "the evidence could not be prepared",
        }
    }
}

/// What came of the attempt to have an action reviewed.
#[derive(Clone, Debug, PartialEq)]
pub enum Ruling {
    /// It was reviewed.
    Review {
        /// What the reviewer said.
        review: Review,
        /// Whether all of the action was shown to it.
        is_whole: bool,
        /// Whether something in the action was masked.
        is_masked: bool,
    },
    /// An approval from just before fits.
    Kept,
    /// It was tried and failed.
    Failed(Failing),
    /// A classifier gave no answer: unlike a reviewer's failure, that always asks.
    Unknown(Failing),
    /// It was not tried: too many denials before.
    Stopped,
}

/// What follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The verdict. Never below the one before, but where an *ask* becomes an *allow* that the policy names.
    pub verdict: Verdict,
    /// The score that counted, with the deterministic floor, where there is one.
    pub score: Option<Score>,
    /// What stood in the way of an approval.
    pub barrier: Option<Barrier>,
    /// Why, for a person.
    pub reasons: Vec<String>,
    /// Whether nobody could be asked, so that an *ask* became a *deny*.
    pub folded: bool,
}

impl Terms {
    /// What stands in the way of an approval, whatever the reviewer may say.
    #[must_use]
    pub fn barrier(&self, decision: &Decision, assessment: &Assessment) -> Option<Barrier> {
        if decision.verdict != Verdict::Ask {
            return Some(Barrier::NotAsked);
        }
        if !matches!(decision.layer, Layer::Mode | Layer::Confirmation) {
            return Some(Barrier::Rule);
        }
        if assessment.level >= Severity::Critical {
            return Some(Barrier::Critical);
        }
        let Some(MayApprove { max_risk, classes, unknown }) = &self.may_approve else {
            return Some(Barrier::NothingNamed);
        };
        if assessment.level > *max_risk {
            return Some(Barrier::Risk);
        }
        if !classes.contains(&assessment.class) {
            return Some(Barrier::Class);
        }
        if !unknown && !is_understood(assessment) {
            return Some(Barrier::NotUnderstood);
        }
        None
    }

    /// Whether an action is reviewed at all. What cannot become better by it is not sent anywhere, unless the policy wants a second
    /// opinion.
    #[must_use]
    pub fn wants(&self, decision: &Decision, assessment: &Assessment) -> bool {
        decision.verdict == Verdict::Ask
            && (self.second_opinion || self.barrier(decision, assessment).is_none())
    }

    /// What follows from a ruling on a decision that asks. Any other decision stays as it is.
    #[must_use]
    pub fn settle(
        &self,
        decision: &Decision,
        assessment: &Assessment,
        ruling: &Ruling,
        can_ask: bool,
    ) -> Settled {
        let barrier = self.barrier(decision, assessment);
        if decision.verdict != Verdict::Ask {
            let verdict = decision.verdict;
            return Settled { verdict, score: None, barrier, reasons: Vec::new(), folded: false };
        }
        let mut settled = match ruling {
            Ruling::Review { review, is_whole, is_masked } => {
                let unseen = if !*is_whole {
                    Some(Barrier::Cut)
                } else {
                    is_masked.then_some(Barrier::Masked)
                };
                self.by_score(review, assessment, barrier.or(unseen))
            }
            Ruling::Kept => {
                let verdict = if barrier.is_none() { Verdict::Allow } else { Verdict::Ask };
                let reason = "the reviewer approved exactly this just before".to_owned();
                Settled { verdict, score: None, barrier, reasons: vec![reason], folded: false }
            }
            Ruling::Failed(failing) => {
                let verdict = match self.on_error {
                    OnError::Deny => Verdict::Deny,
                    OnError::Ask => Verdict::Ask,
                };
                let reason = failing.words().to_owned();
                Settled { verdict, score: None, barrier, reasons: vec![reason], folded: false }
            }
            Ruling::Unknown(failing) => {
                let (verdict, reason) = (Verdict::Ask, failing.words().to_owned());
                Settled { verdict, score: None, barrier, reasons: vec![reason], folded: false }
            }
            Ruling::Stopped => {
                let reason =
                    "the reviewer denied too much, so that a person has to look".to_owned();
                let verdict = Verdict::Ask;
                Settled { verdict, score: None, barrier, reasons: vec![reason], folded: false }
            }
        };
        if settled.verdict == Verdict::Ask && !can_ask {
            settled.verdict = Verdict::Deny;
            settled.folded = true;
            settled.reasons.push(NOBODY_ASKED.to_owned());
        }
        settled
    }

    fn by_score(
        &self,
        review: &Review,
        assessment: &Assessment,
        barrier: Option<Barrier>,
    ) -> Settled {
        let Review { score, reasoning, risks: _, claimed } = review;
        let floor = Score::floor(assessment.level, is_understood(assessment));
        let counted = score.max(floor);
        let by_numbers = self.thresholds.verdict(counted);
        let mut reasons = Vec::new();
        let said = shortened(&redact(reasoning));
        reasons.push(match counted == *score {
            true => format!("the reviewer scores it {score}: {said}"),
            false => format!("the reviewer scores it {score}, which counts as {counted}: {said}"),
        });
        let mut verdict = by_numbers;
        if let Some(claimed) = claimed.filter(|claimed| *claimed > verdict) {
            reasons.push("its score and its decision contradict each other".to_owned());
            // Its word alone denies nothing: the numbers do.
            verdict = verdict.max(claimed.min(Verdict::Ask));
        }
        if let Some(barrier) = barrier.filter(|_| verdict == Verdict::Allow) {
            reasons.push(barrier.words().to_owned());
            verdict = Verdict::Ask;
        }
        Settled { verdict, score: Some(counted), barrier, reasons, folded: false }
    }
}

impl Settled {
    /// Takes it into a decision's account.
    pub fn apply(&self, decision: &mut Decision) {
        let Self { verdict, score: _, barrier: _, reasons, folded } = self;
        let note = reasons.join("; ");
        let own = if *folded { Verdict::Ask } else { *verdict };
        decision.account(Layer::Guardian, Some(own), note);
        if *folded {
            decision.account(Layer::Person, Some(Verdict::Deny), NOBODY_ASKED);
        }
        if *verdict != decision.verdict {
            decision.layer = Layer::Guardian;
            decision.verdict = *verdict;
        }
        if *verdict == Verdict::Deny {
            decision.obligations.clear();
        }
        for (place, reason) in reasons.iter().enumerate() {
            decision.reasons.insert(place, reason.clone());
        }
    }
}

fn is_understood(assessment: &Assessment) -> bool {
    assessment.coverage == Coverage::Full && !assessment.tool_is_unknown
}

fn shortened(text: &str) -> String {
    let end = text.floor_char_boundary(REASONING);
    match text.get(..end) {
        Some(head) if end < text.len() => format!("{head}..."),
        _ => text.to_owned(),
    }
}
