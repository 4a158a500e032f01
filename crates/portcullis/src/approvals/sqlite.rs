//! Requests, tokens and grants in the record's SQLite file. Owns their tables and the transaction in which they change together with the record.

mod rulings;

use jiff::{SignedDuration, Timestamp};
use portcullis_core::{
    approval::{self, Refusal, Ruling, Said, Status},
    risk::Risk,
};
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params, types::Type};
use serde_json::Value;

use super::{
    request::{Id, Modified, Question, Request, Vote, since_epoch},
    ruling::InForce,
    store::{Claim, Done, Kept, Ledger, Once, PAGE, Reply, Step, Taken, Unclaimable, Which},
    token::{Holder, Scopes, Token},
};
use crate::audit::{
    Anchor, AuditError, Body, Entry, Kind, SqliteStore,
    schema::{PEOPLE, REQUESTS, RULINGS},
    sqlite::{chain, holds, last, signed, unsigned},
};

/// The version of a request's row.
const VERSION: i64 = 1;

/// How long it is kept what was answered to a call that may be sent again.
const REPEATABLE: SignedDuration = SignedDuration::from_hours(24);

/// The most requests that one step closes; the next closes more.
const SWEPT: u32 = 1_000;

/// The most grants that are looked at: more than any person gave.
const GRANTS: u32 = 1_000;

const ASK: &str = "INSERT INTO approval (sequence, v, id, status, action, tool, risk, session, agent, requester, needed, \
    asked, expires, policy, details) VALUES (?1, ?2, ?3, 'pending', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

const PULSE: &str = "INSERT INTO pulse (one, time) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET time = excluded.time";

const COLUMNS: &str = "sequence, v, id, status, action, tool, risk, session, agent, requester, needed, asked, expires, policy, \
    details, decided, answer, approver, origin, reason, modified, claimed";

const TOKENS: &str = "id, name, holder, scopes, created, expires, revoked, proof, \
    EXISTS (SELECT 1 FROM made_here WHERE made_here.token = token.id)";

const UNUSED: &str = "SELECT id FROM approval WHERE action = ?1 AND requester = ?2 AND session IS ?3 AND agent IS ?4 \
    AND claimed IS NULL AND (status = 'pending' AND expires > ?5 \
    OR status IN ('approved', 'auto_approved') AND ?5 - decided <= expires - asked) ORDER BY sequence DESC LIMIT 16";

/// The worst first; what is not known may be critical.
const WORST: &str = "CASE risk WHEN 'critical' THEN 0 WHEN 'unknown' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3 WHEN 'low' THEN 4 ELSE 5 END";

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

impl Ledger for SqliteStore {
    fn prepare(&mut self) -> Result<(), AuditError> {
        self.patiently(|connection| {
            connection.execute_batch(REQUESTS)?;
            connection.execute_batch(RULINGS)?;
            connection.execute_batch(PEOPLE)
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
            let mut desk = Desk { connection: &transaction, head: last, now };
            let done = steps.iter().map(|step| desk.step(step)).collect::<Result<_, _>>()?;
            let head = desk.head;
            transaction.commit()?;
            Ok(Taken { done, head, known_holds })
        })
    }

    fn request(&mut self, id: Id) -> Result<Option<Request>, AuditError> {
        self.patiently(|connection| by_id(connection, id))
    }

    fn requests(&mut self, which: &Which) -> Result<Vec<Request>, AuditError> {
        let Which { status: _, session, requester, before, decided_after, worst_first, limit } =
            which;
        let wanted = wanted(which);
        let order = if *worst_first { "" } else { " DESC" };
        let query = format!("SELECT {COLUMNS} FROM approval WHERE {wanted}{order} LIMIT ?5");
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let parameters = params![
                session,
                requester,
                before.map(signed),
                decided_after.map(signed),
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

    fn pending_by_risk(&mut self) -> Result<Vec<(Risk, u64)>, AuditError> {
        let query = format!(
            "SELECT risk, count(*) FROM approval WHERE status = 'pending' GROUP BY risk ORDER BY {WORST}"
        );
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let rows = statement.query_map([], |row| {
                let risk: String = row.get(0)?;
                let risk = risk.parse().map_err(|error| unreadable(0, error))?;
                Ok((risk, unsigned(row.get(1)?)))
            })?;
            rows.collect()
        })
    }

