//! The tables, made and brought up to this version. Owns the order of the steps, which only ever go forward, that one process at a time takes
//! them, and what of them is altered.

use sha2::{Digest as _, Sha256};

use super::link::{Link, SESSION, Trouble};

/// The steps, the first first. One that was taken anywhere is never changed: another follows.
const STEPS: &[&str] = &[
    include_str!("1.sql"),
    include_str!("2.sql"),
    include_str!("3.sql"),
    include_str!("4.sql"),
    include_str!("5.sql"),
    include_str!("6.sql"),
];

/// What the tables are like after all steps.
pub(super) const VERSION: i64 = STEPS.len().cast_signed() as i64;

/// Which lock is held while steps are taken.
const LOCK: i64 = 0x5043_4c53_6d69_6772;

const TABLE: &str = "CREATE SCHEMA IF NOT EXISTS portcullis; \
    CREATE TABLE IF NOT EXISTS portcullis.migration (version bigint PRIMARY KEY, sha256 text NOT NULL, time timestamptz NOT NULL)";

/// What became of bringing the tables up to this version.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Migrated {
    /// They are as this version needs them.
    Fits,
    /// A later version made them.
    Newer(i64),
    /// A step was another one than ours.
    Other(i64),
    /// They are older, or not there, and were not touched.
    Older(i64),
}

/// How the tables are; takes the steps that are missing where `may` is set.
pub(super) fn migrate(link: &mut Link, may: bool) -> Result<Migrated, Trouble> {
    let found = version(link)?;
    if !may || !matches!(found, Migrated::Older(_)) {
        return Ok(found);
    }
    // Others wait here, and find then that it was done. Before the transaction: what they looked up in it earlier would be believed in it.
    link.batch("SET lock_timeout = '60s'; SET statement_timeout = '60s'")?;
    link.rows("SELECT pg_advisory_lock($1)", &[&LOCK])?;
    link.batch("BEGIN; SET LOCAL statement_timeout = '0'")?;
    let taken = within_transaction(link);
    match &taken {
        Ok(Migrated::Fits) => link.batch("COMMIT")?,
        // The first error is what tells.
        _ => drop(link.batch("ROLLBACK")),
    }
    link.rows("SELECT pg_advisory_unlock($1)", &[&LOCK])?;
    link.batch(SESSION)?;
    taken
}

fn within_transaction(link: &mut Link) -> Result<Migrated, Trouble> {
    let found = version(link)?;
    let Migrated::Older(from) = found else { return Ok(found) };
    if link.one("SELECT current_setting('server_encoding')", &[])?.try_get::<_, &str>(0)? != "UTF8"
    {
        return Err(Trouble::Refused("its encoding is not UTF8".to_owned()));
    }
    if from == 0 {
        link.batch(TABLE)?;
    }
    for (version, step) in (1_i64..).zip(STEPS).skip_while(|(version, _)| *version <= from) {
        link.batch(step)?;
        link.change(
            "INSERT INTO portcullis.migration (version, sha256, time) VALUES ($1, $2, clock_timestamp())",
            &[&version, &digest(step)],
        )?;
    }
    Ok(Migrated::Fits)
}

fn version(link: &mut Link) -> Result<Migrated, Trouble> {
    let there = link.one("SELECT to_regclass('portcullis.migration') IS NOT NULL", &[])?;
    if !there.try_get::<_, bool>(0)? {
        return Ok(Migrated::Older(0));
    }
    let rows =
        link.rows("SELECT version, sha256 FROM portcullis.migration ORDER BY version", &[])?;
    let mut last = 0;
    for row in rows {
        let (version, sha256): (i64, &str) = (row.try_get(0)?, row.try_get(1)?);
        let step = usize::try_from(version - 1).ok().and_then(|at| STEPS.get(at));
        match step {
            None => return Ok(Migrated::Newer(version)),
            Some(step) if digest(step) != sha256 => return Ok(Migrated::Other(version)),
            Some(_) => last = version,
        }
    }
    Ok(if last == VERSION { Migrated::Fits } else { Migrated::Older(last) })
}

fn digest(step: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(step))
}

/// What stands in the schema that could keep records from being written, or show others, and what of ours is not there or not at work.
pub(super) fn alterations(link: &mut Link) -> Result<Vec<String>, Trouble> {
    let mut found = Vec::new();
    let triggers = link.rows(
        "SELECT c.relname::text, t.tgname::text, t.tgenabled::text, p.proname::text FROM pg_trigger t \
         JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_proc p ON p.oid = t.tgfoid \
         WHERE n.nspname = 'portcullis' AND NOT t.tgisinternal ORDER BY 1, 2",
        &[],
    )?;
    let mut ours: Vec<&str> = STEPS.iter().copied().flat_map(triggers_of).collect();
    for row in &triggers {
        let (table, name, enabled, function): (&str, &str, &str, &str) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        let known = ours.iter().position(|ours| *ours == name);
        match known {
            Some(at) if function == "refuse" => {
                ours.swap_remove(at);
                if enabled != "O" && enabled != "A" {
                    found.push(format!("the trigger `{name}` does nothing any more"));
                }
            }
            _ => found.push(format!("the trigger `{name}` of `{table}` is not ours")),
        }
    }
    found.extend(ours.iter().map(|name| format!("the trigger `{name}` is gone")));
    let others = link.rows(
        "SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' ELSE 'table' END || ' `' || c.relname || '`' \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'portcullis' AND c.relkind IN ('v', 'm', 'f', 'p') \
         UNION ALL SELECT 'rule `' || rulename || '`' FROM pg_rules WHERE schemaname = 'portcullis' \
         UNION ALL SELECT 'policy `' || policyname || '`' FROM pg_policies WHERE schemaname = 'portcullis'",
        &[],
    )?;
    for row in &others {
        found.push(format!("the {} is not ours", row.try_get::<_, &str>(0)?));
    }
    Ok(found)
}

/// The names of the triggers that a step makes.
fn triggers_of(step: &'static str) -> impl Iterator<Item = &'static str> {
    step.split("CREATE TRIGGER ").skip(1).filter_map(|rest| rest.split_whitespace().next())
}
