//! Text to owned syntax trees with byte spans.
//!
//! Parsing is total: every text gives a tree, and what could not be placed stands in it as an `Unparsed` span.
//! This crate does no I/O, knows no rules, and never judges.

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod code;
pub mod limits;
pub mod shell;
mod span;
pub mod sql;
pub mod tree;

pub use span::Span;
