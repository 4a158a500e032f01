//! Records that leave the database. Owns the one transaction in which those of a sealed segment go and a record of that comes, and how nothing of them
//! stays in the files of its tables. Only the role that owns the tables can; whether they may go, [`crate::audit::segment`] knows.

use std::time::Duration;

use tokio_postgres::types::ToSql;

use super::{Link, Pen, PostgresStore, Trouble, holds};
use crate::audit::{
    entry::{Body, Hash},
    error::AuditError,
    sqlite::{signed, unsigned},
    store::{Anchor, Appended, Removal, Removed},
};

/// How long a statement may take that removes many rows, or writes a table anew.
const LONG: Duration = Duration::from_secs(1_800);

/// How long gateways are waited for that use a table. Nobody gets at it meanwhile.
const LOCK: &str = "SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '25min'; \
    SET LOCAL idle_in_transaction_session_timeout = '30min'";

/// Triggers that hold mistakes back stand aside within the transaction; until it ends, nobody else writes to these tables.
const ASIDE: &str = "ALTER TABLE record DISABLE TRIGGER record_is_never_removed; \
    ALTER TABLE tree_head DISABLE TRIGGER tree_head_is_never_changed";
const BACK: &str = "ALTER TABLE record ENABLE TRIGGER record_is_never_removed; \
    ALTER TABLE tree_head ENABLE TRIGGER tree_head_is_never_changed";

/// The tables that repeat texts of records, or say who had to do with a request: the column with the number of the record, and the trigger that holds back.
const COPIES: [(&str, &str, &str); 7] = [
    ("approval_vote", "approval", "approval_vote_is_never_changed"),
    ("approval_project", "approval", "approval_project_is_never_changed"),
    ("approval_comment", "approval", "approval_comment_is_never_changed"),
    ("approval_assigned", "approval", ""),
    ("approval_snoozed", "approval", ""),
    ("approval", "sequence", "approval_is_never_removed"),
    ("granted", "record", "granted_is_never_removed"),
];

/// What is written anew without what was removed; of a catalog, what was sampled of texts.
const REWRITTEN: [&str; 11] = [
    "portcullis.record",
    "portcullis.tree_head",
    "portcullis.approval_vote",
    "portcullis.approval_project",
    "portcullis.approval_comment",
    "portcullis.approval_assigned",
    "portcullis.approval_snoozed",
    "portcullis.approval",
    "portcullis.granted",
    "portcullis.repeatable",
    "pg_catalog.pg_statistic",
];

impl PostgresStore {
    /// Takes records out and puts one in that tells of it, in one transaction.
    pub(super) fn removed(
        &mut self,
        removal: &Removal<'_>,
        body: &Body,
        known: Option<Anchor>,
    ) -> Result<Removed, AuditError> {
        let Some((database, owner)) = self.owner() else {
            let reason = Trouble::Refused("this connection only reads".to_owned());
            return Err(self.explained(reason));
        };
        self.look()?;
        let mut written: Option<Anchor> = None;
        self.patiently(|link| {
            link.wait_for(Some(LONG));
            let done = (|| {
                let mut pen = Pen::begin(&database, &owner, link, 1, &[])?;
                if let Some(anchor) = written
                    && anchor == pen.from
                {
                    // It was committed, and only the answer was lost.
                    link.batch("ROLLBACK")?;
                    return Ok(Removed::Done(Appended { anchor, known_holds: true }));
                }
                link.batch(LOCK)?;
                let known_holds = holds(link, known, pen.from)?;
                if let Some(refused) = rows_go(link, removal)? {
                    link.batch("ROLLBACK")?;
                    return Ok(refused);
                }
                pen.record(link, body.clone())?;
                pen.write(link)?;
                written = Some(pen.to);
                link.batch("COMMIT")?;
                Ok(Removed::Done(Appended { anchor: pen.to, known_holds }))
            })();
            link.wait_for(None);
            done
        })
    }

