//! Signed tokens (RFC 7515, 7517, 7519) and the keys that sign them. Owns how both are read, which algorithms there are, and whether a key signed a token;
//! what a token says is [`super::claims`]'.
//!
//! The key says which algorithm counts, and it is one of three. There is no `none` and nothing with a shared secret: a token that names one finds no key.

use data_encoding::BASE64URL_NOPAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde_json::{Map, Value};

use super::IdentityError;
use crate::{oauth::text, wire};

/// The longest token.
pub(super) const LONGEST: usize = 16 << 10;

/// The most keys of an issuer, and the longest list of them.
const MOST_KEYS: usize = 64;
const LONGEST_SET: usize = 256 << 10;

/// The longest name of a key.
const LONGEST_NAME: usize = 256;

/// How a token is signed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Algorithm {
    /// RSA PKCS #1 with SHA-256, 2048 to 8192 bits.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

impl Algorithm {
    fn named(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            "EdDSA" => Some(Self::EdDsa),
            _ => None,
        }
    }
}

/// A token as it came: signed by nobody yet, so that its claims are not to be had.
#[derive(Debug)]
pub struct Compact<'a> {
    algorithm: Algorithm,
    key: Option<String>,
    signed: &'a str,
    signature: Vec<u8>,
    claims: Map<String, Value>,
}

impl<'a> Compact<'a> {
    /// Reads it.
    ///
    /// # Errors
    /// [`IdentityError::Malformed`].
    pub fn read(token: &'a str) -> Result<Self, IdentityError> {
        let no = IdentityError::Malformed;
        if token.len() > LONGEST {
            return Err(no("it is too long"));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(no("it has no three parts"))?;
        let (header, claims) = signed.split_once('.').ok_or(no("it has no three parts"))?;
        if claims.contains('.') {
            return Err(no("it has more than three parts"));
        }
        let header = object(header)?;
        if header.contains_key("crit") {
            return Err(no("it demands what is not known here (`crit`)"));
        }
        if header.contains_key("enc") || header.contains_key("zip") {
            return Err(no("it is encrypted or packed"));
        }
        match header.get("typ") {
            None => {}
            Some(Value::String(kind))
                if ["jwt", "jose", "at+jwt"].contains(&kind.to_ascii_lowercase().as_str()) => {}
            Some(_) => return Err(no("it is of another kind (`typ`)")),
        }
        let algorithm = text(&header, "alg").and_then(Algorithm::named);
        let algorithm = algorithm.ok_or(no("its algorithm does not count here (`alg`)"))?;
        let key = match header.get("kid") {
            None => None,
            Some(Value::String(name)) if (1..=LONGEST_NAME).contains(&name.len()) => {
                Some(name.clone())
            }
            Some(_) => return Err(no("the name of its key is none (`kid`)")),
        };
        let signature = decoded(signature)?;
        let claims = object(claims)?;
        Ok(Self { algorithm, key, signed, signature, claims })
    }

    /// Whom it says that it is from. Nothing follows from it but which keys are tried.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        text(&self.claims, "iss")
    }

    /// Whether its time is not over, by its own word: of one that was believed before, nothing else can have changed.
    #[must_use]
    pub fn lasts(&self, now: jiff::Timestamp) -> bool {
        let ends = self.claims.get("exp").and_then(Value::as_f64);
        ends.is_some_and(|ends| ends > now.as_duration().as_secs_f64())
    }

    /// What it says, where a key of its issuer signed it, with the algorithm.
    ///
    /// # Errors
    /// [`IdentityError::Unsigned`].
    pub fn verified(
        &self,
        keys: &KeySet,
    ) -> Result<(Map<String, Value>, Algorithm), IdentityError> {
        let key = keys.find(self.key.as_deref(), self.algorithm);
        let key = key.ok_or(IdentityError::Unsigned("none of the issuer's keys is meant"))?;
        if !key.signed(self.signed.as_bytes(), &self.signature) {
            return Err(IdentityError::Unsigned("its signature is wrong"));
        }
        Ok((self.claims.clone(), self.algorithm))
    }

    /// Whether a key of this list is meant.
    pub(super) fn is_known_to(&self, keys: &KeySet) -> bool {
        keys.find(self.key.as_deref(), self.algorithm).is_some()
    }
}

fn decoded(part: &str) -> Result<Vec<u8>, IdentityError> {
    let bytes = BASE64URL_NOPAD.decode(part.as_bytes());
    bytes.map_err(|_| IdentityError::Malformed("a part of it is not base64url"))
}

