//! Conditions that leave nothing out. Owns the telling of a `WHERE` that holds for every row by construction from one that chooses; a
//! condition that is not understood chooses. One that names no column chooses between all rows and none, which is no choice of rows; what its
//! value is matters only where it is easily seen.

use portcullis_syntax::sql::{Token, TokenKind};

use super::itself::{finds_itself, is_bound, is_itself, takes_all, takes_any};
use super::operand::{
    Operand, comparison, cut, is_key, is_word, names_nothing, parts, position, same,
};

/// How deep conditions within conditions are followed.
const DEPTH: usize = 16;

/// How many alternatives are compared with each other.
const ALTERNATIVES: usize = 64;

/// Words that end a condition.
const ENDS: &[&str] = &["RETURNING", "ORDER", "OPTION", "SETTINGS", "WINDOW", "FETCH"];

/// From here on a range has no end for practical purposes.
const FAR: f64 = 2_147_483_647.0;

/// Whether a condition surely does not choose: it holds for every row, or is not about rows at all. `head` is the statement before it, which
/// names the table.
pub fn always(condition: &[Token], head: &[Token]) -> bool {
    let mut depth = 0_usize;
    let ends = |token: &Token| {
        match &*token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        // What stands in a selection of its own ends that one.
        depth == 0 && ENDS.iter().any(|end| is_word(token, end))
    };
    let end = condition.iter().position(ends).unwrap_or(condition.len());
    let whole = condition.get(..end).unwrap_or_default();
    matches!(truth(whole, head, DEPTH), Truth::Always | Truth::Whole)
}

/// For which rows a condition holds. What a missing value makes of it is left aside.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Truth {
    /// Every one.
    Always,
    /// None.
    Never,
    /// Every one or none: no column decides.
    Whole,
    /// Those that it chooses.
    Some,
}

impl Truth {
    const fn of(holds: bool) -> Self {
        if holds { Self::Always } else { Self::Never }
    }

    const fn not(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::Whole | Self::Some => self,
        }
    }

    /// The same, or the other way round.
    const fn not_if(self, negated: bool) -> Self {
        if negated { self.not() } else { self }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Always, _) | (_, Self::Always) => Self::Always,
            (Self::Never, one) | (one, Self::Never) => one,
            // The half that no column decides may hold.
            (Self::Whole, _) | (_, Self::Whole) => Self::Whole,
            (Self::Some, Self::Some) => Self::Some,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => Self::Never,
            (Self::Always, one) | (one, Self::Always) => one,
            (Self::Whole, Self::Whole) => Self::Whole,
            (Self::Some, _) | (_, Self::Some) => Self::Some,
        }
    }
}

fn truth(condition: &[Token], head: &[Token], depth: usize) -> Truth {
    let Some(depth) = depth.checked_sub(1) else { return Truth::Some };
    let inner = |part: &[Token]| truth(part, head, depth);
    let condition = super::operand::bare(condition);
    let either = parts(condition, &["OR", "||"]);
    if either.len() > 1 {
        let any = either.iter().map(|part| inner(part)).fold(Truth::Never, Truth::or);
        // `||` joins texts in most databases, and then each part is one.
        let joins = parts(condition, &["OR"]).len() == 1;
        return match any {
            Truth::Some | Truth::Never if joins => single(condition, head, depth),
            Truth::Some if covers(&either) => Truth::Always,
            any => any,
        };
    }
    let one_of_two = parts(condition, &["XOR"]);
    if let [left, right] = one_of_two.as_slice() {
        return match (inner(left), inner(right)) {
            (Truth::Some, _) | (_, Truth::Some) => Truth::Some,
            (Truth::Whole, _) | (_, Truth::Whole) => Truth::Whole,
            (left, right) => Truth::of(left != right),
        };
    }
    let both = parts(condition, &["AND", "&&"]);
    if both.len() > 1 {
        return both.iter().map(|part| inner(part)).fold(Truth::Always, Truth::and);
    }
    match condition {
        [not, rest @ ..] if is_word(not, "NOT") => inner(rest).not(),
        [not, rest @ ..]
            if &*not.text == "!" && not.kind == TokenKind::Operator && !rest.is_empty() =>
        {
            inner(rest).not()
        }
        _ => single(condition, head, depth),
    }
}

