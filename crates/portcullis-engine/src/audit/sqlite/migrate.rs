//! The tables of a record, as each format has them. Owns how an older one becomes the one of now, and what tells that a database is ours.

use rusqlite::Connection;

use super::{super::schema::RECORD, ADDED, APPLICATION, FORMAT, MARKS};

/// Gives a file its schema, unless another process did so first; `false` where the file holds something else.
pub(super) fn begin(connection: &Connection) -> rusqlite::Result<bool> {
    if objects(connection)? != 0 && pragma(connection, "user_version")? == 0 {
        return Ok(false);
    }
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let begun = match pragma(connection, "user_version") {
        Ok(0) => connection.execute_batch(RECORD).and_then(|()| connection.execute_batch(MARKS)),
        other => other.map(drop),
    };
    connection.execute_batch(if begun.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    begun.map(|()| true)
}

/// Makes the file one of the second format, where no other process did; gives the format that it has now.
pub(super) fn migrate(connection: &Connection) -> rusqlite::Result<i64> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let migrated = match pragma(connection, "user_version") {
        Ok(1) => connection.execute_batch(ADDED).map(|()| FORMAT),
        other => other,
    };
    connection.execute_batch(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    migrated
}

/// Whether the file says that it is a record.
pub(super) fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(pragma(connection, "application_id")? == APPLICATION)
}

pub(super) fn objects(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
}

pub(super) fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
}
