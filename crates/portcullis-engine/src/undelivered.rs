//! Decisions by which calls went on while no gateway answered, kept until a gateway has them in its record. Owns the folder with a private file for
//! each, and what such a file says; what may go on so, and how it is sent, [`crate::remote`] knows.
//!
//! A file is written after the decision stands in the record here and before the call goes on, and removed after a gateway said that it is recorded there. Its
//! key makes sure that what is sent twice is recorded once.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use portcullis_core::{
    decision::{Layer, Verdict},
    risk::Risk,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    audit::{Entry, Files, Kind, Record},
    platform,
    private::{self, Unbelievable},
    wire::VERSION,
};

/// A file that cannot be believed, and why.
pub type Strange = (PathBuf, Unbelievable);

/// The most decisions that wait here: a machine that is cut off for longer denies from then on.
const MOST: usize = 10_000;

/// The longest file: every text of a record is bounded, and so are its files.
const LONGEST: u64 = 128 << 10;

/// The most that is sent at once.
pub const TOGETHER: usize = 64;

/// The layers that let a call go on by themselves; neither a person nor a model agreed to anything.
pub const LAYERS: [Layer; 3] = [Layer::AllowRule, Layer::Mode, Layer::Confirmation];

/// The longest name of a machine.
const LONGEST_NAME: usize = 64;

/// The most rules that can have found something harmless, and the longest name of one.
const MOST_RULES: usize = 64;
const LONGEST_RULE: usize = 128;

/// A decision by which a call went on, as it stands in the record of the machine where it did.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Undelivered {
    /// The version of this shape.
    pub v: u64,
    /// What it is known by, however often it is sent: 32 hexadecimal digits that nobody can foresee.
    pub key: String,
    /// The machine.
    pub machine: String,
    /// Its number in the record there.
    pub record: u64,
    /// Its hash there.
    pub hash: String,
    /// When it was decided, RFC 3339.
    pub time: String,
    /// The tool.
    pub tool: String,
    /// What kind of action it proved to be.
    pub class: String,
    /// How risky it is: safe or low.
    #[schemars(with = "String")]
    pub risk: Risk,
    /// What was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// The layer that decided.
    pub layer: String,
    /// Why it was allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The hash of the action.
    pub action: String,
    /// The call for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The hash of the policy there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Which agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The directory that it ran in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The files that it went by, as they stand in a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
}

/// Why something is no decision that went on so.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct NoSuchDecision(&'static str);

impl Undelivered {
    /// What the record here tells of a decision by which a call may go on.
    ///
    /// # Errors
    /// When it is no such decision, or there is no randomness.
    fn of(record: &Record) -> io::Result<Self> {
        let Entry {
            tool,
            class,
            risk,
            rules,
            decision,
            layer,
            reason,
            action,
            preview,
            policy,
            session,
            agent,
            cwd,
            files,
            ..
        } = record.entry.clone();
        let (Some(tool), Some(class), Some(risk), Some(layer), Some(action), Some(Verdict::Allow)) =
            (tool, class, risk, layer, action, decision)
        else {
            return Err(io::Error::other("the record tells of no call that was allowed"));
        };
        Ok(Self {
            v: VERSION,
            key: data_encoding::HEXLOWER.encode(&platform::random::<16>()?),
            machine: platform::machine_name(),
            record: record.sequence,
            hash: record.hash.to_string(),
            time: record.time_text(),
            tool,
            class,
            risk,
            rules,
            layer: layer.name().to_owned(),
            reason,
            action,
            preview,
            policy,
            session,
            agent,
            cwd,
            files: files.text(),
        })
    }

