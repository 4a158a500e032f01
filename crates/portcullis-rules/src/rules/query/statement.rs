//! What statements do, as the rules about them want to know: their kinds, what they are done to, and what stands anywhere in them.
//! Owns the reading of tokens; how bad what was found is, the rules say.

use crate::bound::Bounded;
use portcullis_syntax::sql::{self, Token, TokenKind};

use super::{FILE, READ, condition::always};

/// How deep statements inside strings of statements are read.
const DEPTH: usize = 4;

/// Finds what the statements in `text` do: rule and what it is done to.
pub(super) fn read(text: &str, depth: usize, found: &mut Vec<(&'static str, String)>) {
    if depth >= DEPTH {
        found.push(("query.dynamic", String::new()));
        return;
    }
    let tokens = sql::tokens(text);
    for statement in tokens.split(|token| token.kind == TokenKind::Operator && &*token.text == ";")
    {
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
            continue;
        }
        anywhere(statement, &words, found);
        waits(statement, &words, found);
        if takes_hashes(statement, &words) {
            found.push(("query.hashes", String::new()));
        }
        if takes_credentials(statement) {
            found.push(("query.credentials", String::new()));
        }
        read_files(statement, words.as_slice(), found);
        // Without `EXEC`, a procedure may be named in quotes.
        let is_named = statement.first().is_some_and(|token| token.kind == TokenKind::Name);
        if depth == 0 && statement.len() > 1 && (is_named || is_unfamiliar(word(0))) {
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
    "BULK",
    "CASE",
    "CHANGE",
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
    "STOP",
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

/// Tables in which a server keeps how its accounts prove who they are, sorted.
const OF_ACCOUNTS: &[&str] = &["PG_AUTHID", "PG_SHADOW", "SQL_LOGINS", "SYSLOGINS", "USER$"];

/// Their columns that do.
const HASHES: &[&str] =
    &["AUTHENTICATION_STRING", "PASSWD", "PASSWORD", "PASSWORD_HASH", "ROLPASSWORD", "SPARE4"];

/// Whether a statement reads the password hashes of a server's accounts.
fn takes_hashes(statement: &[Token], words: &[&str]) -> bool {
    let reads = matches!(
        words.first(),
        Some(&"SELECT" | &"WITH" | &"TABLE" | &"COPY" | &"CREATE" | &"INSERT")
    );
    let names = || {
        let named = |token: &&Token| matches!(token.kind, TokenKind::Word | TokenKind::Name);
        statement.iter().filter(named).map(|token| token.text.to_ascii_uppercase())
    };
    let of_mysql =
        || names().zip(names().skip(1)).any(|(schema, table)| schema == "MYSQL" && table == "USER");
    let all = || {
        words
            .array_windows()
            .any(|[before, word]| *word == "*" && matches!(*before, "SELECT" | "." | ","))
    };
    reads
        && (names().any(|name| OF_ACCOUNTS.binary_search(&&*name).is_ok()) || of_mysql())
        && (words.first() == Some(&"TABLE")
            || all()
            || names().any(|name| HASHES.contains(&&*name)))
}

/// Columns that hold what proves who somebody is, or what pays for them, sorted.
const CREDENTIALS: &[&str] = &[
    "ACCESS_TOKEN",
    "API_KEY",
    "API_SECRET",
    "APIKEY",
    "AUTH_TOKEN",
    "CARD_NUMBER",
    "CLIENT_SECRET",
    "CREDIT_CARD",
    "CREDIT_CARD_NUMBER",
    "CVV",
    "ENCRYPTED_PASSWORD",
    "HASHED_PASSWORD",
    "MFA_SECRET",
    "OTP_SECRET",
    "PASSWD",
    "PASSWORD",
    "PASSWORD_DIGEST",
    "PASSWORD_HASH",
    "PASSWORDHASH",
    "PASSWORD_SALT",
    "PASS_HASH",
    "PRIVATE_KEY",
    "PWD_HASH",
    "REFRESH_TOKEN",
    "SECRET_KEY",
    "SESSION_TOKEN",
    "SOCIAL_SECURITY_NUMBER",
    "SSN",
    "TOTP_SECRET",
    "USER_PASS",
];

/// Functions that tell nothing of a value but whether and how long it is.
const TELLS_LITTLE: &[&str] =
    &["CHAR_LENGTH", "CHARACTER_LENGTH", "COUNT", "LEN", "LENGTH", "OCTET_LENGTH"];

/// Whether a statement gives the rows of a table with a column of [`CREDENTIALS`] among what it shows.
fn takes_credentials(statement: &[Token]) -> bool {
    let is = |token: Option<&Token>, words: &[&str]| {
        token.is_some_and(|token| words.iter().any(|word| token.text.eq_ignore_ascii_case(word)))
    };
    if !is(statement.first(), &["SELECT", "WITH", "COPY", "EXPORT", "CREATE", "INSERT"]) {
        return false;
    }
    let (mut shows, mut hidden, mut depth) = (false, None, 0_usize);
    let mut taken = false;
    for (index, token) in statement.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| statement.get(before));
        let next = statement.get(index + 1);
        match &*token.text {
            "(" if token.kind == TokenKind::Operator => {
                depth += 1;
                if hidden.is_none() && is(before, TELLS_LITTLE) {
                    hidden = Some(depth);
                }
            }
            ")" if token.kind == TokenKind::Operator => {
                if hidden == Some(depth) {
                    hidden = None;
                }
                depth = depth.saturating_sub(1);
            }
            word if token.kind == TokenKind::Word && word.eq_ignore_ascii_case("SELECT") => {
                shows = true;
                taken = false;
            }
            word if token.kind == TokenKind::Word && word.eq_ignore_ascii_case("FROM") => {
                if shows && taken {
                    return true;
                }
                shows = false;
            }
            word if shows && hidden.is_none() => {
                let compared = is(next, &["IS", "=", "<>", "!=", "LIKE", "IN", ".", "("]);
                let is_name = matches!(token.kind, TokenKind::Word | TokenKind::Name)
                    && CREDENTIALS.iter().any(|column| word.eq_ignore_ascii_case(column));
                taken |= is_name && !compared && !is(before, &["AS"]);
            }
            _ => {}
        }
    }
    false
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
fn read_files(statement: &[Token], words: &[&str], found: &mut Vec<(&'static str, String)>) {
    for (index, word) in words.iter().enumerate() {
        let (named, rest) = match *word {
            "FROM" | "JOIN" => (text_of(statement.get(index + 1)), None),
            word if READERS.binary_search(&word).is_ok() && words.get(index + 1) == Some(&"(") => {
                let list = usize::from(words.get(index + 2) == Some(&"["));
                (text_of(statement.get(index + 2 + list)), statement.get(index + 3 + list..))
            }
            _ => continue,
        };
        let listed = rest.into_iter().flatten().take_while(|token| &*token.text != ")");
        let more = listed.filter_map(|token| text_of(Some(token)));
        found.extend(named.into_iter().chain(more).map(|name| (READ, name.to_owned())));
    }
}

/// From how many seconds on waiting is more than a test of it.
const LONG: f64 = 10.0;

/// Functions that wait, or count for nothing.
fn waits(statement: &[Token], words: &[&str], found: &mut Vec<(&'static str, String)>) {
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

/// What statements begin with that read and write rows.
const OF_ROWS: &[&str] =
    &["DELETE", "INSERT", "MERGE", "REPLACE", "SELECT", "TABLE", "UPDATE", "VALUES", "WITH"];

/// Functions and procedures that reach beyond the tables, sorted, and the rule for each. They may stand in quotes.
static REACHING: &[(&str, &str)] = &[
    ("DBLINK", "query.remote"),
    ("DBLINK_CONNECT", "query.remote"),
    ("DBLINK_EXEC", "query.remote"),
    ("DBMS_SCHEDULER", "query.program"),
    ("LOAD_EXTENSION", "query.program"),
    ("LOAD_FILE", "query.file"),
    ("LO_EXPORT", "query.file"),
    ("LO_IMPORT", "query.file"),
    ("OPENDATASOURCE", "query.remote"),
    ("OPENROWSET", "query.remote"),
    ("PG_LS_DIR", "query.file"),
    ("PG_READ_BINARY_FILE", "query.file"),
    ("PG_READ_FILE", "query.file"),
    ("PG_TERMINATE_BACKEND", "query.server"),
    ("READFILE", "query.file"),
    ("SP_ADDROLEMEMBER", "query.grant"),
    ("SP_ADDSRVROLEMEMBER", "query.grant"),
    ("SP_CONFIGURE", "query.server"),
    ("SP_EXECUTE_EXTERNAL_SCRIPT", "query.program"),
    ("SP_OACREATE", "query.program"),
    ("SYS_EVAL", "query.program"),
    ("SYS_EXEC", "query.program"),
    ("UTL_FILE", "query.file"),
    ("UTL_HTTP", "query.remote"),
    ("UTL_SMTP", "query.remote"),
    ("UTL_TCP", "query.remote"),
    ("WRITEFILE", "query.file"),
    ("XP_CMDSHELL", "query.program"),
    ("XP_REGWRITE", "query.program"),
];

/// The procedure that runs the text which it is given.
const DYNAMIC: &str = "SP_EXECUTESQL";

fn reaching(word: &str) -> Option<&'static str> {
    let row = REACHING.binary_search_by(|(name, _)| name.cmp(&word)).ok()?;
    REACHING.get(row).map(|(_, rule)| *rule)
}

/// What a name in quotes means as a word: only those that reach somewhere mean the same with and without them.
fn in_quotes(name: &str) -> &'static str {
    let is_it = |known: &&&str| known.eq_ignore_ascii_case(name);
    let known = REACHING.iter().map(|(known, _)| known).chain([&DYNAMIC, &"PG_SLEEP"]);
    known.filter(|_| name.len() < 32).find(is_it).copied().unwrap_or("")
}

/// What matters wherever it stands in a statement.
fn anywhere(statement: &[Token], words: &[&str], found: &mut Vec<(&'static str, String)>) {
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).copied().unwrap_or("");
        let named = || statement.get(index + 1).map(|token| token.text.to_ascii_uppercase());
        let rule = match *word {
            _ if let Some(rule) = reaching(word) => rule,
            "SONAME" => "query.program",
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
                "ATTACH" => statement.iter().leading(4).find_map(|token| text_of(Some(token))),
                _ => behind(statement, words, &["INFILE"]),
            };
            found.push((FILE, named.unwrap_or_default().to_owned()));
        }
        "BACKUP" | "BULK" if at == 0 => {
            let named = statement.iter().find_map(|token| text_of(Some(token))).unwrap_or_default();
            let is_remote = named.starts_with('\\') || named.contains("://");
            found.push(if is_remote {
                ("query.remote", String::new())
            } else {
                (FILE, named.to_owned())
            });
        }
        "VACUUM" if at == 0 && has("INTO") => {
            found.push((FILE, behind(statement, words, &["INTO"]).unwrap_or_default().to_owned()));
        }
        "CHANGE" if at == 0 && matches!(word(1), "MASTER" | "REPLICATION") => {
            found.push(("query.remote", String::new()));
        }
        "STOP" if at == 0 && matches!(word(1), "GROUP_REPLICATION" | "REPLICA" | "SLAVE") => {
            found.push(("query.server", String::new()));
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
        "EXEC" if word(1) == "(" => dynamic(statement, at, depth, found),
        // The procedure is named by a variable, which is no `EXEC @result = procedure`.
        "EXEC" | "EXECUTE" if word(1).starts_with('@') && word(2) != "=" => {
            found.push(("query.dynamic", String::new()));
        }
        // `EXEC sys.sp_executesql`; the first word of all needs no `EXEC`.
        first if at == 0 && has(DYNAMIC) && (first.is_empty() || is_unfamiliar(first)) => {
            dynamic(statement, at, depth, found);
        }
        "EXEC" if has(DYNAMIC) => dynamic(statement, at, depth, found),
        "PREPARE" if word(2) == "FROM" => dynamic(statement, at, depth, found),
        "DO" => dynamic(statement, at, depth, found),
        _ => {}
    }
}

/// Whether a statement changes the tables in which the server keeps its accounts.
fn holds_accounts(words: &[&str], at: usize) -> bool {
    let named = || words.iter().enumerate().skip(at + 1);
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
                "IMMEDIATE" | DYNAMIC | "FROM" | "LANGUAGE" | "PLPGSQL" | "CONCAT" | "N" | "SYS"
                | "MASTER" | "DBO",
            ) => {}
            (TokenKind::Name, name) if in_quotes(name) == DYNAMIC => {}
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
const MANY: f64 = 10_000.0;

/// The share of the rows that is all of them.
const ALL: f64 = 100.0;

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
                if words.get(index + 1) == Some(&"ALL") {
                    return false;
                }
                let mut rest = statement.iter().skip(index + 1).leading(2);
                let most = rest.find(|token| token.kind == TokenKind::Number);
                let most = most.and_then(|most| most.text.parse::<f64>().ok());
                let is_share =
                    words.iter().skip(index + 1).leading(4).any(|word| *word == "PERCENT");
                return most.is_none_or(|most| most < if is_share { ALL } else { MANY });
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
        assert!(super::REACHING.is_sorted());
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
            ("EXEC @result = dbo.count_users", ""),
            ("SELECT name FROM t WHERE called = \"load_file\"", ""),
            ("SELECT U&\"pg_read\\005ffile\"('/etc/passwd')", "query.dynamic"),
            ("CREATE EXTENSION IF NOT EXISTS \"plpython3u\"", "query.program"),
            ("CREATE FUNCTION f() RETURNS int AS 'x' LANGUAGE 'plpythonu'", "query.program"),
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
