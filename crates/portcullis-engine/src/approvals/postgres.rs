//! Requests, tokens and grants in PostgreSQL. Owns their rows, and the transaction in which they change together with the record.
//!
//! Several gateways write at once: what steps are about is locked first, always in the same order, so that nobody waits in a circle; and what is
//! decided, used or ended changes by a statement that only an open row passes.

mod figures;
mod inbox;
mod locks;
mod notices;
mod rulings;
mod talk;
mod tokens;

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use portcullis_core::approval::Status;
use serde_json::Value;
use tokio_postgres::{Row, types::ToSql};

use self::locks::Locks;
use super::{
    desk::{Answered, AskedPolicy, Decision, Desk, Ends, PolicyRow, Rows},
    request::{Id, Question, Request, Vote},
    ruling::InForce,
    store::{Done, Kept, Ledger, Once, PAGE, Step, Taken, Which},
    token::{Delegation, Person, Token},
};
use crate::audit::{
    Anchor, AuditError, Body, end_line,
    postgres::{CHANNEL, Conditions, Database, Link, Pen, PostgresStore, Trouble, clean, holds},
    sqlite::{signed, unsigned},
};

/// The version of a request's row.
const VERSION: i32 = 1;

/// The most grants that are looked at: more than any person gave.
const GRANTS: i64 = 1_000;

const COLUMNS: &str = "sequence, id, status, action, tool, risk, session, agent, requester, needed, asked, expires, policy, details, \
    decided, answer, approver, origin, reason, modified, claimed, \
    (SELECT project FROM approval_project WHERE approval_project.approval = approval.sequence)";

const ASK: &str = "INSERT INTO approval (sequence, v, id, status, action, tool, risk, session, agent, requester, needed, \
    asked, expires, policy, details) VALUES ($1, $2, $3, 'pending', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

const UNUSED: &str = "SELECT id FROM approval WHERE action = $1 AND requester = $2 AND session IS NOT DISTINCT FROM $3 \
    AND agent IS NOT DISTINCT FROM $4 AND claimed IS NULL AND (status = 'pending' AND expires > $5 \
    OR status IN ('approved', 'auto_approved') AND $5 - decided <= expires - asked) ORDER BY sequence DESC LIMIT 16";

/// The one statement that decides: whoever comes second changes no row.
const DECIDE: &str = "UPDATE approval SET status = $2, decided = $3, answer = $4, approver = $5, origin = $6, reason = $7, \
    modified = $8 WHERE sequence = $1 AND status = 'pending'";

impl Ledger for PostgresStore {
    fn prepare(&mut self) -> Result<(), AuditError> {
        self.look()
    }

    fn take(
        &mut self,
        steps: &[Step],
        now: Timestamp,
        known: Option<Anchor>,
    ) -> Result<Taken, AuditError> {
        let Some((database, owner)) = self.owner() else {
            let reason = Trouble::Refused("this connection only reads".to_owned());
            return Err(self.explained(reason));
        };
        self.look()?;
        // What was about to be committed when its answer was lost.
        let mut doubted: Option<Taken> = None;
        self.patiently(|link| {
            let certain = steps.iter().filter(|step| records_one(step)).count();
            let certain = i64::try_from(certain).unwrap_or_default();
            let locks = Locks::of(steps);
            let pen = Pen::begin(&database, &owner, link, certain, &locks.queries())?;
            if let Some(taken) = doubted.take_if(|taken| taken.head == pen.from) {
                link.batch("ROLLBACK")?;
                return Ok(taken);
            }
            let (from, known_holds) = (pen.from, holds(link, known, pen.from)?);
            let rows = Transaction { link, pen, database: &database };
            let mut desk = Desk { rows, now };
            let done: Vec<Done> =
                steps.iter().map(|step| desk.step(step)).collect::<Result<_, _>>()?;
            let Transaction { link, mut pen, .. } = desk.rows;
            pen.write(link)?;
            if steps.iter().zip(&done).any(|(step, done)| is_of_interest(step, done)) {
                link.rows("SELECT pg_notify($1, '')", &[&CHANNEL])?;
            }
            let taken = Taken { done, head: pen.to, known_holds };
            if pen.to != from {
                doubted = Some(taken.clone());
            }
            link.batch("COMMIT")?;
            Ok(taken)
        })
    }

