//! How curl reads a URL, where that is not how browsers do. Owns a model of its parser (`lib/urlapi.c`, and `inet_aton` for
//! addresses), to tell where the two disagree; nothing connects to what it says.

use std::net::Ipv4Addr;

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
    // Blanks and control characters are no part of any URL that it takes.
    if written.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Reading::Refused;
    }
    let rest = match written.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) && rest.starts_with('/') => {
            let slashes = rest.bytes().take_while(|byte| *byte == b'/').count();
            if slashes > 3 {
                return Reading::Refused;
            }
            rest.trim_start_matches('/')
        }
        // Without slashes it is no scheme: `https:example.com` is the host `https`.
        _ => written,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some(bracketed) = host.strip_prefix('[') {
        let inner = bracketed.split(']').next().unwrap_or_default();
        let bare = inner.split('%').next().unwrap_or(inner);
        return match bare.parse::<std::net::Ipv6Addr>() {
            Ok(six) => Reading::Host(six.to_string()),
            Err(_) => Reading::Refused,
        };
    }
    let host = host.split(':').next().unwrap_or(host);
    let Some(host) = unescaped(host) else { return Reading::Refused };
    // What it never takes in a name; everything else it leaves to the resolver.
    let bad =
        |letter: char| letter <= ' ' || "\"#/:<>?@[\\]^`{|}!$&'()*+,;=%\u{7f}".contains(letter);
    if host.is_empty() || host.chars().any(bad) {
        return Reading::Refused;
    }
    match loose_ip4(&host) {
        Some(four) => Reading::Host(four.to_string()),
        None => Reading::Host(host.trim_end_matches('.').to_lowercase()),
    }
}

fn is_scheme(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// With `%41` read; `None` where that is no text, or holds what no host can.
fn unescaped(host: &str) -> Option<String> {
    if !host.contains('%') {
        return Some(host.to_owned());
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
    String::from_utf8(bytes).ok()
}

/// An IPv4 address as `inet_aton` reads it: one to four numbers, each decimal, octal or hexadecimal, the last of which fills
/// what is left.
pub(crate) fn loose_ip4(host: &str) -> Option<Ipv4Addr> {
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
