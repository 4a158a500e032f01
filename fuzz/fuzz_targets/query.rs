//! Any text is read as SQL without a panic; every place lies in it, the same text gets the same answer, and a harmless statement
//! before it never loosens it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::action::Action;
use portcullis_fuzz::{GATE, judged, query, world};

fuzz_target!(|bytes: &[u8]| {
    let facts = world();
    let Ok(action) = Action::from_call(query(bytes)) else { return };
    judged(&action, &facts);
    let alone = GATE.judge(&action, &facts).decision.verdict;
    let more = [b"select 1;\n", bytes].concat();
    let Ok(action) = Action::from_call(query(&more)) else { return };
    let with_more = GATE.judge(&action, &facts).decision.verdict;
    assert!(with_more >= alone, "{alone:?} became {with_more:?}: {:?}", action.call);
});
