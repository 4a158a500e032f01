//! Where requests are kept, in general: one trait beside the record's own, so that one transaction holds both. Owns the steps that a store
//! takes and what comes of each; `desk` says what follows from them, and each store keeps the rows. Every store passes the same tests, in
//! `contract`.
//!
//! The trait holds no memory: who wants to be told looks at [`Ledger::stamp`], and everything that counts is stored. A database that several
//! machines share may say by [`Ledger::wait`] that it is worth looking; nobody believes more than what they then read.

use std::{thread, time::Duration};

use jiff::Timestamp;
use portcullis_core::approval::{Refusal, Status};

use super::{
    figures::{Called, Figures},
    inbox::Inbox,
    notice::{Account, Attempt, Link, Notice, Outgoing, Sending},
    request::{Id, Modified, Question, Request},
    ruling::{InForce, Wanted},
    talk::{Talks, Tending},
    token::{Delegation, Person, Token},
};
use crate::audit::{Anchor, AuditError, Body, Entry, Store};

/// How often it is looked whether another process changed a store that tells nobody of it.
const LOOK: Duration = Duration::from_millis(50);

/// The most requests of one page.
pub(super) const PAGE: u32 = 1_000;

/// One thing to be done. Those that are handed over together are done together, in this order, or none of them is.
#[derive(Clone, Debug)]
pub enum Step {
    /// Records an entry.
    Note {
        /// The entry.
        record: Body,
        /// Where the same may be sent twice.
        once: Option<Once>,
    },
    /// Records a decision that asks, and keeps the request.
    Ask {
        /// The request.
        question: Box<Question>,
        /// The decision.
        record: Body,
        /// Where the same may be sent twice.
        once: Option<Once>,
        /// Whether what the same requester asked before about the very same action is taken up, where it waits or was approved and not used.
        resumes: bool,
        /// How many of this requester may wait at once, this one among them.
        most: u32,
    },
    /// A person's word on a request.
    Answer(Box<Reply>),
    /// What somebody does about a request without deciding it.
    Tend(Tending),
    /// Decides a request without a person: `TimedOut`, `Cancelled`, `AutoApproved` or `AutoDenied`.
    Close {
        /// Which.
        id: Id,
        /// What becomes of it.
        status: Status,
        /// By whom.
        by: String,
        /// Why.
        reason: String,
    },
    /// Takes up an approval, once.
    Claim(Claim),
    /// Writes something that means nothing, to see that it can be.
    Pulse,
    /// Closes what nobody decided in time, and forgets what was only kept for those who send twice.
    Sweep,
    /// Puts another approval policy in place, or asks for it where it is looser than what holds.
    Rule(Box<Wanted>),
    /// Ends a looser policy before its time.
    EndLoosened {
        /// The record of it.
        record: Body,
    },
    /// Keeps a token by the hash of its secret.
    Admit {
        /// The token.
        token: Token,
        /// The hash.
        hash: String,
        /// The record of it.
        record: Body,
    },
    /// Notes that a token was made on the gateway's own machine.
    Own {
        /// Which.
        id: Id,
        /// The record of it.
        record: Body,
    },
    /// Ends a token for good.
    Revoke {
        /// Which.
        id: Id,
        /// The record of it.
        record: Body,
    },
    /// Keeps a grant, with the record of the answer that gave it.
    Grant {
        /// What it is known by.
        id: String,
        /// What it says.
        text: String,
        /// When it ends.
        expires: Timestamp,
        /// The record.
        record: Body,
    },
    /// Uses grants up: all of these, or none where one of them is gone.
    Spend(Vec<String>),
    /// Takes a grant back for good.
    TakeBack {
        /// Which.
        id: String,
        /// The record of it.
        record: Body,
    },
    /// Keeps that somebody decides in somebody else's place for a time.
    Delegate {
        /// What is given.
        delegation: Delegation,
        /// The record of it.
        record: Body,
    },
    /// Ends that before its time.
    EndDelegation {
        /// Which.
        id: Id,
        /// The record of it.
        record: Body,
    },
    /// Gives messages that are due to whoever delivers them.
    PickUp {
        /// For which receivers.
        receivers: Vec<String>,
        /// At most so many.
        most: u32,
    },
    /// Keeps what came of an attempt to deliver a message.
    Settle {
        /// The message as it was picked up.
        notice: Box<Notice>,
        /// What came of it.
        came: Attempt,
        /// The record of it, where it is recorded that it was told.
        record: Option<Body>,
    },
    /// Has a message tried again.
    Repeat {
        /// Which.
        id: Id,
        /// The record of it.
        record: Body,
    },
    /// Counts the calls of projects, beside what was counted before.
    Count(Vec<Called>),
    /// Keeps that somebody was shown a code with which they link an account of a chat.
    BeginLink {
        /// The link.
        link: Link,
        /// The hash of the code.
        code: String,
        /// The record of it.
        record: Body,
    },
    /// Uses such a code, once, in the chat.
    Link {
        /// The hash of it.
        code: String,
        /// The account that it was brought from.
        account: Account,
    },
    /// Ends a link.
    EndLink {
        /// Which.
        id: Id,
        /// The record of it.
        record: Body,
    },
    /// Records where every chain ends, where a store has several: each then vouches for the others.
    TieChains,
}

