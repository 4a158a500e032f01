//! First words of statements. Owns which are familiar, and which read or write rows.

/// What statements begin with that change nothing by themselves, or are read below.
pub(super) const FAMILIAR: &[&str] = &[
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

/// What statements begin with that read and write rows.
pub(super) const OF_ROWS: &[&str] =
    &["DELETE", "INSERT", "MERGE", "REPLACE", "SELECT", "TABLE", "UPDATE", "VALUES", "WITH"];

/// Whether a statement begins with a word that says nothing to us. Names, numbers and what belongs to a client are no such words.
pub(super) fn is_unfamiliar(first: &str) -> bool {
    first.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && FAMILIAR.binary_search(&first).is_err()
}

#[cfg(test)]
mod tests {
    #[test]
    fn familiar_words_are_sorted() {
        assert!(super::FAMILIAR.is_sorted());
    }
}
