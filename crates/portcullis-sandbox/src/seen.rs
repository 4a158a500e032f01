//! What a program was seen to do. Owns the shape and its bounds.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The most that is kept of each kind.
pub const MOST_SEEN: usize = 1_000;

/// What a program and all that it started were seen to do. It is told of by their calls before the kernel does them: it is evidence, and
/// nothing relies on it.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Seen {
    /// The programs that were started, in the order of their first start, and how often.
    pub programs: Vec<(PathBuf, u64)>,
    /// What may not be read and was opened, or tried to be.
    pub secrets: Vec<PathBuf>,
    /// What lies outside of everything that may be written, and was to be changed.
    pub refused: Vec<PathBuf>,
    /// Directories that were there and were to be renamed, which an overlay refuses: `mv` copies them then, others may fail.
    pub renamed: Vec<PathBuf>,
    /// Addresses that were connected to, or tried to be, loopback aside.
    pub addresses: Vec<String>,
    /// How many calls were told of.
    pub calls: u64,
    /// How many of them could not be read.
    pub unread: u64,
    /// What was not kept, as there was more than [`MOST_SEEN`].
    pub dropped: u64,
}
