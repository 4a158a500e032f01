//! Secrets in the settings that people write them in, in `corpus/content/secrets.jsonl`, each with several values and with what only
//! stands for one; and texts that look alike, in `no_secrets.jsonl`.

use std::{collections::BTreeSet, fs, path::Path};

use data_encoding::BASE64;
use portcullis_core::secrets::{Detector, redacted};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    text: String,
}

#[expect(clippy::unwrap_used, reason = "a test may fail by panicking")]
fn rows(name: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/content").join(name);
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What stands in a row's places: `{password}`, `{word}` (a password without signs), `{token}`, `{hex}`.
struct Values {
    password: &'static str,
    word: &'static str,
    token: &'static str,
    hex: &'static str,
}

/// Put in here, so that no scanner takes the corpus for a leak.
const SECRETS: [Values; 3] = [
    Values {
        password: "kT7#vQ2mX9!wZ",
        word: "Xk7pQ2vLm9Rt",
        token: "q8Wx2kd9sKx03mVnZ1rTb47YpL5cHj6Gd0fAeUiO",
        hex: "7c4b1e90a5d2f8366be1094d7fa2c85310d9b6e4",
    },
    Values {
        password: "Winter$torm88",
        word: "Hq7vR2mX9tLp",
        token: "mZ4tQ9LxW2vB7nR5kY8jP3hD6sF1gC0aTeUiOqEr",
        hex: "e1f09a7c35bd842610fa97ce4b8d5320af61c7d8",
    },
    Values {
        password: "tN4!fG7@kQz8",
        word: "bV5nM3xZ8qW1",
        token: "R7yH2kJ9mN4bV6cX1zL8pQ3wT5sD0fGaUeIoYtRe",
        hex: "93d7a2f0c6be1584d09e7fa3b5c26180e4d19f7a",
    },
];

fn filled(text: &str, values: &Values) -> (String, Vec<String>) {
    let base64 = |text: &str| BASE64.encode(text.as_bytes());
    let places = [
        ("{base64 password}", base64(values.password)),
        ("{base64 token}", base64(values.token)),
        ("{base64 login}", base64(&format!("svc:{}", values.password))),
        ("{password}", values.password.to_owned()),
        ("{word}", values.word.to_owned()),
        ("{token}", values.token.to_owned()),
        ("{hex}", values.hex.to_owned()),
    ];
    let (mut text, mut secrets) = (text.to_owned(), Vec::new());
    for (place, value) in places {
        if text.contains(place) {
            text = text.replace(place, &value);
            secrets.push(value);
        }
    }
    (text, secrets)
}

#[test]
fn secrets_are_found_in_every_setting_and_hidden_there() {
    let mut wrong = Vec::new();
    for row in rows("secrets.jsonl") {
        for values in &SECRETS {
            let (text, secrets) = filled(&row.text, values);
            assert!(!secrets.is_empty(), "{}", row.id);
            let found = Detector::default().scan(text.as_bytes());
            for secret in secrets {
                let places: Vec<usize> = text.match_indices(&secret).map(|(at, _)| at).collect();
                let covers = |at: &usize| {
                    found.iter().any(|own| own.span.start < at + secret.len() && *at < own.span.end)
                };
                if !places.iter().any(covers) {
                    wrong.push(format!("missed {}: {text:?}", row.id));
                }
                if redacted(&text).contains(&secret) {
                    wrong.push(format!("shown {}: {:?}", row.id, redacted(&text)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_only_stands_for_a_secret_is_none_in_any_setting() {
    let mut wrong = Vec::new();
    for row in rows("secrets.jsonl") {
        for stand_in in ["${DB_PASSWORD}", "changeme", "<your-token>", "********"] {
            let values =
                Values { password: stand_in, word: stand_in, token: stand_in, hex: stand_in };
            // In base64 a stand-in is no stand-in.
            if row.text.contains("{base64") {
                continue;
            }
            let (text, _) = filled(&row.text, &values);
            let found = Detector::default().scan(text.as_bytes());
            if !found.is_empty() {
                wrong.push(format!("flagged {}: {text:?} {}", row.id, found[0].rule));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_looks_like_a_secret_and_is_none_is_left_alone() {
    let mut wrong = Vec::new();
    for row in rows("no_secrets.jsonl") {
        for found in Detector::default().scan(row.text.as_bytes()) {
            wrong.push(format!("flagged {}: {:?} {}", row.id, row.text, found.rule));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rows_have_names_of_their_own_and_are_many() {
    for (name, least) in [("secrets.jsonl", 60), ("no_secrets.jsonl", 120)] {
        let rows = rows(name);
        let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids.len(), rows.len(), "{name}");
        assert!(rows.len() >= least, "{name}: {}", rows.len());
    }
}