    fn request(&mut self, id: Id) -> Result<Option<Request>, AuditError> {
        self.patiently(|link| by_id(link, id, ""))
    }

    fn requests(&mut self, which: &Which) -> Result<Vec<Request>, AuditError> {
        let Which { status, session, requester, within, before, decided_after, limit } = which;
        let within: Option<Vec<String>> =
            within.as_ref().map(|names| names.iter().map(|name| clean(name)).collect());
        let (session, requester) = (session.as_deref().map(clean), requester.as_deref().map(clean));
        let (before, decided_after) = (before.map(signed), decided_after.map(signed));
        let mut asked = Conditions::new(&match status {
            // As the indices on what is pending say it.
            Some(status) => format!("status = '{}'", status.name()),
            None => "true".to_owned(),
        });
        asked.ask("session = ?", session.as_ref());
        asked.ask("requester = ?", requester.as_ref());
        asked.ask("sequence < ?", before.as_ref());
        asked.ask("answer > ?", decided_after.as_ref());
        asked.ask(
            "EXISTS (SELECT 1 FROM approval_project WHERE approval_project.approval = approval.sequence AND project = ANY(?))",
            within.as_ref(),
        );
        let Conditions { text: wanted, parameters } = asked;
        let limit = (*limit).min(PAGE);
        let query = format!(
            "SELECT {COLUMNS} FROM approval WHERE {wanted} ORDER BY sequence DESC LIMIT {limit}"
        );
        self.patiently(|link| {
            let rows = link.rows(&query, &parameters)?;
            let mut requests: Vec<Request> =
                rows.iter().map(request_of).collect::<Result<_, _>>()?;
            for request in &mut requests {
                votes(link, request)?;
            }
            Ok(requests)
        })
    }

    fn pending(&mut self) -> Result<u64, AuditError> {
        let query = "SELECT count(*) FROM approval WHERE status = 'pending'";
        self.patiently(|link| Ok(unsigned(link.one(query, &[])?.try_get(0)?)))
    }

    fn decided(&mut self, ids: &[Id]) -> Result<Vec<Id>, AuditError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let query = "SELECT wanted.id FROM unnest($1::text[]) AS wanted (id) \
            WHERE NOT EXISTS (SELECT 1 FROM approval WHERE approval.id = wanted.id AND status = 'pending')";
        self.patiently(|link| {
            let rows = link.rows(query, &[&texts])?;
            rows.iter().map(|row| parsed(row, 0)).collect()
        })
    }

    fn time(&mut self) -> Result<Timestamp, AuditError> {
        self.now()
    }

    fn wait(&mut self) {
        self.hint();
    }

    fn stamp(&mut self) -> Result<i64, AuditError> {
        // Every change that counts is recorded, and every record counts once in its chain.
        let query = "SELECT coalesce(sum(count), 0)::bigint FROM chain";
        self.patiently(|link| Ok(link.one(query, &[])?.try_get(0)?))
    }

    fn token(&mut self, hash: &str) -> Result<Option<Token>, AuditError> {
        self.patiently(|link| tokens::by_hash(link, hash))
    }

    fn tokens(&mut self) -> Result<Vec<Token>, AuditError> {
        self.patiently(tokens::all)
    }

    fn people(&mut self) -> Result<Vec<Person>, AuditError> {
        self.patiently(tokens::people)
    }

    fn delegations(&mut self, now: Timestamp) -> Result<Vec<Delegation>, AuditError> {
        self.patiently(|link| tokens::delegations(link, now))
    }

    fn in_force(&mut self, now: Timestamp) -> Result<InForce, AuditError> {
        self.patiently(|link| rulings::in_force(link, now))
    }

    fn grants(&mut self, since: Timestamp) -> Result<Vec<Kept>, AuditError> {
        let query = "SELECT id, text, record FROM granted WHERE expires > $1 AND used IS NULL AND revoked IS NULL \
            ORDER BY record DESC LIMIT $2";
        self.patiently(|link| {
            let rows = link.rows(query, &[&since.as_microsecond(), &GRANTS])?;
            let kept = |row: &Row| {
                let record = unsigned(row.try_get(2)?);
                Ok(Kept { id: row.try_get(0)?, text: row.try_get(1)?, record })
            };
            rows.iter().map(kept).collect()
        })
    }
}

