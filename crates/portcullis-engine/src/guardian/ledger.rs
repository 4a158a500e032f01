//! What each session has spent and been denied. Owns that no number of session names makes it grow without end, and that none begins
//! anew by another name.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use portcullis_core::guardian::{Approvals, Breaker, Usage};

/// How many sessions have an account of their own. All further ones share one.
const SESSIONS: usize = 256;

/// The account of a session.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) usage: Usage,
    pub(super) breaker: Breaker,
}

/// The accounts of a process.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    inner: Mutex<Books>,
}

#[derive(Debug, Default)]
pub(super) struct Books {
    accounts: HashMap<String, Account>,
    shared: Account,
    pub(super) approvals: Approvals,
}

impl Ledger {
    pub(super) fn open(&self) -> MutexGuard<'_, Books> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    /// The account of a session; calls without one share theirs with those that are too many.
    pub(super) fn account(&mut self, session: Option<&str>) -> &mut Account {
        let Some(session) = session else { return &mut self.shared };
        if !self.accounts.contains_key(session) && self.accounts.len() >= SESSIONS {
            return &mut self.shared;
        }
        self.accounts.entry(session.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_names_make_no_thousand_accounts() {
        let ledger = Ledger::default();
        for number in 0..1_000 {
            ledger.open().account(Some(&number.to_string())).breaker.count(true);
        }
        let mut books = ledger.open();
        assert_eq!(books.accounts.len(), SESSIONS);
        assert!(books.account(Some("another")).breaker.is_open());
        assert!(!books.account(Some("0")).breaker.is_open());
    }
}
