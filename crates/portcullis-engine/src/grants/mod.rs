//! What people allowed beforehand, so that they are not asked again. Owns how long and for what a grant holds, that each that
//! holds once holds once, and that none counts of which the record does not tell; who may give one, [`crate::person`] finds out.
//!
//! They are kept beside the record, and change in the same transaction as it: of many processes that use a grant for once
//! exactly one has it.

mod sealed;
mod with_request;

use std::{fmt, io, path::Path};

use jiff::{SignedDuration, Timestamp};
use portcullis_core::{
    decision::{Decision, Layer, Verdict},
    policy::{NoPattern, Policy, Rule, Subject, covered, narrow},
    risk::{Risk, Severity},
};

pub use with_request::{Breadth, NotAlike};

use crate::{
    alike::{Like, REACH},
    approvals::{self, Book, Done, Kept, Ledger},
    audit::{AuditError, Body, Entry, Kind, database_path},
    platform,
    session::{Judged, allow},
};

/// The longest that any grant holds.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// How far a clock may be behind the one that a grant was written by.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(2);

/// How long a grant that ended is still listed, with when it did.
const LISTED: SignedDuration = SignedDuration::from_hours(24);

/// What a grant is known by.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct GrantId([u8; 16]);

impl GrantId {
    /// One that nobody can foresee.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn random() -> io::Result<Self> {
        platform::random().map(Self)
    }

    /// The first digits, enough for a person.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(&self.0))
    }
}

impl std::str::FromStr for GrantId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let bytes = data_encoding::HEXLOWER.decode(text.as_bytes()).map_err(|_| NotAnId)?;
        bytes.try_into().map(Self).map_err(|_| NotAnId)
    }
}

/// A text that names no grant.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("expected 32 lower-case hexadecimal digits")]
pub struct NotAnId;

/// What is allowed.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The one action with this hash, as long as the files that it starts are those that were judged.
    Exact {
        /// The hash, `sha256:…`.
        action: String,
        /// What stands for the files, see [`Judged::seal`]; nothing where it starts none.
        files: Option<String>,
    },
    /// Whatever these rules cover, together and with those of the policy. The files that a call starts are read and judged anew each time, and
    /// such a grant reaches no further than medium risk: what changes in them to something worse asks again, what stays below does not.
    Pattern(Vec<Rule>),
    /// Whatever the same rules ask about on the same resources, and is no riskier. What files say that a call starts is read and judged anew
    /// each time here too.
    Like(Like),
}

/// For how often and where.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Scope {
    /// Once.
    Once,
    /// In this session of an agent.
    Session(String),
    /// In this workspace.
    Project(String),
    /// Everywhere.
    Always,
}

impl Scope {
    /// The word for it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session(_) => "session",
            Self::Project(_) => "project",
            Self::Always => "always",
        }
    }

    /// How long such a grant holds unless a person says otherwise.
    #[must_use]
    pub const fn usual(&self) -> SignedDuration {
        match self {
            Self::Once => SignedDuration::from_mins(15),
            Self::Session(_) => SignedDuration::from_hours(8),
            Self::Project(_) | Self::Always => SignedDuration::from_hours(30 * 24),
        }
    }

    /// The highest level that such a grant reaches.
    #[must_use]
    pub const fn reach(&self) -> Severity {
        match self {
            Self::Once => Severity::Critical,
            Self::Session(_) => Severity::High,
            Self::Project(_) | Self::Always => Severity::Medium,
        }
    }

    fn holds(&self, session: Option<&str>, workspace: Option<&str>) -> bool {
        match self {
            Self::Once | Self::Always => true,
            Self::Session(granted) => session == Some(granted),
            Self::Project(granted) => workspace == Some(granted),
        }
    }
}

/// What a person allowed beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// What it is known by.
    pub id: GrantId,
    /// What is allowed.
    pub what: What,
    /// For how often and where.
    pub scope: Scope,
    /// When it was given.
    pub granted: Timestamp,
    /// When it ends.
    pub expires: Timestamp,
    /// How risky the call was that it was given for.
    pub risk: Risk,
    /// That call, for a person.
    pub preview: String,
    /// Who gave it.
    pub by: String,
    /// Whose calls it is for, where it was given at a gateway: those that come with the token of this name, and no others.
    pub whose: Option<String>,
    /// The record of the answer that gave it.
    pub record: u64,
}

