//! What is read of a database, and the one append for those who have no steps to take. Owns the queries.

use jiff::Timestamp;
use portcullis_core::{decision::Verdict, risk::Risk};
use tokio_postgres::{Row, types::ToSql};

use super::{Pen, PostgresStore, Trouble, holds, migrate::alterations, session::PAGE};
use crate::audit::{
    entry::{Body, Hash, Kind, Record, time_text},
    error::AuditError,
    row::{Columns, NotOfThisKind, record_of, trace_of},
    sqlite::{signed, unsigned},
    store::{
        Anchor, Appended, Chain, Ends, Filter, Removal, Removed, Store, Trace, Visitor, Whose,
        genesis_of, stored,
    },
};

const COLUMNS: &str = "sequence, v::bigint, time, previous, hash, kind, refers_to, tool, class, risk, rules, decision, layer, \
    reason, approver, outcome, action, preview, policy, session, agent, cwd, files";

const LATEST: &str = "SELECT time, kind, rules, decision, layer, action, preview FROM record \
    WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 ORDER BY sequence DESC LIMIT $3";

const ABOUT: &str = "SELECT sequence FROM (SELECT sequence, action FROM record \
    WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 AND kind = 'decision' ORDER BY sequence DESC LIMIT 1000) AS latest \
    WHERE action = $3 ORDER BY sequence DESC LIMIT 1";

const OPEN: &str = "SELECT sequence FROM (SELECT sequence, decision FROM \
    (SELECT sequence, action, decision FROM record \
    WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 AND kind = 'decision' ORDER BY sequence DESC LIMIT 1000) AS latest \
    WHERE action = $3 ORDER BY sequence DESC LIMIT 8) AS made \
    WHERE decision = 'allow' AND NOT EXISTS (SELECT 1 FROM record AS came WHERE came.kind = 'outcome' AND came.refers_to = made.sequence) \
    ORDER BY sequence DESC LIMIT 1";

const BEGUN: &str = "SELECT (SELECT time FROM record WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 AND kind = 'decision' \
    ORDER BY sequence LIMIT 1), (SELECT count(*) FROM (SELECT 1 FROM record \
    WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 AND kind = 'decision' LIMIT $3) AS counted)";

impl Columns for Row {
    fn text(&self, column: usize) -> Result<Option<&str>, NotOfThisKind> {
        self.try_get(column).map_err(|_| NotOfThisKind)
    }

    fn number(&self, column: usize) -> Result<Option<i64>, NotOfThisKind> {
        self.try_get(column).map_err(|_| NotOfThisKind)
    }
}

/// The conditions of a query. Only what is asked about stands in it, so that the indices serve it.
pub(crate) struct Conditions<'a> {
    pub(crate) text: String,
    pub(crate) parameters: Vec<&'a (dyn ToSql + Sync)>,
}

impl<'a> Conditions<'a> {
    pub(crate) fn new(first: &str) -> Self {
        Self { text: first.to_owned(), parameters: Vec::new() }
    }

    /// Asks about a value where there is one; `?` stands for it.
    pub(crate) fn ask<T: ToSql + Sync>(&mut self, condition: &str, value: Option<&'a T>) {
        if let Some(value) = value {
            self.parameters.push(value);
            let number = format!("${}", self.parameters.len());
            self.text.push_str(&format!(" AND {}", condition.replace('?', &number)));
        }
    }
}

/// A text as it can be looked for: PostgreSQL keeps no NUL, and neither do we.
pub(crate) fn clean(text: &str) -> String {
    text.replace('\0', "\u{2400}")
}

impl Store for PostgresStore {
    fn append(&mut self, body: Body, known: Option<Anchor>) -> Result<Appended, AuditError> {
        let Some((database, owner)) = self.owner() else {
            let reason = Trouble::Refused("this connection only reads".to_owned());
            return Err(self.explained(reason));
        };
        self.look()?;
        let mut written: Option<Anchor> = None;
        self.patiently(|link| {
            let mut pen = Pen::begin(&database, &owner, link, 1, &[])?;
            if let Some(anchor) = written
                && anchor == pen.from
            {
                // It was committed, and only the answer was lost.
                link.batch("ROLLBACK")?;
                return Ok(Appended { anchor, known_holds: true });
            }
            let known_holds = holds(link, known, pen.from)?;
            pen.record(link, body.clone())?;
            pen.write(link)?;
            written = Some(pen.to);
            link.batch("COMMIT")?;
            Ok(Appended { anchor: pen.to, known_holds })
        })
    }

