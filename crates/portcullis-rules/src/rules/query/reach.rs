//! What reaches out of the tables: functions and procedures of servers that read files, run programs, connect or change the server, and the
//! places that rows are sent to. Each row is what the manual of its server says.

use portcullis_syntax::sql::{Token, TokenKind};

use super::{FILE, READ, statement::text_of};

/// Functions and procedures that reach beyond the tables, sorted, and the rule for each. They may stand in quotes.
static REACHING: &[(&str, &str)] = &[
    ("ADD_RETENTION_POLICY", "query.expire"),
    ("AWS_LAMBDA", "query.remote"),
    ("DBLINK", "query.remote"),
    ("DBLINK_CONNECT", "query.remote"),
    ("DBLINK_CONNECT_U", "query.remote"),
    ("DBLINK_EXEC", "query.remote"),
    ("DBLINK_OPEN", "query.remote"),
    ("DBLINK_SEND_QUERY", "query.remote"),
    ("DBMS_CLOUD", "query.remote"),
    ("DBMS_FILE_TRANSFER", "query.file"),
    ("DBMS_JAVA", "query.program"),
    ("DBMS_JOB", "query.schedule"),
    ("DBMS_LDAP", "query.remote"),
    ("DBMS_SCHEDULER", "query.program"),
    ("DISABLE_POLICY", "query.guard.off"),
    ("DROP_CHUNKS", "query.expire"),
    ("DROP_POLICY", "query.guard.off"),
    ("EXPIRE_SNAPSHOTS", "query.expire"),
    ("HTTPURITYPE", "query.remote"),
    ("LOAD_EXTENSION", "query.program"),
    ("LOAD_FILE", "query.file"),
    ("LO_EXPORT", "query.file"),
    ("LO_IMPORT", "query.file"),
    ("LO_UNLINK", "query.delete.all"),
    ("OPENDATASOURCE", "query.remote"),
    ("OPENROWSET", "query.remote"),
    ("PG_DROP_REPLICATION_SLOT", "query.server"),
    ("PG_FILE_RENAME", "query.file"),
    ("PG_FILE_UNLINK", "query.file"),
    ("PG_FILE_WRITE", "query.file"),
    ("PG_LS_DIR", "query.file"),
    ("PG_PROMOTE", "query.server"),
    ("PG_READ_BINARY_FILE", "query.file"),
    ("PG_READ_FILE", "query.file"),
    ("PG_TERMINATE_BACKEND", "query.server"),
    ("QUERY_EXPORT_TO_S3", "query.export"),
    ("READFILE", "query.file"),
    ("REMOVE_ORPHAN_FILES", "query.expire"),
    ("ROLLBACK_TO_SNAPSHOT", "query.expire"),
    ("ROLLBACK_TO_TIMESTAMP", "query.expire"),
    ("SP_ADDLINKEDSERVER", "query.remote"),
    ("SP_ADDLOGIN", "query.grant"),
    ("SP_ADDROLEMEMBER", "query.grant"),
    ("SP_ADDSRVROLEMEMBER", "query.grant"),
    ("SP_ADDUSER", "query.grant"),
    ("SP_ADD_JOB", "query.schedule"),
    ("SP_ADD_JOBSCHEDULE", "query.schedule"),
    ("SP_ADD_JOBSTEP", "query.schedule"),
    ("SP_CONFIGURE", "query.server"),
    ("SP_CYCLE_ERRORLOG", "query.audit.off"),
    ("SP_DELETE_BACKUPHISTORY", "query.server"),
    ("SP_DELETE_JOB", "query.server"),
    ("SP_DETACH_DB", "query.server"),
    ("SP_DROPLOGIN", "query.grant"),
    ("SP_DROPSERVER", "query.server"),
    ("SP_DROPUSER", "query.grant"),
    ("SP_EXECUTE_EXTERNAL_SCRIPT", "query.program"),
    ("SP_GRANTDBACCESS", "query.grant"),
    ("SP_INVOKE_EXTERNAL_REST_ENDPOINT", "query.remote"),
    ("SP_OACREATE", "query.program"),
    ("SP_OAMETHOD", "query.program"),
    ("SP_PASSWORD", "query.grant"),
    ("SP_PURGE_JOBHISTORY", "query.audit.off"),
    ("SP_SEND_DBMAIL", "query.export"),
    ("SP_UPDATE_JOBSTEP", "query.schedule"),
    ("SYSTEM$SEND_EMAIL", "query.export"),
    ("SYS_EVAL", "query.program"),
    ("SYS_EXEC", "query.program"),
    ("UTL_FILE", "query.file"),
    ("UTL_HTTP", "query.remote"),
    ("UTL_INADDR", "query.remote"),
    ("UTL_MAIL", "query.export"),
    ("UTL_SMTP", "query.remote"),
    ("UTL_TCP", "query.remote"),
    ("WRITEFILE", "query.file"),
    ("XP_CMDSHELL", "query.program"),
    ("XP_DELETE_FILE", "query.file"),
    ("XP_DIRTREE", "query.file"),
    ("XP_FILEEXIST", "query.file"),
    ("XP_REGDELETEVALUE", "query.program"),
    ("XP_REGREAD", "query.file"),
    ("XP_REGWRITE", "query.program"),
    ("XP_SERVICECONTROL", "query.server"),
    ("XP_SUBDIRS", "query.file"),
];

