//! Names so short or so common that only a value that nobody takes for a word tells a secret: `TOK=…`, `?sig=…`, `X-Auth: …`, `pin=…`.
//! Owns those names.

use super::{
    super::{
        delimit::{Value, separated, values_at},
        names,
        source::{is_blank, is_name, is_quote},
    },
    Found, is_made,
};

/// The longest name.
const NAME: usize = 48;

/// Last words of names whose values may be secret.
const NAMES: &[&str] = &[
    "auth",
    "cred",
    "creds",
    "dsn",
    "jsessionid",
    "jwt",
    "login",
    "otp",
    "pat",
    "phpsessid",
    "pin",
    "sess",
    "sessid",
    "session",
    "sessionid",
    "sid",
    "sig",
    "signature",
    "tok",
    "totp",
];

/// Those whose value is a few digits.
const DIGITS: &[&str] = &["cvc", "cvv", "otp", "pin", "totp"];

/// Masks the values of short names that nobody takes for words.
pub(super) fn assigned(found: &mut Found<'_>) {
    let source = found.source;
    let mut until = 0;
    for sign in memchr::memchr2_iter(b'=', b':', source.bytes) {
        // A value is read once, whatever stands in it.
        if sign < until {
            continue;
        }
        let closes = |byte: &u8| is_quote(*byte) || is_blank(*byte) || matches!(byte, b'\\' | b']');
        let before = source.slice(sign.saturating_sub(NAME), sign);
        let closed = before.iter().rev().take_while(|byte| closes(byte)).count();
        let name_end = sign - closed;
        let before = source.slice(name_end.saturating_sub(NAME), name_end);
        let length = before.iter().rev().take_while(|byte| is_name(**byte)).count();
        let name = source.slice(name_end - length, name_end);
        if name.is_empty() {
            continue;
        }
        // `-PsigningKey=…` and `-Dtoken=…` are properties.
        let property = name.strip_prefix(b"-P").or_else(|| name.strip_prefix(b"-D"));
        if property.is_some_and(names::is_secret_name) || is_pragma(found, name, name_end) {
            if let Some(start) = separated(source, name_end) {
                found.mask_value(start);
                until = values_at(source, start).1;
            }
            continue;
        }
        let last = last_word(name);
        let is_asked = matches!(last.as_slice(), b"k" | b"sign" | b"s" | b"h" | b"t")
            && matches!(source.at((name_end - length).wrapping_sub(1)), b'?' | b'&');
        let is = |list: &[&str]| list.iter().any(|own| own.as_bytes() == last);
        if !(is_asked || is(NAMES) || is(DIGITS)) {
            continue;
        }
        let Some(start) = separated(source, name_end) else { continue };
        let (values, end) = values_at(source, start);
        until = end;
        for Value { start, end, quoted: _ } in values.into_iter().flatten() {
            let text = source.slice(start, end);
            let tail =
                memchr::memrchr(b':', text).map_or(text, |at| text.get(at + 1..).unwrap_or(text));
            if is_made(text) || is_made(tail) || is(DIGITS) && is_code(text) {
                found.mask(end - tail.len(), end);
            }
        }
    }
    beside_logins(found);
    identified(found);
    lone_users(found);
}

/// `pragma key = '…'` opens an encrypted database.
fn is_pragma(found: &Found<'_>, name: &[u8], name_end: usize) -> bool {
    let start = name_end - name.len();
    let before = found.source.slice(start.saturating_sub("pragma ".len()), start);
    matches!(name, b"key" | b"rekey" | b"hexkey") && before.eq_ignore_ascii_case(b"pragma ")
}

/// `IDENTIFIED WITH plugin BY '…'`.
fn identified(found: &mut Found<'_>) {
    const BETWEEN: usize = 60;
    let source = found.source;
    for quote in memchr::memchr2_iter(b'\'', b'"', source.bytes) {
        let before = source.slice(quote.saturating_sub(BETWEEN), quote).to_ascii_lowercase();
        let before = before.trim_ascii_end();
        if before.ends_with(b" by") && super::value::contains(before, b"identified with") {
            found.mask_value(quote);
        }
    }
}

/// `https://token@host`: who asks is told by a token alone.
fn lone_users(found: &mut Found<'_>) {
    let source = found.source;
    for address in memchr::memmem::find_iter(source.bytes, b"://") {
        let start = address + 3;
        let end = source.skip(start, is_name);
        if source.at(end) == b'@' {
            found.mask_made(start, end);
        }
    }
}

/// `login bob / secret`.
fn beside_logins(found: &mut Found<'_>) {
    const BEFORE: usize = 60;
    let source = found.source;
    for slash in memchr::memmem::find_iter(source.bytes, b" / ") {
        let end = source.skip(slash + 3, |byte| !byte.is_ascii_whitespace() && !is_quote(byte));
        let before = source.slice(slash.saturating_sub(BEFORE), slash).to_ascii_lowercase();
        let told = ["login", "user", "account", "creds"]
            .iter()
            .any(|word| super::value::contains(&before, word.as_bytes()));
        if told {
            found.mask_made(slash + 3, end);
        }
    }
}

/// Masks the cookies that are given as the value that begins at `start`; a file of them is none.
pub(super) fn cookies(found: &mut Found<'_>, start: usize) {
    let source = found.source;
    for Value { start, end, quoted: _ } in values_at(source, start).0.into_iter().flatten() {
        let mut from = start;
        for pair in source.slice(start, end).split(|byte| *byte == b';') {
            let (at, to) = (from, from + pair.len());
            from = to + 1;
            let Some(equals) = memchr::memchr(b'=', pair) else { continue };
            let name = pair.get(..equals).unwrap_or_default().to_ascii_lowercase();
            let opens = ["sess", "sid", "auth", "token", "jwt", "login"]
                .iter()
                .any(|word| super::value::contains(&name, word.as_bytes()));
            if opens || is_made(pair.get(equals + 1..).unwrap_or_default()) {
                found.mask(at + equals + 1, to);
            }
        }
    }
}

fn is_code(text: &[u8]) -> bool {
    (3..=8).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
}

/// The last word of a name, in lower case.
fn last_word(name: &[u8]) -> Vec<u8> {
    let from = name.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    name.get(from..).unwrap_or_default().to_ascii_lowercase()
}
