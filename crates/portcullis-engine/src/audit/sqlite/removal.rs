//! Records that leave the database. Owns the one transaction in which those of a sealed segment go and a record of that comes, and how nothing of them
//! stays in any file of the database. Whether they may go, [`crate::audit::segment`] knows.

use rusqlite::{Connection, TransactionBehavior, params};

use super::{chain, holds, last, signed};
use crate::audit::{
    entry::{Body, Hash},
    schema::{self, REQUESTS, TALK, TEAM},
    store::{Anchor, Appended, Removal, Removed},
};

/// The tables that repeat texts of records, or say who had to do with a request: the condition on what goes, and the trigger that holds it back.
const COPIES: [(&str, &str, &str); 7] = [
    ("approval_vote", "approval BETWEEN ?1 AND ?2", ""),
    ("approval_project", "approval BETWEEN ?1 AND ?2", "approval_project_is_never_removed"),
    ("approval_comment", "approval BETWEEN ?1 AND ?2", "approval_comment_is_never_removed"),
    ("approval_assigned", "approval BETWEEN ?1 AND ?2", ""),
    ("approval_snoozed", "approval BETWEEN ?1 AND ?2", ""),
    ("approval", "sequence BETWEEN ?1 AND ?2", "approval_is_never_removed"),
    ("granted", "record BETWEEN ?1 AND ?2", "granted_is_never_removed"),
];

/// Takes records out and puts one in that tells of it, in one transaction.
pub(super) fn remove(
    connection: &mut Connection,
    removal: &Removal<'_>,
    body: Body,
    known: Option<Anchor>,
) -> rusqlite::Result<Removed> {
    // What is deleted is overwritten, page by page.
    connection.query_row("PRAGMA secure_delete = ON", [], |_| Ok(()))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Removal { first, last: end, count, copies, .. } = *removal;
    let range = params![signed(first), signed(end.sequence)];
    let newest = last(&transaction)?;
    let known_holds = holds(&transaction, known, newest)?;
    let there: i64 = transaction.query_row(
        "SELECT count(*) FROM record WHERE sequence BETWEEN ?1 AND ?2",
        range,
        |row| row.get(0),
    )?;
    if there > 0 {
        let hash = "SELECT hash FROM record WHERE sequence = ?1";
        let hash = transaction.query_row(hash, [signed(end.sequence)], |row| row.get(0));
        let hash = hash.map(|hash: String| hash.parse().unwrap_or(Hash::GENESIS));
        if there != signed(count) || hash.ok() != Some(end.hash) || newest.sequence <= end.sequence
        {
            return Ok(Removed::Other);
        }
        transaction.execute_batch("DROP TRIGGER IF EXISTS record_is_never_removed")?;
        let gone =
            transaction.execute("DELETE FROM record WHERE sequence BETWEEN ?1 AND ?2", range)?;
        if gone as u64 != count {
            return Err(rusqlite::Error::StatementChangedRows(gone));
        }
        schema::restore(&transaction)?;
    }
    if let Some(until) = copies
        && !remove_copies(&transaction, (first, end.sequence), until)?
    {
        return Ok(Removed::Waits);
    }
    let anchor = chain(&transaction, body, newest)?;
    transaction.commit()?;
    Ok(Removed::Done(Appended { anchor, known_holds }))
}

/// Whether nobody waits for anything that goes.
fn remove_copies(
    connection: &Connection,
    (first, last): (u64, u64),
    until: i64,
) -> rusqlite::Result<bool> {
    let is_there = |table: &str| -> rusqlite::Result<bool> {
        connection.query_row(
            "SELECT count(*) > 0 FROM sqlite_schema WHERE type = 'table' AND name = ?1",
            [table],
            |row| row.get(0),
        )
    };
    let range = params![signed(first), signed(last)];
    if is_there("approval")? {
        let waits = "SELECT count(*) > 0 FROM approval WHERE sequence BETWEEN ?1 AND ?2 AND status = 'pending'";
        if connection.query_row(waits, range, |row| row.get(0))? {
            return Ok(false);
        }
    }
    for (table, which, trigger) in COPIES {
        if !is_there(table)? {
            continue;
        }
        if !trigger.is_empty() {
            connection.execute_batch(&format!("DROP TRIGGER IF EXISTS {trigger}"))?;
        }
        connection.execute(&format!("DELETE FROM {table} WHERE {which}"), range)?;
    }
    if is_there("repeatable")? {
        connection.execute("DELETE FROM repeatable WHERE time <= ?1", [until])?;
    }
    // The triggers come back, where their tables are.
    for (table, tables) in
        [("approval", REQUESTS), ("approval_project", TEAM), ("approval_comment", TALK)]
    {
        if is_there(table)? {
            connection.execute_batch(tables)?;
        }
    }
    Ok(true)
}

/// Leaves nothing of what was deleted in the database, nor in the log that is written ahead; `false` where others read meanwhile, so that
/// it has to be done again.
pub(super) fn scrub(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("PRAGMA secure_delete = ON", [], |_| Ok(()))?;
    // What is sorted or rebuilt on the way stands in memory, or in a file of the directory for temporary files, which holds only what stays.
    connection.execute_batch("VACUUM")?;
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}
