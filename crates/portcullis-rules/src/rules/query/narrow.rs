//! Conditions that name the rows they mean. Owns the telling of a `WHERE` that says which rows (`id = 7`, `email IN (…)`) from one that takes however
//! many there are (`created_at < …`, rows of another table, none of its kind); a condition that is not understood names none.

use portcullis_syntax::sql::{Token, TokenKind};

use super::{
    condition::{MOMENTS, is_name},
    operand::{bare, comparison, cut, is_word, names_nothing, parts, position},
};

/// How deep conditions within conditions are followed.
const DEPTH: usize = 8;

/// Up to how many rows are few, where a limit or a range says how many.
const FEW: f64 = 100.0;

/// Words of columns that many rows share a value in, in capitals: which state, kind or place of the world.
const SHARED: &[&str] = &[
    "ACTIVE",
    "ARCHIVED",
    "CLOSED",
    "COUNTRY",
    "DELETED",
    "DISABLED",
    "ENABLED",
    "FLAG",
    "HAS",
    "IS",
    "KIND",
    "LEVEL",
    "PRIORITY",
    "PROCESSED",
    "REGION",
    "STATE",
    "STATUS",
    "TYPE",
    "VERIFIED",
    "YEAR",
];

/// Words by which rows are known that were only made to try something, in small letters.
const TRIED: &[&str] =
    &["debug", "demo", "dummy", "e2e", "example", "fake", "fixture", "sandbox", "test", "tmp"];

/// Words of columns that say when a row's own time is over.
const OVER: &[&str] = &["EXPIRATION", "EXPIRED", "EXPIRES", "EXPIRY", "TTL"];

/// Words of tables whose rows are there to go, in capitals.
const PASSING: &[&str] = &[
    "CACHE",
    "CACHES",
    "DEMO",
    "FIXTURE",
    "FIXTURES",
    "IDEMPOTENCY",
    "LOCK",
    "LOCKS",
    "NONCE",
    "NONCES",
    "OTP",
    "OTPS",
    "SANDBOX",
    "SCRATCH",
    "SESSION",
    "SESSIONS",
    "STAGE",
    "STAGING",
    "STG",
    "TEMP",
    "THROTTLE",
    "TMP",
];

/// Whether a condition says which rows it means, or means rows that are there to go.
pub(super) fn names_rows(condition: &[Token]) -> bool {
    choose(condition, DEPTH)
}

/// Whether a table's rows are there to go by what it is called: `staging.orders`, `user_sessions`, `tmp_ids`.
pub(super) fn is_passing(table: &str) -> bool {
    const FIRST: &[&str] = &["SCRATCH", "STAGING", "STG", "TEMP", "TMP"];
    let upper = table.to_ascii_uppercase();
    let mut words = upper.split(|letter: char| !letter.is_ascii_alphanumeric());
    // `tmp_ids`, `user_sessions`, `HttpCache`; `sessions_archive` is what is kept of them.
    let is_first = words.next().is_some_and(|word| FIRST.contains(&word));
    let last = upper.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next();
    is_first
        || last.is_some_and(|word| word.ends_with("CACHE") || PASSING.binary_search(&word).is_ok())
}

fn choose(condition: &[Token], depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let condition = bare(condition);
    if condition.is_empty() {
        return false;
    }
    let either = parts(condition, &["OR"]);
    if either.len() > 1 {
        return either.iter().all(|part| choose(part, depth));
    }
    let both = parts(condition, &["AND", "&&"]);
    if both.len() > 1 {
        return both.iter().any(|part| choose(part, depth)) || is_short_range(&both);
    }
    one(condition, depth)
}

