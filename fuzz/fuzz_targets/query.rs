//! Any text is read as SQL without a panic; every place lies in it, the same text gets the same answer, and a harmless statement
//! before it never loosens what is said of its statements.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_core::{action::Action, finding::Category, risk::Severity};
use portcullis_fuzz::{GATE, judged, query, world};

fuzz_target!(|bytes: &[u8]| {
    let facts = world();
    let Ok(action) = Action::from_call(query(bytes)) else { return };
    judged(&action, &facts);
    // Whether words speak to an agent depends on the words around them.
    let worst = |action: &Action| -> Option<Severity> {
        let findings = GATE.judge(action, &facts).assessment.findings;
        let own = findings.iter().filter(|finding| finding.category != Category::Injection);
        own.map(|finding| finding.severity).max()
    };
    let alone = worst(&action);
    let more = [b"select 1;\n", bytes].concat();
    let Ok(action) = Action::from_call(query(&more)) else { return };
    let with_more = worst(&action);
    assert!(with_more >= alone, "{alone:?} became {with_more:?}: {:?}", action.call);
});
