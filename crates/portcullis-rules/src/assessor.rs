//! The risk assessor of the rlm-code documents: named rules over the code of an action. Owns its rules, its answer and how
//! they come together; what code does is understood elsewhere and only asked here.
//!
//! The rules are the documented fourteen, by name, level, reason and reversibility. A rule fires on its documented pattern
//! outside of comments and of text that is only printed, and also on what the code would do, however it is written: an argument
//! list, a wrapper, another spelling. What none of the fourteen is about and is dangerous all the same is told in the words
//! of the rule engine.

use std::{fmt, sync::Arc};

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};

use crate::{
    assessment::impact,
    risk::{Risk, Severity},
};

mod defaults;
mod printed;
mod reading;
mod resources;
#[cfg(test)]
mod tests;

use defaults::Documented;
use reading::Reading;

/// How large a rule's pattern may become when it is compiled, in bytes: much more than any list of words, and little enough
/// that a rule from elsewhere costs nothing to speak of.
const PATTERN_BYTES: usize = 1 << 20;

/// An action as it is assessed: `{"action": "code", "code": "…"}`.
pub type ActionMap = Map<String, Value>;

/// A closure that answers for an action, or says why it cannot.
pub type Closure<T> = Arc<dyn Fn(&ActionMap) -> Result<T, RuleFailed> + Send + Sync>;

/// A closure could not answer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct RuleFailed(pub String);

/// Assesses the risk of actions by named rules.
///
/// ```
/// use portcullis_core::{assessor::RiskAssessor, risk::Risk};
/// use serde_json::json;
///
/// let assessor = RiskAssessor::new();
/// let assess = |code: &str| {
///     assessor.assess(json!({ "action": "code", "code": code }).as_object().unwrap())
/// };
///
/// assert_eq!(assess("print('hello')").level, Risk::Safe);
///
/// let result = assess("with open('/tmp/output.txt', 'w') as f: f.write('data')");
/// assert_eq!(result.level, Risk::Medium);
/// assert!(result.reasons.contains(&"File modification may overwrite existing content".to_owned()));
/// assert!(result.reversible);
///
/// let result = assess("import subprocess; subprocess.run(['rm', '-rf', '/home/user/data'])");
/// assert_eq!(result.level, Risk::Critical);
/// assert!(!result.reversible && result.requires_approval());
/// assert!(result.affected_resources.contains(&"file:/home/user/data".to_owned()));
/// ```
#[derive(Clone)]
pub struct RiskAssessor {
    rules: Vec<Compiled>,
    /// Whether dangers that no rule is about are told too.
    understands: bool,
    custom: Option<Closure<RiskAssessment>>,
}

/// A rule.
#[derive(Clone)]
pub struct RiskRule {
    /// Its name, for [`RiskAssessor::remove_rule`].
    pub name: String,
    /// When it fires.
    pub pattern: Pattern,
    /// The level where it fires.
    pub risk_level: Severity,
    /// Why, for a person.
    pub reason: String,
    /// Whether what it is about can be undone.
    pub reversible: bool,
}

/// When a rule fires.
#[derive(Clone)]
#[non_exhaustive]
pub enum Pattern {
    /// This regular expression is found anywhere in `code`, without regard to case.
    Regex(String),
    /// This closure says so. A panic in it is not caught: what can go wrong is to be returned as an error, which counts as at least
    /// `High`.
    Closure(Closure<bool>),
    /// One of the fourteen documented rules says so: its pattern, or what the code would do.
    Documented(DocumentedPattern),
}

/// The pattern of one of the fourteen documented rules.
#[derive(Clone, Copy, Debug)]
pub struct DocumentedPattern(&'static Documented);

/// What was found out about an action.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RiskAssessment {
    /// The highest level of all rules that fired; `Unknown` where none did and not everything was understood.
    pub level: Risk,
    /// Why, one from each rule that fired, in the order of the rules.
    pub reasons: Vec<String>,
    /// What may be affected, with its kind (`file:…`, `url:…`, `table:…`), without repeats, at most ten.
    pub affected_resources: Vec<String>,
    /// Whether all of it can be undone.
    pub reversible: bool,
    /// The impact in a sentence.
    pub estimated_impact: String,
    /// What to do before.
    pub recommendations: Vec<String>,
}

/// A rule that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadRule {
    /// Its pattern is no regular expression, or becomes too large.
    #[error("the pattern of the rule `{name}` cannot be used: {source}")]
    Pattern {
        /// The rule.
        name: String,
        /// Why.
        source: regex::Error,
    },
}

