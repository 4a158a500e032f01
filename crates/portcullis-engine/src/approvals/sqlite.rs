//! Requests, tokens and grants in the record's SQLite file. Owns their tables and the transaction in which they change together with the record.

mod figures;
mod inbox;
mod notices;
mod rulings;
mod talk;
mod tokens;

use jiff::Timestamp;
use portcullis_core::risk::Risk;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params, types::Type};
use serde_json::Value;

use super::{
    desk::{Answered, AskedPolicy, Decision, Desk, Ends, PolicyRow, Rows},
    request::{Id, Question, Request, Vote},
    ruling::InForce,
    store::{Kept, Ledger, Once, PAGE, Step, Taken, Which},
    token::{Delegation, Person, Token},
};
use crate::audit::{
    Anchor, AuditError, Body, SqliteStore,
    schema::BESIDE,
    sqlite::{chain, holds, last, signed, unsigned},
};

/// The version of a request's row.
const VERSION: i64 = 1;

/// The most grants that are looked at: more than any person gave.
const GRANTS: u32 = 1_000;

const ASK: &str = "INSERT INTO approval (sequence, v, id, status, action, tool, risk, session, agent, requester, needed, \
    asked, expires, policy, details) VALUES (?1, ?2, ?3, 'pending', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

const PULSE: &str = "INSERT INTO pulse (one, time) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET time = excluded.time";

const COLUMNS: &str = "sequence, v, id, status, action, tool, risk, session, agent, requester, needed, asked, expires, policy, \
    details, decided, answer, approver, origin, reason, modified, claimed, \
    (SELECT project FROM approval_project WHERE approval_project.approval = approval.sequence)";

const UNUSED: &str = "SELECT id FROM approval WHERE action = ?1 AND requester = ?2 AND session IS ?3 AND agent IS ?4 \
    AND claimed IS NULL AND (status = 'pending' AND expires > ?5 \
    OR status IN ('approved', 'auto_approved') AND ?5 - decided <= expires - asked) ORDER BY sequence DESC LIMIT 16";

/// The one statement that decides: whoever comes second changes no row.
const DECIDE: &str = "UPDATE approval SET status = ?2, decided = ?3, answer = ?4, approver = ?5, origin = ?6, reason = ?7, \
    modified = ?8 WHERE sequence = ?1 AND status = 'pending'";

/// How something that is kept is ended.
struct Ending {
    /// Whether it still holds.
    holds: &'static str,
    end: &'static str,
}

const TOKEN: Ending = Ending {
    holds: "SELECT revoked IS NULL FROM token WHERE id = ?1",
    end: "UPDATE token SET revoked = ?2 WHERE id = ?1",
};

const GRANT: Ending = Ending {
    holds: "SELECT used IS NULL AND revoked IS NULL FROM granted WHERE id = ?1",
    end: "UPDATE granted SET revoked = ?2 WHERE id = ?1",
};

const DELEGATION: Ending = Ending {
    holds: "SELECT revoked IS NULL FROM delegation WHERE id = ?1",
    end: "UPDATE delegation SET revoked = ?2 WHERE id = ?1",
};

const LINK: Ending = Ending {
    holds: "SELECT ended IS NULL FROM chat_link WHERE id = ?1",
    end: "UPDATE chat_link SET ended = ?2 WHERE id = ?1",
};

impl Ledger for SqliteStore {
    fn prepare(&mut self) -> Result<(), AuditError> {
        self.patiently(|connection| {
            BESIDE.into_iter().try_for_each(|schema| connection.execute_batch(schema))
        })
    }

