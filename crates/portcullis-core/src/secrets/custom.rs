//! Rules from elsewhere: a regular expression with the keywords that lead to it, as other scanners have them. Owns running
//! one; reading the files in which they come is for the caller.

use std::borrow::Cow;

use regex::bytes::Regex;

use super::{Finding, Validity, fingerprint, shortened, value};
use crate::{finding::Confidence, risk::Severity};

/// A rule from elsewhere.
#[derive(Clone, Debug)]
pub struct CustomRule {
    /// Its identifier.
    pub id: String,
    /// The type that it reports.
    pub name: String,
    /// What it finds.
    pub description: String,
    /// What to do about it.
    pub suggestion: String,
    /// How bad.
    pub severity: Severity,
    /// Words in lower case of which one must be in the text, in any case; none means that it is run on every text.
    pub keywords: Vec<String>,
    /// What it finds.
    pub pattern: Regex,
    /// Which group is the secret. With 0 it is the first group that matched something, or the whole match.
    pub secret_group: usize,
    /// The least entropy in bits for each byte.
    pub entropy: Option<f32>,
    /// What is not reported.
    pub allowances: Vec<Allowance>,
}

/// What a rule does not report.
#[derive(Clone, Debug, Default)]
pub struct Allowance {
    /// What the expressions are compared with.
    pub target: Target,
    /// Of which one must match.
    pub patterns: Vec<Regex>,
    /// Of which one must be in the secret, in any case.
    pub stop_words: Vec<String>,
    /// Whether both must hold, where both are given.
    pub all: bool,
}

/// What an allowance is compared with.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Target {
    /// The secret.
    #[default]
    Secret,
    /// All that the expression matched.
    Match,
    /// The line.
    Line,
}

/// Runs a rule over a text.
pub(super) fn run(rule: &CustomRule, text: &[u8], salt: &[u8], findings: &mut Vec<Finding>) {
    if !rule.keywords.is_empty() && !holds_one(text, &rule.keywords) {
        return;
    }
    for captures in rule.pattern.captures_iter(text) {
        let Some(whole) = captures.get(0) else { continue };
        let group = match rule.secret_group {
            0 => captures.iter().skip(1).flatten().find(|group| !group.is_empty()),
            number => captures.get(number),
        };
        let secret = group.unwrap_or(whole);
        let bits = f32::from(value::entropy(secret.as_bytes())) / 10.0;
        if secret.is_empty() || rule.entropy.is_some_and(|least| bits < least) {
            continue;
        }
        let allowed = |allowance: &Allowance| {
            let subject = match allowance.target {
                Target::Secret => secret.as_bytes(),
                Target::Match => whole.as_bytes(),
                Target::Line => line(text, whole.start(), whole.end()),
            };
            let matched = allowance.patterns.iter().any(|pattern| pattern.is_match(subject));
            let stopped = holds_one(secret.as_bytes(), &allowance.stop_words);
            let both = !allowance.patterns.is_empty() && !allowance.stop_words.is_empty();
            if allowance.all && both { matched && stopped } else { matched || stopped }
        };
        if rule.allowances.iter().any(allowed) {
            continue;
        }
        findings.push(Finding {
            rule: Cow::Owned(rule.id.clone()),
            name: Cow::Owned(rule.name.clone()),
            span: secret.range(),
            line: 0,
            column: 0,
            severity: rule.severity,
            confidence: Confidence::Medium,
            validity: Validity::Unchecked,
            excerpt: shortened(secret.as_bytes(), 4),
            description: rule.description.clone(),
            suggestion: rule.suggestion.clone(),
            fingerprint: fingerprint(salt, secret.as_bytes()),
            encodings: Vec::new(),
        });
    }
}

/// Whether one of the words, in lower case, stands in a text in any case.
fn holds_one(text: &[u8], words: &[String]) -> bool {
    words.iter().any(|word| {
        let word = word.as_bytes();
        let Some(first) = word.first() else { return true };
        let starts = |at: usize| {
            text.get(at..at + word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word))
        };
        memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text)
            .any(starts)
    })
}

/// The lines in which a match stands.
fn line(text: &[u8], start: usize, end: usize) -> &[u8] {
    let from =
        text.get(..start).and_then(|before| memchr::memrchr(b'\n', before)).map_or(0, |at| at + 1);
    let to = text
        .get(end..)
        .and_then(|behind| memchr::memchr(b'\n', behind))
        .map_or(text.len(), |at| end + at);
    text.get(from..to).unwrap_or_default()
}
