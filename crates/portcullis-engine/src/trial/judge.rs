//! What taking over a change would be, as calls that are judged. Owns how a change is told to the gate: as the edit of a file that it is, and
//! beside that as the change of its rights where they change.

use std::{io::Read as _, path::Path};

use portcullis_core::{action::BadCall, call::ToolCall, decision::Verdict, policy::Context};
use serde_json::{Map, Value, json};

use super::{Change, Trial, What};
use crate::{
    session::{self, Session},
    tree::{Kind, Root},
};

/// How much of a file is judged. More of it nobody has read, and so it asks.
const MOST_READ: u64 = 1 << 20;

/// How far into a file it is looked for what no text has.
const BEGINNING: usize = 8_192;

/// A change that was judged.
pub struct Judged {
    /// Its number among the changes of the trial.
    pub number: usize,
    /// The strictest word on it.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
    /// The judgement with that word, where there was a call to judge.
    pub judged: Option<Box<session::Judged>>,
}

/// The calls that do what a change does.
#[must_use]
pub fn calls_of(trial: &Trial, change: &Change, layer: Option<&Root>) -> (Vec<ToolCall>, bool) {
    let root = trial.roots.get(change.root).map_or(Path::new("/"), |root| root.path.as_path());
    let path = root.join(&change.path);
    let Some(path) = path.to_str().map(str::to_owned) else { return (Vec::new(), false) };
    let call = |tool: &str, arguments: Value| {
        let Value::Object(arguments) = arguments else { return ToolCall::default() };
        ToolCall {
            tool: tool.to_owned(),
            arguments,
            cwd: trial.directory.to_str().map(str::to_owned),
            ..ToolCall::default()
        }
    };
    let mut calls = Vec::new();
    let mut whole = true;
    match (change.what, &change.after) {
        (What::Deleted, _) => {
            calls.push(call("delete_file", json!({ "path": path })));
        }
        (_, Some(after)) => {
            let is_new = change.what == What::Made
                || change
                    .aspects
                    .iter()
                    .any(|aspect| matches!(aspect, super::Aspect::Kind | super::Aspect::Content));
            match after.kind {
                Kind::File if is_new => {
                    let runs = after.mode & 0o111 != 0;
                    let (text, all) = content(layer, &change.path, runs);
                    whole = all;
                    calls.push(call("write_file", json!({ "path": path, "content": text })));
                }
                Kind::Link if is_new => {
                    let target = after.target.clone().unwrap_or_default();
                    let command = format!("ln -s {} {}", quoted(&target), quoted(&path));
                    calls.push(call("bash", json!({ "command": command })));
                }
                Kind::Folder if is_new => {
                    let command = format!("mkdir {}", quoted(&path));
                    calls.push(call("bash", json!({ "command": command })));
                }
                _ if is_new => {
                    calls.push(call(
                        "bash",
                        json!({ "command": format!("mkfifo {}", quoted(&path)) }),
                    ));
                }
                _ => {
                    // Whatever else changes of it, it is the file that is changed.
                    let mut arguments = Map::new();
                    arguments.insert("path".to_owned(), path.clone().into());
                    arguments.insert("content".to_owned(), "".into());
                    calls.push(call("write_file", arguments.into()));
                }
            }
            let was = change.before.as_ref().map_or(0o666, |before| before.mode);
            let gains = after.mode & !was;
            // Who reads a directory is no question, who else writes in it is.
            let counts = if after.kind == Kind::Folder { 0o7022 } else { 0o7133 };
            if after.kind != Kind::Link && gains & counts != 0 {
                let command = format!("chmod {:o} {}", after.mode, quoted(&path));
                calls.push(call("bash", json!({ "command": command })));
            }
        }
        (_, None) => whole = false,
    }
    (calls, whole)
}

/// What a file of the layer holds, as text, and whether that is all of it.
fn content(layer: Option<&Root>, path: &Path, runs: bool) -> (String, bool) {
    let Some(file) = layer.and_then(|layer| layer.file(path).ok()) else {
        return (String::new(), false);
    };
    let mut bytes = Vec::new();
    if file.take(MOST_READ + 1).read_to_end(&mut bytes).is_err() {
        return (String::new(), false);
    }
    // Data that no shell and no reader takes for a text is known by its place alone.
    let is_data = bytes.get(..BEGINNING.min(bytes.len())).is_some_and(|part| part.contains(&0));
    let whole = bytes.len() as u64 <= MOST_READ || is_data && !runs;
    bytes.truncate(usize::try_from(MOST_READ).unwrap_or(usize::MAX));
    (String::from_utf8_lossy(&bytes).into_owned(), whole)
}

/// A word of a shell that means itself.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Judges one change. Nothing is recorded.
///
/// # Errors
/// [`BadCall`] where a call cannot be judged.
pub(super) fn judged(
    session: &Session,
    trial: &Trial,
    (number, change): (usize, &Change),
    layer: Option<&Root>,
    (caller, context): (Option<&ToolCall>, Context),
) -> Result<Judged, BadCall> {
    let (calls, whole) = calls_of(trial, change, layer);
    let mut strictest: Option<session::Judged> = None;
    for mut call in calls {
        if let Some(caller) = caller {
            call.session.clone_from(&caller.session);
            call.agent.clone_from(&caller.agent);
            call.home.clone_from(&caller.home);
        }
        let judged = session.consider(call, context)?;
        let verdict = |one: &session::Judged| one.judgement.decision.verdict;
        if strictest.as_ref().is_none_or(|known| verdict(&judged) > verdict(known)) {
            strictest = Some(judged);
        }
    }
    let Some(judged) = strictest else {
        let reason = "its name is no text, so that nobody can judge it".to_owned();
        return Ok(Judged { number, verdict: Verdict::Ask, reason, judged: None });
    };
    let decision = &judged.judgement.decision;
    let mut verdict = decision.verdict;
    let finding = judged.judgement.assessment.findings.first().map(|one| one.message.clone());
    let mut reason = finding.or_else(|| decision.reasons.first().cloned()).unwrap_or_default();
    if !whole && verdict == Verdict::Allow {
        verdict = Verdict::Ask;
        reason = format!("only the first {MOST_READ} bytes of it were read");
    }
    Ok(Judged { number, verdict, reason, judged: Some(Box::new(judged)) })
}
