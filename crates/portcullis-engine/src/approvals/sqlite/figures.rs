//! What work comes to in numbers, in SQLite. Owns the queries.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Transaction, optional_time, time, unreadable};
use crate::{
    approvals::{
        desk::FigureRows,
        figures::{
            About, COUNTED_FOR, Called, Counts, Figures, Hour, Lasted, Put, hour_written,
            verdict_named,
        },
    },
    audit::{
        AuditError, SqliteStore,
        sqlite::{signed, unsigned},
    },
};

/// Nothing but what the index has.
const PUT: &str = "SELECT sequence, asked, decided, status FROM approval WHERE asked >= ?1 ORDER BY asked DESC LIMIT ?2";

const ABOUT: &str = "SELECT approval.sequence, approval_project.project, record.rules FROM approval \
    LEFT JOIN record ON record.sequence = approval.sequence \
    LEFT JOIN approval_project ON approval_project.approval = approval.sequence \
    WHERE approval.sequence >= ?1 AND approval.sequence <= ?2";

const DECISIONS: &str = "SELECT substr(time, 1, 13), decision, CASE decision WHEN 'allow' THEN '' ELSE rules END, count(*) FROM record \
    WHERE sequence > ?1 AND sequence <= ?2 AND kind = 'decision' AND decision IS NOT NULL GROUP BY 1, 2, 3";

const LASTED: &str = "SELECT session, max(agent), min(time), max(time), sum(decision = 'allow'), sum(decision = 'ask'), sum(decision = 'deny') \
    FROM (SELECT session, agent, time, decision, kind FROM record ORDER BY sequence DESC LIMIT ?1) \
    WHERE kind = 'decision' AND decision IS NOT NULL AND session IS NOT NULL GROUP BY session ORDER BY 4 DESC, session LIMIT ?2";

impl Figures for SqliteStore {
    fn lasted(&mut self, latest: u32, most: u32) -> Result<Vec<Lasted>, AuditError> {
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(LASTED)?;
            statement.query_map([latest, most], lasted_of)?.collect()
        })
    }

    fn called(&mut self, from: i64) -> Result<Vec<Called>, AuditError> {
        let query = "SELECT hour, project, allowed, asked, denied FROM called WHERE hour >= ?1 ORDER BY hour DESC, project LIMIT 100000";
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(query)?;
            statement.query_map([from], called_of)?.collect()
        })
    }

    fn put(&mut self, since: Timestamp, most: u32) -> Result<Vec<Put>, AuditError> {
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(PUT)?;
            statement.query_map(params![since.as_microsecond(), most], put_of)?.collect()
        })
    }

    fn about(&mut self, from: u64, to: u64) -> Result<Vec<About>, AuditError> {
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(ABOUT)?;
            statement.query_map([signed(from), signed(to)], about_of)?.collect()
        })
    }

    fn decisions(&mut self, after: u64, until: u64) -> Result<BTreeMap<i64, Hour>, AuditError> {
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(DECISIONS)?;
            let mut rows = statement.query([signed(after), signed(until)])?;
            let mut hours: BTreeMap<i64, Hour> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let verdict = row.get_ref(1)?.as_str()?;
                let verdict = verdict_named(verdict);
                let (Some(hour), Some(verdict)) =
                    (hour_written(row.get_ref(0)?.as_str()?), verdict)
                else {
                    continue;
                };
                let count = unsigned(row.get(3)?);
                hours.entry(hour).or_default().add(verdict, row.get_ref(2)?.as_str()?, count);
            }
            Ok(hours)
        })
    }

    fn first_from(&mut self, number: u64) -> Result<Option<(u64, Timestamp)>, AuditError> {
        let query =
            "SELECT sequence, time FROM record WHERE sequence >= ?1 ORDER BY sequence LIMIT 1";
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(query)?;
            let first = |row: &Row<'_>| {
                let time: String = row.get(1)?;
                let time = time.parse().map_err(|error| unreadable(1, error))?;
                Ok((unsigned(row.get(0)?), time))
            };
            statement.query_row([signed(number)], first).optional()
        })
    }
}

fn lasted_of(row: &Row<'_>) -> rusqlite::Result<Lasted> {
    let count = |column| row.get(column).map(unsigned);
    Ok(Lasted {
        session: row.get(0)?,
        agent: row.get(1)?,
        first: row.get(2)?,
        last: row.get(3)?,
        counts: Counts { allowed: count(4)?, asked: count(5)?, denied: count(6)? },
    })
}

fn called_of(row: &Row<'_>) -> rusqlite::Result<Called> {
    let count = |column| row.get(column).map(unsigned);
    let counts = Counts { allowed: count(2)?, asked: count(3)?, denied: count(4)? };
    Ok(Called { hour: row.get(0)?, project: row.get(1)?, counts })
}

fn put_of(row: &Row<'_>) -> rusqlite::Result<Put> {
    Ok(Put {
        number: unsigned(row.get(0)?),
        asked: time(row, 1)?,
        decided: optional_time(row, 2)?,
        status: row.get_ref(3)?.as_str()?.parse().map_err(|error| unreadable(3, error))?,
    })
}

fn about_of(row: &Row<'_>) -> rusqlite::Result<About> {
    let rules: Option<String> = row.get(2)?;
    let number = unsigned(row.get(0)?);
    Ok(About { number, project: row.get(1)?, rules: rules.unwrap_or_default() })
}

impl FigureRows for Transaction<'_> {
    fn count_calls(&mut self, called: &[Called], now: i64) -> rusqlite::Result<()> {
        let statement = "INSERT INTO called (hour, project, allowed, asked, denied) VALUES (?1, ?2, ?3, ?4, ?5) \
            ON CONFLICT (hour, project) DO UPDATE SET allowed = allowed + excluded.allowed, asked = asked + excluded.asked, \
            denied = denied + excluded.denied";
        for Called { hour, project, counts: Counts { allowed, asked, denied } } in called {
            let parameters =
                params![hour, project, signed(*allowed), signed(*asked), signed(*denied)];
            self.connection.prepare_cached(statement)?.execute(parameters)?;
        }
        let mut statement = self.connection.prepare_cached("DELETE FROM called WHERE hour < ?1")?;
        statement.execute([now.saturating_sub(COUNTED_FOR)])?;
        Ok(())
    }
}
