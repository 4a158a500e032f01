//! Secrets in text: found, told apart from what only looks like them, and masked.

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod redact;
pub mod secrets;

use portcullis_model::{finding, risk};