/// A condition without `AND` and `OR`.
fn one(condition: &[Token], depth: usize) -> bool {
    if condition.first().is_some_and(|first| is_word(first, "NOT")) {
        return false;
    }
    if matches!(condition, [current, of, ..] if is_word(current, "CURRENT") && is_word(of, "OF")) {
        return true;
    }
    if condition.first().is_some_and(|first| is_word(first, "EXISTS")) {
        let selection = condition.get(1..).unwrap_or_default();
        return is_about_row(selection) && selects_few(selection, depth);
    }
    if let Some((left, set)) = cut(condition, &["IN"], false) {
        return !is_negated(left) && !is_shared(left) && is_listed(set, depth);
    }
    if let Some((left, bounds)) = cut(condition, &["BETWEEN"], false) {
        let ends = parts(bounds, &["AND"]);
        return !is_negated(left)
            && counts_up(left)
            && matches!(ends.as_slice(), [low, high] if is_near(low, high));
    }
    const LIKE: &[&str] = &["GLOB", "ILIKE", "LIKE"];
    if let Some((left, pattern)) = cut(condition, LIKE, false) {
        return !is_negated(left) && says_tried(pattern);
    }
    match comparison(condition) {
        Some((left, "=" | "<=>", right)) => {
            is_told(left, right, depth) || is_told(right, left, depth)
        }
        Some((left, "<" | "<=", right)) => is_over(left) && is_by_now(right),
        Some((left, ">" | ">=", right)) => is_over(right) && is_by_now(left),
        _ => false,
    }
}

/// `column = value`, where the value says which rows.
fn is_told(column: &[Token], value: &[Token], depth: usize) -> bool {
    let column = bare(column);
    // What a function makes of a column many rows may have in common.
    let names_one = |column: &[Token]| {
        let is_word = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Name);
        !column.is_empty() && is_name(column) && column.iter().any(is_word) && !is_place(column)
    };
    let is_column = match parts(column, &[","]).as_slice() {
        [one] => names_one(one),
        // `(a, b) = (1, 2)`
        several => several.iter().all(|one| names_one(one)),
    };
    if matches!(bare(value), [one] if is_word(one, "TRUE") || is_word(one, "FALSE") || is_word(one, "NULL"))
    {
        return false;
    }
    let is_value = || {
        let value = bare(value);
        let value = match value {
            [any, rest @ ..] if is_word(any, "ANY") => bare(rest),
            value => value,
        };
        is_listed(value, depth) || says_tried(value)
    };
    is_column && (says_tried(value) || !is_shared(column)) && is_value()
}

/// Values, places of arguments, or a selection that itself says which rows.
fn is_listed(set: &[Token], depth: usize) -> bool {
    let set = match bare(set) {
        [array, rest @ ..] if is_word(array, "ARRAY") => bare(rest),
        set => set,
    };
    if is_array(set) {
        return true;
    }
    let is_selection = |word: &Token| ["SELECT", "WITH", "FROM"].iter().any(|it| is_word(word, it));
    if set.first().is_some_and(is_selection) {
        return shows_own(set) && selects_few(set, depth);
    }
    parts(set, &[","]).iter().all(|value| names_nothing(value) || is_place(value))
}

/// `[1, 2]`, which is read as a name in brackets: values where it begins as one does.
fn is_array(value: &[Token]) -> bool {
    matches!(value, [list] if list.kind == TokenKind::Name
        && list.text.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '\'' | '$' | ':' | '?')))
}

/// A selection of few rows by its own condition, by its limit, or because it computes one value: `(SELECT max(id) FROM t)`.
fn selects_few(selection: &[Token], depth: usize) -> bool {
    let selection = bare(selection);
    const MORE: &[&str] = &["EXCEPT", "HAVING", "INTERSECT", "OVER", "UNION"];
    if MORE.iter().any(|word| selection.iter().any(|token| is_word(token, word))) {
        return false;
    }
    if let Some(limit) = position(selection, "LIMIT")
        && selection.get(limit + 1).is_some_and(is_few)
    {
        return true;
    }
    let shown = position(selection, "FROM").and_then(|from| selection.get(1..from));
    let is_one = matches!(shown, Some([function, open, ..])
        if matches!(&*function.text, "MAX" | "MIN")
            && &*open.text == "("
            && position(selection, "GROUP").is_none());
    let end = ["GROUP", "ORDER", "LIMIT", "HAVING", "UNION"]
        .iter()
        .filter_map(|word| position(selection, word))
        .min()
        .unwrap_or(selection.len());
    is_one
        || position(selection, "WHERE")
            .and_then(|at| selection.get(at + 1..end))
            .is_some_and(|condition| choose(condition, depth))
}