    fn head(&mut self) -> Result<Anchor, AuditError> {
        let query = "SELECT sequence, hash FROM record ORDER BY sequence DESC LIMIT 1";
        self.patiently(|link| {
            let Some(row) = link.maybe(query, &[])? else { return Ok(Anchor::GENESIS) };
            let hash = row.try_get::<_, &str>(1)?.parse().unwrap_or(Hash::GENESIS);
            Ok(Anchor { sequence: unsigned(row.try_get(0)?), hash })
        })
    }

    fn alterations(&mut self) -> Result<Vec<String>, AuditError> {
        self.patiently(alterations)
    }

    fn restore(&mut self) -> Result<(), AuditError> {
        // What is missing of the tables is for whoever owns them.
        Ok(())
    }

    fn record(&mut self, sequence: u64) -> Result<Option<Record>, AuditError> {
        let query = format!("SELECT {COLUMNS} FROM record WHERE sequence = $1");
        let found = self.patiently(|link| link.maybe(&query, &[&signed(sequence)]))?;
        found.as_ref().map(record_of).transpose()
    }

    fn latest(&mut self, whose: Whose<'_>, most: u32) -> Result<Vec<Trace>, AuditError> {
        let (session, agent) = stored(whose);
        // Answers and outcomes stand among the decisions.
        let limit = i64::from(most).saturating_mul(3);
        let rows = self.patiently(|link| link.rows(LATEST, &[&session, &agent, &limit]))?;
        let mut traces = Vec::with_capacity(rows.len());
        let mut decisions = 0;
        for trace in rows.iter().filter_map(trace_of) {
            if decisions >= most {
                break;
            }
            decisions += u32::from(trace.kind == Kind::Decision);
            traces.push(trace);
        }
        traces.reverse();
        Ok(traces)
    }

    fn decision_about(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.number(ABOUT, whose, action)
    }

    fn decision_left_open(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.number(OPEN, whose, action)
    }

    fn begun(
        &mut self,
        whose: Whose<'_>,
        most: u64,
    ) -> Result<Option<(Timestamp, u64)>, AuditError> {
        let (session, agent) = stored(whose);
        let row = self.patiently(|link| link.one(BEGUN, &[&session, &agent, &signed(most)]))?;
        let first = row.text(0).ok().flatten();
        // A time that cannot be read is the oldest there is: whoever changed it gains no time.
        let first = first.map(|time| time.parse().unwrap_or(Timestamp::UNIX_EPOCH));
        let count = row.number(1).ok().flatten().map_or(0, unsigned);
        Ok(first.map(|first| (first, count)))
    }

    fn each(&mut self, filter: &Filter, visitor: &mut Visitor<'_>) -> Result<(), AuditError> {
        let Filter {
            kind,
            risk,
            decision,
            since,
            until,
            agent,
            session,
            before,
            after,
            refers_to,
            text,
            limit,
        } = filter;
        let (agent, session, text) = (
            agent.as_deref().map(clean),
            session.as_deref().map(clean),
            text.as_deref().map(clean),
        );
        let (kind, risk) = (kind.map(Kind::name), risk.map(Risk::name));
        let (decision, since) = (decision.map(Verdict::name), since.map(time_text));
        let until = until.map(time_text);
        let (before, after) = (before.map(signed), after.map(signed));
        let refers_to = refers_to.map(signed);
        let mut asked = Conditions::new("true");
        asked.ask("kind = ?", kind.as_ref());
        asked.ask("risk = ?", risk.as_ref());
        asked.ask("decision = ?", decision.as_ref());
        asked.ask("time >= ?", since.as_ref());
        asked.ask("time <= ?", until.as_ref());
        asked.ask("agent = ?", agent.as_ref());
        asked.ask("session = ?", session.as_ref());
        asked.ask("sequence < ?", before.as_ref());
        asked.ask("sequence > ?", after.as_ref());
        asked.ask("refers_to = ?", refers_to.as_ref());
        asked.ask(
            "position(lower(?::text COLLATE \"C\") IN lower((coalesce(tool, '') || chr(10) || coalesce(preview, '') || chr(10) || coalesce(reason, '')) COLLATE \"C\")) > 0",
            text.as_ref(),
        );
        let Conditions { text: wanted, parameters } = asked;
        let limit = limit.map(i64::from);
        let page = parameters.len() + 1;
        let query = match &limit {
            None => format!(
                "SELECT {COLUMNS} FROM record WHERE {wanted} AND sequence > ${page} ORDER BY sequence LIMIT {PAGE}"
            ),
            Some(limit) => format!(
                "SELECT * FROM (SELECT {COLUMNS} FROM record WHERE {wanted} ORDER BY sequence DESC LIMIT {limit}) AS newest \
                 WHERE sequence > ${page} ORDER BY sequence LIMIT {PAGE}"
            ),
        };
        self.visit(&query, &parameters, 0, visitor)
    }

