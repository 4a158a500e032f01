//! One entry of the record. Owns what is recorded, that it is redacted, and the bytes that its hash is made of; it does
//! not know where records are kept.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use portcullis_core::{
    decision::{Layer, Verdict},
    risk::Risk,
};
use sha2::{Digest as _, Sha256};

use super::files::Files;
pub use super::fitted::MAX_TEXT;
pub(crate) use super::fitted::fit;

/// The newest version of a record's bytes. A change of the fields or of their order is a new version; a record has the oldest that can say
/// what it says, so that whatever read it before reads it still.
pub const RECORD_VERSION: u32 = 2;

/// The first of a record's bytes, so that a hash of ours is never the hash of anything else; behind it stands the version.
const DOMAIN: &str = "portcullis/audit/v";

/// The most bytes of a preview: enough to recognise the call; the action's hash stands for the rest.
pub const MAX_PREVIEW: usize = 1_000;

/// A SHA-256 hash.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// What stands before the first record.
    pub const GENESIS: Self = Self([0; 32]);
}

impl Default for Hash {
    fn default() -> Self {
        Self::GENESIS
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(&self.0))
    }
}

/// A text that is no hash.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("expected 64 lower-case hexadecimal digits")]
pub struct NotAHash;

impl FromStr for Hash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let bytes = data_encoding::HEXLOWER.decode(text.as_bytes()).map_err(|_| NotAHash)?;
        bytes.try_into().map(Self).map_err(|_| NotAHash)
    }
}

/// What an entry tells of.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Kind {
    /// A call was judged. Written before anything runs.
    Decision,
    /// A person, or the reviewing model, answered a decision that asked.
    Answer,
    /// What became of a decision: it ran, was refused, expired.
    Outcome,
    /// A person changed something about the gate itself: took a grant back, paused it, installed it.
    Change,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Decision, Self::Answer, Self::Outcome, Self::Change];

    /// The kind's word in the record.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Answer => "answer",
            Self::Outcome => "outcome",
            Self::Change => "change",
        }
    }
}

/// What is to be recorded, as the caller has it: texts are redacted and cut when a [`Body`] is made of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// What it tells of.
    pub kind: Kind,
    /// The decision that an answer or an outcome belongs to.
    pub refers_to: Option<u64>,
    /// The tool's name as the agent sent it.
    pub tool: Option<String>,
    /// What kind of action it proved to be.
    pub class: Option<String>,
    /// How risky it is.
    pub risk: Option<Risk>,
    /// The rule ids of the findings, most severe first.
    pub rules: Vec<String>,
    /// The verdict.
    pub decision: Option<Verdict>,
    /// The layer that decided.
    pub layer: Option<Layer>,
    /// Why, in a sentence.
    pub reason: Option<String>,
    /// Who answered.
    pub approver: Option<String>,
    /// What became of it: `exit 0`, `refused`, `expired`.
    pub outcome: Option<String>,
    /// The hash of the whole action.
    pub action: Option<String>,
    /// The call for a person; of a review, its particulars as JSON.
    pub preview: Option<String>,
    /// The hash of the policy that it was judged under.
    pub policy: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// Which agent.
    pub agent: Option<String>,
    /// The directory that the call would run in.
    pub cwd: Option<String>,
    /// The files that the decision went by.
    pub files: Files,
}

impl Entry {
    /// An entry of a kind that says nothing yet.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            refers_to: None,
            tool: None,
            class: None,
            risk: None,
            rules: Vec::new(),
            decision: None,
            layer: None,
            reason: None,
            approver: None,
            outcome: None,
            action: None,
            preview: None,
            policy: None,
            session: None,
            agent: None,
            cwd: None,
            files: Files::NONE,
        }
    }

    /// What became of the decision `sequence`.
    #[must_use]
    pub fn outcome(sequence: u64, outcome: impl Into<String>) -> Self {
        Self {
            refers_to: Some(sequence),
            outcome: Some(outcome.into()),
            ..Self::new(Kind::Outcome)
        }
    }

    /// What `person` changed about the gate: what was done in a word or two (`revoked`), and to what in a sentence.
    #[must_use]
    pub fn change(
        person: impl Into<String>,
        outcome: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            approver: Some(person.into()),
            outcome: Some(outcome.into()),
            reason: Some(reason.into()),
            ..Self::new(Kind::Change)
        }
    }
}