impl RiskRule {
    /// A rule that fires on a regular expression; reversible unless said otherwise.
    #[must_use]
    pub fn regex(name: &str, pattern: &str, risk_level: Severity, reason: &str) -> Self {
        Self::new(name, Pattern::Regex(pattern.to_owned()), risk_level, reason)
    }

    /// A rule that fires where a closure says so; reversible unless said otherwise.
    #[must_use]
    pub fn closure(
        name: &str,
        fires: impl Fn(&ActionMap) -> Result<bool, RuleFailed> + Send + Sync + 'static,
        risk_level: Severity,
        reason: &str,
    ) -> Self {
        Self::new(name, Pattern::Closure(Arc::new(fires)), risk_level, reason)
    }

    /// The same for what cannot be undone.
    #[must_use]
    pub fn irreversible(mut self) -> Self {
        self.reversible = false;
        self
    }

    fn new(name: &str, pattern: Pattern, risk_level: Severity, reason: &str) -> Self {
        let (name, reason) = (name.to_owned(), reason.to_owned());
        Self { name, pattern, risk_level, reason, reversible: true }
    }
}

impl RiskAssessment {
    /// Whether this risk typically needs a person: `High`, `Critical`, and what was not understood.
    #[must_use]
    pub fn requires_approval(&self) -> bool {
        self.level.severity().is_none_or(|level| level >= Severity::High)
    }

    /// An assessment that is a level with its reasons; the impact and recommendations are the documented ones.
    #[must_use]
    pub fn of(level: Risk, reasons: Vec<String>, reversible: bool) -> Self {
        Self {
            level,
            reasons,
            affected_resources: Vec::new(),
            reversible,
            estimated_impact: impact(level).to_owned(),
            recommendations: recommendations(level, reversible),
        }
    }
}

impl Default for RiskAssessor {
    fn default() -> Self {
        Self::new()
    }
}

impl RiskAssessor {
    /// An assessor with the documented rules.
    #[must_use]
    pub fn new() -> Self {
        let rules =
            default_rules().into_iter().map(|rule| Compiled { rule, regex: None }).collect();
        Self { rules, understands: true, custom: None }
    }

    /// An assessor with these rules alone; without any, everything is safe.
    ///
    /// # Errors
    /// [`BadRule`] as in [`RiskAssessor::add_rule`].
    pub fn with_rules(rules: Vec<RiskRule>) -> Result<Self, BadRule> {
        let mut assessor = Self { rules: Vec::new(), understands: false, custom: None };
        for rule in rules {
            assessor.add_rule(rule)?;
        }
        Ok(assessor)
    }

    /// An assessor that passes everything on to a closure. No rule is asked; an error counts as `High`.
    #[must_use]
    pub fn custom_assessor(
        assess: impl Fn(&ActionMap) -> Result<RiskAssessment, RuleFailed> + Send + Sync + 'static,
    ) -> Self {
        Self { rules: Vec::new(), understands: false, custom: Some(Arc::new(assess)) }
    }

    /// Adds a rule behind the others. Two rules may have the same name; both fire.
    ///
    /// # Errors
    /// [`BadRule`] where the pattern is no regular expression or becomes too large.
    pub fn add_rule(&mut self, rule: RiskRule) -> Result<(), BadRule> {
        let regex = match &rule.pattern {
            Pattern::Regex(pattern) => Some(
                RegexBuilder::new(pattern)
                    .case_insensitive(true)
                    .size_limit(PATTERN_BYTES)
                    .build()
                    .map_err(|source| BadRule::Pattern { name: rule.name.clone(), source })?,
            ),
            Pattern::Closure(_) | Pattern::Documented(_) => None,
        };
        self.rules.push(Compiled { rule, regex });
        Ok(())
    }

    /// Removes the rules with this name, and says whether there was one.
    pub fn remove_rule(&mut self, name: &str) -> bool {
        let before = self.rules.len();
        self.rules.retain(|compiled| compiled.rule.name != name);
        self.rules.len() < before
    }

    /// The rules, in order.
    pub fn rules(&self) -> impl Iterator<Item = &RiskRule> {
        self.rules.iter().map(|compiled| &compiled.rule)
    }