    fn take(
        &mut self,
        steps: &[Step],
        now: Timestamp,
        known: Option<Anchor>,
    ) -> Result<Taken, AuditError> {
        self.patiently(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let last = last(&transaction)?;
            let known_holds = holds(&transaction, known, last)?;
            let mut desk = Desk { rows: Transaction { connection: &transaction, head: last }, now };
            let done = steps.iter().map(|step| desk.step(step)).collect::<Result<_, _>>()?;
            let head = desk.rows.head;
            transaction.commit()?;
            Ok(Taken { done, head, known_holds })
        })
    }

    fn request(&mut self, id: Id) -> Result<Option<Request>, AuditError> {
        self.patiently(|connection| by_id(connection, id))
    }

    fn requests(&mut self, which: &Which) -> Result<Vec<Request>, AuditError> {
        let Which { status: _, session, requester, within, before, decided_after, limit } = which;
        let wanted = wanted(which);
        let query = format!("SELECT {COLUMNS} FROM approval WHERE {wanted} DESC LIMIT ?6");
        let within = within.as_ref().map(|names| format!("\n{}\n", names.join("\n")));
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let parameters = params![
                session,
                requester,
                before.map(signed),
                decided_after.map(signed),
                within,
                (*limit).min(PAGE)
            ];
            let rows = statement.query_map(parameters, request_of)?;
            let mut requests: Vec<Request> = rows.collect::<Result<_, _>>()?;
            for request in &mut requests {
                votes(connection, request)?;
            }
            Ok(requests)
        })
    }

    fn pending(&mut self) -> Result<u64, AuditError> {
        let query = "SELECT count(*) FROM approval WHERE status = 'pending'";
        self.patiently(|connection| {
            connection.prepare_cached(query)?.query_row([], |row| row.get(0)).map(unsigned)
        })
    }

    fn decided(&mut self, ids: &[Id]) -> Result<Vec<Id>, AuditError> {
        let query = "SELECT 1 FROM approval WHERE id = ?1 AND status = 'pending'";
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(query)?;
            let mut decided = Vec::new();
            for id in ids {
                if !statement.exists([id.to_string()])? {
                    decided.push(*id);
                }
            }
            Ok(decided)
        })
    }

    fn stamp(&mut self) -> Result<i64, AuditError> {
        self.patiently(|connection| {
            connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
        })
    }

    fn token(&mut self, hash: &str) -> Result<Option<Token>, AuditError> {
        self.patiently(|connection| tokens::by_hash(connection, hash))
    }

    fn tokens(&mut self) -> Result<Vec<Token>, AuditError> {
        self.patiently(|connection| tokens::all(connection))
    }

    fn people(&mut self) -> Result<Vec<Person>, AuditError> {
        self.patiently(|connection| tokens::people(connection))
    }

    fn delegations(&mut self, now: Timestamp) -> Result<Vec<Delegation>, AuditError> {
        self.patiently(|connection| tokens::delegations(connection, now))
    }

    fn in_force(&mut self, now: Timestamp) -> Result<InForce, AuditError> {
        self.patiently(|connection| rulings::in_force(connection, now))
    }

    fn grants(&mut self, since: Timestamp) -> Result<Vec<Kept>, AuditError> {
        let query = "SELECT id, text, record FROM granted WHERE expires > ?1 AND used IS NULL AND revoked IS NULL \
            ORDER BY record DESC LIMIT ?2";
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(query)?;
            let rows = statement.query_map(params![since.as_microsecond(), GRANTS], |row| {
                Ok(Kept { id: row.get(0)?, text: row.get(1)?, record: unsigned(row.get(2)?) })
            })?;
            rows.collect()
        })
    }
}

/// The conditions that are asked for and no others, and the order, so that the indices serve them: who waits for decisions asks often.
fn wanted(which: &Which) -> String {
    let Which { status, session, requester, within, before, decided_after, limit: _ } = which;
    let mut wanted = match status {
        // As the indices on what is pending say it.
        Some(status) => format!("status = '{}'", status.name()),
        None => "true".to_owned(),
    };
    let conditions = [
        (session.is_some(), " AND session = ?1"),
        (requester.is_some(), " AND requester = ?2"),
        (before.is_some(), " AND sequence < ?3"),
        (decided_after.is_some(), " AND answer > ?4"),
        (
            within.is_some(),
            " AND EXISTS (SELECT 1 FROM approval_project WHERE approval_project.approval = approval.sequence \
             AND instr(?5, char(10) || project || char(10)) > 0)",
        ),
    ];
    wanted.extend(conditions.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, text)| text));
    // Sorted afterwards where the index is on something else.
    match decided_after {
        Some(_) => wanted.push_str(" ORDER BY +sequence"),
        None => wanted.push_str(" ORDER BY sequence"),
    }
    wanted
}

