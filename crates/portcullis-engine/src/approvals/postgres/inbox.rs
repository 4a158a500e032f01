//! What waits, looked through in PostgreSQL. Owns the queries.

use portcullis_core::risk::Risk;
use tokio_postgres::{Row, types::ToSql};

use super::{request_of, votes};
use crate::{
    approvals::{
        inbox::{ALIKE, COUNTED, FROM, Glance, Inbox, Pile, RANK, Sought, joined, risk_at},
        store::PAGE,
    },
    audit::{
        AuditError,
        postgres::{PostgresStore, Trouble, clean},
        sqlite::{signed, unsigned},
    },
};

/// As the columns of a request, without what a person is shown once they open it, and then what its record tells.
const COLUMNS: &str = "approval.sequence, approval.id, approval.status, approval.action, approval.tool, approval.risk, approval.session, \
    approval.agent, approval.requester, approval.needed, approval.asked, approval.expires, approval.policy, 'null'::text, \
    approval.decided, approval.answer, approval.approver, approval.origin, approval.reason, approval.modified, approval.claimed, \
    approval_project.project, record.class, record.rules, record.preview, \
    (SELECT person FROM approval_assigned WHERE approval_assigned.approval = approval.sequence)";

type Value = Box<dyn ToSql + Sync>;

/// Conditions with their values: only what is asked about stands in them, so that the indices serve them.
struct Asked {
    text: String,
    values: Vec<Value>,
}

impl Asked {
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
        let mut asked = Self { text: "approval.status = 'pending'".to_owned(), values: Vec::new() };
        let word = |word: &Option<String>| word.as_deref().map(clean);
        let within = within.as_ref().map(|names| names.iter().map(|name| clean(name)).collect());
        asked.ask("approval_project.project = ANY(?)", within.map(|names: Vec<String>| names));
        asked.ask("approval.requester = ?", word(requester));
        asked.ask("approval.session = ?", word(session));
        asked.ask("approval_project.project = ?", word(project));
        asked.ask("approval.agent = ?", word(agent));
        let rule = rule.as_ref().map(|rule| format!(" {} ", clean(rule)));
        asked.ask("position(? in ' ' || record.rules || ' ') > 0", rule);
        asked.ask("approval.risk = ?", risk.map(Risk::name));
        asked.ask("record.class = ?", word(class));
        asked.ask("approval.asked < ?", asked_before.map(|time| time.as_microsecond()));
        let text = text.as_ref().map(|text| clean(text).to_ascii_lowercase());
        asked.ask(
            "position(? in lower((approval.tool || chr(10) || coalesce(record.preview, '') || chr(10) || coalesce(approval.agent, '') \
             || chr(10) || coalesce(approval.session, '') || chr(10) || approval.requester) COLLATE \"C\")) > 0",
            text,
        );
        let columns = ALIKE.join(", ");
        asked.ask(
            &format!("({columns}) = (SELECT {columns} FROM {FROM} WHERE approval.id = ?)"),
            alike.map(|id| id.to_string()),
        );
        asked.ask(
            "EXISTS (SELECT 1 FROM approval_assigned WHERE approval_assigned.approval = approval.sequence AND person = ?)",
            word(assigned),
        );
        if let Some((person, now)) = awake {
            // With the time as a value: a text of its own for each question would be prepared anew each time.
            asked.ask(
                "NOT EXISTS (SELECT 1 FROM approval_snoozed WHERE approval_snoozed.approval = approval.sequence AND person = ?",
                Some(clean(person)),
            );
            asked.ask("until > ?)", Some(now.as_microsecond()));
        }
        if let Some(after) = after {
            let place = format!("({RANK}, approval.sequence) > ({}, ?)", after.rank);
            asked.ask(&place, Some(signed(after.sequence)));
        }
        asked
    }

    /// Asks about a value where there is one; `?` stands for it.
    fn ask<T: ToSql + Sync + 'static>(&mut self, condition: &str, value: Option<T>) {
        if let Some(value) = value {
            self.values.push(Box::new(value));
            let number = format!("${}", self.values.len());
            self.text.push_str(&format!(" AND {}", condition.replace('?', &number)));
        }
    }

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| &**value).collect()
    }
}

impl Inbox for PostgresStore {
    fn waiting(&mut self, sought: &Sought) -> Result<Vec<Glance>, AuditError> {
        let asked = Asked::of(sought);
        let (wanted, limit) = (&asked.text, sought.limit.min(PAGE));
        let query = format!(
            "SELECT {COLUMNS} FROM {FROM} WHERE {wanted} ORDER BY {RANK}, approval.sequence LIMIT {limit}"
        );
        self.patiently(|link| {
            let rows = link.rows(&query, &asked.values())?;
            let mut glances: Vec<Glance> = rows.iter().map(glance_of).collect::<Result<_, _>>()?;
            glances.iter_mut().try_for_each(|one| votes(link, &mut one.request))?;
            Ok(glances)
        })
    }

    fn piles(&mut self, sought: &Sought) -> Result<Vec<Pile>, AuditError> {
        let asked = Asked::of(sought);
        let (wanted, limit, alike) = (&asked.text, sought.limit.min(PAGE), ALIKE.join(", "));
        let query = format!(
            "WITH pile AS MATERIALIZED (SELECT min(approval.sequence) AS first, count(*) AS many, {RANK} AS rank FROM {FROM} \
             WHERE {wanted} GROUP BY {alike} ORDER BY rank, first LIMIT {limit}) \
             SELECT {COLUMNS}, pile.many FROM pile CROSS JOIN {FROM} WHERE approval.sequence = pile.first \
             ORDER BY pile.rank, pile.first"
        );
        self.patiently(|link| {
            let rows = link.rows(&query, &asked.values())?;
            let pile = |row: &Row| {
                Ok::<_, Trouble>(Pile { first: glance_of(row)?, count: unsigned(row.try_get(26)?) })
            };
            let mut piles: Vec<Pile> = rows.iter().map(pile).collect::<Result<_, _>>()?;
            piles.iter_mut().try_for_each(|pile| votes(link, &mut pile.first.request))?;
            Ok(piles)
        })
    }

    fn count_by_risk(&mut self, sought: &Sought) -> Result<Vec<(Risk, u64)>, AuditError> {
        let asked = Asked::of(sought);
        let wanted = &asked.text;
        let query = format!(
            "SELECT rank::bigint, count(*) FROM (SELECT {RANK} AS rank FROM {} WHERE {wanted} ORDER BY {RANK}, approval.sequence \
             LIMIT {COUNTED}) AS counted GROUP BY rank ORDER BY rank",
            joined(sought)
        );
        self.patiently(|link| {
            let rows = link.rows(&query, &asked.values())?;
            let each =
                |row: &Row| Ok::<_, Trouble>((risk_at(row.try_get(0)?), unsigned(row.try_get(1)?)));
            rows.iter().map(each).collect()
        })
    }
}

fn glance_of(row: &Row) -> Result<Glance, Trouble> {
    Ok(Glance {
        request: request_of(row)?,
        class: row.try_get(22)?,
        rules: Glance::rules_of(row.try_get(23)?),
        preview: row.try_get(24)?,
        assigned: row.try_get(25)?,
    })
}
