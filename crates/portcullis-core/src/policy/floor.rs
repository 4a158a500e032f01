//! Floors: what nobody can approve. Owns the default list and how a rule id meets it.

use crate::finding::{Confidence, Finding};

pub use crate::rules::FLOORS as DEFAULT_FLOORS;

/// The first finding that a floor names. A finding of low confidence may be something else, so a person can judge it.
pub(super) fn hit<'a>(findings: &'a [Finding], floors: &[String]) -> Option<&'a Finding> {
    findings
        .iter()
        .find(|finding| finding.confidence > Confidence::Low && is_floor(finding.rule, floors))
}

/// Whether a rule is a floor, by default or among `floors`.
pub(super) fn is_floor(rule: &str, floors: &[String]) -> bool {
    DEFAULT_FLOORS.iter().any(|floor| covers(floor, rule))
        || floors.iter().any(|floor| covers(floor, rule))
}

/// Whether a rule id, or a beginning that ends with `.*`, stands for a rule.
pub(super) fn covers(floor: &str, rule: &str) -> bool {
    match floor.strip_suffix(".*") {
        Some(beginning) => rule
            .strip_prefix(beginning)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
        None => floor == rule,
    }
}
