//! The gates that callers talk to: the command line, the hooks inside coding agents, the gateway over HTTP, the proxy in front of MCP servers,
//! tools and conversations. What they have in common is the engine's, whose modules stand here under their old names; nothing here holds
//! rules or judges by itself.

// What examples and tests from outside share with tests from within names us as they do.
#[cfg(test)]
extern crate self as portcullis;

pub mod agents;
pub mod cli;
pub mod conversation;
pub mod gateway;
pub mod hook;
pub mod identity;
pub mod install;
pub mod mcp;
pub mod oauth;
pub mod replay;
pub mod scan;
pub mod telemetry;
pub mod tools;

pub use portcullis_engine::{
    account, alike, approvals, audit, bundle, canonical, config, confirmation, embedded, grants,
    guardian, handover, hooked, memory, observe, pause, person, pins, platform, private, remote,
    report, review, sandbox, session, shipping, spending, trace, undelivered, watch, wire,
};
#[cfg(target_os = "linux")]
pub use portcullis_engine::{tree, trial, undo};
