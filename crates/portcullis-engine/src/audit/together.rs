//! Records that are synced together. Owns what may wait for that and what may not: a decision is durable before anybody acts on it, and what became of
//! calls is with the next decision, or soon; other processes see each record at once all the same.

use jiff::Timestamp;

use super::{Anchor, Appended, AuditError, Body, Entry, Kind, Log};

/// What several records have in common until they are synced.
#[derive(Clone, Copy, Default)]
pub(super) struct Unsynced {
    /// The newest of them, where the head may move on to it.
    newest: Option<Anchor>,
    /// Whether there are any.
    any: bool,
    /// Whether one of them has to be durable before somebody acts.
    is_owed: bool,
    /// What the head said before the first of them.
    known: Option<Anchor>,
}

impl Log {
    /// Syncs many records at once from here on: whoever appends says [`Log::settle`] before anybody acts on what was recorded, and [`Log::sync`] soon.
    pub fn sync_together(&mut self) {
        self.unsynced.get_or_insert_default();
    }

    /// Makes durable what nobody may act on before it is: everything but what became of a call, of which the decision tells.
    ///
    /// # Errors
    /// Nobody must act then on what was recorded since.
    pub fn settle(&mut self) -> Result<(), AuditError> {
        if self.unsynced.is_some_and(|unsynced| unsynced.is_owed) { self.sync() } else { Ok(()) }
    }

    /// Makes durable all that was appended.
    ///
    /// # Errors
    /// As [`Log::settle`].
    pub fn sync(&mut self) -> Result<(), AuditError> {
        let Some(unsynced) = self.unsynced.filter(|unsynced| unsynced.any) else { return Ok(()) };
        self.store.sync()?;
        self.unsynced = Some(Unsynced::default());
        if let (Some(head), Some(newest)) = (&self.head, unsynced.newest) {
            // Never before the records are durable: it would be ahead of them after a loss of power.
            let _behind = head.advance(newest);
        }
        Ok(())
    }

    /// Appends an entry that is synced with others.
    pub(super) fn write_at(
        &mut self,
        entry: &Entry,
        time: Timestamp,
    ) -> Result<Appended, AuditError> {
        let before = self.unsynced.unwrap_or_default();
        let known = match &self.head {
            _ if before.any => before.known,
            Some(head) => head.read()?.anchor(),
            None => None,
        };
        let appended = self.store.write(Body::new(entry, time), known)?;
        self.unsynced = Some(Unsynced {
            newest: Some(appended.anchor).filter(|_| appended.known_holds),
            any: true,
            is_owed: before.is_owed || entry.kind != Kind::Outcome,
            known,
        });
        Ok(appended)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::audit::{Filter, HeadFile, head_path};

    fn together(state: &std::path::Path) -> Log {
        let mut log = Log::open(state).unwrap();
        log.sync_together();
        log
    }

    fn head(state: &std::path::Path) -> u64 {
        HeadFile::new(head_path(state)).read().unwrap().anchor().unwrap().sequence
    }

    #[test]
    fn others_see_a_record_at_once_and_the_head_moves_on_when_it_is_durable() {
        let state = tempfile::tempdir().unwrap();
        let mut log = together(state.path());
        for _ in 0..3 {
            log.append(&Entry::new(Kind::Decision)).unwrap();
        }
        let seen = Log::read(state.path()).unwrap().list(&Filter::default()).unwrap();
        assert_eq!((seen.len(), head(state.path())), (3, 0));
        log.settle().unwrap();
        assert_eq!(head(state.path()), 3);
        assert!(log.verify(&[]).unwrap().is_intact());
    }

    #[test]
    fn what_became_of_a_call_waits_for_the_next_decision_or_for_a_sync() {
        let state = tempfile::tempdir().unwrap();
        let mut log = together(state.path());
        log.append(&Entry::new(Kind::Outcome)).unwrap();
        log.settle().unwrap();
        assert_eq!(head(state.path()), 0);
        log.append(&Entry::new(Kind::Decision)).unwrap();
        log.settle().unwrap();
        assert_eq!(head(state.path()), 2);
        log.append(&Entry::new(Kind::Outcome)).unwrap();
        log.sync().unwrap();
        assert_eq!(head(state.path()), 3);
    }

    #[test]
    fn a_record_beside_those_of_another_process_is_one_chain() {
        let state = tempfile::tempdir().unwrap();
        let (mut one, mut other) = (together(state.path()), Log::open(state.path()).unwrap());
        for _ in 0..20 {
            one.append(&Entry::new(Kind::Decision)).unwrap();
            other.append(&Entry::new(Kind::Decision)).unwrap();
            one.settle().unwrap();
        }
        assert_eq!(head(state.path()), 40);
        assert!(other.verify(&[]).unwrap().is_intact());
    }

    #[test]
    fn what_cannot_be_synced_is_an_error() {
        let state = tempfile::tempdir().unwrap();
        let mut log = together(state.path());
        log.append(&Entry::new(Kind::Decision)).unwrap();
        let ahead = state.path().join("audit.db-wal");
        fs::remove_file(&ahead).unwrap();
        fs::create_dir(&ahead).unwrap();
        assert!(log.settle().is_err());
        assert_eq!(head(state.path()), 0);
    }
}
