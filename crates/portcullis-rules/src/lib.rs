//! From effects to findings, and from findings to a risk.

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod analyze;
pub mod assessor;
pub mod class;
mod phrases;
pub mod rules;

use portcullis_injection::injection;
#[cfg(test)]
use portcullis_model::decision;
use portcullis_model::{
    Span, action, address, assessment, bound, call, contract, effect, facts, finding, hash, normal,
    opinion, place, pointer, risk, session, split, text, tool,
};
use portcullis_network::network;
use portcullis_secrets::secrets;
use portcullis_understand::{programs, understand};
