use std::collections::BTreeSet;

use super::{
    format::generate::{Numbers, instance},
    kinds::{Check, SecretType, all, contextual},
    *,
};

fn scan(text: &str) -> Vec<Finding> {
    Detector::default().scan(text.as_bytes())
}

fn rules(text: &str) -> Vec<String> {
    scan(text).iter().map(|finding| finding.rule.to_string()).collect()
}

/// A text of a row's format that passes its checks.
fn example(kind: &SecretType, format: &str, numbers: &mut Numbers) -> String {
    let base64 = |text: &str| data_encoding::BASE64URL_NOPAD.encode(text.as_bytes());
    let web_token = || {
        format!(
            "{}.{}.c2lnbmF0dXJlLW9mLWl0",
            base64("{\"alg\":\"HS256\",\"typ\":\"JWT\"}"),
            base64("{\"sub\":\"9f3a\"}")
        )
    };
    match kind.check {
        Check::JsonWebToken => web_token(),
        Check::EncodedWebToken => data_encoding::BASE64.encode(web_token().as_bytes()),
        Check::Snowflake => {
            format!("{}.G3xT_q.k2-Vb8nZqW4rT7yU1iO5pA3sD6fGhJ", base64("284920174829184756"))
        }
        Check::BasicAuth => {
            let login = data_encoding::BASE64.encode(b"deploy:v8Kq2LmXz71");
            format!("\"auth\": \"{login}")
        }
        Check::Bech32 => {
            let data: Vec<u8> =
                (0..52).map(|index| u8::try_from(index * 7 % 32).unwrap()).collect();
            bech32(&data)
        }
        Check::Base58Check => base58check(
            if format.starts_with(['5', 'K', 'L']) { &[0x80] } else { &[4, 0x88, 0xad, 0xe4] },
            format,
        ),
        _ => instance(&format.replace('{', ""), numbers),
    }
}

fn bech32(data: &[u8]) -> String {
    // Tried from all checksums of the last digit's neighbourhood would be long; it is computed instead.
    const DIGITS: &[u8; 32] = b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
    let human = b"age-secret-key-";
    let step = |sum: u32, value: u8| {
        let top = sum >> 25;
        let mut sum = (sum & 0x01ff_ffff) << 5 ^ u32::from(value);
        for (bit, generator) in
            [0x3b6a_57b2_u32, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
                .into_iter()
                .enumerate()
        {
            if top >> bit & 1 == 1 {
                sum ^= generator;
            }
        }
        sum
    };
    let mut values: Vec<u8> = human.iter().map(|byte| byte >> 5).collect();
    values.push(0);
    values.extend(human.iter().map(|byte| byte & 31));
    values.extend(data);
    let sum = values.iter().chain(&[0; 6]).fold(1, |sum, value| step(sum, *value)) ^ 1;
    let tail = (0..6).map(|index| u8::try_from(sum >> (5 * (5 - index)) & 31).unwrap());
    let digits =
        data.iter().copied().chain(tail).map(|digit| char::from(DIGITS[usize::from(digit)]));
    "AGE-SECRET-KEY-1".chars().chain(digits).collect()
}

/// Base58 with its checksum over a version and made bytes, whose beginning and length fit `format`.
fn base58check(version: &[u8], format: &str) -> String {
    const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let length = if version.len() == 1 { 32 } else { 74 };
    for seed in 1..4000_u64 {
        let mut numbers = Numbers(seed * 7919);
        let mut bytes = version.to_vec();
        bytes.extend((0..length).map(|_| u8::try_from(numbers.below(256)).unwrap()));
        if format.starts_with(['K', 'L']) {
            bytes.push(1);
        }
        let sum = Sha256::digest(Sha256::digest(&bytes));
        bytes.extend_from_slice(&sum[..4]);
        let mut text = Vec::new();
        while bytes.iter().any(|byte| *byte > 0) {
            let mut rest = 0_u32;
            for byte in &mut bytes {
                rest = rest * 256 + u32::from(*byte);
                *byte = u8::try_from(rest / 58).unwrap();
                rest %= 58;
            }
            text.insert(0, DIGITS[usize::try_from(rest).unwrap()]);
        }
        let text = String::from_utf8(text).unwrap();
        if format::matches(format, text.as_bytes(), 0).is_some_and(|(_, end)| end == text.len()) {
            return text;
        }
    }
    // The other extended keys differ in their version alone.
    String::new()
}

#[test]
fn there_are_many_types_and_each_has_a_name_of_its_own() {
    let ids: BTreeSet<_> = all().chain(contextual()).map(|kind| kind.id).collect();
    assert_eq!(ids.len(), all().chain(contextual()).count(), "an identifier stands twice");
    assert!(ids.len() >= 200, "{}", ids.len());
    for kind in all() {
        assert!(!kind.formats.is_empty(), "{}", kind.id);
        assert!(
            kind.keywords.iter().all(|word| word.len() >= 3 && !word.contains(char::is_uppercase)),
            "{}",
            kind.id
        );
        assert!(kind.formats.len() < usize::from(index::KEYWORD), "{}", kind.id);
    }
    for family in [
        "aws_key",
        "aws_secret",
        "github_token",
        "gitlab_token",
        "slack_token",
        "stripe_key",
        "google_api_key",
        "jwt_secret",
        "private_key",
        "password_in_code",
        "connection_string",
        "generic_api_key",
        "generic_secret",
    ] {
        assert!(all().chain(contextual()).any(|kind| kind.name == family), "{family}");
    }
}

#[test]
fn every_spelling_of_every_type_is_found() {
    let mut missed = Vec::new();
    for kind in all() {
        for format in kind.formats {
            let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
            // A made text may by chance be a sequence or have little in it, as one in many thousand real ones.
            let found = (0..8).any(|_| {
                let secret = example(kind, format, &mut numbers);
                let name = kind.keywords.first().map_or("value", |word| word);
                let text = format!("x = 1\n{name}_x = \"{secret}\"\n");
                secret.is_empty()
                    || scan(&text).iter().any(|finding| finding.span.len() * 2 > secret.len())
            });
            if !found {
                missed.push(format!("{}: {format}", kind.id));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_spelt_too_short_or_inside_a_word_is_no_token() {
    for kind in all().filter(|kind| kind.keywords.is_empty() && kind.check == Check::Spelling) {
        for format in kind
            .formats
            .iter()
            .filter(|format| format.ends_with('>') && !format.contains(['+', '-', '{']))
        {
            let whole = example(kind, format, &mut Numbers(77));
            let short = whole.get(..whole.len() - 1).unwrap();
            let own = |text: &str| rules(text).iter().any(|rule| rule == kind.id);
            let shorter_form = kind.formats.iter().any(|other| {
                format::matches(other, short.as_bytes(), 0)
                    .is_some_and(|(_, end)| end == short.len())
            });
            assert!(shorter_form || !own(short), "{}: {short}", kind.id);
        }
        for near_miss in kind.near_misses {
            assert_eq!(rules(near_miss), Vec::<String>::new(), "{near_miss}");
        }
    }
}

#[test]
fn near_misses_are_no_secrets() {
    for kind in all() {
        for near_miss in kind.near_misses {
            assert_eq!(rules(near_miss), Vec::<String>::new(), "{}: {near_miss}", kind.id);
        }
    }
}
