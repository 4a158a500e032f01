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
//! one judges alone, as if there were no other.

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
const VERSION: u32 = 1;

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
}

impl Key {
    /// The key of a payload about a call; nothing where the agent names no session.
    pub(super) fn of(
        payload: &Value,
        agent: &Agent,
        event: &Event,
        cwd: Option<&str>,
        installed_for: Option<&Agent>,
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
        Some(Self { digest: data_encoding::HEXLOWER.encode(&digest.finalize()), mark, entry })
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
pub(super) fn claim(state: &Path, key: &Key, wait: Duration) -> Claim {
    let path = key.path(state);
    let Some(mut file) = opened(&path) else { return Claim::Alone };
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(fs::TryLockError::Error(_)) => return Claim::Alone,
            Err(fs::TryLockError::WouldBlock) => {
                let is_this = read(&mut file).is_some_and(|note| {
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
    if let Some(mut note) = read(&mut file).filter(|note| key.is_of(note, now))
        && let Some(answer) = note.answer.clone()
    {
        note.entries.push(key.entry.clone());
        // Whoever asks next is answered all the same.
        let _ = write(&mut file, &note);
        return Claim::Answered(answer);
    }
    let note = Note {
        v: VERSION,
        digest: key.digest.clone(),
        mark: key.mark.clone(),
        entries: vec![key.entry.clone()],
        at: now,
        answer: None,
    };
    match write(&mut file, &note) {
        Ok(()) => Claim::First(First { file, note }),
        Err(_) => Claim::Alone,
    }
}

impl First {
    /// Tells the others. Without it they judge by themselves.
    pub(super) fn answer(mut self, answer: Answer) {
        self.note.at = Timestamp::now();
        self.note.answer = Some(answer);
        // Without the note each judges for itself.
        let _ = write(&mut self.file, &self.note);
    }
}

/// Notes that a call ran: whoever asks about it from here on asks about another one.
pub(super) fn ran(state: &Path, key: &Key) {
    let path = key.path(state);
    if !path.exists() {
        return;
    }
    let Some(mut file) = opened(&path) else { return };
    if file.try_lock().is_ok() && read(&mut file).is_some_and(|note| note.digest == key.digest) {
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

fn read(file: &mut File) -> Option<Note> {
    let mut bytes = Vec::new();
    file.rewind().ok()?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn write(file: &mut File, note: &Note) -> std::io::Result<()> {
    let bytes = serde_json::to_vec(note)?;
    file.rewind()?;
    file.write_all(&bytes)?;
    file.set_len(bytes.len() as u64)
}
