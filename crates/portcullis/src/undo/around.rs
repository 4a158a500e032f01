//! A snapshot around an action, for whoever runs it or lets it run. Owns that an action is never kept from running by it: where nothing can be
//! kept, that is said.

use std::{io, path::Path};

use super::{About, Bounds, Snapshot, Store, scope};
use crate::{
    audit::{Entry, Kind},
    session::{self, Judged},
};

/// Which actions a snapshot is taken before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Before {
    /// Everything that changes or deletes a file that is there.
    Changes,
    /// What its assessment says cannot be undone.
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
        if before == Before::Losses && judged.judgement.assessment.reversible {
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
            ..Entry::new(Kind::Change)
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
            ..Entry::new(Kind::Change)
        }
    }

    /// The action has ended: what it left is noted, and where it changed nothing, nothing is kept. The name is the answer, where something is.
    #[must_use]
    pub fn ended(self) -> Option<String> {
        let Self { store, mut snapshot } = self;
        // What cannot be noted leaves a snapshot that knows of no end, which is stricter.
        let _ = super::ended(&store, &mut snapshot);
        let same = |one: &super::Kept, other: &super::Kept| {
            one.path == other.path
                && one.node.is_like(&other.node)
                && one.node.modified == other.node.modified
        };
        let unchanged = snapshot.after.as_ref().is_some_and(|after| {
            after.len() == snapshot.before.len()
                && after.iter().zip(&snapshot.before).all(|(one, other)| same(one, other))
        });
        if unchanged && store.forget(&snapshot.id).is_ok() {
            return None;
        }
        Some(snapshot.id)
    }
}
