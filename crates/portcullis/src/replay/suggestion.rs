//! What would interrupt less. Owns the proposal of rules from what was asked again and again, and the trial of them on the
//! same calls; which rules are narrow enough, and what they match, the core says.
//!
//! Every proposed rule reaches up to medium severity, so it lets nothing through at high whatever it matches; the trial
//! shows it on the calls at hand.

use portcullis_core::{
    decision::Verdict,
    policy::{Policy, Rule, Subject, proposed},
    risk::Severity,
};

use super::{Comparison, Tally, context};
use crate::session::{Judged, Options, Session};

/// How often something must be asked to be worth a rule.
const LEAST: usize = 2;

/// The highest severity that a proposed rule reaches.
const REACH: Severity = Severity::Medium;

/// Rules that would spare questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggestion {
    /// The rules, and for how many of the calls each is needed.
    pub rules: Vec<(Rule, usize)>,
    /// The verdicts with them.
    pub tally: Tally,
    /// Calls at high severity or above, or not understood, that go on with the rules and did not without: none, or the
    /// rules are not to be used.
    pub loosened: usize,
}

/// The rules that would spare one call's question, without their reach.
pub(super) fn rules_for(judged: &Judged, policy: &Policy) -> Vec<Rule> {
    if judged.judgement.decision.verdict != Verdict::Ask {
        return Vec::new();
    }
    let subject = Subject {
        action: &judged.action,
        effects: &judged.judgement.effects,
        facts: &judged.facts,
        assessment: &judged.judgement.assessment,
    };
    proposed(policy, &subject).unwrap_or_default()
}

impl Suggestion {
    /// The rules for what a comparison's other policy asks more than once, tried on its calls. `None` where there are none.
    #[must_use]
    pub fn of(comparison: &Comparison, then: &Options) -> Option<Self> {
        let mut rules: Vec<(Rule, usize)> = Vec::new();
        for rule in comparison.pairs.iter().flat_map(|pair| &pair.rules) {
            match rules.iter_mut().find(|(known, _)| known == rule) {
                Some((_, count)) => *count += 1,
                None => rules.push((rule.clone(), 1)),
            }
        }
        rules.retain(|(_, count)| *count >= LEAST);
        rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let rules: Vec<(Rule, usize)> =
            rules.into_iter().map(|(rule, count)| (rule.up_to(REACH), count)).collect();
        if rules.is_empty() {
            return None;
        }
        let more = rules.iter().map(|(rule, _)| rule.clone());
        let configuration = then.configuration.allowing(more);
        let session = Session::open(Options { configuration, ..then.clone() });
        let (mut tally, mut loosened) = (Tally::default(), 0);
        for pair in &comparison.pairs {
            let Ok(judged) = session.consider(pair.call.clone(), context()) else { continue };
            let verdict = judged.judgement.decision.verdict;
            tally.count(verdict);
            let is_grave = judged.judgement.assessment.requires_approval();
            loosened += usize::from(is_grave && verdict < pair.then.verdict);
        }
        Some(Self { rules, tally, loosened })
    }

    /// The rules as a configuration has them.
    #[must_use]
    pub fn written(&self) -> String {
        let mut text = "[rules]\nallow = [\n".to_owned();
        for (rule, count) in &self.rules {
            // A rule is made of words that are no more than letters, digits and a few signs.
            text.push_str(&format!(
                "  {{ rule = \"{}\", up_to = \"{REACH}\" }}, # {count} calls\n",
                rule.written()
            ));
        }
        text.push_str("]\n");
        text
    }
}