/// Why a grant counts for nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Void {
    /// It is not as we write it.
    #[error("it is not as it was written: {0}")]
    Malformed(#[from] serde_json::Error),
    /// The record tells of no such grant: it was invented or changed.
    #[error("the record does not know it, so a person may not have given it")]
    Unrecorded,
    /// Its time is over.
    #[error("it ended at {0}")]
    Expired(Timestamp),
    /// It was given at a time that has not come: a clock was turned back.
    #[error("it was given at {0}, which has not come yet")]
    NotYet(Timestamp),
    /// It holds longer than any may.
    #[error("it would hold longer than any grant may")]
    TooLong,
    /// One of its rules is none, or one that nobody can grant.
    #[error("its rule cannot be granted: {0}")]
    Rule(String),
    /// Its kind is none that a person can grant, or not so far.
    #[error("its kind cannot be granted")]
    Kind,
}

impl Grant {
    /// Whether it holds at a time.
    ///
    /// # Errors
    /// [`Void`], with the reason why not.
    pub fn check(&self, now: Timestamp) -> Result<(), Void> {
        if now >= self.expires {
            return Err(Void::Expired(self.expires));
        }
        if self.granted.duration_since(now) > CLOCK_SKEW {
            return Err(Void::NotYet(self.granted));
        }
        if self.expires.duration_since(self.granted) > LONGEST {
            return Err(Void::TooLong);
        }
        if let What::Pattern(rules) = &self.what {
            for rule in rules {
                narrow(rule).map_err(|error| Void::Rule(error.to_string()))?;
            }
        }
        if let What::Like(like) = &self.what
            && (!like.is_sound() || !matches!(self.scope, Scope::Session(_) | Scope::Project(_)))
        {
            return Err(Void::Kind);
        }
        Ok(())
    }

    /// The highest level that it reaches: a kind is bound to rules and resources, not to a place alone.
    #[must_use]
    pub const fn reach(&self) -> Severity {
        match self.what {
            What::Like(_) => REACH,
            What::Exact { .. } | What::Pattern(_) => self.scope.reach(),
        }
    }

    /// What it allows, in a few words that still have to be made visible.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.what {
            What::Exact { files: None, .. } => "exactly this call".to_owned(),
            What::Exact { files: Some(_), .. } => {
                "exactly this call, with the files that it starts as they are".to_owned()
            }
            What::Pattern(rules) => {
                rules.iter().map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(" and ")
            }
            What::Like(like) => like.words(),
        }
    }
}

/// What is kept as a grant.
#[derive(Debug)]
pub struct Listed {
    /// What it is known by.
    pub name: String,
    /// The grant, where it can be read, and whether it holds.
    pub grant: Result<(Grant, Result<(), Void>), Void>,
}

/// What is asked of the grants.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The call as it was judged, before what asks became a denial because nobody can be asked.
    pub judged: &'a Judged,
    /// The policy that it was judged under.
    pub policy: &'a Policy,
    /// Whose token the call came with, where it came to a gateway.
    pub whose: Option<&'a str>,
    /// The time.
    pub now: Timestamp,
}

/// A grant that answers a question. One for once is used up.
#[derive(Clone, Debug, PartialEq)]
pub struct Granted {
    /// The grant.
    pub grant: Grant,
    /// Why the call may go on, in a sentence.
    pub reason: String,
}

/// The grants of a state directory.
pub struct Grants(Book);

impl Grants {
    /// Those of a state directory; `None` where nothing was ever recorded, and so nothing granted. Nothing is made then.
    ///
    /// # Errors
    /// When anyone else could change them, or they cannot be read.
    pub fn open(state: &Path) -> Result<Option<Self>, AuditError> {
        if !database_path(state).exists() {
            return Ok(None);
        }
        Book::open(state).map(Self).map(Some)
    }

