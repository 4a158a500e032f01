//! One decision for one call that passes two gates: an agent's hook judges it first, and the proxy before the server sees it again. Owns the notes
//! by which the second gate finds what the first one decided; what that was, the record proves, and whom it counts for, each gate says itself.
//!
//! A note is a number in the record and nothing more. It is taken once, and soon: whoever makes the same call again is judged again.

use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    audit::Record,
    canonical, person,
    pins::names::{parts, written},
    platform, private,
};

/// How long after its decision a call may still come: as long as agents wait for their person.
const HOLDS: SignedDuration = SignedDuration::from_mins(10);

/// The folder of the notes, in the state directory.
const FOLDER: &str = "handover";

/// How many calls with the same words may be on their way at once.
const MOST: usize = 8;

/// Longer than any note.
const MAX_BYTES: u64 = 4_096;

/// A decision that may be taken over.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Note {
    sequence: u64,
    at: Timestamp,
    /// The agent whose call it is; nothing where the system does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    caller: Option<String>,
}

/// Notes the decision `sequence` about a call of a server's tool, which the agent of this process is about to make.
pub fn leave(state: &Path, tool: &str, arguments: &Map<String, Value>, sequence: u64) {
    let Some((_, own)) = parts(tool) else { return };
    // Where no server is behind a proxy, nobody takes it.
    if !state.join("mcp").is_dir() {
        return;
    }
    let path = path(state, own, arguments);
    let Some(mut file) = opened(&path) else { return };
    if file.lock().is_err() {
        return;
    }
    let now = Timestamp::now();
    let mut notes = read(&mut file);
    notes.retain(|note| holds(note, now));
    if notes.len() >= MOST {
        notes.remove(0);
    }
    notes.push(Note { sequence, at: now, caller: person::caller() });
    // Without a note the second gate judges by itself.
    let _ = write(&mut file, &notes);
}

/// Takes what was decided about a call of the agent that started this process, the oldest first.
#[must_use]
pub fn take(state: &Path, tool: &str, arguments: &Map<String, Value>) -> Option<u64> {
    let path = path(state, &written(tool), arguments);
    if !path.exists() {
        return None;
    }
    let mut file = opened(&path)?;
    file.lock().ok()?;
    let now = Timestamp::now();
    let mut notes = read(&mut file);
    notes.retain(|note| holds(note, now));
    let is_ours = |note: &Note| note.caller.as_deref().is_none_or(person::descends_from);
    let first = notes.remove(notes.iter().position(is_ours)?);
    // What cannot be taken away is not taken: it would count twice.
    if notes.is_empty() {
        fs::remove_file(&path).ok()?
    } else {
        write(&mut file, &notes).ok()?
    };
    Some(first.sequence)
}

/// Whether a record is young enough to be taken over.
#[must_use]
pub fn is_young(record: &Record) -> bool {
    let age = Timestamp::now().duration_since(record.time);
    (-SignedDuration::from_secs(5)..=HOLDS).contains(&age)
}

fn holds(note: &Note, now: Timestamp) -> bool {
    (SignedDuration::ZERO..=HOLDS).contains(&now.duration_since(note.at))
}

fn path(state: &Path, tool: &str, arguments: &Map<String, Value>) -> PathBuf {
    let digest = canonical::digest(&serde_json::json!([tool, arguments]));
    let digits = digest.strip_prefix("sha256:").unwrap_or_default();
    state.join(FOLDER).join(digits.get(..40).unwrap_or(digits))
}

fn opened(path: &Path) -> Option<File> {
    let folder = path.parent()?;
    if !folder.is_dir() {
        platform::create_private_directory(folder).ok()?;
    }
    let open = || platform::open_to_change(path);
    let made = |_| {
        private::forget_old(folder);
        platform::create_private_file(path).and_then(|_| open())
    };
    let file = open().or_else(made).ok()?;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && platform::insecurity(&metadata).is_none()).then_some(file)
}

fn read(file: &mut File) -> Vec<Note> {
    let mut bytes = Vec::new();
    if file.rewind().is_err() || file.take(MAX_BYTES).read_to_end(&mut bytes).is_err() {
        return Vec::new();
    }
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn write(file: &mut File, notes: &[Note]) -> std::io::Result<()> {
    let bytes = serde_json::to_vec(notes)?;
    file.rewind()?;
    file.write_all(&bytes)?;
    file.set_len(bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_decision_is_taken_once_and_by_the_same_call_alone() {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(state.path().join("mcp")).unwrap();
        let arguments = json!({"to": "ann", "amount": 5}).as_object().cloned().unwrap();
        let other = json!({"to": "ann", "amount": 6}).as_object().cloned().unwrap();
        leave(state.path(), "mcp__bank__pay", &arguments, 7);
        leave(state.path(), "mcp__bank__pay", &arguments, 9);
        leave(state.path(), "bash", &arguments, 11);
        assert_eq!(take(state.path(), "pay", &other), None);
        assert_eq!(take(state.path(), "send", &arguments), None);
        assert_eq!(take(state.path(), "pay", &arguments), Some(7));
        assert_eq!(take(state.path(), "pay", &arguments), Some(9));
        assert_eq!(take(state.path(), "pay", &arguments), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_was_decided_for_one_agent_counts_for_no_other() {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(state.path().join("mcp")).unwrap();
        leave(state.path(), "mcp__bank__pay", &Map::new(), 7);
        let path = path(state.path(), "pay", &Map::new());
        let mut notes: Vec<Note> = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        notes[0].caller = Some("1-99".to_owned());
        fs::write(&path, serde_json::to_vec(&notes).unwrap()).unwrap();
        assert_eq!(take(state.path(), "pay", &Map::new()), None);
        assert!(person::caller().is_none_or(|own| person::descends_from(&own)));
    }

    #[test]
    fn notes_of_one_call_are_few() {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(state.path().join("mcp")).unwrap();
        for sequence in 0..100 {
            leave(state.path(), "mcp__bank__pay", &Map::new(), sequence);
        }
        let taken: Vec<u64> =
            std::iter::from_fn(|| take(state.path(), "pay", &Map::new())).collect();
        assert_eq!(taken, (92..100).collect::<Vec<u64>>());
    }
}
