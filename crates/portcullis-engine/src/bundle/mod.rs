//! A policy from a centre: signed files that travel together. Owns what a bundle is and whose signatures count ([`signed`]), the keys ([`keys`]),
//! the form that hooks read ([`packed`]) and where it is kept ([`held`]); what the files mean, [`crate::config`] knows.
//!
//! ```text
//! files ──build──► Bundle ──sign (one or more people)──► the centre ──check──► Held ──write──► hooks read it
//! ```

pub mod held;
pub mod keys;
pub mod packed;
pub mod signed;

pub use held::{File, Held, Kept, Reading, Store};
pub use keys::{PublicKey, SecretKey};
pub use signed::{Bundle, Manifest, Refusal};

#[cfg(test)]
mod tests;