    /// Writes the tables anew; `false` where others use one of them for too long, so that it has to be done again.
    pub(super) fn scrubbed(&mut self) -> Result<bool, AuditError> {
        self.patiently(|link| {
            link.wait_for(Some(LONG));
            let done = rewrite(link);
            link.wait_for(None);
            link.batch(super::link::SESSION)?;
            match done {
                Err(Trouble::Again(_)) => Ok(false),
                done => done.map(|()| true),
            }
        })
    }
}

/// Takes the rows out; why not, where they stay.
fn rows_go(link: &mut Link, removal: &Removal<'_>) -> Result<Option<Removed>, Trouble> {
    let Removal { chain, first, last, count, copies, numbers } = *removal;
    let (from, to) = (signed(first), signed(last.sequence));
    let which: &[&(dyn ToSql + Sync)] = &[&chain, &from, &to];
    let there = "SELECT count(*) FROM record WHERE chain = $1 AND sequence BETWEEN $2 AND $3";
    let there: i64 = link.one(there, which)?.try_get(0)?;
    if there > 0 {
        let end = "SELECT hash FROM record WHERE chain = $1 AND sequence BETWEEN $2 AND $3 AND sequence = $3";
        let hash = match link.maybe(end, which)? {
            Some(row) => row.try_get::<_, &str>(0)?.parse().unwrap_or(Hash::GENESIS),
            None => Hash::GENESIS,
        };
        if unsigned(there) != count || hash != last.hash {
            return Ok(Some(Removed::Other));
        }
        link.batch(ASIDE)?;
        link.change(
            "DELETE FROM tree_head WHERE record IN (SELECT sequence FROM record WHERE chain = $1 AND sequence BETWEEN $2 AND $3)",
            which,
        )?;
        let gone = "DELETE FROM record WHERE chain = $1 AND sequence BETWEEN $2 AND $3";
        if link.change(gone, which)? != count {
            return Err(Trouble::Ignored);
        }
        link.batch(BACK)?;
    }
    if let Some(until) = copies
        && !copies_go(link, numbers, until)?
    {
        return Ok(Some(Removed::Waits));
    }
    Ok(None)
}

/// Whether nobody waits for anything that goes.
fn copies_go(link: &mut Link, numbers: &[u64], until: i64) -> Result<bool, Trouble> {
    let numbers: Vec<i64> = numbers.iter().copied().map(signed).collect();
    let waits = "SELECT count(*) > 0 FROM approval WHERE sequence = ANY($1) AND status = 'pending'";
    if link.one(waits, &[&numbers])?.try_get(0)? {
        return Ok(false);
    }
    for (table, column, trigger) in COPIES {
        if !trigger.is_empty() {
            link.batch(&format!("ALTER TABLE {table} DISABLE TRIGGER {trigger}"))?;
        }
        link.change(&format!("DELETE FROM {table} WHERE {column} = ANY($1)"), &[&numbers])?;
        if !trigger.is_empty() {
            link.batch(&format!("ALTER TABLE {table} ENABLE TRIGGER {trigger}"))?;
        }
    }
    link.change("DELETE FROM repeatable WHERE time <= $1", &[&until])?;
    Ok(true)
}

/// Whether this role may write every table anew, and what was sampled of them: where it may not, PostgreSQL only warns.
const OWNS: &str = "SELECT pg_has_role(d.datdba, 'USAGE') AND NOT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = 'portcullis' AND c.relkind = 'r' AND NOT pg_has_role(c.relowner, 'USAGE')) \
    FROM pg_database d WHERE d.datname = current_database()";

fn rewrite(link: &mut Link) -> Result<(), Trouble> {
    if !link.one(OWNS, &[])?.try_get(0)? {
        let words = "only the role that owns the database and its tables writes them anew";
        return Err(Trouble::Refused(words.to_owned()));
    }
    link.batch("SET lock_timeout = '10s'; SET statement_timeout = '25min'")?;
    for table in REWRITTEN {
        if let Some(table) = table.strip_prefix("portcullis.") {
            // Samples of columns, which hold texts, are taken of what is left.
            link.batch(&format!("ANALYZE {table}"))?;
        }
        link.batch(&format!("VACUUM (FULL) {table}"))?;
    }
    Ok(())
}
