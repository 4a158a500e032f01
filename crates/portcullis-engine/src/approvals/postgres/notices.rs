//! Messages about requests, and links of chats, in PostgreSQL. Owns their rows.

use jiff::Timestamp;
use tokio_postgres::{Row, types::ToSql};

use super::{Transaction, one, optional_time, parsed, time, tokens, unreadable};
use crate::{
    approvals::{
        desk::NoticeRows,
        notice::{Account, Link, Notice, Outgoing, PAGE, Sending, Stage},
        request::Id,
        token::Token,
    },
    audit::{
        AuditError,
        postgres::{PostgresStore, Trouble, clean},
    },
};

const NOTICE: &str =
    "id, receiver, request, rewrites, stage, state, attempts, made, due, tried, trouble, receipt";

const LINK: &str = "id, name, expires, team, account, linked, ended";

/// What was told of a request that is decided by now, and is to be told anew.
const OPEN: &str = "state = 'sent' AND stage = 'asked' AND rewrites \
    AND EXISTS (SELECT 1 FROM approval WHERE approval.id = notice.request AND status <> 'pending')";

impl Outgoing for PostgresStore {
    fn notices(
        &mut self,
        state: Option<Sending>,
        within: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<Notice>, AuditError> {
        let query = format!(
            "SELECT {NOTICE} FROM notice WHERE ($1::text IS NULL OR state = $1) AND ($3::text[] IS NULL OR EXISTS \
             (SELECT 1 FROM approval JOIN approval_project ON approval_project.approval = approval.sequence \
             WHERE approval.id = notice.request AND approval_project.project = ANY($3))) ORDER BY made DESC, id LIMIT $2"
        );
        let (state, limit) = (state.map(Sending::name), i64::from(limit.min(PAGE)));
        let within: Option<Vec<String>> =
            within.map(|names| names.iter().map(|name| clean(name)).collect());
        self.patiently(|link| {
            link.rows(&query, &[&state, &limit, &within])?.iter().map(notice_of).collect()
        })
    }

    fn notices_of(&mut self, request: Id) -> Result<Vec<Notice>, AuditError> {
        let query = format!(
            "SELECT {NOTICE} FROM notice WHERE request = $1 ORDER BY coalesce(tried, due), id LIMIT {PAGE}"
        );
        let request = request.to_string();
        self.patiently(|link| link.rows(&query, &[&request])?.iter().map(notice_of).collect())
    }

    fn next_notice(
        &mut self,
        receivers: &[String],
        now: Timestamp,
    ) -> Result<Option<Timestamp>, AuditError> {
        let query = format!(
            "SELECT EXISTS (SELECT 1 FROM notice WHERE {OPEN} AND receiver = ANY($1)), \
             (SELECT min(due) FROM notice WHERE state = 'waiting' AND receiver = ANY($1))"
        );
        self.patiently(|link| {
            let row = link.one(&query, &[&receivers])?;
            if row.try_get(0)? {
                return Ok(Some(now));
            }
            optional_time(&row, 1)
        })
    }

    fn link_of(&mut self, account: &Account) -> Result<Option<Link>, AuditError> {
        let query = format!(
            "SELECT {LINK} FROM chat_link WHERE team = $1 AND account = $2 AND linked IS NOT NULL AND ended IS NULL"
        );
        let (team, user) = (clean(&account.team), clean(&account.user));
        self.patiently(|link| {
            link.maybe(&query, &[&team, &user])?.as_ref().map(link_of).transpose()
        })
    }

    fn links(&mut self) -> Result<Vec<Link>, AuditError> {
        let query = format!(
            "SELECT {LINK} FROM chat_link WHERE linked IS NOT NULL AND ended IS NULL ORDER BY linked DESC, id LIMIT {PAGE}"
        );
        self.patiently(|link| link.rows(&query, &[])?.iter().map(link_of).collect())
    }

    fn tokens_of(&mut self, name: &str) -> Result<Vec<Token>, AuditError> {
        self.patiently(|link| tokens::of_name(link, name))
    }
}

impl NoticeRows for Transaction<'_> {
    fn notices_waiting(&mut self, now: Timestamp, most: u32) -> Result<u32, Trouble> {
        let query = "SELECT count(*) FROM (SELECT 1 FROM notice WHERE state = 'waiting' AND due <= $1 LIMIT $2) AS counted";
        let row = self.link.one(query, &[&now.as_microsecond(), &i64::from(most)])?;
        Ok(u32::try_from(row.try_get::<_, i64>(0)?).unwrap_or(u32::MAX))
    }

    fn queue_notice(&mut self, notice: &Notice) -> Result<(), Trouble> {
        let statement = format!(
            "INSERT INTO notice ({NOTICE}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
        );
        let parameters: [&(dyn ToSql + Sync); 12] = [
            &notice.id.to_string(),
            &clean(&notice.receiver),
            &notice.request.to_string(),
            &notice.rewrites,
            &notice.stage.name(),
            &notice.state.name(),
            &i64::from(notice.attempts),
            &notice.made.as_microsecond(),
            &notice.due.as_microsecond(),
            &notice.tried.map(Timestamp::as_microsecond),
            &notice.trouble.as_deref().map(clean),
            &notice.receipt.as_deref().map(clean),
        ];
        one(self.link.change(&statement, &parameters)?)
    }