/// A grant as it is kept. What it says, and whether that is believed, is for [`crate::grants`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kept {
    /// What it is known by.
    pub id: String,
    /// What it says.
    pub text: String,
    /// The record of the answer that gave it.
    pub record: u64,
}

/// What tells a repeated call from a new one: a key of the caller's own choice.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Once {
    /// Whose key: the id of the token.
    pub token: Id,
    /// The key.
    pub key: String,
    /// What was sent with it.
    pub digest: String,
    /// What was answered.
    pub answer: String,
    /// Whether it is kept for good, in place of a day.
    pub for_good: bool,
}

impl Once {
    /// A key that nobody can foresee and that is known for good, whoever brings it: what it was brought with is recorded once, however late it is
    /// brought again.
    #[must_use]
    pub const fn for_good(key: String) -> Self {
        Self {
            token: Id::NOBODY,
            key,
            digest: String::new(),
            answer: String::new(),
            for_good: true,
        }
    }
}

/// A person's word on a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Which request.
    pub id: Id,
    /// Who says it.
    pub approver: String,
    /// From where.
    pub origin: String,
    /// Yes or no.
    pub approves: bool,
    /// The hash of the action that they were shown.
    pub action: String,
    /// What they say.
    pub reason: Option<String>,
    /// What shall run in its place, judged already, with the record of that judgement.
    pub modified: Option<(Modified, Entry)>,
    /// By what right they say it, in words, where that is not their own token's.
    pub right: Option<String>,
    /// Whether they count where two people must agree: who they are does not hang on the word of one who could be both.
    pub counts: bool,
}

/// Taking up an approval.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Claim {
    /// Which request.
    pub id: Id,
    /// The hash of what is about to run.
    pub action: String,
    /// Whose token asks: the one that the request came with.
    pub requester: String,
    /// The project that what is about to run belongs to: the one that was asked about.
    pub project: Option<String>,
}

/// Why an approval cannot be taken up.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unclaimable {
    /// It is not approved.
    #[error("it is not approved: {0}")]
    NotApproved(Status),
    /// It was taken up.
    #[error("it was used already, and holds once")]
    Used,
    /// It is about another action.
    #[error("it was given for another action")]
    OtherAction,
    /// The files that the action starts are others by now.
    #[error("what it starts is not what it was when it was asked about")]
    OtherFiles,
    /// It was asked with another token.
    #[error("it was given to somebody else")]
    OtherRequester,
    /// It was asked about in another project.
    #[error("it was given for another project")]
    OtherProject,
    /// It was not taken up in time.
    #[error("it has expired")]
    Expired,
    /// The record does not tell of it: somebody changed the store.
    #[error("the record knows of no such approval")]
    Unrecorded,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// It is recorded, under this number.
    Noted(u64),
    /// It was sent before: what was answered then, and the request where one was made.
    Repeated(String, Option<Id>),
    /// The key was used for something else.
    KeyReused,
    /// As many of this requester wait as may, or as much was said about a request: nothing was kept.
    TooMany,
    /// There is no such request, token or grant.
    Unknown,
    /// The request as it is now, and why the word did not count where it did not.
    Answered(Box<Request>, Option<Refusal>),
    /// The request as it is now, and whether this step decided it.
    Closed(Box<Request>, bool),
    /// It may run now, once.
    Claimed(Box<Request>),
    /// It may not.
    Unclaimable(Unclaimable),
    /// The policy holds, or this request asks for it.
    Ruled(Option<Id>),
    /// It was written.
    Alive,
    /// These were closed.
    Swept(Vec<Id>),
    /// The token or the grant is ended; `false` where it was before.
    Revoked(bool),
    /// Whether the grants were there and are used up now.
    Spent(bool),
    /// These are to be delivered.
    PickedUp(Vec<Notice>),
    /// What has become of a message.
    Settled(Sending),
    /// Whom the account means; nothing where there is no such code, or it was used, or is too old.
    Linked(Option<Link>),
}

