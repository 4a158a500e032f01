//! The steps, taken. Owns what follows from each of them and in which order it is kept and recorded, once for all stores: a store gives its rows
//! ([`Rows`]) within a transaction, and knows nothing of what they mean.

mod figures;
mod notices;
mod policies;
mod talk;

pub(super) use self::{figures::FigureRows, notices::NoticeRows, talk::TalkRows};
use jiff::{SignedDuration, Timestamp};
use portcullis_core::approval::{self, Refusal, Ruling, Said, Status};

use super::{
    request::{Id, Modified, Question, Request, since_epoch},
    ruling::InForce,
    store::{Claim, Done, Once, Reply, Step, Unclaimable},
    token::{Delegation, Token},
};
use crate::audit::{Body, Entry, Kind, TREE_HEAD, digest_of_ends};

/// How long it is kept what was answered to a call that may be sent again.
const REPEATABLE: SignedDuration = SignedDuration::from_hours(24);

/// The most requests that one step closes; the next closes more.
const SWEPT: u32 = 1_000;

/// What was answered to a key before.
pub(super) struct Answered {
    pub(super) digest: String,
    pub(super) answer: String,
    pub(super) approval: Option<Id>,
}

/// What becomes of a request, by whom.
pub(super) struct Decision<'a> {
    pub(super) status: Status,
    pub(super) by: &'a str,
    pub(super) origin: &'a str,
    pub(super) reason: Option<&'a str>,
    /// By what right, where that is not their own token's.
    pub(super) right: Option<&'a str>,
    pub(super) modified: Option<&'a Modified>,
}

/// What can be ended for good.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Ends {
    Token,
    Grant,
    Delegation,
    Link,
}

/// A policy that was wanted, as it is kept.
pub(super) struct PolicyRow<'a> {
    /// Its own record.
    pub(super) record: u64,
    pub(super) policy: &'a str,
    pub(super) by: &'a str,
    /// The request that has to be approved first.
    pub(super) asks: Option<u64>,
    /// How long it is to hold once it is agreed to, in microseconds.
    pub(super) lasts: Option<i64>,
    /// Whether no configuration is loosened by it, so that it has no end.
    pub(super) returns: bool,
    pub(super) alone: bool,
    pub(super) since: Option<Timestamp>,
    pub(super) expires: Option<Timestamp>,
}

/// A policy that a request asks for.
pub(super) struct AskedPolicy {
    pub(super) record: u64,
    pub(super) policy: String,
    pub(super) lasts: Option<i64>,
    pub(super) returns: bool,
    pub(super) alone: bool,
}

/// The rows of a store within one transaction. Where others write at the same time, what [`Rows::request`] gives stays as it is until the
/// transaction ends; and what is decided, used or ended changes by a statement that only an open row passes.
pub(super) trait Rows {
    /// Why a row cannot be read or written: nothing of the transaction holds then.
    type Error;

    /// Records something; gives its number.
    fn record(&mut self, body: Body) -> Result<u64, Self::Error>;

    fn answered(&mut self, token: Id, key: &str) -> Result<Option<Answered>, Self::Error>;

    fn keep_answer(
        &mut self,
        once: &Once,
        approval: Option<Id>,
        now: Timestamp,
    ) -> Result<(), Self::Error>;

    fn forget_answers(&mut self, before: Timestamp) -> Result<(), Self::Error>;

    fn request(&mut self, id: Id) -> Result<Option<Request>, Self::Error>;

    fn ask(
        &mut self,
        question: &Question,
        sequence: u64,
        now: Timestamp,
    ) -> Result<(), Self::Error>;

    /// The latest requests of the same requester, agent and session about the very same action that still wait, or that are approved and can
    /// be taken up; the newest first.
    fn unused(&mut self, question: &Question, now: Timestamp) -> Result<Vec<Id>, Self::Error>;

    /// How many requests of somebody wait, counted no further than `most`.
    fn waiting(&mut self, requester: &str, most: u32) -> Result<u32, Self::Error>;

