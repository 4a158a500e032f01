//! Something worth saying about an action. Owns its shape; the rules that say it live in `rules`.

use portcullis_syntax::Span;
use serde::{Deserialize, Serialize};

use crate::risk::Severity;

/// How sure a rule is that what it says would happen.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It may be something else.
    Low,
    /// It is likely.
    Medium,
    /// It is what would happen.
    High,
}

/// What kind of harm a rule is about.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Loss of files, disks, history, data or infrastructure.
    Destruction,
    /// Running code that came from elsewhere or was hidden.
    Execution,
    /// A shell handed to the network.
    NetworkShell,
    /// Data leaving.
    Exfiltration,
    /// Reading or writing keys, tokens and passwords.
    Credentials,
    /// Coming back after this call ends.
    Persistence,
    /// Gaining rights.
    Privilege,
    /// Weakening who may do what.
    Permission,
    /// The running system: processes, services, kernel, firewall, network.
    System,
    /// Traces, logs and guards removed or weakened.
    Evasion,
    /// The gate itself, and agents' own settings.
    SelfProtection,
    /// Packages and where they come from.
    SupplyChain,
    /// Planted instructions.
    Injection,
    /// An ordinary change.
    Change,
    /// Not understood.
    Unclear,
}

/// What a rule says about one place in an action.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// The rule's id, `category.subject.detail`.
    pub rule: &'static str,
    /// What kind of harm.
    pub category: Category,
    /// How bad.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// Where.
    pub place: Place,
    /// What would happen, in a sentence.
    pub message: String,
    /// What to do instead.
    pub remedy: String,
    /// Whether it can be undone.
    pub reversible: bool,
    /// What it touches, with its kind: `file:/etc/passwd`, `host:example.com`, `table:users`.
    pub resource: Option<String>,
}

/// Where in the arguments a finding lies.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Place {
    /// A JSON pointer into the call's arguments (or to `/thought`, `/summary` beside them).
    pub pointer: String,
    /// The bytes of that string; of the outermost text where it lies in a decoded or nested layer.
    pub span: Span,
    /// The inner text and the span in it, where the finding lies in such a layer.
    pub layer: Option<(String, Span)>,
    /// The file and the place in it, where the finding lies in one that the action starts.
    pub file: Option<FilePlace>,
}

/// A place in a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FilePlace {
    /// The absolute path.
    pub path: String,
    /// The bytes of the file.
    pub span: Span,
    /// The number of the line that it begins in, from one.
    pub line: usize,
    /// The lines that it lies in and the span in them, cut where they are long.
    pub shown: (String, Span),
}
