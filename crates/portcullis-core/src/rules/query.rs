//! Rules on statements sent to databases. Owns what each kind of statement does; where statements come from is said in
//! `programs` and `understand`.

use portcullis_syntax::sql::{self, Token, TokenKind};

use super::{Hit, Rule, Scene, Shelf, When};
use crate::{
    effect::{Effect, EffectKind, Target},
    finding::{Category, Confidence},
    place::{self, Place},
    risk::Severity,
    text::Text,
    understand::shell,
};

mod condition;

use condition::always;

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

/// How deep statements inside strings of statements are read.
const DEPTH: usize = 4;

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
        ],
        quiet: &["psql -c \"SELECT 'DROP TABLE users'\"", "psql -c \"SELECT * FROM drop_log\""],
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
        severity: Severity::Medium,
        confidence: Confidence::Low,
        message: "this statement is none that we know, and may change something",
        remedy: "see in the manual of the database what it does",
        reversible: true,
        when: When::Read,
        fires: &["psql -c \"CALL close_the_year(2024)\""],
        quiet: &["psql -c \"CHECKPOINT\"", "psql -c \"LISTEN jobs\""],
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
        ],
        quiet: &[
            "psql -c \"SELECT * FROM files\"",
            "psql -c \"COPY t TO STDOUT\"",
            "duckdb a.db \"COPY t TO 'out.parquet'\"",
            "sqlite3 a.db \"ATTACH 'build/test.db' AS w\"",
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
        fires: &["psql -c \"SELECT dblink_connect('host=203.0.113.5')\""],
        quiet: &["psql -c \"SELECT link FROM a\""],
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
    read(&statement.display(), 0, &mut found);
    for (id, name) in found {
        if id == FILE {
            let Some(severity) = file_severity(&name, scene) else {
                let id = "query.change";
                if !hits.iter().any(|(known, _)| *known == id) {
                    hits.push((id, Hit::default()));
                }
                continue;
            };
            if !hits.iter().any(|(known, _)| *known == "query.file") {
                let resource = Some(format!("file:{name}"));
                let severity = Some(severity);
                hits.push(("query.file", Hit { resource, severity, ..Hit::default() }));
            }
            continue;
        }
        if hits.iter().any(|(known, _)| *known == id) {
            continue;
        }
        let resource = (!name.is_empty()).then(|| format!("table:{}", name.to_lowercase()));
        let harmless = DATA.contains(&id) && is_in_memory(effect, scene);
        let severity = harmless.then_some(Severity::Low);
        hits.push((id, Hit { resource, severity, ..Hit::default() }));
    }
}

/// A file that is named: where it is decides what it means.
const FILE: &str = "query.file at a path";

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
const DATA: &[&str] =
    &["query.drop.table", "query.truncate", "query.delete.all", "query.update.all"];

/// Whether the code around a statement talks to one database, which it keeps in memory.
fn is_in_memory(effect: &Effect, scene: &Scene<'_>) -> bool {
    let code = scene.effects.layer_text(effect.at.layer);
    ["connect(\":memory:\"", "connect(':memory:'"].iter().any(|opens| code.contains(opens))
        && code.matches("connect(").count() == 1
}