/// An entry that is fit to be stored: redacted and bounded. Only [`Body::new`] makes one of an [`Entry`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Body {
    entry: Entry,
    time: Timestamp,
}

impl Body {
    /// The entry at a time (kept to the microsecond), with every text redacted and cut.
    #[must_use]
    pub fn new(entry: &Entry, time: Timestamp) -> Self {
        let Entry {
            kind,
            refers_to,
            tool,
            class,
            risk,
            rules,
            decision,
            layer,
            reason,
            approver,
            outcome,
            action,
            preview,
            policy,
            session,
            agent,
            cwd,
            files,
        } = entry;
        let text = |text: &Option<String>| text.as_deref().map(|text| fit(text, MAX_TEXT));
        let entry = Entry {
            kind: *kind,
            refers_to: *refers_to,
            tool: text(tool),
            class: text(class),
            risk: *risk,
            rules: rules.iter().map(|rule| fit(rule, MAX_TEXT).replace(' ', "_")).collect(),
            decision: *decision,
            layer: *layer,
            reason: text(reason),
            approver: text(approver),
            outcome: text(outcome),
            action: text(action),
            preview: preview.as_deref().map(|preview| fit(preview, MAX_PREVIEW)),
            policy: text(policy),
            session: text(session),
            agent: text(agent),
            cwd: text(cwd),
            files: files.fitted(),
        };
        Self { entry, time }
    }

    /// What is stored.
    #[must_use]
    pub const fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The record that this becomes after the one with the hash `previous`.
    #[must_use]
    pub fn chained(self, sequence: u64, previous: Hash) -> Record {
        let mut record =
            Record { sequence, time: self.time, previous, hash: previous, entry: self.entry };
        record.hash = record.computed_hash();
        record
    }
}

/// One stored record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Record {
    /// Its place in the chain, from 1, without gaps.
    pub sequence: u64,
    /// When it was written.
    pub time: Timestamp,
    /// The hash of the record before it; [`Hash::GENESIS`] for the first.
    pub previous: Hash,
    /// The hash of this record, as stored.
    pub hash: Hash,
    /// What it tells.
    pub entry: Entry,
}

impl Record {
    /// The time as it is stored, exported and hashed: RFC 3339, UTC, microseconds. Always of one length, so that the
    /// order of the texts is the order of the times.
    #[must_use]
    pub fn time_text(&self) -> String {
        time_text(self.time)
    }

    /// The version of its bytes: only the second tells of files.
    #[must_use]
    pub const fn version(&self) -> u32 {
        if self.entry.files.is_empty() { 1 } else { RECORD_VERSION }
    }

    /// The fields as texts, in the order in which they are hashed and exported. A field that is missing is `None`.
    #[must_use]
    pub fn fields(&self) -> [(&'static str, Option<String>); 21] {
        let Self { sequence, time, previous, hash: _, entry } = self;
        let Entry {
            kind,
            refers_to,
            tool,
            class,
            risk,
            rules,
            decision,
            layer,
            reason,
            approver,
            outcome,
            action,
            preview,
            policy,
            session,
            agent,
            cwd,
            files,
        } = entry;
        [
            ("previous", Some(previous.to_string())),
            ("sequence", Some(sequence.to_string())),
            ("time", Some(time_text(*time))),
            ("kind", Some(kind.name().to_owned())),
            ("refers_to", refers_to.map(|sequence| sequence.to_string())),
            ("tool", tool.clone()),
            ("class", class.clone()),
            ("risk", risk.map(|risk| risk.name().to_owned())),
            ("rules", Some(rules.join(" "))),
            ("decision", decision.map(|decision| decision.name().to_owned())),
            ("layer", layer.map(|layer| layer.name().to_owned())),
            ("reason", reason.clone()),
            ("approver", approver.clone()),
            ("outcome", outcome.clone()),
            ("action", action.clone()),
            ("preview", preview.clone()),
            ("policy", policy.clone()),
            ("session", session.clone()),
            ("agent", agent.clone()),
            ("cwd", cwd.clone()),
            ("files", files.text()),
        ]
    }

    /// The bytes that the hash is made of: netstrings (`LENGTH:BYTES,`) of the domain, then of each field's name and
    /// text. A missing field is left out, which no text of another field can imitate.
    #[must_use]
    pub fn canonical_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(1_024);
        let mut push = |text: &str| {
            bytes.extend_from_slice(text.len().to_string().as_bytes());
            bytes.push(b':');
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(b',');
        };
        push(&format!("{DOMAIN}{}", self.version()));
        for (name, text) in self.fields() {
            if let Some(text) = text {
                push(name);
                push(&text);
            }
        }
        bytes
    }