    /// Keeps that somebody agreed: who, and from where.
    fn vote(
        &mut self,
        sequence: u64,
        said: (&str, &str),
        now: Timestamp,
    ) -> Result<(), Self::Error>;

    /// Decides what is pending; an error where it is not.
    fn decide(
        &mut self,
        sequence: u64,
        decision: &Decision<'_>,
        answer: u64,
        now: Timestamp,
    ) -> Result<(), Self::Error>;

    /// Uses up what nobody used; an error where somebody did.
    fn claim(&mut self, sequence: u64, now: Timestamp) -> Result<(), Self::Error>;

    /// Whether the record tells of the decision that the request claims: a row that somebody changed is not believed.
    fn is_recorded(&mut self, request: &Request) -> Result<bool, Self::Error>;

    /// The requests that nobody decided in time, the oldest first, and none that somebody else is closing.
    fn over(&mut self, now: Timestamp, most: u32) -> Result<Vec<Request>, Self::Error>;

    fn pulse(&mut self, now: Timestamp) -> Result<(), Self::Error>;

    fn admit(&mut self, token: &Token, hash: &str) -> Result<(), Self::Error>;

    fn own(&mut self, id: Id) -> Result<(), Self::Error>;

    /// Keeps that somebody decides in somebody else's place: the number of its record, and what is given.
    fn delegate(&mut self, sequence: u64, delegation: &Delegation) -> Result<(), Self::Error>;

    /// Whether something held and is ended now; nothing where it is not there.
    fn end(&mut self, what: Ends, id: &str, now: Timestamp) -> Result<Option<bool>, Self::Error>;

    /// Keeps a grant: what it is known by, and what it says.
    fn grant(
        &mut self,
        sequence: u64,
        grant: (&str, &str),
        expires: Timestamp,
    ) -> Result<(), Self::Error>;

    /// Whether all of these held, and are used up now.
    fn spend(&mut self, ids: &[String], now: Timestamp) -> Result<bool, Self::Error>;

    /// What holds now.
    fn in_force(&mut self, now: Timestamp) -> Result<InForce, Self::Error>;

