//! The parts of conditions: how they are cut, and what their values are where those stand there. Owns no judgement on conditions.

use portcullis_syntax::sql::{Token, TokenKind};

/// Columns that every row has: that they are there, or above nothing, chooses no row.
const KEYS: &[&str] = &["CTID", "ID", "OID", "PK", "ROWID", "UUID", "_ID", "_ROWID_"];

/// Words that name no column.
const NO_COLUMNS: &[&str] = &[
    "AND",
    "AS",
    "ASYMMETRIC",
    "BETWEEN",
    "BIGINT",
    "BINARY",
    "BOOLEAN",
    "CASE",
    "CHAR",
    "COLLATE",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "DATE",
    "DAY",
    "DECIMAL",
    "DISTINCT",
    "DIV",
    "DOUBLE",
    "ELSE",
    "END",
    "ESCAPE",
    "FALSE",
    "FLOAT",
    "FROM",
    "GLOB",
    "HOUR",
    "ILIKE",
    "IN",
    "INT",
    "INTEGER",
    "INTERVAL",
    "IS",
    "LIKE",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "MINUTE",
    "MOD",
    "MONTH",
    "NOT",
    "NULL",
    "NUMERIC",
    "OR",
    "REAL",
    "REGEXP",
    "RLIKE",
    "SECOND",
    "SIGNED",
    "SIMILAR",
    "SMALLINT",
    "SYMMETRIC",
    "TEXT",
    "THEN",
    "TIME",
    "TIMESTAMP",
    "TO",
    "TRUE",
    "UNKNOWN",
    "UNSIGNED",
    "VARCHAR",
    "WHEN",
    "XOR",
    "YEAR",
];

/// Beginnings of functions that give each row a value of its own.
const BY_ROW: &[&str] = &["GEN_RANDOM", "NEWID", "RAND", "RANDOM", "ROW_NUMBER", "UUID"];

/// What a side of a comparison is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand<'t> {
    Number(f64),
    Text(String),
    Null,
    /// A column, or anything that is not looked into.
    Other(&'t [Token]),
}

impl<'t> Operand<'t> {
    pub(super) fn of(tokens: &'t [Token]) -> Self {
        let tokens = bare(tokens);
        // `x::text`, `x COLLATE name`
        if let [inner @ .., first, second, _] = tokens
            && &*first.text == ":"
            && &*second.text == ":"
            && !inner.is_empty()
        {
            return Self::of(inner);
        }
        match tokens {
            [one] => match (one.kind, &*one.text) {
                (TokenKind::Number, text) => text.parse().map_or(Self::Other(tokens), Self::Number),
                (TokenKind::Text, text) => Self::Text(text.to_owned()),
                (TokenKind::Word, "NULL" | "UNKNOWN") => Self::Null,
                (TokenKind::Word, "TRUE") => Self::Number(1.0),
                (TokenKind::Word, "FALSE") => Self::Number(0.0),
                _ => Self::Other(tokens),
            },
            [sign, rest @ ..]
                if sign.kind == TokenKind::Operator && matches!(&*sign.text, "-" | "+") =>
            {
                match (Self::of(rest), &*sign.text) {
                    (Self::Number(number), "-") => Self::Number(-number),
                    (Self::Number(number), _) => Self::Number(number),
                    _ => Self::Other(tokens),
                }
            }
            // `(SELECT 1)`
            [select, rest @ ..] if is_word(select, "SELECT") && names_nothing(rest) => {
                Self::of(rest)
            }
            _ => Self::Other(tokens),
        }
    }

    /// Whether it stands for true, where that is plain.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Number(number) => Some(*number != 0.0),
            Self::Null => Some(false),
            Self::Text(_) | Self::Other(_) => None,
        }
    }
}

pub(super) fn is_word(token: &Token, word: &str) -> bool {
    token.kind == TokenKind::Word && &*token.text == word
}

fn is_sign(token: &Token, sign: &str) -> bool {
    token.kind == TokenKind::Operator && &*token.text == sign
}

pub(super) fn is_key(column: &Token) -> bool {
    matches!(column.kind, TokenKind::Word | TokenKind::Name)
        && KEYS.iter().any(|key| column.text.eq_ignore_ascii_case(key))
}

/// Whether no column decides: no name stands there, no place of an argument, no selection, and nothing that each row has another of.
pub(super) fn names_nothing(tokens: &[Token]) -> bool {
    !tokens.is_empty()
        && tokens.iter().enumerate().all(|(at, token)| match token.kind {
            TokenKind::Name => false,
            TokenKind::Word => {
                let is_called = tokens.get(at + 1).is_some_and(|next| is_sign(next, "("));
                let by_row = BY_ROW.iter().any(|start| token.text.starts_with(start));
                let behind_cast = at >= 2
                    && [1, 2].iter().all(|back| {
                        tokens.get(at - back).is_some_and(|before| is_sign(before, ":"))
                    });
                !by_row
                    && !matches!(&*token.text, "SELECT" | "EXISTS")
                    && (is_called || behind_cast || NO_COLUMNS.contains(&&*token.text))
            }
            TokenKind::Operator => match &*token.text {
                "?" | "$" | "@" => false,
                // `:name` is a place, `::type` is none.
                ":" => {
                    let is_colon = |at: Option<usize>| {
                        at.and_then(|at| tokens.get(at)).is_some_and(|token| is_sign(token, ":"))
                    };
                    is_colon(at.checked_sub(1)) || is_colon(Some(at + 1))
                }
                // `%s`
                "%" => !tokens.get(at + 1).is_some_and(|next| is_word(next, "S")),
                _ => true,
            },
            TokenKind::Text | TokenKind::Number => true,
        })
}

