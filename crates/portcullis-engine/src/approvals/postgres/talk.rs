//! What people do about requests without deciding them, in PostgreSQL. Owns the rows.

use jiff::Timestamp;
use tokio_postgres::{Row, types::ToSql};

use super::{Transaction, one, time, unreadable};
use crate::{
    approvals::{
        desk::TalkRows,
        request::Request,
        talk::{Comment, MOST_COMMENTS, Talk, Talks},
    },
    audit::{
        AuditError,
        postgres::{PostgresStore, Trouble, clean},
        sqlite::{signed, unsigned},
    },
};

impl Talks for PostgresStore {
    fn talk(&mut self, request: &Request) -> Result<Talk, AuditError> {
        let comments = format!(
            "SELECT record.sequence, record.approver, record.time, record.preview FROM approval_comment \
             JOIN record ON record.sequence = approval_comment.record WHERE approval_comment.approval = $1 \
             ORDER BY record.sequence LIMIT {MOST_COMMENTS}"
        );
        let approval = signed(request.sequence);
        self.patiently(|link| {
            let rows = link.rows(&comments, &[&approval])?;
            let comments = rows.iter().map(comment_of).collect::<Result<_, _>>()?;
            let assigned = "SELECT person FROM approval_assigned WHERE approval = $1";
            let assigned = link.maybe(assigned, &[&approval])?;
            let assigned = assigned.map(|row| row.try_get(0)).transpose()?;
            let snoozed =
                "SELECT person, until FROM approval_snoozed WHERE approval = $1 ORDER BY person";
            let each = |row: &Row| Ok::<_, Trouble>((row.try_get(0)?, time(row, 1)?));
            let rows = link.rows(snoozed, &[&approval])?;
            let snoozed = rows.iter().map(each).collect::<Result<_, _>>()?;
            Ok(Talk { comments, assigned, snoozed })
        })
    }
}

fn comment_of(row: &Row) -> Result<Comment, Trouble> {
    let (by, text): (Option<String>, Option<String>) = (row.try_get(1)?, row.try_get(3)?);
    let time: &str = row.try_get(2)?;
    Ok(Comment {
        record: unsigned(row.try_get(0)?),
        by: by.unwrap_or_default(),
        time: time.parse().map_err(|_| unreadable("time"))?,
        text: text.unwrap_or_default(),
    })
}

impl TalkRows for Transaction<'_> {
    fn comments(&mut self, approval: u64, most: u32) -> Result<u32, Trouble> {
        let query = "SELECT count(*) FROM (SELECT 1 FROM approval_comment WHERE approval = $1 LIMIT $2) AS counted";
        let row = self.link.one(query, &[&signed(approval), &i64::from(most)])?;
        Ok(u32::try_from(row.try_get::<_, i64>(0)?).unwrap_or(u32::MAX))
    }

    fn comment(&mut self, approval: u64, record: u64) -> Result<(), Trouble> {
        let statement = "INSERT INTO approval_comment (record, approval) VALUES ($1, $2)";
        one(self.link.change(statement, &[&signed(record), &signed(approval)])?)
    }

    fn assign(&mut self, approval: u64, person: Option<&str>) -> Result<(), Trouble> {
        let Some(person) = person else {
            let statement = "DELETE FROM approval_assigned WHERE approval = $1";
            return self.link.change(statement, &[&signed(approval)]).map(drop);
        };
        let statement = "INSERT INTO approval_assigned (approval, person) VALUES ($1, $2) \
            ON CONFLICT (approval) DO UPDATE SET person = excluded.person";
        one(self.link.change(statement, &[&signed(approval), &clean(person)])?)
    }

    fn snooze(
        &mut self,
        approval: u64,
        person: &str,
        until: Option<Timestamp>,
    ) -> Result<(), Trouble> {
        let (approval, person) = (signed(approval), clean(person));
        let Some(until) = until else {
            let statement = "DELETE FROM approval_snoozed WHERE approval = $1 AND person = $2";
            return self.link.change(statement, &[&approval, &person]).map(drop);
        };
        let statement = "INSERT INTO approval_snoozed (approval, person, until) VALUES ($1, $2, $3) \
            ON CONFLICT (approval, person) DO UPDATE SET until = excluded.until";
        let parameters: [&(dyn ToSql + Sync); 3] = [&approval, &person, &until.as_microsecond()];
        one(self.link.change(statement, &parameters)?)
    }
}