    /// The grant that lets an action go on which would be asked about, if there is one: never a denied one, and never one
    /// that a rule of the policy asks about by name unless it was granted exactly. A grant for once is used up by this, and
    /// of many processes that ask at once only one has it.
    #[must_use]
    pub fn answer(&mut self, question: &Question<'_>) -> Option<Granted> {
        let Question { judged, policy, whose: _, now } = question;
        let decision = &judged.judgement.decision;
        if decision.verdict != Verdict::Ask {
            return None;
        }
        let mut valid = valid(self.0.store(), question).ok()?;
        // What stays is used before what is used up.
        valid.sort_by_key(|grant| (grant.scope == Scope::Once, grant.id));
        let action = judged.action.id();
        let seal = judged.seal();
        let is_this = |grant: &&Grant| matches!(&grant.what, What::Exact { action: granted, files } if *granted == action && *files == seal);
        for grant in valid.iter().filter(is_this) {
            if self.spend(&[grant], *now) {
                return Some(granted(grant.clone()));
            }
        }
        if decision.layer == Layer::AskRule {
            return None;
        }
        if let Some(grant) = of_its_kind(&valid, question) {
            return Some(granted(grant.clone()));
        }
        let rules = |grant: &Grant| match &grant.what {
            What::Pattern(rules) => rules.clone(),
            What::Exact { .. } | What::Like(_) => Vec::new(),
        };
        let all: Vec<Rule> = valid.iter().flat_map(rules).collect();
        let subject = Subject {
            action: &judged.action,
            effects: &judged.judgement.effects,
            facts: &judged.facts,
            assessment: &judged.judgement.assessment,
        };
        let used = covered(policy, &all, &subject).ok()?;
        let holds = |grant: &&Grant| rules(grant).iter().any(|rule| used.contains(rule));
        let holders: Vec<&Grant> = valid.iter().filter(holds).collect();
        // Without any of them the rules do not cover it.
        let first = holders.first().filter(|_| self.spend(&holders, *now))?;
        Some(granted((*first).clone()))
    }

    /// Every grant that was neither used up nor taken back and ended not long ago, with what is wrong with it, the newest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn list(&mut self, now: Timestamp) -> Result<Vec<Listed>, AuditError> {
        listed(self.0.store(), now)
    }

    /// Keeps a grant that a person gave by an answer, with the record of that answer.
    ///
    /// # Errors
    /// When it cannot be kept; then it does not hold, and there is no record of it.
    pub fn add(&mut self, grant: &Grant, answer: Entry, now: Timestamp) -> Result<(), AuditError> {
        self.0.take_at(&[kept(grant, answer, now)], now).map(drop)
    }

    /// Takes back what is known by a name, with the record of that; `false` where it had ended.
    ///
    /// # Errors
    /// When it cannot be taken back.
    pub fn take_back(
        &mut self,
        name: &str,
        change: &Entry,
        now: Timestamp,
    ) -> Result<bool, AuditError> {
        let record = Body::new(change, now);
        let step = approvals::Step::TakeBack { id: name.to_owned(), record };
        Ok(self.0.take_at(&[step], now)?.first() == Some(&Done::Revoked(true)))
    }

    /// Uses up those that hold once. Whether none of them was used in the meantime.
    fn spend(&mut self, grants: &[&Grant], now: Timestamp) -> bool {
        let once = grants.iter().filter(|grant| grant.scope == Scope::Once);
        let once: Vec<String> = once.map(|grant| grant.id.to_string()).collect();
        once.is_empty()
            || self
                .0
                .take_at(&[approvals::Step::Spend(once)], now)
                .is_ok_and(|done| done == [Done::Spent(true)])
    }
}

/// What keeps a grant together with the record of the answer that gave it.
#[must_use]
pub fn kept(grant: &Grant, answer: Entry, now: Timestamp) -> approvals::Step {
    let text = sealed::written(grant);
    let answer = Entry {
        approver: Some(grant.by.clone()),
        outcome: Some(sealed::named(grant.id, &text)),
        ..answer
    };
    approvals::Step::Grant {
        id: grant.id.to_string(),
        text,
        expires: grant.expires,
        record: Body::new(&answer, now),
    }
}

