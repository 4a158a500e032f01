//! Any bytes are searched for secrets without a panic; findings stand in the bytes, in order and apart; and no finding shows more
//! of a secret than its first characters.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::secrets::{Detector, Options};

fuzz_target!(|bytes: &[u8]| {
    let mut end = 0;
    for finding in Detector::new(Options::default()).scan(bytes) {
        assert!(finding.span.start >= end, "{finding:?} overlaps");
        assert!(
            finding.span.start < finding.span.end && finding.span.end <= bytes.len(),
            "{finding:?}"
        );
        assert!(finding.line >= 1 && finding.column >= 1, "{finding:?}");
        assert!(finding.excerpt.chars().count() <= 7, "{finding:?}");
        end = finding.span.end;
    }
    let _ = portcullis_core::redact::redact(&String::from_utf8_lossy(bytes));
});
