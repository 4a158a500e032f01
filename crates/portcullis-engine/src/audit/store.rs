//! Where records are kept, in general. Owns what every store must do; [`super::sqlite`] does it in a file, and `postgres` in a database that
//! many gateways share. Every store passes the same tests, in `contract`.

use std::ops::ControlFlow;

use jiff::Timestamp;
use portcullis_core::{
    decision::{Layer, Verdict},
    risk::Risk,
};
use sha2::{Digest as _, Sha256};

use super::{
    entry::{Body, Hash, Kind, MAX_TEXT, Record, fit},
    error::AuditError,
};

/// A place in the chain.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Anchor {
    /// The number of the record; 0 before the first.
    pub sequence: u64,
    /// Its hash.
    pub hash: Hash,
}

impl Anchor {
    /// The place before the first record.
    pub const GENESIS: Self = Self { sequence: 0, hash: Hash::GENESIS };
}

impl Default for Anchor {
    fn default() -> Self {
        Self::GENESIS
    }
}

/// What came of appending.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Appended {
    /// Where the new record stands.
    pub anchor: Anchor,
    /// Whether the record that the caller knew of was still there.
    pub known_holds: bool,
}

/// Records that are to go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Removal<'a> {
    /// Of which chain.
    pub chain: &'a str,
    /// The number of the first.
    pub first: u64,
    /// The last.
    pub last: Anchor,
    /// How many there are.
    pub count: u64,
    /// Whether what repeats their texts elsewhere in the database goes too: requests that were decided, grants that ended, answers that were kept for those who
    /// ask again. Up to when those were written, in microseconds since 1970.
    pub copies: Option<i64>,
    /// The number of each, where there are many chains and copies are to go.
    pub numbers: &'a [u64],
}

/// What came of removing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Removed {
    /// They went, and the record stands.
    Done(Appended),
    /// What stands there is not what was sealed.
    Other,
    /// Somebody still waits for an answer to a request of one of them.
    Waits,
}

/// Which records are wanted; an empty filter wants all.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Filter {
    /// Of this kind.
    pub kind: Option<Kind>,
    /// With this risk.
    pub risk: Option<Risk>,
    /// With this verdict.
    pub decision: Option<Verdict>,
    /// At this time or later.
    pub since: Option<Timestamp>,
    /// At this time or earlier.
    pub until: Option<Timestamp>,
    /// Of this agent.
    pub agent: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// Recorded before this one.
    pub before: Option<u64>,
    /// Recorded after this one.
    pub after: Option<u64>,
    /// About this one.
    pub refers_to: Option<u64>,
    /// Whose tool, preview or reason holds this text, whatever the case of ASCII letters.
    pub text: Option<String>,
    /// The newest so many.
    pub limit: Option<u32>,
}

impl Filter {
    /// Whether it wants a record, for those who look at every one. `limit` chooses among many, and counts for nothing here.
    #[must_use]
    pub fn wants(&self, record: &Record) -> bool {
        let Self {
            kind,
            risk,
            decision,
            since,
            until,
            agent,
            session,
            before,
            after,
            refers_to,
            text,
            limit: _,
        } = self;
        let entry = &record.entry;
        let holds = |text: &String| {
            let wanted = text.to_ascii_lowercase();
            let fields = [&entry.tool, &entry.preview, &entry.reason];
            fields.into_iter().flatten().any(|field| field.to_ascii_lowercase().contains(&wanted))
        };
        kind.is_none_or(|kind| entry.kind == kind)
            && risk.is_none_or(|risk| entry.risk == Some(risk))
            && decision.is_none_or(|decision| entry.decision == Some(decision))
            && since.is_none_or(|since| record.time >= since)
            && until.is_none_or(|until| record.time <= until)
            && agent.as_ref().is_none_or(|agent| entry.agent.as_ref() == Some(agent))
            && session.as_ref().is_none_or(|session| entry.session.as_ref() == Some(session))
            && before.is_none_or(|before| record.sequence < before)
            && after.is_none_or(|after| record.sequence > after)
            && refers_to.is_none_or(|decision| entry.refers_to == Some(decision))
            && text.as_ref().is_none_or(holds)
    }
}

