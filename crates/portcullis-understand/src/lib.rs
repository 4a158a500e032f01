//! From an action to its effects: what commands, scripts and tools would do.

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

mod language;
mod paths;
mod pattern;
mod percent;
pub mod programs;
pub mod understand;

#[cfg(test)]
use portcullis_model::risk;
use portcullis_model::{
    action, address, assessment, bound, call, contract, effect, facts, hash, place, pointer,
    session, split, text, tool,
};
use portcullis_network::network;
