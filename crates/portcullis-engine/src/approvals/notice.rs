//! Messages about requests on their way to chats, webhooks and mailboxes, and the accounts of a chat that mean somebody. Owns what is kept of each, and how
//! long it is tried; what a message says, and who carries it, the gateway knows. No secret and no text of a request is kept here: a message is written from
//! the request as it is when it is sent.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{
    request::{Addressee, Id},
    token::Token,
};
use crate::audit::AuditError;

/// How often it is tried to deliver a message.
pub const ATTEMPTS: u32 = 10;

/// The pause before the second attempt; each further one is twice as long, up to the longest.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_secs(300);

/// How long one attempt may take: after that another gateway takes the message up.
pub(super) const LEASE: SignedDuration = SignedDuration::from_secs(60);

/// The most messages that wait at once. What comes then is kept as undelivered.
pub const MOST_WAITING: u32 = 10_000;

/// How long somebody may take to deliver what waits, and how long it is kept what became of it: longer than any request waits.
pub(super) const PATIENCE: SignedDuration = SignedDuration::from_hours(24);
pub(super) const KEPT: SignedDuration = SignedDuration::from_hours(31 * 24);

/// The most messages of one page, and the most links.
pub const PAGE: u32 = 500;

/// What a receiver is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stage {
    /// That somebody asks.
    Asked,
    /// What became of it.
    Decided,
}

/// What has become of a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Sending {
    /// It is to be delivered.
    Waiting,
    /// It was delivered.
    Sent,
    /// There was nothing to say any more.
    Needless,
    /// Nobody took it, and nobody tries it again by themselves.
    Dead,
}

impl Stage {
    /// Every stage.
    pub const ALL: [Self; 2] = [Self::Asked, Self::Decided];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Decided => "decided",
        }
    }

    pub(super) fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == word)
    }
}

impl Sending {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Sent, Self::Needless, Self::Dead];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Needless => "needless",
            Self::Dead => "dead",
        }
    }

    /// The one of a word.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == word)
    }
}

/// A message about a request, for one receiver.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Notice {
    /// What it is known by, also to whoever gets it: the same for every attempt.
    pub id: Id,
    /// For whom: the name of the receiver in the configuration.
    pub receiver: String,
    /// About which request.
    pub request: Id,
    /// Whether it is written anew once the request is decided.
    pub rewrites: bool,
    /// What it says.
    pub stage: Stage,
    /// What has become of it.
    pub state: Sending,
    /// How often it was tried.
    pub attempts: u32,
    /// When it came to be.
    pub made: Timestamp,
    /// When it is tried next; while somebody tries it, when somebody else may.
    pub due: Timestamp,
    /// When it was tried last.
    pub tried: Option<Timestamp>,
    /// Why it was not delivered then.
    pub trouble: Option<String>,
    /// What the receiver calls it, where it is to be written anew.
    pub receipt: Option<String>,
}

impl Notice {
    /// A word to somebody about a request, at once or once it has waited.
    pub(super) fn new(request: Id, addressee: &Addressee, now: Timestamp) -> Self {
        let Addressee { name, rewrites, after, step } = addressee;
        let due =
            SignedDuration::try_from(*after).ok().and_then(|after| now.checked_add(after).ok());
        Self {
            id: Self::id_of(request, name, *step),
            receiver: name.clone(),
            request,
            rewrites: *rewrites,
            stage: Stage::Asked,
            state: Sending::Waiting,
            attempts: 0,
            made: now,
            due: due.unwrap_or(Timestamp::MAX),
            tried: None,
            trouble: None,
            receipt: None,
        }
    }

    /// What the word to a receiver is known by that was told so often before. No name of a receiver has a space in it.
    fn id_of(request: Id, name: &str, step: u32) -> Id {
        match step {
            0 => Id::named(&format!("{request} {name}")),
            step => Id::named(&format!("{request} {name} {step}")),
        }
    }

    /// Whether its receiver was told of the request before.
    #[must_use]
    pub fn is_again(&self) -> bool {
        self.id != Self::id_of(self.request, &self.receiver, 0)
    }

