//! Values that are code. Owns how calls, members, types, patterns and numbers are told from text.

use super::{contains, words::is_wordy};

/// Whether a value is written as code and not as text: a call, a member, an index, an address of something else.
pub(super) fn is_expression(value: &[u8], quoted: bool) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if contains(value, b"://")
        || value.starts_with(b"/")
            && value.iter().filter(|byte| **byte == b'/').count() >= 2
            && is_wordy(value)
    {
        return true;
    }
    // A pattern of files or of text; the last is how manual pages write brackets.
    // `list[Secret]` is a type, `Shards[-1].Id` a path.
    let name = value.iter().take_while(|byte| is_name(byte) || **byte == b'.').count();
    let indexed = name > 2
        && value.get(name) == Some(&b'[')
        && value.get(name..).is_some_and(|rest| {
            rest.contains(&b']')
                && rest
                    .iter()
                    .all(|byte| is_name(byte) || matches!(byte, b'[' | b']' | b'.' | b'-'))
        });
    if indexed
        || value.starts_with(b"*.")
        || [&b"${"[..], b"{{", b"$(", b".*", b"\\s", b"[\\", b"\\[rB]"]
            .iter()
            .any(|piece| contains(value, piece))
    {
        return true;
    }
    if quoted {
        return false;
    }
    // `a = b.c = d` and `a = b = d` give one value to several names, and `a= b= c=` none.
    let assigns = value.split(|byte| *byte == b'=').next().is_some_and(|first| {
        first.len() < value.trim_ascii_end().len()
            && (first.iter().all(u8::is_ascii_alphabetic)
                || value.get(first.len() + 1).is_some_and(u8::is_ascii_alphabetic))
            && first.iter().all(|byte| is_name(byte) || *byte == b'.')
    });
    if assigns
        || is_number(value)
        || is_named_after_secrets(value)
        || value.starts_with(b"!0")
        || value.starts_with(b"!1")
        || value.starts_with(b"*") && value.get(1).is_some_and(u8::is_ascii_alphabetic)
    {
        return true;
    }
    let value = value.strip_prefix(b"!").unwrap_or(value);
    // A variable of one of Vim's scopes.
    let value = match value {
        [b's' | b'g' | b'l' | b'b' | b'w', b':', rest @ ..] => rest,
        _ => value,
    };
    // `name(`, `module.name(`, `name[`.
    let name = value.iter().take_while(|byte| is_name(byte) || **byte == b'.').count();
    let next = value.get(name);
    let starts_as_name =
        value.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let members = value.split(|byte| *byte == b'.').count() > 1
        && value.split(|byte| *byte == b'.').all(|part| {
            part.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
                && part.iter().all(is_name)
                && part.len() <= 24
        });
    (starts_as_name && matches!(next, Some(b'(' | b'[' | b'{')) && name > 0)
        || contains(value, b"::")
        || contains(value, b"->")
        || members
        || value.ends_with(b"(")
        || value.ends_with(b"()")
        || value.ends_with(b"[")
        || value.ends_with(b"{")
        || matches!(value.first(), Some(b'(' | b'[' | b'{' | b'&' | b'|' | b'\\' | b'=' | b','))
        || value.starts_with(b"...")
}

/// Whether a value is the name of a type or a variable that is about secrets: `SpGetContextTokenFn`.
fn is_named_after_secrets(value: &[u8]) -> bool {
    let is_identifier = value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && value.first().is_some_and(u8::is_ascii_alphabetic);
    let lower = value.to_ascii_lowercase();
    let is_path = value.iter().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'[' | b']')
    });
    if is_path && value.iter().any(|byte| matches!(byte, b'_' | b'.' | b':')) {
        let named = [&b"passw"[..], b"_pwd", b"pwd_", b"_pass", b"pass_"];
        if named.iter().any(|word| contains(&lower, word)) {
            return true;
        }
    }
    if !is_identifier {
        return false;
    }
    [&b"token"[..], b"key", b"secret", b"credential"].iter().any(|word| contains(&lower, word))
}

/// Whether a value is a number as programs write it: `0x8007_u32`, `4097u32`, `12'345`, `1_000L`.
fn is_number(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"-").unwrap_or(value);
    let hexadecimal = value.strip_prefix(b"0x").or_else(|| value.strip_prefix(b"0X"));
    let digits = hexadecimal.unwrap_or(value);
    let is_digit = |byte: &u8| match hexadecimal {
        Some(_) => byte.is_ascii_hexdigit() || *byte == b'_',
        None => byte.is_ascii_digit() || *byte == b'_',
    };
    let end = digits.iter().take_while(|byte| is_digit(byte)).count();
    let suffix = digits.get(end..).unwrap_or_default();
    let is_suffix = [
        &b""[..],
        b"u8",
        b"u16",
        b"u32",
        b"u64",
        b"u128",
        b"usize",
        b"i8",
        b"i16",
        b"i32",
        b"i64",
        b"i128",
        b"isize",
        b"f32",
        b"f64",
        b"u",
        b"U",
        b"l",
        b"L",
        b"ul",
        b"UL",
        b"ull",
        b"ULL",
        b"LL",
        b"n",
    ]
    .contains(&suffix);
    digits.first().is_some_and(u8::is_ascii_hexdigit) && end > 0 && is_suffix
}
