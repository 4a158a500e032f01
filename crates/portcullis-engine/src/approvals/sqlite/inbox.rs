//! What waits, looked through in the record's SQLite file. Owns the queries.

use rusqlite::{Connection, Row, ToSql};

use super::{request_of, votes};
use crate::{
    approvals::{
        inbox::{ALIKE, COUNTED, FROM, Glance, Inbox, Pile, RANK, Sought, joined, risk_at},
        store::PAGE,
    },
    audit::{
        AuditError, SqliteStore,
        sqlite::{signed, unsigned},
    },
};
use portcullis_core::risk::Risk;

/// Conditions with their values: only what is asked about stands in them, so that the indices serve them.
struct Conditions {
    text: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Conditions {
    fn of(sought: &Sought) -> Self {
        let Sought {
            within,
            requester,
            session,
            project,
            agent,
            rule,
            risk,
            class,
            asked_before,
            text,
            alike,
            assigned,
            awake,
            after,
            limit: _,
        } = sought;
        let first = "approval.status = 'pending'".to_owned();
        let mut asked = Self { text: first, values: Vec::new() };
        if let Some(within) = within {
            let names = vec!["?"; within.len()].join(", ");
            asked.text.push_str(&format!(" AND approval_project.project IN ({names})"));
            asked.values.extend(within.iter().map(|name| Box::new(name.clone()) as Box<dyn ToSql>));
        }
        asked.ask(" AND approval.requester = ?", requester.clone());
        asked.ask(" AND approval.session = ?", session.clone());
        asked.ask(" AND approval_project.project = ?", project.clone());
        asked.ask(" AND approval.agent = ?", agent.clone());
        let rule = rule.as_ref().map(|rule| format!(" {rule} "));
        asked.ask(" AND instr(' ' || record.rules || ' ', ?) > 0", rule);
        asked.ask(" AND approval.risk = ?", risk.map(Risk::name));
        asked.ask(" AND record.class = ?", class.clone());
        asked.ask(" AND approval.asked < ?", asked_before.map(|time| time.as_microsecond()));
        let text = text.as_ref().map(|text| text.to_ascii_lowercase());
        asked.ask(
            " AND instr(lower(approval.tool || char(10) || coalesce(record.preview, '') || char(10) || coalesce(approval.agent, '') \
             || char(10) || coalesce(approval.session, '') || char(10) || approval.requester), ?) > 0",
            text,
        );
        let alike = alike.map(|id| id.to_string());
        let columns = ALIKE.join(", ");
        asked.ask(
            &format!(" AND ({columns}) = (SELECT {columns} FROM {FROM} WHERE approval.id = ?)"),
            alike,
        );
        asked.ask(
            " AND EXISTS (SELECT 1 FROM approval_assigned WHERE approval_assigned.approval = approval.sequence AND person = ?)",
            assigned.clone(),
        );
        if let Some((person, now)) = awake {
            asked.ask(
                " AND NOT EXISTS (SELECT 1 FROM approval_snoozed WHERE approval_snoozed.approval = approval.sequence AND person = ?",
                Some(person.clone()),
            );
            asked.ask(" AND until > ?)", Some(now.as_microsecond()));
        }
        if let Some(after) = after {
            asked.text.push_str(&format!(" AND ({RANK}, approval.sequence) > (?, ?)"));
            asked.values.push(Box::new(after.rank));
            asked.values.push(Box::new(signed(after.sequence)));
        }
        asked
    }

    fn ask<T: ToSql + 'static>(&mut self, condition: &str, value: Option<T>) {
        if let Some(value) = value {
            self.text.push_str(condition);
            self.values.push(Box::new(value));
        }
    }

    fn values(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(|value| &**value as &dyn ToSql).collect()
    }
}

/// As the columns of a request, without what a person is shown once they open it, and then what its record tells.
const COLUMNS: &str = "approval.sequence, approval.v, approval.id, approval.status, approval.action, approval.tool, approval.risk, \
    approval.session, approval.agent, approval.requester, approval.needed, approval.asked, approval.expires, approval.policy, 'null', \
    approval.decided, approval.answer, approval.approver, approval.origin, approval.reason, approval.modified, approval.claimed, \
    approval_project.project, record.class, record.rules, record.preview, \
    (SELECT person FROM approval_assigned WHERE approval_assigned.approval = approval.sequence)";

impl Inbox for SqliteStore {
    fn waiting(&mut self, sought: &Sought) -> Result<Vec<Glance>, AuditError> {
        let asked = Conditions::of(sought);
        let (wanted, limit) = (&asked.text, sought.limit.min(PAGE));
        let query = format!(
            "SELECT {COLUMNS} FROM {FROM} WHERE {wanted} ORDER BY {RANK}, approval.sequence LIMIT {limit}"
        );
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let rows = statement.query_map(&*asked.values(), glance_of)?;
            let mut glances: Vec<Glance> = rows.collect::<Result<_, _>>()?;
            glances.iter_mut().try_for_each(|one| votes(connection, &mut one.request))?;
            Ok(glances)
        })
    }

    fn piles(&mut self, sought: &Sought) -> Result<Vec<Pile>, AuditError> {
        let asked = Conditions::of(sought);
        let (wanted, limit, alike) = (&asked.text, sought.limit.min(PAGE), ALIKE.join(", "));
        let query = format!(
            "WITH pile AS MATERIALIZED (SELECT min(approval.sequence) AS first, count(*) AS many, {RANK} AS rank FROM {FROM} \
             WHERE {wanted} GROUP BY {alike} ORDER BY rank, first LIMIT {limit}) \
             SELECT {COLUMNS}, pile.many FROM pile CROSS JOIN {FROM} WHERE approval.sequence = pile.first \
             ORDER BY pile.rank, pile.first"
        );
        self.patiently(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let rows = statement.query_map(&*asked.values(), |row| {
                Ok(Pile { first: glance_of(row)?, count: unsigned(row.get(27)?) })
            })?;
            let mut piles: Vec<Pile> = rows.collect::<Result<_, _>>()?;
            piles.iter_mut().try_for_each(|pile| votes(connection, &mut pile.first.request))?;
            Ok(piles)
        })
    }

    fn count_by_risk(&mut self, sought: &Sought) -> Result<Vec<(Risk, u64)>, AuditError> {
        let asked = Conditions::of(sought);
        let wanted = &asked.text;
        let query = format!(
            "SELECT rank, count(*) FROM (SELECT {RANK} AS rank FROM {} WHERE {wanted} ORDER BY {RANK}, approval.sequence \
             LIMIT {COUNTED}) GROUP BY rank ORDER BY rank",
            joined(sought)
        );
        self.patiently(|connection| counted(connection, &query, &asked))
    }
}

fn counted(
    connection: &Connection,
    query: &str,
    asked: &Conditions,
) -> rusqlite::Result<Vec<(Risk, u64)>> {
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement
        .query_map(&*asked.values(), |row| Ok((risk_at(row.get(0)?), unsigned(row.get(1)?))))?;
    rows.collect()
}

fn glance_of(row: &Row<'_>) -> rusqlite::Result<Glance> {
    let rules: Option<String> = row.get(24)?;
    Ok(Glance {
        request: request_of(row)?,
        class: row.get(23)?,
        rules: Glance::rules_of(rules.as_deref()),
        preview: row.get(25)?,
        assigned: row.get(26)?,
    })
}