/// A condition without `AND`, `OR` and `NOT` around it.
fn single(condition: &[Token], head: &[Token], depth: usize) -> Truth {
    match atom(condition, head, depth) {
        Truth::Some if names_nothing(condition) => Truth::Whole,
        known => known,
    }
}

fn atom(condition: &[Token], head: &[Token], depth: usize) -> Truth {
    if let [exists, inner @ ..] = condition
        && is_word(exists, "EXISTS")
    {
        let has = |word: &str| inner.iter().any(|token| is_word(token, word));
        let is_row = has("SELECT") && !has("FROM") && !has("WHERE");
        return if is_row || finds_itself(inner, head) { Truth::Always } else { Truth::Some };
    }
    if let Some((left, right)) = cut(condition, &["IS"], true) {
        return is(left, right, head, depth);
    }
    // `IN`, `LIKE` and the others may have a `NOT` before them.
    let negatable = |left: &[Token]| left.last().is_some_and(|token| is_word(token, "NOT"));
    let without = |left: &'_ [Token]| left.len() - usize::from(negatable(left));
    if let Some((left, right)) = cut(condition, &["BETWEEN"], false) {
        let operand = left.get(..without(left)).unwrap_or_default();
        return between(operand, right).not_if(negatable(left));
    }
    if let Some((left, set)) = cut(condition, &["IN"], false) {
        let operand = left.get(..without(left)).unwrap_or_default();
        return within(operand, set, head).not_if(negatable(left));
    }
    const LIKE: &[&str] = &["LIKE", "ILIKE", "GLOB", "REGEXP", "RLIKE", "SIMILAR"];
    if let Some((left, right)) = cut(condition, LIKE, false) {
        let operand = left.get(..without(left)).unwrap_or_default();
        let word = condition.get(left.len()).map_or("", |token| &*token.text);
        return like(operand, word, right).not_if(negatable(left));
    }
    match comparison(condition) {
        Some((left, operator, right)) => compare(left, operator, right, head, depth),
        None => Operand::of(condition).truth().map_or(Truth::Some, Truth::of),
    }
}

/// `x IS [NOT] …`.
fn is(left: &[Token], right: &[Token], head: &[Token], depth: usize) -> Truth {
    let (negated, right) = match right {
        [not, rest @ ..] if is_word(not, "NOT") => (true, rest),
        rest => (false, rest),
    };
    let held = match right {
        [word] if is_word(word, "NULL") => match Operand::of(left) {
            Operand::Null => Truth::Always,
            Operand::Number(_) | Operand::Text(_) => Truth::Never,
            Operand::Other(name) if name.last().is_some_and(is_key) && is_name(name) => {
                Truth::Never
            }
            Operand::Other(_) => Truth::Some,
        },
        [word] if is_word(word, "TRUE") => truth(left, head, depth),
        [word] if is_word(word, "FALSE") => truth(left, head, depth).not(),
        [word] if is_word(word, "UNKNOWN") => match truth(left, head, depth) {
            Truth::Always | Truth::Never => Truth::Never,
            other => other,
        },
        [distinct, from, other @ ..] if is_word(distinct, "DISTINCT") && is_word(from, "FROM") => {
            compare(left, "=", other, head, depth).not()
        }
        other => compare(left, "=", other, head, depth),
    };
    held.not_if(negated)
}

/// `a` or `t.a`.
pub(super) fn is_name(tokens: &[Token]) -> bool {
    let is_part = |token: &Token| {
        matches!(token.kind, TokenKind::Word | TokenKind::Name) || &*token.text == "."
    };
    tokens.iter().all(is_part)
}

fn between(operand: &[Token], bounds: &[Token]) -> Truth {
    let bounds = match bounds {
        [word, rest @ ..] if is_word(word, "SYMMETRIC") || is_word(word, "ASYMMETRIC") => rest,
        rest => rest,
    };
    let Some(at) = position(bounds, "AND") else { return Truth::Some };
    let low = bounds.get(..at).unwrap_or_default();
    let high = bounds.get(at + 1..).unwrap_or_default();
    let is_key = operand.last().is_some_and(is_key);
    let is_everything = match (Operand::of(low), Operand::of(high)) {
        (Operand::Number(low), Operand::Number(high)) => {
            high >= FAR && (low <= -FAR || is_key && low <= 1.0)
        }
        (Operand::Text(low), Operand::Text(high)) => {
            low.is_empty()
                && (high.starts_with(|letter| letter > 'z')
                    || high.to_lowercase().starts_with("zz"))
        }
        _ => false,
    };
    if is_everything && !names_nothing(operand) {
        return Truth::Always;
    }
    values(operand, ">=", low).and(values(operand, "<=", high))
}

