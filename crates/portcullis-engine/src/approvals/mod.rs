//! Asking whoever must say yes, and keeping what they said. Owns what a request is, where requests are kept beside the record, and that the
//! first decision holds; who may decide what, `portcullis_core::approval` says, and how people are reached, the handlers and gates.
//!
//! ```text
//! Judged that asks ──Question──► Clerk ──one transaction──► pending + its record
//!                                  ▲                            │ notified
//! a person's word ──Reply──────────┘                            ▼
//!                                           whoever asked: Claim, once, for the hash that was shown
//! ```
//!
//! State and record change in the same transaction: there is no decision without its record, whenever a process is killed.

mod clerk;
#[cfg(test)]
mod contract;
mod desk;
mod figures;
mod gate;
mod handler;
mod in_place;
mod inbox;
mod notice;
#[cfg(feature = "postgres")]
mod postgres;
mod queue;
mod request;
mod ruling;
mod source;
mod sqlite;
mod store;
mod talk;
mod token;
mod webhook;

pub use clerk::{Book, Clerk, ClerkError, Waiting};
pub use figures::{
    About, COUNTED_FOR, Called, Counts, Figures, Hour, Lasted, Put, hour_of, number_at,
};
pub use gate::{ApprovalGate, Check, GateError, Response};
pub use handler::{
    Asks, AutoApprove, AutoDeny, Callback, Conditional, Handler, HandlerError, Said, TooWide,
};
pub use in_place::{NotInPlace, call_in_place, put_in_place};
pub use inbox::{COUNTED, Glance, Inbox, NotAPlace, Pile, Place, Sought};
pub use notice::{
    ATTEMPTS, Account, Attempt, Link, MOST_WAITING, Notice, Outgoing, PAGE, Sending, Stage,
};
pub use queue::Queue;
pub use request::{
    Addressee, Alike, Details, Id, MAX_TIMEOUT, Modified, NotAnId, PENDING, Question, Request,
    TIMEOUT, Vote,
};
pub use ruling::{
    InForce, LONGEST_LOOSENED, LOOSENED, Loosened, Wanted, is_looser, worst_loosened,
};
pub use source::Source;
pub use store::{Claim, Done, Kept, Ledger, Once, Reply, Step, Taken, Unclaimable, Which, every};
pub use talk::{Comment, LONGEST_COMMENT, MOST_COMMENTS, Talk, Talks, Tended, Tending};
pub use token::{
    Delegation, Holder, LoggedIn, NotAScope, Person, Scope, Scopes, Secret, Token, hash_of,
};
pub use webhook::{BadWebhook, SIGNATURE, Telling, Template, Webhook, joined, waited_words};
