//! SOCKS 5 (RFC 1928, RFC 1929) as it stands on the wire. Owns what is a greeting, a login and a request; it waits for nothing.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The method of a name and a password.
pub(super) const PASSWORD: u8 = 2;

/// Why something is no SOCKS.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadSocks {
    /// It is of another version.
    #[error("the version is not SOCKS 5")]
    Version,
    /// It asks for something else than to connect.
    #[error("only `CONNECT` is spoken, not `BIND` or `UDP ASSOCIATE`")]
    Command,
    /// The address is of no known kind, or no text.
    #[error("the address is malformed")]
    Address,
}

/// Where a client wants to go.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Address {
    /// The host as it stands in a URL: an address of IPv6 in brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// What there is of a message: nothing yet, or the message and its length.
type Read<T> = Option<Result<(T, usize), BadSocks>>;

/// The first message: the methods that the client can log in with.
#[must_use]
pub fn parse_greeting(bytes: &[u8]) -> Read<Vec<u8>> {
    if *bytes.first()? != 5 {
        return Some(Err(BadSocks::Version));
    }
    let end = 2 + usize::from(*bytes.get(1)?);
    Some(Ok((bytes.get(2..end)?.to_vec(), end)))
}

/// The second message: the name and the password.
#[must_use]
pub fn parse_login(bytes: &[u8]) -> Read<(Vec<u8>, Vec<u8>)> {
    if *bytes.first()? != 1 {
        return Some(Err(BadSocks::Version));
    }
    let name_end = 2 + usize::from(*bytes.get(1)?);
    let name = bytes.get(2..name_end)?;
    let end = name_end + 1 + usize::from(*bytes.get(name_end)?);
    let password = bytes.get(name_end + 1..end)?;
    Some(Ok(((name.to_vec(), password.to_vec()), end)))
}

/// The third message: where the client wants to go.
#[must_use]
pub fn parse_request(bytes: &[u8]) -> Read<Address> {
    let [version, command, _, kind, rest @ ..] = bytes else {
        return (bytes.first().is_some_and(|version| *version != 5))
            .then_some(Err(BadSocks::Version));
    };
    if *version != 5 {
        return Some(Err(BadSocks::Version));
    }
    if *command != 1 {
        return Some(Err(BadSocks::Command));
    }
    let (host, length) = match kind {
        1 => (Ipv4Addr::from(*rest.first_chunk::<4>()?).to_string(), 4),
        4 => (format!("[{}]", Ipv6Addr::from(*rest.first_chunk::<16>()?)), 16),
        3 => {
            let length = 1 + usize::from(*rest.first()?);
            let name = rest.get(1..length)?;
            let plain = !name.is_empty()
                && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-_[]:".contains(byte));
            let Some(name) = std::str::from_utf8(name).ok().filter(|_| plain) else {
                return Some(Err(BadSocks::Address));
            };
            (name.to_owned(), length)
        }
        _ => return Some(Err(BadSocks::Address)),
    };
    let port = u16::from_be_bytes(rest.get(length..length + 2)?.try_into().ok()?);
    Some(Ok((Address { host, port }, 4 + length + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_when_they_are_whole() {
        let login = b"\x01\x03bob\x06secret";
        let name = b"\x05\x01\x00\x03\x0bexample.com\x01\xbb";
        let six = b"\x05\x01\x00\x04\x26\x06\x47\x00\0\0\0\0\0\0\0\0\0\0\0\x01\x00\x50";
        assert_eq!(parse_greeting(b"\x05\x02\x00\x02x"), Some(Ok((vec![0, 2], 4))));
        assert_eq!(parse_login(login), Some(Ok(((b"bob".to_vec(), b"secret".to_vec()), 12))));
        let address = Address { host: "example.com".to_owned(), port: 443 };
        assert_eq!(parse_request(name), Some(Ok((address, 18))));
        let address = Address { host: "[2606:4700::1]".to_owned(), port: 80 };
        assert_eq!(parse_request(six), Some(Ok((address, 22))));
        for end in 0..login.len() {
            assert_eq!(parse_login(&login[..end]), None);
        }
        for end in 0..name.len() {
            assert_eq!(parse_request(&name[..end]), None);
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        assert_eq!(parse_greeting(b"\x04\x01"), Some(Err(BadSocks::Version)));
        assert_eq!(parse_login(b"\x05\x01a\x01b"), Some(Err(BadSocks::Version)));
        for (bytes, expected) in [
            (&b"\x05\x02\x00\x01\x01\x02\x03\x04\x00\x50"[..], BadSocks::Command),
            (b"\x05\x03\x00\x01\x01\x02\x03\x04\x00\x50", BadSocks::Command),
            (b"\x05\x01\x00\x05\x01\x02\x03\x04\x00\x50", BadSocks::Address),
            (b"\x05\x01\x00\x03\x00\x00\x50", BadSocks::Address),
            (b"\x05\x01\x00\x03\x03a/b\x00\x50", BadSocks::Address),
            (b"\x05\x01\x00\x03\x03a@b\x00\x50", BadSocks::Address),
            (b"\x05\x01\x00\x03\x03a\x00b\x00\x50", BadSocks::Address),
            (b"\x05\x01\x00\x03\x03a\r\n\x00\x50", BadSocks::Address),
        ] {
            assert_eq!(parse_request(bytes), Some(Err(expected)), "{bytes:x?}");
        }
    }
}
