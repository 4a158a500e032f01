//! Secrets in text: which, where, how sure, and what to do. Owns the detector; what is done with a finding is for others.
//!
//! One pass over the text stops wherever a token's beginning, a vendor's name or a telling word stands; what is there is then
//! checked by hand: spelling, checksum, structure, entropy, and whether the value is one at all. The types are rows in
//! tables ([`kinds`]), and rules from elsewhere run in the same engine ([`CustomRule`]).
//!
//! ```
//! use portcullis_secrets::secrets::Detector;
//!
//! let text = "aws_access_key_id = AKIAQYLPMN5HHHFPZAM2\nregion = eu-west-1";
//! let findings = Detector::default().scan(text.as_bytes());
//! assert_eq!(findings.len(), 1);
//! assert_eq!((findings[0].name(), findings[0].line, findings[0].column), ("aws_key", 1, 21));
//! assert_eq!(findings[0].excerpt, "AKIA***");
//! ```
//!
//! Nothing is ever sent anywhere: whether a credential still works can only be learnt by using it, which would hand it to
//! whoever listens and look like an attack to whoever answers.

use std::{borrow::Cow, ops::Range, sync::Arc};

use sha2::{Digest, Sha256};

mod address;
mod armour;
mod calls;
mod commands;
mod context;
mod custom;
mod delimit;
mod dsn;
mod encoded;
mod format;
mod given;
mod headers;
mod index;
mod jobs;
pub mod kinds;
mod layers;
mod loose;
mod markup;
mod names;
mod options;
mod phrase;
mod pieces;
mod programs;
mod purpose;
mod said;
mod scan;
mod sieve;
mod source;
mod stream;
mod validate;
mod value;

pub use custom::{Allowance, CustomRule, Place, Required, RuleSet, Rules, Target};
pub use stream::{Known, RedactorOptions, StreamRedactor, redacted};
pub use validate::{Validity, aws_account};

use crate::{finding::Confidence, risk::Severity};
use kinds::SecretType;
use purpose::Purpose;
use scan::Candidate;
use sieve::Sieve;

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// How deep encoded text is decoded at most.
pub const DEEPEST: u8 = 3;

/// What to look for, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Whether names and surroundings count (passwords, generic keys, addresses), or only types with a spelling of their
    /// own.
    pub context: bool,
    /// How many layers of base64, hexadecimal and percent encoding are taken off, up to [`DEEPEST`].
    pub layers: u8,
    /// The least confidence that is reported.
    pub least: Confidence,
    /// What fingerprints are salted with, so that nobody can look a guessed secret up in a report.
    pub salt: Vec<u8>,
    /// Rules from elsewhere, run beside the built-in ones or instead of them.
    pub rules: Arc<RuleSet>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            context: true,
            layers: DEEPEST,
            least: Confidence::Low,
            salt: Vec::new(),
            rules: Arc::default(),
        }
    }
}

/// Finds secrets in text. Cheap to make, because its tables are made when the program is built.
#[derive(Clone, Debug, Default)]
pub struct Detector {
    options: Options,
}

/// A secret that was found.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule that found it: [`SecretType::id`], or the identifier of a [`CustomRule`].
    pub rule: Cow<'static, str>,
    name: Cow<'static, str>,
    /// The bytes of the text; of the encoded text, where it was found in a layer.
    pub span: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// What its checksum or structure says.
    pub validity: Validity,
    /// Its first characters, four at most, and a mask; of passwords only the mask.
    pub excerpt: String,
    /// What it is.
    pub description: String,
    /// What to do about it.
    pub suggestion: String,
    /// The salted hash of the secret, in hexadecimal: the same secret has the same one wherever it stands.
    pub fingerprint: String,
    /// How it was encoded, outermost first; empty where it was not.
    pub encodings: Vec<Encoding>,
}

impl Finding {
    /// The type: one of the documented families, or the name of the type.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A way in which a text was encoded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Encoding {
    /// Base 64, in either alphabet.
    Base64,
    /// Hexadecimal digits.
    Hexadecimal,
    /// `%41`.
    Percent,
}

/// Whether a text holds something that is spelt as a vendor's key or token, whatever it is called.
#[must_use]
pub fn holds_token(text: &str) -> bool {
    !scan::candidates(text.as_bytes(), Purpose::Spellings).is_empty()
}

/// The worst secret in a text that is likely one: more than a word with a telling name.
pub fn likely(text: &str) -> Option<&'static SecretType> {
    scan::resolved(scan::candidates(text.as_bytes(), Purpose::Report))
        .into_iter()
        .filter(|candidate| candidate.confidence >= Some(Confidence::Medium))
        .max_by_key(|candidate| candidate.kind.severity)
        .map(|candidate| candidate.kind)
}

/// Whether a name says that its value is not for everybody: the names of secrets, and of what is shown to no other person.
pub fn is_private_name(name: &str) -> bool {
    let is_private = |name: &str| {
        names::promise(name.as_bytes()).is_some() || names::is_personal(name.as_bytes())
    };
    // Tokens are mostly what models count.
    let one = name.strip_suffix('s').filter(|one| !one.to_ascii_lowercase().ends_with("token"));
    is_private(name) || one.is_some_and(is_private)
}