fn is_few(number: &Token) -> bool {
    number.kind == TokenKind::Number
        && number.text.parse::<f64>().is_ok_and(|number| (0.0..=FEW).contains(&number))
}

/// `?`, `$1`, `:name`, `%s`, `@name`: whoever runs it says which.
fn is_place(value: &[Token]) -> bool {
    match bare(value) {
        [sign] => &*sign.text == "?" || sign.text.starts_with(['@', '$', '?']),
        [sign, name] => {
            matches!(&*sign.text, "$" | ":" | "@" | "%" | "?" | "#")
                && matches!(name.kind, TokenKind::Word | TokenKind::Number)
        }
        [sign, open, ..] => {
            matches!(&*sign.text, "%" | "$" | "#") && matches!(&*open.text, "(" | "{")
        }
        [] => false,
    }
}

fn is_negated(left: &[Token]) -> bool {
    left.last().is_some_and(|token| is_word(token, "NOT"))
}

/// Whether many rows share a value of a column.
fn is_shared(column: &[Token]) -> bool {
    let name = bare(column).last().filter(|_| is_name(bare(column)));
    name.is_some_and(|name| {
        words_of(&name.text).iter().any(|word| SHARED.binary_search(&word.as_str()).is_ok())
    })
}

/// The words of a column's name, in capitals.
fn words_of(name: &str) -> Vec<String> {
    name.split('_').map(str::to_ascii_uppercase).collect()
}

fn is_over(column: &[Token]) -> bool {
    let name = bare(column).last().filter(|_| is_name(bare(column)));
    name.is_some_and(|name| {
        // `ExpiresAt`, `expiryDate`
        let is_written_as_one =
            |word: &str| word.starts_with("EXPIR") && word.len() > "EXPIRES".len();
        words_of(&name.text)
            .iter()
            .any(|word| OVER.binary_search(&word.as_str()).is_ok() || is_written_as_one(word))
    })
}

/// Whether a text is one of rows that were made to try something: `'e2e-%'`, `'%@example.com'`.
fn says_tried(value: &[Token]) -> bool {
    matches!(bare(value), [one] if one.kind == TokenKind::Text && {
        let text = one.text.to_lowercase();
        text.split(|letter: char| !letter.is_alphanumeric()).any(|word| TRIED.contains(&word))
    })
}

/// `id >= 10 AND id < 20`
fn is_short_range(both: &[&[Token]]) -> bool {
    let bounds = both.iter().filter_map(|part| comparison(bare(part)));
    let mut low = bounds.clone().filter(|(_, sign, _)| sign.starts_with('>'));
    let mut high = bounds.filter(|(_, sign, _)| sign.starts_with('<'));
    match (low.next(), high.next()) {
        (Some((left, _, low)), Some((again, _, high))) => {
            super::operand::same(left, again) && counts_up(left) && is_near(low, high)
        }
        _ => false,
    }
}

/// Whether a column's values are given out one after the other: `id`, `order_id`, `seq_no`.
fn counts_up(column: &[Token]) -> bool {
    let name = bare(column).last().filter(|_| is_name(bare(column)));
    name.is_some_and(|name| {
        let last = words_of(&name.text).pop().unwrap_or_default();
        matches!(last.as_str(), "ID" | "NO" | "NR" | "NUMBER" | "ROWID" | "SEQ")
    })
}

/// Whether a time has come: now, a place that whoever runs it fills, or something taken from either.
fn is_by_now(time: &[Token]) -> bool {
    let time = bare(time);
    let is_moment = |token: &Token| {
        MOMENTS.iter().chain(&["CURRENT_DATE", "DATETIME"]).any(|word| is_word(token, word))
    };
    is_place(time) || time.iter().any(is_moment) && !is_ahead(time)
}

