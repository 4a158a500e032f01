//! What an address, a name or a URL is, and whether it may be connected to.

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod network;

use portcullis_model::address;