/// The same for names that are ordinary words unless they are called, sorted: the `http` and `pg_net` extensions, `executable` of
/// ClickHouse.
static CALLED: &[(&str, &str)] = &[
    ("EXECUTABLE", "query.program"),
    ("HTTP", "query.remote"),
    ("HTTP_DELETE", "query.remote"),
    ("HTTP_GET", "query.remote"),
    ("HTTP_PATCH", "query.remote"),
    ("HTTP_POST", "query.remote"),
    ("HTTP_PUT", "query.remote"),
];

/// Functions and procedures that run the statements in the texts which they are given, sorted.
const RUNS_TEXTS: &[&str] = &[
    "BIGQUERY_EXECUTE",
    "CRON",
    "CURSOR_TO_XML",
    "DBLINK",
    "DBLINK_EXEC",
    "DBLINK_OPEN",
    "DBLINK_SEND_QUERY",
    "DBMS_JOB",
    "DBMS_SCHEDULER",
    "DBMS_SQL",
    "MYSQL_EXECUTE",
    "OPENQUERY",
    "OPENROWSET",
    "POSTGRES_EXECUTE",
    "QUERY_EXPORT_TO_S3",
    "QUERY_TO_XML",
    "QUERY_TO_XML_AND_XMLSCHEMA",
    "SP_ADD_JOBSTEP",
    "SP_MSFOREACHDB",
    "SP_MSFOREACHTABLE",
    "SP_SEND_DBMAIL",
    "SP_UPDATE_JOBSTEP",
];

/// The procedure that runs the text which it is given.
pub(super) const DYNAMIC: &str = "SP_EXECUTESQL";

fn rule_of(table: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    let row = table.binary_search_by(|(name, _)| (*name).cmp(word)).ok()?;
    table.get(row).map(|(_, rule)| *rule)
}

/// What a name in quotes means as a word: only those that reach somewhere mean the same with and without them.
pub(super) fn in_quotes(name: &str) -> &'static str {
    let is_it = |known: &&&str| known.eq_ignore_ascii_case(name);
    let known = REACHING.iter().map(|(known, _)| known);
    let known = known.chain(RUNS_TEXTS).chain([&DYNAMIC, &"PG_SLEEP"]);
    known.filter(|_| name.len() < 40).find(is_it).copied().unwrap_or("")
}

/// The texts of a statement that what it calls runs as statements.
pub(super) fn texts_run<'s>(
    statement: &'s [Token],
    words: &[&str],
) -> impl Iterator<Item = &'s str> + use<'s> {
    let runs = words.iter().any(|word| RUNS_TEXTS.binary_search(word).is_ok());
    statement.iter().filter(move |_| runs).filter_map(|token| text_of(Some(token)))
}

/// Languages and extensions of `PostgreSQL` that reach outside the database, sorted.
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

/// Functions of `pg_cron` that leave a job.
const CRON: &[&str] = &["SCHEDULE", "SCHEDULE_IN_DATABASE", "ALTER_JOB"];

/// Whether the word at a place is a table with its columns behind it: `INTO http (…)`.
fn is_table(words: &[&str], at: usize) -> bool {
    let before = |count: usize| at.checked_sub(count).and_then(|at| words.get(at));
    let before = if before(1) == Some(&".") { before(3) } else { before(1) };
    matches!(before, Some(&"EXISTS" | &"INTO" | &"REFERENCES" | &"TABLE"))
}