/// `x IN (…)`.
fn within(operand: &[Token], set: &[Token], head: &[Token]) -> Truth {
    let inner = super::operand::bare(set);
    if inner.first().is_some_and(|token| is_word(token, "SELECT") || is_word(token, "FROM")) {
        return if takes_all(operand, inner, head) { Truth::Always } else { Truth::Some };
    }
    let list = parts(inner, &[","]);
    let words: Vec<&str> =
        inner.iter().map(|token| &*token.text).filter(|text| *text != ",").collect();
    // Behind what is never nothing.
    if matches!(words.as_slice(), ["TRUE", "FALSE"] | ["FALSE", "TRUE"]) {
        return Truth::Always;
    }
    list.iter().map(|one| values(operand, "=", one)).fold(Truth::Never, Truth::or)
}

/// `x LIKE …`: what takes every text, and itself.
fn like(operand: &[Token], word: &str, pattern: &[Token]) -> Truth {
    let pattern = match pattern {
        [to, rest @ ..] if is_word(to, "TO") => rest,
        rest => rest,
    };
    let end = position(pattern, "ESCAPE").unwrap_or(pattern.len());
    let pattern = pattern.get(..end).unwrap_or_default();
    let takes_everything = match Operand::of(pattern) {
        Operand::Text(text) => match word {
            "GLOB" => !text.is_empty() && text.chars().all(|letter| letter == '*'),
            "REGEXP" | "RLIKE" => is_every_expression(&text),
            _ => !text.is_empty() && text.chars().all(|letter| letter == '%'),
        },
        _ => false,
    };
    if takes_everything || same(operand, pattern) { Truth::Always } else { Truth::Some }
}

/// `.*`, `^`, nothing, and the like.
fn is_every_expression(pattern: &str) -> bool {
    let bare = pattern.trim_start_matches('^').trim_end_matches('$');
    matches!(bare, "" | ".*" | "(.*)" | ".*?" | "()" | ".{0,}")
}

/// A comparison, of values or of conditions.
fn compare(left: &[Token], operator: &str, right: &[Token], head: &[Token], depth: usize) -> Truth {
    if matches!(operator, "~" | "~*") {
        let every =
            matches!(Operand::of(right), Operand::Text(pattern) if is_every_expression(&pattern));
        return if every { Truth::Always } else { Truth::Some };
    }
    if matches!(operator, "<" | "<=") && is_past(left) && is_now(right) {
        return Truth::Always;
    }
    if operator == "=" && (is_itself(left, right, head) || takes_any(left, right, head))
        || is_bound(left, operator, right, head)
    {
        return Truth::Always;
    }
    let known = values(left, operator, right);
    if known != Truth::Some || !matches!(operator, "=" | "<=>" | "<>") {
        return known;
    }
    // `(a = a) = TRUE`, `1 = (NOT a <> a)`
    let is_condition = |side: &[Token]| {
        let inner = super::operand::bare(side);
        inner.len() < side.len()
            || matches!(inner, [one] if is_word(one, "TRUE") || is_word(one, "FALSE"))
    };
    if !is_condition(left) && !is_condition(right) {
        return Truth::Some;
    }
    match (truth(left, head, depth), truth(right, head, depth)) {
        (Truth::Some | Truth::Whole, _) | (_, Truth::Some | Truth::Whole) => Truth::Some,
        (left, right) => Truth::of(left == right).not_if(operator == "<>"),
    }
}