/// Without the parentheses around all of it.
pub(super) fn bare(mut condition: &[Token]) -> &[Token] {
    while let [first, inner @ .., last] = condition {
        let mut open = 1_usize;
        let wraps = is_sign(first, "(")
            && is_sign(last, ")")
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

/// What stands outside of parentheses and `CASE … END`, with its place.
fn outside(condition: &[Token]) -> impl Iterator<Item = (usize, &Token)> {
    let mut open = 0_usize;
    condition.iter().enumerate().filter(move |(_, token)| {
        match (token.kind, &*token.text) {
            (TokenKind::Operator, "(") | (TokenKind::Word, "CASE") => open += 1,
            (TokenKind::Operator, ")") | (TokenKind::Word, "END") => open = open.saturating_sub(1),
            _ => return open == 0,
        }
        false
    })
}

/// The parts between words or operators. The `AND` of a `BETWEEN` is not one between conditions.
pub(super) fn parts<'c>(condition: &'c [Token], between: &[&str]) -> Vec<&'c [Token]> {
    let mut start = 0;
    let mut in_range = false;
    let mut list = Vec::new();
    for (at, token) in outside(condition) {
        if at < start {
            continue;
        }
        if is_word(token, "BETWEEN") {
            in_range = true;
        }
        if in_range && is_word(token, "AND") {
            in_range = false;
            continue;
        }
        let width = between.iter().find_map(|word| match word.as_bytes() {
            [one, other] if one == other => {
                let next = condition.get(at + 1)?;
                let sign = word.get(..1)?;
                (is_sign(token, sign) && is_sign(next, sign)).then_some(2)
            }
            [b','] => is_sign(token, ",").then_some(1),
            _ => is_word(token, word).then_some(1),
        });
        if let Some(width) = width {
            list.push(condition.get(start..at).unwrap_or_default());
            start = at + width;
        }
    }
    list.push(condition.get(start..).unwrap_or_default());
    list
}

/// Where a word stands outside of parentheses.
pub(super) fn position(tokens: &[Token], word: &str) -> Option<usize> {
    outside(tokens).find(|(_, token)| is_word(token, word)).map(|(at, _)| at)
}

/// What stands before and behind the first or last of some words that has something on both sides.
pub(super) fn cut<'c>(
    condition: &'c [Token],
    words: &[&str],
    last: bool,
) -> Option<(&'c [Token], &'c [Token])> {
    let mut found = outside(condition)
        .filter(|(at, token)| {
            *at > 0 && at + 1 < condition.len() && words.iter().any(|word| is_word(token, word))
        })
        .map(|(at, _)| at);
    let at = if last { found.last() } else { found.next() }?;
    Some((condition.get(..at)?, condition.get(at + 1..)?))
}

/// The two sides of a comparison, and how they are compared.
pub(super) fn comparison(condition: &[Token]) -> Option<(&[Token], &'static str, &[Token])> {
    const SIGNS: &[&str] = &["<", ">", "=", "!", "~"];
    let is_part = |token: &Token| SIGNS.iter().any(|sign| is_sign(token, sign));
    // The last one: those before it are compared first.
    let (end, _) = outside(condition).filter(|(_, token)| is_part(token)).last()?;
    let mut start = end;
    while let Some(before) = start.checked_sub(1)
        && condition.get(before).is_some_and(is_part)
    {
        start = before;
    }
    let written: String = condition.get(start..=end)?.iter().map(|token| &*token.text).collect();
    let operator = match written.as_str() {
        "=" | "==" => "=",
        "<=>" => "<=>",
        "<>" | "!=" | "^=" => "<>",
        "<" => "<",
        "<=" | "!>" => "<=",
        ">" => ">",
        ">=" | "!<" => ">=",
        "~" => "~",
        _ => return None,
    };
    let (left, mut right) = (condition.get(..start)?, condition.get(end + 1..)?);
    if operator == "~"
        && let [star, rest @ ..] = right
        && is_sign(star, "*")
    {
        right = rest;
    }
    (!left.is_empty() && !right.is_empty()).then_some((left, operator, right))
}

/// Whether two expressions are written alike, and so have one value.
pub(super) fn same(left: &[Token], right: &[Token]) -> bool {
    let (left, right) = (bare(left), bare(right));
    let is_by_row = |token: &Token| BY_ROW.iter().any(|start| token.text.starts_with(start));
    !left.is_empty()
        && left.len() == right.len()
        && left.iter().zip(right).all(|(one, other)| {
            let is_text = |token: &Token| matches!(token.kind, TokenKind::Text | TokenKind::Number);
            match (is_text(one), is_text(other)) {
                (false, false) => one.text.eq_ignore_ascii_case(&other.text),
                _ => one.kind == other.kind && one.text == other.text,
            }
        })
        && !left.iter().enumerate().any(|(at, token)| {
            is_by_row(token) && left.get(at + 1).is_some_and(|next| is_sign(next, "("))
                || matches!(&*token.text, "?")
        })
}
