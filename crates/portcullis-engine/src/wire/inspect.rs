//! Texts to look through and what was noticed in them. Owns the names and types of their fields; what is noticed,
//! `portcullis_core` says.

use portcullis_core::{
    finding::Confidence,
    injection::{Demand, Planted},
    inspect::{Inspection, Opinion},
    risk::Severity,
    secrets::{Encoding, Finding, Validity},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{VERSION, head, strict::Malformed};

/// One text to look through.
#[derive(Clone, Debug, PartialEq)]
pub struct InspectRequest {
    /// The caller's own identifier, a string or a number, echoed as it came.
    pub id: Option<Value>,
    /// The text.
    pub text: String,
}

impl InspectRequest {
    /// Reads one text from JSON. `line` is the number of the text's first line, for messages.
    ///
    /// # Errors
    /// [`Malformed`] where it is not JSON, or a field is missing or not of its type.
    pub fn parse(bytes: &[u8], line: usize) -> Result<Self, Malformed> {
        head::read(bytes, line, "a request for a text", Self::from_fields)
    }

    /// As [`InspectRequest::parse`], where a field that nobody knows is an error.
    ///
    /// # Errors
    /// As [`InspectRequest::parse`].
    pub fn parse_strictly(bytes: &[u8], line: usize) -> Result<Self, Malformed> {
        head::read_strictly(bytes, line, "a request for a text", &["text"], Self::from_fields)
    }

    fn from_fields(id: Option<Value>, fields: &mut Map<String, Value>) -> Result<Self, String> {
        Ok(Self { id, text: head::needed(fields, "text")? })
    }
}

/// What was noticed in one text.
#[derive(Debug, Serialize)]
pub struct InspectAnswer<'a> {
    /// The version of this shape.
    pub v: u64,
    /// The caller's own identifier, as it came.
    pub id: Option<&'a Value>,
    /// The secrets, in the order of the text.
    pub secrets: Vec<SecretShape<'a>>,
    /// Whether it tells an agent what to do.
    pub injection: bool,
    /// Where it does.
    pub injection_findings: Vec<PlantedShape>,
    /// Whether caution is in place with what an agent does after it has read this: it tells it what to do, or comes near to that.
    pub caution: bool,
    /// Where it comes near to that.
    pub caution_findings: Vec<PlantedShape>,
    /// The text without the secrets.
    pub redacted: String,
    /// What a classifier says, where one was asked. It can make `injection` and `caution` true, never false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier: Option<ClassifierShape<'a>>,
}

/// What a classifier says, or why it says nothing.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ClassifierShape<'a> {
    /// It measured the text.
    Measured {
        /// `low`, `medium` or `high`; only `high` counts as planted.
        band: &'static str,
        /// The share of violation, from 0 to 1.
        violation: f64,
        /// Whether it saw all of the text.
        whole: bool,
    },
    /// It did not answer, which says nothing about the text.
    Failed {
        /// `timeout`, `unreachable`, `over-budget` and others.
        failing: &'static str,
        /// What happened.
        detail: &'a str,
    },
}

impl<'a> From<&'a Opinion> for ClassifierShape<'a> {
    fn from(opinion: &'a Opinion) -> Self {
        match opinion {
            Opinion::Band { band, violation, is_whole } => {
                Self::Measured { band: band.name(), violation: *violation, whole: *is_whole }
            }
            Opinion::Failed { failing, detail } => Self::Failed { failing: failing.name(), detail },
        }
    }
}

/// A secret.
#[derive(Debug, Serialize)]
pub struct SecretShape<'a> {
    /// One of the documented families, or the name of the type.
    #[serde(rename = "type")]
    pub kind: &'a str,
    /// The rule that found it.
    pub rule: &'a str,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// What its checksum or structure says: `wellformed`, `unchecked` or `broken`.
    pub validity: &'static str,
    /// The bytes of the text.
    pub span: [usize; 2],
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// Its beginning, masked.
    #[serde(rename = "match")]
    pub excerpt: &'a str,
    /// What it is.
    pub description: &'a str,
    /// What to do about it.
    pub suggestion: &'a str,
    /// The same for the same secret, wherever it stands.
    pub fingerprint: &'a str,
    /// How it was encoded, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encodings: Vec<&'static str>,
}

