//! What work comes to in numbers, in PostgreSQL. Owns the queries.

use std::collections::BTreeMap;

use jiff::Timestamp;
use tokio_postgres::Row;

use super::{Transaction, optional_time, parsed, time};
use crate::{
    approvals::{
        desk::FigureRows,
        figures::{
            About, COUNTED_FOR, Called, Counts, Figures, Hour, Lasted, Put, hour_written,
            verdict_named,
        },
    },
    audit::{
        AuditError,
        postgres::{PostgresStore, Trouble, clean},
        sqlite::{signed, unsigned},
    },
};

/// Nothing but what the index has.
const PUT: &str = "SELECT sequence, asked, decided, status FROM approval WHERE asked >= $1 ORDER BY asked DESC LIMIT $2";

const ABOUT: &str = "SELECT approval.sequence, approval_project.project, record.rules FROM approval \
    LEFT JOIN record ON record.sequence = approval.sequence \
    LEFT JOIN approval_project ON approval_project.approval = approval.sequence \
    WHERE approval.sequence >= $1 AND approval.sequence <= $2";

const DECISIONS: &str = "SELECT substr(time, 1, 13), decision, CASE decision WHEN 'allow' THEN '' ELSE rules END, count(*) FROM record \
    WHERE sequence > $1 AND sequence <= $2 AND kind = 'decision' AND decision IS NOT NULL GROUP BY 1, 2, 3";

/// Each gateway counts its own, so that none waits for another.
const COUNT: &str = "INSERT INTO called (hour, project, gateway, allowed, asked, denied) VALUES ($1, $2, $3, $4, $5, $6) \
    ON CONFLICT (hour, project, gateway) DO UPDATE SET allowed = called.allowed + excluded.allowed, \
    asked = called.asked + excluded.asked, denied = called.denied + excluded.denied";

const LASTED: &str = "SELECT session, max(agent), min(time), max(time), count(*) FILTER (WHERE decision = 'allow'), \
    count(*) FILTER (WHERE decision = 'ask'), count(*) FILTER (WHERE decision = 'deny') \
    FROM (SELECT session, agent, time, decision, kind FROM record ORDER BY sequence DESC LIMIT $1) AS latest \
    WHERE kind = 'decision' AND decision IS NOT NULL AND session IS NOT NULL GROUP BY session ORDER BY 4 DESC, session LIMIT $2";

impl Figures for PostgresStore {
    fn lasted(&mut self, latest: u32, most: u32) -> Result<Vec<Lasted>, AuditError> {
        let (latest, most) = (i64::from(latest), i64::from(most));
        self.patiently(|link| link.rows(LASTED, &[&latest, &most])?.iter().map(lasted_of).collect())
    }

    fn called(&mut self, from: i64) -> Result<Vec<Called>, AuditError> {
        let query = "SELECT hour, project, sum(allowed)::bigint, sum(asked)::bigint, sum(denied)::bigint FROM called \
            WHERE hour >= $1 GROUP BY hour, project ORDER BY hour DESC, project LIMIT 100000";
        self.patiently(|link| link.rows(query, &[&from])?.iter().map(called_of).collect())
    }

    fn put(&mut self, since: Timestamp, most: u32) -> Result<Vec<Put>, AuditError> {
        let since = since.as_microsecond();
        self.patiently(|link| {
            link.rows(PUT, &[&since, &i64::from(most)])?.iter().map(put_of).collect()
        })
    }

    fn about(&mut self, from: u64, to: u64) -> Result<Vec<About>, AuditError> {
        let (from, to) = (signed(from), signed(to));
        self.patiently(|link| link.rows(ABOUT, &[&from, &to])?.iter().map(about_of).collect())
    }

    fn decisions(&mut self, after: u64, until: u64) -> Result<BTreeMap<i64, Hour>, AuditError> {
        self.patiently(|link| {
            let mut hours: BTreeMap<i64, Hour> = BTreeMap::new();
            for row in link.rows(DECISIONS, &[&signed(after), &signed(until)])? {
                let (hour, verdict, rules): (&str, &str, &str) =
                    (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
                let verdict = verdict_named(verdict);
                let (Some(hour), Some(verdict)) = (hour_written(hour), verdict) else { continue };
                let count = unsigned(row.try_get(3)?);
                hours.entry(hour).or_default().add(verdict, rules, count);
            }
            Ok(hours)
        })
    }

    fn first_from(&mut self, number: u64) -> Result<Option<(u64, Timestamp)>, AuditError> {
        let query =
            "SELECT sequence, time FROM record WHERE sequence >= $1 ORDER BY sequence LIMIT 1";
        self.patiently(|link| {
            let Some(row) = link.maybe(query, &[&signed(number)])? else { return Ok(None) };
            let at: &str = row.try_get(1)?;
            // One that cannot be read is the oldest there is: nothing is passed over for it.
            let at = at.parse().unwrap_or(Timestamp::UNIX_EPOCH);
            Ok(Some((unsigned(row.try_get(0)?), at)))
        })
    }
}

fn lasted_of(row: &Row) -> Result<Lasted, Trouble> {
    let count = |column| row.try_get(column).map(unsigned);
    Ok(Lasted {
        session: row.try_get(0)?,
        agent: row.try_get(1)?,
        first: row.try_get(2)?,
        last: row.try_get(3)?,
        counts: Counts { allowed: count(4)?, asked: count(5)?, denied: count(6)? },
    })
}

fn called_of(row: &Row) -> Result<Called, Trouble> {
    let count = |column| row.try_get(column).map(unsigned);
    let counts = Counts { allowed: count(2)?, asked: count(3)?, denied: count(4)? };
    Ok(Called { hour: row.try_get(0)?, project: row.try_get(1)?, counts })
}

fn put_of(row: &Row) -> Result<Put, Trouble> {
    Ok(Put {
        number: unsigned(row.try_get(0)?),
        asked: time(row, 1)?,
        decided: optional_time(row, 2)?,
        status: parsed(row, 3)?,
    })
}

fn about_of(row: &Row) -> Result<About, Trouble> {
    let rules: Option<String> = row.try_get(2)?;
    let number = unsigned(row.try_get(0)?);
    Ok(About { number, project: row.try_get(1)?, rules: rules.unwrap_or_default() })
}

impl FigureRows for Transaction<'_> {
    fn count_calls(&mut self, called: &[Called], now: i64) -> Result<(), Trouble> {
        // Whose rights were not given anew after an upgrade counts nothing, and decides on.
        self.link.batch("SAVEPOINT figures")?;
        let kept = self.kept(called, now);
        let end = if kept.is_ok() { "RELEASE" } else { "ROLLBACK TO" };
        self.link.batch(&format!("{end} SAVEPOINT figures"))
    }
}

impl Transaction<'_> {
    fn kept(&mut self, called: &[Called], now: i64) -> Result<(), Trouble> {
        let gateway = self.database.name();
        for Called { hour, project, counts: Counts { allowed, asked, denied } } in called {
            let (project, counts) =
                (clean(project), [allowed, asked, denied].map(|it| signed(*it)));
            let [allowed, asked, denied] = &counts;
            self.link.change(COUNT, &[hour, &project, &gateway, allowed, asked, denied])?;
        }
        let before = now.saturating_sub(COUNTED_FOR);
        self.link.change("DELETE FROM called WHERE hour < $1", &[&before])?;
        Ok(())
    }
}
