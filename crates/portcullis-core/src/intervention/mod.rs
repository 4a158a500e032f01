//! When a person must agree, what they are asked, and whose answer counts. Owns the triggers, the request in the documented shape and the
//! rules for answers; it shows nothing, waits for nobody, and is told the time and every random number.
//!
//! ```text
//! Action ──triggers──► [why] ──request──► ConfirmationRequest ──(a person, elsewhere)──► Answer ──settle──► Settled
//!                     every one            masked, with the risky spans                  bound to the action's hash, once
//! ```

mod answer;
mod mask;
mod request;

use regex::{RegexSet, RegexSetBuilder};

pub use answer::{Answer, Approvers, Pending, Refused, Settled, named, person_of};
pub use mask::{MASKED, MAX_SHOWN, masked};
pub use request::{
    AskedAction, AskedContext, Asking, ConfirmationRequest, REQUEST_VERSION, RiskySpan,
};
use serde_json::{Map, Value};

use crate::{
    action::Action, analyze::plain, assessment::Assessment, effect::Effects, gate::Judgement,
    pointer, policy::class_key, risk::Severity,
};

/// The most patterns of a policy.
pub const MAX_PATTERNS: usize = 64;

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 1_000;

/// How large the patterns may become, compiled.
const COMPILED: usize = 4 << 20;

/// How much of an action patterns are tried on, in bytes. What is longer asks.
const READ: usize = 4 << 20;

/// How deep arguments are read. What is deeper asks.
const DEPTH: usize = 128;

/// When a person must agree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InterventionOptions {
    /// Tools that always ask.
    pub always_confirm_tools: Vec<String>,
    /// The lowest risk that asks.
    pub risk_threshold: Severity,
    /// Whether a risk that is not known asks.
    pub confirm_unknown: bool,
    /// Whether what cannot be undone asks from a medium risk on, whatever the threshold.
    pub confirm_irreversible: bool,
    /// Regular expressions, whatever the case of letters; one that matches something in an action asks.
    pub sensitive_patterns: Vec<String>,
}

impl Default for InterventionOptions {
    /// From a high risk on, as documented, and what is not known or cannot be undone.
    fn default() -> Self {
        Self {
            always_confirm_tools: Vec::new(),
            risk_threshold: Severity::High,
            confirm_unknown: true,
            confirm_irreversible: true,
            sensitive_patterns: Vec::new(),
        }
    }
}

/// Why a policy cannot be made.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadPattern {
    /// There are too many.
    #[error("there are {0} sensitive patterns, and {MAX_PATTERNS} are the most")]
    TooMany(usize),
    /// One is too long.
    #[error("the sensitive pattern that begins with `{0}` is longer than {MAX_PATTERN} bytes")]
    TooLong(String),
    /// One is no regular expression, or they become too large.
    #[error("the sensitive patterns cannot be used: {0}")]
    Malformed(String),
}

/// Why a person must agree.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Trigger {
    /// The tool always asks.
    Tool(String),
    /// The risk is at the threshold or above.
    Risk(Severity),
    /// The risk is not known.
    Unknown,
    /// It cannot be undone.
    Irreversible(Severity),
    /// A pattern matches, at this place.
    Pattern {
        /// The pattern as it was written.
        pattern: String,
        /// A JSON pointer into the arguments; empty for text within them, decoded.
        at: String,
    },
    /// It is too long or too deep to be looked through.
    TooLarge,
}

impl Trigger {
    /// Why, in a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Tool(tool) => format!("`{tool}` always asks"),
            Self::Risk(level) => format!("its risk is {level}"),
            Self::Unknown => "its risk is not known".to_owned(),
            Self::Irreversible(level) => {
                format!("it cannot be undone, and its risk is {level}")
            }
            Self::Pattern { pattern, at } if at.is_empty() => {
                format!("`{pattern}` matches what it holds")
            }
            Self::Pattern { pattern, at } => format!("`{pattern}` matches `{at}`"),
            Self::TooLarge => "it is too large to be looked through".to_owned(),
        }
    }
}

/// When a person must agree, ready to be asked.
///
/// ```
/// use portcullis_core::{
///     action::Action, call::ToolCall, facts::Facts, gate::Gate,
///     intervention::{InterventionOptions, InterventionPolicy, Trigger},
/// };
///
/// let policy = InterventionPolicy::new(InterventionOptions {
///     sensitive_patterns: vec![r"\bprod(uction)?\b".into()],
///     ..InterventionOptions::default()
/// })?;
/// let action = Action::from_call(ToolCall::shell("ls /srv/Production"))?;
/// let judgement = Gate::default().judge(&action, &Facts::default());
/// let why = policy.triggers(&action, &judgement);
/// assert!(matches!(&why[..], [Trigger::Pattern { at, .. }] if at == "/command"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct InterventionPolicy {
    always: Vec<String>,
    threshold: Severity,
    confirm_unknown: bool,
    confirm_irreversible: bool,
    written: Vec<String>,
    patterns: RegexSet,
}

impl Default for InterventionPolicy {
    fn default() -> Self {
        let options = InterventionOptions::default();
        Self {
            always: Vec::new(),
            threshold: options.risk_threshold,
            confirm_unknown: options.confirm_unknown,
            confirm_irreversible: options.confirm_irreversible,
            written: Vec::new(),
            patterns: RegexSet::empty(),
        }
    }
}