    /// When it is tried again, after what went wrong just now.
    pub(super) fn again(&self, wanted: Option<Duration>, now: Timestamp) -> Timestamp {
        let doublings = self.attempts.saturating_sub(1).min(16);
        let pause = PAUSE.saturating_mul(1_i32.wrapping_shl(doublings)).min(LONGEST_PAUSE);
        let wanted = wanted.and_then(|wanted| SignedDuration::try_from(wanted).ok());
        let pause = wanted.map_or(pause, |wanted| wanted.clamp(pause, LONGEST_PAUSE));
        now.checked_add(pause).unwrap_or(now)
    }
}

/// What came of an attempt.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Attempt {
    /// The receiver took it.
    Taken {
        /// What it calls it there.
        receipt: Option<String>,
    },
    /// There was nothing to say any more.
    Needless,
    /// It may go well another time.
    Again {
        /// Why it did not.
        trouble: String,
        /// How long the receiver wants to be left alone.
        after: Option<Duration>,
    },
    /// It would not go well another time.
    Refused {
        /// Why.
        trouble: String,
    },
}

/// An account of a chat.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Account {
    /// Where it is: the id of a workspace.
    pub team: String,
    /// Whose it is there: the id of a user.
    pub user: String,
}

/// That an account of a chat means somebody. It begins as a code that they were shown while they were logged in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Link {
    /// What it is known by.
    pub id: Id,
    /// Whom it means: the name under which they decide.
    pub name: String,
    /// Until when its code can be used.
    pub expires: Timestamp,
    /// The account, once its code was used there.
    pub account: Option<Account>,
    /// When that was.
    pub linked: Option<Timestamp>,
    /// When it was ended.
    pub ended: Option<Timestamp>,
}

/// What a store tells of messages and links.
pub trait Outgoing {
    /// Messages in a state, or all, the newest first; at most a page of them. Of requests of these projects alone, for whom others are none of their
    /// business.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn notices(
        &mut self,
        state: Option<Sending>,
        within: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<Notice>, AuditError>;

    /// The messages about one request, in the order in which they were tried last or will be; a page of them at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn notices_of(&mut self, request: Id) -> Result<Vec<Notice>, AuditError>;

    /// When something is to be done for one of these receivers, the earliest time; nothing where all is said.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn next_notice(
        &mut self,
        receivers: &[String],
        now: Timestamp,
    ) -> Result<Option<Timestamp>, AuditError>;

    /// Whom an account means.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn link_of(&mut self, account: &Account) -> Result<Option<Link>, AuditError>;

    /// Every link that holds, the newest first; a page at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn links(&mut self) -> Result<Vec<Link>, AuditError>;

    /// The tokens and log-ins of one name, the newest first; a hundred at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn tokens_of(&mut self, name: &str) -> Result<Vec<Token>, AuditError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_to_a_receiver_has_a_name_of_its_own() {
        let notice = |step| {
            let after = Duration::from_secs(600);
            let addressee = Addressee { name: "ops".to_owned(), rewrites: true, after, step };
            Notice::new(Id::named("r"), &addressee, Timestamp::UNIX_EPOCH)
        };
        let all = [notice(0), notice(1), notice(2)];
        assert_eq!(all.each_ref().map(Notice::is_again), [false, true, true]);
        assert!(all[0].id != all[1].id && all[1].id != all[2].id);
        assert_eq!((all[1].due.as_second(), all[1].made.as_second()), (600, 0));
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        let now = Timestamp::UNIX_EPOCH;
        let addressee =
            Addressee { name: "ops".to_owned(), rewrites: true, after: Duration::ZERO, step: 0 };
        let notice = Notice::new(Id::named("r"), &addressee, now);
        let after = |attempts, wanted: Option<u64>| {
            let notice = Notice { attempts, ..notice.clone() };
            let wanted = wanted.map(Duration::from_secs);
            notice.again(wanted, now).duration_since(now).as_secs()
        };
        let plain: Vec<i64> = (1..=ATTEMPTS).map(|attempt| after(attempt, None)).collect();
        assert_eq!(plain, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
        assert_eq!(after(u32::MAX, None), 300);
        assert_eq!((after(1, Some(30)), after(1, Some(u64::MAX)), after(5, Some(0))), (30, 1, 16));
    }
}
