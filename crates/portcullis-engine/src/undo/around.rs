//! A snapshot around an action, for whoever runs it or lets it run. Owns that an action is never kept from running by it: where nothing can be
//! kept, that is said.

use std::{collections::HashMap, io, path::Path};

use portcullis_core::{effect::EffectKind, policy::Copy};

use super::{About, Bounds, Scope, Snapshot, Store, scope};
use crate::{
    audit::{self, Entry},
    report::visible,
    session::{self, Judged},
    tree::Kind,
    trial::evidence,
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
    /// What the policy goes by.
    copy: Copy,
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
        Self::over(state, &scope, judged, bounds)
    }

    /// Keeps what lies in a scope, for an action.
    ///
    /// # Errors
    /// Why nothing could be kept.
    pub fn over(
        state: &Path,
        scope: &Scope,
        judged: &Judged,
        bounds: Bounds,
    ) -> io::Result<Option<Self>> {
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
        let snapshot = super::take(&store, scope, bounds, about)?;
        if snapshot.before.is_empty() {
            store.forget(&snapshot)?;
            return Ok(None);
        }
        let copy = copy_of(&snapshot, scope);
        Ok(Some(Self { store, snapshot, copy }))
    }

    /// What the policy goes by.
    #[must_use]
    pub const fn copy(&self) -> Copy {
        self.copy
    }

    /// Tells whoever answers a call what was kept of what it would lose. Where that is all of it, it can be undone.
    pub fn tell(&self, judged: &mut Judged) -> String {
        let Snapshot { id, left_out, beyond, .. } = &self.snapshot;
        let words = if self.copy.makes_up_for(&evidence::subject(judged)) {
            judged.judgement.assessment.reversible = true;
            format!("what it would lose was kept: `portcullis undo {id}` brings all of it back")
        } else {
            let missing = left_out.iter().chain(beyond).next();
            let missing = missing.map_or_else(
                || "what it does beside the files of the workspace".to_owned(),
                |one| visible::line(one).into_owned(),
            );
            format!("`portcullis undo {id}` brings back what was kept of it, but not {missing}")
        };
        judged.judgement.decision.reasons.push(words.clone());
        words
    }

    /// Lets a call go on of which all that it would lose was kept, where the policy says so.
    pub fn settle(&self, judged: &mut Judged) -> bool {
        let subject = evidence::subject(judged);
        let policy = &judged.regime.configuration.policy;
        let settled = policy.settled_by_copy(&subject, &judged.judgement.decision, &self.copy);
        let is_settled = settled.is_some();
        if let Some(decision) = settled {
            judged.judgement.decision = decision;
        }
        is_settled
    }

    /// Notes where the decision on the action stands in the record, which it did not when this was taken.
    ///
    /// # Errors
    /// What the system says.
    pub fn refer_to(&mut self, sequence: Option<u64>) -> io::Result<()> {
        self.snapshot.sequence = sequence;
        self.store.note_soon(&self.snapshot)
    }

    /// Keeps nothing of it: the action does not run.
    pub fn forget(self) {
        // What stays is forgotten with what is old.
        let _ = self.store.forget(&self.snapshot);
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
            let copy = Copy { is_whole: false, goes_beyond: true };
            let _ = Self { store, snapshot, copy }.looked(Bounds::hook());
        }
    }

    /// The action has ended: what it left is noted, and where it lost nothing, nothing is kept. The name is the answer, where something is.
    #[must_use]
    pub fn ended(self) -> Option<String> {
        self.looked(Bounds::usual())
    }

    fn looked(self, bounds: Bounds) -> Option<String> {
        let Self { store, mut snapshot, copy: _ } = self;
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
        if unchanged && store.forget(&snapshot).is_ok() {
            return None;
        }
        Some(snapshot.id)
    }
}

/// What a snapshot makes up for. A file with several names, and a link where something is written, lead to more than it holds.
fn copy_of(snapshot: &Snapshot, scope: &Scope) -> Copy {
    let leads_elsewhere = scope.writes
        && snapshot.before.iter().any(|kept| {
            kept.node.kind == Kind::Link || kept.node.kind == Kind::File && kept.node.names > 1
        });
    let is_kept = |kept: &super::Kept| kept.node.kind != Kind::File || kept.object.is_some();
    Copy {
        is_whole: snapshot.left_out.is_empty() && snapshot.before.iter().all(is_kept),
        goes_beyond: scope.leaves || leads_elsewhere || !scope.beyond.is_empty(),
    }
}
