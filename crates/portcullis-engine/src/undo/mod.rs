//! What an action would lose, kept before it acts, and brought back when somebody wants it. Owns what a snapshot is; which files one takes,
//! `scope` says, and that bringing back overwrites nothing that changed since, [`crate::trial::commit`] does.
//!
//! ```text
//! Judged ──scope──► paths ──take──► Snapshot, before ──the action──► ended ──► Snapshot, after
//!                                        └──back──► changes in a layer ──commit──► the files
//! ```

mod ahead;
mod around;
mod back;
mod files;
mod known;
mod lists;
mod pack;
mod parts;
mod restore;
mod scope;
mod source;
mod store;
mod take;
#[cfg(test)]
mod tests;
mod tidy;
mod versions;
mod walk;

pub use ahead::{Ahead, Unprepared, prepare, prepared};
pub use around::{Around, Before};
pub use back::{Difference, Outcome, UndoError, difference, undo};
pub use lists::Prepared;
pub use restore::{Restored, UNDO, list, restore, shape};
pub use scope::{Scope, of};
pub use store::Store;
pub use take::{About, Bounds, ended, take};

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::tree::{Node, kept};

/// The version of what programs are told of a snapshot.
pub const VERSION: u32 = 1;

/// The version of what is kept of one, and of one that refers to lists of others.
const FORM: u32 = 2;
const FORM_OF_PARTS: u32 = 3;

/// One file of a snapshot.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Kept {
    /// Where, from the workspace.
    #[serde(with = "kept")]
    pub path: PathBuf,
    /// What stood there.
    pub node: Node,
    /// The name of its content among those that are kept; none for what has none, and where it was not kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<String>,
}

/// What was there before an action.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Snapshot {
    /// The version of this form.
    pub v: u32,
    /// Its name: eight hexadecimal digits.
    pub id: String,
    /// When it was taken, in RFC 3339.
    pub taken: String,
    /// The workspace, and the file system and the number of it.
    #[serde(with = "kept")]
    pub workspace: PathBuf,
    /// See [`Snapshot::workspace`].
    pub number: (u64, u64),
    /// The action, for a person, without secrets.
    pub action: String,
    /// Where the decision on it stands in the record, where one is kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sequence: Option<u64>,
    /// The session of the action.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// What was looked at: these and everything below them. Empty is the workspace.
    pub scope: Vec<String>,
    /// Whether what version control keeps of all versions was looked at too.
    #[serde(default)]
    pub history: bool,
    /// What stood there. It lies in a file of its own, as does what is next.
    #[serde(skip_serializing, default)]
    pub before: Vec<Kept>,
    /// What stood there when the action had ended; none where nobody knows when it did.
    #[serde(skip_serializing, default)]
    pub after: Option<Vec<Kept>>,
    /// What was not kept, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left_out: Vec<String>,
    /// What of the action nobody can undo here, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub beyond: Vec<String>,
    /// The pack that was made with it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pack: Option<String>,
    /// Whether it was brought back already.
    #[serde(default)]
    pub undone: bool,
    /// How many files of it stayed as they were when it was: because they had changed, or because others were named.
    #[serde(skip_serializing_if = "is_none", default)]
    pub staying: usize,
    /// The lists of others in which more of what stood there stands, and which paths in them do not count.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    parts: Vec<parts::Part>,
    /// See [`Snapshot::parts`].
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    without: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_none(count: &usize) -> bool {
    *count == 0
}
