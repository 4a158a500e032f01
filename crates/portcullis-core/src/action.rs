//! What a call means. Owns the normalised, immutable action and its identity; it does not know what the action would do.

use crate::call::ToolCall;

/// A normalised call. Build it with [`Action::from_call`]; it never changes afterwards, and its [`digest`](Action::digest)
/// is what decisions and approvals are bound to.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What it is.
    pub kind: ActionKind,
    /// The call that it was made from.
    pub call: ToolCall,
    digest: [u8; 32],
}

/// What an action is.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// A shell command.
    Shell {
        /// JSON pointer of the command in the arguments.
        pointer: String,
        /// The command.
        command: String,
    },
    /// Code in another language.
    Code {
        /// JSON pointer of the code in the arguments.
        pointer: String,
        /// `python`, `javascript`, …
        language: String,
        /// The code.
        code: String,
    },
    /// A statement for a database.
    Query {
        /// JSON pointer of the statement in the arguments.
        pointer: String,
        /// The statement.
        statement: String,
    },
    /// Something done to a file.
    File {
        /// What.
        operation: FileOperation,
        /// JSON pointer of the path in the arguments.
        pointer: String,
        /// The path.
        path: String,
        /// What is written, with its JSON pointer, where it is written.
        content: Option<(String, String)>,
    },
    /// A request.
    Http {
        /// JSON pointer of the URL in the arguments.
        pointer: String,
        /// The URL.
        url: String,
        /// The method in upper case; `GET` where none is given.
        method: String,
        /// The body, with its JSON pointer.
        body: Option<(String, String)>,
    },
    /// Any other tool.
    Tool,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum FileOperation {
    /// Read it.
    Read,
    /// Search in it, or list it.
    Search,
    /// Create or replace it.
    Write,
    /// Change a part of it.
    Edit,
    /// Delete it.
    Delete,
}
