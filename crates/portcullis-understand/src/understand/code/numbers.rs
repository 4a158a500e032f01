//! Whole numbers. Owns what the operators of Python and JavaScript make of two of them, so that a name which a table holds under a computed
//! index is the one that the program finds there; what is beyond 64 bits, or no whole number, is not known.

use super::value::{Value, mixed};

/// What an operator makes of two values.
pub(super) fn calculated(language: &str, operator: &str, left: &Value, right: &Value) -> Value {
    match (operator, left, right) {
        (_, Value::Number(one), Value::Number(other)) => {
            let number = match language {
                "javascript" => in_javascript(operator, *one, *other),
                _ => plain(operator, *one, *other),
            };
            number.map_or_else(|| Value::Text(mixed("a number", [left, right])), Value::Number)
        }
        // Flags by their names.
        ("|", Value::Name(one, _), Value::Name(other, _)) => {
            let text = mixed("flags", [left, right]);
            Value::reached(&format!("{one}|{other}"), text.derive([]))
        }
        ("|", Value::Table(left), Value::Table(right)) => {
            Value::Table(left.iter().chain(right).cloned().collect())
        }
        _ => Value::Text(mixed("a number", [left, right])),
    }
}

/// `~number`.
pub(super) fn turned(language: &str, number: i64) -> Value {
    let turned = match language {
        "javascript" => bits(number).map(|bits| i64::from(!bits)),
        _ => Some(!number),
    };
    turned.map_or_else(|| Value::unknown("a number"), Value::Number)
}

/// Python's operators; `/` gives no whole number. (docs.python.org, "Expressions", 6.7 to 6.9)
fn plain(operator: &str, left: i64, right: i64) -> Option<i64> {
    match operator {
        "-" => Some(left.saturating_sub(right)),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        // Rounded towards less, which is what the remainder is told by too.
        "//" if right > 0 => left.checked_div_euclid(right),
        "%" if right > 0 => left.checked_rem_euclid(right),
        "**" => left.checked_pow(u32::try_from(right).ok()?),
        "<<" => {
            let shifted = left.checked_shl(u32::try_from(right).ok()?)?;
            (shifted >> right == left).then_some(shifted)
        }
        ">>" => left.checked_shr(u32::try_from(right).ok()?),
        _ => None,
    }
}

/// JavaScript's, which shift and combine the lower 32 bits. (ECMA-262, "Number::leftShift" and those beside it)
fn in_javascript(operator: &str, left: i64, right: i64) -> Option<i64> {
    /// The bits of the right side that say how far.
    const FAR: u32 = 31;
    let far = || bits(right).map(|bits| bits.cast_unsigned() & FAR);
    match operator {
        "-" => Some(left.saturating_sub(right)),
        "|" => Some(i64::from(bits(left)? | bits(right)?)),
        "^" => Some(i64::from(bits(left)? ^ bits(right)?)),
        "&" => Some(i64::from(bits(left)? & bits(right)?)),
        "%" => left.checked_rem(right),
        "/" => (left.checked_rem(right)? == 0).then(|| left.checked_div(right)).flatten(),
        "**" => left.checked_pow(u32::try_from(right).ok()?),
        "<<" => Some(i64::from(bits(left)?.wrapping_shl(far()?))),
        ">>" => Some(i64::from(bits(left)?.wrapping_shr(far()?))),
        ">>>" => Some(i64::from(bits(left)?.cast_unsigned().wrapping_shr(far()?))),
        _ => None,
    }
}

/// The 32 bits of a number that has no more.
fn bits(number: i64) -> Option<i32> {
    i32::try_from(number).or_else(|_| u32::try_from(number).map(u32::cast_signed)).ok()
}
