//! Procedures and functions that a statement calls. Owns which of a server's own only tell something, and what the name of anybody else's says about it.

use portcullis_syntax::sql::{Token, TokenKind};

use super::verb::Verb;

/// The beginnings of PostgreSQL's functions for administration that only tell something, or hold for the session that calls them, sorted.
const TELL: &[&str] = &[
    "PG_ADVISORY_",
    "PG_AVAILABLE_",
    "PG_BACKEND_PID",
    "PG_BASETYPE",
    "PG_BLOCKING_PIDS",
    "PG_BUFFERCACHE",
    "PG_CHAR_TO_ENCODING",
    "PG_CLIENT_ENCODING",
    "PG_COLLATION_",
    "PG_COLUMN_",
    "PG_CONFIG",
    "PG_CONF_LOAD_TIME",
    "PG_CONTROL_",
    "PG_CONVERSION_IS_VISIBLE",
    "PG_CURRENT_",
    "PG_CURSOR",
    "PG_DATABASE_SIZE",
    "PG_DDL_COMMAND",
    "PG_DESCRIBE_OBJECT",
    "PG_ENCODING_",
    "PG_EVENT_TRIGGER_",
    "PG_EXPORT_SNAPSHOT",
    "PG_FILENODE_RELATION",
    "PG_FREESPACE",
    "PG_FUNCTION_IS_VISIBLE",
    "PG_GET_",
    "PG_HAS_ROLE",
    "PG_HBA_FILE_RULES",
    "PG_IDENTIFY_OBJECT",
    "PG_IDENT_FILE_MAPPINGS",
    "PG_INDEXAM_",
    "PG_INDEXES_SIZE",
    "PG_INDEX_",
    "PG_INPUT_",
    "PG_ISOLATION_",
    "PG_IS_",
    "PG_JIT_AVAILABLE",
    "PG_LAST_",
    "PG_LISTENING_CHANNELS",
    "PG_LOCK_STATUS",
    "PG_LSN",
    "PG_MCV_LIST_ITEMS",
    "PG_MY_TEMP_SCHEMA",
    "PG_NOTIFICATION_QUEUE_USAGE",
    "PG_NOTIFY",
    "PG_OPCLASS_IS_VISIBLE",
    "PG_OPERATOR_IS_VISIBLE",
    "PG_OPTIONS_TO_TABLE",
    "PG_PARTITION_",
    "PG_POSTMASTER_START_TIME",
    "PG_PREPARED_",
    "PG_PREWARM",
    "PG_RELATION_",
    "PG_RELPAGES",
    "PG_SAFE_SNAPSHOT",
    "PG_SEQUENCE_",
    "PG_SETTINGS_GET_FLAGS",
    "PG_SHOW_",
    "PG_SIZE_",
    "PG_SLEEP",
    "PG_SNAPSHOT_",
    "PG_STATISTICS_OBJ_IS_VISIBLE",
    "PG_STAT_FILE",
    "PG_STAT_GET_",
    "PG_STAT_STATEMENTS",
    "PG_TABLESPACE_",
    "PG_TABLE_IS_VISIBLE",
    "PG_TABLE_SIZE",
    "PG_TIMEZONE",
    "PG_TOTAL_RELATION_SIZE",
    "PG_TO_",
    "PG_TRIGGER_DEPTH",
    "PG_TRY_ADVISORY_",
    "PG_TS_",
    "PG_TYPEOF",
    "PG_TYPE_IS_VISIBLE",
    "PG_VISIBILITY",
    "PG_VISIBLE_IN_SNAPSHOT",
    "PG_WALFILE_NAME",
    "PG_WAL_LSN_DIFF",
    "PG_XACT_",
];

/// Functions among these that do more, sorted.
const DO_MORE: &[&str] = &["PG_STAT_STATEMENTS_RESET"];

/// Packages of Oracle, and procedures in them, that only tell or compute something, sorted.
const TELLING_PACKAGES: &[&str] = &[
    "DBMS_APPLICATION_INFO",
    "DBMS_ASSERT",
    "DBMS_CRYPTO",
    "DBMS_DB_VERSION",
    "DBMS_LOB",
    "DBMS_LOCK",
    "DBMS_METADATA",
    "DBMS_MVIEW",
    "DBMS_OBFUSCATION_TOOLKIT",
    "DBMS_OUTPUT",
    "DBMS_RANDOM",
    "DBMS_ROWID",
    "DBMS_SPACE",
    "DBMS_SQLTUNE",
    "DBMS_STATS",
    "DBMS_STANDARD",
    "DBMS_TRANSACTION",
    "DBMS_TYPES",
    "DBMS_XMLGEN",
    "DBMS_XPLAN",
    "UTL_COLL",
    "UTL_COMPRESS",
    "UTL_ENCODE",
    "UTL_I18N",
    "UTL_LMS",
    "UTL_MATCH",
    "UTL_RAW",
    "UTL_URL",
];

/// Procedures of SQL Server that only tell something.
const TELLING_PROCEDURES: &[&str] = &[
    "SP_ADDEXTENDEDPROPERTY",
    "SP_COLUMNS",
    "SP_DATABASES",
    "SP_DEPENDS",
    "SP_DESCRIBE_",
    "SP_FKEYS",
    "SP_HELP",
    "SP_LOCK",
    "SP_PKEYS",
    "SP_SET_SESSION_CONTEXT",
    "SP_SPACEUSED",
    "SP_STATISTICS",
    "SP_TABLES",
    "SP_UPDATESTATS",
    "SP_WHO",
    "XP_FIXEDDRIVES",
    "XP_MSVER",
];