    /// The hash that the record should have.
    #[must_use]
    pub fn computed_hash(&self) -> Hash {
        Hash(Sha256::digest(self.canonical_bytes()).into())
    }
}

/// See [`Record::time_text`].
#[must_use]
pub fn time_text(time: Timestamp) -> String {
    format!("{time:.6}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let entry = Entry {
            tool: Some("bash".into()),
            risk: Some(Risk::High),
            rules: vec!["fs.delete.recursive".into(), "a.b".into()],
            preview: Some("mysql -phunter2 é".into()),
            ..Entry::new(Kind::Decision)
        };
        Body::new(&entry, Timestamp::UNIX_EPOCH).chained(1, Hash::GENESIS)
    }

    #[test]
    fn the_bytes_of_version_one_never_change() {
        // A reader of any later version must still find this hash. Computed apart from this code.
        let zeros = "0".repeat(64);
        assert_eq!(
            String::from_utf8_lossy(&record().canonical_bytes()),
            format!(
                "19:portcullis/audit/v1,8:previous,64:{zeros},8:sequence,1:1,4:time,27:1970-01-01T00:00:00.000000Z,\
                 4:kind,8:decision,4:tool,4:bash,4:risk,4:high,5:rules,23:fs.delete.recursive a.b,7:preview,\
                 14:mysql -p*** é,"
            )
        );
        assert_eq!(
            record().hash.to_string(),
            "c8a2df0ad9264a2d53c32fddbb17827ca773ba58a2b2d868f4b6c1cd07d3c640"
        );
    }

    #[test]
    fn the_bytes_of_version_two_tell_of_the_files() {
        let mut record = record();
        let content = super::super::Content { sha256: "ab".repeat(32), bytes: 7, whole: true };
        record.entry.files.list =
            vec![super::super::File { path: "/p/x.sh".into(), content: Some(content) }];
        let bytes = record.canonical_bytes();
        let text = String::from_utf8_lossy(&bytes);
        let file = format!("5:files,80:whole 7 {} /p/x.sh,", "ab".repeat(32));
        assert!(text.starts_with("19:portcullis/audit/v2,8:previous,64:"), "{text}");
        assert!(text.ends_with(&file), "{text}");
        assert_ne!(record.computed_hash(), record.hash);
    }

    #[test]
    fn a_missing_text_and_an_empty_one_are_told_apart() {
        let mut other = record();
        other.entry.reason = Some(String::new());
        assert_ne!(record().computed_hash(), other.computed_hash());
    }

    #[test]
    fn every_text_is_redacted_and_bounded_before_it_is_stored() {
        let secret =
            || Some(format!("{}password=hunter2 {}", "x ".repeat(2_000), "é".repeat(2_000)));
        let entry = Entry {
            tool: secret(),
            class: secret(),
            rules: vec!["password=hunter2".into()],
            reason: secret(),
            approver: secret(),
            outcome: secret(),
            action: secret(),
            preview: secret(),
            policy: secret(),
            session: secret(),
            agent: secret(),
            cwd: Some("/a\0password=hunter2".into()),
            ..Entry::new(Kind::Decision)
        };
        let record = Body::new(&entry, Timestamp::UNIX_EPOCH).chained(1, Hash::GENESIS);
        let bytes = record.canonical_bytes();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("hunter2") && !text.contains('\0'), "{text}");
        assert!(text.len() < MAX_PREVIEW + 11 * (MAX_TEXT + 60) + 500, "{}", text.len());
    }
}
