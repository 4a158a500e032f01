//! Rules from elsewhere: regular expressions with the keywords that lead to them, and what is allowed, as other scanners have them.
//! Owns running them; reading the files in which they come is for the caller.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memchr_iter;
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
    /// Words of which one must be in the text, in any case; none means that it is run on every text.
    pub keywords: Vec<String>,
    /// What it finds. Without it, the file itself is what is found, by its path.
    pub pattern: Option<Regex>,
    /// Which paths it is about; all, where there is none.
    pub path: Option<Regex>,
    /// Which group is the secret. With 0 it is the first group that matched something, or the whole match.
    pub secret_group: usize,
    /// The entropy in bits for each byte that a secret must exceed.
    pub entropy: Option<f32>,
    /// What is not reported.
    pub allowances: Vec<Allowance>,
    /// What must stand near it.
    pub required: Vec<Required>,
    /// Whether it is only there for others to require it.
    pub silent: bool,
}

/// What must stand near a finding.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Required {
    /// The identifier of the rule that must have found something.
    pub rule: String,
    /// At most so many lines away.
    pub lines: Option<usize>,
    /// At most so many characters away in the line.
    pub columns: Option<usize>,
}

/// What is not reported.
#[derive(Clone, Debug, Default)]
pub struct Allowance {
    /// What the expressions are compared with.
    pub target: Target,
    /// Of which one must match.
    pub patterns: Vec<Regex>,
    /// Of which one must be in the secret, in any case.
    pub stop_words: Vec<String>,
    /// Of which one must match the path.
    pub paths: Vec<Regex>,
    /// Of which one must be the commit.
    pub commits: Vec<String>,
    /// Whether each kind that is given must hold, and not only one of them.
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

/// Where a text stands, for rules that ask for it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Place<'a> {
    /// The path of the file, with `/` between its parts.
    pub path: &'a str,
    /// The commit, in hexadecimal digits.
    pub commit: Option<&'a str>,
}

/// What a [`RuleSet`] is made of.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The rules.
    pub rules: Vec<CustomRule>,
    /// What is not reported, whichever rule finds it, or of the rules that are named; built-in ones too.
    pub allowances: Vec<(Vec<String>, Allowance)>,
    /// Whether the built-in rules run too.
    pub built_in: bool,
    /// The built-in rules, by identifier or type, that do not.
    pub disabled: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self { rules: Vec::new(), allowances: Vec::new(), built_in: true, disabled: Vec::new() }
    }
}

/// Rules from elsewhere, made ready to run.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Rules,
    /// All keywords of all rules, and whose each is.
    words: Option<AhoCorasick>,
    owners: Vec<usize>,
}

impl From<Rules> for RuleSet {
    fn from(rules: Rules) -> Self {
        /// With more keywords the fastest automaton would be too large.
        const FEW: usize = 2000;
        let (mut words, mut owners) = (Vec::new(), Vec::new());
        for (number, rule) in rules.rules.iter().enumerate() {
            for keyword in &rule.keywords {
                words.push(keyword.as_bytes());
                owners.push(number);
            }
        }
        let kind = (words.len() <= FEW).then_some(AhoCorasickKind::DFA);
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true);
        // One that cannot be built is too large: every rule is run then.
        let built = builder.kind(kind).build(&words).or_else(|_| builder.kind(None).build(&words));
        Self { rules, words: built.ok(), owners }
    }
}

impl RuleSet {
    /// Whether nothing is in it that changes anything.
    pub(super) fn is_plain(&self) -> bool {
        let Rules { rules, allowances, built_in, disabled } = &self.rules;
        rules.is_empty() && allowances.is_empty() && *built_in && disabled.is_empty()
    }

    /// Whether the built-in rules run.
    pub(super) fn built_in(&self) -> bool {
        self.rules.built_in
    }

    /// What the rules find in a text.
    pub(super) fn run(&self, text: &[u8], place: Place<'_>, salt: &[u8]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let wanted = self.wanted(text);
        for (rule, _) in self.rules.rules.iter().zip(wanted).filter(|(_, wanted)| *wanted) {
            if rule.path.as_ref().is_none_or(|path| path.is_match(place.path.as_bytes())) {
                self.run_one(rule, text, place, salt, &mut findings);
            }
        }
        self.keep_accompanied(text, &mut findings);
        findings
    }