/// First words of names of procedures that look, count or work something out, sorted.
const LOOKING: &[&str] = &[
    "CALC",
    "CALCULATE",
    "CHECK",
    "COMPUTE",
    "COUNT",
    "DESCRIBE",
    "EXPLAIN",
    "FETCH",
    "FIND",
    "GET",
    "HAS",
    "HELP",
    "IS",
    "LIST",
    "LOOKUP",
    "PREVIEW",
    "READ",
    "REFRESH",
    "REPORT",
    "RPT",
    "SEARCH",
    "SELECT",
    "SHOW",
    "TEST",
    "VALIDATE",
    "VIEW",
];

/// Words of names of procedures, and of what they belong to, that only put together what is there, sorted.
const REPORTING: &[&str] = &[
    "OVERVIEW",
    "REPORT",
    "REPORTING",
    "REPORTS",
    "RPT",
    "STATISTICS",
    "STATS",
    "SUMMARY",
    "TOTALS",
];

/// First words of names of functions that do what cannot be taken back, sorted.
const DESTROYING: &[&str] = &[
    "ANONYMIZE",
    "CLEANUP",
    "DEACTIVATE",
    "DELETE",
    "DESTROY",
    "DISABLE",
    "DROP",
    "ERASE",
    "EXPIRE",
    "EXPUNGE",
    "GRANT",
    "NUKE",
    "PURGE",
    "REVOKE",
    "TERMINATE",
    "TRUNCATE",
    "WIPE",
];

/// Whether a procedure may do anything: neither the server's own that only tell, nor by its name one that looks. `name` is its last part, `owner`
/// what stands before it.
fn is_open(owner: &str, name: &str) -> bool {
    let starts = |list: &[&str], name: &str| list.iter().any(|known| name.starts_with(known));
    if TELLING_PACKAGES.iter().any(|known| owner.ends_with(known))
        || starts(TELLING_PROCEDURES, name)
    {
        return false;
    }
    let first = name.trim_start_matches("USP_").trim_start_matches("FN_");
    let first = first.split('_').next().unwrap_or(first);
    let is_of_server = ["SP_", "XP_", "DBMS_", "UTL_", "SYSTEM$"]
        .iter()
        .any(|start| name.starts_with(start) || owner.starts_with(start));
    let words = || owner.split('_').chain(name.split('_'));
    let reports = || words().any(|word| REPORTING.binary_search(&word).is_ok());
    let destroys = words().any(|word| {
        DESTROYING.binary_search(&word).is_ok()
            || matches!(word, "CLEAR" | "DEL" | "KILL" | "REMOVE" | "RESET" | "RID")
    });
    is_of_server || destroys || LOOKING.binary_search(&first).is_err() && !reports()
}

/// Whether `CALL …` or `EXEC …` of a procedure, whose name begins at a place, may do anything.
pub(super) fn calls_open(verb: Verb<'_>, from: usize) -> bool {
    let mut last = from;
    while verb.word(last + 1) == "." {
        last += 2;
    }
    let upper = |at: usize| verb.name(at).to_ascii_uppercase();
    // All that stands before its last part: `reporting.pkg_sales.monthly`.
    let owner: Vec<String> = (from..last).step_by(2).map(upper).collect();
    is_open(&owner.join("_"), &upper(last))
}

/// Whether a procedure of SQL Server that only tells something is called.
pub(super) fn only_tells(verb: Verb<'_>, from: usize) -> bool {
    let mut last = from;
    while verb.word(last + 1) == "." {
        last += 2;
    }
    let name = verb.name(last).to_ascii_uppercase();
    TELLING_PROCEDURES.iter().any(|known| name.starts_with(known))
}

/// Whether an expression of a statement calls a function that administers the server, or that destroys by its own name.
pub(super) fn administers(statement: &[Token], words: &[&str]) -> bool {
    let starts = |name: &str| TELL.iter().any(|known| name.starts_with(known));
    let is_made = matches!(
        words.first(),
        Some(&("CREATE" | "DROP" | "ALTER" | "GRANT" | "REVOKE" | "COMMENT"))
    );
    !is_made
        && (of_package(words)
            || statement.array_windows().enumerate().any(|(at, [name, open])| {
                if &*open.text != "(" || !matches!(name.kind, TokenKind::Word | TokenKind::Name) {
                    return false;
                }
                let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or("");
                // A table with its columns, or a name that `WITH` gives.
                if matches!(before, "INTO" | "TABLE" | "WITH" | "REFERENCES" | "EXISTS") {
                    return false;
                }
                let name = name.text.to_ascii_uppercase();
                // One query, by the number of its process.
                let is_number =
                    statement.get(at + 2).is_some_and(|it| it.kind == TokenKind::Number);
                if name == "PG_CANCEL_BACKEND" && is_number {
                    return false;
                }
                if name.starts_with("PG_") {
                    return DO_MORE.contains(&name.as_str()) || !starts(&name);
                }
                name.split_once('_').is_some_and(|(first, rest)| {
                    !rest.is_empty() && DESTROYING.binary_search(&first).is_ok()
                })
            }))
}

/// Whether a package of Oracle's own is called that does more than tell: `DBMS_NETWORK_ACL_ADMIN.APPEND_HOST_ACE(…)`.
fn of_package(words: &[&str]) -> bool {
    words.array_windows().any(|[package, dot, _, open]| {
        *dot == "."
            && *open == "("
            && ["DBMS_", "UTL_"].iter().any(|start| package.starts_with(start))
            && !TELLING_PACKAGES.contains(package)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_are_sorted() {
        for list in [super::TELL, super::LOOKING, super::DESTROYING, super::REPORTING] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
