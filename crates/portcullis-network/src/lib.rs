#![doc = include_str!("../README.md")]
#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod network;

use portcullis_model::address;
