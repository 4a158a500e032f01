//! Approval policies in the record's SQLite file. Owns their table.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{one, parsed, time, unreadable};
use crate::{
    approvals::{
        desk::{AskedPolicy, PolicyRow},
        ruling::{InForce, Loosened},
    },
    audit::sqlite::{signed, unsigned},
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

/// Keeps a policy that was wanted.
pub(super) fn keep(connection: &Connection, row: &PolicyRow<'_>) -> rusqlite::Result<()> {
    let PolicyRow { record, policy, by, asks, lasts, returns, alone, since, expires } = row;
    connection
        .prepare_cached(
            "INSERT INTO ruling (record, policy, wanted_by, asks, lasts, returns, alone, since, expires) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            signed(*record),
            policy,
            by,
            asks.map(signed),
            lasts,
            returns,
            alone,
            since.map(Timestamp::as_microsecond),
            expires.map(Timestamp::as_microsecond)
        ])?;
    Ok(())
}

/// What a request asks for, where that is a policy.
pub(super) fn asked(
    connection: &Connection,
    sequence: u64,
) -> rusqlite::Result<Option<AskedPolicy>> {
    // Its own record, and not one of those that hold by its word.
    let query =
        "SELECT record, policy, lasts, returns, alone FROM ruling WHERE record = ?1 AND asks = ?1";
    connection
        .prepare_cached(query)?
        .query_row([signed(sequence)], |row| {
            Ok(AskedPolicy {
                record: unsigned(row.get(0)?),
                policy: row.get(1)?,
                lasts: row.get(2)?,
                returns: row.get(3)?,
                alone: row.get(4)?,
            })
        })
        .optional()
}

/// Lets a policy hold that was agreed to.
pub(super) fn begin(
    connection: &Connection,
    record: u64,
    since: Timestamp,
    expires: Option<Timestamp>,
) -> rusqlite::Result<()> {
    let statement =
        "UPDATE ruling SET since = ?2, expires = ?3 WHERE record = ?1 AND since IS NULL";
    one(connection.prepare_cached(statement)?.execute(params![
        signed(record),
        since.as_microsecond(),
        expires.map(Timestamp::as_microsecond)
    ])?)
}

/// What is over and was not ended.
pub(super) fn over(
    connection: &Connection,
    now: Timestamp,
) -> rusqlite::Result<Vec<(u64, String)>> {
    let query = "SELECT record, policy FROM ruling WHERE expires <= ?1 AND ended IS NULL";
    connection
        .prepare_cached(query)?
        .query_map([now.as_microsecond()], |row| Ok((unsigned(row.get(0)?), row.get(1)?)))?
        .collect()
}

/// Ends one.
pub(super) fn end(connection: &Connection, record: u64, now: Timestamp) -> rusqlite::Result<()> {
    let statement = "UPDATE ruling SET ended = ?2 WHERE record = ?1 AND ended IS NULL";
    let parameters = params![signed(record), now.as_microsecond()];
    one(connection.prepare_cached(statement)?.execute(parameters)?)
}

/// Ends all that loosen, but one.
pub(super) fn end_loosened(
    connection: &Connection,
    but: Option<u64>,
    now: Timestamp,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE ruling SET ended = ?1 WHERE expires IS NOT NULL AND ended IS NULL AND record IS NOT ?2",
        )?
        .execute(params![now.as_microsecond(), but.map(signed)])?;
    Ok(())
}