/// The grant by which a person answered beforehand for all calls of the kind that a call is of, if there is one. Nothing is used up by it.
///
/// # Errors
/// When the grants cannot be read.
pub fn alike(
    store: &mut dyn Ledger,
    question: &Question<'_>,
) -> Result<Option<Granted>, AuditError> {
    let decision = &question.judged.judgement.decision;
    if decision.verdict != Verdict::Ask || decision.layer == Layer::AskRule {
        return Ok(None);
    }
    let valid = valid(store, question)?;
    Ok(of_its_kind(&valid, question).cloned().map(granted))
}

/// As [`Grants::list`], of a store that is open.
///
/// # Errors
/// When they cannot be read.
pub fn listed(store: &mut dyn Ledger, now: Timestamp) -> Result<Vec<Listed>, AuditError> {
    let since = now.checked_sub(LISTED).unwrap_or(Timestamp::MIN);
    let kept = store.grants(since)?;
    let mut listed = Vec::with_capacity(kept.len());
    for kept in kept {
        let grant = match sealed::read(&kept) {
            Err(void) => Err(void),
            Ok(grant) => {
                let known = is_recorded(store, &kept, &grant)?;
                let holds = if known { grant.check(now) } else { Err(Void::Unrecorded) };
                Ok((grant, holds))
            }
        };
        listed.push(Listed { name: kept.id, grant });
    }
    Ok(listed)
}

fn of_its_kind<'g>(valid: &'g [Grant], question: &Question<'_>) -> Option<&'g Grant> {
    valid
        .iter()
        .find(|grant| matches!(&grant.what, What::Like(kind) if question.judged.is_of(kind)))
}

/// The grants that hold for a call, of which the record tells.
fn valid(store: &mut dyn Ledger, question: &Question<'_>) -> Result<Vec<Grant>, AuditError> {
    let mut valid = Vec::new();
    for kept in store.grants(question.now)? {
        let Ok(grant) = sealed::read(&kept) else { continue };
        if grant.check(question.now).is_ok()
            && grant.whose.as_deref() == question.whose
            && reaches(&grant, question.judged)
            && is_recorded(store, &kept, &grant)?
        {
            valid.push(grant);
        }
    }
    Ok(valid)
}

/// Whether the record has the answer that gave this grant, just as it is.
fn is_recorded(store: &mut dyn Ledger, kept: &Kept, grant: &Grant) -> Result<bool, AuditError> {
    let record = store.record(kept.record)?;
    Ok(record.is_some_and(|record| {
        record.entry.kind == Kind::Answer
            && record.entry.outcome == Some(sealed::named(grant.id, &kept.text))
            && record.computed_hash() == record.hash
    }))
}

/// Whether a grant's scope holds here, and reaches the level of this action.
fn reaches(grant: &Grant, judged: &Judged) -> bool {
    grant.scope.holds(judged.action.call.session.as_deref(), judged.facts.workspace.as_deref())
        && judged.judgement.assessment.level <= grant.reach()
}

fn granted(grant: Grant) -> Granted {
    let reason = format!("{} allowed {} ({})", grant.by, grant.words(), grant.scope.name());
    Granted { grant, reason }
}

impl Granted {
    /// Turns a decision that asks into the one that a person gave beforehand.
    pub fn settle(&self, decision: &mut Decision) {
        allow(decision, &self.reason);
    }
}

/// Why a call cannot be granted as a person wants it.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The scope does not reach that high.
    #[error("at {level} risk a call is allowed {} only", scopes(*.level))]
    Reach {
        /// The level of the call.
        level: Severity,
    },
    /// The rules do not hold for it.
    #[error("no pattern can allow it: {0}")]
    Pattern(#[from] NoPattern),
}

const fn scopes(level: Severity) -> &'static str {
    match level {
        Severity::Critical => "once",
        Severity::High => "once, or for a session, and exactly as it is,",
        Severity::Safe | Severity::Low | Severity::Medium => "in any way",
    }
}

/// Whether a scope reaches a level.
///
/// # Errors
/// [`Refused::Reach`].
pub fn within_reach(scope: &Scope, level: Severity) -> Result<(), Refused> {
    if level <= scope.reach() { Ok(()) } else { Err(Refused::Reach { level }) }
}

#[cfg(test)]
mod tests;