    /// Runs a rule over a text.
    fn run_one(
        &self,
        rule: &CustomRule,
        text: &[u8],
        place: Place<'_>,
        salt: &[u8],
        findings: &mut Vec<Finding>,
    ) {
        let Some(pattern) = &rule.pattern else { return };
        let everywhere = self.rules.allowances.iter().filter(|(rules, _)| {
            rules.is_empty() || rules.iter().any(|id| *id == rule.id || *id == rule.name)
        });
        let allowances: Vec<&Allowance> =
            rule.allowances.iter().chain(everywhere.map(|(_, allowance)| allowance)).collect();
        for captures in pattern.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            let group = match rule.secret_group {
                0 => captures.iter().skip(1).flatten().find(|group| !group.is_empty()),
                number => captures.get(number),
            };
            let secret = group.unwrap_or(whole);
            let too_plain =
                |least: f32| least > 0.0 && !value::has_more_entropy(secret.as_bytes(), least);
            if secret.is_empty() || rule.entropy.is_some_and(too_plain) {
                continue;
            }
            let line = line(text, whole.start(), whole.end());
            let subject =
                Subject { secret: secret.as_bytes(), whole: whole.as_bytes(), line, place };
            if !allowances.iter().any(|allowance| allowance.allows(&subject)) {
                findings.push(finding(rule, secret.range(), secret.as_bytes(), salt));
            }
        }
    }

    /// Which rules have a keyword in a text, or need none.
    fn wanted(&self, text: &[u8]) -> Vec<bool> {
        let rules = &self.rules.rules;
        let Some(words) = &self.words else { return vec![true; rules.len()] };
        let mut wanted: Vec<bool> = rules.iter().map(|rule| rule.keywords.is_empty()).collect();
        let mut missing = wanted.iter().filter(|wanted| !**wanted).count();
        for found in words.find_overlapping_iter(text) {
            let owner = self.owners.get(found.pattern().as_usize());
            if let Some(wanted) = owner.and_then(|owner| wanted.get_mut(*owner))
                && !*wanted
            {
                *wanted = true;
                missing -= 1;
            }
            if missing == 0 {
                break;
            }
        }
        wanted
    }

    /// Leaves out what stands without what it requires, and what is only there to be required.
    fn keep_accompanied(&self, text: &[u8], findings: &mut Vec<Finding>) {
        let rule = |finding: &Finding| self.rules.rules.iter().find(|rule| rule.id == finding.rule);
        if !self.rules.rules.iter().any(|rule| rule.silent || !rule.required.is_empty()) {
            return;
        }
        let places: Vec<(String, usize)> =
            findings.iter().map(|found| (found.rule.to_string(), found.span.start)).collect();
        findings.retain(|finding| {
            let Some(rule) = rule(finding) else { return true };
            !rule.silent
                && rule.required.iter().all(|required| {
                    places.iter().any(|(id, at)| {
                        *id == required.rule && is_near(text, finding.span.start, *at, required)
                    })
                })
        });
    }

    /// Rules that find files by their paths.
    #[must_use]
    pub fn named(&self, place: Place<'_>, salt: &[u8]) -> Vec<Finding> {
        let path = place.path.as_bytes();
        let about = |rule: &&CustomRule| {
            rule.pattern.is_none() && rule.path.as_ref().is_some_and(|own| own.is_match(path))
        };
        let mut findings: Vec<Finding> = self
            .rules
            .rules
            .iter()
            .filter(about)
            .filter(|rule| {
                let whole = Subject { secret: path, whole: path, line: path, place };
                !rule.allowances.iter().any(|allowance| allowance.allows(&whole))
            })
            .map(|rule| {
                let mut found = finding(rule, 0..0, path, salt);
                (found.line, found.column) = (1, 1);
                found
            })
            .collect();
        findings.retain(|finding| !self.allows(finding, path, place));
        findings
    }

    /// Whether a finding is not to be reported.
    pub(super) fn allows(&self, finding: &Finding, text: &[u8], place: Place<'_>) -> bool {
        let is = |id: &String| *id == finding.rule || *id == finding.name();
        if self.rules.disabled.iter().any(is) {
            return true;
        }
        let secret = text.get(finding.span.clone()).unwrap_or_default();
        let line = line(text, finding.span.start, finding.span.end);
        let subject = Subject { secret, whole: secret, line, place };
        self.rules.allowances.iter().any(|(rules, allowance)| {
            (rules.is_empty() || rules.iter().any(is)) && allowance.allows(&subject)
        })
    }
}

/// Whether `other` is as near to `own` as it must be.
fn is_near(text: &[u8], own: usize, other: usize, required: &Required) -> bool {
    let (first, last) = (own.min(other), own.max(other));
    let between = text.get(first..last).unwrap_or_default();
    let lines = memchr_iter(b'\n', between).count();
    let column = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        at - memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1)
    };
    required.lines.is_none_or(|most| lines <= most)
        && required.columns.is_none_or(|most| column(own).abs_diff(column(other)) <= most)
}

/// What an allowance looks at.
struct Subject<'a> {
    secret: &'a [u8],
    whole: &'a [u8],
    line: &'a [u8],
    place: Place<'a>,
}

impl Allowance {
    fn allows(&self, subject: &Subject<'_>) -> bool {
        let Self { target, patterns, stop_words, paths, commits, all } = self;
        let compared = match target {
            Target::Secret => subject.secret,
            Target::Match => subject.whole,
            Target::Line => subject.line,
        };
        let place = subject.place;
        let mut answers = [
            (!patterns.is_empty()).then(|| patterns.iter().any(|own| own.is_match(compared))),
            (!stop_words.is_empty()).then(|| holds_one(subject.secret, stop_words)),
            (!paths.is_empty())
                .then(|| paths.iter().any(|own| own.is_match(place.path.as_bytes()))),
            (!commits.is_empty()).then(|| {
                place.commit.is_some_and(|commit| {
                    commits.iter().any(|own| own.eq_ignore_ascii_case(commit))
                })
            }),
        ]
        .into_iter()
        .flatten()
        .peekable();
        answers.peek().is_some()
            && if *all { answers.all(|answer| answer) } else { answers.any(|answer| answer) }
    }
}

fn finding(rule: &CustomRule, span: std::ops::Range<usize>, secret: &[u8], salt: &[u8]) -> Finding {
    Finding {
        rule: Cow::Owned(rule.id.clone()),
        name: Cow::Owned(rule.name.clone()),
        span,
        line: 0,
        column: 0,
        severity: rule.severity,
        confidence: Confidence::Medium,
        validity: Validity::Unchecked,
        excerpt: shortened(secret, 4),
        description: rule.description.clone(),
        suggestion: rule.suggestion.clone(),
        fingerprint: fingerprint(salt, secret),
        encodings: Vec::new(),
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
