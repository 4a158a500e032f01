//! Analyzers: opinions on how risky an action is, as values that compose. Owns the shape of an opinion, the documented
//! analyzers and how several of them become one; it decides nothing.
//!
//! The analyzers are those of the OpenHands security documents, with the rule engine as one more beside them. They are
//! correlated and not independent, so that the highest opinion counts and nothing is averaged. What one of them could not
//! read is a gap, and a gap is not talked away by another that saw nothing.

use std::{fmt, sync::Arc};

use crate::{
    finding::{Category, Confidence, Finding, Place},
    risk::{Risk, Severity},
    rules::{self, Scene},
};

mod detectors;
mod ensemble;
mod pattern;
mod rail;
mod segments;
#[cfg(test)]
mod tests;

pub use crate::normal::{is_invisible, plain};
pub use crate::opinion::Opinion;
pub use detectors::{Corpus, DETECTORS, Detector};
pub use ensemble::{BadEnsemble, Ensemble, NoAnalyzer};
pub use pattern::PatternAnalyzer;
pub use rail::{PolicyRailAnalyzer, RAILS, Rail};

/// Something with an opinion on how risky an action is.
pub trait Analyzer: Send + Sync {
    /// The name in messages, and in the list that [`named`] knows.
    fn name(&self) -> &str;

    /// What it thinks of an action.
    ///
    /// # Errors
    /// [`AnalysisFailed`] where it cannot tell because it is broken, not because the action is odd: whoever asked counts
    /// that as `High`. A panic is not caught here.
    fn analyze(&self, scene: &Scene<'_>) -> Result<Opinion, AnalysisFailed>;
}

/// An analyzer did not work.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the analyzer failed: {0}")]
pub struct AnalysisFailed(pub String);

/// The rule engine: what `rules` finds in what the action would do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

impl Analyzer for Rules {
    fn name(&self) -> &str {
        "rules"
    }

    fn analyze(&self, scene: &Scene<'_>) -> Result<Opinion, AnalysisFailed> {
        Ok(Opinion::understood(scene.effects, rules::apply(scene)))
    }
}

/// The model's own claim about its call, which costs nothing and proves nothing: beside another analyzer it can only raise
/// the risk.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclaredRisk;

impl Analyzer for DeclaredRisk {
    fn name(&self) -> &str {
        "declared"
    }

    fn analyze(&self, scene: &Scene<'_>) -> Result<Opinion, AnalysisFailed> {
        Ok(Opinion::of(scene.action.call.declared_risk.unwrap_or(Risk::Unknown)))
    }
}

/// Never an opinion.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOp;

impl Analyzer for NoOp {
    fn name(&self) -> &str {
        "no-op"
    }

    fn analyze(&self, _: &Scene<'_>) -> Result<Opinion, AnalysisFailed> {
        Ok(Opinion::of(Risk::Unknown))
    }
}

/// A closure as an analyzer.
///
/// ```
/// use portcullis_core::{
///     action::Action,
///     analyze::{Custom, Ensemble, Opinion, Rules},
///     call::ToolCall,
///     facts::Facts,
///     gate::Gate,
///     policy::Policy,
///     risk::Risk,
/// };
///
/// let deployments = Custom::new("deployments", |scene| {
///     let risky = scene.action.call.tool == "deploy";
///     Ok(Opinion::of(if risky { Risk::High } else { Risk::Low }))
/// });
/// let gate = Gate::with_analyzers(Policy::default(), Ensemble::of(deployments).and(Rules));
///
/// let call = ToolCall { tool: "deploy".into(), ..ToolCall::default() };
/// let judgement = gate.judge(&Action::from_call(call)?, &Facts::default());
/// assert_eq!(judgement.assessment.risk, Risk::High);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Custom<F> {
    name: String,
    judge: F,
}

impl<F> Custom<F>
where
    F: Fn(&Scene<'_>) -> Result<Opinion, AnalysisFailed> + Send + Sync,
{
    /// An analyzer that asks `judge`. A panic in it is not caught: what can go wrong is to be returned as an error.
    #[must_use]
    pub fn new(name: impl Into<String>, judge: F) -> Self {
        Self { name: name.into(), judge }
    }
}

impl<F> fmt::Debug for Custom<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Custom").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<F> Analyzer for Custom<F>
where
    F: Fn(&Scene<'_>) -> Result<Opinion, AnalysisFailed> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn analyze(&self, scene: &Scene<'_>) -> Result<Opinion, AnalysisFailed> {
        (self.judge)(scene)
    }
}

/// The names that [`named`] knows.
pub const NAMES: [&str; 5] = ["rules", "declared", "pattern", "policy-rail", "no-op"];

/// A name that no analyzer has.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is not an analyzer; expected {list}", list = NAMES.join(", "))]
pub struct UnknownAnalyzer(pub String);

/// The analyzer with this name.
///
/// # Errors
/// [`UnknownAnalyzer`], which lists the names.
///
/// ```
/// use portcullis_core::analyze;
///
/// assert!(analyze::named("policy-rail").is_ok());
/// let error = analyze::named("magic").err().unwrap();
/// assert_eq!(
///     error.to_string(),
///     "`magic` is not an analyzer; expected rules, declared, pattern, policy-rail, no-op"
/// );
/// ```
pub fn named(name: &str) -> Result<Arc<dyn Analyzer>, UnknownAnalyzer> {
    Ok(match name.trim() {
        "rules" => Arc::new(Rules),
        "declared" => Arc::new(DeclaredRisk),
        "pattern" => Arc::new(PatternAnalyzer),
        "policy-rail" => Arc::new(PolicyRailAnalyzer),
        "no-op" => Arc::new(NoOp),
        _ => return Err(UnknownAnalyzer(name.to_owned())),
    })
}

/// What is said of an analyzer that did not work.
fn failure(name: &str, error: &AnalysisFailed) -> Finding {
    Finding {
        rule: "analyzer.failed",
        category: Category::Unclear,
        severity: Severity::High,
        confidence: Confidence::High,
        place: Place {
            pointer: String::new(),
            span: crate::Span::default(),
            layer: None,
            file: None,
        },
        message: format!("the analyzer `{name}` could not judge this: {}", error.0),
        remedy: "repair the analyzer, or judge without it".to_owned(),
        reversible: true,
        resource: None,
    }
}
