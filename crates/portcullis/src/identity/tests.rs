//! Tokens that are believed, and those that never are.

use std::fs;

use data_encoding::BASE64URL_NOPAD;
use jiff::Timestamp;
use ring::hmac;
use serde_json::{Value, json};

use super::{
    claims::Answers,
    signer::{Signer, unsigned},
    *,
};
use crate::config::{self, AgentOf, IssuerAt, Word};

const ISSUER: &str = "https://login.example/realms/acme";
const US: &str = "portcullis";
const NOW: i64 = 1_790_000_000;

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": US, "sub": "u-1", "nonce": "n-1",
        "exp": NOW + 300, "iat": NOW - 5, "nbf": NOW - 5, "auth_time": NOW - 60,
        "name": "Ada", "groups": ["leads", "all"], "realm_access": { "roles": ["ops"] },
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

fn without(name: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

fn set(keys: &[Value]) -> KeySet {
    KeySet::read(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
}

fn believed(token: &str, keys: &KeySet, access: Option<&str>) -> Result<Claims, IdentityError> {
    let login = Some(Answers { nonce: "n-1", access });
    let expected = Expected { issuer: ISSUER, audience: US, login, now: now() };
    Claims::of(&Compact::read(token)?, keys, &expected)
}

#[test]
fn a_token_of_each_kind_is_believed_for_what_it_says() {
    for signer in [Signer::rsa(), Signer::ec(), Signer::ed()] {
        let keys = set(&[signer.jwk("k1")]);
        let said = believed(&signer.plain("k1", &claims()), &keys, Some("a-1")).unwrap();
        assert_eq!((said.subject.as_str(), said.expires.as_second()), ("u-1", NOW + 300));
        assert_eq!(said.proved.map(Timestamp::as_second), Some(NOW - 60));
        assert_eq!(said.texts("groups"), ["leads", "all"]);
        assert_eq!(said.texts("realm_access.roles"), ["ops"]);
        assert_eq!(said.texts("exp"), [""; 0]);
        // Within the minute that clocks may differ by; for several, where it was made for us; without a name where there is one key.
        for also in [
            signer.plain("k1", &{
                let mut ended = with("exp", json!(NOW - 59));
                ended["iat"] = json!(NOW - 300);
                ended["nbf"] = json!(NOW - 300);
                ended
            }),
            signer.plain("k1", &with("iat", json!(NOW + 59))),
            signer.plain("k1", &{
                let mut several = with("aud", json!(["x", US]));
                several["azp"] = json!(US);
                several
            }),
            signer.token(&json!({ "alg": signer.algorithm() }).to_string(), &claims().to_string()),
        ] {
            believed(&also, &keys, None).unwrap();
        }
    }
}

#[test]
fn the_token_beside_it_is_the_one_that_it_names() {
    // From the standard's own example (OpenID Connect Core, A.3).
    let access = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
    let signer = Signer::rsa();
    let keys = set(&[signer.jwk("k1")]);
    let token = signer.plain("k1", &with("at_hash", json!("77QmUPtjPfzWtF2AnpK9RQ")));
    believed(&token, &keys, Some(access)).unwrap();
    for other in [Some("another"), None] {
        assert!(believed(&token, &keys, other).is_err());
    }
}

/// What is done to a token that would be believed.
fn hostile() -> Vec<(&'static str, String)> {
    let (rsa, ec, ed) = (Signer::rsa(), Signer::ec(), Signer::ed());
    let plain = rsa.plain("rsa", &claims());
    let (body, signature) = plain.rsplit_once('.').unwrap();
    let text = claims().to_string();
    let header = |alg: &str, more: Value| {
        let mut header = json!({ "alg": alg, "kid": "rsa" });
        header.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        header.to_string()
    };
    let plainly = |claims: Value| rsa.plain("rsa", &claims);
    let headed = |alg: &str, more: Value| rsa.token(&header(alg, more), &text);
    // The classic: the public key taken for a shared secret.
    let shared = |secret: &[u8]| {
        let signed = unsigned(&header("HS256", json!({})), &text);
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let tag = hmac::sign(&key, signed.as_bytes());
        format!("{signed}.{}", BASE64URL_NOPAD.encode(tag.as_ref()))
    };
    let public = rsa.jwk("rsa");
    let modulus = BASE64URL_NOPAD.decode(public["n"].as_str().unwrap().as_bytes()).unwrap();
    let mut broken = BASE64URL_NOPAD.decode(signature.as_bytes()).unwrap();
    broken[7] ^= 1;
    vec![
        ("nothing", String::new()),
        ("no parts", "eyJhbGciOiJub25lIn0".to_owned()),
        ("two parts", body.to_owned()),
        ("four parts", format!("{plain}.x")),
        ("five parts, as what is encrypted", format!("{plain}.x.y")),
        ("padding", format!("{body}.{signature}==")),
        ("another alphabet", format!("{body}.+/{}", signature.get(2..).unwrap())),
        ("too long", format!("{body}.{}", "A".repeat(20_000))),
        ("no JSON", rsa.token("{", &text)),
        ("a list for claims", rsa.token(&header("RS256", json!({})), "[]")),
        (
            "a name twice in the header",
            rsa.token(r#"{"alg":"RS256","kid":"rsa","kid":"ec"}"#, &text),
        ),
        (
            "a name twice in the claims",
            rsa.token(&header("RS256", json!({})), &text.replacen('{', r#"{"sub":"root","#, 1)),
        ),
        (
            "algorithm none without a signature",
            format!("{}.", unsigned(&header("none", json!({})), &text)),
        ),
        ("algorithm none with one", headed("none", json!({}))),
        ("algorithm nOnE", format!("{}.", unsigned(&header("nOnE", json!({})), &text))),
        ("no algorithm", rsa.token(r#"{"kid":"rsa"}"#, &text)),
        ("HS256 with the public key", shared(public.to_string().as_bytes())),
        ("HS256 with its modulus", shared(&modulus)),
        ("HS256 with nothing", shared(b"")),
        ("RS512", headed("RS512", json!({}))),
        ("PS256", headed("PS256", json!({}))),
        ("ES256 with the key of RSA", headed("ES256", json!({}))),
        ("RS256 with the key of a curve", ec.token(&header("RS256", json!({})), &text)),
        (
            "a key of its own",
            ed.token(&json!({ "alg": "EdDSA", "jwk": ed.jwk("own") }).to_string(), &text),
        ),
        (
            "an address of keys",
            headed("RS256", json!({ "jku": "https://evil.example/keys", "kid": "evil" })),
        ),
        ("a path for a key", headed("RS256", json!({ "kid": "../../../../dev/null" }))),
        ("a statement for a key", headed("RS256", json!({ "kid": "x' UNION SELECT 'k" }))),
        ("a number for a key", headed("RS256", json!({ "kid": 1 }))),
        ("a key for nothing", headed("RS256", json!({ "kid": "" }))),
        ("a key that is unknown", headed("RS256", json!({ "kid": "later" }))),
        ("a demand", headed("RS256", json!({ "crit": ["exp"] }))),
        ("not encoded", headed("RS256", json!({ "b64": false, "crit": ["b64"] }))),
        ("packed", headed("RS256", json!({ "zip": "DEF" }))),
        ("another kind", headed("RS256", json!({ "typ": "logout+jwt" }))),
        ("no signature", format!("{body}.")),
        ("a bit of the signature", format!("{body}.{}", BASE64URL_NOPAD.encode(&broken))),
        ("a signature of zeros", format!("{body}.{}", BASE64URL_NOPAD.encode(&[0; 256]))),
        ("zeros on a curve", {
            let signed = unsigned(&json!({ "alg": "ES256", "kid": "ec" }).to_string(), &text);
            format!("{signed}.{}", BASE64URL_NOPAD.encode(&[0; 64]))
        }),
        ("the signature of other claims", {
            let other = rsa.plain("rsa", &with("sub", json!("root")));
            format!("{}.{signature}", other.rsplit_once('.').unwrap().0)
        }),
        (
            "a stranger's signature",
            Signer::ec().token(&json!({ "alg": "ES256", "kid": "ec" }).to_string(), &text),
        ),
        (
            "a key to encrypt with",
            Signer::ed().token(&json!({ "alg": "EdDSA", "kid": "enc" }).to_string(), &text),
        ),
        ("no issuer", plainly(without("iss"))),
        ("another issuer", plainly(with("iss", json!("https://evil.example")))),
        ("the issuer with a slash", plainly(with("iss", json!(format!("{ISSUER}/"))))),
        ("the issuer in other letters", plainly(with("iss", json!(ISSUER.to_uppercase())))),
        ("a list of issuers", plainly(with("iss", json!([ISSUER])))),
        ("for nobody", plainly(without("aud"))),
        ("for somebody else", plainly(with("aud", json!("other")))),
        ("for a beginning of us", plainly(with("aud", json!("portcullis-2")))),
        ("for others, in a list", plainly(with("aud", json!(["a", "b"])))),
        ("for an object", plainly(with("aud", json!({ US: true })))),
        ("for too many", plainly(with("aud", json!(vec![US; 17])))),
        ("for several, made for none", plainly(with("aud", json!([US, "other"])))),
        ("made for somebody else", plainly(with("azp", json!("other")))),
        ("made for a list", plainly(with("azp", json!([US])))),
        ("over", plainly(with("exp", json!(NOW - 60)))),
        ("no end", plainly(without("exp"))),
        ("an end in words", plainly(with("exp", json!("never")))),
        (
            "an end beyond all time",
            rsa.token(
                &header("RS256", json!({})),
                &text.replace(&(NOW + 300).to_string(), "1e300"),
            ),
        ),
        ("an end before all time", plainly(with("exp", json!(-1)))),
        ("a life of a year", plainly(with("exp", json!(NOW + 31_536_000)))),
        ("not yet", plainly(with("nbf", json!(NOW + 61)))),
        ("a beginning in words", plainly(with("nbf", json!("now")))),
        ("made in the future", plainly(with("iat", json!(NOW + 61)))),
        ("made at no time", plainly(without("iat"))),
        ("another nonce", plainly(with("nonce", json!("n-2")))),
        ("no nonce", plainly(without("nonce"))),
        ("a list of nonces", plainly(with("nonce", json!(["n-1"])))),
        ("no subject", plainly(without("sub"))),
        ("an empty subject", plainly(with("sub", json!(" ")))),
        ("a number for a subject", plainly(with("sub", json!(1)))),
        ("a subject that is not shown", plainly(with("sub", json!("u-1\u{200b}")))),
        ("an address of mail for a subject", {
            let mut mail = without("sub");
            mail["email"] = json!("ada@acme.example");
            mail["email_verified"] = json!(true);
            plainly(mail)
        }),
        ("another token beside it", plainly(with("at_hash", json!("77QmUPtjPfzWtF2AnpK9RQ")))),
        ("a time of proof in words", plainly(with("auth_time", json!("today")))),
    ]
}

fn issuers_keys() -> Vec<Value> {
    let mut to_encrypt = Signer::ed().jwk("enc");
    to_encrypt["use"] = json!("enc");
    vec![
        Signer::rsa().jwk("rsa"),
        Signer::ec().jwk("ec"),
        Signer::ed().jwk("ed"),
        to_encrypt,
        json!({ "kty": "oct", "kid": "shared", "k": "c2VjcmV0" }),
        json!({ "kty": "EC", "crv": "P-521", "kid": "big", "x": "AA", "y": "AA" }),
        json!("a text"),
    ]
}

#[test]
fn hostile_tokens_are_refused() {
    let keys = set(&issuers_keys());
    // What each of them was before something was done to it.
    believed(&Signer::rsa().plain("rsa", &claims()), &keys, Some("a-1")).unwrap();
    let all = hostile();
    assert!(all.len() >= 40, "{}", all.len());
    for (what, token) in &all {
        let refused = believed(token, &keys, Some("a-1"));
        assert!(refused.is_err(), "{what} was believed: {token}");
        assert!(!refused.unwrap_err().is_unreachable(), "{what}");
    }
}

#[test]
fn a_list_of_keys_is_bounded_and_clear() {
    let many: Vec<Value> = (0..65).map(|_| Signer::ed().jwk("k")).collect();
    let twice = vec![Signer::ed().jwk("k"), Signer::ed().jwk("k")];
    for (what, text) in [
        ("too many", json!({ "keys": many }).to_string()),
        ("a name twice", json!({ "keys": twice }).to_string()),
        ("giant", format!("{{\"keys\":[],\"x\":\"{}\"}}", "x".repeat(300 << 10))),
        ("none", "{}".to_owned()),
        ("no JSON", "{\"keys\":[".to_owned()),
        ("a list", "[]".to_owned()),
    ] {
        assert!(KeySet::read(text.as_bytes()).is_err(), "{what}");
    }
    // One name for keys of two kinds is clear; no name for two of one kind is not.
    let (ec, ed) = (Signer::ec(), Signer::ed());
    let keys = set(&[ec.jwk("k"), ed.jwk("k")]);
    believed(&ed.plain("k", &claims()), &keys, None).unwrap();
    let keys = set(&[Signer::ed().jwk("a"), ed.jwk("b")]);
    let nameless = ed.token(r#"{"alg":"EdDSA"}"#, &claims().to_string());
    assert!(believed(&nameless, &keys, None).is_err());
    // A short key of RSA is none.
    let mut short = Signer::rsa().jwk("rsa");
    short["n"] = json!(short["n"].as_str().unwrap().get(..170).unwrap());
    assert!(believed(&Signer::rsa().plain("rsa", &claims()), &set(&[short]), None).is_err());
}

fn workloads(directory: &std::path::Path, keys: &[Value]) -> Workloads {
    let file = directory.join("keys.json");
    fs::write(&file, json!({ "keys": keys }).to_string()).unwrap();
    let agent = |claims: &[(&str, Word)], project: Option<&str>, claim: Option<&str>| AgentOf {
        claims: claims.iter().map(|(path, word)| ((*path).to_owned(), word.clone())).collect(),
        project: project.map(str::to_owned),
        project_claim: claim.map(str::to_owned),
    };
    let is = |word: &str| Word::Is(word.to_owned());
    Workloads::of(&[config::Workload {
        at: IssuerAt { issuer: ISSUER.to_owned(), ca: None, private: false },
        audience: "https://gate.example".to_owned(),
        keys: Some(file),
        agents: vec![
            // As each of the platforms has it.
            agent(
                &[("repository", is("acme/pay")), ("ref", Word::Begins("refs/tags/".to_owned()))],
                Some("pay"),
                None,
            ),
            agent(
                &[
                    ("kubernetes.io.namespace", is("web")),
                    ("kubernetes.io.serviceaccount.name", is("agent")),
                ],
                None,
                Some("kubernetes.io.namespace"),
            ),
            agent(&[("sub", is("spiffe://acme.example/agent"))], None, None),
            agent(&[("groups", Word::Has("agents".to_owned()))], Some("data"), None),
        ],
    }])
    .unwrap()
}

fn of_workload(more: Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "aud": ["https://gate.example"], "sub": "repo:acme/pay", "exp": NOW + 300, "iat": NOW,
    });
    claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    claims
}

fn looked_at(workloads: &Workloads, token: &str, at: i64) -> Result<Workload, IdentityError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let now = Timestamp::from_second(at).unwrap();
    runtime.block_on(workloads.of_token(token, &crate::approvals::hash_of(token), now))
}

#[test]
fn agents_are_known_by_what_they_run_in() {
    let directory = tempfile::tempdir().unwrap();
    let signer = Signer::ec();
    let workloads = workloads(directory.path(), &[signer.jwk("k1")]);
    for (more, project) in [
        (json!({ "repository": "acme/pay", "ref": "refs/tags/v1" }), Some("pay")),
        (
            json!({ "kubernetes.io": { "namespace": "web", "serviceaccount": { "name": "agent", "uid": "1" } } }),
            Some("web"),
        ),
        (json!({ "sub": "spiffe://acme.example/agent" }), None),
        (json!({ "groups": ["x", "agents"] }), Some("data")),
    ] {
        let token = signer.plain("k1", &of_workload(more.clone()));
        let known = looked_at(&workloads, &token, NOW).unwrap();
        assert_eq!(known.project.as_deref(), project, "{more}");
        assert!(known.name.starts_with(&format!("{ISSUER}#")), "{}", known.name);
        // What was believed is remembered, and no longer than it counts.
        assert_eq!(looked_at(&workloads, &token, NOW + 299).unwrap(), known);
        assert!(looked_at(&workloads, &token, NOW + 361).is_err(), "{more}");
    }
    for more in [
        json!({}),
        json!({ "repository": "acme/pay", "ref": "refs/heads/main" }),
        json!({ "repository": "evil/pay", "ref": "refs/tags/v1" }),
        json!({ "repository": ["acme/pay"], "ref": "refs/tags/v1" }),
        json!({ "kubernetes.io": { "namespace": "other", "serviceaccount": { "name": "agent" } } }),
        json!({ "sub": "spiffe://acme.example/agent/other" }),
        json!({ "groups": "agents" }),
        json!({ "repository": "acme/pay", "ref": "refs/tags/v1", "aud": "https://other.example" }),
        json!({ "repository": "acme/pay", "ref": "refs/tags/v1", "exp": NOW + 90_000 }),
        json!({ "repository": "acme/pay", "ref": "refs/tags/v1", "iss": "https://evil.example" }),
    ] {
        let token = signer.plain("k1", &of_workload(more.clone()));
        assert!(looked_at(&workloads, &token, NOW).is_err(), "{more}");
    }
    // Somebody else's key, under the issuer's name.
    let evil = Signer::ec().plain("k1", &of_workload(json!({ "groups": ["agents"] })));
    assert!(looked_at(&workloads, &evil, NOW).is_err());
}

#[test]
fn a_key_that_nobody_knows_is_asked_for_once_a_minute() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (Signer::ec(), Signer::ec());
    let workloads = workloads(directory.path(), &[first.jwk("k1")]);
    let token = |signer: &Signer, kid: &str| {
        signer.plain(kid, &of_workload(json!({ "groups": ["agents"] })))
    };
    looked_at(&workloads, &token(&first, "k1"), NOW).unwrap();
    // The issuer has another key by now, and is not asked for it so soon.
    let file = directory.path().join("keys.json");
    fs::write(&file, json!({ "keys": [second.jwk("k2")] }).to_string()).unwrap();
    assert!(looked_at(&workloads, &token(&second, "k2"), NOW).is_err());
    // Whoever knows the old one still comes in.
    let other = first.plain("k1", &of_workload(json!({ "groups": ["agents", "x"] })));
    looked_at(&workloads, &other, NOW).unwrap();
}