    fn chain_names(&mut self) -> Result<Vec<String>, AuditError> {
        self.patiently(|link| {
            let rows = link.rows("SELECT name FROM chain ORDER BY name", &[])?;
            rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
        })
    }

    fn chains(&mut self) -> Result<Vec<Chain>, AuditError> {
        let query = "SELECT coalesce(chain.name, written.chain), chain.sequence, chain.count, chain.hash FROM chain \
            FULL JOIN (SELECT DISTINCT chain FROM record) AS written ON written.chain = chain.name ORDER BY 1";
        self.patiently(|link| {
            // It is looked for in every record.
            link.batch("BEGIN READ ONLY; SET LOCAL statement_timeout = '10min'")?;
            link.batch("SET LOCAL idle_in_transaction_session_timeout = '10min'")?;
            let statement = link.rows(query, &[])?;
            link.batch("ROLLBACK")?;
            let chain = |row: &Row| -> Result<Chain, Trouble> {
                let name: &str = row.try_get(0)?;
                let hash = row.try_get::<_, Option<&str>>(3)?;
                let Some(sequence) = row.try_get::<_, Option<i64>>(1)? else {
                    let genesis = genesis_of(name);
                    return Ok(Chain { name: name.to_owned(), genesis, end: None });
                };
                // A hash that is none stands nowhere.
                let hash = hash.and_then(|hash| hash.parse().ok()).unwrap_or(Hash::GENESIS);
                let anchor = Anchor { sequence: unsigned(sequence), hash };
                Ok(Chain::of_gateway(name, (anchor, unsigned(row.try_get(2)?))))
            };
            statement.iter().map(chain).collect()
        })
    }

    fn follow(
        &mut self,
        chain: &str,
        after: u64,
        visitor: &mut Visitor<'_>,
    ) -> Result<(), AuditError> {
        let query = format!(
            "SELECT {COLUMNS} FROM record WHERE chain = $1 AND sequence > $2 ORDER BY sequence LIMIT {PAGE}"
        );
        self.visit(&query, &[&chain], signed(after), visitor)
    }

    fn remove(
        &mut self,
        removal: &Removal<'_>,
        body: Body,
        known: Option<Anchor>,
    ) -> Result<Removed, AuditError> {
        self.removed(removal, &body, known)
    }

    fn scrub(&mut self) -> Result<bool, AuditError> {
        self.scrubbed()
    }

    fn tree_heads(&mut self, visitor: &mut Ends<'_>) -> Result<(), AuditError> {
        let query =
            "SELECT record, text FROM tree_head WHERE record > $1 ORDER BY record LIMIT 500";
        let mut after = 0_i64;
        loop {
            let rows = self.patiently(|link| link.rows(query, &[&after]))?;
            for row in &rows {
                let (Some(record), Some(text)) =
                    (row.number(0).ok().flatten(), row.text(1).ok().flatten())
                else {
                    continue;
                };
                visitor(unsigned(record), text);
                after = record;
            }
            if (rows.len() as i64) < PAGE {
                return Ok(());
            }
        }
    }
}

impl PostgresStore {
    fn number(
        &mut self,
        query: &str,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        let (session, agent) = stored(whose);
        let action = clean(action);
        let row = self.patiently(|link| link.maybe(query, &[&session, &agent, &action]))?;
        Ok(row.and_then(|row| row.number(0).ok().flatten()).map(unsigned))
    }
}
