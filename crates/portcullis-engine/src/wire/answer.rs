//! Answers as other programs read them. Owns the names, the order and the version of the fields; what stands in them is
//! found by `portcullis_core`.

use portcullis_core::{
    Span,
    assessment::Coverage,
    decision::{Layer, Obligation, Verdict},
    effect::Started,
    finding::{Category, Confidence, Finding, Place},
    gate::Judgement,
    redact::redact,
    risk::{Risk, Severity},
};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{VERSION, head::UnknownField};

/// How much of a decoded or nested text an answer carries: enough to see what it is, and little enough that a thousand
/// findings in one long script do not carry it a thousand times.
const LAYER_TEXT: usize = 2_000;

/// The answer to one call.
#[derive(Debug, Serialize)]
#[cfg_attr(any(test, feature = "testing"), derive(schemars::JsonSchema))]
pub struct Answer<'a> {
    /// The version of this shape.
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::version"))]
    pub v: u64,
    /// The caller's own identifier, as it came.
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::id"))]
    pub id: Option<&'a Value>,
    /// The risk.
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::risk"))]
    pub risk: Risk,
    /// May it run?
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::decision"))]
    pub decision: Verdict,
    /// The layer of the policy that decided.
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::layer"))]
    pub layer: Layer,
    /// Why, most important first.
    pub reasons: Vec<String>,
    /// What was found, most severe first.
    pub findings: Vec<FindingShape<'a>>,
    /// Whether everything was understood.
    pub coverage: CoverageShape,
    /// What was not understood; missing where everything was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<GapShape<'a>>,
    /// What it touches, each with its kind.
    pub resources: Vec<String>,
    /// Whether all of it can be undone.
    pub reversible: bool,
    /// The impact in a sentence.
    pub impact: &'a str,
    /// What to do before or instead.
    pub recommendations: Vec<String>,
    /// What must hold while it runs; missing where nothing must.
    #[serde(skip_serializing_if = "<[Obligation]>::is_empty")]
    #[cfg_attr(
        any(test, feature = "testing"),
        schemars(schema_with = "super::schema::obligations")
    )]
    pub obligations: &'a [Obligation],
    /// The files that it would start, load, or give to something that acts on them; missing where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileShape<'a>>,
    /// The action's hash: `sha256:` and 64 hexadecimal digits. Decisions are bound to it, and approvals to the files that it starts as well.
    pub action: String,
    /// Fields of the call that nobody knows, so that nothing was judged by them; missing where there are none.
    #[serde(skip_serializing_if = "<[UnknownField]>::is_empty")]
    pub unknown_fields: &'a [UnknownField],
    /// The review, where a model reviewed it: its score, its words, and what it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guardian: Option<Value>,
    /// What a trial of it showed, where the configuration has it tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<Value>,
}

/// One finding.
#[derive(Debug, Serialize)]
#[cfg_attr(any(test, feature = "testing"), derive(schemars::JsonSchema))]
pub struct FindingShape<'a> {
    /// The rule's id.
    pub rule: &'a str,
    /// How bad.
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::severity"))]
    pub severity: Severity,
    /// How sure.
    #[cfg_attr(
        any(test, feature = "testing"),
        schemars(schema_with = "super::schema::confidence")
    )]
    pub confidence: Confidence,
    /// What kind of harm.
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::category"))]
    pub category: Category,
    /// A JSON pointer into the arguments.
    #[serde(rename = "in")]
    pub pointer: &'a str,
    /// The first byte and the one after the last, in that string.
    #[serde(serialize_with = "pair")]
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::span"))]
    pub span: Span,
    /// The file that it lies in, where that is one that the action starts: its absolute path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    /// The first byte and the one after the last, in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_span: Option<[usize; 2]>,
    /// The number of the line in it, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_line: Option<usize>,
    /// The decoded or nested text that it lies in, where it does; cut after some 2,000 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_text: Option<String>,
    /// What would happen.
    pub message: String,
    /// What to do instead.
    pub remedy: String,
    /// Whether it can be undone.
    pub reversible: bool,
    /// What it touches, with its kind, where one thing can be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
}

/// A file that the action would start.
#[derive(Debug, Serialize)]
#[cfg_attr(any(test, feature = "testing"), derive(schemars::JsonSchema))]
pub struct FileShape<'a> {
    /// The absolute path.
    pub path: &'a str,
    /// The SHA-256 of what was read, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<&'a str>,
    /// How many bytes it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Whether it was read whole, in part, or not.
    pub read: &'a str,
    /// What it is read as, or why it was not read.
    pub why: &'a str,
}

/// Whether everything was understood.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(any(test, feature = "testing"), derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CoverageShape {
    /// All of it.
    Full,
    /// Not all of it.
    Partial,
}

/// One place that was not understood.
#[derive(Debug, Serialize)]
#[cfg_attr(any(test, feature = "testing"), derive(schemars::JsonSchema))]
pub struct GapShape<'a> {
    /// A JSON pointer into the arguments.
    #[serde(rename = "in")]
    pub pointer: &'a str,
    /// The first byte and the one after the last, in that string.
    #[serde(serialize_with = "pair")]
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::span"))]
    pub span: Span,
    /// The decoded or nested text that it lies in, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_text: Option<String>,
    /// Why, for a person.
    pub reason: &'a str,
}

