//! Any text is read as PowerShell and as batch without a panic; every place lies in it, and the same text gets the same answer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::action::Action;
use portcullis_fuzz::{in_language, judged, world};

/// The first byte chooses one.
const LANGUAGES: &[&str] = &["powershell", "batch"];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let language = LANGUAGES[usize::from(*first) % LANGUAGES.len()];
    let Ok(action) = Action::from_call(in_language(language, bytes)) else { return };
    judged(&action, &world());
});
