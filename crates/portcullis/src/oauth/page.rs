//! The page to log in at. Owns what its address says, and what nobody guesses.

use data_encoding::BASE64URL_NOPAD;
use portcullis_core::network::Target;
use sha2::{Digest as _, Sha256};

use super::OAuthError;
use crate::platform;

/// The address of the page to log in at, with all that belongs to one login.
///
/// # Errors
/// Where it is no address, or says some of it already.
pub fn page(authorization: &str, pairs: &[(&str, &str)]) -> Result<String, OAuthError> {
    const WHAT: &str = "the page to log in at";
    let target = Target::read(authorization)
        .map_err(|refusal| OAuthError::answer(WHAT, &refusal.to_string()))?;
    let mut url = target.url().clone();
    let is_said = url
        .query_pairs()
        .any(|(name, _)| name == "scope" || pairs.iter().any(|(own, _)| *own == name));
    if is_said {
        return Err(OAuthError::answer(WHAT, "it says already what a login says"));
    }
    url.query_pairs_mut().extend_pairs(pairs);
    Ok(url.to_string())
}

/// What the page is told of a verifier (PKCE, `S256`).
#[must_use]
pub fn challenge(verifier: &str) -> String {
    BASE64URL_NOPAD.encode(&Sha256::digest(verifier.as_bytes()))
}

/// 256 bits that nobody guesses.
///
/// # Errors
/// When the system has no random bytes.
pub fn random() -> Result<String, OAuthError> {
    Ok(BASE64URL_NOPAD.encode(&platform::random::<32>()?))
}
