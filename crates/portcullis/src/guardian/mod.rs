//! The reviewing model, asked. Owns the way to it and back: who is asked, within which limits, and what is kept of it; what it is
//! shown, how its answer is read and what follows from it, `portcullis_core::guardian` says.
//!
//! Every request goes through the guarded client of `portcullis_net`, to the one host that the configuration names. The reviewer has
//! no tools, in no request, so that it can start nothing that would have to be reviewed in turn.

mod gate;
mod ledger;
mod provider;
mod record;
mod reviewer;
mod settings;
mod trouble;

pub use gate::{Reviewed, judge};
pub use provider::Provider;
pub use record::entry;
pub use reviewer::{Decided, Particulars, Question, Reviewer, SetupError};
pub use settings::{FirstLook, KeySource, Price, Settings, is_inside_by_itself};