impl InterventionPolicy {
    /// A policy; its patterns are compiled once, and bounded.
    ///
    /// # Errors
    /// [`BadPattern`].
    pub fn new(options: InterventionOptions) -> Result<Self, BadPattern> {
        let InterventionOptions {
            always_confirm_tools,
            risk_threshold,
            confirm_unknown,
            confirm_irreversible,
            sensitive_patterns,
        } = options;
        if sensitive_patterns.len() > MAX_PATTERNS {
            return Err(BadPattern::TooMany(sensitive_patterns.len()));
        }
        if let Some(long) = sensitive_patterns.iter().find(|one| one.len() > MAX_PATTERN) {
            return Err(BadPattern::TooLong(long.chars().take(40).collect()));
        }
        let patterns = RegexSetBuilder::new(&sensitive_patterns)
            .case_insensitive(true)
            .size_limit(COMPILED)
            .dfa_size_limit(COMPILED)
            .build()
            .map_err(|error| BadPattern::Malformed(error.to_string()))?;
        Ok(Self {
            always: always_confirm_tools.iter().map(|tool| class_key(tool)).collect(),
            threshold: risk_threshold,
            confirm_unknown,
            confirm_irreversible,
            written: sensitive_patterns,
            patterns,
        })
    }

    /// Every reason why a person must agree to an action; none where nobody must.
    #[must_use]
    pub fn triggers(&self, action: &Action, judgement: &Judgement) -> Vec<Trigger> {
        let assessment = &judgement.assessment;
        let mut triggers = Vec::new();
        let tool = &action.call.tool;
        if self.always.contains(&class_key(tool)) {
            triggers.push(Trigger::Tool(tool.clone()));
        }
        if assessment.level >= self.threshold {
            triggers.push(Trigger::Risk(assessment.level));
        }
        if self.confirm_unknown && assessment.risk.severity().is_none() {
            triggers.push(Trigger::Unknown);
        }
        triggers.extend(self.irreversible(assessment));
        self.matches(action, &judgement.effects, &mut triggers);
        triggers
    }

    /// What is not known to be reversible is only for `confirm_unknown`, or everything unfamiliar would ask twice.
    fn irreversible(&self, assessment: &Assessment) -> Option<Trigger> {
        let blamed = assessment.findings.iter().filter(|finding| !finding.reversible);
        let worst = blamed.map(|finding| finding.severity).max()?;
        (self.confirm_irreversible && worst >= Severity::Medium)
            .then_some(Trigger::Irreversible(worst))
    }

    /// Tries the patterns on every leaf as it is decoded, with its key path before it and in its plain form, and on what is nested in it:
    /// never on JSON, in which a letter can be written in several ways.
    fn matches(&self, action: &Action, effects: &Effects, triggers: &mut Vec<Trigger>) {
        if self.patterns.is_empty() {
            return;
        }
        let mut leaves = Leaves::default();
        leaves.of_object(&action.call.arguments, "", 0);
        for layer in &effects.layers {
            leaves.push("", &layer.text);
        }
        let mut seen: Vec<(usize, &str)> = Vec::new();
        for (at, text) in &leaves.found {
            let with_path = format!("{at}: {text}");
            let forms = [plain(text), text.clone(), plain(&with_path), with_path];
            for form in &forms {
                for number in self.patterns.matches(form) {
                    // Text within an argument is only told of where the argument itself was not.
                    let known = seen.iter().any(|(other, place)| {
                        *other == number && (*place == at.as_str() || at.is_empty())
                    });
                    if !known {
                        seen.push((number, at));
                    }
                }
            }
        }
        triggers.extend(seen.into_iter().filter_map(|(number, at)| {
            let pattern = self.written.get(number)?.clone();
            Some(Trigger::Pattern { pattern, at: at.to_owned() })
        }));
        if leaves.cut {
            triggers.push(Trigger::TooLarge);
        }
    }
}

/// The texts of an action with where they stand.
#[derive(Default)]
struct Leaves {
    found: Vec<(String, String)>,
    bytes: usize,
    cut: bool,
}

impl Leaves {
    fn of_object(&mut self, object: &Map<String, Value>, above: &str, depth: usize) {
        for (key, value) in object {
            self.of(value, &pointer::to(above, key), depth);
        }
    }

    fn of(&mut self, value: &Value, at: &str, depth: usize) {
        if depth >= DEPTH || self.cut {
            self.cut = true;
            return;
        }
        match value {
            Value::Object(object) => {
                // A key stands for itself where nothing is in it.
                if object.is_empty() {
                    self.push(at, "");
                }
                self.of_object(object, at, depth + 1);
            }
            Value::Array(items) => {
                for (number, item) in items.iter().enumerate() {
                    self.of(item, &format!("{at}/{number}"), depth + 1);
                }
            }
            Value::String(text) => self.push(at, text),
            Value::Null | Value::Bool(_) | Value::Number(_) => self.push(at, &value.to_string()),
        }
    }

    fn push(&mut self, at: &str, text: &str) {
        self.bytes = self.bytes.saturating_add(at.len() + text.len());
        if self.bytes > READ {
            self.cut = true;
            return;
        }
        self.found.push((at.to_owned(), text.to_owned()));
    }
}

#[cfg(test)]
mod tests;
