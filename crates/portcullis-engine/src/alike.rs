//! What a call is the like of: what is asked about, and on what. Owns when another call asks for no more than that.
//!
//! A grant by kind says "the same rule on the same resource", or by the same command where a command has none. So a call without a finding is the like of nothing, nor is one of
//! which something could not be read, or one that is asked about for what its session has seen: that is another question each time.

use std::collections::BTreeSet;

use portcullis_core::{
    action::Action,
    assessment::{Coverage, MAX_RESOURCES},
    decision::Layer,
    effect::{EffectKind, LayerId},
    facts::Facts,
    gate::Judgement,
    policy::Confirmation,
    redact::redact,
    risk::Severity,
};
use serde::{Deserialize, Serialize};

/// The highest level that a kind reaches.
pub const REACH: Severity = Severity::High;

/// The rules that tell what a session has seen, heard and asked for.
const SESSION: &str = "session.";

/// What is asked about: a rule, and what it found it on.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The rule's id.
    pub rule: String,
    /// What it is about, with its kind (`file:/etc/hosts`), where the rule names one thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// A kind of calls: those that the same rules ask about, on the same resources.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Like {
    /// The tool by which it is done.
    pub tool: String,
    /// The class of the action.
    pub class: String,
    /// How risky the call was that it was given for: nothing above it is of the kind.
    pub level: Severity,
    /// What was asked about.
    pub asked: BTreeSet<Asked>,
    /// Everything that the call touched.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub touched: BTreeSet<String>,
    /// The commands that are asked about and that name no resource, word for word: what they are done to stands in their words alone.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub runs: BTreeSet<String>,
    /// Where it was to run, for what has no place of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// A call as it was judged.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// What it means.
    pub action: &'a Action,
    /// What was known of the world.
    pub facts: &'a Facts,
    /// What came of it.
    pub judgement: &'a Judgement,
    /// What of the risks is asked about.
    pub confirmation: Confirmation,
}

/// Why a call is the like of no other.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoKind {
    /// No rule asks about it.
    #[error("no rule asks about it, so nothing says what it has in common with another call")]
    NoRule,
    /// Nothing says on what.
    #[error("nothing says on what it would be done")]
    NoResource,
    /// Something in it was not understood.
    #[error("not all of it is understood")]
    Unread,
    /// It is too risky.
    #[error("nothing above high risk is allowed by its kind")]
    Reach,
    /// It is asked about for what its session has seen.
    #[error("what its session has seen speaks against it, and that is asked about each time")]
    Session,
    /// It touches more than is written down.
    #[error("it touches too much to be named")]
    TooMuch,
    /// It would be kept with a secret.
    #[error("it holds what looks like a secret")]
    Secret,
    /// Something else than its risk asks.
    #[error("it is not its risk that asks")]
    Other,
}

impl Like {
    /// The kind of a call that asks.
    ///
    /// # Errors
    /// [`NoKind`].
    pub fn of(case: Case<'_>) -> Result<Self, NoKind> {
        let Case { action, facts, judgement, confirmation } = case;
        let assessment = &judgement.assessment;
        if assessment.coverage != Coverage::Full {
            return Err(NoKind::Unread);
        }
        if assessment.level > REACH {
            return Err(NoKind::Reach);
        }
        if !matches!(judgement.decision.layer, Layer::Confirmation | Layer::Mode) {
            return Err(NoKind::Other);
        }
        if assessment.findings.iter().any(|finding| finding.rule.starts_with(SESSION)) {
            return Err(NoKind::Session);
        }
        let least = least(confirmation);
        let asked: BTreeSet<Asked> = assessment
            .findings
            .iter()
            .filter(|finding| finding.severity >= least)
            .map(|finding| Asked {
                rule: finding.rule.to_owned(),
                resource: finding.resource.clone(),
            })
            .collect();
        if asked.is_empty() {
            return Err(NoKind::NoRule);
        }
        let touched: BTreeSet<String> = assessment.resources.iter().cloned().collect();
        let runs = runs(judgement, least).ok_or(NoKind::NoResource)?;
        let named = asked.iter().filter_map(|asked| asked.resource.as_ref());
        if touched.is_empty() && runs.is_empty()
            || !touched.iter().chain(named).all(|one| is_known(one))
        {
            return Err(NoKind::NoResource);
        }
        // The list is cut there: what is behind it is not known.
        if touched.len() >= MAX_RESOURCES {
            return Err(NoKind::TooMuch);
        }
        let is_placed = runs.is_empty() && touched.iter().all(|one| has_place(one));
        let cwd = facts.cwd.clone().filter(|_| !is_placed);
        let kind = Self {
            tool: action.call.tool.clone(),
            class: assessment.class.name().to_owned(),
            level: assessment.level,
            asked,
            touched,
            runs,
            cwd,
        };
        let words = kind.words();
        if redact(&words) == words { Ok(kind) } else { Err(NoKind::Secret) }
    }

