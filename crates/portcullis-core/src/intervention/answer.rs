//! Whose answer counts. Owns what an answer must hold, that it is bound to the action as it is now, and that it counts once and in time.

use std::time::Duration;

use serde::Deserialize;

use super::ConfirmationRequest;
use crate::analyze::plain;

/// The longest name of an approver.
const MAX_NAME: usize = 256;

/// An answer. Only `true` and `false` are answers; a text, a number or nothing is none.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The request.
    pub request_id: String,
    /// Its nonce.
    pub nonce: String,
    /// The hash of the action that was shown.
    pub action: String,
    /// Whether it may go on.
    pub confirmed: bool,
    /// Who says so.
    pub responder: String,
}

/// Who may answer.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Approvers {
    /// Anybody but the agent and whom it works for.
    #[default]
    Others,
    /// Whom the agent works for too: on one's own machine one answers for oneself.
    UserToo,
}

/// What came of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Settled {
    /// It may go on.
    Confirmed {
        /// Who said so.
        by: String,
    },
    /// It may not.
    Declined {
        /// Who said so.
        by: String,
    },
    /// There is no answer that counts, which is a no.
    Refused(Refused),
}

impl Settled {
    /// Whether it may go on.
    #[must_use]
    pub const fn is_confirmed(&self) -> bool {
        matches!(self, Self::Confirmed { .. })
    }
}

/// Why an answer does not count.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// None came in time.
    #[error("nobody answered in time")]
    TimedOut,
    /// Whoever was asked is gone.
    #[error("there is nobody left to answer")]
    Closed,
    /// What came is no answer.
    #[error("what came is no answer")]
    Malformed,
    /// It answers another request.
    #[error("it answers another request")]
    OtherRequest,
    /// It does not know this request's nonce.
    #[error("it does not know what only this request says")]
    WrongNonce,
    /// It is about another action: what was shown is not what would run.
    #[error("what would run is not what was shown")]
    OtherAction,
    /// It was answered already.
    #[error("it was answered already")]
    UsedUp,
    /// It names nobody.
    #[error("the answer names nobody")]
    Nameless,
    /// Who asks answers.
    #[error("nobody answers their own request")]
    OwnRequest,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub struct Pending {
    request: ConfirmationRequest,
    approvers: Approvers,
    until: Duration,
    answered: bool,
}

impl Pending {
    /// A request that was shown at `now`, a time since any fixed moment.
    #[must_use]
    pub fn new(request: ConfirmationRequest, approvers: Approvers, now: Duration) -> Self {
        let until = now.saturating_add(Duration::from_secs(request.timeout_seconds));
        Self { request, approvers, until, answered: false }
    }

    /// The request.
    #[must_use]
    pub const fn request(&self) -> &ConfirmationRequest {
        &self.request
    }

    /// How long an answer is still waited for.
    #[must_use]
    pub const fn left(&self, now: Duration) -> Duration {
        self.until.saturating_sub(now)
    }

    /// Settles the request by an answer that came at `now`; `hash` is the one of the action that would run, taken now and not when it was
    /// shown. An answer that does not count leaves the request open to others, except where the action is another.
    pub fn settle(&mut self, answer: &Answer, hash: &str, now: Duration) -> Settled {
        match self.counts(answer, hash, now) {
            Ok(()) => {
                self.answered = true;
                let by = named(&answer.responder);
                if answer.confirmed { Settled::Confirmed { by } } else { Settled::Declined { by } }
            }
            Err(refused) => {
                self.answered |= refused == Refused::OtherAction;
                Settled::Refused(refused)
            }
        }
    }

    fn counts(&self, answer: &Answer, hash: &str, now: Duration) -> Result<(), Refused> {
        let Answer { request_id, nonce, action, confirmed: _, responder } = answer;
        let ConfirmationRequest { context, .. } = &self.request;
        if self.answered {
            return Err(Refused::UsedUp);
        }
        if now >= self.until {
            return Err(Refused::TimedOut);
        }
        if *request_id != self.request.request_id {
            return Err(Refused::OtherRequest);
        }
        if !is_same(nonce.as_bytes(), self.request.nonce.as_bytes()) {
            return Err(Refused::WrongNonce);
        }
        let responder = person_of(responder);
        if responder.is_empty() {
            return Err(Refused::Nameless);
        }
        let is_own = |name: &Option<String>| {
            name.as_deref().is_some_and(|name| person_of(name) == responder)
        };
        let is_user = self.approvers == Approvers::Others && is_own(&context.user_id);
        if is_user || is_own(&context.agent) || is_own(&context.session_id) {
            return Err(Refused::OwnRequest);
        }
        if *action != self.request.action.hash || hash != self.request.action.hash {
            return Err(Refused::OtherAction);
        }
        Ok(())
    }
}

/// A name without what cannot be seen, letters that look like others as those, and not too long.
#[must_use]
pub fn named(name: &str) -> String {
    plain(name).trim().chars().take(MAX_NAME).collect()
}

/// Who a name stands for: `Ops`, ` ops` and its look-alikes are one person. Small letters are looked at once more: some are taken for others
/// whose capitals are not.
#[must_use]
pub fn person_of(name: &str) -> String {
    named(&named(name).to_lowercase()).to_lowercase()
}

/// Compares in the same time wherever they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}