/// What matters wherever it stands in a statement.
pub(super) fn anywhere(
    statement: &[Token],
    words: &[&str],
    found: &mut Vec<(&'static str, String)>,
) {
    let first = words.first().copied().unwrap_or("");
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).copied().unwrap_or("");
        let named = || statement.get(index + 1).map(|token| token.text.to_ascii_uppercase());
        let rule = match *word {
            _ if let Some(rule) = rule_of(REACHING, word) => rule,
            _ if next == "("
                && !is_table(words, index)
                && let Some(rule) = rule_of(CALLED, word) =>
            {
                rule
            }
            "CRON" if next == "." && words.get(index + 2).is_some_and(|it| CRON.contains(it)) => {
                "query.schedule"
            }
            "SONAME" => "query.program",
            // A function that is machine code of a file or of the server.
            "LANGUAGE"
                if first == "CREATE"
                    && named().is_some_and(|name| matches!(&*name, "C" | "INTERNAL")) =>
            {
                "query.program"
            }
            // The name of a language may stand in quotes of either kind, that of an extension behind `IF NOT EXISTS`.
            "LANGUAGE" | "EXTENSION" | "EXISTS"
                if named().is_some_and(|name| UNTRUSTED.contains(&&*name)) =>
            {
                "query.program"
            }
            // A name that is written by the numbers of its letters: `U&"pg_read\005ffile"`.
            "U" if next == "&"
                && statement.get(index + 2).is_some_and(|token| {
                    token.kind == TokenKind::Name && token.text.contains('\\')
                }) =>
            {
                "query.dynamic"
            }
            "DETACH" if next == "DELETE" && !words.contains(&"WHERE") => "query.delete.all",
            "SETVAL" if next == "(" && sets_low(statement, index) => "query.sequence.back",
            "SP_UPDATE_JOB" if switches_off(words) => "query.server",
            // Cypher: what a pattern without values matches is everything of a kind.
            "DELETE"
                if first == "MATCH" && !words.iter().any(|it| matches!(*it, "WHERE" | "{")) =>
            {
                "query.delete.all"
            }
            "INTO" if matches!(next, "OUTFILE" | "DUMPFILE") => "query.file",
            "PROGRAM" if index > 0 && matches!(words.get(index - 1), Some(&"TO" | &"FROM")) => {
                "query.program"
            }
            _ => continue,
        };
        found.push((rule, String::new()));
    }
}

/// `setval('s', 1, false)`: the next number is one of the first, whatever rows there are.
fn sets_low(statement: &[Token], at: usize) -> bool {
    let behind = statement.get(at + 2..).unwrap_or_default();
    let mut depth = 0_usize;
    let comma = behind.iter().position(|token| {
        match &*token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && &*token.text == ","
    });
    comma.is_some_and(|comma| is_first(behind.get(comma + 1)))
}

/// Whether a number is one with which sequences begin.
pub(super) fn is_first(token: Option<&Token>) -> bool {
    token
        .filter(|token| token.kind == TokenKind::Number)
        .and_then(|token| token.text.parse::<f64>().ok())
        .is_some_and(|number| number <= 1.0)
}

/// `@enabled = 0`
fn switches_off(words: &[&str]) -> bool {
    words.array_windows().any(|[name, equals]| *name == "@ENABLED" && *equals == "=")
}

/// Functions with which a database reads a file of the client's machine, sorted.
const READERS: &[&str] = &[
    "FILE",
    "PARQUET_SCAN",
    "READ_BLOB",
    "READ_CSV",
    "READ_CSV_AUTO",
    "READ_JSON",
    "READ_JSON_AUTO",
    "READ_NDJSON",
    "READ_PARQUET",
    "READ_TEXT",
    "SNIFF_CSV",
];

/// Files that are read as tables: `read_csv('PATH')`, `FROM 'PATH'`.
pub(super) fn read_files(
    statement: &[Token],
    words: &[&str],
    found: &mut Vec<(&'static str, String)>,
) {
    for (index, word) in words.iter().enumerate() {
        let (named, rest) = match *word {
            "FROM" | "JOIN" => (text_of(statement.get(index + 1)), None),
            word if (READERS.binary_search(&word).is_ok()
                || ELSEWHERE.binary_search(&word).is_ok())
                && words.get(index + 1) == Some(&"(") =>
            {
                let list = usize::from(words.get(index + 2) == Some(&"["));
                (text_of(statement.get(index + 2 + list)), statement.get(index + 3 + list..))
            }
            _ => continue,
        };
        let rest_of = |from| statement.get(from..).unwrap_or_default();
        if named.is_some_and(is_address) && is_put_together(rest_of(index + 2)) {
            found.push(("query.export", String::new()));
        }
        let listed = rest.into_iter().flatten().take_while(|token| &*token.text != ")");
        let more = listed.filter_map(|token| text_of(Some(token)));
        let names = named.into_iter().chain(more).map(str::to_owned);
        let within = statement.iter().enumerate().skip(index + 1).filter(|_| rest.is_some());
        let whole = within
            .take_while(|(_, token)| &*token.text != ")")
            .filter_map(|(at, _)| joined(statement, at))
            .find(|(_, length)| *length > 1);
        let names = names.chain(whole.map(|(name, _)| name));
        found.extend(names.map(|name| (if is_pipe(&name) { PROGRAM } else { READ }, name)));
    }
}

/// Whether the first value of a call is joined from more than texts: `'https://host/?d=' || (SELECT …)`.
fn is_put_together(call: &[Token]) -> bool {
    let mut depth = 0_usize;
    let value = call.iter().take_while(|token| {
        match &*token.text {
            "(" => depth += 1,
            ")" if depth == 0 => return false,
            ")" => depth -= 1,
            "," if depth == 0 => return false,
            _ => {}
        }
        true
    });
    let mut joins = false;
    let mut is_open = false;
    for token in value {
        match token.kind {
            TokenKind::Text | TokenKind::Number => {}
            TokenKind::Operator => joins |= matches!(&*token.text, "||" | "|" | "+"),
            TokenKind::Word | TokenKind::Name => is_open = true,
        }
    }
    joins && is_open
}

const PROGRAM: &str = "query.program";

/// Whether a database takes the name of a file for a command (`shellfs` of DuckDB).
fn is_pipe(name: &str) -> bool {
    let name = name.trim();
    name.starts_with('|') || name.ends_with('|')
}

/// The rule on a name that is a file's, or a command.
pub(super) fn file_or_pipe(name: &str) -> &'static str {
    if is_pipe(name) { PROGRAM } else { FILE }
}

