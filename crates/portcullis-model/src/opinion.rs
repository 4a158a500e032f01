//! What an analyzer thinks of an action. Owns how a level, findings and gaps are one opinion; it forms none.

use crate::{
    effect::Effects,
    finding::{Finding, Place},
    risk::{Risk, Severity},
};

/// What an analyzer thinks of an action.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opinion {
    /// How risky it is beside what the findings say; `None` where the analyzer has no opinion of its own.
    pub level: Option<Severity>,
    /// What fired, each with its id and place.
    pub findings: Vec<Finding>,
    /// What it could not read, each with the reason for a person.
    pub gaps: Vec<(Place, &'static str)>,
    /// Whether it went by what the action means, so that a tool whose meaning is not known leaves it with nothing to say.
    pub needs_meaning: bool,
}

impl Opinion {
    /// An opinion that is a risk and nothing more.
    #[must_use]
    pub fn of(risk: Risk) -> Self {
        Self { level: risk.severity(), ..Self::default() }
    }

    /// The opinion of one who went by what an action means: `Safe` but for the findings, and with a gap wherever the
    /// meaning is not known.
    #[must_use]
    pub fn understood(effects: &Effects, findings: Vec<Finding>) -> Self {
        let gaps = effects.gaps.iter().map(|gap| {
            let (pointer, span) = effects.outermost(gap.at);
            (
                Place { pointer: pointer.to_owned(), span, layer: None, file: None },
                gap.reason.words(),
            )
        });
        Self { level: Some(Severity::Safe), findings, gaps: gaps.collect(), needs_meaning: true }
    }

    /// The highest level that it names.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        self.level.max(self.findings.iter().map(|finding| finding.severity).max())
    }

    /// The risk: the highest level, and `Unknown` where there is none or where something was not read and nothing at
    /// `High` or above was found.
    #[must_use]
    pub fn risk(&self) -> Risk {
        match self.severity() {
            Some(level) if self.gaps.is_empty() || level >= Severity::High => level.into(),
            _ => Risk::Unknown,
        }
    }
}
