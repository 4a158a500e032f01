//! Where calls are judged, many at a time. Owns the sessions that judge and the policy that they judge under while it changes; what is
//! recorded, the clerk is told.

use std::sync::{
    Mutex, PoisonError, RwLock,
    atomic::{AtomicU64, Ordering},
};

use portcullis_core::policy::ApprovalPolicy;

use crate::{
    config::{Configuration, Lock},
    session::{Options, Session},
};

/// The most sessions that are kept for the next call.
const KEPT: usize = 64;

/// Sessions that judge and record nothing, made as they are needed.
pub(super) struct Bench {
    options: RwLock<Options>,
    /// Which policy a session was made under.
    generation: AtomicU64,
    idle: Mutex<Vec<(u64, Box<Session>)>>,
}

/// Why a policy cannot be put in place.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the managed configuration locks `confirmation`")]
pub(super) struct Locked;

impl Bench {
    pub(super) fn new(options: Options) -> Self {
        Self {
            options: RwLock::new(options),
            generation: AtomicU64::new(0),
            idle: Mutex::default(),
        }
    }

    /// Does something with a session of its own.
    pub(super) fn with<T>(&self, does: impl FnOnce(&Session) -> T) -> T {
        let generation = self.generation.load(Ordering::Acquire);
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                match idle.pop() {
                    Some((made, session)) if made == generation => break Some(session),
                    Some(_) => {}
                    None => break None,
                }
            }
        };
        let session = idle.unwrap_or_else(|| Box::new(self.open()));
        let done = does(&session);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push((generation, session));
        }
        done
    }

    fn open(&self) -> Session {
        let options = self.options.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut session = Session::open(options);
        // The gateway records what it judged by itself, with others together.
        session.record_nothing();
        session
    }

    pub(super) fn configuration(&self) -> Configuration {
        self.options.read().unwrap_or_else(PoisonError::into_inner).configuration.clone()
    }

    /// That another approval policy may be put in place.
    pub(super) fn is_free(&self) -> Result<(), Locked> {
        if self.configuration().is_locked(Lock::Confirmation) { Err(Locked) } else { Ok(()) }
    }

    /// Judges under another approval policy from the next call on.
    pub(super) fn confirm_by(&self, policy: ApprovalPolicy) -> Result<(), Locked> {
        let mut options = self.options.write().unwrap_or_else(PoisonError::into_inner);
        if options.configuration.is_locked(Lock::Confirmation) {
            return Err(Locked);
        }
        options.configuration = options.configuration.confirming(policy);
        drop(options);
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }
}
