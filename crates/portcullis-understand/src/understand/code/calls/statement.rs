//! Whether a text is a statement for a database, by how it begins.

use crate::text::Text;

/// Whether the text begins like a statement for a database.
pub(in super::super) fn looks_like_sql(text: &Text) -> bool {
    let start = text.known_prefix().trim_start().trim_start_matches(['(', ';']);
    let word: String = start.chars().take_while(char::is_ascii_alphabetic).collect();
    if start.starts_with("--") || start.starts_with("/*") {
        return true;
    }
    let word = word.to_ascii_uppercase();
    let rest = start.get(word.len()..).unwrap_or_default();
    matches!(
        word.as_str(),
        "SELECT"
            | "INSERT"
            | "UPDATE"
            | "DELETE"
            | "DROP"
            | "TRUNCATE"
            | "ALTER"
            | "CREATE"
            | "GRANT"
            | "REVOKE"
            | "WITH"
            | "COPY"
            | "EXEC"
            | "EXECUTE"
            | "PRAGMA"
            | "VACUUM"
            | "REPLACE"
            | "MERGE"
            | "CALL"
            | "SET"
            | "BEGIN"
            | "ATTACH"
    ) && rest
        .starts_with(|next: char| next.is_whitespace() || next == '/' || next == '(' || next == ';')
}