    /// What a gateway records of it, sent by whoever has a token of this name. Nobody is believed who says that more went on than what is proven
    /// safe or low, or that a person agreed.
    ///
    /// # Errors
    /// [`NoSuchDecision`].
    pub fn entry(&self, sender: &str) -> Result<Entry, NoSuchDecision> {
        let no = |why: &'static str| Err(NoSuchDecision(why));
        let is_hex = |text: &str, length: usize| {
            text.len() == length
                && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        if self.v != VERSION {
            return no("it is of another version");
        }
        if !is_hex(&self.key, 32) || !is_hex(&self.hash, 64) {
            return no("its key or its hash is none");
        }
        if !is_word(&self.machine, LONGEST_NAME) {
            return no("no machine can be called so");
        }
        if !self.action.strip_prefix("sha256:").is_some_and(|hash| is_hex(hash, 64)) {
            return no("its action is no hash");
        }
        if !is_word(&self.class, LONGEST_NAME)
            || self.rules.len() > MOST_RULES
            || !self.rules.iter().all(|rule| is_word(rule, LONGEST_RULE))
        {
            return no("its class or a rule is none");
        }
        if !matches!(self.risk, Risk::Safe | Risk::Low) {
            return no("nothing goes on so but what is safe or low");
        }
        let Some(layer) = LAYERS.into_iter().find(|layer| layer.name() == self.layer) else {
            return no("no such layer lets a call go on so");
        };
        let Ok(time) = self.time.parse::<jiff::Timestamp>() else { return no("its time is none") };
        let files = match self.files.as_deref().map(Files::read) {
            None => Files::NONE,
            Some(Some(files)) => files,
            Some(None) => return no("its files are not as they stand in a record"),
        };
        let Self { machine, record, hash, .. } = self;
        let time = time.strftime("%Y-%m-%dT%H:%M:%SZ");
        let outcome = format!(
            "went on at {machine} while no gateway answered: record {record} there, of {time}, {hash}; delivered by {sender}"
        );
        Ok(Entry {
            tool: Some(self.tool.clone()),
            class: Some(self.class.clone()),
            risk: Some(self.risk),
            rules: self.rules.clone(),
            decision: Some(Verdict::Allow),
            layer: Some(layer),
            reason: self.reason.clone(),
            outcome: Some(outcome),
            action: Some(self.action.clone()),
            preview: self.preview.clone(),
            policy: self.policy.clone(),
            session: self.session.clone(),
            agent: self.agent.clone(),
            cwd: self.cwd.clone(),
            files,
            ..Entry::new(Kind::Decision)
        })
    }
}

fn is_word(text: &str, longest: usize) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    (1..=longest).contains(&text.len()) && text.chars().all(is_letter)
}

/// The decisions of one state directory that no gateway has yet.
#[derive(Clone, Debug)]
pub struct Queue {
    folder: PathBuf,
}

/// One of them, and the file that it stands in.
#[derive(Debug)]
pub struct Waiting {
    path: PathBuf,
    /// The decision.
    pub decision: Undelivered,
}

impl Queue {
    /// That of a state directory.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self { folder: state.join("undelivered") }
    }

    /// Keeps a decision that stands in the record here; when this returns, it survives a loss of power.
    ///
    /// # Errors
    /// When it cannot be kept, or too many wait already: the call must not go on then.
    pub fn keep(&self, record: &Record) -> io::Result<()> {
        let decision = Undelivered::of(record)?;
        if self.names()?.len() >= MOST {
            let words = format!("{MOST} decisions wait already for a gateway to answer");
            return Err(io::Error::other(words));
        }
        let bytes = serde_json::to_vec(&decision)?;
        // By name they come in the order of the record.
        let name = format!("{:020}-{}.json", record.sequence, decision.key);
        private::write(&self.folder.join(name), &bytes)?;
        fs::File::open(&self.folder)?.sync_all()
    }

    /// How many wait.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn len(&self) -> io::Result<usize> {
        Ok(self.names()?.len())
    }

    /// Whether none waits.
    ///
    /// # Errors
    /// As [`Queue::len`].
    pub fn is_empty(&self) -> io::Result<bool> {
        match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
            Ok(mut entries) => {
                Ok(!entries.any(|entry| entry.is_ok_and(|entry| is_decision(&entry.path()))))
            }
        }
    }

    /// Those that have waited longest, at most [`TOGETHER`] after the first `skipped`; and the files that cannot be believed among them.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn oldest(&self, skipped: usize) -> io::Result<(Vec<Waiting>, Vec<Strange>)> {
        let (mut waiting, mut strange) = (Vec::new(), Vec::new());
        for path in self.names()?.into_iter().skip(skipped).take(TOGETHER) {
            let read = private::read(&path, LONGEST)
                .and_then(|bytes| serde_json::from_slice(&bytes).map_err(Unbelievable::from));
            match read {
                Ok(decision) => waiting.push(Waiting { path, decision }),
                // Another process delivered it meanwhile.
                Err(error) if error.is_missing() => {}
                Err(error) => strange.push((path, error)),
            }
        }
        Ok((waiting, strange))
    }

    /// A gateway has it in its record.
    ///
    /// # Errors
    /// When the file cannot be removed; it is sent once more then, and recorded no second time.
    pub fn delivered(&self, waiting: &Waiting) -> io::Result<()> {
        match fs::remove_file(&waiting.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn names(&self) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries.take(MOST * 2) {
            let path = entry?.path();
            if is_decision(&path) {
                names.push(path);
            }
        }
        names.sort();
        Ok(names)
    }
}

