//! The reviewing model, asked. Owns the way to it and back: who is asked, within which limits, and what is kept of it; what it is
//! shown, how its answer is read and what follows from it, `portcullis_core::guardian` says.
//!
//! Every request goes through the guarded client of `portcullis_net`, to the one host that the configuration names. The reviewer has
//! no tools, in no request, so that it can start nothing that would have to be reviewed in turn.

mod classifier;
mod ledger;
mod provider;
mod reviewer;
mod service;
mod settings;
mod trouble;

pub use provider::envelope;
pub use service::Service;
pub use trouble::{Trouble, malformed, refused};

pub use classifier::Classifier;
pub use provider::Provider;
pub use reviewer::{Decided, Particulars, Question, Reviewer};
pub use service::SetupError;
pub use settings::{
    FirstLook, KeySource, Price, Settings, crosses_openly, is_inside_by_itself, only_to,
};
