//! Adjustments: what a person knows better about a rule in their own surroundings. Owns how findings are changed by them;
//! no adjustment goes below a floor.

use super::{Policy, floor};
use crate::{finding::Finding, risk::Severity};

/// A change to the findings of a rule, for a reason that stands in the configuration.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Adjustment {
    /// The rule's id, or the beginning of several with `.*`. The longest that fits a finding counts, and beside it every
    /// one that only raises.
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
    /// It has this severity or its own, whichever is higher; it stays also where another adjustment would drop it.
    AtLeast(Severity),
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
        let fitting =
            || self.adjustments.iter().filter(|one| floor::covers(&one.rule, finding.rule));
        let least = fitting().filter_map(|adjustment| match adjustment.change {
            Change::AtLeast(severity) => Some(severity),
            Change::Off | Change::Severity(_) => None,
        });
        let least = least.max();
        let free = fitting().filter(|one| !matches!(one.change, Change::AtLeast(_)));
        let change = free.max_by_key(|one| one.rule.len()).map(|one| one.change);
        let is_floor = floor::is_floor(finding.rule, &self.floors);
        match change {
            Some(Change::Off) if least.is_none() && !is_floor => return None,
            Some(Change::Severity(severity) | Change::AtLeast(severity)) if is_floor => {
                finding.severity = severity.max(finding.severity);
            }
            Some(Change::Severity(severity) | Change::AtLeast(severity)) => {
                finding.severity = severity;
            }
            Some(Change::Off) | None => {}
        }
        finding.severity = least.map_or(finding.severity, |least| least.max(finding.severity));
        Some(finding)
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
            place: Place {
                pointer: String::new(),
                span: Span { start: 0, end: 0 },
                layer: None,
                file: None,
            },
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
                adjust("backup.*", Change::Off),
                adjust("backup.delete", Change::AtLeast(Severity::Medium)),
                adjust("mount.*", Change::AtLeast(Severity::Critical)),
                adjust("mount.show", Change::Severity(Severity::Low)),
                adjust("trace.*", Change::AtLeast(Severity::Low)),
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
            ("backup.delete", Some(Severity::High)),
            ("backup.list", None),
            ("mount.show", Some(Severity::Critical)),
            ("trace.attach", Some(Severity::High)),
        ] {
            let adjusted = policy.adjusted(vec![finding(rule)]);
            assert_eq!(adjusted.first().map(|finding| finding.severity), expected, "{rule}");
        }
    }
}