/// Whether what is done to a moment may lead ahead of it: `now() + …`, `now() - interval '-1 year'`, `datetime('now', '1 year')`,
/// `DATEADD(year, 1, GETDATE())`.
fn is_ahead(time: &[Token]) -> bool {
    let adds = time.iter().any(|token| token.kind == TokenKind::Word && token.text.contains("ADD"));
    let is_minus =
        |at: Option<usize>| at.and_then(|at| time.get(at)).is_some_and(|token| &*token.text == "-");
    // A minus behind a value takes away; behind anything else it is a sign.
    let ends_value = |at: Option<usize>| {
        at.and_then(|at| time.get(at))
            .is_some_and(|token| token.kind != TokenKind::Operator || &*token.text == ")")
            && !at.and_then(|at| time.get(at)).is_some_and(|token| is_word(token, "INTERVAL"))
    };
    let leads_ahead = |at: usize, token: &Token| {
        let is_number = token.kind == TokenKind::Number;
        let is_text = token.kind == TokenKind::Text
            && token
                .text
                .trim_start()
                .starts_with(|first: char| first.is_ascii_digit() || "+-".contains(first));
        if !is_number && !is_text {
            return false;
        }
        let before = at.checked_sub(1);
        let is_taken = is_minus(before) && ends_value(at.checked_sub(2));
        let is_sign = is_minus(before) && !is_taken;
        let is_negative = is_sign || token.text.trim_start().starts_with('-');
        let start = if is_sign { at.checked_sub(2) } else { before };
        let is_interval =
            start.and_then(|at| time.get(at)).is_some_and(|token| is_word(token, "INTERVAL"));
        if adds {
            !is_negative
        } else if is_interval || is_number {
            is_negative
        } else {
            is_negative == is_taken
        }
    };
    time.iter().any(|token| &*token.text == "+")
        || time.iter().enumerate().any(|(at, token)| leads_ahead(at, token))
}

/// The tables that a selection takes from, by their names and those given to them.
fn sources(selection: &[Token]) -> &[Token] {
    let from = position(selection, "FROM").unwrap_or(selection.len());
    let end = position(selection, "WHERE").unwrap_or(selection.len());
    selection.get(from..end).unwrap_or_default()
}

fn is_among(tables: &[Token], name: &Token) -> bool {
    tables.iter().any(|table| {
        matches!(table.kind, TokenKind::Word | TokenKind::Name)
            && table.text.eq_ignore_ascii_case(&name.text)
    })
}

/// The table that a column is said to be of: `o` of `o.id`.
fn qualifier(column: &[Token]) -> Option<&Token> {
    match bare(column) {
        [.., table, dot, _] if &*dot.text == "." && is_name(bare(column)) => Some(table),
        _ => None,
    }
}

/// Whether what is selected is of the tables that it is selected from: `SELECT t.id FROM o` shows each row of `t` itself.
fn shows_own(selection: &[Token]) -> bool {
    let from = position(selection, "FROM").unwrap_or(selection.len());
    let shown = selection.get(..from).unwrap_or_default();
    let tables = sources(selection);
    let is_foreign = |at: usize| {
        let is_dot = shown.get(at + 1).is_some_and(|dot| &*dot.text == ".");
        is_dot && shown.get(at).is_some_and(|table| !is_among(tables, table))
    };
    // Of `db.table.column` the last but one.
    !(0..shown.len())
        .any(|at| is_foreign(at) && shown.get(at + 3).is_none_or(|dot| &*dot.text != "."))
}

/// Whether an `EXISTS` is about the row that it is asked for: one of its conditions compares a column of its own with one of another table.
fn is_about_row(selection: &[Token]) -> bool {
    let selection = bare(selection);
    let tables = sources(selection);
    let Some(at) = position(selection, "WHERE") else { return false };
    let condition = bare(selection.get(at + 1..).unwrap_or_default());
    parts(condition, &["AND", "&&"]).iter().filter_map(|part| comparison(bare(part))).any(
        |(left, sign, right)| {
            let own = |side: &[Token]| qualifier(side).map(|table| is_among(tables, table));
            // Without a table it is a column of the selection's own, where that has one.
            sign == "="
                && matches!(
                    (own(left), own(right)),
                    (Some(true) | None, Some(false)) | (Some(false), Some(true) | None)
                )
                && [left, right].iter().all(|side| is_name(bare(side)))
        },
    )
}