    fn keep_policy(&mut self, row: &PolicyRow<'_>) -> Result<(), Self::Error>;

    fn asked_policy(&mut self, sequence: u64) -> Result<Option<AskedPolicy>, Self::Error>;

    fn begin_policy(
        &mut self,
        record: u64,
        since: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), Self::Error>;

    /// The policies whose time is over and that were not ended; none where another gateway is at it.
    fn policies_over(&mut self, now: Timestamp) -> Result<Vec<(u64, String)>, Self::Error>;

    fn end_policy(&mut self, record: u64, now: Timestamp) -> Result<(), Self::Error>;

    /// Ends every looser policy but one.
    fn end_loosened(&mut self, but: Option<u64>, now: Timestamp) -> Result<(), Self::Error>;

    /// Where each chain of records ends, a line each; nothing where there is one chain only, or nothing came since the last time.
    fn ends_of_chains(&mut self) -> Result<Option<String>, Self::Error>;

    fn keep_ends(&mut self, sequence: u64, text: &str) -> Result<(), Self::Error>;
}

/// One transaction.
pub(super) struct Desk<R> {
    pub(super) rows: R,
    pub(super) now: Timestamp,
}

impl<R: FigureRows + NoticeRows + TalkRows> Desk<R> {
    pub(super) fn step(&mut self, step: &Step) -> Result<Done, R::Error> {
        let now = self.now;
        match step {
            Step::Note { record, once } => {
                if let Some(done) = self.repeated(once.as_ref())? {
                    return Ok(done);
                }
                let sequence = self.rows.record(record.clone())?;
                self.keep(once.as_ref(), None)?;
                Ok(Done::Noted(sequence))
            }
            Step::Ask { question, record, once, resumes, most } => {
                if let Some(done) = self.repeated(once.as_ref())? {
                    return Ok(done);
                }
                if *resumes && let Some(id) = self.unused(question)? {
                    self.rows.record(record.clone())?;
                    return Ok(Done::Repeated(String::new(), Some(id)));
                }
                if self.rows.waiting(&question.requester, *most)? >= *most {
                    return Ok(Done::TooMany);
                }
                let sequence = self.rows.record(record.clone())?;
                self.ask(question, sequence)?;
                self.keep(once.as_ref(), Some(question.id))?;
                Ok(Done::Noted(sequence))
            }
            Step::Answer(reply) => self.answer(reply),
            Step::Tend(tending) => self.tend(tending),
            Step::Close { id, status, by, reason } => {
                let Some(request) = self.rows.request(*id)? else { return Ok(Done::Unknown) };
                if request.status != Status::Pending {
                    return Ok(Done::Closed(Box::new(request), false));
                }
                let decided = Decision {
                    status: *status,
                    by,
                    origin: "gate",
                    reason: Some(reason),
                    right: None,
                    modified: None,
                };
                Ok(Done::Closed(Box::new(self.decide(request, &decided)?), true))
            }
            Step::Claim(claim) => self.claim(claim),
            Step::Pulse => {
                self.rows.pulse(now)?;
                Ok(Done::Alive)
            }
            Step::Sweep => {
                self.end_policies()?;
                self.sweep()
            }
            Step::Rule(wanted) => self.rule(wanted),
            Step::EndLoosened { record } => self.end_early(record),
            Step::Admit { token, hash, record } => {
                self.rows.admit(token, hash)?;
                if token.made_here {
                    self.rows.own(token.id)?;
                }
                self.rows.record(record.clone()).map(Done::Noted)
            }
            Step::Own { id, record } => {
                self.rows.own(*id)?;
                self.rows.record(record.clone()).map(Done::Noted)
            }
            Step::Delegate { delegation, record } => {
                let sequence = self.rows.record(record.clone())?;
                self.rows.delegate(sequence, delegation)?;
                Ok(Done::Noted(sequence))
            }
            Step::EndDelegation { id, record } => {
                self.end(Ends::Delegation, &id.to_string(), record)
            }
            Step::Revoke { id, record } => self.end(Ends::Token, &id.to_string(), record),
            Step::Grant { id, text, expires, record } => {
                let sequence = self.rows.record(record.clone())?;
                self.rows.grant(sequence, (id, text), *expires)?;
                Ok(Done::Noted(sequence))
            }
            Step::Spend(ids) => self.rows.spend(ids, now).map(Done::Spent),
            Step::TakeBack { id, record } => self.end(Ends::Grant, id, record),
            Step::PickUp { receivers, most } => self.pick_up(receivers, *most),
            Step::Settle { notice, came, record } => self.settle(notice, came, record.as_ref()),
            Step::Repeat { id, record } => self.repeat(*id, record),
            Step::Count(called) => self.count(called),
            Step::BeginLink { link, code, record } => {
                self.rows.begin_link(link, code)?;
                self.rows.record(record.clone()).map(Done::Noted)
            }
            Step::Link { code, account } => self.link(code, account),
            Step::EndLink { id, record } => self.end(Ends::Link, &id.to_string(), record),
            Step::TieChains => self.tie_chains(),
        }
    }

    /// Ends something that is kept, for good.
    fn end(&mut self, what: Ends, id: &str, record: &Body) -> Result<Done, R::Error> {
        match self.rows.end(what, id, self.now)? {
            None => Ok(Done::Unknown),
            Some(false) => Ok(Done::Revoked(false)),
            Some(true) => {
                self.rows.record(record.clone())?;
                Ok(Done::Revoked(true))
            }
        }
    }

