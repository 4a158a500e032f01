#![doc = include_str!("../README.md")]
#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod redact;
pub mod secrets;

use portcullis_model::{finding, risk};
