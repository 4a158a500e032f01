//! One answer for one call, also where an agent starts several of our processes for it: it runs another agent's hooks beside
//! its own, the user's beside the project's, or tells of a call in two events. Owns what tells such a call from the same call made
//! again, and the notes by which the second process gets what the first one answered; what that was, the record proves.
//!
//! | what both say | is one call |
//! |---|---|
//! | the same arguments in the same session and directory, and the same id or time of the call | yes |
//! | other ids | no |
//! | no id, or another time | where another entry or event asks than those that were answered, within [`AT_ONCE`] |
//! | … and it ran meanwhile | no |
//!
//! There is a fixed number of notes, each with a lock: the first process holds it until it has answered. Whoever cannot read
//! one judges alone, as if there were no other, and so does whoever reads one that the key of this machine does not vouch for, or that was written under
//! another policy.

use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use portcullis_core::decision::{Layer, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::By;
use crate::{
    agents::{
        agent::{Agent, Event},
        field::{at, first},
    },
    audit::Record,
    config::Kept,
    platform,
};

/// How long after an answer another process may still ask about a call with the same id.
const SAME_CALL: SignedDuration = SignedDuration::from_secs(10);

/// The same where only another entry tells that it is no new call.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(3);

/// How many further processes get one answer: the user's, the project's and the managed entry, each under two events.
const MOST_TAKERS: usize = 5;

/// How long the first process is waited for, beyond the time that it may wait for a person.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// How long a lock is looked at whose holder has not said yet which call it is about.
const UNSAID: Duration = Duration::from_millis(20);

const GLANCE: Duration = Duration::from_millis(4);

/// The version of a note.
const VERSION: u32 = 2;

/// What the key vouches for.
const KIND: &str = "asked";

/// Longer than any note.
const MAX_BYTES: u64 = 8_192;

/// The folder of the notes in the state directory.
const FOLDER: &str = "asked";

/// What tells a call from others.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Key {
    /// The digest of session, directory and arguments.
    digest: String,
    mark: Mark,
    /// Which entry and event asks.
    entry: String,
    /// What identifies the policy.
    policy: String,
}

/// What an agent says of a call beside its arguments.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mark {
    /// Nothing.
    None,
    /// Its id.
    Id(String),
    /// When it told of it, in milliseconds.
    Time(i64),
}

/// What was answered.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    /// What was judged, before anybody answered what asks.
    pub(super) judged: Verdict,
    /// Where the decision stands in the record.
    pub(super) sequence: u64,
    /// Whose word it is.
    pub(super) by: By,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Note {
    v: u32,
    digest: String,
    /// The policy that it was judged under.
    policy: String,
    mark: Mark,
    /// The entries that got the answer.
    entries: Vec<String>,
    at: Timestamp,
    /// Nothing as long as the first process judges, and after the call ran.
    answer: Option<Answer>,
}

/// What is to be done about a call.
#[derive(Debug)]
pub(super) enum Claim {
    /// Judge it, and say what came of it.
    First(First),
    /// It was judged already.
    Answered(Answer),
    /// Judge it; nobody can be told.
    Alone,
}

/// The process that judges for the others.
#[derive(Debug)]
pub(super) struct First {
    file: File,
    note: Note,
    kept: Kept,
}

/// A note as it is written: its text, and the words by which it is known as ours.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    note: String,
    words: String,
}

impl Key {
    /// The key of a payload about a call; nothing where the agent names no session.
    pub(super) fn of(
        payload: &Value,
        agent: &Agent,
        event: &Event,
        cwd: Option<&str>,
        installed_for: Option<&Agent>,
        policy: &str,
    ) -> Option<Self> {
        let session = first(payload, agent.fields.session).and_then(Value::as_str)?;
        let input = match event.input {
            Some(pointer) => at(payload, pointer),
            None => first(payload, agent.fields.input),
        };
        let input = match input {
            // Some agents send the arguments as a text in one form of their payloads, and as an object in the other.
            Some(Value::String(text)) => {
                serde_json::from_str(text).unwrap_or_else(|_| text.clone().into())
            }
            Some(input) => input.clone(),
            None => Value::Null,
        };
        let mut digest = Sha256::new();
        for part in [session, cwd.unwrap_or_default(), &input.to_string()] {
            digest.update(part.len().to_le_bytes());
            digest.update(part.as_bytes());
        }
        let entry =
            format!("{} {} {}", installed_for.unwrap_or(agent).name, agent.name, event.name);
        let mark = first(payload, agent.fields.call).map_or(Mark::None, mark);
        let digest = data_encoding::HEXLOWER.encode(&digest.finalize());
        Some(Self { digest, mark, entry, policy: policy.to_owned() })
    }

