//! Who may do what at the gateway. Owns the scopes and what a token is; that only hashes of them are kept, the store sees to.

use std::{fmt, io, str::FromStr};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::request::Id;
use crate::platform;

/// What tokens begin with, so that scanners for secrets know them.
const PREFIX: &str = "pcls_";

/// One thing that the holder of a token may do.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Have calls judged and content inspected, and take up approvals of its own.
    Judge,
    /// Decide on requests.
    Approve,
    /// Read records, sessions, rules and the policy.
    Read,
    /// Make and revoke tokens, and change the approval policy.
    Admin,
}

/// A word that names no scope.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("`{0}` is not a scope; expected judge, approve, read, or admin")]
pub struct NotAScope(pub String);

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::Judge, Self::Approve, Self::Read, Self::Admin];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Approve => "approve",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl FromStr for Scope {
    type Err = NotAScope;

    fn from_str(word: &str) -> Result<Self, NotAScope> {
        let found = Self::ALL.into_iter().find(|scope| scope.name() == word);
        found.ok_or_else(|| NotAScope(word.chars().take(40).collect()))
    }
}

/// Several scopes. Whoever may have calls judged may not approve: one token cannot do both.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Scopes(u8);

impl Scopes {
    /// These; `None` where they are none, or where whoever asks could also approve.
    ///
    /// ```
    /// use portcullis_engine::approvals::{Scope, Scopes};
    ///
    /// assert!(Scopes::of([Scope::Approve, Scope::Read]).is_some());
    /// assert!(Scopes::of([Scope::Approve, Scope::Judge]).is_none());
    /// assert!(Scopes::of([Scope::Admin, Scope::Judge]).is_none());
    /// assert!(Scopes::of([]).is_none());
    /// ```
    pub fn of(scopes: impl IntoIterator<Item = Scope>) -> Option<Self> {
        let scopes = Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()));
        let decides = scopes.has(Scope::Approve) || scopes.has(Scope::Admin);
        (scopes.0 != 0 && !(decides && scopes.has(Scope::Judge))).then_some(scopes)
    }

    /// What a person has at their own gateway.
    #[must_use]
    pub const fn person() -> Self {
        Self(Scope::Approve.bit() | Scope::Read.bit() | Scope::Admin.bit())
    }

    /// What somebody has who decides and does not administer.
    #[must_use]
    pub const fn decides() -> Self {
        Self(Scope::Approve.bit() | Scope::Read.bit())
    }

    /// What an agent has.
    #[must_use]
    pub const fn agent() -> Self {
        Self(Scope::Judge.bit())
    }

    /// Whether this one is among them.
    #[must_use]
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Their words.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope)).map(Scope::name)
    }

    /// Reads what [`fmt::Display`] wrote; what is not that gives nothing.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let scopes: Result<Vec<Scope>, _> = text.split_whitespace().map(str::parse).collect();
        Self::of(scopes.ok()?)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().collect::<Vec<_>>().join(" "))
    }
}

/// What a token was made for.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Holder {
    /// A program, or a person who logs in with it.
    Api,
    /// A browser in which somebody logged in.
    Browser,
}

impl Holder {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Browser => "browser",
        }
    }
}

/// What the issuer said of somebody who logged in there.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct LoggedIn {
    /// What they are shown as. It proves nothing.
    pub shown: String,
    /// Their groups, as the issuer names them.
    pub groups: Vec<String>,
    /// When they proved who they are, where the issuer says so.
    pub proved: Option<Timestamp>,
    /// How, in the issuer's words.
    pub how: Option<String>,
}

/// Somebody who logged in once.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Person {
    /// Who: a subject at an issuer.
    pub name: String,
    /// What they were shown as then.
    pub shown: String,
    /// When they came in last.
    pub seen: Timestamp,
}

/// What somebody gave to somebody else for a time: that they decide in their place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Delegation {
    /// What it is known by.
    pub id: Id,
    /// Who gave it.
    pub giver: String,
    /// Who has it.
    pub taker: String,
    /// The groups of the one who gave it, as they were then.
    pub groups: Vec<String>,
    /// When it ends.
    pub expires: Timestamp,
}

/// A token as it is kept: without what makes it one.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is known by.
    pub id: Id,
    /// Whose it is: the name under which its holder asks and decides.
    pub name: String,
    /// What it was made for.
    pub holder: Holder,
    /// What may be done with it.
    pub scopes: Scopes,
    /// When it was made.
    pub created: Timestamp,
    /// When it ends.
    pub expires: Option<Timestamp>,
    /// When it was revoked.
    pub revoked: Option<Timestamp>,
    /// The hash of what a browser's page must send beside the cookie, and only it knows: a browser sends the cookie to every port of a host.
    pub proof: Option<String>,
    /// Who logged in with it at their company, where somebody did.
    pub login: Option<LoggedIn>,
    /// Whether whoever runs the gateway made it, on its own machine. Whoever administers it over HTTP makes tokens in any name, and would be
    /// as many people as they like: only these count where two must agree.
    pub made_here: bool,
}

impl Token {
    /// Whether it can be used now.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }
}

/// What makes a token one. Shown once, when it is made.
#[derive(Clone, Eq, PartialEq)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl Secret {
    /// One that nobody can foresee.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn random() -> io::Result<Self> {
        let bytes: [u8; 32] = platform::random()?;
        Ok(Self(format!("{PREFIX}{}", data_encoding::BASE64URL_NOPAD.encode(&bytes))))
    }

    /// The text, for its holder alone.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept of it. It is 256 random bits, so that a plain hash cannot be guessed back.
    #[must_use]
    pub fn hash(&self) -> String {
        hash_of(&self.0)
    }
}

/// What is kept of the text that somebody sends as a token.
#[must_use]
pub fn hash_of(text: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_cannot_approve_whatever_is_read() {
        for bits in 0..=u8::MAX {
            let scopes = Scope::ALL.into_iter().filter(|scope| bits & scope.bit() != 0);
            let Some(scopes) = Scopes::of(scopes) else { continue };
            assert!(!(scopes.has(Scope::Judge) && scopes.has(Scope::Approve)));
            assert_eq!(Scopes::read(&scopes.to_string()), Some(scopes));
        }
        for text in ["", "judge approve", "everything", "judge  admin"] {
            assert_eq!(Scopes::read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_kept_of_a_token_does_not_give_it_away() {
        let secret = Secret::random().unwrap();
        assert!(secret.reveal().starts_with(PREFIX) && secret.reveal().len() == 48);
        assert_eq!(secret.hash().len(), 64);
        assert!(!format!("{secret:?}").contains(secret.reveal()));
        assert_ne!(Secret::random().unwrap(), secret);
    }
}
