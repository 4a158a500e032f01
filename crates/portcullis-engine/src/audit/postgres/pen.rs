//! What one gateway appends to its chain within a transaction. Owns how records are numbered and written together, and that the end of the chain moves on
//! only where it is still this process's own.

use portcullis_core::{
    decision::{Layer, Verdict},
    risk::Risk,
};
use tokio_postgres::{Row, types::ToSql};

use super::{Database, Link, Query, Trouble};
use crate::audit::{
    entry::{Body, Hash, Record},
    sqlite::{signed, unsigned},
    store::Anchor,
};

const INSERT: &str = "INSERT INTO record (sequence, chain, v, time, previous, hash, kind, refers_to, tool, class, risk, rules, \
    decision, layer, reason, approver, outcome, action, preview, policy, session, agent, cwd, files) \
    SELECT sequence, $1::text, v::int, time, previous, hash, kind, refers_to, tool, class, risk, rules, decision, layer, reason, approver, \
    outcome, action, preview, policy, session, agent, cwd, files FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], \
    $6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], \
    $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[]) \
    AS new (sequence, v, time, previous, hash, kind, refers_to, tool, class, risk, rules, decision, layer, reason, approver, outcome, \
    action, preview, policy, session, agent, cwd, files)";

/// The chain of a gateway, as long as it is this process's own.
const CHAIN: &str = "SELECT sequence, hash FROM chain WHERE name = $1 AND owner = $2 FOR UPDATE";

/// Numbers for so many records.
const NUMBERS: &str = "SELECT nextval('record_number') FROM generate_series(1, $1::bigint)";

/// Moves the end of a chain on, where it is still ours and ends where we think, and where the database kept all that was written.
const MOVE: &str = "UPDATE chain SET sequence = $4, hash = $5, count = count + $6 WHERE name = $1 AND owner = $2 AND hash = $3 \
    AND (SELECT count(*) FROM record JOIN unnest($7::bigint[], $8::text[]) AS new (sequence, hash) \
    ON record.sequence = new.sequence AND record.hash = new.hash) = $6";