/// Whose records are looked for, as a call names them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Whose<'a> {
    /// The session.
    pub session: &'a str,
    /// The agent, where the call names one.
    pub agent: Option<&'a str>,
}

/// What a record says of one step of a session; small, because each call reads many.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Trace {
    /// A decision, or what became of one.
    pub kind: Kind,
    /// When.
    pub time: Timestamp,
    /// Whether its rules tell of something that was noticed about the session.
    pub raised: bool,
    /// Whether its rules tell that a permission was missing.
    pub unpermitted: bool,
    /// The verdict of a decision.
    pub decision: Option<Verdict>,
    /// The layer that decided.
    pub layer: Option<Layer>,
    /// The first eight bytes of the action's hash.
    pub action: u64,
    /// Of an outcome, what tells its result from others.
    pub result: Option<u64>,
}

impl Trace {
    /// What the ids of rules begin with that tell of what was noticed about a session.
    pub const RAISED: &str = "monitor.";

    /// The rule id under which a tool was refused for want of a permission.
    pub const UNPERMITTED: &str = "tool.insufficient_permissions";

    /// What stands before the number that tells a result from others.
    pub const RESULT: &str = "result ";
}

/// What is called for each record: itself, or why it cannot be read.
pub type Visitor<'a> = dyn FnMut(Result<Record, AuditError>) -> ControlFlow<()> + 'a;

/// One chain of records. A file has one, which has no name; where many gateways share a database, each has its own.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Chain {
    /// Its name.
    pub name: String,
    /// What stands before its first record.
    pub genesis: Hash,
    /// Where it ends and how many records it has, as the store keeps that apart from the records.
    pub end: Option<(Anchor, u64)>,
}

impl Chain {
    /// The only one.
    #[must_use]
    pub const fn only() -> Self {
        Self { name: String::new(), genesis: Hash::GENESIS, end: None }
    }

    /// The chain of a gateway. What stands before its first record is made of its name, so that no chain passes for another.
    #[must_use]
    pub fn of_gateway(name: &str, end: (Anchor, u64)) -> Self {
        Self { name: name.to_owned(), genesis: genesis_of(name), end: Some(end) }
    }
}

/// What stands before the first record of a gateway's chain.
#[must_use]
pub fn genesis_of(name: &str) -> Hash {
    Hash(Sha256::digest(format!("portcullis/chain/v1,{name}")).into())
}

/// Under which word the record tells where all chains ended.
pub const TREE_HEAD: &str = "tree head";

/// What such a record holds of the ends that it tells of.
#[must_use]
pub fn digest_of_ends(text: &str) -> String {
    format!("sha256:{}", data_encoding::HEXLOWER.encode(&Sha256::digest(text)))
}

/// The end of a chain on one line: how many records it has, the number and the hash of the last, and its name.
#[must_use]
pub fn end_line(name: &str, (anchor, count): (Anchor, u64)) -> String {
    format!("{count} {} {} {name}", anchor.sequence, anchor.hash)
}

/// What such a line says.
#[must_use]
pub fn read_end(line: &str) -> Option<(&str, (Anchor, u64))> {
    let mut words = line.splitn(4, ' ');
    let count = words.next()?.parse().ok()?;
    let sequence = words.next()?.parse().ok()?;
    let hash = words.next()?.parse().ok()?;
    Some((words.next()?, (Anchor { sequence, hash }, count)))
}

/// What is called for each record that tells of ends of chains: its number, and what it tells.
pub type Ends<'a> = dyn FnMut(u64, &str) + 'a;

/// A place that keeps records: appended to by many processes at once, never changed.
pub trait Store {
    /// Appends a record after the last one, in one step that no other process can come between, and durably: when this
    /// returns, the record survives a loss of power. `known` is a place that the caller believes to be in the chain.
    ///
    /// # Errors
    /// Nothing was appended then.
    fn append(&mut self, body: Body, known: Option<Anchor>) -> Result<Appended, AuditError>;

    /// As [`Store::append`], but for the durability: until [`Store::sync`] returns, the record survives the end of every process and no loss of power.
    ///
    /// # Errors
    /// Nothing was appended then.
    fn write(&mut self, body: Body, known: Option<Anchor>) -> Result<Appended, AuditError> {
        self.append(body, known)
    }

