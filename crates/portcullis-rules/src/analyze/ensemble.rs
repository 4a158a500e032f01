//! Several analyzers as one. Owns how their opinions come together.

use std::{fmt, sync::Arc};

use super::{
    AnalysisFailed, Analyzer, DeclaredRisk, Opinion, Rules, UnknownAnalyzer, failure, named,
};
use crate::{
    Span,
    finding::Place,
    risk::{Risk, Severity},
    rules::Scene,
};

/// Analyzers whose highest opinion counts.
///
/// `Unknown` says nothing beside a concrete level and stays where there is none; with
/// [`propagate_unknown`](Ensemble::propagate_unknown) one `Unknown` is enough. Neither hides a `High`, and a child that
/// fails counts as one. A child that names what it could not read leaves the whole `Unknown` below `High`.
#[derive(Clone)]
pub struct Ensemble {
    analyzers: Vec<Arc<dyn Analyzer>>,
    propagate_unknown: bool,
}

/// An ensemble without a child, which would find everything harmless.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an ensemble needs at least one analyzer")]
pub struct NoAnalyzer;

/// Names that make no ensemble.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadEnsemble {
    /// No name is given.
    #[error(transparent)]
    Empty(#[from] NoAnalyzer),
    /// One of them is not known.
    #[error(transparent)]
    Unknown(#[from] UnknownAnalyzer),
}

impl Ensemble {
    /// An ensemble of these analyzers.
    ///
    /// # Errors
    /// [`NoAnalyzer`] where there is none.
    pub fn new(analyzers: Vec<Arc<dyn Analyzer>>) -> Result<Self, NoAnalyzer> {
        if analyzers.is_empty() {
            return Err(NoAnalyzer);
        }
        Ok(Self { analyzers, propagate_unknown: false })
    }

    /// An ensemble of one analyzer, to which more are added with [`and`](Ensemble::and).
    #[must_use]
    pub fn of(analyzer: impl Analyzer + 'static) -> Self {
        Self { analyzers: vec![Arc::new(analyzer)], propagate_unknown: false }
    }

    /// The ensemble of analyzers with these names, separated by commas.
    ///
    /// # Errors
    /// [`BadEnsemble`] where there is no name or one that is not known.
    pub fn from_names(names: &str) -> Result<Self, BadEnsemble> {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        let analyzers = names.map(named).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::new(analyzers)?)
    }

    /// With one more analyzer.
    #[must_use]
    pub fn and(mut self, analyzer: impl Analyzer + 'static) -> Self {
        self.analyzers.push(Arc::new(analyzer));
        self
    }

    /// With every `Unknown` of a child as an `Unknown` of the whole, below `High`.
    #[must_use]
    pub const fn propagate_unknown(mut self, propagate: bool) -> Self {
        self.propagate_unknown = propagate;
        self
    }

    /// What all of them think together.
    #[must_use]
    pub fn opinion(&self, scene: &Scene<'_>) -> Opinion {
        let mut whole = Opinion::default();
        for analyzer in &self.analyzers {
            let opinion = analyzer.analyze(scene).unwrap_or_else(|error| Opinion {
                level: Some(Severity::High),
                findings: vec![failure(analyzer.name(), &error)],
                ..Opinion::default()
            });
            if self.propagate_unknown && opinion.gaps.is_empty() && opinion.risk() == Risk::Unknown
            {
                let nowhere = Place {
                    pointer: String::new(),
                    span: Span::default(),
                    layer: None,
                    file: None,
                };
                whole.gaps.push((nowhere, "one of the analyzers cannot tell how risky this is"));
            }
            let Opinion { level, findings, gaps, needs_meaning } = opinion;
            whole.level = whole.level.max(level);
            whole.findings.extend(findings);
            whole.gaps.extend(gaps);
            whole.needs_meaning |= needs_meaning;
        }
        whole
    }
}

impl Default for Ensemble {
    /// What every gate asks unless told otherwise: the rules, and the model's own claim, which can only raise the risk.
    fn default() -> Self {
        Self::of(Rules).and(DeclaredRisk)
    }
}

impl Analyzer for Ensemble {
    fn name(&self) -> &str {
        "ensemble"
    }

    fn analyze(&self, scene: &Scene<'_>) -> Result<Opinion, AnalysisFailed> {
        Ok(self.opinion(scene))
    }
}

impl fmt::Debug for Ensemble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.analyzers.iter().map(|analyzer| analyzer.name()).collect();
        f.debug_struct("Ensemble")
            .field("analyzers", &names)
            .field("propagate_unknown", &self.propagate_unknown)
            .finish()
    }
}
