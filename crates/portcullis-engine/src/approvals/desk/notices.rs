//! Messages about requests, and links of chats, within a transaction. Owns what follows from each attempt, and that a code is used once; the rows are the
//! store's ([`NoticeRows`]).

use jiff::Timestamp;

use super::{Desk, Rows};
use crate::{
    approvals::{
        notice::{
            ATTEMPTS, Account, Attempt, KEPT, LEASE, Link, MOST_WAITING, Notice, PATIENCE, Sending,
            Stage,
        },
        request::{Id, Question},
        store::Done,
    },
    audit::{Body, Entry},
};

/// The rows of messages and links.
pub(in crate::approvals) trait NoticeRows: Rows {
    /// How many messages wait that are due, counted no further than `most`.
    fn notices_waiting(&mut self, now: Timestamp, most: u32) -> Result<u32, Self::Error>;

    /// Keeps a new one.
    fn queue_notice(&mut self, notice: &Notice) -> Result<(), Self::Error>;

    /// One of them, which stays as it is until the transaction ends.
    fn notice(&mut self, id: Id) -> Result<Option<Notice>, Self::Error>;

    /// Those for these receivers that are due, or whose request was decided since they were told of it: the longest due first, and none that somebody else
    /// is at.
    fn due_notices(
        &mut self,
        receivers: &[String],
        now: Timestamp,
        most: u32,
    ) -> Result<Vec<Notice>, Self::Error>;

    /// Keeps what has become of one.
    fn keep_notice(&mut self, notice: &Notice) -> Result<(), Self::Error>;

    /// Gives up what waits since before one time, and forgets what was made before another.
    fn tidy_notices(&mut self, waits: Timestamp, made: Timestamp) -> Result<(), Self::Error>;

    /// Keeps the beginning of a link, with the hash of its code.
    fn begin_link(&mut self, link: &Link, code: &str) -> Result<(), Self::Error>;

    /// The beginning of a link whose code has this hash and was not used, and can be at `now`. It stays as it is until the transaction ends.
    fn begun_link(&mut self, code: &str, now: Timestamp) -> Result<Option<Link>, Self::Error>;

    /// Ends what an account meant before.
    fn end_links_of(&mut self, account: &Account, now: Timestamp) -> Result<(), Self::Error>;

    /// Links an account; an error where the link has one.
    fn link(&mut self, id: Id, account: &Account, now: Timestamp) -> Result<(), Self::Error>;
}

impl<R: NoticeRows> Desk<R> {
    /// Keeps a request, and that some are to be told of it.
    pub(super) fn ask(&mut self, question: &Question, sequence: u64) -> Result<(), R::Error> {
        self.rows.ask(question, sequence, self.now)?;
        if question.tells.is_empty() {
            return Ok(());
        }
        let mut told: Vec<(&str, u32)> = Vec::new();
        let mut waiting = self.rows.notices_waiting(self.now, MOST_WAITING)?;
        for addressee in &question.tells {
            let one = (addressee.name.as_str(), addressee.step);
            if told.contains(&one) {
                continue;
            }
            told.push(one);
            let mut notice = Notice::new(question.id, addressee, self.now);
            if waiting >= MOST_WAITING {
                notice.state = Sending::Dead;
                notice.trouble = Some("as many messages wait as may".to_owned());
            }
            waiting = waiting.saturating_add(u32::from(notice.due <= self.now));
            self.rows.queue_notice(&notice)?;
        }
        Ok(())
    }

    /// Gives messages to whoever delivers them, for as long as one attempt may take.
    pub(super) fn pick_up(&mut self, receivers: &[String], most: u32) -> Result<Done, R::Error> {
        let now = self.now;
        let mut picked = self.rows.due_notices(receivers, now, most)?;
        for notice in &mut picked {
            if notice.state == Sending::Sent {
                notice.stage = Stage::Decided;
                notice.attempts = 0;
            }
            notice.state = Sending::Waiting;
            notice.attempts = notice.attempts.saturating_add(1);
            notice.tried = Some(now);
            notice.due = now.checked_add(LEASE).unwrap_or(now);
            self.rows.keep_notice(notice)?;
        }
        Ok(Done::PickedUp(picked))
    }

    /// Keeps what came of an attempt, where nobody else took the message up meanwhile.
    pub(super) fn settle(
        &mut self,
        tried: &Notice,
        came: &Attempt,
        record: Option<&Body>,
    ) -> Result<Done, R::Error> {
        let Some(mut notice) = self.rows.notice(tried.id)? else { return Ok(Done::Unknown) };
        // A store keeps no time more finely.
        let lease = |notice: &Notice| (notice.stage, notice.attempts, notice.due.as_microsecond());
        let is_it = notice.state == Sending::Waiting && lease(&notice) == lease(tried);
        if !is_it {
            return Ok(Done::Settled(notice.state));
        }
        notice.trouble = None;
        match came {
            Attempt::Taken { receipt } => {
                notice.state = Sending::Sent;
                notice.receipt = receipt.clone().or(notice.receipt);
                if let Some(record) = record {
                    self.rows.record(record.clone())?;
                }
            }
            Attempt::Needless => notice.state = Sending::Needless,
            Attempt::Again { trouble, after } if notice.attempts < ATTEMPTS => {
                notice.trouble = Some(trouble.clone());
                notice.due = notice.again(*after, self.now);
            }
            Attempt::Again { trouble, .. } | Attempt::Refused { trouble } => {
                notice.state = Sending::Dead;
                notice.trouble = Some(trouble.clone());
                let words = format!(
                    "to `{}` about {}, after {} attempts: {trouble}",
                    notice.receiver, notice.request, notice.attempts
                );
                let entry = Entry::change("the gateway", "a message was not delivered", words);
                self.rows.record(Body::new(&entry, self.now))?;
            }
        }
        self.rows.keep_notice(&notice)?;
        Ok(Done::Settled(notice.state))
    }

    /// Has a message tried again that waits for nobody.
    pub(super) fn repeat(&mut self, id: Id, record: &Body) -> Result<Done, R::Error> {
        let Some(mut notice) = self.rows.notice(id)? else { return Ok(Done::Unknown) };
        if notice.state == Sending::Waiting && notice.attempts == 0 {
            return Ok(Done::Settled(notice.state));
        }
        notice.state = Sending::Waiting;
        notice.attempts = 0;
        notice.due = self.now;
        self.rows.keep_notice(&notice)?;
        self.rows.record(record.clone())?;
        Ok(Done::Settled(notice.state))
    }

    pub(super) fn tidy_notices(&mut self) -> Result<(), R::Error> {
        let before = |span| self.now.checked_sub(span).unwrap_or(Timestamp::MIN);
        let (waits, made) = (before(PATIENCE), before(KEPT));
        self.rows.tidy_notices(waits, made)
    }

    /// Links an account to whoever was shown the code.
    pub(super) fn link(&mut self, code: &str, account: &Account) -> Result<Done, R::Error> {
        let Some(begun) = self.rows.begun_link(code, self.now)? else {
            return Ok(Done::Linked(None));
        };
        self.rows.end_links_of(account, self.now)?;
        self.rows.link(begun.id, account, self.now)?;
        let words = format!("the user {} of the workspace {}", account.user, account.team);
        let entry = Entry::change(&begun.name, "linked an account of a chat", words);
        self.rows.record(Body::new(&entry, self.now))?;
        let linked = Some(self.now);
        Ok(Done::Linked(Some(Link { account: Some(account.clone()), linked, ..begun })))
    }
}
