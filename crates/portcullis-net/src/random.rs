//! Numbers that nobody can guess, of the system's generator by way of the cryptography that TLS brings along.

use rustls::crypto::{GetRandomFailed, ring};

/// Fills `bytes`.
///
/// # Errors
/// When the system gives none; whoever needs one must not go on then.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
    ring::default_provider().secure_random.fill(bytes)
}