/// Finds what the statements in `text` do: rule and what it is done to.
fn read(text: &str, depth: usize, found: &mut Vec<(&'static str, String)>) {
    if depth >= DEPTH {
        found.push(("query.dynamic", String::new()));
        return;
    }
    let tokens = sql::tokens(text);
    for statement in tokens.split(|token| token.kind == TokenKind::Operator && &*token.text == ";")
    {
        let words: Vec<&str> = statement
            .iter()
            .map(|token| {
                if token.kind == TokenKind::Word || token.kind == TokenKind::Operator {
                    &*token.text
                } else {
                    ""
                }
            })
            .collect();
        let word = |index: usize| words.get(index).copied().unwrap_or("");
        if matches!(word(0), "EXPLAIN" | "DESCRIBE" | "DESC")
            && !words.iter().take(4).any(|word| *word == "ANALYZE")
        {
            continue;
        }
        anywhere(&words, found);
        waits(statement, &words, found);
        if depth == 0 && statement.len() > 1 && is_unfamiliar(word(0)) {
            found.push(("query.unfamiliar", String::new()));
        }
        let mut start = true;
        for index in 0..statement.len() {
            if start {
                begin(statement, &words, index, depth, found);
            }
            start = matches!(
                word(index),
                "(" | "BEGIN"
                    | "THEN"
                    | "ELSE"
                    | "ANALYZE"
                    | "DO"
                    | "AS"
                    | ")"
                    | "LOOP"
                    | "VERBOSE"
            );
        }
    }
}

/// What statements begin with that change nothing by themselves, or are read below.
const FAMILIAR: &[&str] = &[
    "(",
    "ABORT",
    "ALTER",
    "ANALYZE",
    "ATTACH",
    "BACKUP",
    "BEGIN",
    "CASE",
    "CHECK",
    "CHECKPOINT",
    "CLOSE",
    "CLUSTER",
    "COMMENT",
    "COMMIT",
    "COPY",
    "CREATE",
    "DEALLOCATE",
    "DECLARE",
    "DELETE",
    "DELIMITER",
    "DESC",
    "DESCRIBE",
    "DETACH",
    "DISCARD",
    "DO",
    "DROP",
    "ELSE",
    "END",
    "EXEC",
    "EXECUTE",
    "EXPLAIN",
    "EXPORT",
    "FETCH",
    "FLUSH",
    "FLUSHALL",
    "FLUSHDB",
    "FOR",
    "FROM",
    "GO",
    "GRANT",
    "HANDLER",
    "HELP",
    "IF",
    "INSERT",
    "INSTALL",
    "KILL",
    "LISTEN",
    "LOAD",
    "LOCK",
    "LOOP",
    "MATCH",
    "MERGE",
    "MOVE",
    "NOTIFY",
    "OPEN",
    "OPTIMIZE",
    "OPTIONAL",
    "PRAGMA",
    "PREPARE",
    "PRINT",
    "PURGE",
    "RAISE",
    "REFRESH",
    "REINDEX",
    "RELEASE",
    "RENAME",
    "REPLACE",
    "RESET",
    "RESTORE",
    "RETURN",
    "REVOKE",
    "ROLLBACK",
    "SAVEPOINT",
    "SELECT",
    "SET",
    "SHOW",
    "SHUTDOWN",
    "START",
    "SUMMARIZE",
    "TABLE",
    "TRUNCATE",
    "UNLISTEN",
    "UNLOCK",
    "UNWIND",
    "UPDATE",
    "UPSERT",
    "USE",
    "VACUUM",
    "VALUES",
    "WAITFOR",
    "WHILE",
    "WITH",
    "XA",
];

/// Whether a statement begins with a word that says nothing to us. Names, numbers and what belongs to a client are no such words.
fn is_unfamiliar(first: &str) -> bool {
    first.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && FAMILIAR.binary_search(&first).is_err()
}

/// From how many seconds on waiting is more than a test of it.
const LONG: f64 = 10.0;

/// Functions that wait, or count for nothing.
fn waits(statement: &[Token], words: &[&str], found: &mut Vec<(&'static str, String)>) {
    let asks = words.iter().any(|word| matches!(*word, "CASE" | "IF" | "IIF" | "WHEN"));
    for (index, word) in words.iter().enumerate() {
        let called = words.get(index + 1) == Some(&"(");
        let number = || {
            let token = statement.get(index + 2).filter(|token| token.kind == TokenKind::Number);
            token.and_then(|token| token.text.parse::<f64>().ok())
        };
        let is_long = match *word {
            "PG_SLEEP" | "SLEEP" if called => asks || number().is_none_or(|time| time >= LONG),
            "BENCHMARK" if called => true,
            "PG_SLEEP_FOR" | "PG_SLEEP_UNTIL" if called => true,
            "WAITFOR" => matches!(words.get(index + 1), Some(&"DELAY" | &"TIME")),
            "DBMS_LOCK" | "DBMS_SESSION" => words.contains(&"SLEEP"),
            _ => false,
        };
        if is_long {
            found.push(("query.sleep", String::new()));
            return;
        }
    }
}

/// Languages and extensions of `PostgreSQL` that reach outside the database.
const UNTRUSTED: &[&str] = &[
    "ADMINPACK",
    "FILE_FDW",
    "PLPERLU",
    "PLPYTHON2U",
    "PLPYTHON3U",
    "PLPYTHONU",
    "PLSH",
    "PLTCLU",
];

/// What matters wherever it stands in a statement.
fn anywhere(words: &[&str], found: &mut Vec<(&'static str, String)>) {
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).copied().unwrap_or("");
        let rule = match *word {
            "XP_CMDSHELL"
            | "SYS_EXEC"
            | "SYS_EVAL"
            | "LOAD_EXTENSION"
            | "SP_OACREATE"
            | "XP_REGWRITE"
            | "DBMS_SCHEDULER"
            | "SP_EXECUTE_EXTERNAL_SCRIPT" => "query.program",
            "LOAD_FILE"
            | "PG_READ_FILE"
            | "PG_READ_BINARY_FILE"
            | "LO_IMPORT"
            | "LO_EXPORT"
            | "PG_LS_DIR"
            | "UTL_FILE"
            | "READFILE"
            | "WRITEFILE" => "query.file",
            "DBLINK" | "DBLINK_CONNECT" | "DBLINK_EXEC" | "UTL_HTTP" | "OPENROWSET"
            | "OPENDATASOURCE" | "UTL_TCP" | "UTL_SMTP" => "query.remote",
            "SP_ADDSRVROLEMEMBER" | "SP_ADDROLEMEMBER" => "query.grant",
            "SONAME" => "query.program",
            "SP_CONFIGURE" | "PG_TERMINATE_BACKEND" => "query.server",
            "LANGUAGE" | "EXTENSION" if UNTRUSTED.contains(&next) => "query.program",
            "DETACH" if next == "DELETE" && !words.contains(&"WHERE") => "query.delete.all",
            "INTO" if matches!(next, "OUTFILE" | "DUMPFILE") => "query.file",
            "PROGRAM" if index > 0 && matches!(words.get(index - 1), Some(&"TO" | &"FROM")) => {
                "query.program"
            }
            _ => continue,
        };
        found.push((rule, String::new()));
    }
}

/// What the statement that begins at `at` does.
fn begin(
    statement: &[Token],
    words: &[&str],
    at: usize,
    depth: usize,
    found: &mut Vec<(&'static str, String)>,
) {
    let word = |index: usize| words.get(at + index).copied().unwrap_or("");
    let skip = |from: usize, skipped: &[&str]| {
        let mut index = from;
        while skipped.contains(&word(index)) {
            index += 1;
        }
        index
    };
    let name = |index: usize| {
        statement.get(at + index).map_or_else(String::new, |token| token.text.to_string())
    };
    let has = |wanted: &str| words.iter().skip(at).any(|word| *word == wanted);
    // `ON CONFLICT DO UPDATE` and `WHEN MATCHED THEN` touch the rows that were matched.
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or("");
    let first = words.first().copied().unwrap_or("");
    let matched = first == "INSERT" && before == "DO" || first == "MERGE" && before == "THEN";
    match word(0) {
        verb @ ("UPDATE" | "DELETE") if matched => {
            let position = |wanted: &str| words.iter().position(|word| *word == wanted);
            let is_always = first == "MERGE"
                && position("ON").zip(position("WHEN")).is_some_and(|(on, when)| {
                    always(
                        statement.get(on + 1..when).unwrap_or_default(),
                        statement.get(..on).unwrap_or_default(),
                    )
                });
            found.push(match (is_always, verb) {
                (false, _) => ("query.change", String::new()),
                (true, "DELETE") => ("query.delete.all", String::new()),
                (true, _) => ("query.update.all", String::new()),
            });
        }
        "INSERT" | "UPDATE" | "DELETE" | "REPLACE" if holds_accounts(words, at) => {
            found.push(("query.grant", String::new()));
        }
        "DO" if first == "INSERT" => {}
        "DROP" => {
            let kind = skip(1, &["TEMPORARY", "TEMP", "FOREIGN", "EXTERNAL"]);
            match word(kind) {
                "TABLE" if matches!(word(1), "TEMPORARY" | "TEMP") => {
                    found.push(("query.drop.part", String::new()));
                }
                "TABLE" | "DATABASE" | "SCHEMA" | "KEYSPACE" | "TABLESPACE" | "OWNED"
                | "COLLECTION" => {
                    found.push(("query.drop.table", name(skip(kind + 1, &["IF", "EXISTS", "BY"]))));
                }
                "USER" | "ROLE" | "LOGIN" => found.push(("query.grant", String::new())),
                "" => {}
                _ => found.push(("query.drop.part", String::new())),
            }
        }
        "TRUNCATE" if word(1) != "(" => {
            found.push(("query.truncate", name(skip(1, &["TABLE", "ONLY"]))))
        }
        "DELETE" => {
            // `DELETE a, b.* FROM …` names aliases first; without a `FROM` only a whole statement is one.
            let aliases = words
                .iter()
                .skip(at + 1)
                .take_while(|word| !matches!(**word, "WHERE" | "(" | ")" | ";"))
                .take(MOST_ALIASES)
                .position(|word| *word == "FROM")
                .unwrap_or(0);
            let table = skip(1 + aliases, &["FROM", "ONLY", "IGNORE", "QUICK", "LOW_PRIORITY"]);
            let is_named = table > 1 || at == 0 && statement.get(1).is_some_and(is_name);
            let rule =
                if limited(statement, words, at) { "query.change" } else { "query.delete.all" };
            if is_named {
                found.push((rule, name(table)));
            }
        }
        "UPDATE" if has("SET") => {
            let table = skip(1, &["ONLY", "IGNORE", "OR", "LOW_PRIORITY"]);
            let rule =
                if limited(statement, words, at) { "query.change" } else { "query.update.all" };
            found.push((rule, name(table)));
        }
        "INSERT" | "MERGE" | "REPLACE" | "UPSERT" if word(1) != "(" => {
            found.push(("query.change", name(skip(1, &["INTO", "IGNORE", "OR", "REPLACE"]))));
        }
        "ALTER" => match word(1) {
            "USER" | "ROLE" | "LOGIN" => found.push(("query.grant", String::new())),
            "SERVER" if word(2) == "ROLE" => found.push(("query.grant", String::new())),
            "SYSTEM" => found.push(("query.server", String::new())),
            _ if has("DISABLE") && (has("SECURITY") || has("TRIGGER")) => {
                found.push(("query.server", String::new()));
            }
            _ if has("DROP") => {
                found.push(("query.alter.drop", name(skip(2, &["IF", "EXISTS", "ONLY"]))))
            }
            _ => found.push(("query.change", name(2))),
        },
        "CREATE" => match word(skip(1, &["OR", "REPLACE"])) {
            "USER" | "ROLE" | "LOGIN" => found.push(("query.grant", String::new())),
            _ => found.push(("query.change", String::new())),
        },
        "GRANT"
            if has("ALL")
                || has("OPTION")
                || words.iter().skip(at).any(|word| MIGHTY.contains(word)) =>
        {
            found.push(("query.grant", String::new()));
        }
        "COPY" | "EXPORT" if at == 0 => copy(statement, words, found),
        "LOAD" if at == 0 && text_of(statement.get(1)).is_some() => {
            found.push(("query.program", String::new()));
        }
        "LOAD" | "ATTACH" if at == 0 => {
            let named = match word(0) {
                "ATTACH" => statement.iter().take(4).find_map(|token| text_of(Some(token))),
                _ => behind(statement, words, &["INFILE"]),
            };
            found.push((FILE, named.unwrap_or_default().to_owned()));
        }
        "BACKUP" if at == 0 => {
            let named = statement.iter().find_map(|token| text_of(Some(token))).unwrap_or_default();
            let is_remote = named.starts_with('\\') || named.contains("://");
            found.push(if is_remote {
                ("query.remote", String::new())
            } else {
                (FILE, named.to_owned())
            });
        }
        "RESTORE" if at == 0 => found.push(("query.server", String::new())),
        "GRANT" | "RENAME" | "REVOKE" if at == 0 => {
            found.push(("query.change", String::new()));
        }
        "PRAGMA" if matches!(word(1), "WRITABLE_SCHEMA" | "TRUSTED_SCHEMA") => {
            found.push(("query.server", String::new()));
        }
        "SET" if matches!(word(1), "GLOBAL" | "PERSIST") => {
            found.push(("query.server", String::new()))
        }
        "FLUSHALL" | "FLUSHDB" if at == 0 => found.push(("query.truncate", String::new())),
        "PURGE" | "RESET"
            if at == 0 && matches!(word(1), "BINARY" | "MASTER" | "REPLICA" | "SLAVE") =>
        {
            found.push(("query.server", String::new()));
        }
        "SHUTDOWN" | "KILL" if at == 0 => found.push(("query.server", String::new())),
        "EXECUTE"
            if matches!(word(1), "IMMEDIATE" | "FORMAT" | "(")
                || matches!(
                    statement.get(at + 1).map(|token| token.kind),
                    Some(TokenKind::Text)
                ) =>
        {
            dynamic(statement, at, depth, found);
        }
        // What is prepared under a name is run by `EXECUTE name` too, but not inside of a block.
        "EXECUTE" if depth > 0 && !matches!(word(1), "FUNCTION" | "PROCEDURE" | "ON") => {
            found.push(("query.dynamic", String::new()));
        }
        "EXEC" if matches!(word(1), "(" | "SP_EXECUTESQL") => dynamic(statement, at, depth, found),
        "PREPARE" if word(2) == "FROM" => dynamic(statement, at, depth, found),
        "DO" => dynamic(statement, at, depth, found),
        _ => {}
    }
}

/// Whether a statement changes the tables in which the server keeps its accounts.
fn holds_accounts(words: &[&str], at: usize) -> bool {
    let named = || words.iter().enumerate().skip(at + 1).take(MOST_ALIASES);
    named().any(|(index, word)| match *word {
        "PG_AUTHID" | "PG_AUTH_MEMBERS" | "PG_SHADOW" | "PG_USER_MAPPING" => true,
        "MYSQL" => {
            words.get(index + 1) == Some(&".")
                && matches!(words.get(index + 2), Some(&"DB" | &"GLOBAL_PRIV" | &"USER"))
        }
        _ => false,
    })
}

/// Roles and rights that are as good as the server itself.
const MIGHTY: &[&str] = &[
    "ACCOUNTADMIN",
    "ADMIN",
    "CLOUDSQLSUPERUSER",
    "CONTROL",
    "DBA",
    "FILE",
    "IMPERSONATE",
    "ORGADMIN",
    "OWNERSHIP",
    "PG_EXECUTE_SERVER_PROGRAM",
    "PG_READ_SERVER_FILES",
    "PG_WRITE_SERVER_FILES",
    "POSTGRES",
    "RDS_SUPERUSER",
    "SECURITYADMIN",
    "SUPER",
    "SUPERUSER",
    "SYSADMIN",
    "SYSDBA",
    "SYSTEM_USER",
];

/// How many words of aliases may stand between `DELETE` and `FROM`.
const MOST_ALIASES: usize = 32;

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Name)
}