    /// The latest request about the very same action, with the very same files, that can be taken up.
    fn unused(&mut self, question: &Question) -> Result<Option<Id>, R::Error> {
        for id in self.rows.unused(question, self.now)? {
            // What stands in the files that it starts is a part of what was asked.
            let is_same = |it: Request| {
                it.project == question.project && it.is_about(&question.details.files)
            };
            if self.rows.request(id)?.is_some_and(is_same) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn answer(&mut self, reply: &Reply) -> Result<Done, R::Error> {
        let Reply { id, approver, origin, approves, action, reason, modified, right, counts } =
            reply;
        let Some(request) = self.rows.request(*id)? else { return Ok(Done::Unknown) };
        let said = Said { approver, approves: *approves, action };
        let mut standing = request.standing();
        let for_policy = self.rows.asked_policy(request.sequence)?.map(|asked| asked.alone);
        if for_policy == Some(true) {
            // Nobody else is there to be asked: they see as a request what they wanted, and say so again.
            standing.requesters.clear();
        }
        match approval::rule(&standing, &said, since_epoch(self.now)) {
            Err(Refusal::TimedOut) => {
                let request = self.time_out(request)?;
                Ok(Done::Answered(Box::new(request), Some(Refusal::TimedOut)))
            }
            Err(refusal) => Ok(Done::Answered(Box::new(request), Some(refusal))),
            Ok(Ruling::OneOfTwo | Ruling::Approved)
                if !counts && (request.needed > 1 || for_policy == Some(false)) =>
            {
                Ok(Done::Answered(Box::new(request), Some(Refusal::MadeByOne)))
            }
            // Else each of two would have agreed to something else.
            Ok(Ruling::OneOfTwo | Ruling::Approved)
                if modified.is_some() && (request.needed > 1 || for_policy.is_some()) =>
            {
                Ok(Done::Answered(Box::new(request), Some(Refusal::Changed)))
            }
            Ok(Ruling::OneOfTwo) => {
                self.rows.vote(request.sequence, (approver, origin), self.now)?;
                let entry = Entry {
                    approver: Some(approver.clone()),
                    outcome: Some("approved by one of two".to_owned()),
                    reason: reason.clone(),
                    preview: right.clone(),
                    ..answer_to(&request)
                };
                self.rows.record(Body::new(&entry, self.now))?;
                let request = self.rows.request(*id)?.unwrap_or(request);
                Ok(Done::Answered(Box::new(request), None))
            }
            Ok(ruling) => {
                let mut changed = None;
                if let (Some((modified, entry)), Ruling::Approved) = (modified, ruling) {
                    let entry = Entry { refers_to: Some(request.sequence), ..entry.clone() };
                    self.rows.record(Body::new(&entry, self.now))?;
                    changed = Some(modified);
                }
                let status =
                    if ruling == Ruling::Approved { Status::Approved } else { Status::Denied };
                let decided = Decision {
                    status,
                    by: approver,
                    origin,
                    reason: reason.as_deref(),
                    right: right.as_deref(),
                    modified: changed,
                };
                let request = self.decide(request, &decided)?;
                if for_policy.is_some() && request.status == Status::Approved {
                    self.agreed(&request)?;
                }
                Ok(Done::Answered(Box::new(request), None))
            }
        }
    }

    fn time_out(&mut self, request: Request) -> Result<Request, R::Error> {
        let decided = Decision {
            status: Status::TimedOut,
            by: "",
            origin: "gate",
            reason: Some("nobody decided in time"),
            right: None,
            modified: None,
        };
        self.decide(request, &decided)
    }

    /// Decides a request that is pending: the record of it, and the one statement that changes its state.
    fn decide(&mut self, request: Request, decision: &Decision<'_>) -> Result<Request, R::Error> {
        let Decision { status, by, origin: _, reason, right, modified } = decision;
        let changed = modified.map(|modified| format!("changed to {}", modified.action));
        let words = [right.map(str::to_owned), changed];
        let words: Vec<String> = words.into_iter().flatten().collect();
        let entry = Entry {
            approver: (!by.is_empty()).then(|| (*by).to_owned()),
            outcome: Some(status.name().to_owned()),
            reason: reason.map(str::to_owned),
            preview: (!words.is_empty()).then(|| words.join("; ")),
            ..answer_to(&request)
        };
        let answer = self.rows.record(Body::new(&entry, self.now))?;
        self.rows.decide(request.sequence, decision, answer, self.now)?;
        Ok(self.rows.request(request.id)?.unwrap_or(request))
    }

    fn claim(&mut self, claim: &Claim) -> Result<Done, R::Error> {
        let Some(request) = self.rows.request(claim.id)? else { return Ok(Done::Unknown) };
        let refused = |why| Ok(Done::Unclaimable(why));
        if request.requester != claim.requester {
            return refused(Unclaimable::OtherRequester);
        }
        // Who decided was asked as somebody of that project.
        if request.project != claim.project {
            return refused(Unclaimable::OtherProject);
        }
        if !request.status.lets_go_on() {
            return refused(Unclaimable::NotApproved(request.status));
        }
        if request.claimed.is_some() {
            return refused(Unclaimable::Used);
        }
        if request.runs() != claim.action {
            return refused(Unclaimable::OtherAction);
        }
        // As long as it could be decided, it can be taken up afterwards.
        let span = request.expires.duration_since(request.asked);
        let decided = request.decided.unwrap_or(request.asked);
        if self.now.duration_since(decided) > span {
            return refused(Unclaimable::Expired);
        }
        if !self.rows.is_recorded(&request)? {
            return refused(Unclaimable::Unrecorded);
        }
        self.rows.claim(request.sequence, self.now)?;
        let entry = Entry {
            kind: Kind::Outcome,
            approver: None,
            outcome: Some("taken up".to_owned()),
            action: Some(claim.action.clone()),
            ..answer_to(&request)
        };
        self.rows.record(Body::new(&entry, self.now))?;
        Ok(Done::Claimed(Box::new(self.rows.request(claim.id)?.unwrap_or(request))))
    }

    fn sweep(&mut self) -> Result<Done, R::Error> {
        let over = self.rows.over(self.now, SWEPT)?;
        let mut swept = Vec::with_capacity(over.len());
        for request in over {
            swept.push(request.id);
            self.time_out(request)?;
        }
        let old = self.now.checked_sub(REPEATABLE).unwrap_or(Timestamp::MIN);
        self.rows.forget_answers(old)?;
        self.tidy_notices()?;
        Ok(Done::Swept(swept))
    }

    fn repeated(&mut self, once: Option<&Once>) -> Result<Option<Done>, R::Error> {
        let Some(Once { token, key, digest, .. }) = once else { return Ok(None) };
        let found = self.rows.answered(*token, key)?;
        Ok(found.map(|known| {
            if known.digest == *digest {
                Done::Repeated(known.answer, known.approval)
            } else {
                Done::KeyReused
            }
        }))
    }

    fn keep(&mut self, once: Option<&Once>, approval: Option<Id>) -> Result<(), R::Error> {
        let Some(once) = once else { return Ok(()) };
        // What is kept for good was never long ago.
        let time = if once.for_good { Timestamp::MAX } else { self.now };
        self.rows.keep_answer(once, approval, time)
    }

    /// Records where every chain ends, so that each vouches for the others.
    fn tie_chains(&mut self) -> Result<Done, R::Error> {
        let Some(text) = self.rows.ends_of_chains()? else { return Ok(Done::Alive) };
        let entry = Entry {
            action: Some(digest_of_ends(&text)),
            ..Entry::change("the gateway", TREE_HEAD, format!("{} chains", text.lines().count()))
        };
        let sequence = self.rows.record(Body::new(&entry, self.now))?;
        self.rows.keep_ends(sequence, &text)?;
        Ok(Done::Noted(sequence))
    }
}

/// The beginning of every record that answers a request.
fn answer_to(request: &Request) -> Entry {
    Entry {
        refers_to: Some(request.sequence),
        tool: Some(request.tool.clone()),
        risk: Some(request.risk),
        action: Some(request.action.clone()),
        policy: Some(request.policy.clone()),
        session: request.session.clone(),
        agent: request.agent.clone(),
        ..Entry::new(Kind::Answer)
    }
}