/// A text, or several of them with `||` between them, and how many tokens that is.
pub(super) fn joined(statement: &[Token], at: usize) -> Option<(String, usize)> {
    let mut whole = text_of(statement.get(at))?.to_owned();
    let mut length = 1;
    let is_bar = |at: usize| statement.get(at).is_some_and(|token| &*token.text == "|");
    while is_bar(at + length)
        && is_bar(at + length + 1)
        && let Some(more) = text_of(statement.get(at + length + 2))
    {
        whole.push_str(more);
        length += 3;
    }
    Some((whole, length))
}

/// Table functions of ClickHouse that stand for a table of another machine, sorted: what is inserted into one is sent there.
pub(super) const ELSEWHERE: &[&str] = &[
    "AZUREBLOBSTORAGE",
    "AZUREBLOBSTORAGECLUSTER",
    "GCS",
    "HDFS",
    "MONGODB",
    "MYSQL",
    "POSTGRESQL",
    "REDIS",
    "REMOTE",
    "REMOTESECURE",
    "S3",
    "S3CLUSTER",
    "URL",
];

/// Whether a text is the address of a place on another machine.
pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("\\\\") || text.contains("://") && !text.starts_with("file:")
}

/// From how many seconds on waiting is more than a test of it.
const LONG: f64 = 10.0;

/// Functions that wait, or count for nothing.
pub(super) fn waits(statement: &[Token], words: &[&str], found: &mut Vec<(&'static str, String)>) {
    let asks = words
        .iter()
        .any(|word| matches!(*word, "CASE" | "GENERATE_SERIES" | "IF" | "IIF" | "WHEN"));
    for (index, word) in words.iter().enumerate() {
        let called = words.get(index + 1) == Some(&"(");
        let number = || {
            let token = statement.get(index + 2).filter(|token| token.kind == TokenKind::Number);
            let is_alone = words.get(index + 3) == Some(&")");
            token.filter(|_| is_alone).and_then(|token| token.text.parse::<f64>().ok())
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

/// Lines that are for the client and not for the server: `.shell rm x`, `\! rm x` run a program, `.output` and `\o` write a file, `.read`
/// and `\i` run one.
pub(super) fn of_client(text: &str, found: &mut Vec<(&'static str, String)>) {
    for line in text.lines().map(str::trim_start) {
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or_default();
        let rest = line.get(command.len()..).unwrap_or_default().trim();
        let is_piped = rest.starts_with('|') || rest.contains('`');
        let rule = match command {
            ".load" | ".shell" | ".system" | "\\!" | "!" | "system" if !rest.is_empty() => {
                "query.program"
            }
            ".import" | ".once" | ".output" | ".read" | "\\copy" | "\\g" | "\\o" | "\\set"
            | "\\w"
                if is_piped || rest.contains(" program ") =>
            {
                "query.program"
            }
            _ if command.starts_with("\\!") => "query.program",
            // What the query before it gives is run, a statement for each value.
            _ if line.contains("\\gexec") => "query.dynamic",
            ".import" | ".once" | ".output" | ".read" | "\\i" | "\\ir" | "\\o" | "\\w" => {
                let path = words.find(|word| !word.starts_with('-')).unwrap_or_default();
                found.push((FILE, path.trim_matches(['\'', '"']).to_owned()));
                continue;
            }
            _ => continue,
        };
        found.push((rule, String::new()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(REACHING.is_sorted_by_key(|row| row.0));
        assert!(CALLED.is_sorted_by_key(|row| row.0));
        for list in [RUNS_TEXTS, UNTRUSTED, READERS, ELSEWHERE] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
