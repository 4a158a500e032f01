//! How curl reads a URL, where that is not how browsers do. Owns a model of its parser (`lib/urlapi.c`, and `inet_aton` for
//! addresses), to tell where the two disagree; nothing connects to what it says.

use std::{
    borrow::Cow,
    net::{Ipv4Addr, Ipv6Addr},
};

/// What curl makes of a URL.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reading {
    /// It connects to this host, in lower case.
    Host(String),
    /// It refuses the URL.
    Refused,
}

/// What curl makes of a URL.
#[must_use]
pub fn read_as_curl(written: &str) -> Reading {
    match hear(written) {
        Heard::Refused => Reading::Refused,
        Heard::Four(four) => Reading::Host(four.to_string()),
        Heard::Six(six) => Reading::Host(six.to_string()),
        Heard::Name(name) => Reading::Host(name.trim_end_matches('.').to_lowercase()),
    }
}

/// As [`Reading`], with the host as it stands there.
pub(super) enum Heard<'a> {
    Refused,
    Four(Ipv4Addr),
    Six(Ipv6Addr),
    Name(Cow<'a, str>),
}

/// As [`read_as_curl`].
pub(super) fn hear(written: &str) -> Heard<'_> {
    // Blanks and control characters are no part of any URL that it takes.
    if written.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Heard::Refused;
    }
    let rest = match written.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) && rest.starts_with('/') => {
            let slashes = rest.bytes().take_while(|byte| *byte == b'/').count();
            if slashes > 3 {
                return Heard::Refused;
            }
            rest.get(slashes..).unwrap_or_default()
        }
        // Without slashes it is no scheme: `https:example.com` is the host `https`.
        _ => written,
    };
    let authority = until(rest, |byte| matches!(byte, b'/' | b'?' | b'#'));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some(bracketed) = host.strip_prefix('[') {
        let bare = until(bracketed, |byte| byte == b']' || byte == b'%');
        return bare.parse().map_or(Heard::Refused, Heard::Six);
    }
    let Some(host) = unescaped(until(host, |byte| byte == b':')) else { return Heard::Refused };
    if host.is_empty() || host.bytes().any(is_refused) {
        return Heard::Refused;
    }
    loose_ip4(&host).map_or(Heard::Name(host), Heard::Four)
}

/// What it never takes in a name; everything else it leaves to the resolver.
fn is_refused(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | 0x7f | b'!'..=b',' | b'/' | b':'..=b'@' | b'['..=b'^' | b'`' | b'{'..=b'}')
}

fn is_scheme(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// With `%41` read; `None` where that is no text, or holds what no host can.
fn unescaped(host: &str) -> Option<Cow<'_, str>> {
    if !host.contains('%') {
        return Some(Cow::Borrowed(host));
    }
    let mut bytes = Vec::with_capacity(host.len());
    let mut rest = host.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            let byte = u8::from_str_radix(digits, 16).ok().filter(|byte| *byte >= b' ')?;
            bytes.push(byte);
            rest = after.get(2..)?;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// An IPv4 address as `inet_aton` reads it: one to four numbers, each decimal, octal or hexadecimal, the last of which fills
/// what is left.
pub(crate) fn loose_ip4(host: &str) -> Option<Ipv4Addr> {
    // Every number begins with a digit.
    if !host.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let mut numbers = [0_u64; 4];
    let mut count = 0_usize;
    for part in host.split('.') {
        *numbers.get_mut(count)? = number(part)?;
        count += 1;
    }
    let (last, first) = numbers.get(..count)?.split_last()?;
    let room = 8 * u32::try_from(4_usize.checked_sub(first.len())?).ok()?;
    if first.iter().any(|part| *part > 255) || *last >= 1_u64 << room {
        return None;
    }
    let high = first.iter().fold(0_u64, |high, part| (high << 8) | part);
    u32::try_from((high << room) | last).ok().map(Ipv4Addr::from)
}

fn number(part: &str) -> Option<u64> {
    let digits = |text: &str, radix| {
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| u64::from_str_radix(text, radix).ok()).flatten()
    };
    match part.strip_prefix("0x").or_else(|| part.strip_prefix("0X")) {
        Some(hexadecimal) => digits(hexadecimal, 16),
        None if part.len() > 1 && part.starts_with('0') => digits(part, 8),
        None => digits(part, 10),
    }
}

/// The beginning of a text up to a byte of ASCII.
pub(super) fn until(text: &str, ends: impl Fn(u8) -> bool) -> &str {
    let end = text.bytes().position(ends).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}