/// Columns that say when a row came to be or was last changed, without their underscores: before now is every row.
const PAST: &[&str] = &[
    "ADDEDAT",
    "BIRTHDATE",
    "CREATED",
    "CREATEDAT",
    "CREATEDDATE",
    "CREATEDON",
    "CREATIONDATE",
    "DATEOFBIRTH",
    "ENTRYDATE",
    "EVENTTIME",
    "HIREDATE",
    "HIREDON",
    "INSERTEDAT",
    "INVOICEDATE",
    "ISSUEDAT",
    "ISSUEDON",
    "JOINEDAT",
    "LASTLOGIN",
    "LASTLOGINAT",
    "LASTSEEN",
    "LASTSEENAT",
    "LOGGEDAT",
    "MODIFIEDAT",
    "OCCURREDAT",
    "ORDERDATE",
    "ORDEREDAT",
    "PAIDAT",
    "PLACEDAT",
    "POSTEDAT",
    "RECEIVEDAT",
    "RECORDEDAT",
    "REGISTEREDAT",
    "SENTAT",
    "SIGNEDUPAT",
    "STARTEDAT",
    "SUBMITTEDAT",
    "TIMESTAMP",
    "TS",
    "UPDATEDAT",
    "VISITEDAT",
];

fn is_past(column: &[Token]) -> bool {
    let name = column.last().filter(|_| is_name(column));
    name.is_some_and(|name| {
        PAST.contains(&name.text.to_ascii_uppercase().replace('_', "").as_str())
    })
}

/// Words for the present moment.
pub(super) const MOMENTS: &[&str] = &[
    "CURRENT_TIMESTAMP",
    "GETDATE",
    "GETUTCDATE",
    "LOCALTIMESTAMP",
    "NOW",
    "SYSDATE",
    "SYSDATETIME",
    "SYSTIMESTAMP",
    "SYSUTCDATETIME",
    "UNIXEPOCH",
    "UNIX_TIMESTAMP",
    "UTC_TIMESTAMP",
];

/// `now()`, `CURRENT_TIMESTAMP` and nothing taken from it; what is added is not there yet.
fn is_now(value: &[Token]) -> bool {
    let [name, rest @ ..] = value else { return false };
    let is_bare = match rest {
        [] => true,
        [open, close] => &*open.text == "(" && &*close.text == ")",
        rest => rest
            .iter()
            .find(|token| !matches!(&*token.text, "(" | ")"))
            .is_some_and(|token| &*token.text == "+"),
    };
    is_bare && MOMENTS.iter().any(|word| is_word(name, word))
}

/// Which of smaller, equal and larger an operator takes.
fn takes(operator: &str) -> Option<[bool; 3]> {
    Some(match operator {
        "=" | "<=>" => [false, true, false],
        "<>" => [true, false, true],
        "<" => [true, false, false],
        "<=" => [true, true, false],
        ">" => [false, false, true],
        ">=" => [false, true, true],
        _ => return None,
    })
}