    fn notice(&mut self, id: Id) -> Result<Option<Notice>, Trouble> {
        let query = format!("SELECT {NOTICE} FROM notice WHERE id = $1 FOR UPDATE");
        self.link.maybe(&query, &[&id.to_string()])?.as_ref().map(notice_of).transpose()
    }

    fn due_notices(
        &mut self,
        receivers: &[String],
        now: Timestamp,
        most: u32,
    ) -> Result<Vec<Notice>, Trouble> {
        let query = format!(
            "SELECT {NOTICE} FROM notice WHERE (state = 'waiting' AND due <= $1 OR {OPEN}) AND receiver = ANY($2) \
             ORDER BY due, id LIMIT $3 FOR UPDATE SKIP LOCKED"
        );
        let parameters: [&(dyn ToSql + Sync); 3] =
            [&now.as_microsecond(), &receivers, &i64::from(most)];
        self.link.rows(&query, &parameters)?.iter().map(notice_of).collect()
    }

    fn keep_notice(&mut self, notice: &Notice) -> Result<(), Trouble> {
        let statement = "UPDATE notice SET stage = $2, state = $3, attempts = $4, due = $5, tried = $6, trouble = $7, receipt = $8 \
            WHERE id = $1";
        let parameters: [&(dyn ToSql + Sync); 8] = [
            &notice.id.to_string(),
            &notice.stage.name(),
            &notice.state.name(),
            &i64::from(notice.attempts),
            &notice.due.as_microsecond(),
            &notice.tried.map(Timestamp::as_microsecond),
            &notice.trouble.as_deref().map(clean),
            &notice.receipt.as_deref().map(clean),
        ];
        one(self.link.change(statement, &parameters)?)
    }

    fn tidy_notices(&mut self, waits: Timestamp, made: Timestamp) -> Result<(), Trouble> {
        // What another gateway is at is left to it.
        let statement = "UPDATE notice SET state = 'dead', trouble = coalesce(trouble, 'nobody delivered it in time') \
            WHERE id IN (SELECT id FROM notice WHERE state = 'waiting' AND made < $1 FOR UPDATE SKIP LOCKED)";
        self.link.change(statement, &[&waits.as_microsecond()])?;
        let statement = "DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE made < $1 FOR UPDATE SKIP LOCKED)";
        self.link.change(statement, &[&made.as_microsecond()]).map(drop)
    }

    fn begin_link(&mut self, link: &Link, code: &str) -> Result<(), Trouble> {
        let statement = "INSERT INTO chat_link (id, name, code, expires) VALUES ($1, $2, $3, $4)";
        let parameters: [&(dyn ToSql + Sync); 4] =
            [&link.id.to_string(), &clean(&link.name), &code, &link.expires.as_microsecond()];
        one(self.link.change(statement, &parameters)?)
    }

    fn begun_link(&mut self, code: &str, now: Timestamp) -> Result<Option<Link>, Trouble> {
        let query = format!(
            "SELECT {LINK} FROM chat_link WHERE code = $1 AND expires > $2 AND linked IS NULL AND ended IS NULL FOR UPDATE"
        );
        let row = self.link.maybe(&query, &[&code, &now.as_microsecond()])?;
        row.as_ref().map(link_of).transpose()
    }

    fn end_links_of(&mut self, account: &Account, now: Timestamp) -> Result<(), Trouble> {
        let statement =
            "UPDATE chat_link SET ended = $3 WHERE team = $1 AND account = $2 AND ended IS NULL";
        let parameters: [&(dyn ToSql + Sync); 3] =
            [&clean(&account.team), &clean(&account.user), &now.as_microsecond()];
        self.link.change(statement, &parameters).map(drop)
    }

    fn link(&mut self, id: Id, account: &Account, now: Timestamp) -> Result<(), Trouble> {
        let statement = "UPDATE chat_link SET team = $2, account = $3, linked = $4 WHERE id = $1 AND linked IS NULL";
        let parameters: [&(dyn ToSql + Sync); 4] =
            [&id.to_string(), &clean(&account.team), &clean(&account.user), &now.as_microsecond()];
        one(self.link.change(statement, &parameters)?)
    }
}

fn notice_of(row: &Row) -> Result<Notice, Trouble> {
    let (stage, state): (&str, &str) = (row.try_get(4)?, row.try_get(5)?);
    let attempts: i64 = row.try_get(6)?;
    Ok(Notice {
        id: parsed(row, 0)?,
        receiver: row.try_get(1)?,
        request: parsed(row, 2)?,
        rewrites: row.try_get(3)?,
        stage: Stage::read(stage).ok_or_else(|| unreadable("stage"))?,
        state: Sending::read(state).ok_or_else(|| unreadable("state"))?,
        attempts: u32::try_from(attempts).map_err(|_| unreadable("attempts"))?,
        made: time(row, 7)?,
        due: time(row, 8)?,
        tried: optional_time(row, 9)?,
        trouble: row.try_get(10)?,
        receipt: row.try_get(11)?,
    })
}

fn link_of(row: &Row) -> Result<Link, Trouble> {
    let (team, user): (Option<String>, Option<String>) = (row.try_get(3)?, row.try_get(4)?);
    Ok(Link {
        id: parsed(row, 0)?,
        name: row.try_get(1)?,
        expires: time(row, 2)?,
        account: team.zip(user).map(|(team, user)| Account { team, user }),
        linked: optional_time(row, 5)?,
        ended: optional_time(row, 6)?,
    })
}
