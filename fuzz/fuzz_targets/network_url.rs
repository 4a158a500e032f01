//! Any text is a URL or refused in words; what is let through leads to a public address, stays what it is when it is read again, and
//! is judged alike when a server sends us there.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::network::{Admission, NetworkPolicy, Reading, Target, classify, read_as_curl};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let policy = NetworkPolicy::default();
    let judged = policy.judge(&text);
    let base = Target::read("https://example.com/a/b").expect("a plain URL");
    let joined = base.join(&text);
    match judged.outcome {
        Err(refusal) => assert!(!refusal.to_string().is_empty() && !refusal.help().is_empty()),
        Ok(admission) => {
            let target = judged.target.expect("what is let through was read");
            assert!(!target.has_userinfo() && !target.host().is_empty() && target.port() != 0);
            if let Admission::Address(socket) = admission {
                assert!(classify(socket.ip()).is_public(), "{text:?} leads to {socket}");
            }
            let again = Target::read(&target.canonical()).expect("the canonical form is a URL");
            assert_eq!((again.host(), again.port()), (target.host(), target.port()), "{text:?}");
            assert_eq!(again.canonical(), target.canonical(), "{text:?}");
            let joined = joined.expect("a whole URL is one in a redirect too");
            assert_eq!((joined.host(), joined.port()), (target.host(), target.port()), "{text:?}");
            // Nothing that is let through leads curl to an address that it does not lead us to.
            if let Reading::Host(host) = read_as_curl(&text)
                && let Ok(address) = host.parse()
            {
                assert!(classify(address).is_public(), "{text:?} leads curl to {address}");
            }
        }
    }
});
