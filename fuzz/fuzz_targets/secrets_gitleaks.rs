//! Any text is read as a configuration of gitleaks or refused in words, and what was read is run without a panic: findings stand in the
//! text.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use portcullis::scan::gitleaks;
use portcullis_core::secrets::{Detector, Options, Place};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    // Before the first NUL stands the configuration, behind it what it extends and what is searched.
    let (own, other) = text.split_once('\0').unwrap_or((&text, "acme_key = 'zz12345678'"));
    let rules = match gitleaks::load(own, &mut |_| Ok(other.to_owned())) {
        Ok(rules) => rules,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let _ = error.help();
            return;
        }
    };
    let place = Place { path: "tests/a.txt", commit: Some("abc123") };
    let _ = rules.named(place, b"");
    let mut options = Options::default();
    options.rules = Arc::new(rules);
    for finding in Detector::new(options).scan_at(other.as_bytes(), place) {
        assert!(finding.span.end <= other.len(), "{finding:?}");
    }
});
