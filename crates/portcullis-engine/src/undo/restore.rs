//! The whole way of an undo, for whoever wants one: what stands there is kept, what was lost is put back, and the record is told. Owns the order
//! of these, and how a snapshot and an undo are told to a program.

use std::io;

use serde_json::{Value, json};

use super::{
    About, Bounds, Difference, Outcome, Scope, Snapshot, Store, UndoError, VERSION, difference,
    ended, scope::outermost, take, undo,
};
use crate::{audit::Entry, tree::write_name, trial::Places};

/// What the action of an undo begins with.
pub const UNDO: &str = "undo of ";

/// What came of an undo.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Restored {
    /// How many files were brought back.
    pub count: usize,
    /// How many stayed as they are, because they changed after the action.
    pub conflicts: usize,
    /// How many cannot be brought back.
    pub lost: usize,
    /// The snapshot of what stood there before.
    pub kept: Option<String>,
}

/// Brings back what a [`super::difference`] says. What stands there is kept before that, so that this can be undone too.
///
/// # Errors
/// [`UndoError`], and then nothing changed.
pub fn restore(
    store: &Store,
    places: &Places,
    snapshot: &mut Snapshot,
    found: &[Difference],
) -> Result<Restored, UndoError> {
    let is_conflict = |one: &&Difference| matches!(one.what, Outcome::Conflict(_));
    let conflicts = found.iter().filter(is_conflict).count();
    let lost = found.iter().filter(|one| matches!(one.what, Outcome::Lost(_))).count();
    let mut restored = Restored { conflicts, lost, ..Restored::default() };
    if found.len() == conflicts + lost {
        return Ok(restored);
    }
    let mut paths: Vec<_> = found
        .iter()
        .filter(|one| !is_conflict(one) && !one.path.as_os_str().is_empty())
        .map(|one| one.path.clone())
        .collect();
    outermost(&mut paths);
    let history = snapshot.history;
    let scope = Scope { history, ..Scope::new(snapshot.workspace.clone(), paths) };
    let about = About {
        action: format!("{UNDO}{}", snapshot.id),
        sequence: None,
        session: snapshot.session.clone(),
    };
    // What is put back may have been wanted after all.
    let mut kept = match take(store, &scope, Bounds::usual(), about) {
        Ok(kept) => Some(kept),
        // Where the workspace is gone there is nothing that could be lost.
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            let words = format!("what stands there now cannot be kept: {error}");
            return Err(UndoError::System(io::Error::new(error.kind(), words)));
        }
    };
    restored.count = undo(store, places, snapshot, found, &mut || Ok(()))?;
    // Whoever wants to undo the next must know that this one is not done. What is put back stands, whether that can be noted or not.
    if let Ok(rest) = difference(snapshot, &[], false) {
        snapshot.staying = rest.iter().filter(|one| one.is_left()).count();
        let _ = store.note(snapshot);
    }
    if let Some(kept) = &mut kept {
        let _ = ended(store, kept, Bounds::usual());
    }
    restored.kept = kept.map(|kept| kept.id);
    Ok(restored)
}

impl Restored {
    /// What the record is told of it.
    #[must_use]
    pub fn entry(&self, who: impl Into<String>, snapshot: &Snapshot) -> Entry {
        let Self { count, conflicts, lost, kept } = self;
        let kept = kept.as_deref().unwrap_or("none");
        Entry {
            refers_to: snapshot.sequence,
            session: snapshot.session.clone(),
            ..Entry::change(
                who,
                "undone",
                format!(
                    "snapshot {}: {count} files brought back, {conflicts} changed afterwards, {lost} not kept; kept before that as {kept}",
                    snapshot.id
                ),
            )
        }
    }
}

/// A snapshot in a list.
#[must_use]
fn listed(snapshot: &Snapshot) -> Value {
    json!({
        "snapshot": snapshot.id,
        "record": snapshot.sequence,
        "session": snapshot.session,
        "taken": snapshot.taken,
        "action": snapshot.action,
        "workspace": write_name(&snapshot.workspace),
        "scope": snapshot.scope,
        "files": snapshot.before.len(),
        "undone": snapshot.undone,
        "staying": snapshot.staying,
    })
}

/// What would be brought back.
#[must_use]
pub fn shape(snapshot: &Snapshot, found: &[Difference]) -> Value {
    let files: Vec<Value> = found
        .iter()
        .map(|one| {
            let (word, why) = one.what.words();
            json!({ "path": write_name(&one.path), "what": word, "why": why })
        })
        .collect();
    json!({
        "snapshot": snapshot.id,
        "action": snapshot.action,
        "taken": snapshot.taken,
        "record": snapshot.sequence,
        "session": snapshot.session,
        "workspace": write_name(&snapshot.workspace),
        "files": files,
        "not_kept": snapshot.left_out,
        "beyond": snapshot.beyond,
    })
}

/// The list of all of them.
#[must_use]
pub fn list(all: &[Snapshot]) -> Value {
    json!({ "v": VERSION, "snapshots": all.iter().map(listed).collect::<Vec<_>>() })
}

impl Outcome {
    /// The word for it, and why it stays, where it does.
    #[must_use]
    pub fn words(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Restored => ("restored", None),
            Self::Reverted => ("reverted", None),
            Self::Removed => ("removed", None),
            Self::Conflict(why) => ("conflict", Some(why)),
            Self::Lost(why) => ("lost", Some(why)),
        }
    }
}
