//! Kinds of statements that are known to change no more than they name. Owns the lists of what may be created, altered and dropped without a question of
//! its own; whatever stands in none of them is taken for unfamiliar, however ordinary its first word is.

use super::verb::Verb;

/// Kinds of things whose making is ordinary work, sorted.
const MADE: &[&str] = &[
    "AGGREGATE",
    "BITMAP",
    "CAST",
    "CLUSTERED",
    "COLLATION",
    "COLLECTION",
    "COLUMNSTORE",
    "CONVERSION",
    "DATABASE",
    "DEFAULT",
    "DICTIONARY",
    "DOMAIN",
    "DYNAMIC",
    "EVENT",
    "EXTENSION",
    "EXTERNAL",
    "FILE",
    "FOREIGN",
    "FULLTEXT",
    "FUNCTION",
    "GLOBAL",
    "HYBRID",
    "ICEBERG",
    "IMMUTABLE",
    "INDEX",
    "KEYSPACE",
    "LIVE",
    "MACRO",
    "MASKING",
    "MATERIALIZED",
    "MODEL",
    "NONCLUSTERED",
    "OPERATOR",
    "PACKAGE",
    "PARTITION",
    "POLICY",
    "PRIMARY",
    "PROC",
    "PROCEDURE",
    "RECURSIVE",
    "ROW",
    "RULE",
    "SCHEMA",
    "SEARCH",
    "SECURITY",
    "SEQUENCE",
    "SNAPSHOT",
    "SPATIAL",
    "STAGE",
    "STATISTICS",
    "STREAM",
    "STREAMING",
    "SYNONYM",
    "TABLE",
    "TAG",
    "TASK",
    "TEXT",
    "TRANSIENT",
    "TRIGGER",
    "TYPE",
    "UNIQUE",
    "UNLOGGED",
    "VECTOR",
    "VIEW",
    "VIRTUAL",
    "XML",
];

/// What marks a kind that others than the owner of a table notice, sorted: a trigger on a server, a table function of another one.
fn reaches_further(verb: Verb<'_>, kind: usize) -> bool {
    match verb.word(kind) {
        "EVENT" => verb.word(kind + 1) == "TRIGGER",
        "FOREIGN" => verb.word(kind + 1) != "TABLE",
        "MATERIALIZED" => !matches!(verb.word(kind + 1), "VIEW" | "TABLE"),
        "TRIGGER" => {
            verb.has_run(&["ALL", "SERVER"])
                || ["LOGON", "LOGOFF", "STARTUP", "DDL"].iter().any(|event| verb.has(event))
                || verb.has_run(&["ON", "DATABASE"])
        }
        "SECURITY" => verb.word(kind + 1) != "POLICY",
        _ => false,
    }
}

/// Whether what `CREATE` makes, whose kind stands at a place, is ordinary work.
pub(super) fn is_made(verb: Verb<'_>, kind: usize) -> bool {
    let word = verb.word(kind);
    // Cypher's `CREATE (n)`, a name in quotes where another dialect has a word, and Oracle's words before a kind.
    let kind = verb.skip(
        kind,
        &[
            "AND",
            "ALGORITHM",
            "COMPILE",
            "EDITIONABLE",
            "FORCE",
            "NO",
            "NOFORCE",
            "NONEDITIONABLE",
            "RESOLVE",
            "SECURE",
            "SHARED",
        ],
    );
    let word = if kind == 0 { word } else { verb.word(kind) };
    let is_definer = verb.has("DEFINER") && word == "DEFINER";
    word.is_empty()
        || word == "("
        || word == "="
        || is_definer
        || MADE.binary_search(&word).is_ok() && !reaches_further(verb, kind)
}

/// Kinds of things of which every `DROP` that is not told by itself is ordinary, sorted.
const DROPPED: &[&str] = &[
    "AGGREGATE",
    "CAST",
    "COLLATION",
    "COLUMN",
    "CONSTRAINT",
    "CONVERSION",
    "DEFAULT",
    "DICTIONARY",
    "DOMAIN",
    "DYNAMIC",
    "EVENT",
    "EXTENSION",
    "FILE",
    "FULLTEXT",
    "FUNCTION",
    "INDEX",
    "MACRO",
    "MATERIALIZED",
    "MODEL",
    "OPERATOR",
    "PACKAGE",
    "PARTITION",
    "PIPE",
    "POLICY",
    "PREPARE",
    "PROC",
    "PROCEDURE",
    "RULE",
    "SEARCH",
    "SEQUENCE",
    "STATISTICS",
    "STREAM",
    "SYNONYM",
    "TAG",
    "TASK",
    "TEXT",
    "TRIGGER",
    "TYPE",
    "VECTOR",
    "VIEW",
    "XML",
];

/// Whether what `DROP` takes away, whose kind stands at a place, is no more than a part that can be made again.
pub(super) fn is_dropped(verb: Verb<'_>, kind: usize) -> bool {
    DROPPED.binary_search(&verb.word(kind)).is_ok()
}

