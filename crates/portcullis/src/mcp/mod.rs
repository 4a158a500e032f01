//! The gate in front of servers of the Model Context Protocol. Owns frames, the methods that pass, and the proxy; what was accepted of each server,
//! [`crate::pins`] keeps, and a call is judged and recorded as every other.
//!
//! ```text
//! client ──frame──► method ──pin──► desk (session, policy, grants, record) ──► server
//! client ◄──────────────── result (looked through, redacted, bounded) ◄─────── server
//! ```
//!
//! - What cannot be read is not passed on, and what goes on is written anew.
//! - What nobody accepted is not listed and not called; only a person accepts.
//! - What a server says of itself makes a decision stricter, never looser.

pub mod child;
pub mod configured;
pub mod confined;
pub mod desk;
pub mod engine;
pub mod events;
pub mod frame;
pub mod link;
pub mod method;
pub mod mirror;
pub mod oauth;
pub mod overview;
pub mod probe;
pub mod proof;
pub mod proposal;
pub mod remote;
pub mod result;
pub mod seal;
pub mod stdio;
pub mod visitor;
pub mod wording;
pub mod wrap;

#[cfg(test)]
mod tests;