/// The rows, within one transaction.
struct Transaction<'a> {
    connection: &'a Connection,
    head: Anchor,
}

impl Rows for Transaction<'_> {
    type Error = rusqlite::Error;

    fn record(&mut self, body: Body) -> rusqlite::Result<u64> {
        self.head = chain(self.connection, body, self.head)?;
        Ok(self.head.sequence)
    }

    fn answered(&mut self, token: Id, key: &str) -> rusqlite::Result<Option<Answered>> {
        let query = "SELECT digest, answer, approval FROM repeatable WHERE token = ?1 AND key = ?2";
        self.connection
            .prepare_cached(query)?
            .query_row(params![token.to_string(), key], |row| {
                let approval: Option<String> = row.get(2)?;
                let approval = approval.and_then(|id| id.parse().ok());
                Ok(Answered { digest: row.get(0)?, answer: row.get(1)?, approval })
            })
            .optional()
    }

    fn keep_answer(
        &mut self,
        once: &Once,
        approval: Option<Id>,
        now: Timestamp,
    ) -> rusqlite::Result<()> {
        let Once { token, key, digest, answer, for_good: _ } = once;
        self.connection
            .prepare_cached(
                "INSERT INTO repeatable (token, key, digest, answer, approval, time) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                token.to_string(),
                key,
                digest,
                answer,
                approval.map(|id| id.to_string()),
                now.as_microsecond()
            ])?;
        Ok(())
    }

    fn forget_answers(&mut self, before: Timestamp) -> rusqlite::Result<()> {
        let statement = "DELETE FROM repeatable WHERE time < ?1";
        self.connection.prepare_cached(statement)?.execute([before.as_microsecond()])?;
        Ok(())
    }

    fn request(&mut self, id: Id) -> rusqlite::Result<Option<Request>> {
        by_id(self.connection, id)
    }

    fn ask(&mut self, question: &Question, sequence: u64, now: Timestamp) -> rusqlite::Result<()> {
        let Question {
            id,
            action,
            tool,
            risk,
            session,
            agent,
            requester,
            project,
            needed,
            timeout,
            policy,
            details,
            tells: _,
        } = question;
        let asked = now.as_microsecond();
        let waited = i64::try_from(timeout.as_micros()).unwrap_or(i64::MAX);
        // What is shown is made of texts and numbers alone.
        let details = serde_json::to_string(details).unwrap_or_else(|_| "{}".to_owned());
        self.connection.prepare_cached(ASK)?.execute(params![
            signed(sequence),
            VERSION,
            id.to_string(),
            action,
            tool,
            risk.name(),
            session,
            agent,
            requester,
            needed,
            asked,
            asked.saturating_add(waited),
            policy,
            details
        ])?;
        if let Some(project) = project {
            let statement = "INSERT INTO approval_project (approval, project) VALUES (?1, ?2)";
            self.connection
                .prepare_cached(statement)?
                .execute(params![signed(sequence), project])?;
        }
        Ok(())
    }

    fn unused(&mut self, question: &Question, now: Timestamp) -> rusqlite::Result<Vec<Id>> {
        let parameters = params![
            question.action,
            question.requester,
            question.session,
            question.agent,
            now.as_microsecond()
        ];
        let mut statement = self.connection.prepare_cached(UNUSED)?;
        let found = statement.query_map(parameters, |row| row.get::<_, String>(0))?;
        // A row whose id is none can be taken up by nobody.
        found.filter_map(|id| id.map(|id| id.parse().ok()).transpose()).collect()
    }

    fn waiting(&mut self, requester: &str, most: u32) -> rusqlite::Result<u32> {
        let query = "SELECT count(*) FROM (SELECT 1 FROM approval WHERE status = 'pending' AND requester = ?1 LIMIT ?2)";
        self.connection.prepare_cached(query)?.query_row(params![requester, most], |row| row.get(0))
    }

    fn vote(
        &mut self,
        sequence: u64,
        (approver, origin): (&str, &str),
        now: Timestamp,
    ) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO approval_vote (approval, approver, origin, time) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![signed(sequence), approver, origin, now.as_microsecond()])?;
        Ok(())
    }

    fn decide(
        &mut self,
        sequence: u64,
        decision: &Decision<'_>,
        answer: u64,
        now: Timestamp,
    ) -> rusqlite::Result<()> {
        let Decision { status, by, origin, reason, right: _, modified } = decision;
        let modified = modified.and_then(|modified| serde_json::to_string(modified).ok());
        let changed = self.connection.prepare_cached(DECIDE)?.execute(params![
            signed(sequence),
            status.name(),
            now.as_microsecond(),
            signed(answer),
            (!by.is_empty()).then_some(*by),
            origin,
            reason,
            modified
        ])?;
        one(changed)
    }

    fn claim(&mut self, sequence: u64, now: Timestamp) -> rusqlite::Result<()> {
        let statement = "UPDATE approval SET claimed = ?2 WHERE sequence = ?1 AND claimed IS NULL";
        let parameters = params![signed(sequence), now.as_microsecond()];
        one(self.connection.prepare_cached(statement)?.execute(parameters)?)
    }

    fn is_recorded(&mut self, request: &Request) -> rusqlite::Result<bool> {
        let query = "SELECT count(*) FROM record WHERE sequence = ?1 AND kind = 'answer' AND refers_to = ?2 AND outcome = ?3";
        let parameters =
            params![request.answer.map(signed), signed(request.sequence), request.status.name()];
        let count: i64 =
            self.connection.prepare_cached(query)?.query_row(parameters, |row| row.get(0))?;
        Ok(count == 1)
    }

    fn over(&mut self, now: Timestamp, most: u32) -> rusqlite::Result<Vec<Request>> {
        let query = format!(
            "SELECT {COLUMNS} FROM approval WHERE status = 'pending' AND expires <= ?1 ORDER BY expires LIMIT ?2"
        );
        self.connection
            .prepare_cached(&query)?
            .query_map(params![now.as_microsecond(), most], request_of)?
            .collect()
    }

    fn pulse(&mut self, now: Timestamp) -> rusqlite::Result<()> {
        self.connection.prepare_cached(PULSE)?.execute([now.as_microsecond()])?;
        Ok(())
    }

    fn admit(&mut self, token: &Token, hash: &str) -> rusqlite::Result<()> {
        tokens::admit(self.connection, token, hash)
    }

    fn own(&mut self, id: Id) -> rusqlite::Result<()> {
        tokens::own(self.connection, id)
    }

    fn delegate(&mut self, sequence: u64, delegation: &Delegation) -> rusqlite::Result<()> {
        tokens::delegate(self.connection, sequence, delegation)
    }

    fn end(&mut self, what: Ends, id: &str, now: Timestamp) -> rusqlite::Result<Option<bool>> {
        let Ending { holds, end } = match what {
            Ends::Token => TOKEN,
            Ends::Grant => GRANT,
            Ends::Delegation => DELEGATION,
            Ends::Link => LINK,
        };
        let holds: Option<bool> =
            self.connection.prepare_cached(holds)?.query_row([id], |row| row.get(0)).optional()?;
        if holds == Some(true) {
            one(self
                .connection
                .prepare_cached(end)?
                .execute(params![id, now.as_microsecond()])?)?;
        }
        Ok(holds)
    }

    fn grant(
        &mut self,
        sequence: u64,
        (id, text): (&str, &str),
        expires: Timestamp,
    ) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO granted (record, id, text, expires) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![signed(sequence), id, text, expires.as_microsecond()])?;
        Ok(())
    }

    fn spend(&mut self, ids: &[String], now: Timestamp) -> rusqlite::Result<bool> {
        let held = "SELECT 1 FROM granted WHERE id = ?1 AND used IS NULL AND revoked IS NULL";
        for id in ids {
            if !self.connection.prepare_cached(held)?.exists([id])? {
                return Ok(false);
            }
        }
        for id in ids {
            self.connection
                .prepare_cached("UPDATE granted SET used = ?2 WHERE id = ?1")?
                .execute(params![id, now.as_microsecond()])?;
        }
        Ok(true)
    }

    fn in_force(&mut self, now: Timestamp) -> rusqlite::Result<InForce> {
        rulings::in_force(self.connection, now)
    }

    fn keep_policy(&mut self, row: &PolicyRow<'_>) -> rusqlite::Result<()> {
        rulings::keep(self.connection, row)
    }

    fn asked_policy(&mut self, sequence: u64) -> rusqlite::Result<Option<AskedPolicy>> {
        rulings::asked(self.connection, sequence)
    }

    fn begin_policy(
        &mut self,
        record: u64,
        since: Timestamp,
        expires: Option<Timestamp>,
    ) -> rusqlite::Result<()> {
        rulings::begin(self.connection, record, since, expires)
    }

    fn policies_over(&mut self, now: Timestamp) -> rusqlite::Result<Vec<(u64, String)>> {
        rulings::over(self.connection, now)
    }

    fn end_policy(&mut self, record: u64, now: Timestamp) -> rusqlite::Result<()> {
        rulings::end(self.connection, record, now)
    }

    fn end_loosened(&mut self, but: Option<u64>, now: Timestamp) -> rusqlite::Result<()> {
        rulings::end_loosened(self.connection, but, now)
    }

    fn ends_of_chains(&mut self) -> rusqlite::Result<Option<String>> {
        // One file has one chain, and `head` vouches for it.
        Ok(None)
    }

    fn keep_ends(&mut self, _sequence: u64, _text: &str) -> rusqlite::Result<()> {
        Ok(())
    }
}

