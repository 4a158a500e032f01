//! Programs that run another program: `sudo`, `env`, `timeout`, `xargs`… Owns how the inner command is found in their
//! arguments; what that command does is read like any other.

mod batches;
mod bundled;
mod containers;
mod elevation;
mod environment;
mod parallel;
mod plain;
mod services;
mod stand_ins;
mod table;
mod terminals;
mod words;

pub(super) use batches::replaced;
pub(super) use containers::container;
#[cfg(test)]
pub(super) use containers::lists_image;
pub(super) use plain::dash_dash;
pub(super) use table::{WRAPPERS, is_wrapper};
pub(super) use words::command_after;
