//! Messages about requests, and links of chats, in SQLite. Owns their rows.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, ToSql, params, params_from_iter};

use super::{Transaction, one, optional_time, parsed, time, tokens, unreadable};
use crate::{
    approvals::{
        desk::NoticeRows,
        notice::{Account, Link, Notice, Outgoing, PAGE, Sending, Stage},
        request::Id,
        token::Token,
    },
    audit::{AuditError, SqliteStore},
};

const NOTICE: &str =
    "id, receiver, request, rewrites, stage, state, attempts, made, due, tried, trouble, receipt";

const LINK: &str = "id, name, expires, team, account, linked, ended";

/// What was told of a request that is decided by now, and is to be told anew.
const OPEN: &str = "state = 'sent' AND stage = 'asked' AND rewrites = 1 \
    AND EXISTS (SELECT 1 FROM approval WHERE approval.id = notice.request AND status <> 'pending')";

impl Outgoing for SqliteStore {
    fn notices(
        &mut self,
        state: Option<Sending>,
        within: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<Notice>, AuditError> {
        let of_these = within.map_or_else(String::new, |names| {
            format!(
                " AND EXISTS (SELECT 1 FROM approval JOIN approval_project ON approval_project.approval = approval.sequence \
                 WHERE approval.id = notice.request AND approval_project.project IN ({}))",
                among(names, 3)
            )
        });
        let query = format!(
            "SELECT {NOTICE} FROM notice WHERE (?1 IS NULL OR state = ?1){of_these} ORDER BY made DESC, id LIMIT ?2"
        );
        let (state, limit) = (state.map(Sending::name), limit.min(PAGE));
        let mut parameters: Vec<&dyn ToSql> = vec![&state, &limit];
        parameters.extend(within.into_iter().flatten().map(|name| name as &dyn ToSql));
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            statement.query_map(&parameters[..], notice_of)?.collect()
        })
    }

    fn notices_of(&mut self, request: Id) -> Result<Vec<Notice>, AuditError> {
        let query = format!(
            "SELECT {NOTICE} FROM notice WHERE request = ?1 ORDER BY coalesce(tried, due), id LIMIT {PAGE}"
        );
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            statement.query_map([request.to_string()], notice_of)?.collect()
        })
    }

    fn next_notice(
        &mut self,
        receivers: &[String],
        now: Timestamp,
    ) -> Result<Option<Timestamp>, AuditError> {
        self.patiently(|connection| {
            let among = among(receivers, 1);
            let open = format!("SELECT 1 FROM notice WHERE {OPEN} AND receiver IN ({among})");
            if connection.prepare_cached(&open)?.exists(params_from_iter(receivers))? {
                return Ok(Some(now));
            }
            let next = format!(
                "SELECT min(due) FROM notice WHERE state = 'waiting' AND receiver IN ({among})"
            );
            let mut statement = connection.prepare_cached(&next)?;
            statement.query_row(params_from_iter(receivers), |row| optional_time(row, 0))
        })
    }

    fn link_of(&mut self, account: &Account) -> Result<Option<Link>, AuditError> {
        let query = format!(
            "SELECT {LINK} FROM chat_link WHERE team = ?1 AND account = ?2 AND linked IS NOT NULL AND ended IS NULL"
        );
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            statement.query_row([&account.team, &account.user], link_of).optional()
        })
    }

    fn links(&mut self) -> Result<Vec<Link>, AuditError> {
        let query = format!(
            "SELECT {LINK} FROM chat_link WHERE linked IS NOT NULL AND ended IS NULL ORDER BY linked DESC, id LIMIT {PAGE}"
        );
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            statement.query_map([], link_of)?.collect()
        })
    }

    fn tokens_of(&mut self, name: &str) -> Result<Vec<Token>, AuditError> {
        self.patiently(|connection| tokens::of_name(connection, name))
    }
}

/// Places for so many parameters, the first of which has a number.
fn among(receivers: &[String], first: usize) -> String {
    let places = (first..).take(receivers.len()).map(|at| format!("?{at}"));
    places.collect::<Vec<_>>().join(", ")
}

