//! Keys that sign tokens in tests, and what they sign. The key of RSA lies beside this file, since ring makes none; it signs nothing else.

use data_encoding::BASE64URL_NOPAD;
use ring::{
    rand::SystemRandom,
    rsa::KeyPair as RsaKeyPair,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
        RSA_PKCS1_SHA256, RsaPublicKeyComponents,
    },
};
use serde_json::{Value, json};

const RSA: &[u8] = include_bytes!("rsa-for-tests.p8");

pub(crate) enum Signer {
    Rsa(Box<RsaKeyPair>),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Signer {
    pub(crate) fn rsa() -> Self {
        Self::Rsa(Box::new(RsaKeyPair::from_pkcs8(RSA).unwrap()))
    }

    pub(crate) fn ec() -> Self {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let bytes = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Ec(EcdsaKeyPair::from_pkcs8(kind, bytes.as_ref(), &random).unwrap())
    }

    pub(crate) fn ed() -> Self {
        let bytes = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed(Ed25519KeyPair::from_pkcs8(bytes.as_ref()).unwrap())
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ec(_) => "ES256",
            Self::Ed(_) => "EdDSA",
        }
    }

    /// The public key, as an issuer lists it.
    pub(crate) fn jwk(&self, kid: &str) -> Value {
        let text = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
        let mut key = match self {
            Self::Rsa(pair) => {
                let RsaPublicKeyComponents { n, e } =
                    RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({ "kty": "RSA", "n": text(&n), "e": text(&e) })
            }
            Self::Ec(pair) => {
                let point = pair.public_key().as_ref();
                json!({ "kty": "EC", "crv": "P-256", "x": text(&point[1..33]), "y": text(&point[33..]) })
            }
            Self::Ed(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": text(pair.public_key().as_ref()) })
            }
        };
        key["kid"] = json!(kid);
        key["use"] = json!("sig");
        key["alg"] = json!(self.algorithm());
        key
    }

    pub(crate) fn signature(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Self::Ec(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }

    /// A token with this header and these claims, as they are written.
    pub(crate) fn token(&self, header: &str, claims: &str) -> String {
        let signed = unsigned(header, claims);
        let signature = BASE64URL_NOPAD.encode(&self.signature(signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// A token as issuers make them.
    pub(crate) fn plain(&self, kid: &str, claims: &Value) -> String {
        let header = json!({ "alg": self.algorithm(), "kid": kid, "typ": "JWT" });
        self.token(&header.to_string(), &claims.to_string())
    }
}

pub(crate) fn unsigned(header: &str, claims: &str) -> String {
    let text = |part: &str| BASE64URL_NOPAD.encode(part.as_bytes());
    format!("{}.{}", text(header), text(claims))
}