/// Whether a step writes one record, whatever else is there.
const fn records_one(step: &Step) -> bool {
    matches!(
        step,
        Step::Note { once: None, .. }
            | Step::Admit { .. }
            | Step::Delegate { .. }
            | Step::Own { .. }
            | Step::Grant { .. }
    )
}

/// Whether other gateways want to hear of a step: not of what is only recorded, since a hint costs every commit a lock.
fn is_of_interest(step: &Step, done: &Done) -> bool {
    match done {
        Done::Noted(_) => matches!(step, Step::Ask { .. } | Step::Tend(_)),
        Done::Answered(request, _) => request.status != Status::Pending,
        Done::Closed(_, closed) => *closed,
        Done::Swept(ids) => !ids.is_empty(),
        Done::Ruled(_) | Done::Revoked(true) => true,
        _ => false,
    }
}

/// The rows, within one transaction.
struct Transaction<'a> {
    link: &'a mut Link,
    pen: Pen,
    database: &'a Arc<Database>,
}

/// That one row was changed. Another gateway was there in between where not, and nothing of this holds.
fn one(changed: u64) -> Result<(), Trouble> {
    if changed == 1 { Ok(()) } else { Err(Trouble::Again("another gateway was there".to_owned())) }
}

impl Rows for Transaction<'_> {
    type Error = Trouble;

    fn record(&mut self, body: Body) -> Result<u64, Trouble> {
        self.pen.record(self.link, body)
    }

    fn answered(&mut self, token: Id, key: &str) -> Result<Option<Answered>, Trouble> {
        let query = "SELECT digest, answer, approval FROM repeatable WHERE token = $1 AND key = $2";
        let row = self.link.maybe(query, &[&token.to_string(), &key])?;
        let answered = |row: Row| {
            let approval: Option<&str> = row.try_get(2)?;
            let approval = approval.and_then(|id| id.parse().ok());
            Ok(Answered { digest: row.try_get(0)?, answer: row.try_get(1)?, approval })
        };
        row.map(answered).transpose()
    }

    fn keep_answer(
        &mut self,
        once: &Once,
        approval: Option<Id>,
        now: Timestamp,
    ) -> Result<(), Trouble> {
        let Once { token, key, digest, answer, for_good: _ } = once;
        let approval = approval.map(|id| id.to_string());
        let statement = "INSERT INTO repeatable (token, key, digest, answer, approval, time) VALUES ($1, $2, $3, $4, $5, $6)";
        let token = token.to_string();
        let parameters: [&(dyn ToSql + Sync); 6] =
            [&token, key, digest, answer, &approval, &now.as_microsecond()];
        one(self.link.change(statement, &parameters)?)
    }

    fn forget_answers(&mut self, before: Timestamp) -> Result<(), Trouble> {
        // What another gateway is at is left to it.
        let statement = "DELETE FROM repeatable WHERE (token, key) IN \
            (SELECT token, key FROM repeatable WHERE time < $1 FOR UPDATE SKIP LOCKED)";
        self.link.change(statement, &[&before.as_microsecond()]).map(drop)
    }

    fn request(&mut self, id: Id) -> Result<Option<Request>, Trouble> {
        by_id(self.link, id, " FOR UPDATE")
    }

    fn ask(&mut self, question: &Question, sequence: u64, now: Timestamp) -> Result<(), Trouble> {
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
        let optional = |text: &Option<String>| text.as_deref().map(clean);
        let parameters: [&(dyn ToSql + Sync); 14] = [
            &signed(sequence),
            &VERSION,
            &id.to_string(),
            &clean(action),
            &clean(tool),
            &risk.name(),
            &optional(session),
            &optional(agent),
            &clean(requester),
            &i64::from(*needed),
            &asked,
            &asked.saturating_add(waited),
            &clean(policy),
            &details,
        ];
        one(self.link.change(ASK, &parameters)?)?;
        let Some(project) = project else { return Ok(()) };
        let statement = "INSERT INTO approval_project (approval, project) VALUES ($1, $2)";
        one(self.link.change(statement, &[&signed(sequence), &clean(project)])?)
    }

    fn unused(&mut self, question: &Question, now: Timestamp) -> Result<Vec<Id>, Trouble> {
        let Question { action, requester, session, agent, .. } = question;
        let optional = |text: &Option<String>| text.as_deref().map(clean);
        let parameters: [&(dyn ToSql + Sync); 5] = [
            &clean(action),
            &clean(requester),
            &optional(session),
            &optional(agent),
            &now.as_microsecond(),
        ];
        let rows = self.link.rows(UNUSED, &parameters)?;
        rows.iter().map(|row| parsed(row, 0)).collect()
    }

    fn waiting(&mut self, requester: &str, most: u32) -> Result<u32, Trouble> {
        let query = "SELECT count(*) FROM (SELECT 1 FROM approval WHERE status = 'pending' AND requester = $1 LIMIT $2) AS counted";
        let row = self.link.one(query, &[&clean(requester), &i64::from(most)])?;
        Ok(u32::try_from(row.try_get::<_, i64>(0)?).unwrap_or(u32::MAX))
    }

    fn vote(
        &mut self,
        sequence: u64,
        (approver, origin): (&str, &str),
        now: Timestamp,
    ) -> Result<(), Trouble> {
        let statement =
            "INSERT INTO approval_vote (approval, approver, origin, time) VALUES ($1, $2, $3, $4)";
        let (approver, origin) = (clean(approver), clean(origin));
        let parameters: [&(dyn ToSql + Sync); 4] =
            [&signed(sequence), &approver, &origin, &now.as_microsecond()];
        one(self.link.change(statement, &parameters)?)
    }

    fn decide(
        &mut self,
        sequence: u64,
        decision: &Decision<'_>,
        answer: u64,
        now: Timestamp,
    ) -> Result<(), Trouble> {
        let Decision { status, by, origin, reason, right: _, modified } = decision;
        let modified = modified.and_then(|modified| serde_json::to_string(modified).ok());
        let parameters: [&(dyn ToSql + Sync); 8] = [
            &signed(sequence),
            &status.name(),
            &now.as_microsecond(),
            &signed(answer),
            &(!by.is_empty()).then(|| clean(by)),
            &clean(origin),
            &reason.map(clean),
            &modified,
        ];
        one(self.link.change(DECIDE, &parameters)?)
    }

    fn claim(&mut self, sequence: u64, now: Timestamp) -> Result<(), Trouble> {
        let statement = "UPDATE approval SET claimed = $2 WHERE sequence = $1 AND claimed IS NULL";
        one(self.link.change(statement, &[&signed(sequence), &now.as_microsecond()])?)
    }

    fn is_recorded(&mut self, request: &Request) -> Result<bool, Trouble> {
        let Some(answer) = request.answer else { return Ok(false) };
        let is_it = |entry: &crate::audit::Entry| {
            entry.kind == crate::audit::Kind::Answer
                && entry.refers_to == Some(request.sequence)
                && entry.outcome.as_deref() == Some(request.status.name())
        };
        if let Some(record) = self.pen.added(answer) {
            return Ok(is_it(&record.entry));
        }
        let query = "SELECT EXISTS (SELECT 1 FROM record WHERE sequence = $1 AND kind = 'answer' AND refers_to = $2 AND outcome = $3)";
        let parameters: [&(dyn ToSql + Sync); 3] =
            [&signed(answer), &signed(request.sequence), &request.status.name()];
        Ok(self.link.one(query, &parameters)?.try_get(0)?)
    }

    fn over(&mut self, now: Timestamp, most: u32) -> Result<Vec<Request>, Trouble> {
        let query = format!(
            "SELECT {COLUMNS} FROM approval WHERE status = 'pending' AND expires <= $1 ORDER BY expires LIMIT $2 FOR UPDATE SKIP LOCKED"
        );
        let rows = self.link.rows(&query, &[&now.as_microsecond(), &i64::from(most)])?;
        rows.iter().map(request_of).collect()
    }

    fn pulse(&mut self, now: Timestamp) -> Result<(), Trouble> {
        let statement = "INSERT INTO pulse (gateway, time) VALUES ($1, $2) ON CONFLICT (gateway) DO UPDATE SET time = excluded.time";
        let parameters: [&(dyn ToSql + Sync); 2] = [&self.database.name(), &now.as_microsecond()];
        one(self.link.change(statement, &parameters)?)
    }

    fn admit(&mut self, token: &Token, hash: &str) -> Result<(), Trouble> {
        tokens::admit(self.link, token, hash)
    }

    fn own(&mut self, id: Id) -> Result<(), Trouble> {
        tokens::own(self.link, id)
    }

    fn delegate(&mut self, sequence: u64, delegation: &Delegation) -> Result<(), Trouble> {
        tokens::delegate(self.link, sequence, delegation)
    }

    fn end(&mut self, what: Ends, id: &str, now: Timestamp) -> Result<Option<bool>, Trouble> {
        let (end, is_there) = match what {
            Ends::Token => (
                "UPDATE token SET revoked = $2 WHERE id = $1 AND revoked IS NULL",
                "SELECT 1 FROM token WHERE id = $1",
            ),
            Ends::Grant => (
                "UPDATE granted SET revoked = $2 WHERE id = $1 AND used IS NULL AND revoked IS NULL",
                "SELECT 1 FROM granted WHERE id = $1",
            ),
            Ends::Delegation => (
                "UPDATE delegation SET revoked = $2 WHERE id = $1 AND revoked IS NULL",
                "SELECT 1 FROM delegation WHERE id = $1",
            ),
            Ends::Link => (
                "UPDATE chat_link SET ended = $2 WHERE id = $1 AND ended IS NULL",
                "SELECT 1 FROM chat_link WHERE id = $1",
            ),
        };
        let id = clean(id);
        if self.link.change(end, &[&id, &now.as_microsecond()])? == 1 {
            return Ok(Some(true));
        }
        Ok(self.link.maybe(is_there, &[&id])?.map(|_| false))
    }

    fn grant(
        &mut self,
        sequence: u64,
        (id, text): (&str, &str),
        expires: Timestamp,
    ) -> Result<(), Trouble> {
        let statement = "INSERT INTO granted (record, id, text, expires) VALUES ($1, $2, $3, $4)";
        let parameters: [&(dyn ToSql + Sync); 4] =
            [&signed(sequence), &id, &text, &expires.as_microsecond()];
        one(self.link.change(statement, &parameters)?)
    }

    fn spend(&mut self, ids: &[String], now: Timestamp) -> Result<bool, Trouble> {
        let ids: BTreeSet<&String> = ids.iter().collect();
        let ids: Vec<&String> = ids.into_iter().collect();
        let held =
            "SELECT count(*) FROM granted WHERE id = ANY($1) AND used IS NULL AND revoked IS NULL";
        let held: i64 = self.link.one(held, &[&ids])?.try_get(0)?;
        if usize::try_from(held) != Ok(ids.len()) {
            return Ok(false);
        }
        let statement =
            "UPDATE granted SET used = $2 WHERE id = ANY($1) AND used IS NULL AND revoked IS NULL";
        let used = self.link.change(statement, &[&ids, &now.as_microsecond()])?;
        if usize::try_from(used) == Ok(ids.len()) { Ok(true) } else { one(0).map(|()| false) }
    }

    fn in_force(&mut self, now: Timestamp) -> Result<InForce, Trouble> {
        rulings::in_force(self.link, now)
    }

    fn keep_policy(&mut self, row: &PolicyRow<'_>) -> Result<(), Trouble> {
        rulings::keep(self.link, row)
    }

    fn asked_policy(&mut self, sequence: u64) -> Result<Option<AskedPolicy>, Trouble> {
        rulings::asked(self.link, sequence)
    }

    fn begin_policy(
        &mut self,
        record: u64,
        since: Timestamp,
        expires: Option<Timestamp>,
    ) -> Result<(), Trouble> {
        rulings::begin(self.link, record, since, expires)
    }

    fn policies_over(&mut self, now: Timestamp) -> Result<Vec<(u64, String)>, Trouble> {
        rulings::over(self.link, now)
    }

    fn end_policy(&mut self, record: u64, now: Timestamp) -> Result<(), Trouble> {
        rulings::end(self.link, record, now)
    }

    fn end_loosened(&mut self, but: Option<u64>, now: Timestamp) -> Result<(), Trouble> {
        rulings::end_loosened(self.link, but, now)
    }

    fn ends_of_chains(&mut self) -> Result<Option<String>, Trouble> {
        let news = "SELECT EXISTS (SELECT 1 FROM record WHERE sequence > coalesce((SELECT max(record) FROM tree_head), 0))";
        if !self.link.one(news, &[])?.try_get::<_, bool>(0)? {
            return Ok(None);
        }
        // The own chain is not among them: this record stands in it.
        let query = "SELECT name, count, sequence, hash FROM chain WHERE name <> $1 AND count > 0 ORDER BY name";
        let rows = self.link.rows(query, &[&self.database.name()])?;
        let mut text = String::new();
        for row in &rows {
            let hash = row.try_get::<_, &str>(3)?.parse();
            let hash =
                hash.map_err(|_| Trouble::Unreadable("the end of a chain is none".into()))?;
            let anchor = Anchor { sequence: unsigned(row.try_get(2)?), hash };
            text.push_str(&end_line(row.try_get(0)?, (anchor, unsigned(row.try_get(1)?))));
            text.push('\n');
        }
        Ok((!text.is_empty()).then_some(text))
    }

    fn keep_ends(&mut self, sequence: u64, text: &str) -> Result<(), Trouble> {
        let statement = "INSERT INTO tree_head (record, text) VALUES ($1, $2)";
        one(self.link.change(statement, &[&signed(sequence), &text])?)
    }
}