    fn stamp(&mut self) -> Result<i64, AuditError> {
        self.patiently(|connection| {
            connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
        })
    }

    fn token(&mut self, hash: &str) -> Result<Option<Token>, AuditError> {
        let query = format!("SELECT {TOKENS} FROM token WHERE hash = ?1");
        self.patiently(|connection| {
            connection.prepare_cached(&query)?.query_row([hash], token_of).optional()
        })
    }

    fn tokens(&mut self) -> Result<Vec<Token>, AuditError> {
        let query = format!("SELECT {TOKENS} FROM token ORDER BY created DESC, id LIMIT 10000");
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let tokens = statement.query_map([], token_of)?;
            tokens.collect()
        })
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
    let Which { status, session, requester, before, decided_after, worst_first, limit: _ } = which;
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
    ];
    wanted.extend(conditions.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, text)| text));
    // Sorted afterwards where the index is on something else.
    match decided_after {
        _ if *worst_first => wanted.push_str(&format!(" ORDER BY {WORST}, sequence")),
        Some(_) => wanted.push_str(" ORDER BY +sequence"),
        None => wanted.push_str(" ORDER BY sequence"),
    }
    wanted
}

/// One transaction.
struct Desk<'a> {
    connection: &'a Connection,
    head: Anchor,
    now: Timestamp,
}

