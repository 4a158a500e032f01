//! Tokens, who logged in, and who decides in whose place, in PostgreSQL. Owns their rows.

use jiff::Timestamp;
use tokio_postgres::{Row, types::ToSql};

use super::{one, optional_time, parsed, time, unreadable};
use crate::{
    approvals::{
        request::Id,
        token::{Delegation, Holder, LoggedIn, Person, Scopes, Token},
    },
    audit::{
        postgres::{Link, Trouble, clean},
        sqlite::signed,
    },
};

const TOKENS: &str = "id, name, holder, scopes, created, expires, revoked, proof, \
    EXISTS (SELECT 1 FROM made_here WHERE made_here.token = token.id), \
    (SELECT text FROM logged_in WHERE logged_in.token = token.id)";

pub(super) fn by_hash(link: &mut Link, hash: &str) -> Result<Option<Token>, Trouble> {
    let query = format!("SELECT {TOKENS} FROM token WHERE hash = $1");
    link.maybe(&query, &[&clean(hash)])?.as_ref().map(token_of).transpose()
}

pub(super) fn all(link: &mut Link) -> Result<Vec<Token>, Trouble> {
    let query = format!("SELECT {TOKENS} FROM token ORDER BY created DESC, id LIMIT 10000");
    link.rows(&query, &[])?.iter().map(token_of).collect()
}

/// How many tokens of one name are looked at.
const OF_NAME: i64 = 100;

pub(super) fn of_name(link: &mut Link, name: &str) -> Result<Vec<Token>, Trouble> {
    let query =
        format!("SELECT {TOKENS} FROM token WHERE name = $1 ORDER BY created DESC, id LIMIT $2");
    link.rows(&query, &[&clean(name), &OF_NAME])?.iter().map(token_of).collect()
}

pub(super) fn admit(link: &mut Link, token: &Token, hash: &str) -> Result<(), Trouble> {
    let statement = "INSERT INTO token (id, hash, name, holder, scopes, created, expires, proof) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let parameters: [&(dyn ToSql + Sync); 8] = [
        &token.id.to_string(),
        &hash,
        &clean(&token.name),
        &token.holder.name(),
        &token.scopes.to_string(),
        &token.created.as_microsecond(),
        &token.expires.map(Timestamp::as_microsecond),
        &token.proof,
    ];
    one(link.change(statement, &parameters)?)?;
    let Some(login) = &token.login else { return Ok(()) };
    // It is made of texts and a time, and JSON has other letters for what is no text here.
    let text = serde_json::to_string(login).unwrap_or_default();
    let statement = "INSERT INTO logged_in (token, text) VALUES ($1, $2)";
    one(link.change(statement, &[&token.id.to_string(), &text])?)?;
    let statement = "INSERT INTO person (name, shown, seen) VALUES ($1, $2, $3) \
        ON CONFLICT (name) DO UPDATE SET shown = excluded.shown, seen = excluded.seen";
    let (name, shown) = (clean(&token.name), clean(&login.shown));
    one(link.change(statement, &[&name, &shown, &token.created.as_microsecond()])?)
}

pub(super) fn own(link: &mut Link, id: Id) -> Result<(), Trouble> {
    let statement = "INSERT INTO made_here (token) VALUES ($1) ON CONFLICT DO NOTHING";
    link.change(statement, &[&id.to_string()]).map(drop)
}

pub(super) fn people(link: &mut Link) -> Result<Vec<Person>, Trouble> {
    let query = "SELECT name, shown, seen FROM person ORDER BY seen DESC, name LIMIT 10000";
    let person = |row: &Row| {
        Ok(Person { name: row.try_get(0)?, shown: row.try_get(1)?, seen: time(row, 2)? })
    };
    link.rows(query, &[])?.iter().map(person).collect()
}

pub(super) fn delegate(
    link: &mut Link,
    sequence: u64,
    delegation: &Delegation,
) -> Result<(), Trouble> {
    let Delegation { id, giver, taker, groups, expires } = delegation;
    let statement = "INSERT INTO delegation (record, id, giver, taker, groups, expires) VALUES ($1, $2, $3, $4, $5, $6)";
    // It is made of texts.
    let groups = serde_json::to_string(groups).unwrap_or_default();
    let parameters: [&(dyn ToSql + Sync); 6] = [
        &signed(sequence),
        &id.to_string(),
        &clean(giver),
        &clean(taker),
        &groups,
        &expires.as_microsecond(),
    ];
    one(link.change(statement, &parameters)?)
}

pub(super) fn delegations(link: &mut Link, now: Timestamp) -> Result<Vec<Delegation>, Trouble> {
    let query = "SELECT id, giver, taker, groups, expires FROM delegation WHERE revoked IS NULL AND expires > $1 \
        ORDER BY record DESC LIMIT 1000";
    let delegation = |row: &Row| {
        let groups = serde_json::from_str(row.try_get(3)?);
        Ok(Delegation {
            id: parsed(row, 0)?,
            giver: row.try_get(1)?,
            taker: row.try_get(2)?,
            groups: groups.map_err(|_| unreadable("groups"))?,
            expires: time(row, 4)?,
        })
    };
    link.rows(query, &[&now.as_microsecond()])?.iter().map(delegation).collect()
}

fn token_of(row: &Row) -> Result<Token, Trouble> {
    let (holder, scopes): (&str, &str) = (row.try_get(2)?, row.try_get(3)?);
    let holder = [Holder::Api, Holder::Browser].into_iter().find(|one| one.name() == holder);
    let login: Option<&str> = row.try_get(9)?;
    let login = login.map(serde_json::from_str::<LoggedIn>);
    Ok(Token {
        id: parsed(row, 0)?,
        name: row.try_get(1)?,
        holder: holder.ok_or_else(|| unreadable("holder"))?,
        // Scopes that are none give nothing: such a token is not one.
        scopes: Scopes::read(scopes).unwrap_or_default(),
        created: time(row, 4)?,
        expires: optional_time(row, 5)?,
        revoked: optional_time(row, 6)?,
        proof: row.try_get(7)?,
        made_here: row.try_get(8)?,
        login: login.transpose().map_err(|_| unreadable("logged_in"))?,
    })
}