fn by_id(link: &mut Link, id: Id, locked: &str) -> Result<Option<Request>, Trouble> {
    let query = format!("SELECT {COLUMNS} FROM approval WHERE id = $1{locked}");
    let Some(row) = link.maybe(&query, &[&id.to_string()])? else { return Ok(None) };
    let mut request = request_of(&row)?;
    votes(link, &mut request)?;
    Ok(Some(request))
}

fn votes(link: &mut Link, request: &mut Request) -> Result<(), Trouble> {
    if request.needed < 2 {
        return Ok(());
    }
    let query =
        "SELECT approver, origin, time FROM approval_vote WHERE approval = $1 ORDER BY time";
    let rows = link.rows(query, &[&signed(request.sequence)])?;
    let vote = |row: &Row| {
        Ok(Vote { approver: row.try_get(0)?, origin: row.try_get(1)?, time: time(row, 2)? })
    };
    request.agreed = rows.iter().map(vote).collect::<Result<_, Trouble>>()?;
    Ok(())
}

fn request_of(row: &Row) -> Result<Request, Trouble> {
    let details: &str = row.try_get(13)?;
    let modified: Option<&str> = row.try_get(19)?;
    let modified = modified.map(serde_json::from_str).transpose();
    Ok(Request {
        sequence: unsigned(row.try_get(0)?),
        id: parsed(row, 1)?,
        status: parsed(row, 2)?,
        action: row.try_get(3)?,
        tool: row.try_get(4)?,
        risk: parsed(row, 5)?,
        session: row.try_get(6)?,
        agent: row.try_get(7)?,
        requester: row.try_get(8)?,
        needed: row.try_get::<_, i64>(9)?.try_into().map_err(|_| unreadable("needed"))?,
        agreed: Vec::new(),
        asked: time(row, 10)?,
        expires: time(row, 11)?,
        policy: row.try_get(12)?,
        details: serde_json::from_str(details).unwrap_or(Value::Null),
        decided: optional_time(row, 14)?,
        answer: row.try_get::<_, Option<i64>>(15)?.map(unsigned),
        approver: row.try_get(16)?,
        origin: row.try_get(17)?,
        reason: row.try_get(18)?,
        modified: modified.map_err(|_| unreadable("modified"))?,
        claimed: optional_time(row, 20)?,
        project: row.try_get(21)?,
    })
}

fn parsed<T: std::str::FromStr>(row: &Row, column: usize) -> Result<T, Trouble> {
    let text: &str = row.try_get(column)?;
    let name = || row.columns().get(column).map_or("", |column| column.name());
    text.parse().map_err(|_| unreadable(name()))
}

fn time(row: &Row, column: usize) -> Result<Timestamp, Trouble> {
    Timestamp::from_microsecond(row.try_get(column)?).map_err(|_| unreadable("time"))
}

fn optional_time(row: &Row, column: usize) -> Result<Option<Timestamp>, Trouble> {
    let micros: Option<i64> = row.try_get(column)?;
    micros.map(Timestamp::from_microsecond).transpose().map_err(|_| unreadable("time"))
}

fn unreadable(what: &str) -> Trouble {
    Trouble::Unreadable(format!("a row's `{what}` is not as we write it"))
}
