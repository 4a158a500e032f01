//! Approval policies in PostgreSQL. Owns their table.

use jiff::Timestamp;
use tokio_postgres::{Row, types::ToSql};

use super::{one, parsed, time};
use crate::{
    approvals::{
        desk::{AskedPolicy, PolicyRow},
        ruling::{InForce, Loosened},
    },
    audit::{
        postgres::{Link, Trouble},
        sqlite::{signed, unsigned},
    },
};

/// What was agreed to, where the record tells of it: a row that somebody wrote by hand is not believed.
const AGREED: &str = "(asks IS NULL OR EXISTS (SELECT 1 FROM approval JOIN record ON record.sequence = approval.answer \
    WHERE approval.sequence = ruling.asks AND approval.status = 'approved' AND record.kind = 'answer' \
    AND record.refers_to = ruling.asks AND record.outcome = 'approved'))";

/// What holds now.
pub(super) fn in_force(link: &mut Link, now: Timestamp) -> Result<InForce, Trouble> {
    let standing = format!(
        "SELECT policy FROM ruling WHERE since IS NOT NULL AND expires IS NULL AND {AGREED} ORDER BY since DESC, record DESC LIMIT 1"
    );
    let standing = link.maybe(&standing, &[])?.map(|row| parsed(&row, 0)).transpose()?;
    // Nothing loosens without a request that was approved.
    let loosened = format!(
        "SELECT ruling.policy, wanted_by, since, ruling.expires, approval.id, approval.approver FROM ruling \
         JOIN approval ON approval.sequence = ruling.asks WHERE since IS NOT NULL AND ruling.expires > $1 AND ended IS NULL AND {AGREED} \
         ORDER BY since DESC, ruling.record DESC LIMIT 1"
    );
    let row = link.maybe(&loosened, &[&now.as_microsecond()])?;
    let loosened = |row: Row| {
        Ok::<_, Trouble>(Loosened {
            policy: parsed(&row, 0)?,
            by: row.try_get(1)?,
            since: time(&row, 2)?,
            expires: time(&row, 3)?,
            request: parsed(&row, 4)?,
            approver: row.try_get(5)?,
        })
    };
    Ok(InForce { standing, loosened: row.map(loosened).transpose()? })
}

/// Keeps a policy that was wanted.
pub(super) fn keep(link: &mut Link, row: &PolicyRow<'_>) -> Result<(), Trouble> {
    let PolicyRow { record, policy, by, asks, lasts, returns, alone, since, expires } = row;
    let statement = "INSERT INTO ruling (record, policy, wanted_by, asks, lasts, returns, alone, since, expires) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let parameters: [&(dyn ToSql + Sync); 9] = [
        &signed(*record),
        policy,
        by,
        &asks.map(signed),
        lasts,
        returns,
        alone,
        &since.map(Timestamp::as_microsecond),
        &expires.map(Timestamp::as_microsecond),
    ];
    one(link.change(statement, &parameters)?)
}

/// What a request asks for, where that is a policy.
pub(super) fn asked(link: &mut Link, sequence: u64) -> Result<Option<AskedPolicy>, Trouble> {
    // Its own record, and not one of those that hold by its word.
    let query =
        "SELECT record, policy, lasts, returns, alone FROM ruling WHERE record = $1 AND asks = $1";
    let asked = |row: Row| {
        Ok(AskedPolicy {
            record: unsigned(row.try_get(0)?),
            policy: row.try_get(1)?,
            lasts: row.try_get(2)?,
            returns: row.try_get(3)?,
            alone: row.try_get(4)?,
        })
    };
    link.maybe(query, &[&signed(sequence)])?.map(asked).transpose()
}

/// Lets a policy hold that was agreed to.
pub(super) fn begin(
    link: &mut Link,
    record: u64,
    since: Timestamp,
    expires: Option<Timestamp>,
) -> Result<(), Trouble> {
    let statement =
        "UPDATE ruling SET since = $2, expires = $3 WHERE record = $1 AND since IS NULL";
    let expires = expires.map(Timestamp::as_microsecond);
    one(link.change(statement, &[&signed(record), &since.as_microsecond(), &expires])?)
}

/// What is over and was not ended, unless another gateway is at the policy.
pub(super) fn over(link: &mut Link, now: Timestamp) -> Result<Vec<(u64, String)>, Trouble> {
    let query = "SELECT record, policy FROM ruling WHERE expires <= $1 AND ended IS NULL FOR UPDATE SKIP LOCKED";
    let rows = link.rows(query, &[&now.as_microsecond()])?;
    rows.iter().map(|row| Ok((unsigned(row.try_get(0)?), row.try_get(1)?))).collect()
}

/// Ends one.
pub(super) fn end(link: &mut Link, record: u64, now: Timestamp) -> Result<(), Trouble> {
    let statement = "UPDATE ruling SET ended = $2 WHERE record = $1 AND ended IS NULL";
    one(link.change(statement, &[&signed(record), &now.as_microsecond()])?)
}

/// Ends all that loosen, but one.
pub(super) fn end_loosened(
    link: &mut Link,
    but: Option<u64>,
    now: Timestamp,
) -> Result<(), Trouble> {
    let statement = "UPDATE ruling SET ended = $1 WHERE expires IS NOT NULL AND ended IS NULL AND record IS DISTINCT FROM $2";
    link.change(statement, &[&now.as_microsecond(), &but.map(signed)]).map(drop)
}
