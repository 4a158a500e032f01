//! Tokens, who logged in, and who decides in whose place, in SQLite. Owns their rows.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{optional_time, parsed, signed, time, unreadable};
use crate::approvals::{
    request::Id,
    token::{Delegation, Holder, LoggedIn, Person, Scopes, Token},
};

const TOKENS: &str = "id, name, holder, scopes, created, expires, revoked, proof, \
    EXISTS (SELECT 1 FROM made_here WHERE made_here.token = token.id), \
    (SELECT text FROM logged_in WHERE logged_in.token = token.id)";

pub(super) fn by_hash(connection: &Connection, hash: &str) -> rusqlite::Result<Option<Token>> {
    let query = format!("SELECT {TOKENS} FROM token WHERE hash = ?1");
    connection.prepare_cached(&query)?.query_row([hash], token_of).optional()
}

pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<Token>> {
    let query = format!("SELECT {TOKENS} FROM token ORDER BY created DESC, id LIMIT 10000");
    let mut statement = connection.prepare_cached(&query)?;
    statement.query_map([], token_of)?.collect()
}

/// How many tokens of one name are looked at.
const OF_NAME: u32 = 100;

pub(super) fn of_name(connection: &Connection, name: &str) -> rusqlite::Result<Vec<Token>> {
    let query =
        format!("SELECT {TOKENS} FROM token WHERE name = ?1 ORDER BY created DESC, id LIMIT ?2");
    let mut statement = connection.prepare_cached(&query)?;
    statement.query_map(params![name, OF_NAME], token_of)?.collect()
}

pub(super) fn admit(connection: &Connection, token: &Token, hash: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO token (id, hash, name, holder, scopes, created, expires, proof) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            token.id.to_string(),
            hash,
            token.name,
            token.holder.name(),
            token.scopes.to_string(),
            token.created.as_microsecond(),
            token.expires.map(Timestamp::as_microsecond),
            token.proof
        ])?;
    let Some(login) = &token.login else { return Ok(()) };
    // It is made of texts and a time.
    let text = serde_json::to_string(login).unwrap_or_default();
    connection
        .prepare_cached("INSERT INTO logged_in (token, text) VALUES (?1, ?2)")?
        .execute(params![token.id.to_string(), text])?;
    connection
        .prepare_cached(
            "INSERT INTO person (name, shown, seen) VALUES (?1, ?2, ?3) \
             ON CONFLICT (name) DO UPDATE SET shown = excluded.shown, seen = excluded.seen",
        )?
        .execute(params![token.name, login.shown, token.created.as_microsecond()])?;
    Ok(())
}

pub(super) fn own(connection: &Connection, id: Id) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO made_here (token) VALUES (?1)")?
        .execute([id.to_string()])?;
    Ok(())
}

pub(super) fn people(connection: &Connection) -> rusqlite::Result<Vec<Person>> {
    let query = "SELECT name, shown, seen FROM person ORDER BY seen DESC, name LIMIT 10000";
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map([], |row| {
        Ok(Person { name: row.get(0)?, shown: row.get(1)?, seen: time(row, 2)? })
    })?;
    rows.collect()
}

pub(super) fn delegate(
    connection: &Connection,
    sequence: u64,
    delegation: &Delegation,
) -> rusqlite::Result<()> {
    let Delegation { id, giver, taker, groups, expires } = delegation;
    let statement = "INSERT INTO delegation (record, id, giver, taker, groups, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    connection.prepare_cached(statement)?.execute(params![
        signed(sequence),
        id.to_string(),
        giver,
        taker,
        // It is made of texts.
        serde_json::to_string(groups).unwrap_or_default(),
        expires.as_microsecond()
    ])?;
    Ok(())
}

pub(super) fn delegations(
    connection: &Connection,
    now: Timestamp,
) -> rusqlite::Result<Vec<Delegation>> {
    let query = "SELECT id, giver, taker, groups, expires FROM delegation WHERE revoked IS NULL AND expires > ?1 \
        ORDER BY record DESC LIMIT 1000";
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map([now.as_microsecond()], |row| {
        let groups: String = row.get(3)?;
        Ok(Delegation {
            id: parsed(row, 0)?,
            giver: row.get(1)?,
            taker: row.get(2)?,
            groups: serde_json::from_str(&groups).map_err(|error| unreadable(3, error))?,
            expires: time(row, 4)?,
        })
    })?;
    rows.collect()
}

fn token_of(row: &Row<'_>) -> rusqlite::Result<Token> {
    let holder: String = row.get(2)?;
    let scopes: String = row.get(3)?;
    let holder = [Holder::Api, Holder::Browser].into_iter().find(|one| one.name() == holder);
    Ok(Token {
        id: parsed(row, 0)?,
        name: row.get(1)?,
        holder: holder.ok_or_else(|| unreadable(2, std::fmt::Error))?,
        // Scopes that are none give nothing: such a token is not one.
        scopes: Scopes::read(&scopes).unwrap_or_default(),
        created: time(row, 4)?,
        expires: optional_time(row, 5)?,
        revoked: optional_time(row, 6)?,
        proof: row.get(7)?,
        made_here: row.get(8)?,
        login: login(row, 9)?,
    })
}

/// What the issuer said of whom; what cannot be read makes the token none, as other rows do.
fn login(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<LoggedIn>> {
    let text: Option<String> = row.get(column)?;
    let read = text.map(|text| serde_json::from_str(&text)).transpose();
    read.map_err(|error| unreadable(column, error))
}