/// What has no such end is being written, or was when the machine stopped: its call did not go on.
fn is_decision(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Body, Hash};

    fn record(sequence: u64) -> Record {
        let entry = Entry {
            tool: Some("bash".into()),
            class: Some("read-only".into()),
            risk: Some(Risk::Safe),
            decision: Some(Verdict::Allow),
            layer: Some(Layer::Confirmation),
            action: Some(format!("sha256:{}", "00".repeat(32))),
            preview: Some("ls".into()),
            ..Entry::new(Kind::Decision)
        };
        Body::new(&entry, jiff::Timestamp::UNIX_EPOCH).chained(sequence, Hash::GENESIS)
    }

    #[test]
    fn what_waits_comes_in_the_order_of_the_record_and_goes_when_it_was_delivered() {
        let state = tempfile::tempdir().unwrap();
        let queue = Queue::of(state.path());
        assert!(queue.is_empty().unwrap());
        for sequence in [10, 9, 100] {
            queue.keep(&record(sequence)).unwrap();
        }
        let (waiting, strange) = queue.oldest(0).unwrap();
        let numbers: Vec<u64> = waiting.iter().map(|one| one.decision.record).collect();
        assert_eq!((numbers, strange.len()), (vec![9, 10, 100], 0));
        queue.delivered(&waiting[0]).unwrap();
        queue.delivered(&waiting[0]).unwrap();
        assert_eq!(queue.len().unwrap(), 2);
        // What somebody else wrote there is no decision, and is named.
        fs::write(state.path().join("undelivered/0.json"), "{}").unwrap();
        let (waiting, strange) = queue.oldest(0).unwrap();
        assert_eq!((waiting.len(), strange.len()), (2, 1));
    }

    #[test]
    fn only_what_is_proven_safe_or_low_is_believed_to_have_gone_on() {
        let sent = Undelivered::of(&record(7)).unwrap();
        let entry = sent.entry("agents").unwrap();
        let outcome = entry.outcome.unwrap();
        assert!(outcome.contains(&sent.machine) && outcome.contains("record 7 there"), "{outcome}");
        assert!(outcome.ends_with("delivered by agents"), "{outcome}");
        type Change = fn(&mut Undelivered);
        let changes: [(&str, Change); 11] = [
            ("class", |it| it.class = "read only".into()),
            ("rules", |it| it.rules = vec!["a.b".into(); 65]),
            ("action", |it| it.action = "sha256:00".into()),
            ("risk", |it| it.risk = Risk::Medium),
            ("unknown risk", |it| it.risk = Risk::Unknown),
            ("person", |it| it.layer = "person".into()),
            ("layer", |it| it.layer = "nobody".into()),
            ("version", |it| it.v = 2),
            ("key", |it| it.key = "x".into()),
            ("machine", |it| it.machine = "a b".into()),
            ("files", |it| it.files = Some("what".into())),
        ];
        for (what, change) in changes {
            let mut other = sent.clone();
            change(&mut other);
            assert!(other.entry("agents").is_err(), "{what}");
        }
        let mut denied = record(1);
        denied.entry.decision = Some(Verdict::Deny);
        assert!(Undelivered::of(&denied).is_err());
    }
}