impl NoticeRows for Transaction<'_> {
    fn notices_waiting(&mut self, now: Timestamp, most: u32) -> rusqlite::Result<u32> {
        let query = "SELECT count(*) FROM (SELECT 1 FROM notice WHERE state = 'waiting' AND due <= ?1 LIMIT ?2)";
        let parameters = params![now.as_microsecond(), most];
        self.connection.prepare_cached(query)?.query_row(parameters, |row| row.get(0))
    }

    fn queue_notice(&mut self, notice: &Notice) -> rusqlite::Result<()> {
        let statement = format!(
            "INSERT INTO notice ({NOTICE}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        );
        self.connection.prepare_cached(&statement)?.execute(params![
            notice.id.to_string(),
            notice.receiver,
            notice.request.to_string(),
            notice.rewrites,
            notice.stage.name(),
            notice.state.name(),
            notice.attempts,
            notice.made.as_microsecond(),
            notice.due.as_microsecond(),
            notice.tried.map(Timestamp::as_microsecond),
            notice.trouble,
            notice.receipt,
        ])?;
        Ok(())
    }

    fn notice(&mut self, id: Id) -> rusqlite::Result<Option<Notice>> {
        let query = format!("SELECT {NOTICE} FROM notice WHERE id = ?1");
        self.connection.prepare_cached(&query)?.query_row([id.to_string()], notice_of).optional()
    }

    fn due_notices(
        &mut self,
        receivers: &[String],
        now: Timestamp,
        most: u32,
    ) -> rusqlite::Result<Vec<Notice>> {
        let query = format!(
            "SELECT {NOTICE} FROM notice WHERE (state = 'waiting' AND due <= ?1 OR {OPEN}) AND receiver IN ({}) \
             ORDER BY due, id LIMIT ?2",
            among(receivers, 3)
        );
        let now = now.as_microsecond();
        let mut parameters: Vec<&dyn ToSql> = vec![&now, &most];
        parameters.extend(receivers.iter().map(|name| name as &dyn ToSql));
        let mut statement = self.connection.prepare_cached(&query)?;
        statement.query_map(&parameters[..], notice_of)?.collect()
    }

    fn keep_notice(&mut self, notice: &Notice) -> rusqlite::Result<()> {
        let statement = "UPDATE notice SET stage = ?2, state = ?3, attempts = ?4, due = ?5, tried = ?6, trouble = ?7, receipt = ?8 \
            WHERE id = ?1";
        one(self.connection.prepare_cached(statement)?.execute(params![
            notice.id.to_string(),
            notice.stage.name(),
            notice.state.name(),
            notice.attempts,
            notice.due.as_microsecond(),
            notice.tried.map(Timestamp::as_microsecond),
            notice.trouble,
            notice.receipt,
        ])?)
    }

    fn tidy_notices(&mut self, waits: Timestamp, made: Timestamp) -> rusqlite::Result<()> {
        let statement = "UPDATE notice SET state = 'dead', trouble = coalesce(trouble, 'nobody delivered it in time') \
            WHERE state = 'waiting' AND made < ?1";
        self.connection.prepare_cached(statement)?.execute([waits.as_microsecond()])?;
        let statement = "DELETE FROM notice WHERE made < ?1";
        self.connection.prepare_cached(statement)?.execute([made.as_microsecond()])?;
        Ok(())
    }

    fn begin_link(&mut self, link: &Link, code: &str) -> rusqlite::Result<()> {
        let statement = "INSERT INTO chat_link (id, name, code, expires) VALUES (?1, ?2, ?3, ?4)";
        self.connection.prepare_cached(statement)?.execute(params![
            link.id.to_string(),
            link.name,
            code,
            link.expires.as_microsecond()
        ])?;
        Ok(())
    }

    fn begun_link(&mut self, code: &str, now: Timestamp) -> rusqlite::Result<Option<Link>> {
        let query = format!(
            "SELECT {LINK} FROM chat_link WHERE code = ?1 AND expires > ?2 AND linked IS NULL AND ended IS NULL"
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        statement.query_row(params![code, now.as_microsecond()], link_of).optional()
    }

    fn end_links_of(&mut self, account: &Account, now: Timestamp) -> rusqlite::Result<()> {
        let statement =
            "UPDATE chat_link SET ended = ?3 WHERE team = ?1 AND account = ?2 AND ended IS NULL";
        let parameters = params![account.team, account.user, now.as_microsecond()];
        self.connection.prepare_cached(statement)?.execute(parameters)?;
        Ok(())
    }

    fn link(&mut self, id: Id, account: &Account, now: Timestamp) -> rusqlite::Result<()> {
        let statement = "UPDATE chat_link SET team = ?2, account = ?3, linked = ?4 WHERE id = ?1 AND linked IS NULL";
        let parameters = params![id.to_string(), account.team, account.user, now.as_microsecond()];
        one(self.connection.prepare_cached(statement)?.execute(parameters)?)
    }
}

fn notice_of(row: &Row<'_>) -> rusqlite::Result<Notice> {
    let word = |column| row.get::<_, String>(column);
    Ok(Notice {
        id: parsed(row, 0)?,
        receiver: row.get(1)?,
        request: parsed(row, 2)?,
        rewrites: row.get(3)?,
        stage: Stage::read(&word(4)?).ok_or_else(|| unreadable(4, std::fmt::Error))?,
        state: Sending::read(&word(5)?).ok_or_else(|| unreadable(5, std::fmt::Error))?,
        attempts: row.get(6)?,
        made: time(row, 7)?,
        due: time(row, 8)?,
        tried: optional_time(row, 9)?,
        trouble: row.get(10)?,
        receipt: row.get(11)?,
    })
}

fn link_of(row: &Row<'_>) -> rusqlite::Result<Link> {
    let (team, user): (Option<String>, Option<String>) = (row.get(3)?, row.get(4)?);
    Ok(Link {
        id: parsed(row, 0)?,
        name: row.get(1)?,
        expires: time(row, 2)?,
        account: team.zip(user).map(|(team, user)| Account { team, user }),
        linked: optional_time(row, 5)?,
        ended: optional_time(row, 6)?,
    })
}