    fn path(&self, state: &Path) -> PathBuf {
        state.join(FOLDER).join(self.digest.get(..2).unwrap_or_default())
    }

    /// Whether a note is about the same call as this, made once.
    fn is_of(&self, note: &Note, now: Timestamp) -> bool {
        let age = now.duration_since(note.at);
        let within = |most| (SignedDuration::ZERO..=most).contains(&age);
        let is_other = || !note.entries.contains(&self.entry);
        note.v == VERSION
            && note.digest == self.digest
            && note.policy == self.policy
            && note.entries.len() <= MOST_TAKERS
            && match (&note.mark, &self.mark) {
                (Mark::None, _) | (_, Mark::None) => is_other() && within(AT_ONCE),
                (one, other) if one == other => within(SAME_CALL),
                (Mark::Id(_), Mark::Id(_)) => false,
                _ => is_other() && within(AT_ONCE),
            }
    }
}

/// An id, or a time however it is written.
fn mark(value: &Value) -> Mark {
    match value {
        Value::Number(number) => number.as_i64().map_or(Mark::None, Mark::Time),
        Value::String(text) => match text.parse::<Timestamp>() {
            Ok(time) => Mark::Time(time.as_millisecond()),
            Err(_) if text.is_empty() => Mark::None,
            Err(_) => Mark::Id(text.chars().take(200).collect()),
        },
        _ => Mark::None,
    }
}

/// Takes a call up, or gives what another process answered to it. One that judges just now is waited for, also while it waits for
/// a person.
pub(super) fn claim(state: &Path, kept: &Kept, key: &Key, wait: Duration) -> Claim {
    let path = key.path(state);
    let Some(mut file) = opened(&path) else { return Claim::Alone };
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(fs::TryLockError::Error(_)) => return Claim::Alone,
            Err(fs::TryLockError::WouldBlock) => {
                let is_this = read(&mut file, kept).is_some_and(|note| {
                    note.answer.is_none() && key.is_of(&note, Timestamp::now())
                });
                let patience = if is_this { PATIENCE + wait } else { UNSAID };
                if begun.elapsed() > patience {
                    return Claim::Alone;
                }
                thread::sleep(GLANCE);
            }
        }
    }
    let now = Timestamp::now();
    if let Some(mut note) = read(&mut file, kept).filter(|note| key.is_of(note, now))
        && let Some(answer) = note.answer.clone()
    {
        note.entries.push(key.entry.clone());
        // Whoever asks next is answered all the same.
        let _ = write(&mut file, kept, &note);
        return Claim::Answered(answer);
    }
    let note = Note {
        v: VERSION,
        digest: key.digest.clone(),
        policy: key.policy.clone(),
        mark: key.mark.clone(),
        entries: vec![key.entry.clone()],
        at: now,
        answer: None,
    };
    match write(&mut file, kept, &note) {
        Ok(()) => Claim::First(First { file, note, kept: kept.clone() }),
        Err(_) => Claim::Alone,
    }
}

impl First {
    /// Tells the others. Without it they judge by themselves.
    pub(super) fn answer(mut self, answer: Answer) {
        self.note.at = Timestamp::now();
        self.note.answer = Some(answer);
        // Without the note each judges for itself.
        let _ = write(&mut self.file, &self.kept, &self.note);
    }
}

