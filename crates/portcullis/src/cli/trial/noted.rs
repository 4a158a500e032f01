//! The hosts that a trial wants, noted beside the record. Owns that none is connected to where nobody else hears of it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use portcullis_net::proxy::{Attempt, Witness};

use crate::trial::Wanted;

/// The hosts that were wanted.
#[derive(Clone, Default)]
pub(super) struct Noted(Arc<Mutex<BTreeMap<String, Option<String>>>>);

/// The most hosts that are noted.
const MOST_HOSTS: usize = 1_000;

impl Noted {
    pub(super) fn taken(&self) -> Vec<Wanted> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted
            .iter()
            .map(|(target, refused)| Wanted { target: target.clone(), refused: refused.clone() })
            .collect()
    }
}

/// Notes every attempt. Where nobody else hears of it, it is refused.
pub(super) struct Noting {
    notes: Noted,
    inner: Option<Box<dyn Witness>>,
}

impl Noting {
    /// Refuses whatever it notes.
    pub(super) fn alone(notes: &Noted) -> Self {
        Self { notes: notes.clone(), inner: None }
    }

    /// Leaves it to somebody else, who keeps the record.
    pub(super) fn beside(notes: &Noted, inner: Box<dyn Witness>) -> Self {
        Self { notes: notes.clone(), inner: Some(inner) }
    }
}

impl Witness for Noting {
    fn decided(&mut self, attempt: &Attempt) -> Result<u64, String> {
        let refused = match &self.inner {
            Some(_) => attempt.refusal.clone(),
            None => Some("the trial only notes what is wanted".to_owned()),
        };
        {
            let mut noted = self.notes.0.lock().unwrap_or_else(PoisonError::into_inner);
            if noted.len() < MOST_HOSTS {
                noted.insert(format!("{} {}", attempt.method, attempt.target), refused);
            }
        }
        match &mut self.inner {
            Some(inner) => inner.decided(attempt),
            None => Err("this is a trial, and hosts are only noted".to_owned()),
        }
    }

    fn ended(&mut self, number: u64, sent: u64, received: u64, how: &str) {
        if let Some(inner) = &mut self.inner {
            inner.ended(number, sent, received, how);
        }
    }
}
