//! Tables that are made anew under another name, get the rows of the old one and take its name: how SQLite's manual has it ("Making
//! Other Kinds Of Table Schema Changes"), and SQL Server's designer. Owns when that is what a text does; the rows are all there then.

use portcullis_syntax::sql::{Token, TokenKind};

/// The fewest columns that are the rows of a table and not one of its columns.
const COLUMNS: usize = 2;

/// What takes rows out of a table, or makes that not all of them are read.
const LESS: &[&str] = &[
    "DELETE",
    "DROP",
    "TRUNCATE",
    "UPDATE",
    "REPLACE",
    "WHERE",
    "LIMIT",
    "TOP",
    "FETCH",
    "OFFSET",
    "JOIN",
    "GROUP",
    "HAVING",
    "DISTINCT",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "TABLESAMPLE",
    "QUALIFY",
];

/// The tables of a text that it may drop, because their rows were moved before and their names are taken over.
pub(super) fn tables(statements: &[&[Token]]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let Some((new, old)) = moved(statement) else { continue };
        let (before, after) = (statements.get(..at), statements.get(at + 1..));
        let (Some(before), Some(after)) = (before, after) else { continue };
        let is_made = before.iter().any(|statement| makes(statement).as_ref() == Some(&new));
        // Nothing is taken out of the new table afterwards.
        let is_kept = !after.iter().any(|statement| {
            names(statement).any(|name| name == new) && statement.iter().any(takes_away)
        });
        let was_renamed = before.iter().filter_map(|statement| renamed(statement));
        let is_taken_over = after
            .iter()
            .filter_map(|statement| renamed(statement))
            .any(|(from, to)| is_same(&from, &new) && is_same(&to, &old))
            || was_renamed.into_iter().any(|(from, to)| is_same(&from, &new) && is_same(&to, &old));
        if is_made && is_kept && is_taken_over {
            found.push(old);
        }
    }
    found
}

/// The databases that a text makes anew and that are called after tests: `DROP DATABASE IF EXISTS shop_test; CREATE DATABASE shop_test`.
pub(super) fn for_tests(statements: &[&[Token]]) -> Vec<String> {
    const TESTS: &[&str] = &["ci", "e2e", "test", "testing", "tests", "unittest", "unittests"];
    let made = statements.iter().filter_map(|statement| {
        let is_database = is(statement.get(1), "DATABASE") || is(statement.get(1), "SCHEMA");
        let name = statement.get(2..).filter(|_| is(statement.first(), "CREATE") && is_database)?;
        name_at(name).map(|(name, _)| name)
    });
    // The default database of some servers is called `test`, and may hold anything.
    let is_of_tests = |name: &String| {
        let mut words = name.split('_');
        let is_used = words.clone().any(|word| matches!(word, "live" | "prod" | "production"));
        !is_used && words.clone().count() > 1 && words.any(|word| TESTS.contains(&word))
    };
    made.filter(is_of_tests).collect()
}

/// The name at the beginning of some tokens, in lower case with its schema, and how many tokens it has.
pub(super) fn name_at(tokens: &[Token]) -> Option<(String, usize)> {
    let is_name = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Name);
    let mut name = tokens.first().filter(|token| is_name(token))?.text.to_lowercase();
    let mut length = 1;
    while let [dot, part, ..] = tokens.get(length..)?
        && &*dot.text == "."
        && is_name(part)
    {
        name.push('.');
        name.push_str(&part.text.to_lowercase());
        length += 2;
    }
    Some((name, length))
}

fn takes_away(token: &Token) -> bool {
    token.kind == TokenKind::Word && LESS.contains(&&*token.text)
}

fn is(token: Option<&Token>, word: &str) -> bool {
    token.is_some_and(|token| token.kind == TokenKind::Word && &*token.text == word)
}

fn names(statement: &[Token]) -> impl Iterator<Item = String> {
    (0..statement.len()).filter_map(|at| name_at(statement.get(at..)?)).map(|(name, _)| name)
}

/// Whether two names mean one table: a new name is written without its schema.
fn is_same(one: &str, other: &str) -> bool {
    let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
    one == other || (!one.contains('.') || !other.contains('.')) && last(one) == last(other)
}

/// `CREATE TABLE new (…)`.
fn makes(statement: &[Token]) -> Option<String> {
    let made = statement
        .get(2..)
        .filter(|_| is(statement.first(), "CREATE") && is(statement.get(1), "TABLE"))?;
    let (name, length) = name_at(made)?;
    (made.get(length)?.text == "(".into()).then_some(name)
}