/// The bytes that a mask has to cover, sorted and without overlaps. What every token of a type begins with is left to be seen.
pub fn masked_spans(text: &[u8]) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = scan::candidates(text, Purpose::Mask)
        .into_iter()
        .map(|candidate| (candidate.body, candidate.end))
        .collect();
    spans.sort_unstable();
    spans
}

/// The same for a text that may be a call or its arguments: also what only the shape of a call tells to be a secret. Sorted; they may
/// overlap.
pub(crate) fn masked_in_call(text: &[u8]) -> Vec<(usize, usize)> {
    let mut spans = masked_spans(text);
    spans.extend(commands::spans(text));
    spans.sort_unstable();
    spans
}

impl Detector {
    /// A detector with its own options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// What to look for, and how.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Every secret in a text, in the order of their beginnings; none overlaps another.
    ///
    /// Total and linear in the length of the text; files need not be UTF-8.
    #[must_use]
    pub fn scan(&self, text: &[u8]) -> Vec<Finding> {
        self.scan_at(text, Place::default())
    }

    /// The same for a text that stands somewhere, which rules from elsewhere may ask for.
    #[must_use]
    pub fn scan_at(&self, text: &[u8], place: Place<'_>) -> Vec<Finding> {
        let Options { context, layers, least, salt, rules } = &self.options;
        let purpose = if *context { Purpose::Report } else { Purpose::Spellings };
        let sieve = Sieve::of(text, purpose);
        let found = if rules.built_in() {
            scan::resolved(scan::pass(text, sieve.as_ref(), purpose, false).found)
        } else {
            Vec::new()
        };
        let mut places = Places::new(text);
        let mut findings = Vec::new();
        for candidate in &found {
            if candidate.confidence >= Some(*least) {
                findings.push(finding(text, candidate, salt));
            }
        }
        if !rules.is_plain() {
            findings.extend(rules.run(text, place, salt));
            findings.retain(|finding| !rules.allows(finding, text, place));
        }
        if *layers > 0 {
            let left = (*layers).min(DEEPEST);
            layers::look(text, sieve.as_ref(), left, &self.options, place, &mut findings);
        }
        findings.sort_by_key(|finding| (finding.span.start, std::cmp::Reverse(finding.span.end)));
        let mut end = 0;
        findings.retain(|finding| {
            let apart = finding.span.start >= end;
            end = end.max(finding.span.end);
            apart
        });
        for finding in &mut findings {
            (finding.line, finding.column) = places.of(finding.span.start);
        }
        findings
    }
}

fn finding(text: &[u8], candidate: &Candidate, salt: &[u8]) -> Finding {
    let kind: &SecretType = candidate.kind;
    let secret = text.get(candidate.start..candidate.end).unwrap_or_default();
    Finding {
        rule: Cow::Borrowed(kind.id),
        name: Cow::Borrowed(kind.name),
        span: candidate.start..candidate.end,
        line: 0,
        column: 0,
        severity: kind.severity,
        confidence: candidate.confidence.unwrap_or(Confidence::Low),
        validity: candidate.validity,
        excerpt: excerpt(kind, secret),
        description: kind.description.to_owned(),
        suggestion: kind.suggestion(),
        fingerprint: fingerprint(salt, secret),
        encodings: Vec::new(),
    }
}

/// The first four characters, or a quarter where that is fewer, and a mask. Of passwords nothing: four of eight are half.
fn excerpt(kind: &SecretType, secret: &[u8]) -> String {
    const MOST: usize = 4;
    let hidden = kind.name == kinds::PASSWORD.name || kind.name == kinds::CONNECTION_STRING.name;
    shortened(secret, if hidden { 0 } else { MOST })
}

fn shortened(secret: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(secret);
    let shown = most.min(text.chars().count() / 4);
    let mut excerpt: String = text
        .chars()
        .take(shown)
        .map(|letter| if letter.is_control() { '·' } else { letter })
        .collect();
    excerpt.push_str(MASK);
    excerpt
}

/// The salted hash of a secret: 32 hexadecimal digits.
#[must_use]
pub fn fingerprint(salt: &[u8], secret: &[u8]) -> String {
    const BYTES: usize = 16;
    let length = (salt.len() as u64).to_be_bytes();
    let hash =
        Sha256::new().chain_update(length).chain_update(salt).chain_update(secret).finalize();
    data_encoding::HEXLOWER.encode(hash.get(..BYTES).unwrap_or_default())
}

/// Lines and columns of places that come in order.
struct Places<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Places<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    fn of(&mut self, offset: usize) -> (usize, usize) {
        let between = self.text.get(self.at..offset).unwrap_or_default();
        let mut rest = between;
        let lines = memchr::memchr_iter(b'\n', between).count();
        if lines > 0 {
            self.line += lines;
            self.column = 1;
            let last = memchr::memrchr(b'\n', between).map_or(0, |at| at + 1);
            rest = between.get(last..).unwrap_or_default();
        }
        // Characters, not bytes: those that continue one are not counted.
        self.column += rest.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.at = offset.max(self.at);
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests;
