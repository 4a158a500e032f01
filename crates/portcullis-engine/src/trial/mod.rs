//! A command tried before it is meant: it runs in the sandbox on files whose changes go elsewhere, and what it did is looked at before any of
//! it is taken over. Owns what a trial is and where trials are kept.
//!
//! ```text
//! command ──run──► layers beside the files ──changes──► Trial ──show──► a person, JSON
//!                                                         └──commit──► the files, each change judged as an edit of a file
//! ```

mod changes;
pub mod commit;
mod copy;
pub mod evidence;
mod journal;
mod judge;
mod run;
mod show;
mod steps;
mod store;
#[cfg(test)]
mod tests;

pub use changes::{Aspect, Change, Found, MOST_CHANGES, What};
pub use judge::{Judged, calls_of};
pub use run::{Request, TrialError, tried};
pub use show::{json, page};
pub use store::{Place, Places, StoreError, Unfinished};

use std::path::PathBuf;

use portcullis_sandbox::Seen;
use serde::{Deserialize, Serialize};

use crate::tree::kept;

/// The version of what is kept of a trial.
pub const VERSION: u32 = 1;

/// By which means the changes were kept apart.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Means {
    /// An overlay: only what changed is there twice.
    Overlay,
    /// A copy of the workspace; the home directory was not there to be changed.
    Copy,
}

impl Means {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Overlay => "an overlay",
            Self::Copy => "a copy of the workspace",
        }
    }
}

/// A directory whose changes went elsewhere.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Tried {
    /// The directory.
    #[serde(with = "kept")]
    pub path: PathBuf,
    /// The name of the directory beside the trial that has the changes.
    pub layer: String,
    /// The file system and the number of the directory: another one at the same path is none that was tried.
    pub number: (u64, u64),
}

/// A host that was wanted.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Wanted {
    /// What was asked of the proxy: a method and where it leads.
    pub target: String,
    /// Why it was not connected to; nothing where it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refused: Option<String>,
}

/// A trial that has ended.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Trial {
    /// The version of this form.
    pub v: u32,
    /// Its name: eight hexadecimal digits.
    pub id: String,
    /// The command.
    pub command: Vec<String>,
    /// Where it ran.
    #[serde(with = "kept")]
    pub directory: PathBuf,
    /// When it began, in RFC 3339.
    pub began: String,
    /// How long it took.
    pub milliseconds: u64,
    /// How its changes were kept apart.
    pub means: Means,
    /// Which directories could be changed.
    pub roots: Vec<Tried>,
    /// How it ended, as a shell says it.
    pub exit: i32,
    /// Why it was stopped, where it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stopped: Option<String>,
    /// What changed.
    pub changes: Vec<Change>,
    /// What was seen of it.
    pub seen: Seen,
    /// Whether it was watched at all.
    #[serde(default)]
    pub watched: bool,
    /// The hosts that it wanted.
    pub wanted: Vec<Wanted>,
    /// What it said, without secrets.
    pub stdout: String,
    /// What it complained about, without secrets.
    pub stderr: String,
    /// How many bytes of both were not kept.
    pub dropped: u64,
    /// What a person should know beside that: what was not followed, not kept, not carried.
    pub notes: Vec<String>,
    /// Whether every change is known. Otherwise nothing of it can be taken over.
    pub whole: bool,
}
