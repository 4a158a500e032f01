//! Where calls are judged, many at a time. Owns the sessions that judge and the policy that they judge under while it changes; what is
//! recorded, the clerk is told.

use std::sync::{
    Arc, Mutex, PoisonError, RwLock,
    atomic::{AtomicU64, Ordering},
};

use jiff::Timestamp;
use portcullis_core::policy::{ApprovalPolicy, Confirmation};

use crate::{
    approvals::InForce,
    config::{Configuration, InForce as CentreInForce, Lock, TryingGate},
    session::{Options, Session},
};

/// The most sessions that are kept for the next call.
const KEPT: usize = 64;

/// Sessions that judge and record nothing, made as they are needed.
pub(super) struct Bench {
    /// As the files say, and by what the centre says now.
    configured: RwLock<Configuration>,
    options: RwLock<Options>,
    kept: Mutex<Kept>,
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
            configured: RwLock::new(options.configuration.clone()),
            options: RwLock::new(options),
            kept: Mutex::default(),
            generation: AtomicU64::new(0),
            idle: Mutex::default(),
        }
    }

    /// Does something with a session of its own.
    pub(super) fn with<T>(&self, does: impl FnOnce(&Session) -> T) -> T {
        self.end_what_is_over();
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

    /// What is judged by now, and the number of it.
    pub(super) fn now(&self) -> (u64, Options) {
        self.end_what_is_over();
        // The number first: what is put in place between the two is only taken up once more.
        let generation = self.generation.load(Ordering::Acquire);
        (generation, self.options.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// The same, where it is another than the one of this number.
    pub(super) fn since(&self, known: u64) -> Option<(u64, Options)> {
        self.end_what_is_over();
        (self.generation.load(Ordering::Acquire) != known).then(|| self.now())
    }

    pub(super) fn configuration(&self) -> Configuration {
        self.options.read().unwrap_or_else(PoisonError::into_inner).configuration.clone()
    }

    /// Whether a call that is not understood is tried here. Every call asks that, so that nothing is copied for it.
    pub(super) fn tries(&self) -> bool {
        let options = self.options.read().unwrap_or_else(PoisonError::into_inner);
        options.configuration.trials.at(TryingGate::Gateway)
    }

    /// That another approval policy may be put in place.
    pub(super) fn is_free(&self) -> Result<(), Locked> {
        if self.configuration().is_locked(Lock::Confirmation) { Err(Locked) } else { Ok(()) }
    }

    /// What the configuration says, whatever was put in place since.
    pub(super) fn configured(&self) -> Confirmation {
        self.as_configured().policy.options().confirmation
    }

    /// The policy that was put in place and holds; none where the configuration stands as it is, or nobody else may change it.
    pub(super) fn in_force(&self, holds: &InForce, now: Timestamp) -> Option<ApprovalPolicy> {
        if self.as_configured().is_locked(Lock::Confirmation) {
            return None;
        }
        holds.policy(self.configured(), now)
    }

    /// Judges by what holds from the next call on; gives the policy where it is another one than before.
    pub(super) fn keep_to(&self, holds: &InForce, now: Timestamp) -> Option<Confirmation> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.holds = holds.clone();
        self.judge_by(&mut kept, now)
    }

    /// Judges by what is kept of the centre now from the next call on; gives that where it is another than before.
    pub(super) fn renew(&self, now: Timestamp) -> Option<Arc<CentreInForce>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let renewed = self.as_configured().renewed(now)?;
        let central = renewed.central.clone();
        *self.configured.write().unwrap_or_else(PoisonError::into_inner) = renewed;
        kept.policy = self.in_force(&kept.holds, now);
        self.put_in_place(kept.policy);
        central
    }

    fn as_configured(&self) -> Configuration {
        self.configured.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// When what holds is over, where it ends.
    pub(super) fn until(&self) -> Option<Timestamp> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.until()
    }

    /// Before a call is judged: what is over loosens nothing any more, and nobody is waited for to say so.
    fn end_what_is_over(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.until().is_some_and(|until| until <= Timestamp::now()) {
            kept.holds.loosened = None;
            self.judge_by(&mut kept, Timestamp::now());
        }
    }

    fn judge_by(&self, kept: &mut Kept, now: Timestamp) -> Option<Confirmation> {
        let policy = self.in_force(&kept.holds, now);
        if kept.policy == policy {
            return None;
        }
        kept.policy = policy;
        Some(self.put_in_place(policy))
    }

    fn put_in_place(&self, policy: Option<ApprovalPolicy>) -> Confirmation {
        let configured = self.as_configured();
        let mut options = self.options.write().unwrap_or_else(PoisonError::into_inner);
        options.configuration = match policy {
            Some(policy) => configured.confirming(policy),
            None => configured,
        };
        let confirmation = options.configuration.policy.options().confirmation;
        drop(options);
        self.generation.fetch_add(1, Ordering::AcqRel);
        confirmation
    }
}

/// What the store says of the approval policy, and what is judged by.
#[derive(Default)]
struct Kept {
    holds: InForce,
    policy: Option<ApprovalPolicy>,
}

impl Kept {
    fn until(&self) -> Option<Timestamp> {
        self.holds.loosened.as_ref().map(|loosened| loosened.expires)
    }
}
