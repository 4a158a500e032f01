//! How risky an action is and why. Owns the sum of all findings; it decides nothing.

use crate::{
    finding::{Finding, Place},
    risk::Risk,
};

/// Everything that was found out about an action.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The highest risk found; `Unknown` where not everything was understood and nothing at `High` or above was found,
    /// so that a `High` is never hidden behind an `Unknown`.
    pub risk: Risk,
    /// Every finding, most severe first, then in the order of the text.
    pub findings: Vec<Finding>,
    /// How much was understood.
    pub coverage: Coverage,
    /// What it touches, with its kind (`file:…`, `host:…`, `table:…`), without repeats, at most [`MAX_RESOURCES`].
    pub resources: Vec<String>,
    /// Whether all of it can be undone.
    pub reversible: bool,
    /// The impact in a sentence.
    pub impact: &'static str,
    /// What to do before or instead.
    pub recommendations: Vec<String>,
    /// What kind of action it proved to be, for the permission modes.
    pub class: ActionClass,
}

/// The most resources that are listed, so that a loop over a thousand names stays readable.
pub const MAX_RESOURCES: usize = 10;

/// How much of an action was understood.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Coverage {
    /// All of it.
    Full,
    /// Not these places, each with the reason for a person.
    Partial(Vec<(Place, &'static str)>),
}

/// What kind of action it is, from its effects and its tool.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ActionClass {
    /// Only reads, proven.
    ReadOnly,
    /// Changes files in the workspace.
    Edit,
    /// Talks to the network.
    Network,
    /// Runs programs.
    Execute,
    /// Deletes, or runs whatever it likes.
    Destructive,
    /// A tool that we do not know.
    Unknown,
}
