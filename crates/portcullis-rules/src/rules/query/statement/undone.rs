//! Transactions that a text takes back itself. Owns which of its statements leave nothing behind: those about rows between a beginning and the `ROLLBACK`
//! that ends the text, where nothing stands between that a server would keep.

use portcullis_syntax::sql::{Token, TokenKind};

use crate::bound::Bounded;

/// What may stand in such a transaction: statements about rows, and what only tells something.
const OF_ROWS: &[&str] =
    &["DELETE", "EXPLAIN", "INSERT", "SAVEPOINT", "SELECT", "SHOW", "UPDATE", "VALUES", "WITH"];

/// Which statements of a text are taken back at its end.
pub(super) fn taken_back(statements: &[&[Token]]) -> Vec<bool> {
    let mut undone = vec![false; statements.len()];
    let written: Vec<usize> = (0..statements.len())
        .filter(|at| statements.get(*at).is_some_and(|it| !it.is_empty()))
        .collect();
    let whole = |at: &usize| statements.get(*at).copied().unwrap_or_default();
    to_savepoints(&written, whole, &mut undone);
    let Some((last, before)) = written.split_last() else { return undone };
    if !is_rollback(whole(last)) {
        return undone;
    }
    let Some(begin) = before.iter().rposition(|at| begins(whole(at))) else { return undone };
    let within = before.get(begin + 1..).unwrap_or_default();
    if within.iter().all(|at| keeps_nothing(whole(at))) {
        for at in within {
            if let Some(one) = undone.get_mut(*at) {
                *one = true;
            }
        }
    }
    undone
}

/// What stands between `SAVEPOINT s` and `ROLLBACK TO s` in a transaction.
fn to_savepoints<'t>(
    written: &[usize],
    whole: impl Fn(&usize) -> &'t [Token],
    undone: &mut [bool],
) {
    // Further back than that nobody looks.
    const LOOKED_AT: usize = 256;
    for (end, back) in written.iter().enumerate().leading(LOOKED_AT) {
        let Some(name) = goes_back_to(whole(back)) else { continue };
        let before = written.get(..end).unwrap_or_default();
        let sets = |at: &usize| {
            let statement = whole(at);
            word(statement, 0) == "SAVEPOINT"
                && statement.len() == 2
                && statement.get(1).is_some_and(|it| it.text.eq_ignore_ascii_case(name))
        };
        let Some(from) = before.iter().rposition(sets) else { continue };
        let begun = before.get(..from).unwrap_or_default();
        let within = before.get(from + 1..).unwrap_or_default();
        let is_in_transaction = begun
            .iter()
            .rposition(|at| begins(whole(at)))
            .is_some_and(|begin| begun.iter().skip(begin + 1).all(|at| keeps_nothing(whole(at))));
        if is_in_transaction && within.iter().all(|at| keeps_nothing(whole(at))) {
            for at in within {
                if let Some(one) = undone.get_mut(*at) {
                    *one = true;
                }
            }
        }
    }
}

/// The savepoint of `ROLLBACK TO [SAVEPOINT] s`.
fn goes_back_to(statement: &[Token]) -> Option<&str> {
    let rest = match statement {
        [rollback, to, rest @ ..] if &*rollback.text == "ROLLBACK" && &*to.text == "TO" => rest,
        _ => return None,
    };
    match rest {
        [name] => Some(&name.text),
        [savepoint, name] if &*savepoint.text == "SAVEPOINT" => Some(&name.text),
        _ => None,
    }
}

fn word(statement: &[Token], at: usize) -> &str {
    statement.get(at).filter(|token| token.kind == TokenKind::Word).map_or("", |token| &*token.text)
}

/// `ROLLBACK`, `ROLLBACK TRAN`, and nothing more.
fn is_rollback(statement: &[Token]) -> bool {
    word(statement, 0) == "ROLLBACK"
        && match statement.len() {
            1 => true,
            2 => matches!(word(statement, 1), "TRAN" | "TRANSACTION" | "WORK"),
            _ => false,
        }
}

/// `BEGIN`, `START TRANSACTION`, `BEGIN TRAN`.
fn begins(statement: &[Token]) -> bool {
    match word(statement, 0) {
        "BEGIN" => {
            statement.len() == 1
                || statement.len() == 2
                    && matches!(
                        word(statement, 1),
                        "DEFERRED" | "EXCLUSIVE" | "IMMEDIATE" | "TRAN" | "TRANSACTION" | "WORK"
                    )
        }
        "START" => word(statement, 1) == "TRANSACTION" && statement.len() == 2,
        _ => false,
    }
}

/// A statement about rows that ends no transaction and calls nothing that might: a name before a parenthesis may be a procedure's.
fn keeps_nothing(statement: &[Token]) -> bool {
    const ENDS: &[&str] = &["BEGIN", "CALL", "COMMIT", "END", "EXEC", "EXECUTE", "INTO"];
    let is_back = word(statement, 0) == "ROLLBACK" && word(statement, 1) == "TO";
    let is_insert = word(statement, 0) == "INSERT";
    is_back
        || OF_ROWS.binary_search(&word(statement, 0)).is_ok()
            && !statement.iter().enumerate().any(|(at, token)| {
                token.kind == TokenKind::Word
                    && ENDS.contains(&&*token.text)
                    && !(is_insert && at == 1)
                    && !(token.text == "END".into() && is_case(statement))
            })
}

fn is_case(statement: &[Token]) -> bool {
    statement.iter().any(|token| token.kind == TokenKind::Word && &*token.text == "CASE")
}

#[cfg(test)]
mod tests {
    use portcullis_syntax::sql;

    fn of(text: &str) -> Vec<bool> {
        let tokens = sql::tokens(text);
        let statements: Vec<_> = tokens.split(|token| &*token.text == ";").collect();
        super::taken_back(&statements)
    }

    #[test]
    fn what_is_rolled_back_is_undone() {
        assert_eq!(of("BEGIN; DELETE FROM a; ROLLBACK"), [false, true, false]);
        assert_eq!(
            of("BEGIN; SAVEPOINT s; DELETE FROM a; ROLLBACK TO SAVEPOINT s; COMMIT"),
            [false, false, true, false, false]
        );
        assert_eq!(
            of("START TRANSACTION; UPDATE a SET b = CASE c WHEN 1 THEN 2 END; ROLLBACK;"),
            [false, true, false, false]
        );
    }

    #[test]
    fn what_may_be_kept_is_not() {
        for text in [
            "BEGIN; DELETE FROM a",
            "BEGIN; DELETE FROM a; COMMIT; ROLLBACK",
            "BEGIN; DELETE FROM a; END; ROLLBACK",
            "BEGIN; DELETE FROM a; ALTER TABLE a ADD b int; ROLLBACK",
            "BEGIN; DELETE FROM a; ROLLBACK TO s",
            "BEGIN; DELETE FROM a; SAVEPOINT s; ROLLBACK TO s",
            "BEGIN; SAVEPOINT s; DELETE FROM a; ROLLBACK TO other; COMMIT",
            "SAVEPOINT s; DELETE FROM a; ROLLBACK TO s",
            "DELETE FROM a; ROLLBACK",
            "BEGIN; DELETE FROM a; ROLLBACK; DELETE FROM b",
            "BEGIN; DELETE FROM a COMMIT; ROLLBACK",
        ] {
            assert!(of(text).iter().all(|undone| !undone), "{text}");
        }
    }
}
