//! A call that is replaced by a trial of it, where the agent takes another call in place of its own. Owns the command that runs then, and the
//! proof that an agent runs it: until a session was seen to run what it was given, its person is asked, so that one that knows nothing of
//! replacing asks about the call itself.

use std::{
    io,
    path::{Path, PathBuf},
};

use portcullis_core::{action::ActionKind, decision::Verdict};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{
    config::TryingGate, install::command::quoted, private, session::Judged, trial::evidence,
};

/// The folder of the notes in the state directory.
const FOLDER: &str = "replaced";

/// What a note says of a session that ran what it was given.
const OBEYS: &[u8] = b"obeys";

/// Longer than any note.
const MAX_BYTES: u64 = 128;

/// What an agent gave its tool, with a trial of the command in its place, where the configuration has it replaced and a trial may count for it.
pub(super) fn arguments(
    judged: &Judged,
    input: &Map<String, Value>,
    program: &str,
) -> Option<Map<String, Value>> {
    let configuration = &judged.regime.configuration;
    let policy = &configuration.policy;
    let decision = &judged.judgement.decision;
    let may = decision.verdict == Verdict::Ask
        && configuration.trials.at(TryingGate::Hook)
        && policy.replaced_by_trial(&evidence::subject(judged), decision).is_some();
    let ActionKind::Shell { command, .. } = &judged.action.kind else { return None };
    let (workspace, directory) = evidence::ground(judged).filter(|_| may)?;
    let words = [
        program,
        "try",
        "--commit",
        "--if-settled",
        "--network",
        "off",
        "--timeout",
        &configuration.trials.timeout.as_secs().to_string(),
        "--workspace",
        workspace.to_str()?,
        "--directory",
        directory.to_str()?,
        "--",
        evidence::shell()?,
        "-c",
        command,
    ]
    .map(quoted)
    .join(" ");
    let mut arguments = input.clone();
    // What does not stand there just once was not what was judged.
    let mut slots = arguments.values_mut().filter(|value| value.as_str() == Some(command));
    let (Some(slot), None) = (slots.next(), slots.next()) else { return None };
    *slot = words.into();
    Some(arguments)
}

/// Lets the trial go on in place of the call.
pub(super) fn settle(judged: &mut Judged) {
    let policy = &judged.regime.configuration.policy;
    let decision = &judged.judgement.decision;
    let replaced = policy.replaced_by_trial(&evidence::subject(judged), decision);
    if let Some(decision) = replaced {
        judged.judgement.decision = decision;
    }
}

/// Whether a session was seen to run what it was given.
pub(super) fn obeys(state: &Path, session: Option<&str>, agent: &str) -> bool {
    let Some(note) = note(state, session, agent) else { return false };
    private::read(&note, MAX_BYTES).is_ok_and(|text| text == OBEYS)
}

/// Notes what a session was given, to know it again.
pub(super) fn given(
    state: &Path,
    session: Option<&str>,
    agent: &str,
    arguments: &Map<String, Value>,
) -> io::Result<()> {
    let note = note(state, session, agent).ok_or(io::ErrorKind::NotFound)?;
    if private::read(&note, MAX_BYTES).is_ok_and(|text| text == OBEYS) {
        return Ok(());
    }
    crate::platform::create_private_directory(note.parent().unwrap_or(state))?;
    private::write(&note, digest(arguments).as_bytes())
}

/// Notes that a session ran what it was given, where it did.
pub(super) fn ran(
    state: &Path,
    session: Option<&str>,
    agent: &str,
    arguments: &Map<String, Value>,
) {
    let Some(note) = note(state, session, agent) else { return };
    let is_it =
        private::read(&note, MAX_BYTES).is_ok_and(|text| text == digest(arguments).as_bytes());
    if is_it {
        // Without the note its person is asked once more.
        let _ = private::write(&note, OBEYS);
    }
}

fn note(state: &Path, session: Option<&str>, agent: &str) -> Option<PathBuf> {
    let key = digest_of(format!("{agent}\n{}", session?).as_bytes());
    Some(state.join(FOLDER).join(key.get(..32)?))
}

fn digest(arguments: &Map<String, Value>) -> String {
    digest_of(Value::Object(arguments.clone()).to_string().as_bytes())
}

fn digest_of(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}
