//! What a signed token says. Owns which of it must be so for the token to be believed: who made it, for whom, for when, and in answer to what.

use jiff::Timestamp;
use ring::digest::{SHA256, SHA512, digest};
use serde_json::{Map, Value};

use super::{
    IdentityError,
    jwt::{Algorithm, Compact, KeySet},
};
use crate::oauth::text;

/// How far a clock of the issuer may be from ours, in seconds.
const SKEW: f64 = 60.0;

/// The longest life of a token, in seconds: what lives longer is a password.
const LONGEST_LIFE: f64 = 24.0 * 3_600.0;

/// The longest name of somebody.
const LONGEST_SUBJECT: usize = 512;

/// The most whom a token is for.
const MOST_AUDIENCES: usize = 16;

/// What a token must be.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// Who made it.
    pub issuer: &'a str,
    /// For whom.
    pub audience: &'a str,
    /// What it answers to, where it comes from a login.
    pub login: Option<Answers<'a>>,
    /// When it is looked at.
    pub now: Timestamp,
}

/// What the token of a login answers to.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    /// What only this login knows.
    pub nonce: &'a str,
    /// The access token that came with it.
    pub access: Option<&'a str>,
}

/// What a token says that is believed.
#[derive(Clone, Debug)]
pub struct Claims {
    /// Who it is, at the issuer.
    pub subject: String,
    /// From when on it counts no more.
    pub expires: Timestamp,
    /// When they proved who they are.
    pub proved: Option<Timestamp>,
    /// How.
    pub how: Option<String>,
    all: Map<String, Value>,
}

impl Claims {
    /// What a token says, where one of these keys signed it and it is what is expected.
    ///
    /// # Errors
    /// [`IdentityError`].
    pub fn of(
        token: &Compact<'_>,
        keys: &KeySet,
        expected: &Expected<'_>,
    ) -> Result<Self, IdentityError> {
        let no = IdentityError::Claim;
        let (all, algorithm) = token.verified(keys)?;
        let Expected { issuer, audience, login, now } = *expected;
        if text(&all, "iss") != Some(issuer) {
            return Err(no("it is another issuer's (`iss`)"));
        }
        let audiences = audiences(&all).ok_or(no("it is for nobody (`aud`)"))?;
        if !audiences.contains(&audience) {
            return Err(no("it is for somebody else (`aud`)"));
        }
        let party = all.get("azp");
        let is_ours = party.and_then(Value::as_str) == Some(audience);
        if login.is_some() && (party.is_some() || audiences.len() > 1) && !is_ours {
            return Err(no("it was made for somebody else (`azp`)"));
        }
        let expires = in_time(&all, now)?;
        if let Some(Answers { nonce, access }) = login {
            if text(&all, "nonce") != Some(nonce) {
                return Err(no("it answers to another login (`nonce`)"));
            }
            if let Some(hash) = all.get("at_hash") {
                let expected = access.map(|access| half(algorithm, access));
                if expected.is_none() || hash.as_str() != expected.as_deref() {
                    return Err(no("the token beside it is another one (`at_hash`)"));
                }
            }
        }
        let is_name = |name: &&str| {
            name.len() <= LONGEST_SUBJECT && name.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        };
        let subject = text(&all, "sub").filter(is_name).filter(|name| !name.trim().is_empty());
        let subject = subject.ok_or(no("it names nobody (`sub`)"))?.to_owned();
        let proved = match all.get("auth_time") {
            None => None,
            Some(_) => Some(time(seconds(&all, "auth_time").ok_or(no("`auth_time` is no time"))?)?),
        };
        let how = text(&all, "acr").map(str::to_owned);
        Ok(Self { subject, expires, proved, how, all })
    }

    /// What stands at a path of names, `realm_access.roles` say, or under that whole name.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<&Value> {
        below(&self.all, path)
    }

    /// The texts at a path: one, or a list of them; none where there is something else.
    #[must_use]
    pub fn texts(&self, path: &str) -> Vec<String> {
        match self.at(path) {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(all)) => {
                all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The text at a path; a number or a truth in JSON's own letters.
    #[must_use]
    pub fn word(&self, path: &str) -> Option<String> {
        match self.at(path)? {
            Value::String(word) => Some(word.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    }
}

/// What stands at a path, whose names may have points of their own: `kubernetes.io.namespace`. The longest name that is there counts.
fn below<'a>(all: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    all.get(path).or_else(|| {
        path.rmatch_indices('.').find_map(|(at, _)| {
            let inner = all.get(path.get(..at)?)?.as_object()?;
            below(inner, path.get(at + 1..)?)
        })
    })
}

fn audiences(all: &Map<String, Value>) -> Option<Vec<&str>> {
    match all.get("aud")? {
        Value::String(one) => Some(vec![one]),
        Value::Array(many) if (1..=MOST_AUDIENCES).contains(&many.len()) => {
            many.iter().map(Value::as_str).collect()
        }
        _ => None,
    }
}

/// That it counts now; until when.
fn in_time(all: &Map<String, Value>, now: Timestamp) -> Result<Timestamp, IdentityError> {
    let no = IdentityError::Claim;
    let now = now.as_duration().as_secs_f64();
    let expires = seconds(all, "exp").ok_or(no("it does not say until when it counts (`exp`)"))?;
    if expires + SKEW <= now {
        return Err(no("its time is over (`exp`)"));
    }
    let made = seconds(all, "iat").ok_or(no("it does not say when it was made (`iat`)"))?;
    if made - SKEW > now {
        return Err(no("it was made in the future (`iat`)"));
    }
    if expires - made > LONGEST_LIFE || expires < made {
        return Err(no("it counts for longer than a day (`exp`)"));
    }
    if all.contains_key("nbf") {
        let begins = seconds(all, "nbf").ok_or(no("`nbf` is no time"))?;
        if begins - SKEW > now {
            return Err(no("its time has not come (`nbf`)"));
        }
    }
    time(expires)
}

fn seconds(all: &Map<String, Value>, name: &str) -> Option<f64> {
    all.get(name)?.as_f64().filter(|number| number.is_finite() && (0.0..1e11).contains(number))
}

fn time(seconds: f64) -> Result<Timestamp, IdentityError> {
    let no = IdentityError::Claim("a time in it is none");
    let since = jiff::SignedDuration::try_from_secs_f64(seconds).map_err(|_| no)?;
    Timestamp::from_duration(since).map_err(|_| IdentityError::Claim("a time in it is none"))
}

/// The first half of a token's hash, as `at_hash` has it.
fn half(algorithm: Algorithm, token: &str) -> String {
    let hash = match algorithm {
        Algorithm::Rs256 | Algorithm::Es256 => digest(&SHA256, token.as_bytes()),
        Algorithm::EdDsa => digest(&SHA512, token.as_bytes()),
    };
    let bytes = hash.as_ref();
    data_encoding::BASE64URL_NOPAD.encode(bytes.get(..bytes.len() / 2).unwrap_or_default())
}
