//! Conditions that leave nothing out. Owns the telling of a `WHERE` that holds for every row by construction from one that
//! chooses; a condition that is not understood chooses.

use portcullis_syntax::sql::{Token, TokenKind};

/// How deep parentheses are followed.
const DEPTH: usize = 16;

/// Columns that every row has: that they are there, or above nothing, chooses no row.
const KEYS: &[&str] = &["CTID", "ID", "OID", "PK", "ROWID", "UUID", "_ID", "_ROWID_"];

/// Words that end a condition.
const ENDS: &[&str] = &["RETURNING", "ORDER", "OPTION", "WINDOW", "FETCH"];

/// Whether a condition surely holds for every row; `head` is the statement before it, which names the table.
pub(crate) fn always(condition: &[Token], head: &[Token]) -> bool {
    let end = condition
        .iter()
        .position(|token| ENDS.iter().any(|end| is_word(token, end)))
        .unwrap_or(condition.len());
    holds(condition.get(..end).unwrap_or_default(), head, DEPTH)
}

fn is_word(token: &Token, word: &str) -> bool {
    token.kind == TokenKind::Word && &*token.text == word
}

/// One of several conditions holds always, or each of those that must hold together.
fn holds(condition: &[Token], head: &[Token], depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let condition = bare(condition);
    let either = parts(condition, "OR");
    if either.len() > 1 {
        return either.iter().any(|part| holds(part, head, depth)) || is_whole(&either);
    }
    let both = parts(condition, "AND");
    if both.len() > 1 {
        return both.iter().all(|part| holds(part, head, depth));
    }
    atom(condition, head)
}

/// Without the parentheses around all of it.
fn bare(mut condition: &[Token]) -> &[Token] {
    while let [first, inner @ .., last] = condition {
        let mut open = 1_usize;
        let wraps = &*first.text == "("
            && first.kind == TokenKind::Operator
            && &*last.text == ")"
            && inner.iter().all(|token| {
                match (token.kind, &*token.text) {
                    (TokenKind::Operator, "(") => open += 1,
                    (TokenKind::Operator, ")") => open -= 1,
                    _ => {}
                }
                open > 0
            });
        if !wraps {
            break;
        }
        condition = inner;
    }
    condition
}

/// The parts between a word outside parentheses.
fn parts<'c>(condition: &'c [Token], word: &str) -> Vec<&'c [Token]> {
    let mut open = 0_usize;
    let mut start = 0;
    let mut list = Vec::new();
    for (index, token) in condition.iter().enumerate() {
        match (token.kind, &*token.text) {
            (TokenKind::Operator, "(") => open += 1,
            (TokenKind::Operator, ")") => open = open.saturating_sub(1),
            _ if open == 0 && is_word(token, word) => {
                list.push(condition.get(start..index).unwrap_or_default());
                start = index + 1;
            }
            _ => {}
        }
    }
    list.push(condition.get(start..).unwrap_or_default());
    list
}

/// `x IS NULL OR x IS NOT NULL`.
fn is_whole(either: &[&[Token]]) -> bool {
    let without = |part: &[Token], negated: bool| -> Option<String> {
        let texts: Vec<&str> = part.iter().map(|token| &*token.text).collect();
        let end: &[&str] = if negated { &["IS", "NOT", "NULL"] } else { &["IS", "NULL"] };
        texts.strip_suffix(end).map(|column| column.concat())
    };
    either.iter().filter_map(|part| without(part, true)).any(|column| {
        either.iter().filter_map(|part| without(part, false)).any(|other| other == column)
    })
}

/// One comparison.
fn atom(condition: &[Token], head: &[Token]) -> bool {
    let texts: Vec<&str> = condition.iter().map(|token| &*token.text).collect();
    let number = |token: &Token| {
        (token.kind == TokenKind::Number).then(|| token.text.parse::<f64>().ok()).flatten()
    };
    match condition {
        [one] => &*one.text == "TRUE" || number(one).is_some_and(|number| number != 0.0),
        [not, one] if is_word(not, "NOT") => &*one.text == "FALSE" || number(one) == Some(0.0),
        [left, operator, right] => {
            let same = left.text.eq_ignore_ascii_case(&right.text) && left.kind == right.kind;
            match (number(left), &*operator.text, number(right)) {
                (_, "=", _) => same,
                (Some(left), ">", Some(right)) => left > right,
                (Some(left), "<", Some(right)) => left < right,
                (None, ">", Some(least)) => is_key(left) && least <= 0.0,
                (None, "LIKE" | "ILIKE", None) => {
                    right.kind == TokenKind::Text
                        && !right.text.is_empty()
                        && right.text.chars().all(|letter| letter == '%')
                }
                _ => false,
            }
        }
        // `1 <> 0`, `id >= 0`, `id != -1` are two or more operators.
        [left, first, second, right] if first.kind == TokenKind::Operator => {
            match (number(left), &*first.text, &*second.text, number(right)) {
                (Some(left), "<", ">", Some(right)) | (Some(left), "!", "=", Some(right)) => {
                    (left - right).abs() > 0.0
                }
                (Some(left), ">", "=", Some(right)) => left >= right,
                (Some(left), "<", "=", Some(right)) => left <= right,
                (None, ">", "=", Some(least)) => is_key(left) && least <= 1.0,
                (None, ">", "-", Some(_)) => is_key(left),
                (None, "<", ">", Some(other)) | (None, "!", "=", Some(other)) => {
                    is_key(left) && other <= 0.0
                }
                _ => false,
            }
        }
        [column, ..] if texts.ends_with(&["IS", "NOT", "NULL"]) => {
            texts.len() == 4 && is_key(column)
                || texts.len() == 6 && condition.get(2).is_some_and(is_key)
        }
        // `EXISTS (SELECT 1)`
        [exists, ..] if is_word(exists, "EXISTS") => {
            texts.contains(&"SELECT") && !texts.iter().any(|text| matches!(*text, "FROM" | "WHERE"))
        }
        _ => {
            let inside = texts.iter().position(|text| *text == "IN");
            let Some(at) = inside else { return false };
            let set = condition.get(at + 1..).unwrap_or_default();
            both_truths(set) || takes_all(condition.get(..at).unwrap_or_default(), set, head)
        }
    }
}

fn is_key(column: &Token) -> bool {
    matches!(column.kind, TokenKind::Word | TokenKind::Name)
        && KEYS.iter().any(|key| column.text.eq_ignore_ascii_case(key))
}

/// `IN (true, false)` behind what is never nothing.
fn both_truths(set: &[Token]) -> bool {
    let words: Vec<&str> =
        bare(set).iter().map(|token| &*token.text).filter(|text| *text != ",").collect();
    matches!(words.as_slice(), ["TRUE", "FALSE"] | ["FALSE", "TRUE"])
}

/// `id IN (SELECT id FROM t)` where `t` is the table itself, and nothing is left out.
fn takes_all(column: &[Token], set: &[Token], head: &[Token]) -> bool {
    let inner = bare(set);
    let [select, list @ .., from, table] = inner else { return false };
    let last = |tokens: &[Token]| tokens.last().map(|token| token.text.to_ascii_lowercase());
    let named = |token: &Token| {
        matches!(token.kind, TokenKind::Word | TokenKind::Name)
            && token.text.eq_ignore_ascii_case(&table.text)
    };
    is_word(select, "SELECT")
        && is_word(from, "FROM")
        && !column.iter().any(|token| is_word(token, "NOT"))
        && last(column).is_some()
        && last(column) == last(list)
        && head.iter().any(named)
}