/// The answer to what is not a call.
#[derive(Debug, Serialize)]
#[cfg_attr(any(test, feature = "testing"), derive(schemars::JsonSchema))]
pub struct ErrorAnswer<'a> {
    /// The version of this shape.
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::version"))]
    pub v: u64,
    /// The caller's own identifier, where it could be read.
    #[cfg_attr(any(test, feature = "testing"), schemars(schema_with = "super::schema::id"))]
    pub id: Option<&'a Value>,
    /// What is wrong.
    pub error: ErrorShape,
}

/// What is wrong with a call.
#[derive(Debug, Serialize)]
#[cfg_attr(any(test, feature = "testing"), derive(schemars::JsonSchema))]
pub struct ErrorShape {
    /// One of the words for programs: `bad-input`, `internal`.
    pub code: &'static str,
    /// The words for a person.
    pub message: String,
}

impl<'a> Answer<'a> {
    /// The answer to a call that was judged. No secret is in it.
    pub fn new(id: Option<&'a Value>, judgement: &'a Judgement) -> Self {
        let Judgement { action, effects, assessment, decision } = judgement;
        let all = |list: &[String]| list.iter().map(|text| redacted(text)).collect();
        let (coverage, gaps) = match &assessment.coverage {
            Coverage::Full => (CoverageShape::Full, Vec::new()),
            Coverage::Partial(gaps) => (
                CoverageShape::Partial,
                gaps.iter().map(|(place, reason)| gap(place, reason)).collect(),
            ),
        };
        Self {
            v: VERSION,
            id,
            risk: assessment.risk,
            decision: decision.verdict,
            layer: decision.layer,
            reasons: all(&decision.reasons),
            findings: assessment.findings.iter().map(|item| finding(item)).collect(),
            coverage,
            gaps,
            resources: all(&assessment.resources),
            reversible: assessment.reversible,
            impact: assessment.impact,
            recommendations: all(&assessment.recommendations),
            obligations: &decision.obligations,
            files: effects.files.iter().map(file).collect(),
            action: digest_text(action),
            unknown_fields: &[],
            guardian: None,
            trial: None,
        }
    }

    /// The same with the fields of the call that nobody knows.
    #[must_use]
    pub fn beside(self, unknown_fields: &'a [UnknownField]) -> Self {
        Self { unknown_fields, ..self }
    }

    /// The same with the trial, where there was one.
    #[must_use]
    pub fn tried(self, trial: Option<Value>) -> Self {
        Self { trial, ..self }
    }

    /// The same with the review, where there was one.
    #[must_use]
    pub fn reviewed(self, guardian: Option<Value>) -> Self {
        Self { guardian, ..self }
    }
}

impl<'a> ErrorAnswer<'a> {
    /// The answer to what could not be judged.
    #[must_use]
    pub fn new(id: Option<&'a Value>, code: &'static str, message: String) -> Self {
        Self { v: VERSION, id, error: ErrorShape { code, message } }
    }
}

/// An action's hash as it is written everywhere.
#[must_use]
pub fn digest_text(digest: &[u8; 32]) -> String {
    let mut text = "sha256:".to_owned();
    data_encoding::HEXLOWER.encode_append(digest, &mut text);
    text
}

fn finding<'a>(finding: &'a Finding) -> FindingShape<'a> {
    let Finding {
        rule,
        category,
        severity,
        confidence,
        place,
        message,
        remedy,
        reversible,
        resource,
    } = finding;
    FindingShape {
        rule,
        severity: *severity,
        confidence: *confidence,
        category: *category,
        pointer: &place.pointer,
        span: place.span,
        file: place.file.as_ref().map(|file| file.path.as_str()),
        file_span: place.file.as_ref().map(|file| {
            let range = file.span.range();
            [range.start, range.end]
        }),
        file_line: place.file.as_ref().map(|file| file.line),
        layer_text: layer_text(place),
        message: redacted(message),
        remedy: redacted(remedy),
        reversible: *reversible,
        resource: resource.as_deref().map(redacted),
    }
}

fn file(started: &Started) -> FileShape<'_> {
    let Started { path, language, digest, bytes, whole, not_read, at: _, layer: _, is_settled: _ } =
        started;
    FileShape {
        path,
        sha256: digest.as_deref(),
        bytes: *bytes,
        read: match (not_read, whole) {
            (Some(_), _) => "not",
            (None, true) => "whole",
            (None, false) => "part",
        },
        why: not_read.map_or(language, |why| why.words()),
    }
}

fn gap<'a>(place: &'a Place, reason: &'a str) -> GapShape<'a> {
    GapShape { pointer: &place.pointer, span: place.span, layer_text: layer_text(place), reason }
}

fn redacted(text: &str) -> String {
    redact(text).into_owned()
}

/// The text around the place in its layer. It is redacted before it is cut, so that no half of a secret is left.
fn layer_text(place: &Place) -> Option<String> {
    let (text, _) = place.layer.as_ref()?;
    let mut text = redacted(text);
    if text.len() > LAYER_TEXT {
        let rest = text.len() - LAYER_TEXT;
        text.truncate(text.floor_char_boundary(LAYER_TEXT));
        text.push_str(&format!(" … {rest} bytes …"));
    }
    Some(text)
}

fn pair<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    [span.start, span.end].serialize(serializer)
}