    /// Whether a call that asks is of this kind: asked about for nothing else, on nothing else, and no riskier.
    #[must_use]
    pub fn covers(&self, case: Case<'_>) -> bool {
        Self::of(case).is_ok_and(|other| self.holds(&other))
    }

    /// Whether every call of another kind is one of this kind.
    #[must_use]
    pub fn holds(&self, other: &Self) -> bool {
        other.tool == self.tool
            && other.class == self.class
            && other.level <= self.level
            && other.cwd == self.cwd
            && other.asked.is_subset(&self.asked)
            && other.touched.is_subset(&self.touched)
            && other.runs.is_subset(&self.runs)
    }

    /// The kind, in a few words that still have to be made visible.
    #[must_use]
    pub fn words(&self) -> String {
        let asked: Vec<String> = self
            .asked
            .iter()
            .map(|asked| match &asked.resource {
                Some(resource) => format!("`{}` on `{resource}`", asked.rule),
                None => format!("`{}`", asked.rule),
            })
            .collect();
        let mut words =
            format!("calls of `{}` that nothing but {} asks about", self.tool, asked.join(" and "));
        if !self.runs.is_empty() {
            let runs: Vec<String> = self.runs.iter().map(|run| format!("`{run}`")).collect();
            words.push_str(&format!(", that run nothing for it but {}", runs.join(" and ")));
        }
        let touched: Vec<&str> = self.touched.iter().map(String::as_str).collect();
        words.push_str(&match touched.as_slice() {
            [] => ", and that touch nothing else".to_owned(),
            all => format!(", and that touch nothing but {}", all.join(", ")),
        });
        words
    }

    /// Whether it is one that a person could have given.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.level <= REACH
            && !self.asked.is_empty()
            && !(self.touched.is_empty() && self.runs.is_empty())
            && self.touched.len() < MAX_RESOURCES
            && self.touched.iter().all(|one| is_known(one))
            && !self.asked.iter().any(|asked| asked.rule.starts_with(SESSION))
    }
}

/// The level from which findings count: what the policy asks about, and never less than what changes something.
fn least(confirmation: Confirmation) -> Severity {
    match confirmation {
        Confirmation::Always | Confirmation::Never => Severity::Safe,
        Confirmation::Risky { threshold, .. } | Confirmation::Refuse { threshold } => {
            threshold.min(Severity::Medium)
        }
    }
}

/// How many commands a kind names, and how long all of them are at most: nobody reads more.
const MOST_RUNS: usize = 4;
const LONGEST_RUNS: usize = 300;

/// The commands that findings without a resource are about; `None` where one of them is not known word for word, or there are more than anybody reads.
fn runs(judgement: &Judgement, least: Severity) -> Option<BTreeSet<String>> {
    let mut runs = BTreeSet::new();
    for finding in &judgement.assessment.findings {
        if finding.severity < least || finding.resource.is_some() {
            continue;
        }
        let place = &finding.place;
        let mut is_found = false;
        for effect in &judgement.effects.list {
            let EffectKind::Run(run) = &effect.kind else { continue };
            let is_it = effect.at.layer == LayerId(0)
                && effect.at.span.start < place.span.end
                && place.span.start < effect.at.span.end;
            if !is_it {
                continue;
            }
            // Within another text its place says nothing of what it is about.
            // What a program does that nobody knows, its words do not say either.
            if place.layer.is_some() || place.file.is_some() || !run.known {
                return None;
            }
            let mut words = vec![run.name.text.as_known()?.to_owned()];
            for argument in run.arguments.as_slice() {
                words.push(argument.text.as_known()?.to_owned());
            }
            is_found = true;
            runs.insert(words.join(" "));
        }
        // Of what is asked about nothing would be said.
        if !is_found {
            return None;
        }
    }
    let is_short = runs.iter().map(String::len).sum::<usize>() <= LONGEST_RUNS;
    (runs.len() <= MOST_RUNS && is_short).then_some(runs)
}

/// Whether a resource is one thing: a variable or a pattern is another one each time.
fn is_known(resource: &str) -> bool {
    !resource.contains(['$', '*', '?', '[', '{', '<', '…', '\u{2400}'])
}

/// Whether a resource is the same one wherever it is named.
fn has_place(resource: &str) -> bool {
    resource.strip_prefix("file:").is_none_or(|path| path.starts_with('/'))
}
