//! Any text is searched for planted instructions without a panic; findings stand in the text, in order and apart, on characters, and
//! say why.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::injection::scan;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut end = 0;
    for planted in scan(&text) {
        assert!(planted.span.start >= end, "{planted:?} overlaps");
        assert!(
            text.get(planted.span.range()).is_some_and(|words| !words.is_empty()),
            "{planted:?}"
        );
        assert!(!planted.signals.is_empty() && !planted.explanation().is_empty(), "{planted:?}");
        end = planted.span.end;
    }
});