/// What came of several steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// What came of each.
    pub done: Vec<Done>,
    /// Where the chain ends now.
    pub head: Anchor,
    /// Whether the record that the caller knew of was still there.
    pub known_holds: bool,
}

/// Which requests are wanted, the newest first; an empty one wants all.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Which {
    /// With this status.
    pub status: Option<Status>,
    /// Of this session.
    pub session: Option<String>,
    /// Asked with this token.
    pub requester: Option<String>,
    /// Of these projects alone, for whom others are none of their business.
    pub within: Option<Vec<String>>,
    /// Asked by a record before this one: for the next page.
    pub before: Option<u64>,
    /// Decided by a record after this one.
    pub decided_after: Option<u64>,
    /// At most so many.
    pub limit: u32,
}

/// A store that also keeps requests, tokens, grants, and messages about requests.
pub trait Ledger: Figures + Inbox + Outgoing + Talks + Store + Send {
    /// Makes what is needed for them where it is missing.
    ///
    /// # Errors
    /// When the store cannot be changed.
    fn prepare(&mut self) -> Result<(), AuditError>;

    /// Takes steps at `now`, all or none, durably and in one transaction that nobody comes between. `known` is a place that the caller
    /// believes to be in the chain.
    ///
    /// # Errors
    /// Nothing was done then.
    fn take(
        &mut self,
        steps: &[Step],
        now: Timestamp,
        known: Option<Anchor>,
    ) -> Result<Taken, AuditError>;

    /// One request.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn request(&mut self, id: Id) -> Result<Option<Request>, AuditError>;

    /// Requests, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn requests(&mut self, which: &Which) -> Result<Vec<Request>, AuditError>;

    /// How many are pending.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn pending(&mut self) -> Result<u64, AuditError>;

    /// Which of these requests are decided, or are not there.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn decided(&mut self, ids: &[Id]) -> Result<Vec<Id>, AuditError>;

    /// What time it is for everybody who shares the store.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn time(&mut self) -> Result<Timestamp, AuditError> {
        Ok(Timestamp::now())
    }

    /// Waits until somebody may have changed the store, and no longer than until it is worth looking all the same.
    fn wait(&mut self) {
        thread::sleep(LOOK);
    }

    /// A number that is another one after somebody else changed the store.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn stamp(&mut self) -> Result<i64, AuditError>;

    /// The token whose secret has this hash.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn token(&mut self, hash: &str) -> Result<Option<Token>, AuditError>;

    /// Every token, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn tokens(&mut self) -> Result<Vec<Token>, AuditError>;

    /// Those who logged in once, the latest first; ten thousand at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn people(&mut self) -> Result<Vec<Person>, AuditError>;

    /// Who decides in whose place at `now`, the latest first; a thousand at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn delegations(&mut self, now: Timestamp) -> Result<Vec<Delegation>, AuditError>;

    /// The approval policies that were put in place and hold at `now`.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn in_force(&mut self, now: Timestamp) -> Result<InForce, AuditError>;

    /// The grants that end after `since`, neither used up nor taken back; the newest thousand, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn grants(&mut self, since: Timestamp) -> Result<Vec<Kept>, AuditError>;
}

/// Every request that is wanted, the newest first, page by page: what a page holds is no bound on what there is.
///
/// # Errors
/// When the store cannot be read.
pub fn every(store: &mut dyn Ledger, which: Which) -> Result<Vec<Request>, AuditError> {
    let mut which = Which { limit: PAGE, ..which };
    let mut all = Vec::new();
    loop {
        let page = store.requests(&which)?;
        let Some(last) = page.last() else { return Ok(all) };
        which.before = Some(last.sequence);
        all.extend(page);
    }
}
