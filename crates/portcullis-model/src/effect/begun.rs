//! A command that goes on when its call has ended. Owns what is kept of it, so that what it starts later can be read again.

use serde::{Deserialize, Serialize};

/// A command of a shell that may go on beside the calls that follow.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Begun {
    /// The directory that it was started in, where it is known.
    pub directory: Option<String>,
    /// Its text.
    pub command: String,
    /// Whether it writes files: what a later call starts may be what it wrote by then.
    #[serde(default = "always")]
    pub writes: bool,
}

/// Of what an earlier version kept it is not known.
const fn always() -> bool {
    true
}
