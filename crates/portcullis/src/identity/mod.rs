//! Who is there: people by their company's login (OpenID Connect), agents by the identity of what they run in. Owns what a token must be to be believed, and
//! what is believed of it; what somebody may do then, the configuration and [`portcullis_core::authority`] say.
//!
//! ```text
//! text ──jwt──► parts ──keys (of the issuer, by `kid`)──► signed ──claims──► for us, now, from whom we trust ──► subject at issuer
//! ```
//!
//! - What a token names never says which algorithm or key counts: the key does, and keys come from the issuer that is configured.
//! - Somebody is a subject at an issuer, never a name or an address of mail.
//! - An agent that comes with such a token has calls judged, and never decides.

mod claims;
mod jwt;
mod keys;
mod people;
#[cfg(test)]
#[path = "../../tests/identity/signer.rs"]
mod signer;
#[cfg(test)]
mod tests;
mod workloads;

pub use self::{
    claims::{Claims, Expected},
    jwt::{Compact, Key, KeySet},
    keys::{Keys, could_be},
    people::{Back, Begun, Entered, PATIENCE, People, is_proved},
    workloads::{Workload, Workloads},
};
use crate::oauth::OAuthError;

/// Why a token, or a login, is not believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// It is no token, or of a kind that is never believed.
    #[error("the token is not believed: {0}")]
    Malformed(&'static str),
    /// Its signature is by no key of the issuer.
    #[error("the token is not believed: {0}")]
    Unsigned(&'static str),
    /// It is somebody else's, for somebody else, or for another time.
    #[error("the token is not believed: {0}")]
    Claim(&'static str),
    /// No issuer that is configured made it, or none of its agents is meant by it.
    #[error("the token is not believed: {0}")]
    Unknown(&'static str),
    /// The issuer cannot be asked.
    #[error(transparent)]
    Issuer(#[from] OAuthError),
}

impl IdentityError {
    /// Whether it says nothing about the token: the issuer could not be asked.
    #[must_use]
    pub const fn is_unreachable(&self) -> bool {
        match self {
            Self::Issuer(error) => {
                !matches!(error, OAuthError::Callback(_) | OAuthError::Refused(_))
            }
            _ => false,
        }
    }
}

/// The name of somebody: a subject at an issuer. No token that is made here has such a name.
#[must_use]
pub fn name_of(issuer: &str, subject: &str) -> String {
    format!("{issuer}#{subject}")
}
