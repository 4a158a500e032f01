//! Texts on their way to an agent, in `corpus/content/`: planted instructions and their innocent look-alikes, in every carrier,
//! disguise and language.

use std::{collections::BTreeSet, fs, path::Path};

use portcullis_core::injection::scan;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    id: String,
    carrier: String,
    language: String,
    attack: String,
    innocent: String,
}

#[expect(clippy::unwrap_used, reason = "a test may fail by panicking")]
fn pairs() -> Vec<Pair> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/content/injection.jsonl");
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn planted_instructions_are_found_and_their_look_alikes_are_not() {
    let mut wrong = Vec::new();
    for pair in pairs() {
        if scan(&pair.attack).is_empty() {
            wrong.push(format!("missed {} ({}): {}", pair.id, pair.carrier, pair.attack));
        }
        let found = scan(&pair.innocent);
        if !found.is_empty() {
            wrong.push(format!("flagged {}: {} {found:?}", pair.id, pair.innocent));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pairs_have_names_of_their_own_and_cover_what_the_detector_claims() {
    let pairs = pairs();
    let ids: BTreeSet<&str> = pairs.iter().map(|pair| pair.id.as_str()).collect();
    assert_eq!(ids.len(), pairs.len());
    let languages: BTreeSet<&str> = pairs.iter().map(|pair| pair.language.as_str()).collect();
    assert_eq!(languages.len(), 15, "{languages:?}");
    let carriers: BTreeSet<&str> = pairs.iter().map(|pair| pair.carrier.as_str()).collect();
    assert!(carriers.len() > 30, "{carriers:?}");
}
