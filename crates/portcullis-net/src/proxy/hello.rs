//! The first bytes of an encrypted connection (RFC 8446 §4.1.2). Owns how the name in them is found; nothing is decrypted.

/// The most bytes that are waited for.
const LONGEST: usize = 32 << 10;

/// What the first bytes are.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Hello {
    /// Not enough of them yet.
    Incomplete,
    /// Not the beginning of an encrypted connection.
    Other,
    /// A greeting, with the name that it asks for in lower case.
    Greeting(Option<String>),
    /// The beginning of a greeting that is none.
    Malformed,
}

/// Reads the first bytes of a connection.
#[must_use]
pub fn read_hello(bytes: &[u8]) -> Hello {
    const HANDSHAKE: u8 = 22;
    match bytes.first() {
        None => return Hello::Incomplete,
        Some(first) if *first != HANDSHAKE => return Hello::Other,
        Some(_) => {}
    }
    // A greeting may be spread over several records.
    let mut message = Vec::new();
    let mut rest = bytes;
    loop {
        if let Some(hello) = greeting(&message) {
            return hello;
        }
        if rest.is_empty() {
            break;
        }
        let [kind, major, _, high, low, after @ ..] = rest else { break };
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        if *kind != HANDSHAKE || *major != 3 || length == 0 || length > 1 << 14 {
            return Hello::Malformed;
        }
        message.extend_from_slice(after.get(..length).unwrap_or(after));
        rest = after.get(length..).unwrap_or_default();
        if after.len() < length {
            // What is there of the last record may be enough to see that it is none.
            if let Some(hello) = greeting(&message) {
                return hello;
            }
            break;
        }
    }
    if bytes.len() >= LONGEST { Hello::Malformed } else { Hello::Incomplete }
}

/// The greeting, where all of it is there; `None` where more is to come.
fn greeting(message: &[u8]) -> Option<Hello> {
    const CLIENT_HELLO: u8 = 1;
    let [kind, a, b, c, body @ ..] = message else { return None };
    let length = usize::try_from(u32::from_be_bytes([0, *a, *b, *c])).unwrap_or(usize::MAX);
    if *kind != CLIENT_HELLO || length > LONGEST {
        return Some(Hello::Malformed);
    }
    let body = body.get(..length)?;
    Some(match name_of(body) {
        Some(name) => Hello::Greeting(name),
        None => Hello::Malformed,
    })
}

/// The name in a whole greeting; `None` where it is malformed.
fn name_of(body: &[u8]) -> Option<Option<String>> {
    let mut reader = Reader(body);
    reader.take(2 + 32)?;
    let _session = reader.short_list()?;
    let _ciphers = reader.long_list()?;
    let _compressions = reader.short_list()?;
    if reader.0.is_empty() {
        return Some(None);
    }
    let mut extensions = Reader(reader.long_list()?);
    let mut found = None;
    while !extensions.0.is_empty() {
        let kind = extensions.number()?;
        let data = extensions.long_list()?;
        if kind != 0 {
            continue;
        }
        let mut names = Reader(Reader(data).long_list()?);
        while !names.0.is_empty() {
            let kind = *names.take(1)?.first()?;
            let name = names.long_list()?;
            let plain = name.iter().all(|byte| byte.is_ascii_graphic());
            // Two names are what one program reads the first of, and another the last.
            if kind != 0 || !plain || found.is_some() {
                return None;
            }
            let name = std::str::from_utf8(name).ok()?;
            found = Some(name.trim_end_matches('.').to_ascii_lowercase());
        }
    }
    Some(found)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    fn short_list(&mut self) -> Option<&'a [u8]> {
        let length = *self.take(1)?.first()?;
        self.take(usize::from(length))
    }

    fn long_list(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(usize::from(length))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::{ClientConfig, ClientConnection, RootCertStore, crypto::ring};

    use super::*;

    /// What a real client sends.
    fn real(name: &'static str) -> Vec<u8> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth();
        let mut client = ClientConnection::new(Arc::new(config), name.try_into().unwrap()).unwrap();
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn the_name_is_found_wherever_the_bytes_are_cut() {
        let bytes = real("www.example.com");
        let whole = Hello::Greeting(Some("www.example.com".to_owned()));
        assert_eq!(read_hello(&bytes), whole);
        for end in 0..bytes.len() {
            assert_eq!(read_hello(&bytes[..end]), Hello::Incomplete, "cut at {end}");
        }
        // The same greeting in records of three bytes each.
        let mut split = Vec::new();
        for part in bytes[5..].chunks(3) {
            split.extend_from_slice(&[22, 3, 1, 0, u8::try_from(part.len()).unwrap()]);
            split.extend_from_slice(part);
        }
        assert_eq!(read_hello(&split), whole);
        assert_eq!(read_hello(&real("192.0.2.1")), Hello::Greeting(None));
    }

    #[test]
    fn what_is_no_greeting_is_told_apart() {
        for (bytes, expected) in [
            (&b""[..], Hello::Incomplete),
            (b"GET / HTTP/1.1", Hello::Other),
            (b"SSH-2.0-x", Hello::Other),
            (b"\x16\x03\x01\x00\x00", Hello::Malformed),
            (b"\x16\x02\x01\x00\x01", Hello::Malformed),
            (b"\x16\x03\x01\x00\x04\x02\x00\x00\x00", Hello::Malformed),
            (b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", Hello::Malformed),
        ] {
            assert_eq!(read_hello(bytes), expected, "{bytes:x?}");
        }
        assert_eq!(read_hello(&vec![22; LONGEST]), Hello::Malformed);
    }
}