fn text_of(token: Option<&Token>) -> Option<&str> {
    token.filter(|token| token.kind == TokenKind::Text).map(|token| &*token.text)
}

/// The string behind one of the words.
fn behind<'s>(statement: &'s [Token], words: &[&str], wanted: &[&str]) -> Option<&'s str> {
    words
        .iter()
        .enumerate()
        .filter(|(_, word)| wanted.contains(*word))
        .find_map(|(index, _)| text_of(statement.get(index + 1)))
}

/// `COPY … TO 'file'`, `COPY … FROM 'file'`; the streams of the client and programs are not files.
fn copy(statement: &[Token], words: &[&str], found: &mut Vec<(&'static str, String)>) {
    match behind(statement, words, &["TO", "FROM", "INTO", "DATABASE"]) {
        Some(file) => found.push((FILE, file.to_owned())),
        None if words.contains(&"STDOUT") => {}
        None => found.push(("query.change", String::new())),
    }
}

/// Reads the strings behind a word that runs them; what is not a string cannot be read.
fn dynamic(statement: &[Token], at: usize, depth: usize, found: &mut Vec<(&'static str, String)>) {
    let mut text = String::new();
    let mut any = false;
    for token in statement.iter().skip(at + 1) {
        match (token.kind, &*token.text) {
            (TokenKind::Text, part) => {
                any = true;
                text.push_str(part);
            }
            (TokenKind::Operator, _)
            | (
                TokenKind::Word,
                "IMMEDIATE" | "SP_EXECUTESQL" | "FROM" | "LANGUAGE" | "PLPGSQL" | "CONCAT" | "N",
            ) => {}
            (TokenKind::Word, _) if any => {}
            _ => {
                found.push(("query.dynamic", String::new()));
                return;
            }
        }
    }
    if any {
        read(&text, depth + 1, found);
    } else {
        found.push(("query.dynamic", String::new()));
    }
}

/// From how many rows on a limit is none.
const MANY: u64 = 10_000;

/// Whether a `WHERE` (or `LIMIT`) behind `at`, in the same parentheses, holds for some rows only.
fn limited(statement: &[Token], words: &[&str], at: usize) -> bool {
    let mut depth = 0_usize;
    for (index, word) in words.iter().enumerate().skip(at) {
        match *word {
            "(" => depth += 1,
            ")" if depth == 0 => return false,
            ")" => depth -= 1,
            "WHERE" if depth == 0 => {
                return !always(
                    statement.get(index + 1..).unwrap_or_default(),
                    statement.get(at..index).unwrap_or_default(),
                );
            }
            "LIMIT" | "TOP" if depth == 0 => {
                let mut rest = statement.iter().skip(index + 1).take(2);
                let most = rest.find(|token| token.kind == TokenKind::Number);
                return most
                    .and_then(|most| most.text.parse::<u64>().ok())
                    .is_none_or(|most| most < MANY);
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn familiar_words_are_sorted() {
        assert!(super::FAMILIAR.is_sorted());
    }

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
            ("MERGE INTO a USING b ON (1=1) WHEN MATCHED THEN DELETE", "query.delete.all"),
            ("MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE", "query.change"),
            ("UPDATE mysql.user SET Host = '%' WHERE User = 'root'", "query.grant"),
            ("INSERT INTO pg_shadow VALUES ('x')", "query.grant"),
            (r"BACKUP DATABASE a TO DISK = '\\files.example.net\s\a.bak'", "query.remote"),
            ("RESTORE DATABASE a FROM DISK = 'a.bak' WITH REPLACE", "query.server"),
            ("DROP TEMPORARY TABLE a", "query.drop.part"),
            ("FROBNICATE TABLE users", "query.unfamiliar"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM a)", "query.delete.all"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM b)", "query.change"),
            ("DELETE FROM a WHERE id IN (SELECT id FROM a WHERE x = 1)", "query.change"),
            ("DELETE FROM a WHERE COALESCE(b, false) IN (true, false)", "query.delete.all"),
            ("DELETE FROM a WHERE b IS NULL OR b IS NOT NULL", "query.delete.all"),
            ("DELETE FROM a WHERE (1 = 1) AND TRUE", "query.delete.all"),
            ("DELETE FROM a WHERE 2 > 1", "query.delete.all"),
            ("DELETE FROM a WHERE id > 0", "query.delete.all"),
            ("DELETE FROM a WHERE name LIKE '%'", "query.delete.all"),
            ("DELETE FROM a WHERE name LIKE 'x%' AND 1 = 1", "query.change"),
            ("UPDATE a SET b = 1 WHERE id IS NOT NULL", "query.update.all"),
            ("UPDATE a SET b = 1 WHERE parent_id IS NOT NULL", "query.change"),
            ("ALTER SERVER ROLE sysadmin ADD MEMBER [web]", "query.grant"),
            ("DO $$ BEGIN EXECUTE r.cmd; END $$", "query.dynamic"),
            ("DO $$ BEGIN EXECUTE 'DROP TABLE ' || t; END $$", "query.drop.table"),
            (
                "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f()",
                "query.change",
            ),
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