    /// Makes durable whatever [`Store::write`] appended.
    ///
    /// # Errors
    /// It is not known then what a loss of power leaves.
    fn sync(&mut self) -> Result<(), AuditError> {
        Ok(())
    }

    /// The last place in the chain, as stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn head(&mut self) -> Result<Anchor, AuditError>;

    /// What is in the place where the records are that we did not put there, and what is missing of what we did, a sentence each.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn alterations(&mut self) -> Result<Vec<String>, AuditError>;

    /// Puts back what is missing of what holds mistakes back; records themselves cannot be put back.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn restore(&mut self) -> Result<(), AuditError>;

    /// One record; `None` where there is none with this number.
    ///
    /// # Errors
    /// When it cannot be read.
    fn record(&mut self, sequence: u64) -> Result<Option<Record>, AuditError>;

    /// The newest `most` decisions of a session with the outcomes among them, oldest first. One that is not as we write it is left out: who
    /// wants to know of such ones verifies the record.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn latest(&mut self, whose: Whose<'_>, most: u32) -> Result<Vec<Trace>, AuditError>;

    /// The newest decision about an action, among the latest thousand of its session.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn decision_about(&mut self, whose: Whose<'_>, action: &str)
    -> Result<Option<u64>, AuditError>;

    /// The newest of the last few decisions about an action that let it go on and has no outcome yet.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn decision_left_open(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError>;

    /// When a session's first decision was recorded, and how many there are, counted up to `most`; `None` where there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn begun(
        &mut self,
        whose: Whose<'_>,
        most: u64,
    ) -> Result<Option<(Timestamp, u64)>, AuditError>;

    /// Calls `visitor` with each record that the filter wants, oldest first, all from one moment.
    ///
    /// # Errors
    /// When the store cannot be read; a record that cannot be read is given to the visitor.
    fn each(&mut self, filter: &Filter, visitor: &mut Visitor<'_>) -> Result<(), AuditError>;

    /// The chains that the records stand in.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn chains(&mut self) -> Result<Vec<Chain>, AuditError> {
        Ok(vec![Chain::only()])
    }

    /// The names of the [`Store::chains`], for those who ask for nothing else again and again.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn chain_names(&mut self) -> Result<Vec<String>, AuditError> {
        Ok(vec![Chain::only().name])
    }

    /// Calls `visitor` with each record of one of the [`Store::chains`] behind the number `after`, oldest first. Within a chain a record is never seen
    /// before one with a lower number.
    ///
    /// # Errors
    /// As [`Store::each`].
    fn follow(
        &mut self,
        _chain: &str,
        after: u64,
        visitor: &mut Visitor<'_>,
    ) -> Result<(), AuditError> {
        // From the very first, also what somebody put before it.
        let after = Some(after).filter(|after| *after > 0);
        self.each(&Filter { after, ..Filter::default() }, visitor)
    }

    /// Takes records out and puts one in that tells of it, in one step.
    ///
    /// # Errors
    /// Nothing was taken out then. Not every store can.
    fn remove(
        &mut self,
        _removal: &Removal<'_>,
        _body: Body,
        _known: Option<Anchor>,
    ) -> Result<Removed, AuditError> {
        Err(AuditError::Keeps)
    }

    /// Leaves nothing of what was taken out in any file of the store; `false` where others read meanwhile.
    ///
    /// # Errors
    /// When it cannot be done. Not every store can.
    fn scrub(&mut self) -> Result<bool, AuditError> {
        Err(AuditError::Keeps)
    }

    /// Calls `visitor` with what is kept of each record that tells where all chains ended.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn tree_heads(&mut self, _visitor: &mut Ends<'_>) -> Result<(), AuditError> {
        Ok(())
    }
}

/// The names of a session as they stand in the record.
pub(super) fn stored(whose: Whose<'_>) -> (String, Option<String>) {
    let Whose { session, agent } = whose;
    (fit(session, MAX_TEXT), agent.map(|agent| fit(agent, MAX_TEXT)))
}
