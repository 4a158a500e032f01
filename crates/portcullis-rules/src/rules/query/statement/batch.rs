//! Texts with more than one statement. Owns what divides them: `GO`, `DELIMITER`, and words that begin another one without anything before them.

use std::borrow::Cow;

use crate::bound::Bounded;

/// A text whose statements end with `;` alone: what `mysql` is told to end them with instead (`DELIMITER //`), and `GO` of SQL Server, gives
/// way to it.
pub(super) fn batches(text: &str) -> Cow<'_, str> {
    let mut end: Option<&str> = None;
    let is_own = |line: &str| {
        let line = line.trim();
        line.eq_ignore_ascii_case("go") || delimiter(line).is_some()
    };
    if !text.lines().any(is_own) {
        return Cow::Borrowed(text);
    }
    let lines = text.lines().map(|line| {
        if let Some(new) = delimiter(line.trim()) {
            end = Some(new).filter(|new| *new != ";");
            return ";".to_owned();
        }
        if line.trim().eq_ignore_ascii_case("go") {
            return ";".to_owned();
        }
        end.map_or_else(|| line.to_owned(), |end| line.replace(end, ";"))
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// What `DELIMITER x` names.
fn delimiter(line: &str) -> Option<&str> {
    let (word, new) = line.split_once(char::is_whitespace)?;
    word.eq_ignore_ascii_case("delimiter").then(|| new.trim()).filter(|new| !new.is_empty())
}

/// Whether a statement begins at `at` that nothing divides from the one before it: SQL Server needs no `;`.
pub(super) fn runs_on(words: &[&str], at: usize) -> bool {
    let word = |index: usize| words.get(index).copied().unwrap_or("");
    let before = at.checked_sub(1).map_or("", word);
    let next = word(at + 1);
    // `ALTER TABLE a DROP …`, `GRANT DELETE ON`, `ON DELETE CASCADE`, `FOR UPDATE`, `AFTER INSERT OR DELETE`.
    let is_part = matches!(word(0), "ALTER" | "COMMENT" | "DENY" | "GRANT" | "REVOKE")
        || matches!(
            before,
            "," | "["
                | "AFTER"
                | "BEFORE"
                | "DO"
                | "FOR"
                | "INSTEAD"
                | "KEY"
                | "NO"
                | "OF"
                | "ON"
                | "OR"
        );
    at > 0
        && !is_part
        && match word(at) {
            "DROP" => matches!(next, "DATABASE" | "LOGIN" | "SCHEMA" | "TABLE" | "USER"),
            "TRUNCATE" => next == "TABLE",
            "DELETE" => next == "FROM" || word(0) == "MERGE" && next == "WHERE",
            "UPDATE" => words.iter().skip(at + 2).leading(4).any(|word| *word == "SET"),
            "EXEC" | "SHUTDOWN" => true,
            "BACKUP" | "RESTORE" => matches!(next, "DATABASE" | "LOG"),
            _ => false,
        }
}
