//! Any text is read as JavaScript without a panic; every place lies in it, and the same text gets the same answer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::action::Action;
use portcullis_fuzz::{in_language, judged, world};

fuzz_target!(|bytes: &[u8]| {
    let Ok(action) = Action::from_call(in_language("javascript", bytes)) else { return };
    judged(&action, &world());
});
