//! A conversation with an agent, purely: what can happen in one, and what may happen next. Owns the vocabulary of events and the state that
//! follows from them; it keeps nothing, asks nobody and runs nothing.
//!
//! ```text
//! events ──State::apply──► State ──next──► Next: ask the model, ask a person, run, settle, end
//!    ▲                                        │
//!    └───────── whoever keeps the log ◄───────┘
//! ```
//!
//! The state is what its events come to, and nothing else: who reads the same events has the same state. [`State::apply`] refuses what cannot
//! follow, so that a log which says that something ran unapproved, or twice, is no log.
//!
//! - The actions of one reply are one batch. Nothing of it runs before every question in it is answered.
//! - A message while a question waits answers nothing.
//! - An action whose intent is recorded and whose outcome is not is never run again: nobody knows whether it ran.
//!
//! ```
//! use portcullis_core::conversation::{By, Event, Next, Proposed, Started, State, Status};
//! use portcullis_core::decision::Verdict;
//!
//! let mut state = State::default();
//! state.apply(&Event::Started(Started::new("tidy up")))?;
//! state.apply(&Event::Resumed {})?;
//! let asks = Proposed { verdict: Verdict::Ask, hash: "sha256:1".into(), ..Proposed::new(0, "bash") };
//! state.apply(&Event::Batch { text: String::new(), actions: vec![asks], tokens: 0 })?;
//! assert_eq!(state.status(), Status::WaitingForConfirmation);
//!
//! state.apply(&Event::Message { by: By::User, text: "go on".into() })?;
//! assert_eq!(state.status(), Status::WaitingForConfirmation);
//!
//! // Another hash is another action.
//! let yes = |hash: &str| Event::Approved { action: 0, hash: hash.into(), by: "dev".into() };
//! assert!(state.apply(&yes("sha256:2")).is_err());
//! state.apply(&yes("sha256:1"))?;
//! state.apply(&Event::Resumed {})?;
//! assert_eq!(state.next(), Next::Run { action: 0 });
//! # Ok::<(), portcullis_core::conversation::Impossible>(())
//! ```

mod event;
mod state;

pub use event::{
    By, Change, EndReason, Event, Noted, Outcome, Proposed, Started, Stopped, VERSION, goal_hash,
    is_inner,
};
pub use state::{Impossible, MAX_BATCH, MAX_ERRORS, Next, Open, Stage, State, Status};

#[cfg(test)]
mod tests;