/// A comparison of two values.
fn values(left: &[Token], operator: &str, right: &[Token]) -> Truth {
    let Some([smaller, equal, larger]) = takes(operator) else { return Truth::Some };
    let by = |order: std::cmp::Ordering| match order {
        std::cmp::Ordering::Less => Truth::of(smaller),
        std::cmp::Ordering::Equal => Truth::of(equal),
        std::cmp::Ordering::Greater => Truth::of(larger),
    };
    if same(left, right) {
        return Truth::of(equal);
    }
    let (one, other) = (Operand::of(left), Operand::of(right));
    match (&one, &other) {
        (Operand::Number(one), Operand::Number(other)) => {
            one.partial_cmp(other).map_or(Truth::Some, by)
        }
        // Capitals and small letters are the same to some databases.
        (Operand::Text(one), Operand::Text(other)) if one.eq_ignore_ascii_case(other) => {
            if one == other { Truth::of(equal) } else { Truth::Whole }
        }
        (Operand::Text(one), Operand::Text(other)) => by(one.cmp(other)),
        (Operand::Null, _) | (_, Operand::Null) => Truth::Never,
        (Operand::Other(name), Operand::Number(number)) => {
            bounded(name, [smaller, equal, larger], *number)
        }
        (Operand::Number(number), Operand::Other(name)) => {
            bounded(name, [larger, equal, smaller], *number)
        }
        // Every text is at least the empty one.
        (Operand::Other(_), Operand::Text(text)) if text.is_empty() && larger && equal => {
            Truth::Always
        }
        (Operand::Text(text), Operand::Other(_)) if text.is_empty() && smaller && equal => {
            Truth::Always
        }
        (Operand::Other(one), Operand::Other(other)) => {
            // `a < a + 1`
            let moved = |longer: &[Token], shorter: &[Token]| -> Option<bool> {
                match longer.get(shorter.len()..)? {
                    [sign, number] if same(longer.get(..shorter.len())?, shorter) => {
                        let number = number.text.parse::<f64>().ok().filter(|one| *one > 0.0)?;
                        let _ = number;
                        match &*sign.text {
                            "+" => Some(true),
                            "-" => Some(false),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            };
            match (moved(one, other), moved(other, one)) {
                (Some(up), _) => Truth::of(if up { larger } else { smaller }),
                (_, Some(up)) => Truth::of(if up { smaller } else { larger }),
                _ => Truth::Some,
            }
        }
        _ => Truth::Some,
    }
}

/// A column against a number: what every row has by what it is.
fn bounded(name: &[Token], [smaller, equal, larger]: [bool; 3], number: f64) -> Truth {
    let is_key = is_name(name) && name.last().is_some_and(is_key);
    // Lengths, amounts and counts begin at nothing; keys above it.
    let is_amount = matches!(name, [function, open, .., close]
        if &*open.text == "(" && &*close.text == ")" && NEVER_NEGATIVE.contains(&&*function.text));
    let least = if is_key { 1.0 } else { 0.0 };
    let above = is_key || is_amount;
    match (smaller, equal, larger) {
        (false, true, true) if above => {
            if number <= least {
                Truth::Always
            } else {
                Truth::Some
            }
        }
        (false, false, true) | (true, false, true) if above => {
            if number < least {
                Truth::Always
            } else {
                Truth::Some
            }
        }
        (true, _, false) if number > FAR && is_key => Truth::Always,
        _ => Truth::Some,
    }
}

/// Functions whose value is never below zero.
const NEVER_NEGATIVE: &[&str] = &[
    "ABS",
    "BIT_LENGTH",
    "CHARACTER_LENGTH",
    "CHAR_LENGTH",
    "COUNT",
    "LEN",
    "LENGTH",
    "OCTET_LENGTH",
];

/// Alternatives of which one holds whatever a value is: `x IS NULL OR x IS NOT NULL`, `p OR NOT p`, `x > 3 OR x <= 3`, `x < 5 OR x > 3`.
fn covers(either: &[&[Token]]) -> bool {
    let either = either.get(..ALTERNATIVES).unwrap_or(either);
    let negated = |part: &[Token]| -> Option<Vec<Token>> {
        match part {
            [not, rest @ ..] if is_word(not, "NOT") => Some(super::operand::bare(rest).to_vec()),
            [.., is, not, null]
                if is_word(is, "IS") && is_word(not, "NOT") && is_word(null, "NULL") =>
            {
                let mut plain = part.to_vec();
                plain.remove(plain.len() - 2);
                Some(plain)
            }
            _ => None,
        }
    };
    let is_pair = |one: &[Token], other: &[Token]| {
        if negated(one).is_some_and(|plain| same(&plain, super::operand::bare(other))) {
            return true;
        }
        let (Some((left, first, right)), Some((again, second, bound))) =
            (comparison(super::operand::bare(one)), comparison(super::operand::bare(other)))
        else {
            return false;
        };
        let (Some(first), Some(second)) = (takes(first), takes(second)) else { return false };
        if !same(left, again) {
            return false;
        }
        if same(right, bound) {
            return first.iter().zip(second).all(|(one, other)| *one || other);
        }
        let below = |takes: [bool; 3]| takes.first() == Some(&true);
        let above = |takes: [bool; 3]| takes.last() == Some(&true);
        match (Operand::of(right), Operand::of(bound)) {
            (Operand::Number(most), Operand::Number(least)) => {
                below(first) && above(second) && most > least
                    // Different from one thing, or from another.
                    || [first, second].iter().all(|one| *one == [true, false, true])
            }
            (Operand::Text(one), Operand::Text(other)) => {
                one != other && [first, second].iter().all(|one| *one == [true, false, true])
            }
            _ => false,
        }
    };
    either.iter().enumerate().any(|(at, one)| {
        either.iter().enumerate().any(|(other, two)| at != other && is_pair(one, two))
    })
}
