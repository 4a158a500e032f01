//! A snapshot around an action, for whoever runs it or lets it run. Owns that an action is never kept from running by it: where nothing can be
//! kept, that is said.

use std::{collections::HashMap, io, path::Path};

use portcullis_core::effect::EffectKind;

use super::{About, Bounds, Snapshot, Store, scope};
use crate::{
    audit::{self, Entry},
    session::{self, Judged},
    tree::Kind,
};

/// Which actions a snapshot is taken before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Before {
    /// Everything that changes or deletes a file that is there.
    Changes,
    /// What deletes or discards files, or cannot be undone by its assessment.
    Losses,
}

/// A snapshot that was taken.
pub struct Around {
    store: Store,
    snapshot: Snapshot,
}

impl Around {
    /// Keeps what an action would lose, below a state directory. Nothing is done for one that loses nothing.
    ///
    /// # Errors
    /// Why nothing could be kept.
    pub fn taken(
        state: Option<&Path>,
        judged: &Judged,
        before: Before,
        bounds: Bounds,
    ) -> io::Result<Option<Self>> {
        let Some(state) = state else { return Ok(None) };
        let loses = || {
            let mut effects = judged.judgement.effects.list.iter();
            let is_gone = |kind: &EffectKind| {
                matches!(kind, EffectKind::Delete { .. } | EffectKind::Discard { .. })
            };
            !judged.judgement.assessment.reversible || effects.any(|effect| is_gone(&effect.kind))
        };
        if before == Before::Losses && !loses() {
            return Ok(None);
        }
        let Some(scope) = scope::of(judged) else { return Ok(None) };
        // What we keep ourselves is no part of it.
        if state.starts_with(&scope.workspace) {
            return Ok(None);
        }
        let store = Store::open(state)?;
        let about = About {
            action: session::preview(&judged.action),
            sequence: judged.sequence,
            session: judged.action.call.session.clone(),
        };
        let snapshot = super::take(&store, &scope, bounds, about)?;
        if snapshot.before.is_empty() {
            store.forget(&snapshot.id)?;
            return Ok(None);
        }
        Ok(Some(Self { store, snapshot }))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.snapshot.id
    }

    /// What the record is told when it was taken.
    #[must_use]
    pub fn entry(&self) -> Entry {
        let Snapshot { id, before, left_out, sequence, session, .. } = &self.snapshot;
        let left_out = match left_out.first() {
            None => String::new(),
            Some(first) => format!("; not kept: {first}"),
        };
        Entry {
            refers_to: *sequence,
            session: session.clone(),
            outcome: Some("kept".to_owned()),
            reason: Some(format!("snapshot {id} of {} files{left_out}", before.len())),
            ..Entry::new(audit::Kind::Change)
        }
    }

    /// What the record is told where nothing could be kept.
    #[must_use]
    pub fn failed(judged: &Judged, error: &io::Error) -> Entry {
        Entry {
            refers_to: judged.sequence,
            session: judged.action.call.session.clone(),
            outcome: Some("not kept".to_owned()),
            reason: Some(format!("what it loses cannot be brought back: {error}")),
            ..Entry::new(audit::Kind::Change)
        }
    }

    /// Leaves a note for the process that hears of the end of the action, which is known by its hash.
    ///
    /// # Errors
    /// What the system says. Then nobody looks at the end.
    pub fn leave_open(&self, action: &str) -> io::Result<()> {
        self.store.mark(action, &self.snapshot.id)
    }

    /// Looks what an action left before which a snapshot was taken, where one was and a note of it is there.
    pub fn close(state: &Path, action: &str) {
        let Some(id) = Store::marked(state, action) else { return };
        let Ok(store) = Store::open(state) else { return };
        if let Ok(snapshot) = store.read(&id) {
            // As long as a hook may take.
            let _ = Self { store, snapshot }.looked(Bounds::hook());
        }
    }

    /// The action has ended: what it left is noted, and where it lost nothing, nothing is kept. The name is the answer, where something is.
    #[must_use]
    pub fn ended(self) -> Option<String> {
        self.looked(Bounds::usual())
    }

    fn looked(self, bounds: Bounds) -> Option<String> {
        let Self { store, mut snapshot } = self;
        // What cannot be noted leaves a snapshot that knows of no end, which is stricter.
        let _ = super::ended(&store, &mut snapshot, bounds);
        let same = |one: &super::Kept, other: &super::Kept| {
            let is_folder = one.node.kind == Kind::Folder;
            one.node.is_like(&other.node) && (is_folder || one.node.modified == other.node.modified)
        };
        // What was only made is no loss.
        let unchanged = snapshot.after.as_ref().is_some_and(|after| {
            let after: HashMap<_, _> = after.iter().map(|kept| (&kept.path, kept)).collect();
            let mut before = snapshot.before.iter();
            before.all(|one| after.get(&one.path).is_some_and(|other| same(one, other)))
        });
        if unchanged && store.forget(&snapshot.id).is_ok() {
            return None;
        }
        Some(snapshot.id)
    }
}