/// `INSERT INTO new (…) SELECT … FROM old`, with every row of it.
fn moved(statement: &[Token]) -> Option<(String, String)> {
    let is_into = is(statement.first(), "INSERT") && is(statement.get(1), "INTO");
    let (new, _) = name_at(statement.get(2..).filter(|_| is_into)?)?;
    let select = statement.iter().position(|token| is(Some(token), "SELECT"))?;
    let from = statement.iter().rposition(|token| is(Some(token), "FROM"))?;
    let shown = statement.get(select + 1..from)?;
    let (old, length) = name_at(statement.get(from + 1..)?)?;
    let mut depth = 0_usize;
    let mut columns = 1;
    for token in shown {
        match &*token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => columns += 1,
            _ => {}
        }
    }
    let is_all = shown.iter().any(|token| &*token.text == "*") && columns == 1;
    let ends = from + 1 + length == statement.len();
    let is_whole = ends && !statement.iter().any(takes_away);
    (is_whole && (is_all || columns >= COLUMNS)).then_some((new, old))
}

/// `ALTER TABLE a RENAME TO b`, `RENAME TABLE a TO b`, `EXEC sp_rename 'a', 'b'`.
fn renamed(statement: &[Token]) -> Option<(String, String)> {
    if is(statement.get(1), "SP_RENAME") {
        let text = |at: usize| statement.get(at).map(|token| token.text.to_lowercase());
        // `N'…'` is a text with a word before it.
        let mut texts = (2..statement.len())
            .filter(|at| statement.get(*at).is_some_and(|token| token.kind == TokenKind::Text));
        return texts.next().and_then(text).zip(texts.next().and_then(text));
    }
    let is_rename = is(statement.first(), "ALTER") || is(statement.first(), "RENAME");
    let (from, length) =
        name_at(statement.get(2..).filter(|_| is_rename && is(statement.get(1), "TABLE"))?)?;
    let rest = statement.get(2 + length..)?;
    let rest = if is(rest.first(), "RENAME") { rest.get(1..)? } else { rest };
    let (to, length) = name_at(rest.get(1..).filter(|_| is(rest.first(), "TO"))?)?;
    (rest.len() == 1 + length).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use portcullis_syntax::sql;

    fn of(text: &str) -> Vec<String> {
        let tokens = sql::readings(text).into_iter().next().unwrap_or_default();
        let statements: Vec<_> = tokens.split(|token| &*token.text == ";").collect();
        super::tables(&statements)
    }

    #[test]
    fn a_table_that_was_moved_may_go() {
        for text in [
            "CREATE TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
            "CREATE TABLE n (a int); INSERT INTO n SELECT * FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
            "ALTER TABLE n RENAME TO t; CREATE TABLE n (a int, b int); INSERT INTO n (a, b) SELECT a, coalesce(b, 1) FROM t; DROP TABLE t",
            "CREATE TABLE s.n (a int, b int); INSERT INTO s.n (a, b) SELECT a, b FROM s.t; DROP TABLE s.t; EXEC sp_rename 's.n', 't', 'OBJECT'",
        ] {
            assert!(of(text).iter().any(|name| name == "t" || name == "s.t"), "{text}");
        }
    }

    #[test]
    fn a_table_that_was_moved_in_part_may_not() {
        for text in [
            "CREATE TABLE n (a int, b int); DROP TABLE t; ALTER TABLE n RENAME TO t",
            "CREATE TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM o; DROP TABLE t; ALTER TABLE n RENAME TO t",
            "CREATE TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM t WHERE a > 3; ALTER TABLE n RENAME TO t",
            "CREATE TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM t LIMIT 0; ALTER TABLE n RENAME TO t",
            "CREATE TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM t; DELETE FROM n; ALTER TABLE n RENAME TO t",
            "CREATE TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM t; DROP TABLE t",
            "CREATE TABLE n (a int); INSERT INTO n SELECT a FROM t; ALTER TABLE n RENAME TO t",
            "INSERT INTO n SELECT a, b FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
            "CREATE TEMP TABLE n (a int, b int); INSERT INTO n SELECT a, b FROM t; ALTER TABLE n RENAME TO t",
        ] {
            assert!(of(text).is_empty(), "{text}");
        }
    }
}