impl<'a> From<&'a Finding> for SecretShape<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            kind: finding.name(),
            rule: &finding.rule,
            severity: finding.severity,
            confidence: finding.confidence,
            validity: match finding.validity {
                Validity::Wellformed => "wellformed",
                Validity::Unchecked => "unchecked",
                Validity::Broken => "broken",
            },
            span: [finding.span.start, finding.span.end],
            line: finding.line,
            column: finding.column,
            excerpt: &finding.excerpt,
            description: &finding.description,
            suggestion: &finding.suggestion,
            fingerprint: &finding.fingerprint,
            encodings: finding.encodings.iter().map(|encoding| encoding_name(*encoding)).collect(),
        }
    }
}

fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Base64 => "base64",
        Encoding::Hexadecimal => "hexadecimal",
        Encoding::Percent => "percent",
    }
}

/// Words that tell an agent what to do.
#[derive(Debug, Serialize)]
pub struct PlantedShape {
    /// The bytes of the text.
    pub span: [usize; 2],
    /// How sure.
    pub confidence: Confidence,
    /// What the words do: `override`, `secrecy`, `exfiltration` and others.
    pub signals: Vec<&'static str>,
    /// The same in a sentence.
    pub explanation: String,
    /// `planted`, or `caution` where it is near the line.
    pub level: &'static str,
    /// The logarithm of the odds that it is planted, in hundredths: from 0 on it counts as that.
    pub score: i32,
    /// What it demands of who reads it, in the order of the text.
    pub demands: Vec<DemandShape>,
}

/// A demand.
#[derive(Debug, Serialize)]
pub struct DemandShape {
    /// `run`, `send`, `pay`, `delete`, `hide` and others.
    pub kind: &'static str,
    /// The bytes of the text.
    pub span: [usize; 2],
}

impl From<&Demand> for DemandShape {
    fn from(demand: &Demand) -> Self {
        Self {
            kind: demand.kind.name(),
            span: [demand.span.start as usize, demand.span.end as usize],
        }
    }
}

impl From<&Planted> for PlantedShape {
    fn from(planted: &Planted) -> Self {
        Self {
            span: [planted.span.start as usize, planted.span.end as usize],
            confidence: planted.confidence,
            signals: planted.signals.iter().map(|signal| signal.name()).collect(),
            explanation: format!("it {}", planted.explanation()),
            level: planted.level.name(),
            score: planted.score,
            demands: planted.demands.iter().map(DemandShape::from).collect(),
        }
    }
}

impl<'a> InspectAnswer<'a> {
    /// The answer to a text. No secret is in it.
    #[must_use]
    pub fn new(id: Option<&'a Value>, seen: &'a Inspection, redacted: String) -> Self {
        Self {
            v: VERSION,
            id,
            secrets: seen.secrets.iter().map(SecretShape::from).collect(),
            injection: seen.tells_an_agent(None),
            injection_findings: seen.planted.iter().map(PlantedShape::from).collect(),
            caution: seen.calls_for_caution(),
            caution_findings: seen.cautions.iter().map(PlantedShape::from).collect(),
            redacted,
            classifier: None,
        }
    }

    /// The same with what a classifier says beside it, which raises and never lowers.
    #[must_use]
    pub fn beside(self, opinion: Option<&'a Opinion>) -> Self {
        Self {
            injection: self.injection || opinion.is_some_and(Opinion::is_planted),
            caution: self.caution || opinion.is_some_and(Opinion::is_planted),
            classifier: opinion.map(ClassifierShape::from),
            ..self
        }
    }
}
