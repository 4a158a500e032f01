//! The five checks before a call runs, in the order of the documents: the tool, its parameters, the policy, the limits, dangerous patterns.
//! Owns the order, the codes and which of them end an execution; all of them are made, and then it is decided.

use std::collections::BTreeMap;

use portcullis_core::{
    decision::Verdict,
    facts::Facts,
    finding::{Category, Confidence},
    risk::{Risk, Severity},
    validate::{ArgumentRules, Validator},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Does, Tool};
use crate::session::Judged;

/// One of the five.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// The tool is registered, and the caller may use it.
    Tool,
    /// Its parameters are what they may be.
    Parameters,
    /// The policy lets it go on, or asks.
    Policy,
    /// The limits are not reached.
    Limits,
    /// Neither the call nor what went before is dangerous.
    Patterns,
}

/// What a check found.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Violation {
    /// Which check.
    pub check: Check,
    /// The documented code: `tool_not_allowed`, `insufficient_permissions`, `invalid_parameters`, the policy's own, `resource_limit_exceeded`,
    /// `dangerous_pattern`.
    pub reason: String,
    /// Whether the execution ends with it.
    pub fatal: bool,
    /// What the agent is told: what is wrong with the call, and nothing of the policy.
    pub message: String,
    /// What the record is told beside that.
    #[serde(skip)]
    pub detail: String,
}

/// Which codes end an execution, where that is not as documented.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Fatality(pub BTreeMap<String, bool>);

impl Fatality {
    /// As documented: an unknown tool, a missing permission, a limit and a dangerous pattern end it; wrong parameters do not; the policy's
    /// violations do when they are critical.
    fn of(&self, reason: &str, is_critical: bool) -> bool {
        self.0.get(reason).copied().unwrap_or(match reason {
            "tool_not_allowed"
            | "insufficient_permissions"
            | "resource_limit_exceeded"
            | "dangerous_pattern" => true,
            "invalid_parameters" => false,
            _ => is_critical,
        })
    }

    pub(super) fn violation(
        &self,
        check: Check,
        reason: &str,
        message: impl Into<String>,
        detail: impl Into<String>,
    ) -> Violation {
        Violation {
            check,
            reason: reason.to_owned(),
            fatal: self.of(reason, false),
            message: message.into(),
            detail: detail.into(),
        }
    }

    /// Check 1 for a tool that there is not.
    pub(super) fn unknown(&self, name: &str) -> Violation {
        let shown: String = name.chars().take(64).collect::<String>().escape_debug().to_string();
        self.violation(Check::Tool, "tool_not_allowed", format!("there is no tool `{shown}`"), "")
    }

    /// Check 1 for a tool that is not for this caller.
    pub(super) fn unpermitted(&self, tool: &Tool) -> Violation {
        let needs = tool.permissions.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        self.violation(
            Check::Tool,
            "insufficient_permissions",
            format!("the tool `{}` is not available to you", tool.name),
            format!("it needs {needs}"),
        )
    }

    /// Check 2.
    pub(super) fn parameters(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
        facts: &Facts,
    ) -> Vec<Violation> {
        let wrong =
            |message: String| self.violation(Check::Parameters, "invalid_parameters", message, "");
        let mut found: Vec<Violation> = match tool.schema.check(arguments) {
            Ok(()) => Vec::new(),
            Err(list) => list.into_iter().map(wrong).collect(),
        };
        for (name, value) in arguments {
            let validators = tool.validators.get(name).map_or(&[][..], Vec::as_slice);
            for validator in validators {
                if let Err(refused) = validator.check_in(value, facts) {
                    found.push(wrong(format!("`{name}`: {refused}")));
                }
            }
        }
        if let Does::Program(program) = &tool.does {
            let begun = program.command.begun(arguments);
            let refused = begun.into_iter().filter(|(name, _)| !is_chosen(tool, name)).filter_map(
                |(name, word)| {
                    let refused = ArgumentRules::default().check(&word).err()?;
                    Some(format!("`{name}`: {refused}"))
                },
            );
            found.extend(refused.map(wrong));
        }
        found
    }

    /// Check 3: what the policy denies. What it asks about is no violation.
    pub(super) fn policy(&self, judged: &Judged) -> Option<Violation> {
        let decision = &judged.judgement.decision;
        if decision.verdict != Verdict::Deny {
            return None;
        }
        let assessment = &judged.judgement.assessment;
        let first = assessment.findings.first();
        let reason = first.map_or("policy_violation", |finding| finding.rule);
        let message = first.map_or_else(
            || "this is not allowed here".to_owned(),
            |finding| format!("this is not allowed here: {}", finding.message),
        );
        let is_critical = assessment.risk == Risk::Critical;
        Some(Violation {
            check: Check::Policy,
            reason: reason.to_owned(),
            fatal: self.of(reason, is_critical),
            message,
            detail: decision.reasons.join("; "),
        })
    }

    /// Check 4.
    pub(super) fn limit(&self, detail: impl Into<String>) -> Violation {
        self.violation(
            Check::Limits,
            "resource_limit_exceeded",
            "the limits of this execution are reached",
            detail,
        )
    }

    /// Check 4 after a violation that ended the execution.
    pub(super) fn over(&self) -> Violation {
        Violation {
            fatal: true,
            ..self.violation(Check::Limits, "unknown_execution", "this execution has ended", "")
        }
    }

    /// Check 5 for the call alone: what is critical and more than its tool is registered for, and words that speak to a model.
    pub(super) fn patterns(&self, tool: &Tool, judged: &Judged) -> Option<Violation> {
        let findings = &judged.judgement.assessment.findings;
        let dangerous = findings.iter().find(|finding| {
            let is_planted =
                finding.category == Category::Injection && finding.severity >= Severity::High;
            // A tool that the gate knows is registered for whatever it is given: the policy has said what is to become of that.
            let is_beyond = finding.severity == Severity::Critical
                && tool.least_risk() < Severity::Critical
                && !tool.is_known();
            finding.confidence > Confidence::Low && (is_planted || is_beyond)
        })?;
        let message = format!("the call has a dangerous pattern: {}", dangerous.message);
        Some(self.violation(Check::Patterns, "dangerous_pattern", message, dangerous.rule))
    }

    /// Check 5 for what went before.
    pub(super) fn history(&self, words: &str) -> Violation {
        self.violation(
            Check::Patterns,
            "dangerous_pattern",
            format!("the execution is stopped: {words}"),
            "",
        )
    }
}

/// Whether somebody said what may begin a word of the command line in place of this parameter: which words, which numbers, or that it may be
/// an option.
fn is_chosen(tool: &Tool, name: &str) -> bool {
    let property = tool.schema.property(name);
    let names = |key: &str| property.get(key).is_some();
    let validators = tool.validators.get(name).map_or(&[][..], Vec::as_slice);
    let takes = |kind: &str| property.get("type").and_then(Value::as_str) == Some(kind);
    let is_number = takes("integer") || takes("number");
    names("enum")
        || names("const")
        || is_number && (names("minimum") || names("exclusiveMinimum"))
        || validators.iter().any(|validator| match validator {
            // Scopes of packages begin with `@`, and no package with `-`.
            Validator::Argument(_) | Validator::Package(_) => true,
            Validator::Number(rules) => rules.min.is_some(),
            _ => false,
        })
}