/// Notes that a call ran: whoever asks about it from here on asks about another one.
pub(super) fn ran(state: &Path, kept: &Kept, key: &Key) {
    let path = key.path(state);
    if !path.exists() {
        return;
    }
    let Some(mut file) = opened(&path) else { return };
    if file.try_lock().is_ok()
        && read(&mut file, kept).is_some_and(|note| note.digest == key.digest)
    {
        // A note that stays is too old soon.
        let _ = file.set_len(0);
    }
}

/// The decision of a record that an answer tells of, where it is one of this session and of now.
pub(super) fn decision_of(record: &Record, session: Option<&str>) -> Option<(Verdict, Layer)> {
    let age = Timestamp::now().duration_since(record.time);
    let is_it = record.entry.session.as_deref() == session && age <= SAME_CALL;
    record.entry.decision.zip(record.entry.layer).filter(|_| is_it)
}

fn opened(path: &Path) -> Option<File> {
    let folder = path.parent()?;
    if !folder.is_dir() {
        platform::create_private_directory(folder).ok()?;
    }
    let open = || platform::open_to_change(path);
    let file = open().or_else(|_| platform::create_private_file(path).and_then(|_| open())).ok()?;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && platform::insecurity(&metadata).is_none()).then_some(file)
}

fn read(file: &mut File, kept: &Kept) -> Option<Note> {
    let mut bytes = Vec::new();
    file.rewind().ok()?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let written: Written = serde_json::from_slice(&bytes).ok()?;
    let is_ours = kept.is_vouched(KIND, written.note.as_bytes(), &written.words);
    is_ours.then(|| serde_json::from_str(&written.note).ok()).flatten()
}

fn write(file: &mut File, kept: &Kept, note: &Note) -> std::io::Result<()> {
    let note = serde_json::to_string(note)?;
    let words = kept.vouch(KIND, note.as_bytes()).ok_or(std::io::ErrorKind::NotFound)?;
    let bytes = serde_json::to_vec(&Written { note, words })?;
    file.rewind()?;
    file.write_all(&bytes)?;
    file.set_len(bytes.len() as u64)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::config::Named;

    fn key(policy: &str) -> Key {
        let (digest, entry) = ("ab".repeat(32), "claude claude PreToolUse".to_owned());
        Key { digest, mark: Mark::Id("t1".to_owned()), entry, policy: policy.to_owned() }
    }

    #[test]
    fn a_note_that_nobody_vouches_for_answers_nothing() {
        let state = tempfile::tempdir().unwrap();
        let (state, kept) = (state.path(), Kept::new(state.path()));
        let claim = |key: &Key| claim(state, &kept, key, Duration::ZERO);
        // Without a key there is nothing to vouch with.
        assert!(matches!(claim(&key("p")), Claim::Alone));
        kept.keep(Path::new("/home/dev/c.toml"), Named::ByPlace, "").unwrap();
        let Claim::First(first) = claim(&key("p")) else { panic!("it is the first") };
        first.answer(Answer { judged: Verdict::Ask, sequence: 7, by: By::Grant });
        assert!(matches!(claim(&key("p")), Claim::Answered(Answer { sequence: 7, .. })));
        let path = key("p").path(state);
        let genuine = fs::read_to_string(&path).unwrap();
        for (from, to) in
            [("\\\"sequence\\\":7", "\\\"sequence\\\":3"), ("t1", "t2"), ("grant", "policy")]
        {
            let forged = genuine.replace(from, to);
            assert_ne!(forged, genuine, "{from}");
            fs::write(&path, forged).unwrap();
            let of = Key { mark: Mark::Id(to.to_owned()), ..key("p") };
            let key = if to == "t2" { of } else { key("p") };
            assert!(matches!(claim(&key), Claim::First(_)), "{to}");
        }
        // As it was before there were words.
        let written: Written = serde_json::from_str(&genuine).unwrap();
        fs::write(&path, &written.note).unwrap();
        assert!(matches!(claim(&key("p")), Claim::First(_)));
        // What was answered under one policy answers nothing under another.
        fs::write(&path, &genuine).unwrap();
        assert!(matches!(claim(&key("q")), Claim::First(_)));
    }
}
