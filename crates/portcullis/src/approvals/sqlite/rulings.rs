//! Approval policies in the record's SQLite file. Owns their table, and the steps that put one in place in the same transaction as what is recorded
//! of it.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Desk, parsed, time, unreadable};
use crate::{
    approvals::{
        request::Request,
        ruling::{InForce, Loosened, Wanted, is_looser},
        store::Done,
    },
    audit::{Body, Entry, sqlite::signed},
};

/// What was agreed to, where the record tells of it: a row that somebody wrote by hand is not believed.
const AGREED: &str = "(asks IS NULL OR EXISTS (SELECT 1 FROM approval JOIN record ON record.sequence = approval.answer \
    WHERE approval.sequence = ruling.asks AND approval.status = 'approved' AND record.kind = 'answer' \
    AND record.refers_to = ruling.asks AND record.outcome = 'approved'))";

/// What holds now.
pub(super) fn in_force(connection: &Connection, now: Timestamp) -> rusqlite::Result<InForce> {
    let standing = format!(
        "SELECT policy FROM ruling WHERE since IS NOT NULL AND expires IS NULL AND {AGREED} ORDER BY since DESC, record DESC LIMIT 1"
    );
    let standing: Option<String> =
        connection.prepare_cached(&standing)?.query_row([], |row| row.get(0)).optional()?;
    // Nothing loosens without a request that was approved.
    let loosened = format!(
        "SELECT ruling.policy, wanted_by, since, ruling.expires, approval.id, approval.approver FROM ruling \
         JOIN approval ON approval.sequence = ruling.asks WHERE since IS NOT NULL AND ruling.expires > ?1 AND ended IS NULL AND {AGREED} \
         ORDER BY since DESC, ruling.record DESC LIMIT 1"
    );
    let loosened = connection
        .prepare_cached(&loosened)?
        .query_row([now.as_microsecond()], |row| {
            let policy: String = row.get(0)?;
            Ok(Loosened {
                policy: policy.parse().map_err(|error| unreadable(0, error))?,
                by: row.get(1)?,
                since: time(row, 2)?,
                expires: time(row, 3)?,
                request: parsed(row, 4)?,
                approver: row.get(5)?,
            })
        })
        .optional()?;
    let standing = standing.map(|policy| policy.parse().map_err(|error| unreadable(0, error)));
    Ok(InForce { standing: standing.transpose()?, loosened })
}

/// A policy that a request asks for.
struct Asked {
    record: i64,
    policy: String,
    lasts: Option<i64>,
    returns: bool,
    alone: bool,
}

