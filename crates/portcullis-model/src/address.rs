//! Which host an address names. Owns the reading of URLs, `user@host:path` and `host:port` as text; it resolves nothing.

use crate::text::{Piece, Text};

/// The host that an address names, in lower case and without a trailing dot; `None` where it is not known.
#[must_use]
pub fn host(address: &Text) -> Option<String> {
    // `[` of an IPv6 address looks like a pattern to the shell.
    let written: String = address
        .pieces
        .iter()
        .map_while(|piece| match piece {
            Piece::Known(text) | Piece::Glob(text) => Some(text.as_str()),
            Piece::Unknown(_) => None,
        })
        .collect();
    // `https://host/…${x}`: the host is known as soon as something follows it.
    let after = written.split_once("://").map_or(written.as_str(), |(_, after)| after);
    if address.has_unknown() && !after.contains(['/', '?', '#']) {
        return None;
    }
    host_of(&written)
}

/// As [`host`], of a known text.
#[must_use]
pub fn host_of(address: &str) -> Option<String> {
    let address = address.trim();
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        // `http:/host` and `http:\\host` are read as if both slashes were there.
        None => match address.split_once(':') {
            Some((scheme, rest)) if is_web(scheme) && rest.starts_with(['/', '\\']) => {
                (Some(scheme), rest)
            }
            _ => (None, address),
        },
    };
    let rest = match scheme {
        Some(scheme) if is_web(scheme) => rest.trim_start_matches(['/', '\\']),
        _ => rest,
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = if let Some(bracketed) = authority.strip_prefix('[') {
        bracketed.split(']').next().unwrap_or(bracketed)
    } else if authority.matches(':').count() > 1 && scheme.is_none() {
        authority
    } else {
        authority.split(':').next().unwrap_or(authority)
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let plausible = !host.is_empty()
        && host.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'.' | b'-' | b'_' | b':' | b'%')
                || byte >= 0x80
        });
    plausible.then_some(host)
}

/// Every part of a text that could be a host with a dot, or an address, also as one number: `tcp:a.example:80,user@b.example`
/// has two.
pub fn hosts_within(text: &str) -> impl Iterator<Item = String> {
    let ends = |letter: char| letter.is_whitespace() || ",=/\\?#;|'\"()<>@[]".contains(letter);
    text.split(ends).flat_map(|part| {
        let is_six = part.parse::<std::net::Ipv6Addr>().is_ok();
        part.split(move |letter| letter == ':' && !is_six)
            .filter(move |host| is_six || host.contains('.') || is_long_number(host))
            .map(|host| host.trim_end_matches('.').to_ascii_lowercase())
    })
}

/// Whether it is long enough a number to be an address in itself; ports and counts are shorter.
fn is_long_number(word: &str) -> bool {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let is_digit = |byte: u8| match digits {
        Some(_) => byte.is_ascii_hexdigit(),
        None => byte.is_ascii_digit(),
    };
    word.len() >= 8 && digits.unwrap_or(word).bytes().all(is_digit)
}

/// Schemes behind which any number of slashes, of either kind, stands for two.
fn is_web(scheme: &str) -> bool {
    ["http", "https", "ws", "wss", "ftp"].iter().any(|web| web.eq_ignore_ascii_case(scheme))
}

/// The path that an address of SQLite's names, from what stands behind `file:`: `///home/x%20y?mode=ro` is `/home/x y`.
#[must_use]
pub fn sqlite_path(behind: &str) -> String {
    let path = behind.split(['?', '#']).next().unwrap_or(behind);
    let path = match path.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => path,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digit = |at: usize| behind.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let escaped = digit(0).zip(digit(1)).filter(|_| first == b'%');
        match escaped.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            // What is behind a zero is no part of the name.
            Some(0) => break,
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn hosts_are_found_in_every_kind_of_address() {
        for (address, expected) in [
            ("https://Example.com/x", Some("example.com")),
            ("http://user:pass@example.com:8080/", Some("example.com")),
            ("git@github.com:a/b.git", Some("github.com")),
            ("example.com:443", Some("example.com")),
            ("http://[::1]:80/", Some("::1")),
            ("::1", Some("::1")),
            ("example.com.", Some("example.com")),
            ("http:///example.com/x", Some("example.com")),
            ("HTTP:\\\\example.com\\x", Some("example.com")),
            ("http:/example.com", Some("example.com")),
            ("file:///etc/hosts", None),
            ("http:8080", Some("http")),
            ("", None),
            ("https://", None),
        ] {
            assert_eq!(host_of(address).as_deref(), expected, "{address}");
        }
    }
}
