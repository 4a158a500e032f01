//! Everything with effects, put together once: what the pure engine asks of the world, the record of what it said, the
//! configuration it runs under, and the gates that callers talk to. It holds no rules and judges nothing by itself.

// What examples and tests from outside share with tests from within names us as they do.
#[cfg(test)]
extern crate self as portcullis;

pub mod account;
pub mod agents;
pub mod approvals;
pub mod audit;
pub mod canonical;
pub mod cli;
pub mod config;
pub mod confirmation;
pub mod conversation;
pub mod embedded;
pub mod gateway;
pub mod grants;
pub mod guardian;
pub mod handover;
pub mod hook;
pub mod hooked;
pub mod install;
pub mod mcp;
pub mod memory;
pub mod observe;
#[cfg(target_os = "linux")]
mod own_key;
pub mod pause;
pub mod person;
pub mod pins;
pub mod platform;
pub mod private;
pub mod remote;
pub mod replay;
pub mod report;
pub mod review;
pub mod sandbox;
pub mod scan;
pub mod session;
pub mod spending;
pub mod tools;
#[cfg(target_os = "linux")]
pub mod tree;
#[cfg(target_os = "linux")]
pub mod trial;
#[cfg(target_os = "linux")]
pub mod undo;
pub mod watch;
pub mod wire;
