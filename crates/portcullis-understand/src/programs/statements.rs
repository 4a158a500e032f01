//! What is proven of a statement for a database. Owns the verbs that only read and those that change something.

/// Whether a statement surely only reads: one statement that starts with a reading verb and holds no other verb.
///
/// Words in strings count as verbs too: a statement that looks odd is not proven.
pub fn statement_reads(statement: &str) -> bool {
    const READING: &[&str] =
        &["select", "show", "describe", "desc", "explain", "values", "with", "table", "match"];
    const CHANGING: &[&str] = &[
        "alter", "analyze", "attach", "call", "copy", "create", "delete", "detach", "do", "drop",
        "dumpfile", "execute", "exec", "grant", "insert", "into", "load", "lock", "merge",
        "outfile", "pragma", "reindex", "remove", "rename", "replace", "revoke", "set", "truncate",
        "update", "vacuum",
    ];
    let statement = statement.trim().trim_end_matches(';');
    if statement.contains(';') {
        return false;
    }
    let mut words = statement
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty());
    let is_one_of =
        |word: &str, list: &[&str]| list.iter().any(|each| word.eq_ignore_ascii_case(each));
    words.next().is_some_and(|first| is_one_of(first, READING))
        && !words.any(|word| is_one_of(word, CHANGING) || is_function_with_effects(word))
}

/// Functions that change things or reach outside of the database, in the systems that we know.
fn is_function_with_effects(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    [
        "pg_",
        "lo_",
        "xp_",
        "sp_",
        "sys_",
        "load_",
        "dblink",
        "readfile",
        "writefile",
        "utl_",
        "dbms_",
        "sleep",
        "benchmark",
    ]
    .iter()
    .any(|start| word.starts_with(start))
        || matches!(word.as_str(), "nextval" | "setval" | "query_to_xml" | "openrowset" | "apoc")
}
