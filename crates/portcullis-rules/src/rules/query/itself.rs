//! Conditions that take rows of a table because they stand in it. Owns how a selection, a join or an `EXISTS` is told that finds every row by
//! that row itself; a selection that chooses is none.

use portcullis_syntax::sql::{Token, TokenKind};

use super::{
    condition::is_name,
    operand::{bare, comparison, is_word, position, same},
};

/// The head of a statement from its last verb on, where the table is named that it changes.
fn acted_on(head: &[Token]) -> &[Token] {
    let is_verb =
        |token: &Token| ["DELETE", "MERGE", "UPDATE"].iter().any(|verb| is_word(token, verb));
    let at = head.iter().rposition(is_verb).unwrap_or(0);
    head.get(at..).unwrap_or_default()
}

/// `id IN (SELECT id FROM t)` where `t` is the table itself, or what `WITH` took all of it into, and nothing is left out.
pub(super) fn takes_all(column: &[Token], selection: &[Token], head: &[Token]) -> bool {
    let last = |tokens: &[Token]| tokens.last().map(|token| token.text.to_ascii_lowercase());
    let Some((list, source)) = selected(selection) else { return false };
    let is_own = acted_on(head).iter().any(|token| {
        matches!(token.kind, TokenKind::Word | TokenKind::Name)
            && (token.text.eq_ignore_ascii_case(&source.text) || takes_whole(head, source, token))
    });
    last(bare(column)).is_some() && last(bare(column)) == last(list) && is_own
}

/// What is selected, and from which one table, where nothing else is said: `SELECT o.id FROM orders AS o`, `FROM orders SELECT id`.
fn selected(selection: &[Token]) -> Option<(&[Token], &Token)> {
    let (list, rest) = match selection {
        [from, table, select, list @ ..] if is_word(from, "FROM") && is_word(select, "SELECT") => {
            return Some((list, table)).filter(|_| position(list, "WHERE").is_none());
        }
        [select, rest @ ..] if is_word(select, "SELECT") => {
            let from = position(rest, "FROM")?;
            (rest.get(..from)?, rest.get(from + 1..)?)
        }
        _ => return None,
    };
    // In an order, as many as there are.
    let rest = match position(rest, "LIMIT") {
        Some(limit) if rest.get(limit + 1).is_some_and(|sign| &*sign.text == "-") => {
            rest.get(..position(rest, "ORDER").unwrap_or(limit))?
        }
        _ => rest,
    };
    match rest {
        [table] => Some((list, table)),
        [_, dot, table] if &*dot.text == "." => Some((list, table)),
        [table, named] if is_name(std::slice::from_ref(named)) && !is_clause(named) => {
            Some((list, table))
        }
        [table, r#as, _] if is_word(r#as, "AS") => Some((list, table)),
        _ => None,
    }
}

/// Words that choose rows where another name of the table could stand.
fn is_clause(token: &Token) -> bool {
    ["FETCH", "LIMIT", "OFFSET", "TABLESAMPLE", "WHERE"].iter().any(|word| is_word(token, word))
}

/// The table that a name stands for in the head of a statement: `orders` for `o` in `DELETE FROM orders o`.
fn table_of<'t>(head: &'t [Token], name: &Token) -> Option<&'t Token> {
    let is_it = |token: &Token| token.text.eq_ignore_ascii_case(&name.text);
    let behind_name = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| head.get(at))?;
        let before = if is_word(before, "AS") {
            at.checked_sub(2).and_then(|at| head.get(at))?
        } else {
            before
        };
        const LEADS: &[&str] =
            &["FROM", "INTO", "JOIN", "ONLY", "UPDATE", "USING", "MERGE", "RECURSIVE", "WITH"];
        let is_named = matches!(before.kind, TokenKind::Word | TokenKind::Name)
            && !LEADS.iter().any(|word| is_word(before, word));
        is_named.then_some(before)
    };
    let named = || head.iter().enumerate().filter(|(_, token)| is_it(token));
    named().find_map(|(at, _)| behind_name(at)).or_else(|| named().next().map(|(_, token)| token))
}

/// `i.id = j.id` where both are the same table: each row finds itself.
pub(super) fn is_itself(left: &[Token], right: &[Token], head: &[Token]) -> bool {
    let ([one, _, column], [other, _, same]) = (left, right) else { return false };
    let dotted = |side: &[Token]| side.get(1).is_some_and(|dot| &*dot.text == ".");
    if !dotted(left) || !dotted(right) || !column.text.eq_ignore_ascii_case(&same.text) {
        return false;
    }
    let tables = (table_of(head, one), table_of(head, other));
    let (Some(first), Some(second)) = tables else { return false };
    first.text.eq_ignore_ascii_case(&second.text) || takes_whole(head, first, second)
}

/// Whether one of two names is what `WITH` took the whole of the other into: `WITH x AS (SELECT id FROM orders)`.
fn takes_whole(head: &[Token], first: &Token, second: &Token) -> bool {
    let of = |whole: &Token, table: &Token| {
        head.iter().enumerate().any(|(at, token)| {
            token.text.eq_ignore_ascii_case(&whole.text)
                && head.get(at + 1).is_some_and(|token| is_word(token, "AS"))
                && head.get(at + 2).is_some_and(|token| &*token.text == "(")
                && {
                    let inner = head.get(at + 3..).unwrap_or_default();
                    let end = inner.iter().position(|token| &*token.text == ")");
                    let inner = end.and_then(|end| inner.get(..end)).unwrap_or_default();
                    selected(inner)
                        .is_some_and(|(_, from)| from.text.eq_ignore_ascii_case(&table.text))
                }
        })
    };
    of(first, second) || of(second, first)
}

/// `EXISTS (SELECT 1 FROM orders o WHERE o.id = orders.id)` of `orders` itself.
pub(super) fn finds_itself(selection: &[Token], head: &[Token]) -> bool {
    let inner = bare(selection);
    let (Some(from), Some(at)) = (position(inner, "FROM"), position(inner, "WHERE")) else {
        return false;
    };
    let source = inner.get(from..at).unwrap_or_default();
    let condition = inner.get(at + 1..).unwrap_or_default();
    let mut both: Vec<Token> = head.to_vec();
    both.extend_from_slice(source);
    from < at
        && source.len() <= 4
        && comparison(condition)
            .is_some_and(|(left, sign, right)| sign == "=" && is_itself(left, right, &both))
}

/// `id = ANY (ARRAY(SELECT id FROM orders))`, `id = ANY (SELECT id FROM orders)`
pub(super) fn takes_any(column: &[Token], set: &[Token], head: &[Token]) -> bool {
    let [any, rest @ ..] = set else { return false };
    if !is_word(any, "ANY") && !is_word(any, "SOME") {
        return false;
    }
    let inner = bare(rest);
    let inner = match inner {
        [array, rest @ ..] if is_word(array, "ARRAY") => bare(rest),
        inner => inner,
    };
    takes_all(column, inner, head)
}

/// `id >= (SELECT min(id) FROM orders)`: no row of `orders` is below its least.
pub(super) fn is_bound(column: &[Token], operator: &str, value: &[Token], head: &[Token]) -> bool {
    let inner = bare(value);
    let Some(([function, open, of @ .., close], source)) = selected(inner) else { return false };
    let wanted = if is_word(function, "MIN") {
        ">="
    } else if is_word(function, "MAX") {
        "<="
    } else {
        return false;
    };
    operator == wanted
        && &*open.text == "("
        && &*close.text == ")"
        && same(of, column)
        && acted_on(head).iter().any(|token| token.text.eq_ignore_ascii_case(&source.text))
}