    /// Assesses an action. `code` in it is what is looked at; a closure sees all of it.
    #[must_use]
    pub fn assess(&self, action: &ActionMap) -> RiskAssessment {
        if let Some(custom) = &self.custom {
            return custom(action).unwrap_or_else(|error| {
                let reason = format!("the assessor failed: {error}");
                RiskAssessment::of(Risk::High, vec![reason], false)
            });
        }
        let code = action.get("code").and_then(Value::as_str).unwrap_or_default();
        let reading = Reading::new(action, code);
        let mut sum = Sum::default();
        let mut fired: Vec<&Documented> = Vec::new();
        for compiled in &self.rules {
            let Compiled { rule, regex } = compiled;
            let fires = match (&rule.pattern, regex) {
                (Pattern::Regex(_), Some(regex)) => Ok(regex.is_match(code)),
                (Pattern::Regex(_), None) => Ok(false),
                (Pattern::Closure(fires), _) => fires(action),
                (Pattern::Documented(DocumentedPattern(documented)), _) => {
                    let fires = documented.fires(&reading);
                    if fires {
                        fired.push(documented);
                    }
                    Ok(fires)
                }
            };
            match fires {
                Ok(true) => sum.add(rule.risk_level, &rule.reason, rule.reversible),
                Ok(false) => {}
                Err(error) => {
                    let reason = format!("the rule `{}` failed: {error}", rule.name);
                    sum.add(rule.risk_level.max(Severity::High), &reason, false);
                }
            }
        }
        if self.understands {
            for finding in &reading.findings {
                if self.is_news(finding.rule, finding.severity, &fired) {
                    sum.add(finding.severity, &finding.message, finding.reversible);
                }
            }
        }
        sum.finish(&reading, self.understands)
    }

    /// Whether a danger was not told by any of the documented rules. One that belongs to a rule that was removed is not wanted.
    fn is_news(&self, id: &str, severity: Severity, fired: &[&Documented]) -> bool {
        let covering = |documented: &Documented| documented.covers(id);
        let wanted = !defaults::ALL.iter().any(covering)
            || self.rules.iter().any(|compiled| match &compiled.rule.pattern {
                Pattern::Documented(DocumentedPattern(documented)) => documented.covers(id),
                Pattern::Regex(_) | Pattern::Closure(_) => false,
            });
        let told =
            fired.iter().any(|documented| documented.covers(id) && documented.level >= severity);
        severity >= Severity::High && wanted && !told
    }
}

impl fmt::Debug for RiskAssessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.rules().map(|rule| rule.name.as_str()).collect();
        f.debug_struct("RiskAssessor").field("rules", &names).finish_non_exhaustive()
    }
}

/// The documented rules, in their order.
#[must_use]
pub fn default_rules() -> Vec<RiskRule> {
    let rule = |documented: &'static Documented| RiskRule {
        name: documented.name.to_owned(),
        pattern: Pattern::Documented(DocumentedPattern(documented)),
        risk_level: documented.level,
        reason: documented.reason.to_owned(),
        reversible: documented.reversible,
    };
    defaults::ALL.iter().map(rule).collect()
}

#[derive(Clone)]
struct Compiled {
    rule: RiskRule,
    regex: Option<Regex>,
}

/// What fired so far.
#[derive(Default)]
struct Sum {
    level: Option<Severity>,
    reasons: Vec<String>,
    irreversible: bool,
}

impl Sum {
    fn add(&mut self, level: Severity, reason: &str, reversible: bool) {
        self.level = self.level.max(Some(level));
        self.irreversible |= !reversible;
        if !self.reasons.iter().any(|known| known == reason) {
            self.reasons.push(reason.to_owned());
        }
    }

    fn finish(self, reading: &Reading<'_>, understands: bool) -> RiskAssessment {
        let Self { level, reasons, irreversible } = self;
        match level {
            Some(level) => RiskAssessment {
                affected_resources: resources::resources(reading),
                ..RiskAssessment::of(level.into(), reasons, !irreversible)
            },
            None if understands && reading.has_gaps() => {
                let reason = "Not everything in this code was understood".to_owned();
                RiskAssessment::of(Risk::Unknown, vec![reason], false)
            }
            None => {
                RiskAssessment::of(Risk::Safe, vec!["No risk patterns detected".to_owned()], true)
            }
        }
    }
}

fn recommendations(level: Risk, reversible: bool) -> Vec<String> {
    let mut all = Vec::new();
    if level.severity().is_none_or(|level| level >= Severity::High) {
        all.push("Review the action carefully before approving".to_owned());
        if !reversible {
            all.push("This action cannot be easily undone".to_owned());
        }
    }
    if level == Risk::Critical {
        all.push("Consider if this action is truly necessary".to_owned());
    }
    all
}