fn object(part: &str) -> Result<Map<String, Value>, IdentityError> {
    match wire::parse(&decoded(part)?, 1) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(IdentityError::Malformed("a part of it is no object of JSON")),
    }
}

/// What verifies a signature.
#[derive(Clone, Debug)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// A key of an issuer.
#[derive(Clone, Debug)]
pub struct Key {
    name: Option<String>,
    algorithm: Algorithm,
    material: Material,
}

impl Key {
    /// Reads a key that signs; nothing where it is none that counts here. Others stand in the same lists: secrets, curves, keys to encrypt with.
    fn read(members: &Map<String, Value>) -> Option<Self> {
        if !matches!(text(members, "use"), None | Some("sig" | "jwt-svid")) {
            return None;
        }
        let bytes = |name: &str| BASE64URL_NOPAD.decode(text(members, name)?.as_bytes()).ok();
        let (algorithm, material) = match (text(members, "kty")?, text(members, "crv")) {
            ("RSA", _) => {
                (Algorithm::Rs256, Material::Rsa { n: unsigned(bytes("n")?), e: bytes("e")? })
            }
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes("x")?, bytes("y")?);
                if x.len() != 32 || y.len() != 32 {
                    return None;
                }
                // As a point that is not compressed is written.
                (Algorithm::Es256, Material::P256([&[4][..], &x, &y].concat()))
            }
            ("OKP", Some("Ed25519")) => (Algorithm::EdDsa, Material::Ed25519(bytes("x")?)),
            _ => return None,
        };
        let named = members.get("alg").map(|name| name.as_str().and_then(Algorithm::named));
        if named.is_some_and(|named| named != Some(algorithm)) {
            return None;
        }
        let name = text(members, "kid").filter(|name| name.len() <= LONGEST_NAME);
        Some(Self { name: name.map(str::to_owned), algorithm, material })
    }

    fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let verified = match &self.material {
            Material::Rsa { n, e } => RsaPublicKeyComponents { n, e }.verify(
                &RSA_PKCS1_2048_8192_SHA256,
                message,
                signature,
            ),
            Material::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            Material::Ed25519(point) => {
                UnparsedPublicKey::new(&ED25519, point).verify(message, signature)
            }
        };
        verified.is_ok()
    }
}

/// Without zeros before it, which some write and ring takes for a mistake.
fn unsigned(bytes: Vec<u8>) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(zeros..).map(<[u8]>::to_vec).unwrap_or_default()
}

/// The keys of an issuer.
#[derive(Clone, Debug, Default)]
pub struct KeySet(Vec<Key>);

impl KeySet {
    /// Reads a list of keys. One that is longer than such lists are is none.
    ///
    /// # Errors
    /// [`IdentityError::Malformed`].
    pub fn read(bytes: &[u8]) -> Result<Self, IdentityError> {
        let no = IdentityError::Malformed;
        if bytes.len() > LONGEST_SET {
            return Err(no("the issuer's list of keys is too long"));
        }
        let Ok(Value::Object(members)) = wire::parse(bytes, 1) else {
            return Err(no("the issuer's list of keys cannot be read"));
        };
        Self::of(&members)
    }

    /// The keys of a list that is read.
    ///
    /// # Errors
    /// [`IdentityError::Malformed`].
    pub fn of(members: &Map<String, Value>) -> Result<Self, IdentityError> {
        let no = IdentityError::Malformed;
        let all = members.get("keys").and_then(Value::as_array);
        let all = all.ok_or(no("the issuer's list of keys is none"))?;
        if all.len() > MOST_KEYS {
            return Err(no("the issuer has more keys than issuers have"));
        }
        let keys: Vec<Key> = all.iter().filter_map(|key| Key::read(key.as_object()?)).collect();
        for (at, key) in keys.iter().enumerate() {
            let is_twice = |other: &Key| other.name == key.name && other.algorithm == key.algorithm;
            if keys.iter().skip(at + 1).any(is_twice) {
                return Err(no("two of the issuer's keys have one name"));
            }
        }
        Ok(Self(keys))
    }

    /// The key of a name. A token without one means the only key of its algorithm.
    fn find(&self, name: Option<&str>, algorithm: Algorithm) -> Option<&Key> {
        let mut fitting = self.0.iter().filter(|key| {
            key.algorithm == algorithm && (name.is_none() || key.name.as_deref() == name)
        });
        let first = fitting.next()?;
        fitting.next().is_none().then_some(first)
    }
}
