//! The pure decision engine of Portcullis.
//!
//! A call travels one way through this crate, one noun and one arrow at a time:
//!
//! ```text
//! ToolCall ─► Action ─► Effects ─► Findings ─► Assessment ─► Decision
//! call        action    understand  rules       assessment    policy
//! ```
//!
//! Nothing here reads a file, a clock, the environment or the network: what must be known about the world is asked for
//! with a [`facts::FactPlan`] and handed in as [`facts::Facts`], so that every decision can be replayed from its record.

#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod action;
pub mod address;
pub mod analyze;
pub mod approval;
pub mod assessment;
pub mod assessor;
mod bound;
pub mod call;
mod class;
pub mod contract;
pub mod conversation;
pub mod decision;
mod deed;
pub mod effect;
pub mod facts;
pub mod finding;
pub mod gate;
pub mod guardian;
mod hash;
pub mod injection;
pub mod inspect;
pub mod intervention;
mod judgement;
pub mod monitor;
pub mod network;
mod normal;
mod opinion;
pub mod place;
mod pointer;
pub mod policy;
pub mod programs;
pub mod redact;
pub mod risk;
pub mod rules;
pub mod secrets;
pub mod session;
mod split;
pub mod text;
pub mod threats;
pub mod tool;
pub mod understand;
pub mod validate;

pub use portcullis_syntax::Span;