/// What may be done to a table, sorted.
const OF_TABLES: &[&str] = &[
    "ADD",
    "ALGORITHM",
    "ALTER",
    "ATTACH",
    "AUTO_INCREMENT",
    "CHANGE",
    "CHARACTER",
    "CHARSET",
    "CHECK",
    "CLUSTER",
    "COLLATE",
    "COMMENT",
    "CONVERT",
    "DEFAULT",
    "DROP",
    "ENABLE",
    "ENGINE",
    "FORCE",
    "FREEZE",
    "INHERIT",
    "KEY_BLOCK_SIZE",
    "LOCK",
    "MATERIALIZE",
    "MODIFY",
    "NO",
    "OPTIMIZE",
    "ORDER",
    "PARTITION",
    "RECLUSTER",
    "RECOVER",
    "REFRESH",
    "RENAME",
    "REORGANIZE",
    "REPLICA",
    "RESET",
    "RESUME",
    "ROW_FORMAT",
    "SET",
    "SUSPEND",
    "TABLESPACE",
    "UNSET",
    "UPDATE",
    "UPGRADE",
    "VALIDATE",
    "WITH",
];

/// Runs of words that a table is altered with and that nobody does in passing.
const UNUSUAL: &[&[&str]] = &[
    &["NOCHECK", "CONSTRAINT"],
    &["OWNER", "TO"],
    &["REPLICA", "IDENTITY", "NOTHING"],
    &["SET", "LOGGED"],
    &["SET", "UNLOGGED"],
    &["SET", "WITHOUT"],
];

/// What may be done to something that is neither table nor server, sorted: the statement says no more than what it is about.
const ALTERED: &[&str] = &[
    "AGGREGATE",
    "COLLATION",
    "CONVERSION",
    "DEFAULT",
    "DOMAIN",
    "DYNAMIC",
    "EXTENSION",
    "EXTERNAL",
    "FILE",
    "FOREIGN",
    "FULLTEXT",
    "FUNCTION",
    "ICEBERG",
    "INDEX",
    "KEYSPACE",
    "MASKING",
    "MATERIALIZED",
    "MODEL",
    "OPERATOR",
    "PACKAGE",
    "PARTITION",
    "PIPE",
    "POLICY",
    "PROC",
    "PROCEDURE",
    "ROW",
    "SCHEMA",
    "SEQUENCE",
    "SESSION",
    "STAGE",
    "STATISTICS",
    "STREAM",
    "SYNONYM",
    "TAG",
    "TEXT",
    "TRIGGER",
    "TYPE",
    "VIEW",
    "WAREHOUSE",
];

/// Settings of a database that are as good as its sessions', in capitals, sorted.
const SETTINGS: &[&str] = &[
    "CHARACTER",
    "CLIENT_ENCODING",
    "COLLATE",
    "COMMENT",
    "COMPATIBILITY_LEVEL",
    "DATESTYLE",
    "DEFAULT",
    "IDLE_IN_TRANSACTION_SESSION_TIMEOUT",
    "INTERVALSTYLE",
    "LOCK_TIMEOUT",
    "QUERY_STORE",
    "READ_COMMITTED_SNAPSHOT",
    "SEARCH_PATH",
    "STATEMENT_TIMEOUT",
    "TIMEZONE",
    "WORK_MEM",
];

/// Whether `ALTER` of a kind, with what is done to it at a place, is ordinary work.
pub(super) fn is_altered(verb: Verb<'_>, action: usize) -> bool {
    let kind = verb.word(1);
    let says = |words: &[&str]| words.iter().any(|word| verb.has(word));
    if kind != "SEQUENCE" && verb.has_run(&["OWNER", "TO"]) {
        return verb.has("CURRENT_USER") || verb.has("SESSION_USER");
    }
    match kind {
        "TABLE" => {
            // The name itself may be more than one word of another dialect.
            let is_known = OF_TABLES.binary_search(&verb.word(action)).is_ok()
                || OF_TABLES.iter().any(|known| verb.has(known));
            is_known && !UNUSUAL.iter().any(|run| verb.has_run(run)) && !verb.has("DISABLE")
        }
        "DATABASE" => {
            verb.word(2) == "AUDIT"
                || says(SETTINGS)
                || matches!(verb.word(action), "RESET")
                || says(&["RENAME", "MODIFY"])
        }
        "EVENT" | "TASK" => !says(&["DISABLE", "SUSPEND", "RESUME", "ENABLE", "REMOVE"]),
        "INDEX" => !verb.has("DISABLE"),
        "WAREHOUSE" => !says(&["WAREHOUSE_SIZE", "MAX_CLUSTER_COUNT"]),
        // A name in quotes, or what another dialect takes for one.
        "" => true,
        kind => ALTERED.binary_search(&kind).is_ok() && !says(&["DISABLE", "DEFINER"]),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_are_sorted() {
        for list in [super::MADE, super::DROPPED, super::OF_TABLES, super::ALTERED, super::SETTINGS]
        {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
