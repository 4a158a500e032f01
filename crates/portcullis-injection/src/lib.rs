#![doc = include_str!("../README.md")]
#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod injection;

use portcullis_model::{Span, finding};
