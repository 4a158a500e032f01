//! Adjustments: what a person knows better about a rule in their own surroundings. Owns how findings are changed by them;
//! no adjustment goes below a floor.

use super::{Policy, floor};
use crate::{finding::Finding, risk::Severity};

/// A change to the findings of a rule, for a reason that stands in the configuration.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Adjustment {
    /// The rule's id, or the beginning of several with `.*`. The longest that fits a finding counts.
    pub rule: String,
    /// What becomes of its findings.
    pub change: Change,
    /// Why.
    pub reason: String,
}

/// What becomes of a finding.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Change {
    /// It is dropped.
    Off,
    /// It has this severity.
    Severity(Severity),
}

impl Policy {
    /// The findings as this policy sees them. What a floor names is only ever raised.
    #[must_use]
    pub fn adjusted(&self, findings: Vec<Finding>) -> Vec<Finding> {
        if self.adjustments.is_empty() {
            return findings;
        }
        findings.into_iter().filter_map(|finding| self.adjusted_finding(finding)).collect()
    }

    fn adjusted_finding(&self, mut finding: Finding) -> Option<Finding> {
        let fitting = self
            .adjustments
            .iter()
            .filter(|adjustment| floor::covers(&adjustment.rule, finding.rule));
        let Some(adjustment) = fitting.max_by_key(|adjustment| adjustment.rule.len()) else {
            return Some(finding);
        };
        let is_floor = floor::is_floor(finding.rule, &self.floors);
        match adjustment.change {
            Change::Off if is_floor => Some(finding),
            Change::Off => None,
            Change::Severity(severity) => {
                finding.severity = if is_floor { severity.max(finding.severity) } else { severity };
                Some(finding)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use portcullis_syntax::Span;

    use super::*;
    use crate::{
        finding::{Category, Confidence, Place},
        policy::PolicyOptions,
    };

    fn finding(rule: &'static str) -> Finding {
        Finding {
            rule,
            category: Category::Change,
            severity: Severity::High,
            confidence: Confidence::High,
            place: Place { pointer: String::new(), span: Span { start: 0, end: 0 }, layer: None },
            message: String::new(),
            remedy: String::new(),
            reversible: true,
            resource: None,
        }
    }

    #[test]
    fn the_longest_adjustment_counts_and_floors_are_only_raised() {
        let adjust =
            |rule: &str, change| Adjustment { rule: rule.into(), change, reason: "test".into() };
        let policy = Policy::new(PolicyOptions {
            adjustments: vec![
                adjust("git.*", Change::Off),
                adjust("git.push.force", Change::Severity(Severity::Low)),
                adjust("disk.*", Change::Severity(Severity::Low)),
                adjust("protection.gate.*", Change::Off),
                adjust("own.floor", Change::Off),
            ],
            floors: vec!["own.*".into()],
            ..PolicyOptions::default()
        });
        for (rule, expected) in [
            ("git.reset", None),
            ("git.push.force", Some(Severity::Low)),
            ("gitlab.push", Some(Severity::High)),
            ("disk.overwrite.device", Some(Severity::High)),
            ("disk.show", Some(Severity::Low)),
            ("protection.gate.stop", Some(Severity::High)),
            ("own.floor", Some(Severity::High)),
        ] {
            let adjusted = policy.adjusted(vec![finding(rule)]);
            assert_eq!(adjusted.first().map(|finding| finding.severity), expected, "{rule}");
        }
    }
}