impl Desk<'_> {
    fn step(&mut self, step: &Step) -> rusqlite::Result<Done> {
        match step {
            Step::Note { record, once } => {
                if let Some(done) = self.repeated(once.as_ref())? {
                    return Ok(done);
                }
                let sequence = self.record(record.clone())?;
                self.keep(once.as_ref(), None)?;
                Ok(Done::Noted(sequence))
            }
            Step::Ask { question, record, once, resumes, most } => {
                if let Some(done) = self.repeated(once.as_ref())? {
                    return Ok(done);
                }
                if *resumes && let Some(id) = self.unused(question)? {
                    self.record(record.clone())?;
                    return Ok(Done::Repeated(String::new(), Some(id)));
                }
                if self.waiting(&question.requester, *most)? >= *most {
                    return Ok(Done::TooMany);
                }
                let sequence = self.record(record.clone())?;
                self.ask(question, sequence)?;
                self.keep(once.as_ref(), Some(question.id))?;
                Ok(Done::Noted(sequence))
            }
            Step::Answer(reply) => self.answer(reply),
            Step::Close { id, status, by, reason } => {
                let Some(request) = by_id(self.connection, *id)? else { return Ok(Done::Unknown) };
                if request.status != Status::Pending {
                    return Ok(Done::Closed(Box::new(request), false));
                }
                let decided = Decision {
                    status: *status,
                    by,
                    origin: "gate",
                    reason: Some(reason),
                    modified: None,
                };
                Ok(Done::Closed(Box::new(self.decide(request, &decided)?), true))
            }
            Step::Claim(claim) => self.claim(claim),
            Step::Pulse => {
                self.connection.prepare_cached(PULSE)?.execute([self.now.as_microsecond()])?;
                Ok(Done::Alive)
            }
            Step::Sweep => {
                self.end_policies()?;
                self.sweep()
            }
            Step::Rule(wanted) => self.rule(wanted),
            Step::EndLoosened { record } => self.end_early(record),
            Step::Admit { token, hash, record } => {
                self.connection
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
                if token.made_here {
                    self.own(token.id)?;
                }
                self.record(record.clone()).map(Done::Noted)
            }
            Step::Own { id, record } => {
                self.own(*id)?;
                self.record(record.clone()).map(Done::Noted)
            }
            Step::Revoke { id, record } => self.end(&TOKEN, &id.to_string(), record),
            Step::Grant { id, text, expires, record } => {
                let sequence = self.record(record.clone())?;
                self.connection
                    .prepare_cached(
                        "INSERT INTO granted (record, id, text, expires) VALUES (?1, ?2, ?3, ?4)",
                    )?
                    .execute(params![signed(sequence), id, text, expires.as_microsecond()])?;
                Ok(Done::Noted(sequence))
            }
            Step::Spend(ids) => self.spend(ids),
            Step::TakeBack { id, record } => self.end(&GRANT, id, record),
        }
    }

    fn own(&self, id: Id) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached("INSERT OR IGNORE INTO made_here (token) VALUES (?1)")?
            .execute([id.to_string()])?;
        Ok(())
    }

    /// Ends something that is kept, for good.
    fn end(&mut self, ending: &Ending, id: &str, record: &Body) -> rusqlite::Result<Done> {
        let holds: Option<bool> = self
            .connection
            .prepare_cached(ending.holds)?
            .query_row([id], |row| row.get(0))
            .optional()?;
        match holds {
            None => Ok(Done::Unknown),
            Some(false) => Ok(Done::Revoked(false)),
            Some(true) => {
                self.connection
                    .prepare_cached(ending.end)?
                    .execute(params![id, self.now.as_microsecond()])?;
                self.record(record.clone())?;
                Ok(Done::Revoked(true))
            }
        }
    }

    fn spend(&self, ids: &[String]) -> rusqlite::Result<Done> {
        let held = "SELECT 1 FROM granted WHERE id = ?1 AND used IS NULL AND revoked IS NULL";
        for id in ids {
            if !self.connection.prepare_cached(held)?.exists([id])? {
                return Ok(Done::Spent(false));
            }
        }
        for id in ids {
            self.connection
                .prepare_cached("UPDATE granted SET used = ?2 WHERE id = ?1")?
                .execute(params![id, self.now.as_microsecond()])?;
        }
        Ok(Done::Spent(true))
    }

    fn record(&mut self, body: Body) -> rusqlite::Result<u64> {
        self.head = chain(self.connection, body, self.head)?;
        Ok(self.head.sequence)
    }

    fn ask(&self, question: &Question, sequence: u64) -> rusqlite::Result<()> {
        let Question {
            id,
            action,
            tool,
            risk,
            session,
            agent,
            requester,
            needed,
            timeout,
            policy,
            details,
        } = question;
        let asked = self.now.as_microsecond();
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
        Ok(())
    }

    /// The latest request of the same requester and session about the very same action, with the very same files, that still waits, or
    /// that is approved and can be taken up.
    fn unused(&self, question: &Question) -> rusqlite::Result<Option<Id>> {
        let parameters = params![
            question.action,
            question.requester,
            question.session,
            question.agent,
            self.now.as_microsecond()
        ];
        let mut statement = self.connection.prepare_cached(UNUSED)?;
        let found = statement.query_map(parameters, |row| row.get::<_, String>(0))?;
        for id in found {
            let Ok(id) = id?.parse() else { continue };
            // What stands in the files that it starts is a part of what was asked.
            if by_id(self.connection, id)?.is_some_and(|it| it.is_about(&question.details.files)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// How many requests of somebody wait, counted no further than `most`.
    fn waiting(&self, requester: &str, most: u32) -> rusqlite::Result<u32> {
        let query = "SELECT count(*) FROM (SELECT 1 FROM approval WHERE status = 'pending' AND requester = ?1 LIMIT ?2)";
        self.connection.prepare_cached(query)?.query_row(params![requester, most], |row| row.get(0))
    }

    fn answer(&mut self, reply: &Reply) -> rusqlite::Result<Done> {
        let Reply { id, approver, origin, approves, action, reason, modified, counts } = reply;
        let Some(request) = by_id(self.connection, *id)? else { return Ok(Done::Unknown) };
        let said = Said { approver, approves: *approves, action };
        let mut standing = request.standing();
        let for_policy = self.is_for_policy(&request)?;
        if for_policy == Some(true) {
            // Nobody else is there to be asked: they see as a request what they wanted, and say so again.
            standing.requesters.clear();
        }
        match approval::rule(&standing, &said, since_epoch(self.now)) {
            Err(Refusal::TimedOut) => {
                let request = self.time_out(request)?;
                Ok(Done::Answered(Box::new(request), Some(Refusal::TimedOut)))
            }
            Err(refusal) => Ok(Done::Answered(Box::new(request), Some(refusal))),
            Ok(Ruling::OneOfTwo | Ruling::Approved)
                if !counts && (request.needed > 1 || for_policy == Some(false)) =>
            {
                Ok(Done::Answered(Box::new(request), Some(Refusal::MadeByOne)))
            }
            // Else each of two would have agreed to something else.
            Ok(Ruling::OneOfTwo | Ruling::Approved)
                if modified.is_some() && (request.needed > 1 || for_policy.is_some()) =>
            {
                Ok(Done::Answered(Box::new(request), Some(Refusal::Changed)))
            }
            Ok(Ruling::OneOfTwo) => {
                self.connection
                    .prepare_cached(
                        "INSERT INTO approval_vote (approval, approver, origin, time) VALUES (?1, ?2, ?3, ?4)",
                    )?
                    .execute(params![
                        signed(request.sequence),
                        approver,
                        origin,
                        self.now.as_microsecond()
                    ])?;
                let entry = Entry {
                    approver: Some(approver.clone()),
                    outcome: Some("approved by one of two".to_owned()),
                    reason: reason.clone(),
                    ..answer_to(&request)
                };
                self.record(Body::new(&entry, self.now))?;
                let request = by_id(self.connection, *id)?.unwrap_or(request);
                Ok(Done::Answered(Box::new(request), None))
            }
            Ok(ruling) => {
                let mut changed = None;
                if let (Some((modified, entry)), Ruling::Approved) = (modified, ruling) {
                    let entry = Entry { refers_to: Some(request.sequence), ..entry.clone() };
                    self.record(Body::new(&entry, self.now))?;
                    changed = Some(modified);
                }
                let status =
                    if ruling == Ruling::Approved { Status::Approved } else { Status::Denied };
                let decided = Decision {
                    status,
                    by: approver,
                    origin,
                    reason: reason.as_deref(),
                    modified: changed,
                };
                let request = self.decide(request, &decided)?;
                if for_policy.is_some() && request.status == Status::Approved {
                    self.agreed(&request)?;
                }
                Ok(Done::Answered(Box::new(request), None))
            }
        }
    }

    fn time_out(&mut self, request: Request) -> rusqlite::Result<Request> {
        let decided = Decision {
            status: Status::TimedOut,
            by: "",
            origin: "gate",
            reason: Some("nobody decided in time"),
            modified: None,
        };
        self.decide(request, &decided)
    }

    /// Decides a request that is pending: the record of it, and the one statement that changes its state.
    fn decide(&mut self, request: Request, decision: &Decision<'_>) -> rusqlite::Result<Request> {
        let Decision { status, by, origin, reason, modified } = decision;
        let entry = Entry {
            approver: (!by.is_empty()).then(|| (*by).to_owned()),
            outcome: Some(status.name().to_owned()),
            reason: reason.map(str::to_owned),
            preview: modified.map(|modified| format!("changed to {}", modified.action)),
            ..answer_to(&request)
        };
        let answer = self.record(Body::new(&entry, self.now))?;
        let modified = modified.and_then(|modified| serde_json::to_string(modified).ok());
        self.connection.prepare_cached(DECIDE)?.execute(params![
            signed(request.sequence),
            status.name(),
            self.now.as_microsecond(),
            signed(answer),
            (!by.is_empty()).then_some(*by),
            origin,
            reason,
            modified
        ])?;
        Ok(by_id(self.connection, request.id)?.unwrap_or(request))
    }

    fn claim(&mut self, claim: &Claim) -> rusqlite::Result<Done> {
        let Some(request) = by_id(self.connection, claim.id)? else { return Ok(Done::Unknown) };
        let refused = |why| Ok(Done::Unclaimable(why));
        if request.requester != claim.requester {
            return refused(Unclaimable::OtherRequester);
        }
        if !request.status.lets_go_on() {
            return refused(Unclaimable::NotApproved(request.status));
        }
        if request.claimed.is_some() {
            return refused(Unclaimable::Used);
        }
        if request.runs() != claim.action {
            return refused(Unclaimable::OtherAction);
        }
        // As long as it could be decided, it can be taken up afterwards.
        let span = request.expires.duration_since(request.asked);
        let decided = request.decided.unwrap_or(request.asked);
        if self.now.duration_since(decided) > span {
            return refused(Unclaimable::Expired);
        }
        if !self.is_recorded(&request)? {
            return refused(Unclaimable::Unrecorded);
        }
        self.connection
            .prepare_cached("UPDATE approval SET claimed = ?2 WHERE sequence = ?1")?
            .execute(params![signed(request.sequence), self.now.as_microsecond()])?;
        let entry = Entry {
            kind: Kind::Outcome,
            approver: None,
            outcome: Some("taken up".to_owned()),
            action: Some(claim.action.clone()),
            ..answer_to(&request)
        };
        self.record(Body::new(&entry, self.now))?;
        Ok(Done::Claimed(Box::new(by_id(self.connection, claim.id)?.unwrap_or(request))))
    }

    /// Whether the record tells of the decision that the request claims: a row that somebody changed is not believed.
    fn is_recorded(&self, request: &Request) -> rusqlite::Result<bool> {
        let query = "SELECT count(*) FROM record WHERE sequence = ?1 AND kind = 'answer' AND refers_to = ?2 AND outcome = ?3";
        let parameters =
            params![request.answer.map(signed), signed(request.sequence), request.status.name()];
        let count: i64 =
            self.connection.prepare_cached(query)?.query_row(parameters, |row| row.get(0))?;
        Ok(count == 1)
    }

    fn sweep(&mut self) -> rusqlite::Result<Done> {
        let query = format!(
            "SELECT {COLUMNS} FROM approval WHERE status = 'pending' AND expires <= ?1 ORDER BY expires LIMIT ?2"
        );
        let now = self.now.as_microsecond();
        let over: Vec<Request> = self
            .connection
            .prepare_cached(&query)?
            .query_map(params![now, SWEPT], request_of)?
            .collect::<Result<_, _>>()?;
        let mut swept = Vec::with_capacity(over.len());
        for request in over {
            swept.push(request.id);
            self.time_out(request)?;
        }
        let old = self.now.checked_sub(REPEATABLE).unwrap_or(Timestamp::MIN).as_microsecond();
        self.connection.prepare_cached("DELETE FROM repeatable WHERE time < ?1")?.execute([old])?;
        Ok(Done::Swept(swept))
    }

    fn repeated(&self, once: Option<&Once>) -> rusqlite::Result<Option<Done>> {
        let Some(Once { token, key, digest, .. }) = once else { return Ok(None) };
        let query = "SELECT digest, answer, approval FROM repeatable WHERE token = ?1 AND key = ?2";
        let found: Option<(String, String, Option<String>)> = self
            .connection
            .prepare_cached(query)?
            .query_row(params![token.to_string(), key], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        Ok(found.map(|(known, answer, approval)| {
            if known == *digest {
                Done::Repeated(answer, approval.and_then(|id| id.parse().ok()))
            } else {
                Done::KeyReused
            }
        }))
    }

    fn keep(&self, once: Option<&Once>, approval: Option<Id>) -> rusqlite::Result<()> {
        let Some(Once { token, key, digest, answer }) = once else { return Ok(()) };
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
                self.now.as_microsecond()
            ])?;
        Ok(())
    }
}

/// What becomes of a request, by whom.
struct Decision<'a> {
    status: Status,
    by: &'a str,
    origin: &'a str,
    reason: Option<&'a str>,
    modified: Option<&'a Modified>,
}

/// The beginning of every record that answers a request.
fn answer_to(request: &Request) -> Entry {
    Entry {
        refers_to: Some(request.sequence),
        tool: Some(request.tool.clone()),
        risk: Some(request.risk),
        action: Some(request.action.clone()),
        policy: Some(request.policy.clone()),
        session: request.session.clone(),
        agent: request.agent.clone(),
        ..Entry::new(Kind::Answer)
    }
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
    })
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