/// A query that locks something, and its one parameter: what.
pub(crate) type Lock<'a> = (&'static str, [&'a (dyn ToSql + Sync); 1]);

/// Where a chain is to go on, within a transaction.
pub(crate) struct Pen {
    name: String,
    owner: String,
    /// Where it ended when the transaction began.
    pub(crate) from: Anchor,
    /// Where it ends with what is in here.
    pub(crate) to: Anchor,
    records: Vec<Record>,
    numbers: std::vec::IntoIter<i64>,
}

impl Pen {
    /// Begins a transaction, in which the chain of this gateway is held until it ends, with numbers for so many records. Behind `locks` and before the
    /// chain nobody comes in between; all of it is sent at once.
    pub(crate) fn begin(
        database: &Database,
        owner: &str,
        link: &mut Link,
        records: i64,
        locks: &[Lock<'_>],
    ) -> Result<Self, Trouble> {
        let name = database.name.clone();
        let mut queries: Vec<Query<'_>> = vec![("BEGIN", &[])];
        queries.extend(locks.iter().map(|(query, what)| (*query, what.as_slice())));
        let (whose, many): (&[&(dyn ToSql + Sync)], &[&(dyn ToSql + Sync)]) =
            (&[&name, &owner], &[&records]);
        queries.extend([(CHAIN, whose), (NUMBERS, many)]);
        let mut answers = link.rows_of_all(&queries)?;
        let numbers = numbers_of(&answers.pop().unwrap_or_default())?;
        let chain = answers.pop().unwrap_or_default();
        let Some(row) = chain.first() else { return Err(Trouble::Fenced) };
        let hash: Hash = row
            .try_get::<_, &str>(1)?
            .parse()
            .map_err(|_| Trouble::Unreadable("the end of the chain is none".to_owned()))?;
        let from = Anchor { sequence: unsigned(row.try_get(0)?), hash };
        let owner = owner.to_owned();
        Ok(Self { name, owner, from, to: from, records: Vec::new(), numbers: numbers.into_iter() })
    }

    /// Adds a record; it is written with the others.
    pub(crate) fn record(&mut self, link: &mut Link, body: Body) -> Result<u64, Trouble> {
        if self.numbers.len() == 0 {
            self.numbers = numbers_of(&link.rows(NUMBERS, &[&1_i64])?)?.into_iter();
        }
        let number = self.numbers.next().map_or(0, unsigned);
        let record = body.chained(number, self.to.hash);
        self.to = Anchor { sequence: number, hash: record.hash };
        self.records.push(record);
        Ok(number)
    }

    /// One of the records that are not written yet.
    pub(crate) fn added(&self, sequence: u64) -> Option<&Record> {
        self.records.iter().find(|record| record.sequence == sequence)
    }

    /// Writes what was added, and moves the end of the chain on.
    pub(crate) fn write(&mut self, link: &mut Link) -> Result<(), Trouble> {
        if self.records.is_empty() {
            return Ok(());
        }
        let records = std::mem::take(&mut self.records);
        let column = |field: fn(&Record) -> Option<String>| -> Vec<Option<String>> {
            records.iter().map(field).collect()
        };
        let numbers: Vec<i64> = records.iter().map(|record| signed(record.sequence)).collect();
        let versions: Vec<i64> = records.iter().map(|record| record.version().into()).collect();
        let hashes: Vec<String> = records.iter().map(|record| record.hash.to_string()).collect();
        let references: Vec<Option<i64>> =
            records.iter().map(|record| record.entry.refers_to.map(signed)).collect();
        let texts = [
            column(|record| record.entry.tool.clone()),
            column(|record| record.entry.class.clone()),
            column(|record| record.entry.risk.map(|risk| Risk::name(risk).to_owned())),
            column(|record| Some(record.entry.rules.join(" "))),
            column(|record| record.entry.decision.map(|verdict| Verdict::name(verdict).to_owned())),
            column(|record| record.entry.layer.map(|layer| Layer::name(layer).to_owned())),
            column(|record| record.entry.reason.clone()),
            column(|record| record.entry.approver.clone()),
            column(|record| record.entry.outcome.clone()),
            column(|record| record.entry.action.clone()),
            column(|record| record.entry.preview.clone()),
            column(|record| record.entry.policy.clone()),
            column(|record| record.entry.session.clone()),
            column(|record| record.entry.agent.clone()),
            column(|record| record.entry.cwd.clone()),
            column(|record| record.entry.files.text()),
        ];
        let times = column(|record| Some(record.time_text()));
        let previous = column(|record| Some(record.previous.to_string()));
        let kinds = column(|record| Some(record.entry.kind.name().to_owned()));
        let mut parameters: Vec<&(dyn ToSql + Sync)> =
            vec![&self.name, &numbers, &versions, &times, &previous, &hashes, &kinds, &references];
        parameters.extend(texts.iter().map(|text| text as &(dyn ToSql + Sync)));
        let count = records.len() as i64;
        let (from, to) = (self.from.hash.to_string(), self.to.hash.to_string());
        let end = signed(self.to.sequence);
        let moves: &[&(dyn ToSql + Sync)] =
            &[&self.name, &self.owner, &from, &end, &to, &count, &numbers, &hashes];
        let changed = link.changes(&[(INSERT, &parameters), (MOVE, moves)])?;
        // A trigger can have it ignored, or taken out again, without an error.
        if changed == [count.unsigned_abs(), 1] { Ok(()) } else { Err(Trouble::Ignored) }
    }
}

fn numbers_of(rows: &[Row]) -> Result<Vec<i64>, Trouble> {
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Whether the record that a caller knows of is still there.
pub(crate) fn holds(link: &mut Link, known: Option<Anchor>, end: Anchor) -> Result<bool, Trouble> {
    match known {
        None | Some(Anchor::GENESIS) => Ok(true),
        Some(known) if known == end => Ok(true),
        Some(known) => {
            let query = "SELECT EXISTS (SELECT 1 FROM record WHERE sequence = $1 AND hash = $2)";
            let row = link.one(query, &[&signed(known.sequence), &known.hash.to_string()])?;
            Ok(row.try_get(0)?)
        }
    }
}