/// That one row was changed, as nobody comes between.
fn one(changed: usize) -> rusqlite::Result<()> {
    if changed == 1 { Ok(()) } else { Err(rusqlite::Error::StatementChangedRows(changed)) }
}

fn by_id(connection: &Connection, id: Id) -> rusqlite::Result<Option<Request>> {
    let query = format!("SELECT {COLUMNS} FROM approval WHERE id = ?1");
    let found =
        connection.prepare_cached(&query)?.query_row([id.to_string()], request_of).optional()?;
    let Some(mut request) = found else { return Ok(None) };
    votes(connection, &mut request)?;
    Ok(Some(request))
}

fn votes(connection: &Connection, request: &mut Request) -> rusqlite::Result<()> {
    if request.needed < 2 {
        return Ok(());
    }
    let query =
        "SELECT approver, origin, time FROM approval_vote WHERE approval = ?1 ORDER BY time";
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map([signed(request.sequence)], |row| {
        Ok(Vote { approver: row.get(0)?, origin: row.get(1)?, time: time(row, 2)? })
    })?;
    request.agreed = rows.collect::<Result<_, _>>()?;
    Ok(())
}

fn request_of(row: &Row<'_>) -> rusqlite::Result<Request> {
    let status: String = row.get(3)?;
    let risk: String = row.get(6)?;
    let details: String = row.get(14)?;
    let modified: Option<String> = row.get(20)?;
    let modified = modified.map(|text| serde_json::from_str(&text)).transpose();
    Ok(Request {
        sequence: unsigned(row.get(0)?),
        id: parsed(row, 2)?,
        status: status.parse().map_err(|error| unreadable(3, error))?,
        action: row.get(4)?,
        tool: row.get(5)?,
        risk: risk.parse::<Risk>().map_err(|error| unreadable(6, error))?,
        session: row.get(7)?,
        agent: row.get(8)?,
        requester: row.get(9)?,
        needed: row.get(10)?,
        agreed: Vec::new(),
        asked: time(row, 11)?,
        expires: time(row, 12)?,
        policy: row.get(13)?,
        details: serde_json::from_str(&details).unwrap_or(Value::Null),
        decided: optional_time(row, 15)?,
        answer: row.get::<_, Option<i64>>(16)?.map(unsigned),
        approver: row.get(17)?,
        origin: row.get(18)?,
        reason: row.get(19)?,
        modified: modified.map_err(|error| unreadable(20, error))?,
        claimed: optional_time(row, 21)?,
        project: row.get(22)?,
    })
}

fn parsed(row: &Row<'_>, column: usize) -> rusqlite::Result<Id> {
    let text: String = row.get(column)?;
    text.parse().map_err(|error| unreadable(column, error))
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Timestamp::from_microsecond(row.get(column)?).map_err(|error| unreadable(column, error))
}

fn optional_time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let micros: Option<i64> = row.get(column)?;
    micros.map(Timestamp::from_microsecond).transpose().map_err(|error| unreadable(column, error))
}

fn unreadable(
    column: usize,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}
