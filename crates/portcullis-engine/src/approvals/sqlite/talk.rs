//! What people do about requests without deciding them, in SQLite. Owns the rows.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Transaction, one, time, unreadable};
use crate::{
    approvals::{
        desk::TalkRows,
        request::Request,
        talk::{Comment, MOST_COMMENTS, Talk, Talks},
    },
    audit::{
        AuditError, SqliteStore,
        sqlite::{signed, unsigned},
    },
};

impl Talks for SqliteStore {
    fn talk(&mut self, request: &Request) -> Result<Talk, AuditError> {
        let comments = format!(
            "SELECT record.sequence, record.approver, record.time, record.preview FROM approval_comment \
             JOIN record ON record.sequence = approval_comment.record WHERE approval_comment.approval = ?1 \
             ORDER BY record.sequence LIMIT {MOST_COMMENTS}"
        );
        let approval = signed(request.sequence);
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&comments)?;
            let comments =
                statement.query_map([approval], comment_of)?.collect::<Result<_, _>>()?;
            let assigned = "SELECT person FROM approval_assigned WHERE approval = ?1";
            let assigned = connection
                .prepare_cached(assigned)?
                .query_row([approval], |row| row.get(0))
                .optional()?;
            let snoozed =
                "SELECT person, until FROM approval_snoozed WHERE approval = ?1 ORDER BY person";
            let mut statement = connection.prepare_cached(snoozed)?;
            let snoozed = statement
                .query_map([approval], |row| Ok((row.get(0)?, time(row, 1)?)))?
                .collect::<Result<_, _>>()?;
            Ok(Talk { comments, assigned, snoozed })
        })
    }
}

fn comment_of(row: &Row<'_>) -> rusqlite::Result<Comment> {
    let (by, text): (Option<String>, Option<String>) = (row.get(1)?, row.get(3)?);
    let time: String = row.get(2)?;
    Ok(Comment {
        record: unsigned(row.get(0)?),
        by: by.unwrap_or_default(),
        time: time.parse::<Timestamp>().map_err(|error| unreadable(2, error))?,
        text: text.unwrap_or_default(),
    })
}

impl TalkRows for Transaction<'_> {
    fn comments(&mut self, approval: u64, most: u32) -> rusqlite::Result<u32> {
        let query =
            "SELECT count(*) FROM (SELECT 1 FROM approval_comment WHERE approval = ?1 LIMIT ?2)";
        let parameters = params![signed(approval), most];
        self.connection.prepare_cached(query)?.query_row(parameters, |row| row.get(0))
    }

    fn comment(&mut self, approval: u64, record: u64) -> rusqlite::Result<()> {
        let statement = "INSERT INTO approval_comment (record, approval) VALUES (?1, ?2)";
        let parameters = params![signed(record), signed(approval)];
        one(self.connection.prepare_cached(statement)?.execute(parameters)?)
    }

    fn assign(&mut self, approval: u64, person: Option<&str>) -> rusqlite::Result<()> {
        let Some(person) = person else {
            let statement = "DELETE FROM approval_assigned WHERE approval = ?1";
            return self
                .connection
                .prepare_cached(statement)?
                .execute([signed(approval)])
                .map(drop);
        };
        let statement = "INSERT INTO approval_assigned (approval, person) VALUES (?1, ?2) \
            ON CONFLICT (approval) DO UPDATE SET person = excluded.person";
        one(self
            .connection
            .prepare_cached(statement)?
            .execute(params![signed(approval), person])?)
    }

    fn snooze(
        &mut self,
        approval: u64,
        person: &str,
        until: Option<Timestamp>,
    ) -> rusqlite::Result<()> {
        let Some(until) = until else {
            let statement = "DELETE FROM approval_snoozed WHERE approval = ?1 AND person = ?2";
            let parameters = params![signed(approval), person];
            return self.connection.prepare_cached(statement)?.execute(parameters).map(drop);
        };
        let statement = "INSERT INTO approval_snoozed (approval, person, until) VALUES (?1, ?2, ?3) \
            ON CONFLICT (approval, person) DO UPDATE SET until = excluded.until";
        let parameters = params![signed(approval), person, until.as_microsecond()];
        one(self.connection.prepare_cached(statement)?.execute(parameters)?)
    }
}
