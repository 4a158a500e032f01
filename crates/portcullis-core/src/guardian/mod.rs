//! A reviewing model that answers for a person. Owns what it is shown, how its answer is read, and what follows from it; it
//! asks no model and opens no connection.
//!
//! ```text
//! Case ──brief──► Briefing ──(a model, elsewhere)──► text ──read──► Review ──settle──► Decision
//! evidence        redacted, fenced, counted                strict         by numbers, never below the deterministic one
//! ```
//!
//! The model is a witness and no judge: what it says becomes a score, the deterministic risk is the floor of that score, and
//! the only thing that it can loosen is an *ask* that [`MayApprove`] names. Everything here is pure, so that what a review led to
//! can be worked out again from its record.

mod approvals;
mod breaker;
mod brief;
mod budget;
mod classifier;
mod encode;
pub mod inline;
mod json;
mod prompt;
mod quoted;
mod reply;
mod score;
mod settle;
pub mod template;

pub use approvals::{ApprovalKey, Approvals, KEPT, LIFETIME};
pub use breaker::Breaker;
pub use brief::{Briefing, Budgets, Case, FenceTaken, Origin, Turn};
pub use budget::{OverBudget, Reservation, Spend, Tokens, Usage};
pub use classifier::{Band, Bands, BandsError, Measure, classify, measure};
pub use json::{Json, NotJson};
pub use prompt::{VERDICT_NAME, verdict_schema};
pub use reply::{MAX_REASONING, MAX_REPLY, MAX_RISKS, Malformed, Review, read};
pub use score::{Score, ThresholdError, Thresholds};
pub use settle::{Barrier, Failing, MayApprove, OnError, Ruling, Settled, Terms};

#[cfg(test)]
mod tests;
