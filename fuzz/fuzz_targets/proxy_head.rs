//! Any bytes are the head of a request, none, or not yet one. What is passed on holds no line's end and nothing of the connection, and
//! a head that is cut is not read as another one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_net::proxy::{Form, parse_head};

fuzz_target!(|bytes: &[u8]| {
    // Most inputs should get past the first line.
    let with_line =
        [b"POST http://a.example.com/ HTTP/1.1\r\nHost: a.example.com\r\n", bytes].concat();
    for text in [bytes, &with_line] {
        let Some(Ok((head, length))) = parse_head(text) else { continue };
        assert!(length <= text.len());
        for (name, value) in &head.headers {
            assert!(
                !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':')
            );
            assert!(!value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)));
            for own in [
                "connection",
                "host",
                "content-length",
                "transfer-encoding",
                "proxy-authorization",
                "te",
                "upgrade",
            ] {
                assert_ne!(name, own);
            }
        }
        if let Form::Connect(host, _) = &head.form {
            assert!(!host.is_empty() && !host.contains(['/', '@', ' ']));
        }
        for end in 0..length {
            assert!(!matches!(parse_head(&text[..end]), Some(Ok(_))), "cut at {end}");
        }
        assert_eq!(parse_head(&text[..length]), Some(Ok((head, length))));
    }
});
