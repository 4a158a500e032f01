//! Greeting, login and request of SOCKS, and the first bytes of an encrypted connection, are read alike wherever they are cut.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::network::Target;
use portcullis_net::proxy::{Hello, parse_greeting, parse_login, parse_socks_request, read_hello};

fuzz_target!(|bytes: &[u8]| {
    if let Some(Ok((_, length))) = parse_greeting(bytes) {
        assert!(parse_greeting(&bytes[..length - 1]).is_none());
    }
    if let Some(Ok((_, length))) = parse_login(bytes) {
        assert!(parse_login(&bytes[..length - 1]).is_none());
    }
    if let Some(Ok((address, length))) = parse_socks_request(bytes) {
        assert!(parse_socks_request(&bytes[..length - 1]).is_none());
        // Read or refused, and never another port.
        if let Ok(target) = Target::of_authority(&address.host, address.port) {
            assert_eq!(target.port(), address.port);
        }
    }
    let whole = read_hello(bytes);
    for end in 0..bytes.len() {
        match read_hello(&bytes[..end]) {
            Hello::Incomplete => {}
            // Once it is read, more bytes do not change it.
            early => assert_eq!(early, whole, "cut at {end}"),
        }
    }
    // The same as one handshake of a greeting.
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    let framed = [&[22, 3, 1][..], &length.to_be_bytes(), bytes].concat();
    if let Hello::Greeting(Some(name)) = read_hello(&framed) {
        assert!(name.is_ascii());
    }
});