fn is_near(low: &[Token], high: &[Token]) -> bool {
    let number = |value: &[Token]| match bare(value) {
        [one] if one.kind == TokenKind::Number => one.text.parse::<f64>().ok(),
        _ => None,
    };
    match (number(low), number(high)) {
        (Some(low), Some(high)) => (0.0..=FEW).contains(&(high - low)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use portcullis_syntax::sql;

    #[test]
    fn lists_are_sorted() {
        for list in [super::SHARED, super::OVER, super::PASSING, super::TRIED] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn conditions_that_say_which_rows() {
        for condition in [
            "id = 7",
            "7 = id",
            "t.id = $1",
            "id = :id AND status = 'open'",
            "email IN ('a@b.example', 'c@d.example')",
            "id = ANY (ARRAY[1, 2])",
            "id = ANY ($1)",
            "id BETWEEN 10 AND 40",
            "id >= 10 AND id < 20",
            "id IN (SELECT id FROM t WHERE code = 'a')",
            "id IN (SELECT id FROM t ORDER BY id LIMIT 5)",
            "id = (SELECT max(id) FROM t)",
            "name LIKE 'e2e-%'",
            "type = 'test'",
            "expires_at < now()",
            "CURRENT OF c",
            "NOT (id BETWEEN 2 AND 3) AND id = 7",
            "(a = 1 OR a = 2)",
            "day = '2025-01-01'",
            "EXISTS (SELECT 1 FROM o WHERE o.id = t.o AND o.code = 'a')",
            "EXISTS (SELECT 1 FROM orders AS o WHERE code = 'a' AND t.o = o.id)",
            "id IN (SELECT o.id FROM orders o WHERE o.code = 'a')",
            "id IN (SELECT s.o.id FROM s.o WHERE code = 'a')",
            "expires_at < now() - interval '90 days'",
            "expires_at < now() - '90 days'::interval",
            "expires_at < datetime('now', '-7 days')",
            "expires_at < DATEADD(day, -7, GETDATE())",
            "expires_at < DATE_SUB(NOW(6), INTERVAL 7 DAY)",
            "expires_at < UNIX_TIMESTAMP() - 3600",
        ] {
            assert!(super::names_rows(&sql::tokens(condition)), "{condition}");
        }
    }

    #[test]
    fn conditions_that_take_what_there_is() {
        for condition in [
            "created_at < now() - interval '90 days'",
            "status = 'draft'",
            "is_active = 0",
            "id = 7 OR created_at < now()",
            "NOT id = 7",
            "id NOT IN (1, 2)",
            "id IN (SELECT user_id FROM o)",
            "t.id = o.id",
            "id > 100",
            "id BETWEEN 1 AND 100000",
            "email IS NULL",
            "name LIKE '%a%'",
            "id IN (SELECT id FROM t LIMIT 5000)",
            "id IN (SELECT id FROM t WHERE status = 'draft')",
            "EXISTS (SELECT 1 FROM o WHERE o.id = t.o)",
            "EXISTS (SELECT 1 FROM o WHERE o.code = 'a')",
            "EXISTS (SELECT 1 FROM o WHERE o.id = o.parent AND o.code = 'a')",
            "EXISTS (SELECT 1 FROM o LIMIT 1)",
            "id IN (SELECT t.id FROM o WHERE o.code = 'a')",
            "expires_at < now() + interval '1 year'",
            "expires_at < now() - interval '-100 years'",
            "expires_at < now() - '-100 years'::interval",
            "expires_at < NOW() - INTERVAL -100 YEAR",
            "expires_at < datetime('now', '+1 year')",
            "expires_at < datetime('now', '1 year')",
            "expires_at < DATEADD(year, 100, GETDATE())",
            "expires_at < DATE_ADD(NOW(), INTERVAL 100 YEAR)",
            "expires_at < GETDATE() - -30",
        ] {
            assert!(!super::names_rows(&sql::tokens(condition)), "{condition}");
        }
    }
}
