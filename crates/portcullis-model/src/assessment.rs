//! How risky an action is and why. Owns the sum of all findings; it decides nothing.

use std::collections::BTreeSet;

pub use crate::tool::ActionClass;
use crate::{
    action::{Action, ActionKind},
    effect::{Connection, Effect, EffectKind, Effects, Target},
    finding::{Finding, Place},
    opinion::Opinion,
    risk::{Risk, Severity},
};

/// Everything that was found out about an action.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The highest risk found; `Unknown` where not everything was understood and nothing at `High` or above was found,
    /// so that a `High` is never hidden behind an `Unknown`.
    pub risk: Risk,
    /// The highest level found, whatever was not understood.
    pub level: Severity,
    /// Every finding, most severe first, then in the order of the text.
    pub findings: Vec<Finding>,
    /// How much was understood.
    pub coverage: Coverage,
    /// What it touches, with its kind (`file:…`, `host:…`, `table:…`), without repeats, at most [`MAX_RESOURCES`].
    pub resources: Vec<String>,
    /// Whether all of it can be undone. What was not understood cannot be said to be.
    pub reversible: bool,
    /// The impact in a sentence.
    pub impact: &'static str,
    /// What to do before or instead.
    pub recommendations: Vec<String>,
    /// What kind of action it proved to be, for the permission modes.
    pub class: ActionClass,
    /// Whether the tool itself is one that we do not know, where an analyzer went by what it means.
    pub tool_is_unknown: bool,
}

/// The most resources that are listed, so that a loop over a thousand names stays readable.
pub const MAX_RESOURCES: usize = 10;

/// How much of an action was understood.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Coverage {
    /// All of it.
    Full,
    /// Not these places, each with the reason for a person.
    Partial(Vec<(Place, &'static str)>),
}

/// What an assessment is made from.
#[derive(Debug)]
pub struct Evidence<'a> {
    /// The action.
    pub action: &'a Action,
    /// What it would do.
    pub effects: &'a Effects,
    /// What the analyzers say.
    pub opinion: Opinion,
    /// The class of the tool, as the policy has it.
    pub tool_class: ActionClass,
    /// The class that the action proved to be.
    pub class: ActionClass,
}

impl Assessment {
    /// Whether something in it could not be read. That a tool is unknown is its class, and priced by the mode as such.
    #[must_use]
    pub fn is_unread(&self) -> bool {
        match &self.coverage {
            Coverage::Full => false,
            Coverage::Partial(places) => places.len() > usize::from(self.tool_is_unknown),
        }
    }

    /// Sums up what was found.
    #[must_use]
    pub fn new(evidence: Evidence<'_>) -> Self {
        let Evidence { action, effects, opinion, tool_class, class } = evidence;
        let known = opinion.severity();
        let Opinion { level: _, mut findings, gaps, needs_meaning } = opinion;
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let level = known.unwrap_or(Severity::Safe);
        let is_read = |effect: &Effect| matches!(effect.kind, EffectKind::Act(_));
        let tool_is_unknown = needs_meaning
            && action.kind == ActionKind::Tool
            && tool_class == ActionClass::Unknown
            && !effects.list.iter().any(is_read);
        let unknown = tool_is_unknown.then(|| {
            if action.is_misnamed() { MISNAMED } else { "what this tool does is not known" }
        });
        let coverage = coverage(gaps, known.is_none(), unknown);
        let risk = match coverage {
            Coverage::Partial(_) if level < Severity::High => Risk::Unknown,
            Coverage::Partial(_) | Coverage::Full => level.into(),
        };
        Self {
            risk,
            level,
            resources: resources(&findings, effects),
            reversible: coverage == Coverage::Full
                && findings.iter().all(|finding| finding.reversible),
            impact: impact(risk),
            recommendations: recommendations(risk, &findings),
            class,
            findings,
            coverage,
            tool_is_unknown,
        }
    }

    /// Whether this risk typically needs a person: `High`, `Critical`, and what was not understood.
    #[must_use]
    pub fn requires_approval(&self) -> bool {
        self.risk.severity().is_none_or(|level| level >= Severity::High)
    }
}

/// Why nothing is known of a tool that only has the name of one that we know.
const MISNAMED: &str = "these are no arguments of the tool that we know by this name, and what another does is not known";

fn coverage(
    mut places: Vec<(Place, &'static str)>,
    nothing_known: bool,
    unknown: Option<&'static str>,
) -> Coverage {
    let everywhere =
        || Place { pointer: String::new(), span: crate::Span::default(), layer: None, file: None };
    if nothing_known && places.is_empty() {
        places.push((everywhere(), "no analyzer could tell how risky this is"));
    }
    places.extend(unknown.map(|why| (everywhere(), why)));
    if places.is_empty() { Coverage::Full } else { Coverage::Partial(places) }
}

fn resources(findings: &[Finding], effects: &Effects) -> Vec<String> {
    let mut seen = BTreeSet::new();
    findings
        .iter()
        .filter_map(|finding| finding.resource.clone())
        .chain(effects.list.iter().filter_map(|effect| resource(&effect.kind)))
        .filter(|resource| seen.insert(resource.clone()))
        .take(MAX_RESOURCES)
        .collect()
}

fn resource(effect: &EffectKind) -> Option<String> {
    match effect {
        EffectKind::Read(target)
        | EffectKind::Write { target, .. }
        | EffectKind::Delete { target, .. }
        | EffectKind::Permission { target, .. }
        | EffectKind::Hand { target, .. } => Some(file(target)),
        EffectKind::Connect(Connection { host: Some(host), .. }) => Some(format!("host:{host}")),
        EffectKind::Connect(Connection { host: None, .. })
        | EffectKind::Run(_)
        | EffectKind::Execute { .. }
        | EffectKind::Privilege { .. }
        | EffectKind::Kill { .. }
        | EffectKind::Environment { .. }
        | EffectKind::Discard { .. }
        | EffectKind::Query { .. }
        | EffectKind::Act(_)
        | EffectKind::Noted(_) => None,
    }
}

fn file(target: &Target) -> String {
    let path = target.path.clone().unwrap_or_else(|| target.text.display());
    format!("file:{path}")
}

/// The five sentences of the risk-assessment document, and one for what it does not know.
pub const fn impact(risk: Risk) -> &'static str {
    match risk {
        Risk::Critical => "Potentially severe and irreversible impact",
        Risk::High => "Significant impact, may require manual intervention to undo",
        Risk::Medium => "Moderate impact, generally reversible",
        Risk::Low => "Minor impact, easily reversible",
        Risk::Safe => "No significant impact expected",
        Risk::Unknown => "Impact unknown: not everything in this action was understood",
    }
}

fn recommendations(risk: Risk, findings: &[Finding]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if matches!(risk, Risk::High | Risk::Critical) {
        all.push("Review the action carefully before approving".to_owned());
        if findings.iter().any(|finding| !finding.reversible) {
            all.push("This action cannot be easily undone".to_owned());
        }
    }
    if risk == Risk::Critical {
        all.push("Consider if this action is truly necessary".to_owned());
    }
    for finding in findings {
        if !finding.remedy.is_empty() && !all.contains(&finding.remedy) && all.len() < MAX_RESOURCES
        {
            all.push(finding.remedy.clone());
        }
    }
    all
}