impl Desk<'_> {
    /// Puts another policy in place where it is nowhere looser than what holds; asks for it else.
    pub(super) fn rule(&mut self, wanted: &Wanted) -> rusqlite::Result<Done> {
        let Wanted { policy, configured, by, record, question, asking, lasts, alone, most } =
            wanted;
        let holds = in_force(self.connection, self.now)?;
        let confirmation = policy.confirmation();
        let stands = holds.stands(*configured).map_or(*configured, |policy| policy.confirmation());
        if !is_looser(confirmation, stands) {
            let sequence = self.record(record.clone())?;
            self.end_loosened(None)?;
            self.insert(sequence, policy.name(), by, None, (None, true, false), Some(None))?;
            return Ok(Done::Ruled(None));
        }
        if let Some(loosened) = &holds.loosened
            && !is_looser(confirmation, loosened.policy.confirmation())
        {
            // Less of what was agreed to, and no longer.
            let sequence = self.record(record.clone())?;
            let asks = self.sequence_of(loosened.request)?;
            self.end_loosened(None)?;
            let ends = Some(Some(loosened.expires));
            self.insert(sequence, policy.name(), by, asks, (None, false, false), ends)?;
            return Ok(Done::Ruled(None));
        }
        if self.waiting(&question.requester, *most)? >= *most {
            return Ok(Done::TooMany);
        }
        let sequence = self.record(asking.clone())?;
        self.ask(question, sequence)?;
        let returns = !is_looser(confirmation, *configured);
        let lasts = i64::try_from(lasts.as_micros()).unwrap_or(i64::MAX);
        let how = (Some(lasts), returns, *alone);
        self.insert(sequence, policy.name(), by, Some(signed(sequence)), how, None)?;
        Ok(Done::Ruled(Some(question.id)))
    }

    /// Ends what loosens before its time.
    pub(super) fn end_early(&mut self, record: &Body) -> rusqlite::Result<Done> {
        if in_force(self.connection, self.now)?.loosened.is_none() {
            return Ok(Done::Unknown);
        }
        self.end_loosened(None)?;
        self.record(record.clone())?;
        Ok(Done::Ruled(None))
    }

    /// Whether a request is for a policy, and whether whoever asked may agree to it.
    pub(super) fn is_for_policy(&self, request: &Request) -> rusqlite::Result<Option<bool>> {
        Ok(self.asked_policy(request)?.map(|asked| asked.alone))
    }

    /// Puts the policy in place that was just agreed to.
    pub(super) fn agreed(&mut self, request: &Request) -> rusqlite::Result<()> {
        let Some(Asked { record, policy, lasts, returns, alone: _ }) =
            self.asked_policy(request)?
        else {
            return Ok(());
        };
        self.end_loosened(Some(record))?;
        let lasts = SignedDuration::from_micros(lasts.unwrap_or_default());
        let expires = (!returns).then(|| self.now.checked_add(lasts).unwrap_or(self.now));
        self.connection
            .prepare_cached("UPDATE ruling SET since = ?2, expires = ?3 WHERE record = ?1")?
            .execute(params![
                record,
                self.now.as_microsecond(),
                expires.map(Timestamp::as_microsecond)
            ])?;
        let words = match expires {
            Some(expires) => format!("{policy} until {expires:.0}"),
            None => policy,
        };
        let by = request.approver.as_deref().unwrap_or_default();
        self.record(Body::new(
            &Entry::change(by, "loosened the approval policy", words),
            self.now,
        ))?;
        Ok(())
    }

    /// Records the end of what is over.
    pub(super) fn end_policies(&mut self) -> rusqlite::Result<()> {
        let query = "SELECT record, policy FROM ruling WHERE expires <= ?1 AND ended IS NULL";
        let over: Vec<(i64, String)> = self
            .connection
            .prepare_cached(query)?
            .query_map([self.now.as_microsecond()], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        for (record, policy) in over {
            self.end_policy(record)?;
            let entry = Entry::change("the gateway", "ended a looser approval policy", policy);
            self.record(Body::new(&entry, self.now))?;
        }
        Ok(())
    }

    fn end_policy(&self, record: i64) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("UPDATE ruling SET ended = ?2 WHERE record = ?1")?
            .execute(params![record, self.now.as_microsecond()])?;
        Ok(())
    }

    fn end_loosened(&self, but: Option<i64>) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE ruling SET ended = ?1 WHERE expires IS NOT NULL AND ended IS NULL AND record IS NOT ?2",
            )?
            .execute(params![self.now.as_microsecond(), but])?;
        Ok(())
    }

    fn insert(
        &self,
        sequence: u64,
        policy: &str,
        by: &str,
        asks: Option<i64>,
        (lasts, returns, alone): (Option<i64>, bool, bool),
        holds: Option<Option<Timestamp>>,
    ) -> rusqlite::Result<()> {
        let since = holds.is_some().then(|| self.now.as_microsecond());
        let expires = holds.flatten().map(Timestamp::as_microsecond);
        self.connection
            .prepare_cached(
                "INSERT INTO ruling (record, policy, wanted_by, asks, lasts, returns, alone, since, expires) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![signed(sequence), policy, by, asks, lasts, returns, alone, since, expires])?;
        Ok(())
    }

    fn sequence_of(&self, id: crate::approvals::Id) -> rusqlite::Result<Option<i64>> {
        self.connection
            .prepare_cached("SELECT sequence FROM approval WHERE id = ?1")?
            .query_row([id.to_string()], |row| row.get(0))
            .optional()
    }

    fn asked_policy(&self, request: &Request) -> rusqlite::Result<Option<Asked>> {
        // Its own record, and not one of those that hold by its word.
        let query = "SELECT record, policy, lasts, returns, alone FROM ruling WHERE record = ?1 AND asks = ?1";
        self.connection
            .prepare_cached(query)?
            .query_row([signed(request.sequence)], |row| {
                Ok(Asked {
                    record: row.get(0)?,
                    policy: row.get(1)?,
                    lasts: row.get(2)?,
                    returns: row.get(3)?,
                    alone: row.get(4)?,
                })
            })
            .optional()
    }
}
