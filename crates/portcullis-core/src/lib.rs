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

pub mod approval;
pub mod conversation;
pub mod gate;
pub mod guardian;
pub mod inspect;
pub mod intervention;
pub mod monitor;
pub mod policy;
pub mod threats;
pub mod validate;

pub use portcullis_injection::injection;
pub use portcullis_model::{
    Span, action, address, assessment, call, contract, decision, effect, facts, finding, place,
    risk, session, text, tool,
};
use portcullis_model::{deed, judgement, pointer};
pub use portcullis_network::network;
use portcullis_rules::class;
pub use portcullis_rules::{analyze, assessor, rules};
pub use portcullis_secrets::{redact, secrets};
pub use portcullis_understand::{programs, understand};
